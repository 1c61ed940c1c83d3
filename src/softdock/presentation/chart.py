"""Charts by what they show: series in display units, axes, limits and marks; drawn as SVG, by ECharts or Matplotlib."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from softdock.presentation.colours import SERIES
from softdock.presentation.labels import axis_label, quantity_label
from softdock.presentation.numbers import display_unit, format_quantity, format_with_error
from softdock.presentation.unit_systems import AUTOMATIC, UnitSystem

if TYPE_CHECKING:
    from softdock.result import RunEvent

Array = NDArray[np.float64]
DASHES: tuple[tuple[int, ...], ...] = ((), (9, 3), (3, 2), (9, 3, 2, 3))
"""Patterns of neighbouring series (lengths of lines and gaps), so that colour is not the only difference."""
STYLES = 2 * len(SERIES)
"""Series after which colours and patterns together begin again; the next ones have other patterns."""
FAR_LIMIT = 3.0
"""Ratio of a limit to the largest value above which the limit is stated and not drawn."""
NEGLIGIBLE = 1e-7
"""Share of the largest value of a chart below which the peak of a curve is a numerical error and is shown as 0."""


def dash_of(number: int) -> tuple[int, ...]:
    """Return the pattern of the series of a number; empty for a continuous line."""
    return DASHES[(number + number // STYLES) % len(DASHES)]


@dataclass(frozen=True, kw_only=True)
class TimeCurve:
    """A recorded quantity over time."""

    name: str
    unit: str
    time: Array
    """[s]"""
    values: Array
    """SI; not finite where it is not known."""
    error: float | None = None
    """Estimated numerical error of its peak [SI]; None where it is unknown."""


@dataclass(frozen=True, kw_only=True)
class LimitLine:
    """A limit of a requirement on a channel."""

    id: str
    channel: str
    value: float
    """Allowed value, factor of safety included; in SI, in a chart in the unit of its axis."""
    text: str
    """The limit in words."""


@dataclass(frozen=True, kw_only=True)
class Series:
    """A line of a chart; values in the units of its axes."""

    name: str
    x: Array
    y: Array
    number: int = 0
    """Place among the series, from which colour and pattern follow."""
    note: str = ""
    """What the legend says beside the name."""
    is_bound: bool = False
    """Whether this is the edge of what is allowed."""
    is_earlier: bool = False
    """Whether this is of an earlier run, beside the series of the same number."""

    @property
    def colour(self) -> int:
        """Index of the colour in `SERIES`."""
        return self.number % len(SERIES)

    @property
    def dash(self) -> tuple[int, ...]:
        """Pattern of the line; empty for a continuous one."""
        return dash_of(self.number)


@dataclass(frozen=True, kw_only=True)
class Axis:
    """An axis from one end to the other, which may be the smaller value."""

    label: str
    start: float
    end: float

    def share(self, value: float) -> float:
        """Return how far along the axis a value is: 0 at its start, 1 at its end."""
        return (value - self.start) / ((self.end - self.start) or 1.0)


@dataclass(frozen=True, kw_only=True)
class Mark:
    """A place on the horizontal axis: an instant of events, a hold of a guidance."""

    x: float
    text: str
    """Short text in the drawing, such as the number of an event."""


@dataclass(frozen=True, kw_only=True)
class Chart:
    """What a chart shows."""

    x: Axis
    y: Axis
    """Its label is also the title of the chart."""
    series: tuple[Series, ...]
    marks: tuple[Mark, ...] = ()
    limits: tuple[LimitLine, ...] = ()
    """Limits that are drawn."""
    note: str = ""
    """Sentence above the drawing: all limits, also those that are too far away to be drawn."""


def time_chart(
    curves: Sequence[TimeCurve],
    span: tuple[float, float],
    *,
    events: Sequence["RunEvent"] = (),
    limits: Sequence[LimitLine] = (),
    earlier: Sequence[TimeCurve] = (),
    title: str = "",
    system: UnitSystem = AUTOMATIC,
) -> Chart:
    """Return a chart of curves with one SI unit over a span of time [s], beside curves of an earlier run by name."""
    beside = [(i, old) for i, curve in enumerate(curves) for old in earlier if old.name == curve.name]
    values = _finite([*curves, *(old for _, old in beside)])
    largest = float(np.abs(values).max(initial=0.0))
    near = [limit for limit in limits if abs(limit.value) <= FAR_LIMIT * largest]
    values = np.append(values, [limit.value for limit in near])
    unit = curves[0].unit
    symbol, factor = display_unit(unit, float(np.abs(values).max(initial=0.0)), system)
    words = axis_label(title, symbol or "-") if title else quantity_label(unit, symbol)
    low, high = _padded_range(factor * values)
    peaks = [_peak_note(curve, NEGLIGIBLE * largest, system) for curve in curves]
    series = [
        Series(name=c.name, x=c.time, y=factor * c.values, number=i, note=peaks[i])
        for i, c in enumerate(curves)
    ]
    series += [
        Series(name=f"{c.name}, earlier", x=c.time, y=factor * c.values, number=i, is_earlier=True)
        for i, c in beside
    ]
    texts = [f"{limit.text}{'' if limit in near else ' (far outside the chart)'}" for limit in limits]
    return Chart(
        x=Axis(label="time [s]", start=span[0], end=span[1]),
        y=Axis(label=words, start=low, end=high),
        series=tuple(series),
        marks=tuple(mark for mark in event_marks(events) if span[0] <= mark.x <= span[1]),
        limits=tuple(replace(limit, value=factor * limit.value) for limit in near),
        note=f"Limits: {'; '.join(texts)}" if texts else "",
    )


def event_marks(events: Sequence["RunEvent"]) -> list[Mark]:
    """Return a mark for every instant of events, numbered from 1 as in the timeline."""
    times = sorted({event.time for event in events})
    return [Mark(x=time, text=str(number)) for number, time in enumerate(times, 1)]


def _padded_range(values: Array) -> tuple[float, float]:
    """Return the ends of an axis that shows all values with some space; 0 stays an end."""
    low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 0.0)
    pad = 0.06 * (high - low) or 0.1 * abs(high) or 1.0
    return (0.0 if low == 0.0 else low - pad), high + pad


def _finite(curves: Sequence[TimeCurve]) -> Array:
    every: Array = np.concatenate([np.zeros(0), *(curve.values for curve in curves)])
    return every[np.isfinite(every)]


def _peak_note(curve: TimeCurve, negligible: float, system: UnitSystem) -> str:
    values = _finite([curve])
    largest = float(values[np.abs(values).argmax()]) if values.size else float("nan")
    if abs(largest) < negligible:
        return f"peak {format_quantity(0.0, curve.unit, system)}"
    return f"peak {format_with_error(largest, curve.error, curve.unit, system)}"
