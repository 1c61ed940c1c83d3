"""Corners of a solid: how the boundary of each face continues at vertices, and pseudonormals."""

import math
from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from softdock.geometry.solids.face_rows import face_depths
from softdock.geometry.solids.kernels.layout import (
    CONE,
    CONVEX,
    EDGE_CONVEX_TURNS,
    EDGE_END,
    EDGE_FACES,
    EDGE_KIND,
    EDGE_START,
    EDGE_STOPS,
    EDGE_TURNS,
    EDGE_VERTICES,
    FACE_A,
    FACE_AXIS,
    FACE_B,
    FACE_C,
    FACE_KIND,
    FACE_POINT,
    FACETED,
    REENTRANT,
    TORUS,
)

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

LEAST_TURN = 0.02
"""Angle [rad] from which the boundary of a face has a corner; at smaller ones the nearer of two edges decides."""
AT_TIP = 1e-6
"""Distance [m] of a vertex from the tip of a cone below which it is the tip; vertices have 1e-7 m."""
PARALLEL = 1e-3
"""Sine of the angle of two faces below which the chord is used as the tangent of their edge."""

End = tuple[int, int, int]
"""An edge, the side (0, 1) of a face at it, and the end (0, 1) at a vertex."""


def tips_on_axes(rows: Array, vertices: Array, meeting: Sequence[Indices]) -> dict[int, Array]:
    """Return the vertices where a cone, or a torus that meets its own axis, has a tip, with the exact positions [m]."""
    tips = {}
    for f, row in enumerate(rows):
        a, b, c = row[FACE_A], row[FACE_B], row[FACE_C]
        if row[FACE_KIND] == CONE and a != 0.0:
            heights = [-c / a]
        elif row[FACE_KIND] == TORUS and 0.0 < abs(a) < b:
            heights = [-math.sqrt(b * b - a * a), math.sqrt(b * b - a * a)]
        else:
            continue
        for h in heights:
            tip = row[FACE_POINT : FACE_POINT + 3] + h * row[FACE_AXIS : FACE_AXIS + 3]
            near = np.flatnonzero(np.linalg.norm(vertices - tip, axis=1) < AT_TIP)
            tips.update({int(v): tip for v in near if f in meeting[int(v)]})
    return tips


def facet_normals(vertices: Array, triangles: Indices) -> Array:
    """Return the sum of the normals of triangles at each vertex, weighted by their angles, shape (n, 3)."""
    corners = vertices[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(normals, axis=1)
    normals /= np.where(length > 0.0, length, 1.0)[:, None]
    sums = np.zeros_like(vertices)
    for k in range(3):
        u, w = corners[:, (k + 1) % 3] - corners[:, k], corners[:, (k + 2) % 3] - corners[:, k]
        angle = np.arctan2(np.linalg.norm(np.cross(u, w), axis=1), np.einsum("ij,ij->i", u, w))
        np.add.at(sums, triangles[:, k], angle[:, None] * normals)
    return sums


def set_corners(rows: Array, vertices: Array, normals: Array, edges: Array, links: Indices) -> Indices:
    """Set how edges continue at their ends, and the pseudonormals of corners; return 1 for corners, shape (vertices,).

    `normals` are those of `facet_normals`; those of corners between exact faces are replaced by Eq. (G48).
    """
    is_corner = np.zeros(len(vertices), np.int64)
    links[:, EDGE_STOPS : EDGE_STOPS + 2] = 0
    links[:, EDGE_CONVEX_TURNS : EDGE_CONVEX_TURNS + 4] = 0
    at_vertex: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for e in range(len(links)):
        for end in (0, 1):
            at_vertex[int(links[e, EDGE_VERTICES + end])].append((e, end))
    for v, ends in at_vertex.items():
        if _continues(links, ends):
            continue
        for e, end in ends:
            links[e, EDGE_STOPS + end] = 1
        if any(links[e, EDGE_KIND] in (CONVEX, REENTRANT) for e, _ in ends):
            is_corner[v] = 1
        _set_turns(rows, vertices[v], edges, links, ends, normals[v])
    return is_corner


def _continues(links: Indices, ends: Sequence[tuple[int, int]]) -> bool:
    """Return whether two edges of the same faces and kind meet at a vertex and no other."""
    if len(ends) != 2:
        return False
    (a, _), (b, _) = ends
    same = {*links[a, EDGE_FACES : EDGE_FACES + 2]} == {*links[b, EDGE_FACES : EDGE_FACES + 2]}
    return same and bool(links[a, EDGE_KIND] == links[b, EDGE_KIND])


def _set_turns(
    rows: Array, place: Array, edges: Array, links: Indices, ends: Sequence[tuple[int, int]], normal: Array
) -> None:
    """Join the edges of each face at a vertex and set its pseudonormal, the sum over all faces, Eq. (G48)."""
    by_face: dict[int, list[End]] = defaultdict(list)
    for e, end in ends:
        for side in (0, 1):
            by_face[int(links[e, EDGE_FACES + side])].append((e, side, end))
    total, is_exact = np.zeros(3), True
    for f, own in by_face.items():
        if rows[f, FACE_KIND] == FACETED:
            is_exact = False
            continue
        n = -face_depths(rows, np.array([f]), place[None])[0, 1:]
        # The face lies on the left of its edges: side 0 leads from start to end, side 1 back.
        leaving = [one for one in own if one[1] == one[2]]
        arriving = [one for one in own if one[1] != one[2]]
        for one in leaving:
            u = _direction(rows, place, edges, links, one)
            angles = [_angle(u, _direction(rows, place, edges, links, other), n) for other in arriving]
            if not angles:
                is_exact = False
                continue
            angle, other = angles[k := int(np.argmin(angles))], arriving[k]
            total += angle * n
            if abs(angle - math.pi) > LEAST_TURN and one[0] != other[0]:
                for (e, side, end), (beyond, _, _) in ((one, other), (other, one)):
                    links[e, EDGE_TURNS + 2 * side + end] = beyond
                    links[e, EDGE_CONVEX_TURNS + 2 * side + end] = int(angle < math.pi)
    if is_exact:
        normal[:] = total


def _direction(rows: Array, place: Array, edges: Array, links: Indices, one: End) -> Array:
    """Return the unit tangent of an edge at a vertex, away from it."""
    e, _, end = one
    chord = edges[e, EDGE_END : EDGE_END + 3] - edges[e, EDGE_START : EDGE_START + 3]
    chord = chord / np.linalg.norm(chord) * (1 - 2 * end)
    faces = links[e, EDGE_FACES : EDGE_FACES + 2]
    if (rows[faces, FACE_KIND] == FACETED).any():
        return np.asarray(chord)
    depths = face_depths(rows, faces, np.array([place, place]))
    tangent = np.cross(depths[0, 1:], depths[1, 1:])
    sine = np.linalg.norm(tangent)
    if sine < PARALLEL:
        return np.asarray(chord)
    return np.asarray(tangent / sine * math.copysign(1.0, float(tangent @ chord)))


def _angle(u: Array, w: Array, n: Array) -> float:
    """Return the angle from u to w about n [rad], above 0 and at most 2 pi."""
    angle = math.atan2(float(np.cross(u, w) @ n), float(u @ w))
    return angle if angle > 0.0 else angle + math.tau
