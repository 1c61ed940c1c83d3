"""Number formats and the table of display units: SI values in, text out."""

import math
from typing import Any, NamedTuple

DIGITS = 5
"""Significant digits of a displayed value."""
MISSING = "-"
"""Text of a value that is absent or not finite."""


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
"""Units in which values of an SI unit are displayed, largest first; an SI unit without an entry displays as itself."""


def display_unit(unit: str, largest: float) -> DisplayUnit:
    """Return the display unit of values up to `largest` [SI]: the first in which that is at least 1, else the last."""
    choices = DISPLAY_UNITS.get(unit or "1", (DisplayUnit(unit, 1.0),))
    if largest == 0.0:  # no size to choose by
        return next((choice for choice in choices if choice.factor == 1.0), choices[0])
    return next((choice for choice in choices if abs(largest) * choice.factor >= 1.0), choices[-1])


def format_number(value: float) -> str:
    """Return a number with `DIGITS` significant digits, without an exponent between 0.0001 and a million."""
    if not math.isfinite(value):
        return MISSING
    return f"{value:.0f}" if 10.0**DIGITS <= abs(value) < 1e6 else f"{value:.{DIGITS}g}"


def format_quantity(value: float, unit: str) -> str:
    """Return a value [SI] of an SI unit as text with its display unit, for example `12.7 mm`."""
    if not math.isfinite(value):
        return MISSING
    symbol, factor = display_unit(unit, value)
    return f"{format_number(value * factor)} {symbol}".strip()


def format_value(value: Any, factor: float = 1.0) -> str:
    """Return a value of any type as text; numbers are multiplied by the factor of their display unit."""
    match value:
        case None:
            return MISSING
        case bool():
            return "yes" if value else "no"
        case int() if factor == 1.0:
            return str(value)
        case int() | float():
            return format_number(value * factor)
        case list() | tuple():
            return ", ".join(format_value(item, factor) for item in value)
        case _:
            return str(value)


def format_share(share: float) -> str:
    """Return a fraction (0 to 1) in per cent with one decimal place."""
    return f"{share:.1%}"


def format_error(error: float | None) -> str:
    """Return a relative error with two significant digits; None is an error that is not defined."""
    return "does not apply" if error is None else f"{error:.1e}"


def format_time(time: float) -> str:
    """Return an instant of a run [s] with four decimal places: instants of one list have the same unit."""
    return f"{time:.4f} s"


def format_duration(seconds: float) -> str:
    """Return a remaining or elapsed wall time [s] in whole seconds, minutes and hours."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"
