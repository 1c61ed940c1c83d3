"""Triangles of simple polygons in a plane, by cutting off ears."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Indices = NDArray[np.int64]


def signed_area(points: Array) -> float:
    """Return the area of a polygon, shape (n, 2): positive if it is counterclockwise."""
    x, y = points.T
    return float(np.dot(x, np.roll(y, -1)) - np.dot(np.roll(x, -1), y)) / 2


def triangulate(points: Array) -> Indices:
    """Return the triangles of a simple counterclockwise polygon, shape (n, 2), as indices of its points, (n - 2, 3).

    Of all ears, the one with the best shape is cut off first, so that long thin triangles are rare.
    """
    left = list(range(len(points)))
    quality = [_quality(points, left, k) for k in range(len(left))]
    triangles = []
    while len(left) > 3:
        best = max(range(len(left)), key=quality.__getitem__)
        count = len(left)
        triangles.append((left[best - 1], left[best], left[(best + 1) % count]))
        del left[best], quality[best]
        for k in (best - 1, best % len(left)):
            quality[k] = _quality(points, left, k)
        if not any(q > 0.0 for q in quality):  # an ear may have been covered by a point that is gone now
            quality = [_quality(points, left, k) for k in range(len(left))]
    triangles.append((left[0], left[1], left[2]))
    return np.array(triangles, np.int64)


def _quality(points: Array, left: Sequence[int], k: int) -> float:
    """Return twice the area over the square of the longest side of the ear at position k; below 0 if it is none."""
    a, b, c = left[k - 1], left[k], left[(k + 1) % len(left)]
    (a_x, a_y), (b_x, b_y), (c_x, c_y) = points[a], points[b], points[c]
    area = (b_x - a_x) * (c_y - a_y) - (b_y - a_y) * (c_x - a_x)
    longest = max(
        (b_x - a_x) ** 2 + (b_y - a_y) ** 2,
        (c_x - b_x) ** 2 + (c_y - b_y) ** 2,
        (a_x - c_x) ** 2 + (a_y - c_y) ** 2,
    )
    if area <= 0.0 or longest == 0.0:
        return 0.0 if area >= 0.0 else -1.0
    others = points[[i for i in left if i not in (a, b, c)]]
    if len(others):
        inside = np.ones(len(others), bool)
        for (p_x, p_y), (q_x, q_y) in (
            ((a_x, a_y), (b_x, b_y)),
            ((b_x, b_y), (c_x, c_y)),
            ((c_x, c_y), (a_x, a_y)),
        ):
            inside &= (q_x - p_x) * (others[:, 1] - p_y) - (q_y - p_y) * (others[:, 0] - p_x) >= 0.0
        # Points that coincide with a corner do not cover the ear.
        for corner in ((a_x, a_y), (b_x, b_y), (c_x, c_y)):
            inside &= (others != corner).any(axis=1)
        if inside.any():
            return -1.0
    return float(area) / float(longest)
