"""The arrays that the contact kernels share.

Records with nested arrays: their sizes are known when the kernels are compiled, so that the loops over the
lanes of a block become vector instructions, and one record is one argument.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from softdock.native.simd import LANES

BLOCK_CELLS = 16  # cells in a block: a few vector registers, and little waste where a patch is small
REFINEMENT_LEVELS = 14  # of halving a root cell
CUT_CELLS, POINTS = 0, 1  # quadrature
DISTANCE, RADIAL = 0, 1  # mapping
SMOOTH, RAMP = 0, 1  # friction law
NEAR_TIMES = 4  # groups of cells by when on the path they are near
FACES_ONE, FACES_SMOOTH_PAIR, FACES_SEVERAL, FACES_RADIALLY = (
    0,
    1,
    2,
    3,
)  # which segments of A the cells of a block face

# Columns of Strip.steps: cosine and sine of half, quarter and Gauss steps along and around
HALF_U, QUARTER_U, GAUSS_U, HALF_PHI, QUARTER_PHI, GAUSS_PHI = 0, 2, 4, 6, 8, 10

# The row that `evaluate` fills
FORCE, TORQUE, ENERGY, DISSIPATION, CONTACT_AREA, PRESSURE, DEPTH = 0, 3, 6, 7, 8, 9, 10
OUTPUT_SIZE = 11


def _record(floats: dict[str, tuple[int, ...]], ints: dict[str, tuple[int, ...]]) -> np.dtype[np.void]:
    fields = [(name, np.float64, shape) for name, shape in floats.items()]
    return np.dtype(fields + [(name, np.int64, shape) for name, shape in ints.items()])  # type: ignore[arg-type]


def _cache_aligned(record: np.dtype[np.void]) -> np.dtype[np.void]:
    """Return the same fields with those for vectors first, so that none lies across two lines of the cache."""
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
    dict.fromkeys(
        (
            "stiffness",
            "damping",
            "damping_depth",
            "friction",
            "friction_speed",
            "resolution",
            "smallest_cell",
        ),
        (),
    ),
    dict.fromkeys(("first_segment", "last_segment", "root_node", "quadrature", "mapping", "friction_law"), ())
    | dict.fromkeys(("first_described", "last_described", "first_segment_B", "last_segment_B"), ())
    | dict.fromkeys(("first_edge", "edge_count", "include_edges"), ()),
)
"""Law and resolution of a pair (SI), where its data are and which variants it uses. `damping` is d0/s0.

Segments of A from first to last, those that its meridian describes (the others close it), the segments of B and its
sharp edges. `sharpen`: 1 where every evaluation tells depth and pressure at these edges, 0 where it is asked for them.
"""

STRIP = _record(
    dict.fromkeys(("kind", "axis_z", "axis_r", "radius", "length", "angle"), ())
    | {"step_table": (REFINEMENT_LEVELS, 12)},
    {"at_edge": ()},
)
"""A piece of B's meridian: line (`axis`: tangent) or arc (`axis`: centre), length [m], angle of a root; `at_edge` is 1
where it ends at a sharp edge."""

NODE = _record(
    {"x": (), "y": (), "z": (), "radius": ()},
    dict.fromkeys(("left", "right", "first_root", "root_count"), ()),
)
"""A bounding sphere in B [m]; a leaf has left = -1 and owns roots."""

BLOCK = _cache_aligned(
    _record(
        dict.fromkeys(("x", "y", "z"), (4 * BLOCK_CELLS,))
        | {"area": (BLOCK_CELLS,), "lower_weight": (BLOCK_CELLS,), "least_gap": ()}
        | {
            "centre": (3,),
            "normal": (3,),
            "extent": (),
            "normal_spread": (),
            "curvature": (),
            "path_motion": (),
            "corner_rise": (),
        }
        | {"separation": (3,)},
        {"first": (BLOCK_CELLS,), "last": (BLOCK_CELLS,), "facing": (), "count": ()},
    )
)
"""Cells of B that face the same segment of A: four points each in B [m], area, weight, least gap [m].

Then what tells how far a small motion can press the block: its middle in B and its size [m], A's normal there (in A)
and the spread of normals over the block, how much A may bend [1/m], how far the block gets along half the path [m], and
how far its nearest corner is from A at the start, in the middle and at the end of the path, and less between them [m].
"""

WORK = _cache_aligned(
    _record(
        {"clearance": (), "reach": (), "odometer": (), "nearest_distance": (), "nearest_point": (3,)}
        | {
            "R_AB": (3, 3),
            "p_AB_A": (3,),
            "half_R": (3, 3),
            "half_p": (3,),
            "path_turn": (),
            "path_motion": (),
        }
        | {"centre_motion": (3,), "rotation_arm": (), "path_scale": (), "cell_stack": (64, 8)}
        | dict.fromkeys(("x", "y", "z", "q", "s", "k", "n"), (4 * BLOCK_CELLS,))
        | dict.fromkeys(
            ("f_x", "f_y", "f_z", "t_x", "t_y", "t_z", "touching", "pressure"),
            (BLOCK_CELLS,),
        )
        | dict.fromkeys(("c_x", "c_y", "c_z", "n_x", "n_y", "n_z", "W", "D"), (BLOCK_CELLS,))
        | dict.fromkeys(("force_rows", "slip_rows", "normal_rows"), (6, LANES))
        | {"factors": (4, LANES), "sum_drag": (10, LANES)}
        | dict.fromkeys(("sum_K", "sum_D"), (36, LANES))
        | {"sums": (OUTPUT_SIZE, LANES), "columns": (9, LANES)},
        {"node_stack": (96, 3), "block_count": (), "cell_count": (), "faces_closure": (), "near_edge": ()},
    )
)
"""State of a near list and room for work.

The pose in the middle of the path that the list serves, half the change of pose along it with its turn [rad] and the
motion it means for B at most [m], for the ball around B (its centre, its radius as a lever, one over the square of
both); reach, clearance, odometer, and the point of B nearest to A with its distance [m]; `beyond` is 1 where some cell
faces what closes the meridian of A, `near_edge` where some cell is next to a sharp edge of B.

`columns` has the path once more for the lanes: the columns of R_AB, then p_AB_A, each in the first three lanes; then
half the change of each along the path, and that of the centre of the ball.
"""


class ContactArrays(NamedTuple):
    """All contact pairs of a system, constant during a run; pairs share the arrays by offsets."""

    pairs: NDArray[np.void]
    """(pairs,) of PAIR."""
    segments: NDArray[np.float64]
    """(n, 11): meridians of the bodies, that of A and then that of B of each pair, rows of `profile_array`."""
    strips: NDArray[np.void]
    """(n,) of STRIP: meridians of the bodies B."""
    roots: NDArray[np.float64]
    """(n, 5): largest cells of the bodies B: strip, place along it (two numbers), cosine and sine around."""
    nodes: NDArray[np.void]
    """(n,) of NODE: trees over the roots."""
    edges: NDArray[np.float64]
    """(n, 3): sharp edges of the bodies B: z and radius [m], and 1 for an open end of the meridian."""


class ContactLists(NamedTuple):
    """Near lists of all pairs; owned by one run."""

    blocks: NDArray[np.void]
    """(pairs, capacity) of BLOCK."""
    work: NDArray[np.void]
    """(pairs,) of WORK."""
    open_blocks: NDArray[np.int64]
    """(pairs, n): block under construction for each segment of A or joint of two and each time when cells are near."""
    skip_until: NDArray[np.float64]
    """(nodes + roots,): reading of the pair's odometer [m] before which a sphere or root cannot touch."""
