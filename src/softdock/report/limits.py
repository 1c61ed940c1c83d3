"""Limits of requirements on channels, for lines in charts."""

import re
from collections.abc import Mapping
from typing import Any

from softdock.presentation.numbers import format_number, format_quantity
from softdock.presentation.unit_systems import AUTOMATIC, UnitSystem
from softdock.quantities.units import parse_quantity
from softdock.report.load_channels import load_channels
from softdock.report.svg import LimitLine
from softdock.result import Result

_EXTREME = re.compile(r"\s*(?:max|min|final|start)\s+(?:abs\s*\(?\s*)?(?P<channel>[^()]+?)\s*\)?\s*")


def limit_lines(result: Result, system: UnitSystem = AUTOMATIC) -> list[LimitLine]:
    """Return the limits of all requirements whose metric is an extreme of a recorded channel."""
    lines: list[LimitLine] = []
    requirements = result.definition.get("requirements")
    for key, requirement in (requirements if isinstance(requirements, Mapping) else {}).items():
        channel = _channel(result, str(requirement.get("metric") or ""))
        if channel:
            lines += _lines(result, str(key), requirement, channel, system)
    return lines


def _lines(
    result: Result, key: str, requirement: Mapping[str, Any], channel: str, system: UnitSystem
) -> list[LimitLine]:
    unit = result.history.channels[channel].unit
    low, high = requirement.get("within") or (requirement.get("at_least"), requirement.get("at_most"))
    factor = float(requirement.get("factor") or 1.0)
    lines = []
    for given, is_upper in ((low, False), (high, True)):
        if given is None:
            continue
        try:
            limit = parse_quantity(given, unit)
        except ValueError:
            continue
        divides = is_upper == (limit > 0.0)
        allowed = limit / factor if divides else limit * factor
        safety = ""
        if factor != 1.0:
            sign = "/" if divides else "·"
            safety = f" {sign} {format_number(factor)} = {format_quantity(allowed, unit, system)}"
        words = "at most" if is_upper else "at least"
        text = f"{key}: {words} {format_quantity(limit, unit, system)}{safety}"
        lines.append(LimitLine(id=key, channel=channel, value=allowed, is_upper=is_upper, text=text))
    return lines


def _channel(result: Result, metric: str) -> str:
    """Return the recorded channel whose extreme is a metric, given by name or as an expression."""
    own = result.definition.get("metrics")
    text = str(own.get(metric, metric)) if isinstance(own, Mapping) else metric
    match = _EXTREME.fullmatch(text)
    if match:
        name = match["channel"].strip()
        return name if name in result.history.channels else ""
    for one in load_channels(result):
        flat = re.sub(r"[^a-z0-9]+", "_", one.name.lower())
        what = "moment" if one.unit == "N*m" else "force"
        if metric in (f"peak_{what}_{flat}", f"peak_contact_{what}_{flat}"):
            return one.channel
    return (
        "contact.force"
        if metric == "peak_contact_force" and "contact.force" in result.history.channels
        else ""
    )
