"""Options of ECharts charts: axes with units, curves over time."""

from collections.abc import Mapping, Sequence
from typing import Any

from softdock.presentation.colours import SERIES, STATUS_COLOURS
from softdock.presentation.labels import quantity_label
from softdock.presentation.numbers import display_unit
from softdock.presentation.status import Status
from softdock.presentation.unit_systems import AUTOMATIC, UnitSystem

GREY, FAINT = "#8a94a3", "rgba(138,148,163,0.22)"
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
    unit: str,
    curves: Mapping[str, Any],
    earlier: Mapping[str, Any],
    events: Sequence[Mapping[str, Any]],
    limits: Sequence[Mapping[str, Any]] = (),
    system: UnitSystem = AUTOMATIC,
) -> dict[str, Any]:
    """Return a chart of curves of one SI unit over time; curves of an earlier run are dashed.

    `limits` (channel, value [SI], text) of channels that are not drawn are left out.
    """
    symbol, factor = display_unit(
        unit, _largest([*curves.values(), *(earlier[n] for n in curves if n in earlier)]), system
    )
    series: list[dict[str, Any]] = []
    for i, (name, curve) in enumerate(curves.items()):
        colour = SERIES[i % len(SERIES)]
        line = {
            "type": "line",
            "showSymbol": False,
            "lineStyle": {"width": 1.6, "color": colour},
            "sampling": "none",
        }
        series.append(
            {**line, "name": name, "data": _scaled(curve["points"], factor), "itemStyle": {"color": colour}}
        )
        if name in earlier:
            dashed = {"width": 1.4, "color": colour, "type": "dashed", "opacity": 0.75}
            series.append(
                {**line, "name": f"{name}, earlier", "data": _scaled(earlier[name]["points"], factor),
                 "lineStyle": dashed, "itemStyle": {"color": colour}}
            )  # fmt: skip
    series += _limit_series(curves, limits, factor)
    # NiceGUI evaluates keys of charts that begin with a colon, so that nothing but numbers and texts may enter.
    marks = [{"xAxis": float(event["time"]), "name": str(event["name"])} for event in events]
    if series and marks:
        series[0]["markLine"] = {
            "silent": True, "symbol": "none", "lineStyle": {"color": GREY, "type": "dotted", "width": 1},
            "label": {"show": False}, "data": marks,
        }  # fmt: skip
    return frame(
        axis("time [s]"),
        axis(quantity_label(unit, symbol)),
        series=series,
        dataZoom=[{"type": "inside", "filterMode": "none"}],
        toolbox={
            "right": 14, "top": 0, "iconStyle": {"borderColor": GREY},
            "feature": {"dataZoom": {"yAxisIndex": "none", "filterMode": "none"}, "restore": {}},
        },
    )  # fmt: skip


def _limit_series(
    curves: Mapping[str, Any], limits: Sequence[Mapping[str, Any]], factor: float
) -> list[dict[str, Any]]:
    """Return a horizontal line for each limit of a drawn channel; a series, so that the axis contains it."""
    times = [curve["points"][end][0] for curve in curves.values() if curve["points"] for end in (0, -1)]
    colour, lines = STATUS_COLOURS[Status.FAILED][0], []
    for limit in limits:
        if limit["channel"] in curves and times:
            value = factor * float(limit["value"])
            lines.append(
                {"type": "line", "name": f"{limit['text']} ({limit['channel']})", "showSymbol": False, "silent": True,
                 "data": [[min(times), value], [max(times), value]], "itemStyle": {"color": colour},
                 "lineStyle": {"width": 1.6, "color": colour, "type": [7, 4]}}
            )  # fmt: skip
    return lines


def by_unit(curves: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return curves grouped by unit, in the order in which the units appear."""
    groups: dict[str, dict[str, Any]] = {}
    for name, curve in curves.items():
        groups.setdefault(curve["unit"], {})[name] = curve
    return groups


def _scaled(points: Sequence[Sequence[float | None]], factor: float) -> list[list[float | None]]:
    """Return points (time, value) with their values in a display unit; gaps stay None."""
    return [[time, None if value is None else factor * value] for time, value in points]


def _largest(curves: Sequence[Mapping[str, Any]]) -> float:
    return max(
        (abs(value) for curve in curves for _, value in curve["points"] if value is not None), default=0.0
    )
