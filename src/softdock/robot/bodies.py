"""Conversion of a robot description to bodies, end stops, friction springs and joint limits of a simulation."""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from softdock.elements.spring.model import Spring
from softdock.elements.stop.model import Stop
from softdock.errors import InputError
from softdock.model.system import WORLD, Body, FullInertia
from softdock.robot.link import JointLimits
from softdock.robot.urdf import Description, Joint, JointType, Link
from softdock.spatial.rotations import nearest_quaternion
from softdock.tree import joints

Floats = NDArray[np.float64]
RESERVED_NAMES = (WORLD, "contact", "time")
"""Names that bodies must not have."""
MAX_STIFFNESS = 5000.0
"""Limit of the joint stiffness of impedance control [N m/rad]; assumed, because robot descriptions have none."""


def body_name(link: str) -> str:
    """Return a valid body name for a link: other characters become underscores."""
    name = re.sub(r"[^A-Za-z0-9_-]", "_", link)
    if name in RESERVED_NAMES:
        return f"{name}_link"
    return name if name[:1].isalpha() else f"link_{name}"


def build_bodies(
    robot: Description,
    *,
    start: Sequence[float] | None = None,
    mount: joints.Fixed | joints.Free | None = None,
    parent: str = WORLD,
) -> dict[str, Body]:
    """Return the bodies of a robot, one per link, at the joint positions `start` [rad or m].

    The base link is fixed to `parent` at the pose of `mount`, or floats freely if the mount is a free joint.
    """
    positions = np.zeros(len(robot.moving)) if start is None else np.asarray(start, float)
    at = {joint.name: float(q) for joint, q in zip(robot.moving, positions, strict=True)}
    bodies = {body_name(robot.root): _body(robot.links[robot.root], parent, mount or joints.Fixed())}
    for joint in robot.ordered():
        link = robot.links[joint.child]
        bodies[body_name(link.name)] = _body(
            link, body_name(joint.parent), _joint_model(joint, at.get(joint.name, 0.0))
        )
    if len(bodies) != len(robot.links):
        raise InputError(f"The links of {robot.name!r} have names that differ only in special characters.")
    return bodies


def _body(link: Link, parent: str, joint: joints.Joint) -> Body:
    I = link.inertia  # noqa: E741
    inertia = FullInertia(xx=I[0, 0], yy=I[1, 1], zz=I[2, 2], xy=I[0, 1], xz=I[0, 2], yz=I[1, 2])
    centre = (float(link.p_LC[0]), float(link.p_LC[1]), float(link.p_LC[2]))
    return Body(mass=link.mass, centre_of_mass=centre, inertia=inertia, parent=parent, joint=joint)


def _joint_model(joint: Joint, start: float) -> joints.Joint:
    place = {"at": tuple(joint.X_PC.p), "attitude": tuple(nearest_quaternion(joint.X_PC.R))}
    axis = tuple(joint.axis)
    if joint.motion is JointType.FIXED:
        return joints.Fixed.model_validate(place)
    if joint.motion is JointType.PRISMATIC:
        return joints.Prismatic.model_validate({**place, "axis": axis, "position": start})
    return joints.Revolute.model_validate({**place, "axis": axis, "angle": start})


def build_stops(robot: Description, stiffness: float, damping: float) -> dict[str, Stop]:
    """Return the end stops of all joints that have limits, named after the joints.

    Stiffness [N m/rad or N/m] and damping [N m s/rad or N s/m] are the same for all.
    """
    return {
        f"{body_name(joint.name)}-end": Stop(
            joint=body_name(joint.child),
            lower=joint.lower,
            upper=joint.upper,
            stiffness=stiffness,
            damping=damping,
        )
        for joint in robot.moving
        if np.isfinite(joint.lower) and joint.lower < joint.upper
    }


def build_friction_springs(robot: Description, speed: float) -> dict[str, Spring]:
    """Return joint friction as springs named after the joints; smoothed below `speed` [rad/s or m/s]."""
    return {
        f"{body_name(joint.name)}-friction": Spring(
            joint=body_name(joint.child),
            damping=joint.damping,
            friction=joint.friction,
            friction_law="smooth",
            friction_speed=speed,
        )
        for joint in robot.moving
        if joint.damping > 0.0 or joint.friction > 0.0
    }


def joint_limits(robot: Description, stiffness: float = MAX_STIFFNESS) -> JointLimits:
    """Return the limits of the robot's joints that move; `stiffness` [N m/rad] is that of impedance control."""
    moving = robot.moving
    return JointLimits(
        q_min=np.array([joint.lower for joint in moving]),
        q_max=np.array([joint.upper for joint in moving]),
        speed=np.array([joint.max_speed for joint in moving]),
        torque=np.array([joint.max_effort for joint in moving]),
        stiffness=np.full(len(moving), stiffness),
        cartesian=True,
    )
