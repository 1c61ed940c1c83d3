"""Pieces of a meridian fitted to facets without an exact face."""

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from softdock.geometry.fitting import distance_to_segments, fit_segments
from softdock.geometry.mass_properties import band_area
from softdock.geometry.pieces import FACET_SPAN, BodySurface, EndAccuracy, Piece
from softdock.geometry.profile import Arc, Line, distance_to_segment
from softdock.geometry.section import SectionLine, cut_facets, most_common_azimuth

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

LEAST_COVER = 0.5
"""Area of the facets of a piece relative to that of its surface of revolution, below which it is not a ring."""


def fitted_pieces(body: BodySurface, free: NDArray[np.bool_]) -> Iterator[Piece]:
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
            good &= _edges_follow(body, segments, own)
            if body.areas[own[good]].sum() < LEAST_COVER * sum(band_area(s, 0.0, 1.0) for s in segments):
                continue
            yield Piece(
                segments=tuple(segments),
                triangles=own[good],
                accuracy=EndAccuracy.FITTED,
                deviation=float(distance.reshape(-1, 3)[good].max(initial=residual)),
            )


def _edges_follow(body: BodySurface, segments: list[Line | Arc], triangles: Indices) -> NDArray[np.bool_]:
    """Return for each triangle whether the middles of its edges are on the meridian, within the sagitta of a chord.

    Corners alone do not decide: those of a prism with an even and an odd edge at each end lie on one line.
    """
    corners = body.facets.triangles[triangles]
    following = np.roll(corners, -1, axis=1)
    middle = 0.5 * (body.facets.vertices[corners] + body.facets.vertices[following])
    z, r, _ = body.frame.cylindrical(middle.reshape(-1, 3))
    span = np.abs((body.phi[following] - body.phi[corners] + np.pi) % math.tau - np.pi).ravel()
    length = np.hypot(body.z[following] - body.z[corners], body.r[following] - body.r[corners]).ravel()
    outer = np.maximum(body.r[following], body.r[corners]).ravel()
    allowed = body.tolerance + outer * (1 - np.cos(span / 2))
    follows = np.zeros(len(z), bool)
    for segment in segments:  # only an arc also has chords along the meridian
        sagitta = length * FACET_SPAN / 8 if isinstance(segment, Arc) else 0.0
        follows |= distance_to_segment(segment, z, r) <= allowed + sagitta
    on_axis = (body.r[corners] <= body.tolerance) | (body.r[following] <= body.tolerance)
    return np.asarray((follows.reshape(-1, 3) | on_axis).all(axis=1))


def _beside_section(
    body: BodySurface, section: SectionLine, used: Indices
) -> tuple[NDArray[np.bool_], Array]:
    """Return for every vertex whether it belongs to a section, and its position along it, in pieces.

    A vertex belongs to a section within the sagitta of the chords of a facet.
    """
    a, b = section.points[:-1], section.points[1:]
    corners = body.facets.triangles[section.triangles]
    phi = body.phi[corners]
    span = np.minimum(np.ptp((phi - phi[:, :1] + np.pi) % math.tau, axis=1), FACET_SPAN)
    length = np.hypot(np.ptp(body.z[corners], axis=1), np.ptp(body.r[corners], axis=1))
    # Sagitta of a chord: around the axis, and along the meridian, where it turns by as much at most.
    reach = body.tolerance + body.r[corners].max(axis=1) * (1 - np.cos(span / 2)) + length * FACET_SPAN / 8
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


def _vertex_normals(body: BodySurface) -> Array:
    """Return a vector (z, r) per vertex along the angle-weighted mean of the adjacent normals, shape (n, 2).

    Weighted by areas, a wide end face would turn the normals of its rim away from a narrow row of facets beside it.
    """
    total = np.zeros((len(body.z), 2))
    normals = np.column_stack([body.n_z, body.n_r])
    corners = body.facets.triangles
    for k in range(3):
        apex, left, right = (body.facets.vertices[corners[:, (k + j) % 3]] for j in range(3))
        u, v = left - apex, right - apex
        angle = np.arctan2(np.linalg.norm(np.cross(u, v), axis=1), np.einsum("ij,ij->i", u, v))
        np.add.at(total, corners[:, k], angle[:, None] * normals)
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
