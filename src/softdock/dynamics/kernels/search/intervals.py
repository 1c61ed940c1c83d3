"""The stack of intervals of a step that are searched: bounds of the channels in them, and their division; Eq. (M90).

The search for events and peaks has the first intervals; that for the peak reactions of one of them continues above it.
"""

import math

from softdock.dynamics.kernels.channels.channels import ChannelKind
from softdock.dynamics.kernels.channels.formulas import NodeKind
from softdock.dynamics.kernels.channels.parabolas import division_point, second_derivative, vertex
from softdock.dynamics.kernels.integration.stepping import copy_first
from softdock.dynamics.kernels.search.enclosure import (
    RESOLVED_ANGLE,
    SAFETY,
    curvature_from_previous,
    estimate_curvature,
    finite_curvature_bounds,
    is_contact,
    rotation_bound,
    smooth_value,
    stays_closed,
)
from softdock.dynamics.kernels.search.events import is_watched
from softdock.native.decorators import inline, kernel
from softdock.tree.kernels.motion_bounds import bound_motion

MAX_INTERVALS = 60  # of one search; halving a step reaches the smallest width in 40
STACK_SIZE = 2 * MAX_INTERVALS
MIN_WIDTH = 1e-12  # fraction of a step below which an interval is not divided
LEAST_UNCERTAINTY = 0.25  # of a second derivative estimated from samples, relative to its value


@kernel
def bound_channels(run, method, h):
    """Bound the second derivatives of channels in a step; returns whether any channel must be searched.

    Those of reactions, which most steps do not need, are left to `bound_reactions`.
    """
    settings, s = run.settings[0], run.progress[0]
    work, search = run.workspace, run.workspace.search
    if not mark_wanted(run, settings.searched, search.wanted):
        s.previous_step = 0.0
        return False
    bound_motion(run.system, h, work.dense, search.needed, search.motion)
    search.instants[0], search.division_points[0] = 1.0, 0.5
    copy_first(work.end, search.values[0], settings.searched)
    for i in range(settings.watched):
        if search.wanted[i] == 1:
            bound_channel(run, method, h, i)
    return True


@kernel
def bound_reactions(run, method, h):
    """Bound the second derivatives of the reactions in a step that `bound_channels` has left out."""
    search = run.workspace.search
    for n in range(search.reactions.shape[0]):
        if search.reactions[n] >= run.settings[0].watched:
            bound_channel(run, method, h, search.reactions[n])


@kernel
def bound_channel(run, method, h, i):
    """Write the bounds of the second derivative of a channel in a step, and of the rotation of its links."""
    channel, search, system = run.channels[i], run.workspace.search, run.system
    search.turns[i] = 0.0
    if channel.bounded == 1:
        start = run.workspace.start[i]
        down, up = finite_curvature_bounds(channel, system, run.workspace.dense, search.motion, start)
    else:
        search.turns[i] = rotation_bound(channel, system, search.motion)
        up = math.inf if search.turns[i] > RESOLVED_ANGLE else curvature_of_samples(run, method, h, i)
        down = up
    search.downs[0, i], search.ups[0, i] = down, up


@inline
def curvature_of_samples(run, method, h, i):
    """Return an estimate of the second derivative of a channel in a step, from the values that are known there."""
    s, work, channel = run.progress[0], run.workspace, run.channels[i]
    ratio, previous, start, end = s.previous_step / h, work.previous[i], work.start[i], work.end[i]
    if i >= run.settings[0].watched and ratio > 0.0:
        return curvature_from_previous(channel, ratio, previous, start, end)
    up = estimate_curvature(method, s.step_part, channel, start, work.early[i], work.late[i], end)
    if ratio > 0.0 and stays_closed(channel, previous, start, end):
        up = max(up, curvature_from_previous(channel, ratio, previous, start, end))
    return up


@inline
def mark_wanted(run, count, wanted):
    """Mark the channels that a watched event or a peak needs; returns whether there are any."""
    channels, events, states, formulas = run.channels, run.events, run.event_states, run.system.formulas
    any_wanted = False
    for i in range(count):
        wanted[i] = 1 if run.peaks[i].track | channels[i].reaction != 0 else 0
        any_wanted = any_wanted or wanted[i] == 1
    for i in range(events.shape[0]):
        if is_watched(states[i]):
            wanted[events[i].channel] = 1
            any_wanted = True
    for i in range(count):
        if channels[i].kind == ChannelKind.FORMULA and wanted[i] == 1:
            for k in range(channels[i].i, channels[i].j):
                if formulas[k].kind == NodeKind.CHANNEL_VALUE:
                    wanted[formulas[k].a] = 1
    return any_wanted


@kernel
def divide(run, top, left, theta, hidden, of_reactions):
    """Divide the interval on top of the stack at an instant whose channels are in `workspace.values`.

    The first part is then on top. `hidden` is the channel for which it is divided; bounds are refined for reactions
    only if `of_reactions`.
    """
    channels, work, search = run.channels, run.workspace, run.workspace.search
    before, values, right, after = work.start, work.values, search.instants[top], search.values[top]
    for i in range(run.settings[0].searched):
        if search.wanted[i] == 1 and (channels[i].reaction != 0 or not of_reactions):
            divide_bounds(run, top, i, left, theta, of_reactions)
    # The vertex of the parabola through the three values is the next division point.
    f = channels[hidden]
    a, b, c = smooth_value(f, before[hidden]), smooth_value(f, values[hidden]), smooth_value(f, after[hidden])
    wanted = vertex(left, theta, right, a, b, c)
    search.division_points[top] = division_point(wanted, theta, right)
    search.division_points[top + 1] = division_point(wanted, left, theta)
    search.instants[top + 1] = theta
    copy_first(values, search.values[top + 1], run.settings[0].searched)


@inline
def divide_bounds(run, top, i, left, theta, of_reactions):
    """Write the bounds of a channel in both parts of the interval on top of the stack; estimates are refined."""
    channel, work, search = run.channels[i], run.workspace, run.workspace.search
    x_0, x, x_1, right = work.start[i], work.values[i], search.values[top, i], search.instants[top]
    down, up = search.downs[top, i], search.ups[top, i]
    if channel.bounded == 0:
        if search.turns[i] * (right - left) <= RESOLVED_ANGLE:
            a, b, c = smooth_value(channel, x_0), smooth_value(channel, x), smooth_value(channel, x_1)
            seen = second_derivative(left, theta, right, a, b, c)
            if of_reactions:
                seen = SAFETY * abs(seen)
                up = seen if math.isinf(up) else max(0.5 * up, seen)
                down = up
            else:
                down, up = refine_curvature_bounds(seen, down, up)
        search.downs[top, i], search.ups[top, i] = curvature_bounds_after_division(channel, x, x_1, down, up)
        down, up = curvature_bounds_after_division(channel, x_0, x, down, up)
    search.downs[top + 1, i], search.ups[top + 1, i] = down, up


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
