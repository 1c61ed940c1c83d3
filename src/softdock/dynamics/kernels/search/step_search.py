"""Search of a step for events and peaks by subdivision, only where one is possible; Eqs. (M34), (M60)-(M65), (M90)."""

import math

from softdock.dynamics.kernels.channels.channels import LARGEST, SMALLEST, ChannelKind, Form
from softdock.dynamics.kernels.channels.formulas import CHANNEL_VALUE
from softdock.dynamics.kernels.channels.parabolas import division_point, second_derivative, vertex
from softdock.dynamics.kernels.integration.stepping import copy_first
from softdock.dynamics.kernels.recording.evaluation import evaluate_inside, record_inside, update_peaks
from softdock.dynamics.kernels.search.enclosure import (
    SAFETY,
    curvature_bounds_between,
    curvature_from_previous,
    enclose,
    estimate_curvature,
    finite_curvature_bounds,
    is_contact,
    is_state,
    resolution_of,
    rotation_bound,
    smooth_value,
    stays_closed,
)
from softdock.dynamics.kernels.search.events import (
    becomes_true,
    condition_excess,
    is_watched,
    locate,
    log_passive_events,
)
from softdock.dynamics.kernels.search.formula_enclosure import enclose_formula
from softdock.dynamics.kernels.search.load_search import (
    MAX_EVALUATIONS,
    MAX_INTERVALS,
    MIN_WIDTH,
    RESOLVED_ANGLE,
    bound_loads,
    is_resolved,
    may_hide_load,
    search_loads,
)
from softdock.native.decorators import inline, kernel
from softdock.tree.kernels.motion_bounds import bound_motion

LEAST_UNCERTAINTY = 0.25  # of a second derivative estimated from samples, relative to its value
# Fraction of a step: intervals of a formula that has no value at both ends are not divided below it.
UNDEFINED_WIDTH = 0.0625


@kernel
def search_step(run, method, h):
    """Return theta and index of the first event that ends a step, or 1 and -1; log the events before it, update peaks.

    `workspace.start` has the channels at the beginning of the step and is overwritten. Expects the links at its end.
    """
    settings, s, channels, work = run.settings[0], run.progress[0], run.channels, run.workspace
    if not bound_channels(run, method, h):
        return 1.0, -1
    search, before, values, count = work.search, work.start, work.values, settings.searched
    left, top, evaluations = 0.0, 0, 0
    hidden, crosses = examine(run, 0, 0.0, before)
    s.hidden_load = 1 if may_hide_load(run, h) else 0
    if hidden >= 0 or crosses or s.hidden_load == 1:
        bound_loads(run, h)
    copy_first(before, work.previous, count)
    s.previous_step = h
    while top >= 0:
        right = search.instants[top]
        if (
            hidden >= 0
            and top + 1 < MAX_INTERVALS
            and right - left > MIN_WIDTH
            and evaluations * (1 + s.unresolved) < MAX_EVALUATIONS
        ):
            theta = search.division_points[top]
            evaluate_inside(run, count, h, theta)
            divide(channels, count, search, top, left, theta, hidden, before, values)
            evaluations += 1
            top += 1
        else:
            if hidden >= 0 and right - left > MIN_WIDTH:
                s.unresolved += 1
            right, active = complete_interval(run, h, top, left, crosses)
            top -= 0 if crosses else 1
            left = right
            if active >= 0:
                return left, active
        if top >= 0:
            hidden, crosses = examine(run, top, left, before)
    return 1.0, -1


@kernel
def complete_interval(run, h, top, left, crosses):
    """Update peaks in an interval without hidden ones, and log the events at its first crossing.

    Returns theta at which the searched part ends, and the event there that ends the step, or -1. `workspace.start` gets
    the channels there.
    """
    settings, s, work = run.settings[0], run.progress[0], run.workspace
    search, before, values, count = work.search, work.start, work.values, settings.searched
    right, after, active = search.instants[top], search.values[top], -1
    if crosses:
        right = locate(run, h, left, right, before, after)
        logged, active = log_passive_events(run, s.t + right * h, before, values)
        update_peaks(run.peaks, count, s.t + right * h, right, values)
        search_loads(run, h, left, right, before, values, top)
        copy_first(values, before, count)
        if logged > 0 and active < 0:
            record_inside(run, h, right)
    else:
        update_peaks(run.peaks, count, s.t + right * h, right, after)
        search_loads(run, h, left, right, before, after, top)
        copy_first(after, before, count)
    return right, active


@kernel
def bound_channels(run, method, h):
    """Bound the second derivatives of channels in a step; returns whether any channel must be searched."""
    settings, s = run.settings[0], run.progress[0]
    channels, work, count = run.channels, run.workspace, settings.searched
    search, system, dense = work.search, run.system, work.dense
    if not mark_wanted(run, count, search.wanted):
        s.previous_step = 0.0
        return False
    bound_motion(system, h, dense, search.needed, search.motion)
    search.instants[0], search.division_points[0] = 1.0, 0.5
    copy_first(work.end, search.values[0], count)
    for i in range(settings.watched):
        channel = channels[i]
        search.turns[i] = 0.0
        if search.wanted[i] == 0:
            down, up = 0.0, 0.0
        elif channel.bounded == 1:
            down, up = finite_curvature_bounds(channel, system, dense, search.motion)
        else:
            search.turns[i] = rotation_bound(channel, system, search.motion)
            up = estimate_curvature(
                method, s.step_part, channel, work.start[i], work.early[i], work.late[i], work.end[i]
            )
            if s.previous_step > 0.0 and stays_closed(channel, work.previous[i], work.start[i], work.end[i]):
                up = max(
                    up,
                    curvature_from_previous(
                        s.previous_step / h, work.previous[i], work.start[i], work.end[i]
                    ),
                )
            if search.turns[i] > RESOLVED_ANGLE:
                up = math.inf
            down = up
        search.downs[0, i], search.ups[0, i] = down, up
    return True


@inline
def mark_wanted(run, count, wanted):
    """Mark the channels that a watched event or a peak needs; returns whether there are any."""
    channels, events, states, formulas = run.channels, run.events, run.event_states, run.system.formulas
    any_wanted = False
    for i in range(count):
        wanted[i] = 1 if run.peaks[i].track | channels[i].load != 0 else 0
        any_wanted = any_wanted or wanted[i] == 1
    for i in range(events.shape[0]):
        if is_watched(states[i]):
            wanted[events[i].channel] = 1
            any_wanted = True
    for i in range(count):
        if channels[i].kind == ChannelKind.FORMULA and wanted[i] == 1:
            for k in range(channels[i].i, channels[i].j):
                if formulas[k].kind == CHANNEL_VALUE:
                    wanted[formulas[k].a] = 1
    return any_wanted


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
def divide(channels, count, search, top, left, theta, hidden, before, values):
    """Divide the interval on top of the stack at an instant whose channels are known; the first part is on top."""
    right, after = search.instants[top], search.values[top]
    for i in range(count):
        channel = channels[i]
        down, up = search.downs[top, i], search.ups[top, i]
        if search.wanted[i] == 1 and channel.bounded == 0:
            if search.turns[i] * (right - left) <= RESOLVED_ANGLE:
                a, b, c = (
                    smooth_value(channel, before[i]),
                    smooth_value(channel, values[i]),
                    smooth_value(channel, after[i]),
                )
                down, up = refine_curvature_bounds(second_derivative(left, theta, right, a, b, c), down, up)
            search.downs[top, i], search.ups[top, i] = curvature_bounds_after_division(
                channel, values[i], after[i], down, up
            )
            down, up = curvature_bounds_after_division(channel, before[i], values[i], down, up)
        search.downs[top + 1, i], search.ups[top + 1, i] = down, up
    # The vertex of the parabola through the three values is the next division point.
    f = channels[hidden]
    a, b, c = smooth_value(f, before[hidden]), smooth_value(f, values[hidden]), smooth_value(f, after[hidden])
    wanted = vertex(left, theta, right, a, b, c)
    search.division_points[top] = division_point(wanted, theta, right)
    search.division_points[top + 1] = division_point(wanted, left, theta)
    search.instants[top + 1] = theta
    copy_first(values, search.values[top + 1], count)


@inline
def refine_curvature_bounds(seen, down, up):
    """Return the range of an estimated second derivative after one more sample: about the value seen; Eq. (M90)."""
    if math.isinf(up):
        return SAFETY * abs(seen), SAFETY * abs(seen)
    uncertainty = max(0.25 * (down + up), LEAST_UNCERTAINTY * abs(seen))
    return max(uncertainty - seen, 0.0), max(uncertainty + seen, 0.0)


@inline
def curvature_bounds_after_division(channel, x_0, x_1, down, up):
    """Return the range of the second derivative in one part of an interval: zero if a contact is open at both ends."""
    return (0.0, 0.0) if is_contact(channel.kind) and x_0 == 0.0 == x_1 else (down, up)
