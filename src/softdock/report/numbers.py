"""Numbers for people: a unit in which the value is neither tiny nor huge, four digits."""

import math

PREFIXES: dict[str, tuple[tuple[str, float], ...]] = {
    "m": (("m", 1.0), ("mm", 1e3), ("µm", 1e6)),
    "m/s": (("m/s", 1.0), ("mm/s", 1e3), ("µm/s", 1e6)),
    "m^2": (("m²", 1.0), ("cm²", 1e4), ("mm²", 1e6)),
    "N": (("kN", 1e-3), ("N", 1.0), ("mN", 1e3)),
    "N*m": (("N·m", 1.0), ("mN·m", 1e3)),
    "N*s": (("N·s", 1.0), ("mN·s", 1e3)),
    "J": (("J", 1.0), ("mJ", 1e3), ("µJ", 1e6)),
    "Pa": (("MPa", 1e-6), ("kPa", 1e-3), ("Pa", 1.0)),
    "s": (("s", 1.0), ("ms", 1e3)),
    "rad": (("deg", 180.0 / math.pi),),
    "rad/s": (("deg/s", 180.0 / math.pi),),
    "1": (("", 1.0),),
}
"""Units shown for an SI unit, largest first; the first in which a value is at least 1 is taken."""


def shown_unit(unit: str, largest: float) -> tuple[str, float]:
    """Return the unit to show values up to `largest` [SI] in, and the factor to it."""
    choices = PREFIXES.get(unit or "1", ((unit, 1.0),))
    return next((choice for choice in choices if abs(largest) * choice[1] >= 1.0), choices[-1])


def number(value: float) -> str:
    """Return a value with up to four digits, without an exponent where that is short."""
    if not math.isfinite(value):
        return "-"
    if value == 0.0 or 1e-3 <= abs(value) < 1e6:
        return f"{value:.4g}" if abs(value) < 1e4 else f"{value:.0f}"
    return f"{value:.3e}"


def with_unit(value: float, unit: str) -> str:
    """Return a value [SI] with the unit that suits it."""
    if value == 0.0:
        return f"0 {shown_unit(unit, 1.0)[0]}".strip()
    name, factor = shown_unit(unit, value)
    return f"{number(value * factor)} {name}".strip()
