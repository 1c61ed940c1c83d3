"""Model of drives."""

from typing import Annotated, Literal, Self

from pydantic import model_validator

from softdock.elements.joint_element import FrictionLaw, JointElement, check_static_friction
from softdock.quantities.fields import (
    Flag,
    JointDamping,
    JointFrictionSpeed,
    JointPosition,
    JointSpeed,
    JointStiffness,
    Measured,
    NonNegativeJointForce,
    NonNegativeJointPosition,
    PositiveJointAcceleration,
    PositiveJointForce,
    PositiveJointJerk,
    PositiveJointSpeed,
    Quantity,
)
from softdock.quantities.model import FieldError

PositivePower = Annotated[float, Quantity("W", gt=0)]
DEFAULT_STALL = 0.05
"""Stall speed over `rate`."""


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
    """Coulomb friction of the drive train at the joint while it moves; acts without power, too."""
    static_friction: NonNegativeJointForce | None = None
    """Largest friction at rest, at least `friction`; the same if left out."""
    friction_law: FrictionLaw = "stick"
    """`stick`: friction holds a joint at rest; `smooth`: it is proportional to low speeds, so that the joint creeps."""
    viscous_friction: JointDamping = 0.0
    """Friction of the drive train per speed of the joint; acts without power, too."""
    friction_speed: JointFrictionSpeed = 1e-3
    """Speed below which smooth friction is proportional to speed; with a fixed step all friction is smooth."""
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
        check_static_friction(self.friction, self.static_friction, self.friction_law)
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
