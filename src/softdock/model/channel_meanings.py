"""Meaning of every channel, for the reference and for listings; units come from the tables in `observations`."""

from collections.abc import Iterator, Mapping
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


@dataclass(frozen=True, kw_only=True)
class ChannelGroup:
    """Channels of one kind of object: bodies, contacts, ..."""

    title: str
    text: str
    """What the channels belong to, and how they are written."""
    fields: Mapping[str, str]
    """Units by field; two where the unit depends on the joint."""
    meanings: Mapping[str, str]
    prefix: str = ""
    """Text before the names of the fields."""

    def rows(self) -> Iterator[tuple[str, str, str]]:
        """Yield field, unit and meaning."""
        for field, unit in self.fields.items():
            yield f"{self.prefix}{field}", unit, self.meanings.get(field, "")


CHANNELS = (
    ChannelGroup(
        title="Bodies",
        text="`body.field`, seen from the world, or `body.field in other`, seen from another body: its position from "
        "the origin of the other body, in its axes. In orbit, `in hill` observes from the orbital frame.",
        fields=observations.BODY_FIELDS,
        meanings={
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
    ChannelGroup(
        title="Controllers",
        text="`body.field` of a body with a controller in `gnc`; errors are those at its last sample.",
        fields=observations.CONTROLLER_FIELDS,
        meanings={
            "propellant": "Propellant used by its thrusters.",
            "thrust": "Size of the force of its thrusters.",
            "mode": "0 drift, 1 approach, 2 hold, 3 retreat, 4 thrust, 5 stabilise, 6 transfer.",
            "reference": "Distance of the reference from the port.",
            "reference_speed": "Closing speed of the reference, along the glide slope.",
            "violations": "Number of times that it left its corridor or did not pass a gate in time.",
            "position_error": "Size of the difference of estimated and wanted position.",
            "speed_error": "Size of the difference of estimated and wanted velocity.",
            "angle_error": "Angle between estimated and wanted attitude.",
            "rate_error": "Size of the difference of estimated and wanted angular rate.",
            "position_estimate_error": "Size of the error of the estimated position.",
            "speed_estimate_error": "Size of the error of the estimated velocity.",
            "angle_estimate_error": "Size of the error of the estimated attitude.",
            "propellant_left": "Propellant left, if `propellant` limits it.",
            "corridor": "Distance of the estimated tip from the border of the corridor; negative outside.",
        },
    ),
    ChannelGroup(
        title="Navigation",
        text="`body.field` of a body whose controller has `navigation`, at its last sample.",
        fields=observations.NAVIGATION_FIELDS,
        meanings={
            "estimate_x": "Estimated position of the tip along the x axis of the port.",
            "estimate_y": "Estimated position along the y axis of the port.",
            "estimate_z": "Estimated position along the z axis of the port; negative in front of it.",
            "position_sigma": "Standard deviation of the position of the tip, of all axes together, by the filters.",
            "speed_sigma": "Standard deviation of the velocity that the filter states.",
            "angle_sigma": "Standard deviation of the attitude that the filter states.",
            "lost_measurements": "Number of measurements that were out of view or dropped since the start.",
        },
    ),
    ChannelGroup(
        title="Thrusters",
        text="`body/thruster.field` of a thruster of a controller in `gnc`.",
        fields=observations.THRUSTER_FIELDS,
        meanings={
            "on_time": "Time for which it has been on since the start.",
            "firings": "Number of pulses since the start; recorded if an event, metric or requirement uses it.",
        },
    ),
    ChannelGroup(
        title="Orbit",
        text="`hill.field`, of a system in orbit with `sun`.",
        fields=observations.ORBIT_FIELDS,
        meanings={
            "sunlight": "Visible fraction of the Sun's disc: 1 in sunlight, 0 in the umbra of the Earth."
        },
    ),
    ChannelGroup(
        title="Joints",
        text="`body.field` of the joint between a body and its parent. The second and third axis of `universal`, "
        "`planar` and `spherical` joints have a number; a spherical joint has rates only.",
        fields={
            field: "m/s or rad/s" if "rate" in field else "m or rad" for field in observations.JOINT_FIELDS
        },
        meanings={
            "joint": "Position along the first axis.",
            "joint1": "Position along the second axis.",
            "joint2": "Position along the third axis.",
            "joint_rate": "Speed along the first axis.",
            "joint_rate1": "Speed along the second axis.",
            "joint_rate2": "Speed along the third axis.",
        },
    ),
    ChannelGroup(
        title="Reaction of a joint or mount",
        text="`body.field`: force and torque that the parent transmits to the body through its joint or fixed mount, "
        "at the frame of the joint and in its axes; not of free bodies.",
        fields=observations.REACTION_FIELDS,
        meanings={"force": "Size of the force.", **COMPONENT_MEANINGS},
        prefix="joint_",
    ),
    ChannelGroup(
        title="Reactions at other frames",
        text="`name.field` of a frame in `reactions`: the same, at that frame and in its axes.",
        fields=observations.REACTION_FIELDS,
        meanings={"force": "Size of the force.", **COMPONENT_MEANINGS},
    ),
    ChannelGroup(
        title="Springs, stops, drives, struts, welds, locks and loads",
        text="`name.field` of an element. Struts have the components of the force, welds and locks also those "
        "of the torque, on the second body, in the axes and at the origin of frame a; loads in the world.",
        fields={"force": "N or N*m", "energy": "J", "deflection": "m or rad", **observations.WRENCH_FIELDS},
        meanings={
            "force": "Force that the element transmits; on a joint that turns a torque, which is also called `moment`. "
            "Positive forces of springs and struts act towards the rest position; welds, locks, stops and loads have "
            "the size.",
            "energy": "Stored elastic energy; not of locks and loads.",
            "deflection": "Deflection from the rest position; of a stop beyond its nearer limit (negative "
            "inside); of a drive from its command; of a weld or lock from the pose that it holds.",
            **COMPONENT_MEANINGS,
        },
    ),
    ChannelGroup(
        title="Drives",
        text="`name.field` of a drive, besides those of elements. Units are those of a drive that follows a position.",
        fields=dict(
            zip(observations.DRIVE_FIELDS, ("m or rad", "m/s or rad/s", "m or rad", "W", "1"), strict=True)
        ),
        meanings={
            "command": "Position, or speed, that the drive follows.",
            "command_speed": "Rate of `command`.",
            "lag": "Size of the difference of command and joint; zero without power, unless the drive is self-locking.",
            "power": "Mechanical power of the motor; negative while it brakes.",
            "stalled": "Positive while the drive is at its limit of force or power and its joint slower than "
            "`stall_speed`; in conditions without a comparison: `motor.stalled for 0.2 s`.",
        },
    ),
    ChannelGroup(
        title="Couplings",
        text="`name.field` of a plug and its socket; components are those of the force on the plug, and of its torque "
        "about the origin of the socket, in axes of the socket.",
        fields=observations.COUPLING_FIELDS,
        meanings={
            "stroke": "Travel of the tip of the plug into the socket; negative outside.",
            "force": "Size of the total force.",
            "misalignment": "Distance of the tip of the plug from the axis of the socket.",
            "angle": "Angle between the axes of plug and socket.",
            "mated": "1 where the stroke is complete within the limits of misalignment, else 0.",
            "jammed": "1 where the plug did not enter because the limits were exceeded, else 0.",
            "missed": "1 where the plug is beside the socket, beyond its capture radius, else 0.",
            "energy": "Elastic energy of spring, latch, guidance and end stop.",
            **COMPONENT_MEANINGS,
        },
    ),
    ChannelGroup(
        title="Contacts",
        text="`contact-name.field` of one contact; `contact.field` is the largest value of all contacts and "
        "interfaces.",
        fields=observations.CONTACT_FIELDS,
        meanings={
            "force": "Size of the contact force: pressure and friction.",
            "depth": "Largest depth of surface b below surface a.",
            "area": "Area of contact.",
            "pressure": "Largest pressure.",
            "energy": "Elastic energy of the layer.",
        },
    ),
    ChannelGroup(
        title="Components of a contact force",
        text="`contact-name.field`: force on surface b, and its torque about the origin of surface a, in the axes "
        "of surface a.",
        fields=observations.WRENCH_FIELDS,
        meanings=COMPONENT_MEANINGS,
    ),
    ChannelGroup(
        title="Zones of a surface",
        text="`contact-name/zone.field` of a zone of surface a of a contact, or `contact-name/3.field` of a segment of "
        "its meridian, counted from 1.",
        fields=observations.ZONE_FIELDS,
        meanings={
            "force": "Size of the force on the zone.",
            "area": "Area of contact in the zone.",
            "pressure": "Largest pressure in the zone.",
            **COMPONENT_MEANINGS,
        },
    ),
    ChannelGroup(
        title="Pins in holes",
        text="`interface.field` of all pins of an interface together; components are those of the force on the pins, "
        "in axes of the holes.",
        fields=observations.INTERFACE_FIELDS,
        meanings={
            "force": "Size of the total force.",
            "pin_force": "Largest force on one pin.",
            "depth": "Largest depth of penetration.",
            "contacts": "Number of contacts.",
            "insertion": "Insertion of the pin that is inserted least.",
            "energy": "Elastic energy of all contacts.",
            **COMPONENT_MEANINGS,
        },
    ),
    ChannelGroup(
        title="Nodes of flexible structures",
        text="`structure/node.field`: motion of a node against the body that carries the structure, in body axes. "
        "`structure.energy` is the elastic energy [J] of a structure, `structure.mode1` ... are its modal coordinates "
        "[m kg^½].",
        fields=observations.NODE_FIELDS,
        meanings={
            **{f"r{axis}": f"Rotation about {axis}." for axis in "xyz"},
            **{f"d{axis}": f"Displacement along {axis}." for axis in "xyz"},
            "deflection": "Size of the displacement.",
            **{f"r{axis}_rate": f"Rate of `r{axis}`." for axis in "xyz"},
            **{f"d{axis}_rate": f"Rate of `d{axis}`." for axis in "xyz"},
            "deflection_rate": "Rate of `deflection`.",
        },
    ),
)
"""All groups of channels, in the order of the reference."""
