"""Symbols of schematic drawings of mass chains: masses, springs with dampers, dimension lines."""

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.patches import FancyBboxPatch, Rectangle

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LINE = "0.25"
WINDINGS = 5


def draw_mass(ax: "Axes", x: float, y: float, size: tuple[float, float], colour: str, text: str) -> None:
    """Draw a mass as a box with its lower left corner at x, y, and a text of two lines at most within."""
    width, height = size
    box = FancyBboxPatch(
        (x, y), width, height, boxstyle=f"round,pad=0,rounding_size={0.06 * min(size)}",
        facecolor=colour, edgecolor=LINE, linewidth=1.0, alpha=0.9,
    )  # fmt: skip
    ax.add_patch(box)
    ax.text(
        x + 0.5 * width, y + 0.5 * height, text, ha="center", va="center", color="white", fontsize="medium"
    )


def draw_spring_and_damper(
    ax: "Axes", start: float, end: float, y: float, spread: float, text: str = ""
) -> None:
    """Draw a spring above and a damper below the height y between two places, with a text above."""
    draw_spring(ax, (start, y + spread), (end, y + spread), 0.45 * spread)
    draw_damper(ax, start, end, y - spread, 0.5 * spread)
    if text:
        ax.text(0.5 * (start + end), y + 1.9 * spread, text, ha="center", va="bottom", fontsize="small")


def draw_spring(ax: "Axes", start: tuple[float, float], end: tuple[float, float], width: float) -> None:
    """Draw a spring as a zigzag line between two points; `width` is half of its width."""
    a, b = np.array(start), np.array(end)
    along = b - a
    across = width * np.array([-along[1], along[0]]) / np.hypot(*along)
    share = np.concatenate(
        ([0.0, 0.15], 0.15 + 0.7 * (np.arange(2 * WINDINGS) + 0.5) / (2 * WINDINGS), [0.85, 1.0])
    )
    side = np.concatenate(([0.0, 0.0], np.resize([1.0, -1.0], 2 * WINDINGS), [0.0, 0.0]))
    points = a + share[:, None] * along + side[:, None] * across
    ax.plot(*points.T, color=LINE, linewidth=1.2, solid_joinstyle="round")


def draw_damper(ax: "Axes", start: float, end: float, y: float, width: float) -> None:
    """Draw a damper along x: a cup of half this width with a piston in it."""
    middle, half = 0.5 * (start + end), 0.16 * (end - start)
    style: dict[str, Any] = {"color": LINE, "linewidth": 1.2, "solid_capstyle": "butt"}
    ax.plot([start, middle - half], [y, y], **style)
    cup_x = [middle + half, middle - half, middle - half, middle + half]
    ax.plot(cup_x, [y + width, y + width, y - width, y - width], **style)
    ax.plot([middle + 0.2 * half] * 2, [y + 0.8 * width, y - 0.8 * width], **style)
    ax.plot([middle + 0.2 * half, end], [y, y], **style)


def draw_dimension(
    ax: "Axes", start: tuple[float, float], end: tuple[float, float], text: str, offset: tuple[float, float]
) -> None:
    """Draw a line with arrows at both ends, and a text beside its middle."""
    arrows = {"arrowstyle": "<->", "color": LINE, "linewidth": 1.0, "shrinkA": 0.0, "shrinkB": 0.0}
    ax.annotate("", start, end, arrowprops=arrows)
    x, y = (0.5 * (a + b) + d for a, b, d in zip(start, end, offset))
    ax.text(x, y, text, ha="center", va="center", fontsize="medium")


def draw_arrow(
    ax: "Axes", start: tuple[float, float], end: tuple[float, float], colour: str, text: str
) -> None:
    """Draw an arrow with a text above its middle."""
    arrow = {"arrowstyle": "-|>", "color": colour, "linewidth": 1.8, "shrinkA": 0.0, "shrinkB": 0.0}
    ax.annotate("", end, start, arrowprops=arrow)
    ax.annotate(
        text, (0.5 * (start[0] + end[0]), 0.5 * (start[1] + end[1])), (0, 5), textcoords="offset points",
        ha="center", va="bottom", color=colour, fontsize="medium",
    )  # fmt: skip


def draw_bracket(ax: "Axes", start: float, end: float, y: float, height: float, text: str) -> None:
    """Draw a bracket over a range of x, with a text at its open side: above for a positive height."""
    ax.plot([start, start, end, end], [y, y + height, y + height, y], color=LINE, linewidth=1.0)
    up = height > 0.0
    ax.annotate(
        text, (0.5 * (start + end), y + height), (0, 4 if up else -4), textcoords="offset points",
        ha="center", va="bottom" if up else "top", fontsize="medium",
    )  # fmt: skip


def draw_plate(ax: "Axes", x: float, y: float, width: float, height: float, colour: str) -> None:
    """Draw a filled rectangle with its lower left corner at x, y."""
    ax.add_patch(Rectangle((x, y), width, height, facecolor=colour, edgecolor=LINE, linewidth=0.8))
