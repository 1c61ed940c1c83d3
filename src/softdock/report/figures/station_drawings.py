"""Drawings of the station paper's models: configuration, beam model, approaches and exaggerated deflections."""

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from softdock.flexible.modes import BaseModes
from softdock.presentation.colours import SERIES
from softdock.quantities.units import FOOT
from softdock.replay.members import Skin, beam_chain, plate_width
from softdock.replay.orbiter import module_meshes, orbiter_meshes
from softdock.replay.scene import Mesh
from softdock.replay.station import BASE
from softdock.replay.structures import MEMBERS, PLATES, structure_skins
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
from softdock.report.picture import GREY
from softdock.scenario.loading import load
from softdock.scenario.station import DIRECTIONS, StationScenario

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from softdock.result import Array, Result

BLUE, ORANGE, GREEN = SERIES[:3]
UP = (0.0, 0.0, -1.0)  # z points to the Earth
OBLIQUE = View.of((1.0, 0.75, -0.35), UP)
FRONT = View.of((1.0, 0.0, 0.0), UP)
SIDE = View.of((0.0, 1.0, 0.0), UP)
COLOURS = {MEMBERS: "#8A8F98", PLATES: "#27408B", "modules": "#5B8FC9", "orbiter": "#D9A066"}
WHITE = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1.0}
FACTOR = 15.0
"""Exaggeration of the deflections that are drawn."""


@dataclass(frozen=True)
class Tower:
    """The station of a scenario with what is drawn of it, in axes from the foot of the keel [m]."""

    scenario: StationScenario
    modes: BaseModes
    skins: dict[str, Skin]

    @classmethod
    def of(cls, name: str) -> "Tower":
        """Return the station of a bundled scenario."""
        scenario = load(name)
        assert isinstance(scenario, StationScenario)
        modes = scenario.flexible().find_modes(scenario.directory)
        return cls(scenario, modes, structure_skins(scenario.flexible(), modes, [BASE]))

    def place(self, node: str) -> "Array":
        """Return the place of a node [m]."""
        return np.asarray(self.modes.positions[self.modes.names.index(node)])

    def meshes(
        self, displacement: "Array | None" = None, *, with_base: bool = True
    ) -> list[tuple[Mesh, str]]:
        """Return meshes and colours of the station; `displacement` of nodes (nodes, 6) is added to its members."""
        drawn = []
        for kind, skin in self.skins.items():
            points = skin.points
            if displacement is not None:
                points = points + skin.deflected(self.modes.positions, displacement[:, :, None])[:, :, 0]
            drawn.append((Mesh(points=points, indices=skin.indices, normals=skin.normals), COLOURS[kind]))
        base = module_meshes(self.scenario.visitor.port) if with_base else []
        return drawn + [(mesh, COLOURS["modules"]) for mesh in base]

    def orbiter(self, shift: "Array | None" = None) -> list[tuple[Mesh, str]]:
        """Return meshes and colours of the docked Orbiter, moved by a shift [m]."""
        centre = np.asarray(self.scenario.visitor.centre) + (np.zeros(3) if shift is None else shift)
        moved = [
            Mesh(points=mesh.points + centre, indices=mesh.indices, normals=mesh.normals)
            for mesh in orbiter_meshes()
        ]
        return [(mesh, COLOURS["orbiter"]) for mesh in moved]

    def lines(self) -> "Array":
        """Return the undeformed axes of all members, shape (n, 2, 3) [m]."""
        members = self.scenario.members()
        ends = [members.ends(beam) for beam in members.all_beams().values()]
        return np.array(ends)


def figure_1() -> Figure:
    """Draw the configuration with the docked Orbiter, from a corner and from the front (Figure 1)."""
    tower = Tower.of("power-tower-x")
    figure = Figure(figsize=(9.0, 8.0), layout="constrained")
    figure.suptitle("Power Tower with docked Orbiter (assumed dimensions)")
    left, right = figure.subplots(1, 2)
    meshes = tower.meshes() + tower.orbiter()
    for ax, view in ((left, OBLIQUE), (right, FRONT)):
        draw_meshes(ax, view, meshes)
    place = tower.place
    a, b = tower.scenario.points()
    mark(left, OBLIQUE, place(a), "A: tip of the keel", (22.0, 4.0))
    mark(left, OBLIQUE, place(b), "B: middle of a panel", (-10.0, 44.0))
    mark(left, OBLIQUE, 0.5 * (place("hub") + place(a)), "keel", (22.0, 0.0))
    mark(left, OBLIQUE, place("port-tip"), "boom", (14.0, -14.0))
    mark(left, OBLIQUE, (6.0, 9.0, 2.4), "modules, rigid base", (30.0, 0.0))
    mark(left, OBLIQUE, np.add(tower.scenario.visitor.centre, (0.0, 0.0, 6.0)), "Orbiter", (40.0, 0.0))
    draw_axes(left, OBLIQUE, (0.0, 34.0, -16.0), 10.0, ("X", "Y", "Z"))
    height = float(place("foot")[2] - place(a)[2])
    _dimension(
        right,
        FRONT,
        (0.0, 34.0, 0.0),
        (0.0, 34.0, -height),
        f"{height:.1f} m\n({height / FOOT:.0f} ft)",
        (-30, 0),
    )
    span = float(place("starboard-tip")[1] - place("port-tip")[1])
    top = float(place("hub")[2]) - 34.0
    ends = [(0.0, side * 0.5 * span, top) for side in (-1.0, 1.0)]
    _dimension(right, FRONT, ends[0], ends[1], f"{span:.1f} m ({span / FOOT:.0f} ft)", (-48, 9))
    finish(left, (-44.0, -48.0), (42.0, 132.0))
    finish(right, (-46.0, -48.0), (36.0, 132.0))
    left.set_title("from the front corner", fontsize="medium")
    right.set_title("along -X", fontsize="medium")
    return figure


def figure_7() -> Figure:
    """Draw the beam model: nodes, elements and sections (Figure 7)."""
    tower = Tower.of("power-tower-x")
    members, names = tower.scenario.members(), tower.modes.names
    figure = Figure(figsize=(9.0, 7.6), layout="constrained")
    figure.suptitle("Beam model of the station: nodes and elements")
    left, right = figure.subplots(1, 2, width_ratios=(1.0, 1.15))
    colours = {"keel": BLUE, "boom": GREEN, "panel": ORANGE}
    for section, colour in colours.items():
        beams = {name: beam for name, beam in members.all_beams().items() if beam.section == section}
        chains = [[names.index(node) for node in beam_chain(name, beam)] for name, beam in beams.items()]
        pairs = np.array([pair for chain in chains for pair in itertools.pairwise(chain)])
        places = tower.modes.positions
        label = f"{section}: {len(beams)} members, {len(pairs)} elements"
        for ax, view in ((left, FRONT), (right, OBLIQUE)):
            draw_lines(ax, view, places[pairs], colors=colour, linewidths=1.6)
            at = view.place(places[np.unique(pairs)])
            ax.plot(*at.T, ".", color=colour, markersize=3.0, label=label if ax is left else None)
    base = members.parts[BASE]
    for ax, view in ((left, FRONT), (right, OBLIQUE)):
        ax.plot(*view.place(base.centre_of_mass), "s", color="black", markersize=9)
    mark(right, OBLIQUE, base.centre_of_mass, f"rigid base, {base.mass / 1000.0:.1f} t", (28.0, -6.0))
    for node, text in zip(tower.scenario.points(), "AB"):
        mark(right, OBLIQUE, tower.place(node), text, (16.0, 8.0))
    draw_axes(right, OBLIQUE, (0.0, 32.0, -8.0), 10.0, ("X", "Y", "Z"))
    table = "\n".join(
        f"{name}: EA {s.axial / 1e6:.3g} MN, EI {s.bending_y / 1e6:.3g} and {s.bending_z / 1e6:.3g} MN m²,"
        f" {s.mass_per_length:.3g} kg/m"
        for name, s in members.sections.items()
    )
    figure.supxlabel(table, fontsize="small")
    left.legend(loc="upper left", bbox_to_anchor=(-0.05, 1.0), frameon=False, fontsize="small")
    finish(left, (-44.0, -12.0), (44.0, 150.0))
    finish(right, (-44.0, -22.0), (50.0, 140.0))
    return figure


def figure_9() -> Figure:
    """Draw the approaches in the XY and the XZ plane, and along the axes (Figure 9)."""
    tower = Tower.of("power-tower-x")
    figure = Figure(figsize=(9.5, 5.6), layout="constrained")
    figure.suptitle("Closing velocities of the Orbiter, in station axes")
    left, right = figure.subplots(1, 2)
    above = View.of((0.0, 0.0, -1.0), (1.0, 0.0, 0.0))
    pairs = (
        (left, above, ("x", "xy", "y"), "XY plane, seen towards the Earth"),
        (right, SIDE, ("x", "xz", "z"), "XZ plane"),
    )
    port = np.asarray(tower.scenario.visitor.port)
    for ax, view, approaches, title in pairs:
        draw_meshes(ax, view, tower.meshes() + tower.orbiter())
        for approach, colour in zip(approaches, (BLUE, ORANGE, GREEN)):
            d = np.array(DIRECTIONS[approach])
            draw_vector(ax, view, port - 24.0 * d, port - 3.0 * d, colour, "")
            text = approach.upper()
            write(ax, view, port - 27.5 * d, text, color=colour, fontsize="large", bbox=WHITE)
        mark(ax, view, port, "docking port", (46.0, 30.0))
        ax.set_title(title, fontsize="medium")
    draw_axes(left, above, (-30.0, 20.0, 0.0), 8.0, ("X", "Y", "Z"))
    draw_axes(right, SIDE, (-34.0, 0.0, -18.0), 8.0, ("X", "Y", "Z"))
    finish(left, (-40.0, -36.0), (40.0, 34.0))
    finish(right, (-42.0, -40.0), (38.0, 30.0))
    return figure


def deflections(runs: "dict[str, Result]") -> Figure:
    """Draw the station where a point deflects most after the docking, exaggerated; runs by their approach."""
    tower = Tower.of("power-tower-x")
    figure = Figure(figsize=(3.2 * len(runs), 6.8), layout="constrained")
    figure.suptitle(f"Largest deflection at 1 ft/s, exaggerated {FACTOR:g} times; thin lines: undeformed")
    for ax, (approach, run) in zip(np.atleast_1d(figure.subplots(1, len(runs))), runs.items()):
        time, displacement = largest_deflection(run, tower)
        draw_meshes(ax, OBLIQUE, tower.meshes(FACTOR * displacement) + tower.orbiter())
        draw_lines(ax, OBLIQUE, tower.lines(), colors="0.15", linewidths=0.7, linestyles="--", zorder=5)
        reach = np.linalg.norm(displacement[:, 3:], axis=1)
        lengths = [float(reach[tower.modes.names.index(node)]) for node in tower.scenario.points()]
        ax.set_title(
            f"along {approach.upper()}, {time - tower.scenario.before:.1f} s after", fontsize="medium"
        )
        text = f"A {lengths[0]:.2f} m, B {lengths[1]:.2f} m"
        ax.text(0.5, 0.01, text, transform=ax.transAxes, ha="center", va="bottom", fontsize="small")
        finish(ax, (-40.0, -54.0), (44.0, 132.0))
    return figure


def largest_deflection(run: "Result", tower: Tower) -> "tuple[float, Array]":
    """Return the time [s] at which point A deflects most and rotation and translation of all nodes, (nodes, 6) [m]."""
    channel = f"tower/{tower.scenario.points()[0]}.deflection"
    row = int(np.argmax(run.history[channel]))
    columns = [k for k in range(tower.modes.frequency.size) if f"tower.mode{k + 1}" in run.history.channels]
    q = np.array([run.history[f"tower.mode{k + 1}"][row] for k in columns])
    return float(run.history.time[row]), np.asarray(tower.modes.shapes[:, :, columns] @ q)


def panel_widths(tower: Tower) -> dict[str, float]:
    """Return the width of every plate of a station by its inertia [m]."""
    members = tower.scenario.members()
    widths = {name: plate_width(members, name, beam) for name, beam in members.all_beams().items()}
    return {name: width for name, width in widths.items() if width is not None}


def _dimension(
    ax: "Axes", view: View, start: tuple[float, float, float], end: tuple[float, float, float], text: str,
    offset: tuple[float, float],
) -> None:  # fmt: skip
    a, b = view.place(start), view.place(end)
    ax.annotate(
        "", tuple(b), tuple(a), arrowprops={"arrowstyle": "<->", "color": GREY, "shrinkA": 0, "shrinkB": 0}
    )
    ax.annotate(
        text,
        tuple(0.5 * (a + b)),
        offset,
        textcoords="offset points",
        ha="center",
        va="center",
        fontsize="small",
    )
