"""Motion profiles of drives: commands over time, in segments of constant jerk; Eqs. (M24), (M100)-(M103).

`drive` is the LAW of a drive, `state` its STATE.
"""

import math
from enum import IntEnum

from softdock.native.decorators import inline, kernel


class ProfileKind(IntEnum):
    """Kinds of profiles."""

    RAMP = 0
    """Constant speed."""
    TRAPEZOIDAL = 1
    """Limited speed and acceleration."""
    S_CURVE = 2
    """Limited speed, acceleration and jerk."""


UNLIMITED = 1e300  # a bound that no motion reaches

# Columns of a knot: the time at which a segment begins [s], with position, speed, acceleration there, and its jerk.
TIME, POSITION, SPEED, ACCELERATION, JERK = 0, 1, 2, 3, 4
KNOTS, COLUMNS = 9, 5  # end of the present acceleration, three segments up, cruise, three down, rest
BISECTIONS = 200  # reaches rounding in fewer
NEGLIGIBLE_TIME = 1e-12  # of the time in which the jerk acts: shorter segments come from rounding


@inline
def rest_at(state, t, position):
    """Let the command of a drive rest at a position from a time on."""
    state.knot_count = 0
    add_knot(state, t, position, 0.0, 0.0, 0.0)


@inline
def add_knot(state, t, position, speed, acceleration, jerk):
    """Add a segment to the profile of a drive."""
    knot = state.knots[state.knot_count]
    knot[TIME], knot[POSITION], knot[SPEED], knot[ACCELERATION], knot[JERK] = (
        t, position, speed, acceleration, jerk,
    )  # fmt: skip
    state.knot_count += 1


@inline
def state_after(knot, span):
    """Return position, speed and acceleration a time `span` [s] after a knot."""
    position, speed, acceleration, jerk = knot[POSITION], knot[SPEED], knot[ACCELERATION], knot[JERK]
    return (
        ((jerk / 6.0 * span + 0.5 * acceleration) * span + speed) * span + position,
        (0.5 * jerk * span + acceleration) * span + speed,
        jerk * span + acceleration,
    )


@inline
def delay_of(element, y):
    """Return the delay of the profile of a drive [s]; 0 unless the drive is self-locking."""
    return y[element.at_state] if element.at_state >= 0 else 0.0


@inline
def command_at(state, t, delay):
    """Return command, speed and acceleration of a drive at a time, for a profile with a delay [s]."""
    k = state.knot_count - 1
    while k > 0 and t < state.knots[k, TIME] + delay:
        k -= 1
    return state_after(state.knots[k], max(t - (state.knots[k, TIME] + delay), 0.0))


@kernel
def plan_motion(drive, state, t, position, speed, acceleration):
    """Plan the fastest profile of a drive from a state of its command at a time to its target."""
    target = state.target
    state.knot_count = 0
    if drive.rate >= UNLIMITED:
        rest_at(state, t, target)
    elif drive.profile == ProfileKind.RAMP:
        gap = target - position
        if gap != 0.0:
            add_knot(state, t, position, math.copysign(drive.rate, gap), 0.0, 0.0)
        add_knot(state, t + abs(gap) / drive.rate, target, 0.0, 0.0, 0.0)
    else:
        plan_smooth_motion(drive, state, t, position, speed, acceleration)


@inline
def plan_smooth_motion(drive, state, t, position, speed, acceleration):
    """Plan a motion with limited acceleration: end the present one, go to the peak speed, cruise, stop; Eq. (M102)."""
    target = state.target
    if drive.profile == ProfileKind.S_CURVE and acceleration != 0.0:
        # A jerk-limited command has no jump of the acceleration, either.
        jerk = -math.copysign(drive.jerk, acceleration)
        t, position, speed = add_segment(
            state, t, position, speed, acceleration, jerk, abs(acceleration / jerk)
        )
    stopping = 0.5 * speed * change_time(drive, abs(speed))
    direction = math.copysign(1.0, target - (position + stopping))
    start, distance = direction * speed, direction * (target - position)
    peak = peak_speed(drive, start, distance)
    cruise = 0.0
    if peak >= drive.rate:
        cruise = max(0.0, (distance - travel(drive, start, peak)) / peak)
    t, position, speed = add_speed_change(drive, state, t, position, speed, direction * peak)
    if cruise > 0.0:
        t, position, speed = add_segment(state, t, position, speed, 0.0, 0.0, cruise)
    t, position, speed = add_speed_change(drive, state, t, position, speed, 0.0)
    add_knot(state, t, target, 0.0, 0.0, 0.0)


@inline
def add_segment(state, t, position, speed, acceleration, jerk, span):
    """Add a segment and return time, position and speed at its end."""
    add_knot(state, t, position, speed, acceleration, jerk)
    x, v, _ = state_after(state.knots[state.knot_count - 1], span)
    return t + span, x, v


@inline
def jerk_time(drive, change):
    """Return the time for which the jerk acts at each end of a change of speed [s]; 0 without a limit of jerk."""
    if drive.profile != ProfileKind.S_CURVE:
        return 0.0
    return min(math.sqrt(change / drive.jerk), drive.acceleration / drive.jerk)


@inline
def change_time(drive, change):
    """Return the shortest time of a change of speed between two states without acceleration [s]; Eq. (M100)."""
    if change == 0.0:
        return 0.0
    rise = jerk_time(drive, change)
    if drive.profile != ProfileKind.S_CURVE:
        return change / drive.acceleration
    return rise + change / (drive.jerk * rise)


@inline
def travel(drive, start, peak):
    """Return the distance of a motion from a start speed over a peak speed to rest, without cruise; Eq. (M101)."""
    return 0.5 * (start + peak) * change_time(drive, abs(peak - start)) + 0.5 * peak * change_time(
        drive, peak
    )


@inline
def peak_speed(drive, start, distance):
    """Return the peak speed, at most the rate of the drive, of a motion that covers a distance; Eq. (M103).

    The distance of a motion grows with its peak speed from that of a stop, so that bisection finds the only solution.
    """
    low, high = max(start, 0.0), max(drive.rate, start)
    if travel(drive, start, high) <= distance:
        return high
    if drive.profile == ProfileKind.TRAPEZOIDAL:
        peak = math.sqrt(max(0.0, drive.acceleration * distance + 0.5 * start * start))
        return min(max(peak, low), high)
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        if middle <= low or middle >= high:
            break
        if travel(drive, start, middle) <= distance:
            low = middle
        else:
            high = middle
    return low


@inline
def add_speed_change(drive, state, t, position, speed, to):
    """Add the segments of the fastest change to another speed; returns time, position and speed after it."""
    change = abs(to - speed)
    if change == 0.0:
        return t, position, speed
    sign = math.copysign(1.0, to - speed)
    rise = jerk_time(drive, change)
    if drive.profile != ProfileKind.S_CURVE:
        t, position, _ = add_segment(
            state, t, position, speed, sign * drive.acceleration, 0.0, change / drive.acceleration
        )
        return t, position, to
    top = sign * drive.jerk * rise
    hold = change / abs(top) - rise
    t, position, speed = add_segment(state, t, position, speed, 0.0, sign * drive.jerk, rise)
    if hold > NEGLIGIBLE_TIME * rise:
        t, position, speed = add_segment(state, t, position, speed, top, 0.0, hold)
    t, position, _ = add_segment(state, t, position, speed, top, -sign * drive.jerk, rise)
    return t, position, to
