"""Kernel of the station paper's equations of motion: fourth-order Runge-Kutta with a fixed step."""

import math
from typing import NamedTuple

import numpy as np

from softdock.native.decorators import inline, kernel

HEAD = 15
"""Entries of the state before the modal coordinates: position, velocity, quaternion, rate, dissipated energy, work."""


class PublishedModel(NamedTuple):
    """Constants of a free structure with its modes."""

    inertia: np.ndarray
    """About the centre of mass, 3x3 [kg m2]."""
    inverse: np.ndarray
    """Its inverse, 3x3."""
    omega: np.ndarray
    """Angular frequencies (modes,) [rad/s]."""
    moment: np.ndarray
    """First moments of the modes (modes, 3, 3)."""


@inline
def gravity_gradient(y, mu):
    """Return the unit vector to the structure in its own axes and mu/R^3 [1/s2]."""
    w, x, z, u = y[6], y[7], y[8], y[9]
    radius = math.sqrt(y[0] * y[0] + y[1] * y[1] + y[2] * y[2])
    a, b, c = y[0] / radius, y[1] / radius, y[2] / radius
    # R_NS^T times the direction
    r0 = (1.0 - 2.0 * (z * z + u * u)) * a + 2.0 * (x * z + w * u) * b + 2.0 * (x * u - w * z) * c
    r1 = 2.0 * (x * z - w * u) * a + (1.0 - 2.0 * (x * x + u * u)) * b + 2.0 * (z * u + w * x) * c
    r2 = 2.0 * (x * u + w * z) * a + 2.0 * (z * u - w * x) * b + (1.0 - 2.0 * (x * x + z * z)) * c
    return r0, r1, r2, mu / (radius * radius * radius)


@kernel
def published_slope(model, y, damping, mu, slope):
    """Write the time derivative of the state; Eqs. (F85)-(F87)."""
    n = len(model.omega)
    r0, r1, r2, g = 0.0, 0.0, 1.0, 0.0
    if mu > 0.0:
        r0, r1, r2, g = gravity_gradient(y, mu)
    for i in range(3):
        slope[i] = y[3 + i]
        slope[3 + i] = -g * y[i]  # Eq. (F85)
    w, x, z, u = y[6], y[7], y[8], y[9]
    p, q, r = y[10], y[11], y[12]
    slope[6] = 0.5 * (-x * p - z * q - u * r)
    slope[7] = 0.5 * (w * p + z * r - u * q)
    slope[8] = 0.5 * (w * q + u * p - x * r)
    slope[9] = 0.5 * (w * r + x * q - z * p)
    J = model.inertia
    h0 = J[0, 0] * r0 + J[0, 1] * r1 + J[0, 2] * r2
    h1 = J[1, 0] * r0 + J[1, 1] * r1 + J[1, 2] * r2
    h2 = J[2, 0] * r0 + J[2, 1] * r1 + J[2, 2] * r2
    t0, t1, t2 = 3.0 * g * (r1 * h2 - r2 * h1), 3.0 * g * (r2 * h0 - r0 * h2), 3.0 * g * (r0 * h1 - r1 * h0)
    for i in range(3):  # Eq. (F86)
        slope[10 + i] = model.inverse[i, 0] * t0 + model.inverse[i, 1] * t1 + model.inverse[i, 2] * t2
    dissipated, work = 0.0, 0.0
    for k in range(n):
        D = model.moment[k]
        along = (
            r0 * (D[0, 0] * r0 + D[0, 1] * r1 + D[0, 2] * r2)
            + r1 * (D[1, 0] * r0 + D[1, 1] * r1 + D[1, 2] * r2)
            + r2 * (D[2, 0] * r0 + D[2, 1] * r1 + D[2, 2] * r2)
        )
        position, rate, omega = y[HEAD + k], y[HEAD + n + k], model.omega[k]
        load = g * (3.0 * along - D[0, 0] - D[1, 1] - D[2, 2] - position)
        damped = 2.0 * damping * omega * rate
        slope[HEAD + k] = rate
        slope[HEAD + n + k] = load - damped - omega * omega * position  # Eq. (F87)
        dissipated += damped * rate
        work += load * rate
    slope[13], slope[14] = dissipated, work


@kernel
def propagate(model, y, work, times, recorded, rows, damping, mu):
    """Propagate the state over the times and write the rows of the recorded ones; Eq. (F89).

    `work` has four slopes and one state, `recorded` ascending indices of times.
    """
    size = len(y)
    row = 0
    if recorded[0] == 0:
        for i in range(size):
            rows[0, i] = y[i]
        row = 1
    for k in range(1, len(times)):
        h = times[k] - times[k - 1]
        published_slope(model, y, damping, mu, work[0])
        for stage in range(1, 4):
            part = h if stage == 3 else 0.5 * h
            for i in range(size):
                work[4, i] = y[i] + part * work[stage - 1, i]
            published_slope(model, work[4], damping, mu, work[stage])
        for i in range(size):  # Eq. (F89)
            y[i] += h / 6.0 * (work[0, i] + 2.0 * work[1, i] + 2.0 * work[2, i] + work[3, i])
        norm = math.sqrt(y[6] * y[6] + y[7] * y[7] + y[8] * y[8] + y[9] * y[9])
        for i in range(6, 10):
            y[i] /= norm
        if row < len(recorded) and recorded[row] == k:
            for i in range(size):
                rows[row, i] = y[i]
            row += 1
