"""Trees of bodies with joints, springs, drives and events."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from softdock.multibody.system import System


def warm_up() -> None:
    """Compile or load all kernels of this room by one short run and a strike."""
    import numpy as np

    from softdock.multibody.assemble import assemble
    from softdock.multibody.impulse import Impact
    from softdock.multibody.kernels.interfaces import INTERFACE, PIN, apply_interfaces
    from softdock.multibody.kernels.tree import LINK, records
    from softdock.multibody.run import Simulation
    from softdock.multibody.settings import Settings

    apply_interfaces(records(0, LINK), records(0, INTERFACE), records(0, PIN), np.zeros(1))
    assembly = assemble(_ball())
    Simulation(assembly=assembly, settings=Settings(duration=1e-3)).run()
    Impact(assembly, assembly.y).response({})


def warm_up_beside() -> None:
    """Compile in a second process what a run needs beside its own kernel: equations of motion, then near lists.

    Equations made linear come right after, and then the response to a strike: they have most of their parts in common.
    """
    import numpy as np

    from softdock.contact import warm_up_lists
    from softdock.multibody.assemble import assemble
    from softdock.multibody.impulse import Impact
    from softdock.multibody.kernels.derivative import derivative
    from softdock.multibody.kernels.linear import linearise, room_for
    from softdock.multibody.machine import machine_of

    assembly = assemble(_ball())
    machine = machine_of(assembly)
    derivative(machine, 0.0, assembly.y, np.zeros_like(assembly.y))
    linearise(machine, 0.0, assembly.y, room_for(6, len(machine.links), 0))
    Impact(assembly, assembly.y).response({})
    warm_up_lists()


def _ball() -> "System":
    from softdock.multibody.system import Body, System

    return System(bodies={"ball": Body(mass=1.0, inertia=(1.0, 1.0, 1.0))})
