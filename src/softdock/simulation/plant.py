"""Plants: multibody scenarios that another program steps, with named inputs and outputs."""

import copy
import math
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from softdock.dynamics.data_memory import MemoryOfThread
from softdock.dynamics.kernels.control.gnc_records import GncRecords
from softdock.dynamics.model_memory import ModelMemory
from softdock.dynamics.run_results import Ending
from softdock.dynamics.session import Session
from softdock.dynamics.simulation import Simulation
from softdock.elements.load.model import Load
from softdock.errors import InputError, Problem, RunError, suggest
from softdock.model.changed_members import ChangedMembers
from softdock.result import Result, RunEvent
from softdock.scenario.expressions import check_recorded
from softdock.scenario.multibody import MultibodyScenario
from softdock.simulation.multibody import NOTHING, PreparedMultibody
from softdock.simulation.plant_inputs import PlantInputs
from softdock.simulation.topology import Topology
from softdock.tree.kernels.tree import copy_records

if TYPE_CHECKING:
    from softdock.scenario.construction import ScenarioLike
    from softdock.scenario.overrides import Overrides

Floats = NDArray[np.float64]
MOST_STEPS = 2**62
"""Steps of a plant: no limit."""
NEVER = 2**40
"""Number of the next sample of a controller that takes none: times any period far beyond all runs."""
_HEADER = struct.Struct("<8sq")
_FORMAT = b"SDPLANT1"


class PreparedPlant(PreparedMultibody):
    """A multibody scenario prepared to be stepped: records nothing, and has inputs."""

    def __init__(
        self,
        scenario: MultibodyScenario,
        inputs: PlantInputs,
        topology: Topology | None = None,
        changed: ChangedMembers = NOTHING,
        memory: MemoryOfThread | None = None,
    ) -> None:
        super().__init__(scenario, topology, changed, memory)
        simulation = self.simulation
        settings = replace(
            simulation.settings,
            record_rate=0.0,
            record_contact=False,
            record_peaks=False,
            max_rows=1,
            max_steps=MOST_STEPS,
        )
        gnc = _without_samples(simulation.gnc, scenario, inputs.controllers)
        records = inputs.records(self.assembly)
        self.simulation: Simulation = replace(simulation, settings=settings, inputs=records, gnc=gnc)


class Plant:
    """A multibody scenario that another program steps: inputs and outputs by name, saved and copied to the bit.

    Inputs are constant from one step to the next. Their names: `body.force`, or `body.fx` for one component (`fx` to
    `fz`, `torque`, `tx` to `tz`), in axes of the body at its origin; `body@[x, y, z].force` at another point,
    `body.force in world` in axes of the world; `load.force` of a load of the scenario; `joint.effort` by the body that
    the joint moves; `drive.target`; `controller/thruster.valve` (open above 0.5). Outputs are quantities as in
    `record.also`: `probe.z in port`, `bumper.force`, also formulas of them.

    `u` has the inputs in the order of `inputs`, `y` the outputs at the present time in the order of `outputs`, in SI.

    >>> from softdock import Body, Plant
    >>> chaser = Body(mass="4 kg", inertia=(1, 1, 1))
    >>> plant = Plant(
    ...     {"duration": "60 s", "bodies": {"chaser": chaser}}, inputs=["chaser.fz"], outputs=["chaser.z", "chaser.vz"]
    ... )
    >>> plant.inputs, plant.outputs
    ({'chaser.fz': 'N'}, {'chaser.z': 'm', 'chaser.vz': 'm/s'})
    >>> start = plant.save()
    >>> plant.step(2.0, [1.0]).round(9).tolist()
    [0.5, 0.5]
    >>> plant.restore(start)
    >>> plant.time, plant["chaser.vz"]
    (0.0, 0.0)
    """

    def __init__(
        self,
        scenario: "ScenarioLike",
        overrides: "Overrides" = (),
        *,
        inputs: Iterable[str] = (),
        outputs: Iterable[str] = (),
    ) -> None:
        """Prepare a scenario and begin its run. Raises InputError with all problems of names."""
        from softdock.scenario.construction import as_scenario

        base = as_scenario(scenario, overrides)
        if not isinstance(base, MultibodyScenario):
            message = "A plant is a scenario of kind multibody."
            raise InputError(message, field="kind", given=base.kind)
        self._inputs = PlantInputs(base, inputs)
        self._names = _output_names(base, outputs)
        self._base, self._scenario = base, self._with_plant(base)
        self._topology = Topology(self._scenario)
        self._start(PreparedPlant(self._scenario, self._inputs, self._topology))
        self.inputs: dict[str, str] = {i.name: i.unit for i in self._inputs.inputs}
        """Units of the inputs by name."""
        labels = self._prepared.topology.labels
        self.outputs: dict[str, str] = {name: labels[name][1] for name in self._names}
        """Units of the outputs by name."""

    def _with_plant(self, base: MultibodyScenario) -> MultibodyScenario:
        """Return a scenario with the loads of the inputs that observes the outputs."""
        record = base.record.model_copy(update={"all": False, "loads": False, "also": tuple(self._names)})
        loads = {**base.elements_of(Load), **self._inputs.loads}
        return base.model_copy(update={"record": record, "loads": loads})

    def _start(self, prepared: PreparedPlant) -> None:
        """Begin the run of a prepared scenario."""
        self._prepared = prepared
        self._log: list[tuple[float, int]] = []
        self._use(prepared.begin())
        self._read()

    def _use(self, session: Session) -> None:
        """Step a session."""
        self._session = session
        self.u: Floats = session.inputs
        """(inputs,) values of the next step, to write into."""
        self._observed = session.observed
        self._ended = session.ending is not None
        labels = self._prepared.topology.labels
        self._columns = np.array([labels[name][0] - 1 for name in self._names], int)

    def _read(self) -> Floats:
        """Read outputs and events after the state has changed."""
        y: Floats = self._observed[self._columns]
        self.y = y
        """(outputs,) at the present time."""
        if new := self._session.drain_log():
            self._log += new
        return y

    @property
    def scenario(self) -> MultibodyScenario:
        """The scenario as it was given."""
        return self._base

    @property
    def model(self) -> ModelMemory:
        """Constants and start of the run."""
        return self._session.model

    def model_with(self, overrides: "Overrides") -> ModelMemory:
        """Return constants and start of the run with other values; this plant does not change."""
        scenario = self._with_plant(self._base_with(overrides))
        return ModelMemory(PreparedPlant(scenario, self._inputs).simulation)

    @property
    def columns(self) -> list[int]:
        """Indices of the outputs among the channels."""
        return [int(column) for column in self._columns]

    @property
    def time(self) -> float:
        """Present time [s]."""
        return self._session.time

    @property
    def duration(self) -> float:
        """Time at which the run ends: `duration` of the scenario [s]."""
        return self._session.duration

    @property
    def steps(self) -> int:
        """Steps of integration so far."""
        return self._session.steps

    @property
    def ending(self) -> Ending | None:
        """How the run ended; None while it continues."""
        return self._session.ending

    @property
    def events(self) -> list[RunEvent]:
        """Events so far, with their times [s]."""
        names = list(self._scenario.events)
        return [
            RunEvent(time=t, name=names[i], message=self._scenario.events[names[i]].message)
            for t, i in self._log
            if i < len(names)
        ]

    def __getitem__(self, name: str) -> float:
        """Return an output at the present time, or the value of an input."""
        if name in self.outputs:
            return float(self.y[list(self.outputs).index(name)])
        return float(self.u[self._index_of(name, {**self.outputs, **self.inputs})])

    def __setitem__(self, name: str, value: float) -> None:
        """Set an input of the next steps, in SI."""
        self.u[self._index_of(name, self.inputs)] = value

    def _index_of(self, name: str, known: Mapping[str, str]) -> int:
        """Return the index of an input; raises InputError for a name that is not known."""
        try:
            return list(self.inputs).index(name)
        except ValueError:
            listed = ", ".join(known) or "none"
            message = f"There is no such input or output{suggest(name, known)}; there are: {listed}."
            raise InputError(message, given=name) from None

    def step(self, dt: float, u: Sequence[float] | Floats | None = None) -> Floats:
        """Advance by a time [s] with the inputs `u`, if given, and return the outputs there.

        Returns early where the run ends: see `ending`. Raises RunError if it has ended before.
        """
        return self.advance(self._session.time + dt, u)

    def advance(self, until: float, u: Sequence[float] | Floats | None = None) -> Floats:
        """Advance to a time [s] with the inputs `u`, if given, and return the outputs there.

        A time that has passed changes nothing. Raises RunError if the run has ended before.
        """
        if u is not None:
            if len(u) != len(self.u):
                names = ", ".join(self.inputs) or "none"
                message = f"Must be one number per input: {names}."
                raise InputError(message, field="u", given=f"{len(u)} numbers")
            self.u[:] = u
        if not -math.inf < until < math.inf:
            raise InputError("Must be a finite time [s].", field="until", given=str(until))
        if self._ended:
            raise RunError(self._after_end())
        try:
            self._ended = self._session.step(until) is not None
        except InputError as error:
            self._name_input(error)
        return self._read()

    def _after_end(self) -> str:
        """Return the message about a step after the end of the run."""
        ending = self.ending
        last = (
            f" The last event is {self.events[-1].name!r}."
            if ending is Ending.STOPPED and self.events
            else ""
        )
        reason = ending.value if ending is not None else ""
        return f"The run has ended at {self.time:g} s. {reason}{last} Reset or restore the plant to step it again."

    def observe(self) -> Floats:
        """Return the outputs at the present time with the present inputs, for example a force on what they act on."""
        try:
            self._session.observe_inputs()
        except InputError as error:
            self._name_input(error)
        return self._read()

    def _name_input(self, error: InputError) -> None:
        """Raise an error about the input of an index with its name."""
        problem = error.problems[0]
        index = int(problem.field.rpartition(".")[2])
        named = replace(problem, field=f"inputs.{list(self.inputs)[index]}")
        raise InputError(named) from None

    def save(self) -> bytes:
        """Return everything with which a plant of the same scenario, inputs and outputs continues, to the bit."""
        log = np.array(self._log, np.float64).reshape(-1, 2)
        return _HEADER.pack(_FORMAT, len(log)) + log.tobytes() + self._session.save()

    def restore(self, saved: bytes) -> None:
        """Continue from what `save` returned; raises InputError where it belongs to another plant."""
        if len(saved) < _HEADER.size or not saved.startswith(_FORMAT):
            raise InputError("Saved data cannot be restored: they were not written by `Plant.save`.")
        rows = _HEADER.unpack_from(saved)[1]
        end = _HEADER.size + 16 * rows
        self._session.restore(saved[end:])
        log = np.frombuffer(saved, np.float64, 2 * rows, _HEADER.size).reshape(-1, 2)
        self._log = [(float(t), int(i)) for t, i in log]
        self._ended = self._session.ending is not None
        self._read()

    def copy(self) -> "Plant":
        """Return a plant that continues from the present state independently of this one."""
        other = copy.copy(self)
        other._log = list(self._log)
        other._use(self._session.copy())
        other._read()
        # Both use the constants of the run: neither may write those of another run over them.
        self._memory = other._memory = None
        return other

    _memory: MemoryOfThread | None = None
    """Memory that runs after the first one use again."""

    def reset(self, overrides: "Overrides" = ()) -> Floats:
        """Begin the run anew with other values of the scenario, as in `simulate`, and return the outputs.

        Numbers by name, as `{"approach.speed": 0.04}`, are replaced fast; all others prepare the scenario again.
        """
        if not overrides:
            changed, scenario = NOTHING, self._scenario
        else:
            scenario = self._with_plant(self._base_with(overrides))
            numbers = isinstance(overrides, Mapping) and all(
                isinstance(value, int | float) and not isinstance(value, bool) for value in overrides.values()
            )
            if not numbers or any(is_structural(path) for path in overrides):
                self._start(PreparedPlant(scenario, self._inputs))
                return self.y
            changed = ChangedMembers(overrides)
        if self._memory is None:
            self._memory = MemoryOfThread()
        prepared = PreparedPlant(scenario, self._inputs, self._topology, changed, self._memory)
        self._start(prepared)
        return self.y

    def _base_with(self, overrides: "Overrides") -> MultibodyScenario:
        """Return the scenario without inputs and outputs with other values."""
        scenario = self._base.with_overrides(overrides)
        assert isinstance(scenario, MultibodyScenario)
        return scenario

    def bare_advance(self) -> tuple[Callable[[], Any], Callable[[float], None]]:
        """Return a call of the kernel and a function that sets its end [s], to compare times with `advance`."""
        return self._session.bare_step()

    def result(self) -> Result:
        """Return outcome, events, metrics and validity of the run so far, without history."""
        run = self._session.copy().finish()
        return self._prepared.result(replace(run, log=list(self._log)))


def _output_names(scenario: MultibodyScenario, outputs: Iterable[str]) -> list[str]:
    """Return the names of outputs as channels have them. Raises InputError with all problems."""
    if isinstance(outputs, str):
        raise InputError("Must be a list of names.", field="outputs", given=repr(outputs))
    names = list(dict.fromkeys(" ".join(str(name).split()) for name in outputs))
    problems = []
    for i, name in enumerate(names):
        try:
            check_recorded(scenario, name)
        except ValueError as error:
            text = str(error)
            message = f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"
            problems.append(Problem(message=message, field=f"outputs.{i}", given=name))
    if problems:
        raise InputError(*problems)
    return names


def is_structural(path: str) -> bool:
    """Return whether a value may decide on the layout of the arrays, or belongs to the whole run."""
    return path.split(".")[0] in ("structures", "duration", "integrator", "record")


def _without_samples(gnc: GncRecords, scenario: MultibodyScenario, controllers: set[str]) -> GncRecords:
    """Return records of controllers of which some take no samples, because a caller commands their thrusters."""
    if not controllers:
        return gnc
    states = copy_records(gnc.controller_states)
    for i, name in enumerate(scenario.gnc):
        if name in controllers:
            states.view(np.ndarray)["tick"][i] = NEVER
    return gnc._replace(controller_states=states)
