"""A small kind of scenario that has a field of every type that a model can have."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from softdock.quantities.fields import (
    AngularStiffness,
    Flag,
    Fraction,
    Integer,
    Length,
    Number,
    PositiveMass,
    PositiveStiffness,
    Speed,
    Vector3,
)
from softdock.quantities.model import FieldError, Model
from softdock.scenario.base import ScenarioBase

HEAD = "softdock: 1\nkind: toy\n"
VALID = HEAD + "title: A toy\nchaser:\n  masses: [5 kg, 2 lb]\n  speed: 0.05 m/s\n"


class Hinge(Model):
    """A joint that turns."""

    type: Literal["hinge"]
    stiffness: AngularStiffness


class Slider(Model):
    """A joint that slides; its key `slider` is also its tag."""

    type: Literal["slider"]
    slider: PositiveStiffness
    p_AB: Vector3[Length] = (0.0, 0.0, 0.0)


class Side(Model):
    """One of the two spacecraft."""

    masses: Annotated[tuple[PositiveMass, ...], Field(min_length=1)]
    """Masses from the far end to the contact."""
    speed: Speed = 0.0
    """Speed at first contact."""
    preload: Number | Literal["auto"] = "auto"


class ToyScenario(ScenarioBase):
    """Two spacecraft, for tests."""

    kind: Literal["toy"] = "toy"
    chaser: Side
    target: Side | None = None
    restitution: Fraction = 1.0
    joints: tuple[Annotated[Hinge | Slider, Field(discriminator="type")], ...] = ()
    spares: dict[str, Side] = Field(default_factory=dict)
    count: Integer = 3
    damped: Flag = False

    @model_validator(mode="after")
    def check_count(self) -> Self:
        """Refuse a combination of two fields, naming the one to change."""
        if self.count > 5 and self.damped:
            raise FieldError("chaser.speed", "must be given with more than 5 damped parts")
        return self


class PreparedToy:
    """Prepared run of a toy scenario; it cannot run."""

    def __init__(self, scenario: ToyScenario) -> None:
        self.scenario = scenario
