"""Sessions: runs that are advanced piece by piece, with constant efforts in between."""

import copy
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softdock.contact.kernels.layout import BLOCK_CELLS
from softdock.dynamics.conservation import read_check
from softdock.dynamics.data_memory import DataMemory
from softdock.dynamics.entry_points import refresh_lists, set_motion
from softdock.dynamics.kernels.forces.derivative import SystemRecords
from softdock.dynamics.kernels.recording import run_data as kernels
from softdock.dynamics.kernels.recording.run_data import RunStatus
from softdock.dynamics.kernels.run.run_summary import SUMMARY
from softdock.dynamics.model_memory import ModelMemory
from softdock.dynamics.run_results import (
    ENDINGS,
    CapturedState,
    Ending,
    Run,
    lost_inertia,
    rows_within_peaks,
)
from softdock.errors import InputError, RunError
from softdock.native.entry_point import EntryPoint

Floats = NDArray[np.float64]
CONTINUING = (RunStatus.TIME_REACHED, RunStatus.RUNNING)
"""Status of a run before its end."""
MAX_BLOCKS = 100_000  # of cells in a near list


class Session:
    """A run that is advanced piece by piece; `finish` returns its results.

    `efforts` (N or N m, one per joint axis, row `JointIndices.at_u` of a joint) stay until changed: a controller
    that sets them between two calls of `advance` acts through a zero-order hold, as do forces and torques set by
    `set_load`. Their work is accounted for.
    """

    def __init__(self, data: DataMemory) -> None:
        """Begin a run with data that are as at its start."""
        model = data.model
        arrays, settings = model.arrays, model.settings
        self._arrays, self._settings = arrays, settings
        self._data = data
        data.begin_run()
        self.overlaps: list[float] = data.run.overlaps.tolist()
        """Depth of every contact at the start [m]."""
        self.pin_overlaps: list[float] = data.run.pin_overlaps.tolist()
        """The same of the pins of every interface."""
        self.enclosed: list[float] = data.run.enclosed.tolist()
        """Depth [m] of one point of surface A of every contact inside surface B at the start; 0 outside."""

    @property
    def model(self) -> ModelMemory:
        """Constant memory of the run; other sessions may use it at the same time."""
        return self._data.model

    def unshare_model(self) -> None:
        """Use a copy of the constant memory, so that the caller may change the records of the system."""
        self._data.unshare_model()

    def save(self) -> bytes:
        """Return all data with which another session of the same model continues this run, to the bit."""
        return self._data.save()

    def restore(self, saved: bytes) -> None:
        """Continue from data that `save` of a session of the same model returned, also in another process.

        Raises InputError where the data belong to another model.
        """
        self._data.restore(saved)

    def copy(self) -> "Session":
        """Return a session that continues from the present state independently of this one."""
        other = copy.copy(self)
        other._data = self._data.copy()
        return other

    @property
    def ending(self) -> Ending | None:
        """How the run ended; None while it continues."""
        status = self._data.status
        ended = status is not RunStatus.TIME_REACHED or self.time >= self._settings.duration
        return ENDINGS[status] if status is not RunStatus.RUNNING and ended else None

    @property
    def _run(self) -> kernels.RunData:
        return self._data.run

    @property
    def _progress(self) -> Any:
        return self._data.progress

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
    def steps(self) -> int:
        """Number of steps taken so far."""
        return int(self._progress["steps"])

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
        row = self.system.elements.view(np.ndarray)["row"][self._arrays.element_index[name]]
        wrench = self.system.states.load.view(np.ndarray)["wrench"][row]
        wrench[:3], wrench[3:] = torque, force

    def arm_event(self, index: int) -> None:
        """Arm event number `index`: it occurs at once if its condition is true, when the run continues."""
        state = self._run.event_states.view(np.ndarray)[index : index + 1]
        state["armed"], state["fresh"], state["held"] = 1, 1, 0

    def advance(self, until: float) -> Ending | None:
        """Integrate to a time, at most to the duration; returns how the run ended, None while it continues."""
        if (ending := self.ending) is None:
            self._progress["t_end"] = min(until, self._settings.duration)
            while (status := RunStatus(self._data.advance())) is RunStatus.LISTS_TOO_LONG:
                self._grow_lists()
            self._data.status = status
            ending = self.ending
        return ending

    @property
    def inputs(self) -> Floats:
        """(inputs,) values that `step` applies, to write into; memory that stays the same."""
        return self._run.inputs.values

    @property
    def observed(self) -> Floats:
        """(channels,) at the end of the last `step` or `observe_inputs`; memory that stays the same."""
        return self._run.workspace.values

    def step(self, until: float) -> Ending | None:
        """Apply the inputs, integrate to a time as `advance` does, and evaluate all channels there.

        Where no input changed since the last step, and nothing else was written, the run continues as if the time
        between had been passed in one step. Raises InputError, and does nothing, where an input is not finite.
        """
        data, duration = self._data, self._settings.duration
        if data.status not in CONTINUING or data.progress["t"] >= duration:
            return self.ending
        data.progress["t_end"] = until if until < duration else duration
        status = data.advance_plant()
        while status == RunStatus.LISTS_TOO_LONG:
            self._grow_lists()
            status = data.advance_plant()
        if status == RunStatus.NOT_FINITE:
            self._refuse_inputs()
        if status == RunStatus.TIME_REACHED and until < duration:
            data.status = RunStatus.TIME_REACHED
            return None
        data.status = RunStatus(status)
        return self.ending

    def bare_step(self) -> tuple[Callable[[], Any], Callable[[float], None]]:
        """Return the call of the kernel of `step`, and a function that sets its end [s]; for measurements of time."""
        progress = self._data.progress

        def set_end(until: float) -> None:
            progress["t_end"] = until

        return self._data.advance_plant, set_end

    def observe_inputs(self) -> None:
        """Apply the inputs and evaluate all channels at the present state. Raises InputError as `step`."""
        if not self._data.observe_plant():
            self._refuse_inputs()

    def _refuse_inputs(self) -> None:
        """Raise InputError if an input is not finite."""
        wrong = np.flatnonzero(~np.isfinite(self.inputs))
        if wrong.size:
            value = self.inputs[wrong[0]]
            raise InputError("Must be a finite number.", field=f"inputs.{wrong[0]}", given=str(value))

    def drain_log(self) -> list[tuple[float, int]]:
        """Return time [s] and number of the events since the last call, and make room for others."""
        rows = int(self._progress["log_rows"])
        if not rows:
            return []
        drained = [(t, int(i)) for t, i in self.log.tolist()]
        self._progress["log_rows"] = 0
        return drained

    def controlled_advance(self, kernel: EntryPoint, *arguments: Any) -> Callable[[], Ending | None]:
        """Return a function that advances the run by a kernel, which sets efforts and calls `advance_run` itself.

        The kernel receives the run and the arguments, which are checked once, and returns a `RunStatus`. After
        `LISTS_TOO_LONG` it is called again and must continue. `progress.t_end` must not exceed `duration`.
        """
        call: Callable[[], Any] | None = None
        bound_run: kernels.RunData | None = None

        def advance() -> Ending | None:
            nonlocal call, bound_run
            while self.ending is None:
                if call is None or bound_run is not self._run:
                    call, bound_run = kernel.bind(self._data.prepared, *arguments), self._run
                status = RunStatus(call())
                if status is not RunStatus.LISTS_TOO_LONG:
                    self._data.status = status
                    break
                self._grow_lists()
            return self.ending

        return advance

    @property
    def duration(self) -> float:
        """Time at which the run ends [s]."""
        return self._settings.duration

    def evaluate(self) -> None:
        """Evaluate the present state: forces, accelerations and channels."""
        self._data.observe()

    def values(self) -> Floats:
        """Return all channels at the present state, in their order."""
        self._data.observe()
        return self._run.workspace.values.copy()

    def finish(self) -> Run:
        """Return the results so far."""
        run, progress, system, ending = self._run, self._progress, self.system, self.ending
        counters = self._data.counters
        evaluations = int(counters["evaluations"])
        self._data.finish()
        summary = dict(zip(SUMMARY.names or (), self._data.summary.item()))
        return Run(
            ending=ending or Ending.TIME_REACHED,
            stop_event=int(progress["stop_event"]) if ending is Ending.STOPPED else None,
            time=self.time,
            state=self.state[: len(self._arrays.y)].copy(),
            history=self._history(),
            final=run.workspace.values.copy(),
            log=[(t, int(i)) for t, i in self.log.tolist()],
            captured=self._captured(),
            channels=run.channels,
            peaks=run.peaks,
            reaction_peaks=run.reaction_peaks,
            docking_motion=run.docking_motion,
            formula_values=system.formula_values,
            windows=run.window_states,
            true_at_start=self._data.true_at_start.nonzero()[0].tolist(),
            pairs=system.pairs,
            pair_states=system.pair_states,
            bonds=system.bonds,
            interfaces=system.interfaces,
            interface_states=system.interface_states,
            elements=system.elements,
            element_data=system.element_data,
            states=system.states,
            element_index=self._arrays.element_index,
            summary=summary,
            overlaps=self.overlaps,
            pin_overlaps=self.pin_overlaps,
            conserved=run.workspace.conserved,
            conservation=read_check(summary),
            unresolved_intervals=int(progress["unresolved"]),
            lost_inertia=lost_inertia(system.links, system.motions),
            steps=int(progress["steps"]),
            rejected=int(progress["rejected"]),
            evaluations=evaluations,
            rebuilds=int(counters["rebuilds"]),
        )

    def _history(self) -> Floats:
        """Return the recorded rows."""
        run = self._run
        rows, settings = run.record[: self._progress["record_rows"]], run.settings.view(np.ndarray)[0]
        return rows_within_peaks(rows, run, int(settings["searched"])) if settings["record_peaks"] else rows

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

    def _grow_lists(self) -> None:
        """Double the capacity of the near lists."""
        capacity = 2 * self._data.capacity
        if capacity > MAX_BLOCKS:
            cells = MAX_BLOCKS * BLOCK_CELLS
            raise RunError(
                f"A contact needs more than {cells} cells: its surfaces overlap too deeply for their resolution. "
                "Increase `resolved_force` of the contact, or its stiffness."
            )
        self._data.resize_lists(capacity)


def update_near_lists(system: SystemRecords, y: Floats) -> bool:
    """Update links and near lists to a state; returns whether the lists fit in memory."""
    set_motion(system, y)
    if not len(system.pairs):
        return True
    return int(refresh_lists(system, True, 0.0)[0]) >= 0
