"""Charts as options of ECharts, which zooms them and shows values under the pointer."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from softdock.presentation.chart import Chart, LimitLine, Series, TimeCurve, time_chart
from softdock.presentation.colours import SERIES, STATUS_COLOURS
from softdock.presentation.status import Status
from softdock.presentation.unit_systems import AUTOMATIC, UnitSystem
from softdock.result import Array, RunEvent

GREY, FAINT = "#8a94a3", "rgba(138,148,163,0.22)"
EARLIER = (4, 4)
"""Dashes of curves of an earlier run."""
TEXT = {"color": GREY, "fontSize": 12}
ESCAPE = "(s => String(s).replace(/[&<>\"']/g, c => '&#' + c.charCodeAt(0) + ';'))"
"""JavaScript function that escapes a text for the HTML of a tooltip."""


def axis(name: str, kind: str = "value", **more: Any) -> dict[str, Any]:
    """Return an axis with its label and light grid lines."""
    return {
        "type": kind, "name": name, "nameLocation": "middle", "nameTextStyle": TEXT, "scale": True,
        "axisLabel": {"color": GREY, "fontSize": 12, "hideOverlap": True}, "axisLine": {"lineStyle": {"color": GREY}},
        "splitLine": {"lineStyle": {"color": FAINT}}, "minorTick": {"show": False}, **more,
    }  # fmt: skip


def frame(x: dict[str, Any], y: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return a chart with axes and legend; series come in `more`."""
    return {
        "animation": False, "color": list(SERIES), "textStyle": {"fontFamily": "Roboto, sans-serif"},
        "grid": {"left": 74, "right": 24, "top": 38, "bottom": 46},
        "legend": {"type": "scroll", "top": 4, "left": 66, "right": 60, "textStyle": TEXT,
                   "pageTextStyle": TEXT, "pageIconColor": GREY, "pageIconInactiveColor": FAINT},
        "tooltip": {"trigger": "axis", "confine": True},
        "xAxis": {"nameGap": 28, **x}, "yAxis": {"nameGap": 56, **y}, **more,
    }  # fmt: skip


def over_time(
    curves: Mapping[str, Any],
    earlier: Mapping[str, Any],
    events: Sequence[Mapping[str, Any]],
    limits: Sequence[Mapping[str, Any]] = (),
    system: UnitSystem = AUTOMATIC,
) -> Chart:
    """Return the chart of curves of one SI unit, which `read_curves` has read; those of an earlier run by name.

    `limits` (those of `summarise_result`) of channels that are not drawn are left out.
    """
    drawn = [_time_curve(name, curve) for name, curve in curves.items()]
    ends = [float(curve.time[end]) for curve in drawn if curve.time.size for end in (0, -1)] or [0.0]
    return time_chart(
        drawn,
        (min(ends), max(ends)),
        events=[RunEvent(time=float(event["time"]), name="") for event in events],
        limits=[LimitLine(**limit) for limit in limits if limit["channel"] in curves],
        earlier=[_time_curve(name, curve) for name, curve in earlier.items()],
        system=system,
    )


def to_echarts(chart: Chart) -> dict[str, Any]:
    """Return a chart whose horizontal range the user can zoom.

    NiceGUI evaluates keys of charts that begin with a colon, so that nothing but numbers and texts may enter.
    """
    series = [_line(drawn) for drawn in chart.series]
    if series and chart.marks:
        series[0]["markLine"] = {
            "silent": True, "symbol": "none", "lineStyle": {"color": GREY, "type": "dotted", "width": 1},
            "label": {"show": False}, "data": [{"xAxis": mark.x} for mark in chart.marks],
        }  # fmt: skip
    for limit in chart.limits:  # series, so that the axis contains them
        ends, colour = np.array([chart.x.start, chart.x.end]), STATUS_COLOURS[Status.FAILED][0]
        series.append(
            _styled(f"{limit.text} ({limit.channel})", ends, np.full(2, limit.value), colour, (7, 4))
        )
    return frame(
        axis(chart.x.label),
        axis(chart.y.label),
        series=series,
        dataZoom=[{"type": "inside", "filterMode": "none"}],
        toolbox={
            "right": 14, "top": 0, "iconStyle": {"borderColor": GREY},
            "feature": {"dataZoom": {"yAxisIndex": "none", "filterMode": "none"}, "restore": {}},
        },
    )  # fmt: skip


def _line(series: Series) -> dict[str, Any]:
    """Return a series; one of an earlier run has short dashes in a fainter colour."""
    if series.is_earlier:
        return _styled(series.name, series.x, series.y, SERIES[series.colour], EARLIER, opacity=0.75)
    return _styled(series.name, series.x, series.y, SERIES[series.colour], series.dash)


def _styled(name: str, x: Array, y: Array, colour: str, dash: tuple[int, ...], **more: Any) -> dict[str, Any]:
    style = {"width": 1.6, "color": colour, "type": list(dash) or "solid", **more}
    points = [[a, b if math.isfinite(b) else None] for a, b in zip(x.tolist(), y.tolist())]
    return {
        "type": "line", "name": name, "showSymbol": False, "sampling": "none", "data": points,
        "lineStyle": style, "itemStyle": {"color": colour},
    }  # fmt: skip


def _time_curve(name: str, curve: Mapping[str, Any]) -> TimeCurve:
    points = np.array(curve["points"], dtype=float).reshape(-1, 2)  # NaN where the value is None
    return TimeCurve(name=name, unit=str(curve["unit"]), time=points[:, 0], values=points[:, 1])


def by_unit(curves: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return curves grouped by unit, in the order in which the units appear."""
    groups: dict[str, dict[str, Any]] = {}
    for name, curve in curves.items():
        groups.setdefault(curve["unit"], {})[name] = curve
    return groups
