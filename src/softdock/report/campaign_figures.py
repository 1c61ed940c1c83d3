"""Figures of a campaign, among them ASSIST's Figures 12 to 15; labels are words and values have display units."""

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import fill

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from softdock.campaign.sizing import SpringSize
from softdock.campaign.statistics import Envelope, RankCorrelation, SobolIndices, rank_correlation
from softdock.campaign.summary import PAPER_OPENING_TIMES
from softdock.campaign.table import CampaignTable
from softdock.presentation.campaign import stiffness_unit
from softdock.presentation.chart import DASHES, FAR_LIMIT
from softdock.presentation.colours import SERIES, STATUS_COLOURS, outcome_colours
from softdock.presentation.labels import axis_label, input_label, label
from softdock.presentation.numbers import display_unit
from softdock.presentation.status import Status
from softdock.presentation.unit_systems import AUTOMATIC, UnitSystem
from softdock.report.limits import metric_limits
from softdock.report.picture import GREY, line_style, literal, new_figure, style_axes
from softdock.result import Array

COLUMNS = 3
MOST_BINS = 80
MOST_BARS = 12
"""Inputs of a tornado chart."""
MOST_ROWS = 24
"""Inputs of a correlation matrix."""
LONGEST_LABEL = 26  # characters of one line of a label
OUTLIER = 3.0  # times the 95 % quantile


@dataclass(frozen=True)
class DisplayedColumn:
    """An input or a metric of a campaign with its label and its values in display units."""

    label: str
    values: Array
    factor: float


def column(table: CampaignTable, name: str, system: UnitSystem = AUTOMATIC) -> DisplayedColumn:
    """Return an input or metric of a table, ready to draw."""
    is_input = name in table.inputs
    values = table.inputs[name] if is_input else table.metrics[name]
    finite = values[np.isfinite(values)]
    largest = float(np.abs(finite).max()) if finite.size else 0.0
    symbol, factor = display_unit(table.unit(name), largest, system)
    words = input_label(name) if is_input else label(name)
    return DisplayedColumn(axis_label(words, symbol), factor * values, factor)


def scatter_grid(
    table: CampaignTable, metric: str, inputs: Sequence[str], system: UnitSystem = AUTOMATIC
) -> Figure:
    """Draw a metric against several inputs, one panel each, with Spearman's coefficient as title."""
    rows = -(-len(inputs) // COLUMNS)
    figure = new_figure(10.0, 2.6 * rows)
    for i, name in enumerate(inputs):
        axes = figure.add_subplot(rows, COLUMNS, i + 1)
        scatter(axes, table, metric, name, system)
        correlation = rank_correlation(name, table.inputs[name], metric, table.metrics[metric])
        if correlation is not None:
            axes.set_title(f"rank correlation {correlation.coefficient:+.2f}", fontsize="small")
    return figure


def scatter(axes: Axes, table: CampaignTable, metric: str, name: str, system: UnitSystem = AUTOMATIC) -> None:
    """Draw one metric against one input; runs that did not succeed with another colour and marker."""
    x, y, success = column(table, name, system), column(table, metric, system), table.success
    groups = [(np.ones(len(x.values), bool), SERIES[0], ".")]
    if success is not None:
        groups = [
            (success, STATUS_COLOURS[Status.GOOD][0], "."),
            (~success, STATUS_COLOURS[Status.FAILED][0], "x"),
        ]
    for chosen, colour, marker in groups:
        axes.plot(x.values[chosen], y.values[chosen], marker, color=colour, markersize=3, alpha=0.6)
    axes.set_xlabel(fill(x.label, 32), fontsize="small")
    axes.set_ylabel(fill(y.label, 24), fontsize="small")
    axes.tick_params(labelsize="small")


def distribution_figure(
    table: CampaignTable, metrics: Sequence[str], system: UnitSystem = AUTOMATIC
) -> Figure:
    """Draw the empirical cumulative distributions of two metrics, a curve per outcome, with limits of requirements."""
    figure = new_figure(10.0, 3.0)
    outcomes = list(table.counts())
    colours = outcome_colours(outcomes, table.manifest["campaign"]["success"])
    outcome = np.array(table.outcome)
    for i, name in enumerate(metrics):
        axes = figure.add_subplot(1, 2, i + 1)
        shown = column(table, name, system)
        for k, outcome_name in enumerate(outcomes):
            values = np.sort(shown.values[(outcome == outcome_name) & np.isfinite(shown.values)])
            if values.size:
                share = np.arange(1, values.size + 1) / values.size
                style = line_style(DASHES[k % len(DASHES)])
                words = f"{label(outcome_name)} ({values.size})"
                axes.step(
                    values, share, where="post", color=colours[outcome_name], linestyle=style, label=words
                )
        _draw_limits(axes, table, name, shown)
        axes.set(ylim=(0.0, 1.02))
        axes.set_xlabel(shown.label, fontsize="small")
        axes.set_ylabel("share of runs", fontsize="small")
        axes.tick_params(labelsize="small")
        axes.legend(fontsize="x-small", framealpha=0.9, edgecolor="none", loc="lower right")
        style_axes(axes)
    return figure


def _draw_limits(axes: Axes, table: CampaignTable, metric: str, shown: DisplayedColumn) -> None:
    """Draw the limits of requirements on a metric, factor of safety included, unless they are far from all values."""
    finite = shown.values[np.isfinite(shown.values)]
    for key, low, high in metric_limits(table.manifest["scenario"]["data"], metric, table.unit(metric)):
        for limit in (low, high):
            if (
                limit is not None
                and finite.size
                and abs(shown.factor * limit) <= FAR_LIMIT * np.abs(finite).max()
            ):
                colour = STATUS_COLOURS[Status.FAILED][0]
                axes.axvline(shown.factor * limit, color=colour, linestyle=(0, (8, 3, 2, 3)), linewidth=1.2)
                place = (shown.factor * limit, 0.5)
                axes.annotate(
                    key, place, rotation=90, fontsize="x-small", color=colour, ha="right", va="center"
                )


def tornado_figure(correlations: Sequence[RankCorrelation], metric: str) -> Figure:
    """Draw the rank correlations of one metric with all inputs as bars, largest first."""
    ranked = sorted(correlations, key=lambda correlation: -abs(correlation.coefficient))[:MOST_BARS]
    figure = new_figure(5.3, 0.9 + 0.32 * len(ranked))
    axes = figure.add_subplot()
    for place, correlation in enumerate(ranked):
        rises = correlation.coefficient > 0.0
        axes.barh(
            place,
            correlation.coefficient,
            height=0.62,
            color=SERIES[0 if rises else 1],
            hatch="" if rises else "//",
        )
        at = correlation.coefficient + (0.02 if rises else -0.02)
        axes.text(
            at,
            place,
            _signed(correlation.coefficient),
            va="center",
            ha="left" if rises else "right",
            fontsize=10,
        )
    axes.set_yticks(
        range(len(ranked)),
        [literal(fill(input_label(correlation.input), LONGEST_LABEL)) for correlation in ranked],
        fontsize=10,
    )
    axes.invert_yaxis()
    axes.axvline(0.0, color="0.3", linewidth=0.8)
    axes.set_xlim(-1.3, 1.3)
    axes.set_xlabel(f"rank correlation with {label(metric)}", fontsize="small")
    axes.tick_params(axis="x", labelsize="small")
    style_axes(axes)
    return figure


def correlation_figure(correlations: Sequence[RankCorrelation]) -> tuple[Figure, list[str]]:
    """Draw the matrix of rank correlations with its numbers; also return the inputs that it leaves out."""
    metrics = list(dict.fromkeys(correlation.metric for correlation in correlations))
    known = {(correlation.input, correlation.metric): correlation.coefficient for correlation in correlations}
    strongest: dict[str, float] = {}
    for correlation in correlations:
        strongest[correlation.input] = max(
            strongest.get(correlation.input, 0.0), abs(correlation.coefficient)
        )
    ranked = sorted(strongest, key=lambda name: -strongest[name])
    inputs = [name for name in strongest if name in ranked[:MOST_ROWS]]
    values = np.array([[known.get((name, metric), np.nan) for metric in metrics] for name in inputs])
    figure = new_figure(10.0, 1.6 + 0.3 * len(inputs))
    axes = figure.add_subplot()
    image = axes.imshow(values, cmap="PuOr", vmin=-1.0, vmax=1.0, aspect="auto")
    figure.colorbar(image, label="rank correlation", fraction=0.03)
    for (i, j), value in np.ndenumerate(values):
        if np.isfinite(value):
            colour = "white" if abs(value) > 0.6 else "black"
            axes.text(j, i, _signed(float(value)), ha="center", va="center", fontsize=8, color=colour)
    axes.set_xticks(range(len(metrics)), [literal(fill(label(name), 16)) for name in metrics], fontsize=8)
    axes.set_yticks(range(len(inputs)), [literal(fill(input_label(name), 34)) for name in inputs], fontsize=8)
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    return figure, ranked[MOST_ROWS:]


def _signed(coefficient: float) -> str:
    """Return a coefficient with its sign; without one where it is zero."""
    text = f"{coefficient:+.2f}"
    return "0.00" if text in ("+0.00", "-0.00") else text


def opening_time_figures(table: CampaignTable, system: UnitSystem = AUTOMATIC) -> list[tuple[str, Figure]]:
    """Draw ASSIST's Figures 12 to 14: available opening time over speed, masses and misalignment."""
    wanted = {
        "Figure 12: approach velocity": ["approach.speed"],
        "Figure 13: mass of servicer and client": ["bodies.servicer.mass", "bodies.client.mass"],
        "Figure 14: lateral and angular misalignment": ["approach.offset.norm", "approach.tilt.norm"],
    }
    return [
        (title, _opening(table, names, system))
        for title, names in wanted.items()
        if all(name in table.inputs for name in names)
    ]


def _opening(table: CampaignTable, names: list[str], system: UnitSystem) -> Figure:
    figure = new_figure(10.0, 3.0)
    times = table.metrics["opening_time"]
    top, beyond = _axis_limit(times[np.isfinite(times)])
    for i, name in enumerate(names):
        axes = figure.add_subplot(1, len(names), i + 1)
        axes.axhspan(*PAPER_OPENING_TIMES, color=GREY, alpha=0.25, linewidth=0)
        x = column(table, name, system)
        axes.plot(x.values, times, ".", color=SERIES[0], markersize=4)
        axes.set(xlabel=x.label, ylabel=axis_label("opening time", "s"), ylim=(0, top))
        if beyond:
            known = int(np.isfinite(times).sum())
            axes.set_title(f"{beyond} of {known} runs are above the axis", fontsize="small")
    return figure


def _axis_limit(values: Array) -> tuple[float | None, int]:
    """Return the upper limit of an axis that leaves out a few outliers (None: no limit), and the number of these."""
    if not values.size:
        return None, 0
    most = float(np.quantile(values, 0.95))
    if float(values.max()) <= OUTLIER * most:
        return None, 0
    return 1.5 * most, int((values > 1.5 * most).sum())


def spring_figure(size: SpringSize, system: UnitSystem = AUTOMATIC) -> Figure:
    """Draw ASSIST's Figure 15 for one spring: energy of every run, and the stiffness that stores it."""
    figure = new_figure(10.0, 3.0)
    panels = (
        (size.energies, "largest stored energy", "J"),
        (size.stiffnesses, "linear stiffness", stiffness_unit(size.turning)),
    )
    for i, (values, words, unit) in enumerate(panels):
        axes = figure.add_subplot(1, 2, i + 1)
        symbol, factor = display_unit(unit, float(values.max()) if values.size else 0.0, system)
        axes.plot(size.runs, factor * values, ".", color=SERIES[i], markersize=4)
        axes.set(xlabel="run", ylabel=axis_label(words, symbol), ylim=(0, None))
    return figure


def envelope_figure(
    table: CampaignTable, envelope: Envelope, x: str, y: str, system: UnitSystem = AUTOMATIC
) -> Figure:
    """Draw the share of success per cell over two inputs, with the lower end of its interval as text."""
    figure = new_figure(8.0, 5.6)
    axes = figure.add_subplot()
    a, b = column(table, x, system), column(table, y, system)
    edges = a.factor * envelope.x_edges, b.factor * envelope.y_edges
    mesh = axes.pcolormesh(*edges, envelope.share.T, vmin=0, vmax=1, cmap="cividis")
    figure.colorbar(mesh, label="share of success")
    centres = [0.5 * (axis_edges[1:] + axis_edges[:-1]) for axis_edges in edges]
    for (i, j), runs in np.ndenumerate(envelope.runs):
        if runs:
            text = f"≥{envelope.low[i, j]:.0%}\n{runs:.0f} {'run' if runs == 1 else 'runs'}"
            colour = "white" if envelope.share[i, j] < 0.5 else "black"
            axes.text(
                float(centres[0][i]),
                float(centres[1][j]),
                text,
                ha="center",
                va="center",
                fontsize=7,
                color=colour,
            )
    axes.set(xlabel=a.label, ylabel=b.label)
    return figure


def sobol_figure(indices: SobolIndices, metric: str) -> Figure:
    """Draw first-order and total indices with their intervals."""
    figure = new_figure(8.0, 0.8 + 0.45 * len(indices.names))
    axes = figure.add_subplot()
    place = np.arange(len(indices.names))
    for k, (values, interval, words) in enumerate(
        (
            (indices.first, indices.first_interval, "first order"),
            (indices.total, indices.total_interval, "total"),
        )
    ):
        errors = np.abs(interval.T - values)
        axes.barh(
            place + 0.2 - 0.4 * k, values, height=0.38, xerr=errors, color=SERIES[k], label=words,
            hatch="//" if k else "",
        )  # fmt: skip
    axes.set_yticks(place, [literal(input_label(name)) for name in indices.names])
    axes.set(xlabel=f"share of the variance of {label(metric)}")
    axes.legend(fontsize="small")
    return figure


def prediction_figure(
    ratio: Array, simulated: Array, predicted: Array, system: UnitSystem = AUTOMATIC
) -> Figure:
    """Draw the predicted coefficient over all samples, and theory against the simulated runs."""
    figure = new_figure(10.0, 3.6)
    left, right = figure.add_subplot(1, 2, 1), figure.add_subplot(1, 2, 2)
    left.hist(ratio, bins=MOST_BINS, color=SERIES[0])
    left.set(xlabel="coefficient of effective masses", ylabel="samples")
    known = np.concatenate([predicted, simulated])
    symbol, factor = display_unit("m/s", float(np.nanmax(np.abs(known))), system)
    right.axline((0, 0), slope=1, color=GREY)
    right.plot(factor * predicted, factor * simulated, ".", color=SERIES[1], markersize=3)
    right.set(
        xlabel=axis_label("predicted", symbol),
        ylabel=axis_label("simulated", symbol),
        title="relative velocity after the impact",
    )
    return figure
