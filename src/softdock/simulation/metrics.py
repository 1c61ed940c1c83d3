"""Quantities that events and metrics need, windows in which they count, and values of metrics after a run."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from softdock.dynamics.kernels.channels.channels import INTEGRAL, LARGEST, SMALLEST
from softdock.dynamics.kernels.search.events import ActionKind
from softdock.dynamics.kernels.search.windows import WINDOW, WindowStage
from softdock.dynamics.run_results import Run
from softdock.model.expressions import Condition, MetricExpression, Window
from softdock.model.formulas import (
    COMPARISONS,
    Constant,
    Operation,
    Quantity,
    constant_value,
    observations_in,
)
from softdock.model.observations import Observation
from softdock.tree.kernels.tree import records

TRACKED = {"max": LARGEST, "min": SMALLEST, "mean": INTEGRAL, "rms": INTEGRAL, "integral": INTEGRAL}
"""What the kernels follow for a statistic; start and final values need nothing."""


@dataclass(frozen=True)
class TrackedQuantity:
    """A quantity with a channel of its own for statistics: those of a window, or of its square."""

    quantity: Quantity
    window: Window


Watched = Observation | Operation | TrackedQuantity
"""What a channel is made for."""


@dataclass(frozen=True)
class ParsedMetric:
    """One parsed metric: a statistic of a channel, the time of an event, or the time between two events."""

    how: str
    """One of `STATISTICS`; empty for times."""
    channel: int = -1
    begin: str = ""
    end: str = ""
    window: int = -1
    """Index of its window; -1: the whole run."""


def quantity_of(what: Watched) -> Quantity:
    """Return the quantity of a channel."""
    return what.quantity if isinstance(what, TrackedQuantity) else what


def with_parts(wanted: Iterable[Watched]) -> list[Watched]:
    """Return quantities once each, after the observations from which they are computed."""
    out: dict[Watched, None] = {}
    for what in wanted:
        if isinstance(quantity_of(what), Operation):
            out |= dict.fromkeys(observations_in(quantity_of(what)))
        out[what] = None
    return list(out)


def watched_by(metric: MetricExpression) -> Watched | None:
    """Return the quantity whose channel a metric reads; None for times. That of `rms` is the square."""
    formula = metric.formula
    if formula is None:
        return None
    assert not isinstance(formula, Constant)
    if metric.statistic == "rms":
        return TrackedQuantity(Operation("^", (formula,), 2), metric.window)
    return formula if metric.window == Window() else TrackedQuantity(formula, metric.window)


def threshold_of(condition: Condition) -> tuple[Quantity, float, int]:
    """Return the quantity of a condition, its threshold [SI], and 1 if it is true above, -1 if it is true below.

    The quantity of a condition with `and`, `or` or `not` is positive where it is true.
    """
    formula = condition.formula
    assert isinstance(formula, Operation)
    if formula.name not in COMPARISONS:
        return formula, 0.0, 1
    left, right = formula.operands
    sign = 1 if formula.name == ">" else -1
    for quantity, other, direction in ((left, right, sign), (right, left, -sign)):
        threshold = constant_value(other)
        if threshold is not None and not isinstance(quantity, Constant):
            return quantity, threshold, direction
    return Operation("-", (left, right), at=formula.at), 0.0, sign


@dataclass(frozen=True)
class WindowPlan:
    """Windows of the events and metrics of a scenario, and the events that open and close them."""

    names: tuple[str, ...]
    """Names of all events, then those of phases."""
    of_events: dict[str, Window]
    of_quantities: dict[TrackedQuantity, int]
    """Quantities in windows and what is tracked of them."""

    @property
    def windows(self) -> list[Window]:
        """All windows: those of events, then those of quantities."""
        return [*self.of_events.values(), *(what.window for what in self.of_quantities)]

    def index(self, what: Watched) -> int:
        """Return the index of the window of a quantity, -1 for the whole run."""
        known = list(self.of_quantities)
        return len(self.of_events) + known.index(what) if what in known else -1

    def actions(self, event: str) -> list[tuple[int, int]]:
        """Return kind and window of the actions of an event that open and close windows, the closing ones first.

        The event may be the end of a phase.
        """
        closing: list[tuple[int, int]] = [
            (ActionKind.CLOSE_WINDOW, i) for i, window in enumerate(self.windows) if window.end == event
        ]
        return closing + [
            (ActionKind.OPEN_WINDOW, i) for i, window in enumerate(self.windows) if window.begin == event
        ]

    def entry(self, phase: str) -> list[tuple[int, int]]:
        """Return kind and window of the actions that open windows when a phase begins."""
        return [(ActionKind.OPEN_WINDOW, i) for i, window in enumerate(self.windows) if window.phase == phase]

    def exit(self, phase: str) -> list[tuple[int, int]]:
        """Return kind and window of the actions that close windows when a phase ends."""
        return [
            (ActionKind.CLOSE_WINDOW, i) for i, window in enumerate(self.windows) if window.phase == phase
        ]

    def records(self, channel_of: Mapping[Watched, int]) -> np.recarray:
        """Return the windows for the kernels."""
        out = records(len(self.windows), WINDOW)
        targets: list[tuple[int, int, int]] = [(self.names.index(name), -1, 0) for name in self.of_events]
        targets += [(-1, channel_of[what], track) for what, track in self.of_quantities.items()]
        for record, window, target in zip(out, self.windows, targets):
            record.event, record.channel, record.track = target
            record.limit = math.inf if window.limit is None else window.limit
            record.opens_later = int(window.opens_later)
        return out


def plan_windows(conditions: Mapping[str, Condition], metrics: Iterable[MetricExpression]) -> WindowPlan:
    """Return the windows of events and metrics."""
    of_quantities: dict[TrackedQuantity, int] = {}
    for metric in metrics:
        what = watched_by(metric)
        if isinstance(what, TrackedQuantity) and what.window != Window():
            of_quantities[what] = of_quantities.get(what, 0) | TRACKED.get(metric.statistic, 0)
    of_events = {
        name: condition.window for name, condition in conditions.items() if condition.window != Window()
    }
    return WindowPlan(tuple(conditions), of_events, of_quantities)


def metric_value(metric: ParsedMetric, run: Run, times: Mapping[str, float]) -> float | None:
    """Return the value of a metric after a run; None if its event or window did not occur or it is undefined."""
    if not metric.how:
        begin, end = times.get(metric.begin) if metric.begin else 0.0, times.get(metric.end)
        return None if begin is None or end is None else end - begin if metric.begin else end
    value = _statistic(metric, run)
    return value if value is None or math.isfinite(value) else None


def _statistic(metric: ParsedMetric, run: Run) -> float | None:
    how, i = metric.how, metric.channel
    value = run.peaks.view(np.ndarray)[i]  # field access is ten times faster
    if how in ("max", "min") and metric.window < 0:
        return float(value["largest" if how == "max" else "smallest"])
    first, last, opened, closed = None, float(run.final[i]), 0.0, run.time
    if metric.window >= 0:
        window = run.windows.view(np.ndarray)[metric.window]
        if window["stage"] not in (WindowStage.OPEN, WindowStage.CLOSED):
            return None
        if window["opened"] >= 0.0:
            first, opened = float(window["first"]), float(window["opened"])
        if window["stage"] == WindowStage.CLOSED:
            value, last, closed = window, float(window["last"]), float(window["closed"])
    if how == "start":
        return float(run.history[0, 1 + i]) if first is None else first
    if how == "final":
        return last
    if how in ("max", "min"):
        return float(value["largest" if how == "max" else "smallest"])
    integral = float(value["integral"])
    if how == "integral":
        return integral
    if not closed > opened:
        return None
    mean = integral / (closed - opened)
    return mean if how == "mean" else math.sqrt(max(mean, 0.0))
