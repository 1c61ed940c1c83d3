"""Exact faces as regions of their parameters (u, v): cut open at a seam, and closed at poles."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from softdock.geometry.solids.boundaries import FaceBoundary, face_boundary
from softdock.geometry.solids.parameters import face_points, is_periodic, length_of_v, poles
from softdock.geometry.solids.regions import (
    INNER,
    ROW_COLUMNS,
    ROW_CURVE,
    ROW_END,
    ROW_FROM,
    ROW_TO,
    crossings,
    monotone_parts,
    straight_rows,
)
from softdock.geometry.solids.solid import Solid

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

NEAR_POLE = 1e-6
"""Distance [m] from a pole below which a face reaches it."""
INWARDS = 1e-9
"""Part of a window by which points are moved inwards to decide whether its side is within the face."""
SAME_PLACE = 1e-12
"""Distance in the parameters below which two ends are one."""
BINS = 720
"""Parts of a turn that are marked where a face is."""

Sides = tuple[float, float, float, float]
"""From u, to u, from v, to v."""


@dataclass(frozen=True, kw_only=True)
class FaceRegion:
    """An exact face as a region of its parameters."""

    face: int
    frame: Array
    """Row of `parameters`."""
    sides: Sides
    region: Array
    """Rows as in `regions`."""
    curves: Array
    """Coefficients of the curves, shape (curves, 2, powers)."""
    neighbours: Indices
    """Shape (curves,): the face beyond each curve."""


def face_region(solid: Solid, face: int, longest: float) -> FaceRegion:
    """Return an exact face of a solid as a region of its parameters; its curves are at most `longest` [m].

    Faces that extend around their axis are cut open; at poles they end at the line of the pole.
    """
    boundary = face_boundary(solid, face, longest)
    frame = boundary.frame
    rows, curves, neighbours = monotone_parts(boundary.rows, boundary.curves, boundary.neighbours)
    (u, v), (turns_u, turns_v) = boundary.triangles, is_periodic(frame)
    low, high = poles(frame)
    sides_u, sides_v = (float(u.min()), float(u.max())), (float(v.min()), float(v.max()))
    cut_u = cut_v = False
    if turns_u:
        u_0, is_free = _seam((u.min(axis=1), u.max(axis=1)), rows[:, [0, ROW_END]].ravel())
        sides_u, cut_u = (u_0, u_0 + math.tau), not is_free
        rows, curves, neighbours = _into_window(rows, curves, neighbours, 0, u_0)
    if turns_v:
        v_0, is_free = _seam((v.min(axis=1), v.max(axis=1)), rows[:, [1, ROW_END + 1]].ravel())
        sides_v, cut_v = (v_0, v_0 + math.tau), not is_free
        rows, curves, neighbours = _into_window(rows, curves, neighbours, 1, v_0)
    at_pole = [_reaches_pole(solid, boundary, end, pole) for end, pole in zip(sides_v, (low, high))]
    sides_v = low if at_pole[0] else sides_v[0], high if at_pole[1] else sides_v[1]
    lines = [np.zeros((0, ROW_COLUMNS))]
    if cut_u:
        lines += _closing_lines(solid, boundary, rows, 0, sides_u, sides_v, (True, True))
    if cut_v or any(at_pole):
        wanted = cut_v or at_pole[0], cut_v or at_pole[1]
        lines += _closing_lines(solid, boundary, rows, 1, sides_v, sides_u, wanted)
    region = _with_joined_ends(np.concatenate([rows, *lines]))
    us, vs = region[:, [0, ROW_END]], region[:, [1, ROW_END + 1]]
    return FaceRegion(
        face=face,
        frame=frame,
        sides=(float(us.min()), float(us.max()), float(vs.min()), float(vs.max())),
        region=region,
        curves=curves,
        neighbours=neighbours,
    )


def _reaches_pole(solid: Solid, boundary: FaceBoundary, end: float, pole: float) -> bool:
    """Return whether a face, whose triangles end at parameter v, reaches a pole: in a corner, or around it."""
    if not math.isfinite(pole):
        return False
    if abs(end - pole) * length_of_v(boundary.frame) < NEAR_POLE:
        return True
    point = face_points(boundary.frame, np.zeros(1), np.array([pole]))
    return bool(solid.are_within(np.array([boundary.face]), point)[0])


def _seam(intervals: tuple[Array, Array], ends: Array) -> tuple[float, bool]:
    """Return where a turn is cut open, and whether the face is nowhere there.

    `intervals` are lowest and highest angles of triangles; `ends` angles of the boundary that the cut must not meet.
    """
    covered = np.zeros(BINS, bool)
    for low, high in zip(*intervals):
        first, last = math.floor(low / math.tau * BINS), math.floor(high / math.tau * BINS)
        covered[np.arange(first, last + 1) % BINS] = True
    free = np.flatnonzero(~covered)
    if len(free):
        return _middle_of_longest_run(free), True
    angles = np.sort(np.unique(ends % math.tau))
    if not len(angles):
        return 0.1, False
    gaps = np.diff(angles, append=angles[0] + math.tau)
    k = int(np.argmax(gaps))
    return float(angles[k] + gaps[k] / 2), False


def _middle_of_longest_run(free: Indices) -> float:
    """Return the angle in the middle of the longest run of free parts of a turn."""
    isolated = np.concatenate([free, free + BINS])
    breaks = np.flatnonzero(np.diff(isolated) > 1)
    starts, ends = np.append(0, breaks + 1), np.append(breaks, len(isolated) - 1)
    k = int(np.argmax(ends - starts))
    return float((isolated[starts[k]] + isolated[ends[k]] + 1) / 2 / BINS * math.tau)


def _with_joined_ends(region: Array) -> Array:
    """Return a region whose segments begin exactly where others end; shifts by whole turns round them differently."""
    ends = region[:, :4].reshape(-1, 2)
    pairs = cKDTree(ends).query_pairs(SAME_PLACE, output_type="ndarray")
    graph = coo_array(
        (np.ones(len(pairs), np.int8), (pairs[:, 0], pairs[:, 1])), shape=(len(ends), len(ends))
    )
    label = connected_components(graph, directed=False)[1]
    first = np.unique(label, return_index=True)[1]
    joined = region.copy()
    joined[:, :4] = ends[first[label]].reshape(-1, 4)
    return np.asarray(joined[(joined[:, :2] != joined[:, 2:4]).any(axis=1)])


def _into_window(
    rows: Array, curves: Array, neighbours: Indices, axis: int, begin: float
) -> tuple[Array, Array, Indices]:
    """Return rows, with curves and neighbours, shifted into a window of one turn, and divided at its ends."""
    rows, curves = rows.copy(), curves.copy()
    turns = np.floor((rows[:, axis] - begin) / math.tau) * math.tau
    rows[:, [axis, ROW_END + axis]] -= turns[:, None]
    curved = rows[:, ROW_CURVE] >= 0.0
    curves[rows[curved, ROW_CURVE].astype(np.int64), axis, 0] -= turns[curved]
    for value, back in ((begin, math.tau), (begin + math.tau, -math.tau)):
        beyond = rows[:, ROW_END + axis] < value if back > 0.0 else rows[:, ROW_END + axis] > value
        if not beyond.any():
            continue
        first, kept = rows[beyond], rows[~beyond]
        places, t = crossings(first, curves, axis, value)
        second = first.copy()
        first[:, ROW_END : ROW_END + 2], second[:, :2] = places, places
        first[:, ROW_TO], second[:, ROW_FROM] = t, t
        second[:, [axis, ROW_END + axis]] += back
        second[:, axis] = begin + math.tau if back > 0.0 else begin
        moved = second[:, ROW_CURVE] >= 0.0
        index = second[moved, ROW_CURVE].astype(np.int64)
        copies = curves[index].copy()
        copies[:, axis, 0] += back
        second[moved, ROW_CURVE] = len(curves) + np.arange(len(index))
        curves, neighbours = np.concatenate([curves, copies]), np.concatenate([neighbours, neighbours[index]])
        rows = np.concatenate([kept, first, second])
    return rows, curves, neighbours


def _closing_lines(
    solid: Solid,
    boundary: FaceBoundary,
    rows: Array,
    axis: int,
    sides: tuple[float, float],
    along: tuple[float, float],
    wanted: tuple[bool, bool],
) -> list[Array]:
    """Return the parts of two opposite sides of a window that lie within the face, as lines around the region.

    `axis` is the number of the parameter that is constant on the sides; `along` is the range of the other one.
    """
    lines = []
    for k, value in enumerate(sides):
        if not wanted[k]:
            continue
        at_side = np.concatenate([rows[rows[:, c + axis] == value, c + 1 - axis] for c in (0, ROW_END)])
        stops = np.unique(np.concatenate([at_side, along]))
        middle = (stops[1:] + stops[:-1]) / 2
        inwards = (1 - 2 * k) * INWARDS * (sides[1] - sides[0])
        places = np.empty((len(middle), 2))
        places[:, axis], places[:, 1 - axis] = value + inwards, middle
        points = face_points(boundary.frame, *places.T)
        within = solid.are_within(np.full(len(points), boundary.face), points)
        low, high = stops[:-1][within], stops[1:][within]
        # Around the region: the lower side of u leads down, that of v up; the upper sides lead back.
        begin, end = (low, high) if (axis == 1) == (k == 0) else (high, low)
        ends = np.full((2, len(low), 2), value)
        ends[0][:, 1 - axis], ends[1][:, 1 - axis] = begin, end
        lines.append(straight_rows(ends[0], ends[1], INNER))
    return lines
