"""The five steps from CAD to contact geometry of Figure 5 of the ASSIST paper, as data."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softdock.errors import InputError
from softdock.geometry.cad import CadSurface
from softdock.geometry.mass_properties import band_area
from softdock.geometry.profile import Profile

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class PointCloud:
    """Points with areas and normals that represent a surface of revolution, in the profile's frame S."""

    points: Array
    """Shape (n, 3) [m]."""
    normals: Array
    """Shape (n, 3), unit vectors out of the material."""
    areas: Array
    """Shape (n,) [m^2]; their sum is the area of the surface."""


@dataclass(frozen=True, kw_only=True)
class ProfileDerivation:
    """Results of the steps from a CAD file to contact geometry, in the profile's frame S."""

    vertices: Array
    """Step 1, facets: vertices of the body, shape (n, 3) [m]."""
    triangles: NDArray[np.int64]
    """Step 1: shape (m, 3)."""
    on_surface: NDArray[np.bool_]
    """Step 1: shape (m,), the facets that belong to the profile."""
    cylindrical: Array
    """Step 2: (z, r, azimuth) of the vertices of those facets, shape (k, 3) [m, m, rad]."""
    profile: Profile
    """Step 3: the meridian as lines and arcs."""
    interpolated: Array
    """Step 4: points (z, r) [m] along the meridian, not further apart than the resolution."""
    cloud: PointCloud
    """Step 5: points with areas and normals."""


def derive_profile(surface: CadSurface, *, resolution: float) -> ProfileDerivation:
    """Return the five steps for a surface; neighbouring points are at most `resolution` [m] apart."""
    vertices = surface.frame.to_profile_frame(surface.vertices_F)
    used = vertices[np.unique(surface.triangles[surface.on_surface])]
    cylindrical = np.column_stack(
        [used[:, 2], np.hypot(used[:, 0], used[:, 1]), np.arctan2(used[:, 1], used[:, 0])]
    )
    return ProfileDerivation(
        vertices=vertices,
        triangles=surface.triangles,
        on_surface=surface.on_surface,
        cylindrical=cylindrical,
        profile=surface.profile,
        interpolated=interpolate(surface.profile, resolution),
        cloud=point_cloud(surface.profile, resolution),
    )


def interpolate(profile: Profile, resolution: float) -> Array:
    """Return points (z, r) [m] along the profile, equally spaced in each segment, including joints, shape (n, 2)."""
    places = [profile.segments[0].start]
    for segment in profile.segments:
        count = _count(segment.length, resolution)
        places += [*(segment.point(k / count) for k in range(1, count)), segment.end]
    return np.array(places)


def point_cloud(profile: Profile, resolution: float) -> PointCloud:
    """Return points not further apart than the resolution [m], each with the exact area of its patch, Eq. (G3).

    Each segment is divided into equal bands and each band into equal sectors; a point is the middle of its patch.
    Neighbouring bands are rotated by half a sector.
    """
    points, normals, areas = [], [], []
    for segment in profile.segments:
        bands = _count(segment.length, resolution)
        for k in range(bands):
            middle = (k + 0.5) / bands
            z, r = segment.point(middle)
            t_z, t_r = segment.tangent(middle)
            widest = max(segment.point(f / (2 * bands))[1] for f in (2 * k, 2 * k + 1, 2 * k + 2))
            sectors = max(3, _count(math.tau * widest, resolution))
            azimuth = (np.arange(sectors) + 0.5 * (k % 2)) * (math.tau / sectors)
            c, s = np.cos(azimuth), np.sin(azimuth)
            points.append(np.column_stack([r * c, r * s, np.full(sectors, z)]))
            normals.append(np.column_stack([t_z * c, t_z * s, np.full(sectors, -t_r)]))  # left of travel
            areas.append(np.full(sectors, band_area(segment, k / bands, (k + 1) / bands) / sectors))
    return PointCloud(points=np.vstack(points), normals=np.vstack(normals), areas=np.concatenate(areas))


def _count(length: float, resolution: float) -> int:
    if not (math.isfinite(resolution) and resolution > 0.0):
        raise InputError(f"The resolution must be a positive length [m]. Given: {resolution}.")
    return max(1, math.ceil(length / resolution * (1 - 1e-12)))
