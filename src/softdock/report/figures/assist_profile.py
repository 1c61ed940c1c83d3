"""Derivation of contact geometry from a CAD file in the five steps of Figure 5 of the ASSIST paper."""

from collections.abc import Callable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from mpl_toolkits.mplot3d.art3d import Poly3DCollection  # type: ignore[import-untyped]
from mpl_toolkits.mplot3d.axes3d import Axes3D  # type: ignore[import-untyped]

from softdock.geometry.cad import CadSurface
from softdock.geometry.profile import Line
from softdock.geometry.profile_derivation import ProfileDerivation, derive_profile
from softdock.presentation.colours import SERIES
from softdock.report.picture import GREY, new_figure

POINTS_DRAWN = 6000  # of the cloud, to limit the file size
MM = 1e3


def draw_profile_derivation(surface: CadSurface, *, resolution: float = 3e-3) -> Figure:
    """Return a figure of five panels: facets, cylindrical coordinates, profile, interpolated profile, cloud.

    `resolution` [m] is the distance of neighbouring points in the last two.
    """
    steps = derive_profile(surface, resolution=resolution)
    figure = new_figure(13.0, 7.0)
    figure.suptitle(f"{surface.source}, {surface.side}: from CAD to contact geometry", fontsize="medium")
    titles = [
        f"1  Facets: {len(steps.triangles)}, {int(steps.on_surface.sum())} of them on the surface",
        f"2  Cylindrical coordinates of {len(steps.cylindrical)} vertices",
        f"3  Profile: {_count_of(steps)}",
        f"4  Profile at {resolution * MM:g} mm: {len(steps.interpolated)} points",
        f"5  Cloud: {len(steps.cloud.areas)} points, {steps.cloud.areas.sum() * 1e4:.2f} cm²",
    ]
    panels: list[Callable[[Axes, ProfileDerivation], None]] = [
        _facets,
        _cylindrical,
        _profile,
        _points,
        _cloud,
    ]
    grid = figure.add_gridspec(2, 6)
    cells = [grid[0, 0:2], grid[0, 2:4], grid[0, 4:6], grid[1, 0:3], grid[1, 3:6]]
    for k, (title, panel) in enumerate(zip(titles, panels, strict=True)):
        axes = figure.add_subplot(cells[k], projection="3d" if k in (0, 4) else None)
        panel(axes, steps)
        axes.set_title(title, fontsize="small")
    return figure


def _count_of(steps: ProfileDerivation) -> str:
    lines = sum(isinstance(segment, Line) for segment in steps.profile.segments)
    return f"{lines} lines, {len(steps.profile.segments) - lines} arcs"


def _facets(axes: Axes, steps: ProfileDerivation) -> None:
    assert isinstance(axes, Axes3D)
    corners = MM * steps.vertices[steps.triangles]
    kept = np.flatnonzero(corners.mean(axis=1)[:, 1] >= 0.0)  # half of the body, to show its inside
    colours = [SERIES[0] if on else GREY for on in steps.on_surface[kept]]
    # z of the body to the right, as in the profile
    collection = Poly3DCollection(corners[kept][:, :, [2, 1, 0]], facecolors=colours, shade=True)
    collection.set_rasterized(True)
    axes.add_collection3d(collection)
    _scale_3d(axes, MM * steps.vertices[:, [2, 1, 0]])


def _cylindrical(axes: Axes, steps: ProfileDerivation) -> None:
    z, r, azimuth = steps.cylindrical.T
    axes.scatter(MM * z, MM * r, c=azimuth, s=2, cmap="twilight", rasterized=True)
    _scale(axes)


def _profile(axes: Axes, steps: ProfileDerivation) -> None:
    for segment in steps.profile.segments:
        places = MM * np.array([segment.point(f) for f in np.linspace(0, 1, 33)])
        axes.plot(*places.T, color=SERIES[0] if isinstance(segment, Line) else SERIES[1], linewidth=2)
        axes.plot(*places[[0, -1]].T, ".", color=GREY, markersize=4)
    axes.plot([], [], color=SERIES[0], label="line")
    axes.plot([], [], color=SERIES[1], label="arc")
    axes.legend(fontsize="small")
    _scale(axes)


def _points(axes: Axes, steps: ProfileDerivation) -> None:
    axes.plot(*(MM * steps.interpolated).T, ".-", color=SERIES[0], linewidth=0.5, markersize=3)
    _scale(axes)


def _cloud(axes: Axes, steps: ProfileDerivation) -> None:
    assert isinstance(axes, Axes3D)
    cloud = steps.cloud
    kept = np.flatnonzero(cloud.points[:, 1] >= 0.0)
    kept = kept[:: max(1, len(kept) // POINTS_DRAWN)]
    points, normals = MM * cloud.points[kept][:, [2, 1, 0]], cloud.normals[kept][:, [2, 1, 0]]
    length = 0.04 * np.ptp(points, axis=0).max()
    axes.quiver(*points.T, *normals.T, length=length, color=GREY, linewidth=0.3)
    axes.scatter(*points.T, s=2, color=SERIES[0])
    _scale_3d(axes, points)


def _scale(axes: Axes) -> None:
    axes.set(xlabel="z [mm]", ylabel="r [mm]", aspect="equal", ylim=(0, None))


def _scale_3d(axes: Axes3D, points: np.ndarray) -> None:
    low, high = points.min(axis=0), points.max(axis=0)
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]))
    axes.set_box_aspect(high - low, zoom=1.35)
    axes.set_axis_off()
    axes.view_init(elev=15, azim=-70)
