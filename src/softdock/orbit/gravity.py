"""Gravity of the Earth: acceleration, differential acceleration, gravity gradient and its torque on a body."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softdock.orbit.earth import J2, MU, RADIUS

Floats = NDArray[np.float64]


def gravity(position: ArrayLike, *, j2: bool = False) -> Floats:
    """Return the acceleration [m/s2] at a position from the Earth's centre [m], z towards the pole; Eqs. (O1), (O2)."""
    p = np.asarray(position, float)
    r = np.linalg.norm(p)
    a = -MU / r**3 * p  # Eq. (O1)
    if j2:
        factor = -1.5 * J2 * MU * RADIUS**2 / r**5
        a = a + factor * ((1.0 - 5.0 * (p[2] / r) ** 2) * p + 2.0 * p[2] * _AXIS)  # Eq. (O2)
    return np.asarray(a)


_AXIS = np.array([0.0, 0.0, 1.0])


def differential_gravity(position: ArrayLike, offset: ArrayLike, *, j2: bool = False) -> Floats:
    """Return gravity at `position + offset` minus gravity at `position` [m/s2], exactly and without cancellation.

    The difference is computed without the two accelerations and keeps full precision for any offset [m];
    Eqs. (O3)-(O5).
    """
    p, d = np.asarray(position, float), np.asarray(offset, float)
    r2 = p @ p
    r = np.sqrt(r2)
    growth = np.log1p(d @ (d + 2.0 * p) / r2)  # Eq. (O3)
    change = np.expm1(-1.5 * growth)
    a = -MU / r**3 * (d + change * (p + d))  # Eq. (O4)
    if not j2:
        return np.asarray(a)
    z, dz = p[2], d[2]
    change5, change7 = np.expm1(-2.5 * growth), np.expm1(-3.5 * growth)  # of r^-5 and r^-7, relative
    near = (d + 2.0 * dz * _AXIS) + change5 * (p + d + 2.0 * (z + dz) * _AXIS)
    square = dz * (2.0 * z + dz)  # change of z^2
    far = (z**2 * d + square * (p + d) + change7 * (z + dz) ** 2 * (p + d)) / r2
    return np.asarray(a - 1.5 * J2 * MU * RADIUS**2 / r**5 * (near - 5.0 * far))  # Eq. (O5)


def gravity_gradient_torque(position: ArrayLike, inertia: ArrayLike) -> Floats:
    """Return the gravity-gradient torque [N m] about a body's centre of mass; Eq. (O6).

    Position from the Earth's centre [m] and inertia about the centre of mass 3x3 [kg m2], both in body axes.
    """
    p = np.asarray(position, float)
    r = np.linalg.norm(p)
    up = p / r
    return np.asarray(3.0 * MU / r**3 * np.cross(up, np.asarray(inertia, float) @ up))  # Eq. (O6)


def gravity_gradient(position: ArrayLike) -> Floats:
    """Return the gravity gradient d(acceleration)/d(position), 3x3 [1/s2]; Eq. (O7)."""
    p = np.asarray(position, float)
    r = np.linalg.norm(p)
    up = p / r
    return np.asarray(MU / r**3 * (3.0 * np.outer(up, up) - np.eye(3)))  # Eq. (O7)
