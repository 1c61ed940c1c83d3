"""Similarity scaling of multibody scenarios: a laboratory test of another mass, size and speed.

Mass, length and time are multiplied by three factors, and every quantity by the product of their powers in its
unit. All dimensionless numbers stay, but for those of effects that a laboratory does not scale.
"""

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from softdock.elements.registry import ELEMENT_KINDS
from softdock.errors import InputError
from softdock.geometry.profile import Arc, Profile
from softdock.quantities.units import parse_unit
from softdock.scenario.field_units import unit_at
from softdock.scenario.multibody import MultibodyScenario

GRAVITY = 9.80665  # m/s^2
TEXTS = ("when", "until", "otherwise")
"""Keys whose texts contain quantities with units; metrics do, too."""
QUANTITY = re.compile(r"(?<![\w.])(\d+\.?\d*(?:[eE][-+]?\d+)?)\s+([A-Za-zµ°][\w/*^µ°]*)")
FILE_KEYS = ("file", "side", "part", "unit", "axis", "z_range", "ignore", "shape")
LEFT_OUT = ("requirements", "sources", "orbit", "units", "base")


@dataclass(frozen=True)
class Scales:
    """Scaled over full quantity, of mass, length and time."""

    mass: float
    length: float
    time: float

    @classmethod
    def of(
        cls,
        mass: float,
        length: float,
        *,
        speed: float | None = None,
        time: float | None = None,
        stiffness: float | None = None,
    ) -> "Scales":
        """Return the scales from those of mass and length and one of speed, time and stiffness; speed 1 if none.

        Stiffness is that of a spring along a line; it is mass over time squared.
        """
        given = {"--speed": speed, "--time": time, "--stiffness": stiffness}
        for option, value in {"--mass": mass, "--length": length, **given}.items():
            if value is not None and not 1e-9 <= value <= 1e9:
                message = "Must be a factor between 1e-9 and 1e9: scaled over full value."
                raise InputError(message, field=option, given=f"{value:g}")
        chosen = [option for option, value in given.items() if value is not None]
        if len(chosen) > 1:
            message = f"Give only one of {', '.join(chosen)}: with mass and length it determines the others."
            raise InputError(message, field=chosen[1])
        if time is not None:
            return cls(mass, length, time)
        if stiffness is not None:
            return cls(mass, length, (mass / stiffness) ** 0.5)  # Eq. (S2)
        return cls(mass, length, length / (1.0 if speed is None else speed))

    def factor(self, unit: str) -> float:
        """Return the factor of a quantity by its unit."""
        length, mass, time, *_ = parse_unit(unit).dimension  # angles and cycles have no scale
        return float(self.mass**mass * self.length**length * self.time**time)  # Eq. (S1)


def scaled_data(scenario: MultibodyScenario, scales: Scales) -> dict[str, Any]:
    """Return the data of the scaled scenario, from which it can be loaded.

    Surfaces of files become profiles. The orbit is left out, and so are requirements, which hold for the full system.
    """
    data = scenario.to_data()
    for name, surface in data.get("surfaces", {}).items():
        data["surfaces"][name] = _surface(scenario, name, surface, scales)
    kept = {key: data.pop(key) for key in ("surfaces",) if key in data}
    for key in LEFT_OUT:
        data.pop(key, None)
    scaled = {key: _scaled(scenario, key, value, scales) for key, value in data.items()}
    return scaled | kept


def _scaled(scenario: MultibodyScenario, path: str, value: Any, scales: Scales) -> Any:
    """Return one value of the data with all that it contains."""
    if isinstance(value, dict):
        return {key: _scaled(scenario, f"{path}.{key}", part, scales) for key, part in value.items()}
    if isinstance(value, list):
        return [_scaled(scenario, f"{path}.{i}", part, scales) for i, part in enumerate(value)]
    if isinstance(value, str):
        keys = path.split(".")
        return scaled_text(value, scales) if keys[-1] in TEXTS or keys[0] == "metrics" else value
    if isinstance(value, bool) or not isinstance(value, int | float) or value == 0:
        return value
    unit = unit_at(scenario, path)
    return value * scales.factor(unit) if unit else value


def scaled_text(text: str, scales: Scales) -> str:
    """Return an expression with its quantities scaled, in the units in which they are written."""

    def replaced(match: re.Match[str]) -> str:
        try:
            factor = scales.factor(match[2])
        except ValueError:
            return match[0]  # a word, such as `2 and`
        return f"{float(match[1]) * factor:.12g} {match[2]}"

    return QUANTITY.sub(replaced, text)


def _surface(scenario: MultibodyScenario, name: str, data: dict[str, Any], scales: Scales) -> dict[str, Any]:
    """Return the data of a scaled surface; the meridian of a file is written as a profile."""
    surface = scenario.surfaces[name]
    factor = scales.length
    data = {key: value for key, value in data.items() if value is not None}
    if "profile" not in data:
        profile, pose = surface.read(Path(scenario.directory))
        if abs(pose.p).max() > 1e-9 or abs(pose.R - [[1, 0, 0], [0, 1, 0], [0, 0, 1]]).max() > 1e-9:
            message = (
                "Its axis is not the z axis of the file; its meridian has no place in the scaled scenario."
            )
            raise InputError(
                message, field=f"surfaces.{name}.file", hint="Export the part with its axis along z."
            )
        data = {key: value for key, value in data.items() if key not in FILE_KEYS}
        data["profile"] = _vertices(profile)
    return {
        key: _multiplied(value, factor) if key in ("profile", "zones", "at") else value
        for key, value in data.items()
    }


def _multiplied(value: Any, factor: float) -> Any:
    """Return lengths in lists and mappings times a factor."""
    if isinstance(value, dict):
        return {key: _multiplied(part, factor) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_multiplied(part, factor) for part in value]
    return value * factor if isinstance(value, int | float) and not isinstance(value, bool) else value


def _vertices(profile: Profile) -> list[Any]:
    """Return a profile as the list of vertices of the key `profile`."""
    listed: list[Any] = [list(profile.segments[0].start)]
    for segment in profile.segments:
        end = list(segment.end)
        is_arc = isinstance(segment, Arc)
        listed.append({"arc_to": end, "through": list(segment.point(0.5))} if is_arc else end)
    return listed


@dataclass(frozen=True)
class Number:
    """A dimensionless number of a scenario: a quantity over that of mass, length and speed of reference."""

    name: str
    unit: str
    full: float
    scaled: float
    """The quantity itself, in SI."""
    number: float
    """The dimensionless number of the full system."""
    kept: bool
    reason: str = ""
    """Why it is not kept."""


def numbers(
    scenario: MultibodyScenario, scales: Scales, *, friction: float = 0.0, tilt: float = 0.0
) -> list[Number]:
    """Return dimensionless numbers of masses, elements, contacts and approach, and those that are not kept.

    `friction` of the air bearings (coefficient) and `tilt` of the table [rad] are those of the laboratory.
    """
    mass, speed = reference(scenario)
    base = Scales(mass, 1.0, 1.0 / speed)
    found = []
    for path, value in _quantities(scenario):
        unit = unit_at(scenario, path)
        if unit and value:
            scaled = value * scales.factor(unit)
            found.append(Number(path, unit, value, scaled, value / base.factor(unit), True))
    reached = scales.length / scales.time
    for name, size, reason in (
        ("gravity along the table", GRAVITY * tilt, "tilt of the table"),
        ("friction of the air bearings", GRAVITY * friction, "friction of the bearings, for each weight"),
    ):
        if size:
            number = size * scales.length / (reached * speed) ** 2  # Eq. (S3)
            found.append(Number(name, "m/s^2", 0.0, size, number, False, reason))
    if scenario.orbit is not None:
        found.append(Number("orbit", "1", 0.0, 0.0, 0.0, False, "a table does not orbit: left out"))
    return found


def reference(scenario: MultibodyScenario) -> tuple[float, float]:
    """Return mass [kg] and speed [m/s] of reference: those of the approach, or the heaviest body and 1 m/s."""
    masses = [body.mass for body in scenario.bodies.values() if body.mass]
    if not masses:
        raise InputError("No body has a mass.", field="bodies")
    approach = scenario.approach
    if approach is None:
        return max(masses), 1.0
    return scenario.bodies[approach.chaser].mass or max(masses), approach.speed or 1.0


def _quantities(scenario: MultibodyScenario) -> Iterator[tuple[str, float]]:
    """Yield path and value [SI] of numbers that decide about the motion."""
    data = scenario.to_data()
    for group in (
        "bodies",
        *(kind.group for kind in ELEMENT_KINDS.values()),
        "contacts",
        "interfaces",
        "approach",
    ):
        yield from _leaves(group, data.get(group))


def _leaves(path: str, value: Any) -> Iterator[tuple[str, float]]:
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _leaves(f"{path}.{key}", part)
    elif isinstance(value, list):
        for i, part in enumerate(value):
            yield from _leaves(f"{path}.{i}", part)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path, float(value)


GEOMETRY = ("1", "m", "rad", "kg*m^2")
"""Units of numbers that are listed by --json only."""
UNITS = ("kg", "m", "s", "m/s", "N", "N/m", "N*m/rad", "N*s/m", "N/m^3", "N*m", "Hz")


def lines(scales: Scales, found: list[Number], most: int) -> list[str]:
    """Return factors and dimensionless numbers as lines; of those that are kept at most `most`."""
    text = ["Factors, scaled over full: " + ", ".join(f"{unit} {scales.factor(unit):.4g}" for unit in UNITS)]
    kept = [number for number in found if number.kept and number.unit not in GEOMETRY]
    width = max((len(number.name) for number in found), default=0)
    text.append(
        f"Kept, besides lengths and angles ({len(kept)}): full value, scaled value, dimensionless number"
    )
    text += [
        f"  {number.name:<{width}}  {number.full:>11.4g} {number.scaled:>11.4g} {number.unit:<12} {number.number:.5g}"
        for number in kept[:most]
    ]
    if len(kept) > most:
        text.append(f"  and {len(kept) - most} more (--json lists all, also lengths and angles)")
    text.append("Not kept:")
    text += [
        f"  {number.name:<{width}}  {number.scaled:.4g} {number.unit}, number {number.number:.4g}: {number.reason}"
        for number in found
        if not number.kept
    ]
    factor = scales.factor("N/m^3")
    text.append(
        f"  materials: contact layers need {factor:.4g} times the areal stiffness; the same material has it with "
        f"{1.0 / factor:.4g} times the thickness"
    )
    text.append("  motion out of the plane of a table; delays and noise of real actuators and sensors")
    return text


def to_json(scales: Scales, found: list[Number]) -> dict[str, Any]:
    """Return factors and dimensionless numbers as plain data."""
    return {
        "factors": {unit: scales.factor(unit) for unit in UNITS},
        "numbers": [
            {
                "name": number.name,
                "unit": number.unit,
                "full": number.full,
                "scaled": number.scaled,
                "number": number.number,
                "kept": number.kept,
                "reason": number.reason,
            }
            for number in found
        ],
    }


def add_table(data: dict[str, Any], friction: float, tilt: float) -> None:
    """Add friction of the air bearings (coefficient) and tilt of the table [rad] to bodies on planar joints.

    The bearings carry the weight of the body and of all that it carries; friction about the vertical axis is left out.
    """
    bodies = data["bodies"]
    tables = [name for name, body in bodies.items() if body["joint"]["type"] == "planar"]
    if not tables:
        raise InputError(
            "Needs bodies on planar joints, as in assist-planar.", field="--bearing-friction, --tilt"
        )
    if tilt:
        data["gravity"] = [GRAVITY * math.sin(tilt), 0.0, -GRAVITY * math.cos(tilt)]
    for name in tables if friction else ():
        carried = sum(body["mass"] for other, body in bodies.items() if _stands_on(bodies, other, name))
        for axis, label in enumerate("xy"):
            spring = {"joint": name, "axis": axis, "friction": friction * carried * GRAVITY}
            data["springs"][f"{name}-bearing-{label}"] = spring


def _stands_on(bodies: dict[str, Any], body: str, base: str) -> bool:
    """Return whether a body is another one or connected to it by joints."""
    while body != base and body in bodies:
        body = bodies[body]["parent"]
    return body == base


def scaled_text_of(
    scenario: MultibodyScenario, scales: Scales, name: str, *, friction: float = 0.0, tilt: float = 0.0
) -> str:
    """Return the scaled scenario as the text of a file, which is YAML, with friction and tilt of a table."""
    data = scaled_data(scenario, scales)
    if friction or tilt:
        add_table(data, friction, tilt)
    factors = f"mass {scales.mass:.6g}, length {scales.length:.6g}, time {scales.time:.6g}"
    data |= {"title": f"{scenario.title}, scaled: {factors}"}
    body = json.dumps({"softdock": 1, "kind": "multibody"} | data, indent=1)
    return f"# {name}, scaled by softdock scale: {factors}. Values are in SI.\n{body}\n"
