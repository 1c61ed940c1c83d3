"""Closed-form motions of rigid bodies and springs.

Torque-free bodies, the compound pendulum, oscillators and springs with increasing stiffness. Times [s], angles [rad];
vectors in principal body axes along the last dimension.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import ellipj, ellipk, ellipkinc

from softdock.errors import InputError
from softdock.theory.inputs import Array, Number, as_number, check_range


class _Polhode(NamedTuple):
    """Constants of a torque-free motion; axes sorted so that the angular momentum circles the last one."""

    order: NDArray[np.int64]
    rate: Array
    """Angular velocity at time zero in the sorted axes [rad/s]."""
    amplitude: Array
    """Amplitudes of cn, sn and dn [rad/s]."""
    parameter: float
    frequency: float
    """[rad/s]"""


def _polhode(inertia: ArrayLike, rate: ArrayLike) -> _Polhode:
    moments = check_range("inertia", inertia, above=0.0)
    order = np.argsort(moments)
    J, w = moments[order], np.asarray(check_range("rate", rate), float)[order]
    if not J[0] < J[1] < J[2]:
        raise InputError("must be three different moments.", field="inertia", given=repr(inertia))
    energy2, momentum2 = float(J @ w**2), float((J * w) @ (J * w))
    if momentum2 < energy2 * J[1]:  # the angular momentum circles the axis of the smallest moment
        J, w, order = J[::-1], w[::-1], order[::-1]
    span, rest = abs(momentum2 - energy2 * J[0]), abs(energy2 * J[2] - momentum2)
    wide, upper, lower = abs(J[2] - J[0]), abs(J[2] - J[1]), abs(J[1] - J[0])
    A = np.sqrt([rest / (J[0] * wide), rest / (J[1] * upper), span / (J[2] * wide)])  # Eq. (B3)
    A[2] = math.copysign(A[2], w[2])
    # The second rate changes sign if the sorted axes are left-handed or the moments decrease.
    hand = float(np.linalg.det(np.eye(3)[order]))
    A[1] = math.copysign(A[1], A[2] * hand * (J[2] - J[1]))
    return _Polhode(
        order=order,
        rate=w,
        amplitude=A,
        parameter=lower * rest / (upper * span),  # Eq. (B4)
        frequency=math.sqrt(upper * span / J.prod()),  # Eq. (B4)
    )


def torque_free_rate(time: ArrayLike, inertia: ArrayLike, rate: ArrayLike) -> Array:
    """Return the angular velocity of a torque-free body in its principal axes [rad/s], shape (..., 3).

    Three principal moments of inertia [kg m2], all different, and the rate at time zero [rad/s].
    """
    t, p = check_range("time", time), _polhode(inertia, rate)
    A, w = p.amplitude, p.rate
    start = float(ellipkinc(math.atan2(w[1] / A[1], w[0] / A[0]), p.parameter)) if A[1] != 0.0 else 0.0
    sn, cn, dn, _ = ellipj(p.frequency * t + start, p.parameter)
    out = np.empty((*t.shape, 3))
    out[..., p.order] = np.stack([A[0] * cn, A[1] * sn, A[2] * dn], axis=-1)  # Eq. (B2)
    return out


def tumble_period(inertia: ArrayLike, rate: ArrayLike) -> float:
    """Return the period of the angular velocity of a torque-free body in its own axes [s]."""
    p = _polhode(inertia, rate)
    return float(4.0 * ellipk(p.parameter) / p.frequency)  # Eq. (B5)


def symmetric_top_attitude(time: float, axial: float, transverse: float, rate: ArrayLike) -> Array:
    """Return R_NB of a torque-free body of revolution about z with R_NB = 1 at time zero, shape (3, 3).

    Moments of inertia about and across the axis of symmetry [kg m2], and the rate at time zero [rad/s].
    """
    w = np.asarray(check_range("rate", rate), float)
    C = float(check_range("axial", axial, above=0.0))
    A = float(check_range("transverse", transverse, above=0.0))
    momentum = np.array([A * w[0], A * w[1], C * w[2]])
    nutation = np.array([0.0, 0.0, (A - C) / A * w[2]])
    turn: Array = rotation(momentum / A * time) @ rotation(nutation * time)  # Eq. (B6)
    return turn


def rotation(vector: ArrayLike) -> Array:
    """Return the rotation matrix of a rotation vector [rad], by Rodrigues' formula."""
    v = np.asarray(vector, float)
    angle = float(np.linalg.norm(v))
    K = np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])
    half = np.sinc(angle / (2.0 * np.pi))
    out: Array = np.eye(3) + np.sinc(angle / np.pi) * K + 0.5 * half**2 * (K @ K)
    return out


def pendulum_frequency(mass: float, distance: float, inertia: float, gravity: float) -> float:
    """Return the angular frequency of a compound pendulum for small amplitudes [rad/s].

    Distance from pivot to centre of mass [m], moment of inertia about the centre of mass [kg m2].
    """
    return math.sqrt(mass * gravity * distance / (inertia + mass * distance**2))  # Eq. (B7)


def pendulum_period(frequency: ArrayLike, amplitude: ArrayLike) -> Number:
    """Return the period [s] of a pendulum with an amplitude below pi [rad]."""
    k2 = np.sin(0.5 * check_range("amplitude", amplitude, above=0.0, at_most=math.pi)) ** 2
    return as_number(4.0 * ellipk(k2) / check_range("frequency", frequency, above=0.0))  # Eq. (B8)


def pendulum_angle(time: ArrayLike, frequency: float, amplitude: float) -> Number:
    """Return the angle of a pendulum released from rest at its amplitude [rad]."""
    k = math.sin(0.5 * amplitude)
    sn, _, _, _ = ellipj(ellipk(k * k) - frequency * check_range("time", time), k * k)
    return as_number(2.0 * np.arcsin(k * sn))  # Eq. (B9)


def oscillator(
    time: ArrayLike, frequency: float, damping_ratio: float, position: float, speed: float
) -> tuple[Number, Number]:
    """Return position and speed of a mass on a spring and damper, of any damping ratio.

    Angular frequency without damping [rad/s]; position and speed at time zero.
    """
    t = check_range("time", time)
    w, zeta = frequency, damping_ratio
    root = np.sqrt(complex(zeta**2 - 1.0))
    z = root * w * t
    # sinh(z) / root, also where the root is zero: critical damping
    sine = np.where(np.abs(z) < 1e-8, w * t * (1.0 + z * z / 6.0), np.sinh(z) / (root or 1.0))
    decay = np.exp(-zeta * w * t)
    x = decay * (position * np.cosh(z) + (speed / w + zeta * position) * sine)  # Eq. (B10)
    v = decay * (speed * np.cosh(z) - (zeta * speed + w * position) * sine)  # Eq. (B10)
    return as_number(x.real), as_number(v.real)


def two_bodies(
    time: ArrayLike,
    masses: tuple[float, float],
    stiffness: float,
    stretch: float,
    speeds: tuple[float, float],
) -> tuple[Number, Number]:
    """Return the displacements of two bodies on one line that are joined by a spring [m].

    Masses [kg], stiffness [N/m], stretch at time zero [m], speeds at time zero [m/s].
    """
    m1, m2 = masses
    t = check_range("time", time)
    w = math.sqrt(stiffness * (1.0 / m1 + 1.0 / m2))
    centre = (m1 * speeds[0] + m2 * speeds[1]) / (m1 + m2) * t
    opening, _ = oscillator(t, w, 0.0, stretch, speeds[1] - speeds[0])
    opened = np.asarray(opening) - stretch
    return as_number(centre - m2 / (m1 + m2) * opened), as_number(
        centre + m1 / (m1 + m2) * opened
    )  # Eq. (B11)


def exponential_spring_force(
    deflection: ArrayLike, stiffness: float, reference: float, exponent: float
) -> Number:
    """Return the force of a spring with increasing stiffness [N or N m]."""
    s = check_range("deflection", deflection)
    return as_number(stiffness * s * (1.0 + (np.abs(s) / reference) ** exponent))  # Eq. (B12)


def exponential_spring_energy(
    deflection: ArrayLike, stiffness: float, reference: float, exponent: float
) -> Number:
    """Return the energy of a spring with increasing stiffness [J]."""
    s = check_range("deflection", deflection)
    grown = (np.abs(s) / reference) ** exponent / (exponent + 2.0)
    return as_number(stiffness * s**2 * (0.5 + grown))  # Eq. (B13)


def exponential_spring_stroke(
    mass: float, speed: float, stiffness: float, reference: float, exponent: float
) -> tuple[float, float]:
    """Return the stroke [m] in which the spring stops a moving mass, and the time [s]."""
    energy = 0.5 * mass * speed**2
    law = (stiffness, reference, exponent)

    def missing(s: float) -> float:
        return float(exponential_spring_energy(s, *law)) - energy

    stroke = float(brentq(missing, 0.0, abs(speed) * math.sqrt(mass / stiffness), xtol=1e-300, rtol=1e-15))

    def slowness(angle: float) -> float:
        """Return the time per angle [s/rad] at a deflection of stroke * sin(angle), without cancellation."""
        n, c2 = exponent + 2.0, max(math.cos(angle) ** 2, 1e-30)
        grown = -math.expm1(0.5 * n * math.log1p(-c2)) / c2 if c2 < 1.0 else 1.0
        left = stiffness * stroke**2 * (0.5 + (stroke / reference) ** exponent / n * grown)
        return stroke / math.sqrt(2.0 * left / mass)

    duration, _ = quad(slowness, 0.0, 0.5 * math.pi, epsabs=0.0, epsrel=1e-12)  # Eq. (B14)
    return stroke, float(duration)
