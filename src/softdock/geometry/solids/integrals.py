"""Volume, centre and inertia of a solid from its exact faces, by the divergence theorem."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softdock.geometry.mass_properties import MassProperties, mesh_mass_properties
from softdock.geometry.solids.cells import divide_face
from softdock.geometry.solids.face_regions import FaceRegion, face_region
from softdock.geometry.solids.face_rows import face_depths
from softdock.geometry.solids.kernels.layout import FACE_KIND, FACETED
from softdock.geometry.solids.parameters import face_points
from softdock.geometry.solids.quadrature import rectangle_points, triangle_points
from softdock.geometry.solids.solid import Solid

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

COARSEST = 0.1
"""Size of the cells, relative to that of the solid, with which the quadrature begins."""
LARGEST_GAP = 1e-8
"""Allowed sum of the area vectors over the sum of the areas: it is 0 for a closed surface."""
MOST_HALVINGS = 4


@dataclass(frozen=True, kw_only=True)
class SurfacePoints:
    """Points of a quadrature over the surface of a solid."""

    points: Array
    """Shape (n, 3) [m]."""
    normals: Array
    """Outward, shape (n, 3)."""
    weights: Array
    """Shape (n,) [m^2]."""
    faces: Indices
    """Shape (n,)."""

    @property
    def gap(self) -> float:
        """Length of the sum of all area vectors over the area: how far the surface is from being closed."""
        return float(np.linalg.norm(self.weights @ self.normals) / self.weights.sum())


def surface_points(solid: Solid, size: float) -> SurfacePoints:
    """Return points of a quadrature over all faces, in cells of at most about `size` [m]."""
    parts = []
    for f in range(len(solid.faces)):
        if solid.arrays.faces[f, FACE_KIND] == FACETED:
            parts.append(_facet_points(solid, f))
            continue
        face = face_region(solid, f, size)
        parts.append(_exact_points(solid, face, *divide_face(face, size)))
    points, normals, weights, faces = (np.concatenate(columns) for columns in zip(*parts))
    return SurfacePoints(points=points, normals=normals, weights=weights, faces=faces)


def _exact_points(
    solid: Solid, face: FaceRegion, rectangles: Array, triangles: Array, sides: Array
) -> tuple[Array, Array, Array, Indices]:
    cells = (rectangle_points(face.frame, rectangles), triangle_points(face, triangles, sides))
    u, v, weights = (np.concatenate([getattr(part, name) for part in cells]) for name in ("u", "v", "weight"))
    points, faces = face_points(face.frame, u, v), np.full(len(u), face.face)
    return points, -face_depths(solid.arrays.faces, faces, points)[:, 1:], weights, faces


def _facet_points(solid: Solid, f: int) -> tuple[Array, Array, Array, Indices]:
    """Return the middles of the sides of triangles, which integrate polynomials of degree two exactly."""
    own = solid.face_of == f
    corners = solid.arrays.triangles[own, :9].reshape(-1, 3, 3)
    cross = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(cross, axis=1)
    normals = cross / np.where(length > 0.0, length, 1.0)[:, None]
    points = (corners + corners[:, [1, 2, 0]]) / 2
    return (
        points.reshape(-1, 3),
        np.repeat(normals, 3, axis=0),
        np.repeat(length / 6, 3),
        np.full(3 * len(corners), f),
    )


def closed_surface_points(solid: Solid) -> SurfacePoints:
    """Return the points of a quadrature whose area vectors sum to zero, in as large cells as possible.

    In very large cells the chords of curves may cross those of others.
    """
    size = COARSEST * solid.size
    surface = surface_points(solid, size)
    for _ in range(MOST_HALVINGS):
        if surface.gap < LARGEST_GAP or not all(face.is_exact for face in solid.faces):
            break
        size /= 2
        surface = surface_points(solid, size)
    return surface


def solid_mass_properties(
    solid: Solid, density: float, surface: SurfacePoints | None = None
) -> MassProperties:
    """Return the mass properties of a homogeneous solid, Eq. (G54).

    Solids with faceted faces have those of their triangles: where exact faces meet them, gaps would remain.
    """
    if not all(face.is_exact for face in solid.faces):
        return mesh_mass_properties(solid.vertices, solid.triangle_vertices, density)
    surface = surface or closed_surface_points(solid)
    shift = solid.vertices.mean(axis=0)  # origin near the body, which avoids cancellation
    x, flux = surface.points - shift, surface.weights[:, None] * surface.normals
    volume = float(np.einsum("ij,ij->", x, flux)) / 3
    centre = np.einsum("ij,ij->j", x * x, flux) / (2 * volume)
    squares = np.einsum("ij,ij->j", x**3, flux) / 3
    # Products: the flux of x y z' e_x / 2 and the like, symmetrised over both axes.
    second = np.diag(squares)
    for i, j in ((0, 1), (1, 2), (2, 0)):
        product = (x[:, i] ** 2 * x[:, j] @ flux[:, i] + x[:, j] ** 2 * x[:, i] @ flux[:, j]) / 4
        second[i, j] = second[j, i] = product
    second -= volume * np.outer(centre, centre)
    inertia = density * (np.trace(second) * np.eye(3) - second)
    return MassProperties(
        density=density, volume=volume, mass=density * volume, centre=centre + shift, inertia=inertia
    )
