"""Halving the cells of B until the depth is nearly linear across them, and only where they may touch."""

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
from softdock.contact.kernels.cut_cell import CORNER_WEIGHTS, HALF_SQRT3, SMALLEST_SLOPE
from softdock.contact.kernels.layout import (
    BLOCK_CELLS,
    GAUSS_PHI,
    GAUSS_U,
    HALF_PHI,
    HALF_U,
    QUARTER_PHI,
    QUARTER_U,
    RADIAL,
)
from softdock.geometry.kernels import (
    AXIS_R,
    AXIS_Z,
    KIND,
    LENGTH,
    SENSE,
    START_R,
    START_Z,
    TINY,
    narrow_segments,
)
from softdock.native.decorators import inline, kernel

COVERED_DEPTH_RATIO = (
    3.0  # depth over bend in covered cells: their energy then errs by less than 3.1e-4, their force far less
)
SHARP_CLEARANCE = 0.7  # of the distance of the nearest point: a clearance of so much is good enough
SPLIT_ALONG, SPLIT_AROUND = 1, 2  # ways of halving a cell
SLENDEREST = 1e-3  # a patch is taken to be at most 30 times as long as wide, also where lines or rings touch


@kernel
def refine_cell(arrays, lists, pair, R_AB, p_AB_A, half_R, half_p, root, first, last):
    """Halve a root cell where the depth bends, add what may touch; return the clearance [m]."""
    segments, data, work = arrays.segments, arrays.pairs[pair], lists.work[pair]
    stack = work["cell_stack"]
    resolution, smallest, radial = data["resolution"], data["smallest_cell"], data["mapping"] == RADIAL
    reach, turn = work["reach"], work["path_turn"]
    turn_most = turn + reach / arrays.nodes[data["root_node"]]["radius"]
    strip = arrays.strips[int(arrays.roots[root, 0])]
    steps, length, sector = strip["step_table"], strip["length"], strip["angle"]
    shape = (strip["kind"], strip["axis_z"], strip["axis_r"], strip["radius"])
    for i in range(4):
        stack[0, i] = arrays.roots[root, 1 + i]
    stack[0, 4], stack[0, 5], stack[0, 6], stack[0, 7] = 0.0, 0.0, first, last
    top, clearance = 1, math.inf
    while top > 0:
        top -= 1
        m, e = (stack[top, 0], stack[top, 1]), (stack[top, 2], stack[top, 3])
        level_u, level_phi = int(stack[top, 4]), int(stack[top, 5])
        first, last = int(stack[top, 6]), int(stack[top, 7])
        h_u, angle = length / (1 << level_u), sector / (1 << level_phi)
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
        deepest, bow, s_first, slope_u, slope_phi, bend_u, bend_phi, doubt_u, doubt_phi = depth_variation(
            segments, first, z_A, r_A, axes, shape, m, e, cell, sweep
        )
        if last > first:
            bow = 0.5 * CORNER_WEIGHTS * (drift + turn * half)
        for k in range(first + 1, first if radial else last + 1):
            other, _, _, _, _, other_u, other_phi, else_u, else_phi = depth_variation(
                segments, k, z_A, r_A, axes, shape, m, e, cell, sweep
            )
            deepest = max(deepest, other)
            bend_u, bend_phi = max(bend_u, other_u), max(bend_phi, other_phi)
            doubt_u, doubt_phi = max(doubt_u, else_u), max(doubt_phi, else_phi)
        size, can = (h_u, h_phi), (h_u > smallest, h_phi > smallest)
        beyond = -deepest > reach and not radial
        if beyond and (-deepest > enough or half <= (SHARP_CLEARANCE - 1.0) * s or not (can[0] or can[1])):
            clearance = min(clearance, -deepest)
            continue
        if radial:  # faces all segments, and few of them count: only what is between them does
            bend_u, bend_phi, doubt_u, doubt_phi = 0.0, 0.0, 0.0, 0.0
        covered = 0.0
        if last == first:  # Eq. (C25): covered whatever happens within the reach
            shallow = s_first - 0.5 * (abs(slope_u) + abs(slope_phi)) - 0.25 * (bend_u + bend_phi)
            covered = max(covered, (shallow - reach - drift) / COVERED_DEPTH_RATIO)
        split, limit = choose_split(resolution, covered, size, (bend_u, bend_phi), (doubt_u, doubt_phi), can)
        if beyond:  # halved for a sharper clearance only
            split = (SPLIT_ALONG if can[0] else 0) + (SPLIT_AROUND if can[1] else 0)
        if last > first and split == 0:  # what bends where the segments join
            slope_u, slope_phi, other_u, other_phi = joint_variation(
                segments, first, last, R_AB, p_AB_A, shape, m, e, steps, level_u, level_phi, s
            )
            bend_u, bend_phi = max(bend_u, other_u), max(bend_phi, other_phi)
            split, limit = choose_split(
                resolution, covered, size, (bend_u, bend_phi), (doubt_u, doubt_phi), can
            )
        if split == 0:
            # A bend that turns back inside the cell hides from its middle, but not from the slopes.
            z_0, rho_0 = meridian_point(shape, shift_along(shape, m, steps, level_u, GAUSS_U, -1.0))
            z_1, rho_1 = meridian_point(shape, shift_along(shape, m, steps, level_u, GAUSS_U, 1.0))
            c_0, s_0 = rotate_around(e, steps, level_phi, GAUSS_PHI, -1.0)
            c_1, s_1 = rotate_around(e, steps, level_phi, GAUSS_PHI, 1.0)
            d_0 = point_depth(segments, first, last, R_AB, p_AB_A, rho_0 * c_0, rho_0 * s_0, z_0)
            d_1 = point_depth(segments, first, last, R_AB, p_AB_A, rho_0 * c_1, rho_0 * s_1, z_0)
            d_2 = point_depth(segments, first, last, R_AB, p_AB_A, rho_1 * c_0, rho_1 * s_0, z_1)
            d_3 = point_depth(segments, first, last, R_AB, p_AB_A, rho_1 * c_1, rho_1 * s_1, z_1)
            alpha, beta = HALF_SQRT3 * (d_2 + d_3 - d_0 - d_1), HALF_SQRT3 * (d_1 + d_3 - d_0 - d_2)
            weight = (
                4.0 if last > first else 8.0
            )  # a slope in the middle differs half as much as one between ends
            odd_u, odd_phi = weight * abs(slope_u - alpha), weight * abs(slope_phi - beta)
            split = split_directions(limit, covered, odd_u, odd_phi, can)
        if split == 0:
            omega = 0.5 * rho_0 / (rho_0 + rho_1)
            highest = highest_corner_depth(d_0, d_1, d_2, d_3, omega)
            start, end = highest, highest
            for at in (-1.0, 1.0):
                R, p = pose_on_path(R_AB, p_AB_A, half_R, half_p, at)
                e_0 = point_depth(segments, first, last, R, p, rho_0 * c_0, rho_0 * s_0, z_0)
                e_1 = point_depth(segments, first, last, R, p, rho_0 * c_1, rho_0 * s_1, z_0)
                e_2 = point_depth(segments, first, last, R, p, rho_1 * c_0, rho_1 * s_0, z_1)
                e_3 = point_depth(segments, first, last, R, p, rho_1 * c_1, rho_1 * s_1, z_1)
                start, end = end, highest_corner_depth(e_0, e_1, e_2, e_3, omega)
            gap = cell_gap(max(highest, start, end) + bow, omega)
            clearance = min(clearance, gap)
            if gap <= reach:
                work["near_edge"] = max(work["near_edge"], strip["at_edge"])
                place, lane = allocate_lane(arrays, lists, pair, (first, last), gap, (start, highest, end))
                block = lists.blocks[pair, place]
                store_point(block, lane, rho_0 * c_0, rho_0 * s_0, z_0)
                store_point(block, lane + BLOCK_CELLS, rho_0 * c_1, rho_0 * s_1, z_0)
                store_point(block, lane + 2 * BLOCK_CELLS, rho_1 * c_0, rho_1 * s_0, z_1)
                store_point(block, lane + 3 * BLOCK_CELLS, rho_1 * c_1, rho_1 * s_1, z_1)
                block["lower_weight"][lane] = omega
                block["area"][lane] = cell_area(shape, m, h_u, angle, steps[level_u, HALF_U + 1])
            continue
        for part in range(4):
            along, around = 2.0 * (part & 1) - 1.0, 1.0 * (part & 2) - 1.0
            if (split & SPLIT_ALONG == 0 and part & 1) or (split & SPLIT_AROUND == 0 and part & 2):
                continue
            stack[top, 0], stack[top, 1] = m
            stack[top, 2], stack[top, 3] = e
            stack[top, 4], stack[top, 5], stack[top, 6], stack[top, 7] = level_u, level_phi, first, last
            if split & SPLIT_ALONG:
                stack[top, 0], stack[top, 1] = shift_along(shape, m, steps, level_u, QUARTER_U, along)
                stack[top, 4] = level_u + 1
            if split & SPLIT_AROUND:
                stack[top, 2], stack[top, 3] = rotate_around(e, steps, level_phi, QUARTER_PHI, around)
                stack[top, 5] = level_phi + 1
            top += 1
    return clearance


@inline
def update_nearest(work, distance, x, y, z):
    """Keep the point of B that is nearest to A so far."""
    if distance < work["nearest_distance"]:
        work["nearest_distance"] = distance
        work["nearest_point"][0], work["nearest_point"][1], work["nearest_point"][2] = x, y, z


@inline
def skip_distance(work):
    """Gap [m] beyond which a sphere or a cell needs no closer look."""
    return max(work["reach"], SHARP_CLEARANCE * work["nearest_distance"])


@inline
def axes_of_A(R_AB, x, y, r):
    """Unit vectors of A at a point (x, y) of A, in B: radial, around, along."""
    inverse = 1.0 / (r + TINY)
    c, s = (inverse * x, inverse * y) if r > 0.0 else (1.0, 0.0)
    return (
        (c * R_AB[0][0] + s * R_AB[1][0], c * R_AB[0][1] + s * R_AB[1][1], c * R_AB[0][2] + s * R_AB[1][2]),
        (c * R_AB[1][0] - s * R_AB[0][0], c * R_AB[1][1] - s * R_AB[0][1], c * R_AB[1][2] - s * R_AB[0][2]),
        R_AB[2],
    )


@inline
def depth_variation(segments, k, z, r, axes, shape, m, e, cell, sweep):
    """How the depth below the endless segment k varies over a cell of B whose middle is at (z, r) in A.

    `sweep`: how far the middle gets along half the path in z and r and altogether [m], how far B turns [rad], and both
    with the reach of the list. Returns a bound on the depth within the cell on the path [m], one on how much a corner
    of the linear depth rises between the middle and the ends of the path [m], the depth in the middle of the cell [m],
    the change across the cell along u and around [m], the bends along u and around [m], and what must be allowed for
    beside them [m]: how much they may change within the reach, and along u what a cell misjudges that is wider at one
    end. All from derivatives in the middle.
    """
    rho, half, h_u, angle = cell
    d_along, d_across, drift, turn, reach, turn_most = sweep
    span = half + turn * half + drift
    curvature, distance = 0.0, math.inf
    if segments[k, KIND] == 0.0:
        n_z, n_r = segments[k, AXIS_R], -segments[k, AXIS_Z]
        s = (z - segments[k, START_Z]) * n_z + (r - segments[k, START_R]) * n_r  # Eq. (C1)
        n_r_most = n_r
    else:
        d_z, d_r = z - segments[k, AXIS_Z], r - segments[k, AXIS_R]
        distance = math.sqrt(d_z * d_z + d_r * d_r)
        curvature = segments[k, SENSE] / (distance + TINY)
        s, n_z, n_r = segments[k, SENSE] * (distance - segments[k, LENGTH]), curvature * d_z, curvature * d_r
        n_r_most = n_r + 2.0 * span * abs(curvature)
    radial, around, along = axes
    n_x, n_y = n_r * radial[0] + n_z * along[0], n_r * radial[1] + n_z * along[1]
    n_e, n_t = n_x * e[0] + n_y * e[1], n_y * e[0] - n_x * e[1]  # outwards and around B
    n_a = n_r * radial[2] + n_z * along[2]
    tau_e, tau_t = around[0] * e[0] + around[1] * e[1], around[1] * e[0] - around[0] * e[1]
    if shape[0] == 0.0:
        t_z, t_r, tilt, swing, aslant = shape[1], shape[2], 0.0, 0.0, 0.0
    else:
        t_z, t_r = -m[1], m[0]
        inverse = 1.0 / shape[3]
        tilt = -(m[0] * n_a + m[1] * n_e) * inverse  # n . x_uu
        swing = (0.5 * h_u * inverse + 0.5 * angle) * inverse
        aslant = inverse * math.sqrt(max(0.0, 1.0 - tilt * tilt * shape[3] * shape[3]))
    g_u = t_z * n_a + t_r * n_e
    tau_u = t_z * around[2] + t_r * tau_e
    hoop = n_r / (r + TINY)
    h_phi = rho * angle
    # Eq. (C24): second derivatives along the surface of B
    bend_u = (tilt + hoop * tau_u * tau_u + curvature * (1.0 - g_u * g_u - tau_u * tau_u)) * h_u * h_u
    bend_phi = (
        hoop * tau_t * tau_t + curvature * (1.0 - n_t * n_t - tau_t * tau_t)
    ) * h_phi * h_phi - n_e * angle * h_phi
    # Eq. (C27): how far these change within the reach
    cone, ring = curvature * n_z * n_z - hoop, curvature * n_r * n_z
    around_A = reach * math.sqrt(cone * cone + ring * ring) / (max(r, reach) + TINY)
    along_A = reach * curvature * curvature
    sway = max(turn_most, reach * max(abs(hoop), abs(curvature)))
    doubt_u = max(
        max(around_A * tau_u * tau_u + along_A * (1.0 - g_u * g_u - tau_u * tau_u), sway * aslant),
        0.5 * abs(g_u * t_r) / (rho + TINY),  # Eq. (C28)
    ) * h_u * h_u  # fmt: skip
    doubt_phi = max(
        (around_A * tau_t * tau_t + along_A * (1.0 - n_t * n_t - tau_t * tau_t)) * h_phi,
        sway * math.sqrt(max(0.0, 1.0 - n_e * n_e)) * angle,
    ) * h_phi  # fmt: skip
    slope_u, slope_phi = g_u * h_u, n_t * h_phi
    deepest, bow = s + span, 0.5 * CORNER_WEIGHTS * (drift + turn * half)
    if r > 2.0 * span and distance > 2.0 * span:
        # Eq. (C23)
        hollow = max(max(0.0, n_r_most) / (r - span), 2.0 * curvature)
        towards = abs(d_along * n_z + d_across * n_r)
        bent = max((abs(n_r) + n_r_most - n_r) / (r - span), 2.0 * abs(curvature))
        bow = min(bow, 0.125 * CORNER_WEIGHTS * bent * (drift + turn * half) ** 2)  # Eq. (C33)
        rise = (
            0.5 * (abs(slope_u) + abs(slope_phi))
            + 0.125 * max(0.0, tilt + swing) * h_u * h_u
            + 0.125 * max(0.0, 0.5 * angle - n_e) * (rho + 0.5 * h_u) * angle * angle
            + 0.25 * (abs(n_t) + 0.5 * angle) * angle * h_u * abs(t_r)
            + 0.5 * hollow * span * span
            + towards
            + turn * half
        )
        deepest = s + min(span, rise)
    return deepest, bow, s, slope_u, slope_phi, abs(bend_u), abs(bend_phi), doubt_u, doubt_phi


@kernel
def joint_variation(segments, first, last, R_AB, p_AB_A, shape, m, e, steps, level_u, level_phi, s):
    """Changes and bends [m] across a cell that faces several segments: from the middle and the ends of its sides."""
    z, rho = meridian_point(shape, m)
    s_u, s_phi = (0.0, 0.0), (0.0, 0.0)
    for sign in (-1.0, 1.0):
        z_i, rho_i = meridian_point(shape, shift_along(shape, m, steps, level_u, HALF_U, sign))
        s_i = point_depth(segments, first, last, R_AB, p_AB_A, rho_i * e[0], rho_i * e[1], z_i)
        cos, sin = rotate_around(e, steps, level_phi, HALF_PHI, sign)
        s_j = point_depth(segments, first, last, R_AB, p_AB_A, rho * cos, rho * sin, z)
        s_u, s_phi = (s_u[1], s_i), (s_phi[1], s_j)
    bend_u, bend_phi = 4.0 * abs(s_u[0] + s_u[1] - 2.0 * s), 4.0 * abs(s_phi[0] + s_phi[1] - 2.0 * s)
    return s_u[1] - s_u[0], s_phi[1] - s_phi[0], bend_u, bend_phi


@inline
def choose_split(resolution, covered, size, bend, doubt, can):
    """Say which way a cell is halved for its bends and what is in doubt about them, and the limit of `which_way`."""
    u, phi = max(bend[0], doubt[0]), max(bend[1], doubt[1])
    large = max(u / (size[0] * size[0]), phi / (size[1] * size[1]))  # curvatures [1/m]
    small = min(bend[0] / (size[0] * size[0]), bend[1] / (size[1] * size[1]))
    limit = resolution * resolution * large * max(small, SLENDEREST * large)  # Eq. (C14)
    return split_directions(limit, covered, u, phi, can), limit


@inline
def split_directions(limit, covered, bend_u, bend_phi, can):
    """Say which way a cell is halved: a sum of ALONG the meridian and AROUND the axis, 0 for not at all.

    `limit` is the fourth power of the bend that a cell may have [m4].
    """
    u, phi = bend_u * bend_u, bend_phi * bend_phi
    along = can[0] and bend_u > covered and u * u > limit
    around = can[1] and bend_phi > covered and phi * phi > limit
    return (SPLIT_ALONG if along else 0) + (SPLIT_AROUND if around else 0)


@inline
def highest_corner_depth(d_0, d_1, d_2, d_3, omega):
    """Depth of the highest corner of a cell [m]."""
    return (
        omega * (d_0 + d_1)
        + (0.5 - omega) * (d_2 + d_3)
        + HALF_SQRT3 * max(abs(d_3 - d_0), abs(d_2 - d_1))
        + SMALLEST_SLOPE
    )


@inline
def cell_gap(top, omega):
    """How far B may leave the path [m] before a cell can touch whose highest corner reaches a depth `top` on it [m]."""
    return -top / (2.0 * HALF_SQRT3 + 2.0 * max(omega, 0.5 - omega)) if top < 0.0 else -top  # Eq. (C18)
