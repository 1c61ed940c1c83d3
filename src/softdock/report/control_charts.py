"""Charts of controllers as inline SVG: path of the tip in its corridor, firings of thrusters, modes."""

import html
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from softdock.presentation.colours import SERIES
from softdock.presentation.numbers import display_unit, format_quantity
from softdock.presentation.unit_systems import AUTOMATIC, UnitSystem
from softdock.report import svg
from softdock.report.control_views import ControlView, control_views
from softdock.report.panels import visible_rows
from softdock.result import Array, Result

ZOOM = 0.05
"""Part of the largest range that the second chart of the corridor shows, if the tip came that near."""
ROW = 16  # px of one thruster
NAMES = 110  # px of the names of thrusters
LEVELS = 4
"""Steps of opacity for the fraction of time in which a thruster is on."""
BOUND = 'stroke="var(--failed)" stroke-dasharray="7 4"'
NARROW = 7.0  # px per character of a mode; shorter bars have no text
STYLE = """
.charts figure { margin: 0 }
.chart .bound { stroke: var(--failed); stroke-width: 1.4; stroke-dasharray: 7 4; fill: none }
.chart .hold { stroke: var(--soft); stroke-width: 1; stroke-dasharray: 2 3 }
.chart .fire { stroke: var(--c0); fill: none }
.chart .mode { stroke: none; opacity: 0.35 }
""" + " ".join(f".chart .mode.c{i} {{ fill: var(--c{i}) }}" for i in range(len(SERIES)))


def control_figures(result: Result, system: UnitSystem = AUTOMATIC) -> list[str]:
    """Return all figures of the controllers of a result as HTML."""
    figures = []
    span = (
        (float(result.history.time[0]), float(result.history.time[-1]))
        if len(result.history.time)
        else (0.0, 1.0)
    )
    for view in control_views(result):
        figures += corridor_charts(view, system)
        figures += [
            svg.chart(panel.simplified(), result.events, span, title=panel.title, system=system)
            for panel in view.panels()
        ]
        figures += [raster(view)] if view.on_times or view.mode_spans() else []
    return figures


def corridor_charts(view: ControlView, system: UnitSystem = AUTOMATIC) -> list[str]:
    """Return the path of the tip beside the axis of the port over its range, whole and near the port."""
    if view.p is None or not view.is_guided:
        return []
    distance = -view.p[:, 2]
    far = float(distance.max())
    bounds = _bounds(view, float(distance.min()), far)
    widest = 0.0 if bounds is None else float(bounds[1].max())
    charts = [_corridor_chart(view, distance <= far, "Path of the tip", widest, system)]
    near = distance <= ZOOM * far
    if far > 0.0 and np.count_nonzero(near) > 1:
        title = f"Path of the tip in the last {format_quantity(ZOOM * far, 'm', system)}"
        charts.append(_corridor_chart(view, near, title, 0.0, system))
    return charts


def _corridor_chart(
    view: ControlView, rows: NDArray[np.bool_], title: str, widest: float, system: UnitSystem
) -> str:
    """Return lateral offsets over range, at least up to `widest` [m]; the tip moves to the right."""
    assert view.p is not None
    distance, offsets = -view.p[rows, 2], view.p[rows, :2]
    low, high = float(distance.min()), float(distance.max())
    unit, factor = display_unit("m", max(abs(low), abs(high)), system)
    bounds = _bounds(view, low, high)
    reach = max(float(np.abs(offsets).max()), widest, 1e-9)
    offset_unit, offset_factor = display_unit("m", reach, system)
    plot = _Axes((factor * high, factor * low), (-1.1 * offset_factor * reach, 1.1 * offset_factor * reach))
    heading = f"{title} ({view.name})"
    parts = plot.begin(heading, f"range to the port [{unit}]")
    if bounds is not None:
        for sign in (1.0, -1.0):
            points = plot.points(factor * bounds[0], sign * offset_factor * bounds[1], clip=True)
            parts.append(f'<polyline class="bound" points="{points}"/>')
    for hold in view.controller.guidance.holds if view.controller.guidance else ():
        if low <= hold.distance <= high:
            x = plot.x(factor * hold.distance)
            parts.append(f'<path class="hold" d="M{x:.1f} {svg.TOP}V{svg.HEIGHT - svg.BOTTOM}"/>')
            parts.append(f'<text x="{x:.1f}" y="13" text-anchor="middle">hold</text>')
    for k in range(2):
        kept = visible_rows(view.time[rows], offsets[:, k])
        points = plot.points(factor * distance[kept], offset_factor * offsets[kept, k])
        parts.append(f'<polyline {svg.line_style(k)} points="{points}"/>')
    names = [svg.legend_entry(f"lateral {letter}", svg.line_style(k)) for k, letter in enumerate("xy")]
    if bounds is not None:
        place = "" if bounds[1].min() <= 1.1 * reach else " (outside this chart)"
        names.append(svg.legend_entry(f"corridor{place}", BOUND))
    return _figure(f"{heading}: offset [{offset_unit}]", names, [*parts, "</svg>"])


def _bounds(view: ControlView, low: float, high: float) -> tuple[Array, Array] | None:
    """Return ranges and half-widths of the corridor [m]; None without one."""
    corridor = view.controller.guidance.corridor if view.controller.guidance else None
    if corridor is None:
        return None
    ranges = np.unique([low, max(low, 0.0), *np.linspace(max(low, 0.0), high, 50)])
    return ranges, corridor.radius + math.tan(corridor.half_angle) * np.maximum(ranges, 0.0)


class _Axes:
    """Linear axes of a chart in display units; the horizontal one may run backwards."""

    def __init__(self, horizontal: tuple[float, float], vertical: tuple[float, float]) -> None:
        self.horizontal, self.vertical = horizontal, vertical

    def x(self, value: float) -> float:
        """Return the place of a value [px]."""
        a, b = self.horizontal
        return svg.LEFT + (value - a) / ((b - a) or 1.0) * (svg.WIDTH - svg.LEFT - svg.RIGHT)

    def y(self, value: float) -> float:
        """Return the place of a value [px]."""
        a, b = self.vertical
        return svg.HEIGHT - svg.BOTTOM - (value - a) / ((b - a) or 1.0) * (svg.HEIGHT - svg.TOP - svg.BOTTOM)

    def points(self, horizontal: Array, vertical: Array, *, clip: bool = False) -> str:
        """Return the points of a line; with `clip` only those inside the vertical range."""
        low, high = self.vertical
        return " ".join(
            f"{self.x(float(a)):.1f},{self.y(float(b)):.1f}"
            for a, b in zip(horizontal, vertical)
            if not clip or low <= b <= high
        )

    def begin(self, name: str, below: str) -> list[str]:
        """Return the beginning of a chart: grid, ticks and the label of the horizontal axis."""
        bottom = svg.HEIGHT - svg.BOTTOM
        parts = [
            f'<svg class="chart" viewBox="0 0 {svg.WIDTH} {svg.HEIGHT}" role="img" aria-label="{html.escape(name)}">'
        ]
        for value, text in svg.ticks(*self.vertical, 5):
            parts.append(f'<path class="grid" d="M{svg.LEFT} {self.y(value):.1f}H{svg.WIDTH - svg.RIGHT}"/>')
            parts.append(
                f'<text x="{svg.LEFT - 6}" y="{self.y(value) + 4:.1f}" text-anchor="end">{text}</text>'
            )
        for value, text in svg.ticks(min(self.horizontal), max(self.horizontal), 6):
            parts.append(
                f'<text x="{self.x(value):.1f}" y="{bottom + 18}" text-anchor="middle">{text}</text>'
            )
        middle = (svg.LEFT + svg.WIDTH) / 2
        parts.append(f'<text x="{middle:.0f}" y="{svg.HEIGHT - 4}" text-anchor="middle">{below}</text>')
        return parts


def raster(view: ControlView) -> str:
    """Return the firings of all thrusters over time, with the modes as bars above them."""
    edges, duties = view.duties()
    firing = {name: duty for name, duty in duties.items() if duty.any()}
    top, height = svg.TOP + ROW + 8, svg.TOP + ROW + 8 + ROW * len(firing) + svg.BOTTOM
    first, length = float(edges[0]), float(edges[-1] - edges[0])

    def x(t: float) -> float:
        return NAMES + (t - first) / length * (svg.WIDTH - NAMES - svg.RIGHT)

    heading = f"Modes and firings ({view.name})"
    parts = [
        f'<svg class="chart" viewBox="0 0 {svg.WIDTH} {height}" role="img" aria-label="{html.escape(heading)}">',
        f'<text x="{NAMES - 6}" y="{svg.TOP + 12}" text-anchor="end">mode</text>',
    ]
    modes: list[str] = []
    for start, end, mode in view.mode_spans():
        modes += [mode] if mode not in modes else []
        colour, width = modes.index(mode) % len(SERIES), x(end) - x(start)
        parts.append(
            f'<rect class="mode c{colour}" x="{x(start):.1f}" y="{svg.TOP}" width="{width:.1f}" height="{ROW}"/>'
        )
        if width > NARROW * len(mode):
            parts.append(f'<text x="{x(start) + 4:.1f}" y="{svg.TOP + 12}">{mode}</text>')
    for row, (name, duty) in enumerate(firing.items()):
        y = top + ROW * (row + 0.5)
        parts.append(f'<text x="{NAMES - 6}" y="{y + 4:.1f}" text-anchor="end">{html.escape(name)}</text>')
        parts.append(f'<path class="grid" d="M{NAMES} {y:.1f}H{svg.WIDTH - svg.RIGHT}"/>')
        parts += _firings(duty, [x(t) for t in edges], y)
    for t, text in svg.ticks(edges[0], edges[-1], 6):
        parts.append(f'<text x="{x(t):.1f}" y="{height - 22}" text-anchor="middle">{text}</text>')
    middle = (NAMES + svg.WIDTH) / 2
    parts.append(f'<text x="{middle:.0f}" y="{height - 4}" text-anchor="middle">time [s]</text>')
    names = [
        f'<span><svg viewBox="0 0 26 10" aria-hidden="true"><rect class="mode c{i % len(SERIES)}" width="26" '
        f'height="10" style="fill: var(--c{i % len(SERIES)}); opacity: 0.35"/></svg>{mode}</span>'
        for i, mode in enumerate(modes)
    ]
    silent = [name for name in duties if name not in firing]
    note = f"<figcaption>Never on: {html.escape(', '.join(silent))}.</figcaption>" if silent else ""
    return _figure(heading, names, [*parts, "</svg>", note])


def _firings(duty: Array, x: Sequence[float], y: float) -> list[str]:
    """Return the marks of one thruster: darker where it is on for a larger part of the time."""
    level = np.ceil(LEVELS * np.sqrt(duty)).astype(int)
    out = []
    for k in range(1, LEVELS + 1):
        marks = "".join(
            f"M{x[i]:.1f} {y:.1f}H{max(x[i + 1], x[i] + 0.7):.1f}"
            for i in np.flatnonzero(level == k).tolist()
        )
        if marks:
            out.append(f'<path class="fire" stroke-width="{ROW - 5}" opacity="{k / LEVELS:g}" d="{marks}"/>')
    return out


def _figure(heading: str, names: Sequence[str], drawing: Sequence[str]) -> str:
    legend = f'<div class="legend keep"><b>{html.escape(heading)}</b>{"".join(names)}</div>'
    return f"<figure>{legend}{''.join(drawing)}</figure>"
