"""Capture envelope of a campaign: success rate over two inputs, cell by cell."""

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from nicegui import ui

from softdock.campaign.statistics import capture_envelope
from softdock.presentation.unit_systems import AUTOMATIC, UnitSystem
from softdock.studio.pages import axes, charts

if TYPE_CHECKING:
    from softdock.studio.columns import Columns


class EnvelopePanel:
    """Panel with the capture envelope."""

    def __init__(self, columns: "Columns", system: axes.System, names: list[str]) -> None:
        self.columns, self.system = columns, system
        with ui.row().classes("items-center w-full").style("gap: 10px"):
            self.axes = axes.AxisPair(names, "envelope", self.refresh)
        self.note = ui.label().classes("soft").style("font-size: 12.5px")
        self.chart = ui.echart({"series": []}).classes("w-full").mark("envelope")
        self.chart.style("height: max(380px, calc(100vh - 440px))")

    def refresh(self) -> None:
        """Draw the current table."""
        success = self.columns.success
        if success is None:
            self.note.set_text(
                "The campaign does not define which outcomes are a success (key `success`), so there is no envelope."
            )
            self.chart.set_visibility(False)
            return
        self.note.set_text(
            "Success rate in each cell [%], and the lower limit of its 95 % Wilson interval; no model is fitted."
        )
        options = envelope_options(self.columns, *self.axes.values, success, self.system())
        self.chart.options.clear()
        self.chart.options.update(options)
        self.chart.update()


def envelope_options(
    columns: "Columns", x: str, y: str, success: Any, system: UnitSystem = AUTOMATIC
) -> dict[str, Any]:
    """Return the chart of the success rate over two inputs, cell by cell."""
    x_unit, y_unit = columns.display(x, system), columns.display(y, system)
    envelope = capture_envelope(columns.column(x), columns.column(y), success)
    cells = []
    for i in range(envelope.runs.shape[0]):
        for j in range(envelope.runs.shape[1]):
            runs = int(envelope.runs[i, j])
            if runs:
                share = float(envelope.successes[i, j]) / runs
                cells.append(
                    [i, j, round(100.0 * share, 1), runs, round(100.0 * float(envelope.low[i, j]), 1)]
                )
    label = {
        "show": True,
        ":formatter": "p => p.value[2] + '\\n≥ ' + p.value[4]",
        "color": "#10151c",
        "fontSize": 11,
        "lineHeight": 14,
    }
    return {
        "animation": False, "textStyle": {"fontFamily": "Roboto, sans-serif"},
        "grid": {"left": 96, "right": 90, "top": 16, "bottom": 56},
        "tooltip": {"confine": True,
                    ":formatter": "p => p.value[2] + ' % of ' + p.value[3] + ' runs; at least ' + p.value[4] + ' %'"},
        "xAxis": charts.axis(
            columns.label(x, system), "category", data=_middles(envelope.x_edges, x_unit.factor), nameGap=32
        ),
        "yAxis": charts.axis(
            columns.label(y, system), "category", data=_middles(envelope.y_edges, y_unit.factor), nameGap=72
        ),
        "visualMap": {"min": 0, "max": 100, "right": 6, "top": "middle", "itemHeight": 160, "dimension": 2,
                      "text": ["100 %", "0 %"], "textStyle": charts.TEXT,
                      "inRange": {"color": ["#e4685f", "#f0c66b", "#7cc593"]}},
        "series": [{"type": "heatmap", "data": cells, "label": label, "emphasis": {"disabled": True}}],
    }  # fmt: skip


def _middles(edges: Any, factor: float) -> list[str]:
    return [f"{factor * (a + b) / 2:.3g}" for a, b in pairwise(edges)]
