"""Commands of drives: power, targets, profiles; their observable fields."""

import math

from softdock.elements.drive.kernels.records import DriveValue, Follows
from softdock.elements.kernels.motion_profiles import (
    TIME,
    ProfileKind,
    command_at,
    delay_of,
    plan_motion,
    rest_at,
)
from softdock.native.decorators import inline, kernel


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
