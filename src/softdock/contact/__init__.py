"""Contact of two surfaces of revolution: elastic layer, friction, cut cells and forces."""

from softdock.contact.layer import CoulombFriction, ElasticLayer, FrictionLaw
from softdock.contact.pair import (
    ContactEvaluation,
    ContactPair,
    ContactWrench,
    CutCells,
    Mapping,
    MotionState,
    Patch,
    Points,
)

__all__ = [
    "ContactEvaluation",
    "ContactPair",
    "ContactWrench",
    "CoulombFriction",
    "CutCells",
    "ElasticLayer",
    "FrictionLaw",
    "Mapping",
    "MotionState",
    "Patch",
    "Points",
]
