"""Figures of a campaign, among them ASSIST's Figures 12 to 15."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from softdock.campaign.sizing import SpringSize
from softdock.campaign.statistics import Envelope, SobolIndices, rank_correlation
from softdock.campaign.table import Table
from softdock.presentation.campaign import stiffness_unit
from softdock.presentation.colours import SERIES, STATUS_COLOURS
from softdock.presentation.labels import axis_label
from softdock.presentation.numbers import display_unit
from softdock.presentation.status import Status
from softdock.report.picture import GREY
from softdock.result import Array

COLUMNS = 3
MOST_BINS = 80
OUTLIER = 3.0  # times the 95 % quantile
BAND = (1.0, 2.0)  # s; where the paper finds most opening times above 0.02 m/s


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure with a canvas that needs no display."""
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def scatter_grid(table: Table, metric: str, inputs: Sequence[str]) -> Figure:
    """Draw a metric against several inputs, one panel each, with Spearman's coefficient as title."""
    rows = -(-len(inputs) // COLUMNS)
    figure = new_figure(11.0, 2.6 * rows)
    for i, name in enumerate(inputs):
        axes = figure.add_subplot(rows, COLUMNS, i + 1)
        scatter(axes, table, metric, name)
        found = rank_correlation(name, table.inputs[name], metric, table.metrics[metric])
        if found is not None:
            axes.set_title(f"rank correlation {found.coefficient:+.2f}", fontsize="small")
    return figure


def scatter(axes: Axes, table: Table, metric: str, name: str) -> None:
    """Draw one metric against one input; runs that did not succeed in another colour."""
    x, y, success = table.inputs[name], table.metrics[metric], table.success
    groups = [(np.ones(len(x), bool), SERIES[0])]
    if success is not None:
        groups = [(success, STATUS_COLOURS[Status.GOOD][0]), (~success, STATUS_COLOURS[Status.FAILED][0])]
    for chosen, colour in groups:
        axes.plot(x[chosen], y[chosen], ".", color=colour, markersize=3, alpha=0.6)
    axes.set_xlabel(table.label(name), fontsize="small")
    axes.set_ylabel(table.label(metric), fontsize="small")


def opening_time_figures(table: Table) -> list[tuple[str, Figure]]:
    """Draw ASSIST's Figures 12 to 14: available opening time over speed, masses and misalignment."""
    wanted = {
        "Figure 12: approach velocity": ["approach.speed"],
        "Figure 13: mass of servicer and client": ["bodies.servicer.mass", "bodies.client.mass"],
        "Figure 14: lateral and angular misalignment": ["approach.offset.norm", "approach.tilt.norm"],
    }
    return [
        (title, _opening(table, names))
        for title, names in wanted.items()
        if all(name in table.inputs for name in names)
    ]


def _opening(table: Table, names: list[str]) -> Figure:
    figure = new_figure(7.0, 3.0 * len(names))
    known = table.metrics["opening_time"][np.isfinite(table.metrics["opening_time"])]
    top, beyond = _axis_limit(known)
    for i, name in enumerate(names):
        axes = figure.add_subplot(len(names), 1, i + 1)
        axes.axhspan(*BAND, color=GREY, alpha=0.25, linewidth=0)
        x = table.inputs[name]
        symbol, factor = display_unit(table.unit(name), float(np.nanmax(np.abs(x))))
        axes.plot(factor * x, table.metrics["opening_time"], ".", color=SERIES[0], markersize=4)
        axes.set(xlabel=axis_label(name, symbol), ylabel=table.label("opening_time"), ylim=(0, top))
        if beyond:
            axes.set_title(f"{beyond} of {known.size} runs are above the axis", fontsize="small")
    return figure


def _axis_limit(values: Array) -> tuple[float | None, int]:
    """Return the upper limit of an axis that leaves out a few outliers (None: no limit), and the number of these."""
    if not values.size:
        return None, 0
    most = float(np.quantile(values, 0.95))
    if float(values.max()) <= OUTLIER * most:
        return None, 0
    return 1.5 * most, int((values > 1.5 * most).sum())


def spring_figure(size: SpringSize) -> Figure:
    """Draw ASSIST's Figure 15 for one spring: energy of every run, and the stiffness that stores it."""
    symbol = display_unit(stiffness_unit(size.turning), 1.0).symbol
    figure = new_figure(9.0, 3.0)
    panels = (
        (size.energies, axis_label("largest stored energy", "J")),
        (size.stiffnesses, axis_label("linear stiffness", symbol)),
    )
    for i, (values, label) in enumerate(panels):
        axes = figure.add_subplot(1, 2, i + 1)
        axes.plot(size.runs, values, ".", color=SERIES[i], markersize=4)
        axes.set(xlabel="run", ylabel=label, ylim=(0, None))
    return figure


def envelope_figure(envelope: Envelope, x: str, y: str) -> Figure:
    """Draw the share of success per cell, with the lower end of its interval as text."""
    figure = new_figure(7.0, 5.5)
    axes = figure.add_subplot()
    mesh = axes.pcolormesh(
        envelope.x_edges, envelope.y_edges, envelope.share.T, vmin=0, vmax=1, cmap="cividis"
    )
    figure.colorbar(mesh, label="share of success")
    centres = [0.5 * (edges[1:] + edges[:-1]) for edges in (envelope.x_edges, envelope.y_edges)]
    for i, a in enumerate(centres[0]):
        for j, b in enumerate(centres[1]):
            if envelope.runs[i, j]:
                text = f"≥{envelope.low[i, j]:.0%}\n{envelope.runs[i, j]:.0f} runs"
                colour = "white" if envelope.share[i, j] < 0.5 else "black"
                axes.text(a, b, text, ha="center", va="center", fontsize=6, color=colour)
    axes.set(xlabel=x, ylabel=y)
    return figure


def sobol_figure(indices: SobolIndices, metric: str) -> Figure:
    """Draw first-order and total indices with their intervals."""
    figure = new_figure(8.0, 0.5 + 0.45 * len(indices.names))
    axes = figure.add_subplot()
    place = np.arange(len(indices.names))
    for k, (values, interval, label) in enumerate(
        (
            (indices.first, indices.first_interval, "first order"),
            (indices.total, indices.total_interval, "total"),
        )
    ):
        errors = np.abs(interval.T - values)
        axes.barh(place + 0.2 - 0.4 * k, values, height=0.38, xerr=errors, color=SERIES[k], label=label)
    axes.set_yticks(place, indices.names)
    axes.set(xlabel=f"share of the variance of {metric}")
    axes.legend(fontsize="small")
    return figure


def prediction_figure(ratio: Array, simulated: Array, predicted: Array) -> Figure:
    """Draw the predicted coefficient over all samples, and theory against the simulated runs [m/s]."""
    figure = new_figure(9.5, 3.6)
    left, right = figure.add_subplot(1, 2, 1), figure.add_subplot(1, 2, 2)
    left.hist(ratio, bins=MOST_BINS, color=SERIES[0])
    left.set(xlabel="coefficient of effective masses", ylabel="samples")
    right.axline((0, 0), slope=1, color=GREY)
    right.plot(predicted, simulated, ".", color=SERIES[1], markersize=3)
    right.set(xlabel="predicted [m/s]", ylabel="simulated [m/s]", title="relative velocity after the impact")
    return figure
