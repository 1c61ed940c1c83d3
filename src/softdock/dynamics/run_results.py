"""Results of a run as arrays, and the reasons for which a run ends."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softdock.dynamics.conservation import Conservation, EnergyAndMomentum
from softdock.dynamics.kernels.channels.channels import LARGEST, SMALLEST, ChannelKind
from softdock.dynamics.kernels.recording.run_data import RunData, RunStatus
from softdock.dynamics.kernels.run.conservation import IN_WORLD, START_IN_WORLD
from softdock.elements.kernels.dispatch import States
from softdock.tree.kernels.tree import FREE

Floats = NDArray[np.float64]
ROUNDING = 1e-13  # of a peak: difference that samples of a quantity at rest may have


class Ending(Enum):
    """Why a run ended, as a sentence."""

    TIME_REACHED = "The run reached its end time."
    STOPPED = "An event stopped the run."
    STEPS_USED_UP = "The run used up its steps before its end time; what happened until then is kept."
    NOT_FINITE = "The state became infinite or undefined; the last good state is kept."
    STEP_TOO_SMALL = "The steps became too small to go on; what happened until then is kept."
    LOG_FULL = "Too many events happened; what happened until then is kept."
    PENETRATED = (
        "A body passed the middle of a wall, where the contact model ends; what happened until then is kept."
    )


LOST_INERTIA = (
    "The modes of a structure, deflected this far, take more inertia from the body that carries it than the body has: "
    "modes are linear, and their deflection must stay small against what the body has beside them. "
    "Give the body at the base of the structure more mass, keep fewer modes, or load the structure less."
)
"""Reason for too small steps of a structure on a very light body."""

ENDINGS = {
    RunStatus.TIME_REACHED: Ending.TIME_REACHED,
    RunStatus.STOPPED: Ending.STOPPED,
    RunStatus.STEPS_USED_UP: Ending.STEPS_USED_UP,
    RunStatus.NOT_FINITE: Ending.NOT_FINITE,
    RunStatus.STEP_TOO_SMALL: Ending.STEP_TOO_SMALL,
    RunStatus.LOG_FULL: Ending.LOG_FULL,
    RunStatus.PENETRATED: Ending.PENETRATED,
}


@dataclass(frozen=True, kw_only=True)
class CapturedState:
    """Time and state of an event."""

    event: int
    time: float
    state: Floats


@dataclass(frozen=True, kw_only=True)
class Run:
    """Results of a run as arrays."""

    ending: Ending
    stop_event: int | None
    time: float
    state: Floats
    history: Floats
    """(rows, 1 + channels): time first."""
    final: Floats
    """(channels,) at the end of the run."""
    log: list[tuple[float, int]]
    """(time, event)."""
    captured: CapturedState | None
    """State at the first event that captures it."""
    channels: np.recarray
    peaks: np.recarray
    """Of each channel: its largest and smallest value, if they were searched for, and its integral over time."""
    reaction_peaks: Floats
    """(reactions, 2, PEAK_COLUMNS): peaks of the observed reactions."""
    docking_motion: Floats
    """Motion of the tip relative to the port at the captured state; see `docking_motion`."""
    summary: Mapping[str, Any]
    """Results that are one number of the whole run; see `SUMMARY`."""
    formula_values: np.recarray
    """Of the nodes of all formulas: whether they had no value at some instant."""
    windows: np.recarray
    """States of the windows, with statistics of those that were closed."""
    true_at_start: list[int]
    """Events whose conditions were true at the start."""
    pairs: np.recarray
    """Constants of the contacts."""
    pair_states: np.recarray
    """Contacts as the last evaluation left them, with the largest depths and forces of the run."""
    bonds: np.recarray
    """Of contacts that were bonded; none if no action bonds contacts."""
    interfaces: np.recarray
    """Constants of the interfaces."""
    interface_states: np.recarray
    """Interfaces as the last evaluation left them, with the largest depths of the run."""
    elements: np.recarray
    element_data: np.recarray
    states: States
    """What the elements of each kind remember."""
    element_index: Mapping[str, int]
    """Rows of the elements by name."""
    overlaps: list[float]
    """Depth of every contact at the start [m]."""
    pin_overlaps: list[float]
    """The same of the pins of every interface."""
    conserved: np.recarray
    """Energies and momenta at the start and at the end."""
    conservation: Conservation
    unresolved_intervals: int
    """Number of intervals in which the search for events and peaks reached its limits."""
    lost_inertia: bool
    """Whether deflected modes made the inertia of a body non-positive at the end; the model is not valid there."""
    steps: int
    rejected: int
    evaluations: int
    rebuilds: int

    @property
    def undefined(self) -> NDArray[np.bool_]:
        """Whether a channel is a formula that had no value at some instant, shape (channels,)."""
        channels, undefined = (
            self.channels.view(np.ndarray),
            self.formula_values.view(np.ndarray)["undefined"],
        )
        out = channels["kind"] == ChannelKind.FORMULA
        out[out] = undefined[channels["j"][out] - 1] == 1
        return np.asarray(out, bool)

    @property
    def start(self) -> EnergyAndMomentum:
        """Energy and momentum at the start."""
        return EnergyAndMomentum.from_record(self.conserved[START_IN_WORLD])

    @property
    def end(self) -> EnergyAndMomentum:
        """Energy and momentum at the end."""
        return EnergyAndMomentum.from_record(self.conserved[IN_WORLD])


def rows_within_peaks(history: Floats, run: RunData, searched: int) -> Floats:
    """Return the rows in order of time, without samples that exceed a peak of the whole run.

    A sample may exceed a peak by the resolution of the search; the row at the peak stands for it. Rows of events
    inside a step are written before those of its peaks. The peak of a reaction is its largest size: the search does not
    resolve the other side of a force that changes its sign.
    """
    time = history[:, 0]
    channels, peaks, resolutions = (
        records.view(np.ndarray)[:searched] for records in (run.channels, run.peaks, run.resolutions)
    )
    if (time[1:] < time[:-1]).any():
        history = history[np.argsort(time, kind="stable")]
    sides, kept = peaks["track"] | channels["reaction"], np.ones(len(history), bool)
    in_windows = run.windows.view(np.ndarray)["channel"]
    sides[in_windows[in_windows >= 0]] = 0
    least, values = np.maximum(resolutions["floor"], resolutions["negligible"]), history[:, 1 : 1 + searched]
    ends = np.abs(np.stack([peaks["largest"], peaks["smallest"]]))
    sizes = np.where(np.isfinite(ends), ends, 0.0).max(axis=0)
    for side, peak, sign in ((LARGEST, "largest", 1.0), (SMALLEST, "smallest", -1.0)):
        limit = sign * peaks[peak]
        is_peak = (sides & side != 0) & np.isfinite(limit) & (np.abs(limit) > least)
        is_peak &= (peaks["track"] & side != 0) | (np.abs(limit) == sizes)
        limit[is_peak] += ROUNDING * np.abs(limit[is_peak])
        limit[~is_peak] = np.inf
        # Formulas have no value (nan) where they divide by zero; such a row exceeds nothing.
        kept &= ~(sign * values > limit).any(axis=1)
    return history if kept.all() else history[kept]


def lost_inertia(links: np.recarray, motions: np.recarray) -> bool:
    """Return whether the inertia of a free body minus that of its modes is not positive definite."""
    plain = motions.view(np.ndarray)  # field access is ten times faster
    if not plain["flexible"].any():
        return False
    for M in plain["inverse"][(links.view(np.ndarray)["kind"] == FREE) & (plain["flexible"] == 1)]:
        scale = np.sqrt(np.abs(np.diag(M)))
        if not np.isfinite(M).all() or not scale.all():
            return True
        if np.linalg.eigvalsh(0.5 * (M + M.T) / np.outer(scale, scale))[0] <= 0.0:
            return True
    return False
