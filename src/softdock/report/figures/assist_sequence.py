"""Frames of a docking: section of the drogue and pose of the probe at given times."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import LightSource
from matplotlib.figure import Figure
from mpl_toolkits.mplot3d import Axes3D  # type: ignore[import-untyped]
from numpy.typing import NDArray

from softdock.geometry.profile import Profile
from softdock.geometry.profile_cache import read_meridian
from softdock.presentation.colours import SERIES
from softdock.result import Result
from softdock.scenario.base import ScenarioBase
from softdock.scenario.multibody import MultibodyScenario
from softdock.spatial.poses import Pose
from softdock.spatial.rotations import matrix_from_quaternion

Floats = NDArray[np.float64]
MM = 1e3
ROUND = np.linspace(0.0, 2.0 * np.pi, 49)
OPENED = 0.010  # [m] displacement above which a finger is drawn open
EDGE = -0.085  # [m] left limit of the frames, in front of the mouth
WHOLE = -0.300  # [m] left limit of frames that show the whole probe
LIGHT = LightSource(azdeg=300.0, altdeg=35.0)
RIGHT = 142.0  # [mm] right limit of the frames, behind the bottom
STEEL, SHELL = "#9aa5b1", "#d9dee4"


def draw_sequence(
    scenario: ScenarioBase,
    result: Result,
    frames: Sequence[tuple[float, str]],
    *,
    columns: int,
    edge: float = EDGE,
) -> Figure:
    """Return a figure with one frame per (time [s], text) in the frame of the drogue, whose near half is removed.

    `edge` is the left limit of the frames [m], where the probe is cut off.
    """
    assert isinstance(scenario, MultibodyScenario)
    rows = -(-len(frames) // columns)
    figure = Figure(figsize=(3.1 * columns * _width(edge) / _width(EDGE), 2.3 * rows), layout="none")  # type: ignore[arg-type]  # missing in its types
    FigureCanvasAgg(figure)
    for k, (time, text) in enumerate(frames):
        left, bottom = (k % columns) / columns, 1.0 - (k // columns + 1) / rows
        axes = figure.add_axes(
            (left, bottom, 1.0 / columns, 0.90 / rows), projection="3d", computed_zorder=False
        )
        assert isinstance(axes, Axes3D)
        _draw_frame(axes, scenario, result, time, edge)
        figure.text(
            left + 0.5 / columns,
            bottom + 0.94 / rows,
            f"{k + 1}   {time:.2f} s: {text}",
            ha="center",
            va="center",
            fontsize=9,
        )
    return figure


def _width(edge: float) -> float:
    """Return the width of a frame [mm]."""
    return RIGHT - MM * edge


def _draw_frame(axes: Axes3D, scenario: MultibodyScenario, result: Result, time: float, edge: float) -> None:
    folder = scenario.directory
    X_DP, X_DB = (pose_in(result, body, "drogue", time) for body in ("pantograph", "bumper"))
    opened = channel_at(result, "finger-1.joint", time) > OPENED
    name = "cad/pantograph_open.step" if opened else "cad/pantograph.step"
    drogue = read_meridian(folder / "cad" / "drogue.step", side="inside")[0]
    back = np.linspace(0.0, np.pi, 37)
    _draw_part(axes, _shell(drogue), Pose.identity(), back, SHELL, order=1)
    _draw_cut(axes, drogue)
    pantograph = _meridian(read_meridian(folder / name)[0])
    bumper = _meridian(read_meridian(_file(scenario, "bumper-nose"))[0])
    _draw_part(axes, bumper, X_DB, ROUND, SERIES[1], order=3)
    pantograph = pantograph[pantograph[:, 0] + X_DP.p[2] > edge]
    _draw_part(axes, pantograph, X_DP, ROUND, STEEL, order=4)
    axes.set(xlim=(MM * edge + 15.0, RIGHT), ylim=(-55, 55), zlim=(-60, 60))
    zoom = 1.7 if edge == EDGE else 2.7  # the box of a long frame is drawn smaller
    axes.set_box_aspect((_width(edge) - 15.0, 110, 120), zoom=zoom)
    axes.patch.set_alpha(0.0)
    axes.set_axis_off()
    axes.view_init(elev=12, azim=-68)


def _file(scenario: MultibodyScenario, surface: str) -> Path:
    file = scenario.surfaces[surface].file
    assert file is not None
    return scenario.directory / file


def _meridian(profile: Profile) -> Floats:
    """Return points (z, r) along a profile [m], close where it is curved."""
    points = [segment.point(f) for segment in profile.segments for f in np.linspace(0.0, 1.0, 9)]
    return np.array(points)


def _shell(drogue: Profile) -> Floats:
    """Return the cavity's meridian without the front face beyond the mouth."""
    points = _meridian(drogue)
    return points[points[:, 1] < 0.058]


def _draw_cut(axes: Axes3D, drogue: Profile) -> None:
    """Draw the edge along which the drogue is cut open."""
    z, r = MM * _shell(drogue).T
    for side in (1.0, -1.0):
        axes.plot(z, np.zeros_like(z), side * r, color="0.25", linewidth=1.2, zorder=2, clip_on=False)


def _draw_part(
    axes: Axes3D, meridian: Floats, X_DB: Pose, azimuth: Floats, colour: str, *, order: int
) -> None:
    """Draw a surface of revolution; the axis of the drogue to the right, its x axis up."""
    z, r = meridian.T
    points_B = np.stack(
        [np.outer(r, np.cos(azimuth)), np.outer(r, np.sin(azimuth)), np.outer(z, np.ones_like(azimuth))],
        axis=-1,
    )
    x, y, z_D = np.moveaxis(MM * X_DB.points(points_B), -1, 0)
    style: dict[str, Any] = {
        "rstride": 1,
        "cstride": 1,
        "linewidth": 0,
        "antialiased": False,
        "clip_on": False,
    }
    axes.plot_surface(z_D, y, x, color=colour, lightsource=LIGHT, zorder=order, **style)


def pose_in(result: Result, body: str, frame: str, time: float) -> Pose:
    """Return the pose of a body seen from another at a time."""
    X_NB, X_NF = _pose_in_world(result, body, time), _pose_in_world(result, frame, time)
    return X_NF.relative(X_NB)


def _pose_in_world(result: Result, body: str, time: float) -> Pose:
    q = np.array([channel_at(result, f"{body}.{part}", time) for part in ("qw", "qx", "qy", "qz")])
    p = np.array([channel_at(result, f"{body}.{part}", time) for part in ("x", "y", "z")])
    return Pose(R=matrix_from_quaternion(q), p=p)


def channel_at(result: Result, channel: str, time: float) -> float:
    """Return a channel at a time, between recorded rows."""
    return float(np.interp(time, result.history.time, result.history[channel]))
