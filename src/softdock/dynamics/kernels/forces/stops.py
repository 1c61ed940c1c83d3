"""End stops of joints: depth, force, and whether a stop acts on its joint."""

import math

from softdock.native.decorators import inline
from softdock.tree.kernels.joint_motion import joint_deflection, joint_speed, push_joint


@inline
def apply_stop(element, axes, q, u):
    """Apply an end stop to its joint: stiffness and damping; Eq. (M23), for a stop that keeps its state Eq. (M116)."""
    s, v, nx, ny, nz = stop_depth(element, q, u, element.engaged)
    element.deflection = s
    if element.rows > 1:
        element.angle = s + element.upper
    is_free = element.engaged == 0 if element.keeps_state == 1 else s <= 0.0
    if is_free:
        return
    x, force = s - element.engaged_depth, stop_force(element, s, v)
    if element.keeps_state == 0:
        force = max(force, 0.0)
    push_joint(element, axes, -force * nx, -force * ny, -force * nz)
    # An engaged stop pulls a little before it is freed, and in stages beyond that instant; a pull is not reported.
    element.force = max(force, 0.0)
    element.energy = 0.5 * element.stiffness[0] * x * x
    element.loss = (force - element.stiffness[0] * x) * v


@inline
def stop_acts(element, q, u):
    """Return whether a stop acts on its joint at a state."""
    if element.keeps_state == 1:
        return element.engaged != 0
    s, v, _, _, _ = stop_depth(element, q, u, 0)
    return s > 0.0 and stop_force(element, s, v) > 0.0


@inline
def stop_force(element, depth, rate):
    """Return the force [N or N m] that a stop has if it acts, at a depth [m or rad] and its rate; negative: a pull."""
    return element.stiffness[0] * (depth - element.engaged_depth) + element.damping[0] * rate


@inline
def stop_depth(element, q, u, limit):
    """Return the depth of a joint beyond a limit of its stop [m or rad], its rate, and the unit vector to the limit.

    The depth is negative between the limits. `limit` is 1 for the upper limit, -1 for the lower one, 0 for the nearer
    one. The vector has the components of the joint axes; it is zero where a joint with several axes is at its rest
    position.
    """
    x, y, z = joint_deflection(element, q)
    vx, vy, vz = joint_speed(element, u)
    if element.rows == 1:
        # A limit that is not given is far away.
        if limit < 0 or (limit == 0 and element.lower - x > x - element.upper):
            return element.lower - x, -vx, -1.0, 0.0, 0.0
        return x - element.upper, vx, 1.0, 0.0, 0.0
    r = math.sqrt(x * x + y * y + z * z)
    if r == 0.0:
        return -element.upper, 0.0, 0.0, 0.0, 0.0
    nx, ny, nz = x / r, y / r, z / r
    return r - element.upper, nx * vx + ny * vy + nz * vz, nx, ny, nz
