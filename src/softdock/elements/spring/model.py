"""Model of springs along joints."""

from typing import Annotated, Self

from pydantic import model_validator

from softdock.elements.joint_element import FrictionLaw, JointElement, check_static_friction
from softdock.quantities.fields import (
    Flag,
    JointDamping,
    JointForce,
    JointFrictionSpeed,
    JointPosition,
    JointStiffness,
    NonNegativeJointForce,
    PositiveJointPosition,
    Quantity,
)
from softdock.quantities.model import Model


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
    """Coulomb friction while it slides, independent of speed."""
    static_friction: NonNegativeJointForce | None = None
    """Largest friction at rest, at least `friction`; the same if left out."""
    friction_law: FrictionLaw = "stick"
    """`stick`: friction holds a joint at rest; `smooth`: it is proportional to low speeds, so that the joint creeps."""
    friction_speed: JointFrictionSpeed = 1e-2
    """Speed below which smooth friction is proportional to speed; with a fixed step all friction is smooth."""
    active: Flag = True
    """Whether it acts from the start; events switch it by `enable` and `disable`."""

    @model_validator(mode="after")
    def _check_friction(self) -> Self:
        check_static_friction(self.friction, self.static_friction, self.friction_law)
        return self


def energy_metric(name: str) -> str:
    """Return the name of the metric with the largest energy [J] that a spring stores in a run."""
    return f"spring_energy_max_{name.replace('-', '_')}"
