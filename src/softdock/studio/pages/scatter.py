"""All runs of a campaign over two of its columns; a click on a point shows that run."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from nicegui import ui

from softdock.studio.pages import axes, charts

if TYPE_CHECKING:
    from softdock.studio.columns import Columns

MOST_POINTS = 20_000  # failures first
GOOD = "#2e9e5b"


class Scatter:
    """The panel of the scatter."""

    def __init__(self, columns: "Columns", x: str, y: str, show: Callable[[int], Awaitable[None]]) -> None:
        self.columns, self.show = columns, show
        names = columns.numeric()
        with ui.row().classes("items-center w-full").style("gap: 10px"):
            self.x = axes.select(names, x, "Across", self.refresh, "scatter-x")
            self.y = axes.select(names, y, "Up", self.refresh, "scatter-y")
            ui.label("Click a point to see that run.").classes("soft").style("font-size: 13px")
        self.note = ui.label().classes("soft").style("font-size: 12.5px")
        self.chart = ui.echart(charts.frame(charts.axis(x), charts.axis(y), series=[])).classes("w-full")
        self.chart.style("height: max(380px, calc(100vh - 360px))").mark("scatter")
        self.chart.on_point_click(self._clicked)

    def refresh(self) -> None:
        """Draw what the table has now."""
        across, up = self.columns.column(self.x.value), self.columns.column(self.y.value)
        options, drawn, known = scatter_options(self.columns, self.x.value, self.y.value, across, up)
        self.chart.options.clear()
        self.chart.options.update(options)
        self.chart.update()
        left = f"{drawn:,} of {known:,} runs are drawn, failures first." if drawn < known else ""
        self.note.set_text(left)

    async def _clicked(self, event: Any) -> None:
        data = event.data
        if isinstance(data, list) and len(data) > 2:
            await self.show(int(data[2]))


def scatter_options(
    columns: "Columns", x: str, y: str, across: Any, up: Any
) -> tuple[dict[str, Any], int, int]:
    """Return the scatter of two columns, one colour per outcome; failures first where there are too many."""
    known = np.flatnonzero(np.isfinite(across) & np.isfinite(up))
    success = columns.success
    if known.size > MOST_POINTS:
        order = np.argsort(success[known], kind="stable") if success is not None else np.arange(known.size)
        drawn = known[order[:MOST_POINTS]]
    else:
        drawn = known
    good = set(columns.manifest.get("campaign", {}).get("success") or ())
    series = []
    reds, others = ("#d33b3b", "#a259c4", "#e08a2e", "#8a6d3b"), charts.COLOURS
    failures = [name for name in columns.names if name not in good]
    for code, name in enumerate(columns.names):
        rows = drawn[columns.outcome[drawn] == code]
        failed = name in failures
        colour = (
            others[code % len(others)]
            if not good
            else reds[failures.index(name) % len(reds)]
            if failed
            else GOOD
        )
        points = [[float(across[i]), float(up[i]), int(columns.run[i])] for i in rows]
        series.append(
            {"type": "scatter", "name": name.replace("_", " "), "data": points,
             "symbolSize": 8 if failed or not good else 6,
             "itemStyle": {"color": colour, "opacity": 0.75}, "z": 3 if failed else 2, "cursor": "pointer"}
        )  # fmt: skip
    options = charts.frame(charts.axis(columns.label(x)), charts.axis(columns.label(y)), series=series)
    options["tooltip"] = {
        "trigger": "item", "confine": True,
        ":formatter": "p => 'run ' + p.value[2] + ': ' + p.seriesName + '<br>' + p.value[0].toPrecision(5) + ', ' "
        "+ p.value[1].toPrecision(5)",
    }  # fmt: skip
    return options, int(drawn.size), int(known.size)
