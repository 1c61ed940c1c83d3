"""Field types for models: numbers in SI or texts with units in the file, floats in SI in the program.

    class Probe(Model):
        mass: PositiveMass
        stiffness: Annotated[float, Quantity("N/m", gt=0)]
        p_CQ: Vector3[Length]

Type checkers see `float`. The JSON Schema shows number-or-text with the unit.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler, Strict
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from softdock.quantities.units import NUMBER, described, parse_quantity


def _schema_of(parse: Callable[[object], float]) -> CoreSchema:
    """Return the schema of a float that `parse` reads; its ValueError becomes the message of the problem."""

    def validate(given: object) -> float:
        try:
            return parse(given)
        except ValueError as error:
            raise PydanticCustomError("quantity", "{sentence}", {"sentence": str(error)}) from None

    return core_schema.no_info_plain_validator_function(
        validate, serialization=core_schema.plain_serializer_function_ser_schema(float)
    )


@dataclass(frozen=True)
class Quantity:
    """Annotation of a float field: a quantity with a unit and bounds in SI."""

    unit: str
    gt: float | None = None
    ge: float | None = None
    lt: float | None = None
    le: float | None = None

    def parse(self, given: object) -> float:
        """Return the value in SI; raises ValueError."""
        value = parse_quantity(given, self.unit)
        if (
            (self.gt is not None and not value > self.gt)
            or (self.ge is not None and not value >= self.ge)
            or (self.lt is not None and not value < self.lt)
            or (self.le is not None and not value <= self.le)
        ):
            raise ValueError(f"must be {self.bounds()}")
        return value

    def bounds(self) -> str:
        """Return the bounds as text: `above 0 kg`, `at least 0 and at most 1`."""
        named = (("above", self.gt), ("at least", self.ge), ("below", self.lt), ("at most", self.le))
        words = " and ".join(f"{word} {bound:g}" for word, bound in named if bound is not None)
        return words if self.unit == "1" else f"{words} {self.unit}"

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return _schema_of(self.parse)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        bounds = {
            "exclusiveMinimum": self.gt,
            "minimum": self.ge,
            "exclusiveMaximum": self.lt,
            "maximum": self.le,
        }
        number = {"type": "number"} | {key: bound for key, bound in bounds.items() if bound is not None}
        what = described(self.unit)
        allowed = f", {self.bounds()}" if len(number) > 1 else ""
        return {
            "anyOf": [number, {"type": "string", "pattern": rf"^\s*{NUMBER.pattern}"}],
            "description": f"{what[0].upper()}{what[1:]}{allowed}.",
            "x-unit": self.unit,
        }


class Measured(float):
    """A value in SI, with the kind of joint motion that its unit belongs to."""

    motion: str | None
    """`sliding`, `turning`, or None for a number without unit, which fits both."""
    unit: str | None
    """SI unit of the quantity, such as `m/s`; None for a number without unit."""

    def __new__(cls, value: float, motion: str | None = None, unit: str | None = None) -> "Measured":
        """Create the float with its motion and unit."""
        self = super().__new__(cls, value)
        self.motion, self.unit = motion, unit
        return self


@dataclass(frozen=True)
class JointQuantity:
    """Annotation of a float field along a joint; its unit depends on whether the joint slides or turns."""

    sliding: Quantity
    turning: Quantity

    def parse(self, given: object) -> Measured:
        """Return the value in SI with the motion that its unit belongs to; raises ValueError."""
        if isinstance(given, Measured):
            return given
        if not isinstance(given, str) or NUMBER.fullmatch(given.strip()):
            return Measured(self.sliding.parse(given))
        try:
            return Measured(self.sliding.parse(given), "sliding", self.sliding.unit)
        except ValueError as wrong:
            try:
                parse_quantity(given, self.turning.unit)
            except ValueError:
                raise ValueError(f"{wrong} (for a joint that turns: {self.turning.unit})") from None
        return Measured(self.turning.parse(given), "turning", self.turning.unit)

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return _schema_of(self.parse)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {
            "anyOf": [{"type": "number"}, {"type": "string", "pattern": rf"^\s*{NUMBER.pattern}"}],
            "description": f"{self.sliding.unit} where the joint slides, {self.turning.unit} where it turns.",
        }


JointPosition = Annotated[float, JointQuantity(Quantity("m"), Quantity("rad"))]
JointSpeed = Annotated[float, JointQuantity(Quantity("m/s"), Quantity("rad/s"))]
PositiveJointSpeed = Annotated[float, JointQuantity(Quantity("m/s", gt=0), Quantity("rad/s", gt=0))]
SLOWEST_SLIP = 1e-6
"""Least speed [m/s, rad/s] below which friction may be reduced: ten times what step control tolerates by default.

Runs with less go on until they have used up their steps.
"""
JointFrictionSpeed = Annotated[
    float, JointQuantity(Quantity("m/s", ge=SLOWEST_SLIP), Quantity("rad/s", ge=SLOWEST_SLIP))
]
PositiveJointAcceleration = Annotated[
    float, JointQuantity(Quantity("m/s^2", gt=0), Quantity("rad/s^2", gt=0))
]
PositiveJointJerk = Annotated[float, JointQuantity(Quantity("m/s^3", gt=0), Quantity("rad/s^3", gt=0))]
NonNegativeJointPosition = Annotated[float, JointQuantity(Quantity("m", ge=0), Quantity("rad", ge=0))]
PositiveJointPosition = Annotated[float, JointQuantity(Quantity("m", gt=0), Quantity("rad", gt=0))]
JointForce = Annotated[float, JointQuantity(Quantity("N"), Quantity("N*m"))]
NonNegativeJointForce = Annotated[float, JointQuantity(Quantity("N", ge=0), Quantity("N*m", ge=0))]
PositiveJointForce = Annotated[float, JointQuantity(Quantity("N", gt=0), Quantity("N*m", gt=0))]
JointStiffness = Annotated[float, JointQuantity(Quantity("N/m", ge=0), Quantity("N*m/rad", ge=0))]
PositiveJointStiffness = Annotated[float, JointQuantity(Quantity("N/m", gt=0), Quantity("N*m/rad", gt=0))]
JointDamping = Annotated[float, JointQuantity(Quantity("N*s/m", ge=0), Quantity("N*m*s/rad", ge=0))]

Mass = Annotated[float, Quantity("kg", ge=0)]
PositiveMass = Annotated[float, Quantity("kg", gt=0)]
Length = Annotated[float, Quantity("m")]
PositiveLength = Annotated[float, Quantity("m", gt=0)]
NonNegativeLength = Annotated[float, Quantity("m", ge=0)]
Time = Annotated[float, Quantity("s")]
PositiveTime = Annotated[float, Quantity("s", gt=0)]
NonNegativeTime = Annotated[float, Quantity("s", ge=0)]
Speed = Annotated[float, Quantity("m/s")]
PositiveSpeed = Annotated[float, Quantity("m/s", gt=0)]
FrictionSpeed = Annotated[float, Quantity("m/s", ge=SLOWEST_SLIP)]
NonNegativeSpeed = Annotated[float, Quantity("m/s", ge=0)]
Acceleration = Annotated[float, Quantity("m/s^2")]
Angle = Annotated[float, Quantity("rad")]
NonNegativeAngle = Annotated[float, Quantity("rad", ge=0)]
AngularRate = Annotated[float, Quantity("rad/s")]
PositiveAngularRate = Annotated[float, Quantity("rad/s", gt=0)]
Frequency = Annotated[float, Quantity("Hz", ge=0)]
PositiveFrequency = Annotated[float, Quantity("Hz", gt=0)]
Force = Annotated[float, Quantity("N")]
PositiveForce = Annotated[float, Quantity("N", gt=0)]
NonNegativeForce = Annotated[float, Quantity("N", ge=0)]
Torque = Annotated[float, Quantity("N*m")]
PositiveTorque = Annotated[float, Quantity("N*m", gt=0)]
Stiffness = Annotated[float, Quantity("N/m", ge=0)]
PositiveStiffness = Annotated[float, Quantity("N/m", gt=0)]
Damping = Annotated[float, Quantity("N*s/m", ge=0)]
AngularStiffness = Annotated[float, Quantity("N*m/rad", ge=0)]
AngularDamping = Annotated[float, Quantity("N*m*s/rad", ge=0)]
PositiveArealStiffness = Annotated[float, Quantity("N/m^3", gt=0)]
ArealDamping = Annotated[float, Quantity("N*s/m^3", ge=0)]
Inertia = Annotated[float, Quantity("kg*m^2")]
PositivePressure = Annotated[float, Quantity("Pa", gt=0)]

Number = Annotated[float, Quantity("1")]
"""A dimensionless number; unlike `float` it refuses true, NaN and infinity."""
PositiveNumber = Annotated[float, Quantity("1", gt=0)]
NonNegativeNumber = Annotated[float, Quantity("1", ge=0)]
Fraction = Annotated[float, Quantity("1", ge=0, le=1)]

Integer = Annotated[int, Strict()]
"""An integer; unlike `int` it refuses `true`, `"5"` and `5.0`."""
Flag = Annotated[bool, Strict()]
"""true or false; unlike `bool` it refuses `"yes"` and 1."""

T = TypeVar("T")
Vector3 = tuple[T, T, T]
"""Three components: `Vector3[Length]`, `Vector3[Number]`."""
