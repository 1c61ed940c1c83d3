"""Contact of two surfaces of revolution: elastic layer, friction, cut cells, and the force routine."""

from softdock.contact.layer import ElasticLayer, Friction, FrictionLaw
from softdock.contact.pair import (
    Contact,
    ContactPair,
    CutCells,
    Mapping,
    MotionState,
    Patch,
    Points,
    Wrench,
)

__all__ = [
    "Contact",
    "ContactPair",
    "CutCells",
    "ElasticLayer",
    "Friction",
    "FrictionLaw",
    "Mapping",
    "MotionState",
    "Patch",
    "Points",
    "Wrench",
    "warm_up",
]


def warm_up() -> None:
    """Compile (or load) the kernels by evaluating a ball that touches a plate."""
    from softdock.geometry.profile import Arc, Line, Profile

    ball = Arc(start=(-1.0, 0.0), end=(0.0, 1.0), centre=(0.0, 0.0), counterclockwise=False)
    plate = Line(start=(0.0, 1.0), end=(0.0, 0.0))
    level = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    rest = (0.0, 0.0, 0.0)
    for quadrature in (CutCells(largest=0.5, resolved_force=10.0), Points(spacing=0.2)):
        ContactPair(
            surface_A=Profile(segments=(plate,)),
            surface_B=Profile(segments=(ball,)),
            layer=ElasticLayer(areal_stiffness=1.0),
            quadrature=quadrature,
        ).forces(
            MotionState(r=rest, v=rest, omega=rest, A=level),
            MotionState(r=(0.0, 0.0, 0.9), v=rest, omega=rest, A=level),
        )
