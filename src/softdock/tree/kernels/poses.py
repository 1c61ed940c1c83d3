"""Positions, attitudes and velocities of links, points and frames in N, and forces on links."""

from softdock.native.decorators import inline
from softdock.spatial.kernels import matrix_product, rotate, rotate_inverse, unpack_matrix


@inline
def link_point(link, base, p_LQ):
    """Return the position p_NQ_N of a point given in its link [m]."""
    x, y, z = rotate(link.R, p_LQ[0], p_LQ[1], p_LQ[2])
    x, y, z = rotate(base.R_NB, x + link.p[0], y + link.p[1], z + link.p[2])
    return x + base.p_NB[0], y + base.p_NB[1], z + base.p_NB[2]


@inline
def link_rotation(link, base, R_LF):
    """Return the rotation R_NF of a frame given in its link."""
    return matrix_product(
        matrix_product(unpack_matrix(base.R_NB), unpack_matrix(link.R)), unpack_matrix(R_LF)
    )


@inline
def link_angular_velocity(link, base):
    """Return the angular velocity w_NL_N of a link [rad/s]."""
    V = link.V
    return rotate(base.R_NB, V[0], V[1], V[2])


@inline
def point_velocity(link, base, x, y, z):
    """Return the velocity in N of the point of the link that is now at p_NQ_N = (x, y, z) [m/s]."""
    V, p = link.V, base.p_NB
    bx, by, bz = rotate_inverse(base.R_NB, x - p[0], y - p[1], z - p[2])
    return rotate(
        base.R_NB,
        V[3] + V[1] * bz - V[2] * by,
        V[4] + V[2] * bx - V[0] * bz,
        V[5] + V[0] * by - V[1] * bx,
    )


@inline
def add_wrench(link, fx, fy, fz, x, y, z):
    """Add a force in N [N] that acts on a link at the point p_NQ_N = (x, y, z) [m]."""
    W = link.W
    W[0], W[1], W[2] = W[0] + y * fz - z * fy, W[1] + z * fx - x * fz, W[2] + x * fy - y * fx
    W[3], W[4], W[5] = W[3] + fx, W[4] + fy, W[5] + fz


@inline
def relative_velocity(a, b, base_a, base_b, R_NA, p_B):
    """Return angular velocity [rad/s] and velocity [m/s] of link b against link a at p_B (in N), both in axes A."""
    awx, awy, awz = link_angular_velocity(a, base_a)
    bwx, bwy, bwz = link_angular_velocity(b, base_b)
    avx, avy, avz = point_velocity(a, base_a, p_B[0], p_B[1], p_B[2])
    bvx, bvy, bvz = point_velocity(b, base_b, p_B[0], p_B[1], p_B[2])
    return rotate_inverse(R_NA, bwx - awx, bwy - awy, bwz - awz), rotate_inverse(
        R_NA, bvx - avx, bvy - avy, bvz - avz
    )
