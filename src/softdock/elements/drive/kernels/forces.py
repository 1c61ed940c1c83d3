"""Forces of drives: command, limits, backlash, friction, efficiency, self-locking transmission and stall."""

from softdock.elements.drive.kernels.motor import (
    force_after_losses,
    limit_force,
    push_axis,
    transmission_force,
    write_stall,
)
from softdock.elements.drive.kernels.records import Follows
from softdock.elements.drive.kernels.self_locking import apply_self_locking
from softdock.elements.kernels.motion_profiles import command_at, delay_of
from softdock.native.decorators import inline, kernel


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


@inline
def apply_unpowered_drive(system, i, command, v):
    """Apply the friction of a drive without power; its command follows the joint."""
    state = system.states.drive[system.elements[i].row]
    state.command, state.command_speed, state.stall = command, 0.0, -1.0
    push_axis(system, i, v, 0.0, 0.0, 0.0)
