"""Draws docs/images/cookbook-*.png and own-mechanism.png: a mechanism at three instants, and a channel over time.

Run from the root of the repository: python -m docs.cookbook_pictures [NAME ...]
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy.spatial import ConvexHull

import softdock
from softdock.geometry.profile import Arc, Profile
from softdock.model.system import WORLD, System
from softdock.spatial.poses import Pose
from softdock.spatial.rotations import matrix_from_quaternion

Floats = NDArray[np.float64]
HERE = Path(__file__).parent
QUATERNION = ("qw", "qx", "qy", "qz")
BLUE, GREY, RED = "#2f7fc1", "#6b7280", "#d1495b"


@dataclass(frozen=True)
class Picture:
    """Content of the picture of a mechanism."""

    frame: str
    """Body that stays in place."""
    times: tuple[float, ...]
    window: tuple[float, float, float, float]
    """Left, right, bottom and top [m], in the frame."""
    channel: str
    unit: str
    factor: float = 1.0
    axes: str = "zx"
    """Axes to the right and upwards."""
    boxes: tuple[tuple[str, float], ...] = ()
    """Bodies that are drawn as cubes, and half their edges [m]."""


OWN = "own-mechanism"
"""The mechanism of the tutorial."""
PICTURES = {
    OWN: Picture("receptacle", (0.3, 3.2, 7.5), (-0.16, 0.16, -0.11, 0.11), "latch.force", "N"),
    "probe-and-drogue": Picture("drogue", (0.5, 4.0, 11.0), (-0.25, 0.25, -0.2, 0.2), "ball-cone.force", "N"),
    "ball-and-socket": Picture("socket", (0.1, 0.3, 1.5), (-0.08, 0.06, -0.055, 0.055), "latch-1.force", "N"),
    "three-finger-nozzle": Picture(
        "nozzle", (0.6, 8.5, 19.0), (-0.2, 0.25, -0.17, 0.17), "rim-pad.force", "N"
    ),
    "pins-and-plate": Picture("port", (0.0, 1.0, 8.0), (-0.62, -0.42, -0.12, 0.12), "berth.pin_force", "N"),
    "arm-held-tool": Picture(
        WORLD, (0.0, 3.0, 5.9), (-0.35, 0.75, -0.05, 0.85), "press.force", "N", 1.0, "xz"
    ),
    "berthing-box": Picture(
        "rack", (0.0, 3.0, 11.0), (-0.45, 0.15, -0.36, 0.36), "contact.force", "N", boxes=(("box", 0.29),)
    ),
    "spring-separation": Picture(
        "lower", (0.0, 0.16, 1.0), (-0.7, 1.9, -0.6, 0.6), "upper.vz", "mm/s", 1e3,
        boxes=(("lower", 0.5), ("upper", 0.4)),
    ),
    "tumbling-client": Picture(
        "client", (0.0, 7.5, 50.0), (-2.4, 1.2, -1.3, 1.3), "client.wz", "deg/s", 180 / np.pi,
        boxes=(("client", 0.8), ("chaser", 0.6)),
    ),
}  # fmt: skip


def pose(result: softdock.Result, body: str, time: float) -> Pose:
    """Return the pose of a body in the world at a time [s], interpolated."""
    if body == WORLD:
        return Pose.identity()
    at = {
        f: np.interp(time, result.history.time, result.history[f"{body}.{f}"])
        for f in ("x", "y", "z", *QUATERNION)
    }
    q = np.array([at[f] for f in QUATERNION])
    return Pose(R=matrix_from_quaternion(q), p=np.array([at["x"], at["y"], at["z"]]))


def outline(profile: Profile) -> Floats:
    """Return points (z, r) along a meridian [m]."""
    rows = []
    for segment in profile.segments:
        steps = 16 if isinstance(segment, Arc) else 1
        rows += [segment.point(k / steps) for k in range(steps + 1)]
    return np.array(rows)


def lines(system: System, result: softdock.Result, time: float) -> Iterator[tuple[Floats, str, bool]]:
    """Yield polygons in the world, shape (n, 3), their colour and whether they are filled."""
    for surface in system.surfaces.values():
        profile, X_BS = surface.read(system.directory)
        X = pose(result, surface.body, time) @ X_BS
        rows = outline(profile)
        closed = profile.segments[0].start[1] == 0.0 and profile.segments[-1].end[1] == 0.0
        # The silhouette: the meridian on both sides of the axis, in the plane of the drawing.
        side = np.cross(X.R[:, 2], np.array([0.0, 1.0, 0.0]))
        side = side / (np.linalg.norm(side) or 1.0)
        for sign in (1.0, -1.0):
            points = X.p + rows[:, :1] * X.R[:, 2] + sign * rows[:, 1:] * side
            yield points, BLUE if closed else GREY, closed
    yield from _pins(system, result, time)
    for name, strut in system.struts.items():
        if not np.interp(time, result.history.time, result.history[f"{name}.force"]):
            continue  # switched off
        ends = [(pose(result, end.body, time) @ end.pose()).p for end in (strut.a, strut.b)]
        yield np.array(ends), RED, False


def _pins(system: System, result: softdock.Result, time: float) -> Iterator[tuple[Floats, str, bool]]:
    for interface in system.interfaces.values():
        r, length, R = 0.5 * interface.pin.diameter, interface.pin.length, 0.5 * interface.pin.diameter
        R += 0.5 * interface.hole.clearance
        turn = np.linspace(0.5 * np.pi, -0.5 * np.pi, 13)
        pin = [(r, 0.0), *((r * np.sin(a), length - r + r * np.cos(a)) for a in turn), (-r, 0.0)]
        c, depth = interface.hole.chamfer, interface.hole.depth
        hole = [
            (4 * R, 0),
            (R + c, 0),
            (R, c),
            (R, depth - R),
            *((R * np.sin(a), depth - R + R * np.cos(a)) for a in turn),
        ]
        hole += [(-R, depth - R), (-R, c), (-R - c, 0), (-4 * R, 0)]
        X_pins = pose(result, interface.pins.body, time) @ interface.pins.pose()
        X_holes = pose(result, interface.holes.body, time) @ interface.holes.pose()
        for x, y in interface.layout.points():
            for X, shape, colour in ((X_pins, pin, BLUE), (X_holes, hole, GREY)):
                local = np.array([(x + u, y, z) for u, z in shape])
                yield X.p + local @ X.R.T, colour, colour == BLUE


def cube(result: softdock.Result, body: str, half: float, time: float) -> Floats:
    """Return the corners of a cube on a body."""
    X = pose(result, body, time)
    corners = half * np.array([(i, j, k) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)], float)
    return np.asarray(X.p + corners @ X.R.T)


def chain(system: System, result: softdock.Result, time: float) -> Iterator[Floats]:
    """Yield lines from the origin of every body to that of its parent."""
    for name, body in system.bodies.items():
        if body.joint.type != "free" and body.parent != WORLD:
            yield np.array([pose(result, one, time).p for one in (body.parent, name)])


def draw(axes: Axes, system: System, result: softdock.Result, picture: Picture, time: float) -> None:
    """Draw a mechanism at one instant."""
    X = pose(result, picture.frame, time)
    columns = ["xyz".index(axis) for axis in picture.axes]

    def project(points: Floats) -> Floats:
        return np.asarray((points - X.p)[:, columns])

    for points in chain(system, result, time):
        axes.plot(*project(points).T, color=GREY, lw=1.0, alpha=0.6)
    for body, half in picture.boxes:
        corners = project(cube(result, body, half, time))
        axes.fill(*corners[ConvexHull(corners).vertices].T, facecolor=BLUE, edgecolor=GREY, alpha=0.35)
    for points, colour, filled in lines(system, result, time):
        if filled:
            axes.fill(*project(points).T, color=colour, alpha=0.55, lw=0)
        axes.plot(*project(points).T, color=colour, lw=1.4)
    axes.set_xlim(*picture.window[:2])
    axes.set_ylim(*picture.window[2:])
    axes.set_aspect("equal")
    axes.set_xticks([])
    axes.set_yticks([])
    axes.set_title(f"{time:g} s", fontsize=9)


def make(name: str) -> Path:
    """Simulate a mechanism and write its picture."""
    picture = PICTURES[name]
    source = HERE / "tutorials" / OWN / "docking.yaml" if name == OWN else HERE / "cookbook" / f"{name}.yaml"
    scenario: Any = softdock.load(source, {"record.also": [picture.channel]})
    result = softdock.simulate(scenario)
    system = scenario.whole() if hasattr(scenario, "whole") else scenario
    figure = Figure(figsize=(11, 2.6), layout="constrained")
    parts = figure.subplots(1, len(picture.times) + 1)
    for axes, time in zip(parts, picture.times):
        draw(axes, system, result, picture, time)
    chart = parts[-1]
    chart.plot(result.history.time, picture.factor * result.history[picture.channel], color=RED, lw=1.2)
    chart.set_title(f"{picture.channel} [{picture.unit}]", fontsize=9)
    chart.set_xlabel("time [s]", fontsize=8)
    chart.tick_params(labelsize=8)
    path = HERE / "images" / (f"{OWN}.png" if name == OWN else f"cookbook-{name}.png")
    figure.savefig(path, dpi=110)
    return path


if __name__ == "__main__":
    for chosen in sys.argv[1:] or PICTURES:
        print(make(chosen))
