"""Wall thickness and smallest fillet radius of a surface of revolution: the limits of the depth of a contact."""

import functools
import math

import numpy as np

from softdock.geometry.entry_points import thinnest_wall
from softdock.geometry.profile import Arc, Profile
from softdock.geometry.profile_arrays import closed_chain, profile_array

SAMPLES = 17
"""Points of each line or arc at which the thickness is measured."""


@functools.lru_cache(maxsize=64)
def wall_thickness(profile: Profile) -> float:
    """Return the smallest thickness [m] of the material, perpendicular to its surface; infinite without a wall.

    Walls across the axis count: the thickness of a ball is its diameter. End and back faces of an open meridian count.
    """
    chain, _, _ = closed_chain(profile)
    samples = [
        (z, r, t_r, -t_z)  # the normal points into the material
        for segment in chain
        for f in (np.arange(SAMPLES) + 0.5) / SAMPLES
        for (z, r), (t_z, t_r) in [(segment.point(f), segment.tangent(f))]
    ]
    return float(thinnest_wall(profile_array(profile), np.array(samples)))


@functools.lru_cache(maxsize=64)
def smallest_radius(profile: Profile) -> float:
    """Return the smallest radius [m] of the convex arcs of a profile; infinite without one.

    Corners without a fillet do not count: their peaks of depth and pressure are those of the corner itself.
    """
    arcs = [s.radius for s in profile.segments if isinstance(s, Arc) and not s.counterclockwise]
    return min(arcs, default=math.inf)
