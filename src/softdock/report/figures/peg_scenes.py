"""Figures 8, 9 and 11 of the peg-in-hole paper: pins above a plate, the arm with its pin on the table, the rim."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Polygon
from numpy.typing import NDArray

from softdock.presentation.colours import SERIES
from softdock.replay import solids
from softdock.replay.scene import Mesh, Node, Role, Scene
from softdock.replay.scene_builder import read_scenario, scene
from softdock.report.figures.solid_view import View, draw_lines, draw_meshes, finish
from softdock.report.picture import new_figure
from softdock.result import Result
from softdock.scenario.multibody import MultibodyScenario
from softdock.spatial.rotations import matrix_from_quaternion

Floats = NDArray[np.float64]
Painted = list[tuple[Mesh, str]]
MM = 1e3
ARM, PIN, PLATE = "#d98c4a", "#5b7fa8", "#b9bec4"
TABLE_SIDES = (0.5, 0.5, 0.03)  # m; of the drawn part of the table, whose face is infinite


def meshes_at(drawn: Scene, time: float, colour: str = "", names: tuple[str, ...] = ()) -> Painted:
    """Return all solids of a scene at a time in the world, in one colour or in their own; `names`: of these nodes."""
    nodes = {node.name: node for node in drawn.nodes}
    painted: Painted = []
    for node in drawn.nodes:
        if names and node.name not in names:
            continue
        R, p = _pose(node, nodes, time)
        for part in node.parts:
            if part.role in (Role.FORCE, Role.PLACEHOLDER) or part.mesh.indices.shape[1] != 3:
                continue
            own = colour or "#" + "".join(f"{round(255 * c ** (1 / 2.2)):02x}" for c in part.material.colour)
            painted.append((solids.transformed(part.mesh, R, p), own))
    return painted


def _pose(node: Node, nodes: dict[str, Node], time: float) -> tuple[Floats, Floats]:
    """Return rotation and origin of a node in the world at a time [s]."""
    p, wxyz = np.array(node.translation, float), np.array(node.rotation_wxyz, float)
    for path, track in node.tracks.items():
        row = min(int(np.searchsorted(track.time, time)), len(track.time) - 1)
        if path == "translation":
            p = np.array([np.interp(time, track.time, column) for column in track.values.T])
        elif path == "rotation":
            wxyz = track.values[row]
    R = np.asarray(matrix_from_quaternion(wxyz))
    if node.parent is None:
        return R, p
    R_NP, p_NP = _pose(nodes[node.parent], nodes, time)
    return R_NP @ R, p_NP + R_NP @ p


def draw_push(result: Result, touch: float) -> Figure:
    """Return arm, pin and table as solids where the pin pushes most, and the line of the arm at first touch in grey."""
    figure = new_figure(9.0, 5.2)
    figure.suptitle("The arm is sent 5 cm below the table; grey: the arm at first touch", fontsize=11)
    drawn, h = scene(result), result.history
    pushed = float(h.time[int(np.argmax(h["table.force"]))])
    rows = [int(np.searchsorted(h.time, time)) for time in (touch, pushed)]
    at = [h[f"tip.{axis}"][rows[1]] for axis in "xy"]
    middle = np.array([*at, -0.5 * TABLE_SIDES[2]])
    table: Painted = [(solids.transformed(solids.box(np.array(TABLE_SIDES)), np.eye(3), middle), PLATE)]
    arm = tuple(node.name for node in drawn.nodes if node.name not in ("pin", "tip", "ground"))
    body = [(mesh, ARM) for mesh, _ in meshes_at(drawn, pushed, names=arm)]
    body += [(mesh, PIN) for mesh, _ in meshes_at(drawn, pushed, names=("pin", "tip"))]
    first = np.array([[h[f"{link}.{axis}"][rows[0]] for axis in "xyz"] for link in LINE])
    for axes, (name, eye) in zip(
        figure.subplots(1, 2), (("front", (0.25, -1.0, 0.3)), ("side", (1.0, 0.25, 0.3)))
    ):
        view = View.of(eye, (0.0, 0.0, 1.0))
        draw_meshes(axes, view, table)
        draw_meshes(axes, view, body)
        axes.plot(*view.place(first).T, color="0.25", marker="o", markersize=4, linewidth=1.6, zorder=5)
        _show_all(axes, view, table + body)
        axes.set_title(f"seen from the {name}", fontsize=10)
    return figure


LINE = ("base", "link_1", "link_2", "link_4", "link_6", "flange", "tip")
"""Bodies whose origins are connected to the line of the arm."""


def draw_pins(result: Result, name: str = "berth") -> Figure:
    """Return pins and holes of an interface, seen from the side of the pins, before the contact and seated."""
    figure = new_figure(9.0, 4.8)
    drawn, scenario = scene(result), read_scenario(result)
    assert isinstance(scenario, MultibodyScenario)
    face = scenario.interfaces[name]
    figure.suptitle(
        "Pins in front of all else, the plate that carries them as an outline, and their holes", fontsize=11
    )
    view = View.of((0.9, -1.0, -0.6), (0.0, 0.0, 1.0))
    for axes, time, title in zip(
        figure.subplots(1, 2), (drawn.start, drawn.end), ("before the contact", "seated")
    ):
        holes = meshes_at(drawn, time, PLATE, (face.holes.body if face.holes.body != "world" else "ground",))
        pins = meshes_at(drawn, time, PIN, (face.pins.body,))
        draw_meshes(axes, view, holes)
        draw_meshes(axes, view, pins)
        points = np.concatenate([mesh.points for mesh, _ in pins])
        outline = _plate_outline(points)
        draw_lines(axes, view, outline, colors="0.2", linewidths=1.2, zorder=5)
        _show_all(axes, view, holes + pins, outline.reshape(-1, 3))
        axes.set_title(f"{title}, {time:.3g} s", fontsize=10)
    return figure


def _plate_outline(points: Floats) -> Floats:
    """Return the edges of a plate below some pins, (n, 2, 3)."""
    (x0, y0, z0), (x1, y1, _) = points.min(axis=0) - 0.02, points.max(axis=0) + 0.02
    corners = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])
    edges = []
    for z in (z0 + 0.02, z0 + 0.01):
        ring = np.column_stack([corners, np.full(4, z)])
        edges += [np.array([ring[k], ring[(k + 1) % 4]]) for k in range(4)]
    upright = [np.array([[x, y, z0 + 0.01], [x, y, z0 + 0.02]]) for x, y in corners]
    return np.array([*edges, *upright])


def draw_rim(result: Result, contacts: list[tuple[float, float]]) -> Figure:
    """Return the section through the hole with the pin at four instants of each contact with the rim."""
    figure = new_figure(9.0, 4.8)
    figure.suptitle("The pin slides over the rim of the hole, on one side and then on the other")
    face, centre, radius, deep = 200.0, 500.0, 17.5, 60.0
    h = result.history
    for axes, (begin, end), side in zip(figure.subplots(1, 2, sharey=True), contacts, ("first", "second")):
        phi = np.linspace(0.0, np.pi, 60)
        bottom = np.stack(
            [centre + radius * np.cos(phi), face - deep + radius - radius * np.sin(phi)], axis=1
        )
        outline = [(440.0, face), (440.0, 130.0), (560.0, 130.0), (560.0, face), (centre + radius, face)]
        section = np.concatenate([np.array(outline), bottom, [[centre - radius, face]]])
        axes.add_patch(Polygon(section, facecolor="0.82", edgecolor="0.2"))
        for k, time in enumerate(np.linspace(begin - 0.5, 0.5 * (begin + end), 4)):
            row = int(np.searchsorted(h.time, time))
            tip = np.array([h[f"tip.{axis}"][row] for axis in "xz"]) * MM
            q = [h[f"pin.q{c}"][row] for c in "wxyz"]
            down = matrix_from_quaternion(np.array(q))[:, 2]
            axis = np.array([down[0], down[2]]) / np.hypot(down[0], down[2])
            _outline_pin(axes, tip, axis, SERIES[0], 0.25 + 0.25 * k, f"{time:.1f} s")
        axes.set(aspect="equal", xlim=(460.0, 540.0), ylim=(125.0, 285.0), xlabel="x [mm]")
        axes.set_title(f"{side} contact, {begin:.1f} to {end:.1f} s", fontsize=10)
        axes.legend(fontsize=8, loc="upper right")
    figure.axes[0].set_ylabel("z [mm]")
    return figure


def _outline_pin(axes: object, tip: Floats, axis: Floats, colour: str, alpha: float, label: str) -> None:
    """Draw the outline of the pin whose end is at the tip; `axis` points along the pin to its tip."""
    radius, across = 17.5, np.array([axis[1], -axis[0]])
    phi = np.linspace(0.0, np.pi, 40)[:, None]
    cap = tip - radius * axis + radius * (np.cos(phi) * across + np.sin(phi) * axis)
    back = tip - 100.0 * axis
    points = np.concatenate([[back + radius * across], cap, [back - radius * across]])
    axes.plot(*points.T, color=colour, alpha=alpha, linewidth=1.8, label=label)  # type: ignore[attr-defined]


def _show_all(axes: object, view: View, solid: Painted, others: Floats | None = None) -> None:
    """Show all of some solids, and of other points (n, 3), with a margin."""
    more = [] if others is None else [others]
    places = view.place(np.concatenate([*(mesh.points for mesh, _ in solid), *more]))
    low, high = places.min(axis=0), places.max(axis=0)
    margin = 0.04 * float((high - low).max())
    finish(axes, tuple(low - margin), tuple(high + margin))  # type: ignore[arg-type]
