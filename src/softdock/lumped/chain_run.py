"""Runs of mass chains and their results."""

from dataclasses import dataclass
from enum import Enum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from softdock.errors import RunError
from softdock.lumped import entry_points
from softdock.lumped.chain import Chain
from softdock.lumped.kernels import events, motion
from softdock.lumped.kernels.peaks import EXTRA_PEAKS, OVERLAP_PEAK, WEDGE_REACTION
from softdock.lumped.kernels.polynomial import COLUMNS
from softdock.lumped.kernels.rows import ROW_DISSIPATED, ROW_FORCE, ROW_STATE, ROW_TIME, ROW_WEDGE_FORCE

Array = NDArray[np.float64]
MAXIMUM_EVENTS = 300
MAXIMUM_STEPS = 2e7  # about 20 s of computing time
UNLIMITED = 2**62
EVENT_NAMES = {
    events.TOUCH: "touch",
    events.RELEASE: "release",
    events.PRESS_AGAIN: "press_again",
    events.RECOVERED: "recovered",
    events.TURN: "turn",
    events.LATCH: "latch",
    events.LEAVE: "leave",
    events.SLIP_IN: "slip_in",
    events.SLIP_OUT: "slip_out",
    events.SEPARATE: "part",
    events.SETTLE: "settle",
}


class ChainOutcome(Enum):
    """How a run ended, as a sentence."""

    SEPARATED = "The bodies have touched and are apart."
    IN_CONTACT = "The bodies are in contact at the end of the run."
    RESTING = "The bodies rest against each other: every rebound has died out."
    NO_CONTACT = "The bodies did not touch."
    LATCHED = "The probe tip is in: the latch has closed."
    NOT_LATCHED = "The probe was not pushed in far enough to latch."
    HELD = "Friction holds the probe in the wedge, short of the latch."
    JAMMED = "The wedge jams at first touch: friction is too large for the latch to be lifted."
    CHATTERING = "The contact opened and closed too often to follow; the run was stopped."

    @property
    def identifier(self) -> str:
        """Short name, for example `not_latched`."""
        return self.name.lower()


@dataclass(frozen=True, kw_only=True, eq=False)
class ChainRun:
    """Result of one run; SI. There are two rows at an event, just before and just after, and one at every peak."""

    chain: Chain
    work: motion.ChainWork

    @cached_property
    def outcome(self) -> ChainOutcome:
        """How the run ended."""
        return _outcome(self.chain, self.work.state)

    @cached_property
    def rows(self) -> Array:
        """Recorded rows, with the columns of `kernels.time_loop`."""
        recorded = self.work.rows[: self.work.state[motion.ROW_COUNT]]
        return _with_peaks(self, recorded, self.work.peaks[self.work.sizes > 0.0])

    @property
    def time(self) -> Array:
        """Time of the rows [s]."""
        return self.rows[:, ROW_TIME]

    @property
    def force(self) -> Array:
        """Force between the touching bodies [N]; positive pushes them apart."""
        return self.rows[:, ROW_FORCE]

    @property
    def wedge_force(self) -> Array:
        """Force of the wedge on the latch along the axis, a part of `force` [N]."""
        return self.rows[:, ROW_WEDGE_FORCE]

    @property
    def dissipated(self) -> Array:
        """Dissipated energy [J]."""
        return self.rows[:, ROW_DISSIPATED]

    @cached_property
    def positions(self) -> Array:
        """Displacements of all masses from where the springs are relaxed at the start, shape (rows, masses) [m]."""
        n = len(self.chain.mass)
        drift = self.chain.frame_velocity * self.time[:, None]
        positions: Array = self.rows[:, ROW_STATE : ROW_STATE + n] + drift
        return positions

    @cached_property
    def velocities(self) -> Array:
        """Velocities of all masses, shape (rows, masses) [m/s]."""
        velocities: Array = self.rows[:, ROW_STATE + len(self.chain.mass) :] + self.chain.frame_velocity
        return velocities

    @cached_property
    def link_forces(self) -> Array:
        """Forces of the springs with their dampers, shape (rows, masses) [N]; positive in compression.

        Link i joins masses i and i+1, the last one the wall. The link between the touching masses has none.
        """
        return np.clip(self._link_forces(self.rows), -self.link_peaks[0], self.link_peaks[0])

    @cached_property
    def link_peaks(self) -> tuple[Array, Array]:
        """Largest sizes of `link_forces` during the run, shape (masses,) [N], and their times [s]."""
        peaks = self.work.peaks[: len(self.chain.mass)]
        return np.abs(np.diagonal(self._link_forces(peaks))), peaks[:, ROW_TIME]

    def _link_forces(self, rows: Array) -> Array:
        n = len(self.chain.mass)
        line = self.chain.arrays[0].line
        x, v = rows[:, ROW_STATE : ROW_STATE + n].copy(), rows[:, ROW_STATE + n :].copy()
        for column in (x, v):
            column[:, :-1] -= column[:, 1:].copy()
        forces: Array = line[motion.STIFFNESS] * x + line[motion.DAMPING] * v  # Eq. (H12)
        return forces

    @property
    def overlap(self) -> Array:
        """Overlap of the touching bodies, negative while apart [m]."""
        a = len(self.chain.chaser_masses) - 1
        overlap: Array = self.positions[:, a] - self.positions[:, a + 1] - self.chain.relaxed_gap
        return overlap

    @property
    def events(self) -> tuple[tuple[float, str], ...]:
        """Times [s] and names of the first `MAXIMUM_EVENTS` events."""
        recorded = self.work.events[: self.work.state[motion.EVENT_COUNT]]
        return tuple((float(time), EVENT_NAMES[int(kind)]) for time, kind in recorded)

    @property
    def impacts(self) -> int:
        """Number of contacts."""
        return int(self.work.state[motion.TOUCH_COUNT])

    @property
    def steps(self) -> int:
        """Number of steps (power series)."""
        return int(self.work.state[motion.STEP_COUNT])

    @property
    def touch_time(self) -> float:
        """Time of the first contact [s]; NaN without contact."""
        return float(self.work.totals[motion.TOUCH_TIME])

    @property
    def separation_time(self) -> float:
        """Time of the first separation [s]; NaN without one."""
        return float(self.work.totals[motion.SEPARATION_TIME])

    @property
    def velocities_at_touch(self) -> Array:
        """Velocities of all masses at the first contact, before its impulse [m/s]; NaN without contact."""
        if self.touch_time == 0.0:
            return self.chain.velocities
        recorded = self.work.rows[: self.work.state[motion.ROW_COUNT]]
        row = np.searchsorted(recorded[:, ROW_TIME], self.touch_time)
        if not self.impacts or row == len(recorded):
            return np.full(len(self.chain.mass), np.nan)
        before: Array = recorded[row, ROW_STATE + len(self.chain.mass) :] + self.chain.frame_velocity
        return before

    @property
    def oscillation_at_touch(self) -> float:
        """Approach speed of the touching masses beyond that of the centres of mass at the first contact [m/s]."""
        v, a = self.velocities_at_touch, len(self.chain.chaser_masses) - 1
        U = v @ self.chain.system_weights
        return float((v[a] - v[a + 1]) - (U[0] - U[1]))  # Eq. (R25)

    @property
    def velocities_after(self) -> Array:
        """Velocities of all masses at the first separation [m/s]; NaN without one."""
        after: Array = self.work.totals[motion.VELOCITIES_AFTER :] + self.chain.frame_velocity
        return after

    @property
    def impulse(self) -> float:
        """Impulse of the first impact, up to the first separation [N s]; NaN without one."""
        return float(self.work.totals[motion.SEPARATION_IMPULSE])

    @property
    def peak_force(self) -> float:
        """Largest force between the touching bodies, without impulses [N]."""
        return float(self.work.sizes[len(self.chain.chaser_masses) - 1])

    @property
    def t_peak_force(self) -> float:
        """Time of `peak_force` [s]."""
        return float(self.work.peaks[len(self.chain.chaser_masses) - 1, ROW_TIME])

    @property
    def peak_wedge_force(self) -> float:
        """Largest size of the force of the wedge along the axis [N]."""
        return float(self.work.sizes[len(self.chain.mass) + WEDGE_REACTION])

    @property
    def t_peak_wedge_force(self) -> float:
        """Time of `peak_wedge_force` [s]."""
        return float(self.work.peaks[len(self.chain.mass) + WEDGE_REACTION, ROW_TIME])

    @cached_property
    def latch_spring_force(self) -> Array:
        """Force of the latch spring, across the axis [N]."""
        return np.minimum(self._latch_spring_force(self.rows), self.peak_latch_spring_force)

    @cached_property
    def peak_latch_spring_force(self) -> float:
        """Largest force of the latch spring [N]; at the time of the largest insertion."""
        n = len(self.chain.mass)
        return float(self._latch_spring_force(self.work.peaks[n + OVERLAP_PEAK :])[0])

    def _latch_spring_force(self, rows: Array) -> Array:
        a = ROW_STATE + len(self.chain.chaser_masses) - 1
        lift = 0.0 if self.chain.wedge is None else self.chain.wedge.lift
        force: Array = lift * np.maximum(rows[:, a] - rows[:, a + 1] - self.chain.relaxed_gap, 0.0)
        return force

    @property
    def t_deepest(self) -> float:
        """Time of `deepest` [s]."""
        return float(self.work.peaks[len(self.chain.mass) + OVERLAP_PEAK, ROW_TIME])

    @property
    def deepest(self) -> float:
        """Largest overlap or insertion [m]."""
        return float(self.work.sizes[len(self.chain.mass) + OVERLAP_PEAK])

    @property
    def latch_time(self) -> float:
        """Time at which the latch closes [s]; NaN if it does not."""
        return float(self.work.totals[motion.LATCH_TIME])

    @property
    def energy_error(self) -> float:
        """Largest error of kinetic + elastic + dissipated energy during the run [J]."""
        return float(self.work.totals[motion.ENERGY_ERROR])

    @property
    def energy_scale(self) -> float:
        """Kinetic and elastic energy at the start, relative to the centre of mass (the wall, if anchored) [J]."""
        return float(self.work.totals[motion.ENERGY_START])

    @property
    def momentum_error(self) -> float:
        """Largest error of the momentum balance during the run [N s]."""
        return float(self.work.totals[motion.MOMENTUM_ERROR])

    @property
    def momentum_scale(self) -> float:
        """Sum of the magnitudes of all momenta at the start, in the same frame [N s]."""
        return float(self.chain.mass @ np.abs(self.chain.velocities_in_frame))


def run_chain(chain: Chain, *, end_time: float, impacts: int | None = None, rate: float = 1000.0) -> ChainRun:
    """Run a chain until `end_time` [s] or its `impacts`-th separation; record `rate` rows per second."""
    arrays, law = chain.arrays
    n = len(chain.mass)
    work = _workspace(n, rows=int(end_time * rate) + 2 * MAXIMUM_EVENTS + 4)
    work.q[:n, 0] = chain.deflections
    work.q[n:, 0] = chain.velocities_in_frame
    most = impacts if impacts is not None else UNLIMITED
    entry_points.run(arrays, law, work, end_time, most, 1.0 / rate, MAXIMUM_STEPS)
    if work.state[motion.OUTCOME] == events.TOO_MANY_STEPS:
        step = entry_points.shortest_step(arrays, law)
        raise RunError(
            f"the stiffest part moves within {step:.1e} s, and {end_time:g} s of it would take "
            f"{end_time / step:.1e} steps; soften it, make its mass larger, or stop earlier"
        )
    return ChainRun(chain=chain, work=work)


def _outcome(chain: Chain, state: NDArray[np.int64]) -> ChainOutcome:
    ended, coupling = state[motion.OUTCOME], state[motion.COUPLING]
    named = {
        events.LATCHED: ChainOutcome.LATCHED,
        events.JAMMED: ChainOutcome.JAMMED,
        events.CHATTERING: ChainOutcome.CHATTERING,
    }
    if ended in named:
        return named[ended]
    if not state[motion.TOUCH_COUNT]:
        return ChainOutcome.NO_CONTACT
    if coupling == motion.STUCK:
        return ChainOutcome.HELD
    if chain.wedge is not None:
        return ChainOutcome.NOT_LATCHED
    if coupling == motion.RESTING:
        return ChainOutcome.RESTING
    return ChainOutcome.IN_CONTACT if state[motion.PAD_STATE] == motion.PAD_LOADED else ChainOutcome.SEPARATED


def _with_peaks(run: ChainRun, recorded: Array, peaks: Array) -> Array:
    """Return recorded rows with those rows of peaks that they do not contain, in order of time.

    The dissipated energy at a peak is that of the energy balance, between the values of its neighbours.
    """
    times, same = recorded[:, ROW_TIME], np.arange(recorded.shape[1]) != ROW_DISSIPATED
    peaks = np.unique(peaks, axis=0)  # sorted by time, the first column
    first, last = (np.searchsorted(times, peaks[:, ROW_TIME], side) for side in ("left", "right"))
    is_new = [
        not (recorded[i:j, same] == peak[same]).all(axis=1).any()
        for i, j, peak in zip(first, last, peaks, strict=True)
    ]
    first, peaks = first[is_new], peaks[is_new]
    lost = recorded[:, ROW_DISSIPATED]
    low, high = lost[np.maximum(first - 1, 0)], lost[np.minimum(first, len(lost) - 1)]
    peaks[:, ROW_DISSIPATED] = np.clip(run.energy_scale - _energies(run.chain, peaks), low, high)
    return np.insert(recorded, first, peaks, axis=0)


def _energies(chain: Chain, rows: Array) -> Array:
    """Return kinetic and elastic energy of rows in the frame of the computation [J]."""
    n, a, (arrays, law) = len(chain.mass), len(chain.chaser_masses) - 1, chain.arrays
    x, v = rows[:, ROW_STATE : ROW_STATE + n], rows[:, ROW_STATE + n :]
    stretch = x.copy()
    stretch[:, :-1] -= x[:, 1:]
    depth = np.maximum(x[:, a] - x[:, a + 1] - chain.relaxed_gap, 0.0)
    interface = 0.5 * (law.pad_stiffness + law.wedge_elastic) * depth**2
    energies: Array = 0.5 * (v**2 @ chain.mass + stretch**2 @ arrays.line[motion.STIFFNESS]) + interface
    return energies


def _workspace(n: int, rows: int) -> motion.ChainWork:
    totals = np.empty(motion.VELOCITIES_AFTER + n)
    totals.fill(np.nan)
    totals[: motion.TOUCH_TIME] = 0.0  # times and impulses of events stay NaN until the event
    return motion.ChainWork(
        np.zeros((2 * n, COLUMNS)),
        np.zeros((motion.SERIES_COUNT, COLUMNS)),
        np.zeros(motion.STATE_SIZE, dtype=np.int64),
        totals,
        np.empty((rows, ROW_STATE + 2 * n)),
        np.empty((MAXIMUM_EVENTS, 2)),
        np.zeros(n + EXTRA_PEAKS),
        np.zeros((n + EXTRA_PEAKS, ROW_STATE + 2 * n)),
    )
