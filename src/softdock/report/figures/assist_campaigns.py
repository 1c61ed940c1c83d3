"""Figures of campaigns of the ASSIST mechanism: place of the compliance (section 4.1), time to open (Figure 12)."""

import json
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from ruamel.yaml import YAML

from softdock.campaign.loading import campaign_text, read_campaign_text
from softdock.campaign.plan import Plan
from softdock.campaign.runner import run
from softdock.campaign.statistics import wilson
from softdock.campaign.table import CampaignTable, read_table
from softdock.presentation.colours import SERIES
from softdock.report.picture import GREY, new_figure, style_axes

BLUE, ORANGE, GREEN, RED = SERIES[:4]
COMPLIANCE = {
    "joint at the base": "assist-compliance-base",
    "joint at the tip": "assist-compliance-tip",
    "rigid probe": "assist-compliance-rigid",
}
"""Bundled campaign of each place of the compliant element; they have the same approaches."""
ROBUSTNESS = "assist-table2"
FAST, BAND = 0.02, (1.0, 2.0)
"""Approach speed [m/s] above which the paper states its band of opening times, and that band [s]."""
MM, DEG = 1e3, 180.0 / np.pi


def campaign_plan(name: str, runs: int | None = None) -> Plan:
    """Return a bundled campaign, with another number of runs if one is given."""
    text, path = campaign_text(name)
    data = YAML(typ="safe").load(text)
    return read_campaign_text(json.dumps(data | ({} if runs is None else {"runs": runs})), path)


def run_campaign(plan: Plan, progress: Callable[[float], None]) -> CampaignTable:
    """Run a campaign in a temporary folder and return its table; `progress` gets the fraction that is done."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "campaign"
        run(plan, path, on_progress=lambda state: progress(state.done / max(plan.runs, 1)))
        return read_table(path)


def captured(table: CampaignTable) -> tuple[int, int]:
    """Return the number of runs that end captured, and of all runs."""
    return table.outcome.count("captured"), len(table.outcome)


def draw_compliance_campaigns(tables: Mapping[str, CampaignTable]) -> Figure:
    """Draw captures by place of the compliance with 95 % intervals, and each approach by speed and offset."""
    figure = new_figure(12.0, 4.0)
    bars, *others = figure.subplots(1, 1 + len(tables), width_ratios=(1.4, *(1.0 for _ in tables)))
    for k, (label, table) in enumerate(tables.items()):
        hits, runs = captured(table)
        low, high = wilson(hits, runs)
        share = hits / max(runs, 1)
        bars.bar(k, 100.0 * share, color=SERIES[k], width=0.8)
        spread = [[100.0 * (share - low)], [100.0 * (high - share)]]
        bars.errorbar(k, 100.0 * share, yerr=spread, color="black", capsize=5, linewidth=1.2)
        text = f"{hits} of {runs}\n{100.0 * low:.0f} to\n{100.0 * high:.0f} %"
        bars.annotate(text, (k, 3.0), ha="center", fontsize="small", color="white", fontweight="bold")
        _draw_approaches(others[k], table, label)
    bars.set_xticks(range(len(tables)), [label.replace(" ", "\n", 1) for label in tables], fontsize="small")
    bars.set(ylabel="captured [%], with 95 % interval", ylim=(0.0, 108.0))
    style_axes(bars)
    others[0].set_ylabel("lateral misalignment [mm]")
    return figure


def _draw_approaches(axes: Axes, table: CampaignTable, label: str) -> None:
    """Draw every run of a campaign by its approach speed and offset; marks tell whether it was captured."""
    speed, offset = MM * table.inputs["approach.speed"], MM * table.inputs["approach.offset.norm"]
    good = np.array(table.outcome) == "captured"
    axes.scatter(speed[good], offset[good], s=16, color=GREEN, label="captured")
    axes.scatter(speed[~good], offset[~good], s=26, color=RED, marker="x", label="not captured")
    axes.set(xlabel="approach speed [mm/s]", xlim=(0.0, 52.0), ylim=(0.0, 25.0))
    axes.set_title(label, fontsize="medium")
    axes.legend(
        frameon=False, fontsize="small", loc="upper left", ncols=2, columnspacing=0.8, handletextpad=0.2
    )
    style_axes(axes)


def band_share(table: CampaignTable) -> tuple[int, int]:
    """Return how many runs above 0.02 m/s have a time to open within the paper's band, and their number."""
    time = table.metrics["opening_time"][table.inputs["approach.speed"] > FAST]
    return int(np.sum((time >= BAND[0]) & (time <= BAND[1]))), len(time)


def draw_opening_times(table: CampaignTable) -> Figure:
    """Draw the time that is available to open over the approach speed (Figure 12), with the paper's band."""
    figure = new_figure(8.0, 4.4)
    axes = figure.subplots()
    speed, time = table.inputs["approach.speed"], table.metrics["opening_time"]
    fast, (within, count) = speed > FAST, band_share(table)
    axes.axhspan(*BAND, color=BLUE, alpha=0.15, linewidth=0)
    axes.axvline(MM * FAST, color=GREY, linewidth=0.8, linestyle="--")
    axes.plot(MM * speed, time, ".", color=ORANGE, markersize=4)
    least = float(np.nanmin(time[fast])) if fast.any() else float("nan")
    text = (
        f"{len(time)} runs; above {MM * FAST:.0f} mm/s {within} of {count} ({100.0 * within / max(count, 1):.0f} %)\n"
        f"between {BAND[0]:g} and {BAND[1]:g} s, the least {least:.2f} s"
    )
    axes.annotate(text, (0.97, 0.95), xycoords="axes fraction", ha="right", va="top", color="0.25")
    axes.set(xlabel="approach speed [mm/s]", ylabel="time to open the pantograph [s]")
    axes.set(xlim=(0.0, 52.0), ylim=(0.0, None))
    style_axes(axes)
    return figure
