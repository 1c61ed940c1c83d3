"""Figures of controlled approaches: contact conditions against published boxes, control after the contact."""

import csv
import io
import json
import math
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure
from ruamel.yaml import YAML

from softdock.campaign.loading import campaign_text, read_campaign_text
from softdock.campaign.plan import Plan
from softdock.campaign.runner import CampaignProgress, run
from softdock.campaign.statistics import wilson
from softdock.campaign.table import CampaignTable, read_table
from softdock.files.atomic import write_atomic
from softdock.model.contact_conditions import CONDITION_UNITS, preset_box
from softdock.presentation.colours import SERIES
from softdock.presentation.progress import Progress
from softdock.report.picture import GREY, save_picture, style_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from softdock.result import Array

CAMPAIGN = "assist-approach"
RUNS = 500
"""Approaches whose contact conditions are drawn, as many as the bundled campaign has."""
STRATEGY_RUNS = 60
"""Approaches with every strategy after the first contact."""
BOXES = {"assist-table2": "ASSIST, Table 2", "idss": "IDSS"}
DISPLAY = {
    "m/s": ("mm/s", 1e3),
    "m": ("mm", 1e3),
    "rad": ("deg", 180.0 / math.pi),
    "rad/s": ("deg/s", 180.0 / math.pi),
}
AFTER_CONTACT: dict[str, tuple[str, dict[str, Any]]] = {
    "free drift": ("assist-approach", {}),
    "thrust until captured": ("assist-approach-thrust", {}),
    "control goes on": ("assist-approach", {"events.first-contact.then": [{"arm": "away"}]}),
}
"""Scenario and changed fields of every strategy after the first contact."""
BIAS = 0.015
"""Standard deviation of the bias of the sensor along two axes in the comparison of strategies [m]: some approaches end
outside the ranges of ASSIST, Table 2."""
SPEEDS = (0.01, 0.05)
"""Range of the closing speed in the comparison of strategies [m/s]; ASSIST, Table 2, without its lowest part."""


def draw(out: Path, progress: Progress, runs: int | None = None) -> list[Path]:
    """Write distributions and table of contact conditions, and effects of control after contact; return the paths.

    `runs` replaces the number of approaches of all campaigns.
    """
    plans = {"": approach_plan(runs or RUNS)}
    for label, what in AFTER_CONTACT.items():
        plans[label] = approach_plan(runs or STRATEGY_RUNS, *what, SPEEDS)
    tables: dict[str, CampaignTable] = {}
    total = sum(plan.runs for plan in plans.values())
    done = 0
    for label, plan in plans.items():
        tables[label] = _run(plan, label, progress, done / total, plan.runs / total)
        done += plan.runs
    approaches = tables.pop("")
    conditions, after = out / "gnc-contact-conditions.png", out / "gnc-after-contact.png"
    save_picture(contact_conditions(approaches), conditions)
    save_picture(after_contact(tables), after)
    table = out / "gnc-contact-conditions.csv"
    write_conditions(approaches, table)
    progress("done", 1.0)
    return [conditions, table, after]


def approach_plan(
    runs: int,
    scenario: str = CAMPAIGN,
    changes: Mapping[str, Any] | None = None,
    speeds: tuple[float, float] | None = None,
) -> Plan:
    """Return the bundled campaign with another scenario, changed fields, dispersed closing speed [m/s] and bias."""
    text, path = campaign_text(CAMPAIGN)
    data = YAML(typ="safe").load(text)
    data |= {"scenario": scenario, "runs": runs, "set": data["set"] | dict(changes or {})}
    if speeds is not None:
        data["dispersions"]["gnc.servicer.guidance.min_speed"] = {"uniform": list(speeds)}
        for axis in (0, 1):
            field = f"gnc.servicer.navigation.sensor.bias.{axis}"
            data["dispersions"][field] = {"normal": {"mean": 0.0, "deviation": BIAS}}
        data["set"]["duration"] = 500.0  # the slowest approaches take twice the time
    return read_campaign_text(json.dumps(data), path)


def _run(plan: Plan, label: str, progress: Progress, start: float, share: float) -> CampaignTable:
    """Run a campaign in a temporary folder and return its table."""

    def report(state: CampaignProgress) -> None:
        progress(
            f"approaches: {label or 'contact conditions'}", start + share * state.done / max(plan.runs, 1)
        )

    with tempfile.TemporaryDirectory() as folder:
        run(plan, Path(folder) / "campaign", on_progress=report)
        return read_table(Path(folder) / "campaign")


def _limits(box: str, condition: str) -> tuple[float, float] | None:
    return preset_box(box).limits().get(condition)


def _sizes(table: CampaignTable, condition: str) -> "Array":
    """Return the size of a contact condition in every run with a contact [SI]."""
    values = np.abs(table.metrics[f"contact_{condition}"])
    return values[np.isfinite(values)]


def contact_conditions(table: CampaignTable) -> Figure:
    """Draw the distribution of every contact condition with the limits of published boxes."""
    figure = Figure(figsize=(11.0, 6.0), layout="constrained")
    axes = figure.subplots(2, 4).ravel()
    colours = dict(zip(BOXES, (SERIES[1], SERIES[2])))
    for ax, condition in zip(axes, CONDITION_UNITS):
        _draw_condition(ax, table, condition, colours)
    axes[0].set_ylabel("approaches")
    axes[4].set_ylabel("approaches")
    last = axes[-1]
    last.axis("off")
    for box, colour in colours.items():
        last.plot([], [], color=colour, linewidth=1.6, label=f"limit of {BOXES[box]}")
    last.plot(
        [], [], color=SERIES[0], linewidth=6, alpha=0.8, label=f"{len(_sizes(table, 'offset'))} approaches"
    )
    last.legend(frameon=False, loc="center")
    figure.suptitle("Contact conditions of dispersed approaches (assist-approach)")
    return figure


def _draw_condition(ax: "Axes", table: CampaignTable, condition: str, colours: Mapping[str, str]) -> None:
    """Draw the histogram of a contact condition; limits outside of it are written at its sides."""
    unit, factor = DISPLAY[CONDITION_UNITS[condition]]
    values = factor * _sizes(table, condition)
    start, end = _drawn_range(values)
    ax.hist(values, bins=list(np.linspace(start, end, 31)), color=SERIES[0], alpha=0.8)
    below = beyond = 0
    for box, colour in colours.items():
        for limit in (factor * limit for limit in _limits(box, condition) or () if limit > 0.0):
            if limit < start:
                _write_limit(ax, f"\u2190 {limit:.3g}", 0.01, below, colour)
                below += 1
            elif limit > end:
                _write_limit(ax, f"{limit:.3g} \u2192", 0.99, beyond, colour)
                beyond += 1
            else:
                ax.axvline(limit, color=colour, linewidth=1.6)
    ax.set_xlabel(f"{condition.replace('_', ' ')} [{unit}]")
    ax.set_xlim(start, end)
    style_axes(ax)


def _drawn_range(values: "Array") -> tuple[float, float]:
    """Return the range of a histogram: from zero, unless all values are near each other."""
    low, high = float(values.min(initial=np.inf)), float(values.max(initial=1e-9))
    margin = 0.35 * (high - low)
    return (low - margin, high + margin) if 0.0 < margin < 0.1 * high else (0.0, 1.35 * high)


def _write_limit(ax: "Axes", text: str, x: float, line: int, colour: str) -> None:
    """Write a limit that is outside of the range of an axis at its left (x = 0.01) or right side (x = 0.99)."""
    ax.annotate(
        text,
        (x, 0.97 - 0.08 * line),
        xycoords="axes fraction",
        ha="left" if x < 0.5 else "right",
        va="top",
        color=colour,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.0},
    )


def write_conditions(table: CampaignTable, path: Path) -> None:
    """Write mean, percentiles and share within every box of all contact conditions as CSV, in display units."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    shares = [f"{what} {BOXES[box]}" for box in BOXES for what in ("limits of", "share within")]
    writer.writerow(["condition", "unit", "mean", "95 %", "largest", *shares])
    for condition, si in CONDITION_UNITS.items():
        unit, factor = DISPLAY[si]
        values = _sizes(table, condition)
        row = [condition, unit, *(f"{factor * x:.4g}" for x in _summary(values))]
        for box in BOXES:
            limits = _limits(box, condition)
            if limits is None:
                row += ["", ""]
            else:
                inside = np.mean((values >= limits[0]) & (values <= limits[1])) if values.size else math.nan
                row += [" to ".join(f"{factor * x:.4g}" for x in limits), f"{inside:.3f}"]
        writer.writerow(row)
    write_atomic(path, text.getvalue())


def _summary(values: "Array") -> tuple[float, float, float]:
    if not values.size:
        return math.nan, math.nan, math.nan
    return float(values.mean()), float(np.quantile(values, 0.95)), float(values.max())


def after_contact(tables: Mapping[str, CampaignTable]) -> Figure:
    """Draw capture probability, peak force, gimbal angle and propellant of every strategy after the first contact."""
    figure = Figure(figsize=(11.0, 6.4), layout="constrained")
    axes = figure.subplots(2, 2)
    _draw_capture(axes[0, 0], tables)
    panels = (
        (axes[0, 1], "peak_contact_force", 1.0, "peak contact force [N]"),
        (axes[1, 0], "gimbal_angle_max", 180.0 / math.pi, "largest gimbal angle [deg]"),
        (axes[1, 1], "propellant", 1e3, "propellant [g]"),
    )
    for ax, metric, factor, label in panels:
        for (name, table), colour in zip(tables.items(), SERIES):
            speed = 1e3 * table.inputs["gnc.servicer.guidance.min_speed"]
            ax.plot(speed, factor * table.metrics[metric], ".", color=colour, markersize=4, label=name)
        ax.set(xlabel="closing speed of the guidance [mm/s]", ylabel=label)
        style_axes(ax)
    axes[1, 0].axhline(5.0, color=GREY, linewidth=0.8, linestyle="--")
    axes[0, 1].legend(frameon=False, loc="upper left", fontsize="small")
    figure.suptitle("What the controller does after the first contact (assist-approach, dispersed)")
    return figure


def _draw_capture(ax: "Axes", tables: Mapping[str, CampaignTable]) -> None:
    """Draw the capture probability of every strategy with its 95 % interval."""
    for i, (table, colour) in enumerate(zip(tables.values(), SERIES)):
        count, total = sum(outcome == "captured" for outcome in table.outcome), len(table.outcome)
        low, high = wilson(count, total)
        rate = count / max(total, 1)
        ax.bar(i, 100.0 * rate, width=0.6, color=colour, alpha=0.8)
        ax.errorbar(
            i, 100.0 * rate, yerr=[[100.0 * (rate - low)], [100.0 * (high - rate)]], color="0.2", capsize=5
        )
        ax.annotate(f"{count} of {total}", (i, 4.0), ha="center", color="white", fontsize="small")
    ax.set_xticks(range(len(tables)), list(tables))
    ax.set(ylabel="captured [%], 95 % interval", ylim=(0.0, 105.0))
    style_axes(ax)
