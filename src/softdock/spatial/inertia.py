"""Inertias of rigid bodies with NumPy, as ten numbers and as 6x6 matrices.

The ten numbers are mass, mass times centre of mass (x, y, z) and the inertia about the origin (xx, yy, zz, xy, xz, yz;
products of inertia are elements of the matrix). The 6x6 matrix has its angular part first.
"""

import numpy as np
from numpy.typing import NDArray

from softdock.spatial import kernels
from softdock.spatial.poses import Pose
from softdock.spatial.rotations import cross, skew
from softdock.spatial.vectors import motion_shift

Floats = NDArray[np.float64]
_EYE = np.eye(3)
_ENTRIES = np.array([[0, 3, 4], [3, 1, 5], [4, 5, 2]])
"""Numbers of the entries of a symmetric matrix among its six."""


def symmetric_entries(J: Floats) -> Floats:
    """Return xx, yy, zz, xy, xz, yz of a symmetric matrix (3, 3)."""
    return np.array([J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]])


def symmetric_matrix(entries: Floats) -> Floats:
    """Return the symmetric matrices (..., 3, 3) with the entries xx, yy, zz, xy, xz, yz (..., 6)."""
    return entries[..., _ENTRIES]


def inertia_from_second_moments(S: Floats) -> Floats:
    """Return the inertia (3, 3) of the second moments of the mass, the integral of r r^T dm [kg m2]."""
    return np.asarray(np.trace(S) * np.eye(3) - S)


def rigid_inertia(mass: float, centre: Floats, J: Floats) -> Floats:
    """Return the inertia (10,) about the origin: mass [kg], centre of mass [m], inertia J about it (3, 3) [kg m2]."""
    about_origin = J + mass * (centre @ centre * _EYE - centre[:, None] * centre)
    return np.concatenate([[mass], mass * centre, symmetric_entries(about_origin)])


def rigid_inertia_matrix(mass: float, centre: Floats, J: Floats) -> Floats:
    """Return the same as a 6x6 matrix; Eq. (F10)."""
    own = np.zeros((6, 6))
    own[:3, :3] = J
    own[3:, 3:] = mass * np.eye(3)
    X = motion_shift(np.asarray(centre, float))
    return np.asarray(X.T @ own @ X)  # Eq. (F10)


def inertia_matrix(inertia: Floats) -> Floats:
    """Return the 6x6 matrices (..., 6, 6) of inertias (..., 10)."""
    M = np.empty((*inertia.shape[:-1], 6, 6))
    h = skew(inertia[..., 1:4])
    M[..., :3, :3], M[..., :3, 3:], M[..., 3:, :3] = symmetric_matrix(inertia[..., 4:]), h, h.swapaxes(-1, -2)
    M[..., 3:, 3:] = inertia[..., 0, None, None] * np.eye(3)
    return M


def inertia_numbers(M: Floats) -> Floats:
    """Return the inertia (10,) of a 6x6 matrix."""
    return np.concatenate([[M[3, 3]], [M[2, 4], M[0, 5], M[1, 3]], symmetric_entries(M[:3, :3])])


def momentum(inertia: Floats, V: Floats) -> Floats:
    """Return the spatial momentum, shape (6,), of an inertia (10,) that moves with V (6,), about the same origin."""
    m, h, w, v = inertia[0], inertia[1:4], V[:3], V[3:]
    return np.concatenate([symmetric_matrix(inertia[4:]) @ w + cross(h, v), m * v - cross(h, w)])


def transform_inertia(X_AB: Pose, inertia: Floats) -> Floats:
    """Return in A, about A's origin, an inertia (10,) that is given in B about B's origin."""
    return np.array(kernels.transform_inertia(X_AB.R.ravel().tolist(), X_AB.p.tolist(), inertia.tolist()))
