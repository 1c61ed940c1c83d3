"""Force of a motor within its limits, through backlash and losses of its transmission; friction of the drive train."""

import math

from softdock.elements.drive.kernels.records import Follows
from softdock.elements.kernels.friction import friction_sticks, joint_friction
from softdock.elements.kernels.motion_profiles import command_at, delay_of
from softdock.native.decorators import inline


@inline
def largest_force(direction, speed, max_force, max_power):
    """Return the limit of the force in a direction at a speed of the joint, by force and delivered power; Eq. (M25).

    The power limit does not apply while the motor brakes.
    """
    power = direction * speed * max_force
    return max_power / abs(speed) if power > max_power else max_force


@inline
def exceeds_limits(drive, force, speed):
    """Return 1 or -1 if a force is beyond the limits of the motor in that direction, else 0."""
    direction = 1.0 if force > 0.0 else -1.0
    if direction * force > largest_force(direction, speed, drive.max_force, drive.max_power):
        return 1 if force > 0.0 else -1
    return 0


@inline
def limit_force(drive, state, data, force, speed):
    """Return the force of a motor that wants one, within its limits; Eq. (M25)."""
    limited = state.limited if data.keeps_state == 1 else exceeds_limits(drive, force, speed)
    if limited == 0:
        return force
    return limited * largest_force(limited, speed, drive.max_force, drive.max_power)


@inline
def stretch_beyond_backlash(drive, data, error):
    """Return the error of position beyond the backlash [m or rad]; Eqs. (M104), (M116)."""
    half = 0.5 * drive.backlash
    if data.keeps_state == 1 and drive.backlash > 0.0:
        return error - data.engaged * (half + data.engaged_depth) if data.engaged != 0 else 0.0
    return error - min(max(error, -half), half)


@inline
def transmission_force(drive, data, error, error_rate):
    """Return the force of stiffness and damping [N or N m]; Eq. (M105).

    With backlash it is zero in the gap and never pulls over it.
    """
    force = drive.stiffness * stretch_beyond_backlash(drive, data, error) + drive.damping * error_rate
    if drive.backlash > 0.0 and data.keeps_state == 1:
        return force if data.engaged != 0 else 0.0
    if drive.backlash > 0.0:
        half = 0.5 * drive.backlash
        if error > half:
            return max(0.0, force)
        return min(0.0, force) if error < -half else 0.0
    return force


@inline
def smooth_sign(drive, v):
    """Return the sign of a speed, smoothed within the friction speed."""
    return v / math.sqrt(v * v + drive.friction_speed * drive.friction_speed)


@inline
def smooth_sign_slope(drive, v):
    """Return the derivative of the smooth sign with respect to the speed."""
    squares = v * v + drive.friction_speed * drive.friction_speed
    return drive.friction_speed * drive.friction_speed / (squares * math.sqrt(squares))


@inline
def push_axis(system, i, v, force, loss, band):
    """Apply a force of the transmission and the friction of the drive train to the joint; write force and loss [W].

    `band` is the friction that depends on the load [N or N m]; Eqs. (M107), (M128).
    """
    element, data, friction = system.elements[i], system.element_data[i], 0.0
    drive = system.laws.drive[element.row]
    if drive.static_friction > 0.0 or drive.losses > 0.0:
        friction, _, _, lost = joint_friction(system, i, drive, band, (v, 0.0, 0.0))
        loss += lost
    friction += drive.viscous * v
    system.axes[element.at_u].tau += force - friction
    data.force = force - friction
    data.loss = loss + drive.viscous * v * v


@inline
def force_after_losses(system, i, motor, v):
    """Return the force of a motor after the losses of the transmission, which grow with the load, and their friction.

    Eq. (M108). Where friction sticks, the force is the mean of those against and along the motion, Eq. (M128), and the
    losses are a friction; otherwise the force contains them, smoothed at low speeds.
    """
    drive = system.laws.drive[system.elements[i].row]
    if drive.losses == 0.0:
        return motor, 0.0
    if friction_sticks(system, system.elements[i], drive.sticks):
        mean = motor / (1.0 - drive.losses * drive.losses)
        return mean, drive.losses * abs(mean)
    return motor / (1.0 + drive.losses * math.copysign(1.0, motor) * smooth_sign(drive, v)), 0.0


@inline
def write_stall(drive, state, excess, v):
    """Store how far a drive is stalled: positive at its limits while slower than its stall speed; Eq. (M112)."""
    state.stall = max(-1.0, min(1.0, excess, 1.0 - abs(v) / drive.stall_speed))


@inline
def wanted_force(system, i, t, q, v):
    """Return the force that a drive wants without limits; of a self-locking one that of its command without delay."""
    element, data = system.elements[i], system.element_data[i]
    drive, state = system.laws.drive[element.row], system.states.drive[element.row]
    command, command_speed, _ = command_at(state, t, delay_of(element, q))
    if drive.follows == Follows.SPEED:
        return drive.damping * (command - v)
    return transmission_force(drive, data, command - q[element.at_q], command_speed - v)
