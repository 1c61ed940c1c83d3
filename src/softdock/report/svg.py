"""Charts as inline SVG in the colours of the page around them, on screen and in print."""

import html
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from softdock.presentation.colours import SERIES
from softdock.presentation.labels import quantity_label
from softdock.presentation.numbers import display_unit, format_quantity
from softdock.presentation.unit_systems import AUTOMATIC, UnitSystem
from softdock.replay.scene import RecordedCurve
from softdock.result import RunEvent

WIDTH, HEIGHT = 560, 236
LEFT, RIGHT, TOP, BOTTOM = 66, 20, 18, 40
DASHES = ("", "9 3", "3 2", "9 3 2 3")
"""Patterns of neighbouring curves, so that colour is not the only difference."""
FAR_LIMIT = 3.0
"""Ratio of a limit to the largest value above which the limit is stated and not drawn."""
NEGLIGIBLE = 1e-7
"""Share of the largest value of a chart below which the peak of a curve is a numerical error and is shown as 0."""
LABEL_SPACING = 16  # px between numbers of events
STYLE = """
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 470px), 1fr)); gap: 6px 22px }
.chart { display: block; width: 100%; height: auto }
.chart text { fill: var(--soft); font: 13px system-ui, sans-serif }
.chart .grid { stroke: var(--line); stroke-width: 1; fill: none }
.chart .event { stroke: var(--soft); stroke-width: 1; stroke-dasharray: 2 3 }
.chart polyline { fill: none; stroke-width: 1.8; stroke-linejoin: round }
.chart .limit { stroke: var(--failed); stroke-width: 1.6; stroke-dasharray: 10 4 2 4 }
.chart text.limit-text { fill: var(--failed); stroke: none; font-weight: 600 }
.legend { display: flex; flex-wrap: wrap; gap: 0 1.1em; font-size: 12.5px; color: var(--ink); margin: 0.8em 0 0.1em }
.legend b { font-weight: 600 } .legend svg { width: 26px; height: 10px; margin-right: 5px; vertical-align: middle }
@media (max-width: 600px) { .chart text { font-size: 18px } }
@media print { .legend { font-size: 8pt } .charts { grid-template-columns: 1fr 1fr } .chart text { font-size: 16px } }
"""
STYLE += " ".join(f".c{i} {{ stroke: var(--c{i}) }}" for i in range(len(SERIES)))


@dataclass(frozen=True, kw_only=True)
class LimitLine:
    """A limit of a requirement on a channel."""

    id: str
    channel: str
    value: float
    """Allowed value [SI], factor of safety included."""
    is_upper: bool
    text: str
    """The limit in words."""


def chart(
    curves: Sequence[RecordedCurve],
    events: Sequence[RunEvent],
    span: tuple[float, float],
    *,
    limits: Sequence[LimitLine] = (),
    title: str = "",
    system: UnitSystem = AUTOMATIC,
) -> str:
    """Return a chart of curves with one SI unit over a span of time [s].

    Legend and limits stand above it as text. A limit far above all curves is stated there and not drawn.
    """
    peak = max(float(np.abs(curve.values).max()) for curve in curves)
    near = [limit for limit in limits if abs(limit.value) <= FAR_LIMIT * peak]
    values = [value for c in curves for value in (float(c.values.min()), float(c.values.max()))]
    values += [limit.value for limit in near]
    unit, factor = display_unit(curves[0].unit, max(map(abs, values)), system)
    low, high = _padded_range(factor * min(values), factor * max(values))
    length = span[1] - span[0] or 1.0

    def x(t: float) -> float:
        return LEFT + (t - span[0]) / length * (WIDTH - LEFT - RIGHT)

    def y(value: float) -> float:
        return HEIGHT - BOTTOM - (value - low) / (high - low) * (HEIGHT - TOP - BOTTOM)

    name = html.escape(title or quantity_label(curves[0].unit, unit))
    parts = [f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{name}">']
    for value, text in ticks(low, high, 5):
        parts.append(f'<path class="grid" d="M{LEFT} {y(value):.1f}H{WIDTH - RIGHT}"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y(value) + 4:.1f}" text-anchor="end">{text}</text>')
    for t, text in ticks(*span, 6):
        parts.append(f'<text x="{x(t):.1f}" y="{HEIGHT - 22}" text-anchor="middle">{text}</text>')
    parts.append(f'<text x="{(LEFT + WIDTH) / 2:.0f}" y="{HEIGHT - 4}" text-anchor="middle">time [s]</text>')
    parts += _event_marks(events, span, x)
    for i, curve in enumerate(curves):
        points = " ".join(f"{x(t):.1f},{y(factor * v):.1f}" for t, v in zip(curve.time, curve.values))
        parts.append(f'<polyline {line_style(i)} points="{points}"/>')
    for limit in near:
        parts.append(f'<path class="limit" d="M{LEFT} {y(factor * limit.value):.1f}H{WIDTH - RIGHT}"/>')
        parts.append(_limit_label(limit.id, y(factor * limit.value)))
    drawing = "".join([*parts, "</svg>"])
    legend = _legend(curves, unit, title, system)
    return f"<figure>{legend}{_limit_texts(limits, near)}{drawing}</figure>"


def _padded_range(low: float, high: float) -> tuple[float, float]:
    pad = 0.06 * (high - low) or 0.1 * abs(high) or 1.0
    return (0.0 if low == 0.0 else low - pad), high + pad


def line_style(i: int) -> str:
    """Return the attributes of the i-th curve: colour and pattern."""
    dash = DASHES[i % len(DASHES)]
    pattern = f' stroke-dasharray="{dash}"' if dash else ""
    return f'class="c{i % len(SERIES)}"{pattern}'


def _event_marks(
    events: Sequence[RunEvent], span: tuple[float, float], x: Callable[[float], float]
) -> list[str]:
    """Return a line for every instant with events, and its number in the timeline where there is space."""
    parts, last = [], -math.inf
    for number, t in number_events(events).items():
        if span[0] <= t <= span[1]:
            parts.append(f'<path class="event" d="M{x(t):.1f} {TOP}V{HEIGHT - BOTTOM}"/>')
            if x(t) - last >= LABEL_SPACING:
                parts.append(f'<text x="{x(t):.1f}" y="13" text-anchor="middle">{number}</text>')
                last = x(t)
    return parts


def number_events(events: Sequence[RunEvent]) -> dict[int, float]:
    """Return the distinct times of events [s] by their number in charts and timeline, counted from 1."""
    return dict(enumerate(sorted({event.time for event in events}), 1))


def _limit_label(text: str, y: float) -> str:
    above = y - 4 if y > TOP + 16 else y + 14
    place = f'x="{WIDTH - RIGHT - 2}" y="{above:.1f}" text-anchor="end"'
    return f'<text class="limit-text" {place}>{html.escape(text)}</text>'


def _limit_texts(limits: Sequence[LimitLine], near: Sequence[LimitLine]) -> str:
    texts = [f"{limit.text}{'' if limit in near else ' (far outside the chart)'}" for limit in limits]
    return f"<figcaption>Limits: {html.escape('; '.join(texts))}</figcaption>" if texts else ""


def _legend(curves: Sequence[RecordedCurve], unit: str, title: str, system: UnitSystem) -> str:
    heading = f"{title} [{unit or '-'}]".strip()
    entries = [f"<b>{html.escape(heading)}</b>"]
    floor = NEGLIGIBLE * max(float(np.abs(curve.values).max()) for curve in curves)
    for i, curve in enumerate(curves):
        largest = float(curve.values[int(np.abs(curve.values).argmax())])
        largest = 0.0 if abs(largest) < floor else largest
        peak = f"peak {format_quantity(largest, curve.unit, system)}"
        entries.append(legend_entry(curve.name, line_style(i), f" <span class='soft'>{peak}</span>"))
    return f'<div class="legend keep">{"".join(entries)}</div>'


def legend_entry(name: str, style: str, more: str = "") -> str:
    """Return the entry of a curve in a legend: a piece of its line, its name, and further HTML."""
    line = f'<path stroke-width="2.4" {style} d="M0 5h26"/>'
    swatch = f'<svg viewBox="0 0 26 10" aria-hidden="true">{line}</svg>'
    return f"<span>{swatch}{html.escape(name)}{more}</span>"


def ticks(low: float, high: float, count: int) -> list[tuple[float, str]]:
    """Return about `count` round values in a range, with their texts."""
    raw = (high - low) / count
    if not raw > 0.0:
        return [(low, f"{low:g}")]
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(m * power for m in (1.0, 2.0, 5.0, 10.0) if m * power >= raw * (1.0 - 1e-9))
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    size = max(abs(low), abs(high))
    if size >= 1e6 or digits > 4:  # does not fit beside the axis
        return [(k * step, f"{k * step + 0.0:.4g}") for k in np.arange(first, last + 1)]
    return [(k * step, f"{k * step + 0.0:.{digits}f}") for k in np.arange(first, last + 1)]
