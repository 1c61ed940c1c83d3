"""Channels of bodies, of their joints and reactions, and of the orbital frame."""

from collections.abc import Iterable, Iterator
from typing import ClassVar

import numpy as np

from softdock.assembly.channels.declaration import (
    ChannelGroup,
    Field,
    Fields,
    Reading,
    moment,
    vector,
    wrench,
)
from softdock.dynamics.kernels.channels.channels import ChannelKind, Form
from softdock.dynamics.kernels.forces.reactions import FORCE_SIZE, MOMENT_SIZE
from softdock.errors import no_such
from softdock.model.observations import Observation
from softdock.model.orbit import HILL
from softdock.model.system import WORLD, System

JOINT_REACTION = "joint_"
"""Prefix of the fields of a body's own reaction."""


class BodyGroup(ChannelGroup):
    """Channels that are written with the name of a body, and are seen from frames."""

    noun = "body"
    seen_from_frames = True

    def names(self, system: System) -> Iterable[str]:
        """Return the names of all bodies, and `hill` in orbit."""
        return (*system.bodies, *((HILL,) if system.orbit is not None else ()))


class FrameMotion(BodyGroup):
    """Motion of the frame of a body, or of a point of it."""

    title = "Bodies"
    text = (
        "`body.field`, seen from the world, or `body.field in other`, seen from another body: its position from the "
        "origin of the other body, in its axes. In orbit, `in hill` observes from the orbital frame."
    )
    fields: ClassVar[Fields] = {
        **vector(ChannelKind.POSITION, "m", {
            "x": "Position of the body's origin along x.",
            "y": "Position of the body's origin along y.",
            "z": "Position of the body's origin along z.",
            "distance": "Distance between the two origins.",
        }, size="distance"),
        **vector(ChannelKind.VELOCITY, "m/s", {
            "vx": "Rate of `x`, as seen from the other body.",
            "vy": "Rate of `y`.",
            "vz": "Rate of `z`.",
            "velocity": "Size of the velocity.",
        }, size="velocity"),
        **vector(ChannelKind.TURN_RATE, "rad/s", {
            "wx": "Angular velocity about x of the other body.",
            "wy": "Angular velocity about y.",
            "wz": "Angular velocity about z.",
            "rate": "Size of the angular velocity.",
        }, size="rate"),
        "tilt": Field(
            unit="rad", meaning="Angle between the z axes.", kind=ChannelKind.TILT, form=Form.COSINE
        ),
        "qw": Field(
            unit="1", meaning="Scalar part of the attitude quaternion.", kind=ChannelKind.ATTITUDE, component=3
        ),
        **vector(ChannelKind.ATTITUDE, "1", {
            "qx": "First component of the vector part.",
            "qy": "Second component of the vector part.",
            "qz": "Third component of the vector part.",
        }),
        **vector(ChannelKind.ACCELERATION, "m/s^2", {
            "ax": "Inertial acceleration of the body's origin along x.",
            "ay": "Inertial acceleration along y.",
            "az": "Inertial acceleration along z.",
            "acceleration": "Size of the inertial acceleration.",
        }, size="acceleration"),
        **vector(ChannelKind.TURN_ACCELERATION, "rad/s^2", {
            "alphax": "Angular acceleration about x.",
            "alphay": "Angular acceleration about y.",
            "alphaz": "Angular acceleration about z.",
            "alpha": "Size of the angular acceleration.",
        }, size="alpha"),
    }  # fmt: skip

    def check(self, system: System, observation: Observation) -> None:
        """Refuse the acceleration of the orbital frame."""
        kind = self.fields[observation.field].kind
        if observation.name == HILL and kind in (ChannelKind.ACCELERATION, ChannelKind.TURN_ACCELERATION):
            raise ValueError("the acceleration of the frame 'hill' is not computed")

    def locate(self, record: np.void, reading: Reading) -> None:
        """Write the frames of the body and of the observer."""
        observation, assembly = reading.observation, reading.assembly
        record["in_world"] = int(observation.frame == WORLD and observation.frame_point is None)
        for link, frame, name, point in (
            ("i", "F", observation.name, observation.point),
            ("j", "G", observation.frame, observation.frame_point),
        ):
            placed = assembly.placed[name]
            record[link] = placed.link
            record[f"R_{link}{frame}"] = placed.X_LB.R.ravel()
            record[f"p_{link}{frame}"] = placed.X_LB.p
            if point is not None:
                record[f"p_{link}{frame}"] += placed.X_LB.R @ point

    def recorded(self, system: System) -> Iterator[Observation]:
        """Yield position, attitude and velocities of every body, and the motion of its joint."""
        fields = ("x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz")
        for name in system.bodies:
            for field in (*fields, *joint_fields(system, name)):
                yield Observation(name=name, field=field)


class Joints(BodyGroup):
    """Position and speed along the axes of joints."""

    title = "Joints"
    recorded_fields = ()  # joints are recorded with the motion of their bodies.
    text = (
        "`body.field` of the joint between a body and its parent. The second and third axis of `universal`, `planar` "
        "and `spherical` joints have a number; a spherical joint has rates only."
    )
    fields: ClassVar[Fields] = {
        **vector(ChannelKind.JOINT_POSITION, "m or rad", {
            "joint": "Position along the first axis.",
            "joint1": "Position along the second axis.",
            "joint2": "Position along the third axis.",
        }),
        **vector(ChannelKind.JOINT_SPEED, "m/s or rad/s", {
            "joint_rate": "Speed along the first axis.",
            "joint_rate1": "Speed along the second axis.",
            "joint_rate2": "Speed along the third axis.",
        }),
    }  # fmt: skip

    def check(self, system: System, observation: Observation) -> None:
        """Refuse axes that the joint does not have, and points."""
        name, field = observation.name, observation.field
        _check_joint(observation)
        if field not in joint_fields(system, name):
            raise ValueError(f"the {system.bodies[name].joint.type} joint of {name!r} has no {field!r}")

    def fields_of(self, system: System, name: str) -> Fields:
        """Return the fields with the units of the axes of a joint; those that it lacks as they are."""
        motions = system.bodies[name].joint.motions if name in system.bodies else ()
        return {
            key: field.along(motions[field.component]) if field.component < len(motions) else field
            for key, field in self.fields.items()
        }

    def locate(self, record: np.void, reading: Reading) -> None:
        """Write the index of an axis in the state."""
        assembly, field = reading.assembly, reading.field
        place = assembly.joints[reading.observation.name]
        if field.kind == ChannelKind.JOINT_SPEED:
            record["at"] = int(assembly.world[0].n_q) + place.at_u + field.component
        else:
            record["at"] = place.at_q + field.component


def _check_joint(observation: Observation) -> None:
    """Raise ValueError for a point of a body, and for the orbital frame, where a joint is observed."""
    name, field = observation.name, observation.field
    if observation.has_points:
        raise ValueError(f"{field!r} is about the joint of {name!r}, not about a point of it")
    if name == HILL:
        raise ValueError("the frame 'hill' has no joint")


def joint_fields(system: System, name: str) -> list[str]:
    """Return the fields of `Joints` that the joint of a body has; a spherical joint has no position."""
    joint = system.bodies[name].joint
    return [
        key
        for key, field in Joints.fields.items()
        if field.component < len(joint.motions)
        and not (joint.type == "spherical" and field.kind == ChannelKind.JOINT_POSITION)
    ]


REACTION_FIELDS: Fields = {
    "force": Field(
        unit="N", meaning="Size of the force.", kind=ChannelKind.REACTION, component=FORCE_SIZE,
        form=Form.SQUARE,
    ),
    "moment": moment(ChannelKind.REACTION, MOMENT_SIZE),
    **wrench(ChannelKind.REACTION),
}  # fmt: skip


class JointReactions(BodyGroup):
    """Wrench that the parent of a body transmits to it."""

    title = "Reaction of a joint or mount"
    recorded_fields = ()  # components of reactions are recorded where the reaction is observed.
    text = (
        "`body.field`: force and torque that the parent transmits to the body through its joint or fixed mount, at "
        "the frame of the joint and in its axes; not of free bodies."
    )
    fields: ClassVar[Fields] = {f"{JOINT_REACTION}{key}": field for key, field in REACTION_FIELDS.items()}

    def check(self, system: System, observation: Observation) -> None:
        """Refuse free bodies and points."""
        name = observation.name
        _check_joint(observation)
        if system.bodies[name].joint.type == "free":
            raise ValueError(f"{name!r} is free: nothing is transmitted to it through a joint")

    def index(self, reading: Reading) -> int:
        """Return the index of the reaction."""
        return reading.assembly.reaction_index[reading.observation.name]


class FrameReactions(ChannelGroup):
    """Wrench that a joint or mount transmits, at a frame that the user defined."""

    title = "Reactions at other frames"
    noun = "reaction"
    recorded_fields = ()  # components of reactions are recorded where the reaction is observed.
    text = "`name.field` of a frame in `reactions`: the same, at that frame and in its axes."
    fields = REACTION_FIELDS

    def names(self, system: System) -> Iterable[str]:
        """Return the names of the frames."""
        return system.reactions

    def index(self, reading: Reading) -> int:
        """Return the index of the reaction."""
        return reading.assembly.reaction_index[reading.observation.name]


class Sunlight(ChannelGroup):
    """Sunlight at the orbital frame."""

    title = "Orbit"
    text = "`hill.field`, of a system in orbit with `sun`."
    seen_from_frames = True
    fields: ClassVar[Fields] = {
        "sunlight": Field(
            unit="1", kind=ChannelKind.SUNLIGHT,
            meaning="Visible fraction of the Sun's disc: 1 in sunlight, 0 in the umbra of the Earth.",
        )
    }  # fmt: skip

    def names(self, system: System) -> Iterable[str]:
        """Return `hill`, if the orbit has a Sun."""
        return (HILL,) if system.orbit is not None and system.orbit.sun is not None else ()

    def owns(self, system: System, name: str) -> bool:
        """Return whether a name is that of a body or frame: the field is known for all, to say where it exists."""
        return name in system.bodies or (name == HILL and system.orbit is not None)

    def check(self, system: System, observation: Observation) -> None:
        """Refuse other bodies and orbits without Sun."""
        if observation.name not in self.names(system):
            raise ValueError(
                f"{observation.field!r} is of the frame 'hill' of a system in orbit with `orbit.sun`"
            )


def check_frame(system: System, observation: Observation) -> None:
    """Raise ValueError for an unknown body from which a body is observed."""
    frames = [WORLD, *([HILL] if system.orbit is not None else []), *system.bodies]
    if observation.frame not in frames:
        raise ValueError(no_such("body", observation.frame, frames))
