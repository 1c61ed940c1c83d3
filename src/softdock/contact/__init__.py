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
    "warm_up_lists",
]

_LEVEL = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
_REST = (0.0, 0.0, 0.0)


def warm_up() -> None:
    """Compile (or load) the kernels by evaluating a ball that touches a plate."""
    for quadrature in (CutCells(largest=0.5, resolved_force=10.0), Points(spacing=0.2)):
        _ball_on_plate(quadrature).forces(
            MotionState(r=_REST, v=_REST, omega=_REST, A=_LEVEL),
            MotionState(r=(0.0, 0.0, 0.9), v=_REST, omega=_REST, A=_LEVEL),
        )


def warm_up_lists() -> None:
    """Compile (or load) the kernel that fills near lists."""
    from softdock.contact.arrays import contact_arrays, contact_lists
    from softdock.contact.kernels.near import rebuild_along

    arrays = contact_arrays([_ball_on_plate(Points(spacing=0.2))])
    still = (0.0, 0.0, 0.0)
    rebuild_along(
        arrays, contact_lists(arrays), 0, _LEVEL, (0.0, 0.0, 2.0), (still, still, still), still, 0.1
    )


def _ball_on_plate(quadrature: CutCells | Points) -> ContactPair:
    from softdock.geometry.profile import Arc, Line, Profile

    ball = Arc(start=(-1.0, 0.0), end=(0.0, 1.0), centre=(0.0, 0.0), counterclockwise=False)
    plate = Line(start=(0.0, 1.0), end=(0.0, 0.0))
    return ContactPair(
        surface_A=Profile(segments=(plate,)),
        surface_B=Profile(segments=(ball,)),
        layer=ElasticLayer(areal_stiffness=1.0),
        quadrature=quadrature,
    )
