"""Quantities of a system by name, as events, records and metrics refer to them: `probe.z in drogue`."""

import dataclasses
import re
from dataclasses import dataclass

from softdock.errors import InputError
from softdock.model.system import WORLD
from softdock.quantities.units import parse_quantity

SIGNED_FIELDS = ("stalled", "mated", "jammed", "missed")
"""Fields whose sign is a condition: `motor.stalled` is true while it is positive, `coupling.mated` while it is 1."""
_POINT = r"(?:\s*@\s*\[(?P<{0}>[^\[\]]*)\])?"
QUANTITY = re.compile(
    r"(?P<name>[A-Za-z][\w-]*(?:/\w[\w-]*(?:\.\d+)?)?)"
    + _POINT.format("point")
    + r"\s*\.\s*(?P<field>[A-Za-z][A-Za-z0-9_]*)"
    r"(?:\s+in\s+(?P<frame>[A-Za-z][\w-]*)" + _POINT.format("frame_point") + ")?"
)
"""A quantity other than `time`: `probe.z`, `probe.z in drogue`, `rod@[0, 0, 150 mm].z in drogue`."""
Point = tuple[float, float, float]


@dataclass(frozen=True, kw_only=True)
class Observation:
    """One scalar of a system."""

    name: str
    """Body, element or contact; `time` for the clock."""
    field: str = ""
    frame: str = WORLD
    """Body from which a body is seen."""
    point: Point | None = None
    """Point of the body that is observed, in its frame [m]; None: the origin of its frame."""
    frame_point: Point | None = None
    """Point of the other body from which it is seen [m]; None: the origin of its frame."""
    at: int = dataclasses.field(default=0, compare=False)
    """Place of the quantity in its text, for messages."""

    @property
    def has_points(self) -> bool:
        """Whether it is about a point other than the origins of frames."""
        return self.point is not None or self.frame_point is not None

    def __str__(self) -> str:
        if self.name == "time" and not self.field:
            return "time"
        seen = f" in {self.frame}{_at_point(self.frame_point)}"
        own = self.frame == WORLD and self.frame_point is None
        return f"{self.name}{_at_point(self.point)}.{self.field}{'' if own else seen}"


def _at_point(point: Point | None) -> str:
    return "" if point is None else f"@[{', '.join(f'{x:.12g}' for x in point)}]"


def parse_observation(text: str) -> Observation:
    """Read `probe.z in drogue`, `rod@[0, 0, 150 mm].z`, `bumper.joint`, `gimbal.energy` or `time`."""
    plain = text.strip()
    if plain == "time":
        return Observation(name="time")
    match = QUANTITY.fullmatch(plain)
    if not match:
        raise InputError(
            "A quantity is `name.field`, `name.field in body`, `body@[x, y, z].field` or `time`.",
            given=repr(text),
        )
    try:
        return observation_of(match)
    except ValueError as error:
        raise InputError(str(error), given=repr(text)) from None


def observation_of(match: re.Match[str]) -> Observation:
    """Return the observation of a match of `QUANTITY`; raises ValueError for a point that is none."""
    return Observation(
        name=match["name"],
        field=match["field"],
        frame=match["frame"] or WORLD,
        point=_point(match["point"]),
        frame_point=_point(match["frame_point"]),
        at=match.start(),
    )


def _point(text: str | None) -> Point | None:
    """Return the coordinates of a point in SI."""
    if text is None:
        return None
    parts = text.split(",")
    if len(parts) != 3:
        raise ValueError(f"a point has three coordinates, as in `[0, 0, 150 mm]`, and not {len(parts)}")
    try:
        x, y, z = (parse_quantity(part.strip(), "m") for part in parts)
    except ValueError as error:
        raise ValueError(f"a coordinate of the point [{text.strip()}] {error}") from None
    return x, y, z
