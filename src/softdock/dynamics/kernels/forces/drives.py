"""Forces of drives: command, limits, backlash, friction, efficiency, self-locking transmission and stall."""

import math

from softdock.dynamics.kernels.forces.motion_profiles import (
    RAMP,
    UNLIMITED,
    command_at,
    delay_of,
    plan_motion,
    rest_at,
)
from softdock.native.decorators import inline, kernel

# A self-locking drive slows down from this fraction of its largest force on and stands still at the largest force.
FULL_SPEED_LOAD = 0.95


@inline
def limit_force(force, speed, max_force, max_power):
    """Return a force within the limits of force and of delivered power at a speed of the joint.

    The power limit does not apply while the motor brakes.
    """
    bound = max_force
    if abs(force * speed) > max_power and force * speed > 0.0:
        bound = min(bound, max_power / abs(speed))
    return min(max(force, -bound), bound)


@inline
def stretch_beyond_backlash(element, error):
    """Return the error of position beyond the backlash [m or rad]; Eq. (M104)."""
    half = 0.5 * element.backlash
    return error - min(max(error, -half), half)


@inline
def transmission_force(element, error, error_rate):
    """Return the force of stiffness and damping [N or N m]; Eq. (M105).

    With backlash it is zero in the gap and never pulls over it.
    """
    force = element.stiffness[0] * stretch_beyond_backlash(element, error) + element.damping[0] * error_rate
    if element.backlash > 0.0:
        half = 0.5 * element.backlash
        if error > half:
            return max(0.0, force)
        return min(0.0, force) if error < -half else 0.0
    return force


@inline
def smooth_sign(element, v):
    """Return the sign of a speed, smoothed within the friction speed."""
    return v / math.sqrt(v * v + element.friction_speed * element.friction_speed)


@inline
def drive_friction(element, v):
    """Return Coulomb and viscous friction of the drive train at the joint, with the sign of its speed; Eq. (M107)."""
    force = element.viscous * v
    if element.friction > 0.0:
        force += element.friction * smooth_sign(element, v)
    return force


@inline
def push_axis(element, axes, v, force, loss):
    """Apply a force of the transmission and the friction of the drive train to the joint; write force and loss [W]."""
    rub = drive_friction(element, v)
    axes[element.at_u].tau += force - rub
    element.force = force - rub
    element.loss = loss + rub * v


@inline
def force_after_losses(element, motor, v):
    """Return the force of the motor after the losses of the transmission, which grow with the load; Eq. (M108)."""
    if element.losses == 0.0:
        return motor
    return motor / (1.0 + element.losses * math.copysign(1.0, motor) * smooth_sign(element, v))


@inline
def write_stall(element, excess, v):
    """Store how far a drive is stalled: positive at its limits while slower than its stall speed; Eq. (M112)."""
    element.stall = max(-1.0, min(1.0, excess, 1.0 - abs(v) / element.stall_speed))


@inline
def write_branch(element, excess, error, force):
    """Store the branch of the law of a drive: its limit, if one acts, and the side of its backlash on which it pushes.

    `excess` is what the motor wants beyond its limits, `force` is that of stiffness and damping.
    """
    stretch = stretch_beyond_backlash(element, error) if element.backlash > 0.0 and force != 0.0 else 0.0
    element.branch = 3 * sign_number(stretch) + sign_number(excess)


@inline
def sign_number(x):
    """Return 0, 1 or 2 for zero, positive and negative numbers."""
    return 1 if x > 0.0 else (2 if x < 0.0 else 0)


@inline
def apply_motor(element, axes, v, wanted):
    """Apply the force that a motor wants within its limits, less the losses of its transmission; Eq. (M25)."""
    motor = limit_force(wanted, v, element.max_force, element.max_power)
    force = force_after_losses(element, motor, v)
    push_axis(element, axes, v, force, (motor - force) * v)
    element.power = motor * v
    write_branch(element, wanted - motor, -element.deflection, wanted)
    write_stall(element, max(abs(wanted) / element.max_force, wanted * v / element.max_power) - 1.0, v)


@inline
def apply_position_drive(element, axes, t, q, u, dy):
    """Apply a drive that follows a profile of position to its target; Eqs. (M24), (M25), (M100)-(M112)."""
    x, v = q[element.at_q], u[element.at_u]
    if element.at_delay >= 0:
        apply_self_locking(element, axes, t, x, v, delay_of(element, q))
        dy[element.at_delay] = 1.0 - element.speed_ratio
    elif element.active == 1:
        command, command_speed, _ = command_at(element, t, 0.0)
        element.command, element.command_speed = command, command_speed
        element.deflection = x - command
        apply_motor(element, axes, v, transmission_force(element, command - x, command_speed - v))
    else:
        apply_unpowered_drive(element, axes, x, v)


@inline
def apply_speed_drive(element, axes, t, u):
    """Apply a drive that follows a ramp of speed to its target; Eq. (M25)."""
    v = u[element.at_u]
    if element.active == 1:
        command, command_rate, _ = command_at(element, t, 0.0)
        element.command, element.command_speed = command, command_rate
        element.deflection = v - command
        apply_motor(element, axes, v, element.damping[0] * (command - v))
    else:
        apply_unpowered_drive(element, axes, v, v)


@inline
def apply_unpowered_drive(element, axes, value, v):
    """Apply the friction of a drive without power; its command follows the joint."""
    element.command, element.command_speed, element.stall = value, 0.0, -1.0
    push_axis(element, axes, v, 0.0, 0.0)


@inline
def apply_self_locking(element, axes, t, x, v, delay):
    """Apply a self-locking drive; Eq. (M109).

    Only the motor can move its transmission: the load slows the command down and never pushes it. The drive holds its
    position with its stiffness whether it has power or not.
    """
    command, wanted_speed, _ = command_at(element, t, delay)
    error = command - x
    stretch = stretch_beyond_backlash(element, error)
    outside_gap = element.backlash == 0.0 or stretch != 0.0
    against = math.copysign(1.0, wanted_speed) * (
        element.stiffness[0] * stretch - element.damping[0] * v if outside_gap else 0.0
    )
    excess = -1.0
    element.speed_ratio = 1.0
    if wanted_speed != 0.0 and against + element.damping[0] * abs(wanted_speed) > 0.0 and outside_gap:
        ratio = attainable_speed_ratio(element, against, abs(wanted_speed))
        element.speed_ratio, excess = min(1.0, max(0.0, ratio)), 1.0 - ratio
    speed = element.speed_ratio * wanted_speed
    force = transmission_force(element, error, speed - v)
    load = math.copysign(1.0, speed) * force
    # A load against the motion costs more than its power, a load along it gives less; Eq. (M110).
    motor = load + element.losses * abs(load)
    elastic = element.stiffness[0] * stretch
    loss = (motor - load) * abs(speed) + (force - elastic) * (speed - v)
    push_axis(element, axes, v, force, loss)
    element.command, element.command_speed, element.deflection = command, speed, -error
    element.energy = 0.5 * elastic * stretch
    element.power = motor * abs(speed)
    write_branch(element, 0.0, error, force)
    write_stall(element, excess, v)


@inline
def attainable_speed_ratio(element, against, wanted_speed):
    """Return the fraction of the commanded speed that a self-locking drive can reach under a load; Eq. (M111).

    It is above 1 if the motor has a reserve. The load is `against` plus the damping of the speed that is reached.
    """
    growth = element.damping[0] * wanted_speed
    gain = 1.0 + element.losses
    at_force = (element.max_force - gain * against) / (
        (1.0 - FULL_SPEED_LOAD) * element.max_force + gain * growth
    )
    if element.max_power >= UNLIMITED:
        return at_force
    available = element.max_power / (gain * wanted_speed)
    at_power = 2.0 * available / (against + math.sqrt(against * against + 4.0 * growth * available))
    return min(at_force, at_power)


@inline
def damping_of_power_limit(element, motor, v):
    """Return the damping of a motor at its power limit, whose force falls with speed: P / v^2; 0 at the force limit."""
    return element.max_power / (v * v) if abs(motor) < element.max_force else 0.0


@inline
def drive_stiffness(element, t, q, v, is_speed):
    """Return stiffness and damping of a drive at a state, for implicit steps."""
    x, k, c = q[element.at_q], element.stiffness[0], element.damping[0]
    delay = delay_of(element, q)
    command, command_speed, _ = command_at(element, t, delay)
    wanted = c * (command - v) if is_speed else transmission_force(element, command - x, command_speed - v)
    if is_speed:
        k = 0.0
    elif element.backlash > 0.0 and (stretch_beyond_backlash(element, command - x) == 0.0 or wanted == 0.0):
        k, c = 0.0, 0.0
    if element.at_delay < 0:
        motor = limit_force(wanted, v, element.max_force, element.max_power)
        if element.active == 0:
            k, c = 0.0, 0.0
        elif motor != wanted:
            k, c = 0.0, damping_of_power_limit(element, motor, v)
        if element.losses > 0.0 and element.active == 1 and motor != 0.0:
            force = force_after_losses(element, motor, v)
            k, c = k * force / motor, c * force / motor
            c += element.losses * force * force / abs(motor) * smooth_sign_slope(element, v)
    c += element.viscous
    if element.friction > 0.0:
        c += element.friction * smooth_sign_slope(element, v)
    return k, c


@inline
def slowdown_per_force(element, t, q, v):
    """Return the loss of command speed per force of a self-locking drive that its force limit slows down; Eq. (M113).

    First the loss of speed [m/s/N] or [rad/s/(N m)], then the loss of the speed ratio with the sign of the motion [1/N]
    or [1/(N m)]. Both are zero below the force limit, at rest, with backlash and where the power limit is lower.
    """
    x, k, c = q[element.at_q], element.stiffness[0], element.damping[0]
    if element.at_delay < 0 or element.backlash > 0.0:
        return 0.0, 0.0
    command, speed, _ = command_at(element, t, delay_of(element, q))
    if speed == 0.0:
        return 0.0, 0.0
    sign = math.copysign(1.0, speed)
    against = sign * (k * (command - x) - c * v)
    ratio = attainable_speed_ratio(element, against, abs(speed))
    gain, margin = 1.0 + element.losses, (1.0 - FULL_SPEED_LOAD) * element.max_force
    at_force = (element.max_force - gain * against) / (margin + gain * c * abs(speed))
    if not 0.0 < ratio < 1.0 or ratio < at_force:
        return 0.0, 0.0
    return abs(speed) * gain / margin, sign * gain / margin


@inline
def smooth_sign_slope(element, v):
    """Return the derivative of the smooth sign with respect to the speed."""
    squares = v * v + element.friction_speed * element.friction_speed
    return element.friction_speed * element.friction_speed / (squares * math.sqrt(squares))


@kernel
def switch_off_drive(element, t, y):
    """Switch a drive off; the command of a self-locking drive stays where it is."""
    if element.at_delay >= 0:
        command, _, _ = command_at(element, t, y[element.at_delay])
        rest_at(element, t, command)
        y[element.at_delay] = 0.0
    element.active = 0


@kernel
def start_drive(element, t, y, value, speed):
    """Start the profile to the target of a drive, which may be moving or switched off.

    A drive with power, or a self-locking one, continues at the position and speed of its command. Any other drive
    starts at those of its joint: `value` (the speed, if the drive follows a speed) and `speed`.
    """
    acceleration = 0.0
    if element.active == 1 or element.at_delay >= 0:
        value, speed, acceleration = command_at(element, t, delay_of(element, y))
        if element.speed_ratio < 1.0:
            speed, acceleration = element.speed_ratio * speed, 0.0
        if element.at_delay >= 0:
            y[element.at_delay] = 0.0
    elif element.law != RAMP:
        speed = min(max(speed, -element.rate), element.rate)
    element.active, element.speed_ratio = 1, 1.0
    plan_motion(element, t, value, speed, acceleration)
