"""Axes of a boundary: names, units and values of the coordinates of its inputs."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from softdock.campaign.distributions import Uniform, Vector
from softdock.campaign.plan import Plan
from softdock.campaign.store import column_unit
from softdock.result import Array


@dataclass(frozen=True)
class BoundaryAxis:
    """One coordinate of the inputs of a boundary."""

    name: str
    """Path of the field; `PATH.norm`, `PATH.direction` and `PATH.cosine` for a vector."""
    unit: str
    at: Callable[[Array], Array]
    """Returns the values [SI] at fractions of the range (n,)."""
    logarithmic: bool = False


def boundary_axes(plan: Plan) -> list[BoundaryAxis]:
    """Return the axes of a boundary in the order of its coordinates."""
    units, axes = plan.units(), []
    for path, distribution in plan.distributions.items():
        unit = column_unit(units, f"input.{path}")
        if isinstance(distribution, Vector):
            assert isinstance(distribution.magnitude, Uniform)
            axes.append(_scalar_axis(f"{path}.norm", unit, distribution.magnitude))
            axes.append(BoundaryAxis(f"{path}.direction", "rad", _direction))
            if distribution.size == 3:
                axes.append(BoundaryAxis(f"{path}.cosine", "", _cosine))
        else:
            assert isinstance(distribution, Uniform)
            axes.append(_scalar_axis(path, unit, distribution))
    return axes


def _scalar_axis(name: str, unit: str, distribution: Uniform) -> BoundaryAxis:
    return BoundaryAxis(
        name, unit, lambda x: distribution.at(np.asarray(x)[:, None]), distribution.logarithmic
    )


def _direction(x: Array) -> Array:
    """Return the angle from the first axis towards the second [rad]."""
    return 2.0 * math.pi * np.asarray(x)


def _cosine(x: Array) -> Array:
    """Return the cosine of the angle to the third axis."""
    return 1.0 - 2.0 * np.asarray(x)
