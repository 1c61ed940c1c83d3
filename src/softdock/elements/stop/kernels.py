"""End stops of joints: depth, force, and whether a stop acts on its joint."""

import math

import numpy as np

from softdock.elements.kernels.joints import joint_deflection, joint_speed, largest_mobility, push_joint
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

STATE = np.dtype(
    [
        # Depth [m or rad] and speed [m/s or rad/s] up to which a joint rests at the stop, Eq. (M117), and response time
        # sqrt(m / k) [s]; set at the start of a run.
        ("resting_depth", np.float64),
        ("resting_speed", np.float64),
        ("response_time", np.float64),
        # 1 if it is engaged at its upper limit, -1 at the lower one, 0 if it is free. If `keeps_state` is 1, this
        # changes only between steps, see engagement; otherwise every evaluation decides whether the stop acts.
        ("engaged", np.int64),
        ("keeps_state", np.int64),
        # Of an engaged stop: depth from which its spring is compressed, Eq. (M116) [m or rad], and impulse of its
        # tension less that of its pushes, Eq. (M120) [N s or N m s].
        ("engaged_depth", np.float64),
        ("tension_impulse", np.float64),
    ],
    align=True,
)


@inline
def apply(system, i, t, q, u, dy):
    """Apply an end stop to its joint: stiffness and damping; Eq. (M23), for a stop that keeps its state Eq. (M116)."""
    element, data = system.elements[i], system.element_data[i]
    stop, state = system.laws.stop[element.row], system.states.stop[element.row]
    s, v, nx, ny, nz = stop_depth(element, stop, q, u, state.engaged)
    data.deflection = s
    data.angle = s + stop.upper if element.ball == 1 else 0.0
    is_free = state.engaged == 0 if state.keeps_state == 1 else s <= 0.0
    if is_free:
        return
    x, force = s - state.engaged_depth, stop_force(stop, state, s, v)
    if state.keeps_state == 0:
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
    stop, state = system.laws.stop[element.row], system.states.stop[element.row]
    acts = stop_acts(element, stop, state, q, u)
    return (stop.stiffness, stop.damping) if acts else (0.0, 0.0)


@inline
def add_tangents(system, i, t, q, u, linear):
    """Add stiffness and damping of a stop that acts; on several axes along its deflection."""
    element = system.elements[i]
    stop, state = system.laws.stop[element.row], system.states.stop[element.row]
    if not stop_acts(element, stop, state, q, u):
        return
    if element.rows == 1:
        add_joint_tangents(element, linear, stop.stiffness, stop.damping)
        return
    x, y, z = joint_deflection(element, q)
    s = math.sqrt(x * x + y * y + z * z)
    if s > 0.0:
        add_radial_tangents(element, linear, stop.stiffness, stop.damping, (x / s, y / s, z / s))


@kernel
def begin(system, i, tolerance, mobility):
    """Set depth and speed up to which a joint rests at its stop, and the response time; Eq. (M117)."""
    element = system.elements[i]
    stop, state = system.laws.stop[element.row], system.states.stop[element.row]
    speed = tolerance[system.world[0].n_q + element.at_u]
    state.response_time = 1.0 / math.sqrt(stop.stiffness * largest_mobility(element, mobility))
    state.resting_depth = min(speed * state.response_time, tolerance[element.at_q])
    state.resting_speed = speed


@inline
def switch_off(system, i, t, y):
    """Free the stop."""
    state = system.states.stop[system.elements[i].row]
    state.engaged, state.engaged_depth, state.tension_impulse = 0, 0.0, 0.0


@inline
def stop_acts(element, stop, state, q, u):
    """Return whether a stop acts on its joint at a state."""
    if state.keeps_state == 1:
        return state.engaged != 0
    s, v, _, _, _ = stop_depth(element, stop, q, u, 0)
    return s > 0.0 and stop_force(stop, state, s, v) > 0.0


@inline
def stop_force(stop, state, depth, rate):
    """Return the force [N or N m] that a stop has if it acts, at a depth [m or rad] and its rate; negative: a pull."""
    return stop.stiffness * (depth - state.engaged_depth) + stop.damping * rate


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
