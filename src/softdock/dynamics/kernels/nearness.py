"""How far a contact pair is from the path of its near list: most pairs need no more, because they do not touch.

Poses are in lanes: the columns of a rotation and the place of an origin, each in the first three lanes.
"""

import math

from softdock.native.decorators import inline
from softdock.native.simd import fma, load, take_three, total, wide


@inline
def motion_since(pair, links, work, ball):
    """Bound on how far any point of B's surface is from the path of the last rebuild, seen from A [m]."""
    C_0, C_1, C_2, p = pose_in_lanes(pair, links)
    columns = work["columns"]
    d_0, d_1, d_2 = C_0 - load(columns, 0, 0), C_1 - load(columns, 1, 0), C_2 - load(columns, 2, 0)
    shift = moved_by((d_0, d_1, d_2), p - load(columns, 3, 0), ball["x"], ball["y"], ball["z"])
    H_0, H_1, H_2, S = load(columns, 4, 0), load(columns, 5, 0), load(columns, 6, 0), load(columns, 8, 0)
    arm = work["arm"]
    along = total(fma(shift, S, arm * arm * fma(d_0, H_0, fma(d_1, H_1, d_2 * H_2))))
    place = max(-1.0, min(1.0, work["scale"] * along))  # Eq. (C32)
    d_0, d_1, d_2 = fma(-place, H_0, d_0), fma(-place, H_1, d_1), fma(-place, H_2, d_2)
    shift = fma(-place, S, shift)
    turn = math.sqrt(total(fma(d_0, d_0, fma(d_1, d_1, d_2 * d_2))))
    return math.sqrt(total(shift * shift)) + arm * turn  # Eq. (C19)


@inline
def pose_in_lanes(pair, links):
    """Columns of R_AB and p_AB_A of a pair, each in the first three lanes."""
    a, b = links[pair.a], links[pair.b]
    base_a, base_b = links[a.root], links[b.root]
    # From A to its link, to the root of that, to N, to the other root, to B's link, to B.
    C = (take_three(pair.R_aA, 0), take_three(pair.R_aA, 3), take_three(pair.R_aA, 6))
    p = moved_by(C, wide(0.0), -pair.p_aA[0], -pair.p_aA[1], -pair.p_aA[2])
    C = turned_back(C, a.R)
    p = moved_by(C, p, -a.p[0], -a.p[1], -a.p[2])
    if a.root != b.root:
        C = turned_back(C, base_a.R_NB)
        x, y, z = base_a.p_NB[0], base_a.p_NB[1], base_a.p_NB[2]
        p = moved_by(C, p, base_b.p_NB[0] - x, base_b.p_NB[1] - y, base_b.p_NB[2] - z)
        C = turned(C, base_b.R_NB)
    p = moved_by(C, p, b.p[0], b.p[1], b.p[2])
    C = turned(C, b.R)
    p = moved_by(C, p, pair.p_bB[0], pair.p_bB[1], pair.p_bB[2])
    C = turned(C, pair.R_bB)
    return C[0], C[1], C[2], p


@inline
def moved_by(C, p, x, y, z):
    """p + C v."""
    return fma(C[0], x, fma(C[1], y, fma(C[2], z, p)))


@inline
def turned(C, R):
    """C R."""
    return (
        fma(C[0], R[0], fma(C[1], R[3], C[2] * R[6])),
        fma(C[0], R[1], fma(C[1], R[4], C[2] * R[7])),
        fma(C[0], R[2], fma(C[1], R[5], C[2] * R[8])),
    )


@inline
def turned_back(C, R):
    """C R^T."""
    return (
        fma(C[0], R[0], fma(C[1], R[1], C[2] * R[2])),
        fma(C[0], R[3], fma(C[1], R[4], C[2] * R[5])),
        fma(C[0], R[6], fma(C[1], R[7], C[2] * R[8])),
    )
