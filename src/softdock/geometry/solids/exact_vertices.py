"""Vertices of triangles, which a file has in single precision, moved onto the exact faces that meet there."""

import numpy as np
from numpy.typing import NDArray

from softdock.geometry.solids.face_rows import face_depths
from softdock.geometry.solids.kernels.layout import FACE_KIND, FACETED

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

ITERATIONS = 6
"""Newton's method doubles the digits in each; it begins with seven."""
PARALLEL = 1e-4
"""Singular values below this fraction of the largest are dropped: the normals of faces that join smoothly agree."""
LEAST_SINE = 0.05
"""Sine of the angle between two faces above which their curve is well defined."""
LEAST_RATE = 0.1
"""Difference of the curvatures of two faces along a curve [1/m] above which it crosses their smooth edge."""
LONGEST_STEP = 1e-3
"""Of vertices along a curve [m]; they have an accuracy of micrometres, or of the sagitta in unions."""
STEP = 1e-6
"""Step [m] of the differences that give the rate of a tangential switch."""


def faces_at_vertices(triangles: Indices, face_of: Indices, count: int) -> list[Indices]:
    """Return the faces that meet at each of `count` vertices."""
    pairs = np.unique(np.column_stack([triangles.ravel(), np.repeat(face_of, 3)]), axis=0)
    splits = np.searchsorted(pairs[:, 0], np.arange(1, count))
    return np.split(pairs[:, 1], splits)


def move_to_faces(rows: Array, vertices: Array, meeting: list[Indices]) -> Array:
    """Return the vertices moved by the shortest way onto all exact faces that meet there, Eq. (G50)."""
    moved = vertices.copy()
    exact = [faces[rows[faces, FACE_KIND] != FACETED] for faces in meeting]
    count = np.array([len(faces) for faces in exact])
    for number in np.unique(count[count > 0]):
        chosen = np.flatnonzero(count == number)
        moved[chosen] = project(rows, np.array([exact[v] for v in chosen]), moved[chosen])
    return moved


def project(rows: Array, faces: Indices, points: Array) -> Array:
    """Return points (n, 3) moved by the shortest way onto their faces (n, k), Eq. (G50)."""
    moved, (number, many) = points.copy(), faces.shape
    for _ in range(ITERATIONS):
        depths = face_depths(rows, faces.ravel(), np.repeat(moved, many, axis=0)).reshape(number, many, 4)
        if many == 1:
            moved -= depths[:, 0, :1] * depths[:, 0, 1:]
            continue
        inverse = np.linalg.pinv(depths[:, :, 1:], rcond=PARALLEL)
        moved -= np.einsum("nxk,nk->nx", inverse, depths[:, :, 0])
    return moved


def switch_values(rows: Array, f: Indices, h: Indices, conormals: Array, points: Array) -> Array:
    """Return `c . (n_h - n_f)` at points, which is zero where faces f and h join smoothly, Eq. (G44)."""
    difference = face_depths(rows, f, points)[:, 1:] - face_depths(rows, h, points)[:, 1:]
    return np.asarray(np.einsum("ij,ij->i", conormals, difference))


def move_to_switch(rows: Array, f: Indices, h: Indices, conormals: Array, points: Array) -> Array:
    """Return points on the curve where faces f and h join smoothly, moved along conormals into f, Eq. (G51)."""
    moved = points.copy()
    faces = np.column_stack([f, h])
    for _ in range(ITERATIONS):
        value = switch_values(rows, f, h, conormals, moved)
        beyond = switch_values(rows, f, h, conormals, moved + STEP * conormals)
        rate = (beyond - value) / STEP
        step = np.where(np.abs(rate) > 0.0, -value / np.where(rate == 0.0, 1.0, rate), 0.0)
        moved = project(rows, faces, moved + step[:, None] * conormals)
    return moved


def move_along_edge(rows: Array, f: Indices, h: Indices, third: Indices, points: Array) -> Array:
    """Return points where a third face cuts the smooth edge of faces f and h, moved along its curve on f, Eq. (G51).

    Points whose third face does not cut the edge at an angle stay where they are.
    """
    moved = points.copy()
    for _ in range(ITERATIONS):
        normal = face_depths(rows, f, moved)[:, 1:]
        along = np.cross(normal, face_depths(rows, third, moved)[:, 1:])
        sine = np.linalg.norm(along, axis=1)
        along /= np.where(sine > 0.0, sine, 1.0)[:, None]
        value = switch_values(rows, f, h, along, moved)
        rate = (switch_values(rows, f, h, along, moved + STEP * along) - value) / STEP
        crosses = (sine > LEAST_SINE) & (np.abs(rate) > LEAST_RATE)
        step = np.where(crosses, -value / np.where(crosses, rate, 1.0), 0.0)
        step = np.where(np.abs(step) < LONGEST_STEP, step, 0.0)
        beyond = project(rows, np.column_stack([f, third]), moved + step[:, None] * along)
        moved = np.where(crosses[:, None], beyond, moved)
    return moved
