"""Librations of a rigid body on a circular orbit under the gravity gradient.

Hill axes: x along the velocity, y opposite to the orbital angular momentum, z to the Earth. Moments of inertia
(Ixx, Iyy, Izz) in body axes near the Hill axes [kg m2]; mean motion n [rad/s].
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ellipk

from softdock.errors import InputError
from softdock.theory.inputs import check_range


def pitch_period(mean_motion: float, inertia: ArrayLike, amplitude: float = 0.0) -> float:
    """Return the period [s] of a pitch libration of an amplitude [rad] below a quarter turn; Eqs. (O17), (O18)."""
    n = float(check_range("mean_motion", mean_motion, above=0.0))
    x, y, z = check_range("inertia", inertia, above=0.0)
    theta = float(check_range("amplitude", amplitude, at_least=0.0, at_most=math.pi / 2))
    if not x > z:
        raise InputError(
            "must have Ixx above Izz; otherwise pitch has no restoring torque.",
            field="inertia",
            given=str(inertia),
        )
    small = 2.0 * math.pi / (n * math.sqrt(3.0 * (x - z) / y))  # Eq. (O17)
    return float(small * 2.0 / math.pi * ellipk(math.sin(theta) ** 2))  # Eq. (O18)


def equilibrium_pitch(inertia_xx: float, inertia_zz: float, product_xz: float) -> float:
    """Return the equilibrium pitch angle [rad] for a product of inertia (integral of x z dm) [kg m2]; Eq. (O19).

    Positive rotation is about y, from z to x.
    """
    return 0.5 * math.atan2(-2.0 * product_xz, inertia_xx - inertia_zz)  # Eq. (O19)


class RollYaw(NamedTuple):
    """Modes of small coupled roll and yaw."""

    roots: tuple[complex, complex, complex, complex]
    """Roots of the characteristic polynomial [rad/s]."""
    growth: float
    """Largest real part [1/s]; zero for a stable body."""


def roll_yaw(mean_motion: float, inertia: ArrayLike) -> RollYaw:
    """Return the modes of small roll and yaw; Eq. (O20)."""
    n = float(check_range("mean_motion", mean_motion, above=0.0))
    x, y, z = check_range("inertia", inertia, above=0.0)
    roll, yaw = (y - z) / x, (y - x) / z
    squares = np.roots([1.0, 1.0 + 3.0 * roll + roll * yaw, 4.0 * roll * yaw]).astype(complex)  # Eq. (O20)
    half = n * np.sqrt(squares)
    roots = (complex(half[0]), complex(half[1]), complex(-half[0]), complex(-half[1]))
    growth = max(root.real for root in roots)
    return RollYaw(roots=roots, growth=growth if growth > 1e-9 * n else 0.0)
