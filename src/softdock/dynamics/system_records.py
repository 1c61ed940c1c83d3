"""Copies of the arrays of a system, for kernels that read and write them."""

import functools

import numpy as np

from softdock.contact.arrays import clear_lists, contact_arrays, list_sizes
from softdock.contact.kernels.layout import ContactArrays
from softdock.dynamics.entry_points import SYSTEM
from softdock.dynamics.kernels.control.gnc_records import GncRecords, no_controllers
from softdock.dynamics.kernels.forces.derivative import SystemRecords
from softdock.dynamics.system_arrays import SystemArrays
from softdock.native.argument_types import PreparedStructure
from softdock.native.structure_memory import allocate

FIRST_CAPACITY = 64  # blocks of cells of a near list at the start


def system_records(arrays: SystemArrays) -> SystemRecords:
    """Return copies of the arrays of a system, without contacts and controllers."""
    records: SystemRecords = prepare_system(arrays).value
    return records


def prepare_system(arrays: SystemArrays) -> PreparedStructure:
    """Return copies of the arrays of a system as `system_records` does, ready for several calls."""
    contacts = contact_arrays(())
    sizes = {"bonds": 0, "interfaces": 0, "pins": 0, "formula nodes": 0}
    copied = system_inputs(arrays) | contact_inputs(contacts) | controller_inputs(without_controllers())
    system = allocate(SYSTEM, sizes | list_sizes(contacts, FIRST_CAPACITY), copied=copied)
    clear_lists(system.value.lists)
    return system


def system_inputs(arrays: SystemArrays) -> dict[str, np.ndarray]:
    """Return the arrays of a system by their paths in its records."""
    flexible = arrays.flexible
    return {
        "links": arrays.links,
        "axes": arrays.axes,
        "elements": arrays.elements,
        "element_data": arrays.element_data,
        **{f"laws.{kind}": records for kind, records in arrays.laws._asdict().items()},
        **{f"states.{kind}": records for kind, records in arrays.states._asdict().items()},
        "tables": arrays.tables,
        "world": arrays.world,
        "appendages": flexible.appendages,
        "modes": flexible.modes,
        "nodes": flexible.nodes,
        "shapes": flexible.shapes,
        "locks": arrays.locks,
        "orbit": arrays.orbit,
        "plates": arrays.plates,
        "groups": arrays.groups,
        "tiles": arrays.tiles,
        "reactions": arrays.reactions,
        "items": arrays.items,
    }


def contact_inputs(contacts: ContactArrays) -> dict[str, np.ndarray]:
    """Return the surfaces of contacts by their paths in the records of a system."""
    return {f"arrays.{name}": array for name, array in contacts._asdict().items()}


def controller_inputs(gnc: GncRecords) -> dict[str, np.ndarray]:
    """Return the records of controllers by their paths in the records of a system."""
    return {f"gnc.{name}": array for name, array in gnc._asdict().items()}


@functools.cache
def without_controllers() -> GncRecords:
    """Return the records of a system without controllers, shared because they are only copied."""
    return no_controllers()
