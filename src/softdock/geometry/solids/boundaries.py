"""Boundaries of exact faces in their parameters (u, v), and the curves between the ends of boundary segments."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softdock.geometry.solids.exact_vertices import switch_values
from softdock.geometry.solids.face_rows import face_depths
from softdock.geometry.solids.kernels.layout import (
    CONVEX,
    EDGE_FACES,
    EDGE_KIND,
    EDGE_VERTICES,
    FACE_KIND,
    FACETED,
    LINK_FACE,
    REENTRANT,
    TANGENT,
    TRIANGLE_NORMAL,
)
from softdock.geometry.solids.parameters import (
    face_points,
    is_periodic,
    length_of_v,
    parameter_frame,
    parameters_of,
    poles,
    width_of_u,
)
from softdock.geometry.solids.regions import CHORD, ROW_CURVE, straight_rows
from softdock.geometry.solids.solid import Solid

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

LARGEST_TURN = 0.4
"""Angle [rad] by which a curve turns at most: its polynomial is exact to rounding up to there."""
CURVE_NODES = 11
"""Points of a curve through which a polynomial is laid."""
STRAIGHT = 1e-11
"""Sagitta of a curve, relative to its chord, below which it is straight in the parameters."""
ITERATIONS = 12
STEP = 1e-7
"""Step [m] of the differences in Newton's method."""
CONVERGED = 1e-14
"""Largest step [m] of the last iteration."""


@dataclass(frozen=True, kw_only=True)
class FaceBoundary:
    """An exact face in its parameters."""

    face: int
    frame: Array
    """Row of `parameters`."""
    rows: Array
    """Rows of the boundary, as in `regions`, each a whole curve or a straight line."""
    curves: Array
    """Coefficients of the curves, shape (curves, 2, powers), as in `regions.curve_points`."""
    neighbours: Indices
    """Shape (curves,): the face beyond each curve."""
    triangles: tuple[Array, Array]
    """Parameters u and v of the corners of the triangles, shape (n, 3), without jumps of whole turns."""


def face_boundary(solid: Solid, face: int, longest: float) -> FaceBoundary:
    """Return an exact face of a solid in its parameters; curves are at most `longest` [m]."""
    arrays = solid.arrays
    own = np.flatnonzero(arrays.links[:, LINK_FACE] == face)
    corners = arrays.triangles[own, :9].reshape(-1, 3, 3)
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    normal = area @ arrays.triangles[own, TRIANGLE_NORMAL : TRIANGLE_NORMAL + 3]
    start, end, numbers = _directed_edges(solid, face, longest)
    at_boundary = (arrays.edge_links[:, EDGE_FACES : EDGE_FACES + 2] == face).any(axis=1)
    rim = solid.vertices[np.unique(arrays.edge_links[at_boundary, EDGE_VERTICES : EDGE_VERTICES + 2])]
    frame = parameter_frame(arrays.faces[face], normal, rim)
    u, v = parameters_of(frame, corners.reshape(-1, 3))
    rows, coefficients, neighbours = _curves(arrays.faces, face, frame, start, end, numbers)
    return FaceBoundary(
        face=face,
        frame=frame,
        rows=rows,
        curves=coefficients,
        neighbours=neighbours,
        triangles=_without_jumps(frame, u.reshape(-1, 3), v.reshape(-1, 3)),
    )


def _directed_edges(solid: Solid, face: int, longest: float) -> tuple[Array, Array, Array]:
    """Return starts, ends and numbers of the boundary of a face, which lies on the left seen from outside.

    The number is twice the neighbour, plus 1 where both join smoothly, or CHORD where the neighbour is a part of the
    same surface or faceted. Segments of one curve are joined while they turn by less than LARGEST_TURN.
    """
    arrays = solid.arrays
    pieces = []
    for side in (0, 1):
        chosen = arrays.edge_links[:, EDGE_FACES + side] == face
        links = arrays.edge_links[chosen]
        h, kind = links[:, EDGE_FACES + 1 - side], links[:, EDGE_KIND]
        exact = np.isin(kind, (CONVEX, REENTRANT, TANGENT)) & (arrays.faces[h, FACE_KIND] != FACETED)
        number = np.where(exact, 2 * h + (kind == TANGENT), int(CHORD))
        first, last = (EDGE_VERTICES + 1, EDGE_VERTICES) if side else (EDGE_VERTICES, EDGE_VERTICES + 1)
        pieces.append(np.column_stack([links[:, first], links[:, last], number]))
    segments = np.concatenate(pieces)
    joined = _join(solid.vertices, segments, longest)
    return solid.vertices[joined[:, 0]], solid.vertices[joined[:, 1]], joined[:, 2].astype(float)


def _join(vertices: Array, segments: Indices, longest: float) -> Indices:
    """Return segments (from vertex, to vertex, number) with those of one curve joined to longer ones."""
    rows = segments.tolist()
    used_vertices = np.unique(segments[:, :2])
    places = dict(zip(used_vertices.tolist(), vertices[used_vertices].tolist()))
    after: dict[tuple[int, int], list[int]] = {}
    for k, (start, _, number) in enumerate(rows):
        after.setdefault((start, number), []).append(k)
    ends = {(end, number) for _, end, number in rows}
    # Chains are followed from where they begin; what is left are closed curves.
    order = sorted(range(len(rows)), key=lambda k: (rows[k][0], rows[k][2]) in ends)
    used, joined = [False] * len(rows), []
    for k in order:
        while not used[k]:
            used[k] = True
            start, end, number = rows[k]
            first = (places[start], places[end])
            following = after.get((end, number), [])
            while number >= 0 and len(following) == 1 and not used[following[0]]:
                new = rows[following[0]][1]
                is_long = math.dist(places[start], places[new]) > longest
                if new == start or is_long or _turn(first, (places[end], places[new])) > LARGEST_TURN:
                    break
                used[following[0]] = True
                end = new
                following = after.get((end, number), [])
            joined.append((start, end, number))
            if len(following) == 1:
                k = following[0]
    return np.array(joined, np.int64).reshape(-1, 3)


def _turn(first: tuple[list[float], list[float]], second: tuple[list[float], list[float]]) -> float:
    """Return the angle between two lines, each from a point to a point [rad]."""
    u, w = ([b - a for a, b in zip(*line)] for line in (first, second))
    scale = math.hypot(*u) * math.hypot(*w)
    cosine = sum(a * b for a, b in zip(u, w)) / scale if scale > 0.0 else 1.0
    return math.acos(min(1.0, max(-1.0, cosine)))


def _curves(
    faces: Array, face: int, frame: Array, start: Array, end: Array, numbers: Array
) -> tuple[Array, Array, Indices]:
    """Return the rows of a boundary, the coefficients of its curves, and their neighbours."""
    ends = _ends_in_parameters(frame, start, end)
    rows = straight_rows(ends[:, :2], ends[:, 2:], CHORD)
    curved = np.flatnonzero(numbers >= 0.0)
    rows[curved, ROW_CURVE] = np.arange(len(curved))
    number = numbers[curved].astype(np.int64)
    if not len(curved):
        return rows, np.zeros((0, 2, CURVE_NODES)), number
    nodes = (1 - np.cos(np.pi * np.arange(CURVE_NODES) / (CURVE_NODES - 1))) / 2
    a, step = ends[curved, :2], ends[curved, 2:] - ends[curved, :2]
    widths = [width_of_u(frame, *sorted(pair)) for pair in ends[curved][:, [1, 3]].tolist()]
    scale = np.maximum(np.array(widths) / length_of_v(frame), 1e-9)
    aside = np.column_stack(
        [-step[:, 1] / scale, step[:, 0] * scale]
    )  # at right angles to the chord on the face
    places = a[:, None] + nodes[1:-1, None] * step[:, None]
    many = CURVE_NODES - 2
    offsets = _offsets(
        faces,
        face,
        frame,
        np.repeat(number, many),
        np.repeat(end[curved] - start[curved], many, axis=0),
        places.reshape(-1, 2),
        np.repeat(aside, many, axis=0),
    ).reshape(-1, many)
    values = np.concatenate(
        [a[:, None], places + offsets[:, :, None] * aside[:, None], a[:, None] + step[:, None]], axis=1
    )
    inverse = np.linalg.inv(np.vander(2 * nodes - 1, increasing=True))
    is_straight = np.abs(offsets).max(axis=1) < STRAIGHT
    rows[curved[is_straight], ROW_CURVE] = CHORD
    return rows, np.einsum("kn,cnx->cxk", inverse, values), number // 2


def _offsets(
    faces: Array, face: int, frame: Array, number: Indices, chord: Array, places: Array, direction: Array
) -> Array:
    """Return how far along directions places are from the curves in which a face meets its neighbours, shape (n,)."""
    offset = np.zeros(len(places))
    eps = 1e-6
    ahead = face_points(frame, *(places + eps * direction).T)
    scale = np.maximum(np.linalg.norm(ahead - face_points(frame, *places.T), axis=1) / eps, 1e-12)
    for _ in range(ITERATIONS):
        here = _values(faces, face, frame, number, chord, places + offset[:, None] * direction)
        beyond = _values(
            faces, face, frame, number, chord, places + (offset + STEP / scale)[:, None] * direction
        )
        rate = (beyond - here) / STEP * scale
        step = np.where(np.abs(rate) > 0.0, -here / np.where(rate == 0.0, 1.0, rate), 0.0)
        offset += np.where(np.isfinite(step), step, 0.0)
        if np.abs(step * scale).max(initial=0.0) < CONVERGED:
            break
    return offset


def _values(faces: Array, face: int, frame: Array, number: Indices, chord: Array, places: Array) -> Array:
    """Return what is zero on curves: the depth below the neighbour, or the difference of the normals, Eq. (G51)."""
    points = face_points(frame, *places.T)
    values = face_depths(faces, number // 2, points)[:, 0]
    smooth = number % 2 == 1
    if smooth.any():
        f = np.full(int(smooth.sum()), face)
        conormals = np.cross(face_depths(faces, f, points[smooth])[:, 1:], chord[smooth])
        conormals /= np.linalg.norm(conormals, axis=1)[:, None]
        values[smooth] = switch_values(faces, f, number[smooth] // 2, conormals, points[smooth])
    return values


def _ends_in_parameters(frame: Array, start: Array, end: Array) -> Array:
    """Return u, v of starts and ends, shape (n, 4); the end of each is less than half a turn from its start."""
    (u_0, v_0), (u_1, v_1) = parameters_of(frame, start), parameters_of(frame, end)
    u_m, _ = parameters_of(frame, (start + end) / 2)  # near a pole the angle is that of the way to it
    u_0, u_1 = np.where(np.isnan(u_0), u_m, u_0), np.where(np.isnan(u_1), u_m, u_1)
    turns_u, turns_v = is_periodic(frame)
    if turns_u:
        u_1 = u_0 + (u_1 - u_0 + math.pi) % math.tau - math.pi
    if turns_v:
        v_1 = v_0 + (v_1 - v_0 + math.pi) % math.tau - math.pi
    low, high = poles(frame)
    return np.column_stack([u_0, np.clip(v_0, low, high), u_1, np.clip(v_1, low, high)])


def _without_jumps(frame: Array, u: Array, v: Array) -> tuple[Array, Array]:
    """Return parameters of triangles, shape (n, 3), shifted by whole turns towards each other."""
    turns_u, turns_v = is_periodic(frame)
    if turns_u:
        base = np.where(np.isnan(u), -np.inf, u).max(axis=1, keepdims=True)
        u = base + (np.where(np.isnan(u), base, u) - base + math.pi) % math.tau - math.pi
    if turns_v:
        v = v[:, :1] + (v - v[:, :1] + math.pi) % math.tau - math.pi
    return u, v
