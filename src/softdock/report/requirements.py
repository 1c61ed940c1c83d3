"""The requirement matrix of a run."""

import re
from collections.abc import Mapping
from typing import Any

from softdock.presentation.numbers import format_number, format_quantity
from softdock.presentation.status import Status
from softdock.presentation.tables import Table
from softdock.presentation.unit_systems import AUTOMATIC, UnitSystem
from softdock.result import RequirementVerdict, Result

VERDICT_STATUS = {"met": Status.GOOD, "violated": Status.FAILED, "undecided": Status.DOUBTFUL}


def requirement_matrix(result: Result, system: UnitSystem = AUTOMATIC) -> Table:
    """Return all requirements with value, limit, factor of safety, margin and verdict."""
    written = result.definition.get("requirements")
    known: Mapping[str, Any] = written if isinstance(written, Mapping) else {}
    rows = []
    for one in result.requirements:
        requirement = known.get(one.id) or {}
        unit = _unit(result, one.id, requirement)
        factor = requirement.get("factor")
        rows.append(
            (
                one.id,
                str(requirement.get("text") or requirement.get("metric") or ""),
                _text(one.value, unit, system),
                _text(one.limit, unit, system),
                format_number(float(factor)) if factor is not None else "",
                "" if one.margin is None else f"{one.margin:+.2f}",
                one.verdict,
                str(requirement.get("source") or ""),
            )
        )
    header = ("id", "requirement", "value", "limit", "factor", "margin", "verdict", "source")
    statuses = [VERDICT_STATUS[one.verdict] for one in result.requirements]
    return Table(header=header, rows=rows, left=(0, 1, 6, 7), statuses=statuses)


def overall_verdict(requirements: tuple[RequirementVerdict, ...]) -> tuple[str, Status]:
    """Return the verdict on all requirements as a sentence, with its status."""
    counts = {verdict: sum(one.verdict == verdict for one in requirements) for verdict in VERDICT_STATUS}
    if not requirements:
        return "The scenario states no requirements.", Status.NEUTRAL
    if counts["violated"]:
        return f"{counts['violated']} of {len(requirements)} requirements violated.", Status.FAILED
    if counts["undecided"]:
        return f"{counts['undecided']} of {len(requirements)} requirements undecided.", Status.DOUBTFUL
    return f"All {len(requirements)} requirements met.", Status.GOOD


def _unit(result: Result, key: str, requirement: Mapping[str, Any]) -> str:
    metric = str(requirement.get("metric") or "")
    made = f"requirement_{re.sub(r'[^a-z0-9]+', '_', key.lower())}"
    own = result.definition.get("metrics")
    same = [name for name, text in own.items() if text == metric] if isinstance(own, Mapping) else []
    return next((result.units[name] for name in (metric, *same, made) if name in result.units), "")


def _text(value: float | str | None, unit: str, system: UnitSystem) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return format_quantity(float(value), unit, system)
    return "" if value is None else str(value)
