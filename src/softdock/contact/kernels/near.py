"""The near list: which cells of B may touch A before B has moved by `reach`, and how far B is from that."""

import math

from softdock.contact.kernels.cell import HALF_SQRT3, SOFT
from softdock.contact.kernels.layout import (
    BY_RADIUS,
    GAUSS_PHI,
    GAUSS_U,
    HALF_PHI,
    HALF_U,
    LANES,
    ONE,
    POINTS,
    QUARTER_PHI,
    QUARTER_U,
    RADIAL,
    SEVERAL,
    SMOOTH_TWO,
)
from softdock.geometry.kernels import END_SIDE, depth, endless_depth, facing
from softdock.jit import inlined, kernel

SLENDER = 1e-3  # a patch is taken to be at most 30 times as long as wide, also where lines or rings touch
NEAR = 0.25  # cells that touch within this part of the reach share blocks, apart from the farther ones


@inlined
def to_A(R_AB, p_AB_A, x, y, z):
    """Express a point of B in A [m]: (x, y, z)."""
    return (
        p_AB_A[0] + R_AB[0][0] * x + R_AB[0][1] * y + R_AB[0][2] * z,
        p_AB_A[1] + R_AB[1][0] * x + R_AB[1][1] * y + R_AB[1][2] * z,
        p_AB_A[2] + R_AB[2][0] * x + R_AB[2][1] * y + R_AB[2][2] * z,
    )


@inlined
def depth_of(segments, first, last, R_AB, p_AB_A, x, y, z):
    """Depth [m] below A of the point (x, y, z) of B."""
    x, y, z = to_A(R_AB, p_AB_A, x, y, z)
    return depth_near(segments, first, last, z, math.sqrt(x * x + y * y))


@inlined
def depth_near(segments, first, last, z, r):
    """Depth [m] below segments first..last; one alone is as good as its endless line or circle."""
    if first == last:
        return endless_depth(segments, first, z, r)[0]
    return depth(segments, first, last, z, r)[0]


@kernel
def rebuild(arrays, lists, pair, R_AB, p_AB_A, reach):
    """Fill the near list of a pair at the given relative pose: (clearance [m], number of blocks).

    The list holds until a point of B's surface has moved `reach` [m] relative to A. B may move by the
    clearance before any force can begin (0 or less: in contact). Where the number exceeds the capacity of
    `lists`, the list is incomplete: grow the lists and rebuild.
    """
    segments, nodes, data, work = arrays.segments, arrays.nodes, arrays.pairs[pair], lists.work[pair]
    stack = work["node_stack"]
    radial = data["mapping"] == RADIAL  # the nearest segment need not be the one that counts
    begin_list(lists, pair, R_AB, p_AB_A, reach)
    stack[0, 0], stack[0, 1], stack[0, 2] = data["tree"], data["first_segment"], data["last_segment"]
    top, clearance = 1, math.inf
    while top > 0:
        top -= 1
        node, first, last = nodes[stack[top, 0]], stack[top, 1], stack[top, 2]
        x, y, z = to_A(R_AB, p_AB_A, node["x"], node["y"], node["z"])
        r, radius = math.sqrt(x * x + y * y), node["radius"]
        gap = -depth(segments, first, last, z, r)[0] - radius  # Eq. (C16)
        if gap > reach:
            clearance = min(clearance, gap)
            continue
        if last > first and not radial:
            first, last = facing(segments, first, last, z, r, 2.0 * (radius + reach))  # Eq. (C17)
        if node["left"] >= 0:
            stack[top, 0], stack[top, 1], stack[top, 2] = node["right"], first, last
            stack[top + 1, 0], stack[top + 1, 1], stack[top + 1, 2] = node["left"], first, last
            top += 2
            continue
        for root in range(node["first_root"], node["first_root"] + node["roots"]):
            if data["quadrature"] == POINTS:
                gap = add_point(arrays, lists, pair, R_AB, p_AB_A, reach, root, first, last)
            else:
                gap = refine(arrays, lists, pair, R_AB, p_AB_A, reach, root, first, last)
            clearance = min(clearance, gap)
    work["clearance"] = clearance
    return clearance, work["blocks"]


@kernel
def begin_list(lists, pair, R_AB, p_AB_A, reach):
    """Empty the list of a pair and note the pose."""
    work = lists.work[pair]
    work["reach"], work["blocks"], work["cells"] = reach, 0, 0
    for k in range(lists.slots.shape[1]):
        lists.slots[pair, k] = -1
    for i in range(3):
        work["p_AB_A"][i] = p_AB_A[i]
        for j in range(3):
            work["R_AB"][i, j] = R_AB[i][j]


@kernel
def refine(arrays, lists, pair, R_AB, p_AB_A, reach, root, first, last):
    """Halve a root cell where the depth bends, add what may touch; return the clearance [m]."""
    segments, data, stack = arrays.segments, arrays.pairs[pair], lists.work[pair]["cell_stack"]
    resolution, smallest, radial = data["resolution"], data["smallest"], data["mapping"] == RADIAL
    strip = arrays.strips[int(arrays.roots[root, 0])]
    steps, length, sector = strip["steps"], strip["length"], strip["angle"]
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
        z, rho = meridian(shape, m)
        half = 0.5 * math.sqrt(h_u * h_u + rho * (rho + 0.5 * h_u) * angle * angle)  # Eq. (C15)
        x_A, y_A, z_A = to_A(R_AB, p_AB_A, rho * e[0], rho * e[1], z)
        r_A = math.sqrt(x_A * x_A + y_A * y_A)
        if last > first and not radial:
            first, last = facing(segments, first, last, z_A, r_A, 2.0 * (half + reach))  # Eq. (C17)
        s = depth_near(segments, first, last, z_A, r_A)
        if -s - half > reach:
            clearance = min(clearance, -s - half)  # Eq. (C16)
            continue
        s_u, s_phi = (0.0, 0.0), (0.0, 0.0)
        for sign in (-1.0, 1.0):
            z_i, rho_i = meridian(shape, shifted(shape, m, steps, level_u, HALF_U, sign))
            s_i = depth_of(segments, first, last, R_AB, p_AB_A, rho_i * e[0], rho_i * e[1], z_i)
            cos, sin = turned(e, steps, level_phi, HALF_PHI, sign)
            s_j = depth_of(segments, first, last, R_AB, p_AB_A, rho * cos, rho * sin, z)
            s_u, s_phi = (s_u[1], s_i), (s_phi[1], s_j)
        h_phi = rho * angle
        bend_u, bend_phi = 4.0 * abs(s_u[0] + s_u[1] - 2.0 * s), 4.0 * abs(s_phi[0] + s_phi[1] - 2.0 * s)
        if first == last or is_smooth_two(segments, first, last):
            # Below a smooth surface slopes and bends bound the depth within the cell: far cells stay whole.
            slopes = abs(s_u[1] - s_u[0]) + abs(s_phi[1] - s_phi[0])
            deepest = s + 0.5 * slopes + bend_u + bend_phi  # Eq. (C23)
            if -deepest > reach:
                clearance = min(clearance, -deepest)
                continue
        limit = allowed_bend(resolution, bend_u / (h_u * h_u), bend_phi / (h_phi * h_phi))
        can_u, can_phi = h_u > smallest, h_phi > smallest
        split = which_way(limit, bend_u, bend_phi, can_u, can_phi)
        if split == 0:
            # A bend that turns back inside the cell hides from second differences, but not from the slopes.
            z_0, rho_0 = meridian(shape, shifted(shape, m, steps, level_u, GAUSS_U, -1.0))
            z_1, rho_1 = meridian(shape, shifted(shape, m, steps, level_u, GAUSS_U, 1.0))
            c_0, s_0 = turned(e, steps, level_phi, GAUSS_PHI, -1.0)
            c_1, s_1 = turned(e, steps, level_phi, GAUSS_PHI, 1.0)
            d_0 = depth_of(segments, first, last, R_AB, p_AB_A, rho_0 * c_0, rho_0 * s_0, z_0)
            d_1 = depth_of(segments, first, last, R_AB, p_AB_A, rho_0 * c_1, rho_0 * s_1, z_0)
            d_2 = depth_of(segments, first, last, R_AB, p_AB_A, rho_1 * c_0, rho_1 * s_0, z_1)
            d_3 = depth_of(segments, first, last, R_AB, p_AB_A, rho_1 * c_1, rho_1 * s_1, z_1)
            alpha, beta = HALF_SQRT3 * (d_2 + d_3 - d_0 - d_1), HALF_SQRT3 * (d_1 + d_3 - d_0 - d_2)
            odd_u, odd_phi = 4.0 * abs(s_u[1] - s_u[0] - alpha), 4.0 * abs(s_phi[1] - s_phi[0] - beta)
            split = which_way(limit, odd_u, odd_phi, can_u, can_phi)
        if split == 0:
            omega = 0.5 * rho_0 / (rho_0 + rho_1)
            gap = gap_of_cell(omega * (d_0 + d_1) + (0.5 - omega) * (d_2 + d_3), alpha, beta, omega)
            clearance = min(clearance, gap)
            if gap <= reach:
                place, lane = new_lane(arrays, lists, pair, (first, last), gap)
                block = lists.blocks[pair, place]
                put_point(block, lane, rho_0 * c_0, rho_0 * s_0, z_0)
                put_point(block, lane + LANES, rho_0 * c_1, rho_0 * s_1, z_0)
                put_point(block, lane + 2 * LANES, rho_1 * c_0, rho_1 * s_0, z_1)
                put_point(block, lane + 3 * LANES, rho_1 * c_1, rho_1 * s_1, z_1)
                block["omega"][lane] = omega
                block["area"][lane] = cell_area(shape, m, h_u, angle, steps[level_u, HALF_U + 1])
            continue
        for sign in (-1.0, 1.0):
            stack[top, 6], stack[top, 7] = first, last
            if split == 1:
                stack[top, 0], stack[top, 1] = shifted(shape, m, steps, level_u, QUARTER_U, sign)
                stack[top, 2], stack[top, 3] = e
                stack[top, 4], stack[top, 5] = level_u + 1, level_phi
            else:
                stack[top, 0], stack[top, 1] = m
                stack[top, 2], stack[top, 3] = turned(e, steps, level_phi, QUARTER_PHI, sign)
                stack[top, 4], stack[top, 5] = level_u, level_phi + 1
            top += 1
    return clearance


@kernel
def new_lane(arrays, lists, pair, face, gap):
    """Find room for a cell that faces segments face[0]..face[1] of A: (number of the block, lane)."""
    work, data, slots = lists.work[pair], arrays.pairs[pair], lists.slots
    first, last, group = face[0], face[1], slots.shape[1] // 4 - 1
    mode, slot = SEVERAL, 4 * group
    if data["mapping"] == RADIAL:
        mode, gap = BY_RADIUS, -math.inf  # the gap is a bound on the distance, not on this mapping
    elif first == last:
        mode, slot = ONE, 4 * (first - data["first_segment"])
    elif is_smooth_two(arrays.segments, first, last):
        mode, slot = SMOOTH_TWO, 4 * (first - data["first_segment"]) + 2
    slot += 1 if gap > NEAR * work["reach"] else 0
    capacity = lists.blocks.shape[1]
    here = slots[pair, slot]
    if here < 0 or lists.blocks[pair, min(here, capacity - 1)]["count"] == LANES:
        here = work["blocks"]
        work["blocks"] += 1
        slots[pair, slot] = here
        block = lists.blocks[pair, min(here, capacity - 1)]
        block["count"], block["mode"], block["gap"] = 0, mode, gap
        for k in range(LANES):
            block["area"][k] = 0.0
    block = lists.blocks[pair, min(here, capacity - 1)]  # beyond the capacity the last block is overwritten
    lane = min(block["count"], LANES - 1)
    block["count"] = lane + 1
    work["cells"] += 1
    block["gap"] = min(block["gap"], gap)
    block["first"][lane], block["last"][lane] = first, last
    return min(here, capacity - 1), lane


@inlined
def put_point(block, k, x, y, z):
    """Store a point of B."""
    block["x"][k], block["y"][k], block["z"][k] = x, y, z


@inlined
def is_smooth_two(segments, first, last):
    """Tell whether these are two segments of A that join smoothly."""
    return first + 1 == last and segments[first, END_SIDE] == 0.0


@inlined
def allowed_bend(resolution, curvature_u, curvature_phi):
    """Bend of the depth [m] that a cell may have where the surfaces differ by these curvatures [1/m]."""
    large, small = max(curvature_u, curvature_phi), min(curvature_u, curvature_phi)
    return math.sqrt(resolution * math.sqrt(large * max(small, SLENDER * large)))  # Eq. (C14)


@inlined
def which_way(limit, bend_u, bend_phi, can_u, can_phi):
    """Say which way a cell is halved: 0 not at all, 1 along the meridian, 2 around the axis."""
    u, phi = can_u and bend_u > limit, can_phi and bend_phi > limit
    if u and (bend_u >= bend_phi or not phi):
        return 1
    return 2 if phi else 0


@inlined
def gap_of_cell(mean, alpha, beta, omega):
    """Motion of B [m] before a cell of this depth can touch; negative where it touches."""
    gap = -(mean + 0.5 * (abs(alpha) + abs(beta)) + SOFT)
    return gap / (2.0 * HALF_SQRT3 + 2.0 * max(omega, 0.5 - omega)) if gap > 0.0 else gap  # Eq. (C18)


@inlined
def meridian(shape, m):
    """Point (z, rho) [m] of a strip at position m."""
    if shape[0] == 0.0:
        return m[0], m[1]
    return shape[1] + shape[3] * m[0], shape[2] + shape[3] * m[1]


@inlined
def shifted(shape, m, steps, level, column, sign):
    """Move a position along its strip by a step of the table."""
    c, s = steps[level, column], sign * steps[level, column + 1]
    if shape[0] == 0.0:
        return m[0] + s * shape[1], m[1] + s * shape[2]
    return m[0] * c - m[1] * s, m[0] * s + m[1] * c


@inlined
def turned(e, steps, level, column, sign):
    """Turn (cos, sin) around the axis by a step of the table."""
    c, s = steps[level, column], sign * steps[level, column + 1]
    return e[0] * c - e[1] * s, e[0] * s + e[1] * c


@inlined
def cell_area(shape, m, h_u, angle, half_sine):
    """Exact area of a cell [m2]; half_sine: sine of half its angle along an arc."""
    if shape[0] == 0.0:
        return angle * h_u * m[1]  # Eq. (C6)
    return angle * (h_u * shape[2] + 2.0 * shape[3] * shape[3] * half_sine * m[1])  # Eq. (C7)


@kernel
def add_point(arrays, lists, pair, R_AB, p_AB_A, reach, root, first, last):
    """Append the point of a root cell unless it cannot touch within reach; return the gap [m]."""
    strip = arrays.strips[int(arrays.roots[root, 0])]
    shape = (strip["kind"], strip["axis_z"], strip["axis_r"], strip["radius"])
    m = (arrays.roots[root, 1], arrays.roots[root, 2])
    z, rho = meridian(shape, m)
    x, y = rho * arrays.roots[root, 3], rho * arrays.roots[root, 4]
    gap = -depth_of(arrays.segments, first, last, R_AB, p_AB_A, x, y, z)
    if gap <= reach:
        place, lane = new_lane(arrays, lists, pair, (first, last), gap)
        block, half_sine = lists.blocks[pair, place], strip["steps"][0, HALF_U + 1]
        put_point(block, lane, x, y, z)
        block["area"][lane] = cell_area(shape, m, strip["length"], strip["angle"], half_sine)
    return gap
