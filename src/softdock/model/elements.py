"""Models of force elements: springs, stops, drives, struts, welds, locks and loads."""

import itertools
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from softdock.model.frames import Anchor
from softdock.quantities.fields import (
    AngularDamping,
    Damping,
    Flag,
    Force,
    Integer,
    JointDamping,
    JointForce,
    JointPosition,
    JointSpeed,
    JointStiffness,
    Length,
    NonNegativeJointForce,
    NonNegativeLength,
    PositiveJointForce,
    PositiveJointPosition,
    PositiveJointSpeed,
    PositiveJointStiffness,
    PositiveStiffness,
    Quantity,
    Stiffness,
    Time,
    Torque,
    Vector3,
)
from softdock.quantities.model import FieldError, Model

PositivePower = Annotated[float, Quantity("W", gt=0)]


class JointElement(Model):
    """Fields that all elements along a joint share."""

    joint: str
    """Name of the body whose joint this acts on."""
    axis: Annotated[Integer, Field(ge=0, le=2)] | None = None
    """Which axis of a joint with several; leave out to act on the joint as a whole."""


class Exponential(Model):
    """Stiffness that grows with the deflection s: k (1 + (s / reference)^exponent)."""

    reference: PositiveJointPosition
    """Deflection at which the stiffness has doubled."""
    exponent: Annotated[float, Quantity("1", gt=0)] = 4.0
    """Exponent of the growth."""


class Spring(JointElement):
    """Spring and damper along a joint. On a joint of several axes it acts on the whole deflection.

    The deflection of a spherical joint is its rotation vector, at most half a turn: beyond half a turn the spring pulls
    the shorter way round, and its torque jumps there.
    """

    stiffness: JointStiffness = 0.0
    """Force per deflection [N/m], or torque per angle [N m/rad]."""
    exponential: Exponential | None = None
    """Growing stiffness; leave out for a linear spring."""
    rest: JointPosition = 0.0
    """Position without force."""
    preload: JointForce = 0.0
    """Constant force towards negative positions."""
    damping: JointDamping = 0.0
    """Force per speed [N s/m], or torque per rate [N m s/rad]."""
    friction: NonNegativeJointForce = 0.0
    """Coulomb friction, independent of speed."""
    friction_speed: PositiveJointSpeed = 1e-2
    """Speed below which friction is proportional to speed."""
    active: Flag = True
    """Whether it acts from the start; events switch it by `enable` and `disable`."""


class Stop(JointElement):
    """End stop that pushes back outside its limits and never pulls; on a spherical joint within half a turn only."""

    lower: JointPosition | None = None
    """Position below which the stop pushes back; leave out for none."""
    upper: JointPosition | None = None
    """Position above which the stop pushes back; leave out for none."""
    limit: PositiveJointPosition | None = None
    """For a joint of several axes: largest deflection in any direction."""
    stiffness: PositiveJointStiffness
    """Force per deflection beyond the limit."""
    damping: JointDamping = 0.0
    """Force per speed beyond the limit; the total force never pulls."""
    active: Flag = True
    """Whether it acts from the start; events switch it by `enable` and `disable`."""


class Drive(JointElement):
    """Motor that follows a ramp of position or speed to its target, within its limits."""

    follows: Literal["position", "speed"] = "position"
    """Whether `target` is a position or a speed."""
    target: JointPosition | JointSpeed
    """Target position [m, rad] or speed [m/s, rad/s]."""
    rate: PositiveJointSpeed | None = None
    """Rate of the commanded position or speed; leave out for a step."""
    stiffness: JointStiffness = 0.0
    """Force per error of position."""
    damping: JointDamping = 0.0
    """Force per error of speed."""
    max_force: PositiveJointForce | None = None
    """Largest force [N] or torque [N m]; leave out for no limit."""
    max_power: PositivePower | None = None
    """Largest mechanical power that the drive delivers; leave out for no limit."""
    active: Flag = True
    """Whether it acts from the start; events switch it by `enable` and `disable`."""


class Strut(Model):
    """Spring and damper along the line between two points."""

    a: Anchor
    """First point."""
    b: Anchor
    """Second point."""
    stiffness: Stiffness = 0.0
    """Force per change of the distance between the points."""
    damping: Damping = 0.0
    """Force per rate of change of the distance."""
    length: NonNegativeLength = 0.0
    """Length without force."""
    preload: Force = 0.0
    """Constant pull."""
    active: Flag = True
    """Whether it acts from the start; events switch it by `enable` and `disable`."""


class Weld(Model):
    """Compliant connection of two frames that keeps the relative pose they have when it is switched on.

    It holds within half a turn: beyond, it pulls the shorter way round, and its torque jumps there.
    """

    a: Anchor
    """Frame on the first body."""
    b: Anchor
    """Frame on the second body."""
    stiffness: PositiveStiffness
    """Force per displacement, the same in all directions."""
    angular_stiffness: Annotated[float, Quantity("N*m/rad", gt=0)]
    """Torque per rotation, the same about all axes."""
    damping: Damping = 0.0
    """Force per relative velocity."""
    angular_damping: AngularDamping = 0.0
    """Torque per relative angular velocity."""
    active: Flag = False
    """Whether it holds from the start; otherwise an event enables it."""


class Lock(Model):
    """Rigid connection of two frames, made by an impulse when it is switched on.

    It holds the relative pose that they have at that instant.
    """

    a: Anchor
    """Frame on the first body."""
    b: Anchor
    """Frame on the second body."""
    active: Flag = False
    """Whether it holds from the start; otherwise an event enables it."""


class Pulse(Model):
    """A time span in which a load acts."""

    start: Time
    """Time at which the pulse begins."""
    duration: Annotated[float, Quantity("s", gt=0)]
    """Length of the pulse."""
    scale: Annotated[float, Quantity("1")] = 1.0
    """Factor on force and torque during the pulse; pulses that overlap add up."""


class Load(Model):
    """External force and torque: constant, in pulses, or by a table of steps."""

    body: str
    """Body on which the load acts."""
    at: Vector3[Length] = (0.0, 0.0, 0.0)
    """Point where the force acts, in body axes."""
    node: str | None = None
    """Instead of `at`: node of a flexible structure of this body, as `structure/node`."""
    force: Vector3[Force] = (0.0, 0.0, 0.0)
    """Force, applied at `at`."""
    torque: Vector3[Torque] = (0.0, 0.0, 0.0)
    """Torque, in addition to that of the force."""
    axes: Literal["body", "world"] = "body"
    """Frame of force and torque; body axes rotate with the body, as for a thruster."""
    pulses: tuple[Pulse, ...] = ()
    """Time spans in which the load acts; always if left out."""
    table: tuple[tuple[Time, Annotated[float, Quantity("1")]], ...] = ()
    """Rows of (time, factor): the factor applies from that time on."""
    active: Flag = True
    """Whether it acts from the start; events switch it by `enable` and `disable`."""

    @model_validator(mode="after")
    def _one_schedule(self) -> Self:
        if self.node is not None and any(self.at):
            raise FieldError("at", "cannot be combined with `node`, which has a position")
        if self.pulses and self.table:
            raise FieldError("table", "give either pulses or a table, not both")
        times = [row[0] for row in self.table]
        if any(b <= a for a, b in itertools.pairwise(times)):
            raise FieldError("table", "needs times that increase from row to row")
        return self

    def steps(self) -> list[tuple[float, float]]:
        """Return (time, factor) rows; the factor applies from that time on, zero before the first."""
        if self.table:
            return list(self.table)
        if not self.pulses:
            return [(-np.inf, 1.0)]
        edges = sorted({p.start for p in self.pulses} | {p.start + p.duration for p in self.pulses})
        return [(t, sum(p.scale for p in self.pulses if p.start <= t < p.start + p.duration)) for t in edges]
