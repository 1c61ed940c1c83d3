"""Declaration of channels: unit, meaning and reader of every field, in groups by what the fields belong to."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from softdock.assembly.arrays import Assembly
from softdock.dynamics.kernels.channels.channels import ChannelKind, Form
from softdock.elements.fields import unit_along
from softdock.errors import suggest
from softdock.model.observations import Observation
from softdock.model.system import System


@dataclass(frozen=True, kw_only=True)
class Field:
    """One channel of a group: its unit, its meaning, and how the kernels read it."""

    unit: str
    """SI unit; both units, as `m or rad`, where it depends on the joint."""
    meaning: str
    """One sentence for the reference and for listings."""
    kind: ChannelKind
    """Reader of the kernels."""
    component: int = 0
    """Which value of the reader."""
    form: Form = Form.PLAIN
    """Smooth function of a channel that has kinks."""

    def along(self, motion: str) -> "Field":
        """Return the field with its unit along a joint that is `sliding` or `turning`."""
        return replace(self, unit=unit_along(self.unit, motion))


Fields = Mapping[str, Field]


def vector(
    kind: ChannelKind, unit: str, meanings: Mapping[str, str], first: int = 0, size: str = ""
) -> dict[str, Field]:
    """Return fields of one unit whose components follow each other; `size` names that of their norm."""
    return {
        name: Field(
            unit=unit, meaning=meaning, kind=kind, component=first + k,
            form=Form.SQUARE if name == size else Form.PLAIN,
        )
        for k, (name, meaning) in enumerate(meanings.items())
    }  # fmt: skip


def wrench(kind: ChannelKind, first: int = 0) -> dict[str, Field]:
    """Return the components of a force and of its torque, which follow each other."""
    forces = {f"f{axis}": f"Component of the force along {axis}." for axis in "xyz"}
    torques = {f"t{axis}": f"Component of the torque about {axis}." for axis in "xyz"}
    return vector(kind, "N", forces, first) | vector(kind, "N*m", torques, first + 3)


def moment(kind: ChannelKind, component: int = 0) -> Field:
    """Return the field with the size of a torque."""
    return Field(unit="N*m", meaning="Size of the torque.", kind=kind, component=component, form=Form.SQUARE)


@dataclass(frozen=True, kw_only=True)
class Reading:
    """An observation with what the kernels need to read it."""

    system: System
    assembly: Assembly
    observation: Observation
    field: Field


class ChannelGroup(ABC):
    """Channels of one kind of object: bodies, contacts, ..."""

    title: str
    """Heading in the reference."""
    text: str
    """What the channels belong to, and how they are written."""
    fields: ClassVar[Fields]
    """All fields that an object of this kind may have."""
    recorded_fields: tuple[str, ...] | None = None
    """Fields that are recorded by default; None for all."""
    noun = ""
    """What messages call the object, before its name."""
    seen_from_frames = False
    """Whether the object can be observed `in` a frame and at points."""

    @abstractmethod
    def names(self, system: System) -> Iterable[str]:
        """Return the names of the objects of this kind in a system."""

    def owns(self, system: System, name: str) -> bool:
        """Return whether a name is that of an object of this kind, or has the form of such a name."""
        return name in self.names(system)

    def fields_of(self, system: System, name: str) -> Fields:
        """Return the fields of one object, with their units; raises ValueError if there is no such object."""
        return self.fields

    def check(self, system: System, observation: Observation) -> None:
        """Raise ValueError for a field of this group that the object does not have."""
        return

    def index(self, reading: Reading) -> int:
        """Return the index of the object among the records of its kind."""
        return 0

    def locate(self, record: np.void, reading: Reading) -> None:
        """Write the indices of the object to a channel record that has kind and component of the field."""
        record["i"] = self.index(reading)

    def recorded(self, system: System) -> Iterator[Observation]:
        """Yield the channels that are recorded by default."""
        for name in self.names(system) if self.recorded_fields != () else ():
            for field in self.recorded_fields or self.fields_of(system, name):
                yield Observation(name=name, field=field)


_SYNONYMS = {
    "torque": ("moment",), "position": ("joint", "distance"), "angle": ("joint", "tilt", "deflection"),
    "speed": ("velocity", "joint_rate"), "omega": ("rate",), "angular_velocity": ("rate",),
    "stroke": ("joint", "deflection"), "displacement": ("deflection", "distance"), "load": ("force",),
    "penetration": ("depth",), "reaction": ("joint_force",),
}  # fmt: skip
"""Terms of other tools and the fields with their meaning; the first one that exists applies."""


def suggest_field(given: str, known: Iterable[str]) -> str:
    """Return a remark with the name here of a term of another tool, or with a similar name; empty if there is none."""
    names = list(known)
    meant = [name for name in _SYNONYMS.get(given, ()) if name in names]
    if meant:
        return f" (here it is called {meant[0]!r})"
    return suggest(given, names)
