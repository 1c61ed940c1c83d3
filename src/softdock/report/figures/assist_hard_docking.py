"""Figures of the hard docking: sections by phase (Figure 2 of the ASSIST paper), locations of the compliant element."""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Polygon
from numpy.typing import NDArray

from softdock.elements.coupling.model import Coupling
from softdock.geometry.profile import Profile
from softdock.geometry.profile_cache import read_meridian
from softdock.presentation.colours import SERIES
from softdock.report.figures.assist_sequence import MM, OPENED, channel_at, pose_in
from softdock.report.picture import GREY, new_figure, style_axes
from softdock.result import Result
from softdock.scenario.multibody import MultibodyScenario
from softdock.spatial.poses import Pose

Floats = NDArray[np.float64]
CAPTIONS = {
    "insertion": "insertion: the bumper meets the bottom",
    "spreading": "the fingers are spread",
    "pre-tension": "pre-tension: the fingers bear on the shoulder",
    "clamping": "hard docking: the collar is seated",
    "turning": "the client is turned upright",
    "retracting": "retracted: pins in their holes",
    "mating": "fluid plane translation: couplings mated",
    "latching": "the latches are closed",
}
STEEL, SHELL, PLATE, BRASS = "#9aa5b1", "#d9dee4", "#b8c4ce", "#d9a441"
EDGE = {"edgecolor": "#243b53", "linewidth": 0.6}
PIN_CIRCLE_RADIUS = 0.085
"""Radius of the circle of pins and couplings in the scenario [m]; the section goes through pin 2 and coupling 1."""
LIMITS = ((-150.0, 145.0), (-112.0, 112.0))  # [mm], z and x
BOTTOM_DEPTH = 135.69  # [mm] from the mouth of the drogue to the bottom of its cavity, in cad/drogue.step
# Outlines (z, x) [m] in the frames of their bodies, assumed for the drawing: the scenario has no shapes of these parts.
HEAD_PLATE = np.array([(-0.012, -0.105), (-0.012, 0.105), (0.0, 0.105), (0.0, -0.105)])
CARRIAGE_ROD = np.array([(-0.040, -0.010), (-0.040, 0.010), (0.014, 0.010), (0.014, -0.010)])
FLUID_PLATE = np.array([(-0.045, 0.060), (-0.045, 0.105), (-0.035, 0.105), (-0.035, 0.060)])
LATCH_HOOK = np.array([(-0.020, 0.072), (-0.020, 0.078), (0.012, 0.078), (0.012, 0.072)])


def draw_phases(scenario: MultibodyScenario, result: Result, *, columns: int = 2) -> Figure:
    """Return one section per phase, at its end, in the frame of the drogue: z to the right, x up."""
    rows = -(-len(result.phases) // columns)
    figure = new_figure(5.0 * columns, 3.7 * rows)
    for k, (axes, phase) in enumerate(zip(figure.subplots(rows, columns).ravel(), result.phases)):
        draw_section(axes, scenario, result, min(phase.end, float(result.history.time[-1])))
        caption = CAPTIONS.get(phase.name, phase.name)
        axes.set_title(f"{k + 1}   {phase.end:.1f} s: {caption}", fontsize=9, loc="left")
    return figure


def draw_section(axes: Axes, scenario: MultibodyScenario, result: Result, time: float) -> None:
    """Draw the section through drogue and tool at a time."""
    cad = scenario.directory / "cad"
    _fill(axes, _meridian(cad / "drogue.step", whole=True), Pose.identity(), SHELL)
    for file, place in (("coupling_socket", PIN_CIRCLE_RADIUS), ("alignment_hole", -PIN_CIRCLE_RADIUS)):
        _fill(axes, _meridian(cad / f"{file}.step", whole=True), _translation(place, 0.0), SHELL)
    head = pose_in(result, "head", "drogue", time)
    _fill_points(axes, _points_in_drogue(HEAD_PLATE, head), PLATE)
    _fill_points(axes, _points_in_drogue(CARRIAGE_ROD, pose_in(result, "carriage", "drogue", time)), PLATE)
    _fill(axes, _meridian(cad / "alignment_pin.step"), head @ _translation(-PIN_CIRCLE_RADIUS, 0.0), STEEL)
    plane = pose_in(result, "fluid-plane", "drogue", time)
    plug = scenario.elements_of(Coupling)["fluid-1"].plug.at
    _fill_points(axes, _points_in_drogue(FLUID_PLATE, plane), PLATE)
    _fill(axes, _meridian(cad / "coupling_plug.step"), plane @ _translation(plug[0], plug[2]), BRASS)
    probe = pose_in(result, "pantograph", "drogue", time)
    opened = channel_at(result, "finger-1.joint", time) > OPENED
    _fill(axes, _meridian(cad / "bumper.step"), pose_in(result, "bumper", "drogue", time), SERIES[1])
    _fill(axes, _meridian(cad / "collar.step"), pose_in(result, "collar", "drogue", time), SERIES[2])
    _fill(axes, _meridian(cad / f"pantograph{'_open' if opened else ''}.step"), probe, STEEL)
    if channel_at(result, "latch-1.force", time) > 0.0:
        for side in (-1.0, 1.0):
            _fill_points(axes, _points_in_drogue(LATCH_HOOK * (1.0, side), head), SERIES[3])
    axes.axhline(0.0, color=GREY, linewidth=0.5, linestyle="-.")
    axes.set(aspect="equal", xlim=LIMITS[0], ylim=LIMITS[1])
    axes.set_axis_off()


def draw_compliance(results: Mapping[str, Result]) -> Figure:
    """Return the insertion and the speed of approach for each location of the compliant element, by label."""
    figure = new_figure(9.5, 4.2)
    left, right = figure.subplots(1, 2)
    for colour, (label, result) in zip(SERIES, results.items()):
        time, depth = result.history.time, result.history["nose.z in drogue"]
        left.plot(time, MM * depth, color=colour, label=f"{label}: {result.outcome}")
        closing_speed = result.history["servicer.vz"] - result.history["client.vz"]
        right.plot(time, MM * closing_speed, color=colour, label=label)
    left.axhline(BOTTOM_DEPTH, color=GREY, linewidth=0.8, linestyle="--")
    left.annotate(
        "bottom", (0.2, BOTTOM_DEPTH), (0, 3), textcoords="offset points", color="0.35", fontsize="small"
    )
    left.set(xlabel="time [s]", ylabel="tip of the probe behind the mouth [mm]", ylim=(-60.0, 150.0))
    right.axhline(0.0, color=GREY, linewidth=0.8)
    right.set(xlabel="time [s]", ylabel="closing speed of the two spacecraft [mm/s]")
    for axes in (left, right):
        axes.set_xlim(0.0, 12.0)
        style_axes(axes)
    left.legend(frameon=False, loc="lower right", fontsize="small")
    return figure


def _meridian(path: Path, whole: bool = False) -> Floats:
    """Return points (z, r) of a part [m]; `whole` adds the cavity to the outside of a part with a cavity."""
    sides: tuple[Literal["outside", "inside"], ...] = ("inside", "outside") if whole else ("outside",)
    return np.vstack([_points(read_meridian(path, side=side)[0]) for side in sides])


def _points(profile: Profile) -> Floats:
    return np.array([s.point(f) for s in profile.segments for f in np.linspace(0.0, 1.0, 9)])


def _translation(x: float, z: float) -> Pose:
    return Pose(R=np.eye(3), p=np.array([x, 0.0, z]))


def _points_in_drogue(points: Floats, X: Pose) -> Floats:
    """Return points (z, x) of a body in the plane of the section [m], in the frame of the drogue."""
    at = X.points(np.column_stack([points[:, 1], np.zeros(len(points)), points[:, 0]]))
    return np.column_stack([at[:, 2], at[:, 0]])


def _fill(axes: Axes, meridian: Floats, X: Pose, colour: str) -> None:
    """Fill the section of a solid of revolution."""
    both = np.vstack([meridian, (meridian * (1.0, -1.0))[::-1]])
    _fill_points(axes, _points_in_drogue(both, X), colour)


def _fill_points(axes: Axes, points: Floats, colour: str) -> None:
    axes.add_patch(Polygon(MM * points, closed=True, facecolor=colour, **EDGE))
