"""Pieces of the meridian of a body of revolution, from its exact faces and its facets."""

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from softdock.geometry.axis import AxisFrame
from softdock.geometry.facets import ExactFace, Facets, triangle_components
from softdock.geometry.fitting import distance_to_segments, fit_segments
from softdock.geometry.profile import Arc, Line, Point
from softdock.geometry.section import Section, cut_facets, most_common_azimuth

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

_LONGEST_ARC = 0.99 * math.pi
_FACET_SPAN = 0.6
"""A facet of a surface of revolution turns by less than this around the axis and along the meridian [rad]."""


class Accuracy(IntEnum):
    """Accuracy of the ends of a piece, in increasing order."""

    PLANE = 0
    """A plane face: neighbouring pieces define its radii."""
    FITTED = 1
    """Fitted to vertices of facets."""
    EXACT = 2
    """From an exact face of the file."""


@dataclass(frozen=True, kw_only=True)
class Piece:
    """Connected segments of a meridian with material on the right of travel, and their facets."""

    segments: tuple[Line | Arc, ...]
    triangles: Indices
    accuracy: Accuracy
    """Accuracy of its ends; at a joint the more accurate end is used."""
    deviation: float
    """Largest distance [m] of the facets' vertices from the segments."""
    interruption: float = 0.0
    """Width [m] of the hole or attachment that limits the ring of a plane."""


@dataclass(frozen=True, kw_only=True)
class _Body:
    """Vertices, normals and areas of a body in cylindrical coordinates of the profile's frame."""

    facets: Facets
    frame: AxisFrame
    tolerance: float
    z: Array
    r: Array
    phi: Array
    n_z: Array
    n_r: Array
    areas: Array


def meridian_pieces(facets: Facets, frame: AxisFrame, tolerance: float) -> list[Piece]:
    """Return the pieces of the body's meridian: exact ones, planes, and lines and arcs fitted to facets.

    Faces that are not of revolution about the axis within the tolerance [m] give no piece.
    """
    z, r, phi = frame.cylindrical(facets.vertices)
    normals, areas = facets.normals()
    normals = normals @ frame.R_FS
    middle = frame.to_profile_frame(facets.vertices[facets.triangles].mean(axis=1))
    azimuth = np.arctan2(middle[:, 1], middle[:, 0])
    n_r = normals[:, 0] * np.cos(azimuth) + normals[:, 1] * np.sin(azimuth)
    body = _Body(
        facets=facets, frame=frame, tolerance=tolerance, z=z, r=r, phi=phi,
        n_z=normals[:, 2], n_r=n_r, areas=areas,
    )  # fmt: skip
    free = np.array([f is None for f in (*facets.faces, None)])[facets.face_of]  # no exact face behind them
    flat = _flat_triangles(body, free)
    return [*_exact_pieces(body), *_plane_pieces(body, flat), *_fitted_pieces(body, free & ~flat)]


def boundary_edges(triangles: Indices) -> Indices:
    """Return the directed edges, shape (n, 2), that no other of the triangles shares."""
    directed = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    if not len(directed):
        return directed
    base = int(directed.max()) + 1
    forward, backward = directed[:, 0] * base + directed[:, 1], directed[:, 1] * base + directed[:, 0]
    return directed[~np.isin(forward, backward)]


# --- exact faces ----------------------------------------------------------------------------------


def _exact_pieces(body: _Body) -> Iterator[Piece]:
    """Yield one piece per coaxial surface; faces of one surface with equal bounds form one piece."""
    groups: dict[tuple[float, ...], tuple[list[Line | Arc], list[Indices]]] = {}
    for k, face in enumerate(body.facets.faces):
        triangles = np.flatnonzero(body.facets.face_of == k)
        if face is None or face.kind == "plane" or not len(triangles):
            continue
        segments = _segments_of(face, body, triangles)
        if segments:
            places = sorted([segments[0].start, segments[-1].end])
            key = tuple(np.round(np.array(places).ravel() / (1e-6 * body.facets.size)))
            groups.setdefault(key, (segments, []))[1].append(triangles)
    for segments, parts in groups.values():
        triangles = np.concatenate(parts)
        yield _oriented_piece(body, segments, triangles, Accuracy.EXACT)


def _segments_of(face: ExactFace, body: _Body, triangles: Indices) -> list[Line | Arc]:
    """Return the meridian of an exact face; empty if the face is not a surface of revolution about the axis."""
    d = body.frame.R_FS[:, 2]
    offset = face.point - body.frame.p_FS
    z_0 = float(offset @ d)
    departure = float(np.linalg.norm(offset - z_0 * d))
    if face.axis is not None:
        departure += float(np.linalg.norm(np.cross(face.axis, d))) * body.facets.size
    if departure > body.tolerance:
        return []
    sign = 1.0 if face.axis is None or face.axis @ d > 0.0 else -1.0
    low, high = face.bounds
    if face.kind == "cylinder":
        return [Line(start=(z_0 + sign * low, face.radius), end=(z_0 + sign * high, face.radius))]
    if face.kind == "cone":
        ends = [
            (z_0 + sign * v * math.cos(face.second), max(0.0, face.radius + v * math.sin(face.second)))
            for v in (low, high)
        ]
        return [Line(start=ends[0], end=ends[1])]
    if face.kind == "sphere":
        low, high, sign = _latitudes(face, body, triangles, z_0)
        return _arcs((z_0, 0.0), face.radius, low, high, sign)
    return _arcs((z_0, face.radius), face.second, low, high, sign)


def _latitudes(face: ExactFace, body: _Body, triangles: Indices, z_0: float) -> tuple[float, float, float]:
    """Return the latitudes [rad] of a spherical face and the direction of its pole, which the file does not contain."""
    z = body.z[body.facets.triangles[triangles]]
    seen = np.clip((np.array([z.min(), z.max()]) - z_0) / face.radius, -1.0, 1.0)
    low, high = face.bounds
    for sign in (1.0, -1.0):
        told = sorted([sign * math.sin(low), sign * math.sin(high)])
        if np.abs(told - seen).max() < 1e-5:
            return low, high, sign
    return float(np.arcsin(seen[0])), float(np.arcsin(seen[1])), 1.0


def _arcs(centre: Point, radius: float, low: float, high: float, sign: float) -> list[Line | Arc]:
    """Return arcs from one angle to another, measured from the r direction towards sign times z [rad]."""
    count = math.ceil((high - low) / _LONGEST_ARC)
    angles = np.linspace(low, high, count + 1)
    places = [
        (centre[0] + sign * radius * math.sin(a), centre[1] + radius * math.cos(a)) for a in angles.tolist()
    ]
    return [
        Arc(start=a, end=b, centre=centre, counterclockwise=sign < 0.0) for a, b in itertools.pairwise(places)
    ]


def _oriented_piece(body: _Body, segments: list[Line | Arc], triangles: Indices, accuracy: Accuracy) -> Piece:
    """Return the piece with the outward normals of its facets on the left of travel."""
    first, area = segments[0], body.areas[triangles]
    if isinstance(first, Line):
        t_z, t_r = first.tangent(0.0)
        right_way = area @ (-t_r * body.n_z[triangles] + t_z * body.n_r[triangles]) > 0.0
    else:
        corners = body.facets.triangles[triangles]
        z, r = body.z[corners].mean(axis=1), body.r[corners].mean(axis=1)
        away = area @ (
            (z - first.centre[0]) * body.n_z[triangles] + (r - first.centre[1]) * body.n_r[triangles]
        )
        right_way = (
            away > 0.0
        ) != first.counterclockwise  # the direction of travel of a convex surface is clockwise
    if not right_way:
        segments = [reverse(s) for s in reversed(segments)]
    return Piece(
        segments=tuple(segments),
        triangles=triangles,
        accuracy=accuracy,
        deviation=_deviation(body, segments, triangles),
    )


def reverse(segment: Line | Arc) -> Line | Arc:
    """Return the segment in the opposite direction."""
    if isinstance(segment, Line):
        return Line(start=segment.end, end=segment.start)
    return replace(
        segment, start=segment.end, end=segment.start, counterclockwise=not segment.counterclockwise
    )


def _deviation(body: _Body, segments: list[Line | Arc], triangles: Indices) -> float:
    used = np.unique(body.facets.triangles[triangles])
    places = np.column_stack([body.z[used], body.r[used]])
    return float(distance_to_segments(segments, places).max(initial=0.0))


# --- planes ---------------------------------------------------------------------------------------


def _flat_triangles(body: _Body, free: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which triangles lie in a plane perpendicular to the axis, shape (m,)."""
    z = body.z[body.facets.triangles]
    rounding = 4 * np.finfo(np.float32).eps * np.abs(body.facets.vertices).max()
    flat = (np.ptp(z, axis=1) <= rounding) & (np.abs(body.n_z) > 0.99)
    planes = np.array([f is not None and f.kind == "plane" for f in (*body.facets.faces, None)])
    return np.asarray(flat & (free | planes[body.facets.face_of]))


def _plane_pieces(body: _Body, flat: NDArray[np.bool_]) -> Iterator[Piece]:
    for up in (True, False):
        triangles = np.flatnonzero(flat & ((body.n_z > 0.0) == up))
        if not len(triangles):
            continue
        corners = body.facets.triangles[triangles]
        labels = triangle_components(corners, len(body.facets.vertices))
        for label in dict.fromkeys(labels):
            piece = _annulus(body, triangles[labels == label], up)
            if piece is not None:
                yield piece


def _annulus(body: _Body, triangles: Indices, up: bool) -> Piece | None:
    """Return the largest ring around the axis that is filled by the triangles of a plane; None without one."""
    corners = body.facets.triangles[triangles]
    z = _height(body, triangles)
    inner, outer, interruption = 0.0, math.inf, 0.0
    around: list[tuple[float, float, float]] = []
    for loop in _loops(boundary_edges(corners)):
        r, phi = body.r[loop], body.phi[loop]
        turn = (np.diff(phi, append=phi[:1]) + np.pi) % math.tau - np.pi
        nearest = _nearest_to_axis(r, phi)
        is_round = np.ptp(r) <= body.tolerance and np.abs(turn).max() < _FACET_SPAN
        if abs(turn.sum()) > np.pi:
            around.append((float(r.mean()), float(r.mean()) if is_round else nearest, float(r.max())))
        elif nearest < outer:  # a hole or an attachment beside the axis
            outer, interruption = nearest, float(np.ptp(body.facets.vertices[loop], axis=0).max())
    around.sort()
    if not around:
        return None
    outer = min(outer, around[-1][1])
    if len(around) > 1:
        inner = around[0][0] if around[0][2] - around[0][1] <= body.tolerance else around[0][2]
    if outer <= inner:
        return None
    line = Line(start=(z, inner), end=(z, outer)) if not up else Line(start=(z, outer), end=(z, inner))
    return Piece(
        segments=(line,),
        triangles=triangles,
        accuracy=Accuracy.PLANE,
        interruption=interruption,
        deviation=float(np.ptp(body.z[corners])) / 2,
    )


def _height(body: _Body, triangles: Indices) -> float:
    """Return z of a plane [m], from its exact face if there is one, else the mean of the vertices."""
    face = body.facets.faces[body.facets.face_of[triangles[0]]] if body.facets.faces else None
    if face is not None:
        return float((face.point - body.frame.p_FS) @ body.frame.R_FS[:, 2])
    return float(body.z[body.facets.triangles[triangles]].mean())


def _loops(edges: Indices) -> list[Indices]:
    """Return the closed loops of vertices that directed edges form."""
    following = {int(a): int(b) for a, b in edges}
    loops = []
    while following:
        loop = [next(iter(following))]
        while loop[-1] in following:
            loop.append(following.pop(loop[-1]))
        loops.append(np.array(loop[:-1]))
    return loops


def _nearest_to_axis(r: Array, phi: Array) -> float:
    """Return the distance from the axis to the nearest edge of a closed polygon."""
    a = np.column_stack([r * np.cos(phi), r * np.sin(phi)])
    d = np.roll(a, -1, axis=0) - a
    t = np.clip(-np.einsum("ij,ij->i", a, d) / np.maximum(np.einsum("ij,ij->i", d, d), 1e-300), 0.0, 1.0)
    return float(np.linalg.norm(a + t[:, None] * d, axis=1).min())


# --- fitted ---------------------------------------------------------------------------------------


def _fitted_pieces(body: _Body, free: NDArray[np.bool_]) -> Iterator[Piece]:
    """Yield pieces fitted to facets without an exact face: those of meshes, and of splines in STEP files."""
    triangles = np.flatnonzero(free)
    if not len(triangles):
        return
    corners = body.facets.triangles[triangles]
    used = np.unique(corners)
    azimuth = most_common_azimuth(body.phi[used])
    places = np.column_stack([body.z, body.r])
    for section in cut_facets(body.facets, triangles, body.frame, azimuth):
        near, along = _beside_section(body, section, used)
        inside = near[corners].all(axis=1)
        for first, last in _runs(np.isin(section.triangles, triangles[inside])):
            chosen = used[near[used] & (along[used] >= first) & (along[used] <= last)]
            points = _ordered(places[chosen], along[chosen], 0.1 * body.tolerance)
            if len(points) < 2:
                continue
            segments, residual = fit_segments(points, body.tolerance)
            own = triangles[inside & np.isin(corners, chosen).all(axis=1)]
            distance = distance_to_segments(segments, places[body.facets.triangles[own]].reshape(-1, 2))
            good = distance.reshape(-1, 3).max(axis=1) <= body.tolerance
            yield Piece(
                segments=tuple(segments),
                triangles=own[good],
                accuracy=Accuracy.FITTED,
                deviation=float(distance.reshape(-1, 3)[good].max(initial=residual)),
            )


def _beside_section(body: _Body, section: Section, used: Indices) -> tuple[NDArray[np.bool_], Array]:
    """Return for every vertex whether it belongs to a section, and its position along it, in pieces.

    A vertex belongs to a section within the sagitta of the chords of a facet.
    """
    a, b = section.points[:-1], section.points[1:]
    corners = body.facets.triangles[section.triangles]
    phi = body.phi[corners]
    span = np.minimum(np.ptp((phi - phi[:, :1] + np.pi) % math.tau, axis=1), _FACET_SPAN)
    length = np.hypot(np.ptp(body.z[corners], axis=1), np.ptp(body.r[corners], axis=1))
    # Sagitta of a chord: around the axis, and along the meridian, where it turns by as much at most.
    reach = body.tolerance + body.r[corners].max(axis=1) * (1 - np.cos(span / 2)) + length * _FACET_SPAN / 8
    near = np.zeros(len(body.z), bool)
    along = np.zeros(len(body.z))
    d = b - a
    facing = _vertex_normals(body)
    square = np.maximum(np.einsum("ij,ij->i", d, d), 1e-300)
    for block in np.array_split(used, max(1, len(used) * len(a) // 4_000_000)):
        offset = np.column_stack([body.z[block], body.r[block]])[:, None] - a
        t = np.clip(np.einsum("ijk,jk->ij", offset, d) / square, 0.0, 1.0)
        distance = np.linalg.norm(offset - t[:, :, None] * d, axis=2)
        opposite = facing[block] @ np.vstack([-d[:, 1], d[:, 0]]) < 0.0  # the other wall of a thin body
        distance[opposite] = np.inf
        best = distance.argmin(axis=1)
        rows = np.arange(len(block))
        near[block] = distance[rows, best] <= reach[best]
        along[block] = best + t[rows, best]
    return near, along


def _vertex_normals(body: _Body) -> Array:
    """Return a vector (z, r) per vertex along the area-weighted mean of the adjacent normals, shape (n, 2)."""
    total = np.zeros((len(body.z), 2))
    weighted = np.column_stack([body.n_z, body.n_r]) * body.areas[:, None]
    for k in range(3):
        np.add.at(total, body.facets.triangles[:, k], weighted)
    return total


def _runs(good: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return start and end of each run of consecutive true values."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], good, [False]]).astype(np.int8)))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]


def _ordered(points: Array, along: Array, same: float) -> Array:
    """Return the points ordered along a section; points of one ring of vertices are replaced by their mean."""
    order = np.argsort(along, kind="stable")
    points = points[order]
    step = np.linalg.norm(np.diff(points, axis=0), axis=1)
    ring = np.concatenate([[0], np.cumsum(step > same)])
    count = np.bincount(ring)
    return np.column_stack([np.bincount(ring, points[:, k]) / count for k in (0, 1)])
