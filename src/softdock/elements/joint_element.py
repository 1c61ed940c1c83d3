"""Base of the models of elements along joints."""

from typing import Annotated, Literal

from pydantic import Field

from softdock.quantities.fields import Integer
from softdock.quantities.model import FieldError, Model

FrictionLaw = Literal["stick", "smooth"]
"""How friction along a joint behaves at rest."""


class JointElement(Model):
    """Fields that all elements along a joint share."""

    joint: str
    """Name of the body whose joint this acts on."""
    axis: Annotated[Integer, Field(ge=0, le=2)] | None = None
    """Which axis of a joint with several; leave out to act on the joint as a whole."""


def check_static_friction(friction: float, static_friction: float | None, law: FrictionLaw) -> None:
    """Raise FieldError for a friction at rest that is below that while sliding, or that its law does not have."""
    if static_friction is None:
        return
    if law == "smooth":
        raise FieldError("static_friction", "needs `friction_law: stick`: smooth friction is zero at rest")
    if static_friction < friction:
        raise FieldError("static_friction", f"must be at least the friction while sliding, {friction:g}")
