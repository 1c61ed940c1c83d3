"""Model of crushable energy absorbers."""

from typing import Self

from pydantic import model_validator

from softdock.elements.joint_element import JointElement
from softdock.quantities.fields import (
    Flag,
    JointPosition,
    NonNegativeJointPosition,
    PositiveJointForce,
    PositiveJointPosition,
    PositiveJointStiffness,
)
from softdock.quantities.model import FieldError

DEFAULT_DEFLECTION = 0.01
"""Elastic deflection at the plateau over the stroke, where no rebound stiffness is given."""


class Crushable(JointElement):
    """Crushable absorber, as honeycomb or foam: pushes back with its plateau force and remains deformed.

    It begins at `upper` and is crushed by larger positions, or at `lower` by smaller ones. It never pulls.

    Along a sliding joint in m, N and N/m, about a turning joint in rad, N m and N m/rad.

    >>> from softdock import Crushable
    >>> Crushable(joint="leg", upper="10 mm", plateau="2 kN", stroke="80 mm")
    Crushable(joint='leg', upper=0.01, plateau=2000.0, stroke=0.08)
    """

    lower: JointPosition | None = None
    """Position below which it is pressed; give this or `upper`."""
    upper: JointPosition | None = None
    """Position above which it is pressed; give this or `lower`."""
    plateau: PositiveJointForce
    """Force while it is crushed."""
    stroke: PositiveJointPosition
    """Depth to which it can be crushed."""
    rebound_stiffness: PositiveJointStiffness | None = None
    """Elastic stiffness before the plateau and on release; 100 `plateau` / `stroke` if left out."""
    bottoming_stiffness: PositiveJointStiffness | None = None
    """Stiffness beyond the plateau force after the stroke is used up; `rebound_stiffness` if left out."""
    crushed: NonNegativeJointPosition = 0.0
    """Depth to which it was crushed before the run."""
    active: Flag = True
    """Whether it acts from the start; events switch it by `enable` and `disable`."""

    @model_validator(mode="after")
    def _check_numbers(self) -> Self:
        if self.lower is None and self.upper is None:
            raise FieldError("", "needs lower or upper: the position at which it is touched")
        if self.lower is not None and self.upper is not None:
            raise FieldError("lower", "cannot be given with upper: a crushable is pressed from one side")
        if self.crushed > self.stroke:
            raise FieldError("crushed", f"must be at most the stroke, {self.stroke:g} (SI)")
        least = self.plateau / self.stroke
        if self.stiffness <= least:
            raise FieldError(
                "rebound_stiffness",
                f"must be above plateau / stroke, {least:g} (SI): it would not crush within its stroke",
            )
        return self

    @property
    def stiffness(self) -> float:
        """Elastic stiffness before the plateau and on release [N/m or N m/rad]."""
        if self.rebound_stiffness is not None:
            return self.rebound_stiffness
        return self.plateau / (DEFAULT_DEFLECTION * self.stroke)
