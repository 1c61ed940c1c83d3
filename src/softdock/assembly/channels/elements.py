"""Channels of springs, stops, drives, struts, welds, locks, couplings and loads."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import ClassVar

import numpy as np

from softdock.assembly.channels.declaration import ChannelGroup, Field, Fields, Reading, moment, wrench
from softdock.dynamics.kernels.channels.channels import ChannelKind, DriveValue, Form
from softdock.dynamics.kernels.forces.couplings import ANGLE, JAMMED, MATED, MISALIGNMENT, MISSED
from softdock.dynamics.kernels.forces.elements import SPRING
from softdock.model.couplings import Coupling
from softdock.model.elements import Drive, JointElement, Load, Lock, Strut, Weld
from softdock.model.observations import Observation
from softdock.model.system import System

MOMENT = 6
"""Component of a wrench of an element with the size of the torque."""


class ElementGroup(ChannelGroup):
    """Channels of elements of some classes."""

    classes: tuple[type, ...]

    def names(self, system: System) -> Iterable[str]:
        """Return the names of the elements."""
        return [name for name, one in system.elements().items() if isinstance(one, self.classes)]

    def owns(self, system: System, name: str) -> bool:
        """Return whether a name is that of an element of these classes."""
        return isinstance(system.elements().get(name), self.classes)

    def index(self, reading: Reading) -> int:
        """Return the index of the element."""
        return reading.assembly.element_index[reading.observation.name]


class JointElements(ElementGroup):
    """Forces along joints."""

    title = "Springs, stops and drives"
    text = "`name.field` of an element along a joint."
    classes = (JointElement,)
    fields: ClassVar[Fields] = {
        "force": Field(
            unit="N or N*m", kind=ChannelKind.ELEMENT_FORCE,
            meaning="Force that the element transmits; on a joint that turns a torque, which is also called `moment`. "
            "Positive forces of springs act towards the rest position; a stop has the size.",
        ),
        "moment": Field(unit="N*m", meaning="Torque on a joint that turns.", kind=ChannelKind.ELEMENT_FORCE),
        "energy": Field(unit="J", meaning="Stored elastic energy.", kind=ChannelKind.ELEMENT_ENERGY),
        "deflection": Field(
            unit="m or rad", kind=ChannelKind.ELEMENT_DEFLECTION,
            meaning="Deflection from the rest position; of a stop beyond its nearer limit (negative inside); of a "
            "drive from its command.",
        ),
    }  # fmt: skip

    def fields_of(self, system: System, name: str) -> Fields:
        """Return the fields with the units of the joint; `moment` only where it turns."""
        element = system.elements()[name]
        assert isinstance(element, JointElement)
        motion = system.motions_of(element)[0]
        return {
            key: field.along(motion)
            for key, field in self.fields.items()
            if key != "moment" or motion == "turning"
        }

    def locate(self, record: np.void, reading: Reading) -> None:
        """Write the index of the element; force and deflection of a spring on several axes are sizes of vectors."""
        super().locate(record, reading)
        element = reading.assembly.elements[record["i"]]
        if reading.field.kind != ChannelKind.ELEMENT_ENERGY and element.kind == SPRING and element.rows > 1:
            record["form"] = Form.SQUARE


class Drives(ElementGroup):
    """Commands of drives."""

    title = "Drives"
    recorded_fields = ()  # these are recorded if something refers to them.
    text = "`name.field` of a drive, besides those above. Units are those of a drive that follows a position."
    classes = (Drive,)
    fields: ClassVar[Fields] = {
        "command": Field(
            unit="m or rad", meaning="Position, or speed, that the drive follows.",
            kind=ChannelKind.DRIVE_VALUE, component=DriveValue.COMMAND,
        ),
        "command_speed": Field(
            unit="m/s or rad/s", meaning="Rate of `command`.",
            kind=ChannelKind.DRIVE_VALUE, component=DriveValue.COMMAND_SPEED,
        ),
        "lag": Field(
            unit="m or rad", kind=ChannelKind.DRIVE_VALUE, component=DriveValue.LAG,
            meaning="Size of the difference of command and joint; zero without power, unless the drive is "
            "self-locking.",
        ),
        "power": Field(
            unit="W", meaning="Mechanical power of the motor; negative while it brakes.",
            kind=ChannelKind.DRIVE_VALUE, component=DriveValue.POWER,
        ),
        "stalled": Field(
            unit="1", kind=ChannelKind.DRIVE_VALUE, component=DriveValue.STALLED,
            meaning="Positive while the drive is at its limit of force or power and its joint slower than "
            "`stall_speed`; in conditions without a comparison: `motor.stalled for 0.2 s`.",
        ),
    }  # fmt: skip
    _RATES: ClassVar = {"m": "m/s", "rad": "rad/s", "m/s": "m/s^2", "rad/s": "rad/s^2"}

    def fields_of(self, system: System, name: str) -> Fields:
        """Return the fields with the units of the joint and of what the drive follows."""
        drive = system.drives[name]
        found = {key: field.along(system.motions_of(drive)[0]) for key, field in self.fields.items()}
        if drive.follows == "position":
            return found
        return {key: replace(one, unit=self._RATES.get(one.unit, one.unit)) for key, one in found.items()}


class Connections(ElementGroup):
    """Forces between two bodies."""

    title = "Struts, welds and locks"
    text = (
        "`name.field` of a connection of two bodies. Struts have the components of the force, welds and locks also "
        "those of the torque, on the second body, in the axes and at the origin of frame a."
    )
    classes = (Strut, Weld, Lock)
    fields: ClassVar[Fields] = {
        "force": Field(
            unit="N", kind=ChannelKind.ELEMENT_FORCE,
            meaning="Force that the element transmits: of struts positive if it pulls, of welds and locks its size.",
        ),
        "energy": Field(
            unit="J", meaning="Stored elastic energy; zero for locks.", kind=ChannelKind.ELEMENT_ENERGY
        ),
        "deflection": Field(
            unit="m", kind=ChannelKind.ELEMENT_DEFLECTION, form=Form.SQUARE,
            meaning="Change of length of a strut; distance of a weld or lock from the pose that it holds.",
        ),
        "moment": moment(ChannelKind.ELEMENT_WRENCH, MOMENT),
        **wrench(ChannelKind.ELEMENT_WRENCH),
    }  # fmt: skip

    def fields_of(self, system: System, name: str) -> Fields:
        """Return the fields; struts transmit no torque."""
        if name not in system.struts:
            return self.fields
        return {key: field for key, field in self.fields.items() if field.unit != "N*m"}

    def recorded(self, system: System) -> Iterator[Observation]:
        """Yield all but the energy of locks, which is zero."""
        for one in super().recorded(system):
            if one.name not in system.locks or one.field != "energy":
                yield one


class Couplings(ElementGroup):
    """Plugs in sockets."""

    title = "Couplings"
    text = (
        "`name.field` of a plug and its socket; components are those of the force on the plug, and of its torque about "
        "the origin of the socket, in axes of the socket."
    )
    classes = (Coupling,)
    fields: ClassVar[Fields] = {
        "stroke": Field(
            unit="m", kind=ChannelKind.ELEMENT_DEFLECTION,
            meaning="Travel of the tip of the plug into the socket; negative outside.",
        ),
        "force": Field(unit="N", meaning="Size of the total force.", kind=ChannelKind.ELEMENT_FORCE),
        "misalignment": Field(
            unit="m", meaning="Distance of the tip of the plug from the axis of the socket.",
            kind=ChannelKind.COUPLING_VALUE, component=MISALIGNMENT, form=Form.SQUARE,
        ),
        "angle": Field(
            unit="rad", meaning="Angle between the axes of plug and socket.",
            kind=ChannelKind.COUPLING_VALUE, component=ANGLE, form=Form.SQUARE,
        ),
        "mated": Field(
            unit="1", meaning="1 where the stroke is complete within the limits of misalignment, else 0.",
            kind=ChannelKind.COUPLING_VALUE, component=MATED,
        ),
        "jammed": Field(
            unit="1", meaning="1 where the plug did not enter because the limits were exceeded, else 0.",
            kind=ChannelKind.COUPLING_VALUE, component=JAMMED,
        ),
        "missed": Field(
            unit="1", meaning="1 where the plug is beside the socket, beyond its capture radius, else 0.",
            kind=ChannelKind.COUPLING_VALUE, component=MISSED,
        ),
        "energy": Field(
            unit="J", meaning="Elastic energy of spring, latch, guidance and end stop.",
            kind=ChannelKind.ELEMENT_ENERGY,
        ),
        "moment": moment(ChannelKind.ELEMENT_WRENCH, MOMENT),
        **wrench(ChannelKind.ELEMENT_WRENCH),
    }  # fmt: skip


class Loads(ElementGroup):
    """External forces and torques."""

    title = "Loads"
    text = (
        "`name.field` of an external load: its force and its torque about the origin, in axes of the world."
    )
    classes = (Load,)
    recorded_fields = ("force", "moment", "fx", "fy", "fz", "tx", "ty", "tz")
    fields: ClassVar[Fields] = {
        "force": Field(unit="N", meaning="Size of the force.", kind=ChannelKind.ELEMENT_FORCE),
        "energy": Field(unit="J", meaning="Zero: a load stores none.", kind=ChannelKind.ELEMENT_ENERGY),
        "deflection": Field(unit="m", meaning="Zero: a load has none.", kind=ChannelKind.ELEMENT_DEFLECTION),
        "moment": moment(ChannelKind.ELEMENT_WRENCH, MOMENT),
        **wrench(ChannelKind.ELEMENT_WRENCH),
    }


ELEMENT_GROUPS = (JointElements(), Drives(), Connections(), Couplings(), Loads())
"""Groups of elements, in the order in which their channels are recorded."""
