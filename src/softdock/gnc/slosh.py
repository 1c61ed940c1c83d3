"""Closed forms of propellant slosh: pendulum of a cylindrical tank, spring and damper of a sloshing mass."""

import math
from typing import NamedTuple

from softdock.errors import InputError

FIRST_ROOT = 1.8411837813406593
"""First root of the derivative of the Bessel function J1."""


class SloshPendulum(NamedTuple):
    """Pendulum that replaces the first lateral mode of the liquid in a tank."""

    mass: float
    """Mass that swings [kg]; the rest of the liquid moves with the tank."""
    length: float
    """[m]"""


class SloshSpring(NamedTuple):
    """Spring and damper of a sloshing mass on a prismatic joint."""

    stiffness: float
    """[N/m]"""
    damping: float
    """[N s/m]"""


def slosh_pendulum(radius: float, height: float, mass: float) -> SloshPendulum:
    """Return the pendulum of an upright cylindrical tank: radius, height of liquid [m], its mass [kg]; Eq. (K39)."""
    for field, value in (("radius", radius), ("height", height), ("mass", mass)):
        _check_positive(field, value)
    wave = math.tanh(FIRST_ROOT * height / radius)
    share = 2.0 * radius * wave / (FIRST_ROOT * (FIRST_ROOT**2 - 1.0) * height)
    return SloshPendulum(mass=share * mass, length=radius / (FIRST_ROOT * wave))


def slosh_spring(mass: float, frequency: float, damping_ratio: float) -> SloshSpring:
    """Return spring and damper of a mass [kg] with a frequency [Hz] and damping ratio in a fixed tank; Eq. (K38)."""
    _check_positive("mass", mass)
    _check_positive("frequency", frequency)
    rate = 2.0 * math.pi * frequency
    return SloshSpring(stiffness=mass * rate**2, damping=2.0 * damping_ratio * mass * rate)


def _check_positive(field: str, value: float) -> None:
    if not (math.isfinite(value) and value > 0.0):
        raise InputError("must be above 0.", field=field, given=f"{value:g}")
