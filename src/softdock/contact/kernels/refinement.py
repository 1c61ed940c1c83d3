"""Adaptive refinement: root cells of B that may touch are halved until the depth is nearly linear across each cell."""

import math

from softdock.contact.kernels.blocks import allocate_lane, store_point
from softdock.contact.kernels.cell_batch import (
    ANGLE,
    AZIMUTH,
    BATCH,
    BOUNDING_RADIUS,
    CHILDREN,
    COSINE,
    DEEPEST,
    DEPTH,
    DEPTH_FIRST,
    DIFFERENCE_UNCERTAINTY_PHI,
    DIFFERENCE_UNCERTAINTY_U,
    FIRST,
    LAST,
    LENGTH_B,
    LEVEL_ALONG,
    LEVEL_AROUND,
    PATH_MOTION,
    POSITION,
    RHO,
    RISE,
    ROOT,
    SECOND_DIFFERENCE_PHI,
    SECOND_DIFFERENCE_U,
    SINE,
    SIZE_ALONG,
    SIZE_AROUND,
    SLOPE_PHI,
    SLOPE_U,
    Z,
    measure_batch,
    span_of_cell,
)
from softdock.contact.kernels.cell_geometry import cell_area, rotate_around, shift_along
from softdock.contact.kernels.cut_cell import CORNER_WEIGHTS, HALF_SQRT3, SMALLEST_SLOPE
from softdock.contact.kernels.depth_variation import joint_variation
from softdock.contact.kernels.gauss_points import gauss_depths, gauss_points
from softdock.contact.kernels.layout import (
    BLOCK_CELLS,
    HALF_U,
    QUARTER_PHI,
    QUARTER_U,
    RADIAL,
    REFINEMENT_LEVELS,
    STACK_CELLS,
)
from softdock.native.decorators import inline, kernel
from softdock.native.simd import LANES

# Least depth over second difference of a completely covered cell that is not divided: energy error below 3.1e-4.
COVERED_DEPTH_RATIO = 3.0
# Clearance bound over distance of the nearest point at which a cell is not divided further.
SHARP_CLEARANCE = 0.7
SPLIT_ALONG, SPLIT_AROUND = 1, 2  # flags: halve a cell along the meridian, around the axis
MIN_CURVATURE_RATIO = 1e-3  # of the two directions: contact patches are at most 30 times as long as wide
# Free places of the stack below which cells are examined one by one: eight are replaced by up to 32, and a single one
# needs three more places on each of its levels.
STACK_RESERVE = 4 * LANES + 6 * REFINEMENT_LEVELS


@inline
def push_root(arrays, lists, pair, root, first, last, top):
    """Push a root cell that faces segments first..last of A on the stack; return the new top."""
    row, strip = lists.work[pair]["cell_stack"][top], arrays.strips[int(arrays.roots[root, 0])]
    for i in range(4):
        row[POSITION + i] = arrays.roots[root, 1 + i]
    row[LEVEL_ALONG], row[LEVEL_AROUND] = 0.0, 0.0
    row[SIZE_ALONG], row[SIZE_AROUND] = strip["length"], strip["angle"]
    row[FIRST], row[LAST], row[ROOT] = first, last, root
    lists.skip_until[arrays.nodes.shape[0] + root] = math.inf
    return top + 1


@kernel
def refine_cells(arrays, lists, pair, R_AB, p_AB_A, half_R, half_p, top):
    """Examine the last cells of the stack, at most eight: discard, halve or add each; return the new top."""
    work = lists.work[pair]
    stack = work["cell_stack"]
    count = min(top, LANES) if top <= STACK_CELLS - STACK_RESERVE else 1
    top -= count
    for lane in range(count):
        for k in range(stack.shape[1]):
            stack[BATCH + lane, k] = stack[top + lane, k]
    enough = sufficient_gap(arrays, lists, pair)
    measure_batch(arrays, lists, pair, R_AB, p_AB_A, half_R, half_p, count, enough)
    for lane in range(count):
        top = examine_cell(arrays, lists, pair, R_AB, p_AB_A, half_R, half_p, lane, top)
    return top


@inline
def examine_cell(arrays, lists, pair, R_AB, p_AB_A, half_R, half_p, lane, top):
    """Discard, halve or add a cell of the batch; return the new top of the stack."""
    segments, data, work = arrays.segments, arrays.pairs[pair], lists.work[pair]
    row, V, radial = work["cell_stack"][BATCH + lane], work["cell_vectors"], data["mapping"] == RADIAL
    first, last, root = int(row[FIRST]), int(row[LAST]), int(row[ROOT])
    s = V[DEPTH, lane] if last > first else V[DEPTH_FIRST, lane]
    update_nearest(work, -s, V[RHO, lane] * V[COSINE, lane], V[RHO, lane] * V[SINE, lane], V[Z, lane])
    enough, half = sufficient_gap(arrays, lists, pair), V[BOUNDING_RADIUS, lane]
    size = (V[LENGTH_B, lane], V[RHO, lane] * V[ANGLE, lane])
    divisible = (size[0] > data["smallest_cell"], size[1] > data["smallest_cell"])
    gap = -s - span_of_cell(work, lane)  # Eq. (C16)
    if gap <= enough and not radial:  # only then has it been measured below all segments that the cell faces
        gap = max(gap, -V[DEEPEST, lane])
    beyond = gap > work["reach"]
    sharp = half <= (SHARP_CLEARANCE - 1.0) * s or not (divisible[0] or divisible[1])
    if gap > enough or (beyond and sharp):
        note_gap(arrays, lists, pair, root, gap)
        return top
    strip = arrays.strips[int(arrays.roots[root, 0])]
    shape, steps = (strip["kind"], strip["axis_z"], strip["axis_r"], strip["radius"]), strip["step_table"]
    m, e = (row[POSITION], row[POSITION + 1]), (row[AZIMUTH], row[AZIMUTH + 1])
    levels = (int(row[LEVEL_ALONG]), int(row[LEVEL_AROUND]))
    slope, second_difference, difference_uncertainty, covered = variation_of_cell(
        work, lane, first, last, radial
    )
    split, limit = choose_split(
        data["resolution"], covered, size, second_difference, difference_uncertainty, divisible
    )
    if beyond:  # halved only for a sharper clearance
        split = (SPLIT_ALONG if divisible[0] else 0) + (SPLIT_AROUND if divisible[1] else 0)
    if last > first and split == 0:  # second differences over the joints of the segments
        slope, other = joint_variation(
            segments, first, last, R_AB, p_AB_A, shape, m, e, steps, levels[0], levels[1], s
        )
        second_difference = (max(second_difference[0], other[0]), max(second_difference[1], other[1]))
        split, limit = choose_split(
            data["resolution"], covered, size, second_difference, difference_uncertainty, divisible
        )
    if split == 0:
        points = gauss_points(shape, m, e, steps, levels)
        depths = gauss_depths(segments, first, last, V, R_AB, p_AB_A, half_R, half_p, points)
        split = split_for_slopes(limit, covered, slope, depths[1], last > first, divisible)
        if split == 0:
            area = cell_area(shape, m, size[0], V[ANGLE, lane], steps[levels[0], HALF_U + 1])
            add_cell(arrays, lists, pair, lane, points, depths, area)
            return top
    return push_children(arrays, lists, pair, lane, top, split, shape, steps)


@inline
def variation_of_cell(work, lane, first, last, radial):
    """Return slopes, second differences and their uncertainty (along u, around) [m], and the covered depth of a cell.

    The cell is one of the batch. Second differences below the covered depth [m] need no halving.
    """
    V, covered = work["cell_vectors"], 0.0
    slope, second_difference = (
        (V[SLOPE_U, lane], V[SLOPE_PHI, lane]),
        (V[SECOND_DIFFERENCE_U, lane], V[SECOND_DIFFERENCE_PHI, lane]),
    )
    difference_uncertainty = (V[DIFFERENCE_UNCERTAINTY_U, lane], V[DIFFERENCE_UNCERTAINTY_PHI, lane])
    if radial:  # the cell faces all segments, few of which count: only joints matter
        second_difference, difference_uncertainty = (0.0, 0.0), (0.0, 0.0)
    if last == first:  # Eq. (C25): covered wherever B is within the reach
        shallow = (
            V[DEPTH_FIRST, lane]
            - 0.5 * (abs(slope[0]) + abs(slope[1]))
            - 0.25 * (second_difference[0] + second_difference[1])
        )
        covered = max(covered, (shallow - work["reach"] - V[PATH_MOTION, lane]) / COVERED_DEPTH_RATIO)
    return slope, second_difference, difference_uncertainty, covered


@inline
def split_for_slopes(limit, covered, slope, depths, faces_several, divisible):
    """Return the directions in which a cell is halved because the slopes of Eq. (C8) differ from those in its middle.

    A second derivative that changes sign inside the cell is zero in its middle, but changes the slopes.
    """
    d_0, d_1, d_2, d_3 = depths
    alpha, beta = HALF_SQRT3 * (d_2 + d_3 - d_0 - d_1), HALF_SQRT3 * (d_1 + d_3 - d_0 - d_2)
    # A slope in the middle differs half as much as one between ends.
    weight = 4.0 if faces_several else 8.0
    return split_directions(
        limit, covered, weight * abs(slope[0] - alpha), weight * abs(slope[1] - beta), divisible
    )


@inline
def add_cell(arrays, lists, pair, lane, points, depths, area):
    """Add a cell of the batch to the list if it may touch within reach of the path.

    `points`, `depths`: its Gauss points, and their depths at start, middle and end of the path; `area` [m2].
    """
    work = lists.work[pair]
    row, V = work["cell_stack"][BATCH + lane], work["cell_vectors"]
    first, last, root = int(row[FIRST]), int(row[LAST]), int(row[ROOT])
    rho_0, rho_1 = points[0][1], points[1][1]
    omega = 0.5 * rho_0 / (rho_0 + rho_1)
    start, middle, end = (
        highest_corner_depth(depths[0], omega),
        highest_corner_depth(depths[1], omega),
        highest_corner_depth(depths[2], omega),
    )
    rise = V[RISE, lane]
    if last > first:
        rise = 0.5 * CORNER_WEIGHTS * (V[PATH_MOTION, lane] + work["path_turn"] * V[BOUNDING_RADIUS, lane])
    gap = cell_gap(max(middle, start, end) + rise, omega)
    note_gap(arrays, lists, pair, root, gap)
    if gap <= work["reach"]:
        at_edge = arrays.strips[int(arrays.roots[root, 0])]["at_edge"]
        work["near_edge"] = max(work["near_edge"], at_edge)
        place, at = allocate_lane(arrays, lists, pair, (first, last), gap, (start, middle, end))
        store_cell(lists.blocks[pair, place], at, points, omega, area)


@inline
def note_gap(arrays, lists, pair, root, gap):
    """Update the clearance of the list by the gap of a cell [m], and when its root cell must be examined again."""
    work, index = lists.work[pair], arrays.nodes.shape[0] + root
    work["clearance"] = min(work["clearance"], gap)
    lists.skip_until[index] = min(lists.skip_until[index], work["odometer"] + gap)


@inline
def sufficient_gap(arrays, lists, pair):
    """Return the gap [m] beyond which a cell need not be examined further."""
    work = lists.work[pair]
    return work["reach"] if arrays.pairs[pair]["mapping"] == RADIAL else skip_distance(work)


@inline
def store_cell(block, lane, points, omega, area):
    """Store the four points [m], the weight and the area [m2] of a cell in a lane of a block."""
    (z_0, rho_0), (z_1, rho_1), (c_0, s_0), (c_1, s_1) = points
    store_point(block, lane, rho_0 * c_0, rho_0 * s_0, z_0)
    store_point(block, lane + BLOCK_CELLS, rho_0 * c_1, rho_0 * s_1, z_0)
    store_point(block, lane + 2 * BLOCK_CELLS, rho_1 * c_0, rho_1 * s_0, z_1)
    store_point(block, lane + 3 * BLOCK_CELLS, rho_1 * c_1, rho_1 * s_1, z_1)
    block["lower_weight"][lane] = omega
    block["area"][lane] = area


@inline
def push_children(arrays, lists, pair, lane, top, split, shape, steps):
    """Push those of the two or four children of a cell on the stack that may be near A; return the new top."""
    work, enough = lists.work[pair], sufficient_gap(arrays, lists, pair)
    stack, V = work["cell_stack"], work["cell_vectors"]
    parent = stack[BATCH + lane]
    # With the radial mapping a cell is not measured below all segments that it faces.
    bounded = arrays.pairs[pair]["mapping"] != RADIAL
    m, e = (parent[POSITION], parent[POSITION + 1]), (parent[AZIMUTH], parent[AZIMUTH + 1])
    levels = (int(parent[LEVEL_ALONG]), int(parent[LEVEL_AROUND]))
    for part in range(4):
        along, around = 2.0 * (part & 1) - 1.0, 1.0 * (part & 2) - 1.0
        if (split & SPLIT_ALONG == 0 and part & 1) or (split & SPLIT_AROUND == 0 and part & 2):
            continue
        if bounded:
            gap = -child_bound(V, lane, split, part)
            if gap > enough:
                note_gap(arrays, lists, pair, int(parent[ROOT]), gap)
                continue
        child = stack[top]
        for k in range(stack.shape[1]):
            child[k] = parent[k]
        if split & SPLIT_ALONG:
            child[POSITION], child[POSITION + 1] = shift_along(shape, m, steps, levels[0], QUARTER_U, along)
            child[LEVEL_ALONG], child[SIZE_ALONG] = levels[0] + 1, 0.5 * parent[SIZE_ALONG]
        if split & SPLIT_AROUND:
            child[AZIMUTH], child[AZIMUTH + 1] = rotate_around(e, steps, levels[1], QUARTER_PHI, around)
            child[LEVEL_AROUND], child[SIZE_AROUND] = levels[1] + 1, 0.5 * parent[SIZE_AROUND]
        top += 1
    return top


@inline
def child_bound(V, lane, split, part):
    """Return a bound on the depth [m] within a child of a cell: a quarter of it, or a half of two quarters."""
    bound = V[CHILDREN + part, lane]
    if split & SPLIT_ALONG == 0:
        bound = max(bound, V[CHILDREN + part + 1, lane])
    if split & SPLIT_AROUND == 0:
        bound = max(bound, V[CHILDREN + part + 2, lane])
    return bound


@inline
def update_nearest(work, distance, x, y, z):
    """Update the point of B nearest to A."""
    if distance < work["nearest_distance"]:
        work["nearest_distance"] = distance
        work["nearest_point"][0], work["nearest_point"][1], work["nearest_point"][2] = x, y, z


@inline
def skip_distance(work):
    """Return the gap [m] beyond which a sphere or a cell need not be examined further."""
    return max(work["reach"], SHARP_CLEARANCE * work["nearest_distance"])


@inline
def choose_split(resolution, covered, size, second_difference, difference_uncertainty, divisible):
    """Return the directions in which a cell is halved for its second differences, and the limit [m4]."""
    u, phi = (
        max(second_difference[0], difference_uncertainty[0]),
        max(second_difference[1], difference_uncertainty[1]),
    )
    large = max(u / (size[0] * size[0]), phi / (size[1] * size[1]))  # curvatures [1/m]
    small = min(second_difference[0] / (size[0] * size[0]), second_difference[1] / (size[1] * size[1]))
    limit = resolution * resolution * large * max(small, MIN_CURVATURE_RATIO * large)  # Eq. (C14)
    return split_directions(limit, covered, u, phi, divisible), limit


@inline
def split_directions(limit, covered, second_difference_u, second_difference_phi, divisible):
    """Return the directions in which a cell is halved: a sum of SPLIT_ALONG and SPLIT_AROUND, or 0.

    `limit` is the fourth power of the largest second difference of a cell [m4]; `divisible` tells for each direction
    whether it may be halved.
    """
    u, phi = second_difference_u * second_difference_u, second_difference_phi * second_difference_phi
    along = divisible[0] and second_difference_u > covered and u * u > limit
    around = divisible[1] and second_difference_phi > covered and phi * phi > limit
    return (SPLIT_ALONG if along else 0) + (SPLIT_AROUND if around else 0)


@inline
def highest_corner_depth(depths, omega):
    """Return the depth of the highest corner of a cell [m] from the depths of its Gauss points."""
    d_0, d_1, d_2, d_3 = depths
    return (
        omega * (d_0 + d_1)
        + (0.5 - omega) * (d_2 + d_3)
        + HALF_SQRT3 * max(abs(d_3 - d_0), abs(d_2 - d_1))
        + SMALLEST_SLOPE
    )


@inline
def cell_gap(top, omega):
    """Return how far B may leave the path [m] before a cell touches; `top` is its highest corner on the path [m]."""
    return -top / (2.0 * HALF_SQRT3 + 2.0 * max(omega, 0.5 - omega)) if top < 0.0 else -top  # Eq. (C18)
