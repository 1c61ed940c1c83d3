"""Impulsive docking: a rigid body is welded to the base of a flexible structure instantaneously."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softdock.errors import InputError
from softdock.flexible.modes import BaseModes
from softdock.spatial.vectors import motion_through

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class WeldImpulse:
    """Result of a weld impulse; spatial velocities and wrenches about the base, angular part first."""

    motion: Floats
    """Spatial velocity of base and body after the weld, shape (6,) [rad/s, m/s]."""
    modal_rate: Floats
    """Modal rates after the weld, shape (modes,) [sqrt(kg) m/s]."""
    impulse: Floats
    """Wrench impulse on the base, shape (6,) [N m s, N s]."""
    loss: float
    """Kinetic energy lost in the weld [J]; never negative."""
    delta_rate: float
    """Magnitude of the change of the base's angular velocity [rad/s]."""


def weld(
    modes: BaseModes,
    *,
    body: Floats,
    body_motion: ArrayLike,
    base_motion: ArrayLike | None = None,
    modal_rate: ArrayLike | None = None,
) -> WeldImpulse:
    """Weld a rigid body to the base; Eqs. (F19)-(F22).

    `body` is its 6x6 inertia and `body_motion` its motion, both about the base (see `rigid_inertia_matrix` and
    `motion_about`). The structure rests unless its base's motion and its modal rates are given.
    """
    V_o = finite_numbers("body_motion", body_motion, 6)
    V = np.zeros(6) if base_motion is None else finite_numbers("base_motion", base_motion, 6)
    count = modes.frequency.size
    rate = np.zeros(count) if modal_rate is None else finite_numbers("modal_rate", modal_rate, count)
    A, L = modes.articulated_inertia, modes.participation
    jump = V_o - V
    # Computed from the velocity jump, not from momenta, so that equal velocities give an impulse of exactly zero.
    change = np.linalg.solve(A + body, body @ jump)  # Eq. (F19)
    impulse = A @ change  # Eq. (F21)
    return WeldImpulse(
        motion=V + change,
        modal_rate=rate - L.T @ change,  # Eq. (F20)
        impulse=impulse,
        loss=0.5 * float(jump @ impulse),  # Eq. (F22)
        delta_rate=float(np.linalg.norm(change[:3])),
    )


def kinetic_energy(modes: BaseModes, motion: Floats, modal_rate: Floats) -> float:
    """Return the kinetic energy [J] of the structure for a spatial velocity of its base and modal rates; Eq. (F23)."""
    coupling = motion @ (modes.participation @ modal_rate)
    return float(
        0.5 * motion @ modes.inertia @ motion + coupling + 0.5 * modal_rate @ modal_rate
    )  # Eq. (F23)


def momentum(modes: BaseModes, motion: Floats, modal_rate: Floats) -> Floats:
    """Return angular and linear momentum of the structure about its base, shape (6,) [N m s, N s]; Eq. (F24)."""
    return np.asarray(modes.inertia @ motion + modes.participation @ modal_rate)  # Eq. (F24)


def motion_about(
    arm: ArrayLike, velocity: ArrayLike, angular_velocity: ArrayLike = (0.0, 0.0, 0.0)
) -> Floats:
    """Return the spatial velocity about the base of a body whose point at `arm` [m] from it moves at `velocity` [m/s].

    Angular velocity [rad/s]. The linear part is the velocity of the body-fixed point at the base.
    """
    w = finite_numbers("angular_velocity", angular_velocity, 3)
    return motion_through(finite_numbers("arm", arm, 3), finite_numbers("velocity", velocity, 3), w)


def finite_numbers(field: str, given: ArrayLike, size: int) -> Floats:
    """Return `size` finite numbers as an array; raise InputError for anything else."""
    values = np.asarray(given, float)
    if values.shape != (size,) or not np.isfinite(values).all():
        raise InputError(f"must be {size} finite numbers.", field=field, given=str(given))
    return values
