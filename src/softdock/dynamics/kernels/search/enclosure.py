"""Bounds on the values of channels between two instants of a step, from their values there; Eqs. (M34), (M63)-(M65)."""

import math

from softdock.dynamics.kernels.channels.channels import ChannelKind, Form, is_about_elements, is_acceleration
from softdock.dynamics.kernels.channels.parabolas import least_between, second_derivative
from softdock.dynamics.kernels.integration.rosenbrock import EARLY, LATE, STAGE_TIMES
from softdock.dynamics.kernels.integration.stepping import (
    EARLY_BOGACKI_SHAMPINE,
    EARLY_DORMAND_PRINCE,
    INSTANTS_BOGACKI_SHAMPINE,
    INSTANTS_DORMAND_PRINCE,
    LATE_BOGACKI_SHAMPINE,
    LATE_DORMAND_PRINCE,
    StepMethod,
)
from softdock.native.decorators import inline, kernel
from softdock.tree.kernels.motion_bounds import (
    ANGULAR_ACCELERATION,
    ANGULAR_VELOCITY,
    bound_separation,
    curvature_range,
)

SAFETY = 2.0  # factor on a second derivative estimated from samples
RELATIVE_RESOLUTION = 1e-4  # of the value: peaks of forces and energies that have no bound
ROUNDING = 1e-14  # of the value
# Largest rotation of links between samples that give an estimate of a second derivative [rad].
RESOLVED_ANGLE = 0.5
# Fraction of a step, or of a rotation by RESOLVED_ANGLE, below which only the ends of an interval are compared:
RESOLVED_PART = 1.0 / 1024.0
RESOLVED_PART_OF_FORCES = 1.0 / 64.0  # forces and energies of elements and structures
RESOLVED_PART_OF_CONTACTS = 1.0 / 16.0  # contacts, whose steps are short and which open and close with a kink


@inline
def is_contact(kind):
    """Return whether a channel is about contacts."""
    return (
        kind == ChannelKind.CONTACT_FORCE
        or kind == ChannelKind.CONTACT_RESULT
        or kind == ChannelKind.ANY_CONTACT
        or kind == ChannelKind.INTERFACE_RESULT
        or kind == ChannelKind.CONTACT_MOMENT
        or kind == ChannelKind.ZONE
    )


@inline
def is_state(kind):
    """Return whether a channel is an entry of the state, whose interpolation is a polynomial."""
    return kind == ChannelKind.JOINT_POSITION or kind == ChannelKind.JOINT_SPEED


@inline
def smooth_value(channel, x):
    """Return a smooth function of a channel that has kinks: the square of a distance, the cosine of an angle."""
    if channel.form == Form.SQUARE:
        length = channel.scale * x + channel.offset
        return length * length
    return math.cos(x) if channel.form == Form.COSINE else x


@kernel
def bound_curvature(channel, system, dense, motion, start):
    """Return the bounds of the second derivative of a channel's smooth function in a step; Eqs. (M63), (M64).

    The first is the largest magnitude of negative values, the second that of positive ones. `start` is the value of the
    channel at the start of the step.
    """
    kind = channel.kind
    if kind == ChannelKind.POSITION:
        j = -1 if channel.in_world == 1 else channel.j
        distance, speed, acceleration = bound_separation(
            system, dense, motion, channel.i, channel.p_iF, j, channel.p_jG
        )
        if channel.component == 3:
            return 2.0 * distance * acceleration, 2.0 * (speed * speed + distance * acceleration)
        curvature = acceleration
        if channel.in_world == 0:
            turn = motion[channel.j, ANGULAR_VELOCITY]
            curvature += (
                2.0 * turn * speed + (motion[channel.j, ANGULAR_ACCELERATION] + turn * turn) * distance
            )
        return curvature, curvature
    # Of an element along a line, as its length.
    if kind == ChannelKind.ELEMENT_DEFLECTION or kind == ChannelKind.ELEMENT_FORCE:
        element = system.elements[channel.i]
        if system.element_data[channel.i].active == 0 and element.always == 0:
            return 0.0, 0.0
        distance, speed, acceleration = bound_separation(
            system, dense, motion, element.b, element.p_bG, element.a, element.p_aF
        )
        return 2.0 * distance * acceleration, 2.0 * (speed * speed + distance * acceleration)
    if kind == ChannelKind.TILT or kind == ChannelKind.ATTITUDE:
        turn, spin = motion[channel.i, ANGULAR_VELOCITY], motion[channel.i, ANGULAR_ACCELERATION]
        if channel.in_world == 0:
            other = motion[channel.j, ANGULAR_VELOCITY]
            turn, spin = turn + other, spin + turn * other + motion[channel.j, ANGULAR_ACCELERATION]
        if kind == ChannelKind.ATTITUDE:
            return 0.25 * turn * turn + 0.5 * spin, 0.25 * turn * turn + 0.5 * spin
        # Without the sine, an axis that begins to turn from zero would be searched down to its resolution.
        curvature = turn * turn + min(abs(math.sin(start)) + turn, 1.0) * spin
        return curvature, curvature
    return 0.0, 0.0


@inline
def finite_curvature_bounds(channel, system, dense, motion, start):
    """Return the bounds of the second derivative of a channel's smooth function in a step; zero if they overflow."""
    down, up = bound_curvature(channel, system, dense, motion, start)
    if not (math.isfinite(down) and math.isfinite(up)):
        return 0.0, 0.0
    return down, up


@inline
def rotation_bound(channel, system, motion):
    """Return the largest rotation in a step of the links on which a channel without a bound depends [rad]."""
    kind = channel.kind
    if kind == ChannelKind.VELOCITY or kind == ChannelKind.TURN_RATE or is_acceleration(kind):
        return motion[channel.i, ANGULAR_VELOCITY] + (
            motion[channel.j, ANGULAR_VELOCITY] if channel.in_world == 0 else 0.0
        )
    if kind == ChannelKind.REACTION:
        return motion[system.reactions[channel.i].link, ANGULAR_VELOCITY]
    if is_about_elements(kind):
        element = system.elements[channel.i]
        if element.at_u >= 0 and element.ball == 0:  # along a joint axis
            return 0.0
        return motion[element.b, ANGULAR_VELOCITY] + (
            motion[element.a, ANGULAR_VELOCITY] if element.a >= 0 else 0.0
        )
    return 0.0


@inline
def estimate_curvature(method, part, channel, start, early, late, end):
    """Return an estimate of the second derivative of a channel, from the ends and two stages of a step; Eq. (M65).

    `part` is the part of its size to which the step was shortened; its stages may then be later than its end.
    """
    a, b, c, d = (
        smooth_value(channel, start),
        smooth_value(channel, early),
        smooth_value(channel, late),
        smooth_value(channel, end),
    )
    if method == StepMethod.DORMAND_PRINCE:
        t_b, t_c = INSTANTS_DORMAND_PRINCE[EARLY_DORMAND_PRINCE], INSTANTS_DORMAND_PRINCE[LATE_DORMAND_PRINCE]
    elif method == StepMethod.BOGACKI_SHAMPINE:
        t_b, t_c = (
            INSTANTS_BOGACKI_SHAMPINE[EARLY_BOGACKI_SHAMPINE],
            INSTANTS_BOGACKI_SHAMPINE[LATE_BOGACKI_SHAMPINE],
        )
    elif method == StepMethod.ROSENBROCK:
        t_b, t_c = STAGE_TIMES[EARLY], STAGE_TIMES[LATE]
    else:
        return math.inf  # no stage was evaluated
    t_b, t_c = t_b / part, t_c / part
    first = second_derivative(0.0, t_b, t_c, a, b, c)
    if part == 1.0:
        second = second_derivative(t_b, t_c, 1.0, b, c, d)
    elif abs(t_b - 1.0) > abs(t_c - 1.0):  # the stage farther from the end, next to which a quotient cancels
        second = second_derivative(0.0, t_b, 1.0, a, b, d)
    else:
        second = second_derivative(0.0, t_c, 1.0, a, c, d)
    return SAFETY * max(abs(first), abs(second))


@inline
def stays_closed(channel, previous, start, end):
    """Return whether a channel is about a contact that is closed at the ends of this and of the previous step."""
    return is_contact(channel.kind) and previous > 0.0 and start > 0.0 and end > 0.0


@inline
def curvature_from_previous(channel, previous_step, previous, start, end):
    """Return an estimate of the second derivative from the ends of this and of the previous step; Eq. (M76).

    `previous_step` is relative to this step. Reactions are not read at the stages, because they would have to be
    computed there, except in a step right after a switch. For a contact that stays closed it is used beside the
    estimate from the stages, which are not exactly on the trajectory.
    """
    a, b, c = smooth_value(channel, previous), smooth_value(channel, start), smooth_value(channel, end)
    return SAFETY * abs(second_derivative(-previous_step, 0.0, 1.0, a, b, c))


@inline
def enclose(channel, x_0, x_1, down, up):
    """Return bounds of a channel between two values, and whether it is monotonic there."""
    f_0, f_1 = smooth_value(channel, x_0), smooth_value(channel, x_1)
    low, high = least_between(f_0, f_1, up), -least_between(-f_0, -f_1, down)
    monotonic = abs(f_1 - f_0) >= 0.5 * max(down, up)
    if channel.form == Form.SQUARE:
        low = (math.sqrt(max(low, 0.0)) - channel.offset) / channel.scale
        high = (math.sqrt(max(high, 0.0)) - channel.offset) / channel.scale
    elif channel.form == Form.COSINE:
        low, high = math.acos(min(high, 1.0)), math.acos(max(low, -1.0))
    return low, high, monotonic


@inline
def curvature_bounds_between(channel, dense, low, high, down, up):
    """Return the bounds of the second derivative between two instants, times the square of the interval."""
    if is_state(channel.kind):
        least, most = curvature_range(dense, channel.at, low, high)
        down, up = max(-least, 0.0), max(most, 0.0)
    elif channel.kind == ChannelKind.TIME:
        down, up = 0.0, 0.0
    width = high - low
    return down * width * width, up * width * width


@inline
def resolution_of(resolution, peak, x_0, x_1):
    """Return the difference of values that does not matter: a part of the allowed error, or of the value."""
    size = max(abs(x_0), abs(x_1))
    if resolution.resolution > 0.0:
        return max(resolution.resolution, ROUNDING * size)
    if peak.largest < math.inf:
        size = max(size, peak.largest)
    return max(RELATIVE_RESOLUTION * size, resolution.negligible)


@inline
def is_resolved(channel, resolution, turn, width):
    """Return whether an interval is too short to be divided for a channel without a bound."""
    part = RESOLVED_PART if resolution.resolution > 0.0 else RESOLVED_PART_OF_FORCES
    if is_contact(channel.kind):
        part = RESOLVED_PART_OF_CONTACTS
    return width * max(turn / RESOLVED_ANGLE, 1.0) <= part
