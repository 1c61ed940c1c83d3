"""Charts of controllers as inline SVG: path of the tip in its corridor, firings of thrusters, modes."""

import html
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from softdock.presentation import chart_svg
from softdock.presentation.chart import Axis, Chart, Mark, Series
from softdock.presentation.colours import SERIES
from softdock.presentation.numbers import display_unit, format_quantity
from softdock.presentation.unit_systems import AUTOMATIC, UnitSystem
from softdock.report.control_views import ControlView, control_views
from softdock.report.panels import visible_rows
from softdock.result import Array, Result

ZOOM = 0.05
"""Part of the largest range that the second chart of the corridor shows, if the tip came that near."""
ROW = 16  # px of one thruster
NAMES = 110  # px of the names of thrusters
LEVELS = 4
"""Steps of opacity for the fraction of time in which a thruster is on."""
NARROW = 7.0  # px per character of a mode; shorter bars have no text
STYLE = """
.charts figure { margin: 0 }
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
            chart_svg.draw_chart(panel.chart(span, events=result.events, system=system))
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
    return [chart_svg.draw_chart(chart) for chart in charts]


def _corridor_chart(
    view: ControlView, rows: NDArray[np.bool_], title: str, widest: float, system: UnitSystem
) -> Chart:
    """Return lateral offsets over range, at least up to `widest` [m]; the tip moves to the right."""
    assert view.p is not None
    distance, offsets = -view.p[rows, 2], view.p[rows, :2]
    low, high = float(distance.min()), float(distance.max())
    unit, factor = display_unit("m", max(abs(low), abs(high)), system)
    reach = max(float(np.abs(offsets).max()), widest, 1e-9)
    offset_unit, offset_factor = display_unit("m", reach, system)
    series = []
    bounds = _bounds(view, low, high)
    if bounds is not None:
        inside = bounds[1] <= 1.1 * reach
        name = "corridor" if inside.any() else "corridor (outside this chart)"
        for shown, sign in ((name, 1.0), ("", -1.0)):
            edge = sign * offset_factor * bounds[1][inside]
            series.append(Series(name=shown, x=factor * bounds[0][inside], y=edge, is_bound=True))
    for k, letter in enumerate("xy"):
        kept = visible_rows(view.time[rows], offsets[:, k])
        x, y = factor * distance[kept], offset_factor * offsets[kept, k]
        series.append(Series(name=f"lateral {letter}", x=x, y=y, number=k))
    holds = view.controller.guidance.holds if view.controller.guidance else ()
    heading = f"{title} ({view.name}): offset [{offset_unit}]"
    half = 1.1 * offset_factor * reach
    return Chart(
        x=Axis(label=f"range to the port [{unit}]", start=factor * high, end=factor * low),
        y=Axis(label=heading, start=-half, end=half),
        series=tuple(series),
        marks=tuple(
            Mark(x=factor * hold.distance, text="hold") for hold in holds if low <= hold.distance <= high
        ),
    )


def _bounds(view: ControlView, low: float, high: float) -> tuple[Array, Array] | None:
    """Return ranges and half-widths of the corridor [m]; None without one."""
    corridor = view.controller.guidance.corridor if view.controller.guidance else None
    if corridor is None:
        return None
    ranges = np.unique([low, max(low, 0.0), *np.linspace(max(low, 0.0), high, 50)])
    return ranges, corridor.radius + math.tan(corridor.half_angle) * np.maximum(ranges, 0.0)


def raster(view: ControlView) -> str:
    """Return the firings of all thrusters over time, with the modes as bars above them."""
    edges, duties = view.duties()
    firing = {name: duty for name, duty in duties.items() if duty.any()}
    top, height = chart_svg.TOP + ROW + 8, chart_svg.TOP + ROW + 8 + ROW * len(firing) + chart_svg.BOTTOM
    first, length = float(edges[0]), float(edges[-1] - edges[0])

    def x(t: float) -> float:
        return NAMES + (t - first) / length * (chart_svg.WIDTH - NAMES - chart_svg.RIGHT)

    heading = f"Modes and firings ({view.name})"
    parts = [
        chart_svg.svg_start(height, heading),
        f'<text x="{NAMES - 6}" y="{chart_svg.TOP + 12}" text-anchor="end">mode</text>',
    ]
    modes: list[str] = []
    for start, end, mode in view.mode_spans():
        modes += [mode] if mode not in modes else []
        colour, width = modes.index(mode) % len(SERIES), x(end) - x(start)
        parts.append(
            f'<rect class="mode c{colour}" x="{x(start):.1f}" y="{chart_svg.TOP}" width="{width:.1f}" height="{ROW}"/>'
        )
        if width > NARROW * len(mode):
            parts.append(f'<text x="{x(start) + 4:.1f}" y="{chart_svg.TOP + 12}">{mode}</text>')
    for row, (name, duty) in enumerate(firing.items()):
        y = top + ROW * (row + 0.5)
        parts.append(f'<text x="{NAMES - 6}" y="{y + 4:.1f}" text-anchor="end">{html.escape(name)}</text>')
        parts.append(f'<path class="grid" d="M{NAMES} {y:.1f}H{chart_svg.WIDTH - chart_svg.RIGHT}"/>')
        parts += _firings(duty, [x(t) for t in edges], y)
    places = [(x(t), text) for t, text in chart_svg.ticks(edges[0], edges[-1], 6)]
    parts += chart_svg.horizontal_axis(places, "time [s]", NAMES, height)
    names = [
        f'<span><svg viewBox="0 0 26 10" aria-hidden="true"><rect class="mode c{i % len(SERIES)}" width="26" '
        f'height="10" style="fill: var(--c{i % len(SERIES)}); opacity: 0.35"/></svg>{mode}</span>'
        for i, mode in enumerate(modes)
    ]
    silent = [name for name in duties if name not in firing]
    note = f"<figcaption>Never on: {html.escape(', '.join(silent))}.</figcaption>" if silent else ""
    return chart_svg.figure(heading, names, [*parts, "</svg>", note])


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
