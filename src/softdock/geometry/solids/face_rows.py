"""Rows of faces for the kernels, from the exact surfaces of a file, and their depths at many points."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from softdock.geometry.entry_points import depths_below_faces
from softdock.geometry.facets import ExactFace
from softdock.geometry.solids.kernels.layout import (
    CONE,
    FACE_A,
    FACE_AXIS,
    FACE_B,
    FACE_C,
    FACE_COLUMNS,
    FACE_KIND,
    FACE_POINT,
    FACE_SENSE,
    FACETED,
    PLANE,
    TORUS,
)

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


def face_rows(faces: Sequence[ExactFace | None]) -> Array:
    """Return the rows of faces for the kernels, shape (n, FACE_COLUMNS), with their own normals; None: faceted."""
    rows = np.zeros((len(faces), FACE_COLUMNS))
    rows[:, FACE_SENSE] = 1.0
    rows[:, FACE_KIND] = FACETED
    for row, face in zip(rows, faces):
        if face is None:
            continue
        row[FACE_POINT : FACE_POINT + 3] = face.point
        axis = np.array([0.0, 0.0, 1.0]) if face.axis is None else face.axis
        row[FACE_AXIS : FACE_AXIS + 3] = axis / np.linalg.norm(axis)
        row[FACE_KIND], row[FACE_A], row[FACE_B], row[FACE_C] = _coefficients(face)
    return rows


def _coefficients(face: ExactFace) -> tuple[float, float, float, float]:
    """Return kind and coefficients of a face, Eqs. (G40) and (G41)."""
    if face.kind == "plane":
        return PLANE, 1.0, 0.0, 0.0
    if face.kind == "cylinder":
        return CONE, 0.0, 1.0, -face.radius
    if face.kind == "cone":
        return CONE, -np.sin(face.second), np.cos(face.second), -face.radius * np.cos(face.second)
    if face.kind == "sphere":
        return TORUS, 0.0, face.radius, 0.0
    return TORUS, face.radius, face.second, 0.0


def face_depths(rows: Array, index: Indices, points: Array) -> Array:
    """Return depth [m] and gradient of points below the unbounded surfaces of faces, shape (n, 4).

    `index` (n,) is the face of each point, `points` (n, 3) [m]. Faceted faces give 0.
    """
    results = np.zeros((len(points), 4))
    exact = np.flatnonzero(rows[index, FACE_KIND] != FACETED)
    if len(exact):
        part = np.zeros((len(exact), 4))
        depths_below_faces(
            np.ascontiguousarray(rows),
            np.ascontiguousarray(index[exact], np.int64),
            np.ascontiguousarray(points[exact]),
            part,
        )
        results[exact] = part
    return results


def orient_faces(rows: Array, corners: Array, face_of: Indices) -> Array:
    """Return the rows with the sense that makes the depth grow against the outward normals of triangles (n, 3, 3)."""
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    gradients = face_depths(rows, face_of, corners.mean(axis=1))[:, 1:]
    agreement = np.bincount(face_of, np.einsum("ij,ij->i", normals, gradients), len(rows))
    oriented = rows.copy()
    oriented[agreement > 0.0, FACE_SENSE] *= -1.0
    return oriented
