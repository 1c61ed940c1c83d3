"""Vectors and rotations with NumPy: matrices (3, 3), unit quaternions wxyz and rotation vectors (axis times angle)."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from softdock.spatial import kernels

Floats = NDArray[np.float64]


def cross(a: Sequence[float] | Floats, b: Sequence[float] | Floats) -> Floats:
    """Return the cross product of two vectors, shape (3,); `np.cross` takes ten times as long."""
    # Python floats are several times as fast as NumPy scalars.
    x, y = (v.tolist() if isinstance(v, np.ndarray) else v for v in (a, b))
    return np.array(kernels.cross(*x, *y))


def skew(v: Sequence[float] | Floats) -> Floats:
    """Return the skew-symmetric matrices [v]x, shape (..., 3, 3), of vectors (..., 3): [v]x w = v x w."""
    half = np.zeros((*np.shape(v), 3))
    half[..., [2, 0, 1], [1, 2, 0]] = v
    return np.asarray(half - half.swapaxes(-1, -2))


def quaternion_product(p: Floats, q: Floats) -> Floats:
    """Return the product of two quaternions: the rotation q followed by p."""
    return np.array(kernels.quaternion_product(*p, *q))


def matrix_from_quaternion(q: Floats) -> Floats:
    """Return the rotation matrix of a quaternion of any length but zero; of many, shape (4, n), as shape (3, 3, n)."""
    w, x, y, z = q.tolist() if q.ndim == 1 else q  # Python floats are several times as fast as NumPy scalars
    return np.array(kernels.matrix_from_quaternion(w, x, y, z)).reshape(3, 3, *q.shape[1:])


def quaternion_from_matrix(R: Floats) -> Floats:
    """Return the unit quaternion of a rotation matrix; its largest component is not negative."""
    return np.array(kernels.quaternion_from_matrix(R.ravel().tolist()))


def nearest_quaternion(R: Floats) -> Floats:
    """Return the unit quaternion, w at least 0, of the rotation nearest to a matrix that is one up to small errors.

    It is the eigenvector of a symmetric matrix (I. Y. Bar-Itzhack, 2000).
    """
    K = np.array(
        [
            [R[0, 0] + R[1, 1] + R[2, 2], R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]],
            [0.0, R[0, 0] - R[1, 1] - R[2, 2], R[0, 1] + R[1, 0], R[0, 2] + R[2, 0]],
            [0.0, 0.0, R[1, 1] - R[0, 0] - R[2, 2], R[1, 2] + R[2, 1]],
            [0.0, 0.0, 0.0, R[2, 2] - R[0, 0] - R[1, 1]],
        ]
    )
    q = np.asarray(np.linalg.eigh(K, UPLO="U")[1][:, -1], float)
    return q if q[0] >= 0.0 else -q


def quaternion_from_axis_angle(axis: Floats, angle: float) -> Floats:
    """Return the quaternion of a rotation by an angle [rad] about a unit vector."""
    return np.concatenate([[math.cos(angle / 2)], math.sin(angle / 2) * axis])


def quaternion_from_rotation_vector(vector: Floats) -> Floats:
    """Return the quaternion of a rotation vector [rad]."""
    angle = math.sqrt(vector.dot(vector))
    return quaternion_from_axis_angle(vector / angle if angle > 0.0 else vector, angle)


def quaternion_from_roll_pitch_yaw(roll: float, pitch: float, yaw: float) -> Floats:
    """Return the quaternion of rotations about the fixed axes x, then y, then z [rad]."""
    x, y, z = (quaternion_from_axis_angle(axis, angle) for axis, angle in zip(np.eye(3), (roll, pitch, yaw)))
    return quaternion_product(z, quaternion_product(y, x))


def matrix_from_rotation_vector(vector: Floats) -> Floats:
    """Return the rotation matrix of a rotation vector [rad], by Rodrigues' formula."""
    angle = math.sqrt(vector.dot(vector))
    if angle == 0.0:
        return np.eye(3)
    K = skew(vector / angle)
    return np.asarray(np.eye(3) + math.sin(angle) * K + (1.0 - math.cos(angle)) * K @ K)


def rotation_vector_from_matrix(R: Floats) -> Floats:
    """Return the rotation vector [rad], at most half a turn, of the rotation nearest to a matrix."""
    return np.array(kernels.rotation_vector_from_quaternion(*nearest_quaternion(R).tolist()))


def matrix_about_x(angle: float) -> Floats:
    """Return the rotation matrix of an angle [rad] about the x axis."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])


def matrix_about_z(angle: float) -> Floats:
    """Return the rotation matrix of an angle [rad] about the z axis."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def matrix_from_z_to(axis: Floats) -> Floats:
    """Return the smallest rotation that takes the z axis to a unit vector; half a turn about x where it is -z."""
    x, y, z = axis
    if z < -1 + 1e-12:
        return np.diag([1.0, -1.0, -1.0])
    a = 1.0 / (1.0 + z)
    return np.array([[1 - x * x * a, -x * y * a, x], [-x * y * a, 1 - y * y * a, y], [-x, -y, z]])


def quaternions_from_z_to(axes: Floats) -> Floats:
    """Return the quaternions, shape (n, 4), of the smallest rotations that take the z axis to unit vectors (n, 3)."""
    x, y, z = axes.T
    q = np.stack([1.0 + z, -y, x, np.zeros_like(x)], axis=1)
    q[q[:, 0] < 1e-12] = [0.0, 1.0, 0.0, 0.0]
    return np.asarray(q / np.linalg.norm(q, axis=1)[:, None])
