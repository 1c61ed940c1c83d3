"""Search of a step for events and peaks by subdivision, only where one is possible; Eqs. (M34), (M60)-(M65), (M90)."""

import math

from softdock.dynamics.kernels.integration.stepping import copy_first
from softdock.dynamics.kernels.recording.evaluation import (
    evaluate_inside,
    exceeds_tracked,
    record_inside,
    update_peak,
    update_peaks,
)
from softdock.dynamics.kernels.search.events import locate, log_passive_events
from softdock.dynamics.kernels.search.hidden_peaks import examine, find_hidden_reaction, may_hide_reaction
from softdock.dynamics.kernels.search.intervals import (
    MAX_INTERVALS,
    MIN_WIDTH,
    bound_channels,
    bound_reactions,
    divide,
)
from softdock.native.decorators import inline, kernel

MAX_EVALUATIONS = 1_000_000  # in one step; fewer after a step that used them up, so that a run always ends
MAX_REACTION_EVALUATIONS = 1_000  # in one interval of the search for events and peaks
# Relative excess over its peak below which a reaction is not taken where another peak would be exceeded.
NEGLIGIBLE_GAIN = 1e-3


@kernel
def search_step(run, method, h):
    """Return theta and index of the first event that ends a step, or 1 and -1; log the events before it, update peaks.

    `workspace.start` has the channels at the beginning of the step and is overwritten. Expects the links at its end.
    """
    settings, s, work = run.settings[0], run.progress[0], run.workspace
    if not bound_channels(run, method, h):
        return 1.0, -1
    search, before, count = work.search, work.start, settings.searched
    left, top, evaluations = 0.0, 0, 0
    hidden, crosses = examine(run, 0, 0.0, before)
    s.hidden_reaction = 1 if may_hide_reaction(run, h) else 0
    if hidden >= 0 or crosses or s.hidden_reaction == 1:
        bound_reactions(run, method, h)
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
            divide(run, top, left, theta, hidden, False)
            evaluations += 1
            top += 1
        else:
            if hidden >= 0 and right - left > MIN_WIDTH:
                s.unresolved += 1
            right, active = complete_interval(run, h, top, left, crosses)
            if not crosses:  # otherwise the rest of the interval is still to be searched
                top -= 1
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
    search, before, count = work.search, work.start, settings.searched
    logged, active, part = 0, -1, top
    if crosses:
        part = top + 1  # what is left of the interval is searched afterwards
        search.instants[part] = locate(run, h, left, search.instants[top], before, search.values[top])
        copy_first(work.values, search.values[part], count)
        logged, active = log_passive_events(run, s.t + search.instants[part] * h, before, work.values)
    right = search.instants[part]
    update_peaks(run.peaks, count, s.t + right * h, right, search.values[part])
    search_reactions(run, h, left, top, part)
    copy_first(search.values[part], before, count)
    if logged > 0 and active < 0:
        record_inside(run, h, right)
    return right, active


@kernel
def search_reactions(run, h, left, row, base):
    """Find the peak reactions in an interval of the stack that was searched for events and other peaks; Eq. (M76).

    This search follows that for events and other peaks, so that the instants at which it evaluates the state change
    neither: a peak that a metric reports does not depend on which reactions are observed. `base` is the interval, `row`
    the one with bounds of the second derivatives. The peaks at both ends are known already. If it is the whole step,
    `may_hide_reaction` has found whether a peak is possible. Overwrites `workspace.start`, the channels at `left`.
    """
    settings, s, work = run.settings[0], run.progress[0], run.workspace
    search, right = work.search, work.search.instants[base]
    if search.reactions.shape[0] == 0 or (right - left == 1.0 and s.hidden_reaction == 0):
        return
    for n in range(search.reactions.shape[0]):
        i = search.reactions[n]
        search.ups[base, i] = max(search.downs[row, i], search.ups[row, i])
        search.downs[base, i] = search.ups[base, i]
    search.division_points[base] = 0.5 * (left + right)
    top, evaluations = base, 0
    while top >= base:
        hidden, right = find_hidden_reaction(run, top, left), search.instants[top]
        if hidden >= 0 and evaluations >= MAX_REACTION_EVALUATIONS:
            s.unresolved += 1
            return
        if hidden >= 0 and top + 1 < base + MAX_INTERVALS and right - left > MIN_WIDTH:
            theta = search.division_points[top]
            evaluate_inside(run, settings.searched, h, theta)
            update_peak_reactions(run, s.t + theta * h, theta)
            divide(run, top, left, theta, hidden, True)
            evaluations += 1
            top += 1
        else:
            copy_first(search.values[top], work.start, settings.searched)
            left = right
            top -= 1


@kernel
def update_peak_reactions(run, t, theta):
    """Update the peak reactions at an instant whose channels are in `workspace.values`.

    An instant at which another peak would be exceeded, which its own search found up to its resolution, is no peak of
    a reaction either, so that all peaks and the recorded rows agree, unless the reaction there is larger than its peak
    by more than `NEGLIGIBLE_GAIN`: the resolution of a position may be a large force of a stiff element.
    """
    values, reactions = run.workspace.values, run.workspace.search.reactions
    allowed = not exceeds_tracked(run.peaks, run.settings[0].watched, values)
    for n in range(reactions.shape[0]):
        peak, x = run.peaks[reactions[n]], values[reactions[n]]
        if allowed or abs(x) > (1.0 + NEGLIGIBLE_GAIN) * largest_size(peak):
            update_peak(peak, t, theta, x)
        peak.seen = max(peak.seen, abs(x))


@inline
def largest_size(peak):
    """Return the largest size of a reaction so far; zero if there is none."""
    size = 0.0
    if math.isfinite(peak.largest):
        size = abs(peak.largest)
    if math.isfinite(peak.smallest):
        size = max(size, abs(peak.smallest))
    return size
