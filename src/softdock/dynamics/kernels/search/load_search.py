"""Search of an interval of a step for peak loads, after it was searched for events and other peaks.

Loads have a search of their own, so that the instants at which it evaluates the state change neither events nor other
peaks: a peak that a metric reports does not depend on which loads are observed.
"""

import math

from softdock.dynamics.kernels.channels.channels import LARGEST, SMALLEST
from softdock.dynamics.kernels.channels.parabolas import division_point, second_derivative, vertex
from softdock.dynamics.kernels.integration.stepping import copy_first, interpolate
from softdock.dynamics.kernels.recording.evaluation import evaluate_channels, exceeds_tracked, update_peak
from softdock.dynamics.kernels.search.enclosure import (
    RELATIVE_RESOLUTION,
    SAFETY,
    enclose,
    estimate_load_curvature,
    finite_curvature_bounds,
    is_contact,
    rotation_bound,
    smooth_value,
)
from softdock.native.decorators import inline, kernel
from softdock.tree.kernels.motion_bounds import ANGULAR_VELOCITY

MAX_INTERVALS = 60  # size of the stack of intervals; halving a step reaches the smallest width in 40
MIN_WIDTH = 1e-12  # fraction of a step below which an interval is not divided
MAX_EVALUATIONS = 1_000_000  # in one step; fewer after a step that used them up, so that a run always ends
MAX_LOAD_EVALUATIONS = 1_000  # in one interval of the search for events and peaks
# Largest rotation of links between samples that give an estimate of a second derivative [rad].
RESOLVED_ANGLE = 0.5
# Fraction of a step, or of a rotation by RESOLVED_ANGLE, below which only the ends of an interval are compared:
RESOLVED_PART = 1.0 / 1024.0
RESOLVED_PART_OF_FORCES = 1.0 / 64.0  # forces and energies of elements and structures
RESOLVED_PART_OF_CONTACTS = 1.0 / 16.0  # contacts, whose steps are short and which open and close with a kink
# Relative excess over its peak below which a load is not taken where another peak would be exceeded.
NEGLIGIBLE_GAIN = 1e-3


@kernel
def search_loads(run, h, left, right, before, after, row):
    """Find the peak loads between two instants of a step whose channels are known; Eq. (M76).

    `row` is the interval of the search for events and peaks, which has bounds of the second derivatives. The peaks at
    both ends are known already. If it is the whole step, `may_hide_load` has found whether a peak is possible.
    """
    settings, s, search, work = run.settings[0], run.progress[0], run.workspace.search, run.workspace
    if search.loads.shape[0] == 0 or (right - left == 1.0 and s.hidden_load == 0):
        return
    count, values, curvatures = settings.searched, search.load_values, search.load_curvatures
    for n in range(search.loads.shape[0]):
        i = search.loads[n]
        curvatures[0, i] = max(search.downs[row, i], search.ups[row, i])
    if find_hidden_load(run, left, right, before, after, curvatures[0]) < 0:
        return
    lower, now, top = values[MAX_INTERVALS], values[MAX_INTERVALS + 1], 0
    copy_first(before, lower, count)
    copy_first(after, values[0], count)
    search.load_instants[0], search.load_points[0] = right, 0.5 * (left + right)
    evaluations = 0
    while top >= 0:
        end = search.load_instants[top]
        hidden = find_hidden_load(run, left, end, lower, values[top], curvatures[top])
        if hidden >= 0 and evaluations >= MAX_LOAD_EVALUATIONS:
            s.unresolved += 1
            return
        if hidden >= 0 and top + 1 < MAX_INTERVALS and end - left > MIN_WIDTH:
            evaluations += 1
            theta = search.load_points[top]
            interpolate(work.dense, theta, work.y_stage)
            evaluate_channels(run, count, s.t + theta * h, work.y_stage, work.k[1], now)
            divide_loads(run, h, top, left, theta, hidden, lower, now)
            top += 1
            continue
        copy_first(values[top], lower, count)
        left = end
        top -= 1


@kernel
def may_hide_load(run, h):
    """Return whether a load may have a peak inside a step, or needs its bounds to exclude one; Eq. (M76).

    In most steps no load comes near its peak, which is found here with few operations.
    """
    settings, s, work, channels = run.settings[0], run.progress[0], run.workspace, run.channels
    peaks, search, r = run.peaks, work.search, s.previous_step / h
    if search.loads.shape[0] == 0:
        return False
    if r == 0.0 or not slow_rotation(search.motion, search.needed):
        return True
    for n in range(search.loads.shape[0]):
        i = search.loads[n]
        channel, x, x_0, x_1 = channels[i], work.previous[i], work.start[i], work.end[i]
        if i < settings.watched:  # has bounds from the search for events and peaks
            curvature = max(search.downs[0, i], search.ups[0, i])
        elif channel.bounded == 1:
            curvature = math.inf
        elif is_far_below_peak(peaks[i], r, x, x_0, x_1):
            continue
        else:
            curvature = estimate_load_curvature(channel, r, x, x_0, x_1)
        if may_exceed(channel, run.resolutions[i], peaks[i], 0.0, 1.0, x_0, x_1, curvature):
            return True
    return False


@kernel
def bound_loads(run, h):
    """Bound the second derivatives of loads in a step, Eq. (M76)."""
    settings, s, work, system, channels = (
        run.settings[0],
        run.progress[0],
        run.workspace,
        run.system,
        run.channels,
    )
    search = work.search
    for n in range(search.loads.shape[0]):
        i = search.loads[n]
        if i < settings.watched:  # known from the search for events and peaks
            continue
        channel, search.turns[i] = channels[i], 0.0
        if channel.bounded == 1:
            down, up = finite_curvature_bounds(channel, system, work.dense, search.motion)
        else:
            search.turns[i] = rotation_bound(channel, system, search.motion)
            up = estimate_load_curvature(
                channel, s.previous_step / h, work.previous[i], work.start[i], work.end[i]
            )
            up = math.inf if search.turns[i] > RESOLVED_ANGLE else up
            down = up
        search.downs[0, i], search.ups[0, i] = down, up


@inline
def slow_rotation(motion, needed):
    """Return whether no two links turn by more than RESOLVED_ANGLE against each other in a step."""
    largest = 0.0
    for i in range(needed.shape[0]):
        if needed[i] == 1:
            largest = max(largest, motion[i, ANGULAR_VELOCITY])
    return 2.0 * largest <= RESOLVED_ANGLE


@kernel
def find_hidden_load(run, left, right, before, after, curvatures):
    """Return the last channel whose load may exceed its peak in an interval, or -1."""
    search, width = run.workspace.search, right - left
    for n in range(search.loads.shape[0] - 1, -1, -1):
        i = search.loads[n]
        if may_exceed(
            run.channels[i], run.resolutions[i], run.peaks[i], search.turns[i], width, before[i], after[i],
            curvatures[i],
        ):  # fmt: skip
            return i
    return -1


@inline
def is_far_below_peak(peak, previous_step, previous, start, end):
    """Return whether a load without a bound stays below its peak in a step, by its sizes alone; Eq. (M118).

    `previous_step` is relative to this step.
    """
    return (1.0 + 1.0 / previous_step) * max(max(abs(previous), abs(start)), abs(end)) <= peak.seen


@inline
def may_exceed(channel, resolution, peak, turn, width, x_0, x_1, curvature):
    """Return whether a load may exceed its peak in an interval of a step between two values.

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
        (channel.load & LARGEST != 0 and high > enough) or (channel.load & SMALLEST != 0 and -low > enough)
    )


@kernel
def divide_loads(run, h, top, left, theta, hidden, before, now):
    """Divide the interval on top of the stack at an instant whose channels are known, and update the peak loads.

    An instant at which another peak would be exceeded, which its own search found up to its resolution, is no peak of
    a load either, so that all peaks and the recorded rows agree, unless the load there is larger than its peak by more
    than `NEGLIGIBLE_GAIN`: the resolution of a position may be a large force of a stiff element.
    """
    settings, s, search, channels, peaks = (
        run.settings[0],
        run.progress[0],
        run.workspace.search,
        run.channels,
        run.peaks,
    )
    values, curvatures = search.load_values, search.load_curvatures
    right, after = search.load_instants[top], values[top]
    t = s.t + theta * h
    allowed = not exceeds_tracked(peaks, settings.watched, now)
    for n in range(search.loads.shape[0]):
        i = search.loads[n]
        channel, peak = channels[i], peaks[i]
        if allowed or abs(now[i]) > (1.0 + NEGLIGIBLE_GAIN) * largest_size(peak):
            update_peak(peak, t, theta, now[i])
        peak.seen = max(peak.seen, abs(now[i]))
        up = curvatures[top, i]
        if channel.bounded == 0:
            if search.turns[i] * (right - left) <= RESOLVED_ANGLE:
                a, b, c = (
                    smooth_value(channel, before[i]),
                    smooth_value(channel, now[i]),
                    smooth_value(channel, after[i]),
                )
                seen = SAFETY * abs(second_derivative(left, theta, right, a, b, c))
                up = seen if math.isinf(up) else max(0.5 * up, seen)
            curvatures[top, i] = 0.0 if is_contact(channel.kind) and now[i] == 0.0 == after[i] else up
            up = 0.0 if is_contact(channel.kind) and before[i] == 0.0 == now[i] else up
        curvatures[top + 1, i] = up
    f = channels[hidden]
    a, b, c = smooth_value(f, before[hidden]), smooth_value(f, now[hidden]), smooth_value(f, after[hidden])
    wanted = vertex(left, theta, right, a, b, c)
    search.load_points[top] = division_point(wanted, theta, right)
    search.load_points[top + 1] = division_point(wanted, left, theta)
    search.load_instants[top + 1] = theta
    copy_first(now, values[top + 1], settings.searched)


@inline
def largest_size(peak):
    """Return the largest size of a load so far; zero if there is none."""
    size = 0.0
    if math.isfinite(peak.largest):
        size = abs(peak.largest)
    if math.isfinite(peak.smallest):
        size = max(size, abs(peak.smallest))
    return size


@inline
def is_resolved(channel, resolution, turn, width):
    """Return whether an interval is too short to be divided for a channel without a bound."""
    part = RESOLVED_PART if resolution.resolution > 0.0 else RESOLVED_PART_OF_FORCES
    if is_contact(channel.kind):
        part = RESOLVED_PART_OF_CONTACTS
    return width * max(turn / RESOLVED_ANGLE, 1.0) <= part
