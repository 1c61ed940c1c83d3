"""Requirement matrices of runs and campaigns, the same in terminal, report and studio."""

from collections.abc import Mapping, Sequence
from typing import Any

from softdock.model.contact_conditions import CONDITION_UNITS
from softdock.model.requirements import Requirement, metric_names
from softdock.presentation.assessment import named_outcomes
from softdock.presentation.labels import label
from softdock.presentation.numbers import (
    MISSING,
    display_resolutions,
    format_number,
    format_quantity,
    format_share,
    format_with_error,
)
from softdock.presentation.status import Status
from softdock.presentation.tables import Table
from softdock.presentation.unit_systems import AUTOMATIC, UnitSystem
from softdock.result import RequirementVerdict, Result
from softdock.result.requirements import (
    CampaignVerdict,
    read_bounds,
    read_requirements,
    worst_condition,
)

VERDICT_STATUS = {"met": Status.GOOD, "violated": Status.FAILED, "undecided": Status.DOUBTFUL}
"""Status of a verdict."""
NO_VALUE = "no value"
CAMPAIGN_MATRIX_NOTE = (
    "Demanded: probability to comply / confidence. Bound: value that the demanded share of all possible runs keeps, "
    "with the demanded confidence; the worst value of the runs where all must comply. Margin: allowed over required "
    "value minus 1 at the bound, with the factor of safety. Interval: of the probability to comply, at the confidence, "
    "exact and two-sided (that of the success rate is Wilson's, which is shorter). More runs: further runs that decide "
    "if they comply at the observed rate."
)
"""Meaning of the columns of `campaign_requirement_table`."""


def requirement_table(result: Result, system: UnitSystem = AUTOMATIC) -> Table:
    """Return the requirement matrix of a run: identifier, text, value, limit, factor, margin, verdict, source."""
    requirements = read_requirements(result.definition)
    names = metric_names(requirements, result.definition.get("metrics") or {})
    rows, shown = [], [verdict for verdict in result.requirements if verdict.id in requirements]
    for verdict in shown:
        requirement = requirements[verdict.id]
        unit = result.units.get(names.get(verdict.id, ""), "1")
        value, limit = _run_cells(requirement, verdict, unit, result, system)
        rows.append(
            (
                verdict.id, requirement_text(requirement), value, limit, _factor(requirement),
                format_margin(verdict.margin), verdict.verdict_text or verdict.verdict, _line(requirement.source),
            )
        )  # fmt: skip
    header = ("requirement", "text", "value", "limit", "factor", "margin", "verdict", "source")
    return Table(header=header, rows=rows, left=(0, 1, 3, 6, 7), statuses=_statuses(shown))


def campaign_requirement_table(
    verdicts: Sequence[CampaignVerdict],
    definition: Mapping[str, Any],
    units: Mapping[str, str],
    system: UnitSystem = AUTOMATIC,
) -> Table:
    """Return the requirement matrix of a campaign; `definition` is the plain data of its scenario.

    The bound is the value that the demanded share of all possible runs keeps, with the demanded confidence.
    """
    requirements = read_requirements(definition)
    names = metric_names(requirements, definition.get("metrics") or {})
    rows = []
    for verdict in verdicts:
        requirement = requirements[verdict.id]
        unit = units.get(names.get(verdict.id, ""), "1")
        rows.append(
            (
                verdict.id, requirement_text(requirement), limit_text(requirement, unit, system), _factor(requirement),
                _bound(verdict, unit, system), format_margin(verdict.margin), _compliance(verdict), _interval(verdict),
                demand_text(verdict), verdict.verdict,
                "" if verdict.additional_runs is None else f"{verdict.additional_runs:,}", _line(requirement.source),
            )
        )  # fmt: skip
    header = (
        "requirement", "text", "limit", "factor", "bound", "margin", "complying", "interval", "demanded",
        "verdict", "more runs", "source",
    )  # fmt: skip
    return Table(header=header, rows=rows, left=(0, 1, 2, 8, 9, 11), statuses=_statuses(verdicts))


def campaign_notes(verdicts: Sequence[CampaignVerdict], manifest: Mapping[str, Any]) -> list[str]:
    """Return what limits the numbers of `campaign_requirement_table`, and a hint where no outcome is required."""
    definition, success = manifest["scenario"]["data"], manifest["campaign"].get("success")
    notes = list(dict.fromkeys(note for verdict in verdicts for note in verdict.notes))
    outcomes = named_outcomes(definition)
    if len(outcomes) > 1 and not any(
        requirement.outcome for requirement in read_requirements(definition).values()
    ):
        example = ", ".join(success or outcomes[:1])
        notes.append(
            "No requirement is on the outcome, so that runs with any outcome can comply; one would be "
            f"`{{outcome: [{example}]}}`."
        )
    return notes


def overall_verdict(verdicts: Sequence[RequirementVerdict], subject: str) -> tuple[str, Status]:
    """Return the verdict on all requirements of a subject (scenario, campaign) as a sentence, with its status."""
    total = len(verdicts)
    counts = {
        verdict: sum(assessed.verdict == verdict for assessed in verdicts) for verdict in VERDICT_STATUS
    }
    if not total:
        return f"The {subject} states no requirements.", Status.NEUTRAL
    close = sum(verdict.verdict_text not in ("", verdict.verdict) for verdict in verdicts)
    note = f" {close} of them within the numerical error." if close else ""
    if counts["met"] == total:
        return f"All {total} requirements are met.{note}", Status.DOUBTFUL if close else Status.GOOD
    parts = [
        f"{counts[verdict]} {verdict}" for verdict in ("violated", "undecided", "met") if counts[verdict]
    ]
    status = Status.FAILED if counts["violated"] else Status.DOUBTFUL
    return f"Of {total} requirements, {', '.join(parts)}.{note}", status


def requirement_text(requirement: Requirement) -> str:
    """Return the text of a requirement in one line, or what it limits where it has none."""
    if requirement.text.strip():
        return _line(requirement.text)
    if requirement.metric is not None:
        return label(_line(requirement.metric))
    return "outcome" if requirement.outcome is not None else "conditions at the first contact"


def limit_text(requirement: Requirement, unit: str, system: UnitSystem = AUTOMATIC) -> str:
    """Return the limit of a requirement before its factor of safety; `unit` is the SI unit of its metric."""
    if requirement.outcome is not None:
        return " or ".join(map(label, requirement.outcome))
    if requirement.metric is None:
        return requirement.conditions if isinstance(requirement.conditions, str) else "own limits"
    low, high = read_bounds(requirement, unit)
    if low is None or high is None:
        bound = high if low is None else low
        assert bound is not None
        return f"{'at most' if low is None else 'at least'} {format_quantity(bound, unit, system)}"
    return f"{format_quantity(low, unit, system)} to {format_quantity(high, unit, system)}"


def format_margin(margin: float | None) -> str:
    """Return a margin of safety with its sign and two decimal places."""
    return MISSING if margin is None else f"{margin:+.2f}" if abs(margin) < 1000.0 else f"{margin:+.1e}"


def demand_text(verdict: CampaignVerdict) -> str:
    """Return what a campaign must show: probability and confidence, or that all runs comply."""
    if verdict.probability is None:
        return "all runs"
    return f"{format_number(100.0 * verdict.probability)}% / {format_number(100.0 * verdict.confidence)}%"


def _run_cells(
    requirement: Requirement, verdict: RequirementVerdict, unit: str, result: Result, system: UnitSystem
) -> tuple[str, str]:
    """Return value and limit of a requirement of a run."""
    limit, resolutions = limit_text(requirement, unit, system), display_resolutions(result.definition)
    if requirement.outcome is not None:
        return label(str(verdict.value)), limit
    if requirement.metric is not None:
        if not isinstance(verdict.value, int | float):
            return _no_value(result), limit
        resolution = resolutions.get(unit, 0.0)
        return format_with_error(float(verdict.value), verdict.error, unit, system, resolution), limit
    worst = worst_condition(requirement, result.contact_conditions)
    if worst is None or verdict.value is None:
        return _no_value(result), limit
    name, compared = worst
    assert compared.value is not None
    assert compared.limit is not None
    words = "at least" if compared.sign == ">=" else "at most"
    unit = CONDITION_UNITS[name]
    value = f"{label(name)} {format_quantity(compared.value, unit, system, resolutions.get(unit, 0.0))}"
    return value, f"{words} {format_quantity(compared.limit, CONDITION_UNITS[name], system)} ({limit})"


def _no_value(result: Result) -> str:
    """Return why a requirement has no value: the run must not be used, or what it limits did not happen."""
    return "not valid" if result.valid == "no" else NO_VALUE


def _line(text: str) -> str:
    return " ".join(text.split())


def _factor(requirement: Requirement) -> str:
    return MISSING if requirement.outcome is not None else format_number(requirement.factor)


def _bound(verdict: CampaignVerdict, unit: str, system: UnitSystem) -> str:
    return MISSING if verdict.bound is None else format_quantity(verdict.bound, unit, system)


def _compliance(verdict: CampaignVerdict) -> str:
    counts = f"{verdict.complying:,} of {verdict.runs:,}"
    return f"{counts} ({verdict.undecided_runs:,} undecided)" if verdict.undecided_runs else counts


def _interval(verdict: CampaignVerdict) -> str:
    return MISSING if verdict.interval is None else " to ".join(map(format_share, verdict.interval))


def _statuses(verdicts: Sequence[RequirementVerdict]) -> list[Status]:
    return [
        Status.DOUBTFUL
        if verdict.verdict == "met" and verdict.verdict_text not in ("", "met")
        else VERDICT_STATUS.get(verdict.verdict, Status.NEUTRAL)
        for verdict in verdicts
    ]
