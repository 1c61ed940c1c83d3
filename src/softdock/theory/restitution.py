"""Coefficient of restitution of a linear spring and damper between two free masses."""

from enum import Enum

import numpy as np
from numpy.typing import ArrayLike

from softdock.theory.inputs import Number, as_number, checked


class Release(Enum):
    """When a Kelvin-Voigt contact lets go."""

    ZERO_FORCE = "The contact ends where its force falls to zero: it cannot pull. The simulator does this."
    ZERO_PENETRATION = "The contact ends where the penetration falls to zero; the damper pulls just before."


def damping_ratio(stiffness: ArrayLike, damping: ArrayLike, effective_mass: ArrayLike) -> Number:
    """Return the damping ratio of a contact [1].

    Stiffness [N/m], damping [N s/m], effective mass of the two touching bodies [kg].
    """
    k = checked("stiffness", stiffness, above=0.0)
    d = checked("damping", damping, at_least=0.0)
    mu = checked("effective_mass", effective_mass, above=0.0)
    return as_number(d / (2.0 * np.sqrt(k * mu)))  # Eq. (R18)


def kelvin_voigt_restitution(damping_ratio: ArrayLike, release: Release = Release.ZERO_FORCE) -> Number:
    """Return the coefficient of restitution e* [1] for a damping ratio of any size."""
    zeta = np.atleast_1d(checked("damping_ratio", damping_ratio, at_least=0.0))
    if release is Release.ZERO_FORCE:
        e = np.exp(-2.0 * zeta * _arc_ratio(zeta))  # Eq. (R20)
    else:
        weak = zeta < 1.0  # a damper at or beyond critical never brings the bodies back to zero penetration
        root = np.sqrt(np.where(weak, 1.0 - zeta**2, 1.0))
        e = np.where(weak, np.exp(-np.pi * zeta / root), 0.0)  # Eq. (R19)
    return as_number(e.reshape(np.shape(damping_ratio)))


def _arc_ratio(zeta: np.ndarray) -> np.ndarray:
    """Return arccos(z)/sqrt(1-z^2), continued beyond z = 1 as arccosh(z)/sqrt(z^2-1)."""
    near = np.abs(zeta - 1.0) < 1e-5  # here both forms lose digits; the series error is of order 1e-15
    safe = np.where(near, 0.5, zeta)
    below = np.arccos(np.minimum(safe, 1.0)) / np.sqrt(np.where(safe < 1.0, 1.0 - safe**2, 1.0))
    above = np.arccosh(np.maximum(safe, 1.0)) / np.sqrt(np.where(safe > 1.0, safe**2 - 1.0, 1.0))
    series = 1.0 - (zeta - 1.0) / 3.0 + 2.0 * (zeta - 1.0) ** 2 / 15.0
    result: np.ndarray = np.where(near, series, np.where(safe < 1.0, below, above))
    return result
