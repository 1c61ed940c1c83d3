"""Adaptive refinement: root cells of B that may touch are halved until the depth is nearly linear across each cell."""

import math

from softdock.contact.kernels.block_bounds import pose_on_path
from softdock.contact.kernels.blocks import allocate_lane, store_point
from softdock.contact.kernels.cell_geometry import (
    cell_area,
    meridian_point,
    path_motion,
    point_depth,
    rotate_around,
    segments_depth,
    shift_along,
    to_A,
)
from softdock.contact.kernels.cut_cell import HALF_SQRT3, SMALLEST_SLOPE
from softdock.contact.kernels.depth_variation import axes_of_A, joint_variation, variation_over_segments
from softdock.contact.kernels.layout import (
    BLOCK_CELLS,
    GAUSS_PHI,
    GAUSS_U,
    HALF_U,
    QUARTER_PHI,
    QUARTER_U,
    RADIAL,
)
from softdock.geometry.kernels import TINY, narrow_segments
from softdock.native.decorators import inline, kernel

# Least depth over bend of a completely covered cell that is not divided: energy error below 3.1e-4.
COVERED_DEPTH_RATIO = 3.0
# Clearance bound over distance of the nearest point at which a cell is not divided further.
SHARP_CLEARANCE = 0.7
SPLIT_ALONG, SPLIT_AROUND = 1, 2  # flags: halve a cell along the meridian, around the axis
MIN_CURVATURE_RATIO = 1e-3  # of the two directions: contact patches are at most 30 times as long as wide
# Columns of the cell stack: position on the strip (2), cosine and sine around, levels along and around, segments of A.
POSITION, AZIMUTH, LEVEL_ALONG, LEVEL_AROUND, FIRST, LAST = 0, 2, 4, 5, 6, 7


@kernel
def refine_cell(arrays, lists, pair, R_AB, p_AB_A, half_R, half_p, root, first, last):
    """Halve a root cell where the depth bends and add the cells that may touch; return the clearance [m]."""
    segments, data, work = arrays.segments, arrays.pairs[pair], lists.work[pair]
    stack = work["cell_stack"]
    resolution, smallest, radial = data["resolution"], data["smallest_cell"], data["mapping"] == RADIAL
    reach, turn = work["reach"], work["path_turn"]
    turn_most = turn + reach / arrays.nodes[data["root_node"]]["radius"]
    strip = arrays.strips[int(arrays.roots[root, 0])]
    steps, length, sector = strip["step_table"], strip["length"], strip["angle"]
    shape = (strip["kind"], strip["axis_z"], strip["axis_r"], strip["radius"])
    for i in range(4):
        stack[0, POSITION + i] = arrays.roots[root, 1 + i]
    stack[0, LEVEL_ALONG], stack[0, LEVEL_AROUND], stack[0, FIRST], stack[0, LAST] = 0.0, 0.0, first, last
    top, clearance = 1, math.inf
    while top > 0:
        top -= 1
        m, e = (
            (stack[top, POSITION], stack[top, POSITION + 1]),
            (stack[top, AZIMUTH], stack[top, AZIMUTH + 1]),
        )
        levels = (int(stack[top, LEVEL_ALONG]), int(stack[top, LEVEL_AROUND]))
        first, last = int(stack[top, FIRST]), int(stack[top, LAST])
        h_u, angle = length / (1 << levels[0]), sector / (1 << levels[1])
        z, rho = meridian_point(shape, m)
        h_phi = rho * angle
        half = 0.5 * math.sqrt(h_u * h_u + rho * (rho + 0.5 * h_u) * angle * angle)  # Eq. (C15)
        x_A, y_A, z_A = to_A(R_AB, p_AB_A, rho * e[0], rho * e[1], z)
        r_A = math.sqrt(x_A * x_A + y_A * y_A)
        s = segments_depth(segments, first, last, z_A, r_A)
        drift, d = path_motion(half_R, half_p, rho * e[0], rho * e[1], z)
        span = half + turn * half + drift
        update_nearest(work, -s, rho * e[0], rho * e[1], z)
        enough = reach if radial else skip_distance(work)
        if -s - span > enough:
            clearance = min(clearance, -s - span)  # Eq. (C16)
            continue
        if last > first and not radial:
            first, last = narrow_segments(segments, first, last, z_A, r_A, s, span + reach)
        cell = (rho, half, h_u, angle)
        sweep = (d[2], (x_A * d[0] + y_A * d[1]) / (r_A + TINY), drift, turn, reach + drift, turn_most)
        axes = axes_of_A(R_AB, x_A, y_A, r_A)
        deepest, rise, s_first, slope, bend, bend_uncertainty = variation_over_segments(
            segments, first, last, radial, z_A, r_A, axes, shape, m, e, cell, sweep
        )
        size, divisible = (h_u, h_phi), (h_u > smallest, h_phi > smallest)
        beyond = -deepest > reach and not radial
        if beyond and (
            -deepest > enough or half <= (SHARP_CLEARANCE - 1.0) * s or not (divisible[0] or divisible[1])
        ):
            clearance = min(clearance, -deepest)
            continue
        if radial:  # the cell faces all segments, few of which count: only the bends at joints matter
            bend, bend_uncertainty = (0.0, 0.0), (0.0, 0.0)
        covered = 0.0
        if last == first:  # Eq. (C25): covered wherever B is within the reach
            shallow = s_first - 0.5 * (abs(slope[0]) + abs(slope[1])) - 0.25 * (bend[0] + bend[1])
            covered = max(covered, (shallow - reach - drift) / COVERED_DEPTH_RATIO)
        split, limit = choose_split(resolution, covered, size, bend, bend_uncertainty, divisible)
        if beyond:  # halved only for a sharper clearance
            split = (SPLIT_ALONG if divisible[0] else 0) + (SPLIT_AROUND if divisible[1] else 0)
        if last > first and split == 0:  # bends at the joints of the segments
            slope, other = joint_variation(
                segments, first, last, R_AB, p_AB_A, shape, m, e, steps, levels[0], levels[1], s
            )
            bend = (max(bend[0], other[0]), max(bend[1], other[1]))
            split, limit = choose_split(resolution, covered, size, bend, bend_uncertainty, divisible)
        if split == 0:
            # A bend that changes sign inside the cell is zero in its middle, but changes the slopes.
            points = gauss_points(shape, m, e, steps, levels)
            depths = gauss_depths(segments, first, last, R_AB, p_AB_A, points)
            d_0, d_1, d_2, d_3 = depths
            alpha, beta = HALF_SQRT3 * (d_2 + d_3 - d_0 - d_1), HALF_SQRT3 * (d_1 + d_3 - d_0 - d_2)
            # A slope in the middle differs half as much as one between ends.
            weight = 4.0 if last > first else 8.0
            slope_bend_u, slope_bend_phi = weight * abs(slope[0] - alpha), weight * abs(slope[1] - beta)
            split = split_directions(limit, covered, slope_bend_u, slope_bend_phi, divisible)
        if split != 0:
            top = push_children(stack, top, split, shape, m, e, steps, levels, first, last)
            continue
        gap, heights, omega = path_gap(
            segments, first, last, R_AB, p_AB_A, half_R, half_p, points, depths, rise
        )
        clearance = min(clearance, gap)
        if gap <= reach:
            work["near_edge"] = max(work["near_edge"], strip["at_edge"])
            place, lane = allocate_lane(arrays, lists, pair, (first, last), gap, heights)
            area = cell_area(shape, m, h_u, angle, steps[levels[0], HALF_U + 1])
            store_cell(lists.blocks[pair, place], lane, points, omega, area)
    return clearance


@inline
def gauss_points(shape, m, e, steps, levels):
    """Return the Gauss points of a cell: (z, rho) [m] of the lower and upper ones, (cos, sin) of the two azimuths."""
    low = meridian_point(shape, shift_along(shape, m, steps, levels[0], GAUSS_U, -1.0))
    high = meridian_point(shape, shift_along(shape, m, steps, levels[0], GAUSS_U, 1.0))
    before = rotate_around(e, steps, levels[1], GAUSS_PHI, -1.0)
    after = rotate_around(e, steps, levels[1], GAUSS_PHI, 1.0)
    return low, high, before, after


@inline
def gauss_depths(segments, first, last, R_AB, p_AB_A, points):
    """Return the depths [m] below A of the four Gauss points of a cell."""
    (z_0, rho_0), (z_1, rho_1), (c_0, s_0), (c_1, s_1) = points
    return (
        point_depth(segments, first, last, R_AB, p_AB_A, rho_0 * c_0, rho_0 * s_0, z_0),
        point_depth(segments, first, last, R_AB, p_AB_A, rho_0 * c_1, rho_0 * s_1, z_0),
        point_depth(segments, first, last, R_AB, p_AB_A, rho_1 * c_0, rho_1 * s_0, z_1),
        point_depth(segments, first, last, R_AB, p_AB_A, rho_1 * c_1, rho_1 * s_1, z_1),
    )


@inline
def path_gap(segments, first, last, R_AB, p_AB_A, half_R, half_p, points, depths, rise):
    """Return the gap of a cell, its highest corner at start, middle and end of the path [m], and its lower weight."""
    rho_0, rho_1 = points[0][1], points[1][1]
    omega = 0.5 * rho_0 / (rho_0 + rho_1)
    middle = highest_corner_depth(depths, omega)
    start, end = middle, middle
    for at in (-1.0, 1.0):
        R, p = pose_on_path(R_AB, p_AB_A, half_R, half_p, at)
        start, end = end, highest_corner_depth(gauss_depths(segments, first, last, R, p, points), omega)
    return cell_gap(max(middle, start, end) + rise, omega), (start, middle, end), omega


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
def push_children(stack, top, split, shape, m, e, steps, levels, first, last):
    """Push the two or four children of a cell on the stack; return the new top."""
    for part in range(4):
        along, around = 2.0 * (part & 1) - 1.0, 1.0 * (part & 2) - 1.0
        if (split & SPLIT_ALONG == 0 and part & 1) or (split & SPLIT_AROUND == 0 and part & 2):
            continue
        stack[top, POSITION], stack[top, POSITION + 1] = m
        stack[top, AZIMUTH], stack[top, AZIMUTH + 1] = e
        stack[top, LEVEL_ALONG], stack[top, LEVEL_AROUND] = levels
        stack[top, FIRST], stack[top, LAST] = first, last
        if split & SPLIT_ALONG:
            stack[top, POSITION], stack[top, POSITION + 1] = shift_along(
                shape, m, steps, levels[0], QUARTER_U, along
            )
            stack[top, LEVEL_ALONG] = levels[0] + 1
        if split & SPLIT_AROUND:
            stack[top, AZIMUTH], stack[top, AZIMUTH + 1] = rotate_around(
                e, steps, levels[1], QUARTER_PHI, around
            )
            stack[top, LEVEL_AROUND] = levels[1] + 1
        top += 1
    return top


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
def choose_split(resolution, covered, size, bend, bend_uncertainty, divisible):
    """Return the directions in which a cell is halved for its bends and their uncertainty, and the limit [m4]."""
    u, phi = max(bend[0], bend_uncertainty[0]), max(bend[1], bend_uncertainty[1])
    large = max(u / (size[0] * size[0]), phi / (size[1] * size[1]))  # curvatures [1/m]
    small = min(bend[0] / (size[0] * size[0]), bend[1] / (size[1] * size[1]))
    limit = resolution * resolution * large * max(small, MIN_CURVATURE_RATIO * large)  # Eq. (C14)
    return split_directions(limit, covered, u, phi, divisible), limit


@inline
def split_directions(limit, covered, bend_u, bend_phi, divisible):
    """Return the directions in which a cell is halved: a sum of SPLIT_ALONG and SPLIT_AROUND, or 0.

    `limit` is the fourth power of the largest bend of a cell [m4]; `divisible` tells for each direction
    whether it may be halved.
    """
    u, phi = bend_u * bend_u, bend_phi * bend_phi
    along = divisible[0] and bend_u > covered and u * u > limit
    around = divisible[1] and bend_phi > covered and phi * phi > limit
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
