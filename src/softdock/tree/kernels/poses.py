"""Positions, attitudes and velocities of links, points and frames in N, and forces on links.

Arguments are the motion of a link (LINK_MOTION) and that of the base of its tree.
"""

from softdock.native.decorators import inline
from softdock.spatial.kernels import matrix_product, rotate, rotate_inverse, unpack_matrix


@inline
def link_point(motion, base, p_LQ):
    """Return the position p_NQ_N of a point given in its link [m]."""
    x, y, z = rotate(motion.R, p_LQ[0], p_LQ[1], p_LQ[2])
    x, y, z = rotate(base.R_NB, x + motion.p[0], y + motion.p[1], z + motion.p[2])
    return x + base.p_NB[0], y + base.p_NB[1], z + base.p_NB[2]


@inline
def link_rotation(motion, base, R_LF):
    """Return the rotation R_NF of a frame given in its link."""
    return matrix_product(
        matrix_product(unpack_matrix(base.R_NB), unpack_matrix(motion.R)), unpack_matrix(R_LF)
    )


@inline
def link_angular_velocity(motion, base):
    """Return the angular velocity w_NL_N of a link [rad/s]."""
    V = motion.V
    return rotate(base.R_NB, V[0], V[1], V[2])


@inline
def point_velocity(motion, base, x, y, z):
    """Return the velocity in N of the point of the link that is now at p_NQ_N = (x, y, z) [m/s]."""
    V, p = motion.V, base.p_NB
    bx, by, bz = rotate_inverse(base.R_NB, x - p[0], y - p[1], z - p[2])
    return rotate(
        base.R_NB,
        V[3] + V[1] * bz - V[2] * by,
        V[4] + V[2] * bx - V[0] * bz,
        V[5] + V[0] * by - V[1] * bx,
    )


@inline
def add_wrench(motion, fx, fy, fz, x, y, z):
    """Add a force in N [N] that acts on a link at the point p_NQ_N = (x, y, z) [m]."""
    W = motion.W
    W[0], W[1], W[2] = W[0] + y * fz - z * fy, W[1] + z * fx - x * fz, W[2] + x * fy - y * fx
    W[3], W[4], W[5] = W[3] + fx, W[4] + fy, W[5] + fz


@inline
def relative_velocity(pair, links, motions, R_NA, p_B):
    """Return angular velocity [rad/s] and velocity [m/s] of b against a at p_B (in N), in axes A."""
    a, b = motions[pair.a], motions[pair.b]
    base_a, base_b = motions[links[pair.a].root], motions[links[pair.b].root]
    awx, awy, awz = link_angular_velocity(a, base_a)
    bwx, bwy, bwz = link_angular_velocity(b, base_b)
    avx, avy, avz = point_velocity(a, base_a, p_B[0], p_B[1], p_B[2])
    bvx, bvy, bvz = point_velocity(b, base_b, p_B[0], p_B[1], p_B[2])
    return rotate_inverse(R_NA, bwx - awx, bwy - awy, bwz - awz), rotate_inverse(
        R_NA, bvx - avx, bvy - avy, bvz - avz
    )
