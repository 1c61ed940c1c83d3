"""Figures of the impact paper: theory and simulation."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure

from softdock.presentation.colours import SERIES
from softdock.presentation.progress import Progress
from softdock.report.figures.impact_oscillation import second_impact
from softdock.report.figures.impact_schematics import figure_1, figure_2, figure_6
from softdock.report.figures.impact_zero_velocity import figure_5, fixed_ratios
from softdock.report.picture import GREY, save_picture, style_axes
from softdock.scenario.chain import ChainScenario
from softdock.scenario.loading import load
from softdock.simulation import simulate
from softdock.theory import latch, rmi

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from softdock.result import Array, Result

BLUE, ORANGE, GREEN = SERIES[:3]
CASES = {"A": "impact-a", "B": "impact-b", "C": "impact-c", "D": "impact-d"}
SEPARATING, CLOSING = "systems part", "chaser keeps closing"
LEGEND: dict[str, Any] = {"framealpha": 1.0, "edgecolor": "none"}
RATIOS = np.geomspace(0.01, 100.0, 401)  # mass ratios of the maps


def draw(out: Path, progress: Progress) -> list[Path]:
    """Write the paper's Figures 1 to 9, and two of cases that it names only, into the folder; return their paths."""
    figures: dict[str, Callable[[], Figure]] = {
        "impact-figure-1": figure_1,
        "impact-figure-2": figure_2,
        "impact-figure-3": figure_3,
        "impact-figure-4": figure_4,
        "impact-figure-5": figure_5,
        "impact-fixed-ratios": fixed_ratios,
        "impact-second-impact": second_impact,
        "impact-figure-6": figure_6,
        "impact-figure-7": figure_7,
        "impact-figure-8": figure_8,
        "impact-figure-9": figure_9,
    }
    paths = []
    for i, (name, make) in enumerate(figures.items()):
        progress(name.replace("-", " "), i / len(figures))
        path = out / f"{name}.png"
        save_picture(make(), path)
        paths.append(path)
    progress("done", 1.0)
    return paths


def figure_3() -> Figure:
    """Draw the effective mass ratio for a target of a single mass."""
    li, lc = np.meshgrid(RATIOS, RATIOS)
    return _draw_map(
        np.asarray(rmi.ratio_from_mass_ratios(li, lc, 0.0)),
        "Target of one mass: coefficient of effective masses $e_I$",
        {SEPARATING: (5.0, 0.05), CLOSING: (0.06, 7.0)},
        anchored=False,
    )


def figure_4() -> Figure:
    """Draw the effective mass ratio for a target mass on a fixed wall."""
    li, lc = np.meshgrid(RATIOS, RATIOS)
    return _draw_map(
        np.asarray(rmi.ratio_fixed_wall(li, lc)),
        "Target mass on a wall: coefficient of effective masses $e_I$",
        {SEPARATING: (0.03, 0.018), CLOSING: (15.0, 15.0)},
        anchored=True,
    )


def _draw_map(e_I: "Array", title: str, regions: dict[str, tuple[float, float]], *, anchored: bool) -> Figure:
    """Return a map over the mass ratios with the contour of zero relative velocity after an elastic impact."""
    figure = Figure(figsize=(7.0, 5.4), layout="constrained")
    ax = figure.subplots()
    ax.set(xscale="log", yscale="log", title=title)
    filled = ax.contourf(RATIOS, RATIOS, e_I, levels=np.linspace(0.0, 1.0, 21), cmap="cividis")
    for levels, colour in (([0.1, 0.25], "white"), ([0.75, 0.9], "black")):
        lines = ax.contour(RATIOS, RATIOS, e_I, levels=levels, colors=colour, linewidths=0.8)
        ax.clabel(lines, fmt="%g", fontsize="small")
    ax.contour(RATIOS, RATIOS, e_I, levels=[0.5], colors=ORANGE, linewidths=2.2)
    ax.plot(
        [], [], color=ORANGE, linewidth=2.2, label="$e_I = 0.5$: equal velocities after an elastic impact"
    )
    _mark_simulated_ratios(ax, anchored)
    ax.legend(loc="upper right" if anchored else "lower right", fontsize="small", **LEGEND)
    ax.set_xlabel(r"mass ratio of the touching bodies $\lambda_i = m_2/m_3$ [-]")
    ax.set_ylabel(r"mass ratio of the chaser $\lambda_c = m_1/m_2$ [-]")
    for text, place in regions.items():
        ax.text(*place, text, ha="center", va="center", color="black" if text == SEPARATING else "white")
    bar = figure.colorbar(filled, ax=ax, ticks=np.linspace(0, 1, 6))
    bar.set_label("$e_I$ [-]")
    return figure


def _mark_simulated_ratios(ax: "Axes", anchored: bool) -> None:
    """Mark simulated impacts in the colour of their effective mass ratio."""
    points = [(li, lc) for li in (0.03, 0.3, 3.0, 30.0) for lc in (0.06, 0.5, 4.0, 30.0)]
    shown = []
    for li, lc in points:
        changes = {
            "chaser.masses": [lc * li, li],
            "target": {"masses": [1.0], "stiffness": [200.0] if anchored else [], "anchored": anchored},
            "contact.stiffness": 1e9,
            "record.rate": 100.0,
            "stop.impacts": 1,
        }
        after = simulate(load("impact-a", changes)).metrics["relative_velocity_after"]
        shown.append((1.0 - after / 0.05) / 2.0)  # Eq. (R9) with e* = 1
    style: dict[str, Any] = {
        "cmap": "cividis",
        "vmin": 0.0,
        "vmax": 1.0,
        "s": 40,
        "edgecolors": "white",
        "zorder": 3,
    }
    ax.scatter(
        [li for li, _ in points],
        [lc for _, lc in points],
        c=shown,
        label="simulated, filled with its $e_I$",
        **style,
    )


def figure_7() -> Figure:
    """Draw the relative velocity during the first impact for cases A to D of Table 1."""
    figure = Figure(figsize=(9.0, 6.4), layout="constrained")
    figure.suptitle("Relative velocity of the centres of mass through the first impact")
    axes = figure.subplots(2, 2, sharex=True, sharey=True)
    for ax, (case, name) in zip(axes.flat, CASES.items()):
        _draw_case(ax, case, simulate(name))
    for ax in axes[-1]:
        ax.set_xlabel("time [s]")
    for ax in axes[:, 0]:
        ax.set_ylabel("relative velocity [m/s]")
    axes[0, 0].legend(frameon=False, loc="lower left", fontsize="small")
    return figure


def _draw_case(ax: "Axes", case: str, result: "Result") -> None:
    """Draw the relative velocity of one case, with the prediction and the contact time."""
    assert result.prediction is not None
    touch, release = (e.time for e in result.events[:2])
    predicted = result.prediction["relative_velocity_after"]
    after = result.metrics["relative_velocity_after"]
    ax.axvspan(touch, release, color="0.92", label="contact")
    ax.axhline(predicted, color=ORANGE, linestyle="--", linewidth=1.4, label="theory, after the impact")
    ax.plot(result.history.time, result.history["relative_velocity"], color=BLUE, label="simulation")
    ax.axhline(0.0, color=GREY, linewidth=0.6, zorder=0)
    masses = [*_chain(result.scenario).chaser.masses, *_chain(result.scenario).target.masses]
    ax.set_title(f"{case}: " + ", ".join(f"{m:g}" for m in masses) + " kg", fontsize="medium")
    text = f"theory {predicted:.5f} m/s\nsimulation {after:.5f} m/s"
    ax.annotate(text, (0.97, 0.95), xycoords="axes fraction", ha="right", va="top", fontsize="small")
    style_axes(ax)
    ax.margins(x=0.0)
    ax.set_ylim(-0.006, 0.063)


def figure_8() -> Figure:
    """Draw velocities and insertion of an approach too slow to latch, with the required insertion."""
    result = simulate("latch-slow")
    figure = Figure(figsize=(8.0, 6.4), layout="constrained")
    figure.suptitle(f"Too slow for the latch: {_speeds(result)}")
    top, bottom = figure.subplots(2, 1, sharex=True)
    _draw_velocities(top, result)
    _draw_insertion(bottom, result)
    bottom.set_xlabel("time [s]")
    return figure


def figure_9() -> Figure:
    """Draw an approach that latches beside the speed of the paper, which is just too slow."""
    fast, paper = simulate("latch-fast"), simulate("latch-paper")
    figure = Figure(figsize=(8.0, 6.4), layout="constrained")
    figure.suptitle(f"Fast enough for the latch: {_speeds(fast)}")
    top, bottom = figure.subplots(2, 1, sharex=True)
    _draw_velocities(top, fast)
    _draw_insertion(bottom, fast)
    inset = bottom.inset_axes((0.22, 0.08, 0.33, 0.42), xlim=(0.42, 0.62), ylim=(19.2, 20.2))
    for ax in (bottom, inset):
        insertion = 1e3 * paper.history["insertion"]
        ax.plot(paper.history.time, insertion, color=GREEN, label="simulation, 0.070 m/s", zorder=1)
    inset.plot(fast.history.time, 1e3 * fast.history["insertion"], color=BLUE, linewidth=2.2)
    inset.axhline(20.0, color=ORANGE, linestyle="--", linewidth=1.4)
    inset.set_xticks([0.45, 0.5, 0.55, 0.6])
    inset.tick_params(labelsize="x-small")
    bottom.indicate_inset_zoom(inset, edgecolor="0.4")
    bottom.legend(fontsize="small", loc="upper right", bbox_to_anchor=(1.0, 0.86), **LEGEND)
    bottom.set_xlabel("time [s]")
    return figure


def _draw_velocities(ax: "Axes", result: "Result") -> None:
    """Draw the velocities of both bodies; after latching both have that of their centre of mass."""
    scenario = _chain(result.scenario)
    time = result.history.time
    dense = np.linspace(0.0, scenario.stop.time, 800)
    rate = _theory(scenario, dense, latch.insertion_velocity)
    m_c, m_t = scenario.chaser.masses[0], scenario.target.masses[0]
    common = m_c * scenario.speed / (m_c + m_t)
    for name, colour, share in (("chaser", BLUE, m_t), ("target", ORANGE, -m_c)):
        ax.plot(
            time, result.history[f"{name}.velocity"], color=colour, linewidth=2.2, label=f"{name}, simulation"
        )
        theory = common + rate * share / (m_c + m_t)
        ax.plot(
            dense, theory, "--", color="black", linewidth=0.9, label="theory" if name == "target" else None
        )
    _mark_events(ax, result)
    ax.set_ylabel("velocity [m/s]")
    style_axes(ax)
    ax.margins(x=0.0)
    ax.legend(
        fontsize="small", loc="center right" if result.outcome != "latched" else "upper right", **LEGEND
    )


def _draw_insertion(ax: "Axes", result: "Result") -> None:
    scenario = _chain(result.scenario)
    assert scenario.latch is not None
    length = 1e3 * scenario.latch.tip_length
    dense = np.linspace(0.0, scenario.stop.time, 800)
    ax.axhline(length, color=ORANGE, linestyle="--", linewidth=1.4, label="needed: tip length")
    ax.plot(
        result.history.time,
        1e3 * result.history["insertion"],
        color=BLUE,
        linewidth=2.2,
        label=f"simulation, {scenario.speed:.3f} m/s",
    )
    theory = 1e3 * _theory(scenario, dense, latch.insertion)
    ax.plot(dense, theory, "--", color="black", linewidth=0.9, label="theory")
    ax.axhline(0.0, color=GREY, linewidth=0.6, zorder=0)
    _mark_events(ax, result, labels=False)
    ax.set_ylabel("insertion of the probe tip [mm]")
    ax.set_ylim(-9.0, 1.15 * length)
    style_axes(ax)
    ax.margins(x=0.0)
    ax.legend(fontsize="small", loc="lower center", **LEGEND)


def _theory(scenario: ChainScenario, time: "Array", closed_form: Callable[..., Any]) -> "Array":
    """Return insertion or its rate in closed form; contact starts when the gap is closed."""
    assert scenario.latch is not None
    m_c, m_t = scenario.chaser.masses[0], scenario.target.masses[0]
    K = latch.wedge_stiffness(
        scenario.latch.stiffness, scenario.latch.angle, scenario.latch.angle_of_friction
    )
    w_in, w_out = (latch.latch_frequency(k, rmi.reduced_mass(m_c, m_t)) for k in (K.inward, K.outward))
    since = time - scenario.gap / scenario.speed
    return np.asarray(closed_form(since, scenario.speed, w_in, w_out, scenario.latch.tip_length))


def _mark_events(ax: "Axes", result: "Result", labels: bool = True) -> None:
    names = {"touch": "touch", "turn": "standstill", "leave": "probe leaves", "latch": "latch closes"}
    for event in result.events:
        ax.axvline(event.time, color=GREY, linewidth=0.8, zorder=0)
        if labels:
            place = (event.time, 1.0)
            style: dict[str, Any] = {"fontsize": "small", "color": "0.35"}
            ax.annotate(
                names[event.name],
                place,
                (3, 3),
                xycoords=("data", "axes fraction"),
                textcoords="offset points",
                **style,
            )


def _speeds(result: "Result") -> str:
    given, least = result.metrics["relative_velocity_before"], result.metrics["minimum_speed"]
    return f"{given:.3f} m/s, at least {least:.5f} m/s needed"


def _chain(name: str) -> ChainScenario:
    scenario = load(name)
    assert isinstance(scenario, ChainScenario)
    return scenario
