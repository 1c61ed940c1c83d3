"""Where the touching points of B are in the material: past the middle of a wall, or beyond the end of a meridian."""

import math

from softdock.contact.kernels.cell_geometry import to_A
from softdock.contact.kernels.layout import BLOCK_CELLS, POINTS
from softdock.geometry.kernels import (
    AXIS_R,
    AXIS_Z,
    KIND,
    LENGTH,
    SENSE,
    START_R,
    START_Z,
    TINY,
    nearest_part,
    segment_depth,
    unbounded_depth,
)
from softdock.native.decorators import kernel

OPPOSED_COSINE = 0.98  # as in geometry.walls
MIDDLE_SHARE = 0.98  # of half the thickness of a wall: the depth that counts as its middle
DEEP_SHARE = 0.5  # of half the thickness: points that deep on both faces of a wall mean that B is through it


@kernel
def check_penetration(arrays, lists, pair, R_AB, p_AB_A):
    """Look at all touching points of a pair: (largest depth over half the thickness of a wall, through, beyond).

    `through` is 1 where a point of B is past the middle of a wall of A, or A's surface past that of a wall of B;
    `beyond` is 1 where something touches an end face or the back face of A, which the meridian does not describe.
    Eqs. (C34), (C35).
    """
    segments, data, work = arrays.segments, arrays.pairs[pair], lists.work[pair]
    first, last = data["first_segment"], data["last_segment"]
    points = 1 if data["quadrature"] == POINTS else 4
    most, through, beyond = 0.0, 0, 0
    side = (0.0, 0.0, 0.0)
    for b in range(min(work["block_count"], lists.blocks.shape[1])):
        block = lists.blocks[pair, b]
        for i in range(points * BLOCK_CELLS):
            if i % BLOCK_CELLS >= block["count"]:
                continue
            X, Y, Z = block["x"][i], block["y"][i], block["z"][i]
            x, y, z = to_A(R_AB, p_AB_A, X, Y, Z)
            r = math.sqrt(x * x + y * y)
            row, s, n_z, n_r = nearest_segment(segments, first, last, z, r)
            if s <= 0.0:
                continue
            if row < data["first_described"] or row > data["last_described"]:
                beyond = 1
            share = 2.0 * s / (s + opposite_face_distance(segments, first, last, z, r, n_z, n_r))  # Eq. (C34)
            normal = (n_r * x / (r + TINY), n_r * y / (r + TINY), n_z)
            if share > DEEP_SHARE:
                if side[0] * normal[0] + side[1] * normal[1] + side[2] * normal[2] < -0.5:
                    through = 1
                if side[0] == 0.0 and side[1] == 0.0 and side[2] == 0.0:
                    side = normal
            most = max(most, share)
            R = math.sqrt(X * X + Y * Y)
            _, _, m_z, m_r = nearest_segment(segments, data["first_segment_B"], data["last_segment_B"], Z, R)
            wall = opposite_face_distance(
                segments, data["first_segment_B"], data["last_segment_B"], Z, R, m_z, m_r
            )
            most = max(most, 2.0 * s / wall)  # Eq. (C35)
    if most >= MIDDLE_SHARE:
        through = 1
    return most, through, beyond


@kernel
def nearest_segment(segments, first, last, z, r):
    """The nearest of segments first..last, with depth and gradient: (row, s, n_z, n_r)."""
    row = first
    s, n_z, n_r = segment_depth(segments, first, z, r)
    for k in range(first + 1, last + 1):
        s_k, z_k, r_k = segment_depth(segments, k, z, r)
        if abs(s_k) < abs(s):
            row, s, n_z, n_r = k, s_k, z_k, r_k
    return row, s, n_z, n_r


@kernel
def opposite_face_distance(segments, first, last, z, r, n_z, n_r):
    """Distance [m] from a place in the material along a direction to the opposite face of a wall.

    Infinite where the face that is met first is not opposed to the direction: then there is no wall.
    """
    way, opposed = math.inf, 0.0
    for k in range(first, last + 1):
        for side in (1.0, -1.0):  # on this side of the axis and beyond it
            t, cosine = ray_exit(segments, k, z, side * r, n_z, side * n_r)
            if t < way:
                way, opposed = t, cosine
    return way if opposed < -OPPOSED_COSINE else math.inf


@kernel
def ray_exit(segments, k, z, r, n_z, n_r):
    """How far a ray goes until it leaves the material through segment k [m], and its cosine with the normal there."""
    if segments[k, KIND] == 0.0:
        s, g_z, g_r = unbounded_depth(segments, k, z, r)
        cosine = n_z * g_z + n_r * g_r
        if cosine >= 0.0:
            return math.inf, 0.0
        t = -s / cosine
        a_z, a_r = z + t * n_z - segments[k, START_Z], r + t * n_r - segments[k, START_R]
        along = a_z * segments[k, AXIS_Z] + a_r * segments[k, AXIS_R]
        if t <= 1e-9 or along < 0.0 or along > segments[k, LENGTH]:
            return math.inf, 0.0
        return t, cosine
    d_z, d_r, radius = z - segments[k, AXIS_Z], r - segments[k, AXIS_R], segments[k, LENGTH]
    b = d_z * n_z + d_r * n_r
    square = b * b - d_z * d_z - d_r * d_r + radius * radius
    if square <= 0.0:
        return math.inf, 0.0
    t = -b - segments[k, SENSE] * math.sqrt(square)
    if t <= 1e-9 or nearest_part(segments, k, z + t * n_z, r + t * n_r) != 0:
        return math.inf, 0.0
    return t, -math.sqrt(square) / radius
