"""Whether an interval of a step may hide an event, a peak or a peak reaction; Eqs. (M34), (M76), (M118).

An interval is divided only where one is possible; most are excluded by few operations.
"""

import math

from softdock.dynamics.kernels.channels.channels import LARGEST, SMALLEST, ChannelKind, Form
from softdock.dynamics.kernels.search.enclosure import (
    RELATIVE_RESOLUTION,
    RESOLVED_ANGLE,
    curvature_bounds_between,
    curvature_from_previous,
    enclose,
    is_resolved,
    is_state,
    resolution_of,
    smooth_value,
)
from softdock.dynamics.kernels.search.events import becomes_true, condition_excess, is_watched
from softdock.dynamics.kernels.search.formula_enclosure import enclose_formula
from softdock.native.decorators import inline, kernel
from softdock.tree.kernels.motion_bounds import ANGULAR_VELOCITY

# Fraction of a step: intervals of a formula that has no value at both ends are not divided below it.
UNDEFINED_WIDTH = 0.0625


@kernel
def examine(run, top, left, before):
    """Return a channel with a possible event or peak in an interval, or -1; and whether a condition becomes true."""
    channels, events, count = run.channels, run.events, run.settings[0].watched
    search = run.workspace.search
    right, after = search.instants[top], search.values[top]
    hidden, crosses = -1, False
    for i in range(events.shape[0]):
        event, state = events[i], run.event_states[i]
        if not is_watched(state):
            continue
        c = event.channel
        g_0, g_1 = condition_excess(event, before), condition_excess(event, after)
        crosses = crosses or becomes_true(event, state, before, after)
        low, high, monotonic, small = enclose_channel(run, top, c, left, right, before, after)
        x_0, x_1 = before[c], after[c]
        if monotonic or (high <= max(x_0, x_1) + small and low >= min(x_0, x_1) - small):
            continue
        if event.direction < 0:
            low, high = -high, -low
        a = event.direction * event.threshold
        if low <= a < high or (g_0 <= 0.0) != (g_1 <= 0.0):
            hidden = c
    for i in range(count):
        channel, peak = channels[i], run.peaks[i]
        if peak.track != 0 and not stays_within_peaks(
            channel, peak, right - left, before[i], after[i], search.downs[top, i], search.ups[top, i]
        ):
            low, high, monotonic, small = enclose_channel(run, top, i, left, right, before, after)
            least, most = min(before[i], after[i]), max(before[i], after[i])
            larger = peak.track & LARGEST != 0 and high > max(peak.largest, most) + small
            smaller = peak.track & SMALLEST != 0 and low < min(peak.smallest, least) - small
            if not monotonic and (larger or smaller):
                hidden = i
    return hidden, crosses


@inline
def stays_within_peaks(channel, peak, width, x_0, x_1, down, up):
    """Return whether a channel exceeds no peak between two values, by few operations; Eq. (M34)."""
    if channel.form != Form.PLAIN or channel.kind == ChannelKind.FORMULA or is_state(channel.kind):
        return False
    weight = 0.125 * width * width
    return max(x_0, x_1) + weight * down <= peak.largest and min(x_0, x_1) - weight * up >= peak.smallest


@inline
def enclose_channel(run, top, i, left, right, before, after):
    """Return bounds of a channel in an interval, whether it is monotonic there, and the negligible difference."""
    channel, search, dense, x_0, x_1 = (
        run.channels[i], run.workspace.search, run.workspace.dense, before[i], after[i],
    )  # fmt: skip
    if channel.kind == ChannelKind.FORMULA:
        if right - left <= UNDEFINED_WIDTH and not (math.isfinite(x_0) or math.isfinite(x_1)):
            return x_0, x_1, True, 0.0
        return enclose_formula(run, top, i, left, right, before, after)
    down, up = curvature_bounds_between(channel, dense, left, right, search.downs[top, i], search.ups[top, i])
    if channel.bounded == 0 and is_resolved(channel, run.resolutions[i], search.turns[i], right - left):
        return min(x_0, x_1), max(x_0, x_1), True, 0.0
    low, high, monotonic = enclose(channel, x_0, x_1, down, up)
    return low, high, monotonic, resolution_of(run.resolutions[i], run.peaks[i], x_0, x_1)


@kernel
def may_hide_reaction(run, h):
    """Return whether a reaction may have a peak inside a step, or needs its bounds to exclude one; Eq. (M76).

    In most steps no reaction comes near its peak, which is found here with few operations.
    """
    settings, s, work, channels = run.settings[0], run.progress[0], run.workspace, run.channels
    peaks, search, r = run.peaks, work.search, s.previous_step / h
    if search.reactions.shape[0] == 0:
        return False
    if r == 0.0 or not slow_rotation(search.motion, search.needed):
        return True
    for n in range(search.reactions.shape[0]):
        i = search.reactions[n]
        channel, x, x_0, x_1 = channels[i], work.previous[i], work.start[i], work.end[i]
        if i < settings.watched:  # has bounds from the search for events and peaks
            curvature = max(search.downs[0, i], search.ups[0, i])
        elif channel.bounded == 1:
            curvature = math.inf
        elif is_far_below_peak(peaks[i], r, x, x_0, x_1):
            continue
        else:
            curvature = curvature_from_previous(channel, r, x, x_0, x_1)
        if may_exceed(channel, run.resolutions[i], peaks[i], 0.0, 1.0, x_0, x_1, curvature):
            return True
    return False


@inline
def slow_rotation(motion, needed):
    """Return whether no two links turn by more than RESOLVED_ANGLE against each other in a step."""
    largest = 0.0
    for i in range(needed.shape[0]):
        if needed[i] == 1:
            largest = max(largest, motion[i, ANGULAR_VELOCITY])
    return 2.0 * largest <= RESOLVED_ANGLE


@kernel
def find_hidden_reaction(run, top, left):
    """Return the last channel whose reaction may exceed its peak in the interval on top of the stack, or -1."""
    search, before = run.workspace.search, run.workspace.start
    width, after = search.instants[top] - left, search.values[top]
    for n in range(search.reactions.shape[0] - 1, -1, -1):
        i = search.reactions[n]
        if may_exceed(
            run.channels[i], run.resolutions[i], run.peaks[i], search.turns[i], width, before[i], after[i],
            search.ups[top, i],
        ):  # fmt: skip
            return i
    return -1


@inline
def is_far_below_peak(peak, previous_step, previous, start, end):
    """Return whether a reaction without a bound stays below its peak in a step, by its sizes alone; Eq. (M118).

    `previous_step` is relative to this step.
    """
    return (1.0 + 1.0 / previous_step) * max(max(abs(previous), abs(start)), abs(end)) <= peak.seen


@inline
def may_exceed(channel, resolution, peak, turn, width, x_0, x_1, curvature):
    """Return whether a reaction may exceed its peak in an interval of a step between two values.

    `turn` and `curvature` are bounds of rotation and second derivative for the whole step.
    """
    curvature = curvature * width * width
    size = max(abs(x_0), abs(x_1))
    most = max(size, peak.seen)
    enough = most + max(RELATIVE_RESOLUTION * most, resolution.floor)
    if channel.offset == 0.0 and smooth_value(channel, size) + 0.125 * curvature <= smooth_value(
        channel, enough
    ):
        return False
    if channel.bounded == 0 and is_resolved(channel, resolution, turn, width):
        return False
    low, high, monotonic = enclose(channel, x_0, x_1, curvature, curvature)
    return not monotonic and (
        (channel.reaction & LARGEST != 0 and high > enough)
        or (channel.reaction & SMALLEST != 0 and -low > enough)
    )
