"""Windows: parts of a run in which an event may occur or a metric is evaluated; events open and close them."""

import math
from enum import IntEnum

import numpy as np

from softdock.dynamics.kernels.channels.channels import LARGEST, SMALLEST
from softdock.native.decorators import inline, kernel


class WindowStage(IntEnum):
    """How far a window has come in a run."""

    NOT_YET_OPEN = 0
    OPENING = 1
    """At the present instant, whose values are not read yet."""
    OPEN = 2
    CLOSED = 3


WINDOW = np.dtype(
    [
        ("event", np.int64),  # that can only occur in the window, or -1
        ("channel", np.int64),  # whose statistics are those of the window, or -1
        ("track", np.int64),  # of the channel while the window is open
        ("limit", np.float64),  # length of the window [s]; may be infinite
        ("opens_later", np.int64),  # 0: it is open from the start
    ],
    align=True,
)
"""Constants of a window."""

WINDOW_STATE = np.dtype(
    [
        ("stage", np.int64),  # `WindowStage`
        ("until", np.float64),  # time at which it closes
        ("opened", np.float64),  # [s]; negative: with the run, before its first value was read
        ("closed", np.float64),
        # Of the channel in a closed window; first and last values, and statistics.
        ("first", np.float64),
        ("last", np.float64),
        ("largest", np.float64),
        ("smallest", np.float64),
        ("integral", np.float64),
    ],
    align=True,
)
"""What changes of a window in a run."""


@kernel
def open_window(run, index):
    """Open a window for the first time; that of an event with a limit opens at each occurrence of what opens it."""
    window, state = run.windows[index], run.window_states[index]
    t, of_event = run.progress[0].t, window.event >= 0
    if state.stage != WindowStage.NOT_YET_OPEN and not (of_event and window.limit < math.inf):
        return
    state.until = t + window.limit
    if not of_event:
        state.stage, state.opened = WindowStage.OPENING.value, t
        return
    state.stage = WindowStage.OPEN.value
    event = run.event_states[window.event]
    if event.closed == 1:
        event.closed, event.fresh, event.held = 0, 1, 0


@kernel
def close_window(run, index):
    """Close a window that is open; `workspace.start` has the channels at the present state."""
    window, state = run.windows[index], run.window_states[index]
    if state.stage != WindowStage.OPEN:
        return
    state.stage, state.closed = WindowStage.CLOSED.value, run.progress[0].t
    if window.event >= 0:
        run.event_states[window.event].closed, run.event_states[window.event].held = 1, 0
        return
    peak = run.peaks[window.channel]
    state.last = run.workspace.start[window.channel]
    state.largest, state.smallest, state.integral = peak.largest, peak.smallest, peak.integral
    peak.track, peak.largest, peak.smallest = 0, math.inf, -math.inf


@kernel
def close_ended_windows(run, t):
    """Close the windows whose time is over."""
    for i in range(run.windows.shape[0]):
        if run.window_states[i].stage == WindowStage.OPEN and run.window_states[i].until <= t:
            close_window(run, i)


@kernel
def begin_statistics(run):
    """Begin the statistics of windows that open at the present instant, whose channels are in `workspace.start`."""
    for i in range(run.windows.shape[0]):
        window, state = run.windows[i], run.window_states[i]
        if state.stage == WindowStage.OPENING:
            state.stage = WindowStage.OPEN.value
            state.first = run.workspace.start[window.channel]
            start_tracking(run.peaks[window.channel], window.track, state.first, state.opened)


@inline
def start_tracking(peak, track, value, t):
    """Start the statistics of a channel with its present value, at time t."""
    peak.track, peak.integral = track, 0.0
    peak.largest = value if track & LARGEST else math.inf
    peak.smallest = value if track & SMALLEST else -math.inf
    peak.t_largest = peak.t_smallest = t
    peak.theta_largest = peak.theta_smallest = 0.0
