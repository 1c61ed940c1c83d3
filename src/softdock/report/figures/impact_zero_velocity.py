"""Mass ratios with equal velocities after an impact: Figure 5 of the impact paper, and the two cases that it names."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure

from softdock.presentation.colours import SERIES
from softdock.report.picture import style_axes
from softdock.scenario.loading import load
from softdock.simulation import simulate
from softdock.theory import rmi

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LABELS = {
    "interface": r"mass ratio of the touching bodies $\lambda_i = m_2/m_3$ [-]",
    "chaser": r"mass ratio of the chaser $\lambda_c = m_1/m_2$ [-]",
    "target": r"mass ratio of the target $\lambda_t = m_4/m_3$ [-]",
}
ZERO = 1e-14  # m/s, of an approach with 0.05 m/s
SIMULATED = rf"simulated: $|U^+| < 10^{{{round(np.log10(ZERO))}}}$ m/s"


def figure_5() -> Figure:
    """Draw the mass ratios with equal velocities of both systems after an elastic impact, for given chasers."""
    figure = Figure(figsize=(8.0, 5.0), layout="constrained")
    ax = figure.subplots()
    target = np.concatenate((np.linspace(0.0, 0.999, 500), np.linspace(1.001, 4.0, 1000)))
    for i, chaser in enumerate((0.25, 0.5, 0.8, 1.25, 2.0, 4.0)):
        interface = np.array(rmi.zero_velocity_ratio(chaser=chaser, target=target))
        label = rf"$\lambda_c = {chaser:g}$"
        style = "-" if chaser > 1.0 else "--"
        ax.plot(target, np.where(target < 1.0, interface, np.nan), style, color=SERIES[i], label=label)
        ax.plot(target, np.where(target > 1.0, interface, np.nan), style, color=SERIES[i])
    ax.axvline(1.0, color="black", linewidth=1.2, label=r"$\lambda_c = 1$: any $\lambda_i$")
    known = [(2.0, 0.3), (2.0, 0.7), (4.0, 0.5), (0.5, 1.5), (0.5, 3.0), (0.25, 2.0)]
    _mark_simulated(ax, "target", "interface", [{"chaser": c, "target": t} for c, t in known])
    ax.set(xlim=(0.0, 4.0), ylim=(0.08, 50.0), yscale="log")
    ax.set_title("Equal velocities after an elastic impact ($e_I = 1/2$)")
    ax.set(xlabel=LABELS["target"], ylabel=LABELS["interface"])
    style_axes(ax)
    ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return figure


def fixed_ratios() -> Figure:
    """Draw the same for given touching bodies, and for given targets."""
    figure = Figure(figsize=(12.5, 5.2), layout="constrained")
    figure.suptitle("Equal velocities after an elastic impact ($e_I = 1/2$)")
    left, right = figure.subplots(1, 2)
    target = np.linspace(0.0, 4.0, 1201)
    for i, interface in enumerate((0.1, 0.3, 1.0, 3.0, 10.0)):
        chaser = np.array(rmi.zero_velocity_ratio(interface=interface, target=target))
        left.plot(target, chaser, color=SERIES[i], label=rf"$\lambda_i = {interface:g}$")
    left.plot(
        [1.0], [1.0], "D", color="black", markersize=5, markerfacecolor="white", label=r"any $\lambda_i$"
    )
    _mark_simulated(
        left, "target", "chaser", _grid("interface", (0.1, 1.0, 10.0), "target", (0.35, 0.93, 2.0))
    )
    left.set(
        xlim=(0.0, 4.0), ylim=(0.0, 4.0), aspect="equal", title=r"touching bodies given, $\lambda_i = c$"
    )
    left.set(xlabel=LABELS["target"], ylabel=LABELS["chaser"])
    touching = np.geomspace(0.01, 100.0, 1201)
    for i, fixed in enumerate((0.0, 0.5, 0.8, 1.0, 1.5, 3.0)):
        chaser = np.array(rmi.zero_velocity_ratio(interface=touching, target=fixed))
        right.plot(touching, chaser, color=SERIES[i], label=rf"$\lambda_t = {fixed:g}$")
    _mark_simulated(
        right, "interface", "chaser", _grid("target", (0.0, 0.5, 1.5, 3.0), "interface", (0.2, 3.0))
    )
    right.set(xscale="log", xlim=(0.01, 100.0), ylim=(0.0, 4.0), title=r"target given, $\lambda_t = c$")
    right.set(xlabel=LABELS["interface"], ylabel=LABELS["chaser"])
    for ax in (left, right):
        style_axes(ax)
    left.legend(fontsize="small", loc="upper right", framealpha=1.0, edgecolor="none")
    right.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    return figure


def _grid(
    first: str, first_values: Iterable[float], second: str, second_values: Iterable[float]
) -> list[dict[str, float]]:
    values = list(second_values)
    return [{first: a, second: b} for a in first_values for b in values]


def _mark_simulated(ax: "Axes", x: str, y: str, known: list[dict[str, float]]) -> None:
    """Mark points of the curves confirmed by simulations with an impulsive contact; none where no ratio solves."""
    points = []
    for given in known:
        missing = next(name for name in LABELS if name not in given)
        ratios = {**given, missing: float(rmi.zero_velocity_ratio(**given))}
        if not ratios[missing] > 0.0:
            continue
        if abs(simulated_velocity_after(ratios)) <= ZERO:
            points.append((ratios[x], ratios[y]))
    ax.plot(*zip(*points, strict=True), "o", color="black", markersize=4, label=SIMULATED)


def simulated_velocity_after(ratios: dict[str, float]) -> float:
    """Return the relative velocity after a simulated elastic impact of systems with these mass ratios [m/s]."""
    touching = ratios["interface"]
    rear, far = ratios["chaser"] * touching, ratios["target"]
    changes: dict[str, Any] = {
        "chaser.masses": [rear, touching] if rear > 0.0 else [touching],
        "chaser.stiffness": [1000.0] if rear > 0.0 else [],
        "target.masses": [1.0, far] if far > 0.0 else [1.0],
        "target.stiffness": [200.0] if far > 0.0 else [],
        "contact": {"restitution": 1.0},
        "stop.impacts": 1,
    }
    return float(simulate(load("impact-a", changes)).metrics["relative_velocity_after"])
