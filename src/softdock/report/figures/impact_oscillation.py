"""Figure of impacts of systems whose masses oscillate: Eqs. 11 to 13 and 16 of the impact paper."""

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from matplotlib.figure import Figure

from softdock.lumped.chain import Chain
from softdock.lumped.chain_run import ChainRun, run_chain
from softdock.presentation.colours import SERIES
from softdock.report.picture import GREY, style_axes
from softdock.scenario.chain import ChainScenario
from softdock.scenario.loading import load
from softdock.simulation.chain import chain_of
from softdock.theory import rmi

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLUE, ORANGE, GREEN = SERIES[:3]
DURATION = 0.8  # s; several impacts
AMPLITUDES = (0.2e-3, 0.5e-3)  # m, of the probe against the chaser before the first impact
PHASES = np.linspace(0.0, 2.0 * np.pi, 17)[:-1]


class ChainImpact(NamedTuple):
    """One impact of a run."""

    time: float
    """Time [s]."""
    speed: float
    """Closing speed of the centres of mass before it [m/s]."""
    oscillation: float
    """Approach speed of the touching masses beyond that [m/s]."""
    after: float
    """Closing speed of the centres of mass after it [m/s]."""


def second_impact() -> Figure:
    """Draw the velocity over several impacts with both predictions of each, and that after an impact over dU."""
    figure = Figure(figsize=(11.0, 4.8), layout="constrained")
    figure.suptitle("Impacts of oscillating systems: masses and springs of case A, perfectly elastic contact")
    left, right = figure.subplots(1, 2, width_ratios=(1.4, 1.0))
    chain = elastic_case_a()
    _draw_impacts(left, run_chain(chain, end_time=DURATION, rate=2000.0))
    _draw_oscillation(right, chain)
    return figure


def impacts(run: ChainRun) -> list[ChainImpact]:
    """Return all impacts of a run of a chain with an impulsive contact."""
    a, time = len(run.chain.chaser_masses) - 1, run.time
    found = []
    for t in (t for t, name in run.events if name == "touch"):
        before, after = np.searchsorted(time, t), np.searchsorted(time, t, "right") - 1
        v = run.velocities[before] if after > before else run.chain.velocities
        U, later = (values @ run.chain.system_weights @ [1.0, -1.0] for values in (v, run.velocities[after]))
        found.append(ChainImpact(t, float(U), float(v[a] - v[a + 1] - U), float(later)))
    return found


def elastic_case_a() -> Chain:
    """Return the chain of case A with a perfectly elastic, impulsive contact."""
    scenario = load("impact-a", {"contact": {"restitution": 1.0}})
    assert isinstance(scenario, ChainScenario)
    return chain_of(scenario)


def _draw_impacts(ax: "Axes", run: ChainRun) -> None:
    """Draw the closing speed of the systems and of the touching masses, and the predictions of every impact."""
    scale, a, v = 1e3, len(run.chain.chaser_masses) - 1, run.velocities
    ax.plot(run.time, scale * (v[:, a] - v[:, a + 1]), color="0.75", linewidth=1.0, label="touching masses")
    closing = scale * (v @ run.chain.system_weights @ [1.0, -1.0])
    ax.plot(run.time, closing, color=BLUE, linewidth=2.2, label="centres of mass")
    e_star = float(rmi.ratio_star(rmi.effective_mass_ratio(*run.chain.mass)))
    found = impacts(run)
    for k, impact in enumerate(found):
        swinging = scale * float(
            rmi.relative_velocity_after(e_star, speed=impact.speed, oscillation=impact.oscillation)
        )
        rigid = scale * float(rmi.relative_velocity_after(e_star, speed=impact.speed))
        first = k == 0
        ax.plot(impact.time, swinging, "o", color=ORANGE, label="Eq. 16, with $\\delta U$" if first else None)
        ax.plot(impact.time, rigid, "x", color="black", label="Eq. 18, without" if first else None, zorder=4)
        if first or k == 1:
            text = f"impact {k + 1}: $\\delta U$ = {scale * impact.oscillation:.3g} mm/s"
            ax.annotate(
                text,
                (impact.time, swinging),
                (impact.time + 0.05, 118.0 - 14.0 * k),
                fontsize="small",
                arrowprops={"arrowstyle": "-", "color": GREY, "linewidth": 0.8},
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.0},
            )
    ax.axhline(0.0, color=GREY, linewidth=0.6, zorder=0)
    ax.set(xlabel="time [s]", ylabel="closing speed [mm/s]")
    ax.set(xlim=(0.0, run.time[-1]), ylim=(-112.0, 128.0))
    ax.set_title(f"{len(found)} impacts of systems at rest within before the first", fontsize="medium")
    ax.legend(fontsize="small", loc="lower left", framealpha=1.0, edgecolor="none")
    style_axes(ax)


def _draw_oscillation(ax: "Axes", chain: Chain) -> None:
    """Draw the closing speed after the first impact over the oscillation: theory and runs from many states."""
    e_star = float(rmi.ratio_star(rmi.effective_mass_ratio(*chain.mass)))
    dU = np.linspace(-0.03, 0.03, 50)
    after = np.asarray(rmi.relative_velocity_after(e_star, speed=chain.speed, oscillation=dU))
    ax.plot(1e3 * dU, 1e3 * after, color=ORANGE, label="Eq. 16")
    for amplitude, colour in zip(AMPLITUDES, (BLUE, GREEN)):
        starts = (swinging_chain(chain, amplitude, phase) for phase in PHASES)
        found = [impacts(run_chain(start, end_time=0.2, impacts=1, rate=100.0))[0] for start in starts]
        label = f"runs, probe swings by {1e3 * amplitude:g} mm"
        ax.plot(
            [1e3 * i.oscillation for i in found], [1e3 * i.after for i in found], "o", color=colour,
            markersize=5, markerfacecolor="none", label=label,
        )  # fmt: skip
    ax.plot(0.0, 1e3 * (1.0 - e_star) * chain.speed, "x", color="black", label="Eq. 18", zorder=4)
    ax.set(xlabel=r"oscillation before the impact $\delta U$ [mm/s]", ylabel="closing speed after it [mm/s]")
    ax.set_title("first impact, from many states of the probe", fontsize="medium")
    ax.legend(fontsize="small", loc="lower left", framealpha=1.0, edgecolor="none")
    style_axes(ax)


def swinging_chain(chain: Chain, amplitude: float, phase: float) -> Chain:
    """Return a chain of two and two masses whose probe swings against the chaser with an amplitude [m] and phase."""
    m1, m2 = chain.chaser_masses
    omega = float(np.sqrt(chain.chaser_stiffness[0] / rmi.reduced_mass(m1, m2)))
    s, rate = amplitude * np.sin(phase), amplitude * omega * np.cos(phase)
    share = m2 / (m1 + m2)
    V = chain.target_velocity + chain.speed
    return replace(
        chain,
        chaser_deflections=(-share * s, (1.0 - share) * s),
        chaser_velocities=(V - share * rate, V + (1.0 - share) * rate),
    )
