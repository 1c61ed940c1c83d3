"""Model of tethers."""

from typing import Annotated, Self

from pydantic import model_validator

from softdock.quantities.fields import (
    Damping,
    Flag,
    NonNegativeLength,
    PositiveForce,
    PositiveSpeed,
    PositiveStiffness,
    Quantity,
)
from softdock.quantities.model import FieldError, Model
from softdock.tree.frames import Anchor


class Reel(Model):
    """Reel of a tether: winds its free length to a target; its clutch slips where the tension reaches a limit.

    Speed in m/s, force in N, length in m, time in s.

    >>> from softdock import Reel
    >>> Reel(speed="50 mm/s", force_limit="20 N", target="0.5 m")
    Reel(speed=0.05, force_limit=20.0, target=0.5)
    """

    speed: PositiveSpeed
    """Largest speed at which it winds or pays out."""
    force_limit: PositiveForce
    """Tension at which the clutch slips: the cable is paid out, or is not wound in."""
    target: NonNegativeLength | None = None
    """Free length to which it winds from the start; leave out to keep `length`."""
    response: Annotated[float, Quantity("s", ge=1e-4)] = 0.1
    """Time constant with which it settles at its target."""


class Tether(Model):
    """Cable between two points: pulls beyond its free length and never pushes; with a reel its length changes.

    Length in m, stiffness in N/m, damping in N s/m.

    >>> from softdock import Anchor, Tether
    >>> Tether(a=Anchor(body="tug"), b=Anchor(body="target"), stiffness="800 N/m", damping="5 N s/m", length="30 m")
    Tether(a=Anchor(body='tug'), b=Anchor(body='target'), stiffness=800.0, damping=5.0, length=30.0)
    """

    a: Anchor
    """First point."""
    b: Anchor
    """Second point."""
    stiffness: PositiveStiffness
    """Tension per stretch beyond the free length."""
    damping: Damping = 0.0
    """Tension per rate of stretch while it is stretched; the total never pushes."""
    length: NonNegativeLength
    """Free length: distance of the points up to which it is slack; with a reel at the start."""
    reel: Reel | None = None
    """Reel that changes the free length; leave out for a cable of constant length."""
    active: Flag = True
    """Whether it acts from the start; events switch it by `enable` and `disable`."""

    @model_validator(mode="after")
    def _check_length(self) -> Self:
        if self.length == 0.0 and self.reel is None:
            raise FieldError(
                "length", "must be above 0 m without a reel: give a strut for a spring that is never slack"
            )
        return self
