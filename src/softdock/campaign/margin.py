"""Margin of a run: its continuous distance from failure, from a metric and a limit."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from softdock.campaign.execution import Row
from softdock.campaign.model import Margin
from softdock.campaign.plan import Plan
from softdock.campaign.template import value_at
from softdock.errors import InputError, RunError
from softdock.quantities.units import parse_quantity
from softdock.result import Result, plain_data
from softdock.scenario.messages import did_you_mean
from softdock.simulation import prepare, run_prepared


@dataclass(frozen=True)
class ResolvedMargin:
    """A margin with its limit in SI, or the outcomes that count as success; a run fails where it is at most 0."""

    metric: str = ""
    limit: float | str = 0.0
    """In the SI unit of the metric, or the name of the metric that is the limit."""
    sign: float = 1.0
    """1 where the limit is the smallest good value, -1 where it is the largest."""
    unit: str = ""
    success: tuple[str, ...] = ()
    """Without a metric: outcomes with the margin 1; all others have -1."""

    def of(self, row: Row) -> float:
        """Return the margin of a run; minus infinity for a failed run or one without a value."""
        if not self.metric:
            return 1.0 if row.status == "done" and row.outcome in self.success else -1.0
        if row.status != "done":
            return -math.inf
        metrics = json.loads(row.metrics)
        value = metric_value(metrics, self.metric)
        limit = self.limit if isinstance(self.limit, float) else metric_value(metrics, self.limit)
        return -math.inf if value is None or limit is None else self.sign * (value - limit)

    def to_json(self) -> dict[str, Any]:
        """Return metric, limit and unit as plain data."""
        if not self.metric:
            return {"success": list(self.success)}
        return {
            "metric": self.metric,
            "at_least" if self.sign > 0 else "at_most": self.limit,
            "unit": self.unit,
        }


def metric_value(metrics: Mapping[str, Any], name: str) -> float | None:
    """Return a numeric metric by name, or a component of a vector as NAME.0; None where the run has none."""
    try:
        value = metrics[name] if name in metrics else value_at(metrics, name)
    except KeyError:
        return None
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and math.isfinite(value) else None


def resolve_margin(plan: Plan) -> ResolvedMargin:
    """Return the margin of a campaign, checked with one run in the middle of all ranges; raises InputError."""
    given = plan.campaign.margin
    if given is None:
        return ResolvedMargin(success=plan.campaign.success)
    result = _run_middle(plan)
    _check_metric(plan, result, given.metric, ("margin", "metric"))
    key = "at_most" if given.at_most is not None else "at_least"
    unit = result.units.get(given.metric.partition(".")[0], "")
    return ResolvedMargin(
        metric=given.metric,
        limit=_limit(plan, result, given, key, unit),
        sign=-1.0 if key == "at_most" else 1.0,
        unit=unit,
    )


def _limit(plan: Plan, result: Result, given: Margin, key: str, unit: str) -> float | str:
    limit = getattr(given, key)
    if limit is None:
        return 0.0
    if isinstance(limit, str) and (limit in result.metrics or limit.partition(".")[0] in result.metrics):
        _check_metric(plan, result, limit, ("margin", key))
        other = result.units.get(limit.partition(".")[0], "")
        if other != unit:
            message = f"Has the unit '{other or '1'}', but {given.metric} has '{unit or '1'}'."
            raise plan.problem(("margin", key), message)
        return limit
    try:
        return parse_quantity(limit, unit or "1")
    except ValueError as error:
        hint = did_you_mean(limit, list(result.metrics))[0] if isinstance(limit, str) else ""
        message = f"The limit {error}, or must be the name of a metric."
        raise plan.problem(("margin", key), message, hint) from None


def _run_middle(plan: Plan) -> Result:
    try:
        return run_prepared(prepare(plan.template.build(plan.middle()).without_history()))
    except (InputError, RunError) as error:
        reason = str(error.problems[0]) if isinstance(error, InputError) else str(error)
        message = f"The margin cannot be checked, because the run in the middle of all ranges fails: {reason}"
        raise plan.problem(("margin",), message) from error


def _check_metric(plan: Plan, result: Result, name: str, field_path: tuple[str, str]) -> None:
    """Raise InputError where a metric does not exist or is not a number; it may have no value in this run."""
    metrics = plain_data(result.metrics)
    try:
        value = metrics[name] if name in metrics else value_at(metrics, name)
    except KeyError:
        hint = did_you_mean(name, list(result.metrics))[0]
        raise plan.problem(field_path, "The scenario has no such metric.", hint) from None
    if isinstance(value, list):
        raise plan.problem(field_path, f"Has components; write one of them, like {name}.0.")
    if isinstance(value, bool | str | dict):
        message = "Is not a number; a margin needs a metric that varies continuously."
        raise plan.problem(field_path, message, "Outcomes go into 'success' with 'method: boundary'.")
