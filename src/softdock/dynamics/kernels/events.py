"""Events: conditions on channels, where they become true inside a step, and their actions."""

import numpy as np

from softdock.dynamics.kernels.elements import DRIVE_POSITION, DRIVE_SPEED, LOCK, WELD, hold_present_pose
from softdock.dynamics.kernels.evaluation import evaluate_inside
from softdock.native.decorators import inline, kernel

# Kinds of actions.
ENABLE_ELEMENT = 0
DISABLE_ELEMENT = 1
ENABLE_CONTACT = 2
DISABLE_CONTACT = 3
ARM_EVENT = 4
DISARM_EVENT = 5
SET_TARGET = 6
STOP = 7
ENABLE_INTERFACE = 8
DISABLE_INTERFACE = 9

EVENT = np.dtype(
    [
        ("channel", np.int64),
        ("threshold", np.float64),
        ("direction", np.int64),  # +1: when the value rises through the threshold, -1: when it falls
        ("armed", np.int64),
        ("once", np.int64),
        ("first_action", np.int64),
        ("actions", np.int64),
        ("capture", np.int64),  # 1: the state of the first such event is stored instead of a log entry
        ("fresh", np.int64),  # 1: armed since the last check; occurs at once if its condition is true already
    ],
    align=True,
)
ACTION = np.dtype([("kind", np.int64), ("index", np.int64), ("value", np.float64)], align=True)

ROOT_STEPS = 60  # bisection reaches round-off in fewer


@inline
def condition_excess(event, values):
    """Positive where the condition of an event is true, in the unit of its channel."""
    return event.direction * (values[event.channel] - event.threshold)


@kernel
def next_fresh_event(events, values):
    """First freshly armed event whose condition is true already, or -1; the others are no longer fresh."""
    for i in range(events.shape[0]):
        if events[i].armed == 1 and events[i].fresh == 1:
            events[i].fresh = 0
            if condition_excess(events[i], values) > 0.0:
                return i
    return -1


@inline
def becomes_true(event, before, after):
    """Tell whether the condition of an armed event becomes true between two instants."""
    return event.armed == 1 and condition_excess(event, before) <= 0.0 < condition_excess(event, after)


@kernel
def locate(run, h, low, high, before, after):
    """Earliest instant theta of a step where a condition has become true, between two where one is false and true.

    `workspace.values` gets the channels there. Illinois variant of regula falsi; ends on the side where the condition
    is true.
    """
    events, count, values = run.events, run.state[0].searched, run.workspace.values
    first = high
    for i in range(events.shape[0]):
        event = events[i]
        if not becomes_true(event, before, after):
            continue
        left, right, g_left, g_right = (
            low,
            high,
            condition_excess(event, before),
            condition_excess(event, after),
        )
        side = 0
        for _ in range(ROOT_STEPS):
            if right - left <= 1e-15:
                break
            theta = (left * g_right - right * g_left) / (g_right - g_left)
            if not left < theta < right:
                theta = 0.5 * (left + right)
            evaluate_inside(run, count, h, theta)
            g = condition_excess(event, values)
            if g > 0.0:
                if side == 1:
                    g_left *= 0.5
                right, g_right, side = theta, g, 1
            else:
                if side == -1:
                    g_right *= 0.5
                left, g_left, side = theta, g, -1
        first = min(first, right)
    evaluate_inside(run, count, h, first)
    return first


@kernel
def log_event(run, index, t, y):
    """Log an event, or capture the state if it does so; disarm an event that happens only once."""
    s, log = run.state[0], run.log
    if run.events[index].capture == 1:
        capture_state(run, index, t, y)
        return
    log[s.log_rows, 0], log[s.log_rows, 1] = t, float(index)
    s.log_rows += 1
    if run.events[index].once == 1:
        run.events[index].armed = 0


@inline
def capture_state(run, index, t, y):
    """Keep time and state of an event; no other state is captured after it."""
    run.state[0].captured_event, run.state[0].captured_time = index, t
    for i in range(y.shape[0]):
        run.workspace.captured[i] = y[i]
    for i in range(run.events.shape[0]):
        if run.events[i].capture == 1:
            run.events[i].armed = 0


@kernel
def log_passive_events(run, t, before, after):
    """Log all events whose conditions become true and that have no action.

    Returns their number and the first event with actions, or -1; others with actions occur right after it.
    """
    count, active = 0, -1
    for i in range(run.events.shape[0]):
        event = run.events[i]
        if becomes_true(event, before, after):
            if event.actions == 0 and (event.capture == 1 or run.state[0].log_rows < run.log.shape[0]):
                count += 1 - event.capture
                log_event(run, i, t, run.workspace.y_stage)
            elif active < 0:
                active = i
            else:
                event.fresh = 1
    return count, active


@kernel
def perform_actions(run, index):
    """Perform the actions of an event at the present state of the links; returns whether the run stops."""
    event, events, system = run.events[index], run.events, run.system
    stop = False
    for i in range(event.first_action, event.first_action + event.actions):
        action = run.actions[i]
        if action.kind == STOP:
            stop = True
        elif action.kind == ARM_EVENT:
            events[action.index].armed, events[action.index].fresh = 1, 1
        elif action.kind == DISARM_EVENT:
            events[action.index].armed = 0
        elif action.kind == ENABLE_CONTACT or action.kind == DISABLE_CONTACT:
            system.pairs[action.index].active = 1 if action.kind == ENABLE_CONTACT else 0
        elif action.kind == ENABLE_INTERFACE or action.kind == DISABLE_INTERFACE:
            system.interfaces[action.index].active = 1 if action.kind == ENABLE_INTERFACE else 0
        else:
            switch_element(
                system.elements[action.index], action, system.links, run.state[0].t, run.y, system.world[0]
            )
    return stop


@inline
def switch_element(element, action, links, t, y, world):
    """Switch an element or give it a new target.

    An enabled weld or lock keeps the present pose; an enabled drive starts at the present position or speed.
    """
    if action.kind == DISABLE_ELEMENT:
        element.active = 0
        return
    if action.kind == SET_TARGET:
        element.target = action.value
    elif element.active == 1:
        return
    element.active = 1
    element.t_on = t
    if element.kind == WELD or element.kind == LOCK:
        hold_present_pose(element, links)
    elif element.kind == DRIVE_POSITION:
        element.x_on = y[element.at_q]
    elif element.kind == DRIVE_SPEED:
        element.x_on = y[world.n_q + element.at_u]
