"""How thick the walls of a surface of revolution are, and how sharp its edges: what bounds the depth of a contact."""

import functools
import math

import numpy as np
from numpy.typing import NDArray

from softdock.geometry.profile import Arc, Line, Profile, closed_chain

Array = NDArray[np.float64]
SAMPLES = 17
"""Points of each line or arc at which the thickness is measured."""
OPPOSITE = 0.98
"""Two faces are those of one wall where their normals are opposed within 11 deg (cosine); else they form an edge or a
tip, whose thickness ends at zero."""


@functools.lru_cache(maxsize=64)
def wall_thickness(profile: Profile) -> float:
    """Return the thickness [m] of the thinnest wall of the material, square to its surface; infinite without a wall.

    Through the axis too: that of a ball is its diameter. End and back faces of an open meridian count.
    """
    chain, _, _ = closed_chain(profile)
    places = [
        (*segment.point(f), *segment.tangent(f))
        for segment in chain
        for f in (np.arange(SAMPLES) + 0.5) / SAMPLES
    ]
    z, r, t_z, t_r = np.array(places).T
    n_z, n_r = t_r, -t_z  # into the material
    way, opposed = np.full(len(z), np.inf), np.zeros(len(z))
    for segment in chain:
        for side in (1.0, -1.0):  # on this side of the axis and beyond it
            t, cosine = _crossing(segment, z, side * r, n_z, side * n_r)
            opposed, way = np.where(t < way, cosine, opposed), np.minimum(t, way)
    return float(np.min(np.where(opposed < -OPPOSITE, way, np.inf)))


@functools.lru_cache(maxsize=64)
def smallest_radius(profile: Profile) -> float:
    """Return the radius [m] of the sharpest rounding that sticks out; infinite without one.

    Corners without a rounding have none: peaks of depth and pressure are those of the corner itself.
    """
    arcs = [s.radius for s in profile.segments if isinstance(s, Arc) and not s.counterclockwise]
    return min(arcs, default=math.inf)


def _crossing(segment: Line | Arc, z: Array, r: Array, n_z: Array, n_r: Array) -> tuple[Array, Array]:
    """Return how far rays from (z, r) along (n_z, n_r) go until they leave the material through a segment [m].

    Infinite where they do not; and the cosine between the ray and the normal into the material there.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        if isinstance(segment, Line):
            (t_z, t_r), (a_z, a_r) = segment.tangent(0.0), segment.start
            cosine = n_z * t_r - n_r * t_z
            t = -((z - a_z) * t_r - (r - a_r) * t_z) / cosine
            along = (z + t * n_z - a_z) * t_z + (r + t * n_r - a_r) * t_r
            hit = (along >= 0.0) & (along <= segment.length)
        else:
            sense = 1.0 if segment.counterclockwise else -1.0
            d_z, d_r = z - segment.centre[0], r - segment.centre[1]
            b = d_z * n_z + d_r * n_r
            root = np.sqrt(b * b - d_z * d_z - d_r * d_r + segment.radius**2)
            t, cosine = -b - sense * root, -root / segment.radius
            angle = np.arctan2(d_r + t * n_r, d_z + t * n_z)
            hit = (sense * (angle - segment.start_angle)) % math.tau <= abs(segment.sweep)
        hit &= (cosine < 0.0) & (t > 1e-9)
    return np.where(hit, t, np.inf), np.where(hit, cosine, 0.0)
