"""Run a scenario of kind `multibody`."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from softdock.assembly.arrays import Assembly
from softdock.assembly.contacts import refuse_overlap
from softdock.assembly.gnc import gnc_records
from softdock.assembly.interfaces import refuse_overlapping_pins
from softdock.dynamics.data_memory import MemoryOfThread
from softdock.dynamics.kernels.control.gnc_records import GncRecords
from softdock.dynamics.kernels.search.events import ACTION, ActionKind, Logging
from softdock.dynamics.run_results import LOST_INERTIA, CapturedState, Ending, Run
from softdock.dynamics.session import Session
from softdock.dynamics.simulation import Simulation
from softdock.dynamics.system_records import without_controllers
from softdock.elements.declaration import ElementKind
from softdock.elements.load.model import Load
from softdock.elements.registry import ELEMENT_KINDS
from softdock.errors import InputError
from softdock.model.changed_members import ChangedMembers
from softdock.model.contact_conditions import CONDITION_METRICS
from softdock.model.phases import UNFINISHED
from softdock.prediction.contact_conditions import contact_conditions
from softdock.prediction.first_contact import FirstContact
from softdock.prediction.multibody import predict_first_contact, predict_impact
from softdock.quantities.model import FieldError
from softdock.result import Audit, History, Result, RunEvent, RunPhase, Timing
from softdock.scenario.multibody import MultibodyScenario
from softdock.simulation.controller_outcomes import controller_outcomes, lost_measurements
from softdock.simulation.metrics import metric_value
from softdock.simulation.observed import RecordedChannels
from softdock.simulation.phases import phase_failure, phase_times, refuse_ended_phase
from softdock.simulation.reactions import PeakReactions, sorted_peaks
from softdock.simulation.real_time import Frames, RealTime, run_in_frames
from softdock.simulation.row_times import space_rows
from softdock.simulation.stiffness import stiffness_metrics
from softdock.simulation.topology import Topology
from softdock.simulation.validity import assess_validity
from softdock.tree.kernels.tree import copy_records, records

DIVERGED = 0.5
"""Spurious gain of energy, relative to the energy scale of the run, above which a run has diverged."""

NOTHING = ChangedMembers(())
NOTICED_KINDS = {
    name: kind for name, kind in ELEMENT_KINDS.items() if type(kind).notice is not ElementKind.notice
}
"""Kinds of elements of which something may surprise at the end of a run."""


class PreparedMultibody:
    """A multibody scenario prepared to run: arrays, surfaces, channels, events, initial state."""

    def __init__(
        self,
        scenario: MultibodyScenario,
        topology: Topology | None = None,
        changed: ChangedMembers = NOTHING,
        memory: MemoryOfThread | None = None,
    ) -> None:
        """Prepare a scenario; `topology` is that of a scenario with other numbers of the members `changed`.

        With `memory`, runs use that of the runs before them.
        """
        self.scenario, self._changed, self._memory = scenario, changed, memory
        self.topology = Topology(scenario) if topology is None else topology
        self.assembly = self.topology.assemble(scenario, changed)
        pairs, contact_pairs = self.topology.pairs(scenario, self.assembly, changed)
        interfaces, pins = self.topology.interfaces(scenario, self.assembly, changed)
        capturing = self._docking_contacts if self._needs_conditions else ()
        self.simulation = Simulation(
            assembly=self.assembly,
            settings=self.topology.settings(scenario),
            channels=self.topology.channels(scenario, self.assembly, changed),
            events=self.topology.capturing_events(scenario, capturing, changed),
            actions=self.topology.actions(scenario, self.assembly, changed),
            pairs=pairs,
            contact_pairs=contact_pairs,
            interfaces=interfaces,
            pins=pins,
            formulas=self.topology.formulas,
            windows=self.topology.windows,
            observed_reactions=self.topology.reaction_table.records,
            docking_frames=self.topology.docking_frames(scenario, self.assembly, changed),
            gnc=_controllers(scenario, self.assembly),
            watched=self.topology.watched,
            searched=self.topology.searched,
        )
        self._captured: CapturedState | None = None
        self._has_captured = False
        """Whether the last run looked for the first contact; it found none if nothing was captured."""

    @classmethod
    def family(
        cls, scenario: MultibodyScenario
    ) -> "Callable[[MultibodyScenario, ChangedMembers], PreparedMultibody]":
        """Return a function that prepares scenarios which differ from one in numbers of some members only."""
        topology, memory = Topology(scenario), MemoryOfThread()

        def prepare(other: MultibodyScenario, changed: ChangedMembers) -> PreparedMultibody:
            if changed.affects("structures"):  # they decide how many modes there are
                return cls(other)
            return cls(other, topology, changed, memory)

        return prepare

    def check_start(self, session: Session | None = None) -> None:
        """Raise `InputError` where bodies overlap at the start; uses a session that has begun if one is given."""
        simulation = self.simulation
        session = session or simulation.begin()
        depths = map(max, session.overlaps, session.enclosed)
        refuse_overlap(self.scenario, list(depths))
        refuse_overlapping_pins(self.scenario, session.pin_overlaps)
        if self.scenario.phases:
            refuse_ended_phase(self.scenario, self.topology.event_index, simulation.events, session.values())

    def begin(self, simulation: Simulation | None = None) -> Session:
        """Return a session at the start. Raises `InputError` where bodies overlap there."""
        session = (simulation or self.simulation).begin(self._memory)
        self.check_start(session)
        return session

    def advance(self, session: Session) -> None:
        """Advance a session to its end."""
        session.advance(self.scenario.duration)

    def simulate(self, real_time: RealTime | None = None, *, for_prediction: bool = False) -> Result:
        """Run the scenario; `for_prediction` captures the state at the first contact."""
        simulation = self._capturing(self._docking_contacts) if for_prediction else self.simulation
        if real_time is not None:
            simulation = replace(simulation, settings=real_time.settings(simulation.settings))
        session = self.begin(simulation)
        frames = None
        if real_time is None:
            self.advance(session)
        else:
            frames = run_in_frames(session, self.scenario.duration, real_time)
        run = session.finish()
        self._captured, self._has_captured = run.captured, for_prediction or self._needs_conditions
        result = self.result(run)
        if self.scenario.stiffness:
            stiffness = stiffness_metrics(self.scenario.stiffness, self.assembly, session)
            result = replace(result, metrics={**result.metrics, **stiffness})
        return result if frames is None else replace(result, timing=with_frames(result.timing, frames))

    def result(self, run: Run) -> Result:
        """Return a finished run as a result: outcome, metrics, conservation check and history."""
        frames, captured, conditions = self.scenario.docking_frames, run.captured, None
        if captured is not None and self.topology.docking_contacts and frames is not None:
            conditions = contact_conditions(run.docking_motion.tolist())
        values: Iterable[float | None] = ()
        if frames is not None and self.topology.contact_names:
            values = conditions.values() if conditions is not None else [None] * len(CONDITION_METRICS)
        condition_metrics = dict(zip(CONDITION_METRICS, values))
        return _result(self.scenario, run, self.topology, self._changed, conditions, condition_metrics)

    def predict(self) -> dict[str, Any] | None:
        """Return the impact that the scenario describes, or that at the first contact; None where nothing touches."""
        if self.scenario.impact is not None:
            return predict_impact(self.scenario, self.assembly)
        first = self.first_contact()
        return None if first is None else predict_first_contact(self.scenario, self.assembly, first)

    def first_contact(self) -> FirstContact | None:
        """Return the first contact: that of the last run, if it captured it, else that of a run until then."""
        if not self.scenario.contacts:
            return None
        first_interface = self.topology.first_capture + len(self.scenario.contacts)
        if self._captured is not None and self._captured.event >= first_interface:
            self._has_captured = False  # pins touched first, which the prediction does not cover
        if not self._has_captured:
            contacts = [name for name in self._docking_contacts if name in self.scenario.contacts]
            settings = replace(self.simulation.settings, record_rate=0.0, record_contact=False)
            session = self.begin(replace(self._capturing(contacts, stop=True), settings=settings))
            self.advance(session)
            self._captured = session.finish().captured
            self._has_captured = True
        if self._captured is None:
            return None
        index = self._captured.event - self.topology.first_capture
        return FirstContact.of(self.simulation, list(self.scenario.contacts)[index], index, self._captured)

    @property
    def _docking_contacts(self) -> list[str]:
        """Contacts and interfaces of which the first to touch captures the state; all contacts without a port."""
        return self.topology.docking_contacts or list(self.scenario.contacts)

    @property
    def _needs_conditions(self) -> bool:
        """Whether the run has contact conditions, so that it captures the first contact."""
        return bool(self.topology.docking_contacts)

    def _capturing(self, contacts: Collection[str], *, stop: bool = False) -> Simulation:
        """Return the simulation that captures the state when the first of these contacts begins, and may stop there."""
        events = self.topology.capturing_events(self.scenario, contacts, self._changed)
        actions = self.simulation.actions
        if stop:
            events = copy_records(events)
            capture = events.logging == Logging.CAPTURE_STATE
            events.first_action[capture], events.actions[capture] = len(actions), 1
            ending = records(1, ACTION)
            ending.kind = ActionKind.STOP_RUN
            actions = np.concatenate([actions, ending]).view(np.recarray)
        return replace(self.simulation, events=events, actions=actions)


def _controllers(scenario: MultibodyScenario, assembly: Assembly) -> GncRecords:
    """Return the records of controllers; raises InputError where dispersed numbers make one impossible."""
    if not scenario.gnc:
        return without_controllers()
    try:
        return gnc_records(scenario, assembly)
    except FieldError as error:
        sentence = f"{str(error)[0].upper()}{str(error)[1:]}."
        raise InputError(sentence, field=".".join(map(str, error.path))) from None


def with_frames(timing: Timing, frames: Frames) -> Timing:
    """Return a timing with the frames of a run in real time."""
    return replace(
        timing,
        frame_s=frames.frame,
        frames=len(frames.wall),
        missed_frames=frames.missed,
        worst_frame_s=frames.worst,
    )


def _result(
    scenario: MultibodyScenario,
    run: Run,
    topology: Topology,
    changed: ChangedMembers,
    conditions: Mapping[str, float] | None,
    condition_metrics: Mapping[str, float | None],
) -> Result:
    names = list(scenario.events)
    events = tuple(
        RunEvent(time=t, name=names[i], message=scenario.events[names[i]].message)
        for t, i in run.log
        if i < len(names)
    )
    phases = topology.phase_plan.read(run, topology.event_index)
    outcome, message = _outcome(topology, scenario, run, events, phases)
    table = topology.reaction_table
    peaks = table.read(run.reaction_peaks)
    metrics = {**table.metrics(peaks), **_metrics(scenario, run, topology, events, phases)}
    peaks = sorted_peaks(peaks)
    metrics |= {name: value for name, value in condition_metrics.items() if name not in metrics}
    valid, warnings = assess_validity(scenario, run, peaks)
    return Result(
        scenario=scenario.name,
        outcome=outcome,
        message=message,
        completed=_is_complete(run),
        valid=valid,
        warnings=(
            *warnings,
            *topology.surface_notices(scenario, changed),
            *_notices(scenario, run, topology),
        ),
        loads=PeakReactions(peaks),
        metrics=metrics,
        metric_errors=topology.metric_errors.of_run(peaks, metrics),
        contact_conditions=conditions,
        audit=_audit(scenario, run),
        timing=Timing(simulated_s=run.time, wall_s=0.0, steps=run.steps, evaluations=run.evaluations),
        history=_history(run, topology),
        events=events,
        phases=phases,
        units=topology.units,
    )


def _history(run: Run, topology: Topology) -> History:
    """Return the recorded rows at distinct times."""
    if len(run.history) == 1:
        alone = run.history.copy()
        return History(time=alone[:, 0], channels=RecordedChannels(alone, topology.labels))
    peaks = run.peaks.view(np.ndarray)
    needed = np.concatenate([peaks["t_largest"], peaks["t_smallest"], [t for t, _ in run.log]])
    rows, time = space_rows(run.history[:, 0], needed)
    return History(time=time, channels=RecordedChannels(run.history[rows], topology.labels))


def _notices(scenario: MultibodyScenario, run: Run, topology: Topology) -> list[str]:
    """Return sentences about events and metrics that may surprise; they do not affect the validity of the run."""
    names, notices = list(scenario.events), []
    for i in run.true_at_start:
        if i < len(names):
            dwell = topology.conditions[names[i]].dwell
            what = f"its time of {dwell:g} s counts from there" if dwell else "it occurred at once"
            notices.append(f"The condition of event {names[i]!r} was true at the start of the run: {what}.")
    notices += [sentence for _, sentence in controller_outcomes(scenario, topology, run)]
    notices += lost_measurements(scenario, topology, run)
    for kind_name, kind in NOTICED_KINDS.items():
        states = getattr(run.states, kind_name, None)
        notices += [
            notice
            for row, (name, element) in enumerate(getattr(scenario, kind.group).items())
            if (notice := kind.notice(name, element, None if states is None else states[row]))
        ]
    notices += [
        f"Metric {name!r} has instants without a value: its formula divides by zero or takes a root of a negative "
        "number there, or its result is too large."
        for name, measure in topology.measures.items()
        if run.summary["undefined_formulas"] and measure.how and run.undefined[measure.channel]
    ]
    return notices


def _is_complete(run: Run) -> bool:
    """Return whether the run reached its end and did not diverge."""
    return run.ending in (Ending.TIME_REACHED, Ending.STOPPED) and run.conservation.energy_gain <= DIVERGED


def _outcome(
    topology: Topology,
    scenario: MultibodyScenario,
    run: Run,
    events: tuple[RunEvent, ...],
    phases: tuple[RunPhase, ...],
) -> tuple[str, str]:
    if run.ending not in (Ending.TIME_REACHED, Ending.STOPPED):
        reason = f" {LOST_INERTIA}" if run.lost_inertia else ""
        return run.ending.name.lower(), f"{run.ending.value} It ended at {run.time:.6g} s.{reason}"
    if not _is_complete(run):
        return "diverged", (
            "The run diverged: bodies gained energy that nothing gave them, so that its numbers mean nothing. "
            "Take smaller steps, or leave `integrator.step` out."
        )
    failure = phase_failure(scenario, phases)
    if failure is not None:
        return failure
    happened = {event.name for event in events}
    happened |= {phase.name for phase in phases if phase.ended == "condition"}
    for outcome in scenario.outcomes:
        if happened.issuperset(outcome.happened) and happened.isdisjoint(outcome.not_happened):
            return outcome.name, outcome.message
    names = list(scenario.events)
    if run.ending is Ending.STOPPED and run.stop_event is not None:
        if run.stop_event >= len(names):
            return "completed", f"The sequence ended with the phase {phases[-1].name!r} after {run.time:g} s."
        name = names[run.stop_event]
        return name.replace("-", "_").lower(), scenario.events[
            name
        ].message or f"The event {name!r} stopped the run."
    for name, sentence in controller_outcomes(scenario, topology, run):
        return name, sentence
    if phases and phases[-1].ended == "run_end":
        return UNFINISHED, f"The run reached its end time of {run.time:g} s in the phase {phases[-1].name!r}."
    return "completed", f"The run reached its end time of {run.time:g} s."


def _metrics(
    scenario: MultibodyScenario,
    run: Run,
    topology: Topology,
    events: tuple[RunEvent, ...],
    phases: tuple[RunPhase, ...],
) -> Mapping[str, float | None]:
    times = phase_times(phases) | {event.name: event.time for event in reversed(events)}
    largest = run.peaks.view(np.ndarray)["largest"]
    metrics: dict[str, float | None] = {name: float(largest[i]) for name, i in topology.peaks.items()}
    if topology.contact_names:
        metrics["peak_contact_force"] = max(
            metrics[f"peak_contact_force_{n.replace('-', '_')}"] for n in topology.contact_names
        )  # type: ignore[type-var]
    if scenario.gnc:
        used = {name: float(run.final[i]) for name, i in topology.propellant.items()}
        metrics |= {f"propellant_{name.replace('-', '_')}": value for name, value in used.items()}
        metrics["propellant"] = sum(used.values())
    for name, structure in scenario.structures.items():
        kept, flat = structure.find_modes(scenario.directory), name.replace("-", "_")
        metrics[f"modes_{flat}"] = kept.frequency.size
        metrics[f"residual_{flat}"] = kept.residual
    for name, measure in topology.measures.items():
        metrics[name] = metric_value(measure, run, times)
    return metrics


def _audit(scenario: MultibodyScenario, run: Run) -> Audit:
    """Return the largest relative errors, and that of the energy that is expected.

    Errors of momentum are None where ground, gravity, loads or thrusters take part.
    """
    conservation = run.conservation
    closed = (
        conservation.floating
        and not scenario.elements_of(Load)
        and not any(scenario.gravity)
        and scenario.orbit is None
    )
    closed = closed and not any(controller.thrusters for controller in scenario.gnc.values())
    return Audit(
        linear_momentum_drift=conservation.linear_momentum_drift if closed else None,
        angular_momentum_drift=conservation.angular_momentum_drift if closed else None,
        energy_residual=conservation.energy_residual,
        energy_expected=run.summary["energy_expected"],
    )
