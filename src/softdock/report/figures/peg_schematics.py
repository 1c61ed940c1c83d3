"""Figures 4 to 7 of the peg-in-hole paper, drawn from values of the code: shapes, contacts, search along the rim."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Polygon
from numpy.typing import NDArray

from softdock.contact.kernels.rim import SEARCH_POINTS, search_circle
from softdock.contact.pins import PinInHole, PinLaw, Touch
from softdock.geometry.pins import Hole, Pin
from softdock.presentation.colours import SERIES
from softdock.report.picture import new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]
MM = 1e3
SIDE = 0.06  # m; of the box
HOLE = Hole(radius=0.0175, straight=0.05, sides=(SIDE, SIDE))
PIN = Pin(radius=0.015, length=0.06)
"""Narrower than the hole, so that the drawings show the gap."""
LAW = PinLaw(stiffness=1e5)
STEEL = 7850.0  # kg/m3
PIN_COLOUR, BOX_COLOUR = "#9fb8d4", "0.82"
LEVELS = 4  # of the search that are drawn


def draw_schematics() -> dict[str, Figure]:
    """Return the figures by name."""
    return {
        "peg-figure-4": draw_shapes(),
        "peg-figure-5": draw_contacts(
            (
                ("cap on the bottom, Eqs. 11 to 13", (0.0012, 0.0, -0.0524), 2.0),
                ("cap on the wall, Eqs. 14 to 17", (0.0028, 0.0, -0.030), 1.0),
            ),
            "Contacts inside the hole: cap centres are projected onto its axis",
        ),
        "peg-figure-6": draw_contacts(
            (
                ("cap on the rim, Eqs. 18, 19", (0.014, 0.0, 0.0138), 0.0),
                ("body on the rim, Eqs. 20, 21", (-0.0035, 0.0, -0.016), 23.0),
            ),
            "Contacts with the rim of the hole",
        ),
        "peg-figure-7": draw_search(),
    }


def draw_shapes() -> Figure:
    """Return sections of pin and hole with their dimensions and centres of mass."""
    figure = new_figure(7.5, 4.6)
    left, right = figure.subplots(1, 2, gridspec_kw={"width_ratios": (1.0, 1.5)})
    _fill_pin(left, np.zeros(3), np.array([0.0, 0.0, 1.0]))
    for z, name in ((0.0, "$P_0$"), (PIN.length, "$P_1$")):
        _mark(left, 0.0, z, name)
    _measure(left, (PIN.radius, 0.0), (PIN.radius, PIN.length), f"{PIN.length * MM:g}", 8.0)
    _measure(left, (0.0, 0.0), (-PIN.radius, 0.0), f"r = {PIN.radius * MM:g}", 0.0)
    left.set_title("pin: capsule", fontsize=10)
    _fill_hole(right)
    bottom = -HOLE.straight - HOLE.radius
    centre = HOLE.mass_properties(STEEL).centre
    _measure(right, (SIDE / 2, bottom), (SIDE / 2, 0.0), f"c = h + r = {-bottom * MM:g}", 6.0)
    _measure(right, (0.0, -HOLE.straight), (0.0, 0.0), f"h = {HOLE.straight * MM:g}", 3.0)
    _measure(right, (0.0, -HOLE.straight), (-HOLE.radius, -HOLE.straight), f"r = {HOLE.radius * MM:g}", 0.0)
    _measure(right, (-SIDE / 2, 0.0), (SIDE / 2, 0.0), f"a = b = {SIDE * MM:g}", 6.0)
    origin = centre[2]
    right.plot(0.0, origin * MM, "k+", markersize=11, markeredgewidth=1.8)
    right.annotate(
        "centre\nof mass", (0.0, origin * MM), (-7.0, 12.0), textcoords="offset points", ha="right", va="center",
        fontsize=8,
    )  # fmt: skip
    right.set_title("hole: box minus a capsule with an open end", fontsize=10)
    for axes, low in ((left, -22.0), (right, -75.0)):
        axes.set(aspect="equal", xlim=(-50.0 if axes is right else -24.0, 62.0 if axes is right else 40.0))
        axes.set_ylim(low, 82.0 if axes is left else 18.0)
        axes.set_axis_off()
    figure.suptitle("Shapes of pin and hole [mm]", fontsize=11)
    return figure


def draw_contacts(poses: Sequence[tuple[str, tuple[float, float, float], float]], title: str) -> Figure:
    """Return sections of pins in holes with their contacts; each by its name, place [m] and tilt [deg]."""
    figure = new_figure(8.0, 6.0)
    figure.suptitle(title, fontsize=11)
    pair = PinInHole(pin=PIN, hole=HOLE, law=LAW)
    for axes, (name, place, tilt) in zip(figure.subplots(1, 2), poses):
        p, angle = np.array(place), math.radians(tilt)
        axis = np.array([math.sin(angle), 0.0, math.cos(angle)])
        touches = pair.touches(p, axis)
        _fill_hole(axes)
        _fill_pin(axes, p, axis, alpha=0.75)
        axes.plot([0.0, 0.0], [-HOLE.straight * MM, 12.0], color="0.35", linestyle="-.", linewidth=0.9)
        for end in (p, p + PIN.length * axis):
            axes.plot(end[0] * MM, end[2] * MM, "o", color="black", markersize=3.5)
            if end[2] < 0.0:
                axes.plot([0.0, end[0] * MM], [end[2] * MM] * 2, color=SERIES[3], linewidth=1.3)
                axes.plot(0.0, end[2] * MM, "s", color=SERIES[3], markersize=3.5)
        axes.plot(*(np.array([p, p + PIN.length * axis])[:, [0, 2]].T * MM), color="0.35", linewidth=0.9)
        for touch in touches:
            _draw_touch(axes, touch)
        listed = "\n".join(
            f"{touch.part.name.replace('_', ' ').lower()} on {touch.feature.name.lower()}: "
            f"{touch.depth * MM:.2f} mm deep"
            for touch in touches
        )
        axes.set_title(f"{name}\n{listed}", fontsize=9)
        axes.set(aspect="equal", xlim=(-36.0, 46.0), ylim=(-72.0, 82.0))
        axes.set_axis_off()
    return figure


def draw_search() -> Figure:
    """Return the search along the rim: eight points per interval, the next one between the neighbours of the best."""
    figure = new_figure(9.0, 4.6)
    figure.suptitle("Search for the point of the rim nearest to the axis of a tilted pin", fontsize=11)
    top, curve = figure.subplots(1, 2, gridspec_kw={"width_ratios": (1.0, 1.35)})
    p, axis = np.array([0.006, 0.0045, -0.012]), np.array([math.sin(0.35), 0.0, math.cos(0.35)])
    angle = np.linspace(-math.pi, math.pi, 721)
    top.plot(*_rim(angle)[:, :2].T * MM, color="0.6", linewidth=1.0)
    line = np.array([p, p + 0.03 * axis])
    top.plot(*line[:, :2].T * MM, color=PIN_COLOUR, linewidth=6.0, alpha=0.7, label="axis of the pin")
    curve.plot(np.degrees(angle), _distance(angle, p, axis) * MM, color="0.6", linewidth=1.0)
    for level, points in enumerate(search_levels(p, axis)):
        colour, size = SERIES[level], 46.0 - 10.0 * level
        best = points[int(np.argmin(_distance(points, p, axis)))]
        label = f"level {level + 1}: {math.degrees(best):.2f} deg, {_distance(best, p, axis) * MM:.4f} mm"
        top.scatter(*_rim(points)[:, :2].T * MM, s=size, color=colour, zorder=3 + level)
        curve.scatter(
            np.degrees(points),
            _distance(points, p, axis) * MM,
            s=size,
            color=colour,
            zorder=3 + level,
            label=label,
        )
    top.set(aspect="equal", title="rim from above", xlabel="x [mm]", ylabel="y [mm]")
    curve.set(xlabel="angle on the rim [deg]", ylabel="distance to the axis [mm]", title="distance")
    curve.legend(fontsize=8, loc="upper center", title="best point of each level", title_fontsize=8)
    top.legend(fontsize=8, loc="lower left")
    for axes in (top, curve):
        axes.grid(alpha=0.3)
    return figure


def search_levels(p: Floats, axis: Floats) -> list[Floats]:
    """Return the angles [rad] that the kernel compares in each level; `axis` has no y component."""
    R, along = HOLE.radius, float(p @ axis)
    A, B, G = p[0] - axis[0] * along, p[1], 0.5 * R * axis[0] ** 2  # Eq. (P7)
    step = math.tau / SEARCH_POINTS
    levels: list[Floats] = [step * np.arange(SEARCH_POINTS, dtype=np.float64)]
    levels[0] = np.where(levels[0] > math.pi, levels[0] - math.tau, levels[0])
    best = float(levels[0][int(np.argmin(_distance(levels[0], p, axis)))])
    for level in range(1, LEVELS):
        step = 2.0 * step / (SEARCH_POINTS - 1)
        width = 0.5 * step * (SEARCH_POINTS - 1)
        levels.append(np.asarray(np.linspace(best - width, best + width, SEARCH_POINTS), np.float64))
        best = float(search_circle(A, B, G, level))
    return levels


def _rim(angle: Floats | float) -> Floats:
    return HOLE.radius * np.stack([np.cos(angle), np.sin(angle), 0.0 * np.asarray(angle)], axis=-1)


def _distance(angle: Floats | float, p: Floats, axis: Floats) -> Floats:
    """Return the distance of points of the rim from the axis of the pin [m]."""
    away = _rim(angle) - p
    return np.asarray(np.linalg.norm(away - (away @ axis)[..., None] * axis, axis=-1))


def _fill_pin(axes: "Axes", p: Floats, axis: Floats, alpha: float = 1.0) -> None:
    """Fill the outline of a pin, with its leading cap at p, in the plane y = 0."""
    across, phi = np.array([axis[2], 0.0, -axis[0]]), np.linspace(0.0, math.pi, 60)[:, None]
    front = p + PIN.radius * (np.cos(phi) * across - np.sin(phi) * axis)
    back = p + PIN.length * axis - PIN.radius * (np.cos(phi) * across - np.sin(phi) * axis)
    outline = np.concatenate([front, back])[:, [0, 2]] * MM
    axes.add_patch(Polygon(outline, facecolor=PIN_COLOUR, edgecolor="0.2", alpha=alpha, zorder=2))


def _fill_hole(axes: "Axes") -> None:
    """Fill the section of the box with the hole."""
    r, h, half = HOLE.radius, HOLE.straight, SIDE / 2
    phi = np.linspace(0.0, math.pi, 60)
    bottom = np.stack([r * np.cos(phi), -h - r * np.sin(phi)], axis=1)
    below = -h - r - 1e-4
    box = np.array([[-half, 0.0], [-half, below], [half, below], [half, 0.0], [r, 0.0]])
    outline = np.concatenate([box, bottom, [[-r, 0.0]]]) * MM
    axes.add_patch(Polygon(outline, facecolor=BOX_COLOUR, edgecolor="0.2", zorder=1))


def _draw_touch(axes: "Axes", touch: Touch) -> None:
    """Draw a contact: its point on the hole and the direction of the force on the pin."""
    x, z = touch.point[0] * MM, touch.point[2] * MM
    end = (x + 14.0 * touch.normal[0], z + 14.0 * touch.normal[2])
    arrow = {"arrowstyle": "-|>", "color": SERIES[1], "linewidth": 1.8, "shrinkA": 0.0, "shrinkB": 0.0}
    axes.annotate("", end, (x, z), arrowprops=arrow, zorder=5)
    axes.plot(x, z, "o", color=SERIES[1], markersize=6, zorder=6)


def _mark(axes: "Axes", x: float, z: float, name: str) -> None:
    axes.plot(x * MM, z * MM, "ko", markersize=4, zorder=4)
    axes.annotate(name, (x * MM, z * MM), (6.0, 4.0), textcoords="offset points", fontsize=9, zorder=4)


def _measure(
    axes: "Axes", start: tuple[float, float], end: tuple[float, float], text: str, away: float
) -> None:
    """Draw a dimension between two points, shifted sideways by a distance [mm]."""
    a, b = np.array(start) * MM, np.array(end) * MM
    upright = abs(b[1] - a[1]) > abs(b[0] - a[0])
    shift = np.array([away, 0.0]) if upright else np.array([0.0, away])
    a, b = a + shift, b + shift
    arrow = {"arrowstyle": "<->", "color": "0.25", "linewidth": 0.9, "shrinkA": 0.0, "shrinkB": 0.0}
    axes.annotate("", tuple(b), tuple(a), arrowprops=arrow, zorder=4)
    middle, offset = 0.5 * (a + b), (5.0, 0.0) if upright else (0.0, 5.0)
    axes.annotate(
        text, tuple(middle), offset, textcoords="offset points", fontsize=8, zorder=5,
        ha="left" if upright else "center", va="center" if upright else "bottom",
    )  # fmt: skip
