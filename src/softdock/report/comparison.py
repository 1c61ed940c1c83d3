"""Figures of two runs: both histories and their difference."""

import re
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from softdock.presentation.colours import SERIES
from softdock.presentation.discrepancies import MARK
from softdock.presentation.labels import QUANTITIES, quantity_label
from softdock.presentation.numbers import display_unit, format_number, format_quantity
from softdock.presentation.unit_systems import AUTOMATIC, DisplayUnit, UnitSystem
from softdock.recording.comparison import Comparison, joint_channels
from softdock.report.picture import GREY, save_picture, style_axes, write_literally

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_ROWS = 8
"""Channels of one picture."""
MOST_JOINTS = 16
ROW_HEIGHT = 1.25  # inches


def draw_comparison(comparison: Comparison, folder: Path, system: UnitSystem = AUTOMATIC) -> list[Path]:
    """Draw one figure per unit into a folder and return their paths."""
    units: dict[str, list[str]] = {}
    for name, deviation in comparison.channels.items():
        if np.isfinite(deviation.largest):
            units.setdefault(deviation.unit, []).append(name)
    written = []
    for unit, names in units.items():
        path = folder / f"{_file_name(unit)}.png"
        chosen = _most_different(comparison, names)
        save_picture(comparison_figure(comparison, unit, chosen, system), path)
        written.append(path)
    return written


def comparison_figure(
    comparison: Comparison, unit: str, names: list[str], system: UnitSystem = AUTOMATIC
) -> Figure:
    """Return a figure with one row per channel: both runs on the left, their difference on the right."""
    height = 1.3 + ROW_HEIGHT * len(names)
    figure = Figure(figsize=(10.0, height), layout="none")  # type: ignore[arg-type]  # missing in its types
    # Margins by hand: a layout engine takes seconds for so many panels.
    figure.subplots_adjust(
        left=0.11, right=0.98, bottom=0.5 / height, top=1.0 - 0.8 / height, wspace=0.14, hspace=0.22
    )
    a, b = (
        f"{run.scenario} ({MARK})" if run.discrepancies else run.scenario
        for run in (comparison.a, comparison.b)
    )
    offset = comparison.alignment.offset
    how = "found by correlation" if comparison.alignment.estimated else "given"
    title = f"{a} (A) and {b} (B), B shifted by {format_quantity(offset, 's')} ({how})"
    figure.suptitle(fill(title, 100), fontsize="medium")
    axes = figure.subplots(len(names), 2, sharex=True, squeeze=False)
    values = max(float(np.nanmax(np.abs(comparison.curves(name)[1]))) for name in names)
    differences = max(comparison.channels[name].largest for name in names)
    left, right = display_unit(unit, values, system), display_unit(unit, differences, system)
    for row, name in zip(axes, names):
        _draw_both(row[0], comparison, name, left)
        _draw_difference(row[1], comparison, name, right)
    axes[0][0].set_title(quantity_label(unit, left.symbol), fontsize="small")
    axes[0][1].set_title(f"difference B - A [{right.symbol or '-'}]", fontsize="small")
    axes[0][0].legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2, frameon=False, fontsize="x-small")
    for ax in axes[-1]:
        ax.set_xlabel("time of A [s]")
    write_literally(figure)
    return figure


def _most_different(comparison: Comparison, names: list[str]) -> list[str]:
    """Return the channels of joints, or else the `MOST_ROWS` that differ most, in their original order."""
    units = {name: comparison.channels[name].unit for name in comparison.channels}
    of_joints = {name for both in joint_channels(units).values() for name in both.values()}
    shown = [name for name in names if name in of_joints]
    if shown:
        return shown[:MOST_JOINTS]
    ranked = sorted(names, key=lambda name: -comparison.channels[name].largest)[:MOST_ROWS]
    return [name for name in names if name in ranked]


def _draw_both(ax: "Axes", comparison: Comparison, name: str, unit: DisplayUnit) -> None:
    t, y_a, y_b = comparison.curves(name)
    ax.plot(t, unit.factor * y_a, color=SERIES[0], linewidth=1.4, label="A")
    ax.plot(t, unit.factor * y_b, "--", color=SERIES[1], linewidth=1.1, label="B")
    ax.set_ylabel(fill(name.replace(".", ". "), 18).replace(". ", "."), fontsize="x-small")
    ax.yaxis.set_label_coords(-0.17, 0.5)  # aligning labels of many rows costs seconds
    _style_panel(ax)


def _draw_difference(ax: "Axes", comparison: Comparison, name: str, unit: DisplayUnit) -> None:
    t, y_a, y_b = comparison.curves(name)
    deviation = comparison.channels[name]
    ax.axhline(0.0, color=GREY, linewidth=0.7)
    mean, spread = unit.factor * deviation.mean, unit.factor * deviation.deviation
    ax.axhspan(mean - spread, mean + spread, color="0.92", zorder=0)
    ax.plot(t, unit.factor * (y_b - y_a), color=SERIES[2], linewidth=1.1)
    ax.annotate(
        f"largest {format_number(unit.factor * deviation.largest)} at {format_quantity(deviation.largest_at, 's')}, "
        f"standard deviation {format_number(spread)}",
        (0.01, 0.97),
        xycoords="axes fraction",
        va="top",
        fontsize="x-small",
        color="0.25",
    )
    ax.margins(y=0.3)
    _style_panel(ax)


def _style_panel(ax: "Axes") -> None:
    style_axes(ax)
    ax.margins(x=0.0)
    ax.tick_params(labelsize="x-small")


def _file_name(unit: str) -> str:
    name = QUANTITIES.get(unit) or ("number" if unit == "1" else unit)
    return re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-") or "other"
