"""Limits of requirements on channels, for lines in charts."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from softdock.model.requirements import Requirement, metric_names
from softdock.presentation.chart import LimitLine
from softdock.presentation.numbers import format_number, format_quantity
from softdock.presentation.unit_systems import AUTOMATIC, UnitSystem
from softdock.report.reaction_channels import reaction_channels
from softdock.result import Result
from softdock.result.requirements import read_bounds, read_requirements

_EXTREME = re.compile(r"\s*(?:max|min|final|start)\s+(?:abs\s*\(?\s*)?(?P<channel>[^()]+?)\s*\)?\s*")


def limit_lines(result: Result, system: UnitSystem = AUTOMATIC) -> list[LimitLine]:
    """Return the limits of all requirements whose metric is an extreme of a recorded channel."""
    lines: list[LimitLine] = []
    for key, requirement in read_requirements(result.definition).items():
        channel = _channel(result, requirement.metric or "")
        if channel:
            lines += _lines(result, key, requirement, channel, system)
    return lines


def metric_limits(
    definition: Mapping[str, Any], metric: str, unit: str
) -> Iterator[tuple[str, float | None, float | None]]:
    """Yield identifier, smallest and largest allowed value [SI] of a metric, factor of safety included."""
    requirements = read_requirements(definition)
    names = metric_names(requirements, definition.get("metrics") or {})
    for key, requirement in requirements.items():
        if names.get(key) == metric:
            low, high = read_bounds(requirement, unit)
            yield key, _allowed(low, requirement.factor, False), _allowed(high, requirement.factor, True)


def _allowed(limit: float | None, factor: float, is_upper: bool) -> float | None:
    """Return a limit with its factor of safety, which always makes it stricter; Eqs. (Q1) and (Q2)."""
    if limit is None:
        return None
    return limit / factor if is_upper == (limit > 0.0) else limit * factor


def _lines(
    result: Result, key: str, requirement: Requirement, channel: str, system: UnitSystem
) -> list[LimitLine]:
    unit = result.history.channels[channel].unit
    low, high = read_bounds(requirement, unit)
    lines = []
    for limit, is_upper in ((low, False), (high, True)):
        allowed = _allowed(limit, requirement.factor, is_upper)
        if limit is None or allowed is None:
            continue
        safety = ""
        if requirement.factor != 1.0:
            sign = "/" if abs(allowed) < abs(limit) else "·"
            safety = f" {sign} {format_number(requirement.factor)} = {format_quantity(allowed, unit, system)}"
        words = "at most" if is_upper else "at least"
        text = f"{key}: {words} {format_quantity(limit, unit, system)}{safety}"
        lines.append(LimitLine(id=key, channel=channel, value=allowed, text=text))
    return lines


def _channel(result: Result, metric: str) -> str:
    """Return the recorded channel whose extreme is a metric, given by name or as an expression."""
    own = result.definition.get("metrics")
    text = str(own.get(metric, metric)) if isinstance(own, Mapping) else metric
    match = _EXTREME.fullmatch(text)
    if match:
        name = match["channel"].strip()
        return name if name in result.history.channels else ""
    for quantity in reaction_channels(result):
        flat = re.sub(r"[^a-z0-9]+", "_", quantity.name.lower())
        what = "moment" if quantity.unit == "N*m" else "force"
        if metric in (f"peak_{what}_{flat}", f"peak_contact_{what}_{flat}"):
            return quantity.channel
    return (
        "contact.force"
        if metric == "peak_contact_force" and "contact.force" in result.history.channels
        else ""
    )
