"""Figures of the station paper: rates and deflections after the docking of an Orbiter."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure

from softdock.flexible.meshing import mesh
from softdock.flexible.modes import base_modes
from softdock.flexible.station import APPROACHES
from softdock.prediction.station import delta_rate
from softdock.presentation.colours import SERIES
from softdock.presentation.progress import Progress
from softdock.quantities.units import FOOT
from softdock.report.figures import station_drawings, station_vectors
from softdock.report.picture import GREY, save_picture, style_axes
from softdock.scenario.loading import load
from softdock.scenario.station import StationScenario
from softdock.scenario.station_options import PublishedMethod
from softdock.simulation import simulate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from softdock.result import Array, Result

BLUE, ORANGE, GREEN = SERIES[:3]
CLOSING_RATES = FOOT * np.array([0.5, 0.75, 1.0, 1.25, 1.5])
"""The paper's range [m/s]."""
SIMULATED_MODES = 60
"""Simulated modes; with 200 the tip of the keel moves 0.04 % more."""
PAPER_MODES = 8
PAPER_METHOD = f"the paper's method, {PAPER_MODES} free-free modes"
NAMES = {
    "x": "along X",
    "y": "along Y",
    "z": "along Z",
    "xy": "45° from X towards Y",
    "xz": "45° from X towards Z",
}
RATE_FIGURES = {10: "x", 11: "xz", 12: "xy", 13: "y", 14: "z"}
HISTORY_FIGURES = {16: "x", 17: "xz", 18: "xy"}
COMPARED = {"x": BLUE, "xy": ORANGE, "xz": GREEN}
COUNTS = (0, 1, 2, 4, 6, 8, 12, 16, 20, 24, 28, 40, 60, 100, 150, 200, 300, 400, 500, 689)
POINTS = {"A: tip of the keel": "keel-top", "B: middle of a panel": "panel-starboard-outer-upper.4"}


@dataclass(frozen=True, kw_only=True)
class Study:
    """All runs of one approach."""

    by_rate: "list[Result]"
    """At every closing rate, with `SIMULATED_MODES`."""
    few: "Result"
    """At 1 ft/s by the paper's own method."""

    def metric(self, name: str) -> "Array":
        """Return a metric over the closing rates."""
        return np.array([run.metrics[name] for run in self.by_rate], float)


@dataclass(frozen=True)
class FigureUnits:
    """Units in which the figures are drawn, with their factors from SI."""

    speed: str
    per_speed: float
    length: str
    per_length: float


METRIC = FigureUnits("m/s", 1.0, "m", 1.0)
IMPERIAL = FigureUnits("ft/s", 1.0 / FOOT, "ft", 1.0 / FOOT)
"""Those of the paper."""


def draw(out: Path, progress: Progress, *, units: str | None = None) -> list[Path]:
    """Write the paper's Figures 1 to 20, exaggerated deflections and the convergence with modes; return their paths.

    `units` is the name of a unit system; `imperial` draws feet and ft/s, as the paper.
    """
    scales = IMPERIAL if units == "imperial" else METRIC
    studies = {}
    for i, approach in enumerate(APPROACHES):
        progress(f"docking {NAMES[approach]}", 0.6 * i / len(APPROACHES))
        studies[approach] = _study(approach)
    shown = {approach: at_one_foot_per_second(studies[approach]) for approach in COMPARED}
    figures: dict[str, Callable[[], Figure]] = {
        "station-figure-1": station_drawings.figure_1,
        "station-figure-2": station_vectors.figure_2,
        "station-figure-3": lambda: station_vectors.figure_3(shown["x"]),
        "station-figure-4": station_vectors.figure_4,
        "station-figure-5": station_vectors.figure_5,
        "station-figure-6": station_vectors.figure_6,
        "station-figure-7": station_drawings.figure_7,
        "station-figure-8": station_vectors.figure_8,
        "station-figure-9": station_drawings.figure_9,
        "station-deflections": lambda: station_drawings.deflections(shown),
        **{
            f"station-figure-{n}": partial(rate_change, studies[a], a, scales)
            for n, a in RATE_FIGURES.items()
        },
        "station-figure-15": lambda: rates_compared(studies, scales),
        **{
            f"station-figure-{n}": partial(history, studies[a], a, scales) for n, a in HISTORY_FIGURES.items()
        },
        "station-figure-19": lambda: largest(studies, "b", "point B, the middle of a panel", scales),
        "station-figure-20": lambda: largest(studies, "a", "point A, the tip of the keel", scales),
        "station-convergence": convergence,
    }
    paths = []
    for i, (name, make) in enumerate(figures.items()):
        progress(name.replace("-", " "), 0.6 + 0.4 * i / len(figures))
        path = out / f"{name}.png"
        save_picture(make(), path)
        paths.append(path)
    progress("done", 1.0)
    return paths


def rate_change(study: Study, approach: str, scales: FigureUnits = METRIC) -> Figure:
    """Draw the change of angular rate over the closing rate, rigid and flexible (Figures 10 to 14)."""
    figure = Figure(figsize=(6.4, 4.4), layout="constrained")
    ax = figure.subplots()
    few = study.few.metrics["delta_rate"] / study.few.metrics["closing_rate"]
    for values, label, colour, style in (
        (study.metric("delta_rate_all_modes"), "hybrid, all modes", BLUE, "o-"),
        (few * CLOSING_RATES, f"hybrid, {PAPER_METHOD}", GREEN, "--"),
        (study.metric("delta_rate_rigid"), "rigid", ORANGE, "s-"),
    ):
        ax.plot(scales.per_speed * CLOSING_RATES, 1e3 * values, style, color=colour, label=label)
    ax.set_title(f"Approach {NAMES[approach]}")
    _over_rates(ax, "change of angular rate [mrad/s]", scales)
    return figure


def rates_compared(studies: dict[str, Study], scales: FigureUnits = METRIC) -> Figure:
    """Draw the change of angular rate of the hybrid model for three approaches (Figure 15)."""
    figure = Figure(figsize=(6.4, 4.4), layout="constrained")
    ax = figure.subplots()
    for approach, colour in COMPARED.items():
        values = 1e3 * studies[approach].metric("delta_rate_all_modes")
        rates = scales.per_speed * CLOSING_RATES
        ax.plot(rates, values, "o-", color=colour, label=NAMES[approach])
        few = (
            1e3 * studies[approach].few.metrics["delta_rate"] / studies[approach].few.metrics["closing_rate"]
        )
        ax.plot(rates, few * CLOSING_RATES, "--", color=colour, linewidth=1.0)
    ax.plot([], [], "--", color=GREY, linewidth=1.0, label=PAPER_METHOD)
    ax.set_title("Hybrid model, all modes")
    _over_rates(ax, "change of angular rate [mrad/s]", scales)
    return figure


def largest(studies: dict[str, Study], point: str, where: str, scales: FigureUnits = METRIC) -> Figure:
    """Draw the largest deflection of a point over the closing rate (Figures 19 and 20)."""
    figure = Figure(figsize=(6.4, 4.4), layout="constrained")
    ax = figure.subplots()
    for approach, colour in COMPARED.items():
        study = studies[approach]
        label = NAMES[approach]
        few = study.few.metrics[f"max_deflection_{point}"] / study.few.metrics["closing_rate"]
        rates, values = scales.per_speed * CLOSING_RATES, study.metric(f"max_deflection_{point}")
        ax.plot(rates, scales.per_length * values, "o-", color=colour, label=label)
        ax.plot(rates, scales.per_length * few * CLOSING_RATES, "--", color=colour, linewidth=1.0)
    ax.plot([], [], "--", color=GREY, linewidth=1.0, label=f"{PAPER_METHOD}, mean axes")
    ax.set_title(f"Largest deflection of {where}", fontsize="medium")
    _over_rates(ax, f"largest deflection [{scales.length}]", scales)
    return figure


def history(study: Study, approach: str, scales: FigureUnits = METRIC) -> Figure:
    """Draw the deflections of two points over time at 1 ft/s (Figures 16 to 18)."""
    figure = Figure(figsize=(9.0, 6.0), layout="constrained")
    figure.suptitle(f"Deflections, approach {NAMES[approach]} at 1 ft/s, docking at 50 s")
    upper, lower = figure.subplots(2, 1, sharex=True)
    full = at_one_foot_per_second(study)
    for ax, run, title in (
        (upper, full, f"{SIMULATED_MODES} modes, from the base"),
        (lower, study.few, f"{PAPER_METHOD}, mean axes"),
    ):
        for (label, node), colour in zip(POINTS.items(), (BLUE, ORANGE)):
            values = scales.per_length * run.history[f"tower/{node}.deflection"]
            ax.plot(run.history.time, values, color=colour, linewidth=1.0, label=label)
        ax.axvline(50.0, color=GREY, linewidth=0.8, linestyle="--")
        ax.set_title(f"{title}; A and B correlate by {correlation_of_points(run):.2f}", fontsize="medium")
        ax.set(ylabel=f"deflection [{scales.length}]", xlim=(0.0, 200.0), ylim=(0.0, None))
        style_axes(ax)
    upper.legend(frameon=False, loc="upper left")
    lower.set_xlabel("time [s]")
    return figure


def at_one_foot_per_second(study: Study) -> "Result":
    """Return the run of a study at a closing rate of 1 ft/s."""
    return study.by_rate[int(np.argmin(np.abs(CLOSING_RATES - FOOT)))]


def convergence() -> Figure:
    """Draw the convergence of rate change and deflections with the number of modes."""
    figure = Figure(figsize=(9.5, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    scenarios = {approach: _scenario(approach, FOOT) for approach in APPROACHES}
    modes = base_modes(mesh(scenarios["x"].members()), scenarios["x"].base_name())
    counts = [min(count, modes.frequency.size) for count in COUNTS]
    for (approach, scenario), colour in zip(scenarios.items(), SERIES):
        rates = [delta_rate(scenario, modes.lowest(count)) for count in counts]
        left.plot(counts, 1e3 * np.array(rates), ".-", color=colour, label=NAMES[approach])
    left.axvline(PAPER_MODES, color=GREY, linewidth=0.8, linestyle="--")
    left.set(ylabel="change of angular rate at 1 ft/s [mrad/s]", ylim=(0.0, None))
    left.legend(frameon=False, fontsize="small", loc="lower right")
    kept = [4, PAPER_MODES, 12, 16, 20, 28, 40, SIMULATED_MODES]
    for approach, colour in COMPARED.items():
        runs = [_run(approach, FOOT, modes=count) for count in kept]
        for point, style in (("a", "o-"), ("b", "s--")):
            values = [run.metrics[f"max_deflection_{point}"] for run in runs]
            label = f"{point.upper()}, {NAMES[approach]}"
            right.plot(kept, values, style, color=colour, markersize=4.0, label=label)
    right.axvline(PAPER_MODES, color=GREY, linewidth=0.8, linestyle="--")
    right.set(ylabel="largest deflection at 1 ft/s [m]", ylim=(0.0, 1.6))
    right.legend(frameon=False, fontsize="small", ncols=2, loc="upper left")
    for ax in (left, right):
        ax.set_xscale("symlog", linthresh=10.0)
        ax.set_xlabel("modes kept, lowest first")
        style_axes(ax)
    left.set_xlim(-1.0, 750.0)
    left.set_xticks((0, 8, 28, 100, 689), ("0", "8", "28", "100", "689"))
    right.set_xticks((4, 8, 16, 28, 60), ("4", "8", "16", "28", "60"))
    figure.suptitle("What a result rests on; the dashed line marks the paper's eight modes")
    return figure


def correlation_of_points(run: "Result") -> float:
    """Return the correlation of the two points, each along its axis of largest motion; 1 is in phase."""
    moves = []
    for node in POINTS.values():
        along = [run.history[f"tower/{node}.d{axis}"] for axis in "xyz"]
        moves.append(max(along, key=lambda values: float(np.ptp(values))))
    # Rows at peaks are closer in time than samples.
    covariance = np.asarray(np.cov(moves, aweights=np.gradient(run.history.time)))
    return float(covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1]))


def _study(approach: str) -> Study:
    return Study(
        by_rate=[_run(approach, float(rate), modes=SIMULATED_MODES) for rate in CLOSING_RATES],
        few=_run(approach, FOOT, method="published", published=PublishedMethod(modes=PAPER_MODES)),
    )


def _run(approach: str, closing_rate: float, **changes: Any) -> "Result":
    return simulate(_scenario(approach, closing_rate, **changes), with_prediction=False)


def _scenario(approach: str, closing_rate: float, **changes: Any) -> StationScenario:
    scenario = load(f"power-tower-{approach}")
    assert isinstance(scenario, StationScenario)
    return scenario.model_copy(update={"closing_rate": closing_rate, **changes})


def _over_rates(ax: "Axes", quantity: str, scales: FigureUnits) -> None:
    right = 0.5 * scales.per_speed
    ax.set(xlabel=f"closing rate [{scales.speed}]", ylabel=quantity, xlim=(0.0, right), ylim=(0.0, None))
    ax.legend(frameon=False, loc="upper left")
    style_axes(ax)
