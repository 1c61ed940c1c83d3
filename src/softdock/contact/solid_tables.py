"""Arrays of the solids of contact pairs for the kernels: faces, triangles, root cells and their bounding spheres."""

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from softdock.contact.kernels import layout
from softdock.contact.kernels.layout import SolidTables
from softdock.geometry.solids.cells import Cells, face_cells
from softdock.geometry.solids.kernels.layout import (
    EDGE_COLUMNS,
    EDGE_FACES,
    EDGE_KIND,
    EDGE_LINK_COLUMNS,
    FACE_COLUMNS,
    LEAF_TRIANGLES,
    LINK_COLUMNS,
    LINK_EDGES,
    LINK_FACE,
    LINK_VERTICES,
    SAME,
    TRIANGLE_COLUMNS,
    TRIANGLE_SLACK,
    VERTEX_COLUMNS,
)
from softdock.geometry.solids.kernels.parameter_columns import FRAME_COLUMNS
from softdock.geometry.solids.parameters import face_points
from softdock.geometry.solids.solid import Solid

Array = NDArray[np.float64]
Records = NDArray[np.void]

TRIANGLE_MARGIN = 1.25
"""Radius of a triangular root cell over the distance of its farthest corner: its sides and its face are curved."""
TABLES: dict[str, NDArray[Any]] = {
    "faces": np.zeros((0, FACE_COLUMNS)),
    "triangles": np.zeros((0, TRIANGLE_COLUMNS)),
    "links": np.zeros((0, LINK_COLUMNS), np.int64),
    "edges": np.zeros((0, EDGE_COLUMNS)),
    "edge_links": np.zeros((0, EDGE_LINK_COLUMNS), np.int64),
    "vertices": np.zeros((0, VERTEX_COLUMNS)),
    "is_corner": np.zeros(0, np.int64),
    "boxes": np.zeros((0, 6)),
}
"""Tables of SolidArrays without rows."""


class RootCells(NamedTuple):
    """Root cells of a solid, with their bounding spheres."""

    frames: Array
    """Shape (faces, FRAME_COLUMNS)."""
    patches: Records
    centres: Array
    """Shape (n, 3) [m]."""
    radii: Array


@functools.lru_cache(maxsize=64)
def root_cells(solid: Solid, size: float) -> RootCells:
    """Return the root cells of a solid, of at most about `size` [m]; faces that only close a surface have none."""
    cells = face_cells(solid, size, skip_unfollowed=True)
    closures = [k for k, face in enumerate(solid.faces) if face.is_closure]
    parts = [_rectangles(cells), _triangles(cells), _facets(cells), _mesh_triangles(solid, cells.unfollowed)]
    patches, centres, radii = (np.concatenate([part[k] for part in parts]) for k in range(3))
    kept = ~np.isin(patches["face"], closures)
    return RootCells(cells.frames, patches[kept], centres[kept], radii[kept])


def _rectangles(cells: Cells) -> tuple[Records, Array, Array]:
    patches = np.zeros(len(cells.rectangles), layout.PATCH)
    patches["kind"], patches["face"] = layout.RECTANGLE, cells.rectangle_faces
    patches["values"][:, :4], patches["neighbours"] = cells.rectangles, -1
    centres, radii = np.zeros((len(patches), 3)), np.zeros(len(patches))
    for f in np.unique(cells.rectangle_faces):
        chosen = np.flatnonzero(cells.rectangle_faces == f)
        u_0, u_1, v_0, v_1 = cells.rectangles[chosen].T
        centre = face_points(cells.frames[f], (u_0 + u_1) / 2, (v_0 + v_1) / 2)
        corners = [face_points(cells.frames[f], u, v) for u in (u_0, u_1) for v in (v_0, v_1)]
        centres[chosen] = centre
        radii[chosen] = np.max([np.linalg.norm(corner - centre, axis=1) for corner in corners], axis=0)
    return patches, centres, radii


def _triangles(cells: Cells) -> tuple[Records, Array, Array]:
    corners = np.zeros((len(cells.triangles), 3, 3))
    for f in np.unique(cells.triangle_faces):
        chosen = cells.triangle_faces == f
        corners[chosen] = face_points(
            cells.frames[f], cells.triangles[chosen, :, 0], cells.triangles[chosen, :, 1]
        )
    return _triangular(corners, cells.triangle_faces, cells.neighbours)


def _facets(cells: Cells) -> tuple[Records, Array, Array]:
    return _triangular(cells.facets, cells.facet_faces, np.full((len(cells.facets), 3), -1))


def _mesh_triangles(solid: Solid, faces: tuple[int, ...]) -> tuple[Records, Array, Array]:
    """Return the triangles of the file of some faces; their corners, and those of their parts, lie on the faces."""
    chosen = np.flatnonzero(np.isin(solid.face_of, faces))
    links, edge_links = solid.arrays.links[chosen], solid.arrays.edge_links
    sides = links[:, LINK_EDGES : LINK_EDGES + 3]
    neighbours = np.full(sides.shape, -1, np.int64)
    if len(edge_links):
        meeting = edge_links[sides][:, :, EDGE_FACES : EDGE_FACES + 2]
        own = links[:, LINK_FACE, None]
        other = np.where(meeting[:, :, 0] == own, meeting[:, :, 1], meeting[:, :, 0])
        bounded = (sides >= 0) & (edge_links[sides][:, :, EDGE_KIND] != SAME)
        neighbours = np.where(bounded, other, -1)
    corners = solid.arrays.triangles[chosen, :9].reshape(-1, 3, 3)
    return _triangular(corners, solid.face_of[chosen], neighbours)


def _triangular(
    corners: Array, faces: NDArray[np.int64], neighbours: NDArray[np.int64]
) -> tuple[Records, Array, Array]:
    patches = np.zeros(len(corners), layout.PATCH)
    patches["kind"], patches["face"] = layout.TRIANGLE, faces
    patches["values"], patches["neighbours"] = corners.reshape(-1, 9), neighbours
    centres = corners.mean(axis=1)
    radii = np.linalg.norm(corners - centres[:, None], axis=2).max(axis=1, initial=0.0)
    return patches, centres, TRIANGLE_MARGIN * radii


Groups = tuple[tuple[int, ...], ...]
"""Groups of faces, by their indices."""


def solid_tables(
    solids: Sequence[Solid], frames: Sequence[Array], groups: Sequence[Groups], patches: Sequence[Records]
) -> SolidTables:
    """Return the tables of solids one after the other; `frames` of each, zeros for solids without cells."""
    spans = np.zeros(len(solids), layout.SPAN)
    columns = {name: [empty] for name, empty in TABLES.items()}
    counts = dict.fromkeys(("face", "triangle", "edge", "vertex", "box"), 0)
    for span, solid in zip(spans, solids):
        arrays = solid.arrays
        span["slack"] = arrays.triangles[:, TRIANGLE_SLACK].max()
        for name, table in (
            ("face", arrays.faces),
            ("triangle", arrays.triangles),
            ("edge", arrays.edges),
            ("vertex", arrays.vertices),
            ("box", arrays.boxes),
        ):
            span[f"first_{name}"] = counts[name]
            counts[name] += len(table)
            span[f"last_{name}"] = counts[name]
        for name in TABLES:
            columns[name].append(getattr(arrays, name))
    joined: dict[str, Any] = {k: np.ascontiguousarray(np.concatenate(parts)) for k, parts in columns.items()}
    closures = [np.array([face.is_closure for face in solid.faces], np.int64) for solid in solids]
    return SolidTables(
        spans=spans,
        **joined,
        box_faces=np.concatenate([np.zeros(0, np.int64), *map(_box_faces, solids)]),
        is_closure=np.concatenate([np.zeros(0, np.int64), *closures]),
        groups=np.concatenate([np.zeros(0, np.int64), *map(_group_bits, solids, groups)]),
        frames=np.concatenate([np.zeros((0, FRAME_COLUMNS)), *frames]),
        patches=np.concatenate([np.zeros(0, layout.PATCH), *patches]),
    )


def _box_faces(solid: Solid) -> NDArray[np.int64]:
    """Return the column `box_faces` of SolidTables."""
    links, count = solid.arrays.links, len(solid.arrays.boxes)
    is_inner = (links[:, LINK_EDGES : LINK_EDGES + 3] < 0).all(axis=1)
    is_inner &= (solid.arrays.is_corner[links[:, LINK_VERTICES : LINK_VERTICES + 3]] == 0).all(axis=1)
    leaves = np.full((count - count // 2) * LEAF_TRIANGLES, layout.EMPTY_BOX)
    leaves[: len(links)] = np.where(is_inner, links[:, LINK_FACE], layout.MIXED_BOX)
    out = np.full(count, layout.EMPTY_BOX, np.int64)
    out[count // 2 :] = functools.reduce(_common_face, leaves.reshape(-1, LEAF_TRIANGLES).T)
    for node in range(count // 2 - 1, -1, -1):
        out[node] = _common_face(out[2 * node + 1], out[2 * node + 2])
    return out


def _common_face(first: Any, second: Any) -> Any:
    """Return the face of the triangles of two boxes."""
    other = np.where(second == layout.EMPTY_BOX, first, layout.MIXED_BOX)
    return np.where(first == layout.EMPTY_BOX, second, np.where(first == second, first, other))


def _group_bits(solid: Solid, groups: Groups) -> NDArray[np.int64]:
    bits = np.zeros(len(solid.faces), np.int64)
    for k, faces in enumerate(groups):
        bits[list(faces)] |= 1 << k
    return bits


def feature_count(tables: SolidTables) -> int:
    """Return the largest number of faces, edges and vertices of a solid, plus one."""
    spans = tables.spans
    counts = sum(spans[f"last_{name}"] - spans[f"first_{name}"] for name in ("face", "edge", "vertex"))
    return 1 + (int(np.max(counts)) if len(spans) else 0)
