"""Formulas of quantities with units: `norm(nose.x in drogue, nose.y in drogue) > 5 mm and time > 2 s`."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from softdock.model.observations import Observation
from softdock.quantities.units import described, parse_unit, si_unit

COMPARISONS = (">", "<")
LOGIC = ("and", "or", "not")
FUNCTIONS = {"sqrt": (1, 1), "abs": (1, 1), "norm": (2, 3), "min": (2, 20), "max": (2, 20)}
"""Functions and the least and largest number of their arguments."""
_PRECEDENCE = {
    "or": 1, "and": 2, "not": 3, ">": 4, "<": 4, "+": 5, "-": 5, "*": 6, "/": 6, "negate": 7, "^": 8,
}  # fmt: skip
"""Precedence of the operators: the larger number is applied first."""
_ATOM = 9  # precedence of what needs no parentheses


class ExpressionError(ValueError):
    """A text that cannot be read or has wrong units."""

    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.at = at
        """Where in the text the error is: number of characters before it."""


@dataclass(frozen=True)
class Constant:
    """A number, with or without a unit."""

    text: str
    """As written."""
    value: float
    """In SI."""
    unit: str | None = None
    """As written; None: in the SI unit of what it is compared with or added to."""
    at: int = field(default=0, compare=False)
    """Where it begins in the text of the formula: number of characters before it."""

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Operation:
    """An operator or a function, and what it is applied to."""

    name: str
    """`+ - * / ^ negate`, a function, a comparison or a logical operator."""
    operands: tuple["Formula", ...]
    exponent: int = 0
    """Of `^`."""
    at: int = field(default=0, compare=False)
    """Where its errors are shown in the text of the formula: number of characters before."""

    def __str__(self) -> str:
        name, parts = self.name, [str(operand) for operand in self.operands]
        if name in FUNCTIONS:
            return f"{name}({', '.join(parts)})"
        own = _PRECEDENCE[name]
        parts = [
            f"({part})" if _precedence(operand) < own + (i > 0 or name == "^") else part
            for i, (part, operand) in enumerate(zip(parts, self.operands))
        ]
        if name == "^":
            return f"{parts[0]}^{self.exponent}"
        if name in ("negate", "not"):
            return f"-{parts[0]}" if name == "negate" else f"not {parts[0]}"
        return f" {name} ".join(parts)


Formula = Observation | Constant | Operation
Quantity = Observation | Operation
"""What a channel is made of."""


def _precedence(formula: Formula) -> int:
    if isinstance(formula, Constant):  # a unit may contain `*`, `/` and `^`
        return _ATOM if formula.unit is None and formula.value >= 0.0 else _PRECEDENCE["*"]
    return _PRECEDENCE.get(formula.name, _ATOM) if isinstance(formula, Operation) else _ATOM


def is_condition(formula: Formula) -> bool:
    """Return whether a formula is true or false rather than a number."""
    return isinstance(formula, Operation) and formula.name in (*COMPARISONS, *LOGIC)


def observations_in(formula: Formula) -> Iterator[Observation]:
    """Return the observations in a formula from left to right."""
    if isinstance(formula, Observation):
        yield formula
    elif isinstance(formula, Operation):
        for operand in formula.operands:
            yield from observations_in(operand)


def constant_value(formula: Formula) -> float | None:
    """Return the value of a formula of constants in its SI unit; None if it contains observations.

    Raises ExpressionError where there is no value, as for `1 / 0`. The value of a condition has no meaning.
    """
    if isinstance(formula, Constant):
        return formula.value
    if isinstance(formula, Observation):
        return None
    values = [constant_value(operand) for operand in formula.operands]
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return None
    try:
        return _apply(formula, known)
    except (ArithmeticError, ValueError):
        raise ExpressionError(f"`{formula}` has no value", formula.at) from None


def _apply(operation: Operation, x: list[float]) -> float:
    name = operation.name
    if name in ("+", "-", "*", "/"):
        return {
            "+": lambda: x[0] + x[1],
            "-": lambda: x[0] - x[1],
            "*": lambda: x[0] * x[1],
            "/": lambda: x[0] / x[1],
        }[name]()
    if name == "^":
        return float(x[0] ** operation.exponent)
    if name in ("sqrt", "norm"):
        total = x[0] if name == "sqrt" else sum(entry * entry for entry in x)
        if total < 0.0:
            raise ValueError
        return float(total**0.5)
    if name == "negate":
        return -x[0]
    return abs(x[0]) if name == "abs" else max(x) if name == "max" else min(x)


# Units.

Exponents = tuple[Fraction, ...]
"""Of length, mass, time, angle and cycle."""
_NONE: Exponents = (Fraction(0),) * 5
ENERGY_UNIT = "J"
"""Unit of energies; it has the dimension of a torque."""


@dataclass(frozen=True)
class _Measure:
    """Dimension of a formula."""

    exponents: Exponents = _NONE
    is_bare: bool = False
    """Of numbers without units only: they are in the SI unit of what they are compared with or added to."""
    is_literal: bool = False
    """A number with a unit, in which the radian may be left out but not added."""
    is_energy: bool = False
    """Of the dimension of a torque, but an energy, as what it was computed from says."""


def unit_of_formula(formula: Formula, unit_of: Callable[[Observation], str]) -> str:
    """Return the SI unit of a formula, `1` for a condition; raises ExpressionError where units do not fit.

    `unit_of` returns the unit of an observation and raises ValueError with a sentence for one that does not exist.
    """
    measure = _measure(formula, unit_of)
    return ENERGY_UNIT if measure.is_energy else _unit_text(measure.exponents)


def _measure(formula: Formula, unit_of: Callable[[Observation], str]) -> _Measure:
    if isinstance(formula, Observation):
        try:
            unit = unit_of(formula)
            return _Measure(_exponents(unit), is_energy=unit == ENERGY_UNIT)
        except ExpressionError:
            raise
        except ValueError as error:
            raise ExpressionError(str(error), formula.at) from None
    if isinstance(formula, Constant):
        if formula.unit is None:
            return _Measure(is_bare=True)
        return _Measure(_exponents(formula.unit), is_literal=True, is_energy=formula.unit == ENERGY_UNIT)
    parts = [_measure(operand, unit_of) for operand in formula.operands]
    name = formula.name
    if name in LOGIC:
        return _Measure()
    if name in ("*", "/"):
        sign = 1 if name == "*" else -1
        exponents = tuple(a + sign * b for a, b in zip(parts[0].exponents, parts[1].exponents))
        factors = parts if name == "*" else parts[:1]
        scaled = any(part.is_energy and part.exponents == exponents for part in factors)
        return _Measure(exponents, all(part.is_bare for part in parts), is_energy=scaled)
    if name in ("^", "sqrt"):
        power = Fraction(1, 2) if name == "sqrt" else formula.exponent
        return _Measure(tuple(power * a for a in parts[0].exponents), parts[0].is_bare)
    for i in range(1, len(parts)):
        _require_same(formula, parts, i)
    known = [part for part in parts if not part.is_bare] or parts
    known = [part for part in known if not part.is_literal] or known
    # Without the radian where one of them is without it: `arm.rate * 0.5 m + tip.velocity` is a speed.
    chosen = min(known, key=lambda part: sum(map(abs, part.exponents[3:])))
    if name in COMPARISONS:
        return _Measure()
    return _Measure(chosen.exponents, chosen.is_bare, is_energy=all(part.is_energy for part in known))


def _require_same(formula: Operation, parts: list[_Measure], i: int) -> None:
    """Raise ExpressionError unless operand i may be combined with the first one."""
    first, second = parts[0], parts[i]
    if first.is_bare or second.is_bare or _fits(first, second):
        return
    texts = [
        f"`{operand}` is {_described(part.exponents)}"
        for operand, part in ((formula.operands[0], first), (formula.operands[i], second))
    ]
    verb = {"+": "be added", "-": "be subtracted", **dict.fromkeys(COMPARISONS, "be compared")}
    raise ExpressionError(
        f"{' but '.join(texts)}: they cannot {verb.get(formula.name, f'be combined by {formula.name}')}",
        formula.at,
    )


def _fits(first: _Measure, second: _Measure) -> bool:
    """Return whether two dimensions agree; the radian and the cycle may be left out of a unit but not added to it."""
    a, b = first.exponents, second.exponents
    if a[:3] != b[:3]:
        return False
    if a[3:] == b[3:]:
        return True
    if first.is_literal != second.is_literal:
        return not any(a[3:] if first.is_literal else b[3:])
    return any(a[:3]) and not (any(a[3:]) and any(b[3:]))


def _exponents(unit: str) -> Exponents:
    """Return the dimension of a unit, also of `m*kg^0.5`, the unit of modal coordinates."""
    half = unit.endswith("*kg^0.5")
    exponents = [Fraction(e) for e in parse_unit(unit.removesuffix("*kg^0.5")).dimension]
    exponents[1] += Fraction(int(half), 2)
    return tuple(exponents)


def _unit_text(exponents: Exponents) -> str:
    """Return the SI unit of a dimension."""
    length, mass, time, angle, cycle = exponents
    # Hz contains 1/s.
    powers = [
        (power, base)
        for base, power in zip(("m", "rad", "Hz", "kg", "s"), (length, angle, cycle, mass, time + cycle))
        if power
    ]
    text = "*".join(base if power == 1 else f"{base}^{float(power):g}" for power, base in powers) or "1"
    whole = all(power.denominator == 1 and abs(power) <= 9 for power, _ in powers)
    return si_unit(text) if whole else text


def _described(exponents: Exponents) -> str:
    unit = _unit_text(exponents)
    try:
        what = described(unit)
    except ValueError:
        what = "a quantity"
    return what if what.endswith(unit) else f"{what} [{unit}]"
