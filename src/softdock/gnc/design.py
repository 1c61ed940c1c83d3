"""Design of feedback gains: from bandwidth and damping, and linear-quadratic regulators for sampled control."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softdock.errors import InputError
from softdock.orbit.kernels import write_input_response, write_transition

Floats = NDArray[np.float64]
MAX_DOUBLINGS = 60  # the doubling algorithm converges quadratically; this many would cover 1e18 samples


def bandwidth_gains(bandwidth: float, damping: float) -> Floats:
    """Return the gains (3, 6) of a damped oscillator with an undamped frequency [rad/s] about or along each axis.

    Eq. (K14): acceleration = -w^2 error - 2 zeta w error rate.
    """
    return np.hstack([bandwidth * bandwidth * np.eye(3), 2.0 * damping * bandwidth * np.eye(3)])


def narrowest_band(step: float, frequency: float) -> float:
    """Return the dead band in which the limit cycle of shortest pulses has the period 2 pi over a frequency [rad/s].

    `step` is the change of the rate by a shortest pulse; Eqs. (K35), (K51).
    """
    return 0.25 * math.pi * step / frequency


def sampled_plant(mean_motion: float, period: float) -> tuple[Floats, Floats]:
    """Return transition (6, 6) and input matrix (6, 3) of Clohessy-Wiltshire motion with accelerations held constant.

    Mean motion zero is a double integrator in each direction; Eq. (K2).
    """
    transition, response = np.empty((6, 6)), np.empty((6, 3))
    write_transition(float(mean_motion), float(period), transition)
    write_input_response(float(mean_motion), float(period), response)
    return transition, response


def solve_riccati(A: ArrayLike, B: ArrayLike, Q: ArrayLike, R: ArrayLike) -> Floats:
    """Return the stabilising solution X of the discrete algebraic Riccati equation; Eq. (K16).

    X = A^T X A - A^T X B (R + B^T X B)^-1 B^T X A + Q, by the structure-preserving doubling algorithm (E. K.-W. Chu et
    al., Int. J. Control 77, 2004). Raises InputError where it does not converge: a pair (A, B) that cannot be
    stabilised.
    """
    a, b, q, r = (np.asarray(given, float) for given in (A, B, Q, R))
    identity = np.eye(len(a))
    with np.errstate(over="ignore", invalid="ignore"):  # checked below
        g, h = b @ np.linalg.solve(r, b.T), q
        for _ in range(MAX_DOUBLINGS):
            try:
                inverse = np.linalg.inv(identity + g @ h)
            except np.linalg.LinAlgError:
                break
            step = a.T @ h @ inverse @ a
            a, g, h = a @ inverse @ a, g + a @ inverse @ g @ a.T, h + 0.5 * (step + step.T)
            if not np.isfinite(h).all():
                break
            if np.abs(step).max() <= 1e-15 * np.abs(h).max():
                return np.asarray(h)
    message = (
        "The Riccati equation has no stabilising solution: an unstable state is not reached by the control."
    )
    raise InputError(message, field="A")


def regulator_gains(A: ArrayLike, B: ArrayLike, Q: ArrayLike, R: ArrayLike) -> Floats:
    """Return the gains of the discrete linear-quadratic regulator u = -K x; Eq. (K17)."""
    a, b = np.asarray(A, float), np.asarray(B, float)
    X = solve_riccati(a, b, Q, R)
    return np.asarray(np.linalg.solve(np.asarray(R, float) + b.T @ X @ b, b.T @ X @ a))


def spectral_radius(A: ArrayLike, B: ArrayLike, gains: ArrayLike) -> float:
    """Return the largest size of an eigenvalue of A - B K; a sampled loop is stable if it is below one."""
    closed = np.asarray(A, float) - np.asarray(B, float) @ np.asarray(gains, float)
    return float(np.abs(np.linalg.eigvals(closed)).max())


def pulse_radius(mean_motion: float, period: float, delay: float, gains: ArrayLike) -> float:
    """Return the largest eigenvalue of a loop with short pulses, which come a `delay` [s] after the sample.

    The impulse of a pulse is that of the commanded acceleration over the period; Eq. (K42).
    """
    A, _ = sampled_plant(mean_motion, period)
    coast, _ = sampled_plant(mean_motion, period - delay)
    return spectral_radius(A, period * coast[:, 3:], gains)


def delayed_radius(mean_motion: float, period: float, delay: float, gains: ArrayLike) -> float:
    """Return the largest eigenvalue of a loop with constant commands, which act from a `delay` [s] after the sample on.

    The last command, which acts until then, is part of the state; Eq. (K43).
    """
    A, _ = sampled_plant(mean_motion, period)
    (coast, new), (_, old) = (sampled_plant(mean_motion, t) for t in (period - delay, delay))
    K = np.asarray(gains, float)
    closed = np.block([[A - new @ K, coast @ old], [-K, np.zeros((3, 3))]])
    return float(np.abs(np.linalg.eigvals(closed)).max())
