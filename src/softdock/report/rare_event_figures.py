"""Figures of subset simulations and boundaries."""

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter
from numpy.typing import NDArray

from softdock.presentation.colours import SERIES, STATUS_COLOURS
from softdock.presentation.labels import axis_label, input_label
from softdock.presentation.numbers import display_unit, format_confidence, format_number
from softdock.presentation.status import Status
from softdock.presentation.unit_systems import AUTOMATIC, UnitSystem
from softdock.report.picture import new_figure, style_axes
from softdock.result import Array

SECTIONS = 3
"""Sections of a boundary along the third and the fourth input."""
UNCERTAIN = (-1.96, 1.96)
"""Scores between which a side is uncertain: probabilities of success of 0.025 and 0.975."""


def level_figure(search: Mapping[str, Any], system: UnitSystem = AUTOMATIC) -> Figure:
    """Draw the probability that the margin is at most the threshold of each level.

    `search`: `CampaignTable.search` of the method `subset`, from `SubsetSimulation.to_json` and with the `margin`.
    """
    levels = search["levels"]
    thresholds = np.array([level["threshold"] for level in levels])
    chance = np.cumprod([level["probability"] for level in levels])
    symbol, factor = display_unit(search["margin"]["unit"], float(np.abs(thresholds).max()), system)
    figure = new_figure(6.5, 3.2)
    axes = figure.add_subplot()
    shown = chance > 0.0
    axes.plot(factor * thresholds[shown], chance[shown], "o-", color=SERIES[0], markersize=5)
    if search["probability"]:
        low, high = search["low"], search["high"]
        middle = search["probability"]
        axes.errorbar(
            [0.0], [middle], [[middle - low], [high - middle]], color=STATUS_COLOURS[Status.FAILED][0],
            fmt="o", capsize=4, label=f"failure, {format_confidence(search['confidence'])} confidence interval",
        )  # fmt: skip
        axes.legend(fontsize="small", frameon=False)
    axes.set_yscale("log")
    axes.set_xlabel(axis_label("margin at most", symbol), fontsize="small")
    axes.set_ylabel("probability", fontsize="small")
    axes.grid(True, axis="y", alpha=0.3)
    style_axes(axes)
    return figure


def refinement_figure(search: Mapping[str, Any]) -> Figure:
    """Draw uncertain volume and errors of the surrogate over the runs that it uses.

    `search`: `CampaignTable.search` of the method `boundary`, from `BoundaryRefinement.to_json`.
    """
    rows = search["refinements"]
    figure = new_figure(6.5, 2.8)
    axes = figure.add_subplot()
    runs = [row["runs"] for row in rows]
    curves = (
        ("uncertain_volume", "uncertain volume", "o-"),
        ("expected_error", "expected error", "s--"),
        ("holdout_error", "error of the hold-out runs", "^:"),
    )
    for k, (key, text, style) in enumerate(curves):
        values = [100.0 * row[key] for row in rows]
        axes.plot(runs, values, style, color=SERIES[k], label=text, markersize=4)
    axes.axhline(100.0 * search["tolerance"], color="0.3", linewidth=0.8, linestyle="-.", label="tolerance")
    axes.set_xlabel("runs used by the surrogate", fontsize="small")
    axes.set_ylabel("share of the volume [%]", fontsize="small")
    axes.set_ylim(bottom=0.0)
    axes.legend(fontsize="small", frameon=False)
    style_axes(axes)
    return figure


def boundary_figure(shape: Mapping[str, Any], system: UnitSystem = AUTOMATIC) -> Figure:
    """Draw a boundary over its first two inputs, in sections along the others.

    `shape`: `CampaignTable.boundary`, from `AdaptiveCampaign`: axes, grid and runs [SI].
    """
    axes = [_Axis(axis, system) for axis in shape["axes"]]
    others = axes[2:]
    picks = [
        np.linspace(0, len(axis.values) - 1, 2 * SECTIONS + 1).round().astype(int)[1::2] for axis in others
    ]
    columns = SECTIONS if others else 1
    rows = SECTIONS if len(others) == 2 else 1
    figure = new_figure(6.5 if columns == 1 else 10.0, 4.5 if columns == 1 else 0.6 + 3.0 * rows)
    grids = [np.array(shape[key], dtype=float) for key in ("margin", "score")]
    runs = np.array(shape["runs"], dtype=float)
    for k, places in enumerate(itertools.product(*picks)):
        panel = figure.add_subplot(rows, columns, k + 1)
        near = np.ones(len(runs), dtype=bool)
        for i, (axis, place) in enumerate(zip(others, places)):
            near &= axis.is_near(runs[:, 2 + i], place)
        margin, score = (grid[(slice(None), slice(None), *places)] for grid in grids)
        _draw_section(panel, axes, margin, score)
        _draw_runs(panel, axes, runs[near], np.array(shape["success"])[near])
        panel.set_title(
            ", ".join(axis.value_text(place) for axis, place in zip(others, places)), fontsize="small"
        )
    return figure


class _Axis:
    """Axis of a boundary in display units."""

    def __init__(self, axis: Mapping[str, Any], system: UnitSystem) -> None:
        si = np.array(axis["values"], dtype=float)
        self.symbol, self.factor = display_unit(axis["unit"], float(np.abs(si).max()), system)
        self.values: Array = self.factor * si
        self.words = input_label(axis["name"])
        self.logarithmic = bool(axis["logarithmic"])

    def is_near(self, values: Array, place: int) -> NDArray[np.bool_]:
        """Return which values [SI] belong to the section at a place of the grid."""
        half = len(self.values) // (2 * SECTIONS)
        ends = self.values[[max(place - half, 0), min(place + half, len(self.values) - 1)]]
        return np.asarray((self.factor * values >= ends.min()) & (self.factor * values <= ends.max()))

    def value_text(self, place: int) -> str:
        return f"{self.words} {format_number(float(self.values[place]))} {self.symbol}".strip()


def _draw_section(panel: Axes, axes: list[_Axis], margin: Array, score: Array) -> None:
    x, y = axes[0], axes[1]
    colour = STATUS_COLOURS[Status.DOUBTFUL][0]
    panel.contourf(x.values, y.values, score.T, levels=UNCERTAIN, colors=[colour], alpha=0.35)
    if float(margin.min()) < 0.0 < float(margin.max()):
        panel.contour(x.values, y.values, margin.T, levels=[0.0], colors=["0.1"], linewidths=1.5)


def _draw_runs(panel: Axes, axes: list[_Axis], runs: Array, success: NDArray[np.bool_]) -> None:
    x, y = axes[0], axes[1]
    good, bad = STATUS_COLOURS[Status.GOOD][0], STATUS_COLOURS[Status.FAILED][0]
    for chosen, colour, marker in ((success, good, "."), (~success, bad, "x")):
        panel.plot(
            x.factor * runs[chosen, 0],
            y.factor * runs[chosen, 1],
            marker,
            color=colour,
            markersize=4,
            alpha=0.7,
        )
    for axis, shown, scale in ((x, panel.xaxis, panel.set_xscale), (y, panel.yaxis, panel.set_yscale)):
        if axis.logarithmic:
            scale("log")
            shown.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
            shown.set_major_formatter(FuncFormatter(lambda value, _: format_number(value)))
            shown.set_minor_formatter(NullFormatter())
    panel.set_xlim(x.values.min(), x.values.max())
    panel.set_ylim(y.values.min(), y.values.max())
    panel.set_xlabel(axis_label(x.words, x.symbol), fontsize="small")
    panel.set_ylabel(axis_label(y.words, y.symbol), fontsize="small")
    panel.tick_params(labelsize="small")
