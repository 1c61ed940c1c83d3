"""Records and arrays shared by the contact kernels.

Records contain arrays of fixed size, so that compiled loops over the cells of a block become vector instructions and
a record is one argument.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from softdock.native.simd import LANES

BLOCK_CELLS = 16  # cells in a block: a few vector registers, and little waste for small patches
REFINEMENT_LEVELS = 14  # halvings of a root cell in one direction
STACK_CELLS = 512  # cells that may wait to be examined
CUT_CELLS, POINTS = 0, 1  # PAIR.quadrature
DISTANCE, RADIAL = 0, 1  # PAIR.mapping
SMOOTH, RAMP, ELASTIC = 0, 1, 2  # PAIR.friction_law
NEAR_TIMES = 4  # groups of cells by when on the path they are near: middle, start, end, never
# BLOCK.facing: the segments of A that the cells of a block face. With the radial mapping a cell faces all of them.
FACES_ONE, FACES_SMOOTH_PAIR, FACES_SEVERAL, FACES_RADIALLY = 0, 1, 2, 3
# For a solid of any shape: FACES_ONE, FACES_SMOOTH_PAIR, the smallest of the depths below up to MOST_BRANCHES faces, or
# the depth below the nearest feature of all (`solid_depth`).
FACES_CONVEX, FACES_ANY = 4, 5
REVOLUTION, SOLID_PAIR = 0, 1  # PAIR.shape: two surfaces of revolution, or two solids of any shape
MOST_BRANCHES = 4  # faces that a block of FACES_CONVEX has at most
RECTANGLE, TRIANGLE = 0, 1  # PATCH.kind, BLOCK.cell_shape: cells with four points, with three
MIXED_BOX, EMPTY_BOX = -1, -2  # SolidTables.box_faces
NODE_ROWS = 96  # bounding spheres that may wait to be examined
CELL_ROWS, CELL_COLUMNS = 160, 22  # cells of a solid that may wait to be examined; columns: solids/cells.py

# Columns of STRIP.step_table: cosine and sine of half, quarter and Gauss steps along and around.
HALF_U, QUARTER_U, GAUSS_U, HALF_PHI, QUARTER_PHI, GAUSS_PHI = 0, 2, 4, 6, 8, 10

# Output row of `evaluate`: force on B [N], torque about A's origin [N m], energy [J], dissipation [W], contact area
# [m2], largest pressure [Pa], largest depth [m]; with tangential elasticity, friction over its limit, speed along the
# surface in the middle of the patch [m/s].
FORCE, TORQUE, ENERGY, DISSIPATION, CONTACT_AREA, PRESSURE, DEPTH = 0, 3, 6, 7, 8, 9, 10
FRICTION_USE, SLIDING_SPEED = 11, 12
OUTPUT_SIZE = 13

# Rows of WORK.patch_sums, sums over cells with the normal force N of each: of N n, of N, of N times the place relative
# to B's origin (3) and its square, of N times the square of the share of friction, areas that enter and that leave the
# contact per time, area.
PATCH_NORMAL, PATCH_LOAD, PATCH_MOMENT, PATCH_SECOND, PATCH_SLIP = 0, 3, 4, 7, 8
PATCH_ENTERING, PATCH_LEAVING, PATCH_AREA = 9, 10, 11
PATCH_SUMS = 12


def _record(floats: dict[str, tuple[int, ...]], ints: dict[str, tuple[int, ...]]) -> np.dtype[np.void]:
    fields = [(name, np.float64, shape) for name, shape in floats.items()]
    return np.dtype(fields + [(name, np.int64, shape) for name, shape in ints.items()])  # type: ignore[arg-type]


def _cache_aligned(record: np.dtype[np.void]) -> np.dtype[np.void]:
    """Return the record with vector fields first, so that no vector crosses a cache line."""
    fields = sorted(record.descr, key=lambda field: math.prod(field[2:][0] if field[2:] else ()) % LANES != 0)
    names, formats, offsets = [field[0] for field in fields], [record[field[0]] for field in fields], [0]
    for form in formats:
        offsets.append(offsets[-1] + form.itemsize)
    line = 8 * LANES
    layout = {
        "names": names,
        "formats": formats,
        "offsets": offsets[:-1],
        "itemsize": -(-offsets[-1] // line) * line,
    }
    return np.dtype(layout)  # type: ignore[call-overload,no-any-return]


PAIR = _record(
    {
        "stiffness": (),  # areal stiffness c [N/m3]
        "damping": (),  # d0/s0 [N s/m4]
        "damping_depth": (),  # s0 [m]
        "friction": (),  # coefficient
        "friction_speed": (),  # threshold v0 [m/s]
        "shear_stiffness": (),  # areal tangential stiffness c_t [N/m3]
        "bristle_stiffness": (),  # k_0, scale of the bristle [N/m]
        "resolution": (),  # F0/(pi c) of Eq. (C14) [m3]
        "smallest_cell": (),  # [m] smaller cells are not halved
    },
    {
        "first_segment": (),  # closed meridian of A: rows of ContactArrays.segments
        "last_segment": (),
        "root_node": (),  # root of B's tree of bounding spheres
        "quadrature": (),
        "mapping": (),
        "friction_law": (),
        "first_described": (),  # segments of A's profile; the others close the meridian
        "last_described": (),
        "first_segment_B": (),  # closed meridian of B
        "last_segment_B": (),
        "first_edge": (),  # sharp edges of B: rows of ContactArrays.edges
        "edge_count": (),
        "include_edges": (),  # 1: every evaluation includes depth and pressure at the sharp edges
        "sharp_A": (),  # 1: A has sharp edges
        "surface_kind": (),  # REVOLUTION or SOLID_PAIR
        "solid_A": (),  # of a pair of solids: rows of SolidTables.spans
        "solid_B": (),
    },
)
"""Contact law, resolution, variants and array indices of a pair."""

STRIP = _record(
    {
        "kind": (),  # LINE or ARC of geometry.kernels
        "axis_z": (),  # line: unit tangent; arc: centre [m]
        "axis_r": (),
        "radius": (),  # of an arc [m]
        "length": (),  # of a root cell along the meridian [m]
        "angle": (),  # of a root cell around the axis [rad]
        "step_table": (REFINEMENT_LEVELS, 12),
    },
    {"at_edge": ()},  # 1: the strip ends at a sharp edge
)
"""A piece of B's meridian, one root cell long."""

NODE = _record(
    {"x": (), "y": (), "z": (), "radius": ()},
    {"left": (), "right": (), "first_root": (), "root_count": ()},
)
"""A bounding sphere in B [m]; a leaf has left = -1 and contains root cells."""

BLOCK = _cache_aligned(
    _record(
        {
            "x": (4 * BLOCK_CELLS,),  # four Gauss points of each cell in B [m]
            "y": (4 * BLOCK_CELLS,),
            "z": (4 * BLOCK_CELLS,),
            "area": (BLOCK_CELLS,),  # [m2]; 0 for unused lanes
            "lower_weight": (BLOCK_CELLS,),  # weight w_- of Eq. (C8)
            "least_gap": (),  # [m] smallest gap of the cells
            # Bounds of Eq. (C26)
            "centre": (3,),  # in B [m]
            "normal": (3,),  # of A at the centre, in A
            "extent": (),  # distance of the farthest corner from the centre [m]
            "normal_spread": (),  # largest difference of the normals from `normal`
            "curvature": (),  # bound on A's curvature [1/m]
            "path_motion": (),  # largest motion along half the path [m]
            "corner_rise": (),  # rise of the highest corner between the positions of `separation`; b of Eq. (C33) [m]
            "separation": (3,),  # at most minus the highest corner at start, middle and end of the path [m]
        },
        {
            "first": (BLOCK_CELLS,),
            "last": (BLOCK_CELLS,),
            "facing": (),
            "count": (),
            # Of a solid: faces, the smooth edge between the first two, how many faces, shape of the cells, NEAR_TIMES
            "faces": (MOST_BRANCHES,),
            "edge": (),
            "branches": (),
            "cell_shape": (),
            "near_time": (),
        },
    )
)
"""Cells of B that face the same segments first..last, or the same faces, of A."""

SPAN = _record(
    {"slack": ()},  # largest distance between triangles and the faces that they stand for [m]
    dict.fromkeys(
        (
            "first_face",
            "last_face",
            "first_triangle",
            "last_triangle",
            "first_edge",
            "last_edge",
            "first_vertex",
            "last_vertex",
            "first_box",
            "last_box",
        ),
        (),
    ),
)
"""Rows of SolidTables that belong to a solid; the last ones are excluded."""

PATCH = _record(
    # Rectangle: parameters from u, to u, from v, to v. Triangle: its corners [m].
    {"values": (9,)},
    # Faces are rows of the solid; beyond the sides of a triangle, side k leads from corner k to k + 1: -1 for none.
    {"kind": (), "face": (), "neighbours": (3,)},
)
"""A root cell of a solid."""

WORK = _cache_aligned(
    _record(
        {
            "clearance": (),  # motion beside the path before any force can begin [m]
            "reach": (),  # motion beside the path for which the list is complete [m]
            "odometer": (),  # accumulated motion between the lists of a run [m]
            "nearest_distance": (),  # distance from A of the nearest point of B [m]
            "nearest_point": (3,),  # in B [m]
            # The path: pose in its middle and half the change of pose along it, Eq. (C31)
            "R_AB": (3, 3),
            "p_AB_A": (3,),
            "half_R": (3, 3),
            "half_p": (3,),
            "path_turn": (),  # norm of half_R [rad]
            "path_motion": (),  # largest motion of B along half the path [m]
            # For the bounding sphere of B, Eqs. (C19) and (C32)
            "centre_motion": (3,),  # of its centre along half the path [m]
            "rotation_arm": (),  # its radius; over sqrt(2) for two rotations [m]
            "path_scale": (),  # inverse of the denominator of Eq. (C32) [1/m2]
            # Cells that wait, and the batch of cells that are examined; columns and rows: cell_batch, gauss_points
            "cell_stack": (STACK_CELLS + LANES, 11),
            "cell_vectors": (44, LANES),
        }
        # Points of a block in A: coordinates, squared radius, depth, gradient (k x, k y, n)
        | dict.fromkeys(("x", "y", "z", "q", "s", "k", "n"), (4 * BLOCK_CELLS,))
        # Forces, torques, areas and pressures of the cells of a block
        | dict.fromkeys(
            ("f_x", "f_y", "f_z", "t_x", "t_y", "t_z", "touching", "pressure"),
            (BLOCK_CELLS,),
        )
        # Areas of cells; of parts of cells of solids: mean of half the squared depth, fraction that touches, depth
        | dict.fromkeys(("area", "E", "covered", "deepest"), (BLOCK_CELLS,))
        # Stress centres, normals, mean depth W, damping D and change of the touching part of the cells of a block
        | dict.fromkeys(("c_x", "c_y", "c_z", "n_x", "n_y", "n_z", "W", "D", "edge"), (BLOCK_CELLS,))
        # Stiffness and damping of a pair, Eq. (C40)
        | dict.fromkeys(("force_rows", "slip_rows", "normal_rows"), (6, LANES))
        | {"factors": (4, LANES), "sum_drag": (10, LANES), "patch_sums": (PATCH_SUMS, LANES)}
        | dict.fromkeys(("sum_K", "sum_D"), (36, LANES))
        | {
            "sums": (OUTPUT_SIZE, LANES),
            # The path for SIMD code, three lanes each: columns of R_AB, p_AB_A, half_R, half_p; centre_motion
            "columns": (9, LANES),
            # Solids: cells that wait; depth and gradient of the points of a block below each branch; polygons
            "patch_stack": (CELL_ROWS, CELL_COLUMNS),
            "cell_nodes": (12, 3),
            "node_cells": (
                NODE_ROWS,
                CELL_COLUMNS,
            ),  # bounding spheres that wait, with the faces that they face
            "branch_s": (MOST_BRANCHES, 4 * BLOCK_CELLS),
            "branch_x": (MOST_BRANCHES, 4 * BLOCK_CELLS),
            "branch_y": (MOST_BRANCHES, 4 * BLOCK_CELLS),
            "branch_z": (MOST_BRANCHES, 4 * BLOCK_CELLS),
            "linear": (MOST_BRANCHES, 3),
            "polygon": (4, 16),
            # The patch of a contact with tangential elasticity, at the last evaluation; Eq. (C62)
            "patch_normal": (3,),  # unit vector in A
            "patch_centre": (3,),  # in A, relative to B's origin [m]
            "patch_load": (),  # normal force [N]; 0 where nothing touches
            "patch_area": (),  # [m2]
            "patch_radius": (),  # of gyration of the normal force [m]
            "patch_alignment": (),  # part of the bristle that acts where normals differ: 1 for a flat patch
            "patch_slip": (),  # root mean square of the share of friction, 0 at rest, 1 where all cells slide
            "patch_renewal": (),  # rate at which material of the patch is replaced [1/s]
        },
        {
            "node_stack": (NODE_ROWS, 3),
            "block_count": (),
            "cell_count": (),
            "faces_closure": (),  # 1: a cell faces a segment that closes the meridian of A
            "near_edge": (),  # 1: a cell is next to a sharp edge of B
            "stored": (),  # lanes with cells, or parts of cells, after `evaluate_block`
            # Faces near a cell: how many, which, a smooth edge; flags: other edges, a corner
            "near_faces": (MOST_BRANCHES + 1,),
            "near_count": (),
            "near_smooth_edge": (),
            "near_other_edge": (),
        },
    )
)
"""State of a near list and scratch memory of a pair."""


class SolidTables(NamedTuple):
    """All solids of the contact pairs: the arrays of SolidArrays one after the other, parameters and root cells."""

    spans: NDArray[np.void]
    """(solids,) of SPAN."""
    faces: NDArray[np.float64]
    triangles: NDArray[np.float64]
    links: NDArray[np.int64]
    edges: NDArray[np.float64]
    edge_links: NDArray[np.int64]
    vertices: NDArray[np.float64]
    is_corner: NDArray[np.int64]
    boxes: NDArray[np.float64]
    box_faces: NDArray[np.int64]
    """(boxes,): the face of all triangles in a box if none of them has an edge or corner of the solid, MIXED_BOX, or
    EMPTY_BOX."""
    is_closure: NDArray[np.int64]
    """(faces,): 1 where a face only closes an open surface behind."""
    groups: NDArray[np.int64]
    """(faces,): bit k is set where a face belongs to group k of faces of solid A (ContactPair.face_groups)."""
    frames: NDArray[np.float64]
    """(faces, FRAME_COLUMNS): frames of the parameters of faces."""
    patches: NDArray[np.void]
    """(n,) of PATCH: root cells of the solids B, in the order of their trees of bounding spheres."""


class ContactArrays(NamedTuple):
    """All contact pairs of a system, constant during a run; pairs refer to the arrays by offsets."""

    pairs: NDArray[np.void]
    """(pairs,) of PAIR."""
    segments: NDArray[np.float64]
    """(n, 11): closed meridians of A and B of each pair, rows of `profile_array`."""
    strips: NDArray[np.void]
    """(n,) of STRIP: meridians of the bodies B."""
    roots: NDArray[np.float64]
    """(n, 5): root cells of the bodies B: strip, position along it (two numbers), cosine and sine of the azimuth."""
    nodes: NDArray[np.void]
    """(n,) of NODE: trees of bounding spheres over the root cells."""
    edges: NDArray[np.float64]
    """(n, 3): sharp edges of the bodies B: z and radius [m], and 1 for an open end of the meridian."""
    solids: SolidTables


class ContactLists(NamedTuple):
    """Near lists (neighbour lists) of all pairs; each run has its own."""

    blocks: NDArray[np.void]
    """(pairs, capacity) of BLOCK."""
    work: NDArray[np.void]
    """(pairs,) of WORK."""
    open_blocks: NDArray[np.int64]
    """(pairs, n): block to be filled, for each segment of A or smooth joint of two, and each of NEAR_TIMES."""
    skip_until: NDArray[np.float64]
    """(nodes + roots,): odometer reading [m] up to which a bounding sphere or root cell cannot touch."""
    visited: NDArray[np.int64]
    """(n + 1,): number of the last search for a nearest feature that looked at a face, edge or vertex of a solid; last,
    how many searches there were."""
