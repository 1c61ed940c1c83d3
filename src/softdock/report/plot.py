"""Plot of the history of a run over time: one panel per unit, with events marked."""

import difflib
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from softdock.errors import InputError, Problem
from softdock.presentation.colours import SERIES
from softdock.presentation.labels import label, quantity_label, shorten_list
from softdock.presentation.numbers import display_unit
from softdock.report.picture import GREY, save_picture, style_axes
from softdock.result import Array, Channel, Event, Result

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LINE_STYLES = ("-", "--", ":", "-.")
LEGEND_ROWS = 12  # names that fit beside a panel of ordinary height
EVENT_SPACING = 0.03  # of the time axis: closer events share one label


def plot(result: Result, path: Path | None = None, channels: Sequence[str] | None = None) -> Figure:
    """Draw recorded channels over time and save the picture if a path is given.

    A channel is chosen by its name or the beginning of its name. By default all are drawn, or those that
    change most where a panel would be too full.
    """
    full = _panels(_choose(result, channels))
    panels = full if channels else {unit: _most_varying(panel) for unit, panel in full.items()}
    heights = [max(2.0, 0.19 * min(len(panel), 2 * LEGEND_ROWS)) for panel in panels.values()]
    figure = Figure(figsize=(9.0, 1.6 + sum(heights)), layout="constrained")
    figure.suptitle(fill(f"{result.scenario}: {result.message}", 90), fontsize="medium")
    axes = figure.subplots(len(panels), sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    for ax, (unit, panel) in zip(axes, panels.items(), strict=True):
        _draw_panel(ax, result, unit, panel)
        if len(panel) < len(full[unit]):
            ax.get_legend().set_title(f"{len(panel)} of {len(full[unit])}", {"size": "x-small"})
    axes[-1].set_xlabel("time [s]")
    _mark_events(list(axes), result)
    figure.align_ylabels()
    if path is not None:
        save_picture(figure, path)
    return figure


def _choose(result: Result, wanted: Sequence[str] | None) -> dict[str, Channel]:
    recorded = result.history.channels
    if not recorded:
        raise InputError("This result has no recorded channels to draw.")
    if wanted is None:
        return dict(recorded)
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


def _panels(channels: dict[str, Channel]) -> dict[str, dict[str, Channel]]:
    """Return the channels grouped by unit, in the order in which units first appear."""
    panels: dict[str, dict[str, Channel]] = {}
    for name, channel in channels.items():
        panels.setdefault(channel.unit, {})[name] = channel
    return panels


def _most_varying(panel: dict[str, Channel]) -> dict[str, Channel]:
    """Return the channels with the largest ranges, at most `LEGEND_ROWS`, in their original order."""
    ranked = sorted(panel, key=lambda name: -_range(panel[name].values))[:LEGEND_ROWS]
    return {name: channel for name, channel in panel.items() if name in ranked}


def _range(values: Array) -> float:
    finite = values[np.isfinite(values)]
    return float(np.ptp(finite)) if finite.size else 0.0


def _size(values: Array) -> float:
    finite = values[np.isfinite(values)]
    return float(np.abs(finite).max()) if finite.size else 0.0


def _draw_panel(ax: "Axes", result: Result, unit: str, panel: dict[str, Channel]) -> None:
    largest = max(_size(channel.values) for channel in panel.values())
    symbol, factor = display_unit(unit, largest)
    for i, (name, channel) in enumerate(panel.items()):
        colour, style = SERIES[i % len(SERIES)], LINE_STYLES[i // len(SERIES) % len(LINE_STYLES)]
        ax.plot(result.history.time, factor * channel.values, style, color=colour, linewidth=1.2, label=name)
    ax.set_ylabel(quantity_label(unit, symbol))
    ax.margins(x=0.0)
    style_axes(ax)
    columns = -(-len(panel) // (2 * LEGEND_ROWS))
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize="x-small", ncols=columns)


def _mark_events(axes: list["Axes"], result: Result) -> None:
    start, end = axes[0].get_xlim()
    for events in _group_close_events(result.events, EVENT_SPACING * (end - start)):
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
    axes[0].set_xlim(start, end)  # an event may lie outside the recorded time


def _group_close_events(events: Sequence[Event], spacing: float) -> Iterator[list[Event]]:
    """Yield the events in groups, each shorter than the spacing [s]."""
    waiting = sorted(events, key=lambda event: event.time)
    while waiting:
        group = [event for event in waiting if event.time - waiting[0].time <= spacing]
        yield group
        waiting = waiting[len(group) :]


def _event_label(events: list[Event]) -> str:
    """Return one label for events at nearly the same time: each name once, with its count."""
    names = [label(event.name) for event in events]
    counted = [(name, len(list(same))) for name, same in groupby(sorted(names, key=names.index))]
    shown = [f"{name} ({count})" if count > 1 else name for name, count in counted]
    return shorten_list(shown, 2)
