"""Sessions: runs that are advanced piece by piece, with constant efforts in between."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from softdock.contact.arrays import contact_arrays, contact_lists
from softdock.contact.kernels.layout import BLOCK_CELLS, DEPTH
from softdock.dynamics.conservation import Conservation, EnergyAndMomentum, read_check
from softdock.dynamics.entry_points import (
    RUN,
    advance_run,
    begin_run,
    finish_run,
    observe,
    refresh_lists,
    set_motion,
)
from softdock.dynamics.kernels import run_data as kernels
from softdock.dynamics.kernels.channels import LARGEST, SMALLEST
from softdock.dynamics.kernels.conservation import CHECK, CONSERVED, IN_WORLD, START, STATES
from softdock.dynamics.kernels.derivative import SystemRecords
from softdock.dynamics.kernels.elements import COUPLING, DRIVE_POSITION, LOAD, STRUT, WELD
from softdock.dynamics.kernels.gnc_records import copy_gnc
from softdock.dynamics.kernels.interfaces import RESULT_DEPTH
from softdock.dynamics.kernels.linear import Linear, allocate_linear
from softdock.dynamics.kernels.run_data import Status
from softdock.dynamics.kernels.stepping import BOGACKI_SHAMPINE, DORMAND_PRINCE, ROSENBROCK, RUNGE_KUTTA_4
from softdock.dynamics.kernels.tree import FREE, copy_records, records
from softdock.dynamics.search_resolution import allocate_search, set_resolutions
from softdock.dynamics.settings import Accuracy, Method, Settings
from softdock.dynamics.system_arrays import StateKind, SystemArrays
from softdock.dynamics.system_records import system_records
from softdock.errors import RunError
from softdock.native.entry_point import EntryPoint

if TYPE_CHECKING:
    from softdock.dynamics.simulation import Simulation

Floats = NDArray[np.float64]
MIN_SPEED_SCALE = 1e-3  # [m/s]; speed scale of systems that start at rest
MAX_BLOCKS = 100_000  # of cells in a near list
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
    Status.TIME_REACHED: Ending.TIME_REACHED,
    Status.STOPPED: Ending.STOPPED,
    Status.STEPS_USED_UP: Ending.STEPS_USED_UP,
    Status.NOT_FINITE: Ending.NOT_FINITE,
    Status.STEP_TOO_SMALL: Ending.STEP_TOO_SMALL,
    Status.LOG_FULL: Ending.LOG_FULL,
    Status.PENETRATED: Ending.PENETRATED,
}

FIRST_METHODS = {
    Method.AUTOMATIC: DORMAND_PRINCE,
    Method.DORMAND_PRINCE: DORMAND_PRINCE,
    Method.BOGACKI_SHAMPINE: BOGACKI_SHAMPINE,
    Method.ROSENBROCK: ROSENBROCK,
    Method.RUNGE_KUTTA_4: RUNGE_KUTTA_4,
}
"""Methods of the first step."""
MOMENTUM_ACCURACY = 0.01  # tolerance of the momentum of a free tree, as a fraction of the tolerance of speeds
MAX_IMPLICIT_STATES = 64  # momenta and speeds; beyond, linear equations cost more than longer steps save


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
    peaks: np.recarray
    """The channel records, with the largest and smallest values of searched channels and integrals over time."""
    windows: np.recarray
    """The windows, with statistics of those that were closed."""
    true_at_start: list[int]
    """Events whose conditions were true at the start."""
    pairs: np.recarray
    """The contact records, as the last evaluation left them, with the largest depths and forces of the run."""
    interfaces: np.recarray
    elements: np.recarray
    element_names: dict[int, str]
    overlaps: Floats
    """(pairs,): depth of every contact at the start [m]."""
    pin_overlaps: Floats
    """(interfaces,)"""
    start: EnergyAndMomentum
    end: EnergyAndMomentum
    conservation: Conservation
    unresolved_intervals: int
    """Number of intervals in which the search for events and peaks reached its limits."""
    lost_inertia: bool
    """Whether deflected modes made the inertia of a body non-positive at the end; the model is not valid there."""
    steps: int
    rejected: int
    evaluations: int
    rebuilds: int


class Session:
    """A run that is advanced piece by piece; `finish` returns its results.

    `efforts` (N or N m, one per joint axis, row `JointIndices.at_u` of a joint) stay until changed: a controller
    that sets them between two calls of `advance` acts through a zero-order hold, as do forces and torques set by
    `set_load`. Their work is accounted for.
    """

    def __init__(self, simulation: "Simulation") -> None:
        arrays, settings = simulation.assembly, simulation.settings
        self._arrays, self._settings = arrays, settings
        self._list_capacity = 64
        pairs = copy_records(simulation.pairs)
        pairs.view(np.ndarray)["overreach"] = -np.inf
        contacts = contact_arrays(simulation.contact_pairs)
        system = system_records(arrays)._replace(
            pairs=pairs,
            arrays=contacts,
            lists=contact_lists(contacts, self._list_capacity),
            interfaces=copy_records(simulation.interfaces),
            pins=simulation.pins,
            formulas=copy_records(simulation.formulas),
            gnc=copy_gnc(simulation.gnc),
        )
        # Work of loads is also integrated relative to the centre of mass: the conservation check needs it.
        external = len(arrays.orbit) > 0 or len(system.gnc.controllers) > 0
        loaded = external or bool((arrays.elements.view(np.ndarray)["kind"] == LOAD).any())
        channels = _channels(simulation.channels)
        watched = len(channels) if simulation.watched is None else simulation.watched
        searched = max(watched, simulation.searched or 0)
        self.ending: Ending | None = None
        self._run = kernels.RunData(
            system=system,
            workspace=_workspace(arrays, len(arrays.y) + loaded, len(pairs), channels, searched),
            channels=channels,
            events=copy_records(simulation.events),
            actions=simulation.actions,
            windows=copy_records(simulation.windows),
            breaks=arrays.breaks,
            state=_run_state(arrays, settings, watched, searched),
            y=np.append(arrays.y, np.zeros(int(loaded))),
            record=_record(settings, len(channels), len(pairs) + len(simulation.interfaces) > 0),
            log=np.empty((settings.max_events, 2)),
        )
        self._progress = self._run.state.view(np.ndarray)[0]  # field access is ten times faster
        self._bind()
        self.lists_fit_at_start = bool(self._begin())
        """Whether the near lists of the initial state fit in memory."""
        self._start = self._energy_and_momentum()
        self._overlaps = pairs["out"][:, DEPTH].copy()
        self._pin_overlaps = system.interfaces["result"][:, RESULT_DEPTH].copy()
        work = self._run.workspace
        work.tolerance[: len(arrays.y)] = tolerances(arrays, settings.accuracy, self._start)
        work.tolerance[len(arrays.y) :] = settings.accuracy.speed * self._momentum_scale()
        set_resolutions(channels, settings.accuracy, work.tolerance, arrays.lightest_mass)

    @property
    def system(self) -> SystemRecords:
        """Records of the system, as the last evaluation left them."""
        return self._run.system

    @property
    def state(self) -> Floats:
        """State of the system: a view to read and to write into between two calls of `advance`."""
        return self._run.y

    @property
    def time(self) -> float:
        """Present time of the run [s]."""
        return float(self._progress["t"])

    @property
    def efforts(self) -> Floats:
        """Efforts at the joint axes, constant until changed [N or N m]: a view to write into."""
        return self.system.axes["effort"]

    @property
    def log(self) -> Floats:
        """Time [s] and number of the events so far, shape (events, 2): a view to read."""
        return self._run.log[: self._progress["log_rows"]]

    def set_load(self, name: str, force: Sequence[float] | Floats, torque: Sequence[float] | Floats) -> None:
        """Change force [N] and torque [N m] of a load of the scenario, in its own axes, until changed again."""
        wrench = self.system.elements.view(np.ndarray)["wrench"][self._arrays.element_index[name]]
        wrench[:3], wrench[3:] = torque, force

    def advance(self, until: float) -> Ending | None:
        """Integrate to a time, at most to the duration; returns how the run ended, None while it continues."""
        if self.ending is not None:
            return self.ending
        self._progress["t_end"] = min(until, self._settings.duration)
        while (status := Status(self._advance())) is Status.LISTS_TOO_LONG:
            self._grow_lists()
        return self._end_at(status)

    def controlled_advance(self, kernel: EntryPoint, *arguments: Any) -> Callable[[], Ending | None]:
        """Return a function that advances the run by a kernel, which sets efforts and calls `advance_run` itself.

        The kernel receives the run and the arguments, which are checked once, and returns a `Status`. After
        `LISTS_TOO_LONG` it is called again and must continue. `state.t_end` must not exceed `duration`.
        """
        call: Callable[[], Any] | None = None
        bound_run: kernels.RunData | None = None

        def advance() -> Ending | None:
            nonlocal call, bound_run
            while self.ending is None:
                if call is None or bound_run is not self._run:
                    call, bound_run = kernel.bind(RUN.prepare(self._run), *arguments), self._run
                status = Status(call())
                if status is not Status.LISTS_TOO_LONG:
                    return self._end_at(status)
                self._grow_lists()
            return self.ending

        return advance

    @property
    def duration(self) -> float:
        """Time at which the run ends [s]."""
        return self._settings.duration

    def _end_at(self, status: Status) -> Ending | None:
        """Set how the run ended, if it did."""
        if status is not Status.TIME_REACHED or self._progress["t"] >= self._settings.duration:
            self.ending = ENDINGS[status]
        return self.ending

    def evaluate(self) -> None:
        """Evaluate the present state: forces, accelerations and channels."""
        self._observe()

    def values(self) -> Floats:
        """Return all channels at the present state, in their order."""
        self._observe()
        return self._run.workspace.values.copy()

    def finish(self) -> Run:
        """Return the results so far."""
        run, progress, system = self._run, self._progress, self.system
        evaluations = int(system.world["evaluations"][0])
        self._finish()
        return Run(
            ending=self.ending or Ending.TIME_REACHED,
            stop_event=int(progress["stop_event"]) if self.ending is Ending.STOPPED else None,
            time=self.time,
            state=self.state[: len(self._arrays.y)].copy(),
            history=self._history(),
            final=run.workspace.values.copy(),
            log=[(float(t), int(i)) for t, i in self.log],
            captured=self._captured(),
            peaks=run.channels,
            windows=run.windows,
            true_at_start=np.flatnonzero(run.events.view(np.ndarray)["true_at_start"]).tolist(),
            pairs=system.pairs,
            interfaces=system.interfaces,
            elements=system.elements,
            element_names={row: name for name, row in self._arrays.element_index.items()},
            overlaps=self._overlaps,
            pin_overlaps=self._pin_overlaps,
            start=self._start,
            end=self._energy_and_momentum(),
            conservation=read_check(system, run.workspace.check, self._settings.accuracy),
            unresolved_intervals=int(progress["unresolved"]),
            lost_inertia=_lost_inertia(system.links),
            steps=int(progress["steps"]),
            rejected=int(progress["rejected"]),
            evaluations=evaluations,
            rebuilds=int(system.world["rebuilds"][0]),
        )

    def _history(self) -> Floats:
        """Return the recorded rows."""
        run, progress = self._run, self._progress
        rows = run.record[: progress["record_rows"]]
        if not progress["record_peaks"]:
            return rows
        return _rows_within_peaks(rows, run.channels, int(progress["searched"]), run.windows)

    def _captured(self) -> CapturedState | None:
        """Return the state at the first event that captures it."""
        progress, size = self._progress, len(self._arrays.y)
        if progress["captured_event"] < 0:
            return None
        return CapturedState(
            event=int(progress["captured_event"]),
            time=float(progress["captured_time"]),
            state=self._run.workspace.captured[:size].copy(),
        )

    def _energy_and_momentum(self) -> EnergyAndMomentum:
        """Return energy and momentum of the last state that was observed."""
        return EnergyAndMomentum.from_record(self._run.workspace.conserved.view(np.ndarray)[IN_WORLD])

    def _momentum_scale(self) -> float:
        """Return the scale of the momentum of the bodies at the start, relative to the centre of mass [kg m/s]."""
        mass = float(self._arrays.links.view(np.ndarray)["own"][:, 0].sum())
        return max(float(self._run.workspace.conserved["momentum_scale"][START]), MIN_SPEED_SCALE * mass)

    def _grow_lists(self) -> None:
        """Double the capacity of the near lists."""
        self._list_capacity *= 2
        if self._list_capacity > MAX_BLOCKS:
            cells = MAX_BLOCKS * BLOCK_CELLS
            raise RunError(
                f"A contact needs more than {cells} cells: its surfaces overlap too deeply for their resolution. "
                "Increase `resolved_force` of the contact, or its stiffness."
            )
        lists = contact_lists(self.system.arrays, self._list_capacity)
        self._run = self._run._replace(system=self.system._replace(lists=lists))
        self._bind()

    def _bind(self) -> None:
        """Pass the arrays of the run to the kernels, once for all calls."""
        prepared = RUN.prepare(self._run)
        self._begin, self._observe = begin_run.bind(prepared), observe.bind(prepared)
        self._advance, self._finish = advance_run.bind(prepared), finish_run.bind(prepared)


def _channels(described: np.recarray) -> np.recarray:
    """Return a copy of channels with their peaks reset."""
    channels = copy_records(described)
    peaks = channels.view(np.ndarray)
    sides = peaks["track"] | peaks["load"]
    peaks["largest"] = np.where(sides & LARGEST, -np.inf, np.inf)
    peaks["smallest"] = np.where(sides & SMALLEST, np.inf, -np.inf)
    peaks["t_largest"] = peaks["t_smallest"] = -np.inf
    return channels


def _rows_within_peaks(history: Floats, channels: np.recarray, searched: int, windows: np.recarray) -> Floats:
    """Return the rows in order of time, without samples that exceed a peak of the whole run.

    A sample may exceed a peak by the resolution of the search; the row at the peak stands for it. Rows of events
    inside a step are written before those of its peaks.
    """
    time, peaks = history[:, 0], channels.view(np.ndarray)[:searched]
    if (time[1:] < time[:-1]).any():
        history = history[np.argsort(time, kind="stable")]
    sides, kept = peaks["track"] | peaks["load"], np.ones(len(history), bool)
    in_windows = windows.view(np.ndarray)["channel"]
    sides[in_windows[in_windows >= 0]] = 0
    for side, peak, sign in ((LARGEST, "largest", 1.0), (SMALLEST, "smallest", -1.0)):
        columns = np.flatnonzero(sides & side)
        least = np.maximum(peaks["floor"], peaks["negligible"])[columns]
        limit = sign * peaks[peak][columns]
        is_peak = np.isfinite(limit) & (np.abs(limit) > least)
        limit[is_peak] += ROUNDING * np.abs(limit[is_peak])
        limit[~is_peak] = np.inf
        # Formulas have no value (nan) where they divide by zero; such a row exceeds nothing.
        kept &= ~(sign * history[:, 1 + columns] > limit).any(axis=1)
    return history if kept.all() else history[kept]


def _record(settings: Settings, channels: int, has_contacts: bool) -> Floats:
    """Return memory for the history; rows are read only as far as they are written."""
    # Rows of contact steps and of peaks come in addition to the samples; memory that is not written costs nothing.
    many = settings.record_peaks or (settings.record_contact and has_contacts)
    rows = min(
        settings.max_rows, 4 + int(settings.duration * settings.record_rate) + (50_000 if many else 1_000)
    )
    return np.empty((rows if channels else 1, 1 + channels))


def _workspace(
    arrays: SystemArrays, states: int, pairs: int, channels: np.recarray, searched: int
) -> kernels.Workspace:
    """Return memory for the steps of a run."""
    k, dense, single = np.zeros((7, states)), np.zeros((5, states)), np.zeros((4, states))
    start, previous, early, late, end, values = np.zeros((6, len(channels)))
    return kernels.Workspace(
        k=k, dense=dense, y_new=single[0], y_stage=single[1], tolerance=single[2], captured=single[3],
        start=start, previous=previous, early=early, late=late, end=end, values=values,
        conserved=records(STATES, CONSERVED), check=records(1, CHECK),
        linear=linear_memory(arrays, pairs), search=allocate_search(arrays, channels, searched),
    )  # fmt: skip


def _lost_inertia(links: np.recarray) -> bool:
    """Return whether the inertia of a free body minus that of its modes is not positive definite."""
    plain = links.view(np.ndarray)  # field access is ten times faster
    for M in plain["inverse"][(plain["kind"] == FREE) & (plain["flexible"] == 1)]:
        scale = np.sqrt(np.abs(np.diag(M)))
        if not np.isfinite(M).all() or not scale.all():
            return True
        if np.linalg.eigvalsh(0.5 * (M + M.T) / np.outer(scale, scale))[0] <= 0.0:
            return True
    return False


def update_near_lists(system: SystemRecords, y: Floats) -> bool:
    """Update links and near lists to a state; returns whether the lists fit in memory."""
    set_motion(system, y)
    if not len(system.pairs):
        return True
    return int(refresh_lists(system.links, system.pairs, system.arrays, system.lists, True, 0.0)[0]) >= 0


def supports_implicit_steps(a: SystemArrays) -> bool:
    """Return whether implicit steps apply to a system: they do not support locks and flexible structures."""
    return len(a.flexible.appendages) == len(a.locks) == 0 < _speeds(a)


def _speeds(a: SystemArrays) -> int:
    """Number of momenta and speeds."""
    return int(a.world.view(np.ndarray)["n_u"][0])


def linear_memory(a: SystemArrays, pairs: int, more: int = 0) -> Linear:
    """Return memory for the linear equations of implicit steps, empty where they do not apply.

    `more` is a number of connections in addition to those of the system.
    """
    if not supports_implicit_steps(a):
        return allocate_linear(0, 0, 0)
    kinds = a.elements.view(np.ndarray)["kind"]
    couplings = pairs + int(np.isin(kinds, (STRUT, WELD, COUPLING)).sum())
    return allocate_linear(_speeds(a), len(a.links), couplings + more)


def _run_state(arrays: SystemArrays, settings: Settings, watched: int, searched: int) -> np.recarray:
    """Return the settings of a run for the kernels, at its start."""
    state = records(1, kernels.RUN_STATE)
    s = state.view(np.ndarray)
    s["method"] = FIRST_METHODS[settings.method]
    s["automatic"] = settings.method is Method.AUTOMATIC
    s["allow_implicit"] = supports_implicit_steps(arrays) and _speeds(arrays) <= MAX_IMPLICIT_STATES
    elements = arrays.elements.view(np.ndarray)
    s["stiff_apart"] = bool(((elements["kind"] == COUPLING) | (elements["at_delay"] >= 0)).any())
    s["duration"] = settings.duration
    s["fixed_step"] = settings.step or 0.0
    s["max_step"] = min(settings.max_step, settings.duration)
    s["min_step"] = 1e-14 * settings.duration
    s["max_steps"] = settings.max_steps
    s["record_period"] = 1.0 / settings.record_rate if settings.record_rate > 0.0 else 0.0
    s["record_contact"] = settings.record_contact
    s["watched"], s["searched"] = watched, searched
    s["record_peaks"] = (
        settings.record_peaks
        and settings.max_rows > 1
        and (settings.record_rate > 0.0 or settings.record_contact)
    )
    s["pending_event"] = s["stop_event"] = s["captured_event"] = -1
    return state


def tolerances(a: SystemArrays, accuracy: Accuracy, start: EnergyAndMomentum) -> Floats:
    """Return the tolerance of every state; that of energies follows from the tolerance of speeds.

    Energies need error control of their own: a released stop still dissipates while it exerts no force.
    """
    links, world = a.links.view(np.ndarray), a.world.view(np.ndarray)  # field access is ten times faster
    root, own = links["root"], links["own"]
    n_q = int(world["n_q"][0])
    mass = own[:, 0].sum()
    momentum = max(start.momentum_scale, math.sqrt(2.0 * mass * abs(start.stored)), MIN_SPEED_SCALE * mass)
    allowed = np.full(len(StateKind), accuracy.speed * momentum)
    allowed[StateKind.LENGTH], allowed[StateKind.ANGLE] = accuracy.length, accuracy.angle
    allowed[StateKind.SPEED], allowed[StateKind.RATE] = accuracy.speed, accuracy.rate
    allowed[StateKind.QUATERNION] = 0.5 * accuracy.angle
    out = allowed[a.state_kinds]
    if a.modal_scales.size:
        out[a.state_kinds == StateKind.MODAL] = accuracy.length * a.modal_scales
        out[a.state_kinds == StateKind.MODAL_RATE] = accuracy.speed * a.modal_scales
    late = a.state_kinds == StateKind.DELAY
    if late.any():
        # The command is then as exact as the position of its joint.
        elements = a.elements.view(np.ndarray)
        drives = elements[(elements["kind"] == DRIVE_POSITION) & (elements["at_delay"] >= 0)]
        out[drives["at_delay"]] = out[drives["at_q"]] / drives["rate"]
    for i in np.flatnonzero(links["kind"] == FREE):
        # Speeds and rates times the inertia of the whole tree, and finer: nothing damps an error of its momentum.
        at = n_q + links["at_u"][i]
        tree = own[root == root[i]]
        mass = tree[:, 0].sum()
        inertia = max(tree[:, 4:7].sum() / 3.0, 1e-12)
        out[at : at + 3] = MOMENTUM_ACCURACY * accuracy.rate * inertia
        out[at + 3 : at + 6] = MOMENTUM_ACCURACY * accuracy.speed * mass
    return out
