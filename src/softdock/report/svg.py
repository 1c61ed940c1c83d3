"""Charts as inline SVG in the colours of the page around them, light or dark."""

import html
import math
from collections.abc import Sequence

import numpy as np

from softdock.presentation.colours import SERIES
from softdock.presentation.numbers import display_unit
from softdock.replay.scene import Curve
from softdock.result import Event

WIDTH, HEIGHT = 960, 230
LEFT, RIGHT, TOP, BOTTOM = 62, 12, 26, 30
STYLE = """
.chart { display: block; width: 100%; height: auto; margin: 0.4em 0 1.2em }
.chart text { fill: var(--soft); font: 12px system-ui, sans-serif }
.chart .grid { stroke: var(--line); stroke-width: 1; fill: none }
.chart .event { stroke: var(--soft); stroke-width: 1; stroke-dasharray: 2 3 }
.chart polyline { fill: none; stroke-width: 1.8; stroke-linejoin: round }
"""
STYLE += " ".join(f".c{i} {{ stroke: var(--c{i}) }}" for i in range(len(SERIES)))


def chart(curves: Sequence[Curve], events: Sequence[Event], span: tuple[float, float]) -> str:
    """Return a chart of curves with one SI unit over a span of time [s]; at most as many curves as colours."""
    low = min(float(c.values.min()) for c in curves)
    high = max(float(c.values.max()) for c in curves)
    unit, factor = display_unit(curves[0].unit, max(abs(low), abs(high)))
    low, high = factor * low, factor * high
    pad = 0.06 * (high - low) or 0.1 * abs(high) or 1.0
    low, high = (0.0 if low == 0.0 else low - pad), high + pad

    def x(t: float) -> float:
        return LEFT + (t - span[0]) / (span[1] - span[0]) * (WIDTH - LEFT - RIGHT)

    def y(value: float) -> float:
        return HEIGHT - BOTTOM - (value - low) / (high - low) * (HEIGHT - TOP - BOTTOM)

    parts = [f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">', _legend(curves, unit)]
    for value, text in _ticks(low, high, 5):
        parts.append(f'<path class="grid" d="M{LEFT} {y(value):.1f}H{WIDTH - RIGHT}"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y(value) + 4:.1f}" text-anchor="end">{text}</text>')
    times = _ticks(*span, 8)
    for t, text in times:
        last = " s" if t == times[-1][0] else ""
        parts.append(f'<text x="{x(t):.1f}" y="{HEIGHT - 10}" text-anchor="middle">{text}{last}</text>')
    for t in dict.fromkeys(event.time for event in events if span[0] <= event.time <= span[1]):
        parts.append(f'<path class="event" d="M{x(t):.1f} {TOP}V{HEIGHT - BOTTOM}"/>')
    for i, curve in enumerate(curves):
        points = " ".join(f"{x(t):.1f},{y(factor * v):.1f}" for t, v in zip(curve.time, curve.values))
        parts.append(f'<polyline class="c{i}" points="{points}"/>')
    return "".join([*parts, "</svg>"])


def _legend(curves: Sequence[Curve], unit: str) -> str:
    parts, at = [f'<text x="4" y="16">[{html.escape(unit or "-")}]</text>'], float(LEFT)
    for i, curve in enumerate(curves):
        name = html.escape(curve.name)
        parts.append(f'<path class="c{i}" stroke-width="3" d="M{at:.0f} 12h16"/>')
        parts.append(f'<text x="{at + 21:.0f}" y="16">{name}</text>')
        at += 40 + 6.6 * len(curve.name)
    return "".join(parts)


def _ticks(low: float, high: float, count: int) -> list[tuple[float, str]]:
    """Return about `count` round values in a range, with their texts."""
    raw = (high - low) / count
    if not raw > 0.0:
        return [(low, f"{low:g}")]
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(m * power for m in (1.0, 2.0, 5.0, 10.0) if m * power >= raw * (1.0 - 1e-9))
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [(k * step, f"{k * step + 0.0:.{digits}f}") for k in np.arange(first, last + 1)]
