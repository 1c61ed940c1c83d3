"""Kernels for rotations, spatial vectors and inertias.

A rotation matrix is a tuple or an array of nine numbers, row by row. A quaternion is wxyz. A spatial vector has six
numbers, angular part first. An inertia has ten numbers: mass, mass times centre of mass (x, y, z) and the inertia about
the origin (xx, yy, zz, xy, xz, yz; products of inertia are elements of the matrix).
"""

import math

from softdock.native.decorators import inline


@inline
def cross(ax, ay, az, bx, by, bz):
    """Return the cross product of two vectors."""
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


@inline
def unpack_matrix(R):
    """Return the nine entries of an array as a tuple."""
    return (R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8])


@inline
def matrix_product(A, B):
    """Return the product of two 3x3 matrices."""
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
def transpose(A):
    """Return the transpose of a 3x3 matrix."""
    return (A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8])


@inline
def rotate(R, x, y, z):
    """Return R v."""
    return R[0] * x + R[1] * y + R[2] * z, R[3] * x + R[4] * y + R[5] * z, R[6] * x + R[7] * y + R[8] * z


@inline
def rotate_inverse(R, x, y, z):
    """Return R^T v."""
    return R[0] * x + R[3] * y + R[6] * z, R[1] * x + R[4] * y + R[7] * z, R[2] * x + R[5] * y + R[8] * z


@inline
def quaternion_product(w0, x0, y0, z0, w1, x1, y1, z1):
    """Return the product of two quaternions: the second rotation followed by the first."""
    return (
        w0 * w1 - x0 * x1 - y0 * y1 - z0 * z1,
        w0 * x1 + x0 * w1 + y0 * z1 - z0 * y1,
        w0 * y1 - x0 * z1 + y0 * w1 + z0 * x1,
        w0 * z1 + x0 * y1 - y0 * x1 + z0 * w1,
    )


@inline
def matrix_from_quaternion(w, x, y, z):
    """Return the rotation matrix of a quaternion of any length but zero."""
    n = 2.0 / (w * w + x * x + y * y + z * z)
    return (
        1.0 - n * (y * y + z * z),
        n * (x * y - w * z),
        n * (x * z + w * y),
        n * (x * y + w * z),
        1.0 - n * (x * x + z * z),
        n * (y * z - w * x),
        n * (x * z - w * y),
        n * (y * z + w * x),
        1.0 - n * (x * x + y * y),
    )


@inline
def quaternion_from_matrix(R):
    """Return the unit quaternion of a rotation matrix; its largest component is not negative."""
    xx, yy, zz = R[0], R[4], R[8]
    # The trace is not below any entry of the diagonal.
    if yy + zz >= 0.0 and xx + zz >= 0.0 and xx + yy >= 0.0:
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
def rotation_vector_from_quaternion(w, x, y, z):
    """Return axis times angle [rad], at most half a turn, of a quaternion of any length but zero."""
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    s = math.sqrt(x * x + y * y + z * z)
    # Where sin(a/2) ~ a/2, the error of the next term is below rounding.
    factor = 2.0 / w if s < 1e-8 * w else 2.0 * math.atan2(s, w) / s
    return factor * x, factor * y, factor * z


@inline
def rotation_vector_from_matrix(R):
    """Return axis times angle [rad], at most half a turn, of a rotation matrix."""
    w, x, y, z = quaternion_from_matrix(R)
    return rotation_vector_from_quaternion(w, x, y, z)


@inline
def inverse_left_jacobian_factor(ex, ey, ez):
    """Return the factor of [e]^2 in the inverse left Jacobian of a rotation vector e [rad]; Eq. (M28)."""
    a = ex * ex + ey * ey + ez * ez
    if a < 1e-4:  # series: the next term is a^2/30240, below 1e-12
        factor = 1.0 / 12.0 + a / 720.0
    else:
        angle = math.sqrt(a)
        factor = 1.0 / a - (1.0 + math.cos(angle)) / (2.0 * angle * math.sin(angle))
    return factor


@inline
def quaternion_rate(w, x, y, z, wx, wy, wz):
    """Return the rate of a quaternion at an angular velocity [rad/s] in the rotated axes: q o (0, w) / 2."""
    w, x, y, z = 0.5 * w, 0.5 * x, 0.5 * y, 0.5 * z
    return (
        -x * wx - y * wy - z * wz,
        w * wx + y * wz - z * wy,
        w * wy + z * wx - x * wz,
        w * wz + x * wy - y * wx,
    )


@inline
def angular_velocity(w, x, y, z, dw, dx, dy, dz):
    """Return the angular velocity [rad/s] in the rotated axes of a quaternion of any length with its rate [1/s]."""
    n = 2.0 / (w * w + x * x + y * y + z * z)
    return (
        n * (w * dx - x * dw - y * dz + z * dy),
        n * (w * dy - y * dw - z * dx + x * dz),
        n * (w * dz - z * dw - x * dy + y * dx),
    )


@inline
def momentum(inertia, V):
    """Return the spatial momentum (6) of an inertia (10) that moves with V (6), about the same origin."""
    m, hx, hy, hz = inertia[0], inertia[1], inertia[2], inertia[3]
    wx, wy, wz, vx, vy, vz = V[0], V[1], V[2], V[3], V[4], V[5]
    ax, ay, az = cross(hx, hy, hz, vx, vy, vz)
    lx, ly, lz = cross(hx, hy, hz, wx, wy, wz)
    return (
        inertia[4] * wx + inertia[7] * wy + inertia[8] * wz + ax,
        inertia[7] * wx + inertia[5] * wy + inertia[9] * wz + ay,
        inertia[8] * wx + inertia[9] * wy + inertia[6] * wz + az,
        m * vx - lx,
        m * vy - ly,
        m * vz - lz,
    )


@inline
def transform_inertia(R_AB, p_AB, inertia):
    """Return in A, about A's origin, an inertia (10) that is given in B about B's origin."""
    m = inertia[0]
    cx, cy, cz = rotate(R_AB, inertia[1], inertia[2], inertia[3])
    px, py, pz = p_AB[0], p_AB[1], p_AB[2]
    # -[p][c] - [c][p] - m [p][p], element by element
    dot = 2.0 * (px * cx + py * cy + pz * cz) + m * (px * px + py * py + pz * pz)
    return (
        m,
        cx + m * px,
        cy + m * py,
        cz + m * pz,
        rotated_inertia_entry(R_AB, inertia, 0, 0) + dot - 2.0 * px * cx - m * px * px,
        rotated_inertia_entry(R_AB, inertia, 1, 1) + dot - 2.0 * py * cy - m * py * py,
        rotated_inertia_entry(R_AB, inertia, 2, 2) + dot - 2.0 * pz * cz - m * pz * pz,
        rotated_inertia_entry(R_AB, inertia, 0, 1) - px * cy - py * cx - m * px * py,
        rotated_inertia_entry(R_AB, inertia, 0, 2) - px * cz - pz * cx - m * px * pz,
        rotated_inertia_entry(R_AB, inertia, 1, 2) - py * cz - pz * cy - m * py * pz,
    )


@inline
def rotated_inertia_entry(R, inertia, a, b):
    """Return element (a, b) of R I R^T, where I is the 3x3 part of an inertia (10)."""
    xx, yy, zz, xy, xz, yz = inertia[4], inertia[5], inertia[6], inertia[7], inertia[8], inertia[9]
    r, s, t = R[3 * b], R[3 * b + 1], R[3 * b + 2]
    return (
        R[3 * a] * (xx * r + xy * s + xz * t)
        + R[3 * a + 1] * (xy * r + yy * s + yz * t)
        + R[3 * a + 2] * (xz * r + yz * s + zz * t)
    )
