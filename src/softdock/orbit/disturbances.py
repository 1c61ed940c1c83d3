"""Aerodynamic drag and solar radiation pressure on flat plates."""

from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softdock.errors import InputError, Problem
from softdock.orbit.earth import SOLAR_PRESSURE
from softdock.quantities.fields import Length, Number, Quantity, Vector3
from softdock.quantities.model import Model
from softdock.spatial.vectors import wrench_of_force

Floats = NDArray[np.float64]
Fraction = Annotated[float, Quantity("1", ge=0, le=1)]


class Plate(Model):
    """One side of a flat plate of a body."""

    area: Annotated[float, Quantity("m^2", gt=0)]
    """Area of the plate."""
    normal: Vector3[Number]
    """Outward normal in body axes, of any length."""
    centre: Vector3[Length] = (0.0, 0.0, 0.0)
    """Centre of pressure in body axes, relative to the reference point of the torque."""
    drag_coefficient: Annotated[float, Quantity("1", ge=0)] = 2.2
    """2.2 is the usual value for free molecular flow."""
    specular: Fraction = 0.0
    """Fraction of the light that is reflected specularly."""
    diffuse: Fraction = 0.0
    """Fraction of the light that is reflected diffusely; the rest is absorbed."""


def drag(plate: Plate, density: float, wind: ArrayLike) -> Floats:
    """Return torque [N m] and force [N] of free molecular drag on a plate, shape (6,), angular part first; Eq. (O14).

    `density` [kg/m3]; `wind` is the velocity of the air relative to the body, in body axes [m/s].
    """
    v = np.asarray(wind, float)
    normal = _unit("normal", plate.normal)
    facing = max(-float(normal @ v), 0.0)  # air reaches only the side that the normal points out of
    force = 0.5 * density * plate.drag_coefficient * plate.area * facing * v  # Eq. (O14)
    return wrench_of_force(np.asarray(plate.centre), force)


def solar_pressure(plate: Plate, to_sun: ArrayLike, pressure: float = SOLAR_PRESSURE) -> Floats:
    """Return torque [N m] and force [N] of solar radiation on a plate, shape (6,), angular part first; Eq. (O15).

    `to_sun` points to the Sun in body axes, of any length; `pressure` acts on a black surface facing the Sun [Pa].
    """
    if plate.specular + plate.diffuse > 1.0:
        raise InputError(
            Problem(
                field="plate.diffuse",
                message="specular and diffuse fractions must add up to at most 1.",
                given=f"{plate.specular:g} + {plate.diffuse:g}",
            )
        )
    sun, normal = _unit("to_sun", to_sun), _unit("normal", plate.normal)
    cosine = max(float(normal @ sun), 0.0)
    along = (1.0 - plate.specular) * sun
    across = 2.0 * (plate.specular * cosine + plate.diffuse / 3.0) * normal
    force = -pressure * plate.area * cosine * (along + across)  # Eq. (O15)
    return wrench_of_force(np.asarray(plate.centre), force)


def _unit(field: str, given: ArrayLike) -> Floats:
    v = np.asarray(given, float)
    length = float(np.linalg.norm(v))
    if not length > 0.0 or not np.isfinite(length):
        raise InputError(
            Problem(field=field, message="must be a direction, not a zero vector.", given=str(given))
        )
    return np.asarray(v / length)
