"""Charts of the pages: readable axes with units, colours that work on light and on dark."""

from collections.abc import Mapping, Sequence
from typing import Any

COLOURS = ("#3b7dd8", "#e08a2e", "#2e9e5b", "#a259c4", "#d1495b", "#1fa3a8", "#8a6d3b", "#7a86f0")
GREY, FAINT = "#8a94a3", "rgba(138,148,163,0.22)"
TEXT = {"color": GREY, "fontSize": 12}


def axis(name: str, kind: str = "value", **more: Any) -> dict[str, Any]:
    """Return an axis with its name beside it, and light lines."""
    return {
        "type": kind, "name": name, "nameLocation": "middle", "nameTextStyle": TEXT, "scale": True,
        "axisLabel": {"color": GREY, "fontSize": 12, "hideOverlap": True}, "axisLine": {"lineStyle": {"color": GREY}},
        "splitLine": {"lineStyle": {"color": FAINT}}, "minorTick": {"show": False}, **more,
    }  # fmt: skip


def frame(x: dict[str, Any], y: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return a chart without its series."""
    return {
        "animation": False, "color": list(COLOURS), "textStyle": {"fontFamily": "Roboto, sans-serif"},
        "grid": {"left": 74, "right": 24, "top": 38, "bottom": 46},
        "legend": {"type": "scroll", "top": 4, "left": 66, "right": 60, "textStyle": TEXT,
                   "pageTextStyle": TEXT, "pageIconColor": GREY, "pageIconInactiveColor": FAINT},
        "tooltip": {"trigger": "axis", "confine": True},
        "xAxis": {"nameGap": 28, **x}, "yAxis": {"nameGap": 56, **y}, **more,
    }  # fmt: skip


def over_time(
    unit: str, curves: Mapping[str, Any], earlier: Mapping[str, Any], events: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    """Return a chart of curves of one unit over time; those of an earlier run are dashed."""
    series: list[dict[str, Any]] = []
    for i, (name, curve) in enumerate(curves.items()):
        colour = COLOURS[i % len(COLOURS)]
        line = {
            "type": "line",
            "showSymbol": False,
            "lineStyle": {"width": 1.6, "color": colour},
            "sampling": "none",
        }
        series.append({**line, "name": name, "data": curve["points"], "itemStyle": {"color": colour}})
        if name in earlier:
            dashed = {"width": 1.4, "color": colour, "type": "dashed", "opacity": 0.75}
            series.append(
                {**line, "name": f"{name}, earlier", "data": earlier[name]["points"], "lineStyle": dashed,
                 "itemStyle": {"color": colour}}
            )  # fmt: skip
    if series and events:
        series[0]["markLine"] = {
            "silent": True, "symbol": "none", "lineStyle": {"color": GREY, "type": "dotted", "width": 1},
            "label": {"show": False}, "data": [{"xAxis": event["time"], "name": event["name"]} for event in events],
        }  # fmt: skip
    quantity = "pure number" if unit == "1" else f"[{unit}]"
    return frame(
        axis("time [s]"),
        axis(quantity),
        series=series,
        dataZoom=[{"type": "inside", "filterMode": "none"}],
        toolbox={
            "right": 14, "top": 0, "iconStyle": {"borderColor": GREY},
            "feature": {"dataZoom": {"yAxisIndex": "none", "filterMode": "none"}, "restore": {}},
        },
    )  # fmt: skip


def by_unit(curves: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return curves sorted by unit, in the order in which the units appear."""
    found: dict[str, dict[str, Any]] = {}
    for name, curve in curves.items():
        found.setdefault(curve["unit"], {})[name] = curve
    return found
