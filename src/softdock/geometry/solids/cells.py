"""Cells of the faces of a solid: rectangles of parameters, triangles where a face is trimmed, and facets."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softdock.geometry.solids.face_regions import FaceRegion, Sides, face_region
from softdock.geometry.solids.kernels.layout import FACE_KIND, FACETED, PLANE, TORUS
from softdock.geometry.solids.kernels.parameter_columns import FRAME_COLUMNS, FRAME_KIND
from softdock.geometry.solids.parameters import length_of_v, width_of_u
from softdock.geometry.solids.quadrature import (
    curved_areas,
    rectangle_areas,
    straight_areas,
    triangle_areas,
)
from softdock.geometry.solids.regions import (
    INNER,
    ROW_CURVE,
    ROW_END,
    ROW_FROM,
    ROW_TO,
    choose_cut,
    curve_points,
    cut_region,
    is_hole,
    loops_of,
    rectangle_region,
    region_area,
)
from softdock.geometry.solids.solid import Solid
from softdock.geometry.solids.triangulation import triangulate

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

LARGEST_ANGLE = 0.5
"""Of a cell [rad]: the quadrature of cells and curves is exact to rounding up to there."""
ROUNDING = 1e-9
"""Part of an area that is due to rounding."""
LEAST_SHARE = 0.3
"""Least area of a triangle with curves as sides, over that with straight sides."""
MOST_DIVISIONS = 6
"""Of curves of one loop, each into halves; a curve of 0.4 rad then turns by 0.01 rad."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Cells:
    """Cells of all faces of a solid."""

    frames: Array
    """Parameters of faces, shape (faces, FRAME_COLUMNS); zeros for faceted faces."""
    rectangle_faces: Indices
    rectangles: Array
    """From u, to u, from v, to v; shape (n, 4)."""
    rectangle_areas: Array
    """Exact areas, shape (n,) [m^2]."""
    triangle_faces: Indices
    triangles: Array
    """Parameters (u, v) of the corners, counterclockwise seen from outside, shape (m, 3, 2)."""
    neighbours: Indices
    """Shape (m, 3): the face beyond each side that is a curve of the boundary; side k leads from corner k to k + 1; -1:
    the side is straight in the parameters."""
    triangle_areas: Array
    """Areas with the exact curves of the boundary, shape (m,) [m^2]."""
    facet_faces: Indices
    facets: Array
    """Corners of the triangles of faceted faces, shape (k, 3, 3) [m]."""
    facet_areas: Array
    unfollowed: tuple[int, ...] = ()
    """Exact faces without cells, because their boundaries could not be followed."""

    def face_areas(self) -> Array:
        """Return the areas of the faces, shape (faces,) [m^2]."""
        count = len(self.frames)
        return np.asarray(
            np.bincount(self.rectangle_faces, self.rectangle_areas, count)
            + np.bincount(self.triangle_faces, self.triangle_areas, count)
            + np.bincount(self.facet_faces, self.facet_areas, count)
        )


def face_cells(solid: Solid, size: float, *, skip_unfollowed: bool = False) -> Cells:
    """Return the cells of all faces of a solid, with sides of at most about `size` [m].

    Raises ArithmeticError where the boundary of an exact face cannot be followed, unless `skip_unfollowed` is set.
    """
    frames = np.zeros((len(solid.faces), FRAME_COLUMNS))
    divided = []
    unfollowed = []
    for f in np.flatnonzero(solid.arrays.faces[:, FACE_KIND] != FACETED):
        try:
            face = face_region(solid, int(f), size)
            rectangles, triangles, sides = divide_face(face, size)
        except ArithmeticError:
            if not skip_unfollowed:
                raise
            unfollowed.append(int(f))
            continue
        frames[f] = face.frame
        divided.append((face, rectangles, triangles, sides, triangle_areas(face, triangles, sides)))
    rectangle_faces = _faces_of(face.face for face, rectangles, *_ in divided for _ in rectangles)
    all_rectangles = np.concatenate([np.zeros((0, 4)), *(rectangles for _, rectangles, *_ in divided)])
    faceted = solid.arrays.faces[solid.face_of, FACE_KIND] == FACETED
    facets = solid.arrays.triangles[faceted, :9].reshape(-1, 3, 3)
    cross = np.cross(facets[:, 1] - facets[:, 0], facets[:, 2] - facets[:, 0])
    return Cells(
        frames=frames,
        rectangle_faces=rectangle_faces,
        rectangles=all_rectangles,
        rectangle_areas=rectangle_areas(frames, rectangle_faces, all_rectangles),
        triangle_faces=_faces_of(face.face for face, _, triangles, *_ in divided for _ in triangles),
        triangles=np.concatenate([np.zeros((0, 3, 2)), *(triangles for _, _, triangles, *_ in divided)]),
        neighbours=np.concatenate(
            [np.zeros((0, 3), np.int64), *(_beyond(face, s) for face, _, _, s, _ in divided)]
        ),
        triangle_areas=np.concatenate([np.zeros(0), *(areas for *_, areas in divided)]),
        facet_faces=solid.face_of[faceted],
        facets=facets,
        facet_areas=np.linalg.norm(cross, axis=1) / 2,
        unfollowed=tuple(unfollowed),
    )


def _faces_of(numbers: Iterable[int]) -> Indices:
    return np.fromiter(numbers, np.int64)


def _beyond(face: FaceRegion, sides: Array) -> Indices:
    """Return the faces beyond the curves of triangles, shape (m, 3); -1 where the side is none."""
    numbers = sides[:, :, 0].astype(np.int64)
    if not len(face.neighbours):
        return np.full(numbers.shape, -1, np.int64)
    return np.where(numbers >= 0, face.neighbours[numbers], -1)


def divide_face(face: FaceRegion, size: float) -> tuple[Array, Array, Array]:
    """Return rectangles (n, 4), triangles (m, 3, 2) and sides (m, 3, 3) of an exact face, as in `triangle_points`."""
    rectangles: list[Sides] = []
    triangles: list[Array] = [np.zeros((0, 3, 2))]
    curves: list[Array] = [np.zeros((0, 3, 3))]
    waiting = [(face.sides, face.region)]
    while waiting:
        sides, part = waiting.pop()
        if not len(part):
            continue
        width, height = _relative_lengths(face.frame, sides, size)
        is_whole = _fills(sides, part)
        if is_whole:
            part = rectangle_region(*sides)
        if max(width, height) <= 1.0:
            if is_whole:
                rectangles.append(sides)
                continue
            loops = loops_of(part)
            hole = next((loop for loop in loops if is_hole(loop)), None)
            if hole is None:
                for loop in loops:
                    corners, ranges = _triangles_of(face, loop)
                    triangles.append(corners)
                    curves.append(ranges)
                continue
            axis, (low, high) = 0, (float(hole[:, 0].min()), float(hole[:, 0].max()))
        else:
            axis = 0 if width > height else 1
            low, high = sides[2 * axis], sides[2 * axis + 1]
        value = (low + high) / 2 if is_whole else choose_cut(part, axis, low, high)
        below, above = cut_region(part, face.curves, axis, value)
        waiting.append((_with_side(sides, 2 * axis + 1, value), below))
        waiting.append((_with_side(sides, 2 * axis, value), above))
    return np.array(rectangles).reshape(-1, 4), np.concatenate(triangles), np.concatenate(curves)


def _fills(sides: Sides, part: Array) -> bool:
    """Return whether a part of a region is all of a rectangle."""
    u_0, u_1, v_0, v_1 = sides
    whole = (u_1 - u_0) * (v_1 - v_0)
    return bool((part[:, ROW_CURVE] < 0.0).all() and abs(region_area(part) - whole) <= ROUNDING * whole)


def _with_side(sides: Sides, number: int, value: float) -> Sides:
    changed = list(sides)
    changed[number] = value
    return changed[0], changed[1], changed[2], changed[3]


def _relative_lengths(frame: Array, sides: Sides, size: float) -> tuple[float, float]:
    """Return the lengths of a rectangle along u and v over the largest allowed ones."""
    u_0, u_1, v_0, v_1 = sides
    width = (u_1 - u_0) * width_of_u(frame, v_0, v_1) / size
    height = (v_1 - v_0) * length_of_v(frame) / size
    if frame[FRAME_KIND] != PLANE:
        width = max(width, (u_1 - u_0) / LARGEST_ANGLE)
    if frame[FRAME_KIND] == TORUS:
        height = max(height, (v_1 - v_0) / LARGEST_ANGLE)
    return width, height


def _triangles_of(face: FaceRegion, loop: Array) -> tuple[Array, Array]:
    """Return the triangles of a loop, shape (n, 3, 2), and the curves of their sides with their ranges, (n, 3, 3).

    Curves that would take most of a triangle are divided.
    """
    if len(loop) == 2:  # a curve and its chord
        loop = _with_halves(face, loop, loop[:, ROW_CURVE] >= 0.0)
    for _ in range(MOST_DIVISIONS):
        v = loop[:, 1]
        scale = np.array([width_of_u(face.frame, float(v.min()), float(v.max())), length_of_v(face.frame)])
        corners = triangulate(loop[:, :2] * scale)
        follows = (corners[:, [1, 2, 0]] - corners) % len(loop) == 1
        ranges = loop[corners][:, :, [ROW_CURVE, ROW_FROM, ROW_TO]]
        ranges[~follows | (ranges[:, :, 0] < 0.0)] = [INNER, 0.0, 1.0]
        triangles = loop[corners, :2]
        small = straight_areas(triangles) * LEAST_SHARE > straight_areas(triangles) + curved_areas(
            face, triangles, ranges
        )
        if not small.any():
            break
        too_curved = np.zeros(len(loop), bool)
        too_curved[corners[small][ranges[small][:, :, 0] >= 0.0]] = True
        loop = _with_halves(face, loop, too_curved)
    kept = straight_areas(triangles) > ROUNDING * abs(region_area(loop))  # others lie on one line
    return triangles[kept], ranges[kept]


def _with_halves(face: FaceRegion, loop: Array, chosen: NDArray[np.bool_]) -> Array:
    """Return a loop in which the chosen curves are divided in the middle."""
    rows = []
    for row, divide in zip(loop, chosen):
        if not divide:
            rows.append(row)
            continue
        middle = (row[ROW_FROM] + row[ROW_TO]) / 2
        place = curve_points(face.curves, np.array([int(row[ROW_CURVE])]), np.array([middle]))[0]
        first, second = row.copy(), row.copy()
        first[ROW_END : ROW_END + 2], second[:2] = place, place
        first[ROW_TO], second[ROW_FROM] = middle, middle
        rows += [first, second]
    return np.array(rows)
