"""Model of a system in orbit: the orbit of the origin of the world frame, drag and solar pressure."""

from typing import Annotated, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from softdock.orbit.kepler import Orbit
from softdock.orbit.relative import hill_axes
from softdock.quantities.fields import Flag, Length, Number, Quantity, Vector3
from softdock.quantities.model import FieldError, Model

HILL = "hill"
"""Frame that rotates with the orbit: x along the velocity, y against the angular momentum, z to the Earth."""


class BodyPlate(Model):
    """One side of a flat plate on a body."""

    area: Annotated[float, Quantity("m^2", gt=0)]
    """Area of the plate."""
    normal: Vector3[Number]
    """Outward normal in body axes, of any length."""
    centre: Vector3[Length] = (0.0, 0.0, 0.0)
    """Centre of pressure in body axes, relative to the reference point of the torque."""
    drag_coefficient: Annotated[float, Quantity("1", ge=0)] = 2.2
    """2.2 is the usual value for free molecular flow."""
    specular: Annotated[float, Quantity("1", ge=0, le=1)] = 0.0
    """Fraction of the light that is reflected specularly."""
    diffuse: Annotated[float, Quantity("1", ge=0, le=1)] = 0.0
    """Fraction of the light that is reflected diffusely; the rest is absorbed."""
    body: str
    """Body that carries the plate."""

    @model_validator(mode="after")
    def _check_plate(self) -> Self:
        if not any(self.normal):
            raise FieldError("normal", "must not be the zero vector")
        if self.specular + self.diffuse > 1.0:
            raise FieldError(
                "diffuse",
                "specular and diffuse shares must not exceed 1 in sum",
            )
        return self


class SystemOrbit(Orbit):
    """Orbit of the origin of the world frame.

    The world does not rotate; its axes are those of the Hill frame at time zero. The frame
    `hill` rotates with the orbit.

    Altitude in m, angles in rad, density in kg/m^3.

    >>> from softdock import SystemOrbit
    >>> SystemOrbit(altitude="500 km", j2=True)
    SystemOrbit(altitude=500000.0, j2=True)
    """

    j2: Flag = False
    """Whether the Earth's oblateness acts on the bodies; the origin of the world stays on its two-body orbit."""
    start: Literal["hill", "world"] = "hill"
    """Frame in which initial velocities and rates of free bodies are given; a body at rest in `hill` rotates with the
    orbit."""
    density: Annotated[float, Quantity("kg/m^3", ge=0)] = 0.0
    """Density of the air, which rotates with the Earth."""
    sun: Vector3[Number] | None = None
    """Direction to the Sun, in the world; omit it for no sunlight."""
    eclipse: Literal["conical", "cylindrical", "none"] = "conical"
    """Shadow of the Earth: with penumbra, as a cylinder, or none; `hill.sunlight` is the visible part of the Sun."""
    plates: dict[str, BodyPlate] = Field(default_factory=dict)
    """Plates with drag and solar pressure."""

    @model_validator(mode="after")
    def _check_sun(self) -> Self:
        if self.sun is not None and not any(self.sun):
            raise FieldError("sun", "must not be the zero vector")
        return self

    def rate(self) -> NDArray[np.float64]:
        """Return the angular velocity of the Hill frame at time zero, in the world [rad/s]."""
        return hill_axes(*self.state())[1]
