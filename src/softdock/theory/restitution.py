"""Coefficient of restitution of a linear spring and damper, and of an elastic layer, between two free masses."""

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import ArrayLike

from softdock.theory.inputs import Number, as_number, checked

WEAK = 1e-3
"""Damping factor times speed below which a series is as exact as the closed form."""


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
    from scipy.special import lambertw

    alpha = np.atleast_1d(
        checked("damping_factor", damping_factor, at_least=0.0) * checked("speed", speed, at_least=0.0)
    )
    safe = np.maximum(alpha, WEAK)
    b = safe - np.log1p(safe)
    e = (1.0 + lambertw(-np.exp(-1.0 - b)).real) / safe  # Eq. (R22)
    series = 1.0 - 2.0 * alpha / 3.0 + 4.0 * alpha**2 / 9.0
    shape = np.broadcast_shapes(np.shape(damping_factor), np.shape(speed))
    return as_number(np.where(alpha < WEAK, series, e).reshape(shape))


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
    from scipy.integrate import solve_ivp

    def rates(_: float, y: np.ndarray) -> list[float]:
        x, u = y
        if alpha * u < -1.0:  # only what is deeper than that many damping depths still pushes
            return [u, -kappa * max(0.0, x + alpha * u) ** 2]
        ramp = x * x if x < 1.0 else 2.0 * x - 1.0
        return [u, -kappa * (x * x + alpha * u * ramp) if x > 0.0 else 0.0]

    def leaves(_: float, y: np.ndarray) -> float:
        return float(y[0])

    def turns(_: float, y: np.ndarray) -> float:
        return float(y[1])

    leaves.terminal, leaves.direction = True, -1.0  # type: ignore[attr-defined]
    longest = 100.0 * (1.0 + alpha) * kappa ** (-1 / 3)
    done = solve_ivp(
        rates, (0.0, longest), (0.0, 1.0), events=(leaves, turns), rtol=1e-8, atol=1e-10, method="DOP853"
    )
    deepest = float(done.y_events[1][0][0]) if len(done.y_events[1]) else float(done.y[0].max())
    return (float(-done.y_events[0][0][1]) if len(done.y_events[0]) else 0.0), deepest
