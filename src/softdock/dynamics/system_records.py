"""Copies of the arrays of a system, for kernels that read and write them."""

import functools

import numpy as np

from softdock.contact.arrays import clear_lists, contact_arrays, list_sizes
from softdock.contact.kernels.layout import ContactArrays
from softdock.dynamics.entry_points import SYSTEM, write_undeformed
from softdock.dynamics.kernels.control.gnc_records import GncRecords, no_controllers, write_start
from softdock.dynamics.kernels.forces.derivative import SystemRecords
from softdock.dynamics.system_arrays import SystemArrays
from softdock.elements.kernels.dispatch import LAWS, STATES
from softdock.native.argument_types import PreparedStructure, Sizes
from softdock.native.structure_memory import allocate
from softdock.tree.kernels.orbit import initial_orbit_motion
from softdock.tree.kernels.tree import initial_motions

LAW_PATHS, STATE_PATHS = (
    tuple(f"{group}.{kind}" for kind in kinds) for group, kinds in (("laws", LAWS), ("states", STATES))
)
"""Paths of the parameters and states of each kind of element in the records of a system."""
FIRST_CAPACITY = 64  # blocks of cells of a near list at the start


def system_records(arrays: SystemArrays) -> SystemRecords:
    """Return the records of a system at its start, without contacts and controllers."""
    records: SystemRecords = prepare_system(arrays).value
    return records


def prepare_system(arrays: SystemArrays) -> PreparedStructure:
    """Return the records of a system as `system_records` does, ready for several calls."""
    contacts = contact_arrays(())
    sizes = {"contacts": 0, "bonds": 0, "interfaces": 0, "pins": 0, "formula nodes": 0}
    copied = system_inputs(arrays) | contact_inputs(contacts) | controller_inputs(without_controllers())
    sizes |= system_sizes(arrays) | list_sizes(contacts, FIRST_CAPACITY)
    system = allocate(SYSTEM, sizes, copied=copied)
    clear_lists(system.value.lists)
    write_undeformed(system)
    return system


def system_sizes(arrays: SystemArrays) -> Sizes:
    """Return the sizes of data of a system that have no array in its model."""
    return {
        "axes": arrays.axis_count,
        "tile inertias": len(arrays.tiles) + 1,
        "lock rows": 6 * arrays.lock_count,
        "lock columns": 6 * arrays.lock_count + 1,
    }


def system_inputs(arrays: SystemArrays) -> dict[str, np.ndarray]:
    """Return the model of a system, and its data at the start, by their paths in its records."""
    flexible = arrays.flexible
    return number_inputs(arrays) | {
        "groups": arrays.groups,
        "tiles": arrays.tiles,
        "appendages": flexible.appendages,
        "modes": flexible.modes,
        "nodes": flexible.nodes,
        "shapes": flexible.shapes,
        "orbit": arrays.orbit,
        "plates": arrays.plates,
        "tables": arrays.tables,
        "items": arrays.items,
        "motions": initial_motions(arrays.links),
        "orbit_motion": initial_orbit_motion(arrays.orbit),
    }


def number_inputs(arrays: SystemArrays) -> dict[str, np.ndarray]:
    """Return those of `system_inputs` that differ between systems of one layout."""
    return (
        {name: getattr(arrays, name) for name in ("world", "links", "reactions", "elements", "element_data")}
        | dict(zip(LAW_PATHS, arrays.laws))
        | dict(zip(STATE_PATHS, arrays.states))
    )


def contact_inputs(contacts: ContactArrays) -> dict[str, np.ndarray]:
    """Return the surfaces of contacts by their paths in the records of a system."""
    surfaces = contacts._asdict()
    solids = surfaces.pop("solids")._asdict()
    surfaces |= {f"solids.{name}": array for name, array in solids.items()}
    return {f"arrays.{name}": array for name, array in surfaces.items()}


def controller_inputs(gnc: GncRecords) -> dict[str, np.ndarray]:
    """Return the records of controllers at the start of a run by their paths in the records of a system."""
    write_start(gnc)
    return {f"gnc.{name}": array for name, array in gnc._asdict().items()}


@functools.cache
def without_controllers() -> GncRecords:
    """Return the records of a system without controllers, shared because they are only copied."""
    return no_controllers()
