"""Self-locking drives, whose transmission only the motor can move."""

import math

from softdock.elements.drive.kernels.motor import (
    push_axis,
    stretch_beyond_backlash,
    transmission_force,
    write_stall,
)
from softdock.elements.kernels.motion_profiles import UNLIMITED, command_at, delay_of
from softdock.native.decorators import inline

# A self-locking drive slows down from this fraction of its largest force on and stands still at the largest force.
FULL_SPEED_LOAD = 0.95


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
