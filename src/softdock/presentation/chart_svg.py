"""Charts as inline SVG in the colours of the page around them, on screen and in print."""

import html
import math
from collections.abc import Sequence

import numpy as np

from softdock.presentation.chart import Chart, LimitLine, Mark, Series
from softdock.presentation.colours import SERIES

WIDTH, HEIGHT = 560, 236
LEFT, RIGHT, TOP, BOTTOM = 66, 20, 18, 40
LABEL_SPACING = 16  # px between numbers of events
STYLE = """
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 470px), 1fr)); gap: 6px 22px }
.chart { display: block; width: 100%; height: auto }
.chart text { fill: var(--soft); font: 13px system-ui, sans-serif }
.chart .grid { stroke: var(--line); stroke-width: 1; fill: none }
.chart .event { stroke: var(--soft); stroke-width: 1; stroke-dasharray: 2 3 }
.chart polyline { fill: none; stroke-width: 1.8; stroke-linejoin: round }
.chart polyline.bound { stroke-width: 1.4 }
.bound { stroke: var(--failed); stroke-dasharray: 7 4 }
.chart .limit { stroke: var(--failed); stroke-width: 1.6; stroke-dasharray: 10 4 2 4 }
.chart text.limit-text { fill: var(--failed); stroke: none; font-weight: 600 }
.legend { display: flex; flex-wrap: wrap; gap: 0 1.1em; font-size: 12.5px; color: var(--ink); margin: 0.8em 0 0.1em }
.legend b { font-weight: 600 } .legend svg { width: 26px; height: 10px; margin-right: 5px; vertical-align: middle }
@media (max-width: 600px) { .chart text { font-size: 18px } }
@media print { .legend { font-size: 8pt } .charts { grid-template-columns: 1fr 1fr } .chart text { font-size: 16px } }
"""
STYLE += " ".join(f".c{i} {{ stroke: var(--c{i}) }}" for i in range(len(SERIES)))


def draw_chart(chart: Chart) -> str:
    """Return a chart with legend and note above it as HTML."""
    plot = _Plot(chart)
    parts = [svg_start(HEIGHT, chart.y.label), *plot.grid(), *plot.marks(chart.marks)]
    for series in chart.series:
        points = " ".join(
            f"{plot.x(a):.1f},{plot.y(b):.1f}" for a, b in zip(series.x, series.y) if math.isfinite(b)
        )
        parts.append(f'<polyline {_line_style(series)} points="{points}"/>')
    parts += [part for limit in chart.limits for part in plot.limit(limit)]
    note = f"<figcaption>{html.escape(chart.note)}</figcaption>" if chart.note else ""
    entries = [_legend_entry(series) for series in chart.series if series.name]
    return figure(chart.y.label, entries, [note, *parts, "</svg>"])


class _Plot:
    """Places of values in the drawing [px], and what is drawn besides the series."""

    def __init__(self, chart: Chart) -> None:
        self._chart = chart

    def x(self, value: float) -> float:
        """Return the place of a value along the horizontal axis."""
        return LEFT + self._chart.x.share(value) * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        """Return the place of a value along the vertical axis."""
        return HEIGHT - BOTTOM - self._chart.y.share(value) * (HEIGHT - TOP - BOTTOM)

    def grid(self) -> list[str]:
        """Return lines and texts of the axes."""
        x, y, parts = self._chart.x, self._chart.y, []
        for value, text in ticks(y.start, y.end, 5):
            parts.append(f'<path class="grid" d="M{LEFT} {self.y(value):.1f}H{WIDTH - RIGHT}"/>')
            parts.append(f'<text x="{LEFT - 6}" y="{self.y(value) + 4:.1f}" text-anchor="end">{text}</text>')
        values = ticks(min(x.start, x.end), max(x.start, x.end), 6)
        return parts + horizontal_axis(
            [(self.x(value), text) for value, text in values], x.label, LEFT, HEIGHT
        )

    def marks(self, marks: Sequence[Mark]) -> list[str]:
        """Return a line for every mark, and its text where there is space."""
        parts, last = [], -math.inf
        for mark in marks:
            x = self.x(mark.x)
            parts.append(f'<path class="event" d="M{x:.1f} {TOP}V{HEIGHT - BOTTOM}"/>')
            if abs(x - last) >= LABEL_SPACING:
                parts.append(f'<text x="{x:.1f}" y="13" text-anchor="middle">{html.escape(mark.text)}</text>')
                last = x
        return parts

    def limit(self, limit: LimitLine) -> list[str]:
        """Return the line of a limit with its identifier."""
        y = self.y(limit.value)
        above = y - 4 if y > TOP + 16 else y + 14
        place = f'x="{WIDTH - RIGHT - 2}" y="{above:.1f}" text-anchor="end"'
        return [
            f'<path class="limit" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>',
            f'<text class="limit-text" {place}>{html.escape(limit.id)}</text>',
        ]


def svg_start(height: float, name: str) -> str:
    """Return the start tag of a drawing of a chart."""
    return f'<svg class="chart" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{html.escape(name)}">'


def horizontal_axis(places: Sequence[tuple[float, str]], label: str, left: float, height: float) -> list[str]:
    """Return the texts below a drawing: values at their places [px], and what they are."""
    texts = [(x, height - 22, text) for x, text in places] + [((left + WIDTH) / 2, height - 4, label)]
    return [
        f'<text x="{x:.1f}" y="{y}" text-anchor="middle">{html.escape(text)}</text>' for x, y, text in texts
    ]


def figure(title: str, entries: Sequence[str], drawing: Sequence[str]) -> str:
    """Return a drawing with its title and the entries of its legend above it."""
    legend = f'<div class="legend keep"><b>{html.escape(title)}</b>{"".join(entries)}</div>'
    return f"<figure>{legend}{''.join(drawing)}</figure>"


def _line_style(series: Series) -> str:
    """Return the attributes of a line: colour and pattern."""
    if series.is_bound:
        return 'class="bound"'
    dash = f' stroke-dasharray="{" ".join(map(str, series.dash))}"' if series.dash else ""
    return f'class="c{series.colour}"{dash}'


def _legend_entry(series: Series) -> str:
    """Return a piece of the line, the name and the note of a series."""
    line = f'<path stroke-width="2.4" {_line_style(series)} d="M0 5h26"/>'
    note = f" <span class='soft'>{html.escape(series.note)}</span>" if series.note else ""
    swatch = f'<svg viewBox="0 0 26 10" aria-hidden="true">{line}</svg>'
    return f"<span>{swatch}{html.escape(series.name)}{note}</span>"


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
