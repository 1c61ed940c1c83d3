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
    JointFrictionSpeed,
    JointPosition,
    JointSpeed,
    JointStiffness,
    Length,
    Measured,
    NonNegativeJointForce,
    NonNegativeJointPosition,
    NonNegativeLength,
    PositiveJointAcceleration,
    PositiveJointForce,
    PositiveJointJerk,
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
DEFAULT_STALL = 0.05
"""Stall speed over `rate`."""


class JointElement(Model):
    """Fields that all elements along a joint share."""

    joint: str
    """Name of the body whose joint this acts on."""
    axis: Annotated[Integer, Field(ge=0, le=2)] | None = None
    """Which axis of a joint with several; leave out to act on the joint as a whole."""


class Exponential(Model):
    """Stiffness that grows with the deflection s: k (1 + (s / reference)^exponent).

    The reference is in m or rad.

    >>> from softdock import Exponential
    >>> Exponential(reference="10 mm", exponent=3)
    Exponential(reference=0.01, exponent=3.0)
    """

    reference: PositiveJointPosition
    """Deflection at which the stiffness has doubled."""
    exponent: Annotated[float, Quantity("1", gt=0)] = 4.0
    """Exponent of the growth."""


class Spring(JointElement):
    """Spring and damper along a joint. On a joint of several axes it acts on the whole deflection.

    The deflection of a spherical joint is its rotation vector, at most half a turn: beyond half a turn the spring pulls
    the shorter way round, and its torque jumps there.

    Along a sliding joint in m, N and N/m, about a turning joint in rad, N m and N m/rad.

    >>> from softdock import Spring
    >>> Spring(joint="bumper", stiffness="2 kN/m", damping="40 N s/m", preload="5 N")
    Spring(joint='bumper', stiffness=2000.0, preload=5.0, damping=40.0)
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
    friction_speed: JointFrictionSpeed = 1e-2
    """Speed below which friction is proportional to speed."""
    active: Flag = True
    """Whether it acts from the start; events switch it by `enable` and `disable`."""


class Stop(JointElement):
    """End stop that pushes back outside its limits and never pulls; on a spherical joint within half a turn only.

    Along a sliding joint in m and N/m, about a turning joint in rad and N m/rad.

    >>> from softdock import Stop
    >>> Stop(joint="bumper", upper="30 mm", stiffness="200 kN/m")
    Stop(joint='bumper', upper=0.03, stiffness=200000.0)
    """

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
    """Motor with a transmission that follows a profile of position or speed to its target, within its limits.

    A new target starts at the present position and speed of the command. Without power (`active: false`, `disable`) the
    friction of the transmission remains; a self-locking one holds its position.

    Along a sliding joint in m, m/s, N and N/m, about a turning joint in rad, rad/s, N m and N m/rad.

    >>> from softdock import Drive
    >>> Drive(joint="finger", target="30 deg", rate="10 deg/s", stiffness="50 N m/rad", damping="2 N m s/rad")
    Drive(joint='finger', target=0.5235987755982988, rate=0.17453292519943295, stiffness=50.0, damping=2.0)
    """

    follows: Literal["position", "speed"] = "position"
    """Whether `target` is a position or a speed."""
    target: JointPosition | JointSpeed
    """Target position [m, rad] or speed [m/s, rad/s]."""
    profile: Literal["ramp", "trapezoidal", "s-curve"] = "ramp"
    """Command of a position: constant speed, limited acceleration, or limited acceleration and jerk."""
    rate: PositiveJointSpeed | None = None
    """Largest rate of the commanded position or speed; leave out for a step."""
    acceleration: PositiveJointAcceleration | None = None
    """Largest acceleration of the command; for `trapezoidal` and `s-curve`."""
    jerk: PositiveJointJerk | None = None
    """Largest rate of the commanded acceleration; for `s-curve`."""
    stiffness: JointStiffness = 0.0
    """Force per error of position; of a self-locking drive the stiffness of its transmission."""
    damping: JointDamping = 0.0
    """Force per error of speed."""
    max_force: PositiveJointForce | None = None
    """Largest force [N] or torque [N m] of the motor at the joint, without losses; leave out for no limit."""
    max_power: PositivePower | None = None
    """Largest mechanical power that the motor delivers; leave out for no limit."""
    backlash: NonNegativeJointPosition = 0.0
    """Free play between motor and joint, from one flank to the other."""
    friction: NonNegativeJointForce = 0.0
    """Coulomb friction of the drive train at the joint; acts without power, too."""
    viscous_friction: JointDamping = 0.0
    """Friction of the drive train per speed of the joint; acts without power, too."""
    friction_speed: JointFrictionSpeed = 1e-3
    """Speed below which friction is proportional to speed."""
    efficiency: Annotated[float, Quantity("1", gt=0, le=1)] = 1.0
    """Power at the joint over that of the motor when the motor moves a load."""
    self_locking: Flag = False
    """Whether only the motor moves the transmission, as far as its force and power allow, and no load does."""
    stall_speed: PositiveJointSpeed | None = None
    """Speed of the joint below which a drive at its limits is stalled; a twentieth of `rate` if left out."""
    active: Flag = True
    """Whether it has power from the start; events switch it by `enable` and `disable`."""

    @model_validator(mode="after")
    def _check_combinations(self) -> Self:
        self.check_target("target", self.target)
        self._check_profile()
        if self.follows == "speed":
            for key in ("backlash", "self_locking"):
                if getattr(self, key):
                    raise FieldError(key, "needs a drive that follows a position")
        if self.stiffness == 0.0:
            if self.backlash > 0.0:
                raise FieldError(
                    "stiffness", "must be above zero: backlash is the free play of a stiff transmission"
                )
            if self.self_locking:
                raise FieldError(
                    "stiffness", "must be above zero: a self-locking drive holds its joint with it"
                )
        if self.self_locking and self.rate is None:
            raise FieldError(
                "rate", "must be given for a self-locking drive, which cannot jump to its target"
            )
        if self.efficiency <= 0.5 and not self.self_locking:
            raise FieldError(
                "efficiency",
                "must be above 0.5 unless `self_locking: true` is given: below, friction holds any load",
            )
        if self.stall_speed is not None and self.max_force is None and self.max_power is None:
            raise FieldError(
                "stall_speed", "needs max_force or max_power: a drive without limits never stalls"
            )
        return self

    def check_target(self, field: str, target: object) -> None:
        """Raise FieldError for a target with the unit of a position where the drive follows a speed, or the reverse."""
        unit = target.unit if isinstance(target, Measured) else None
        given = "speed" if unit in ("m/s", "rad/s") else "position"
        if unit is not None and given != self.follows:
            raise FieldError(field, f"has the unit of a {given}, but the drive follows a {self.follows}")

    def _check_profile(self) -> None:
        """Check that a profile has the limits that it needs and no others."""
        if self.profile != "ramp" and self.follows == "speed":
            raise FieldError("profile", "must be `ramp` for a drive that follows a speed")
        needed = {
            "ramp": (),
            "trapezoidal": ("rate", "acceleration"),
            "s-curve": ("rate", "acceleration", "jerk"),
        }[self.profile]
        for key in needed:
            if getattr(self, key) is None:
                raise FieldError(key, f"must be given for the profile `{self.profile}`")
        for key, profiles in (("acceleration", "`trapezoidal` and `s-curve`"), ("jerk", "`s-curve`")):
            if key not in needed and getattr(self, key) is not None:
                raise FieldError(key, f"is for the profile {profiles}; this one is `{self.profile}`")

    @property
    def speed_of_stall(self) -> float:
        """Speed of the joint below which a drive at its limits is stalled [m/s, rad/s]."""
        if self.stall_speed is not None:
            return self.stall_speed
        if self.rate is None or self.follows == "speed":
            return self.friction_speed
        return DEFAULT_STALL * self.rate


class Strut(Model):
    """Spring and damper along the line between two points.

    Length in m, stiffness in N/m, damping in N s/m, preload in N.

    >>> from softdock import Anchor, Strut
    >>> Strut(a=Anchor(body="probe"), b=Anchor(body="target"), stiffness="500 N/m", length="0.2 m")
    Strut(a=Anchor(body='probe'), b=Anchor(body='target'), stiffness=500.0, length=0.2)
    """

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

    Stiffness in N/m and N m/rad, damping in N s/m and N m s/rad.

    >>> from softdock import Anchor, Weld
    >>> Weld(
    ...     a=Anchor(body="probe"),
    ...     b=Anchor(body="target"),
    ...     stiffness="100 kN/m",
    ...     angular_stiffness="1 kN m/rad",
    ...  )
    Weld(a=Anchor(body='probe'), b=Anchor(body='target'), stiffness=100000.0, angular_stiffness=1000.0)
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

    >>> from softdock import Anchor, Lock
    >>> Lock(a=Anchor(body="probe"), b=Anchor(body="target"))
    Lock(a=Anchor(body='probe'), b=Anchor(body='target'))
    """

    a: Anchor
    """Frame on the first body."""
    b: Anchor
    """Frame on the second body."""
    active: Flag = False
    """Whether it holds from the start; otherwise an event enables it."""


class Pulse(Model):
    """A time span in which a load acts.

    Times are in s.

    >>> from softdock import Pulse
    >>> Pulse(start="2 s", duration="0.1 s")
    Pulse(start=2.0, duration=0.1)
    """

    start: Time
    """Time at which the pulse begins."""
    duration: Annotated[float, Quantity("s", gt=0)]
    """Length of the pulse."""
    scale: Annotated[float, Quantity("1")] = 1.0
    """Factor on force and torque during the pulse; pulses that overlap add up."""


class Load(Model):
    """External force and torque: constant, in pulses, or by a table of steps.

    Force in N, torque in N m, point and times in m and s.

    >>> from softdock import Load, Pulse
    >>> Load(body="chaser", force=(0, 0, "10 N"), pulses=(Pulse(start="1 s", duration="0.5 s"),))
    Load(body='chaser', force=(0.0, 0.0, 10.0), pulses=(Pulse(start=1.0, duration=0.5),))
    """

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
