"""Where links, points and frames are in N, how they move, and how forces reach them.

Rotation matrices travel as tuples of nine floats, row by row.
"""

import math

from softdock.native.decorators import inline

# A quarter turn in three parts, of which the first two have 33 bits: their products with whole numbers are exact;
# minimax polynomials on an eighth of a turn to either side: fdlibm (Sun Microsystems, 1993).
QUARTER_1, QUARTER_2, QUARTER_3 = (
    1.57079632673412561417,
    6.07710050630396597660e-11,
    2.02226624879595063154e-21,
)
S3, S5, S7 = -1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04
S9, S11, S13 = 2.75573137070700676789e-06, -2.50507602534068634195e-08, 1.58969099521155010221e-10
C4, C6, C8 = 4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05
C10, C12, C14 = -2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11
WHOLE = (
    6755399441055744.0  # 1.5 * 2^52: numbers below 2^51 become whole when it is added and taken away again
)


@inline
def as_matrix(R):
    """Tuple of nine floats from an array of nine."""
    return (R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8])


@inline
def times(A, B):
    """Product of two rotation matrices."""
    return (
        A[0] * B[0] + A[1] * B[3] + A[2] * B[6],
        A[0] * B[1] + A[1] * B[4] + A[2] * B[7],
        A[0] * B[2] + A[1] * B[5] + A[2] * B[8],
        A[3] * B[0] + A[4] * B[3] + A[5] * B[6],
        A[3] * B[1] + A[4] * B[4] + A[5] * B[7],
        A[3] * B[2] + A[4] * B[5] + A[5] * B[8],
        A[6] * B[0] + A[7] * B[3] + A[8] * B[6],
        A[6] * B[1] + A[7] * B[4] + A[8] * B[7],
        A[6] * B[2] + A[7] * B[5] + A[8] * B[8],
    )


@inline
def transposed(A):
    """Transpose of a rotation matrix."""
    return (A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8])


@inline
def turn(R, x, y, z):
    """R v."""
    return R[0] * x + R[1] * y + R[2] * z, R[3] * x + R[4] * y + R[5] * z, R[6] * x + R[7] * y + R[8] * z


@inline
def turn_back(R, x, y, z):
    """R^T v."""
    return R[0] * x + R[3] * y + R[6] * z, R[1] * x + R[4] * y + R[7] * z, R[2] * x + R[5] * y + R[8] * z


@inline
def link_point(link, base, p_LQ):
    """Position p_NQ_N of a point given in its link [m]."""
    x, y, z = turn(link.R, p_LQ[0], p_LQ[1], p_LQ[2])
    x, y, z = turn(base.R_NB, x + link.p[0], y + link.p[1], z + link.p[2])
    return x + base.p_NB[0], y + base.p_NB[1], z + base.p_NB[2]


@inline
def link_rotation(link, base, R_LF):
    """Rotation R_NF of a frame given in its link."""
    return times(times(as_matrix(base.R_NB), as_matrix(link.R)), as_matrix(R_LF))


@inline
def link_turn_rate(link, base):
    """Angular velocity w_NL_N of a link [rad/s]."""
    V = link.V
    return turn(base.R_NB, V[0], V[1], V[2])


@inline
def point_velocity(link, base, x, y, z):
    """Velocity in N of the point of the link that is now at p_NQ_N = (x, y, z) [m/s]."""
    V, p = link.V, base.p_NB
    bx, by, bz = turn_back(base.R_NB, x - p[0], y - p[1], z - p[2])
    return turn(
        base.R_NB,
        V[3] + V[1] * bz - V[2] * by,
        V[4] + V[2] * bx - V[0] * bz,
        V[5] + V[0] * by - V[1] * bx,
    )


@inline
def add_wrench(link, fx, fy, fz, x, y, z):
    """Let a force, given in N, act on a link at the point p_NQ_N = (x, y, z)."""
    W = link.W
    W[0], W[1], W[2] = W[0] + y * fz - z * fy, W[1] + z * fx - x * fz, W[2] + x * fy - y * fx
    W[3], W[4], W[5] = W[3] + fx, W[4] + fy, W[5] + fz


@inline
def rotation_vector(w, x, y, z):
    """Axis times angle, at most half a turn, of a quaternion wxyz of any length [rad]."""
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    s = math.sqrt(x * x + y * y + z * z)
    if s < 1e-8 * w:  # sin(a/2) ~ a/2: the error of the next term is below rounding
        factor = 2.0 / w
    else:
        factor = 2.0 * math.atan2(s, w) / s
    return factor * x, factor * y, factor * z


@inline
def quaternion_of_matrix(R):
    """Quaternion wxyz of a rotation matrix, from its largest component."""
    xx, yy, zz = R[0], R[4], R[8]
    if xx + yy + zz > 0.0:
        w, x, y, z = 1.0 + xx + yy + zz, R[7] - R[5], R[2] - R[6], R[3] - R[1]
    elif xx >= yy and xx >= zz:
        w, x, y, z = R[7] - R[5], 1.0 + xx - yy - zz, R[1] + R[3], R[2] + R[6]
    elif yy >= zz:
        w, x, y, z = R[2] - R[6], R[1] + R[3], 1.0 + yy - xx - zz, R[5] + R[7]
    else:
        w, x, y, z = R[3] - R[1], R[2] + R[6], R[5] + R[7], 1.0 + zz - xx - yy
    n = 1.0 / math.sqrt(w * w + x * x + y * y + z * z)
    return w * n, x * n, y * n, z * n


@inline
def rotation_vector_of_matrix(R):
    """Rotation vector e of a matrix, and the factor of [e]^2 in the inverse left Jacobian; Eq. (M28)."""
    w, x, y, z = quaternion_of_matrix(R)
    ex, ey, ez = rotation_vector(w, x, y, z)
    a = ex * ex + ey * ey + ez * ez
    if a < 1e-4:  # series: the next term is a^2/30240, below 1e-12
        factor = 1.0 / 12.0 + a / 720.0
    else:
        angle = math.sqrt(a)
        factor = 1.0 / a - (1.0 + math.cos(angle)) / (2.0 * angle * math.sin(angle))
    return ex, ey, ez, factor
