"""Stiffness and consistent mass of a straight beam in its own axes.

Twelve degrees of freedom: rotation and translation of the first end, then of the second, as spatial vectors
(theta_x, theta_y, theta_z, u_x, u_y, u_z), angular part first.
"""

import numpy as np
from numpy.typing import NDArray

from softdock.flexible.structure import Section

Floats = NDArray[np.float64]

# Indices of the degrees of freedom of one kind of motion among the twelve.
_AXIAL = np.array([3, 9])
_TORSION = np.array([0, 6])
_BENDING_Y = np.array([4, 2, 10, 8])  # u_y, theta_z at both ends
_BENDING_Z = np.array([5, 1, 11, 7])  # u_z, theta_y at both ends
# Positive theta_y rotates z towards -x: slope and rotation differ in sign.
_SLOPE_SIGNS = np.array([1.0, -1.0, 1.0, -1.0])

_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(4)  # exact to degree 7; products of cubics have degree 6
_POINTS, _WEIGHTS = (_POINTS + 1.0) / 2.0, _WEIGHTS / 2.0


def shear_ratio(bending: float, shear: float | None, length: float) -> float:
    """Return Phi = 12 EI / (G A_s L^2) [1]; zero for a beam without shear deformation; Eq. (F2).

    `bending`: EI [N m2]. `shear`: G A_s [N]. `length` [m].
    """
    return 0.0 if shear is None else 12.0 * bending / (shear * length**2)  # Eq. (F2)


def bending_stiffness(bending: float, phi: float, length: float) -> Floats:
    """Return the 4x4 stiffness for (deflection, slope) at both ends [N/m, N, N m]; Eq. (F3).

    `bending`: EI [N m2]. `phi`: shear ratio [1]. `length` [m].
    """
    L = length
    a, b = (4.0 + phi) * L**2, (2.0 - phi) * L**2
    K = np.array(
        [
            [12.0, 6.0 * L, -12.0, 6.0 * L],
            [6.0 * L, a, -6.0 * L, b],
            [-12.0, -6.0 * L, 12.0, -6.0 * L],
            [6.0 * L, b, -6.0 * L, a],
        ]
    )
    return bending / (L**3 * (1.0 + phi)) * K  # Eq. (F3)


def bending_shapes(s: Floats, phi: float, length: float) -> tuple[Floats, Floats]:
    """Return deflection and rotation of the section at s = x/L for unit end motions, (4, points) each; Eq. (F4)."""
    L = length
    deflection = np.array(
        [
            1.0 - 3.0 * s**2 + 2.0 * s**3 + phi * (1.0 - s),
            L * (s - 2.0 * s**2 + s**3 + 0.5 * phi * (s - s**2)),
            3.0 * s**2 - 2.0 * s**3 + phi * s,
            L * (s**3 - s**2 + 0.5 * phi * (s**2 - s)),
        ]
    )
    rotation = np.array(
        [
            6.0 * (s**2 - s) / L,
            1.0 - 4.0 * s + 3.0 * s**2 + phi * (1.0 - s),
            6.0 * (s - s**2) / L,
            3.0 * s**2 - 2.0 * s + phi * s,
        ]
    )
    return deflection / (1.0 + phi), rotation / (1.0 + phi)  # Eq. (F4)


def bending_mass(mass_per_length: float, rotary: float, phi: float, length: float) -> Floats:
    """Return the 4x4 consistent mass for (deflection, slope) at both ends [kg, kg m, kg m2]; Eq. (F5).

    `mass_per_length` [kg/m]. `rotary`: moment of inertia per length [kg m]. `phi`: shear ratio [1]. `length` [m].
    """
    deflection, rotation = bending_shapes(_POINTS, phi, length)
    M = mass_per_length * (deflection * _WEIGHTS) @ deflection.T + rotary * (rotation * _WEIGHTS) @ rotation.T
    return np.asarray(length * M)  # Eq. (F5)


def beam_matrices(section: Section, length: float) -> tuple[Floats, Floats]:
    """Return the 12x12 stiffness and consistent mass of an element in beam axes; SI. `length` [m]."""
    K, M = np.zeros((12, 12)), np.zeros((12, 12))
    bar = np.array([[1.0, -1.0], [-1.0, 1.0]]) / length
    line = np.array([[2.0, 1.0], [1.0, 2.0]]) * length / 6.0
    K[np.ix_(_AXIAL, _AXIAL)] = section.axial * bar  # Eq. (F1)
    K[np.ix_(_TORSION, _TORSION)] = section.torsion * bar
    M[np.ix_(_AXIAL, _AXIAL)] = section.mass_per_length * line
    M[np.ix_(_TORSION, _TORSION)] = section.polar * line
    phi_y = shear_ratio(section.bending_z, section.shear_y, length)
    phi_z = shear_ratio(section.bending_y, section.shear_z, length)
    mu = section.mass_per_length
    K[np.ix_(_BENDING_Y, _BENDING_Y)] = bending_stiffness(section.bending_z, phi_y, length)
    M[np.ix_(_BENDING_Y, _BENDING_Y)] = bending_mass(mu, section.rotary_z, phi_y, length)
    flip = np.outer(_SLOPE_SIGNS, _SLOPE_SIGNS)
    K[np.ix_(_BENDING_Z, _BENDING_Z)] = flip * bending_stiffness(section.bending_y, phi_z, length)
    M[np.ix_(_BENDING_Z, _BENDING_Z)] = flip * bending_mass(mu, section.rotary_y, phi_z, length)
    return K, M
