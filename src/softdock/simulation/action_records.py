"""Actions of events and phases as records of the kernels."""

import numpy as np

from softdock.assembly.assembler import Assembly
from softdock.dynamics.kernels.search.events import ACTION, ActionKind
from softdock.model.gnc import MODES
from softdock.scenario.multibody import MultibodyScenario
from softdock.simulation.phases import PhaseAction
from softdock.tree.kernels.tree import records


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
