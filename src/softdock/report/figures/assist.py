"""Figures of the ASSIST paper from simulations of the bundled mechanism."""

from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from softdock.elements.spring.model import Spring
from softdock.elements.stop.model import Stop
from softdock.geometry.cad import read_surface
from softdock.presentation.colours import SERIES
from softdock.presentation.progress import Progress
from softdock.report.figures.assist_campaigns import COMPLIANCE as CAMPAIGNS
from softdock.report.figures.assist_campaigns import (
    ROBUSTNESS,
    campaign_plan,
    draw_compliance_campaigns,
    draw_opening_times,
    run_campaign,
)
from softdock.report.figures.assist_hard_docking import draw_compliance, draw_phases
from softdock.report.figures.assist_profile import draw_profile_derivation
from softdock.report.figures.assist_sequence import WHOLE, draw_sequence
from softdock.report.picture import GREY, save_picture, style_axes
from softdock.scenario.loading import load
from softdock.scenario.multibody import MultibodyScenario
from softdock.simulation import simulate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from softdock.campaign.table import CampaignTable
    from softdock.result import Array, Result

BLUE, ORANGE, GREEN = SERIES[:3]
MM = 1e3
PASSIVE, NOMINAL, SEQUENCE = "assist-passive", "assist-soft-docking", "assist-hard-docking"
COMPLIANCE = {
    "at the base": (NOMINAL, ["approach.offset=[20 mm, 0 mm]"]),
    "at the tip": ("assist-tip-compliance", []),
    "none (rigid tool)": ("assist-rigid-probe", []),
}
"""Scenario of each place of the compliance, with overrides."""
STATES = {
    "first-contact": "in the cone",
    "entered": "through the throat",
    "bottom-contact": "at the bottom",
    "left": "on its way out",
    "away": "out again",
}
"""State of the probe after each event."""


def draw(out: Path, progress: Progress, runs: int | None = None) -> list[Path]:
    """Write Figures 2, 5 and 9 to 12 of the paper and our own to the folder; return their paths.

    `runs` replaces the number of runs of the campaigns.
    """
    progress("simulating", 0.0)
    passive, nominal = simulate(PASSIVE), simulate(NOMINAL)
    figures: dict[str, Callable[[], Figure]] = {
        "assist-figure-2": figure_2,
        "assist-figure-5": figure_5,
        "assist-figure-9": figure_9,
        "assist-figure-10": figure_10,
        "assist-figure-11": lambda: figure_11(passive),
        "assist-capture": lambda: capture(nominal),
        "assist-motion": lambda: motion(passive, nominal),
        "assist-compliance": compliance,
    }
    paths = []
    for i, (name, make) in enumerate(figures.items()):
        progress(name.replace("-", " "), 0.5 * (1 + i) / (1 + len(figures)))
        path = out / f"{name}.png"
        save_picture(make(), path)
        paths.append(path)
    paths += _draw_campaigns(out, progress, runs)
    progress("done", 1.0)
    return paths


def _draw_campaigns(out: Path, progress: Progress, runs: int | None) -> list[Path]:
    """Run the campaigns and write their figures; return the paths."""
    names = {**CAMPAIGNS, ROBUSTNESS: ROBUSTNESS}
    tables: dict[str, CampaignTable] = {}

    def show(done: float) -> None:
        progress("campaigns", 0.5 + 0.5 * (len(tables) + done) / len(names))

    for label, name in names.items():
        tables[label] = run_campaign(campaign_plan(name, runs), show)
    robustness = tables.pop(ROBUSTNESS)
    figures = {
        "assist-section-4-1": draw_compliance_campaigns(tables),
        "assist-figure-12": draw_opening_times(robustness),
    }
    for name, figure in figures.items():
        save_picture(figure, out / f"{name}.png")
    return [out / f"{name}.png" for name in figures]


def figure_2() -> Figure:
    """Draw the sequence from insertion to closed latches, one section per phase."""
    scenario = load(SEQUENCE)
    assert isinstance(scenario, MultibodyScenario)
    return draw_phases(scenario, simulate(scenario, with_prediction=False))


def compliance() -> Figure:
    """Draw the docking with the universal joint at the base of the probe, at its tip, and with a rigid tool."""
    return draw_compliance(
        {
            label: simulate(load(name, overrides), with_prediction=False)
            for label, (name, overrides) in COMPLIANCE.items()
        }
    )


def figure_5() -> Figure:
    """Draw the steps from the CAD file of the drogue to its profile and its point cloud."""
    path = Path(str(files("softdock"))) / "scenario" / "bundled" / "cad" / "drogue.step"
    return draw_profile_derivation(read_surface(path, side="inside"))


def figure_9() -> Figure:
    """Draw the passive docking every two seconds of twelve: insertion, bottom contact and rebound."""
    scenario = load(PASSIVE, ["events.away.then=[]"])  # does not end when the probe is out
    result = simulate(scenario, with_prediction=False)
    frames = [(time, _state(result, time)) for time in np.arange(0.0, 12.1, 2.0).tolist()]
    return draw_sequence(scenario, result, frames, columns=2, edge=WHOLE)


def _state(result: "Result", time: float) -> str:
    """Return what the last event before a time tells about the probe."""
    before = [event.name for event in result.events if event.time <= time]
    return STATES[before[-1]] if before else "approach"


def capture(result: "Result") -> Figure:
    """Draw four frames of the nominal docking, from first contact to capture by the opened fingers."""
    at = {event.name: event.time for event in result.events}
    forces = sum(result.history[f"finger-drogue-{i}.force"] for i in (1, 2, 3))
    held = float(result.history.time[np.argmax(forces)])
    frames = [
        (at["first-contact"], "first contact"),
        (at["entered"], "in the throat"),
        (at["bottom-contact"], "bottom contact"),
        (held, "captured: the fingers hold"),
    ]
    return draw_sequence(load(NOMINAL), result, frames, columns=4)


def figure_10() -> Figure:
    """Draw the contact forces on bumper and pantograph over the whole docking and during the insertion."""
    # Samples every half millisecond: the touches at the cone last some milliseconds.
    result = simulate(load(PASSIVE, ["record={rate: 2 kHz, contact_steps: false}"]), with_prediction=False)
    at = {event.name: event.time for event in result.events}
    figure = Figure(figsize=(10.0, 6.0), layout="constrained")
    figure.suptitle("Contact forces of the passive docking")
    axes = figure.subplots(2, 2, sharex="col", width_ratios=(3, 2))
    time = result.history.time
    zoom = (at["first-contact"] - 0.1, at["bottom-contact"] - 0.02)
    for row, (contact, body, colour) in zip(
        axes, (("bumper-drogue", "bumper", BLUE), ("pantograph-drogue", "pantograph", ORANGE))
    ):
        force = result.history[f"{contact}.force"]
        for ax in row:
            ax.plot(time, force, color=colour, linewidth=1.0)
            style_axes(ax)
        seen = (time >= zoom[0]) & (time <= zoom[1])
        row[1].set_ylim(0.0, 1.15 * max(float(force[seen].max()), 0.1))
        row[0].set_ylim(0.0, 1.15 * max(float(force.max()), 0.1))
        row[0].set_ylabel(f"force on the {body} [N]")
        peak = int(np.argmax(force))
        row[0].annotate(
            f"{force[peak]:.0f} N",
            (time[peak], force[peak]),
            (6, 0),
            textcoords="offset points",
            fontsize="small",
        )
    _mark(axes[0, 0], at, {"first-contact": "first contact", "left": "out of the throat"})
    for ax in axes[:, 0]:
        ax.axvspan(*zoom, color="0.94", zorder=0)
        ax.set_xlim(0.0, time[-1])
    for ax in axes[:, 1]:
        ax.set_xlim(*zoom)
    axes[0, 0].set_title("whole docking", fontsize="medium", pad=16)
    axes[0, 1].set_title("insertion: the grey span", fontsize="medium", pad=16)
    for ax in axes[1]:
        ax.set_xlabel("time [s]")
    return figure


def figure_11(result: "Result") -> Figure:
    """Draw the progressive spring law, normalised, and the force of the bumper spring during the run."""
    figure = Figure(figsize=(9.5, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    ratio = np.linspace(0.0, 1.5, 301)
    for exponent, colour in zip((4, 5, 6), SERIES):
        left.plot(ratio, 1.0 + ratio**exponent, color=colour, label=f"exponent {exponent}")
    left.axhline(1.0, color="black", linewidth=1.0, label="linear")
    left.axvline(1.0, color=GREY, linewidth=0.8, linestyle="--")
    left.annotate("reference", (1.0, 7.6), (-4, 0), textcoords="offset points", ha="right", color="0.35")
    left.set(xlabel="compression / reference compression", ylabel="stiffness / initial stiffness")
    left.set(xlim=(0.0, 1.5), ylim=(0.0, 8.0))
    left.legend(frameon=False, loc="upper left", fontsize="small")
    _draw_bumper_spring(right, result)
    for ax in (left, right):
        style_axes(ax)
    return figure


def _draw_bumper_spring(ax: "Axes", result: "Result") -> None:
    scenario = load(PASSIVE)
    assert isinstance(scenario, MultibodyScenario)
    spring = scenario.elements_of(Spring)["bumper-spring"]
    assert spring.exponential is not None
    stroke = scenario.elements_of(Stop)["bumper-stop"].upper
    assert stroke is not None
    s = np.linspace(0.0, stroke, 301)
    reference, exponent = spring.exponential.reference, spring.exponential.exponent
    law = spring.stiffness * s * (1.0 + (s / reference) ** exponent)  # Eq. (M21)
    ax.plot(MM * s, spring.stiffness * s, color="black", linewidth=1.0, label="linear")
    ax.plot(MM * s, law, color=BLUE, label=f"exponent {exponent:g}")
    deflection, force = result.history["bumper-spring.deflection"], result.history["bumper-spring.force"]
    order = np.arange(len(deflection))[:: max(1, len(deflection) // 400)]
    ax.plot(
        MM * np.abs(deflection[order]),
        np.abs(force[order]),
        ".",
        color=ORANGE,
        markersize=4,
        label="in the run, with damping",
    )
    ax.axvline(MM * reference, color=GREY, linewidth=0.8, linestyle="--")
    ax.set(
        xlabel="compression of the bumper [mm]", ylabel="force [N]", xlim=(0.0, MM * stroke), ylim=(0.0, None)
    )
    ax.legend(frameon=False, loc="upper left", fontsize="small")


def motion(passive: "Result", nominal: "Result") -> Figure:
    """Draw the insertion of the widest section with and without opening fingers; beyond the throat it is inside."""
    figure = Figure(figsize=(8.0, 4.2), layout="constrained")
    ax = figure.subplots()
    for result, colour, label in (
        (passive, ORANGE, "passive: rebounds"),
        (nominal, BLUE, "fingers open: captured"),
    ):
        ax.plot(result.history.time, MM * _depth(result), color=colour, label=label)
    at = {event.name: event.time for event in passive.events}
    throat = float(np.interp(at["left"], passive.history.time, MM * _depth(passive)))
    ax.axhline(throat, color=GREY, linestyle="--", linewidth=1.0)
    ax.annotate("throat", (0.3, throat), (0, 4), textcoords="offset points", color="0.35")
    begin, end = at["bottom-contact"], at["left"]
    ax.annotate("", (begin, throat - 9), (end, throat - 9), arrowprops={"arrowstyle": "<->", "color": "0.35"})
    middle = 0.5 * (begin + end)
    ax.annotate(
        f"time to open\n{end - begin:.2f} s", (middle, throat - 13), ha="center", va="top", color="0.35"
    )
    ax.set(
        xlabel="time [s]", ylabel="widest section behind the mouth [mm]", xlim=(0.0, nominal.history.time[-1])
    )
    ax.legend(frameon=False, loc="upper left", fontsize="small")
    style_axes(ax)
    return figure


def _depth(result: "Result") -> "Array":
    return result.history["waist.z in drogue"]


def _mark(ax: "Axes", at: dict[str, float], names: dict[str, str]) -> None:
    for event, text in names.items():
        ax.axvline(at[event], color=GREY, linewidth=0.8, zorder=0)
        ax.annotate(
            text,
            (at[event], 1.0),
            (0, 3),
            xycoords=("data", "axes fraction"),
            textcoords="offset points",
            ha="center",
            fontsize="small",
            color="0.35",
        )
