"""Contact of two surfaces of revolution: elastic layer, friction, cut cells and forces."""

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
]
