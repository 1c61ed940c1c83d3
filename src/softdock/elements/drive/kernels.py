"""Forces of drives: command, limits, backlash, friction, efficiency, self-locking transmission and stall.

`drive` is the LAW of a drive, `state` its STATE; a self-locking drive has the delay of its profile in the state of the
system.
"""

import math
from enum import IntEnum

import numpy as np

from softdock.elements.kernels.friction import (
    friction_damping,
    friction_sticks,
    holding_share,
    joint_friction,
)
from softdock.elements.kernels.joints import largest_mobility
from softdock.elements.kernels.motion_profiles import (
    COLUMNS,
    KNOTS,
    TIME,
    UNLIMITED,
    ProfileKind,
    command_at,
    delay_of,
    plan_motion,
    rest_at,
)
from softdock.elements.kernels.one_sided import set_resting_limits
from softdock.elements.kernels.tangents import (
    SLOWDOWN_DAMPING,
    SLOWDOWN_FORCE_RATE,
    SLOWDOWN_RATIO,
    SLOWDOWN_SPEED,
    SLOWDOWN_STIFFNESS,
    add_joint_tangents,
)
from softdock.native.decorators import inline, kernel


class Follows(IntEnum):
    """What the command of a drive is."""

    POSITION = 0
    SPEED = 1


class DriveValue(IntEnum):
    """Observable fields of a drive, beside those of all elements along joints."""

    COMMAND = 0
    COMMAND_SPEED = 1
    LAG = 2
    POWER = 3
    STALLED = 4


LAW = np.dtype(
    [
        ("follows", np.int64),
        ("profile", np.int64),
        ("stiffness", np.float64),
        ("damping", np.float64),
        ("rate", np.float64),
        ("acceleration", np.float64),
        ("jerk", np.float64),
        ("max_force", np.float64),
        ("max_power", np.float64),
        ("backlash", np.float64),
        ("friction", np.float64),  # Coulomb force
        ("static_friction", np.float64),  # at rest
        ("friction_speed", np.float64),  # speed below which smooth friction is proportional to speed
        ("sticks", np.int64),  # 1: friction sticks; 0: it is smooth
        ("viscous", np.float64),  # friction per speed
        ("losses", np.float64),  # of the transmission over its load: 1 / efficiency - 1
        ("stall_speed", np.float64),
    ],
    align=True,
)

STATE = np.dtype(
    [
        ("target", np.float64),
        ("knot_count", np.int64),
        ("knots", np.float64, (KNOTS, COLUMNS)),  # segments of the profile; see motion_profiles
        # Results of an evaluation.
        ("command", np.float64),
        ("command_speed", np.float64),
        ("speed_ratio", np.float64),  # speed of its command over that of its profile
        ("stall", np.float64),  # positive while it is stalled
        # 1 or -1 if its motor is at its limits of force and power in that direction, else 0. With error control this
        # changes only between steps.
        ("limited", np.int64),
    ],
    align=True,
)

# A self-locking drive slows down from this fraction of its largest force on and stands still at the largest force.
FULL_SPEED_LOAD = 0.95


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
def apply_motor(system, i, v, wanted):
    """Apply the force that a motor wants within its limits, less the losses of its transmission; Eq. (M25)."""
    row, data = system.elements[i].row, system.element_data[i]
    drive, state = system.laws.drive[row], system.states.drive[row]
    motor = limit_force(drive, state, data, wanted, v)
    force, band = force_after_losses(system, i, motor, v)
    push_axis(system, i, v, force, (motor - force) * v, band)
    data.power = motor * v
    excess = max(abs(wanted) / drive.max_force, wanted * v / drive.max_power) - 1.0
    write_stall(drive, state, excess, v)


@kernel
def apply(system, i, t, q, u, dy):
    """Apply a drive; without power its friction and a self-locking transmission remain.

    Writes the rate of the delay of a self-locking drive into `dy`.
    """
    element, data = system.elements[i], system.element_data[i]
    drive, state = system.laws.drive[element.row], system.states.drive[element.row]
    x, v = q[element.at_q], u[element.at_u]
    if drive.follows == Follows.SPEED:
        apply_speed_drive(system, i, t, v)
    elif element.at_state >= 0:
        apply_self_locking(system, i, t, x, v, delay_of(element, q))
        dy[element.at_state] = 1.0 - state.speed_ratio
    elif data.active == 1:
        command, command_speed, _ = command_at(state, t, 0.0)
        state.command, state.command_speed = command, command_speed
        data.deflection = x - command
        apply_motor(system, i, v, transmission_force(drive, data, command - x, command_speed - v))
    else:
        apply_unpowered_drive(system, i, x, v)


@inline
def apply_speed_drive(system, i, t, v):
    """Apply a drive that follows a ramp of speed to its target; Eq. (M25)."""
    row, data = system.elements[i].row, system.element_data[i]
    if data.active == 1:
        state = system.states.drive[row]
        command, command_rate, _ = command_at(state, t, 0.0)
        state.command, state.command_speed = command, command_rate
        data.deflection = v - command
        apply_motor(system, i, v, system.laws.drive[row].damping * (command - v))
    else:
        apply_unpowered_drive(system, i, v, v)


@inline
def apply_unpowered_drive(system, i, command, v):
    """Apply the friction of a drive without power; its command follows the joint."""
    state = system.states.drive[system.elements[i].row]
    state.command, state.command_speed, state.stall = command, 0.0, -1.0
    push_axis(system, i, v, 0.0, 0.0, 0.0)


@inline
def apply_self_locking(system, i, t, x, v, delay):
    """Apply a self-locking drive; Eqs. (M100)-(M112).

    Only the motor can move its transmission, Eq. (M109): the load slows the command down and never pushes it. The drive
    holds its position with its stiffness whether it has power or not.
    """
    row, data = system.elements[i].row, system.element_data[i]
    drive, state = system.laws.drive[row], system.states.drive[row]
    command, wanted_speed, _ = command_at(state, t, delay)
    error = command - x
    stretch = stretch_beyond_backlash(drive, data, error)
    outside_gap = drive.backlash == 0.0 or stretch != 0.0 or data.engaged != 0
    against = math.copysign(1.0, wanted_speed) * (
        drive.stiffness * stretch - drive.damping * v if outside_gap else 0.0
    )
    excess = -1.0
    state.speed_ratio = 1.0
    if wanted_speed != 0.0 and against + drive.damping * abs(wanted_speed) > 0.0 and outside_gap:
        ratio = attainable_speed_ratio(drive, against, abs(wanted_speed))
        state.speed_ratio, excess = min(1.0, max(0.0, ratio)), 1.0 - ratio
    speed = state.speed_ratio * wanted_speed
    force = transmission_force(drive, data, error, speed - v)
    load = math.copysign(1.0, speed) * force
    # A load against the motion costs more than its power, a load along it gives less; Eq. (M110).
    motor = load + drive.losses * abs(load)
    elastic = drive.stiffness * stretch
    loss = (motor - load) * abs(speed) + (force - elastic) * (speed - v)
    push_axis(system, i, v, force, loss, 0.0)
    state.command, state.command_speed, data.deflection = command, speed, -error
    data.energy = 0.5 * elastic * stretch
    data.power = motor * abs(speed)
    write_stall(drive, state, excess, v)


@inline
def attainable_speed_ratio(drive, against, wanted_speed):
    """Return the fraction of the commanded speed that a self-locking drive can reach under a load; Eq. (M111).

    It is above 1 if the motor has a reserve. The load is `against` plus the damping of the speed that is reached.
    """
    growth = drive.damping * wanted_speed
    gain = 1.0 + drive.losses
    at_force = (drive.max_force - gain * against) / (
        (1.0 - FULL_SPEED_LOAD) * drive.max_force + gain * growth
    )
    if drive.max_power >= UNLIMITED:
        return at_force
    available = drive.max_power / (gain * wanted_speed)
    at_power = 2.0 * available / (against + math.sqrt(against * against + 4.0 * growth * available))
    return min(at_force, at_power)


@inline
def damping_of_power_limit(drive, motor, v):
    """Return the damping of a motor at its power limit, whose force falls with speed: P / v^2; 0 at the force limit."""
    return drive.max_power / (v * v) if abs(motor) < drive.max_force else 0.0


@inline
def error_gains(system, i, t, q, u):
    """Return stiffness and damping of the transmission where it acts; friction is not among them."""
    element = system.elements[i]
    k, c = drive_stiffness(system, i, t, q, u[element.at_u])
    return k, min(c, system.laws.drive[element.row].damping)


@inline
def add_tangents(system, i, t, q, u, linear):
    """Add stiffness and damping, and how fast a command of position changes the force.

    Without the latter a stiff drive that moves would limit implicit steps. Commands of speed are left out.
    """
    element = system.elements[i]
    drive, state = system.laws.drive[element.row], system.states.drive[element.row]
    v = u[element.at_u]
    k, c = drive_stiffness(system, i, t, q, v)
    if k > 0.0:
        _, speed, acceleration = command_at(state, t, delay_of(element, q))
        force_rate = k * speed + drive.damping * acceleration
        linear.force_rate[element.at_u] += force_rate
        linear.delays[element.at_u] = element.at_state
        lost_speed, lost_ratio = slowdown_per_force(element, drive, state, t, q, v)
        if lost_speed > 0.0:
            slowdown = linear.slowdowns[element.at_u]
            slowdown[SLOWDOWN_STIFFNESS], slowdown[SLOWDOWN_DAMPING] = k, drive.damping
            slowdown[SLOWDOWN_SPEED], slowdown[SLOWDOWN_RATIO] = lost_speed, lost_ratio
            slowdown[SLOWDOWN_FORCE_RATE] = force_rate
    add_joint_tangents(element, linear, k, c)


@inline
def drive_stiffness(system, i, t, q, v):
    """Return stiffness and damping of a drive at a state, for implicit steps."""
    element, data = system.elements[i], system.element_data[i]
    drive, state, active = system.laws.drive[element.row], system.states.drive[element.row], data.active
    x, k, c = q[element.at_q], drive.stiffness, drive.damping
    wanted = wanted_force(system, i, t, q, v)
    if drive.follows == Follows.SPEED:
        k = 0.0
    elif drive.backlash > 0.0:
        command, _, _ = command_at(state, t, delay_of(element, q))
        if stretch_beyond_backlash(drive, data, command - x) == 0.0 or wanted == 0.0:
            k, c = 0.0, 0.0
    if element.at_state < 0:
        motor = limit_force(drive, state, data, wanted, v)
        if active == 0:
            k, c = 0.0, 0.0
        elif motor != wanted:
            k, c = 0.0, damping_of_power_limit(drive, motor, v)
        if drive.losses > 0.0 and active == 1 and motor != 0.0:
            force, band = force_after_losses(system, i, motor, v)
            force -= system.axes[element.at_u].slides * band
            k, c = k * force / motor, c * force / motor
            if band == 0.0:
                c += drive.losses * force * force / abs(motor) * smooth_sign_slope(drive, v)
    along, _ = friction_damping(system, element, drive, (v, 0.0, 0.0))
    return k, c + drive.viscous + along


@inline
def slowdown_per_force(element, drive, state, t, q, v):
    """Return the loss of command speed per force of a self-locking drive that its force limit slows down; Eq. (M113).

    First the loss of speed [m/s/N] or [rad/s/(N m)], then the loss of the speed ratio with the sign of the motion [1/N]
    or [1/(N m)]. Both are zero below the force limit, at rest, with backlash and where the power limit is lower.
    """
    x, k, c = q[element.at_q], drive.stiffness, drive.damping
    if element.at_state < 0 or drive.backlash > 0.0:
        return 0.0, 0.0
    command, speed, _ = command_at(state, t, delay_of(element, q))
    if speed == 0.0:
        return 0.0, 0.0
    sign = math.copysign(1.0, speed)
    against = sign * (k * (command - x) - c * v)
    ratio = attainable_speed_ratio(drive, against, abs(speed))
    gain, margin = 1.0 + drive.losses, (1.0 - FULL_SPEED_LOAD) * drive.max_force
    at_force = (drive.max_force - gain * against) / (margin + gain * c * abs(speed))
    if not 0.0 < ratio < 1.0 or ratio < at_force:
        return 0.0, 0.0
    return abs(speed) * gain / margin, sign * gain / margin


@inline
def smooth_sign_slope(drive, v):
    """Return the derivative of the smooth sign with respect to the speed."""
    squares = v * v + drive.friction_speed * drive.friction_speed
    return drive.friction_speed * drive.friction_speed / (squares * math.sqrt(squares))


@inline
def wanted_force(system, i, t, q, v):
    """Return the force that a drive wants without limits; of a self-locking one that of its command without delay."""
    element, data = system.elements[i], system.element_data[i]
    drive, state = system.laws.drive[element.row], system.states.drive[element.row]
    command, command_speed, _ = command_at(state, t, delay_of(element, q))
    if drive.follows == Follows.SPEED:
        return drive.damping * (command - v)
    return transmission_force(drive, data, command - q[element.at_q], command_speed - v)


@inline
def friction_axes(system, i):
    """Return 1 if its friction, or the losses of its transmission, stick."""
    drive = system.laws.drive[system.elements[i].row]
    lossy = drive.losses > 0.0 and system.elements[i].at_state < 0
    return 1 if drive.sticks == 1 and (drive.static_friction > 0.0 or lossy) else 0


@inline
def hold(system, i, q):
    """Add its share of the holding force of its joint, which is at rest, to the force that it transmits."""
    system.element_data[i].force += holding_share(system, i) * system.axes[system.elements[i].at_u].holding


@inline
def one_sided(system, i):
    """Return the number of flanks, stiffness and damping, and 1 if its energy counts as stored; (M104), (M105)."""
    element, drive = system.elements[i], system.laws.drive[system.elements[i].row]
    acts = system.element_data[i].active == 1 or element.at_state >= 0
    sides = 2 if drive.backlash > 0.0 and acts else 0
    return sides, drive.stiffness, drive.damping, 1.0 if element.at_state >= 0 else 0.0


@inline
def depth(system, i, side, t, q, u):
    """Return how far the command is beyond a flank (1 or -1; 0: the nearer one) [m or rad], the rate, and the flank."""
    element = system.elements[i]
    drive, state = system.laws.drive[element.row], system.states.drive[element.row]
    command, speed, _ = command_at(state, t, delay_of(element, q))
    error, rate = command - q[element.at_q], speed - u[element.at_u]
    sign = -1 if side < 0 or (side == 0 and error < 0.0) else 1
    return sign * error - 0.5 * drive.backlash, sign * rate, sign


@inline
def has_branches(system, i):
    """Return whether its motor has power and limits."""
    drive, data = system.laws.drive[system.elements[i].row], system.element_data[i]
    limited = drive.max_force < UNLIMITED or drive.max_power < UNLIMITED
    return limited and data.active == 1 and system.elements[i].at_state < 0


@inline
def branch_at(system, i, t, q, u):
    """Return the limits at which its motor is at a state: 1, -1 or 0."""
    v = u[system.elements[i].at_u]
    return exceeds_limits(system.laws.drive[system.elements[i].row], wanted_force(system, i, t, q, v), v)


@inline
def set_branch(system, i, branch):
    """Let its motor be at its limits in a direction, or below them."""
    system.states.drive[system.elements[i].row].limited = branch


@inline
def branch(system, i):
    """Return the limits at which its motor is in the present step."""
    return system.states.drive[system.elements[i].row].limited


@kernel
def begin(system, i, tolerance, mobility, speed, length):
    """Set depth and speed up to which a joint rests on flanks of a backlash, and response times; Eq. (M117)."""
    element = system.elements[i]
    drive = system.laws.drive[element.row]
    if drive.backlash > 0.0:
        most, own_speed = largest_mobility(element, mobility), tolerance[system.world[0].n_q + element.at_u]
        set_resting_limits(system.element_data[i], drive.stiffness, most, own_speed, tolerance[element.at_q])


@kernel
def set_tolerance(system, i, tolerance):
    """Let the delay of the command be as exact as the position of the joint."""
    element = system.elements[i]
    if element.at_state >= 0:
        tolerance[element.at_state] = tolerance[element.at_q] / system.laws.drive[element.row].rate


@kernel
def switch_off(system, i, t, y):
    """Switch a drive off; the command of a self-locking drive stays where it is."""
    element = system.elements[i]
    if element.at_state >= 0 and system.element_data[i].active == 1:
        state = system.states.drive[element.row]
        command, _, _ = command_at(state, t, y[element.at_state])
        rest_at(state, t, command)
        y[element.at_state] = 0.0


@kernel
def switch_on(system, i, t, y):
    """Start the profile at the present position, or speed, of the joint."""
    start_at_joint(system, i, t, y, False)


@kernel
def set_target(system, i, t, y, value):
    """Start the profile to a new target."""
    system.states.drive[system.elements[i].row].target = value
    start_at_joint(system, i, t, y, system.element_data[i].active == 1)


@inline
def start_at_joint(system, i, t, y, has_power):
    """Start the profile to the target of a drive from the present state of its joint or of its command."""
    element = system.elements[i]
    drive, state = system.laws.drive[element.row], system.states.drive[element.row]
    speed = y[system.world[0].n_q + element.at_u]
    value = y[element.at_q] if drive.follows == Follows.POSITION else speed
    start_drive(element, drive, state, t, y, value, speed, has_power)


@kernel
def start_drive(element, drive, state, t, y, value, speed, has_power):
    """Start the profile to the target of a drive, which may be moving or switched off.

    A drive with power, or a self-locking one, continues at the position and speed of its command. Any other drive
    starts at those of its joint: `value` (the speed, if the drive follows a speed) and `speed`.
    """
    acceleration = 0.0
    if has_power or element.at_state >= 0:
        value, speed, acceleration = command_at(state, t, delay_of(element, y))
        if state.speed_ratio < 1.0:
            speed, acceleration = state.speed_ratio * speed, 0.0
        if element.at_state >= 0:
            y[element.at_state] = 0.0
    elif drive.profile != ProfileKind.RAMP:
        speed = min(max(speed, -drive.rate), drive.rate)
    state.speed_ratio = 1.0
    plan_motion(drive, state, t, value, speed, acceleration)


@kernel
def next_break(system, i, t, y):
    """Return the first time after t at which the profile changes its segment [s]; infinite if it does not."""
    element, next_time = system.elements[i], math.inf
    state = system.states.drive[element.row]
    # A drive that is slowed by its load reaches the next knot later than it seems now.
    if state.knot_count > 1 and system.element_data[i].active == 1 and state.speed_ratio >= 1.0:
        delay = delay_of(element, y)
        for k in range(state.knot_count):
            time = state.knots[k, TIME] + delay
            if t < time < next_time:
                next_time = time
    return next_time


@inline
def value(system, i, component):
    """Return the command, its speed, the size of its error, the power of the motor, or how far the drive stalls."""
    element, data = system.elements[i], system.element_data[i]
    state = system.states.drive[element.row]
    if component == DriveValue.COMMAND:
        return state.command
    if component == DriveValue.COMMAND_SPEED:
        return state.command_speed
    if component == DriveValue.LAG:
        return abs(data.deflection) if data.active == 1 or element.at_state >= 0 else 0.0
    return data.power if component == DriveValue.POWER else state.stall
