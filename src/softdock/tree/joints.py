"""Joints: how a body can move relative to its parent, and its initial motion."""

import math
from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from softdock.quantities.fields import (
    Angle,
    AngularRate,
    Length,
    Number,
    Speed,
    Vector3,
)
from softdock.quantities.model import FieldError, Model
from softdock.spatial.poses import Pose
from softdock.spatial.rotations import (
    matrix_from_quaternion,
    quaternion_from_axis_angle,
    quaternion_from_roll_pitch_yaw,
)
from softdock.spatial.vectors import unit_vector

Axis = Literal["x", "y", "z", "-x", "-y", "-z"] | Vector3[Number]
"""A direction: the name of an axis or three numbers of any length but zero."""


class RollPitchYaw(Model):
    """An attitude as turns about x, then y, then z of the fixed frame.

    Angles are in rad.

    >>> from softdock import RollPitchYaw
    >>> RollPitchYaw(yaw="90 deg")
    RollPitchYaw(yaw=1.5707963267948966)
    """

    roll: Angle = 0.0
    """Turn about x, the first one."""
    pitch: Angle = 0.0
    """Turn about y, the second one."""
    yaw: Angle = 0.0
    """Turn about z, the last one."""


class AxisAngle(Model):
    """An attitude as one turn about an axis.

    The angle is in rad.

    >>> from softdock import AxisAngle
    >>> AxisAngle(axis="y", angle="180 deg")
    AxisAngle(axis='y', angle=3.141592653589793)
    """

    axis: Axis
    """Axis of the turn."""
    angle: Angle
    """Angle of the turn, by the right-hand rule."""


Attitude = tuple[Number, Number, Number, Number] | RollPitchYaw | AxisAngle
"""A quaternion wxyz, roll-pitch-yaw, or axis and angle."""
IDENTITY: Attitude = (1.0, 0.0, 0.0, 0.0)
"""Both frames have the same axes."""


Motion = Literal["sliding", "turning"]


class JointAxis(NamedTuple):
    """An axis of a joint, with its motion at the start."""

    motion: Motion
    axis: Axis
    position: float
    """Along or about the axis [m or rad]."""
    speed: float
    """Of the position [m/s or rad/s]."""


class JointBase(Model):
    """What all joints share: the motions that they allow."""

    motions: ClassVar[tuple[Motion, ...]] = ()
    """Motion of each axis."""

    def axes_at_start(self) -> tuple[JointAxis, ...]:
        """Return the axes from the parent to the body, each carried by the one before; spherical joints have none."""
        return ()


class JointToParent(JointBase):
    """Fields of joints to a parent: the pose of the joint frame in the parent at zero motion."""

    at: Vector3[Length] = (0.0, 0.0, 0.0)
    """Origin of the body in its parent, while the joint is at zero [m]."""
    attitude: Attitude = IDENTITY
    """Attitude of the body in its parent, while the joint is at zero."""


class Free(JointBase):
    """Free motion in six degrees of freedom; the parent must be the world.

    Position in m, velocity in m/s, rate in rad/s.

    >>> from softdock import Free
    >>> Free(position=(0, 0, "-1 m"), velocity=(0, 0, "30 mm/s"))
    Free(position=(0.0, 0.0, -1.0), velocity=(0.0, 0.0, 0.03))
    """

    type: Literal["free"] = "free"
    """Type of the joint."""
    position: Vector3[Length] = (0.0, 0.0, 0.0)
    """Origin of the body in the world at the start, p_NB_N."""
    attitude: Attitude = IDENTITY
    """Attitude of the body in the world at the start."""
    velocity: Vector3[Speed] = (0.0, 0.0, 0.0)
    """Velocity of the body's origin at the start, in the world, v_NB_N."""
    rate: Vector3[AngularRate] = (0.0, 0.0, 0.0)
    """Angular velocity at the start, in body axes, w_NB_B."""


class Fixed(JointToParent):
    """Rigidly attached.

    Lengths are in m.

    >>> from softdock import Fixed
    >>> Fixed(at=(0, 0, "0.5 m"))
    Fixed(at=(0.0, 0.0, 0.5))
    """

    type: Literal["fixed"] = "fixed"
    """Type of the joint."""


class OneAxis(JointToParent):
    """A joint with one axis."""

    axis: Axis = "z"
    """Axis in the body's frame."""

    @model_validator(mode="after")
    def _has_direction(self) -> Self:
        direction(self.axis)
        return self


class Revolute(OneAxis):
    """Turns about one axis.

    Angle in rad, rate in rad/s.

    >>> from softdock import Revolute
    >>> Revolute(axis="x", angle="20 deg")
    Revolute(axis='x', angle=0.3490658503988659)
    """

    motions: ClassVar[tuple[Motion, ...]] = ("turning",)
    type: Literal["revolute"] = "revolute"
    """Type of the joint."""
    angle: Angle = 0.0
    """Angle at the start; at a limit of a stop, in balance with its springs."""
    rate: AngularRate = 0.0
    """Rate at the start."""

    def axes_at_start(self) -> tuple[JointAxis, ...]:
        """Return the axis."""
        return (JointAxis("turning", self.axis, self.angle, self.rate),)


class Prismatic(OneAxis):
    """Slides along one axis.

    Position in m, speed in m/s.

    >>> from softdock import Prismatic
    >>> Prismatic(axis="-z", at=(0, 0, "0.3 m"))
    Prismatic(at=(0.0, 0.0, 0.3), axis='-z')
    """

    motions: ClassVar[tuple[Motion, ...]] = ("sliding",)
    type: Literal["prismatic"] = "prismatic"
    """Type of the joint."""
    position: Length = 0.0
    """Position at the start; at a limit of a stop, in balance with its springs."""
    speed: Speed = 0.0
    """Speed at the start."""

    def axes_at_start(self) -> tuple[JointAxis, ...]:
        """Return the axis."""
        return (JointAxis("sliding", self.axis, self.position, self.speed),)


class Cylindrical(OneAxis):
    """Slides along an axis and turns about it: a probe that may roll in its sleeve.

    Position in m, speed in m/s, angle in rad, rate in rad/s.

    >>> from softdock import Cylindrical
    >>> Cylindrical(position="20 mm", rate="1 deg/s")
    Cylindrical(position=0.02, rate=0.017453292519943295)
    """

    motions: ClassVar[tuple[Motion, ...]] = ("sliding", "turning")
    type: Literal["cylindrical"] = "cylindrical"
    """Type of the joint."""
    position: Length = 0.0
    """Position along the axis at the start."""
    speed: Speed = 0.0
    """Speed along the axis at the start."""
    angle: Angle = 0.0
    """Angle about the axis at the start."""
    rate: AngularRate = 0.0
    """Rate of the angle at the start."""

    def axes_at_start(self) -> tuple[JointAxis, ...]:
        """Return the axis twice, to slide and to turn."""
        return (
            JointAxis("sliding", self.axis, self.position, self.speed),
            JointAxis("turning", self.axis, self.angle, self.rate),
        )


class Universal(JointToParent):
    """Turns about a first axis fixed in the parent, then about a second one fixed in the body.

    Angles in rad, rates in rad/s.

    >>> from softdock import Universal
    >>> Universal(axes=("x", "y"), angles=("1 deg", 0))
    Universal(angles=(0.017453292519943295, 0.0))
    """

    motions: ClassVar[tuple[Motion, ...]] = ("turning", "turning")
    type: Literal["universal"] = "universal"
    """Type of the joint."""
    axes: tuple[Axis, Axis] = ("x", "y")
    """The two axes, at right angles."""
    angles: tuple[Angle, Angle] = (0.0, 0.0)
    """Angles about the two axes at the start."""
    rates: tuple[AngularRate, AngularRate] = (0.0, 0.0)
    """Rates of the two angles at the start."""

    @model_validator(mode="after")
    def _at_right_angles(self) -> Self:
        if abs(direction(self.axes[0]) @ direction(self.axes[1])) > 1e-9:
            raise FieldError("axes", "must be at right angles to each other")
        return self

    def axes_at_start(self) -> tuple[JointAxis, ...]:
        """Return the two axes."""
        return tuple(JointAxis("turning", *given) for given in zip(self.axes, self.angles, self.rates))


class Spherical(JointToParent):
    """Turns freely about a point; springs and stops on it support deflections up to half a turn.

    Rates are in rad/s.

    >>> from softdock import Spherical
    >>> Spherical(at=(0, 0, "0.2 m"), rate=(0, "1 deg/s", 0))
    Spherical(at=(0.0, 0.0, 0.2), rate=(0.0, 0.017453292519943295, 0.0))
    """

    motions: ClassVar[tuple[Motion, ...]] = ("turning", "turning", "turning")
    type: Literal["spherical"] = "spherical"
    """Type of the joint."""
    turned: Attitude = IDENTITY
    """Attitude against the joint's zero at the start."""
    rate: Vector3[AngularRate] = (0.0, 0.0, 0.0)
    """Angular velocity against the parent at the start, in body axes."""

    @model_validator(mode="after")
    def _is_turn(self) -> Self:
        quaternion(self.turned, "turned")
        return self


class Planar(JointToParent):
    """Slides in the x-y plane of the joint frame and turns about its z axis: an air-bearing table.

    Positions in m, angle in rad, velocity in m/s, rate in rad/s.

    >>> from softdock import Planar
    >>> Planar(velocity=("50 mm/s", 0), rate="1 deg/s")
    Planar(velocity=(0.05, 0.0), rate=0.017453292519943295)
    """

    motions: ClassVar[tuple[Motion, ...]] = ("sliding", "sliding", "turning")
    type: Literal["planar"] = "planar"
    """Type of the joint."""
    position: tuple[Length, Length] = (0.0, 0.0)
    """Positions along x and y at the start."""
    angle: Angle = 0.0
    """Angle about z at the start."""
    velocity: tuple[Speed, Speed] = (0.0, 0.0)
    """Rates of the two positions at the start."""
    rate: AngularRate = 0.0
    """Rate of the angle at the start."""

    def axes_at_start(self) -> tuple[JointAxis, ...]:
        """Return x, y and the turn about z."""
        return (
            JointAxis("sliding", "x", self.position[0], self.velocity[0]),
            JointAxis("sliding", "y", self.position[1], self.velocity[1]),
            JointAxis("turning", "z", self.angle, self.rate),
        )


Joint = Annotated[
    Free | Fixed | Revolute | Prismatic | Cylindrical | Universal | Spherical | Planar,
    Field(discriminator="type"),
]


def motions_along(joint: Joint, axis: int | None) -> tuple[str, ...]:
    """Return the motions (sliding or turning) of one axis of a joint, or of all; empty for an axis that it lacks."""
    return joint.motions if axis is None else joint.motions[axis : axis + 1]


def direction(axis: Axis) -> NDArray[np.float64]:
    """Return the unit vector of an axis."""
    if isinstance(axis, str):
        sign = -1.0 if axis.startswith("-") else 1.0
        return np.asarray(sign * np.eye(3)["xyz".index(axis[-1])], float)
    vector = np.asarray(axis, float)
    if not vector.any():
        raise FieldError("axis", "must not be the zero vector")
    return unit_vector(vector)


def quaternion(attitude: Attitude, field: str = "attitude") -> NDArray[np.float64]:
    """Return the unit quaternion wxyz of an attitude; `field` is where it was given, for the message."""
    if isinstance(attitude, RollPitchYaw):
        return quaternion_from_roll_pitch_yaw(attitude.roll, attitude.pitch, attitude.yaw)
    if isinstance(attitude, AxisAngle):
        return quaternion_from_axis_angle(direction(attitude.axis), attitude.angle)
    q = np.asarray(attitude, float)
    length = math.sqrt(q.dot(q))
    if abs(length - 1.0) > 1e-6:
        raise FieldError(field, f"must be a unit quaternion wxyz; its length is {length:g}")
    return q / length


def pose_at(at: Sequence[float], attitude: Attitude) -> Pose:
    """Return the pose of a frame that is given by its position [m] and its attitude."""
    if attitude == IDENTITY and not any(at):
        return Pose.identity()
    return Pose(R=matrix_from_quaternion(quaternion(attitude)), p=np.asarray(at, float))
