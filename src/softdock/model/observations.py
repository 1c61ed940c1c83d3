"""Quantities of a system by name, as events, records and metrics refer to them: `probe.z in drogue`."""

import dataclasses
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
CONTROLLER_FIELDS = {
    "propellant": "kg",
    "thrust": "N",
    "mode": "1",
    "reference": "m",
    "reference_speed": "m/s",
    "violations": "1",
    "position_error": "m",
    "speed_error": "m/s",
    "angle_error": "rad",
    "rate_error": "rad/s",
    "position_estimate_error": "m",
    "speed_estimate_error": "m/s",
    "angle_estimate_error": "rad",
    "propellant_left": "kg",
    "corridor": "m",
}
"""Of a body with a controller: propellant used, force of its thrusters, number of the mode (0 drift, 1 approach,
2 hold, 3 retreat, 4 thrust, 5 stabilise, 6 transfer), distance of the reference from the port, number of times that the
corridor was left or a gate was not passed in time, errors of control and of the estimate at the last sample,
propellant left in a tank of limited size, distance of the tip from the border of the corridor (negative outside)."""
NAVIGATION_FIELDS = {
    **dict.fromkeys(("estimate_x", "estimate_y", "estimate_z", "position_sigma"), "m"),
    "speed_sigma": "m/s",
    "angle_sigma": "rad",
    "lost_measurements": "1",
}
"""Of a body whose controller has `navigation`: estimated position of the tip in port axes, standard deviations that
the filters state (root of the sum of the variances along three axes), number of measurements that were lost."""
THRUSTER_FIELDS = {"on_time": "s", "firings": "1"}
"""Of a thruster, `body/thruster`: time for which it has been on since the start, and number of its pulses."""
ORBIT_FIELDS = {"sunlight": "1"}
"""Of the frame `hill`: visible fraction of the Sun's disc at its origin."""
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
COUPLING_FIELDS = {
    "stroke": "m",
    "force": "N",
    "misalignment": "m",
    "angle": "rad",
    "mated": "1",
    "jammed": "1",
    "missed": "1",
    "energy": "J",
    **WRENCH_FIELDS,
}
"""Of a coupling: travel of the plug into the socket, size of its force, distance of its tip from the axis of the
socket, angle between the axes, whether it is mated, jammed or beside its socket (1 or 0); fx to tz: force on the plug,
and its torque about the origin of the socket, in axes of the socket."""
DRIVE_FIELDS = ("command", "command_speed", "lag", "power", "stalled")
"""Of a drive: its command and the speed of that, the size of its error, the power of the motor, and whether it is
stalled: positive while it is."""
SIGNED_FIELDS = ("stalled", "mated", "jammed", "missed")
"""Fields whose sign is a condition: `motor.stalled` is true while it is positive, `coupling.mated` while it is 1."""
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
"""Of all pins together; `pin_force` is the largest on one of them, `insertion` that of the pin that is inserted least;
fx to tz: force on the pins, and its torque about the origin of the holes, in axes of the holes."""
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
            Problem(
                message="A quantity is `name.field`, `name.field in body`, `body@[x, y, z].field` or `time`.",
                given=repr(text),
            )
        )
    try:
        return observation_of(match)
    except ValueError as error:
        raise InputError(Problem(message=str(error), given=repr(text))) from None


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
