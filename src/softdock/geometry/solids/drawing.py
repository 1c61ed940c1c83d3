"""Triangles of a solid for drawing: points and normals of its exact faces."""

import base64
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from softdock.geometry.solids.exact_vertices import faces_at_vertices, move_to_faces
from softdock.geometry.solids.face_rows import face_depths
from softdock.geometry.solids.kernels.layout import FACE_KIND, FACETED, TRIANGLE_SLACK
from softdock.geometry.solids.solid import Solid

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

DEVIATION = 5e-4
"""Distance of the drawn triangles from the faces, relative to the size of the solid."""
MOST_TRIANGLES = 40_000
"""Triangles that are not divided further."""


class DrawnSolid(NamedTuple):
    """Triangles of a solid in its frame, with the normals of its faces."""

    points: Array
    """Shape (n, 3) [m]; one for each face at a vertex, so that edges are sharp."""
    normals: Array
    """Shape (n, 3), outward unit vectors."""
    indices: Indices
    """Shape (m, 3), counterclockwise seen from outside."""


def subdivide(
    rows: Array, vertices: Array, triangles: Indices, face_of: Indices
) -> tuple[Array, Indices, Indices]:
    """Return vertices, triangles and their faces after division of each triangle into four; all lie on the faces."""
    sides = np.sort(np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=2).reshape(-1, 2), axis=1)
    unique, index = np.unique(sides, axis=0, return_inverse=True)
    a, b, c = triangles.T
    ab, bc, ca = (len(vertices) + index.reshape(-1, 3)).T
    divided = np.concatenate(
        [np.column_stack(columns) for columns in ((a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca))]
    )
    faces = np.tile(face_of, 4)
    moved = np.concatenate([vertices, vertices[unique].mean(axis=1)])
    return move_to_faces(rows, moved, faces_at_vertices(divided, faces, len(moved))), divided, faces


def drawn_solid(solid: Solid) -> DrawnSolid:
    """Return triangles that depart from the exact faces of a solid by at most DEVIATION of its size, if they may."""
    rows = solid.arrays.faces
    vertices, triangles, face_of = solid.vertices, solid.triangle_vertices, solid.face_of
    off = float(solid.arrays.triangles[:, TRIANGLE_SLACK].max())
    while off > DEVIATION * solid.size and 4 * len(triangles) <= MOST_TRIANGLES:
        vertices, triangles, face_of = subdivide(rows, vertices, triangles, face_of)
        off /= 4
    faceted = rows[face_of, FACE_KIND] == FACETED
    group = np.where(faceted, len(rows) + np.arange(len(triangles)), face_of)  # facets are drawn as they are
    pairs = np.column_stack([triangles.ravel(), np.repeat(group, 3)])
    unique, index = np.unique(pairs, axis=0, return_inverse=True)
    points = vertices[unique[:, 0]]
    corners = vertices[triangles]
    normals = np.zeros_like(points)
    cross = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    np.add.at(normals, index.ravel(), np.repeat(cross, 3, axis=0))
    exact = unique[:, 1] < len(rows)
    normals[exact] = -face_depths(rows, unique[exact, 1], points[exact])[:, 1:]
    length = np.linalg.norm(normals, axis=1)
    normals /= np.where(length > 0.0, length, 1.0)[:, None]
    return DrawnSolid(points=points, normals=normals, indices=index.reshape(-1, 3))


def encoded(drawn: DrawnSolid) -> dict[str, str]:
    """Return the triangles as texts, for a result."""
    types = {"points": "<f4", "normals": "<f4", "indices": "<u4"}
    return {
        name: base64.b64encode(getattr(drawn, name).astype(kind).tobytes()).decode()
        for name, kind in types.items()
    }


def decoded(data: Mapping[str, Any]) -> DrawnSolid:
    """Return the triangles that `encoded` wrote. Raises ValueError for other data."""
    try:
        points, normals = (_rows(data[name], "<f4").astype(float) for name in ("points", "normals"))
        indices = _rows(data["indices"], "<u4").astype(np.int64)
    except (LookupError, TypeError) as error:
        raise ValueError("the triangles are incomplete") from error
    if points.shape != normals.shape or not len(indices) or indices.max() >= len(points):
        raise ValueError("the triangles do not belong to the points")
    if not (np.isfinite(points).all() and np.isfinite(normals).all()):
        raise ValueError("some coordinates are not finite")
    return DrawnSolid(points=points, normals=normals, indices=indices)


def _rows(text: str, kind: str) -> NDArray[Any]:
    return np.frombuffer(base64.b64decode(text, validate=True), kind).reshape(-1, 3)
