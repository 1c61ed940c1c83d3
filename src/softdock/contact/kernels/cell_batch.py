"""A batch of eight cells of B in SIMD lanes: their positions in A, and the variation of the depth across them."""

import math

from softdock.contact.kernels.cell_geometry import meridian_point
from softdock.contact.kernels.depth_variation import (
    depth_variation,
    limited_inverse_sqrt,
    local_axes,
    square_root,
    unbounded_segment,
)
from softdock.contact.kernels.layout import RADIAL, STACK_CELLS
from softdock.contact.kernels.point_depths import points_in_A
from softdock.geometry.kernels import (
    AXIS_R,
    AXIS_Z,
    KIND,
    LENGTH,
    LINE,
    SENSE,
    START_R,
    START_Z,
    depth,
    narrow_segments,
)
from softdock.native.decorators import inline, kernel
from softdock.native.simd import LANES, fma, load, maximum, store

# Columns of WORK.cell_stack: position on the strip (2), cosine and sine around, levels along and around, size along
# [m] and around [rad], segments of A, root cell.
POSITION, AZIMUTH, LEVEL_ALONG, LEVEL_AROUND = 0, 2, 4, 5
SIZE_ALONG, SIZE_AROUND, FIRST, LAST, ROOT = 6, 7, 8, 9, 10
BATCH = STACK_CELLS  # first row of the cells that are examined
# Rows of WORK.cell_vectors. Cells: middle in B [m], azimuth, tangent and curvature of the meridian, size.
Z, RHO, COSINE, SINE, TANGENT_Z, TANGENT_R, CURVATURE_B, LENGTH_B, ANGLE = 0, 1, 2, 3, 4, 5, 6, 7, 8
SEGMENT = 9  # seven rows: columns of the segments of A
# Results: middle in A, bounding radius, motion along half the path, depth below all
# segments (only of cells that face several) and below the first [m].
Z_A, R_A, BOUNDING_RADIUS, PATH_MOTION, DEPTH, DEPTH_FIRST = 16, 17, 18, 19, 20, 21
# Results of `depth_variation`, the largest over the segments.
DEEPEST, RISE, SLOPE_U, SLOPE_PHI, SECOND_DIFFERENCE_U, SECOND_DIFFERENCE_PHI = 22, 23, 24, 25, 26, 27
DIFFERENCE_UNCERTAINTY_U, DIFFERENCE_UNCERTAINTY_PHI = 28, 29
# Bounds on the depth of the four children of a cell, Eq. (C23): at lower and upper u for the lower
# half around the axis, then for the upper half.
CHILDREN = 40


@kernel
def measure_batch(arrays, lists, pair, R_AB, p_AB_A, half_R, half_p, count, enough):
    """Write positions and depth variations of the first `count` cells of the batch to `cell_vectors`.

    Cells that may be nearer than `enough` [m] are narrowed to the segments of A that they face.
    """
    data, work = arrays.pairs[pair], lists.work[pair]
    V, turn, reach = work["cell_vectors"], work["path_turn"], work["reach"]
    turn_most = turn + reach / arrays.nodes[data["root_node"]]["radius"]
    load_cells(arrays, work["cell_stack"], V, count)
    e, t = (load(V, COSINE, 0), load(V, SINE, 0)), (load(V, TANGENT_Z, 0), load(V, TANGENT_R, 0))
    rho, h_u, angle = load(V, RHO, 0), load(V, LENGTH_B, 0), load(V, ANGLE, 0)
    x_B, y_B, z_B = rho * e[0], rho * e[1], load(V, Z, 0)
    x, y, z = points_in_A(R_AB, p_AB_A, x_B, y_B, z_B)
    square = fma(x, x, y * y)
    inverse_r = limited_inverse_sqrt(square)
    r = square * inverse_r
    d_x, d_y, d_z = points_in_A(half_R, half_p, x_B, y_B, z_B)
    drift = square_root(fma(d_x, d_x, fma(d_y, d_y, d_z * d_z)))
    half = 0.5 * square_root(fma(h_u, h_u, rho * fma(0.5, h_u, rho) * angle * angle))  # Eq. (C15)
    span = fma(turn, half, half + drift)
    store(V, Z_A, 0, z)
    store(V, R_A, 0, r)
    store(V, BOUNDING_RADIUS, 0, half)
    store(V, PATH_MOTION, 0, drift)
    axes = local_axes(R_AB, x, y, inverse_r, e, t)
    place = (r, inverse_r, d_z, inverse_r * fma(x, d_x, y * d_y), drift, half, span, reach + drift)
    cell = (rho, h_u, angle, t[1], load(V, CURVATURE_B, 0))
    clear_results(V)
    most = narrow_facing_segments(arrays.segments, work, count, data["mapping"] == RADIAL, enough)
    for k in range(most):
        load_segments(arrays.segments, work["cell_stack"], V, count, k)
        segment = unbounded_segment(
            load(V, SEGMENT, 0), load(V, SEGMENT + 1, 0), load(V, SEGMENT + 2, 0), load(V, SEGMENT + 3, 0),
            load(V, SEGMENT + 4, 0), load(V, SEGMENT + 5, 0), load(V, SEGMENT + 6, 0), z, r, span,
        )  # fmt: skip
        deepest, taylor, rise, slope, second_difference, uncertainty = depth_variation(
            segment, place, cell, axes, turn, turn_most
        )
        if k == 0:
            store(V, DEPTH_FIRST, 0, segment[0])
            store(V, RISE, 0, rise)
            store(V, SLOPE_U, 0, slope[0])
            store(V, SLOPE_PHI, 0, slope[1])
        raise_result(V, DEEPEST, deepest)
        raise_bounds_of_children(V, taylor, slope[0], slope[1])
        raise_result(V, SECOND_DIFFERENCE_U, second_difference[0])
        raise_result(V, SECOND_DIFFERENCE_PHI, second_difference[1])
        raise_result(V, DIFFERENCE_UNCERTAINTY_U, uncertainty[0])
        raise_result(V, DIFFERENCE_UNCERTAINTY_PHI, uncertainty[1])


@inline
def load_cells(arrays, stack, V, count):
    """Write the cells of the batch to lanes; the last one also to unused lanes."""
    for lane in range(LANES):
        row = stack[BATCH + min(lane, count - 1)]
        strip = arrays.strips[int(arrays.roots[int(row[ROOT]), 0])]
        m = (row[POSITION], row[POSITION + 1])
        shape = (strip["kind"], strip["axis_z"], strip["axis_r"], strip["radius"])
        V[Z, lane], V[RHO, lane] = meridian_point(shape, m)
        V[COSINE, lane], V[SINE, lane] = row[AZIMUTH], row[AZIMUTH + 1]
        V[LENGTH_B, lane], V[ANGLE, lane] = row[SIZE_ALONG], row[SIZE_AROUND]
        if strip["kind"] == LINE:
            V[TANGENT_Z, lane], V[TANGENT_R, lane] = strip["axis_z"], strip["axis_r"]
            V[CURVATURE_B, lane] = 0.0
        else:
            V[TANGENT_Z, lane], V[TANGENT_R, lane] = -m[1], m[0]
            V[CURVATURE_B, lane] = 1.0 / strip["radius"]


@inline
def load_segments(segments, stack, V, count, k):
    """Write the segment k of those that each cell faces to lanes, or its last one."""
    for lane in range(LANES):
        row = stack[BATCH + min(lane, count - 1)]
        segment = segments[min(int(row[FIRST]) + k, int(row[LAST]))]
        V[SEGMENT, lane] = segment[KIND]
        V[SEGMENT + 1, lane], V[SEGMENT + 2, lane] = segment[START_Z], segment[START_R]
        V[SEGMENT + 3, lane], V[SEGMENT + 4, lane] = segment[AXIS_Z], segment[AXIS_R]
        V[SEGMENT + 5, lane], V[SEGMENT + 6, lane] = segment[LENGTH], segment[SENSE]


@inline
def narrow_facing_segments(segments, work, count, radial, enough):
    """Narrow the segments of A that the cells of the batch face; return the largest number of segments."""
    V, most = work["cell_vectors"], 1
    for lane in range(count):
        row = work["cell_stack"][BATCH + lane]
        first, last = int(row[FIRST]), int(row[LAST])
        if last == first:
            continue
        z, r = V[Z_A, lane], V[R_A, lane]
        s, span = depth(segments, first, last, z, r)[0], span_of_cell(work, lane)
        V[DEPTH, lane] = s
        if not radial and -s - span <= enough:
            first, last = narrow_segments(segments, first, last, z, r, s, span + work["reach"])
            row[FIRST], row[LAST] = first, last
            most = max(most, last - first + 1)
    return most


@inline
def span_of_cell(work, lane):
    """Return the distance [m] from the middle of a cell of the batch within which all its points stay on the path."""
    V = work["cell_vectors"]
    return V[BOUNDING_RADIUS, lane] + work["path_turn"] * V[BOUNDING_RADIUS, lane] + V[PATH_MOTION, lane]


@inline
def clear_results(V):
    """Prepare the results that are the largest over the segments."""
    store(V, DEEPEST, 0, -math.inf)
    for child in range(4):
        store(V, CHILDREN + child, 0, -math.inf)
    store(V, SECOND_DIFFERENCE_U, 0, 0.0)
    store(V, SECOND_DIFFERENCE_PHI, 0, 0.0)
    store(V, DIFFERENCE_UNCERTAINTY_U, 0, 0.0)
    store(V, DIFFERENCE_UNCERTAINTY_PHI, 0, 0.0)


@inline
def raise_bounds_of_children(V, taylor, slope_u, slope_phi):
    """Raise the bounds on the depth of children by those below a segment.

    The bound of a child is that of the cell without the linear terms that are negative on its side.
    """
    low_u, high_u = 0.5 * maximum(slope_u, 0.0), 0.5 * maximum(-slope_u, 0.0)
    low_phi, high_phi = 0.5 * maximum(slope_phi, 0.0), 0.5 * maximum(-slope_phi, 0.0)
    raise_result(V, CHILDREN, taylor - low_u - low_phi)
    raise_result(V, CHILDREN + 1, taylor - high_u - low_phi)
    raise_result(V, CHILDREN + 2, taylor - low_u - high_phi)
    raise_result(V, CHILDREN + 3, taylor - high_u - high_phi)


@inline
def raise_result(V, row, x):
    """Set a row to the larger of itself and a vector, lane by lane."""
    store(V, row, 0, maximum(x, load(V, row, 0)))
