"""States of drives that change at located instants: flanks of the backlash, limits of the motor, sticking."""

from softdock.elements.drive.kernels.motor import exceeds_limits, wanted_force
from softdock.elements.kernels.friction import holding_share
from softdock.elements.kernels.motion_profiles import UNLIMITED, command_at, delay_of
from softdock.native.decorators import inline


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
