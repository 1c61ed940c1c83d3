"""Events: conditions on channels, where they begin to hold inside a step, and what they switch."""

import numpy as np

from softdock.multibody.kernels.elements import DRIVE_POSITION, DRIVE_SPEED, LOCK, WELD, hold_here
from softdock.multibody.kernels.looking import look_at
from softdock.multibody.kernels.stepping import interpolate
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


@kernel
def await_others(events, fired, start, end):
    """Let events whose conditions came true at the same instant as another's take place right after it."""
    for i in range(events.shape[0]):
        event = events[i]
        if i != fired and event.armed == 1 and excess(event, start) <= 0.0 < excess(event, end):
            event.fresh = 1


@kernel
def first_event(system, channels, events, o, h, dense, start, mid, end, y, slope, values):
    """Earliest event inside a step: (theta, index), or (1, -1)."""
    first, which = 1.0, -1
    for i in range(events.shape[0]):
        event = events[i]
        if event.armed == 0:
            continue
        g_0, g_m, g_1 = excess(event, start), excess(event, mid), excess(event, end)
        if g_0 <= 0.0 < g_m:
            low, high, g_low, g_high = 0.0, 0.5, g_0, g_m
        elif g_m <= 0.0 < g_1:
            low, high, g_low, g_high = 0.5, 1.0, g_m, g_1
        else:
            continue
        # Illinois variant of regula falsi; ends on the side where the condition holds.
        side = 0
        for _ in range(ROOT_STEPS):
            if high - low <= 1e-15:
                break
            theta = (low * g_high - high * g_low) / (g_high - g_low)
            if not low < theta < high:
                theta = 0.5 * (low + high)
            interpolate(dense, theta, y)
            look_at(system, channels, o.watched, o.t + theta * h, y, slope, values)
            g = excess(event, values)
            if g > 0.0:
                if side == 1:
                    g_low *= 0.5
                high, g_high, side = theta, g, 1
            else:
                if side == -1:
                    g_high *= 0.5
                low, g_low, side = theta, g, -1
        if high < first or which < 0:
            first, which = high, i
    return first, which


@kernel
def act(links, elements, pairs, interfaces, world, events, actions, index, t, y):
    """Do what an event asks for, at the state that the links are in; tells whether the run shall stop."""
    event = events[index]
    if event.once == 1:
        event.armed = 0
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
