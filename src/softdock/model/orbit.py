"""A system in orbit, as people describe it: the orbit of the point that carries the world, and disturbances."""

from typing import Annotated, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from softdock.orbit.disturbances import Plate
from softdock.orbit.kepler import Orbit
from softdock.orbit.relative import hill_axes
from softdock.quantities.fields import Flag, Number, Quantity, Vector3
from softdock.quantities.model import FieldError

HILL = "hill"
"""Name of the frame that turns with the orbit: x along the velocity, y against the angular momentum, z to the Earth."""


class BodyPlate(Plate):
    """A flat plate on a body."""

    body: str

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if not any(self.normal):
            raise FieldError("normal", "must not be the zero vector")
        if self.specular + self.diffuse > 1.0:
            raise FieldError(
                "diffuse",
                "must leave room for what is mirrored: the two shares together are at most 1",
            )
        return self


class Around(Orbit):
    """An orbit of the point that carries the world frame.

    The world does not turn; its axes are those of the Hill frame at time zero. The frame `hill` turns with the orbit.
    """

    j2: Flag = False
    """Whether the Earth's flattening acts on the bodies; the carrying point stays on its two-body orbit."""
    start: Literal["hill", "world"] = "hill"
    """Frame in which velocities and rates of free bodies are given at the start; at rest in `hill` is to turn with the
    orbit."""
    density: Annotated[float, Quantity("kg/m^3", ge=0)] = 0.0
    """Of the air, which turns with the Earth."""
    sun: Vector3[Number] | None = None
    """Direction to the Sun, in the world; leave out for the night."""
    plates: dict[str, BodyPlate] = Field(default_factory=dict)
    """What air and sunlight push at."""

    @model_validator(mode="after")
    def _sun_somewhere(self) -> Self:
        if self.sun is not None and not any(self.sun):
            raise FieldError("sun", "must not be the zero vector")
        return self

    def rate(self) -> NDArray[np.float64]:
        """Return the angular velocity of the Hill frame at time zero, in the world [rad/s]."""
        return hill_axes(*self.state())[1]
