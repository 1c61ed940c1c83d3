"""One run: step, find events on the dense output, act, record, keep peaks."""

import math

import numpy as np

from softdock.contact.kernels.layout import ENERGY
from softdock.jit import inlined, kernel
from softdock.multibody.kernels.channels import channel_value, keep_peaks, read_channels
from softdock.multibody.kernels.contacts import refresh_lists, worst_overreach
from softdock.multibody.kernels.derivative import derivative, set_motion
from softdock.multibody.kernels.elements import DRIVE_POSITION, DRIVE_SPEED, WELD, hold_here
from softdock.multibody.kernels.stepping import (
    DORMAND_PRINCE,
    error_of_step,
    interpolate,
    normalise,
    prepare_dense,
    step_dormand_prince,
    step_runge_kutta_4,
)

# How a run ends.
TIME_REACHED = 0
STOPPED = 1  # by an event
STEPS_USED_UP = 2
NOT_FINITE = 3
STEP_TOO_SMALL = 4
LISTS_TOO_LONG = 5  # near lists must grow; the run can be continued
LOG_FULL = 6

# What an event can do.
SWITCH_ON = 0
SWITCH_OFF = 1
CONTACT_ON = 2
CONTACT_OFF = 3
EVENT_ON = 4
EVENT_OFF = 5
SET_TARGET = 6
STOP = 7

EVENT = np.dtype(
    [
        ("channel", np.int64),
        ("threshold", np.float64),
        ("direction", np.int64),  # +1: when the value rises through the threshold, -1: when it falls
        ("armed", np.int64),
        ("once", np.int64),
        ("first_action", np.int64),
        ("actions", np.int64),
        ("fresh", np.int64),  # just armed: fires at once where its condition holds already
    ],
    align=True,
)
ACTION = np.dtype([("kind", np.int64), ("index", np.int64), ("value", np.float64)], align=True)

OPTIONS = np.dtype(
    [
        ("method", np.int64),
        ("t_end", np.float64),
        ("fixed_step", np.float64),  # 0: error control
        ("max_step", np.float64),
        ("min_step", np.float64),
        ("max_steps", np.int64),
        ("record_period", np.float64),  # 0: nothing by time
        ("record_contact", np.int64),  # 1: also every step while a contact pushes
        # Where the run stands.
        ("t", np.float64),
        ("h", np.float64),
        ("steps", np.int64),
        ("rejected", np.int64),
        ("rebuilds", np.int64),
        ("started", np.int64),
        ("stop_event", np.int64),
        ("rows", np.int64),
        ("next_sample", np.int64),
        ("logged", np.int64),
    ],
    align=True,
)

SAFETY, SLOWEST, FASTEST = 0.9, 0.2, 5.0  # usual bounds of step control
PI_ERROR, PI_BEFORE = 0.7 / 5.0, 0.4 / 5.0  # PI control after Gustafsson for order 5
ROOT_STEPS = 60  # bisections end by then at round-off


@kernel
def run(system, memory, channels, events, actions, breaks, options, y, record, log):
    """Integrate from options.t to options.t_end; returns how it ended.

    `system` = (links, axes, elements, tables, pairs, arrays, lists, world), `memory` = (k, y_new, y_stage, dense,
    tolerance, value_start, value_mid, value_end). `record` gets one row per sample (time first), `log` one row per
    event (time, index). May be called again to go on where it ended.
    """
    links, axes, elements, tables, pairs, arrays, lists, world = system
    k, y_new, y_stage, dense, tolerance, start, mid, end = memory
    o = options[0]
    watching = events.shape[0] > 0 or channels.shape[0] > 0
    derivative(links, axes, elements, tables, pairs, arrays, lists, world, o.t, y, k[0])
    if pairs.shape[0] > 0:
        state, _ = refresh_lists(links, pairs, arrays, lists, True)
        if state < 0:
            return LISTS_TOO_LONG
        worst_overreach(pairs)
        derivative(links, axes, elements, tables, pairs, arrays, lists, world, o.t, y, k[0])
    read_channels(channels, links, elements, pairs, o.t, y, start)
    keep_peaks(channels, o.t, start)
    if o.started == 0:
        o.started = 1
        write_row(o, record, o.t, start)
        o.next_sample = 1
        o.h = o.fixed_step if o.fixed_step > 0.0 else first_step(k[0], tolerance, o.max_step)
    before, rejected = 1.0, False
    while o.t < o.t_end:
        if o.steps >= o.max_steps:
            return STEPS_USED_UP
        held = already_true(events, start)
        if held >= 0:
            ending = fire(system, events, actions, held, o, y, k[0], log)
            if ending >= 0:
                return ending
            if pairs.shape[0] > 0:
                refresh_lists(links, pairs, arrays, lists, True)
            derivative(links, axes, elements, tables, pairs, arrays, lists, world, o.t, y, k[0])
            read_channels(channels, links, elements, pairs, o.t, y, start)
            continue
        t_stop = next_break(breaks, o.t, o.t_end)
        h, lands = step_to(o.t, o.h, t_stop)
        t_max = np.nextafter(t_stop, -math.inf)
        if o.method == DORMAND_PRINCE:
            step_dormand_prince(
                links,
                axes,
                elements,
                tables,
                pairs,
                arrays,
                lists,
                world,
                o.t,
                t_max,
                h,
                y,
                k,
                y_new,
                y_stage,
            )
        else:
            step_runge_kutta_4(
                links,
                axes,
                elements,
                tables,
                pairs,
                arrays,
                lists,
                world,
                o.t,
                t_max,
                h,
                y,
                k,
                y_new,
                y_stage,
            )
        if pairs.shape[0] > 0:
            over = worst_overreach(pairs)
            if over > 0.0 and o.fixed_step == 0.0:
                # Left the near lists: go only so far that they serve.
                o.rejected += 1
                o.h = 0.5 * h
                if h < o.min_step:
                    return STEP_TOO_SMALL
                continue
        if o.fixed_step == 0.0:
            error = error_of_step(h, k, tolerance)
            if not error <= 1.0:
                o.rejected += 1
                rejected = True
                if not math.isfinite(error):
                    o.h = 0.1 * h
                else:
                    o.h = h * max(SLOWEST, SAFETY * error ** (-PI_ERROR - PI_BEFORE + 0.06))
                if h < o.min_step:
                    return STEP_TOO_SMALL if math.isfinite(error) else NOT_FINITE
                continue
            grow = SAFETY * max(error, 1e-10) ** -PI_ERROR * before**PI_BEFORE
            grow = min(1.0 if rejected else FASTEST, max(SLOWEST, grow))
            before, rejected = max(error, 1e-4), False
            proposed = min(h * grow, o.max_step)
            if not lands or proposed < o.h:
                o.h = proposed
        elif not all_finite(y_new):
            return NOT_FINITE
        prepare_dense(o.method, h, y, y_new, k, dense)
        t_new = t_stop if lands else o.t + h
        theta = 1.0
        fired = -1
        if watching:
            read_channels(channels, links, elements, pairs, t_new, y_new, end)
            state_at(system, o.t, h, dense, 0.5, y_stage, k[1])
            read_channels(channels, links, elements, pairs, o.t + 0.5 * h, y_stage, mid)
            theta, fired = first_event(
                system, channels, events, o.t, h, dense, start, mid, end, y_stage, k[1]
            )
            if fired >= 0:
                t_new = o.t + theta * h
                interpolate(dense, theta, y_new)
                derivative(links, axes, elements, tables, pairs, arrays, lists, world, t_new, y_new, k[6])
                read_channels(channels, links, elements, pairs, t_new, y_new, end)
            else:
                keep_peaks(channels, o.t + 0.5 * h, mid)
                refine_peaks(system, channels, o.t, h, dense, start, mid, end, y_stage, k[1])
            keep_peaks(channels, t_new, end)
        record_step(system, channels, o, o.t, h, theta, dense, end, y_stage, k[1], record, t_new)
        normalise(links, y_new, k[6])
        for i in range(y.shape[0]):
            y[i] = y_new[i]
            k[0, i] = k[6, i]
        o.t = t_new
        o.steps += 1
        again = lands or fired >= 0
        if fired >= 0:
            ending = fire(system, events, actions, fired, o, y, k[0], log)
            if ending >= 0:
                return ending
            if o.fixed_step == 0.0:
                o.h = min(o.h, max(0.1 * h, o.min_step))
        if again:
            derivative(links, axes, elements, tables, pairs, arrays, lists, world, o.t, y, k[0])
        elif watching and pairs.shape[0] > 0:
            set_motion(links, axes, world[0].gravity, y, y[world[0].n_q : world[0].n_q + world[0].n_u])
        if pairs.shape[0] > 0:
            state, room = refresh_lists(links, pairs, arrays, lists, fired >= 0)
            if state < 0:
                return LISTS_TOO_LONG
            if state > 0:
                o.rebuilds += 1
                worst_overreach(pairs)
                derivative(links, axes, elements, tables, pairs, arrays, lists, world, o.t, y, k[0])
        if watching:
            if again:
                read_channels(channels, links, elements, pairs, o.t, y, start)
            else:
                for i in range(start.shape[0]):
                    start[i] = end[i]
    return TIME_REACHED


@inlined
def step_to(t, h, t_stop):
    """Step size that ends at t_stop where that is near, and whether it does."""
    if t + h >= t_stop:
        return t_stop - t, True
    if t + 2.0 * h > t_stop:
        return 0.5 * (t_stop - t), False  # two halves instead of a sliver
    return h, False


@kernel
def next_break(breaks, t, t_end):
    """First instant after t where something switches by the clock, at most t_end."""
    for i in range(breaks.shape[0]):
        if breaks[i] > t:
            return min(breaks[i], t_end)
    return t_end


@kernel
def first_step(slope, tolerance, max_step):
    """A cautious first step from the slope alone; control does the rest."""
    rate = 1e-300
    for i in range(tolerance.shape[0]):
        rate = max(rate, abs(slope[i]) / tolerance[i])
    return min(max_step, 1e3 / rate)  # a thousand tolerances of motion: within reach of a method of order 5


@kernel
def all_finite(y):
    """Tell whether every entry is a finite number."""
    for i in range(y.shape[0]):
        if not math.isfinite(y[i]):
            return False
    return True


@kernel
def state_at(system, t, h, dense, theta, y, slope):
    """Bring state and links to a point inside the last step."""
    links, axes, elements, tables, pairs, arrays, lists, world = system
    interpolate(dense, theta, y)
    derivative(links, axes, elements, tables, pairs, arrays, lists, world, t + theta * h, y, slope)


@inlined
def excess(event, values):
    """How far the condition of an event holds: negative before, positive after."""
    return event.direction * (values[event.channel] - event.threshold)


@kernel
def already_true(events, values):
    """First freshly armed event whose condition holds already, or -1; the others are no longer fresh."""
    for i in range(events.shape[0]):
        if events[i].armed == 1 and events[i].fresh == 1:
            events[i].fresh = 0
            if excess(events[i], values) >= 0.0:
                return i
    return -1


@kernel
def first_event(system, channels, events, t, h, dense, start, mid, end, y, slope):
    """Earliest event inside a step: (theta, index), or (1, -1)."""
    first, which = 1.0, -1
    for i in range(events.shape[0]):
        event = events[i]
        if event.armed == 0:
            continue
        g_0, g_m, g_1 = excess(event, start), excess(event, mid), excess(event, end)
        if g_0 < 0.0 <= g_m:
            theta = root(system, channels, event, t, h, dense, 0.0, 0.5, g_0, g_m, y, slope)
        elif g_m < 0.0 <= g_1:
            theta = root(system, channels, event, t, h, dense, 0.5, 1.0, g_m, g_1, y, slope)
        else:
            continue
        if theta < first or which < 0:
            first, which = theta, i
    return first, which


@kernel
def root(system, channels, event, t, h, dense, low, high, g_low, g_high, y, slope):
    """Where an event's condition begins to hold, by the Illinois variant of regula falsi; on the side after it."""
    links, elements, pairs = system[0], system[2], system[4]
    side = 0
    for _ in range(ROOT_STEPS):
        if high - low <= 1e-15 or g_high == 0.0:
            break
        theta = (low * g_high - high * g_low) / (g_high - g_low)
        if not low < theta < high:
            theta = 0.5 * (low + high)
        state_at(system, t, h, dense, theta, y, slope)
        value = channel_value(channels[event.channel], links, elements, pairs, t + theta * h, y)
        g = event.direction * (value - event.threshold)
        if g >= 0.0:
            if side == 1:
                g_low *= 0.5
            high, g_high, side = theta, g, 1
        else:
            if side == -1:
                g_high *= 0.5
            low, g_low, side = theta, g, -1
    return high


@kernel
def refine_peaks(system, channels, t, h, dense, start, mid, end, y, slope):
    """Look at the vertex of a parabola through three values wherever it may beat a peak."""
    links, elements, pairs = system[0], system[2], system[4]
    for i in range(channels.shape[0]):
        channel = channels[i]
        if channel.track == 0:
            continue
        bend = 2.0 * (start[i] - 2.0 * mid[i] + end[i])
        slant = 4.0 * mid[i] - 3.0 * start[i] - end[i]
        if bend == 0.0:
            continue
        theta = -0.5 * slant / bend
        best = start[i] + 0.5 * slant * theta
        if 0.0 < theta < 1.0 and (best > channel.largest if bend < 0.0 else best < channel.smallest):
            state_at(system, t, h, dense, theta, y, slope)
            value = channel_value(channel, links, elements, pairs, t + theta * h, y)
            if value > channel.largest:
                channel.largest, channel.t_largest = value, t + theta * h
            if value < channel.smallest:
                channel.smallest, channel.t_smallest = value, t + theta * h


@kernel
def fire(system, events, actions, index, o, y, slope, log):
    """Log an event and do what it asks for; returns how the run ends by it, or -1."""
    if o.logged >= log.shape[0]:
        return LOG_FULL
    log[o.logged, 0], log[o.logged, 1] = o.t, float(index)
    o.logged += 1
    links, axes, elements, tables, pairs, arrays, lists, world = system
    # Bring the links to this state before acting on it.
    derivative(links, axes, elements, tables, pairs, arrays, lists, world, o.t, y, slope)
    event = events[index]
    if event.once == 1:
        event.armed = 0
    ending = -1
    for i in range(event.first_action, event.first_action + event.actions):
        action = actions[i]
        if action.kind == STOP:
            o.stop_event = index
            ending = STOPPED
        elif action.kind == EVENT_ON:
            events[action.index].armed, events[action.index].fresh = 1, 1
        elif action.kind == EVENT_OFF:
            events[action.index].armed = 0
        elif action.kind == CONTACT_ON or action.kind == CONTACT_OFF:
            switch_contact(pairs[action.index], action.kind == CONTACT_ON, y, world[0])
        else:
            switch_element(elements[action.index], action, links, o.t, y, world[0])
    return ending


@inlined
def switch_contact(pair, on, y, world):
    """Switch a contact pair; energy stored in it is lost when it goes off."""
    if on:
        pair.active = 1
    else:
        y[world.n_q + world.n_u] += pair.out[ENERGY] if pair.active == 1 else 0.0
        pair.active = 0


@inlined
def switch_element(element, action, links, t, y, world):
    """Switch an element or give it a new target.

    Energy stored in what goes off counts as dissipated. What goes on holds the present pose (a weld) or starts its
    command at the present position or speed (a drive); a spring that goes on deflected brings its energy in.
    """
    if action.kind == SWITCH_OFF:
        if element.active == 1:
            y[world.n_q + world.n_u] += element.energy
        element.active = 0
        return
    if action.kind == SET_TARGET:
        element.target = action.value
    elif element.active == 1:
        return
    element.active = 1
    element.t_on = t
    if element.kind == WELD:
        hold_here(element, links)
    elif element.kind == DRIVE_POSITION:
        element.x_on = y[element.at_q]
    elif element.kind == DRIVE_SPEED:
        element.x_on = y[world.n_q + element.at_u]


@kernel
def record_step(system, channels, o, t, h, theta_end, dense, end, y, slope, record, t_new):
    """Write the samples that fall into a step, and its end while a contact pushes."""
    links, elements, pairs = system[0], system[2], system[4]
    if channels.shape[0] == 0:
        return
    if o.record_period > 0.0:
        t_sample = o.next_sample * o.record_period
        while t_sample < t_new and o.rows < record.shape[0]:
            theta = (t_sample - t) / h
            state_at(system, t, h, dense, theta, y, slope)
            row = record[o.rows]
            row[0] = t_sample
            read_channels(channels, links, elements, pairs, t_sample, y, row[1:])
            o.rows += 1
            o.next_sample += 1
            t_sample = o.next_sample * o.record_period
        on_grid = t_sample == t_new
        if on_grid:
            o.next_sample += 1
    else:
        on_grid = False
    pushed = False
    if o.record_contact == 1:
        for i in range(pairs.shape[0]):
            pushed = pushed or pairs[i].force > 0.0
    if on_grid or pushed or theta_end < 1.0 or t_new >= o.t_end:
        write_row(o, record, t_new, end)


@inlined
def write_row(o, record, t, values):
    """Add a row to the record where there is room."""
    if o.rows < record.shape[0] and record.shape[1] > 1:
        record[o.rows, 0] = t
        for i in range(values.shape[0]):
            record[o.rows, 1 + i] = values[i]
        o.rows += 1
