"""Plane pieces of a meridian: rings around the axis in planes perpendicular to it."""

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from softdock.geometry.facets import triangle_components
from softdock.geometry.pieces import FACET_SPAN, BodySurface, EndAccuracy, Piece, boundary_edges
from softdock.geometry.profile import Line

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


def flat_triangles(body: BodySurface, free: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which triangles lie in a plane perpendicular to the axis, shape (m,)."""
    z = body.z[body.facets.triangles]
    rounding = 4 * np.finfo(np.float32).eps * np.abs(body.facets.vertices).max()
    flat = (np.ptp(z, axis=1) <= rounding) & (np.abs(body.n_z) > 0.99)
    planes = np.array([f is not None and f.kind == "plane" for f in (*body.facets.faces, None)])
    return np.asarray(flat & (free | planes[body.facets.face_of]))


def plane_pieces(body: BodySurface, flat: NDArray[np.bool_]) -> Iterator[Piece]:
    """Yield one piece per connected plane of the flat triangles that surrounds the axis."""
    for up in (True, False):
        triangles = np.flatnonzero(flat & ((body.n_z > 0.0) == up))
        if not len(triangles):
            continue
        corners = body.facets.triangles[triangles]
        labels = triangle_components(corners, len(body.facets.vertices))
        labels = _joined_over_cuts(body, triangles, labels)
        for label in dict.fromkeys(labels):
            piece = _annulus(body, triangles[labels == label], up)
            if piece is not None:
                yield piece


def _annulus(body: BodySurface, triangles: Indices, up: bool) -> Piece | None:
    """Return the largest ring around the axis that is filled by the triangles of a plane; None without one."""
    corners = body.facets.triangles[triangles]
    z = _height(body, triangles)
    inner, outer, interruption = 0.0, math.inf, 0.0
    around: list[tuple[float, float, float]] = []
    for loop in _around_axis(body, _loops(boundary_edges(corners, body.facets.cut_edges))):
        r, phi = body.r[loop], body.phi[loop]
        turn = (np.diff(phi, append=phi[:1]) + np.pi) % math.tau - np.pi
        nearest = _nearest_to_axis(r, phi)
        is_round = np.ptp(r) <= body.tolerance and np.abs(turn).max() < FACET_SPAN
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
        accuracy=EndAccuracy.PLANE,
        interruption=interruption,
        deviation=float(np.ptp(body.z[corners])) / 2,
    )


def _joined_over_cuts(body: BodySurface, triangles: Indices, labels: Indices) -> Indices:
    """Return the labels with one for all parts of a ring that faces left out on purpose divide."""
    if not len(body.facets.cut_edges):
        return labels
    cut, rings = np.unique(body.facets.cut_edges), dict[tuple[float, ...], int]()
    joined = labels.copy()
    for label in dict.fromkeys(labels):
        own = np.unique(body.facets.triangles[triangles[labels == label]])
        if np.isin(own, cut).any():
            bounds = (body.z[own].min(), body.r[own].min(), body.r[own].max())
            key = tuple(np.round(np.array(bounds) / (10 * body.tolerance)).tolist())
            joined[labels == label] = rings.setdefault(key, int(label))
    return joined


def _around_axis(body: BodySurface, loops: list[Indices]) -> list[Indices]:
    """Return the loops, with arcs of equal radius joined that faces left out on purpose divide."""
    if not len(body.facets.cut_edges):
        return loops
    arcs: dict[float, list[Indices]] = {}
    rest = []
    for loop in loops:
        r = body.r[loop]
        if np.ptp(r) <= body.tolerance:
            arcs.setdefault(float(np.round(r.mean() / (10 * body.tolerance))), []).append(loop)
        else:
            rest.append(loop)
    for group in arcs.values():
        loop = np.concatenate(group)
        rest.append(loop[np.argsort(body.phi[loop])])
    return rest


def _height(body: BodySurface, triangles: Indices) -> float:
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
        loops.append(np.array(loop[:-1] if loop[-1] == loop[0] else loop))
    return loops


def _nearest_to_axis(r: Array, phi: Array) -> float:
    """Return the distance from the axis to the nearest edge of a closed polygon."""
    a = np.column_stack([r * np.cos(phi), r * np.sin(phi)])
    d = np.roll(a, -1, axis=0) - a
    t = np.clip(-np.einsum("ij,ij->i", a, d) / np.maximum(np.einsum("ij,ij->i", d, d), 1e-300), 0.0, 1.0)
    return float(np.linalg.norm(a + t[:, None] * d, axis=1).min())
