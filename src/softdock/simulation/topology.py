"""Topology and index tables of a multibody scenario, shared by all scenarios that differ from it in numbers only."""

import operator
from collections.abc import Collection
from functools import cached_property

import numpy as np

from softdock.assembly.approach import DockingPoses
from softdock.assembly.arrays import Assembly
from softdock.assembly.assembler import has_layout_of, write_numbers
from softdock.assembly.bristles import bristle_kinds
from softdock.assembly.channels.records import channel_records, has_line_forces, use_line_forces
from softdock.assembly.contacts import pair_records
from softdock.assembly.interfaces import interface_records
from softdock.contact.pair import ContactPair
from softdock.dynamics.kernels.channels.channels import LARGEST
from softdock.dynamics.kernels.run.docking_motion import DOCKING_FRAME
from softdock.dynamics.kernels.search.events import EVENT, Logging
from softdock.dynamics.settings import Method, Settings, StepTolerances
from softdock.model.changed_members import ChangedMembers
from softdock.model.observations import Observation
from softdock.prediction.contact_conditions import docking_frames
from softdock.scenario.multibody import MultibodyScenario
from softdock.simulation.metrics import (
    TRACKED,
    threshold_of,
)
from softdock.simulation.observed import ObservedQuantities
from softdock.simulation.phases import (
    START,
    PhaseAction,
    action_records,
    limit_of,
)
from softdock.simulation.reactions import set_reaction_flags
from softdock.simulation.surface_checks import surface_notices
from softdock.tree.kernels.tree import copy_records, records

FIRST_FORCE = 1e-6
"""[N] Contact force above which the first contact has begun: far below any force of interest."""


class Topology(ObservedQuantities):
    """Channels, events, metrics and units of a scenario, and the arrays that similar scenarios share."""

    def __init__(self, scenario: MultibodyScenario) -> None:
        super().__init__(scenario)
        self._settings_before = (scenario.integrator, scenario.record, scenario.duration), _settings(scenario)

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

    def docking_frames(
        self, scenario: MultibodyScenario, assembly: Assembly, changed: ChangedMembers
    ) -> np.recarray:
        """Return the frames whose relative motion at the first contact is a result; none without such contacts."""
        moved = not changed.names("approach").isdisjoint(("tip", "port"))
        if moved or changed.affects("gnc") or not self.keeps_layout(scenario, changed):
            return self._make_docking_frames(scenario, assembly)
        return self._docking_frames

    @cached_property
    def _docking_frames(self) -> np.recarray:
        return self._make_docking_frames(self.scenario, self.base_assembly)

    def _make_docking_frames(self, scenario: MultibodyScenario, assembly: Assembly) -> np.recarray:
        frames = scenario.docking_frames
        if frames is None or not self.docking_contacts:
            return records(0, DOCKING_FRAME)
        return docking_frames(assembly, frames)

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
        if not self._has_line_forces:
            return self._channels
        channels = copy_records(self._channels)
        use_line_forces(channels, assembly)  # the search for peaks of their forces depends on their stiffness
        return channels

    @cached_property
    def _has_line_forces(self) -> bool:
        return has_line_forces(self.scenario)

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
