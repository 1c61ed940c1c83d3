"""The solid behind a surface of revolution."""

import math
from dataclasses import replace

from softdock.geometry.profile import GAP_TOLERANCE, Arc, Line, Profile
from softdock.geometry.profile_arrays import closed_chain
from softdock.geometry.solids.primitives import revolve
from softdock.geometry.solids.solid import Solid, build_solid

SAME_CIRCLE = 1e-9
"""Largest difference of the circles of two arcs that become one face, relative to the radius."""


def revolved_solid(profile: Profile) -> Solid:
    """Return the solid that a meridian bounds; the faces that close an open one are marked."""
    chain, before, after = closed_chain(profile)
    last = len(chain) - after
    lowest = -GAP_TOLERANCE * profile.size  # without mirror images beyond the axis
    kept = [k for k, segment in enumerate(chain) if min(segment.start[1], segment.end[1]) >= lowest]
    segments: list[Line | Arc] = []
    is_closure: list[bool] = []
    for k in kept:
        closes = not before <= k < last
        joined = _join(segments[-1], chain[k]) if segments and is_closure[-1] == closes else None
        if joined is None:
            segments.append(chain[k])
            is_closure.append(closes)
        else:
            segments[-1] = joined
    solid = build_solid(revolve(Profile(segments=tuple(segments))))
    faces = tuple(replace(face, is_closure=is_closure[face.number - 1]) for face in solid.faces)
    return replace(solid, faces=faces)


def _join(first: Line | Arc, second: Line | Arc) -> Arc | None:
    """Return the arc that two arcs of one circle make, of at most half a turn; None for others."""
    if not isinstance(first, Arc) or not isinstance(second, Arc):
        return None
    apart = math.dist(first.centre, second.centre) + abs(first.radius - second.radius)
    same = first.counterclockwise == second.counterclockwise and apart <= SAME_CIRCLE * first.radius
    if not same or abs(first.sweep) + abs(second.sweep) > math.pi * (1.0 + SAME_CIRCLE):
        return None
    return replace(first, end=second.end)
