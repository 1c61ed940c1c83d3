"""Copies of the arrays of a system, for kernels that read and write them."""

import functools
from typing import Any

from softdock.contact.arrays import contact_arrays, contact_lists
from softdock.dynamics.kernels.bonds import BOND
from softdock.dynamics.kernels.contacts import PAIR
from softdock.dynamics.kernels.derivative import SystemRecords
from softdock.dynamics.kernels.formulas import NODE
from softdock.dynamics.kernels.gnc_records import no_controllers
from softdock.dynamics.kernels.interfaces import INTERFACE, PIN
from softdock.dynamics.kernels.tree import align_records, copy_records, records
from softdock.dynamics.system_arrays import SystemArrays


def system_records(arrays: SystemArrays) -> SystemRecords:
    """Return copies of the arrays of a system, without contacts and controllers."""
    return SystemRecords(
        links=copy_records(arrays.links),
        axes=copy_records(arrays.axes),
        groups=align_records(arrays.groups),
        tiles=align_records(arrays.tiles),
        elements=copy_records(arrays.elements),
        tables=arrays.tables,
        world=copy_records(arrays.world),
        appendages=copy_records(arrays.flexible.appendages),
        modes=copy_records(arrays.flexible.modes),
        nodes=arrays.flexible.nodes,
        shapes=arrays.flexible.shapes,
        locks=arrays.locks.copy(),
        orbit=copy_records(arrays.orbit),
        plates=arrays.plates,
        reactions=copy_records(arrays.reactions),
        items=arrays.items,
        **_without_additions(),
    )


@functools.cache
def _without_additions() -> dict[str, Any]:
    """Return empty records of contacts, interfaces, formulas and controllers, shared because nothing is written."""
    arrays = contact_arrays(())
    return {
        "pairs": records(0, PAIR),
        "bonds": records(0, BOND),
        "arrays": arrays,
        "lists": contact_lists(arrays, 64),
        "interfaces": records(0, INTERFACE),
        "pins": records(0, PIN),
        "formulas": records(0, NODE),
        "gnc": no_controllers(),
    }
