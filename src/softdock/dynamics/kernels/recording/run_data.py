"""Memory of a run: settings and progress, workspace, record and log; and how a run ends."""

from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from softdock.dynamics.kernels.forces.derivative import SystemRecords
from softdock.elements.kernels.tangents import Linear


class RunStatus(IntEnum):
    """Whether the time loop continues, or why it ended."""

    RUNNING = 0
    TIME_REACHED = 1
    STOPPED = 2
    """By an event."""
    STEPS_USED_UP = 3
    NOT_FINITE = 4
    STEP_TOO_SMALL = 5
    LISTS_TOO_LONG = 6
    """Near lists must grow; the run can be continued."""
    LOG_FULL = 7
    PENETRATED = 8
    """A body passed the middle of a wall."""


class PendingRow(IntEnum):
    """Row of the history at the end of a step with a peak; it is discarded if the peak grows later."""

    NONE = 0
    WRITTEN = 1
    """All channels are in the row after the last."""
    DEFERRED = 2
    """Only the state is stored; most rows of a growing peak are discarded before their channels are needed."""


RUN_SETTINGS = np.dtype(
    [
        # Times and step sizes are in seconds.
        ("automatic", np.int64),  # 1: other methods are tried, and used where they are faster
        ("allow_implicit", np.int64),  # 1: implicit steps are among them
        ("stiff_elements", np.int64),  # 1: also while no contact is closed, because elements are stiff
        ("duration", np.float64),  # of the whole run
        ("fixed_step", np.float64),  # 0: error control
        (
            "force_accuracy",
            np.float64,
        ),  # allowed error of a transmitted force in one step over its scale; 0: any
        ("any_connection", np.int64),  # 1: there are elements between bodies
        ("speed_tolerance", np.float64, 2),  # of speeds [m/s] and of rates [rad/s]
        ("max_step", np.float64),
        ("min_step", np.float64),
        ("max_steps", np.int64),  # in the whole run
        ("record_period", np.float64),  # 0: no samples at fixed times
        ("record_contact", np.int64),  # 1: also every step while a contact is closed
        ("watched", np.int64),  # number of channels, the first ones, that events and peaks need
        ("searched", np.int64),  # with those of reactions: number of channels that are read in every step
        ("record_peaks", np.int64),  # 1: every peak gets a row
        ("length_accuracy", np.float64),  # allowed error of a position in one step [m], and of an angle [rad]
        ("angle_accuracy", np.float64),
    ],
    align=True,
)
"""Settings of the time loop, constant in a run."""

PROGRESS = np.dtype(
    [
        # Times and step sizes are in seconds.
        ("t_end", np.float64),  # of this call; the caller sets it
        ("started", np.int64),  # 1: the first row is recorded and the first step is chosen
        ("t", np.float64),  # present time
        ("method", np.int64),  # in use; see stepping
        ("step", np.float64),  # proposed size of the next step
        ("list_step", np.float64),  # longest step for which the near lists are valid
        ("pin_step", np.float64),  # longest step in which no pin penetrates far
        # Part of the size for which a step was computed: below 1 if it was shortened because of a stop.
        ("step_part", np.float64),
        # First of the axes that begin or cease to slide at the end of the step; -1: none.
        ("reached_axis", np.int64),
        ("previous_step", np.float64),  # size of the previous step; 0: none, or something was switched since
        ("steps", np.int64),  # accepted so far
        ("rejected", np.int64),  # steps
        ("previous_error", np.float64),  # of the last accepted step, in units of the tolerance
        ("after_rejection", np.int64),  # 1: the last step with this method was rejected
        ("closed_contacts", np.int64),  # number, at the start of the step
        # Dormand-Prince steps in succession that met a mode too fast for them, while no contact was closed.
        ("unstable_steps", np.int64),
        ("trial_method", np.int64),  # that is tried next
        ("steps_until_trial", np.int64),
        ("trial_period", np.int64),  # steps between trials
        ("largest_force", np.float64, 2),  # transmitted by any element so far [N], and moment [N m]
        ("pending_event", np.int64),  # occurs next; -1: none
        ("stop_event", np.int64),  # that ended the run; -1: none
        # 1: elements were switched, and their change of energy is not accounted for yet.
        ("switched", np.int64),
        ("stored_before_switch", np.float64),  # energy [J]
        ("captured_event", np.int64),  # whose state was captured; -1: none
        ("captured_time", np.float64),
        ("record_rows", np.int64),  # written so far
        ("pending_row", np.int64),  # `PendingRow`: the row after the last is that of a peak, which may grow
        ("pending_time", np.float64),  # at which the state of a deferred row was evaluated
        ("next_sample", np.int64),  # its number: its time over the record period
        ("log_rows", np.int64),  # written so far
        ("hidden_reaction", np.int64),  # 1: a reaction may have a peak inside the present step
        ("unresolved", np.int64),  # intervals in which the search for events and peaks reached its limits
        (
            "next_change",
            np.float64,
        ),  # first time after the start of the last step at which something may jump
        ("settled", np.int64),  # 1: nothing was changed since the end of the last call, if no input is
        ("returns_at_events", np.int64),  # 1: a call ends after a step in which an event is logged
        ("undisturbed", np.int64),  # 1: this call continues the last one without a change
    ],
    align=True,
)
"""Progress of the time loop."""


class InputKind(IntEnum):
    """What an input of a plant sets."""

    LOAD = 0
    """A component of torque (0 to 2) or force (3 to 5) of a load."""
    EFFORT = 1
    """Effort at a joint axis."""
    TARGET = 2
    """Target of a drive or a reel, which starts a new profile."""
    THRUSTER = 3
    """Valve of a thruster; the component is the index of its controller."""


INPUT = np.dtype(
    [
        ("kind", np.int64),  # `InputKind`
        ("index", np.int64),  # of the row of the load, the axis, the element, or the thruster
        ("component", np.int64),
        ("start", np.float64),  # value at the start
    ],
    align=True,
)
"""Input of a plant: a value that the caller sets between two calls."""


class Inputs(NamedTuple):
    """Inputs of a plant."""

    records: np.recarray
    values: NDArray[np.float64]
    """(n,): as the caller sets them."""
    applied: NDArray[np.float64]
    """(n,): as they act."""


class Search(NamedTuple):
    """Memory of the search of a step for events, peaks and peak reactions: a stack of intervals, for n channels."""

    instants: NDArray[np.float64]
    """(STACK_SIZE,) ends of intervals, as parts of the step; the last one is the next to be searched."""
    division_points: NDArray[np.float64]
    """(STACK_SIZE,) where an interval is divided if it must be."""
    values: NDArray[np.float64]
    """(STACK_SIZE, n) at these ends."""
    downs: NDArray[np.float64]
    """(STACK_SIZE, n) bounds of negative second derivatives in the intervals."""
    ups: NDArray[np.float64]
    """(STACK_SIZE, n) bounds of positive ones."""
    turns: NDArray[np.float64]
    """(n,) bound on the rotation of the links of a channel in the step [rad]."""
    wanted: NDArray[np.int64]
    """(n,) 1: an armed event or a peak needs the channel."""
    motion: NDArray[np.float64]
    """(links, MOTION_BOUNDS): bounds of the motion of the links in the step; see motion_bounds."""
    needed: NDArray[np.int64]
    """(links,) 1: some channel depends on the motion of the link."""
    reactions: NDArray[np.int64]
    """(searched_reactions,) channels that are searched for peak reactions."""
    means: NDArray[np.float64]
    """(2, n) mean values in an interval by two rules of quadrature."""


class Workspace(NamedTuple):
    """Stages, dense output and channel values of a step; n states, m channels."""

    k: NDArray[np.float64]
    """(END + 1, n): slope at the start of a step, slopes or increments of its stages, slope at its end."""
    y_new: NDArray[np.float64]
    """(n,): state at the end of a step."""
    y_stage: NDArray[np.float64]
    """(n,): state of a stage; later of an instant inside the step."""
    dense: NDArray[np.float64]
    """(5, n): coefficients of the dense output."""
    tolerance: NDArray[np.float64]
    """(n,): error that is allowed in one step, in the units of the states."""
    error: NDArray[np.float64]
    """(n,): estimated error of a step, in the units of the states."""
    axis_errors: NDArray[np.float64]
    """(momenta and speeds, AXIS_ERROR_COLUMNS): sums of errors along the axes; see force_errors."""
    captured: NDArray[np.float64]
    """(n,): state at the first event that captures it."""
    pending: NDArray[np.float64]
    """(n,): state of a deferred row."""
    start: NDArray[np.float64]
    """(m,): channels at the start of the step, or of what is left of it to be searched."""
    previous: NDArray[np.float64]
    """(m,): channels at the start of the previous step."""
    early: NDArray[np.float64]
    """(m,): channels at the first of two stages, those that are read there."""
    late: NDArray[np.float64]
    """(m,): the same channels at the second one."""
    end: NDArray[np.float64]
    """(m,): channels at the end of the step."""
    values: NDArray[np.float64]
    """(m,): channels at the state that was evaluated last."""
    conserved: np.recarray
    """Energy and momentum at the start, at the last comparison, and relative to N."""
    check: np.recarray
    """Largest errors of energy and momentum."""
    linear: Linear
    search: Search


class RunData(NamedTuple):
    """All data of a run in the kernels."""

    system: SystemRecords
    workspace: Workspace
    channels: np.recarray
    resolutions: np.recarray
    """Of the search for events and peaks of channels."""
    peaks: np.recarray
    """Largest and smallest values of channels so far, and integrals over time."""
    events: np.recarray
    event_states: np.recarray
    """Which events are armed, held or due."""
    actions: np.recarray
    windows: np.recarray
    """Parts of the run in which events may occur or metrics are evaluated."""
    window_states: np.recarray
    """Which windows are open, and statistics of those that were closed."""
    breaks: NDArray[np.float64]
    """Times at which loads change abruptly [s]."""
    settings: np.recarray
    """One record: settings of the time loop."""
    progress: np.recarray
    """One record: progress of the time loop."""
    y: NDArray[np.float64]
    """(n,): present state of the system."""
    record: NDArray[np.float64]
    """(rows, 1 + m): time [s] and channels, one row per sample, peak, event and step in contact."""
    log: NDArray[np.float64]
    """(events, 2): time [s] and index of each event that occurred."""
    accuracies: NDArray[np.float64]
    """(n,): error of every state that is allowed in one step; 0: in proportion to the momentum of the system."""
    start_points: np.recarray
    """(contacts,): points whose depths are checked at the start."""
    enclosed: NDArray[np.float64]
    """(contacts,): depth [m] of these points inside surface B at the start; 0 outside."""
    observed_reactions: np.recarray
    """Reactions whose peaks are results."""
    reaction_peaks: NDArray[np.float64]
    """(reactions, 2, PEAK_COLUMNS): peak force and moment of each of them, with time and error; of a finished run."""
    docking_frames: np.recarray
    """Frames of tip and port whose relative motion at the first contact is a result; none where nothing needs it."""
    docking_motion: NDArray[np.float64]
    """(MOTION_SIZE,): that motion, if an event has captured a state; of a finished run."""
    overlaps: NDArray[np.float64]
    """(contacts,): depth of every contact at the start [m]."""
    pin_overlaps: NDArray[np.float64]
    """(interfaces,): the same of the pins."""
    summary: np.recarray
    """One record: results of a finished run."""
    inputs: Inputs
