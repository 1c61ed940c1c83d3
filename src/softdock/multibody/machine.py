"""From an assembly to what the kernels know of it."""

import functools
from typing import TYPE_CHECKING, Any

from softdock.contact.arrays import contact_arrays, contact_lists
from softdock.multibody.kernels.contacts import PAIR
from softdock.multibody.kernels.derivative import Machine
from softdock.multibody.kernels.interfaces import INTERFACE, PIN
from softdock.multibody.kernels.tree import aligned, copied, records

if TYPE_CHECKING:
    from softdock.multibody.assemble import Assembly


def machine_of(assembly: "Assembly") -> Machine:
    """Return the records of an assembly for the kernels, as copies, without contacts."""
    return Machine(
        links=copied(assembly.links),
        axes=copied(assembly.axes),
        groups=aligned(assembly.groups),
        tiles=aligned(assembly.tiles),
        elements=copied(assembly.elements),
        tables=assembly.tables,
        world=copied(assembly.world),
        appendages=copied(assembly.flexible.appendages),
        modes=copied(assembly.flexible.modes),
        nodes=assembly.flexible.nodes,
        shapes=assembly.flexible.shapes,
        locks=assembly.locks.copy(),
        orbit=copied(assembly.orbit),
        plates=assembly.plates,
        **_without_contacts(),
    )


@functools.cache
def _without_contacts() -> dict[str, Any]:
    """Return what stands for contacts where there are none; empty, so that nothing can be written into it."""
    arrays = contact_arrays(())
    return {
        "pairs": records(0, PAIR),
        "arrays": arrays,
        "lists": contact_lists(arrays, 64),
        "interfaces": records(0, INTERFACE),
        "pins": records(0, PIN),
    }
