"""What is observed of a multibody scenario: channels with their indices, events, metrics, windows and reactions."""

from collections.abc import Iterator, Mapping
from functools import cached_property

import numpy as np

from softdock.assembly.channels.bodies import JOINT_REACTION, REACTION_FIELDS
from softdock.assembly.channels.registry import default_observations, unit_of
from softdock.assembly.formulas import formula_nodes
from softdock.assembly.reaction_channels import ReactionChannels, reaction_channels
from softdock.elements.registry import ELEMENT_KINDS
from softdock.elements.spring.model import Spring, energy_metric
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
    PhasePlan,
    end_of,
    start_of,
)
from softdock.simulation.reactions import ReactionTable


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


class ObservedQuantities:
    """Channels, conditions of events, metrics and reactions of a scenario, and the indices of their channels."""

    def __init__(self, scenario: MultibodyScenario) -> None:
        self.scenario = scenario

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
