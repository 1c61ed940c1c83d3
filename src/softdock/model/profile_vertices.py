"""Vertices of profiles: the meridian of a surface of revolution as users write it."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Tag

from softdock.geometry.profile import Profile
from softdock.geometry.vertices import ArcTo, Vertex, profile_from_vertices
from softdock.quantities.fields import Length, NonNegativeLength, PositiveLength
from softdock.quantities.model import Model

Place = tuple[Length, NonNegativeLength]
"""(z, r): along the axis and away from it."""


class Corner(Model):
    """A vertex of a profile, reached by a straight line and rounded by a fillet.

    Lengths are in m.

    >>> from softdock import Corner
    >>> Corner(at=("10 mm", "4 mm"), fillet="1 mm")
    Corner(at=(0.01, 0.004), fillet=0.001)
    """

    at: Place
    """Vertex (z, r): position along the axis and distance from it."""
    fillet: NonNegativeLength = 0.0
    """Radius of the rounding."""


class Curve(Model):
    """An arc from the vertex before: through a point, or with a radius and the side it turns to.

    Lengths are in m.

    >>> from softdock import Curve
    >>> Curve(arc_to=("10 mm", 0), radius="10 mm", turn="right")
    Curve(arc_to=(0.01, 0.0), radius=0.01, turn='right')
    """

    arc_to: Place
    """End of the arc (z, r)."""
    through: Place | None = None
    """A point (z, r) on the arc."""
    radius: PositiveLength | None = None
    """Radius of the arc; goes with `turn`."""
    turn: Literal["left", "right"] | None = None
    """Side to which the path turns along the arc; goes with `radius`."""


def _sort_of_vertex(given: Any) -> str:
    """Return the kind of a vertex, so that errors of the other kind are not reported."""
    if isinstance(given, Curve) or (isinstance(given, dict) and "arc_to" in given):
        return "Curve"
    return "Corner" if isinstance(given, Corner | dict) else "Place"


Step = Annotated[
    Annotated[Place, Tag("Place")] | Annotated[Corner, Tag("Corner")] | Annotated[Curve, Tag("Curve")],
    Discriminator(_sort_of_vertex),
]
"""One vertex of a profile."""


def profile_from_steps(steps: Sequence[Step]) -> Profile:
    """Return the meridian that vertices describe."""
    return profile_from_vertices([_vertex(step) for step in steps])


def _vertex(step: Step) -> Vertex | ArcTo:
    if isinstance(step, Curve):
        return ArcTo(arc_to=step.arc_to, through=step.through, radius=step.radius, turn=step.turn)
    return Vertex(at=step.at, fillet=step.fillet) if isinstance(step, Corner) else Vertex(at=step)
