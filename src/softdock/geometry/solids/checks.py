"""Checks of a solid: walls, faces that cross, depths that jump."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softdock.geometry.entry_points import find_crossings, walls_behind
from softdock.geometry.solids.face_rows import face_depths
from softdock.geometry.solids.kernels.layout import (
    CONE,
    FACE_A,
    FACE_B,
    FACE_C,
    FACE_KIND,
    FACE_SENSE,
    FACETED,
    TORUS,
    TRIANGLE_NORMAL,
)
from softdock.geometry.solids.solid import Solid

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

GRID = 60
"""Sample points of walls along the size of a solid."""
MOST_SAMPLES = 40_000
REFINED, AROUND = 60, 6
"""The thinnest places are refined, with so many new points around each."""
FINEST = 1e-5
"""Distance of the last points, relative to the size of a solid."""
MOST_PAIRS = 1000
"""Pairs of crossing triangles that are stored."""


SAMPLES = 60_000
"""Pairs of points between which the depth may not jump."""
FARTHEST, NEAREST = -1.5, -6.0
"""Powers of ten of their distance from edges, corners and triangles, relative to the size of the solid."""
LARGEST_JUMP = 1e-9
"""[m]; rounding is below 1e-12 m."""


@dataclass(frozen=True, kw_only=True)
class Jump:
    """A place where the depth of a solid is not a distance: it changes by more than the points are apart."""

    size: float
    """By how much more [m]."""
    place: tuple[float, float, float]
    """[m]"""


@dataclass(frozen=True, kw_only=True)
class Wall:
    """The thinnest wall of a solid, at sample points."""

    thickness: float
    """[m]; infinite where no faces are opposite each other."""
    face: int
    """Index of the face behind which it is."""
    place: tuple[float, float, float]
    """Point of that face [m]."""
    spacing: float
    """Distance of the first sample points from each other [m]: a thinner wall that is narrower may be missed."""


@dataclass(frozen=True, kw_only=True)
class Crossing:
    """Two faces that cross."""

    faces: tuple[int, int]
    place: tuple[float, float, float]
    """Middle of one of the triangles [m]."""


def thinnest_wall(solid: Solid) -> Wall:
    """Return the thinnest wall, Eq. (G57): at points on a grid, then around the thinnest ones ever nearer."""
    points, owner, spacing = _samples(solid)
    points, owner, thickness = _walls_at(solid, points, owner)
    k = int(np.argmin(thickness))
    step = spacing
    rng = np.random.default_rng(0)  # the same points every time
    while np.isfinite(thickness[k]) and step > FINEST * solid.size:
        thin = np.argsort(thickness, kind="stable")[:REFINED]
        places = np.repeat(points[thin], AROUND, axis=0)
        near = places + step * rng.uniform(-1.0, 1.0, places.shape)
        finer = _walls_at(solid, near, np.repeat(owner[thin], AROUND))
        points, owner, thickness = (
            np.concatenate([kept[thin], found]) for kept, found in zip((points, owner, thickness), finer)
        )
        k = int(np.argmin(thickness))
        step /= 2
    x, y, z = points[k].tolist()
    return Wall(
        thickness=float(thickness[k]), face=int(solid.face_of[owner[k]]), place=(x, y, z), spacing=spacing
    )


def _walls_at(solid: Solid, points: Array, owner: Indices) -> tuple[Array, Indices, Array]:
    """Return the points moved onto the faces of triangles `owner`, without those beyond, and the walls behind them."""
    index = solid.face_of[owner]
    exact = solid.arrays.faces[index, FACE_KIND] != FACETED
    depths = face_depths(solid.arrays.faces, index, points)
    inward = np.where(
        exact[:, None], depths[:, 1:], -solid.arrays.triangles[owner, TRIANGLE_NORMAL : TRIANGLE_NORMAL + 3]
    )
    points = points - depths[:, :1] * depths[:, 1:]
    within = np.ones(len(points), bool)
    within[exact] = solid.are_within(index[exact], points[exact])
    points, inward, index = points[within], np.ascontiguousarray(inward[within]), index[within]
    thickness = np.full(len(points), np.inf)
    walls_behind(solid.arrays, np.ascontiguousarray(index), np.ascontiguousarray(points), inward, thickness)
    return points, owner[within], thickness


def smallest_convex_radius(solid: Solid) -> float:
    """Return the smallest radius [m] of the cylinders, spheres and tori that are convex; infinite without one."""
    rows = solid.arrays.faces
    cylinder = (
        (rows[:, FACE_KIND] == CONE)
        & (rows[:, FACE_A] == 0.0)
        & (rows[:, FACE_SENSE] * rows[:, FACE_B] < 0.0)
    )
    round_ = (rows[:, FACE_KIND] == TORUS) & (rows[:, FACE_SENSE] < 0.0)
    radii = [*np.abs(rows[cylinder, FACE_C]), *rows[round_, FACE_B]]
    return float(min(radii, default=np.inf))


def _samples(solid: Solid) -> tuple[Array, Indices, float]:
    """Return points in triangles on a grid, at least the middle of each, the triangle of each, and their distance."""
    corners = solid.arrays.triangles[:, :9].reshape(-1, 3, 3)
    longest = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1)
    count = np.ceil(longest / solid.size * GRID).astype(np.int64).clip(1, GRID)
    total = float(count @ count)
    if total > MOST_SAMPLES:
        count = np.maximum(1, count * np.sqrt(MOST_SAMPLES / total)).astype(np.int64)
    spacing = float((longest / count).max())
    points, owner = [], []
    for n in np.unique(count):
        i, j = np.array([(i, j) for i in range(n) for j in range(n - i)]).T
        u, v = (i + 1 / 3) / n, (j + 1 / 3) / n
        chosen = np.flatnonzero(count == n)
        weights = np.column_stack([u, v, 1 - u - v])
        points.append(np.einsum("kc,tcx->tkx", weights, corners[chosen]).reshape(-1, 3))
        owner.append(np.repeat(chosen, len(weights)))
    return np.concatenate(points), np.concatenate(owner), spacing


def crossing_faces(solid: Solid) -> tuple[Crossing, ...]:
    """Return pairs of faces that cross each other by more than the distance between triangles and faces, each once.

    Faces that touch, and triangles that share a vertex, are not found.
    """
    pairs = np.zeros((MOST_PAIRS, 2), np.int64)
    found = find_crossings(solid.arrays, pairs)
    crossings: dict[tuple[int, int], Crossing] = {}
    for a, b in pairs[: min(found, MOST_PAIRS)].tolist():
        one, two = sorted((int(solid.face_of[a]), int(solid.face_of[b])))
        if (one, two) not in crossings:
            x, y, z = solid.arrays.triangles[a, :9].reshape(3, 3).mean(axis=0).tolist()
            crossings[one, two] = Crossing(faces=(one, two), place=(x, y, z))
    return tuple(crossings.values())


def largest_jump(solid: Solid) -> Jump:
    """Return the largest jump of the depth near edges, corners and triangles, Eq. (G58); 0 m for a right one.

    The depth below a closed surface has the Lipschitz constant 1. Where faces, edges and triangles contradict each
    other, because faces cross beside the edges of the triangles, parts of the surface are missing and it jumps.
    """
    rng = np.random.default_rng(0)  # the same points every time
    points = _places_on_features(solid, rng)
    count = len(points)
    size = solid.size * 10.0 ** rng.uniform(NEAREST, FARTHEST, (count, 1))
    points = points + size * _directions(rng, count)
    step = size * rng.uniform(0.05, 1.0, (count, 1))
    depths = solid.depths(points)
    beyond = solid.depths(points + step * _directions(rng, count))[:, 0]
    feet = solid.depths(points - depths[:, :1] * depths[:, 1:])[:, 0]
    excess = np.maximum(np.abs(depths[:, 0] - beyond) - step[:, 0], np.abs(feet))
    k = int(np.argmax(excess))
    x, y, z = points[k].tolist()
    return Jump(size=float(excess[k]) if excess[k] > LARGEST_JUMP else 0.0, place=(x, y, z))


def _places_on_features(solid: Solid, rng: np.random.Generator) -> Array:
    """Return about SAMPLES places: on edges, at corners, in triangles."""
    arrays = solid.arrays
    third = SAMPLES // 3
    corner = arrays.triangles[:, :9].reshape(-1, 3, 3)[rng.integers(len(arrays.triangles), size=third)]
    places = [np.einsum("ij,ijk->ik", rng.dirichlet([1, 1, 1], third), corner)]
    if len(arrays.edges):
        e, t = rng.integers(len(arrays.edges), size=third), rng.uniform(0.0, 1.0, (third, 1))
        places.append((1 - t) * arrays.edges[e, :3] + t * arrays.edges[e, 3:6])
    corners = np.flatnonzero(arrays.is_corner)
    if len(corners):
        places.append(solid.vertices[rng.choice(corners, third)])
    return np.concatenate(places)


def _directions(rng: np.random.Generator, count: int) -> Array:
    vectors = rng.normal(size=(count, 3))
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1)[:, None])
