"""Copies of the arrays of a system, for kernels that read and write them."""

import functools
from collections.abc import Mapping
from typing import Any

from softdock.contact.arrays import contact_arrays, prepare_lists
from softdock.contact.entry_points import CONTACT_ARRAYS
from softdock.dynamics.entry_points import GNC, STATES, SYSTEM
from softdock.dynamics.kernels.control.gnc_records import GncRecords, no_controllers
from softdock.dynamics.kernels.forces.derivative import SystemRecords
from softdock.dynamics.system_arrays import SystemArrays
from softdock.native.argument_types import PreparedStructure
from softdock.native.structure_memory import allocate

WITHOUT_ADDITIONS = {"contacts": 0, "bonds": 0, "interfaces": 0, "pins": 0, "formula nodes": 0}


def system_records(arrays: SystemArrays) -> SystemRecords:
    """Return copies of the arrays of a system, without contacts and controllers."""
    records: SystemRecords = prepare_system(arrays).value
    return records


def prepare_system(
    arrays: SystemArrays,
    sizes: Mapping[str, int] = WITHOUT_ADDITIONS,
    *,
    copied: Mapping[str, Any] | None = None,
    given: Mapping[str, Any] | None = None,
) -> PreparedStructure:
    """Return copies of the arrays of a system with additional fields as in `allocate`, ready for several calls.

    Without additional fields the system has no contacts, interfaces, formulas and controllers.
    """
    flexible = arrays.flexible
    return allocate(
        SYSTEM,
        dict(sizes),
        copied={
            "links": arrays.links,
            "axes": arrays.axes,
            "element_data": arrays.element_data,
            "world": arrays.world,
            "appendages": flexible.appendages,
            "modes": flexible.modes,
            "locks": arrays.locks,
            "orbit": arrays.orbit,
            "groups": arrays.groups,
            "tiles": arrays.tiles,
            "reactions": arrays.reactions,
            **(copied or {}),
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
    """Return the records of controllers for a run: what changes is copied."""
    if not len(gnc.controllers):
        return _without_additions()["gnc"]
    constant = ("wheels", "holds", "effects", "costs", "longest")
    fields = gnc._asdict()
    return allocate(
        GNC,
        copied={name: array for name, array in fields.items() if name not in constant},
        given={name: fields[name] for name in constant},
    )


@functools.cache
def _without_additions() -> dict[str, PreparedStructure]:
    """Return empty contacts and controllers, shared because nothing is written."""
    arrays = contact_arrays(())
    return {
        "arrays": CONTACT_ARRAYS.prepare(arrays),
        "lists": prepare_lists(arrays, 64),
        "gnc": GNC.prepare(no_controllers()),
    }
