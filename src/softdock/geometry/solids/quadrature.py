"""Quadrature over the cells of exact faces: areas, and integrals over the solid by the divergence theorem."""

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softdock.geometry.solids.face_regions import FaceRegion
from softdock.geometry.solids.kernels.layout import CONE, PLANE
from softdock.geometry.solids.kernels.parameter_columns import (
    FRAME_H,
    FRAME_KIND,
    FRAME_RATE_RHO,
    FRAME_RHO,
)
from softdock.geometry.solids.parameters import area_density
from softdock.geometry.solids.regions import curve_points, curve_rates

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

NODES = 8
"""Gauss points along a side: exact to rounding for angles up to half a radian."""


@functools.cache
def gauss() -> tuple[Array, Array]:
    """Return points in 0 to 1 and weights."""
    x, w = np.polynomial.legendre.leggauss(NODES)
    return (x + 1) / 2, w / 2


@functools.cache
def _triangle_rule() -> tuple[Array, Array]:
    """Return barycentric weights of points in a triangle, shape (n, 3), and weights that sum to one."""
    x, w = gauss()
    a, b = (grid.ravel() for grid in np.meshgrid(x, x, indexing="ij"))
    weights = np.outer(w, w).ravel() * 2 * (1 - a)
    return np.column_stack([a, (1 - a) * b, (1 - a) * (1 - b)]), weights


def rectangle_areas(frames: Array, faces: Indices, rectangles: Array) -> Array:
    """Return the exact areas of rectangles of parameters, shape (n,) [m^2], Eq. (G53)."""
    rows = frames[faces]
    du, v_0, v_1 = rectangles[:, 1] - rectangles[:, 0], rectangles[:, 2], rectangles[:, 3]
    dv, mean = v_1 - v_0, (v_0 + v_1) / 2
    plane, line = rows[:, FRAME_KIND] == PLANE, rows[:, FRAME_KIND] == CONE
    straight = (rows[:, FRAME_RHO] + mean * rows[:, FRAME_RATE_RHO]) * dv
    # The product form of the difference of sines keeps small cells exact.
    bent = rows[:, FRAME_RHO] * (
        rows[:, FRAME_H] * dv + 2 * rows[:, FRAME_RHO] * np.cos(mean) * np.sin(dv / 2)
    )
    return np.asarray(du * np.where(plane, dv, np.where(line, straight, bent)))


@dataclass(frozen=True, kw_only=True)
class CellPoints:
    """Points of cells for the quadrature of one face."""

    cell: Indices
    """Shape (n,): the cell of each point."""
    u: Array
    v: Array
    weight: Array
    """Shape (n,) [m^2]; those of a cell sum to its area."""


def rectangle_points(frame: Array, rectangles: Array) -> CellPoints:
    """Return the points of rectangles of parameters (n, 4) of one face."""
    x, w = gauss()
    a, b = (grid.ravel() for grid in np.meshgrid(x, x, indexing="ij"))
    du, dv = rectangles[:, 1] - rectangles[:, 0], rectangles[:, 3] - rectangles[:, 2]
    u, v = rectangles[:, :1] + a * du[:, None], rectangles[:, 2:3] + b * dv[:, None]
    weight = (du * dv)[:, None] * np.outer(w, w).ravel() * area_density(frame, v)
    return _points(np.arange(len(rectangles)), u, v, weight)


def triangle_points(face: FaceRegion, triangles: Array, sides: Array) -> CellPoints:
    """Return the points of triangles of one face, whose sides may be curves, Eq. (G55).

    `triangles` (n, 3, 2) are parameters of their corners, `sides` (n, 3, 3) the number of the curve of each side, or
    INNER, and its range.
    """
    rule, weights = _triangle_rule()
    places = np.einsum("kc,ncx->nkx", rule, triangles)
    half = straight_areas(triangles)
    u, v = places[:, :, 0], places[:, :, 1]
    inner = _points(np.arange(len(triangles)), u, v, half[:, None] * weights * area_density(face.frame, v))
    parts = [inner, *(_side_points(face, triangles, sides, k) for k in range(3))]
    return CellPoints(
        cell=np.concatenate([p.cell for p in parts]),
        u=np.concatenate([p.u for p in parts]),
        v=np.concatenate([p.v for p in parts]),
        weight=np.concatenate([p.weight for p in parts]),
    )


def _side_points(face: FaceRegion, triangles: Array, sides: Array, side: int) -> CellPoints:
    """Return the points between the chord of a side and its curve; weights are negative where the curve cuts in."""
    chosen = np.flatnonzero(sides[:, side, 0] >= 0.0)
    x, w = gauss()
    start, end = triangles[chosen, side][:, None], triangles[chosen, (side + 1) % 3][:, None]
    index = np.repeat(sides[chosen, side, :1].astype(np.int64), len(x), axis=1)
    first, last = sides[chosen, side, 1:2], sides[chosen, side, 2:3]
    t = first + x * (last - first)
    gap = curve_points(face.curves, index, t) - (start + x[:, None] * (end - start))
    rate = curve_rates(face.curves, index, t) * (last - first)[:, :, None]
    # Points (1 - y) of the way from the chord, y of the way to the curve, at x along both.
    place = (start + x[:, None] * (end - start))[:, :, None] + x[:, None] * gap[:, :, None]
    along = (1 - x[:, None]) * (end - start)[:, :, None] + x[:, None] * rate[:, :, None]
    turn = along[..., 0] * gap[:, :, None, 1] - along[..., 1] * gap[:, :, None, 0]
    u, v = place[..., 0], place[..., 1]
    weight = -turn * np.outer(w, w) * area_density(face.frame, v)
    count = len(x) ** 2
    return _points(chosen, u.reshape(-1, count), v.reshape(-1, count), weight.reshape(-1, count))


def straight_areas(triangles: Array) -> Array:
    """Return the areas of triangles in the plane of the parameters, shape (n,)."""
    edge_1, edge_2 = triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    return np.asarray((edge_1[:, 0] * edge_2[:, 1] - edge_1[:, 1] * edge_2[:, 0]) / 2)


def curved_areas(face: FaceRegion, triangles: Array, sides: Array) -> Array:
    """Return what curves as sides add to areas in the plane of the parameters, by two thirds of their sagittas."""
    added = np.zeros(len(triangles))
    for k in range(3):
        chosen = np.flatnonzero(sides[:, k, 0] >= 0.0)
        start, end = triangles[chosen, k], triangles[chosen, (k + 1) % 3]
        middle = curve_points(
            face.curves, sides[chosen, k, 0].astype(np.int64), sides[chosen, k, 1:].mean(axis=1)
        )
        gap, step = middle - (start + end) / 2, end - start
        added[chosen] -= 2 / 3 * (step[:, 0] * gap[:, 1] - step[:, 1] * gap[:, 0])
    return added


def triangle_areas(face: FaceRegion, triangles: Array, sides: Array) -> Array:
    """Return the areas of triangles of one face with curves as sides, shape (n,) [m^2]; see `triangle_points`."""
    points = triangle_points(face, triangles, sides)
    return np.bincount(points.cell, points.weight, len(triangles)).astype(float)


def _points(cell: Indices, u: Array, v: Array, weight: Array) -> CellPoints:
    return CellPoints(
        cell=np.repeat(cell, u.shape[1]),
        u=u.ravel(),
        v=v.ravel(),
        weight=weight.ravel(),
    )
