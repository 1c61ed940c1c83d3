"""One run: step, find events on the dense output, act, record, keep peaks."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from softdock.dynamics.kernels.channels import read_channels
from softdock.dynamics.kernels.conservation import watch_conservation
from softdock.dynamics.kernels.contacts import (
    how_many_push,
    keep_observed,
    note_leaps,
    observe_contacts,
    refresh_lists,
    widen_lists,
    worst_overreach,
)
from softdock.dynamics.kernels.derivative import (
    EXTRA_STATES,
    books,
    derivative,
    energy_held,
    set_motion,
    strike,
)
from softdock.dynamics.kernels.elements import keep_angles
from softdock.dynamics.kernels.events import act, already_true, begins, note
from softdock.dynamics.kernels.interfaces import any_pin_pushes, keep_pin_depths, least_headway
from softdock.dynamics.kernels.linear import Linear
from softdock.dynamics.kernels.looking import keep_peaks, look_at, record_samples, write_row
from softdock.dynamics.kernels.pacing import (
    SOON,
    first_step,
    judge_trial,
    next_break,
    next_try,
    order_of,
    pace_on,
    rival_after,
    smaller_step,
)
from softdock.dynamics.kernels.rosenbrock import error_of_implicit_step, take_implicit_step
from softdock.dynamics.kernels.step_search import Search, search_step
from softdock.dynamics.kernels.stepping import (
    ROSENBROCK,
    all_finite,
    copy,
    error_of_step,
    interpolate,
    normalise,
    prepare_dense,
    take_step,
)
from softdock.native.decorators import inline, kernel

# How a run ends.
TIME_REACHED = 0
STOPPED = 1  # by an event
STEPS_USED_UP = 2
NOT_FINITE = 3
STEP_TOO_SMALL = 4
LISTS_TOO_LONG = 5  # near lists must grow; the run can be continued
LOG_FULL = 6
PENETRATED = 7  # a body passed the middle of a wall
ON = -1  # not ended
KINK = 8.0  # times: the error of a step in which a contact begins or ends is a guess

OPTIONS = np.dtype(
    [
        ("way", np.int64),  # method that takes the steps
        ("contest", np.int64),  # 1: the best one of several
        ("implicit", np.int64),  # 1: implicit steps are among them
        ("rival", np.int64),  # method that is tried next
        ("t_end", np.float64),  # of this call
        ("duration", np.float64),  # of the whole run
        ("fixed_step", np.float64),  # 0: error control
        ("max_step", np.float64),
        ("min_step", np.float64),
        ("max_steps", np.int64),
        ("record_period", np.float64),  # 0: nothing by time
        ("record_contact", np.int64),  # 1: also every step while a contact pushes
        (
            "watched",
            np.int64,
        ),  # so many channels, the first ones, are looked at in every step; the others when recorded
        # Where the run stands.
        ("t", np.float64),
        ("h", np.float64),
        ("longest", np.float64),  # step that the near lists serve
        ("headway", np.float64),  # step that the pins have room for
        ("steps", np.int64),
        ("rejected", np.int64),
        ("started", np.int64),
        ("error_before", np.float64),
        ("after_rejection", np.int64),
        ("pushing", np.int64),  # contacts that push where the run stands
        ("until_trial", np.int64),  # steps until the other method is tried
        ("trial_period", np.int64),
        ("stop_event", np.int64),
        ("rows", np.int64),
        ("next_sample", np.int64),
        ("logged", np.int64),
        ("unsearched", np.int64),  # intervals that the search for events and peaks gave up at its limits
    ],
    align=True,
)


class Workspace(NamedTuple):
    """Memory of a run: stages, dense output and channel values of a step; n states, m channels."""

    k: NDArray[np.float64]
    """(7, n): slopes of the stages, that of the next step last."""
    y_new: NDArray[np.float64]
    y_stage: NDArray[np.float64]
    dense: NDArray[np.float64]
    """(5, n): coefficients of the dense output."""
    tolerance: NDArray[np.float64]
    start: NDArray[np.float64]
    """(m,): channels at the start of the step; then at two stages and at its end."""
    early: NDArray[np.float64]
    late: NDArray[np.float64]
    end: NDArray[np.float64]
    values: NDArray[np.float64]
    """(m,): channels at the state that was evaluated last."""
    ledger: NDArray[np.float64]
    """Momentum and energy, as `books` writes them."""
    check: NDArray[np.float64]
    """Rows of the conservation check."""
    linear: Linear
    search: Search


@kernel
def observe(system, workspace, channels, options, y):
    """Evaluate the present state of a run: all channels, momentum and energy."""
    look_at(system, channels, channels.shape[0], options[0].t, y, workspace.k[1], workspace.values)
    books(system, y, workspace.ledger)


@kernel
def run(system, workspace, channels, events, actions, breaks, options, y, record, log):
    """Integrate from options.t to options.t_end; returns how it ended.

    `record` gets one row per sample (time first), `log` one row per event (time, index). May be called again to
    continue where it ended.
    """
    k, y_new, y_stage, dense = workspace.k, workspace.y_new, workspace.y_stage, workspace.dense
    tolerance, linear, values = workspace.tolerance, workspace.linear, workspace.values
    start, early, late, end = workspace.start, workspace.early, workspace.late, workspace.end
    o = options[0]
    copy(start, end)
    fits = settle(system, channels, o, y, k[0], start, True)
    if o.started == 1:
        notice_jumps(channels, events, o, end, start)
    if not fits:
        return LISTS_TOO_LONG
    if o.started == 0:
        o.started, o.next_sample, o.error_before, o.longest = 1, 1, 1.0, math.inf
        o.until_trial, o.trial_period = SOON, SOON
        o.rival = rival_after(o, o.way)
        strike(system, y)
        look_at(system, channels, channels.shape[0], o.t, y, k[0], values)
        o.headway = least_headway(system.interfaces)
        keep_peaks(channels, channels.shape[0], o.t, values)
        write_row(o, record, o.t, values)
        o.h = o.fixed_step if o.fixed_step > 0.0 else first_step(k[0], tolerance, o.max_step)
    fired = already_true(events, start)
    ending, o.pushing = ON, how_many_push(system.pairs)
    while ending == ON:
        if fired >= 0 and o.rows > 0 and record[o.rows - 1, 0] < o.t:  # began to hold by a jump
            look_at(system, channels, channels.shape[0], o.t, y, k[1], values)
            write_row(o, record, o.t, values)
            forget_looks(system, y)
        if fired >= 0 and events[fired].actions == 0 and o.logged < log.shape[0]:
            note(events, fired, o, o.t, log)  # which changes nothing
            fired = already_true(events, start)
        elif fired >= 0:
            ending = fire(system, channels, events, actions, fired, o, y, k[0], start, log)
            held = energy_held(system.elements, system.pairs, system.interfaces)
            if ending != ON:  # as the event found it, with the same near lists
                look_at(system, channels, o.watched, o.t, y, k[0], start)
            else:
                copy(start, end)
                fits = settle(system, channels, o, y, k[0], start, True)
                notice_jumps(channels, events, o, end, start)
                if not fits:
                    return LISTS_TOO_LONG
            book_switch(
                system.world[0], y, energy_held(system.elements, system.pairs, system.interfaces) - held
            )
            o.pushing = how_many_push(system.pairs)
            fired = already_true(events, start)
        elif o.t >= o.t_end:
            ending = TIME_REACHED
        elif o.steps >= o.max_steps:
            ending = STEPS_USED_UP
        else:
            t_stop = next_break(breaks, o.t, o.t_end)
            method, h, lands = next_try(o, t_stop)
            t_max = math.nextafter(t_stop, -math.inf)
            if method == ROSENBROCK:
                take_implicit_step(
                    system, channels, o.watched, o.t, t_max, h, y, k, y_new, y_stage, early, late, linear
                )
            else:
                take_step(
                    system, channels, o.watched, method, o.t, t_max, h, y, k, y_new, y_stage, early, late
                )
            accepted, ending = judge(system, o, method, h, lands, y, y_new, y_stage, k, tolerance)
            if accepted:
                watch_conservation(system, y_new, workspace.check)  # before looks overwrite the forces there
                prepare_dense(method, h, y, y_new, k, dense)
                t_new = t_stop if lands else o.t + h
                seen = system.world[0].evaluations
                headway, o.pushing = least_headway(system.interfaces), how_many_push(system.pairs)
                pushes = o.pushing > 0 or any_pin_pushes(system.interfaces)
                observe_contacts(system.links, system.pairs, system.arrays, system.lists)
                keep_angles(system.elements)
                keep_pin_depths(system.interfaces)
                whole = pushes and room_beside_samples(o, record)
                read_channels(channels, channels.shape[0] if whole else o.watched, system, t_new, y_new, end)
                if channels.shape[0] > 0:
                    theta, fired = search_step(
                        system, channels, events, o, method, h, dense, start, early, late, end, workspace.search,
                        y_stage, k[1], values, record, log,
                    )  # fmt: skip
                    if fired >= 0:  # the step ends there
                        whole = False
                        t_new = o.t + theta * h
                        interpolate(dense, theta, y_new)
                        look_at(system, channels, o.watched, t_new, y_new, k[6], end)
                        observe_contacts(system.links, system.pairs, system.arrays, system.lists)
                    wanted = record_samples(
                        system, channels, o, h, dense, whole, t_new, y_stage, k[1], values, record
                    )
                    if whole:
                        write_row(o, record, t_new, end)
                    elif (wanted or fired >= 0 or t_new >= o.duration) and o.rows < record.shape[0]:
                        look_at(system, channels, channels.shape[0], t_new, y_new, k[1], values)
                        write_row(o, record, t_new, values)
                if system.world[0].evaluations != seen:
                    forget_looks(system, y_new)
                normalise(system.links, y_new, k[6])
                copy(y_new, y)
                copy(k[6], k[0])
                copy(end, start)
                o.t = t_new
                o.steps += 1
                o.headway = headway
                if o.fixed_step > 0.0:
                    note_leaps(system.links, system.pairs, system.arrays, system.lists, h)
                if keep_observed(system.pairs):
                    ending = PENETRATED
                switched = lands and o.t < o.t_end  # at the end of a piece the next one begins anew
                if fired < 0:
                    fits = settle(system, channels, o, y, k[0], start, switched)
                    if switched:
                        notice_jumps(channels, events, o, end, start)
                        fired = already_true(events, start) if fits else -1
                    if not fits:
                        return LISTS_TOO_LONG
    return ending


@inline
def forget_looks(system, y):
    """Bring links and near lists back to the state of the run: what is looked at must not change it."""
    if system.pairs.shape[0] > 0:
        set_motion(system, y)
        worst_overreach(system.pairs)


@kernel
def notice_jumps(channels, events, o, before, after):
    """Keep peaks and let events take place that begin to hold because something was switched."""
    keep_peaks(channels, o.watched, o.t, after)
    for i in range(events.shape[0]):
        if begins(events[i], before, after):
            events[i].fresh = 1


@inline
def room_beside_samples(o, record):
    """Tell whether steps in contact may be recorded without taking the rows of the samples to come."""
    to_come = (o.duration - o.t) / o.record_period if o.record_period > 0.0 else 0.0
    return o.record_contact == 1 and o.rows + to_come + 4.0 < record.shape[0]


@kernel
def settle(system, channels, o, y, slope, values, changed):
    """Bring near lists, slope and channels to a state; tells whether the near lists had room.

    The links are there already, unless something has changed: a switch or a load by the clock. Only then is the slope
    computed again. A new near list gives the same forces as the old one up to the error of its cells.
    """
    links, pairs, world = system.links, system.pairs, system.world
    if not changed and pairs.shape[0] == 0:
        return True
    if changed:
        set_motion(system, y)
    rebuilt = 0
    if pairs.shape[0] > 0:
        rebuilt, o.longest = refresh_lists(links, pairs, system.arrays, system.lists, bool(changed), o.h)
        world[0].rebuilds += max(rebuilt, 0)
    if changed:
        look_at(system, channels, o.watched, o.t, y, slope, values)
    if changed or rebuilt > 0:
        worst_overreach(pairs)
    return rebuilt >= 0


@kernel
def judge(system, o, method, h, lands, y, y_new, y_stage, k, tolerance):
    """Accept or reject a step and choose the size of the next: (accepted, how the run ends or ON)."""
    links, pairs = system.links, system.pairs
    adaptive = o.fixed_step == 0.0
    ending, accepted, error = ON, True, 0.0
    if pairs.shape[0] > 0 and worst_overreach(pairs) > 0.0:
        accepted = False  # some point left its near list: start from a fresh one, then go less far, or widen the lists
        set_motion(system, y)
        if adaptive:
            o.h = 0.5 * h
            if refresh_lists(links, pairs, system.arrays, system.lists, True, 0.0)[0] < 0:
                ending = LISTS_TOO_LONG
            derivative(system, o.t, y, k[0])
        elif widen_lists(links, pairs, system.arrays, system.lists) < 0:
            ending = LISTS_TOO_LONG
    elif adaptive:
        if method == ROSENBROCK:
            error = error_of_implicit_step(k, tolerance)
        else:
            error = error_of_step(method, h, k, tolerance)
        if how_many_push(pairs) != o.pushing:
            error *= KINK
        if method != o.way:
            accepted = judge_trial(o, method, h, error, k, y_stage, y_new, tolerance)
        elif error <= 1.0:
            pace_on(o, h, error, lands, order_of(method))
            o.until_trial -= 1
        else:
            accepted = False
            o.h = smaller_step(h, error, order_of(method))
            o.after_rejection = 1
    elif not all_finite(y_new):
        accepted, ending = False, NOT_FINITE
    if not accepted:
        o.rejected += 1
        if adaptive and o.h < o.min_step:
            ending = STEP_TOO_SMALL if math.isfinite(error) else NOT_FINITE
    return accepted, ending


@inline
def book_switch(world, y, gained):
    """Book what switching changed in the stored energy: lost where something loaded goes off, else brought in."""
    at = world.n_q + world.n_u
    if gained < 0.0:
        y[at] -= gained
    else:
        y[at + 1] += gained
        if y.shape[0] > at + EXTRA_STATES:
            y[at + EXTRA_STATES] += gained


@kernel
def fire(system, channels, events, actions, index, o, y, slope, values, log):
    """Log an event and do what it asks for; returns how the run ends by it, or ON."""
    if o.logged >= log.shape[0]:
        return LOG_FULL
    note(events, index, o, o.t, log)
    look_at(
        system, channels, o.watched, o.t, y, slope, values
    )  # what is switched off gives up the energy it has here
    if o.fixed_step == 0.0:
        o.h = max(0.1 * o.h, o.min_step)  # what was switched may be stiff
    stop = act(
        system.links, system.elements, system.pairs, system.interfaces, system.world, events, actions, index,
        o.t, y,
    )  # fmt: skip
    strike(system, y)
    if stop:
        o.stop_event = index
        return STOPPED
    return ON
