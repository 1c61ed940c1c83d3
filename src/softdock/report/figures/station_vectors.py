"""Drawings of vectors, bodies and the orbit of the station paper, with values of the code (Figures 2 to 6 and 8)."""

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from softdock.model.orbit import SystemOrbit
from softdock.orbit.kepler import MU, RADIUS
from softdock.prediction.station import weld_visitor
from softdock.presentation.colours import SERIES
from softdock.replay.scene import Mesh
from softdock.report.figures.solid_view import (
    View,
    draw_axes,
    draw_lines,
    draw_meshes,
    draw_vector,
    finish,
    mark,
    write,
)
from softdock.report.figures.station_drawings import FACTOR, SIDE, Tower, largest_deflection

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from softdock.result import Array, Result

BLUE, ORANGE, GREEN, PINK = SERIES[:4]
MEGAMETRE = 1e-6
EARTH_VIEW = View.of((0.35, -1.0, 0.45), (0.0, 0.0, 1.0))
STATION_SIZE = 5e4
"""Magnification of the station in drawings of its orbit."""
R_ES = np.array([[0.0, 0.0, -1.0], [1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])
"""Station axes in inertial ones on the X axis: x along the velocity (Y), z to the Earth, y against the orbit normal."""


def figure_2() -> Figure:
    """Draw the inertial position of a mass element (Figure 2)."""
    tower, figure, ax = _orbit_figure("Inertial position of a mass element dm of the station")
    S, P, radii = _draw_position(ax, tower)
    r, far = radii["r"], radii["R_P"]
    text = f"$R_S$ = {radii['R_S'] / 1e3:.1f} km, r = {r:.1f} m, $R_P$ - $R_S$ = {far - radii['R_S']:+.1f} m"
    ax.set_title(f"{text}; station drawn {STATION_SIZE:,.0f} times larger", fontsize="medium")
    draw_vector(ax, EARTH_VIEW, (0.0, 0.0, 0.0), P, ORANGE, "$R_P$", (0.0, -14.0))
    draw_vector(ax, EARTH_VIEW, S, P, GREEN, "r", (10.0, 4.0))
    return figure


def figure_4() -> Figure:
    """Draw the gravity on a mass element (Figure 4)."""
    tower, figure, ax = _orbit_figure("Gravity on a mass element dm of the station")
    _, P, radii = _draw_position(ax, tower)
    draw_vector(ax, EARTH_VIEW, P, 0.45 * P, PINK, "f", (0.0, -14.0))
    values = [MU / radii[name] ** 2 for name in ("R_P", "R_S")]
    text = f"f = {values[0]:.6f} m/s² at P, {1e6 * (values[0] - values[1]):+.1f} µm/s² against the centre of mass"
    ax.set_title(text, fontsize="medium")
    return figure


def figure_3(run: "Result") -> Figure:
    """Draw place and deflection of a mass element in station axes, at the largest deflection of a run (Figure 3)."""
    tower = Tower.of("power-tower-x")
    _, displacement = largest_deflection(run, tower)
    A = tower.scenario.points()[0]
    S = _centre_of_mass(tower)
    start, u = tower.place(A), displacement[tower.modes.names.index(A), 3:]
    end = start + FACTOR * u
    figure = Figure(figsize=(5.6, 7.4), layout="constrained")
    figure.suptitle("Undeformed place and deflection of an element at point A")
    ax = figure.subplots()
    draw_meshes(ax, SIDE, tower.meshes(FACTOR * displacement))
    draw_lines(ax, SIDE, tower.lines(), colors="0.15", linewidths=0.8, linestyles="--", zorder=5)
    draw_axes(ax, SIDE, S, 22.0, ("$X_S$", "$Y_S$", "$Z_S$"))
    mark(ax, SIDE, S, "S", (-14.0, -8.0))
    draw_vector(ax, SIDE, S, start, BLUE, "$r_u$", (-16.0, 0.0))
    draw_vector(ax, SIDE, S, end, GREEN, "r", (18.0, 0.0))
    draw_vector(ax, SIDE, start, end, ORANGE, "u", (0.0, 10.0))
    length, shift = np.linalg.norm(start - S), np.linalg.norm(u)
    ax.set_title(
        f"$r_u$ = {length:.1f} m, u = {shift:.2f} m, drawn {FACTOR:g} times larger", fontsize="medium"
    )
    finish(ax, (-52.0, -22.0), (52.0, 136.0))
    return figure


def figure_5() -> Figure:
    """Draw the three bodies of the docking with their reference points (Figure 5)."""
    tower = Tower.of("power-tower-x")
    figure = Figure(figsize=(6.4, 7.4), layout="constrained")
    figure.suptitle("Bodies of the docking: A flexible, B rigid, O the Orbiter")
    ax = figure.subplots()
    draw_meshes(ax, SIDE, tower.meshes() + tower.orbiter())
    S, port = _centre_of_mass(tower), np.asarray(tower.scenario.visitor.port)
    O = np.asarray(tower.scenario.visitor.centre)  # noqa: E741  # named as in the paper
    foot, P = np.zeros(3), tower.place("keel-top") * 0.8
    draw_vector(ax, SIDE, S, foot, BLUE, "$R_A$", (-18.0, 0.0))
    draw_vector(ax, SIDE, S, port, ORANGE, "$R_D$", (20.0, -14.0))
    draw_vector(ax, SIDE, O, port, GREEN, "$R_Q$", (16.0, 0.0))
    draw_vector(ax, SIDE, foot, P, PINK, "$r^*$", (16.0, 0.0))
    for place, text, offset in (
        (S, "S: centre of mass of the station", (40.0, 12.0)),
        (foot, "foot of the keel", (40.0, 14.0)),
        (port, "docking port", (44.0, -10.0)),
        (O, "O: centre of mass of the Orbiter", (44.0, -8.0)),
    ):
        mark(ax, SIDE, place, text, offset)
    for text, height in (("A", -95.0), ("B", 2.4), ("O", 30.0)):
        write(ax, SIDE, (-16.0, 0.0, height), text, fontsize="x-large")
    R_A, R_D, R_Q = (float(np.linalg.norm(v)) for v in (foot - S, port - S, port - O))
    ax.set_title(f"$R_A$ = {R_A:.1f} m, $R_D$ = {R_D:.1f} m, $R_Q$ = {R_Q:.1f} m", fontsize="medium")
    draw_axes(ax, SIDE, (-30.0, 0.0, -20.0), 10.0, ("X", "Y", "Z"))
    finish(ax, (-44.0, -44.0), (58.0, 132.0))
    return figure


def figure_6() -> Figure:
    """Draw the three bodies apart, with the impulses between them at 1 ft/s along X (Figure 6)."""
    tower = Tower.of("power-tower-x")
    on_base, on_members = impulses(tower)
    figure = Figure(figsize=(9.0, 6.4), layout="constrained")
    figure.suptitle(
        f"Impulses at {tower.scenario.closing_rate:.4g} m/s along X, {tower.modes.frequency.size} modes"
    )
    axes = figure.subplots(1, 3)
    members, base = tower.meshes(with_base=False), tower.meshes()[len(tower.skins) :]
    titles = ("a) A: flexible members", "b) B: rigid base", "c) O: Orbiter")
    port = np.asarray(tower.scenario.visitor.port)
    for ax, meshes, title in zip(axes, (members, base, tower.orbiter()), titles):
        draw_meshes(ax, SIDE, meshes)
        ax.set_title(title, fontsize="medium")
    foot = np.zeros(3)
    _draw_impulse(axes[0], on_members, foot, "$\\int f^*$", 40.0)
    _draw_impulse(axes[1], -on_members, foot, "$-\\int f^*$", 14.0)
    _draw_impulse(axes[1], on_base, port, "$\\int F$", 14.0)
    _draw_impulse(axes[2], -on_base, port, "$-\\int F$", 14.0)
    for ax, wrenches in zip(axes, ((on_members,), (on_base, -on_members), (-on_base,))):
        lines = [
            f"{np.linalg.norm(w[3:]):.4g} N s, {np.linalg.norm(w[:3]):.4g} N m s about the foot"
            for w in wrenches
        ]
        ax.text(0.5, -0.01, "\n".join(lines), transform=ax.transAxes, ha="center", va="top", fontsize="small")
    finish(axes[0], (-50.0, -16.0), (50.0, 134.0))
    finish(axes[1], (-22.0, -22.0), (22.0, 22.0))
    finish(axes[2], (-22.0, -40.0), (22.0, 4.0))
    return figure


def impulses(tower: Tower) -> "tuple[Array, Array]":
    """Return the impulse of the Orbiter on the base, and of the base on the members, about the foot; angular first."""
    change = weld_visitor(tower.scenario, tower.modes)
    return change.impulse, change.impulse - tower.modes.rigid_part_inertia @ change.motion


def figure_8() -> Figure:
    """Draw the orbit: inclination, node and place of the station at the start (Figure 8)."""
    tower = Tower.of("power-tower-x")
    orbit = tower.scenario.orbit
    assert isinstance(orbit, SystemOrbit)
    figure = Figure(figsize=(7.4, 6.4), layout="constrained")
    ax = figure.subplots()
    inclination = float(orbit.inclination)
    plane = np.array([[1.0, 0.0, 0.0], [0.0, np.cos(inclination), np.sin(inclination)]])
    radius = RADIUS + float(orbit.altitude)
    _draw_earth(ax)
    _draw_circle(ax, radius * MEGAMETRE, np.eye(3)[:2], "0.55", "equator plane")
    _draw_circle(ax, radius * MEGAMETRE, plane, BLUE, "orbit")
    draw_axes(ax, EARTH_VIEW, np.zeros(3), 9.4, ("X", "Y", "Z"))
    S = radius * MEGAMETRE * plane[0]
    mark(ax, EARTH_VIEW, S, "station at the start, ascending node", (30.0, -34.0))
    draw_vector(ax, EARTH_VIEW, S, S + 3.2 * plane[1], ORANGE, "v", (8.0, 6.0))
    angle = np.linspace(0.0, inclination, 30)
    arc = 0.8 * radius * MEGAMETRE * np.stack([0.0 * angle, np.cos(angle), np.sin(angle)], axis=1)
    ax.plot(*EARTH_VIEW.place(arc).T, color=GREEN, linewidth=1.6, zorder=6)
    at = EARTH_VIEW.place(arc[15] * 1.02)
    ax.annotate(
        f"i = {np.degrees(inclination):.1f}°", tuple(at), (10, 0), textcoords="offset points", color=GREEN
    )
    speed = np.sqrt(MU / radius)
    text = f"altitude {float(orbit.altitude) / 1e3:.0f} km: radius {radius / 1e3:.1f} km, speed {speed / 1e3:.4f} km/s"
    figure.suptitle("Orbit of the station")
    ax.set_title(f"{text}, rate {1e3 * speed / radius:.4f} mrad/s", fontsize="medium")
    ax.legend(loc="lower left", frameon=False, fontsize="small")
    finish(ax, (-9.6, -8.6), (12.4, 11.2))
    return figure


def _orbit_figure(title: str) -> "tuple[Tower, Figure, Axes]":
    figure = Figure(figsize=(8.0, 6.2), layout="constrained")
    figure.suptitle(title)
    return Tower.of("power-tower-x"), figure, figure.subplots()


def _draw_position(ax: "Axes", tower: Tower) -> "tuple[Array, Array, dict[str, float]]":
    """Draw Earth, axes and a magnified station; return drawn places of S and P [1000 km] and true lengths [m]."""
    orbit = tower.scenario.orbit
    assert isinstance(orbit, SystemOrbit)
    R_S = np.array([RADIUS + float(orbit.altitude), 0.0, 0.0])
    centre, B = _centre_of_mass(tower), tower.place(tower.scenario.points()[1])
    r = R_ES @ (B - centre)

    def drawn(points: "Array") -> "Array":
        return np.asarray(MEGAMETRE * (R_S + STATION_SIZE * (points - centre) @ R_ES.T))

    _draw_earth(ax)
    draw_axes(ax, EARTH_VIEW, np.zeros(3), 2.6, ("X", "Y", "Z"))
    write(ax, EARTH_VIEW, (-0.5, 0.0, -0.5), "E")
    meshes = [
        (Mesh(points=drawn(mesh.points), indices=mesh.indices, normals=mesh.normals), colour)
        for mesh, colour in tower.meshes()
    ]
    draw_meshes(ax, EARTH_VIEW, meshes)
    S, P = drawn(centre), drawn(B)
    draw_vector(ax, EARTH_VIEW, (0.0, 0.0, 0.0), S, BLUE, "$R_S$", (0.0, 12.0))
    mark(ax, EARTH_VIEW, S, "S", (8.0, -14.0))
    mark(ax, EARTH_VIEW, P, "P, dm", (16.0, 8.0))
    finish(ax, (-7.0, -6.8), (14.0, 6.8))
    lengths = {"R_S": R_S, "r": r, "R_P": R_S + r}
    return S, P, {name: float(np.linalg.norm(v)) for name, v in lengths.items()}


def _draw_earth(ax: "Axes") -> None:
    """Draw the Earth with meridians and parallels on its near side."""
    radius = RADIUS * MEGAMETRE
    ax.add_patch(
        Circle((0.0, 0.0), radius, facecolor="#EAF1F8", edgecolor="#9DB4C8", linewidth=1.0, zorder=0)
    )
    angle = np.linspace(0.0, 2.0 * np.pi, 181)
    for latitude in np.radians([-60.0, -30.0, 0.0, 30.0, 60.0]):
        ring = [
            np.cos(latitude) * np.cos(angle),
            np.cos(latitude) * np.sin(angle),
            np.sin(latitude) + 0.0 * angle,
        ]
        _draw_near_side(ax, radius * np.stack(ring, axis=1))
    for longitude in np.radians(np.arange(0.0, 180.0, 30.0)):
        ring = [np.cos(angle) * np.cos(longitude), np.cos(angle) * np.sin(longitude), np.sin(angle)]
        _draw_near_side(ax, radius * np.stack(ring, axis=1))


def _draw_near_side(ax: "Axes", points: "Array") -> None:
    near = (points @ EARTH_VIEW.axes[2] > 0.0)[:, None]
    ax.plot(*np.where(near, EARTH_VIEW.place(points), np.nan).T, color="#C3D3E2", linewidth=0.7, zorder=1)


def _draw_circle(ax: "Axes", radius: float, plane: "Array", colour: str, label: str) -> None:
    """Draw a circle about the Earth; what is behind the Earth is dotted."""
    angle = np.linspace(0.0, 2.0 * np.pi, 361)
    points = radius * (np.cos(angle)[:, None] * plane[0] + np.sin(angle)[:, None] * plane[1])
    at = EARTH_VIEW.place(points)
    hidden = ((points @ EARTH_VIEW.axes[2] < 0.0) & (np.linalg.norm(at, axis=1) < RADIUS * MEGAMETRE))[
        :, None
    ]
    ax.plot(*np.where(hidden, np.nan, at).T, color=colour, linewidth=1.4, zorder=4, label=label)
    ax.plot(*np.where(hidden, at, np.nan).T, color=colour, linewidth=1.0, linestyle=":", zorder=4)


def _draw_impulse(ax: "Axes", wrench: "Array", place: "Array", text: str, length: float) -> None:
    """Draw an impulse as an arrow of given length [m] that ends in its place."""
    direction = wrench[3:] / np.linalg.norm(wrench[3:])
    draw_vector(ax, SIDE, place - length * direction, place, ORANGE, text, (0.0, 14.0))
    ax.plot(*SIDE.place(place), "o", color="black", markersize=3.5, zorder=7)


def _centre_of_mass(tower: Tower) -> "Array":
    """Return the centre of mass of the undeformed station [m]."""
    M = tower.modes.inertia
    m = M[3, 3]
    return np.asarray([M[2, 4] / m, M[0, 5] / m, M[1, 3] / m])
