"""Points of a block in A and their depths below A, eight at a time."""

import math

from softdock.contact.kernels.layout import BLOCK_CELLS, FACES_ONE, FACES_SEVERAL
from softdock.geometry.kernels import (
    ARC,
    AXIS_R,
    AXIS_Z,
    END_R,
    END_Z,
    KIND,
    LENGTH,
    LINE,
    SENSE,
    START_R,
    START_Z,
    TINY,
    depth,
    radial_depth,
    tangent_at,
)
from softdock.native.decorators import inline, kernel
from softdock.native.simd import (
    LANES,
    approximate_inverse_sqrt,
    broadcast,
    fma,
    load_vector,
    select_positive,
    store_vector,
)


@kernel
def locate_points(segments, block, work, R_AB, p_AB_A, count):
    """Store coordinates in A, depth s and gradient (k x, k y, n) of the first `count` points of a block in `work`."""
    for i in range(0, count, LANES):
        x, y, z = load_points_in_A(block, i, R_AB, p_AB_A)
        q = fma(x, x, y * y)
        store_vector(work["x"], i, x)
        store_vector(work["y"], i, y)
        store_vector(work["z"], i, z)
        store_vector(work["q"], i, q)
        if block["facing"] >= FACES_SEVERAL:
            measure_points(segments, block, work, i)
        else:
            # Four equal arguments: the compiler removes the duplicate computations.
            s, k, n = block_depths(segments, block, (z, z, z, z), (q, q, q, q))[0]
            store_vector(work["s"], i, s)
            store_vector(work["k"], i, k)
            store_vector(work["n"], i, n)


@inline
def load_points_in_A(block, i, R_AB, p_AB_A):
    """Return eight points of a block, from index i on, in A [m]: (x, y, z)."""
    return points_in_A(
        R_AB, p_AB_A, load_vector(block["x"], i), load_vector(block["y"], i), load_vector(block["z"], i)
    )


@inline
def points_in_A(R_AB, p_AB_A, x, y, z):
    """Return eight points (x, y, z) [m] of B in A [m]."""
    return (
        fma(R_AB[0][0], x, fma(R_AB[0][1], y, fma(R_AB[0][2], z, p_AB_A[0]))),
        fma(R_AB[1][0], x, fma(R_AB[1][1], y, fma(R_AB[1][2], z, p_AB_A[1]))),
        fma(R_AB[2][0], x, fma(R_AB[2][1], y, fma(R_AB[2][2], z, p_AB_A[2]))),
    )


@inline
def inverse_sqrt(q):
    """Return 1/sqrt(q) within two units in the last place, without root or division; a large number at zero."""
    y = approximate_inverse_sqrt(q)
    h = fma(-(q * y), y, 1.0)
    y = fma(y * h, fma(fma(0.3125, h, 0.375), h, 0.5), y)  # Eq. (C30)
    h = fma(-(q * y), y, 1.0)
    return fma(y * h, fma(fma(0.3125, h, 0.375), h, 0.5), y)


@inline
def block_depths(segments, block, Z, Q):
    """Return the depths of four points of eight cells below the segment of a block, or two that join smoothly.

    Z: their z [m]; Q: the squares of their r [m2]. Returns (s, k, n) for each: depth [m] and gradient (k x, k y, n).
    Four points at a time, because their inverse roots are independent and run in parallel.
    """
    first = block["first"][0]
    if block["facing"] == FACES_ONE and segments[first, KIND] == ARC and segments[first, AXIS_R] == 0.0:
        return depths_below_sphere(segments, first, Z, Q)
    inverse = (inverse_sqrt(Q[0]), inverse_sqrt(Q[1]), inverse_sqrt(Q[2]), inverse_sqrt(Q[3]))
    R = (Q[0] * inverse[0], Q[1] * inverse[1], Q[2] * inverse[2], Q[3] * inverse[3])
    below_first = depths_below(segments, first, Z, R, inverse)
    if block["facing"] == FACES_ONE:
        return below_first
    below_second = depths_below(segments, first + 1, Z, R, inverse)
    return (
        select_segment(segments, first, Z[0], R[0], below_first[0], below_second[0]),
        select_segment(segments, first, Z[1], R[1], below_first[1], below_second[1]),
        select_segment(segments, first, Z[2], R[2], below_first[2], below_second[2]),
        select_segment(segments, first, Z[3], R[3], below_first[3], below_second[3]),
    )


@inline
def select_segment(segments, k, z, r, below, below_next):
    """Return the depths below segment k, or below the next segment for points beyond its end."""
    beyond = distance_beyond_end(segments, k, z, r)
    return (
        select_positive(beyond, below_next[0], below[0]),
        select_positive(beyond, below_next[1], below[1]),
        select_positive(beyond, below_next[2], below[2]),
    )


@inline
def distance_beyond_end(segments, k, z, r):
    """Return how far eight points (z, r) [m] are beyond the end of segment k, along its tangent there [m]."""
    t_z, t_r = tangent_at(segments, k, END_Z)
    return fma(z - segments[k, END_Z], t_z, (r - segments[k, END_R]) * t_r)


@inline
def depths_below(segments, k, Z, R, inverse):
    """Return the depths of four points below the infinite line or full circle of segment k; inverse: 1/r [1/m]."""
    if segments[k, KIND] == LINE:
        return (
            depth_below_line(segments, k, Z[0], R[0], inverse[0]),
            depth_below_line(segments, k, Z[1], R[1], inverse[1]),
            depth_below_line(segments, k, Z[2], R[2], inverse[2]),
            depth_below_line(segments, k, Z[3], R[3], inverse[3]),
        )
    return (
        depth_below_circle(segments, k, Z[0], R[0], inverse[0]),
        depth_below_circle(segments, k, Z[1], R[1], inverse[1]),
        depth_below_circle(segments, k, Z[2], R[2], inverse[2]),
        depth_below_circle(segments, k, Z[3], R[3], inverse[3]),
    )


@inline
def depths_below_sphere(segments, k, Z, Q):
    """Return the depths of four points below a circle with its centre on the axis."""
    return (
        depth_from_centre(segments, k, Z[0] - segments[k, AXIS_Z], Q[0]),
        depth_from_centre(segments, k, Z[1] - segments[k, AXIS_Z], Q[1]),
        depth_from_centre(segments, k, Z[2] - segments[k, AXIS_Z], Q[2]),
        depth_from_centre(segments, k, Z[3] - segments[k, AXIS_Z], Q[3]),
    )


@inline
def depth_below_line(segments, k, z, r, inverse):
    """Return depth and gradient below an infinite line."""
    n_z, n_r = segments[k, AXIS_R], -segments[k, AXIS_Z]
    s = fma(z - segments[k, START_Z], n_z, (r - segments[k, START_R]) * n_r)  # Eq. (C1)
    return s, n_r * inverse, broadcast(n_z)


@inline
def depth_below_circle(segments, k, z, r, inverse):
    """Return depth and gradient below a circle with its centre beside the axis."""
    d_r = r - segments[k, AXIS_R]
    s, scale, n = depth_from_centre(segments, k, z - segments[k, AXIS_Z], d_r * d_r)
    return s, scale * d_r * inverse, n


@inline
def depth_from_centre(segments, k, d_z, q):
    """Return (s, n_q/sqrt(q), n_z) below a circle, at d_z along and sqrt(q) across the axis from its centre."""
    square, sense = fma(d_z, d_z, q), segments[k, SENSE]
    inverse = inverse_sqrt(square)
    s = sense * (square * inverse - segments[k, LENGTH])  # Eq. (C2)
    return s, sense * inverse, sense * inverse * d_z


@kernel
def measure_points(segments, block, work, first_point):
    """Store the depths of eight points that face several segments of A in `work`, computed one by one."""
    for i in range(first_point, first_point + LANES):
        lane = i % BLOCK_CELLS
        if lane >= block["count"]:
            continue
        z, r, first, last = work["z"][i], math.sqrt(work["q"][i]), block["first"][lane], block["last"][lane]
        if block["facing"] == FACES_SEVERAL:
            s, n_z, n_r = depth(segments, first, last, z, r)
        else:
            s, n_z, n_r = radial_depth(segments, first, last, z, r)
        work["s"][i], work["k"][i], work["n"][i] = s, n_r / (r + TINY), n_z
