"""Events: conditions on channels, where they begin to hold inside a step, and what they switch."""

import numpy as np

from softdock.dynamics.kernels.elements import DRIVE_POSITION, DRIVE_SPEED, LOCK, WELD, hold_here
from softdock.dynamics.kernels.looking import look_at
from softdock.dynamics.kernels.stepping import interpolate
from softdock.native.decorators import inline, kernel

# What an event can do.
SWITCH_ON = 0
SWITCH_OFF = 1
CONTACT_ON = 2
CONTACT_OFF = 3
EVENT_ON = 4
EVENT_OFF = 5
SET_TARGET = 6
STOP = 7
INTERFACE_ON = 8
INTERFACE_OFF = 9

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

ROOT_STEPS = 60  # bisection alone would be at round-off by then


@inline
def excess(event, values):
    """How far the condition of an event holds: negative before, positive after."""
    return event.direction * (values[event.channel] - event.threshold)


@kernel
def already_true(events, values):
    """First freshly armed event whose condition holds already, or -1; the others are no longer fresh."""
    for i in range(events.shape[0]):
        if events[i].armed == 1 and events[i].fresh == 1:
            events[i].fresh = 0
            if excess(events[i], values) > 0.0:
                return i
    return -1


@inline
def begins(event, before, after):
    """Tell whether the condition of an armed event begins to hold between two instants."""
    return event.armed == 1 and excess(event, before) <= 0.0 < excess(event, after)


@kernel
def locate(system, channels, events, o, h, dense, low, high, before, after, y, slope, values):
    """Earliest instant theta of a step where a condition has begun to hold, between two where one does not and does.

    `values` gets the channels there. Illinois variant of regula falsi; ends on the side where the condition holds.
    """
    first = high
    for i in range(events.shape[0]):
        event = events[i]
        if not begins(event, before, after):
            continue
        left, right, g_left, g_right = low, high, excess(event, before), excess(event, after)
        side = 0
        for _ in range(ROOT_STEPS):
            if right - left <= 1e-15:
                break
            theta = (left * g_right - right * g_left) / (g_right - g_left)
            if not left < theta < right:
                theta = 0.5 * (left + right)
            interpolate(dense, theta, y)
            look_at(system, channels, o.watched, o.t + theta * h, y, slope, values)
            g = excess(event, values)
            if g > 0.0:
                if side == 1:
                    g_left *= 0.5
                right, g_right, side = theta, g, 1
            else:
                if side == -1:
                    g_right *= 0.5
                left, g_left, side = theta, g, -1
        first = min(first, right)
    interpolate(dense, first, y)
    look_at(system, channels, o.watched, o.t + first * h, y, slope, values)
    return first


@inline
def note(events, index, o, t, log):
    """Log an event; one that happens once is no longer armed."""
    log[o.logged, 0], log[o.logged, 1] = t, float(index)
    o.logged += 1
    if events[index].once == 1:
        events[index].armed = 0


@kernel
def note_passive(events, o, t, before, after, log):
    """Log all events that begin to hold and change nothing; returns their number and the first of the others, or -1.

    Further ones that do something take place right after it.
    """
    noted, active = 0, -1
    for i in range(events.shape[0]):
        event = events[i]
        if begins(event, before, after):
            if event.actions == 0 and o.logged < log.shape[0]:
                note(events, i, o, t, log)
                noted += 1
            elif active < 0:
                active = i
            else:
                event.fresh = 1
    return noted, active


@kernel
def act(links, elements, pairs, interfaces, world, events, actions, index, t, y):
    """Do what an event asks for, at the state that the links are in; tells whether the run shall stop."""
    event = events[index]
    stop = False
    for i in range(event.first_action, event.first_action + event.actions):
        action = actions[i]
        if action.kind == STOP:
            stop = True
        elif action.kind == EVENT_ON:
            events[action.index].armed, events[action.index].fresh = 1, 1
        elif action.kind == EVENT_OFF:
            events[action.index].armed = 0
        elif action.kind == CONTACT_ON or action.kind == CONTACT_OFF:
            pairs[action.index].active = 1 if action.kind == CONTACT_ON else 0
        elif action.kind == INTERFACE_ON or action.kind == INTERFACE_OFF:
            interfaces[action.index].active = 1 if action.kind == INTERFACE_ON else 0
        else:
            switch_element(elements[action.index], action, links, t, y, world[0])
    return stop


@inline
def switch_element(element, action, links, t, y, world):
    """Switch an element or give it a new target.

    What goes on holds the present pose (weld, lock) or starts its command at the present position or speed (drive).
    """
    if action.kind == SWITCH_OFF:
        element.active = 0
        return
    if action.kind == SET_TARGET:
        element.target = action.value
    elif element.active == 1:
        return
    element.active = 1
    element.t_on = t
    if element.kind == WELD or element.kind == LOCK:
        hold_here(element, links)
    elif element.kind == DRIVE_POSITION:
        element.x_on = y[element.at_q]
    elif element.kind == DRIVE_SPEED:
        element.x_on = y[world.n_q + element.at_u]
