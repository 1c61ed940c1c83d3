"""Entry points of the geometry kernels."""

from softdock.geometry import kernels
from softdock.geometry.solids.kernels import distance, faces, rays, trimming
from softdock.geometry.solids.kernels.layout import (
    EDGE_COLUMNS,
    EDGE_LINK_COLUMNS,
    FACE_COLUMNS,
    LINK_COLUMNS,
    RESULT_COLUMNS,
    TRIANGLE_COLUMNS,
    VERTEX_COLUMNS,
    SolidArrays,
)
from softdock.native.argument_types import FLOAT, INTEGER, Memory, StructureArgument, floats, integers
from softdock.native.entry_point import EntryPoint

SOLID_ARRAYS = StructureArgument(
    SolidArrays,
    {
        "faces": floats("faces", FACE_COLUMNS, memory=Memory.MODEL),
        "triangles": floats("triangles", TRIANGLE_COLUMNS, memory=Memory.MODEL),
        "links": integers("triangles", LINK_COLUMNS, memory=Memory.MODEL),
        "edges": floats("edges", EDGE_COLUMNS, memory=Memory.MODEL),
        "edge_links": integers("edges", EDGE_LINK_COLUMNS, memory=Memory.MODEL),
        "vertices": floats("vertices", VERTEX_COLUMNS, memory=Memory.MODEL),
        "is_corner": integers("vertices", memory=Memory.MODEL),
        "boxes": floats("nodes", 6, memory=Memory.MODEL),
    },
)


def check_visited(solid: SolidArrays, visited: object, *_: object) -> str | None:
    """Return what is wrong with the size of `visited`; None if nothing is."""
    needed = len(solid.faces) + len(solid.edges) + len(solid.vertices)
    size = len(visited)  # type: ignore[arg-type]
    return None if size >= needed else f"visited has {size} entries, {needed} are needed"


_READ_POINTS = floats("points", 3, writable=False)

thinnest_wall = EntryPoint(
    kernels.thinnest_wall, floats("segments", 11, writable=False), floats("samples", 4), returns=FLOAT
)
depths_below_faces = EntryPoint(
    faces.depths_below_faces,
    floats("faces", FACE_COLUMNS, writable=False),
    integers("points", writable=False),
    _READ_POINTS,
    floats("points", RESULT_COLUMNS),
)
solid_depths = EntryPoint(
    distance.solid_depths,
    SOLID_ARRAYS,
    integers("visited"),
    _READ_POINTS,
    floats("points", RESULT_COLUMNS),
    integers("points", 2),
    check=check_visited,
)
walls_behind = EntryPoint(
    rays.walls_behind,
    SOLID_ARRAYS,
    integers("points", writable=False),
    _READ_POINTS,
    _READ_POINTS,
    floats("points"),
)
points_within_faces = EntryPoint(
    trimming.points_within_faces,
    SOLID_ARRAYS,
    integers("points", writable=False),
    _READ_POINTS,
    integers("points"),
)
find_crossings = EntryPoint(rays.find_crossings, SOLID_ARRAYS, integers("pairs", 2), returns=INTEGER)

ENTRY_POINTS = (
    thinnest_wall,
    depths_below_faces,
    solid_depths,
    points_within_faces,
    walls_behind,
    find_crossings,
)
