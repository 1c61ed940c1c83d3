"""Number formats: SI values in, text in the units of a unit system out."""

import math
from collections.abc import Mapping
from typing import Any

from softdock.presentation.unit_systems import AUTOMATIC, DisplayUnit, UnitSystem

DIGITS = 5
"""Significant digits of a displayed value."""
RESOLVED_SHARE = 1e-3
"""Share of the error that a step may have to which values are displayed: free motion is integrated more accurately
than a step in contact may be, and five digits of any value that matters remain."""
ROUNDING = {"rad": 1e-12, "rad/s": 1e-12}
"""Resolution by SI unit where the motion is solved exactly: angles and rates below are rounding errors."""
MISSING = "-"
"""Text of a value that is absent or not finite."""


def display_unit(unit: str, largest: float, system: UnitSystem = AUTOMATIC) -> DisplayUnit:
    """Return the display unit of values up to `largest` [SI] of an SI unit in a unit system."""
    return system.choose(unit, largest)


def display_resolutions(definition: Mapping[str, Any]) -> dict[str, float]:
    """Return the smallest differences that are displayed [SI] by SI unit, from the accuracy of a scenario (plain data).

    Digits below are errors of the integration; so a rate of 1e-11 rad/s of a body that does not turn is shown as 0.
    """
    from softdock.result.step_errors import step_errors  # imported late: results need NumPy

    return ROUNDING | {
        unit: RESOLVED_SHARE * error for unit, error in step_errors(definition).items() if error > 0.0
    }


def format_number(value: float, resolution: float = 0.0) -> str:
    """Return a number with `DIGITS` significant digits, without an exponent between 0.0001 and a million.

    A value below the resolution, which is in the same unit, is 0; decimal places below it are left out.
    """
    if not math.isfinite(value):
        return MISSING
    if abs(value) < resolution:
        return "0"
    if resolution > 0.0:
        value = round(value, math.floor(1e-9 - math.log10(resolution)))
    return f"{value:.0f}" if 10.0**DIGITS <= abs(value) < 1e6 else f"{value:.{DIGITS}g}"


def format_quantity(
    value: float | None, unit: str, system: UnitSystem = AUTOMATIC, resolution: float = 0.0
) -> str:
    """Return a value [SI] of an SI unit as text with its display unit, for example `12.7 mm`; resolution in SI."""
    if value is None or not math.isfinite(value):
        return MISSING
    symbol, factor = display_unit(unit, value if abs(value) >= resolution else 0.0, system)
    return f"{format_number(value * factor, resolution * factor)} {symbol}".strip()


def has_error(value: Any, error: float | None) -> bool:
    """Return whether a value is shown with its error: both are finite numbers, and the error is not 0."""
    if error is None or isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return math.isfinite(value) and math.isfinite(error) and error > 0.0


def format_number_with_error(value: float, error: float | None, resolution: float = 0.0) -> str:
    """Return a number with its error, for example `349.8 ± 0.2`; without an error the number alone.

    The error has one significant digit, two if the first is 1; the number has no digits below it, and at most one more
    than `DIGITS`.
    """
    if error is None or not has_error(value, error):
        return format_number(value, resolution)
    leading = math.floor(math.log10(error))
    places = 1 - leading if error < 1.95 * 10.0**leading else -leading
    largest = math.floor(math.log10(max(abs(value), error)))
    number, size = round(value, places) + 0.0, round(error, places)  # 0.0: no negative zero
    if 0 <= places <= DIGITS and largest < 6 and largest + places <= DIGITS + 1:
        return f"{number:.{places}f} ± {size:.{places}f}"
    return f"{format_number(number)} ± {format_number(size)}"


def format_with_error(
    value: float | None,
    error: float | None,
    unit: str,
    system: UnitSystem = AUTOMATIC,
    resolution: float = 0.0,
) -> str:
    """Return a value with its error [SI] of an SI unit, for example `349.8 N ± 0.2 N`."""
    if value is None or error is None or not has_error(value, error):
        return format_quantity(value, unit, system, resolution)
    symbol, factor = display_unit(unit, max(abs(value), error), system)
    return " ± ".join(
        f"{number} {symbol}".strip()
        for number in format_number_with_error(value * factor, error * factor).split(" ± ")
    )


def format_value(value: Any, factor: float = 1.0, resolution: float = 0.0, error: float | None = None) -> str:
    """Return a value of any type as text; numbers, and their error, are multiplied by the factor of their unit."""
    if error is not None and has_error(value, error):
        return format_number_with_error(value * factor, error * factor)
    match value:
        case None:
            return MISSING
        case bool():
            return "yes" if value else "no"
        case int() if factor == 1.0:
            return str(value)
        case int() | float():
            return format_number(value * factor, resolution * factor)
        case list() | tuple():
            return ", ".join(format_value(item, factor, resolution) for item in value)
        case _:
            return str(value)


def format_share(share: float) -> str:
    """Return a fraction (0 to 1) in per cent with one decimal place."""
    return f"{share:.1%}"


def format_confidence(confidence: float) -> str:
    """Return a probability or confidence (0 to 1) in per cent with as many digits as it has."""
    return f"{format_number(100.0 * confidence)} %"


def format_change(change: float) -> str:
    """Return a relative change with its sign and two significant digits; infinite where the value was 0."""
    if not math.isfinite(change):
        return "" if math.isnan(change) else "from 0"
    return "0" if change == 0.0 else f"{change:+.1e}"


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
