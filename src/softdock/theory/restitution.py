"""Coefficient of restitution of a linear spring and damper, and of an elastic layer, between two free masses."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import ArrayLike

from softdock.theory.inputs import Number, as_number, check_range

WEAK = 1e-3
"""Damping factor times speed below which the series is as accurate as the closed form."""
NEWTON_STEPS = 40  # linear convergence to the double root at zero damping, quadratic otherwise
TOLERANCE = 1e-9  # step error of depth over damping depth and of speed over closing speed
LONGEST_STEP = 0.05  # relative to the time scale of the impact; depth and speed at events are interpolated
# Coefficients of Dormand and Prince (1980): stages, the last of which is the solution, and its error estimate.
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
    """Condition for the end of a Kelvin-Voigt contact."""

    ZERO_FORCE = "The contact ends when its force falls to zero and is never tensile, as in the simulator."
    ZERO_PENETRATION = (
        "The contact ends when the penetration falls to zero; the force is tensile just before."
    )


def damping_ratio(stiffness: ArrayLike, damping: ArrayLike, effective_mass: ArrayLike) -> Number:
    """Return the damping ratio of a contact [1].

    Stiffness [N/m], damping [N s/m], effective mass of the two touching bodies [kg].
    """
    k = check_range("stiffness", stiffness, above=0.0)
    d = check_range("damping", damping, at_least=0.0)
    mu = check_range("effective_mass", effective_mass, above=0.0)
    return as_number(d / (2.0 * np.sqrt(k * mu)))  # Eq. (R18)


def kelvin_voigt_restitution(damping_ratio: ArrayLike, release: Release = Release.ZERO_FORCE) -> Number:
    """Return the coefficient of restitution e* [1] for any damping ratio."""
    zeta = np.atleast_1d(check_range("damping_ratio", damping_ratio, at_least=0.0))
    if release is Release.ZERO_FORCE:
        e = np.exp(-2.0 * zeta * _arc_ratio(zeta))  # Eq. (R20)
    else:
        weak = zeta < 1.0  # with critical or larger damping the penetration never returns to zero
        root = np.sqrt(np.where(weak, 1.0 - zeta**2, 1.0))
        e = np.where(weak, np.exp(-np.pi * zeta / root), 0.0)  # Eq. (R19)
    return as_number(e.reshape(np.shape(damping_ratio)))


def _arc_ratio(zeta: np.ndarray) -> np.ndarray:
    """Return arccos(z)/sqrt(1-z^2), continued beyond z = 1 as arccosh(z)/sqrt(z^2-1)."""
    near = np.abs(zeta - 1.0) < 1e-5  # both forms cancel here; the error of the series is of order 1e-15
    safe = np.where(near, 0.5, zeta)
    below = np.arccos(np.minimum(safe, 1.0)) / np.sqrt(np.where(safe < 1.0, 1.0 - safe**2, 1.0))
    above = np.arccosh(np.maximum(safe, 1.0)) / np.sqrt(np.where(safe > 1.0, safe**2 - 1.0, 1.0))
    series = 1.0 - (zeta - 1.0) / 3.0 + 2.0 * (zeta - 1.0) ** 2 / 15.0
    result: np.ndarray = np.where(near, series, np.where(safe < 1.0, below, above))
    return result


def ramp_restitution(damping_factor: ArrayLike, speed: ArrayLike) -> Number:
    """Return the coefficient of restitution e* [1] of a layer with damping proportional to the depth.

    Damping factor a = d0/(c s0) [s/m], closing speed [m/s]. Valid for depths below s0 and any shape, stiffness and
    masses; Eq. (R21).
    """
    alpha = np.atleast_1d(
        check_range("damping_factor", damping_factor, at_least=0.0)
        * check_range("speed", speed, at_least=0.0)
    )
    safe = np.maximum(alpha, WEAK)
    e = -np.expm1(_log_of_lambert(safe - np.log1p(safe))) / safe  # Eq. (R22)
    series = 1.0 - 2.0 * alpha / 3.0 + 4.0 * alpha**2 / 9.0
    shape = np.broadcast_shapes(np.shape(damping_factor), np.shape(speed))
    return as_number(np.where(alpha < WEAK, series, e).reshape(shape))


def _log_of_lambert(b: np.ndarray) -> np.ndarray:
    """Return log(-W(-exp(-1 - b))) of Lambert's function: the negative root of L - exp(L) + 1 + b.

    This function of L is concave and increasing for L < 0, so that Newton's method converges monotonically from the
    left.
    """
    L: np.ndarray = -1.0 - b
    for _ in range(NEWTON_STEPS):
        L = L - (L - np.expm1(L) + b) / -np.expm1(L)
    return L


@dataclass(frozen=True, kw_only=True)
class LayerImpact:
    """Result of an impact through an elastic layer."""

    restitution: float
    """Coefficient of restitution [1]."""
    depth: float
    """Largest depth [m]."""
    is_closed_form: bool
    """Whether the depth stays below the damping depth, so that the closed form is valid."""


def layer_impact(
    *,
    speed: float,
    effective_mass: float,
    stiffness: float,
    damping_factor: float,
    damping_depth: float,
) -> LayerImpact:
    """Return the result of an impact of two bodies through a layer at a smooth point of both.

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
    """Return restitution and largest depth over damping depth for impacts deeper than that; Eq. (R24).

    `alpha`: damping factor times closing speed [1]. `kappa`: K s0^3 / (mu v^2) [1].
    """

    def acceleration(x: float, u: float) -> float:
        if alpha * u < -1.0:  # only deeper parts of the contact have compressive stress
            return -kappa * max(0.0, x + alpha * u) ** 2
        ramp = x * x if x < 1.0 else 2.0 * x - 1.0
        return -kappa * (x * x + alpha * u * ramp) if x > 0.0 else 0.0

    time_scale = kappa ** (-1 / 3)  # of the elastic impact
    t, x, u, h, deepest = 0.0, 0.0, 1.0, 1e-3 * time_scale, 0.0
    while t < 100.0 * (1.0 + alpha) * time_scale:
        x_new, u_new, error = _fifth_order_step(acceleration, x, u, h)
        if error <= 1.0:
            if u > 0.0 >= u_new:  # turning point: vertex of the parabola through both speeds
                deepest = x + 0.5 * h * u * u / (u - u_new)
            if x_new <= 0.0 and t > 0.0:  # end of contact: the speed is linear over the last, short step
                return -(u + (u_new - u) * x / (x - x_new)), deepest
            t, x, u = t + h, x_new, u_new
        h = min(h * min(4.0, max(0.2, 0.9 * max(error, 1e-10) ** -0.2)), LONGEST_STEP * time_scale)
    return 0.0, deepest


def _fifth_order_step(
    acceleration: Callable[[float, float], float], x: float, u: float, h: float
) -> tuple[float, float, float]:
    """Return depth and speed after a step of Dormand and Prince's method, and its error over the tolerance."""
    speeds: list[float] = []
    accelerations: list[float] = []
    for row in DORMAND_PRINCE:
        speed, gain = _weighted_sums(row, speeds, accelerations)
        y, v = x + h * speed, u + h * gain
        speeds.append(v)
        accelerations.append(acceleration(y, v))
    speed, gain = _weighted_sums(DORMAND_PRINCE_ERROR, speeds, accelerations)
    return y, v, max(abs(h * speed), abs(h * gain)) / TOLERANCE


def _weighted_sums(weights: Sequence[float], a: list[float], b: list[float]) -> tuple[float, float]:
    sum_a = sum_b = 0.0
    for weight, x, y in zip(weights, a, b, strict=True):
        sum_a += weight * x
        sum_b += weight * y
    return sum_a, sum_b
