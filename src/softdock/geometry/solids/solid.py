"""A solid as a list of exact faces, and its construction from triangles with the surfaces on which they lie."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from softdock.errors import InputError
from softdock.geometry.entry_points import points_within_faces, solid_depths
from softdock.geometry.facets import Facets
from softdock.geometry.solids.corners import facet_normals, set_corners, tips_on_axes
from softdock.geometry.solids.edges import EdgeSides, edge_rows, find_edges
from softdock.geometry.solids.exact_vertices import (
    faces_at_vertices,
    move_along_edge,
    move_to_faces,
    move_to_switch,
)
from softdock.geometry.solids.face_rows import face_depths, face_rows, orient_faces
from softdock.geometry.solids.kernels.layout import (
    EDGE_CONORMALS,
    EDGE_FACES,
    EDGE_KIND,
    EDGE_REACH,
    EDGE_SAGITTA,
    EDGE_VERTICES,
    FACE_KIND,
    FACETED,
    LINK_COLUMNS,
    LINK_EDGES,
    LINK_FACE,
    LINK_NEIGHBOURS,
    LINK_VERTICES,
    TANGENT,
    TRIANGLE_COLUMNS,
    TRIANGLE_CORNERS,
    TRIANGLE_NORMAL,
    TRIANGLE_SLACK,
    SolidArrays,
)
from softdock.geometry.solids.tree import tree_boxes, tree_order

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

LARGEST_MISFIT = 1e-4
"""Distance of the triangles' vertices from the exact surface of their face, relative to the size of the solid, above
which the surface is not used: it does not belong to the face."""
LEAST_REACH = 2e-9
"""Of edges [m]: twice the distance that the kernels allow for rounding."""
SLACK_MARGIN = 1.5
"""The largest distance between a triangle and its face over that at its centre and the middles of its sides."""


@dataclass(frozen=True, kw_only=True)
class SolidFace:
    """What is known of a face of a solid beside its row for the kernels."""

    kind: str
    """plane, cylinder, cone, sphere, torus, or `spline` and `facets` for faces that are approximated by triangles."""
    number: int
    """In the file, from 1."""
    name: str = ""
    """In the file; empty where it has none."""
    is_closure: bool = False
    """Whether the face only closes an open surface behind: nothing is known of it, and it has no cells."""

    @property
    def is_exact(self) -> bool:
        """Whether the surface is exact."""
        return self.kind not in ("spline", "facets")


@dataclass(frozen=True, kw_only=True, eq=False)
class Solid:
    """A closed solid of exact faces, in its own frame."""

    name: str
    arrays: SolidArrays
    faces: tuple[SolidFace, ...]
    moved: float
    """Largest distance [m] by which vertices of the triangles were moved onto exact faces."""
    residual: float
    """Largest distance [m] of a vertex from the exact faces that meet there."""

    @property
    def triangle_vertices(self) -> Indices:
        """Vertices of the triangles, shape (n, 3)."""
        return np.asarray(self.arrays.links[:, LINK_VERTICES : LINK_VERTICES + 3])

    @property
    def vertices(self) -> Array:
        """Positions of the vertices, shape (n, 3) [m]."""
        return np.asarray(self.arrays.vertices[:, :3])

    @property
    def face_of(self) -> Indices:
        """Face of each triangle, shape (n,)."""
        return np.asarray(self.arrays.links[:, LINK_FACE])

    @property
    def size(self) -> float:
        """Largest side of the bounding box [m]."""
        return float(np.ptp(self.vertices, axis=0).max())

    def depths(self, points: Array) -> Array:
        """Return depth [m] (positive inside) and its gradient at points (n, 3) [m], shape (n, 4)."""
        return self.depths_and_features(points)[0]

    def depths_and_features(self, points: Array) -> tuple[Array, Indices]:
        """Return what `depths` returns, and kind and number of the nearest features, shape (n, 2)."""
        arrays = self.arrays
        points = np.ascontiguousarray(points, float)
        results, features = np.zeros((len(points), 4)), np.zeros((len(points), 2), np.int64)
        visited = np.zeros(len(arrays.faces) + len(arrays.edges) + len(arrays.vertices), np.int64)
        solid_depths(arrays, visited, points, results, features)
        return results, features

    def are_within(self, index: Indices, points: Array) -> NDArray[np.bool_]:
        """Return whether points of the unbounded surfaces of faces, with numbers `index`, lie within the faces."""
        within = np.zeros(len(points), np.int64)
        points = np.ascontiguousarray(points, float)
        points_within_faces(self.arrays, np.ascontiguousarray(index, np.int64), points, within)
        return np.asarray(within == 1)


def neighbours_of(triangles: Indices) -> Indices:
    """Return the triangles beyond the sides of triangles, shape (n, 3); -1 where there is none or several."""
    base = int(triangles.max(initial=0)) + 1
    start, end = triangles, np.roll(triangles, -1, axis=1)
    forward, backward = (start * base + end).ravel(), (end * base + start).ravel()
    order = np.argsort(forward, kind="stable")
    place = np.searchsorted(forward[order], backward)
    place = np.minimum(place, len(order) - 1)
    found = forward[order][place] == backward
    unique, counts = np.unique(forward, return_counts=True)
    single = counts[np.searchsorted(unique, forward)] == 1
    neighbour = np.where(found & single, order[place] // 3, -1)
    return np.asarray(neighbour.reshape(triangles.shape), np.int64)


def build_solid(facets: Facets) -> Solid:
    """Return the solid of a closed body that a file describes. Raises InputError for an open shell."""
    if not facets.closed:
        raise InputError(f"{facets.name or 'The body'} is an open shell: it has no inside.")
    used = np.unique(facets.face_of)
    if used[0] < 0:  # a mesh: one faceted face
        faces: tuple[SolidFace, ...] = (SolidFace(kind="facets", number=1),)
        rows, face_of = face_rows([None]), np.zeros(len(facets.triangles), np.int64)
    else:
        exact = [facets.faces[k] for k in used]
        faces = tuple(
            SolidFace(kind="spline" if face is None else face.kind, number=int(k) + 1)
            for k, face in zip(used, exact)
        )
        rows, face_of = face_rows(exact), np.searchsorted(used, facets.face_of)
    return assemble_solid(facets.name, faces, rows, facets.vertices, facets.triangles, face_of)


def assemble_solid(
    name: str, faces: Sequence[SolidFace], rows: Array, vertices: Array, triangles: Indices, face_of: Indices
) -> Solid:
    """Return the solid of faces whose rows and triangles are known; vertices need single precision only."""
    faces, rows = _without_misfits(faces, rows, vertices, triangles, face_of)
    rows = orient_faces(rows, vertices[triangles], face_of)
    meeting = faces_at_vertices(triangles, face_of, len(vertices))
    exact = move_to_faces(rows, vertices, meeting)
    tips = tips_on_axes(rows, vertices, meeting)
    for v, tip in tips.items():
        exact[v] = tip
    neighbours = neighbours_of(triangles)
    found = find_edges(triangles, face_of, neighbours)
    edges, edge_links = edge_rows(rows, exact, triangles, face_of, found, with_circles=False)
    exact = _move_smooth_edges(rows, exact, meeting, edges, edge_links)
    edges, edge_links = edge_rows(rows, exact, triangles, face_of, found)
    normals = facet_normals(exact, triangles)
    is_corner = set_corners(rows, exact, normals, edges, edge_links)
    is_corner[list(tips)] = 1
    sides = _sides(found, len(triangles))
    slack = _slack(rows, exact, triangles, face_of, sides, edges)
    reach = _set_reach(edges, triangles, face_of, slack, sides)
    order = tree_order(exact[triangles])
    order = order[order < len(triangles)]
    arrays = SolidArrays(
        faces=np.ascontiguousarray(rows),
        triangles=_triangle_rows(exact, triangles, slack)[order],
        links=_link_rows(triangles, face_of, sides, neighbours, order),
        edges=edges,
        edge_links=edge_links,
        vertices=np.column_stack([exact, normals]),
        is_corner=is_corner,
        boxes=tree_boxes(exact[triangles][order], reach[order]),
    )
    return Solid(
        name=name,
        arrays=arrays,
        faces=tuple(faces),
        moved=float(np.linalg.norm(exact - vertices, axis=1).max()),
        residual=_residual(rows, exact, triangles, face_of),
    )


def _without_misfits(
    faces: Sequence[SolidFace], rows: Array, vertices: Array, triangles: Indices, face_of: Indices
) -> tuple[tuple[SolidFace, ...], Array]:
    """Return faces and rows; faces whose triangles do not lie on their surface become faceted."""
    index = np.repeat(face_of, 3)
    off = np.abs(face_depths(rows, index, vertices[triangles].reshape(-1, 3))[:, 0])
    worst = np.zeros(len(rows))
    np.maximum.at(worst, index, off)
    bad = worst > LARGEST_MISFIT * float(np.ptp(vertices, axis=0).max())
    rows = rows.copy()
    rows[bad, FACE_KIND] = FACETED
    faceted = rows[:, FACE_KIND] == FACETED
    return tuple(
        replace(face, kind="spline") if no and face.is_exact else face for face, no in zip(faces, faceted)
    ), rows


def _move_smooth_edges(
    rows: Array, vertices: Array, meeting: Sequence[Indices], edges: Array, links: Indices
) -> Array:
    """Return the vertices; those on smooth edges between two exact faces, and no other face, are moved onto these."""
    moved = vertices.copy()
    smooth = np.flatnonzero(links[:, EDGE_KIND] == TANGENT)
    for end in (0, 1):
        v = links[smooth, EDGE_VERTICES + end]
        chosen = np.array([len(meeting[i]) == 2 for i in v], bool)
        e, v = smooth[chosen], v[chosen]
        f, h = links[e, EDGE_FACES], links[e, EDGE_FACES + 1]
        conormals = edges[e, EDGE_CONORMALS : EDGE_CONORMALS + 3]
        moved[v] = move_to_switch(rows, f, h, conormals, vertices[v])
        _move_ends(rows, moved, meeting, smooth, links, end)
    return moved


def _move_ends(
    rows: Array, moved: Array, meeting: Sequence[Indices], smooth: Indices, links: Indices, end: int
) -> None:
    """Move vertices where a smooth edge ends at a third exact face along the curve of that face."""
    v = links[smooth, EDGE_VERTICES + end]
    chosen = np.array(
        [len(meeting[i]) == 3 and (rows[meeting[i], FACE_KIND] != FACETED).all() for i in v], bool
    )
    e, v = smooth[chosen], v[chosen]
    if not len(e):
        return
    f, h = links[e, EDGE_FACES], links[e, EDGE_FACES + 1]
    third = np.array([np.setdiff1d(meeting[i], [a, b])[0] for i, a, b in zip(v, f, h)])
    moved[v] = move_along_edge(rows, f, h, third, moved[v])


def _sides(found: EdgeSides, count: int) -> Indices:
    """Return the edge at each side of each triangle, shape (n, 3); -1 for none."""
    sides = np.full((count, 3), -1, np.int64)
    for k in (0, 1):
        sides[found.triangles[:, k], found.sides[:, k]] = np.arange(len(found.triangles))
    return sides


def _slack(
    rows: Array, vertices: Array, triangles: Indices, face_of: Indices, sides: Indices, edges: Array
) -> Array:
    """Return the largest distance [m] between each triangle and its part of the face, shape (n,), Eq. (G49)."""
    corners = vertices[triangles]
    samples = [corners.mean(axis=1), *((corners[:, k] + corners[:, (k + 1) % 3]) / 2 for k in range(3))]
    off = np.max([np.abs(face_depths(rows, face_of, places)[:, 0]) for places in samples], axis=0)
    if len(edges):
        off += np.where(sides >= 0, edges[sides, EDGE_SAGITTA], 0.0).max(axis=1)
    off[rows[face_of, FACE_KIND] == FACETED] = 0.0
    return np.asarray(SLACK_MARGIN * off)


def _set_reach(edges: Array, triangles: Indices, face_of: Indices, slack: Array, sides: Indices) -> Array:
    """Set the reach of edges, and return that of triangles [m], shape (n,), from the slack of the latter.

    A point that a triangle attributes to its face, although it lies beyond the boundary, must be within reach of the
    boundary: that of an edge follows from all triangles of its faces at its vertices. A triangle reaches as far as any
    triangle or edge of its face: the nearest one decides whether a point belongs to the face.
    """
    key = triangles * (int(face_of.max()) + 1) + face_of[:, None]
    unique, place = np.unique(key, return_inverse=True)
    largest = np.zeros(len(unique))
    np.maximum.at(largest, place.ravel(), np.repeat(slack, 3))
    around = largest[place.reshape(-1, 3)]
    at_sides = np.maximum(around, np.roll(around, -1, axis=1))
    owned = sides >= 0
    slackest = np.zeros(len(edges))
    np.maximum.at(slackest, sides[owned], at_sides[owned])
    edges[:, EDGE_REACH] = 2.0 * (edges[:, EDGE_SAGITTA] + slackest) + LEAST_REACH
    reach = np.where(owned, edges[sides, EDGE_REACH] if len(edges) else 0.0, 0.0).max(axis=1)
    widest = np.zeros(int(face_of.max()) + 1)
    np.maximum.at(widest, face_of, np.maximum(reach, 2.0 * slack))
    return np.asarray(widest[face_of])


def _triangle_rows(vertices: Array, triangles: Indices, slack: Array) -> Array:
    corners = vertices[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(normals, axis=1)
    rows = np.zeros((len(triangles), TRIANGLE_COLUMNS))
    rows[:, TRIANGLE_CORNERS : TRIANGLE_CORNERS + 9] = corners.reshape(-1, 9)
    rows[:, TRIANGLE_NORMAL : TRIANGLE_NORMAL + 3] = normals / np.where(length > 0.0, length, 1.0)[:, None]
    rows[:, TRIANGLE_SLACK] = slack
    return rows


def _link_rows(
    triangles: Indices, face_of: Indices, sides: Indices, neighbours: Indices, order: Indices
) -> Indices:
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    links = np.zeros((len(triangles), LINK_COLUMNS), np.int64)
    links[:, LINK_FACE] = face_of
    links[:, LINK_EDGES : LINK_EDGES + 3] = sides
    links[:, LINK_VERTICES : LINK_VERTICES + 3] = triangles
    links[:, LINK_NEIGHBOURS : LINK_NEIGHBOURS + 3] = np.where(neighbours >= 0, place[neighbours], -1)
    return np.ascontiguousarray(links[order])


def _residual(rows: Array, vertices: Array, triangles: Indices, face_of: Indices) -> float:
    depths = face_depths(rows, np.repeat(face_of, 3), vertices[triangles].reshape(-1, 3))
    return float(np.abs(depths[:, 0]).max(initial=0.0))
