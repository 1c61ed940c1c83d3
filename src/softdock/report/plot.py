"""Plot of the history of a run over time: panels with events marked."""

import difflib
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from softdock.errors import InputError, Problem
from softdock.presentation.chart import time_chart
from softdock.presentation.colours import SERIES
from softdock.presentation.discrepancies import MARK
from softdock.presentation.labels import label, shorten_list
from softdock.presentation.unit_systems import UnitSystem, find_unit_system, unit_system_of
from softdock.report.panels import CurvePanel, all_rows, overview_panels
from softdock.report.picture import GREY, line_style, save_picture, style_axes, write_literally
from softdock.result import Array, Channel, Result, RunEvent
from softdock.result.damaged_results import damaged_result_errors

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEGEND_ROWS = 12  # names that fit beside a panel of ordinary height
LONGEST_LABEL = 24  # characters of one line beside a panel of ordinary height
EVENT_SPACING = 0.03  # of the time axis: closer events share one label


def plot(
    result: Result,
    path: Path | None = None,
    channels: Sequence[str] | None = None,
    system: UnitSystem | str | None = None,
) -> Figure:
    """Draw a run over time and save the picture if a path is given.

    Channels are chosen by their name or the beginning of their name; without them the four panels of an overview are
    drawn. Values are in the given unit system, or in that of the scenario.
    """
    chosen = find_unit_system(system, "system") if isinstance(system, str) else system
    with damaged_result_errors(result):
        panels = overview_panels(result) if channels is None else _panels(result, channels)
        if not panels:
            raise InputError("This result has no recorded channels to draw.")
        figure = draw_panels(result, panels, chosen or unit_system_of(result.definition))
    if path is not None:
        save_picture(figure, path)
    return figure


def draw_panels(result: Result, panels: Sequence[CurvePanel], system: UnitSystem) -> Figure:
    """Return a figure of panels above each other over a common time axis, with events marked."""
    heights = [max(2.0, 0.19 * min(len(panel.curves), 2 * LEGEND_ROWS)) for panel in panels]
    figure = Figure(figsize=(9.0, 1.6 + sum(heights)), layout="constrained")
    mark = f" ({MARK})" if result.discrepancies else ""
    figure.suptitle(fill(result.titled(result.message) + mark, 90), fontsize="medium")
    axes = figure.subplots(len(panels), sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    for ax, panel in zip(axes, panels, strict=True):
        _draw_panel(ax, panel, system)
    axes[-1].set_xlabel("time [s]")
    _mark_events(list(axes), result)
    figure.align_ylabels()
    write_literally(figure)
    return figure


def _panels(result: Result, wanted: Sequence[str]) -> list[CurvePanel]:
    """Return the wanted channels grouped by unit, in the order in which units first appear."""
    units: dict[str, dict[str, Array]] = {}
    for name, channel in _choose(result, wanted).items():
        units.setdefault(channel.unit, {})[name] = channel.values
    return [
        CurvePanel(title="", unit=unit, curves=curves, time=result.history.time)
        for unit, curves in units.items()
    ]


def _choose(result: Result, wanted: Sequence[str]) -> dict[str, Channel]:
    recorded = result.history.channels
    if not recorded:
        raise InputError("This result has no recorded channels to draw.")
    problems: list[Problem] = []
    chosen: dict[str, Channel] = {}
    for name in wanted:
        matches = [known for known in recorded if known == name or known.startswith(f"{name}.")]
        if not matches:
            near = difflib.get_close_matches(name, recorded, n=3) or list(recorded)[:8]
            hint = f"Recorded are, among others: {', '.join(near)}."
            problems.append(Problem(message="There is no such channel.", given=name, hint=hint))
        chosen |= {known: recorded[known] for known in matches}
    if problems:
        raise InputError(*problems)
    return chosen


def _draw_panel(ax: "Axes", panel: CurvePanel, system: UnitSystem) -> None:
    curves = panel.curves_over_time(all_rows)
    chart = time_chart(curves, (panel.time[0], panel.time[-1]), title=panel.title, system=system)
    for series in chart.series:
        style, colour = line_style(series.dash), SERIES[series.colour]
        ax.plot(series.x, series.y, linestyle=style, color=colour, linewidth=1.2, label=series.name)
    ax.set_ylabel(fill(chart.y.label, LONGEST_LABEL), fontsize="small")
    ax.margins(x=0.0)
    style_axes(ax)
    columns = -(-len(panel.curves) // (2 * LEGEND_ROWS))
    legend = ax.legend(
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
        frameon=False,
        fontsize="x-small",
        ncols=columns,
        handlelength=3.0,
    )
    if panel.omitted:
        total = len(panel.curves) + len(panel.omitted)
        legend.set_title(f"{len(panel.curves)} of {total}", {"size": "x-small"})  # type: ignore[arg-type]


def _mark_events(axes: list["Axes"], result: Result) -> None:
    start, end = axes[0].get_xlim()
    shown = [event for event in result.events if start <= event.time <= end]  # the others were not recorded
    for events in _group_close_events(shown, EVENT_SPACING * (end - start)):
        for ax in axes:
            # Above the grid, below the lines.
            ax.axvline(events[0].time, color=GREY, linewidth=0.7, zorder=1.8)
        axes[0].annotate(
            _event_label(events),
            (events[0].time, 1.0),
            xycoords=("data", "axes fraction"),
            xytext=(2, 2),
            textcoords="offset points",
            rotation=30,
            fontsize="x-small",
            color="0.35",
        )
    axes[0].set_xlim(start, end)


def _group_close_events(events: Sequence[RunEvent], spacing: float) -> Iterator[list[RunEvent]]:
    """Yield the events in groups, each shorter than the spacing [s]."""
    waiting = sorted(events, key=lambda event: event.time)
    while waiting:
        group = [event for event in waiting if event.time - waiting[0].time <= spacing]
        yield group
        waiting = waiting[len(group) :]


def _event_label(events: list[RunEvent]) -> str:
    """Return one label for events at nearly the same time: each name once, with its count."""
    names = [label(event.name) for event in events]
    counted = [(name, len(list(same))) for name, same in groupby(sorted(names, key=names.index))]
    shown = [f"{name} ({count})" if count > 1 else name for name, count in counted]
    return shorten_list(shown, 2)
