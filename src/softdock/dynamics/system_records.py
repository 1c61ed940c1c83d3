"""Copies of the arrays of a system, for kernels that read and write them."""

import functools
from collections.abc import Mapping
from typing import Any

from softdock.contact.arrays import contact_arrays, prepare_lists
from softdock.contact.entry_points import CONTACT_ARRAYS
from softdock.dynamics.entry_points import GNC, STATES, SYSTEM
from softdock.dynamics.kernels.control.gnc_records import GncRecords, no_controllers, write_start
from softdock.dynamics.kernels.forces.contacts import initial_pair_states
from softdock.dynamics.kernels.forces.derivative import SystemRecords
from softdock.dynamics.kernels.forces.interfaces import initial_interface_states
from softdock.dynamics.system_arrays import SystemArrays
from softdock.native.argument_types import PreparedStructure
from softdock.native.structure_memory import allocate
from softdock.tree.kernels.orbit import initial_orbit_motion
from softdock.tree.kernels.tree import initial_group_motions, initial_motions

WITHOUT_ADDITIONS = {"contacts": 0, "bonds": 0, "interfaces": 0, "pins": 0, "formula nodes": 0}


def system_records(arrays: SystemArrays) -> SystemRecords:
    """Return the records of a system at its start, without contacts and controllers."""
    records: SystemRecords = prepare_system(arrays).value
    return records


def prepare_system(
    arrays: SystemArrays,
    sizes: Mapping[str, int] = WITHOUT_ADDITIONS,
    *,
    copied: Mapping[str, Any] | None = None,
    given: Mapping[str, Any] | None = None,
) -> PreparedStructure:
    """Return the records of a system at its start with additional fields as in `allocate`, ready for several calls.

    Most of the model is copied, because only memory of `allocate` is aligned to cache lines; data are new. Without
    additional fields the system has no contacts, interfaces, formulas and controllers.
    """
    flexible, added = arrays.flexible, copied or {}
    states = {}
    if "pairs" in added:
        states["pair_states"] = initial_pair_states(added["pairs"])
    if "interfaces" in added:
        states["interface_states"] = initial_interface_states(added["interfaces"])
    return allocate(
        SYSTEM,
        {
            "axes": arrays.axis_count,
            "tile inertias": len(arrays.tiles) + 1,
            "lock rows": 6 * arrays.lock_count,
            "lock columns": 6 * arrays.lock_count + 1,
            **sizes,
        },
        copied={
            "world": arrays.world,
            "links": arrays.links,
            "groups": arrays.groups,
            "tiles": arrays.tiles,
            "appendages": flexible.appendages,
            "modes": flexible.modes,
            "orbit": arrays.orbit,
            "reactions": arrays.reactions,
            "motions": initial_motions(arrays.links),
            "group_motions": initial_group_motions(arrays.links, arrays.groups),
            "element_data": arrays.element_data,
            "orbit_motion": initial_orbit_motion(arrays.orbit),
            **added,
            **states,
        },
        given={
            "elements": arrays.elements,
            "laws": arrays.laws,
            "states": allocate(STATES, copied=arrays.states._asdict()),
            "tables": arrays.tables,
            "nodes": flexible.nodes,
            "shapes": flexible.shapes,
            "plates": arrays.plates,
            "items": arrays.items,
            **(_without_additions() if given is None else given),
        },
    )


def prepare_controllers(gnc: GncRecords) -> PreparedStructure:
    """Return the records of controllers at the start of a run, which share the model."""
    if not len(gnc.controllers):
        return _without_additions()["gnc"]
    model = ("controllers", "navigation", "thrusters", "wheels", "holds", "effects", "costs", "longest")
    fields = gnc._asdict()
    prepared = allocate(
        GNC,
        copied={name: array for name, array in fields.items() if name not in model},
        given={name: fields[name] for name in model},
    )
    write_start(prepared.value)
    return prepared


@functools.cache
def _without_additions() -> dict[str, PreparedStructure]:
    """Return empty contacts and controllers, shared because nothing is written."""
    arrays = contact_arrays(())
    return {
        "arrays": CONTACT_ARRAYS.prepare(arrays),
        "lists": prepare_lists(arrays, 64),
        "gnc": GNC.prepare(no_controllers()),
    }
