"""Quantities with units: `12.7 mm`, `1.0 ft/s`, `11.3 deg`, `5 N*m/rad` become floats in SI.

A unit is a factor to SI and the exponents of five dimensions. Angle and cycle are dimensions, so that `5 Hz` is not
read as an angular rate and `11.3 deg` not as a dimensionless number. Both may be omitted in a unit: `200 N*m` is
accepted as an angular stiffness, `2 1/s` as an angular rate.
"""

import difflib
import math
import re
from dataclasses import dataclass
from functools import lru_cache
from numbers import Real
from typing import NamedTuple

POUND = 0.45359237
"""Kilograms; exact (international yard and pound agreement, 1959)."""
FOOT = 0.3048
"""Metres; exact (international yard and pound agreement, 1959)."""
STANDARD_GRAVITY = 9.80665
"""m/s^2; exact (3rd CGPM, 1901)."""


class Dimension(NamedTuple):
    """Exponents of length, mass, time, angle and cycle."""

    length: int = 0
    mass: int = 0
    time: int = 0
    angle: int = 0
    cycle: int = 0

    def is_accepted_for(self, needed: "Dimension") -> bool:
        """Return whether this dimension is accepted for `needed`; angle and cycle may be omitted but not added."""
        return self[:3] == needed[:3] and (self[3:] == needed[3:] or self[3:] == (0, 0))


@dataclass(frozen=True)
class Unit:
    """A unit as its factor to SI and its dimension."""

    factor: float
    dimension: Dimension

    def __mul__(self, other: "Unit") -> "Unit":
        return Unit(self.factor * other.factor, _combined(self, other, 1))

    def __truediv__(self, other: "Unit") -> "Unit":
        return Unit(self.factor / other.factor, _combined(self, other, -1))

    def __pow__(self, exponent: int) -> "Unit":
        return Unit(self.factor**exponent, Dimension(*(exponent * e for e in self.dimension)))


def _combined(first: Unit, second: Unit, sign: int) -> Dimension:
    return Dimension(*(a + sign * b for a, b in zip(first.dimension, second.dimension)))


_FORCE = Dimension(length=1, mass=1, time=-2)
_PRESSURE = Dimension(length=-1, mass=1, time=-2)
_ENERGY = Dimension(length=2, mass=1, time=-2)

_WITH_PREFIX = {
    "m": Unit(1.0, Dimension(length=1)),
    "g": Unit(1e-3, Dimension(mass=1)),
    "s": Unit(1.0, Dimension(time=1)),
    "rad": Unit(1.0, Dimension(angle=1)),
    "Hz": Unit(1.0, Dimension(time=-1, cycle=1)),
    "N": Unit(1.0, _FORCE),
    "Pa": Unit(1.0, _PRESSURE),
    "bar": Unit(1e5, _PRESSURE),
    "J": Unit(1.0, _ENERGY),
    "W": Unit(1.0, Dimension(length=2, mass=1, time=-3)),
}
_PREFIXES = {"n": 1e-9, "u": 1e-6, "m": 1e-3, "c": 1e-2, "d": 1e-1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_PLAIN = {
    "1": Unit(1.0, Dimension()),
    "%": Unit(1e-2, Dimension()),
    "kg": Unit(1.0, Dimension(mass=1)),
    "t": Unit(1e3, Dimension(mass=1)),
    "lb": Unit(POUND, Dimension(mass=1)),
    "oz": Unit(POUND / 16, Dimension(mass=1)),
    "slug": Unit(POUND * STANDARD_GRAVITY / FOOT, Dimension(mass=1)),
    "in": Unit(FOOT / 12, Dimension(length=1)),
    "ft": Unit(FOOT, Dimension(length=1)),
    "yd": Unit(3 * FOOT, Dimension(length=1)),
    "mi": Unit(5280 * FOOT, Dimension(length=1)),
    "min": Unit(60.0, Dimension(time=1)),
    "h": Unit(3600.0, Dimension(time=1)),
    "deg": Unit(math.pi / 180, Dimension(angle=1)),
    "arcmin": Unit(math.pi / 10800, Dimension(angle=1)),
    "arcsec": Unit(math.pi / 648000, Dimension(angle=1)),
    "rev": Unit(2 * math.pi, Dimension(angle=1)),
    "rpm": Unit(math.pi / 30, Dimension(time=-1, angle=1)),
    "lbf": Unit(POUND * STANDARD_GRAVITY, _FORCE),
    "psi": Unit(POUND * STANDARD_GRAVITY / (FOOT / 12) ** 2, _PRESSURE),
    "gn": Unit(STANDARD_GRAVITY, Dimension(length=1, time=-2)),
}
UNITS: dict[str, Unit] = {
    **{p + s: Unit(f * u.factor, u.dimension) for p, f in _PREFIXES.items() for s, u in _WITH_PREFIX.items()},
    **_WITH_PREFIX,
    **_PLAIN,
}
"""Every unit by its symbol; `g` is the gram, `gn` standard gravity, `lb` a mass, `lbf` a force."""

_WORDS = {
    "metre": "m", "meter": "m", "metres": "m", "meters": "m", "millimetre": "mm", "millimeter": "mm",
    "kilogram": "kg", "kilograms": "kg", "kgs": "kg", "gram": "g", "grams": "g", "tonne": "t", "ton": "t",
    "pound": "lb", "pounds": "lb", "lbs": "lb", "lbm": "lb", "ounce": "oz", "slugs": "slug",
    "second": "s", "seconds": "s", "sec": "s", "secs": "s", "minute": "min", "minutes": "min", "hour": "h",
    "hours": "h", "hr": "h", "newton": "N", "newtons": "N", "pascal": "Pa", "joule": "J", "watt": "W",
    "hertz": "Hz", "degree": "deg", "degrees": "deg", "degs": "deg", "radian": "rad", "radians": "rad",
    "inch": "in", "inches": "in", "foot": "ft", "feet": "ft", "yard": "yd", "mile": "mi", "miles": "mi",
    "percent": "%", "Nm": "N*m", "Ns": "N*s", "kph": "km/h", "mph": "mi/h", "m2": "m^2", "m3": "m^3",
    "s2": "s^2", "turn": "rev", "g0": "gn", "kgf": "kg*gn",
}  # fmt: skip
"""Common spellings of units; used for hints only."""

_KINDS = (
    ("1", "a plain number", "0.3"),
    ("m", "a length", "12.7 mm"),
    ("m^2", "an area", "5 cm^2"),
    ("m^3", "a volume", "5 cm^3"),
    ("kg", "a mass", "5 kg"),
    ("s", "a time", "0.1 s"),
    ("m/s", "a speed", "0.05 m/s"),
    ("m/s^2", "an acceleration", "9.8 m/s^2"),
    ("m/s^3", "a jerk", "2 m/s^3"),
    ("rad", "an angle", "11.3 deg"),
    ("rad/s", "an angular rate", "0.2 deg/s"),
    ("rad/s^2", "an angular acceleration", "0.2 deg/s^2"),
    ("rad/s^3", "an angular jerk", "2 rad/s^3"),
    ("1/s", "a rate", "2 1/s"),
    ("Hz", "a frequency", "0.1 Hz"),
    ("N", "a force", "5 N"),
    ("N*m", "a torque or an energy", "5 N*m"),
    ("N/m", "a stiffness", "3 kN/m"),
    ("N*s/m", "a damping", "20 N*s/m"),
    ("N*s", "an impulse", "3 N*s"),
    ("N*m*s", "an angular impulse", "3 N*m*s"),
    ("N*m/rad", "an angular stiffness", "5 N*m/rad"),
    ("N*m*s/rad", "an angular damping", "0.1 N*m*s/rad"),
    ("kg*m^2", "a moment of inertia", "2 kg*m^2"),
    ("kg/m", "a mass per length", "3 kg/m"),
    ("kg/m^3", "a density", "2700 kg/m^3"),
    ("Pa", "a pressure", "70 GPa"),
    ("N/m^3", "an areal stiffness", "1e9 N/m^3"),
    ("N*s/m^3", "an areal damping", "1e6 N*s/m^3"),
    ("N*m^2", "a bending stiffness", "1e6 N*m^2"),
    ("W", "a power", "20 W"),
)

NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_DECIMAL_COMMA = re.compile(r",\s*[0-9]")
_TOKEN = re.compile(r"\s*(\*\*|[*/^()]|[+-]?[0-9]+|[A-Za-z%_][A-Za-z0-9_]*)")
_TYPOGRAPHY = str.maketrans({"·": "*", "°": "deg", "µ": "u", "μ": "u", "²": "^2", "³": "^3", "−": "-"})
_NOT_A_NUMBER = re.compile(r"[+-]?\.?(?:nan|inf|infinity)\b", re.IGNORECASE)
_LONGEST = 100
"""Characters of a quantity."""
_LARGEST_EXPONENT = 9


LARGEST = 1e100
"""Largest magnitude of a quantity in SI; products of three such values are finite."""


def parse_quantity(given: object, unit: str) -> float:
    """Return `given` in SI: a number (already in SI) or a text with a unit of the dimension of `unit`.

    Raises ValueError that states the problem and what is needed.
    """
    if type(given) is float and abs(given) <= LARGEST:
        return given  # fast path for the runs of a campaign
    needed = parse_unit(unit)
    if isinstance(given, str):
        value = _parse_text(given, needed)
    elif isinstance(given, Real) and not isinstance(given, bool):
        try:
            value = float(given)
        except OverflowError:
            value = math.inf
    else:
        raise ValueError(f"must be {described(unit)}, as a number in SI [{unit}] or a text with a unit")
    if not math.isfinite(value):
        raise ValueError(f"must be a finite number, for example {_example(needed.dimension)}")
    if abs(value) > LARGEST:
        raise ValueError(f"must have a magnitude of at most {LARGEST:g} in SI")
    return value


def described(unit: str) -> str:
    """Return the name of the quantity that a unit measures, for example `a speed` for `m/s`."""
    return _kind_of(parse_unit(unit).dimension)[1] or f"a quantity in {unit}"


def si_unit(text: str) -> str:
    """Return the SI unit of the same dimension: `rad` for `deg`, `N*m` for `lbf*ft`."""
    dimension = parse_unit(text).dimension
    known = _kind_of(dimension)[0]
    if known:
        return known
    length, mass, time, angle, cycle = dimension
    powers = zip(("m", "kg", "s", "rad", "Hz"), (length, mass, time + cycle, angle, cycle))
    return "*".join(f"{base}^{power}" if power != 1 else base for base, power in powers if power) or "1"


@lru_cache(maxsize=1024)
def parse_unit(text: str) -> Unit:
    """Return the unit written as a product of powers of symbols, such as `N*m/rad` or `N/(m/s)`."""
    tokens = _tokens(text.translate(_TYPOGRAPHY))
    try:
        unit, rest = _product(tokens, 0)
    except ArithmeticError:
        raise ValueError(f"has the unit '{text}', which is out of range") from None
    if rest < len(tokens):
        raise ValueError(f"cannot read the unit '{text}'; write units as in 'N*s/m' or 'kg*m^2'")
    return unit


def _parse_text(text: str, needed: Unit) -> float:
    """Return the value of a text in SI; a number without unit is in SI."""
    text = text.strip()
    if len(text) > _LONGEST:
        raise ValueError("is too long for a number with a unit")
    plain = text.translate(_TYPOGRAPHY)
    number = NUMBER.match(plain)
    if number is None:
        if _NOT_A_NUMBER.match(plain):
            raise ValueError(f"must be a finite number, for example {_example(needed.dimension)}")
        raise ValueError(f"is not a number with a unit, for example {_example(needed.dimension)}")
    value, symbol = float(number[0]), plain[number.end() :].strip()
    if not symbol:
        return value
    if _DECIMAL_COMMA.match(plain, number.end()):
        point = plain[: number.end()].replace(".", "") + "." + plain[number.end() + 1 :]
        raise ValueError(f"has a decimal comma; write it with a point: '{point}'")
    unit = parse_unit(f"1{symbol}" if symbol[0] in "*/" else symbol)
    if not unit.dimension.is_accepted_for(needed.dimension):
        raise ValueError(
            f"is {_kind_of(unit.dimension)[1] or 'a quantity'} [{symbol}], but "
            f"{_kind_of(needed.dimension)[1] or 'another quantity'} is needed, "
            f"for example {_example(needed.dimension)}"
        )
    return value * unit.factor


def _tokens(text: str) -> list[str]:
    tokens, at = [], 0
    text = text.rstrip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise ValueError(f"cannot read the unit '{text}' at '{text[at:].strip()}'")
        tokens.append(match[1])
        at = match.end()
    return tokens


def _product(tokens: list[str], at: int) -> tuple[Unit, int]:
    """Read factors joined by `*`, `/` or a space, from left to right, up to a closing bracket."""
    unit, at = _power(tokens, at)
    while at < len(tokens) and tokens[at] != ")":
        divide = tokens[at] == "/"
        factor, at = _power(tokens, at + (tokens[at] in ("*", "/")))
        unit = unit / factor if divide else unit * factor
    return unit, at


def _power(tokens: list[str], at: int) -> tuple[Unit, int]:
    """Read one symbol or bracket and its exponent."""
    unit, at = _atom(tokens, at)
    if at < len(tokens) and tokens[at] in ("^", "**"):
        exponent = tokens[at + 1] if at + 1 < len(tokens) else ""
        if not re.fullmatch(r"[+-]?[0-9]", exponent):
            raise ValueError(
                f"needs a whole exponent up to {_LARGEST_EXPONENT} after '{tokens[at]}', as in 'm^2'"
            )
        unit, at = unit ** int(exponent), at + 2
    return unit, at


def _atom(tokens: list[str], at: int) -> tuple[Unit, int]:
    token = tokens[at] if at < len(tokens) else ""
    if token == "(":
        unit, at = _product(tokens, at + 1)
        if at >= len(tokens):
            raise ValueError("has a bracket that is not closed")
        return unit, at + 1
    if token in UNITS:
        return UNITS[token], at + 1
    if not token or not (token[0].isalpha() or token[0] in "%_"):
        raise ValueError(
            "has a unit that ends too early" if not token else f"has '{token}' where a unit is needed"
        )
    raise ValueError(f"has the unknown unit '{token}'{_suggestion(token)}")


def _suggestion(symbol: str) -> str:
    """Return a hint for an unknown symbol."""
    if symbol in _WORDS or symbol.lower() in _WORDS:
        return f"; did you mean '{_WORDS.get(symbol) or _WORDS[symbol.lower()]}'?"
    same_letters = [known for known in UNITS if known.lower() == symbol.lower()]
    close = same_letters or difflib.get_close_matches(symbol, [*_PLAIN, *_WITH_PREFIX, *_WORDS], n=1)
    if close:
        return f"; did you mean '{_WORDS.get(close[0], close[0])}'?"
    return f"; known are SI symbols with prefixes and {', '.join(sorted(set(_PLAIN) - {'1', 'kg'}))}"


def _kind_of(dimension: Dimension) -> tuple[str, str, str]:
    """Return unit, name and example of a dimension; empty texts if it has no name."""
    return _kinds().get(dimension, ("", "", ""))


@lru_cache(maxsize=1)
def _kinds() -> dict[Dimension, tuple[str, str, str]]:
    return {parse_unit(kind[0]).dimension: kind for kind in _KINDS}


def _example(dimension: Dimension) -> str:
    return f"'{_kind_of(dimension)[2] or '5'}'"


UNIT_SYSTEMS = ("automatic", "SI", "mm/deg", "imperial")
"""Names of the unit systems in which results are displayed."""


def unit_system_name(given: object) -> str:
    """Return the name of a unit system written in any case, `mm-deg` for `mm/deg` included; raises ValueError."""
    names = {name.lower(): name for name in UNIT_SYSTEMS}
    system = names.get(str(given).strip().lower().replace("-", "/"))
    if system is None:
        raise ValueError(f"must be one of {', '.join(UNIT_SYSTEMS)}")
    return system
