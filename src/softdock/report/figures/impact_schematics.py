"""Schematic drawings of the impact paper: the model, its effective masses, and the latch, with values of scenarios."""

import math
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Polygon

from softdock.presentation.colours import SERIES
from softdock.report.figures.chain_drawing import (
    LINE,
    draw_arrow,
    draw_bracket,
    draw_dimension,
    draw_mass,
    draw_plate,
    draw_spring,
    draw_spring_and_damper,
)
from softdock.scenario.chain import ChainScenario
from softdock.scenario.loading import load
from softdock.theory import rmi

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLUE, ORANGE = SERIES[:2]
LIGHT_BLUE, LIGHT_ORANGE = "#7FB3D5", "#EAA76B"
HEIGHT = 1.0  # of the largest mass of a drawing
SPRING_LENGTH = 1.25
GAP = 0.45  # between the touching masses
SIDES = 1.35  # width of the largest mass


def figure_1() -> Figure:
    """Draw the model: two spacecraft with arms, and the chain of masses that stands for them."""
    scenario = _chain("impact-a")
    figure = Figure(figsize=(9.0, 6.0), layout="constrained")
    figure.suptitle("Model of an impact docking (masses of case A)")
    top, bottom = figure.subplots(2, 1, height_ratios=(1.15, 1.0))
    _draw_spacecraft(top)
    places = _draw_chain(bottom, scenario)
    front = places[len(scenario.chaser.masses) - 1]
    speed = f"{scenario.speed:g} m/s"
    draw_arrow(bottom, (places[0][0], 0.85), (places[0][0] + 1.1, 0.85), BLUE, speed)
    _draw_wedge(bottom, front[1], 0.0)
    bottom.set_title("b) chain of masses on a line", loc="left", fontsize="medium")
    return figure


def figure_2() -> Figure:
    """Draw the four effective masses of an impact: of the systems, of the touching bodies, within each system."""
    scenario = _chain("impact-a")
    m = (*scenario.chaser.masses, *scenario.target.masses)
    figure = Figure(figsize=(9.0, 4.2), layout="constrained")
    figure.suptitle("Effective masses of an impact between two systems (case A)")
    ax = figure.subplots()
    places = _draw_chain(ax, scenario)
    (left, _), (first, end), (start, last), (_, right) = places
    draw_bracket(
        ax, left, right, 0.95, 0.55, f"systems $m_{{i,ef}}$ = {rmi.system_effective_mass(*m):.3f} kg"
    )
    draw_bracket(ax, first, last, 0.62, 0.2, "")
    touching = f"touching $\\mu_{{i,ef}}$ = {rmi.interface_effective_mass(*m[1:3]):.3f} kg"
    ax.text(0.5 * (end + start), 0.87, touching, ha="center", va="bottom", fontsize="medium")
    draw_bracket(ax, left, end, -0.72, -0.2, f"chaser $\\mu_c$ = {rmi.chaser_effective_mass(*m[:2]):.3f} kg")
    draw_bracket(
        ax, start, right, -0.72, -0.2, f"target $\\mu_t$ = {rmi.target_effective_mass(*m[2:]):.3f} kg"
    )
    e_I = rmi.effective_mass_ratio(*m)
    ax.text(
        0.5 * (end + start), -1.25, f"$e_I = \\mu_{{i,ef}}/m_{{i,ef}}$ = {e_I:.4f}", ha="center", va="top"
    )
    ax.set_ylim(-1.6, 1.95)
    return figure


def figure_6() -> Figure:
    """Draw the latch to scale: at the start, and while the wedge lifts it."""
    scenario = _chain("latch-paper")
    figure = Figure(figsize=(8.0, 7.4), layout="constrained")
    figure.suptitle("Probe tip and spring-loaded latch (latch-paper, lengths to scale)")
    top, bottom = figure.subplots(2, 1)
    assert scenario.latch is not None
    _draw_latch(top, scenario, -scenario.gap)
    top.set_title("a) at the start", loc="left", fontsize="medium")
    _draw_latch(bottom, scenario, 0.6 * scenario.latch.tip_length)
    bottom.set_title("b) the wedge lifts the latch", loc="left", fontsize="medium")
    return figure


def _chain(name: str) -> ChainScenario:
    scenario = load(name)
    assert isinstance(scenario, ChainScenario)
    return scenario


def _draw_chain(ax: "Axes", scenario: ChainScenario) -> list[tuple[float, float]]:
    """Draw a chain with its masses and springs; return the left and right ends of all masses."""
    masses = np.array([*scenario.chaser.masses, *scenario.target.masses])
    stiffness = [*scenario.chaser.stiffness, None, *scenario.target.stiffness]
    sides = SIDES * np.maximum((masses / masses.max()) ** (1.0 / 3.0), 0.55)
    x, places = 0.0, []
    for i, (mass, side) in enumerate(zip(masses, sides)):
        height = HEIGHT * side / SIDES
        is_chaser = i < len(scenario.chaser.masses)
        text = f"$m_{i + 1}$\n{mass:g} kg"
        draw_mass(ax, x, -0.5 * height, (side, height), BLUE if is_chaser else ORANGE, text)
        places.append((x, x + side))
        x += side
        if i < len(masses) - 1:
            spring = stiffness[i]
            length = GAP if spring is None else SPRING_LENGTH
            if spring is not None:
                draw_spring_and_damper(ax, x, x + length, 0.0, 0.18, f"{spring:g} N/m")
            x += length
    ax.set_xlim(-0.2, x + 0.2)
    ax.set_ylim(-0.65, 1.2)
    ax.set_aspect("equal")
    ax.set_axis_off()
    return places


def _draw_wedge(ax: "Axes", x: float, y: float) -> None:
    """Draw the tip of a probe in the gap between the touching masses."""
    ax.add_patch(Polygon([(x, y - 0.12), (x, y + 0.12), (x + 0.6 * GAP, y)], facecolor="0.5", edgecolor=LINE))


def _draw_spacecraft(ax: "Axes") -> None:
    """Draw two free bases whose arms hold probe and drogue."""
    for sign, colour, light, names in (
        (1.0, BLUE, LIGHT_BLUE, ("$m_1$: chaser", "$m_2$: arm and probe")),
        (-1.0, ORANGE, LIGHT_ORANGE, ("$m_4$: target", "$m_3$: arm and drogue")),
    ):
        centre = 5.0 - sign * 3.6
        draw_mass(ax, centre - 0.6, -0.6, (1.2, 1.2), colour, "")
        for y in (0.75, -1.75):
            draw_plate(ax, centre - 0.22, y, 0.44, 1.0, "#3B4D7A")
        joints = [(centre + sign * 0.6, 0.0), (centre + sign * 1.5, 0.75), (centre + sign * 2.5, 0.0)]
        ax.plot(*zip(*joints, strict=True), color=light, linewidth=9.0, solid_capstyle="round", zorder=1)
        for x, y in joints:
            ax.add_patch(Circle((x, y), 0.13, facecolor="white", edgecolor=LINE, zorder=2))
        x = joints[-1][0]
        if sign > 0.0:
            ax.plot([x, x + 0.75], [0.0, 0.0], color=LINE, linewidth=4.0, zorder=1)
            ax.add_patch(
                Polygon([(x + 0.7, 0.16), (x + 1.05, 0.0), (x + 0.7, -0.16)], facecolor="0.5", edgecolor=LINE)
            )
        else:
            mouth = [
                (x - 1.0, 0.55),
                (x - 0.35, 0.2),
                (x - 0.1, 0.2),
                (x - 0.1, -0.2),
                (x - 0.35, -0.2),
                (x - 1.0, -0.55),
            ]
            ax.plot(*zip(*mouth, strict=True), color=LINE, linewidth=2.2, zorder=3)
        ax.text(centre, -2.0, names[0], ha="center", va="top", color=colour)
        ax.text(centre + sign * 1.7, 1.05, names[1], ha="center", va="bottom", color=colour)
    draw_arrow(ax, (1.4, 2.05), (2.4, 2.05), BLUE, "closing")
    ax.set(xlim=(0.2, 9.8), ylim=(-2.45, 2.6), aspect="equal")
    ax.set_title("a) two free spacecraft with arms (not to scale)", loc="left", fontsize="medium")
    ax.set_axis_off()


def _draw_latch(ax: "Axes", scenario: ChainScenario, insertion: float) -> None:
    """Draw probe tip and latch of a scenario at an insertion [m], in mm; the opening of the latch is at 0."""
    latch = scenario.latch
    assert latch is not None
    length, slope = 1e3 * latch.tip_length, math.tan(latch.angle)
    tip = 1e3 * insertion
    radius, lift = length * slope, max(tip, 0.0) * slope
    neck = 0.45 * radius
    rear, shoulder = tip - 4.6 * length, tip - length
    outline = [(rear, neck), (shoulder, neck), (shoulder, radius), (tip, 0.0)]
    mirrored = [(x, -y) for x, y in reversed(outline)]
    ax.add_patch(Polygon(outline + mirrored, facecolor=LIGHT_BLUE, edgecolor=LINE))
    ax.text(rear + 1.6 * length, 0.0, f"chaser, {scenario.chaser.masses[0]:g} kg", ha="center", va="center")
    thick, wall, back = 0.35 * length, 1.15 * radius + 1.6 * length, 3.2 * length
    for sign in (1.0, -1.0):
        edge = sign * lift
        draw_plate(ax, 0.0, min(edge, edge + sign * length), thick, length, LIGHT_ORANGE)
        draw_spring(ax, (0.5 * thick, edge + sign * length), (0.5 * thick, sign * wall), 0.14 * length)
        ax.plot([-0.6 * length, back], [sign * wall] * 2, color=LINE, linewidth=3.0)
    draw_plate(ax, back, -wall, 0.6 * length, 2.0 * wall, LIGHT_ORANGE)
    ax.text(back - 0.2 * length, 0.0, f"target, {scenario.target.masses[0]:g} kg", ha="right", va="center")
    spring = f"k = {latch.stiffness:g} N/m\n(both together)"
    ax.text(0.85 * length, -0.5 * (lift + length + wall), spring, ha="left", va="center", fontsize="small")
    _draw_latch_dimensions(ax, tip, length, wall)
    notes = [(rf"$\theta$ = {math.degrees(latch.angle):g}°", (tip - 0.7 * length, 0.7 * radius), 1.5)]
    if lift > 0.0:
        notes.append((f"$y_k$ = {lift:g} mm", (0.0, lift), 2.3))
    for text, place, height in notes:
        ax.annotate(
            text, place, (-3.4 * length, height * length), va="center",
            arrowprops={"arrowstyle": "-", "color": LINE, "linewidth": 0.8},
        )  # fmt: skip
    ax.set(xlim=(-5.2 * length, 4.2 * length), ylim=(-1.3 * wall, 1.08 * wall), aspect="equal")
    ax.set_axis_off()


def _draw_latch_dimensions(ax: "Axes", tip: float, length: float, wall: float) -> None:
    """Draw the places of tip and latch on the axis, and the length of the tip."""
    low = -1.08 * wall
    for x, text, side in ((tip, "$x_C$", tip), (0.0, "$x_T$", -tip)):
        ax.plot([x, x], [0.0, low], color="0.45", linewidth=0.9, linestyle=":")
        place = x + (0.12 if side > 0.0 else -0.12) * length
        ax.text(place, low, text, ha="left" if side > 0.0 else "right", va="top")
    y = -1.35 * length
    draw_dimension(ax, (tip - length, y), (tip, y), "", (0.0, 0.0))
    ax.text(tip - 1.1 * length, y, f"$l_p$ = {length:g} mm", ha="right", va="center")
    ax.plot([tip - 0.75 * length, tip], [0.0, 0.0], color="0.4", linewidth=0.8, linestyle="--")
