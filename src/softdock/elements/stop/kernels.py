"""End stops of joints: depth, force, and whether a stop acts on its joint."""

import math

import numpy as np

from softdock.elements.kernels.joints import joint_deflection, joint_speed, largest_mobility, push_joint
from softdock.elements.kernels.one_sided import one_sided_force, set_resting_limits
from softdock.elements.kernels.tangents import add_joint_tangents, add_radial_tangents
from softdock.native.decorators import inline, kernel

LAW = np.dtype(
    [
        ("stiffness", np.float64),
        ("damping", np.float64),
        ("lower", np.float64),
        ("upper", np.float64),  # of a joint of several axes: largest deflection in any direction
    ],
    align=True,
)


@inline
def apply(system, i, t, q, u, dy):
    """Apply an end stop to its joint: stiffness and damping; Eq. (M23), for a stop that keeps its state Eq. (M116)."""
    element, data = system.elements[i], system.element_data[i]
    stop = system.laws.stop[element.row]
    s, v, nx, ny, nz = stop_depth(element, stop, q, u, data.engaged)
    data.deflection = s
    data.angle = s + stop.upper if element.ball == 1 else 0.0
    is_free = data.engaged == 0 if data.keeps_state == 1 else s <= 0.0
    if is_free:
        return
    x, force = s - data.engaged_depth, one_sided_force(data, stop.stiffness, stop.damping, s, v)
    if data.keeps_state == 0:
        force = max(force, 0.0)
    push_joint(element, system.axes, -force * nx, -force * ny, -force * nz)
    # An engaged stop pulls a little before it is freed, and in stages beyond that instant; a pull is not reported.
    data.force = max(force, 0.0)
    data.energy = 0.5 * stop.stiffness * x * x
    data.loss = (force - stop.stiffness * x) * v


@inline
def error_gains(system, i, t, q, u):
    """Return stiffness and damping of a stop that acts."""
    element = system.elements[i]
    stop = system.laws.stop[element.row]
    acts = stop_acts(element, stop, system.element_data[i], q, u)
    return (stop.stiffness, stop.damping) if acts else (0.0, 0.0)


@inline
def add_tangents(system, i, t, q, u, linear):
    """Add stiffness and damping of a stop that acts; on several axes along its deflection."""
    element = system.elements[i]
    stop = system.laws.stop[element.row]
    if not stop_acts(element, stop, system.element_data[i], q, u):
        return
    if element.rows == 1:
        add_joint_tangents(element, linear, stop.stiffness, stop.damping)
        return
    x, y, z = joint_deflection(element, q)
    s = math.sqrt(x * x + y * y + z * z)
    if s > 0.0:
        add_radial_tangents(element, linear, stop.stiffness, stop.damping, (x / s, y / s, z / s))


@kernel
def begin(system, i, tolerance, mobility, speed, length):
    """Set depth and speed up to which a joint rests at its stop, and the response time; Eq. (M117)."""
    element = system.elements[i]
    stiffness, most = system.laws.stop[element.row].stiffness, largest_mobility(element, mobility)
    own_speed, own_length = tolerance[system.world[0].n_q + element.at_u], tolerance[element.at_q]
    set_resting_limits(system.element_data[i], stiffness, most, own_speed, own_length)


@inline
def one_sided(system, i):
    """Return the number of its limits, its stiffness and damping, and 1: its energy counts as stored."""
    stop, sides = system.laws.stop[system.elements[i].row], 2 if system.elements[i].rows == 1 else 1
    return sides * system.element_data[i].active, stop.stiffness, stop.damping, 1.0


@inline
def depth(system, i, side, t, q, u):
    """Return the depth beyond a limit (1 or -1; 0: the nearer one) [m or rad], its rate, and the side of the limit."""
    element = system.elements[i]
    s, v, n, _, _ = stop_depth(element, system.laws.stop[element.row], q, u, side)
    return s, v, -1 if element.rows == 1 and n < 0.0 else 1


@inline
def may_engage(system, i, dense):
    """Return whether bounds of the interpolation in a step let the joint reach a limit."""
    element, stop = system.elements[i], system.laws.stop[system.elements[i].row]
    if element.ball == 1:
        return True
    square = 0.0
    for at in range(element.at_q, element.at_q + element.rows):
        x_0 = dense[0, at]
        x_1 = x_0 + dense[1, at]
        # Largest distance from the chord, with the largest values of the products in Eq. (M33).
        beyond = 0.25 * abs(dense[2, at]) + 4.0 / 27.0 * abs(dense[3, at]) + 0.0625 * abs(dense[4, at])
        if element.rows == 1:
            return max(x_0, x_1) + beyond > stop.upper or min(x_0, x_1) - beyond < stop.lower
        most = max(abs(x_0), abs(x_1)) + beyond
        square += most * most
    return square > stop.upper * stop.upper


@inline
def stop_acts(element, stop, data, q, u):
    """Return whether a stop acts on its joint at a state."""
    if data.keeps_state == 1:
        return data.engaged != 0
    s, v, _, _, _ = stop_depth(element, stop, q, u, 0)
    return s > 0.0 and one_sided_force(data, stop.stiffness, stop.damping, s, v) > 0.0


@inline
def stop_depth(element, stop, q, u, limit):
    """Return the depth of a joint beyond a limit of its stop [m or rad], its rate, and the unit vector to the limit.

    The depth is negative between the limits. `limit` is 1 for the upper limit, -1 for the lower one, 0 for the nearer
    one. The vector has the components of the joint axes; it is zero where a joint with several axes is at its rest
    position.
    """
    x, y, z = joint_deflection(element, q)
    vx, vy, vz = joint_speed(element, u)
    if element.rows == 1:
        # A limit that is not given is far away.
        if limit < 0 or (limit == 0 and stop.lower - x > x - stop.upper):
            return stop.lower - x, -vx, -1.0, 0.0, 0.0
        return x - stop.upper, vx, 1.0, 0.0, 0.0
    r = math.sqrt(x * x + y * y + z * z)
    if r == 0.0:
        return -stop.upper, 0.0, 0.0, 0.0, 0.0
    nx, ny, nz = x / r, y / r, z / r
    return r - stop.upper, nx * vx + ny * vy + nz * vz, nx, ny, nz
