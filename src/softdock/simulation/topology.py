"""Topology and index tables of a multibody scenario, shared by all scenarios that differ from it in numbers only."""

import operator
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property

import numpy as np

from softdock.assembly.approach import DockingPoses
from softdock.assembly.assembler import Assembly, has_layout_of, write_numbers
from softdock.assembly.bristles import bristle_kinds
from softdock.assembly.channels.bodies import JOINT_REACTION, REACTION_FIELDS
from softdock.assembly.channels.records import channel_records, has_line_forces, use_line_forces
from softdock.assembly.channels.registry import default_observations, unit_of
from softdock.assembly.contacts import pair_records
from softdock.assembly.formulas import formula_nodes
from softdock.assembly.interfaces import interface_records
from softdock.assembly.reaction_channels import ReactionChannels, reaction_channels
from softdock.contact.pair import ContactPair
from softdock.dynamics.kernels.channels.channels import LARGEST
from softdock.dynamics.kernels.search.events import EVENT, Logging
from softdock.dynamics.settings import Method, Settings, StepTolerances
from softdock.elements.registry import ELEMENT_KINDS
from softdock.elements.spring.model import Spring, energy_metric
from softdock.model.changed_members import ChangedMembers
from softdock.model.expressions import Condition, MetricExpression, parse_formula, parse_metric
from softdock.model.formulas import Constant, Operation, Quantity, is_condition
from softdock.model.member_kinds import reactions_of
from softdock.model.observations import Observation
from softdock.prediction import UNITS as PREDICTION_UNITS
from softdock.result import Array, Channel
from softdock.scenario.multibody import MultibodyScenario
from softdock.simulation.metric_errors import MetricErrors
from softdock.simulation.metrics import (
    TRACKED,
    ParsedMetric,
    TrackedQuantity,
    Watched,
    WindowPlan,
    plan_windows,
    quantity_of,
    threshold_of,
    watched_by,
    with_parts,
)
from softdock.simulation.phases import (
    START,
    PhaseAction,
    PhasePlan,
    action_records,
    end_of,
    limit_of,
    start_of,
)
from softdock.simulation.reactions import ReactionTable, set_reaction_flags
from softdock.simulation.surface_checks import surface_notices
from softdock.tree.kernels.tree import copy_records, records

FIRST_FORCE = 1e-6
"""[N] Contact force above which the first contact has begun: far below any force of interest."""


class RecordedChannels(Mapping[str, Channel]):
    """Channels as columns of one table, each created on first access, because campaigns read none."""

    def __init__(self, table: Array, labels: Mapping[str, tuple[int, str]]) -> None:
        self._table, self._labels = table, labels

    def __getitem__(self, name: str) -> Channel:
        i, unit = self._labels[name]
        return Channel(values=self._table[:, i], unit=unit)

    def __iter__(self) -> Iterator[str]:
        return iter(self._labels)

    def __len__(self) -> int:
        return len(self._labels)


class Topology:
    """Channels, events, metrics and units of a scenario, and the arrays that similar scenarios share."""

    def __init__(self, scenario: MultibodyScenario) -> None:
        self.scenario = scenario
        self._settings_before = (scenario.integrator, scenario.record, scenario.duration), _settings(scenario)

    @cached_property
    def observations(self) -> list[Watched]:
        """All observed quantities, each once; the first `watched` of them are evaluated in every step."""
        return self._ordered_observations[0]

    @property
    def watched(self) -> int:
        """Number of quantities searched for events and peaks: conditions of events and quantities with peaks."""
        return self._ordered_observations[1]

    @property
    def searched(self) -> int:
        """Number of quantities evaluated in every step: also those of reactions."""
        return self._ordered_observations[2]

    @cached_property
    def reactions(self) -> list[ReactionChannels]:
        """Observed reactions."""
        return reaction_channels(self.scenario, self.scenario.record.loads)

    @cached_property
    def reaction_table(self) -> ReactionTable:
        """The observed reactions, for the kernels and for results."""
        return ReactionTable(self.scenario, self.reactions, self.index)

    @cached_property
    def _reaction_components(self) -> list[Observation]:
        """Components of all observed reactions, which are recorded only."""
        prefixes = {
            reaction.name: JOINT_REACTION
            for reaction in self.reactions
            if reaction.kind in reactions_of("reaction")
        }
        prefixes |= dict.fromkeys(self.scenario.reactions, "")
        return [
            Observation(name=name, field=f"{prefix}{field}")
            for name, prefix in prefixes.items()
            for field in REACTION_FIELDS
        ]

    @cached_property
    def conditions(self) -> dict[str, Condition]:
        """Parsed conditions of the events, then of the events that phases become."""
        own = {name: event.condition for name, event in self.scenario.events.items()}
        return own | self.phase_plan.conditions

    @cached_property
    def event_index(self) -> dict[str, int]:
        """Index of every event record by name, without those that capture the state at the first contact."""
        return {name: i for i, name in enumerate(self.conditions)}

    @property
    def first_capture(self) -> int:
        """Index of the first event that captures the state at a contact."""
        return len(self.conditions)

    @cached_property
    def phase_plan(self) -> PhasePlan:
        """Events that phases become."""
        return PhasePlan(self.scenario)

    @cached_property
    def expressions(self) -> dict[str, MetricExpression]:
        """Parsed metrics of the scenario."""
        return {name: parse_metric(text) for name, text in self.scenario.all_metrics().items()}

    @cached_property
    def metric_errors(self) -> MetricErrors:
        """Errors of the metrics that follow from peaks of reactions."""
        return MetricErrors(self.reactions, self.expressions)

    @cached_property
    def window_plan(self) -> WindowPlan:
        """Windows of events and metrics."""
        return plan_windows(self.conditions, self.expressions.values())

    @cached_property
    def _ordered_observations(self) -> tuple[list[Watched], int, int]:
        scenario = self.scenario
        wanted: list[Watched] = [threshold_of(condition)[0] for condition in self.conditions.values()]
        wanted += [Observation(name=name, field="force") for name in self.contact_names]
        wanted += self.onsets
        wanted += [Observation(name=name, field="energy") for name in scenario.elements_of(Spring)]
        reactions = [observation for reaction in self.reactions for observation in reaction.observations()]
        later: list[Watched] = [*self._needed_at_end, *self._recorded]
        if scenario.record.all:
            later = [*default_observations(scenario), *self._reaction_components, *later]
        for metric in self.expressions.values():
            what = watched_by(metric)
            if what is not None:
                in_steps = metric.statistic in TRACKED or isinstance(what, TrackedQuantity)
                (wanted if in_steps else later).append(what)
        watched = with_parts(wanted)
        searched = with_parts([*watched, *reactions])
        return with_parts([*searched, *later]), len(watched), len(searched)

    @cached_property
    def onsets(self) -> list[Observation]:
        """Fields at whose rise through zero elements begin to act, or decide how."""
        return [
            Observation(name=name, field=kind.acts_above_zero)
            for kind in ELEMENT_KINDS.values()
            if kind.acts_above_zero is not None
            for name in getattr(self.scenario, kind.group)
        ]

    @cached_property
    def _needed_at_end(self) -> list[Observation]:
        """Quantities of controllers whose final values are metrics, decide the outcome or give a warning."""
        observations = []
        for name, controller in self.scenario.gnc.items():
            measured = ["lost_measurements"] if controller.navigation else []
            observations += [Observation(name=name, field=k) for k in ("propellant", "violations", *measured)]
        return observations

    @cached_property
    def _recorded(self) -> list[Observation | Operation]:
        """Quantities of `record.also`."""
        formulas = [parse_formula(text) for text in self.scenario.record.also]
        return [formula for formula in dict.fromkeys(formulas) if not isinstance(formula, Constant)]

    @cached_property
    def _names(self) -> dict[Watched, list[str]]:
        """Names of recorded formulas and points, as they are written in `record.also`."""
        names: dict[Watched, list[str]] = {}
        for text in self.scenario.record.also:
            what = parse_formula(text)
            if isinstance(what, Operation) or (isinstance(what, Observation) and what.has_points):
                names.setdefault(what, []).append(" ".join(text.split()))
        return names

    @cached_property
    def index(self) -> dict[Watched, int]:
        """Index of every observation."""
        return {observation: i for i, observation in enumerate(self.observations)}

    @cached_property
    def labels(self) -> dict[str, tuple[int, str]]:
        """Column of the history and unit of every recorded channel, by name."""
        return {
            name: (1 + i, unit_of(self.scenario, what))
            for i, what in enumerate(self.observations)
            if not isinstance(what, TrackedQuantity) and not is_condition(what) and str(what) != "time"
            for name in self._names.get(what, [str(what)])
        }

    @cached_property
    def contact_names(self) -> list[str]:
        """Names of all contacts and interfaces."""
        return [*self.scenario.contacts, *self.scenario.interfaces]

    @cached_property
    def peaks(self) -> dict[str, int]:
        """Channels whose peaks are metrics of every run, by the name of the metric."""
        peaks: dict[str, int] = {}
        for i, observation in enumerate(self.observations):
            if not isinstance(observation, Observation):
                continue
            flat = observation.name.replace("-", "_")
            if observation.name in self.contact_names and observation.field == "force":
                peaks[f"peak_contact_force_{flat}"] = i
            if observation.name in self.scenario.elements_of(Spring) and observation.field == "energy":
                peaks[energy_metric(observation.name)] = i
        return peaks

    @cached_property
    def propellant(self) -> dict[str, int]:
        """Channels of the propellant used by bodies with controllers, by the name of the body."""
        return {name: self.index[Observation(name=name, field="propellant")] for name in self.scenario.gnc}

    @cached_property
    def measures(self) -> dict[str, ParsedMetric]:
        """Metrics of the scenario with their channels and windows."""
        return {name: self._measure(metric) for name, metric in self.expressions.items()}

    def _measure(self, metric: MetricExpression) -> ParsedMetric:
        what = watched_by(metric)
        if metric.phase:
            return ParsedMetric("", begin=start_of(metric.phase), end=end_of(metric.phase))
        if what is None:
            return ParsedMetric("", begin=metric.begin, end=metric.end)
        return ParsedMetric(metric.statistic, self.index[what], window=self.window_plan.index(what))

    @cached_property
    def units(self) -> Mapping[str, str]:
        """Units of metrics and of the prediction; a pure number has no entry."""
        units = {**PREDICTION_UNITS, **self.scenario.metric_units()}
        units |= {
            name: self.scenario.metric_unit(text)
            for name, text in self.scenario.requirement_metrics().items()
        }
        return {name: unit for name, unit in units.items() if unit != "1"}

    @cached_property
    def formulas(self) -> np.recarray:
        """Nodes of the formulas among the channels. To be copied before use."""
        return formula_nodes(self._quantities)[0]

    @cached_property
    def _quantities(self) -> list[Quantity]:
        return [quantity_of(what) for what in self.observations]

    @cached_property
    def windows(self) -> np.recarray:
        """Windows of events and metrics."""
        return self.window_plan.records(self.index)

    @cached_property
    def events(self) -> np.recarray:
        """Events of the scenario and of its phases, then one per contact or interface that captures the state there.

        Those are disarmed. Then one per element that decides something, as a coupling whose plug reaches the socket.
        To be copied before use.
        """
        scenario, count = self.scenario, len(self.conditions)
        out = records(count + len(self.contact_names) + len(self.onsets), EVENT)
        first = 0
        for record, (name, condition) in zip(out, self.conditions.items()):
            quantity, record.threshold, record.direction = threshold_of(condition)
            record.channel, record.dwell = self.index[quantity], condition.dwell
            record.opens_later = int(condition.window.opens_later)
            event = scenario.events.get(name)
            if event is None:
                record.armed, record.once = int(name == START), 1
            else:
                record.armed = int(event.armed and (scenario.opening or not event.opens))
                record.once = int(event.once)
            record.first_action = first
            record.actions = len(self.actions_of(scenario, name))
            first += record.actions
        for record, name in zip(out[count:], self.contact_names):
            record.channel = self.index[Observation(name=name, field="force")]
            record.threshold, record.direction, record.logging = FIRST_FORCE, 1, Logging.CAPTURE_STATE
        for record, onset in zip(out[count + len(self.contact_names) :], self.onsets):
            record.channel = self.index[onset]
            record.direction, record.armed, record.logging = 1, 1, Logging.HIDDEN
            record.first_action, record.actions = first, 1
            first += 1
        return out

    @cached_property
    def docking_contacts(self) -> list[str]:
        """Contacts and interfaces between the chaser and other bodies; empty without frames of tip and port."""
        scenario, frames = self.scenario, self.scenario.docking_frames
        if frames is None:
            return []
        sides = {
            name: (scenario.surfaces[contact.a].body, scenario.surfaces[contact.b].body)
            for name, contact in scenario.contacts.items()
        } | {
            name: (interface.pins.body, interface.holes.body)
            for name, interface in scenario.interfaces.items()
        }
        return [
            name
            for name, bodies in sides.items()
            if sum(frames.chaser in scenario.lineage(body) for body in bodies) == 1
        ]

    def surface_notices(self, scenario: MultibodyScenario, changed: ChangedMembers) -> list[str]:
        """Return sentences about what the surfaces of a scenario of this topology leave out and assume."""
        return surface_notices(scenario) if changed.affects("surfaces") else self._surface_notices

    @cached_property
    def _surface_notices(self) -> list[str]:
        return surface_notices(self.scenario)

    @cached_property
    def base_assembly(self) -> Assembly:
        """Arrays of the system before the approach moves its chaser."""
        return self.scenario.assemble_described()

    def keeps_layout(self, scenario: MultibodyScenario, changed: ChangedMembers) -> bool:
        """Return whether a scenario with other numbers of some members keeps the layout of the arrays."""
        if changed.affects("contacts") and bristle_kinds(scenario) != bristle_kinds(self.scenario):
            return False
        return has_layout_of(scenario, changed)

    def assemble(self, scenario: MultibodyScenario, changed: ChangedMembers) -> Assembly:
        """Return a scenario of this topology with other numbers of some members as arrays, at its start."""
        if not self.keeps_layout(scenario, changed):
            return scenario.assemble()
        base = self.base_assembly
        described = write_numbers(base, scenario, changed) if changed else base
        known = changed.names("approach").isdisjoint(("tip", "port")) and np.array_equal(described.y, base.y)
        return scenario.place_chaser(described, self._resting_poses if known else None)

    @cached_property
    def _resting_poses(self) -> DockingPoses | None:
        """Poses of tip and port before the chaser is placed, of a system at rest: no masses change them."""
        base = self.base_assembly
        at_rest = self.scenario.approach is not None and not base.velocities.any()
        return self.scenario.docking_poses(base) if at_rest else None

    def settings(self, scenario: MultibodyScenario) -> Settings:
        """Return the settings of runs of a scenario; the same object where they are those of the scenario before."""
        parts, known = (scenario.integrator, scenario.record, scenario.duration), self._settings_before
        if not all(map(operator.is_, parts, known[0])):
            known = self._settings_before = parts, _settings(scenario)
        return known[1]

    def channels(
        self, scenario: MultibodyScenario, assembly: Assembly, changed: ChangedMembers
    ) -> np.recarray:
        """Return the channels of a scenario of this topology."""
        if not self.keeps_layout(scenario, changed):
            return self._make_channels(scenario, assembly)
        if not has_line_forces(scenario):
            return self._channels
        channels = copy_records(self._channels)
        use_line_forces(channels, assembly)  # the search for peaks of their forces depends on their stiffness
        return channels

    @cached_property
    def _channels(self) -> np.recarray:
        return self._make_channels(self.scenario, self.base_assembly)

    def _make_channels(self, scenario: MultibodyScenario, assembly: Assembly) -> np.recarray:
        channels = channel_records(scenario, assembly, self._quantities)
        channels.track[list(self.peaks.values())] |= LARGEST
        for name, measure in self.measures.items():
            if measure.how and not self.expressions[name].window.begin:
                channels.track[measure.channel] |= TRACKED.get(measure.how, 0)
        set_reaction_flags(channels, self.reactions, self.index)
        return channels

    def actions(
        self, scenario: MultibodyScenario, assembly: Assembly, changed: ChangedMembers
    ) -> np.recarray:
        """Return the actions of the events of a scenario of this topology."""
        if not changed.affects("events", "phases"):
            return self._actions
        return self._make_actions(scenario, assembly)

    @cached_property
    def _actions(self) -> np.recarray:
        return self._make_actions(self.scenario, self.base_assembly)

    def _make_actions(self, scenario: MultibodyScenario, assembly: Assembly) -> np.recarray:
        actions = [action for name in self.conditions for action in self.actions_of(scenario, name)]
        return action_records(scenario, assembly, actions, [onset.name for onset in self.onsets])

    def actions_of(self, scenario: MultibodyScenario, name: str) -> list[PhaseAction]:
        """Return the actions of an event of a scenario of this topology, or of one that its phases become."""
        plan, windows = self.phase_plan, self.window_plan
        if name in scenario.events:
            then = scenario.events[name].then
            return [*then, *windows.actions(name), *plan.signals(name, self.event_index)]
        return plan.actions(name, self.event_index, windows, [scenario.phases[i] for i in plan.order])

    def capturing_events(
        self, scenario: MultibodyScenario, capturing: Collection[str], changed: ChangedMembers
    ) -> np.recarray:
        """Return the events of a scenario of this topology, with those armed that capture the state at contacts.

        `capturing` has the contacts of which the first one that begins is captured.
        """
        if changed.affects("phases"):
            return self._make_events(scenario, capturing)
        key = tuple(capturing)
        if key not in self._events:
            self._events[key] = self._make_events(self.scenario, capturing)
        return self._events[key]

    @cached_property
    def _events(self) -> dict[tuple[str, ...], np.recarray]:
        return {}

    def _make_events(self, scenario: MultibodyScenario, capturing: Collection[str]) -> np.recarray:
        events = copy_records(self.events)
        for phase in scenario.phases:
            if phase.within is not None:
                events[self.event_index[limit_of(phase.name)]].dwell = phase.within
        for i, name in enumerate(self.contact_names, self.first_capture):
            if name in capturing:
                events[i].armed = events[i].once = 1
        return events

    def pairs(
        self, scenario: MultibodyScenario, assembly: Assembly, changed: ChangedMembers
    ) -> tuple[np.recarray, list[ContactPair]]:
        """Return the contacts of a scenario of this topology."""
        if changed.affects("surfaces", "contacts") or not self.keeps_layout(scenario, changed):
            return pair_records(scenario, assembly, scenario.directory)
        return self._pairs

    def interfaces(
        self, scenario: MultibodyScenario, assembly: Assembly, changed: ChangedMembers
    ) -> tuple[np.recarray, np.recarray]:
        """Return the interfaces of a scenario of this topology, and their pins."""
        if changed.affects("interfaces") or not self.keeps_layout(scenario, changed):
            return interface_records(scenario, assembly)
        return self._interfaces

    @cached_property
    def _interfaces(self) -> tuple[np.recarray, np.recarray]:
        return interface_records(self.scenario, self.base_assembly)

    @cached_property
    def _pairs(self) -> tuple[np.recarray, list[ContactPair]]:
        return pair_records(self.scenario, self.base_assembly, self.scenario.directory)


def _settings(scenario: MultibodyScenario) -> Settings:
    integrator, record, accuracy = scenario.integrator, scenario.record, scenario.integrator.accuracy
    return Settings(
        duration=scenario.duration,
        method=Method(integrator.method),
        step=integrator.step,
        accuracy=StepTolerances(
            length=accuracy.length,
            angle=accuracy.angle,
            speed=accuracy.speed,
            rate=accuracy.rate,
            force=accuracy.force,
        ),
        max_step=integrator.max_step or np.inf,
        max_steps=integrator.max_steps,
        record_rate=record.rate,
        record_contact=record.contact_steps,
        record_peaks=record.peaks,
        max_rows=record.max_rows,
    )
