"""Pictures of a body with the numbers of its faces, and a page with its table of faces."""

import html
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from mpl_toolkits.mplot3d.art3d import Line3DCollection, Poly3DCollection  # type: ignore[import-untyped]
from mpl_toolkits.mplot3d.axes3d import Axes3D  # type: ignore[import-untyped]
from numpy.typing import NDArray

from softdock.errors import file_errors
from softdock.files.atomic import write_atomic
from softdock.geometry.facets import Facets, read_bodies
from softdock.geometry.solids.inspection import InspectedBody, Inspection
from softdock.presentation.inspection import body_lines, faces_table, file_line
from softdock.report.embedding import figure_image
from softdock.report.page import STYLE, scrolling
from softdock.report.picture import new_figure, save_picture, write_literally

Array = NDArray[np.float64]

MM = 1e3
VIEWS = ((25.0, 35.0), (25.0, 215.0), (-25.0, 125.0), (-25.0, 305.0))
"""Elevation and azimuth of the eye [deg]: each face is seen in one of them, if in any."""
MOST_TRIANGLES = 20_000
"""Triangles that are drawn; matplotlib takes about a second for them."""
COLOURS = {
    "plane": "#9fb8d4", "cylinder": "#f0c987", "cone": "#a8d5a2", "sphere": "#d9a5c7", "torus": "#c3b1e1",
    "spline": "#e8927c", "facets": "#c0c0c0",
}  # fmt: skip
"""Colour of each kind of face; kinds are also in the table."""
TOWARDS_EYE = 0.02
"""Distance by which numbers stand in front of their face, relative to the size of the body."""


def write_picture(
    path: Path, inspection: Inspection, body: InspectedBody, unit: str | None, picture: Path
) -> None:
    """Write a picture of a body of a file, or an HTML page with the picture and the table of faces."""
    facets = read_bodies(path, unit)[body.number - 1]
    figure = draw_body(facets, body)
    if picture.suffix.lower() != ".html":
        write_literally(figure)
        save_picture(figure, picture)
        return
    title = f"{inspection.file}: {body.name}"
    lines = "".join(f"<p>{html.escape(line)}</p>" for line in (file_line(inspection), *body_lines(body)))
    page = (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>{html.escape(title)}</title><style>{STYLE}</style></head>\n<body><h1>{html.escape(title)}</h1>"
        f"{figure_image(figure, f'Four views of {body.name} with the numbers of its faces')}{lines}"
        f"{scrolling(faces_table(body))}</body></html>\n"
    )
    with file_errors(picture, "write"):
        picture.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(picture, page)


def draw_body(facets: Facets, body: InspectedBody) -> Figure:
    """Return a figure of four views of a body, with a number on every face that a view shows."""
    figure = new_figure(11.0, 10.0)
    figure.suptitle(f"{body.name}: {len(body.faces)} faces", fontsize="medium")
    corners = MM * facets.vertices[facets.triangles]
    normals, areas = facets.normals()
    number = np.maximum(facets.face_of, 0) + 1
    colours = {face.number: COLOURS[face.kind] for face in body.faces}
    for k, (elevation, azimuth) in enumerate(VIEWS):
        axes = figure.add_subplot(2, 2, k + 1, projection="3d", computed_zorder=False)
        assert isinstance(axes, Axes3D)
        eye = _direction(elevation, azimuth)
        seen = np.flatnonzero(normals @ eye > 0.0)
        drawn = seen[np.argsort(-areas[seen])][:MOST_TRIANGLES]
        shade = 0.55 + 0.45 * (normals[drawn] @ _direction(elevation + 25.0, azimuth - 30.0)).clip(0.0)
        base = np.array([[int(colours[n][i : i + 2], 16) / 255 for i in (1, 3, 5)] for n in number[drawn]])
        paint = base * shade[:, None]
        axes.add_collection3d(
            Poly3DCollection(corners[drawn], facecolors=paint, edgecolors=paint, linewidths=0.4)
        )
        axes.add_collection3d(Line3DCollection(_outlines(facets, drawn), colors="0.15", linewidths=0.7))
        _write_numbers(axes, corners, normals, areas, number, eye, facets.size * MM)
        _set_frame(axes, MM * facets.vertices, elevation, azimuth)
    return figure


def _outlines(facets: Facets, drawn: NDArray[np.int64]) -> Array:
    """Return the lines at which the faces of drawn triangles end, shape (n, 2, 3) [mm]; those behind others too."""
    triangles, face = facets.triangles[drawn], facets.face_of[drawn]
    sides = np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=2).reshape(-1, 2)
    key = np.sort(sides, axis=1) @ [len(facets.vertices), 1] * (int(facets.face_of.max()) + 2) + np.repeat(
        face, 3
    )
    _, place, count = np.unique(key, return_inverse=True, return_counts=True)
    return np.asarray(MM * facets.vertices[sides[count[place.ravel()] == 1]])


def _direction(elevation: float, azimuth: float) -> Array:
    e, a = np.radians([elevation, azimuth])
    return np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])


def _write_numbers(
    axes: Axes3D,
    corners: Array,
    normals: Array,
    areas: Array,
    number: NDArray[np.int64],
    eye: Array,
    size: float,
) -> None:
    """Write the number of every face at the triangle that faces the eye most and is not hidden by another."""
    middle = corners.mean(axis=1)
    facing = areas * (normals @ eye)
    for n in np.unique(number):
        own = np.flatnonzero((number == n) & (facing > 0.0))
        if not len(own):
            continue
        centre = facing[own] @ middle[own] / facing[own].sum()
        nearest = own[np.argsort(np.linalg.norm(middle[own] - centre, axis=1))[:3]]
        place = next(
            (middle[t] for t in nearest if not _is_hidden(corners, normals, middle[t], eye, size)), None
        )
        if place is not None:
            axes.text(
                *(place + TOWARDS_EYE * size * eye), str(n), fontsize=7, ha="center", va="center", zorder=10
            )


def _is_hidden(corners: Array, normals: Array, place: Array, eye: Array, size: float) -> bool:
    """Return whether a triangle that faces the eye stands between it and a place."""
    rate = normals @ eye
    facing = np.flatnonzero(rate > 1e-6)
    a = corners[facing]
    along = np.einsum("ij,ij->i", a[:, 0] - place, normals[facing]) / rate[facing]
    hit = place + along[:, None] * eye
    inside = along > 1e-3 * size
    for k in range(3):
        turn = np.cross(a[:, (k + 1) % 3] - a[:, k], hit - a[:, k])
        inside &= np.einsum("ij,ij->i", turn, normals[facing]) >= 0.0
    return bool(inside.any())


def _set_frame(axes: Axes3D, vertices: Array, elevation: float, azimuth: float) -> None:
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    half = float((high - low).max()) / 2 * 0.9
    for set_limits, c in zip((axes.set_xlim, axes.set_ylim, axes.set_zlim), (low + high) / 2):
        set_limits(c - half, c + half)
    axes.set_box_aspect((1, 1, 1))
    axes.set_proj_type("ortho")
    axes.view_init(elev=elevation, azim=azimuth)
    for name, set_label in (("x", axes.set_xlabel), ("y", axes.set_ylabel), ("z", axes.set_zlabel)):
        set_label(f"{name} [mm]", fontsize="small")
    axes.tick_params(labelsize=6)
