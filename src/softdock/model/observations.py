"""Quantities of a system by name, as events, records and metrics refer to them: `probe.z in drogue`."""

import re
from dataclasses import dataclass

from softdock.errors import InputError, Problem
from softdock.model.system import WORLD
from softdock.quantities.units import parse_quantity

BODY_FIELDS = {
    "x": "m",
    "y": "m",
    "z": "m",
    "distance": "m",
    "vx": "m/s",
    "vy": "m/s",
    "vz": "m/s",
    "velocity": "m/s",
    "wx": "rad/s",
    "wy": "rad/s",
    "wz": "rad/s",
    "rate": "rad/s",
    "tilt": "rad",
    "qw": "1",
    "qx": "1",
    "qy": "1",
    "qz": "1",
    **dict.fromkeys(("ax", "ay", "az", "acceleration"), "m/s^2"),
    **dict.fromkeys(("alphax", "alphay", "alphaz", "alpha"), "rad/s^2"),
}
"""Of a body's frame, seen from the world or, with `in`, from another body; `distance`, `velocity`, `rate`,
`acceleration` and `alpha` are sizes, `tilt` is the angle between the z axes, q.. the quaternion. Accelerations are
always against the world; `in` only gives the axes."""
JOINT_FIELDS = ("joint", "joint1", "joint2", "joint_rate", "joint_rate1", "joint_rate2")
"""Position and speed along the first, second and third axis of a body's joint."""
REACTION_FIELDS = {
    "force": "N",
    "moment": "N*m",
    **dict.fromkeys(("fx", "fy", "fz"), "N"),
    **dict.fromkeys(("tx", "ty", "tz"), "N*m"),
}
"""Of a frame in `reactions`; with the prefix `joint_` of a body: the wrench that its parent transmits to it through its
joint or fixed mount, at the frame and in its axes."""
CONTACT_FIELDS = {
    "force": "N",
    "depth": "m",
    "area": "m^2",
    "pressure": "Pa",
    "energy": "J",
}
WRENCH_FIELDS = {"moment": "N*m", "fx": "N", "fy": "N", "fz": "N", "tx": "N*m", "ty": "N*m", "tz": "N*m"}
"""Of one contact: force on surface b and its torque about the origin of surface a, in a's axes; of a weld or a lock:
on b at the origin of frame a and in its axes; of a load: about the origin of the world and in its axes. `moment` is the
size of the torque. A strut transmits no torque."""
ZONE_FIELDS = {"force": "N", "area": "m^2", "pressure": "Pa", "fx": "N", "fy": "N", "fz": "N"}
"""Of a part of surface a, `contact/zone` or `contact/number of the segment`; force on surface b in a's axes."""
NODE_FIELDS = {
    **dict.fromkeys(("rx", "ry", "rz"), "rad"),
    **dict.fromkeys(("dx", "dy", "dz", "deflection"), "m"),
    **{f"{name}_rate": "rad/s" for name in ("rx", "ry", "rz")},
    **{f"{name}_rate": "m/s" for name in ("dx", "dy", "dz", "deflection")},
}
"""Of a structure's node, `structure/node`: turn and shift against its body and in body axes, the size of the shift,
and how fast they change."""
INTERFACE_FIELDS = {
    "force": "N",
    "pin_force": "N",
    "depth": "m",
    "contacts": "1",
    "insertion": "m",
    "energy": "J",
    **WRENCH_FIELDS,
}
"""Of all pins together; `pin_force` is the largest on one of them, `insertion` how deep the tip is that is least in;
fx to tz: force on the pins, and its torque about the origin of the holes, in axes of the holes."""
PATTERN = re.compile(
    r"\s*(?:(?P<time>time)|(?P<name>[A-Za-z][\w-]*(?:/\w[\w-]*(?:\.\d+)?)?)\s*\.\s*(?P<field>[A-Za-z]\w*)"
    r"(?:\s+in\s+(?P<frame>[A-Za-z][\w-]*))?)\s*"
)
CONDITION = re.compile(rf"^(?P<what>{PATTERN.pattern})(?P<sign>>=|<=|>|<)(?P<value>.+)$")


@dataclass(frozen=True, kw_only=True)
class Observation:
    """One scalar of a system."""

    name: str
    """Body, element or contact; `time` for the clock."""
    field: str = ""
    frame: str = WORLD
    """Body from which a body is seen."""

    def __str__(self) -> str:
        if self.name == "time":
            return "time"
        seen = f" in {self.frame}" if self.frame != WORLD else ""
        return f"{self.name}.{self.field}{seen}"


@dataclass(frozen=True, kw_only=True)
class Condition:
    """An observation that rises above or falls below a threshold [SI]."""

    observation: Observation
    rising: bool
    threshold: str
    """As written; its unit is checked against the observation when the system is known."""

    def value(self, unit: str) -> float:
        """Return the threshold in SI; raises ValueError with a sentence where the unit does not fit."""
        return parse_quantity(self.threshold.strip(), unit)


def parse_observation(text: str) -> Observation:
    """Read `probe.z in drogue`, `bumper.joint`, `gimbal.energy` or `time`."""
    match = PATTERN.fullmatch(text)
    if not match:
        raise InputError(
            Problem(message="A quantity is `name.field`, `name.field in body` or `time`.", given=repr(text))
        )
    return _observation(match)


def parse_condition(text: str) -> Condition:
    """Read `probe.z in drogue > 80 mm`."""
    match = CONDITION.fullmatch(text)
    if not match:
        raise InputError(
            Problem(
                message="A condition is a quantity, > or <, and a value, like `probe.z in drogue > 80 mm`.",
                given=repr(text),
            )
        )
    return Condition(
        observation=_observation(match),
        rising=match["sign"].startswith(">"),
        threshold=match["value"],
    )


def _observation(match: re.Match[str]) -> Observation:
    if match["time"]:
        return Observation(name="time")
    return Observation(name=match["name"], field=match["field"], frame=match["frame"] or WORLD)
