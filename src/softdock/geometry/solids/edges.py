"""Edges of a solid: segments of the curves between two faces, their kind, their curve and how they continue."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softdock.geometry.solids.exact_vertices import STEP, move_to_switch, project, switch_values
from softdock.geometry.solids.face_rows import face_depths
from softdock.geometry.solids.kernels.layout import (
    CIRCULAR,
    CONVEX,
    EDGE_AXIS,
    EDGE_CENTRE,
    EDGE_COLUMNS,
    EDGE_CONORMALS,
    EDGE_CURVE,
    EDGE_END,
    EDGE_FACES,
    EDGE_KIND,
    EDGE_LINK_COLUMNS,
    EDGE_RADIUS,
    EDGE_RATES,
    EDGE_SAGITTA,
    EDGE_START,
    EDGE_VERTICES,
    FACE_A,
    FACE_AXIS,
    FACE_KIND,
    FACE_POINT,
    FACETED,
    GENERAL,
    PLANE,
    REENTRANT,
    SAME,
    STRAIGHT,
    TANGENT,
    TORUS,
)

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

SHARP_SINE = 1e-3
"""Sine of the angle between two faces from which their edge is sharp [rad]; below it they count as smooth."""
SAME_SURFACE = 1e-6
"""Change of the normals over the length of an edge below which two faces are parts of one surface [rad]."""
ROUNDING = 1e-11
"""Distance [m] from a line or circle up to which a curve is one; coordinates of files have 1e-13 to 1e-14 m."""
SAGITTA_MARGIN = 1.5
"""The largest distance of a curve from its chord over that in the middle, with some margin."""


@dataclass(frozen=True, kw_only=True)
class EdgeSides:
    """Which side of which triangle each edge is, and its two faces."""

    triangles: Indices
    """Shape (n, 2): the triangles of the first and second face."""
    sides: Indices
    """Shape (n, 2): the number of the side in each."""


def find_edges(triangles: Indices, face_of: Indices, neighbours: Indices) -> EdgeSides:
    """Return the sides of triangles at which two faces meet, each once; it leads along the first triangle's side."""
    t, k = np.nonzero(
        (neighbours >= 0)
        & (face_of[neighbours] != face_of[:, None])
        & (neighbours > np.arange(len(triangles))[:, None])
    )
    other = neighbours[t, k]
    back = np.argmax(neighbours[other] == t[:, None], axis=1)
    # Two triangles may share two sides: the side of the other must begin where this one ends.
    ends = triangles[t, (k + 1) % 3]
    wrong = triangles[other, back] != ends
    for i in np.flatnonzero(wrong):
        back[i] = next(j for j in range(3) if triangles[other[i], j] == ends[i])
    return EdgeSides(triangles=np.column_stack([t, other]), sides=np.column_stack([k, back]))


def edge_rows(
    rows: Array,
    vertices: Array,
    triangles: Indices,
    face_of: Indices,
    found: EdgeSides,
    *,
    with_circles: bool = True,
) -> tuple[Array, Indices]:
    """Return the rows of edges for the kernels, without how they continue: (edges, edge_links).

    Without circles, which take most of the time, other curves than lines are general.
    """
    count = len(found.triangles)
    edges, links = np.zeros((count, EDGE_COLUMNS)), np.full((count, EDGE_LINK_COLUMNS), -1, np.int64)
    if not count:
        return edges, links
    first, side = found.triangles[:, 0], found.sides[:, 0]
    start, end = triangles[first, side], triangles[first, (side + 1) % 3]
    f, h = face_of[found.triangles[:, 0]], face_of[found.triangles[:, 1]]
    links[:, EDGE_FACES], links[:, EDGE_FACES + 1] = f, h
    links[:, EDGE_VERTICES], links[:, EDGE_VERTICES + 1] = start, end
    edges[:, EDGE_START : EDGE_START + 3], edges[:, EDGE_END : EDGE_END + 3] = vertices[start], vertices[end]
    exact = (rows[f, FACE_KIND] != FACETED) & (rows[h, FACE_KIND] != FACETED)
    links[:, EDGE_KIND], links[:, EDGE_CURVE] = SAME, STRAIGHT
    _set_chords(edges, links, rows, vertices, triangles, found, ~exact)
    _set_exact(edges, links, rows, np.flatnonzero(exact), with_circles)
    return edges, links


def _set_chords(
    edges: Array,
    links: Indices,
    rows: Array,
    vertices: Array,
    triangles: Indices,
    found: EdgeSides,
    chosen: NDArray[np.bool_],
) -> None:
    """Set conormals and sagittas of edges with a faceted face: the boundary of the other face is the chord itself."""
    for side in (0, 1):
        corners = vertices[triangles[found.triangles[chosen, side]]]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        along = (edges[chosen, EDGE_END : EDGE_END + 3] - edges[chosen, EDGE_START : EDGE_START + 3]) * (
            1 - 2 * side
        )
        columns = slice(EDGE_CONORMALS + 3 * side, EDGE_CONORMALS + 3 * side + 3)
        edges[chosen, columns] = _unit(np.cross(normals, along))
        middle = (edges[chosen, EDGE_START : EDGE_START + 3] + edges[chosen, EDGE_END : EDGE_END + 3]) / 2
        off = np.abs(face_depths(rows, links[chosen, EDGE_FACES + side], middle)[:, 0])
        edges[chosen, EDGE_SAGITTA] = np.maximum(edges[chosen, EDGE_SAGITTA], SAGITTA_MARGIN * off)


def _set_exact(edges: Array, links: Indices, rows: Array, chosen: Indices, with_circles: bool) -> None:
    """Set kind, curve, conormals, rates and sagitta of edges between exact faces."""
    if not len(chosen):
        return
    f, h = links[chosen, EDGE_FACES], links[chosen, EDGE_FACES + 1]
    start, end = edges[chosen, EDGE_START : EDGE_START + 3], edges[chosen, EDGE_END : EDGE_END + 3]
    chord, length = _unit(end - start), np.linalg.norm(end - start, axis=1)
    middle = project(rows, np.column_stack([f, h]), (start + end) / 2)
    n_f, n_h = -face_depths(rows, f, middle)[:, 1:], -face_depths(rows, h, middle)[:, 1:]
    tangent = _tangents(n_f, n_h, chord)
    c_f, c_h = _unit(np.cross(n_f, tangent)), _unit(np.cross(n_h, -tangent))
    slope = np.einsum("ij,ij->i", n_h, c_f)
    kind = np.where(slope < -SHARP_SINE, CONVEX, np.where(slope > SHARP_SINE, REENTRANT, TANGENT))
    smooth = np.flatnonzero(kind == TANGENT)
    rates = np.ones((len(chosen), 2))
    for side, (one, other, conormal) in enumerate(((f, h, c_f), (h, f, c_h))):
        rates[smooth, side] = _switch_rates(
            rows, one[smooth], other[smooth], conormal[smooth], middle[smooth]
        )
    same = smooth[np.max(np.abs(rates[smooth]), axis=1) * length[smooth] < SAME_SURFACE]
    kind[same] = SAME
    joined = np.flatnonzero(kind == TANGENT)
    middle[joined] = move_to_switch(rows, f[joined], h[joined], c_f[joined], middle[joined])
    links[chosen, EDGE_KIND] = kind
    edges[chosen, EDGE_CONORMALS : EDGE_CONORMALS + 3] = c_f
    edges[chosen, EDGE_CONORMALS + 3 : EDGE_CONORMALS + 6] = c_h
    edges[chosen, EDGE_RATES : EDGE_RATES + 2] = rates
    edges[chosen, EDGE_SAGITTA] = SAGITTA_MARGIN * np.linalg.norm(middle - (start + end) / 2, axis=1)
    links[chosen, EDGE_CURVE] = GENERAL
    straight = edges[chosen, EDGE_SAGITTA] < ROUNDING
    links[chosen[straight], EDGE_CURVE] = STRAIGHT
    if with_circles:
        _set_circles(edges, links, rows, chosen[~straight], middle[~straight])


def _tangents(n_f: Array, n_h: Array, chord: Array) -> Array:
    """Return the unit tangents of edges along their chords: normal to both faces where these are not parallel."""
    cross = np.cross(n_f, n_h)
    sine = np.linalg.norm(cross, axis=1)
    across = cross / np.where(sine > 0.0, sine, 1.0)[:, None]
    across *= np.where(np.einsum("ij,ij->i", across, chord) < 0.0, -1.0, 1.0)[:, None]
    return np.where((sine > SHARP_SINE)[:, None], across, chord)


def _switch_rates(rows: Array, f: Indices, h: Indices, conormals: Array, middle: Array) -> Array:
    """Return the rate [1/m] at which `c . (n_h - n_f)` grows into face f: the difference of the curvatures."""
    ahead = switch_values(rows, f, h, conormals, middle + STEP * conormals)
    behind = switch_values(rows, f, h, conormals, middle - STEP * conormals)
    return (ahead - behind) / (2 * STEP)


def _set_circles(edges: Array, links: Indices, rows: Array, chosen: Indices, middle: Array) -> None:
    """Mark edges that are arcs of a circle about the axis of one of their faces."""
    for row, point in zip(chosen, middle):
        faces = sorted(links[row, EDGE_FACES : EDGE_FACES + 2], key=lambda face: _axis_rank(rows[face]))
        centre, axis = rows[faces[0], FACE_POINT : FACE_POINT + 3], rows[faces[0], FACE_AXIS : FACE_AXIS + 3]
        if _axis_rank(rows[faces[0]]) == 1:  # a sphere's circle with a plane or a surface of revolution
            axis = rows[faces[1], FACE_AXIS : FACE_AXIS + 3]
            if _axis_rank(rows[faces[1]]) == 1:
                axis = _unit((rows[faces[1], FACE_POINT : FACE_POINT + 3] - centre)[None])[0]
        places = np.array(
            [edges[row, EDGE_START : EDGE_START + 3], edges[row, EDGE_END : EDGE_END + 3], point]
        )
        h = (places - centre) @ axis
        radii = np.linalg.norm(places - centre - h[:, None] * axis, axis=1)
        if np.ptp(h) < ROUNDING and np.ptp(radii) < ROUNDING:
            links[row, EDGE_CURVE] = CIRCULAR
            edges[row, EDGE_CENTRE : EDGE_CENTRE + 3] = centre + h[0] * axis
            edges[row, EDGE_AXIS : EDGE_AXIS + 3] = axis
            edges[row, EDGE_RADIUS] = radii[0]


def _axis_rank(row: Array) -> int:
    """Return 0 for a face with an axis of revolution, 1 for a sphere, 2 for a plane."""
    if row[FACE_KIND] == PLANE:
        return 2
    return 1 if row[FACE_KIND] == TORUS and row[FACE_A] == 0.0 else 0


def _unit(vectors: Array) -> Array:
    length = np.linalg.norm(vectors, axis=1)
    return np.asarray(vectors / np.where(length > 0.0, length, 1.0)[:, None])
