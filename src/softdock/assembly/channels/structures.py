"""Channels of flexible structures and of their nodes."""

from collections.abc import Iterable, Iterator
from typing import ClassVar

import numpy as np

from softdock.assembly.channels.declaration import ChannelGroup, Field, Fields, Reading, suggest_field, vector
from softdock.dynamics.kernels.channels.channels import ChannelKind
from softdock.errors import InputError, no_such
from softdock.model.observations import Observation
from softdock.model.system import System

MAX_MODES = 60
"""Modes of a structure that are recorded by default."""


class Structures(ChannelGroup):
    """Energy and modal coordinates."""

    title = "Flexible structures"
    noun = "structure"
    text = "`structure.field`: elastic energy of a structure, and its modal coordinates `mode1` ..., one per mode."
    fields: ClassVar[Fields] = {
        "energy": Field(
            unit="J", meaning="Elastic energy of the structure.", kind=ChannelKind.STRUCTURE_ENERGY
        ),
        "mode1": Field(
            unit="m*kg^0.5", kind=ChannelKind.JOINT_POSITION,
            meaning="Coordinate of the first mode, normalised by its modal mass.",
        ),
    }  # fmt: skip

    def names(self, system: System) -> Iterable[str]:
        """Return the names of the structures."""
        return system.structures

    def fields_of(self, system: System, name: str) -> Fields:
        """Return the energy and one field per mode."""
        count = system.structures[name].find_modes(system.directory).frequency.size
        first = self.fields["mode1"]
        modes = {
            f"mode{k + 1}": Field(
                unit=first.unit, kind=first.kind, component=k,
                meaning=first.meaning if k == 0 else f"Coordinate of mode {k + 1}.",
            )
            for k in range(count)
        }  # fmt: skip
        return {"energy": self.fields["energy"], **modes}

    def locate(self, record: np.void, reading: Reading) -> None:
        """Write the index of the structure, or that of the modal coordinate in the state."""
        flexible, field = reading.assembly.flexible, reading.field
        index = flexible.structure_index[reading.observation.name]
        if field.kind == ChannelKind.STRUCTURE_ENERGY:
            record["i"] = index
        else:
            record["at"] = flexible.appendages[index].at_q + field.component
            record["component"] = 0

    def recorded(self, system: System) -> Iterator[Observation]:
        """Yield the energies and the first modes."""
        for name in system.structures:
            for field in list(self.fields_of(system, name))[: 1 + MAX_MODES]:
                yield Observation(name=name, field=field)


class Nodes(ChannelGroup):
    """Motion of nodes against the body that carries the structure."""

    title = "Nodes of flexible structures"
    noun = "node"
    recorded_fields = ()  # nodes are recorded if something refers to them.
    text = (
        "`structure/node.field`: motion of a node against the body that carries the structure, in body axes."
    )
    fields: ClassVar[Fields] = {
        **vector(ChannelKind.NODE_DEFLECTION, "rad", {f"r{axis}": f"Rotation about {axis}." for axis in "xyz"}),
        **vector(ChannelKind.NODE_DEFLECTION, "m", {
            **{f"d{axis}": f"Displacement along {axis}." for axis in "xyz"},
            "deflection": "Size of the displacement.",
        }, 3, size="deflection"),
        **vector(ChannelKind.NODE_RATE, "rad/s", {f"r{axis}_rate": f"Rate of `r{axis}`." for axis in "xyz"}),
        **vector(ChannelKind.NODE_RATE, "m/s", {
            **{f"d{axis}_rate": f"Rate of `d{axis}`." for axis in "xyz"},
            "deflection_rate": "Rate of `deflection`.",
        }, 3, size="deflection_rate"),
    }  # fmt: skip

    def names(self, system: System) -> Iterable[str]:
        """Return the names of all nodes."""
        return [
            f"{name}/{node}"
            for name, structure in system.structures.items()
            for node in structure.node_names(system.directory)
        ]

    def owns(self, system: System, name: str) -> bool:
        """Return whether a name has the form `structure/node`; the structure may be unknown."""
        return "/" in name

    def fields_of(self, system: System, name: str) -> Fields:
        """Return the fields; raises ValueError for an unknown structure or node."""
        structure, _, node = name.partition("/")
        if structure not in system.structures:
            raise ValueError(no_such("structure", structure, system.structures))
        try:
            nodes = system.structures[structure].node_names(system.directory)
        except InputError:  # reported by the check of the field that names the file
            nodes = (node,)
        if node not in nodes:
            raise ValueError(f"structure {structure!r} has no node {node!r}{suggest_field(node, nodes)}")
        return self.fields

    def index(self, reading: Reading) -> int:
        """Return the index of the node."""
        return reading.assembly.flexible.node_index[reading.observation.name]
