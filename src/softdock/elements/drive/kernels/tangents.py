"""Stiffness and damping of drives, for implicit steps and for errors of their force."""

from softdock.elements.drive.kernels.motor import (
    force_after_losses,
    limit_force,
    smooth_sign_slope,
    stretch_beyond_backlash,
    wanted_force,
)
from softdock.elements.drive.kernels.records import Follows
from softdock.elements.drive.kernels.self_locking import slowdown_per_force
from softdock.elements.kernels.friction import friction_damping
from softdock.elements.kernels.motion_profiles import command_at, delay_of
from softdock.elements.kernels.tangents import (
    SLOWDOWN_DAMPING,
    SLOWDOWN_FORCE_RATE,
    SLOWDOWN_RATIO,
    SLOWDOWN_SPEED,
    SLOWDOWN_STIFFNESS,
    add_joint_tangents,
)
from softdock.native.decorators import inline


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
def damping_of_power_limit(drive, motor, v):
    """Return the damping of a motor at its power limit, whose force falls with speed: P / v^2; 0 at the force limit."""
    return drive.max_power / (v * v) if abs(motor) < drive.max_force else 0.0
