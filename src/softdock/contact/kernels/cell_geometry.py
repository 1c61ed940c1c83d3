"""Points and areas of cells on the strips of B, and the depth of points of B below A.

A `shape` is (kind, axis_z, axis_r, radius) of a strip. A position m on a line is its point (z, rho) [m], on an arc the
cosine and sine of its angle.
"""

import math

from softdock.geometry.kernels import LINE, depth, unbounded_depth
from softdock.native.decorators import inline


@inline
def to_A(R_AB, p_AB_A, x, y, z):
    """Return a point of B in A [m]: (x, y, z)."""
    return (
        p_AB_A[0] + R_AB[0][0] * x + R_AB[0][1] * y + R_AB[0][2] * z,
        p_AB_A[1] + R_AB[1][0] * x + R_AB[1][1] * y + R_AB[1][2] * z,
        p_AB_A[2] + R_AB[2][0] * x + R_AB[2][1] * y + R_AB[2][2] * z,
    )


@inline
def path_motion(half_R, half_p, x, y, z):
    """Return the distance that the point (x, y, z) [m] of B moves along half a path [m], and its displacement [m]."""
    d = to_A(half_R, half_p, x, y, z)
    return math.sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), d


@inline
def point_depth(segments, first, last, R_AB, p_AB_A, x, y, z):
    """Return the depth [m] below A of the point (x, y, z) [m] of B."""
    x, y, z = to_A(R_AB, p_AB_A, x, y, z)
    return segments_depth(segments, first, last, z, math.sqrt(x * x + y * y))


@inline
def segments_depth(segments, first, last, z, r):
    """Return the depth [m] below segments first..last; a single segment counts as its infinite line or full circle."""
    if first == last:
        return unbounded_depth(segments, first, z, r)[0]
    return depth(segments, first, last, z, r)[0]


@inline
def meridian_point(shape, m):
    """Return the point (z, rho) [m] of a strip at a position m."""
    if shape[0] == LINE:
        return m[0], m[1]
    return shape[1] + shape[3] * m[0], shape[2] + shape[3] * m[1]


@inline
def shift_along(shape, m, steps, level, column, sign):
    """Return a position moved along its strip by a step of the table."""
    c, s = steps[level, column], sign * steps[level, column + 1]
    if shape[0] == LINE:
        return m[0] + s * shape[1], m[1] + s * shape[2]
    return m[0] * c - m[1] * s, m[0] * s + m[1] * c


@inline
def rotate_around(e, steps, level, column, sign):
    """Return a direction (cos, sin) rotated around the axis by a step of the table."""
    c, s = steps[level, column], sign * steps[level, column + 1]
    return e[0] * c - e[1] * s, e[0] * s + e[1] * c


@inline
def cell_area(shape, m, h_u, angle, half_sine):
    """Return the exact area of a cell [m2]; half_sine: sine of half its angle along an arc."""
    if shape[0] == LINE:
        return angle * h_u * m[1]  # Eq. (C6)
    return angle * (h_u * shape[2] + 2.0 * shape[3] * shape[3] * half_sine * m[1])  # Eq. (C7)
