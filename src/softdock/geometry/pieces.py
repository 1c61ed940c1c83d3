"""Pieces of a meridian, and the surface data of a body from which they are found."""

from dataclasses import dataclass, replace
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from softdock.geometry.axis import AxisFrame
from softdock.geometry.facets import Facets
from softdock.geometry.profile import Arc, Line

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

FACET_SPAN = 0.6
"""Largest angle of a facet of a surface of revolution around the axis and along the meridian [rad]."""


class EndAccuracy(Enum):
    """Accuracy of the ends of a piece."""

    PLANE = "plane"
    """A plane face: neighbouring pieces define its radii."""
    FITTED = "fitted"
    """Fitted to vertices of facets."""
    EXACT = "exact"
    """From an exact face of the file."""


MOST_ACCURATE_FIRST = (EndAccuracy.EXACT, EndAccuracy.FITTED, EndAccuracy.PLANE)


@dataclass(frozen=True, kw_only=True)
class Piece:
    """Connected segments of a meridian with material on the right of travel, and their facets."""

    segments: tuple[Line | Arc, ...]
    triangles: Indices
    accuracy: EndAccuracy
    """Accuracy of its ends; at a joint the more accurate end is used."""
    deviation: float
    """Largest distance [m] of the facets' vertices from the segments."""
    interruption: float = 0.0
    """Width [m] of the hole or attachment that limits the ring of a plane."""


@dataclass(frozen=True, kw_only=True)
class BodySurface:
    """Vertices, normals and areas of a body in cylindrical coordinates of the profile's frame."""

    facets: Facets
    frame: AxisFrame
    tolerance: float
    z: Array
    r: Array
    phi: Array
    n_z: Array
    n_r: Array
    areas: Array


def reverse(segment: Line | Arc) -> Line | Arc:
    """Return the segment in the opposite direction."""
    if isinstance(segment, Line):
        return Line(start=segment.end, end=segment.start)
    return replace(
        segment, start=segment.end, end=segment.start, counterclockwise=not segment.counterclockwise
    )


def boundary_edges(triangles: Indices, cut_edges: Indices | None = None) -> Indices:
    """Return the directed edges, shape (n, 2), that no other of the triangles shares, without `cut_edges`."""
    directed = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    if not len(directed):
        return directed
    others = directed if cut_edges is None else np.concatenate([directed, cut_edges])
    base = int(others.max()) + 1
    forward, backward = directed[:, 0] * base + directed[:, 1], others[:, 1] * base + others[:, 0]
    return directed[~np.isin(forward, backward)]
