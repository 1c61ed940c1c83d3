"""Distance of a contact pair from the path of its near list, which decides whether its force must be evaluated.

Most pairs do not touch and need no more. Poses are in SIMD lanes: the columns of a rotation and the position of an
origin, each in the first three lanes.
"""

import math

from softdock.native.decorators import inline
from softdock.native.simd import broadcast, fma, horizontal_sum, load, load_three


@inline
def motion_since(pair, links, motions, work, ball):
    """Return a bound on how far any point of B's surface is from the path of the last rebuild, seen from A [m]."""
    C_0, C_1, C_2, p = pose_in_lanes(pair, links, motions)
    columns = work["columns"]
    d_0, d_1, d_2 = C_0 - load(columns, 0, 0), C_1 - load(columns, 1, 0), C_2 - load(columns, 2, 0)
    shift = point_in_lanes((d_0, d_1, d_2), p - load(columns, 3, 0), ball["x"], ball["y"], ball["z"])
    H_0, H_1, H_2, S = load(columns, 4, 0), load(columns, 5, 0), load(columns, 6, 0), load(columns, 8, 0)
    arm = work["rotation_arm"]
    along = horizontal_sum(fma(shift, S, arm * arm * fma(d_0, H_0, fma(d_1, H_1, d_2 * H_2))))
    place = max(-1.0, min(1.0, work["path_scale"] * along))  # Eq. (C32)
    d_0, d_1, d_2 = fma(-place, H_0, d_0), fma(-place, H_1, d_1), fma(-place, H_2, d_2)
    shift = fma(-place, S, shift)
    turn = math.sqrt(horizontal_sum(fma(d_0, d_0, fma(d_1, d_1, d_2 * d_2))))
    return math.sqrt(horizontal_sum(shift * shift)) + arm * turn  # Eq. (C19)


@inline
def pose_in_lanes(pair, links, motions):
    """Return the columns of R_AB, and p_AB_A [m], of a pair, each in the first three lanes."""
    a, b, root_a, root_b = motions[pair.a], motions[pair.b], links[pair.a].root, links[pair.b].root
    base_a, base_b = motions[root_a], motions[root_b]
    # From A to its link, to the root of that, to N, to the other root, to B's link, to B.
    C = (load_three(pair.R_aA, 0), load_three(pair.R_aA, 3), load_three(pair.R_aA, 6))
    p = point_in_lanes(C, broadcast(0.0), -pair.p_aA[0], -pair.p_aA[1], -pair.p_aA[2])
    C = product_transposed_in_lanes(C, a.R)
    p = point_in_lanes(C, p, -a.p[0], -a.p[1], -a.p[2])
    if root_a != root_b:
        C = product_transposed_in_lanes(C, base_a.R_NB)
        x, y, z = base_a.p_NB[0], base_a.p_NB[1], base_a.p_NB[2]
        p = point_in_lanes(C, p, base_b.p_NB[0] - x, base_b.p_NB[1] - y, base_b.p_NB[2] - z)
        C = product_in_lanes(C, base_b.R_NB)
    p = point_in_lanes(C, p, b.p[0], b.p[1], b.p[2])
    C = product_in_lanes(C, b.R)
    p = point_in_lanes(C, p, pair.p_bB[0], pair.p_bB[1], pair.p_bB[2])
    C = product_in_lanes(C, pair.R_bB)
    return C[0], C[1], C[2], p


@inline
def point_in_lanes(C, p, x, y, z):
    """Return p + C v for a vector v = (x, y, z)."""
    return fma(C[0], x, fma(C[1], y, fma(C[2], z, p)))


@inline
def product_in_lanes(C, R):
    """Return C R."""
    return (
        fma(C[0], R[0], fma(C[1], R[3], C[2] * R[6])),
        fma(C[0], R[1], fma(C[1], R[4], C[2] * R[7])),
        fma(C[0], R[2], fma(C[1], R[5], C[2] * R[8])),
    )


@inline
def product_transposed_in_lanes(C, R):
    """Return C R^T."""
    return (
        fma(C[0], R[0], fma(C[1], R[1], C[2] * R[2])),
        fma(C[0], R[3], fma(C[1], R[4], C[2] * R[5])),
        fma(C[0], R[6], fma(C[1], R[7], C[2] * R[8])),
    )
