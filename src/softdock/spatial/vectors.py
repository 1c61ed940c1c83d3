"""Spatial vectors with NumPy: motions (angular velocity, velocity) and wrenches (torque, force), angular part first."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softdock.spatial.poses import Pose
from softdock.spatial.rotations import cross, skew

Floats = NDArray[np.float64]
SAFE_SIZES = 1e-150, 1e150
"""Sizes whose squares neither underflow nor overflow."""


def unit_vector(given: ArrayLike) -> Floats:
    """Return the direction of a finite vector other than zero, however short or long it is, shape (n,)."""
    vector = np.asarray(given, float)
    largest = np.abs(vector).max()
    if not SAFE_SIZES[0] < largest < SAFE_SIZES[1]:
        vector = vector / largest
    return np.asarray(vector / np.linalg.norm(vector))


def point_velocity(V: Floats, p: Floats) -> Floats:
    """Return the velocity [m/s], shape (3,), of the point p [m] of a body that moves with V about the origin."""
    return np.asarray(V[3:] + cross(V[:3], p))


def motion_through(p: Floats, velocity: Floats, angular_velocity: Floats) -> Floats:
    """Return the motion about the origin, shape (6,), of a body whose point p [m] has a velocity [m/s]."""
    return np.concatenate([angular_velocity, velocity - cross(angular_velocity, p)])


def wrench_of_force(p: Floats, force: Floats) -> Floats:
    """Return the wrench about the origin, shape (6,), of a force [N] at the point p [m]."""
    return np.concatenate([cross(p, force), force])


def motion_shift(arm: Floats) -> Floats:
    """Return the 6x6 matrix from the motion of a body about a point to that about one `arm` [m] away; Eq. (F7)."""
    X = np.eye(6)
    X[3:, :3] = -skew(arm)
    return X  # Eq. (F7)


def inverse_motion_transform(X_AB: Pose) -> Floats:
    """Return the 6x6 matrix from motions about A's origin in A to motions about B's origin in B.

    The arrays of the pose may be stacked, shapes (..., 3, 3) and (..., 3).
    """
    R_BA = X_AB.R.swapaxes(-1, -2)
    X = np.zeros((*R_BA.shape[:-2], 6, 6))
    X[..., :3, :3] = X[..., 3:, 3:] = R_BA
    X[..., 3:, :3] = -R_BA @ skew(X_AB.p)
    return X
