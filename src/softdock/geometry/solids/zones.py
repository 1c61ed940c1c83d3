"""Parts of the surface of a solid in which contact forces are observed."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from softdock.errors import InputError
from softdock.geometry.solids.solid import Solid

Triple = tuple[float, float, float]
EVERYWHERE = ((-math.inf, -math.inf, -math.inf), (math.inf, math.inf, math.inf))


@dataclass(frozen=True, kw_only=True)
class SolidZone:
    """A part of the surface of a solid: places in a box that belong to some faces."""

    low: Triple = EVERYWHERE[0]
    """Lower corner of the box in the solid's frame [m]."""
    high: Triple = EVERYWHERE[1]
    """Upper corner."""
    faces: tuple[int, ...] | None = None
    """Indices of the faces; None for all."""


def find_faces(solid: Solid, selections: Sequence[int | str]) -> tuple[int, ...]:
    """Return the indices of faces that are given by their numbers from 1 or by names. Raises InputError."""
    found: list[int] = []
    for k, selection in enumerate(selections):
        own = [i for i, face in enumerate(solid.faces) if selection in (face.number, face.name)]
        if selection == "" or not own:
            names = sorted({face.name for face in solid.faces if face.name})
            last = max(face.number for face in solid.faces)
            named = f" and faces named {', '.join(names)}" if names else " and no named faces"
            message = f"The solid has faces 1 to {last}{named}."
            raise InputError(message, field=f"faces.{k}", given=str(selection))
        found += own
    return tuple(dict.fromkeys(found))
