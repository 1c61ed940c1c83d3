"""Events: conditions on channels, where they become true inside a step, and their actions."""

import math
from enum import IntEnum

import numpy as np

from softdock.dynamics.kernels.forces.bonds import bond_contact
from softdock.dynamics.kernels.integration.stepping import INSTANT_WIDTH, copy_first, interpolate
from softdock.dynamics.kernels.recording.evaluation import evaluate_inside
from softdock.dynamics.kernels.search.windows import (
    WindowStage,
    close_ended_windows,
    close_window,
    open_window,
)
from softdock.elements.kernels.dispatch import decide, set_target, switch_element
from softdock.native.decorators import inline, kernel


class ActionKind(IntEnum):
    """What an action does."""

    ENABLE_ELEMENT = 0
    DISABLE_ELEMENT = 1
    ENABLE_CONTACT = 2
    DISABLE_CONTACT = 3
    ARM_EVENT = 4
    DISARM_EVENT = 5
    SET_TARGET = 6
    STOP_RUN = 7
    ENABLE_INTERFACE = 8
    DISABLE_INTERFACE = 9
    OPEN_WINDOW = 10
    CLOSE_WINDOW = 11
    SET_MODE = 12
    DECIDE = 13
    """Of an element that decides something, such as a coupling whose plug reaches its socket."""
    BOND_CONTACT = 14


class Logging(IntEnum):
    """What an event writes when it occurs."""

    LOGGED = 0
    CAPTURE_STATE = 1
    """Not logged: the state of the first such event is stored."""
    HIDDEN = 2
    """Nothing: its actions belong to the model."""


EVENT = np.dtype(
    [
        ("channel", np.int64),
        ("threshold", np.float64),
        ("direction", np.int64),  # +1: when the value rises through the threshold, -1: when it falls
        ("armed", np.int64),  # 1: at the start
        ("opens_later", np.int64),  # 1: its window is closed at the start
        ("once", np.int64),
        ("dwell", np.float64),  # [s] for which the condition must be true without a break; 0: none
        ("logging", np.int64),  # `Logging`
        ("first_action", np.int64),
        ("actions", np.int64),
    ],
    align=True,
)
"""Constants of an event."""

EVENT_STATE = np.dtype(
    [
        ("armed", np.int64),
        ("closed", np.int64),  # 1: its window is closed, so that its condition is not evaluated
        ("fresh", np.int64),  # 1: armed since the last check; occurs at once if its condition is true already
        ("held", np.int64),  # 1: the condition is true since a known time, and its end is searched for
        ("due", np.float64),  # when the event occurs if the condition stays true; infinite afterwards [s]
        ("true_at_start", np.int64),  # 1: its condition was true at the start of the run
    ],
    align=True,
)
"""What changes of an event in a run."""

ACTION = np.dtype([("kind", np.int64), ("index", np.int64), ("value", np.float64)], align=True)

SLOW_STEPS = 3  # steps without halving the interval after which it is bisected


@inline
def is_watched(state):
    """Return whether the condition of an event is evaluated."""
    return state.armed == 1 and state.closed == 0


@inline
def condition_excess(event, values):
    """Return by how much the condition of an event is true, in the unit of its channel; negative where it is false."""
    return event.direction * (values[event.channel] - event.threshold)


@inline
def has_changed(event, state, values):
    """Return whether the condition is true, or false if it is held: the change that the search of a step looks for."""
    return (condition_excess(event, values) > 0.0) != (state.held == 1)


@kernel
def next_due_event(run):
    """Return the event whose condition has been true for its dwell, or -1.

    Closes the windows whose time is over if there is no such event.
    """
    states, t = run.event_states, run.progress[0].t
    for i in range(states.shape[0]):
        if is_watched(states[i]) and states[i].held == 1 and states[i].due <= t:
            return i
    close_ended_windows(run, t)
    return -1


@kernel
def next_event(run):
    """Return the event that occurs at the present time without a step, or -1.

    It is due, or freshly armed with a condition that is true already; the others are no longer fresh.
    """
    events, states, values = run.events, run.event_states, run.workspace.start
    due = next_due_event(run)
    if due >= 0:
        return due
    for i in range(events.shape[0]):
        if is_watched(states[i]) and states[i].fresh == 1:
            states[i].fresh = 0
            if has_changed(events[i], states[i], values):
                return i
    return -1


@kernel
def mark_true_at_start(events, states, values):
    """Mark the events whose conditions are true at the start of a run."""
    for i in range(events.shape[0]):
        if is_watched(states[i]) and condition_excess(events[i], values) > 0.0:
            states[i].true_at_start = 1


@kernel
def next_timer(run, t, t_limit):
    """Return the first time after t at which an event is due or a window ends, at most t_limit [s]."""
    for i in range(run.event_states.shape[0]):
        event = run.event_states[i]
        if is_watched(event) and event.held == 1 and t < event.due < t_limit:
            t_limit = event.due
    for i in range(run.window_states.shape[0]):
        window = run.window_states[i]
        if window.stage == WindowStage.OPEN and t < window.until < t_limit:
            t_limit = window.until
    return t_limit


@inline
def becomes_true(event, state, before, after):
    """Return whether the condition of a watched event becomes true between two instants, or false if it is held."""
    return is_watched(state) and not has_changed(event, state, before) and has_changed(event, state, after)


@inline
def mark_changed_events(run, before, after, pending):
    """Mark events as fresh that change between two evaluations of one instant, except `pending`, which occurs anyway.

    Values of one instant differ by rounding, so that of two events with the same threshold one may change first.
    """
    for i in range(run.events.shape[0]):
        if i != pending and becomes_true(run.events[i], run.event_states[i], before, after):
            run.event_states[i].fresh = 1


@inline
def ends_step(event):
    """Return whether an event that occurs inside a step ends it."""
    return event.actions > 0 or event.dwell > 0.0


@inline
def change_dwell(event, state, t):
    """Follow the condition of an event that must hold for a time; returns whether the event occurs now."""
    if state.held == 1 and state.due <= t:
        state.due = math.inf
        return True
    if state.held == 1:
        state.held = 0
    else:
        # Fresh: it ends at once if an evaluation with other near lists makes the condition false again.
        state.held, state.due, state.fresh = 1, t + event.dwell, 1
    return False


@kernel
def locate(run, h, low, high, before, after):
    """Return the earliest instant theta of a step at which the condition of an event has changed.

    `before` are the channels at `low`, `after` those at `high`, where at least one condition has become true, or false
    if it is held. `workspace.values` gets the channels at the instant.

    It uses the Illinois variant of regula falsi for one of the conditions that have changed at the right end, and
    bisection where that is slow, as for conditions that jump, such as `mated`: their excess may be -1e-300
    (`FALSE_BY_EQUALITY`), so that regula falsi hardly moves. It ends after at most about 200 evaluations.
    """
    count, values, left, right = run.settings[0].searched, run.workspace.values, low, high
    events, states = run.events, run.event_states
    index = changed_event(events, states, before, after)
    event, state = events[index], states[index]
    g_left, g_right = condition_excess(event, before), condition_excess(event, after)
    width, slow_steps, side = right - left, 0, 0
    while right - left > INSTANT_WIDTH:
        theta = (left * g_right - right * g_left) / (g_right - g_left)
        if slow_steps >= SLOW_STEPS or not left < theta < right:
            theta = 0.5 * (left + right)
        if not left < theta < right:  # neighbouring numbers
            break
        evaluate_inside(run, count, h, theta)
        index = changed_event(events, states, before, values)
        if index >= 0 and not has_changed(event, state, values):  # another event is earlier
            event, state, right = events[index], states[index], theta
            g_right, side = condition_excess(event, values), 0
            g_left = -g_right  # not known; the next instant is in the middle
        elif index >= 0:
            if side == 1:
                g_left *= 0.5
            right, g_right, side = theta, condition_excess(event, values), 1
        else:
            if side == -1:
                g_right *= 0.5
            left, g_left, side = theta, condition_excess(event, values), -1
        if right - left <= 0.5 * width:
            width, slow_steps = right - left, 0
        else:
            slow_steps += 1
    if right < high:
        evaluate_inside(run, count, h, right)
    else:  # the interpolated state may differ by rounding from the one in which the condition has changed
        interpolate(run.workspace.dense, high, run.workspace.y_stage)
        copy_first(after, values, count)
    return right


@inline
def changed_event(events, states, before, values):
    """Return the first event whose condition becomes true between two instants, or false if it is held; or -1."""
    for i in range(events.shape[0]):
        if becomes_true(events[i], states[i], before, values):
            return i
    return -1


@kernel
def log_event(run, index, t, y):
    """Log an event, or capture the state if it does so; disarm an event that happens only once."""
    s, log = run.progress[0], run.log
    if run.events[index].logging == Logging.CAPTURE_STATE:
        capture_state(run, index, t, y)
    if run.events[index].logging != Logging.LOGGED:
        return
    log[s.log_rows, 0], log[s.log_rows, 1] = t, float(index)
    s.log_rows += 1
    if run.events[index].once == 1:
        run.event_states[index].armed = 0


@inline
def capture_state(run, index, t, y):
    """Keep time and state of an event; no other state is captured after it."""
    run.progress[0].captured_event, run.progress[0].captured_time = index, t
    for i in range(y.shape[0]):
        run.workspace.captured[i] = y[i]
    for i in range(run.events.shape[0]):
        if run.events[i].logging == Logging.CAPTURE_STATE:
            run.event_states[i].armed = 0


@kernel
def log_passive_events(run, t, before, after):
    """Log all events whose conditions become true and that do not end the step.

    Returns their number and the first event that ends it, or -1; others that do so occur right after it.
    """
    count, active = 0, -1
    for i in range(run.events.shape[0]):
        event, state = run.events[i], run.event_states[i]
        if becomes_true(event, state, before, after):
            if not ends_step(event) and (
                event.logging != Logging.LOGGED or run.progress[0].log_rows < run.log.shape[0]
            ):
                count += 1 if event.logging == Logging.LOGGED else 0
                log_event(run, i, t, run.workspace.y_stage)
            elif active < 0:
                active = i
            else:
                state.fresh = 1
    return count, active


@kernel
def perform_actions(run, index):
    """Perform the actions of an event at the present state of the links; returns whether the run stops."""
    event, states, system = run.events[index], run.event_states, run.system
    stops_run = False
    for i in range(event.first_action, event.first_action + event.actions):
        action = run.actions[i]
        if action.kind == ActionKind.STOP_RUN:
            stops_run = True
        elif action.kind == ActionKind.ARM_EVENT:
            states[action.index].armed, states[action.index].fresh = 1, 1
            states[action.index].held = 0
        elif action.kind == ActionKind.DISARM_EVENT:
            states[action.index].armed, states[action.index].held = 0, 0
        elif action.kind == ActionKind.OPEN_WINDOW:
            open_window(run, action.index)
        elif action.kind == ActionKind.CLOSE_WINDOW:
            close_window(run, action.index)
        elif action.kind == ActionKind.ENABLE_CONTACT or action.kind == ActionKind.DISABLE_CONTACT:
            system.pair_states[action.index].active = 1 if action.kind == ActionKind.ENABLE_CONTACT else 0
            if system.bonds.shape[0] > 0:
                system.bonds[action.index].active = 0
        elif action.kind == ActionKind.BOND_CONTACT:
            bond_contact(system, action.index, run.y)
        elif action.kind == ActionKind.ENABLE_INTERFACE or action.kind == ActionKind.DISABLE_INTERFACE:
            system.interface_states[action.index].active = (
                1 if action.kind == ActionKind.ENABLE_INTERFACE else 0
            )
        elif action.kind == ActionKind.SET_MODE:
            system.gnc.controller_states[action.index].next_mode = int(action.value)
        elif action.kind == ActionKind.DECIDE:
            decide(system, action.index)
        elif action.kind == ActionKind.SET_TARGET:
            set_target(system, action.index, run.progress[0].t, run.y, action.value)
        else:
            on = action.kind == ActionKind.ENABLE_ELEMENT
            switch_element(system, action.index, on, run.progress[0].t, run.y)
    return stops_run
