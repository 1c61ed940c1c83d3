"""A range of z and angle that selects faces of a CAD file."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class FaceSelection:
    """A part of the space around the axis: all facets in it are left out."""

    z: tuple[float, float] | None = None
    """Along the axis [m]; everywhere if None."""
    angle: tuple[float, float] | None = None
    """About the axis, from x of the profile's frame [rad]; all around if None."""
