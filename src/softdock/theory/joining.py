"""Closed forms of joining: force and energy of a coupling over its stroke, a conical seat with friction, separation.

Angles in radians, lengths in metres. Functions broadcast their arguments and return a float for scalar input.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softdock.theory.inputs import Array, Number, as_number, check_range


def _smooth_step(x: ArrayLike) -> Array:
    part: Array = np.clip(np.asarray(x, float), 0.0, 1.0)
    return part * part * (3.0 - 2.0 * part)


def insertion_force(
    stroke: ArrayLike,
    *,
    length: float,
    lead_in: float,
    spring: tuple[float, float, float] = (0.0, 0.0, 0.0),
    seal: tuple[float, float, float] = (0.0, 0.0, np.inf),
    latch: tuple[float, float] = (0.0, 1.0),
) -> Number:
    """Return the force that pushes a plug slowly into its socket, up to its length of travel [N]; Eqs. (W2)-(W5).

    `spring` is (stiffness [N/m], preload [N], start [m]), `seal` is (friction [N], start, end [m]), `latch` is
    (largest force [N], width [m]).
    """
    s = check_range("stroke", stroke, at_most=length)
    check_range("lead_in", lead_in, above=0.0, at_most=length)
    k, preload, start = spring
    x = np.maximum(s - start, 0.0)
    force = k * x + preload * _smooth_step(x / lead_in)
    friction, begin, end = seal
    force = force + friction * (_smooth_step((s - begin) / lead_in) - _smooth_step((s - end) / lead_in))
    peak, width = latch
    inside = (s - length + width) / width
    detent = peak * np.sin(2.0 * np.pi * inside)
    return as_number(np.where(s > 0.0, force + np.where((inside > 0.0) & (inside < 1.0), detent, 0.0), 0.0))


def mating_work(
    *,
    length: float,
    lead_in: float,
    spring: tuple[float, float, float] = (0.0, 0.0, 0.0),
    seal: tuple[float, float, float] = (0.0, 0.0, np.inf),
) -> tuple[float, float]:
    """Return the energy stored and the energy dissipated by a complete slow mating [J]; Eq. (W10).

    The latch adds nothing: it gives back what it took.
    """
    k, preload, start = spring
    travel = length - start
    stored = 0.5 * k * travel**2 + preload * (travel - 0.5 * lead_in)
    friction, begin, end = seal
    rubbed = length - 0.5 * lead_in if end + lead_in > length else end
    return stored, friction * (rubbed - begin)


def seat_normal_force(axial_force: ArrayLike, half_angle: ArrayLike, friction: ArrayLike) -> Number:
    """Return the normal force on a cone that an axial force presses into its seat [N]; Eq. (W11)."""
    f, a, mu = _seat(axial_force, half_angle, friction)
    return as_number(f / (np.sin(a) + mu * np.cos(a)))


def seat_release_force(axial_force: ArrayLike, half_angle: ArrayLike, friction: ArrayLike) -> Number:
    """Return the axial pull that frees a cone after an axial force seated it [N]; Eq. (W12).

    Positive: the seat is self-locking. Negative: the cone leaves the seat by itself when the axial force ends.
    """
    f, a, mu = _seat(axial_force, half_angle, friction)
    return as_number(f * (mu * np.cos(a) - np.sin(a)) / (np.sin(a) + mu * np.cos(a)))


def _seat(axial_force: ArrayLike, half_angle: ArrayLike, friction: ArrayLike) -> tuple[Array, Array, Array]:
    return (
        check_range("axial_force", axial_force, at_least=0.0),
        check_range("half_angle", half_angle, above=0.0, at_most=np.pi / 2),
        check_range("friction", friction, at_least=0.0),
    )


def is_self_locking(half_angle: ArrayLike, friction: ArrayLike) -> bool | NDArray[np.bool_]:
    """Return whether a seat holds without axial force: its half-angle is below the friction angle; Eq. (W12)."""
    locking = np.tan(np.asarray(half_angle, float)) < np.asarray(friction, float)
    return bool(locking) if locking.ndim == 0 else locking


def separation_velocities(
    energy: ArrayLike, mass_a: ArrayLike, mass_b: ArrayLike
) -> tuple[Number, Number, Number]:
    """Return the relative speed of two bodies that springs push apart, and the speed of each [m/s]; Eq. (W13)."""
    e = check_range("energy", energy, at_least=0.0)
    a, b = check_range("mass_a", mass_a, above=0.0), check_range("mass_b", mass_b, above=0.0)
    relative = np.sqrt(2.0 * e * (a + b) / (a * b))
    return as_number(relative), as_number(relative * b / (a + b)), as_number(relative * a / (a + b))
