"""Entry points of the contact kernels."""

from softdock.contact.kernels import force, layout, motion_states, near_list, pin_rows, pins
from softdock.geometry.solids.kernels.layout import (
    EDGE_COLUMNS,
    EDGE_LINK_COLUMNS,
    FACE_COLUMNS,
    LINK_COLUMNS,
    TRIANGLE_COLUMNS,
    VERTEX_COLUMNS,
)
from softdock.geometry.solids.kernels.parameter_columns import FRAME_COLUMNS
from softdock.native.argument_types import (
    FLOAT,
    INTEGER,
    MATRIX,
    VECTOR,
    Memory,
    RecordArgument,
    StructureArgument,
    floats,
    integers,
    records,
)
from softdock.native.entry_point import EntryPoint

SOLID_TABLES = StructureArgument(
    layout.SolidTables,
    {
        "spans": records(layout.SPAN, "solids", memory=Memory.MODEL),
        "faces": floats("solid_faces", FACE_COLUMNS, memory=Memory.MODEL),
        "triangles": floats("solid_triangles", TRIANGLE_COLUMNS, memory=Memory.MODEL),
        "links": integers("solid_triangles", LINK_COLUMNS, memory=Memory.MODEL),
        "edges": floats("solid_edges", EDGE_COLUMNS, memory=Memory.MODEL),
        "edge_links": integers("solid_edges", EDGE_LINK_COLUMNS, memory=Memory.MODEL),
        "vertices": floats("solid_vertices", VERTEX_COLUMNS, memory=Memory.MODEL),
        "is_corner": integers("solid_vertices", memory=Memory.MODEL),
        "boxes": floats("solid_boxes", 6, memory=Memory.MODEL),
        "box_faces": integers("solid_boxes", memory=Memory.MODEL),
        "is_closure": integers("solid_faces", memory=Memory.MODEL),
        "groups": integers("solid_faces", memory=Memory.MODEL),
        "frames": floats("solid_faces", FRAME_COLUMNS, memory=Memory.MODEL),
        "patches": records(layout.PATCH, "solid_patches", memory=Memory.MODEL),
    },
)
CONTACT_ARRAYS = StructureArgument(
    layout.ContactArrays,
    {
        "pairs": records(layout.PAIR, "contacts", memory=Memory.MODEL),
        "segments": floats("segments", 11, memory=Memory.MODEL),
        "strips": records(layout.STRIP, "strips", memory=Memory.MODEL),
        "roots": floats("roots", 5, memory=Memory.MODEL),
        "nodes": records(layout.NODE, "nodes", memory=Memory.MODEL),
        "edges": floats("edges", 3, memory=Memory.MODEL),
        "solids": SOLID_TABLES,
    },
)
CONTACT_LISTS = StructureArgument(
    layout.ContactLists,
    {
        "blocks": records(layout.BLOCK, "contacts", "blocks", memory=Memory.LISTS),
        "work": records(layout.WORK, "contacts", memory=Memory.LISTS),
        "open_blocks": integers("contacts", "open_blocks", memory=Memory.LISTS),
        "skip_until": floats("spheres", memory=Memory.LISTS),
        "visited": integers("features", memory=Memory.LISTS),
    },
)


def check_lists(
    arrays: layout.ContactArrays, lists: layout.ContactLists, pair: int = 0, *_: object
) -> str | None:
    """Return what is wrong with the sizes of the near lists or with the index of a pair; None if nothing is."""
    needed = len(arrays.nodes) + len(arrays.roots)
    if len(lists.skip_until) < needed:
        return f"lists.skip_until has {len(lists.skip_until)} entries, {needed} are needed"
    if lists.open_blocks.shape[1] < 2 * layout.NEAR_TIMES:
        needed = 2 * layout.NEAR_TIMES
        return f"lists.open_blocks has {lists.open_blocks.shape[1]} columns, at least {needed} are needed"
    if isinstance(pair, int) and not 0 <= pair < max(len(arrays.pairs), 1):
        return f"there is no pair {pair}"
    return None


_PAIR = (CONTACT_ARRAYS, CONTACT_LISTS, INTEGER, MATRIX, VECTOR)  # arrays, lists, index of a pair, pose
_PIN_SHAPE = RecordArgument(pins.SHAPE)
_PIN_ROWS = floats(pin_rows.MAXIMUM_ROWS, pin_rows.COLUMNS)

evaluate = EntryPoint(
    force.evaluate,
    *_PAIR,
    VECTOR,
    VECTOR,
    floats(layout.OUTPUT_SIZE),
    returns=FLOAT,
    separate=True,
    check=check_lists,
)
motion_bound = EntryPoint(force.motion_bound, *_PAIR, returns=FLOAT, check=check_lists)
touching_cells = EntryPoint(
    force.touching_cells, *_PAIR, VECTOR, VECTOR, floats("rows", 12), returns=INTEGER, check=check_lists
)
rebuild = EntryPoint(near_list.rebuild, *_PAIR, FLOAT, check=check_lists)
rebuild_along = EntryPoint(
    near_list.rebuild_along, *_PAIR, MATRIX, VECTOR, FLOAT, separate=True, check=check_lists
)
manifold = EntryPoint(pins.manifold, _PIN_SHAPE, VECTOR, VECTOR, _PIN_ROWS, returns=INTEGER, separate=True)
add_forces = EntryPoint(
    pins.add_forces, _PIN_SHAPE, _PIN_ROWS, INTEGER, VECTOR, VECTOR, floats(pins.TOTALS_SIZE)
)
_STATES = floats("states", motion_states.STATE_SIZE, writable=False)
evaluate_states = EntryPoint(
    motion_states.evaluate_states,
    CONTACT_ARRAYS,
    CONTACT_LISTS,
    INTEGER,
    FLOAT,
    floats(1),
    _STATES,
    _STATES,
    floats("states", motion_states.RESULT_SIZE),
    returns=INTEGER,
    check=check_lists,
)

ENTRY_POINTS = (
    evaluate, motion_bound, touching_cells, rebuild, rebuild_along, manifold, add_forces, evaluate_states,
)  # fmt: skip
