"""Phases as events of the kernels: which condition ends each, what begins with it, and how it ended in a run.

A phase has one event for its end, which is armed when the phase begins, and one for its time limit: a condition that is
always true and must have been true for the time limit. So limits are ends of integration steps, as times of `for` are.
The end of a phase performs the actions on entry of the next one.
"""

from collections.abc import Iterable, Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from softdock.assembly.arrays import Assembly
from softdock.dynamics.kernels.search.events import ACTION, ActionKind
from softdock.dynamics.run_results import Run
from softdock.errors import InputError
from softdock.model.events import Action
from softdock.model.expressions import Condition, Window, parse_condition
from softdock.model.formulas import Constant, Operation
from softdock.model.gnc import MODES
from softdock.model.observations import Observation
from softdock.model.phases import Phase, phase_order
from softdock.result import PhaseEnd, RunPhase
from softdock.scenario.multibody import MultibodyScenario
from softdock.simulation.metrics import WindowPlan
from softdock.tree.kernels.tree import records

ALWAYS = Operation(">", (Observation(name="time"), Constant("-1 s", -1.0, "s")))
"""A condition that is true in the whole run."""
START = "start of the sequence"
"""Name of the event with which the first phase begins; no event of a scenario has a name with blanks."""
PhaseAction = Action | tuple[int, int]
"""An action of a scenario, or kind and index of one of the kernels."""


def completion_of(phase: str) -> str:
    """Return the name of the event that is the end of a phase by its condition."""
    return f"completion of {phase}"


def limit_of(phase: str) -> str:
    """Return the name of the event that is the time limit of a phase."""
    return f"limit of {phase}"


def start_of(phase: str) -> str:
    """Return the name of the time at which a phase begins, for metrics."""
    return f"start of {phase}"


def end_of(phase: str) -> str:
    """Return the name of the time at which a phase ends in any way, for metrics."""
    return f"end of {phase}"


class PhasePlan:
    """The phases of a scenario in their order, and the events that they become."""

    def __init__(self, scenario: MultibodyScenario) -> None:
        self.events = scenario.events
        self.order = phase_order(scenario.phases)
        self.phases: list[Phase] = [scenario.phases[i] for i in self.order]

    @cached_property
    def conditions(self) -> dict[str, Condition]:
        """Conditions of the events of all phases; the end of a phase precedes its limit."""
        if not self.phases:
            return {}
        conditions = {START: Condition(ALWAYS)}
        for phase in self.phases:
            if phase.awaited_event(self.events):  # that event arms it
                conditions[completion_of(phase.name)] = Condition(ALWAYS, window=Window(phase=phase.name))
            else:
                conditions[completion_of(phase.name)] = parse_condition(phase.until)
            if phase.within is not None:
                conditions[limit_of(phase.name)] = Condition(ALWAYS, dwell=phase.within)
        return conditions

    @cached_property
    def _completions(self) -> dict[str, int]:
        """Index of every phase in this plan by the name of its completion."""
        return {completion_of(phase.name): i for i, phase in enumerate(self.phases)}

    def actions(
        self, name: str, index: Mapping[str, int], windows: WindowPlan, phases: Iterable[Phase]
    ) -> list[PhaseAction]:
        """Return the actions of an event of the phases; `phases` may have other numbers, in the order of this plan."""
        own = list(phases)
        if name == START:
            return self._entry(own, 0, index, windows)
        i = self._completions.get(name)
        if i is None:
            return [(ActionKind.STOP_RUN, 0)]
        phase = own[i]
        actions: list[PhaseAction] = [*windows.exit(phase.name)]
        if phase.name not in self.events:  # windows then refer to the event
            actions += windows.actions(phase.name)
        if phase.within is not None:
            actions.append((ActionKind.DISARM_EVENT, index[limit_of(phase.name)]))
        if i + 1 == len(own):
            return [*actions, (ActionKind.STOP_RUN, 0)]
        return [*actions, *self._entry(own, i + 1, index, windows)]

    def _entry(
        self, phases: list[Phase], i: int, index: Mapping[str, int], windows: WindowPlan
    ) -> list[PhaseAction]:
        """Return the actions with which a phase begins."""
        phase = phases[i]
        actions: list[PhaseAction] = [*phase.do]
        event = phase.awaited_event(self.events)
        if not event:
            actions.append((ActionKind.ARM_EVENT, index[completion_of(phase.name)]))
        elif i > 0 and not self.events[event].once:  # its occurrences before the phase do not count
            actions.append((ActionKind.DISARM_EVENT, index[completion_of(phase.name)]))
        if phase.within is not None:
            actions.append((ActionKind.ARM_EVENT, index[limit_of(phase.name)]))
        return [*actions, *windows.entry(phase.name)]

    def signals(self, event: str, index: Mapping[str, int]) -> list[PhaseAction]:
        """Return the actions of an event of the scenario that end phases."""
        ended = [phase.name for phase in self.phases if phase.awaited_event(self.events) == event]
        return [(ActionKind.ARM_EVENT, index[completion_of(name)]) for name in ended]

    def read(self, run: Run, index: Mapping[str, int]) -> tuple[RunPhase, ...]:
        """Return the phases that a run entered: beginning, end and how they ended."""
        times = {i: t for t, i in reversed(run.log)}
        phases: list[RunPhase] = []
        start = times.get(index[START]) if self.phases else None
        for phase in self.phases:
            if start is None:
                break
            end = times.get(index[completion_of(phase.name)])
            limit = times.get(index.get(limit_of(phase.name), -1))
            if end is not None:
                phases.append(RunPhase(name=phase.name, start=start, end=end, ended="condition"))
            elif limit is not None:
                phases.append(RunPhase(name=phase.name, start=start, end=limit, ended="timeout"))
            else:
                how: PhaseEnd = "condition" if self._is_ended_by_stop(phase, run, index) else "run_end"
                phases.append(RunPhase(name=phase.name, start=start, end=run.time, ended=how))
            start = end
        return tuple(phases)

    def _is_ended_by_stop(self, phase: Phase, run: Run, index: Mapping[str, int]) -> bool:
        """Return whether the event that ends a phase also ended the run."""
        event = phase.awaited_event(self.events)
        return bool(event) and run.stop_event == index[event]


def phase_times(phases: Iterable[RunPhase]) -> dict[str, float]:
    """Return times of phases by the names that metrics use; the name of a phase is its end by its condition."""
    times: dict[str, float] = {}
    for phase in phases:
        times |= {start_of(phase.name): phase.start, end_of(phase.name): phase.end}
        if phase.ended == "condition":
            times[phase.name] = phase.end
    return times


def phase_failure(scenario: MultibodyScenario, phases: tuple[RunPhase, ...]) -> tuple[str, str] | None:
    """Return outcome and message if a time limit ended the run; the message names the phase."""
    if not phases or phases[-1].ended != "timeout":
        return None
    phase = next(candidate for candidate in scenario.phases if candidate.name == phases[-1].name)
    assert phase.otherwise is not None
    known = {outcome.name: outcome.message for outcome in scenario.outcomes}
    reason = phase.message or known.get(phase.otherwise, "")
    message = f"The phase {phase.name!r} did not end within {phase.within:g} s."
    return phase.otherwise, f"{message} {reason}".strip()


def refuse_ended_phase(
    scenario: MultibodyScenario, index: Mapping[str, int], events: np.recarray, values: NDArray[np.float64]
) -> None:
    """Raise InputError if the end condition of the first phase is true at the start of a run.

    `values` are the channels at the start. Conditions that must hold for a time or in a window cannot be decided there.
    """
    phase = scenario.phases[0]
    if phase.awaited_event(scenario.events):
        return
    condition, event = parse_condition(phase.until), events[index[completion_of(phase.name)]]
    if condition.dwell > 0.0 or condition.window != Window():
        return
    if event.direction * (values[event.channel] - event.threshold) > 0.0:
        message = (
            f"The end condition of the first phase {phase.name!r} is true at the start of the run already."
        )
        where = scenario.source.where(("phases", 0, "until")) if scenario.source else None
        raise InputError(
            message,
            field="phases.0.until",
            given=phase.until,
            file=where.file if where else "",
            line=where.line if where else None,
            hint="Change the limit of the condition or the initial state, or leave the phase out.",
        )


def action_records(
    scenario: MultibodyScenario, assembly: Assembly, actions: list[PhaseAction], deciding: list[str]
) -> np.recarray:
    """Return a record for every action of events and phases, followed by the decisions of elements."""
    contacts, events = list(scenario.contacts), list(scenario.events)
    interfaces = list(scenario.interfaces)
    actions = [*actions, *((ActionKind.DECIDE, assembly.element_index[name]) for name in deciding)]
    out = records(len(actions), ACTION)
    for record, action in zip(out, actions):
        if isinstance(action, tuple):
            record.kind, record.index = action
            continue
        switched = action.enable or action.disable
        if action.bond:
            record.kind, record.index = ActionKind.BOND_CONTACT, contacts.index(action.bond)
        elif switched in contacts:
            record.kind = ActionKind.ENABLE_CONTACT if action.enable else ActionKind.DISABLE_CONTACT
            record.index = contacts.index(switched)
        elif switched in interfaces:
            record.kind = ActionKind.ENABLE_INTERFACE if action.enable else ActionKind.DISABLE_INTERFACE
            record.index = interfaces.index(switched)
        elif switched:
            record.kind = ActionKind.ENABLE_ELEMENT if action.enable else ActionKind.DISABLE_ELEMENT
            record.index = assembly.element_index[switched]
        elif action.arm or action.disarm:
            watched = scenario.events[action.arm or action.disarm or ""]
            kept = watched.opens and not scenario.opening
            record.kind = ActionKind.ARM_EVENT if action.arm and not kept else ActionKind.DISARM_EVENT
            record.index = events.index(action.arm or action.disarm or "")
        elif action.drive:
            record.kind, record.index = ActionKind.SET_TARGET, assembly.element_index[action.drive]
            record.value = action.target
        elif action.control and action.mode:
            record.kind, record.index = ActionKind.SET_MODE, list(scenario.gnc).index(action.control)
            record.value = MODES.index(action.mode)
        else:
            record.kind = ActionKind.STOP_RUN
    return out
