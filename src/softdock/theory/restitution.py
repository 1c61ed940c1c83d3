"""Coefficient of restitution of a linear spring and damper, and of an elastic layer, between two free masses."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import ArrayLike

from softdock.theory.inputs import Number, as_number, checked

WEAK = 1e-3
"""Damping factor times speed below which a series is as exact as the closed form."""
NEWTON_STEPS = 40  # twelve halve the distance to the double root at zero damping, the others are quadratic
TOLERANCE = 1e-9  # error of a step in depth over damping depth, and in speed over closing speed
LONGEST_STEP = 0.05  # of the time scale of the impact: depth and speed at its events are interpolated
# Dormand and Prince (1980): the stages, the last of which is the solution, and the error of the solution.
DORMAND_PRINCE: tuple[tuple[float, ...], ...] = (
    (),
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
DORMAND_PRINCE_ERROR = (
    71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40,
)  # fmt: skip


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


def ramp_restitution(damping_factor: ArrayLike, speed: ArrayLike) -> Number:
    """Return the coefficient of restitution e* [1] of a layer whose damping grows with the depth.

    Damping factor a = d0/(c s0) [s/m], closing speed [m/s]. Holds for depths below s0, whatever the shape, the
    stiffness and the masses; Eq. (R21).
    """
    alpha = np.atleast_1d(
        checked("damping_factor", damping_factor, at_least=0.0) * checked("speed", speed, at_least=0.0)
    )
    safe = np.maximum(alpha, WEAK)
    e = -np.expm1(_log_of_lambert(safe - np.log1p(safe))) / safe  # Eq. (R22)
    series = 1.0 - 2.0 * alpha / 3.0 + 4.0 * alpha**2 / 9.0
    shape = np.broadcast_shapes(np.shape(damping_factor), np.shape(speed))
    return as_number(np.where(alpha < WEAK, series, e).reshape(shape))


def _log_of_lambert(b: np.ndarray) -> np.ndarray:
    """Return log(-W(-exp(-1 - b))) of Lambert's function: the negative root of L - exp(L) + 1 + b.

    The left side is concave and rises, so that Newton's method from the left never passes the root.
    """
    L: np.ndarray = -1.0 - b
    for _ in range(NEWTON_STEPS):
        L = L - (L - np.expm1(L) + b) / -np.expm1(L)
    return L


@dataclass(frozen=True, kw_only=True)
class LayerImpact:
    """What an impact through an elastic layer comes to."""

    restitution: float
    depth: float
    """Largest depth [m]."""
    is_closed_form: bool
    """Whether the depth stays below the damping depth, so that the closed form holds."""


def layer_impact(
    *,
    speed: float,
    effective_mass: float,
    stiffness: float,
    damping_factor: float,
    damping_depth: float,
) -> LayerImpact:
    """Return the impact of two bodies through a layer, where both are smooth at the point that touches first.

    Closing speed [m/s], effective mass [kg]; `stiffness` K [N/m2] of the patch: its elastic force is K times the square
    of the depth (pi R c for a sphere of radius R); damping factor d0/(c s0) [s/m] and damping depth s0 [m]; Eqs. (R21)
    to (R24).
    """
    alpha = damping_factor * speed
    lost = (alpha - np.log1p(alpha)) / alpha**2 if alpha > WEAK else 0.5 - alpha / 3.0 + alpha**2 / 4.0
    depth = float((3.0 * effective_mass * speed**2 * lost / stiffness) ** (1 / 3))  # Eq. (R23)
    if alpha == 0.0 or depth <= damping_depth:
        e = float(ramp_restitution(damping_factor, speed))
        return LayerImpact(restitution=e, depth=depth, is_closed_form=True)
    e, deepest = _deep_impact(alpha, stiffness * damping_depth**3 / (effective_mass * speed**2))
    return LayerImpact(restitution=e, depth=deepest * damping_depth, is_closed_form=False)


def _deep_impact(alpha: float, kappa: float) -> tuple[float, float]:
    """Return restitution and largest depth over the damping depth of an impact that goes deeper; Eq. (R24)."""

    def acceleration(x: float, u: float) -> float:
        if alpha * u < -1.0:  # only what is deeper than that many damping depths still pushes
            return -kappa * max(0.0, x + alpha * u) ** 2
        ramp = x * x if x < 1.0 else 2.0 * x - 1.0
        return -kappa * (x * x + alpha * u * ramp) if x > 0.0 else 0.0

    unit = kappa ** (-1 / 3)  # time scale of the elastic impact
    t, x, u, h, deepest = 0.0, 0.0, 1.0, 1e-3 * unit, 0.0
    while t < 100.0 * (1.0 + alpha) * unit:
        x_new, u_new, error = _fifth_order_step(acceleration, x, u, h)
        if error <= 1.0:
            if u > 0.0 >= u_new:  # turns: vertex of the parabola through both speeds
                deepest = x + 0.5 * h * u * u / (u - u_new)
            if x_new <= 0.0 and t > 0.0:  # leaves: speed is linear over the last, short step
                return -(u + (u_new - u) * x / (x - x_new)), deepest
            t, x, u = t + h, x_new, u_new
        h = min(h * min(4.0, max(0.2, 0.9 * max(error, 1e-10) ** -0.2)), LONGEST_STEP * unit)
    return 0.0, deepest


def _fifth_order_step(
    acceleration: Callable[[float, float], float], x: float, u: float, h: float
) -> tuple[float, float, float]:
    """Return depth and speed after a step of Dormand and Prince's method, and its error over the tolerance."""
    speeds: list[float] = []
    pushes: list[float] = []
    for row in DORMAND_PRINCE:
        speed, push = _weighted_sums(row, speeds, pushes)
        y, v = x + h * speed, u + h * push
        speeds.append(v)
        pushes.append(acceleration(y, v))
    speed, push = _weighted_sums(DORMAND_PRINCE_ERROR, speeds, pushes)
    return y, v, max(abs(h * speed), abs(h * push)) / TOLERANCE


def _weighted_sums(weights: Sequence[float], a: list[float], b: list[float]) -> tuple[float, float]:
    sum_a = sum_b = 0.0
    for weight, x, y in zip(weights, a, b, strict=True):
        sum_a += weight * x
        sum_b += weight * y
    return sum_a, sum_b
