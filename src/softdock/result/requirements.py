"""Verdicts on the requirements of a run, with margins of safety."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from softdock.errors import InputError
from softdock.model.contact_conditions import CONDITION_UNITS
from softdock.model.requirements import Requirement, metric_names
from softdock.result import RequirementVerdict, Result, Verdict
from softdock.scenario.base import ScenarioBase

RESOLUTION = {"m": 1e-6, "rad": 1e-6, "m/s": 1e-5, "rad/s": 1e-5}
"""Difference by SI unit that does not violate a limit of contact conditions: the default accuracy of integration, so
that an approach at a corner of its allowed range complies."""
SHOWN_SHARE = 5e-6
"""Difference from a limit, over the limit, that does not violate it: values are shown with five digits, and a verdict
that depends on others would depend on rounding."""
ROUNDING = 1e-12
"""Difference [SI] from a limit of 0 that is a rounding error."""
WITHIN_ERROR = "but within its numerical error"
"""What follows a verdict that a value within the error of the computed one would change."""


@dataclass(frozen=True, kw_only=True)
class CampaignVerdict(RequirementVerdict):
    """A requirement compared with the runs of a campaign; `value` is the fraction that complies, `limit` the demand."""

    fraction: float | None
    """Complying runs over all runs that count; None without runs."""
    interval: tuple[float, float] | None
    """Two-sided confidence interval of the probability to comply; None where the sampling does not give one."""
    bound: float | None
    """Value of the metric [SI] that the demanded fraction of all possible runs keeps, with the demanded confidence; the
    worst value of the runs where no probability is demanded. None for outcomes, and with too few runs."""
    additional_runs: int | None
    """Estimated number of runs that decide an undecided requirement; None if it is decided or there is no estimate."""
    runs: int
    """Runs that count."""
    complying: int
    undecided_runs: int
    """Runs whose metric has no value; they neither comply nor violate."""
    probability: float | None
    """Demanded probability; None where all runs must comply."""
    confidence: float
    lower: float | None
    """One-sided lower confidence bound of the probability to comply."""
    upper: float | None
    """One-sided upper confidence bound of the probability to comply."""
    note: str = ""
    """What limits the meaning of the numbers; empty where nothing does."""
    notes: tuple[str, ...] = ()
    """The sentences of `note`."""


def with_requirements(scenario: ScenarioBase, result: Result) -> Result:
    """Return a result with the verdicts on the requirements of its scenario, and the units of metrics that it lacks.

    A run that was not completed or is not valid, a metric without a value and a first contact that did not happen leave
    a requirement undecided.
    """
    return replace(result, **required_fields(scenario, result)) if scenario.requirements else result


def required_fields(scenario: ScenarioBase, result: Result) -> dict[str, Any]:
    """Return the fields that `with_requirements` replaces."""
    names, units = metric_names(scenario.requirements, scenario.own_metrics()), result.units
    if not result.metrics.keys() >= set(names.values()):  # an experiment measures less than a simulation
        own = {names[key]: unit for key, unit in scenario.requirement_units().items() if unit != "1"}
        units = {**own, **units}
    return {"units": units, "requirements": _assess_all(scenario.requirements, names, result, units)}


def reassess(result: Result) -> Result:
    """Return a stored result with the verdicts that follow from its scenario and metrics.

    Its discrepancies name the requirements whose stored verdict is another one.
    """
    try:
        requirements = read_requirements(result.definition)
        names = metric_names(requirements, result.definition.get("metrics") or {})
        verdicts = _assess_all(requirements, names, result, result.units)
    except (InputError, ValueError, TypeError, AttributeError):  # a damaged scenario
        text = "Its requirements are damaged, so that it has no verdicts."
        return replace(result, requirements=(), discrepancies=(*result.discrepancies, text))
    stored = {verdict.id: verdict for verdict in result.requirements}
    computed = {verdict.id: verdict for verdict in verdicts}
    keys = ("verdict", "value", "limit", "margin")
    others = [
        key
        for key in {**computed, **stored}
        if key not in stored or key not in computed or not agree(vars(stored[key]), computed[key], keys)
    ]
    texts = [f"The stored verdicts do not follow from its metrics: {', '.join(others)}."] if others else []
    return replace(result, requirements=verdicts, discrepancies=(*result.discrepancies, *texts))


def agree(stored: Mapping[str, Any], computed: RequirementVerdict, keys: Sequence[str]) -> bool:
    """Return whether entries of a stored verdict are those of a computed one.

    Numbers agree to rounding, whose order another version may change.
    """
    pairs = [(stored.get(key), getattr(computed, key)) for key in keys]
    return all(
        a == b or (isinstance(a, float) and isinstance(b, float) and math.isclose(a, b, rel_tol=1e-12))
        for a, b in pairs
    )


def _assess_all(
    requirements: Mapping[str, Requirement],
    names: Mapping[str, str],
    result: Result,
    units: Mapping[str, str],
) -> tuple[RequirementVerdict, ...]:
    return tuple(
        _assess(key, requirement, result, names.get(key, ""), units.get(names.get(key, ""), "1"))
        for key, requirement in requirements.items()
    )


def _assess(key: str, requirement: Requirement, result: Result, metric: str, unit: str) -> RequirementVerdict:
    """Return the verdict on one requirement; `unit` is the SI unit of its metric."""
    usable = result.completed and result.valid != "no"
    if requirement.box is None:
        value, error = result.metrics.get(metric), result.metric_errors.get(metric)
        return assess_value(key, requirement, result.outcome, value, unit, usable=usable, error=error)
    worst = worst_condition(requirement, result.contact_conditions if usable else None)
    if worst is None:
        return RequirementVerdict(
            id=key,
            verdict="undecided",
            value=None,
            limit=_box_name(requirement),
            margin=None,
            verdict_text="undecided",
        )
    name, check = worst
    unit = CONDITION_UNITS[name]
    return RequirementVerdict(
        id=key,
        verdict=check.verdict,
        value=f"{name} {check.value:.6g} {unit}",
        limit=f"{name} {check.sign} {check.limit:.6g} {unit}",
        margin=check.margin,
        verdict_text=check.verdict,
    )


def assess_value(
    key: str,
    requirement: Requirement,
    outcome: str,
    metric: Any,
    unit: str,
    *,
    usable: bool = True,
    error: float | None = None,
) -> RequirementVerdict:
    """Return the verdict on an outcome or a metric [SI, `unit`], and whether the error of the metric could change it.

    Undecided unless the run is usable.
    """
    if requirement.outcome is not None:
        verdict: Verdict = "undecided" if not usable else _verdict(outcome in requirement.outcome)
        limit = ", ".join(requirement.outcome)
        return RequirementVerdict(
            id=key, verdict=verdict, value=outcome, limit=limit, margin=None, verdict_text=verdict
        )
    bounds = read_bounds(requirement, unit)
    check = compare(metric if usable else None, *bounds, requirement.factor)
    text, value = str(check.verdict), check.value
    if value is None:
        error = None
    elif error is not None:
        sides = [_sides(x, *bounds, requirement.factor, ROUNDING) for x in (value - error, value + error)]
        if {_verdict(all(side.verdict == "met" for side in found)) for found in sides} != {check.verdict}:
            text = f"{text}, {WITHIN_ERROR}"
    return RequirementVerdict(
        id=key,
        verdict=check.verdict,
        value=value,
        limit=check.limit,
        margin=check.margin,
        error=error,
        verdict_text=text,
    )


def _box_name(requirement: Requirement) -> str:
    return requirement.conditions if isinstance(requirement.conditions, str) else "conditions"


def _verdict(holds: bool) -> Verdict:
    return "met" if holds else "violated"


class LimitCheck(NamedTuple):
    """A value compared with its smallest and largest allowed value [SI]."""

    verdict: Verdict
    value: float | None
    limit: float | None
    """The more critical of both limits, before the factor of safety."""
    margin: float | None
    """None where the ratio of limit and value has no meaning: a limit of 0, or a positive limit of a negative value."""
    sign: str = "<="
    """`<=` for a largest, `>=` for a smallest allowed value."""


def compare(
    value: Any, low: float | None, high: float | None, factor: float, accuracy: float = ROUNDING
) -> LimitCheck:
    """Return verdict and margin of a value [SI] with at least one limit; Eqs. (Q1) to (Q4), (Q13).

    Differences up to `accuracy` [SI] do not violate a limit.
    """
    only = low if high is None else high if low is None else None
    sign = ">=" if high is None else "<="
    number = float(value) if isinstance(value, int | float) else math.nan
    if not math.isfinite(number):
        return LimitCheck(verdict="undecided", value=None, limit=only, margin=None, sign=sign)
    sides = list(_sides(number, low, high, factor, accuracy))
    # The most critical side is a violated one, if there is any.
    return sides[0] if len(sides) == 1 else min(sides, key=lambda side: _criticality(side, number))


def _sides(
    value: float, low: float | None, high: float | None, factor: float, accuracy: float
) -> Iterator[LimitCheck]:
    if low is not None:
        holds, margin = _at_most(-value, -low, factor, accuracy)
        yield LimitCheck(verdict=_verdict(holds), value=value, limit=low, margin=margin, sign=">=")
    if high is not None:
        holds, margin = _at_most(value, high, factor, accuracy)
        yield LimitCheck(verdict=_verdict(holds), value=value, limit=high, margin=margin, sign="<=")


def _criticality(side: LimitCheck, value: float) -> tuple[bool, bool, float]:
    """Return a key that is smallest for the most critical side: a violated one, then the smaller margin.

    A side without a margin comes after those that have one and the same verdict, the nearer limit first.
    """
    assert side.limit is not None
    margin = abs(side.limit - value) if side.margin is None else side.margin
    return side.verdict != "violated", side.margin is None, margin


def _at_most(value: float, limit: float, factor: float, accuracy: float) -> tuple[bool, float | None]:
    """Return whether a value with its factor of safety stays below a limit, and its margin; 0 at the limit itself."""
    if limit > 0.0:
        allowed = limit / factor
        margin = limit / (factor * value) - 1.0 if value > 0.0 else None  # Eq. (Q1)
    elif limit < 0.0:
        allowed, margin = factor * limit, value / (factor * limit) - 1.0  # Eq. (Q2)
    else:
        allowed, margin = 0.0, None
    holds = value <= allowed + max(SHOWN_SHARE * abs(allowed), accuracy)  # Eq. (Q13)
    return holds, max(margin, 0.0) if holds and margin is not None else margin


def worst_condition(
    requirement: Requirement, conditions: Mapping[str, float] | None
) -> tuple[str, LimitCheck] | None:
    """Return the most critical contact condition of a requirement and its comparison; None without a contact."""
    limits = requirement.box.limits() if requirement.box is not None else {}
    if not limits or conditions is None or not conditions.keys() >= limits.keys():
        return None
    checks = {
        name: compare(
            abs(conditions[name]), low or None, high, requirement.factor, RESOLUTION[CONDITION_UNITS[name]]
        )
        for name, (low, high) in limits.items()
    }
    name = min(checks, key=lambda name: _criticality(checks[name], checks[name].value or 0.0))
    return name, checks[name]


def read_requirements(definition: Mapping[str, Any]) -> dict[str, Requirement]:
    """Return the requirements of a scenario given as plain data, which may come from a file; raises InputError."""
    written = definition.get("requirements") or {}
    try:
        return {key: Requirement.model_validate(data) for key, data in written.items()}
    except (AttributeError, ValueError) as error:
        message = "The requirements of the stored scenario are damaged."
        raise InputError(message, field="requirements") from error


def read_bounds(requirement: Requirement, unit: str) -> tuple[float | None, float | None]:
    """Return the bounds of a stored requirement; raises InputError where the unit of its metric is another one."""
    try:
        return requirement.bounds(unit)
    except ValueError as error:
        message = "A limit does not fit the stored unit of its metric."
        raise InputError(message, field="requirements", given=unit) from error
