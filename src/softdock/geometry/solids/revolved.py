"""The solid behind a surface of revolution."""

from dataclasses import replace

from softdock.geometry.profile import GAP_TOLERANCE, Profile
from softdock.geometry.profile_arrays import closed_chain
from softdock.geometry.solids.primitives import revolve
from softdock.geometry.solids.solid import Solid, build_solid


def revolved_solid(profile: Profile) -> Solid:
    """Return the solid that a meridian bounds; the faces that close an open one are marked."""
    chain, before, after = closed_chain(profile)
    last = len(chain) - after
    lowest = -GAP_TOLERANCE * profile.size  # without mirror images beyond the axis
    kept = [k for k, segment in enumerate(chain) if min(segment.start[1], segment.end[1]) >= lowest]
    solid = build_solid(revolve(Profile(segments=tuple(chain[k] for k in kept))))
    faces = tuple(
        replace(face, is_closure=not before <= kept[face.number - 1] < last) for face in solid.faces
    )
    return replace(solid, faces=faces)
