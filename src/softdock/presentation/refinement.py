"""The run repeated with finer settings (`run --converged`) as a sentence and a table, the same in all views."""

import math
from collections import Counter
from collections.abc import Mapping

from softdock.presentation.labels import label
from softdock.presentation.numbers import MISSING, display_unit, format_number
from softdock.presentation.status import Status
from softdock.presentation.tables import Table
from softdock.presentation.unit_systems import AUTOMATIC, UnitSystem
from softdock.result import Result
from softdock.result.refinement import RefinedRun, RefinedValue

CHANGE_TEXTS = {
    "within": "within",
    "within_twice": "within twice",
    "beyond": "beyond",
    "no_error": "none stated",
}
"""How a change compares with the stated error, in words."""
_STATUSES = {
    "within": Status.GOOD,
    "within_twice": Status.GOOD,
    "beyond": Status.DOUBTFUL,
    "no_error": Status.NEUTRAL,
}
_ORDER = {"beyond": 0, "within_twice": 1}
REFINEMENT_NOTE = (
    "A stated error is an estimate and no bound. A change within twice the error agrees with it; where a change is "
    "beyond, take the change as the error, and refine further to see whether the value settles."
)


def refinement_text(result: Result) -> tuple[str, Status]:
    """Return what the refined run shows as sentences, with its status; empty without one."""
    refined = result.converged
    if refined is None:
        return "", Status.NEUTRAL
    values = _shown(refined, result)
    counts = Counter(value.verdict for value in values)
    stated = len(values) - counts["no_error"]
    same = refined.outcome == result.outcome
    parts = [
        f"Repeated with {refined.settings} ({refined.steps:,} instead of {result.timing.steps:,} steps)."
    ]
    if not refined.completed:
        parts.append(f"The refined run was not completed: {label(refined.outcome)}.")
    elif not same:
        parts.append(f"The outcome changes to {label(refined.outcome)}.")
    if refined.valid == "no":
        parts.append("The refined run is not valid.")
    if stated:
        within = f"{counts['within']} within the error, {counts['within_twice']} within twice the error"
        parts.append(f"Of {stated} peaks with stated errors, {within}, {counts['beyond']} beyond.")
    else:
        parts.append("The run states no errors of peaks.")
    bad = not same or not refined.completed or refined.valid == "no" or counts["beyond"] > 0
    return " ".join(parts), Status.DOUBTFUL if bad else Status.GOOD


def refinement_table(
    result: Result,
    system: UnitSystem = AUTOMATIC,
    resolutions: Mapping[str, float] | None = None,
) -> Table:
    """Return value, refined value, change and stated error of every metric, those beyond their error first.

    Metrics that do not change and have no stated error, or one of 0, are left out.
    """
    header = ("", "run", "refined", "change", "stated error", "unit", "change and error")
    refined = result.converged
    if refined is None:
        return Table(header=header, rows=(), left=(0, 5, 6))
    values = [value for value in _shown(refined, result) if value.error or value.change != 0.0]
    values.sort(key=lambda value: _ORDER.get(value.verdict, len(_ORDER)))  # stable
    rows = [_row(value, result.units.get(value.name, ""), system, resolutions or {}) for value in values]
    statuses = [_STATUSES[value.verdict] for value in values]
    return Table(header=header, rows=rows, left=(0, 5, 6), statuses=statuses)


def _shown(refined: RefinedRun, result: Result) -> list[RefinedValue]:
    """Return the peaks of reactions in the order of their table, then all other metrics.

    The peaks of contacts, which are metrics under two names, are shown once.
    """
    flat = [reaction.name.replace("-", "_") for reaction in result.loads]
    peaks = [f"peak_{what}_{name}" for name in flat for what in ("force", "moment")]
    hidden = {f"peak_contact_force_{name}" for name in flat}
    values = {value.name: value for value in refined.values if value.name not in hidden}
    return [values[name] for name in dict.fromkeys((*peaks, *values)) if name in values]


def _row(
    value: RefinedValue, unit: str, system: UnitSystem, resolutions: Mapping[str, float]
) -> tuple[str, ...]:
    resolution = resolutions.get(unit, 0.0)
    size = max(abs(value.value), abs(value.refined or 0.0))
    symbol, factor = display_unit(unit, size if size >= resolution else 0.0, system)
    numbers = [
        MISSING if number is None else format_number(number * factor, resolution * factor)
        for number in (value.value, value.refined)
    ]
    change = MISSING if value.change is None else _two_digits(value.change * factor, "+")
    error = MISSING if value.error is None else _two_digits(value.error * factor)
    return label(value.name), *numbers, change, error, symbol, CHANGE_TEXTS[value.verdict]


def _two_digits(number: float, sign: str = "") -> str:
    """Return a number with two significant digits, as changes and errors have."""
    if number == 0.0 or not math.isfinite(number):
        return format_number(number)
    text = format_number(float(f"{number:.1e}"))
    return f"+{text}" if sign and number > 0.0 else text
