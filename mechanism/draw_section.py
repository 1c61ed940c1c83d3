"""Draw the section of the reference mechanism: python -m mechanism.draw_section FILE."""

import math
import sys
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Polygon

from mechanism.joining import PARTS
from mechanism.shapes import (
    bumper_profile,
    drogue_profile,
    load_parameters,
    pantograph_profile,
    throat_z,
)
from softdock.geometry.profile import Profile

STEEL, ALUMINIUM, BRASS, LIGHT = "#7b8794", "#cbd2d9", "#d9a441", "#9fb3c8"


def outline(profile: Profile, per_segment: int = 40) -> np.ndarray:
    """Return points (z, r) [mm] along the profile, shape (n, 2)."""
    fractions = np.linspace(0, 1, per_segment)
    return 1e3 * np.array([segment.point(f) for segment in profile.segments for f in fractions])


def place(points: np.ndarray, gimbal: tuple[float, float], tilt: float) -> np.ndarray:
    """Return points relative to the joint, rotated by `tilt` [rad], with the joint at `gimbal` (z, r) [mm]."""
    c, s = math.cos(tilt), math.sin(tilt)
    return points @ np.array([[c, s], [-s, c]]) + gimbal


def draw_body(axes: Axes, profile: Profile, colour: str, gimbal=(0.0, 0.0), tilt=0.0, **kwargs) -> None:
    """Fill the whole section of a revolved solid."""
    half = outline(profile)
    whole = np.vstack([half, (half * [1, -1])[::-1]])
    style = {"facecolor": colour, "edgecolor": "#243b53", "linewidth": 0.7, **kwargs}
    axes.add_patch(Polygon(place(whole, gimbal, tilt), closed=True, **style))


def draw_probe(
    axes: Axes, probe: dict[str, float], gimbal, tilt: float, *, pressed=0.0, opened=False
) -> None:
    """Draw pantograph and bumper, the bumper pressed in by `pressed` [mm]."""
    draw_body(
        axes,
        bumper_profile(probe),
        BRASS,
        np.add(gimbal, place(np.array([[-pressed, 0.0]]), (0, 0), tilt)[0]),
        tilt,
    )
    if opened:
        draw_body(axes, pantograph_profile(probe, opened=True), "none", gimbal, tilt, linestyle="--")
    draw_body(axes, pantograph_profile(probe), LIGHT, gimbal, tilt)
    axes.plot(*gimbal, "o", color="#243b53", markersize=4)


def draw_joined(axes: Axes, parameters: dict[str, dict[str, float]]) -> None:
    """Draw the hard-docked state: collar seated on the inlet cone, a pin in its hole, a plug in its socket."""
    collar, alignment, coupling = (parameters[name] for name in ("collar", "alignment", "coupling"))
    parts = {name: shape(parameters) for name, shape in PARTS.items()}
    # The cones of collar and inlet agree where their radii do.
    z_seat = (parameters["drogue"]["mouth_radius"] - collar["large_radius"]) / math.tan(collar["half_angle"])
    draw_body(axes, drogue_profile(parameters["drogue"]), ALUMINIUM)
    draw_body(axes, parts["collar"], STEEL, (1e3 * (z_seat - collar["cone_start"]), 0.0))
    r_pin, r_plug = -1e3 * alignment["circle_radius"], 1e3 * coupling["circle_radius"]
    draw_body(axes, parts["alignment_hole"], ALUMINIUM, (0.0, r_pin))
    draw_body(axes, parts["alignment_pin"], LIGHT, (-3.0, r_pin))
    draw_body(axes, parts["coupling_socket"], ALUMINIUM, (0.0, r_plug))
    draw_body(axes, parts["coupling_plug"], BRASS, (1e3 * coupling["stroke"], r_plug))


def draw_sections() -> Figure:
    """Return the figure: the probe misaligned at the mouth, in the throat, at the bottom, and hard-docked."""
    parameters = load_parameters()
    probe, drogue = parameters["probe"], parameters["drogue"]
    figure = Figure(figsize=(9, 15.5), layout="constrained")
    FigureCanvasAgg(figure)
    z_bottom = 1e3 * (throat_z(drogue) + drogue["throat_to_bottom"])
    tip, tilt = 1e3 * probe["tip"], math.radians(11.3)
    poses = [
        (
            "First contact: tip 40 mm off the axis (20 mm offset, and 11.3° over 100 mm)",
            (8.5 - tip * math.cos(tilt), 40 - tip * math.sin(tilt)),
            tilt,
            0.0,
            False,
        ),
        ("The widest section in the throat, 11.3° between the axes", None, tilt, 0.0, False),
        ("Bumper on the bottom; dashed: spread pantograph", (z_bottom - tip, 0.0), 0.0, 0.0, True),
    ]
    axes_of = figure.subplots(4, 1, height_ratios=(3, 3, 3, 4))
    for axes, (title, gimbal, angle, pressed, opened) in zip(axes_of, poses):
        if gimbal is None:
            reach = 1e3 * probe["widest"]
            gimbal = (1e3 * throat_z(drogue) - reach * math.cos(angle), -reach * math.sin(angle))
        draw_body(axes, drogue_profile(drogue), ALUMINIUM)
        draw_probe(axes, probe, gimbal, angle, pressed=pressed, opened=opened)
        axes.axhline(0.0, color="#486581", linewidth=0.6, linestyle="-.")
        axes.set(
            title=title,
            aspect="equal",
            xlim=(-235, 145),
            ylim=(-75, 75),
            xlabel="z of the drogue [mm]",
            ylabel="r [mm]",
        )
    draw_joined(axes_of[3], parameters)
    axes_of[3].set(
        title="Hard-docked: collar on the inlet cone, alignment pin in its hole, plug in its socket",
        aspect="equal",
        xlim=(-235, 145),
        ylim=(-110, 110),
        xlabel="z of the drogue [mm]",
        ylabel="r [mm]",
    )
    return figure


if __name__ == "__main__":
    draw_sections().savefig(Path(sys.argv[1]))
