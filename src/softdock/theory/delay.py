"""Restitution of a contact with a delayed force, as in hardware-in-the-loop tests."""

import math

import numpy as np
from scipy.optimize import brentq

from softdock.theory.inputs import check_range
from softdock.theory.restitution import Release, kelvin_voigt_restitution

_SMALLEST_TERM = 1e-18
"""Terms below this value do not change a sum of order one."""
_SCAN = 0.05
"""Step in omega t of the search for the end of contact, at about pi."""
_LONGEST_DELAY = 1.0
"""Largest omega tau; beyond it the mass rebounds with several times its speed."""


def delayed_restitution(
    *, mass: float, stiffness: float, damping_ratio: float = 0.0, delay: float = 0.0
) -> float:
    """Return the restitution e [1] of a mass [kg] on a spring [N/m] and damper whose force is delayed [s].

    The contact ends at zero penetration; the rebound speed is taken after the delayed force has ended.
    """
    m = float(check_range("mass", mass, above=0.0))
    k = float(check_range("stiffness", stiffness, above=0.0))
    zeta = float(check_range("damping_ratio", damping_ratio, at_least=0.0, at_most=0.9))
    tau = float(check_range("delay", delay, at_least=0.0))
    if tau == 0.0:
        return float(kelvin_voigt_restitution(zeta, Release.ZERO_PENETRATION))
    late = float(check_range("delay times natural frequency", tau * math.sqrt(k / m), at_most=_LONGEST_DELAY))
    end = _SCAN
    while _position(end, late, zeta) > 0.0:
        end += _SCAN
    back = brentq(_position, end - _SCAN, end, args=(late, zeta), xtol=1e-14)
    return -_speed(back + late, late, zeta)  # Eq. (D5)


def _position(t: float, late: float, zeta: float) -> float:
    return _series(t, late, zeta, 1)


def _speed(t: float, late: float, zeta: float) -> float:
    return _series(t, late, zeta, 0)


def _series(t: float, late: float, zeta: float, power: int) -> float:
    """Return Eq. (D3) in units of omega t for power 1, its derivative Eq. (D4) for power 0."""
    total, k = 0.0, 0
    while (u := t - k * late) >= 0.0:
        j = np.arange(k + 1)
        exponent = 2 * k + power - j
        logs = [
            math.lgamma(k + 1) - math.lgamma(i + 1) - math.lgamma(k - i + 1) - math.lgamma(n + 1)
            for i, n in zip(j, exponent)
        ]
        terms = np.exp(logs) * (2.0 * zeta) ** j * np.power(u, exponent)
        total += (-1) ** k * float(terms.sum())
        if k > 2 and terms.sum() < _SMALLEST_TERM:
            break
        k += 1
    return total
