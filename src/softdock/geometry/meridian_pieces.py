"""Search for the pieces of the meridian of a body of revolution, from its exact faces and its facets."""

import itertools
import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from softdock.geometry.axis import AxisFrame
from softdock.geometry.facets import ExactFace, Facets
from softdock.geometry.fitted_pieces import fitted_pieces
from softdock.geometry.fitting import distance_to_segments
from softdock.geometry.pieces import BodySurface, EndAccuracy, Piece, reverse
from softdock.geometry.plane_pieces import flat_triangles, plane_pieces
from softdock.geometry.profile import Arc, Line, Point

Indices = NDArray[np.int64]

_LONGEST_ARC = 0.99 * math.pi


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
    body = BodySurface(
        facets=facets, frame=frame, tolerance=tolerance, z=z, r=r, phi=phi,
        n_z=normals[:, 2], n_r=n_r, areas=areas,
    )  # fmt: skip
    without_exact_face = np.array([f is None for f in (*facets.faces, None)])[facets.face_of]
    flat = flat_triangles(body, without_exact_face)
    return [*_exact_pieces(body), *plane_pieces(body, flat), *fitted_pieces(body, without_exact_face & ~flat)]


def _exact_pieces(body: BodySurface) -> Iterator[Piece]:
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
        yield _oriented_piece(body, segments, triangles, EndAccuracy.EXACT)


def _segments_of(face: ExactFace, body: BodySurface, triangles: Indices) -> list[Line | Arc]:
    """Return the meridian of an exact face; empty if the face is not a surface of revolution about the axis."""
    d = body.frame.R_FS[:, 2]
    offset = face.point - body.frame.p_FS
    z_0 = float(offset @ d)
    axis_error = float(np.linalg.norm(offset - z_0 * d))
    if face.axis is not None:
        axis_error += float(np.linalg.norm(np.cross(face.axis, d))) * body.facets.size
    if axis_error > body.tolerance:
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


def _latitudes(
    face: ExactFace, body: BodySurface, triangles: Indices, z_0: float
) -> tuple[float, float, float]:
    """Return the latitudes [rad] of a spherical face and the direction of its pole, which the file does not contain."""
    z = body.z[body.facets.triangles[triangles]]
    measured = np.clip((np.array([z.min(), z.max()]) - z_0) / face.radius, -1.0, 1.0)
    low, high = face.bounds
    for sign in (1.0, -1.0):
        given = sorted([sign * math.sin(low), sign * math.sin(high)])
        if np.abs(given - measured).max() < 1e-5:
            return low, high, sign
    return float(np.arcsin(measured[0])), float(np.arcsin(measured[1])), 1.0


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


def _oriented_piece(
    body: BodySurface, segments: list[Line | Arc], triangles: Indices, accuracy: EndAccuracy
) -> Piece:
    """Return the piece with the outward normals of its facets on the left of travel."""
    first, area = segments[0], body.areas[triangles]
    if isinstance(first, Line):
        t_z, t_r = first.tangent(0.0)
        is_outward = area @ (-t_r * body.n_z[triangles] + t_z * body.n_r[triangles]) > 0.0
    else:
        corners = body.facets.triangles[triangles]
        z, r = body.z[corners].mean(axis=1), body.r[corners].mean(axis=1)
        away = area @ (
            (z - first.centre[0]) * body.n_z[triangles] + (r - first.centre[1]) * body.n_r[triangles]
        )
        # A convex surface is travelled clockwise.
        is_outward = (away > 0.0) != first.counterclockwise
    if not is_outward:
        segments = [reverse(s) for s in reversed(segments)]
    return Piece(
        segments=tuple(segments),
        triangles=triangles,
        accuracy=accuracy,
        deviation=_deviation(body, segments, triangles),
    )


def _deviation(body: BodySurface, segments: list[Line | Arc], triangles: Indices) -> float:
    used = np.unique(body.facets.triangles[triangles])
    places = np.column_stack([body.z[used], body.r[used]])
    return float(distance_to_segments(segments, places).max(initial=0.0))
