"""Scatter plot of all runs of a campaign over two columns; a click on a point opens that run."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from nicegui import ui

from softdock.presentation.colours import outcome_colours
from softdock.presentation.labels import label
from softdock.presentation.unit_systems import AUTOMATIC, UnitSystem
from softdock.studio.pages import axes, charts

if TYPE_CHECKING:
    from softdock.studio.columns import Columns

MOST_POINTS = 20_000  # failures first


class Scatter:
    """Panel with the scatter plot."""

    def __init__(
        self, columns: "Columns", system: axes.System, show: Callable[[int], Awaitable[None]]
    ) -> None:
        self.columns, self.system, self.show = columns, system, show
        names = columns.numeric_names()
        with ui.row().classes("items-center w-full").style("gap: 10px"):
            self.axes = axes.AxisPair(names, "scatter", self.refresh)
            ui.label("Click a point to open that run.").classes("soft").style("font-size: 13px")
        self.note = ui.label().classes("soft").style("font-size: 12.5px")
        self.chart = ui.echart(charts.frame(charts.axis(""), charts.axis(""), series=[])).classes("w-full")
        self.chart.style("height: max(380px, calc(100vh - 440px))").mark("scatter")
        self.chart.on_point_click(self._clicked)

    def refresh(self) -> None:
        """Draw the current table."""
        options, shown, known = scatter_options(self.columns, *self.axes.values, self.system())
        self.chart.options.clear()
        self.chart.options.update(options)
        self.chart.update()
        self.note.set_text(f"{shown:,} of {known:,} runs are shown, failures first." if shown < known else "")

    async def _clicked(self, event: Any) -> None:
        data = event.data
        if isinstance(data, list) and len(data) > 2:
            await self.show(int(data[2]))


def scatter_options(
    columns: "Columns", x: str, y: str, system: UnitSystem = AUTOMATIC
) -> tuple[dict[str, Any], int, int]:
    """Return the chart of two columns, and the numbers of runs shown and of runs with both values."""
    x_values, y_values = (columns.column(name) * columns.display(name, system).factor for name in (x, y))
    known = np.flatnonzero(np.isfinite(x_values) & np.isfinite(y_values))
    shown, success = known, columns.success
    if known.size > MOST_POINTS:
        order = np.argsort(success[known], kind="stable") if success is not None else np.arange(known.size)
        shown = known[order[:MOST_POINTS]]
    successful = columns.manifest.get("campaign", {}).get("success") or ()
    colours = outcome_colours(columns.outcome_names, successful)
    series = []
    for code, name in enumerate(columns.outcome_names):
        rows = shown[columns.outcome[shown] == code]
        failed = bool(successful) and name not in successful
        points = [[float(x_values[i]), float(y_values[i]), int(columns.run[i])] for i in rows]
        series.append(
            {"type": "scatter", "name": label(name), "data": points,
             "symbolSize": 8 if failed or not successful else 6,
             "itemStyle": {"color": colours[name], "opacity": 0.9}, "z": 3 if failed else 2, "cursor": "pointer"}
        )  # fmt: skip
    options = charts.frame(
        charts.axis(columns.label(x, system)), charts.axis(columns.label(y, system)), series=series
    )
    options["tooltip"] = {
        "trigger": "item", "confine": True,
        ":formatter": f"p => 'run ' + p.value[2] + ': ' + {charts.ESCAPE}(p.seriesName) + '<br>' "
        "+ p.value[0].toPrecision(5) + ', ' + p.value[1].toPrecision(5)",
    }  # fmt: skip
    return options, int(shown.size), int(known.size)
