"""Closed forms of beams: frequencies of uniform beams and rods, static deflections.

Frequencies [Hz] in ascending order from mode 1, without rigid-body modes; SI.
"""

from enum import Enum

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import expm
from scipy.optimize import brentq

from softdock.errors import InputError
from softdock.theory.inputs import check_range


class Ends(Enum):
    """Boundary conditions of a beam."""

    CANTILEVER = "One end is clamped, the other free."
    FREE_FREE = "Both ends are free."


def wave_number(ends: Ends, mode: int) -> float:
    """Return beta L of a uniform Euler-Bernoulli beam's mode [1]; Eq. (F28)."""
    _check_mode(mode)
    sign = 1.0 if ends is Ends.CANTILEVER else -1.0
    middle = (
        mode - 0.5 if ends is Ends.CANTILEVER else mode + 0.5
    ) * np.pi  # the root lies within 0.4 of this value
    root = brentq(lambda x: np.cos(x) + sign / np.cosh(x), middle - 0.5, middle + 0.5, xtol=1e-15, rtol=1e-15)
    return float(root)  # Eq. (F28)


def bending_frequency(ends: Ends, mode: int, bending: float, mass_per_length: float, length: float) -> float:
    """Return a bending frequency of a uniform Euler-Bernoulli beam; EI [N m2], [kg/m], [m]; Eq. (F29)."""
    EI, mu, L = _positive(bending=bending, mass_per_length=mass_per_length, length=length)
    return float((wave_number(ends, mode) / L) ** 2 * np.sqrt(EI / mu) / (2.0 * np.pi))  # Eq. (F29)


def rod_frequency(ends: Ends, mode: int, stiffness: float, inertia_per_length: float, length: float) -> float:
    """Return an axial (EA [N], [kg/m]) or torsional (GJ [N m2], polar inertia [kg m]) frequency of a rod; Eq. (F30)."""
    _check_mode(mode)
    k, m, L = _positive(stiffness=stiffness, inertia_per_length=inertia_per_length, length=length)
    quarter_waves = 2 * mode - 1 if ends is Ends.CANTILEVER else 2 * mode
    return float(quarter_waves / (4.0 * L) * np.sqrt(k / m))  # Eq. (F30)


def timoshenko_frequency(
    ends: Ends,
    mode: int,
    *,
    bending: float,
    shear: float,
    mass_per_length: float,
    rotary: float,
    length: float,
) -> float:
    """Return a bending frequency of a uniform Timoshenko beam; EI [N m2], G A_s [N], [kg/m], [kg m], [m]; Eq. (F31).

    The frequency is a zero of the boundary determinant of the exact transfer matrix.
    """
    EI, GA, mu, L = _positive(bending=bending, shear=shear, mass_per_length=mass_per_length, length=length)
    shear_ratio, rotary_ratio = (
        EI / (GA * L**2),
        float(check_range("rotary", rotary, at_least=0.0)) / (mu * L**2),
    )

    def determinant(x: float) -> float:
        w2 = x**4  # omega^2 in units of EI / (mu L^4)
        A = np.array(
            [
                [0.0, 1.0, 0.0, shear_ratio],
                [0.0, 0.0, 1.0, 0.0],
                [0.0, -w2 * rotary_ratio, 0.0, -1.0],
                [-w2, 0.0, 0.0, 0.0],
            ]
        )
        T = expm(A)  # (deflection, turn, moment, shear) from one end to the other, Eq. (F31)
        block = T[2:, 2:] if ends is Ends.CANTILEVER else T[2:, :2]
        return float(np.linalg.det(block))

    top = wave_number(ends, mode)  # shear and rotary inertia only lower frequencies
    grid = np.linspace(0.05, top * (1.0 + 1e-9), 60 * mode + 60)
    value = np.array([determinant(x) for x in grid])
    found = np.flatnonzero(np.sign(value[1:]) != np.sign(value[:-1]))
    if found.size < mode:
        raise InputError("is too high for this beam's shear.", field="mode", given=str(mode))
    low = found[mode - 1]
    x = brentq(determinant, grid[low], grid[low + 1], xtol=1e-15, rtol=1e-14)
    return float(x**2 * np.sqrt(EI / mu) / (L**2 * 2.0 * np.pi))


def tip_deflection(force: float, bending: float, length: float, shear: float | None = None) -> float:
    """Return the tip deflection [m] of a cantilever under a transverse force [N]; EI [N m2], G A_s [N]; Eq. (F32)."""
    bent = force * length**3 / (3.0 * bending)
    return bent if shear is None else bent + force * length / shear  # Eq. (F32)


def portal_sway(force: float, height: float, span: float, column: float, beam: float) -> float:
    """Return the sway [m] of a portal frame with clamped feet under a force [N] along its beam; Eq. (F33).

    Bending only; EI of each column and of the beam [N m2], lengths [m].
    """
    k = beam * height / (column * span)
    return force * height**3 / (12.0 * column) * (3.0 * k + 2.0) / (6.0 * k + 1.0)  # Eq. (F33)


def portal_foot_moment(force: float, height: float, span: float, column: float, beam: float) -> float:
    """Return the moment [N m] at each foot of the frame of `portal_sway`; Eq. (F34)."""
    k = beam * height / (column * span)
    return 0.5 * force * height * (3.0 * k + 1.0) / (6.0 * k + 1.0)  # Eq. (F34)


def _check_mode(mode: int) -> None:
    if mode < 1:
        raise InputError("must be at least 1.", field="mode", given=str(mode))


def _positive(**values: float) -> NDArray[np.float64]:
    return np.array([float(check_range(name, value, above=0.0)) for name, value in values.items()])
