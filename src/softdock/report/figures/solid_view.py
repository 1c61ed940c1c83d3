"""Orthographic pictures of triangles and lines in space, on plain axes of a figure."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.collections import LineCollection, PolyCollection

from softdock.replay.scene import Mesh

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from softdock.result import Array

AMBIENT = 0.45  # share of the light that does not depend on the direction of a surface


@dataclass(frozen=True)
class View:
    """A direction of sight: rows are right, up and towards the eye, in the axes of what is drawn."""

    axes: "Array"

    @classmethod
    def of(
        cls, towards_eye: "Array | tuple[float, float, float]", up: "Array | tuple[float, float, float]"
    ) -> "View":
        """Return the view from a direction, with `up` upwards in the picture."""
        eye = np.asarray(towards_eye, float) / np.linalg.norm(towards_eye)
        across = np.cross(up, eye)
        right = across / np.linalg.norm(across)
        return cls(np.stack([right, np.cross(eye, right), eye]))

    def place(self, points: "Array | tuple[float, float, float]") -> "Array":
        """Return places in the picture, (..., 2)."""
        placed: Array = np.asarray(points, float) @ self.axes[:2].T
        return placed


def draw_meshes(ax: "Axes", view: View, meshes: "list[tuple[Mesh, str]]") -> None:
    """Draw triangles of several meshes with their colours, the nearest last; hidden backs are left out."""
    corners, colours = [], []
    light = view.axes.T @ np.array([0.35, 0.55, 0.75]) / np.linalg.norm([0.35, 0.55, 0.75])
    for mesh, colour in meshes:
        own = mesh.points[mesh.indices]
        normals = np.cross(own[:, 1] - own[:, 0], own[:, 2] - own[:, 0])
        length = np.linalg.norm(normals, axis=1)
        kept = length > 0.0
        normals = normals[kept] / length[kept, None]
        bright = AMBIENT + (1.0 - AMBIENT) * np.abs(normals @ light)
        base = np.array([int(colour[i : i + 2], 16) / 255.0 for i in (1, 3, 5)])
        corners.append(own[kept])
        colours.append(bright[:, None] * base)
    triangles, paint = np.concatenate(corners), np.concatenate(colours)
    order = np.argsort((triangles @ view.axes[2]).mean(axis=1), kind="stable")
    faces = PolyCollection(
        list(view.place(triangles[order])), facecolors=paint[order], edgecolors=paint[order], linewidths=0.15
    )
    ax.add_collection(faces)


def draw_lines(ax: "Axes", view: View, lines: "Array", **style: Any) -> None:
    """Draw line segments of shape (n, 2, 3)."""
    ax.add_collection(LineCollection(list(view.place(lines)), **style))


def draw_vector(
    ax: "Axes",
    view: View,
    start: Any,
    end: Any,
    colour: str,
    text: str,
    offset: tuple[float, float] = (6.0, 6.0),
) -> None:
    """Draw an arrow between two points in space, with a text at its middle; the offset is in points."""
    a, b = view.place(np.asarray(start, float)), view.place(np.asarray(end, float))
    arrow = {"arrowstyle": "-|>", "color": colour, "linewidth": 1.7, "shrinkA": 0.0, "shrinkB": 0.0}
    ax.annotate("", tuple(b), tuple(a), arrowprops=arrow, zorder=6)
    if text:
        ax.annotate(
            text, tuple(0.5 * (a + b)), offset, textcoords="offset points", color=colour, zorder=7,
            ha="center", va="center", bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 1.0},
        )  # fmt: skip


def draw_axes(
    ax: "Axes", view: View, origin: Any, length: float, names: tuple[str, str, str], colour: str = "0.25"
) -> None:
    """Draw the three axes of a frame at a place, with their names at the ends."""
    start = np.asarray(origin, float)
    for direction, name in zip(np.eye(3), names):
        end = start + length * direction
        draw_vector(ax, view, start, end, colour, "")
        if np.linalg.norm(view.place(direction)) > 0.05:
            write(ax, view, start + 1.18 * length * direction, name, color=colour)


def write(ax: "Axes", view: View, point: Any, text: str, **style: Any) -> None:
    """Write a text at a point in space."""
    x, y = view.place(np.asarray(point, float))
    plain: dict[str, Any] = {"ha": "center", "va": "center", "zorder": 8}
    ax.text(float(x), float(y), text, **(plain | style))


def mark(ax: "Axes", view: View, point: Any, text: str, offset: tuple[float, float]) -> None:
    """Mark a point with a dot and a text beside it; the offset is in points."""
    place = tuple(view.place(np.asarray(point, float)))
    ax.plot(*place, "o", color="black", markersize=3.5, zorder=7)
    ax.annotate(
        text, place, offset, textcoords="offset points", ha="left" if offset[0] > 0.0 else "right", va="center",
        fontsize="small", zorder=7, bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 1.0},
        arrowprops={"arrowstyle": "-", "color": "0.4", "linewidth": 0.7},
    )  # fmt: skip


def finish(ax: "Axes", low: tuple[float, float], high: tuple[float, float]) -> None:
    """Show a range of the picture with equal scales and without axes."""
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect="equal")
    ax.set_axis_off()
