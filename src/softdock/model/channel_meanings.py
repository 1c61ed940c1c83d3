"""Meaning of every channel, for the reference and for listings; units come from the tables in `observations`."""

from collections.abc import Iterator
from dataclasses import dataclass

from softdock.model import observations

COMPONENT_MEANINGS = {
    "fx": "Component of the force along x.",
    "fy": "Component of the force along y.",
    "fz": "Component of the force along z.",
    "tx": "Component of the torque about x.",
    "ty": "Component of the torque about y.",
    "tz": "Component of the torque about z.",
    "moment": "Size of the torque.",
}


@dataclass(frozen=True)
class ChannelGroup:
    """Channels of one sort of thing: bodies, contacts, ..."""

    title: str
    text: str
    """Of what these are, and how they are written."""
    table: str
    """Name of the table of fields in `observations`."""
    meanings: dict[str, str]
    units: dict[str, str]
    """Units of a table that has none, because they depend on the joint."""

    def rows(self) -> Iterator[tuple[str, str, str]]:
        """Yield field, unit and meaning."""
        table = getattr(observations, self.table)
        for field in table:
            unit = table[field] if isinstance(table, dict) else self.units[field]
            yield field, unit, self.meanings.get(field, "")


def _group(
    title: str, text: str, table: str, meanings: dict[str, str], units: dict[str, str] | None = None
) -> ChannelGroup:
    return ChannelGroup(title, text, table, meanings, units or {})


_ALL = (
    _group(
        "Bodies",
        "`body.field`, seen from the world, or `body.field in other`, seen from another body: its position from the "
        "origin of the other body, in the axes of the other body. In orbit, `in hill` observes from the orbital frame.",
        "BODY_FIELDS",
        {
            "x": "Position of the body's origin along x.",
            "y": "Position of the body's origin along y.",
            "z": "Position of the body's origin along z.",
            "distance": "Distance between the two origins.",
            "vx": "Rate of `x`, as seen from the other body.",
            "vy": "Rate of `y`.",
            "vz": "Rate of `z`.",
            "velocity": "Size of the velocity.",
            "wx": "Angular velocity about x of the other body.",
            "wy": "Angular velocity about y.",
            "wz": "Angular velocity about z.",
            "rate": "Size of the angular velocity.",
            "tilt": "Angle between the z axes.",
            "qw": "Scalar part of the attitude quaternion.",
            "qx": "First component of the vector part.",
            "qy": "Second component of the vector part.",
            "qz": "Third component of the vector part.",
            "ax": "Inertial acceleration of the body's origin along x.",
            "ay": "Inertial acceleration along y.",
            "az": "Inertial acceleration along z.",
            "acceleration": "Size of the inertial acceleration.",
            "alphax": "Angular acceleration about x.",
            "alphay": "Angular acceleration about y.",
            "alphaz": "Angular acceleration about z.",
            "alpha": "Size of the angular acceleration.",
        },
    ),
    _group(
        "Joints",
        "`body.field` of the joint between a body and its parent. The second and third axis of `universal`, `planar` "
        "and `spherical` joints have a number; a spherical joint has rates only.",
        "JOINT_FIELDS",
        {
            "joint": "Position along the first axis.",
            "joint1": "Position along the second axis.",
            "joint2": "Position along the third axis.",
            "joint_rate": "Speed along the first axis.",
            "joint_rate1": "Speed along the second axis.",
            "joint_rate2": "Speed along the third axis.",
        },
        {field: "m/s or rad/s" if "rate" in field else "m or rad" for field in observations.JOINT_FIELDS},
    ),
    _group(
        "Reactions",
        "`name.field` of a frame in `reactions`, or `body.joint_field` of a body: the force and torque that the parent "
        "transmits to the body through its joint or fixed mount, at the frame and in its axes.",
        "REACTION_FIELDS",
        {"force": "Size of the force.", **COMPONENT_MEANINGS},
    ),
    _group(
        "Springs, stops, drives, struts, welds, locks and loads",
        "`name.field` of an element.",
        "ELEMENT_FIELDS",
        {
            "force": "Force that the element transmits; a torque [N m] on a joint that turns. Positive forces of "
            "springs and struts act towards the rest position; welds, locks, stops and loads have the size.",
            "energy": "Stored elastic energy; not of locks and loads.",
            "deflection": "Deflection from the rest position; of a stop beyond its limit (negative inside); of a drive "
            "from its command; of a weld or lock from the pose that it holds.",
        },
        {"force": "N or N*m", "energy": "J", "deflection": "m or rad"},
    ),
    _group(
        "Contacts",
        "`contact-name.field` of one contact; `contact.field` is the largest value of all contacts and interfaces.",
        "CONTACT_FIELDS",
        {
            "force": "Size of the contact force: pressure and friction.",
            "depth": "Largest depth of surface b below surface a.",
            "area": "Area of contact.",
            "pressure": "Largest pressure.",
            "energy": "Elastic energy of the layer.",
        },
    ),
    _group(
        "Components of a contact force",
        "`contact-name.field`: force on surface b, and its torque about the origin of surface a, in the axes "
        "of surface a.",
        "WRENCH_FIELDS",
        COMPONENT_MEANINGS,
    ),
    _group(
        "Zones of a surface",
        "`contact-name/zone.field` of a zone of surface a of a contact, or `contact-name/3.field` of a segment of its "
        "meridian, counted from 1.",
        "ZONE_FIELDS",
        {
            "force": "Size of the force on the zone.",
            "area": "Area of contact in the zone.",
            "pressure": "Largest pressure in the zone.",
            **COMPONENT_MEANINGS,
        },
    ),
    _group(
        "Pins in holes",
        "`interface.field` of all pins of an interface together; components are those of the force on the pins, in "
        "axes of the holes.",
        "INTERFACE_FIELDS",
        {
            "force": "Size of the total force.",
            "pin_force": "Largest force on one pin.",
            "depth": "Largest depth of penetration.",
            "contacts": "Number of contacts.",
            "insertion": "Insertion of the tip that is least in.",
            "energy": "Elastic energy of all contacts.",
            **COMPONENT_MEANINGS,
        },
    ),
    _group(
        "Nodes of flexible structures",
        "`structure/node.field`: motion of a node against the body that carries the structure, in body axes. "
        "`structure.energy` is the elastic energy [J] of a structure, `structure.mode1` ... are its modal coordinates "
        "[m kg^½].",
        "NODE_FIELDS",
        {
            **{f"r{axis}": f"Rotation about {axis}." for axis in "xyz"},
            **{f"d{axis}": f"Displacement along {axis}." for axis in "xyz"},
            "deflection": "Size of the displacement.",
            **{f"r{axis}_rate": f"Rate of `r{axis}`." for axis in "xyz"},
            **{f"d{axis}_rate": f"Rate of `d{axis}`." for axis in "xyz"},
            "deflection_rate": "Rate of `deflection`.",
        },
    ),
)
CHANNELS = tuple(group for group in _ALL if hasattr(observations, group.table))
"""All groups of channels, in the order of the reference."""
