"""Unit systems in which values are displayed: automatic, SI, mm/deg and imperial.

Values are SI inside the program and in JSON. A unit system only says in which units people read them.
"""

import functools
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from softdock.errors import InputError
from softdock.quantities.units import UNIT_SYSTEMS, parse_unit, unit_system_name

SMALLEST_SHOWN = 1e-3
"""Value in the smallest unit of a scale below which the SI unit with an exponent is displayed."""
_SYMBOL = re.compile(r"[A-Za-z%]+")
_SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


class DisplayUnit(NamedTuple):
    """A unit in which values are displayed, and the factor from SI to it."""

    symbol: str
    factor: float


def _scale(*choices: tuple[str, float]) -> tuple[DisplayUnit, ...]:
    return tuple(DisplayUnit(*choice) for choice in choices)


DISPLAY_UNITS: dict[str, tuple[DisplayUnit, ...]] = {
    "m": _scale(("m", 1.0), ("mm", 1e3), ("µm", 1e6)),
    "m/s": _scale(("m/s", 1.0), ("mm/s", 1e3), ("µm/s", 1e6)),
    "m^2": _scale(("m²", 1.0), ("cm²", 1e4), ("mm²", 1e6)),
    "N": _scale(("kN", 1e-3), ("N", 1.0), ("mN", 1e3)),
    "N*m": _scale(("N·m", 1.0), ("mN·m", 1e3)),
    "N*s": _scale(("N·s", 1.0), ("mN·s", 1e3)),
    "N*m/rad": _scale(("N·m/rad", 1.0)),
    "J": _scale(("J", 1.0), ("mJ", 1e3), ("µJ", 1e6)),
    "Pa": _scale(("MPa", 1e-6), ("kPa", 1e-3), ("Pa", 1.0)),
    "s": _scale(("s", 1.0), ("ms", 1e3), ("µs", 1e6)),
    "rad": _scale(("deg", 180.0 / math.pi)),
    "rad/s": _scale(("deg/s", 180.0 / math.pi)),
    "1": _scale(("", 1.0)),
}
"""Units of the automatic system by SI unit, largest first; an SI unit without an entry displays as itself."""
COMMON_UNITS = (
    *DISPLAY_UNITS, "kg", "kg*m^2", "m/s^2", "rad/s^2", "m/s^3", "rad/s^3", "N/m", "N*s/m", "N*m*s/rad", "N*m*s",
    "N/m^3", "Hz", "W",
)  # fmt: skip
"""SI units of channels, metrics and fields of scenarios."""


@dataclass(frozen=True)
class UnitSystem:
    """A choice of display units: one unit for each quantity, or a scale of units to choose from by size."""

    name: str
    scales: Mapping[str, tuple[DisplayUnit, ...]] = field(default_factory=dict)
    """Units by SI unit, largest first, from which the size of the values chooses one."""
    units: Mapping[str, str] = field(default_factory=dict)
    """Display units of whole SI units: `J` as `ft*lbf`."""
    symbols: Mapping[str, str] = field(default_factory=dict)
    """Display units of the symbols in all other SI units: `m` as `mm`, also in `m/s^2` and `N/m`."""

    def choose(self, unit: str, largest: float) -> DisplayUnit:
        """Return the display unit of values up to `largest` [SI] of an SI unit."""
        unit = unit or "1"
        choices = self.scales.get(unit)
        if choices is None:
            return self._fixed_unit(unit)
        base = next((choice for choice in choices if choice.factor == 1.0), choices[0])
        if not math.isfinite(largest) or abs(largest) * choices[-1].factor < SMALLEST_SHOWN:
            return base  # also zero, which has no size to choose by
        return next((choice for choice in choices if abs(largest) * choice.factor >= 1.0), choices[-1])

    def table(self) -> dict[str, tuple[DisplayUnit, ...]]:
        """Return the display units of all SI units that channels and metrics have, for programs in other languages."""
        return {unit: self.scales.get(unit) or (self.choose(unit, 1.0),) for unit in COMMON_UNITS}

    def _fixed_unit(self, unit: str) -> DisplayUnit:
        return _display_unit(unit, self.units.get(unit) or _replace_symbols(unit, self.symbols))


def _replace_symbols(unit: str, symbols: Mapping[str, str]) -> str:
    return _SYMBOL.sub(lambda symbol: symbols.get(symbol[0], symbol[0]), unit) if symbols else unit


@functools.lru_cache(maxsize=256)
def _display_unit(unit: str, wanted: str) -> DisplayUnit:
    """Return the display unit `wanted` of an SI unit; the SI unit itself where one of them is unknown."""
    if unit == wanted:
        return DisplayUnit(typeset_unit(unit), 1.0)
    try:
        return DisplayUnit(typeset_unit(wanted), parse_unit(unit).factor / parse_unit(wanted).factor)
    except ValueError:
        return DisplayUnit(typeset_unit(unit), 1.0)


def typeset_unit(unit: str) -> str:
    """Return a unit as it is printed: `kg·m²` for `kg*m^2`, nothing for a pure number."""
    if unit == "1":
        return ""
    raised = re.sub(r"\^(-?\d+)(?![\d.])", lambda power: power[1].translate(_SUPERSCRIPTS), unit)
    return raised.replace("*", "·")


_TORQUES = {"N*m": "N*m", "N*m/rad": "N*m/deg", "N*m*s/rad": "N*m*s/deg", "N*m*s": "N*m*s"}
AUTOMATIC = UnitSystem("automatic", scales=DISPLAY_UNITS)
SI = UnitSystem("SI")
MILLIMETRES = UnitSystem(
    "mm/deg",
    units={**_TORQUES, "kg*m^2": "kg*m^2", "N*m^2": "N*m^2", "kg/m^3": "kg/m^3"},
    symbols={"m": "mm", "rad": "deg", "Pa": "MPa"},
)
IMPERIAL = UnitSystem(
    "imperial",
    units={"J": "ft*lbf", "W": "ft*lbf/s"},
    symbols={"m": "in", "rad": "deg", "N": "lbf", "kg": "lb", "Pa": "psi"},
)
SYSTEMS = {system.name: system for system in (AUTOMATIC, SI, MILLIMETRES, IMPERIAL)}
"""All unit systems by name."""


def find_unit_system(given: str, option: str = "--units") -> UnitSystem:
    """Return the unit system of a name as it is given on the command line; raises InputError."""
    try:
        return SYSTEMS[unit_system_name(given)]
    except ValueError:
        message = f"Must be one of {', '.join(UNIT_SYSTEMS)}."
        raise InputError(message, field=option, given=given) from None


def unit_system_of(definition: Mapping[str, Any], given: str | None = None) -> UnitSystem:
    """Return the unit system given on the command line, or else that of a scenario or campaign (plain data)."""
    if given is not None:
        return find_unit_system(given)
    return SYSTEMS.get(str(definition.get("units", "")), AUTOMATIC)
