"""Search of a step for events and peaks: it is divided only where one may be hidden; Eqs. (M34), (M60)-(M65)."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from softdock.dynamics.kernels.enclosure import (
    SAFETY,
    bends_between,
    bound_bends,
    enclose,
    estimate_bend,
    is_contact,
    resolution_of,
    second_derivative,
    smooth,
    turning_of,
)
from softdock.dynamics.kernels.events import excess, locate, note_passive
from softdock.dynamics.kernels.looking import keep_peaks, look_at, record_samples, write_row
from softdock.dynamics.kernels.motion_bounds import bound_motion
from softdock.dynamics.kernels.stepping import interpolate
from softdock.native.decorators import inline, kernel

LEVELS = 60  # intervals that wait to be searched; halving a step reaches the narrowest in 40
NARROWEST = 1e-12  # part of a step that is not divided any more
MOST_LOOKS = 1_000_000  # in one step
RESOLVED_TURN = (
    0.5  # [rad] by which links turn at most between samples from which a second derivative is estimated
)
RESOLVED_PART = 1.0 / 1024.0  # of a step, or of such a turn, below which samples alone count,
RESOLVED_PART_OF_FORCES = 1.0 / 64.0  # of forces and energies of elements and structures,
RESOLVED_PART_OF_CONTACTS = 1.0 / 16.0  # of contacts, whose steps are short and which begin and end at kinks
ASIDE = 0.05  # of an interval: nearer to its ends the vertex of a parabola is no place to divide it


class Search(NamedTuple):
    """Room for the search of a step: a stack of instants, the first of which is the next, for n watched channels."""

    instants: NDArray[np.float64]
    """(LEVELS,) ends of intervals, as parts of the step."""
    divides: NDArray[np.float64]
    """(LEVELS,) where an interval is divided if it must be."""
    values: NDArray[np.float64]
    """(LEVELS, n) at these ends."""
    downs: NDArray[np.float64]
    """(LEVELS, n) bounds of negative second derivatives in the intervals."""
    ups: NDArray[np.float64]
    """(LEVELS, n) bounds of positive ones."""
    turns: NDArray[np.float64]
    """(n,) angle that the links of a channel turn in the step [rad]."""
    wanted: NDArray[np.int64]
    """(n,) 1: an armed event or a peak needs the channel."""
    motion: NDArray[np.float64]
    """(links, MOTION_BOUNDS)."""
    needed: NDArray[np.int64]
    """(links,) 1: some channel depends on the motion of the link."""


@kernel
def search_step(
    system,
    channels,
    events,
    o,
    method,
    h,
    dense,
    start,
    early,
    late,
    end,
    room,
    y,
    slope,
    values,
    record,
    log,
):
    """Find the first event of a step that changes something, (theta, index) or (1, -1); log others and keep peaks.

    `start` holds the channels at the beginning of the step and is used as room. Expects the links at its end.
    """
    if not prepare(system, channels, events, o, method, h, dense, start, early, late, end, room):
        return 1.0, -1
    left, top, looks = 0.0, 0, 0
    while top >= 0:
        right, after = room.instants[top], room.values[top]
        hidden, crosses = examine(channels, events, o.watched, dense, room, top, left, start)
        if hidden >= 0 and top + 1 < LEVELS and right - left > NARROWEST and looks < MOST_LOOKS:
            theta = room.divides[top]
            interpolate(dense, theta, y)
            look_at(system, channels, o.watched, o.t + theta * h, y, slope, values)
            divide(channels, o.watched, room, top, left, theta, hidden, start, values)
            looks += 1
            top += 1
            continue
        if hidden >= 0 and right - left > NARROWEST:
            o.unsearched += 1  # the limits of the search are reached: said with the result
        active = -1
        if crosses:
            right = locate(system, channels, events, o, h, dense, left, right, start, after, y, slope, values)
            noted, active = note_passive(events, o, o.t + right * h, start, values, log)
            keep_peaks(channels, o.watched, o.t + right * h, values)
            copy_first(values, start, o.watched)
            if noted > 0 and active < 0:
                record_here(system, channels, o, h, dense, right, y, slope, values, record)
        else:
            keep_peaks(channels, o.watched, o.t + right * h, after)
            copy_first(after, start, o.watched)
            top -= 1
        left = right
        if active >= 0:
            return left, active
    return 1.0, -1


@kernel
def prepare(system, channels, events, o, method, h, dense, start, early, late, end, room):
    """Bound how channels bend in a step; tells whether there is anything to search for."""
    any_wanted = False
    for i in range(o.watched):
        room.wanted[i] = 1 if channels[i].track != 0 else 0
        any_wanted = any_wanted or channels[i].track != 0
    for i in range(events.shape[0]):
        if events[i].armed == 1:
            room.wanted[events[i].channel] = 1
            any_wanted = True
    if not any_wanted:
        return False
    bound_motion(system, h, dense, room.needed, room.motion)
    room.instants[0], room.divides[0] = 1.0, 0.5
    copy_first(end, room.values[0], o.watched)
    for i in range(o.watched):
        channel = channels[i]
        room.turns[i] = 0.0
        if room.wanted[i] == 0:
            down, up = 0.0, 0.0
        elif channel.bounded == 1:
            down, up = bound_bends(channel, system, dense, room.motion)
            if not (math.isfinite(down) and math.isfinite(up)):  # beyond numbers: nothing is known
                down, up = 0.0, 0.0
        else:
            room.turns[i] = turning_of(channel, system, room.motion)
            up = estimate_bend(method, channel, start[i], early[i], late[i], end[i])
            if room.turns[i] > RESOLVED_TURN:
                up = math.inf
            down = up
        room.downs[0, i], room.ups[0, i] = down, up
    return True


@kernel
def examine(channels, events, count, dense, room, top, left, before):
    """Return a channel that may hide an event or a peak in an interval, or -1; and whether a condition begins there."""
    right, after = room.instants[top], room.values[top]
    hidden, crosses = -1, False
    for i in range(events.shape[0]):
        event = events[i]
        if event.armed == 0:
            continue
        c = event.channel
        g_0, g_1 = excess(event, before), excess(event, after)
        crosses = crosses or g_0 <= 0.0 < g_1
        low, high, monotonic, small = enclose_channel(
            channels[c], dense, room, top, c, left, right, before[c], after[c]
        )
        x_0, x_1 = before[c], after[c]
        if monotonic or (high <= max(x_0, x_1) + small and low >= min(x_0, x_1) - small):
            continue
        if event.direction < 0:
            low, high = -high, -low
        a = event.direction * event.threshold
        if low <= a < high or (g_0 <= 0.0) != (g_1 <= 0.0):
            hidden = c
    for i in range(count):
        channel = channels[i]
        if channel.track != 0:
            low, high, monotonic, small = enclose_channel(
                channel, dense, room, top, i, left, right, before[i], after[i]
            )
            least, most = min(before[i], after[i]), max(before[i], after[i])
            if not monotonic and (
                high > max(channel.largest, most) + small or low < min(channel.smallest, least) - small
            ):
                hidden = i
    return hidden, crosses


@inline
def enclose_channel(channel, dense, room, top, i, left, right, x_0, x_1):
    """Least and largest value of a channel in an interval, whether it has no turn there, and what does not matter."""
    down, up = bends_between(channel, dense, left, right, room.downs[top, i], room.ups[top, i])
    if channel.bounded == 0 and is_resolved(channel, room.turns[i], right - left):
        return min(x_0, x_1), max(x_0, x_1), True, 0.0
    low, high, monotonic = enclose(channel, x_0, x_1, down, up)
    return low, high, monotonic, resolution_of(channel, x_0, x_1)


@inline
def is_resolved(channel, turn, width):
    """Tell whether an interval is too short for a channel without a bound to be divided."""
    part = RESOLVED_PART if channel.resolution > 0.0 else RESOLVED_PART_OF_FORCES
    if is_contact(channel.kind):
        part = RESOLVED_PART_OF_CONTACTS
    return width * max(turn / RESOLVED_TURN, 1.0) <= part


@kernel
def divide(channels, count, room, top, left, theta, hidden, before, values):
    """Divide the interval on top of the stack at an instant whose channels are known; the first part comes on top."""
    right, after = room.instants[top], room.values[top]
    for i in range(count):
        channel = channels[i]
        down, up = room.downs[top, i], room.ups[top, i]
        if room.wanted[i] == 1 and channel.bounded == 0:
            if room.turns[i] * (right - left) <= RESOLVED_TURN:
                a, b, c = (
                    smooth(channel, before[i]),
                    smooth(channel, values[i]),
                    smooth(channel, after[i]),
                )
                seen = SAFETY * abs(second_derivative(left, theta, right, a, b, c))
                up = seen if math.isinf(up) else max(0.5 * up, seen)
            room.downs[top, i] = room.ups[top, i] = bend_after_division(channel, values[i], after[i], up)
            down = up = bend_after_division(channel, before[i], values[i], up)
        room.downs[top + 1, i], room.ups[top + 1, i] = down, up
    # The vertex of a parabola is the place to look at next.
    f = channels[hidden]
    a, b, c = smooth(f, before[hidden]), smooth(f, values[hidden]), smooth(f, after[hidden])
    bend = second_derivative(left, theta, right, a, b, c)
    vertex = 0.5 * (left + theta) - (b - a) / ((theta - left) * bend) if bend != 0.0 else left
    room.divides[top] = inside(vertex, theta, right)
    room.divides[top + 1] = inside(vertex, left, theta)
    room.instants[top + 1] = theta
    copy_first(values, room.values[top + 1], count)


@inline
def bend_after_division(channel, x_0, x_1, bend):
    """Bend of one half of an interval: none where a contact is open at both ends, as for a step without contact."""
    return 0.0 if is_contact(channel.kind) and x_0 == 0.0 == x_1 else bend


@inline
def inside(vertex, left, right):
    """Where to divide an interval: at a vertex well inside, else in the middle."""
    aside = ASIDE * (right - left)
    return vertex if left + aside < vertex < right - aside else 0.5 * (left + right)


@kernel
def record_here(system, channels, o, h, dense, theta, y, slope, values, record):
    """Write a row at an instant of a step, after all samples before it."""
    t = o.t + theta * h
    record_samples(system, channels, o, h, dense, False, t, y, slope, values, record)
    if o.rows < record.shape[0]:
        interpolate(dense, theta, y)
        look_at(system, channels, channels.shape[0], t, y, slope, values)
        write_row(o, record, t, values)


@inline
def copy_first(source, target, count):
    """Copy the first entries of a vector."""
    for i in range(count):
        target[i] = source[i]
