"""The near list: which cells of B may touch A before B has moved by `reach`, and how far B is from touching.

Inner loops index whole arrays and take scalars: a view of an array, or a tuple of arrays as an argument,
costs more than the arithmetic of a cell.
"""

import math

from softdock.contact.kernels.cell import HALF_SQRT3, SOFT
from softdock.contact.kernels.layout import (
    ARC,
    AREA,
    BY_RADIUS,
    CLEARANCE,
    FACE_FIRST,
    FACE_LAST,
    FIRST_ROOT,
    FIRST_SEGMENT,
    GAUSS_PHI,
    GAUSS_U,
    HALF_PHI,
    HALF_U,
    LAST_SEGMENT,
    LEFT,
    LINE,
    MAPPING,
    MODE,
    OMEGA,
    POINTS,
    POSE,
    QUADRATURE,
    QUARTER_PHI,
    QUARTER_U,
    RADIAL,
    REACH,
    RESOLUTION,
    RIGHT,
    ROOTS,
    SEVERAL,
    SMALLEST,
    STRIP_ANGLE,
    STRIP_AXIS_R,
    STRIP_AXIS_Z,
    STRIP_KIND,
    STRIP_LENGTH,
    STRIP_RADIUS,
    TREE,
)
from softdock.geometry.kernels import KIND, depth, endless_depth, facing
from softdock.jit import inlined, kernel

SLENDER = 1e-3  # a patch is taken to be at most 30 times as long as wide, also where lines or rings touch


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
    r = math.sqrt(x * x + y * y)
    if first == last:
        return endless_depth(segments, first, z, r)[0]
    return depth(segments, first, last, z, r)[0]


@kernel
def rebuild(arrays, lists, pair, R_AB, p_AB_A, reach):
    """Fill the near list of a pair at the given relative pose: (clearance [m], number of cells).

    The list holds until a point of B's surface has moved `reach` [m] relative to A. B may move by the
    clearance before any force can begin (0 or less: in contact). Where the number exceeds the capacity of
    `lists`, the list is incomplete: grow the lists and rebuild.
    """
    segments, nodes, tree, stack = arrays.segments, arrays.nodes, arrays.tree, lists.node_stack
    spans = arrays.spans
    radial = spans[pair, MAPPING] == RADIAL  # the nearest segment need not be the one that counts
    stack[0, 0] = spans[pair, TREE]
    stack[0, 1], stack[0, 2] = spans[pair, FIRST_SEGMENT], spans[pair, LAST_SEGMENT]
    top, count, clearance = 1, 0, math.inf
    while top > 0:
        top -= 1
        node, first, last = stack[top, 0], stack[top, 1], stack[top, 2]
        x, y, z = to_A(R_AB, p_AB_A, nodes[node, 0], nodes[node, 1], nodes[node, 2])
        r, radius = math.sqrt(x * x + y * y), nodes[node, 3]
        gap = -depth(segments, first, last, z, r)[0] - radius  # Eq. (C16)
        if gap > reach:
            clearance = min(clearance, gap)
            continue
        if last > first and not radial:
            first, last = facing(segments, first, last, z, r, 2.0 * (radius + reach))  # Eq. (C17)
        if tree[node, LEFT] >= 0:
            stack[top, 0], stack[top, 1], stack[top, 2] = tree[node, RIGHT], first, last
            stack[top + 1, 0], stack[top + 1, 1], stack[top + 1, 2] = tree[node, LEFT], first, last
            top += 2
            continue
        begin = tree[node, FIRST_ROOT]
        for root in range(begin, begin + tree[node, ROOTS]):
            if spans[pair, QUADRATURE] == POINTS:
                count, gap = add_point(arrays, lists, pair, R_AB, p_AB_A, reach, root, first, last, count)
            else:
                count, gap = refine(arrays, lists, pair, R_AB, p_AB_A, reach, root, first, last, count)
            clearance = min(clearance, gap)
    remember(lists.status, pair, R_AB, p_AB_A, reach, clearance)
    lists.counts[pair] = min(count, lists.gaps.shape[1])
    return clearance, count


@kernel
def remember(status, pair, R_AB, p_AB_A, reach, clearance):
    """Note pose, reach and result of a rebuild."""
    status[pair, CLEARANCE], status[pair, REACH] = clearance, reach
    for i in range(3):
        status[pair, POSE + 9 + i] = p_AB_A[i]
        for j in range(3):
            status[pair, POSE + 3 * i + j] = R_AB[i][j]


@kernel
def refine(arrays, lists, pair, R_AB, p_AB_A, reach, root, first, last, count):
    """Halve a root cell where the depth bends, add what may touch: (number of cells, clearance [m])."""
    segments, steps, stack = arrays.segments, arrays.steps, lists.cell_stack
    cells, gaps, faces = lists.cells, lists.gaps, lists.faces
    resolution, smallest = arrays.params[pair, RESOLUTION], arrays.params[pair, SMALLEST]
    radial = arrays.spans[pair, MAPPING] == RADIAL
    strip = int(arrays.roots[root, 0])
    shape = strip_shape(arrays.strips, strip)
    length, sector = arrays.strips[strip, STRIP_LENGTH], arrays.strips[strip, STRIP_ANGLE]
    for i in range(4):
        stack[0, i] = arrays.roots[root, 1 + i]
    stack[0, 4], stack[0, 5] = 0.0, 0.0
    top, clearance = 1, math.inf
    while top > 0:
        top -= 1
        m, e = (stack[top, 0], stack[top, 1]), (stack[top, 2], stack[top, 3])
        level_u, level_phi = int(stack[top, 4]), int(stack[top, 5])
        h_u, angle = length / (1 << level_u), sector / (1 << level_phi)
        z, rho = meridian(shape, m)
        s = depth_of(segments, first, last, R_AB, p_AB_A, rho * e[0], rho * e[1], z)
        half = 0.5 * math.sqrt(h_u * h_u + rho * (rho + 0.5 * h_u) * angle * angle)  # Eq. (C15)
        if -s - half > reach:
            clearance = min(clearance, -s - half)
            continue
        s_u, s_phi = (0.0, 0.0), (0.0, 0.0)
        for sign in (-1.0, 1.0):
            z_i, rho_i = meridian(shape, shifted(shape, m, steps, strip, level_u, HALF_U, sign))
            s_i = depth_of(segments, first, last, R_AB, p_AB_A, rho_i * e[0], rho_i * e[1], z_i)
            cos, sin = turned(e, steps, strip, level_phi, HALF_PHI, sign)
            s_j = depth_of(segments, first, last, R_AB, p_AB_A, rho * cos, rho * sin, z)
            s_u, s_phi = (s_u[1], s_i), (s_phi[1], s_j)
        h_phi = rho * angle
        bend_u, bend_phi = 4.0 * abs(s_u[0] + s_u[1] - 2.0 * s), 4.0 * abs(s_phi[0] + s_phi[1] - 2.0 * s)
        limit = allowed_bend(resolution, bend_u / (h_u * h_u), bend_phi / (h_phi * h_phi))
        can_u, can_phi = h_u > smallest, h_phi > smallest
        split = which_way(limit, bend_u, bend_phi, can_u, can_phi)
        if split == 0:
            face_first, face_last = first, last
            if last > first and not radial:
                x, y, z = to_A(R_AB, p_AB_A, rho * e[0], rho * e[1], z)
                r = math.sqrt(x * x + y * y)
                face_first, face_last = facing(segments, first, last, z, r, 2.0 * (half + reach))
            row = min(count, gaps.shape[1] - 1)
            mean, alpha, beta, rho_sum = 0.0, 0.0, 0.0, 0.0
            for i in range(2):
                z_i, rho_i = meridian(shape, shifted(shape, m, steps, strip, level_u, GAUSS_U, 2.0 * i - 1.0))
                rho_sum += rho_i
                for j in range(2):
                    cos, sin = turned(e, steps, strip, level_phi, GAUSS_PHI, 2.0 * j - 1.0)
                    x, y, k = rho_i * cos, rho_i * sin, 3 * (2 * i + j)
                    cells[pair, row, k], cells[pair, row, k + 1], cells[pair, row, k + 2] = x, y, z_i
                    s = depth_of(segments, face_first, face_last, R_AB, p_AB_A, x, y, z_i)
                    mean += 0.5 * rho_i * s
                    alpha += (2.0 * i - 1.0) * s
                    beta += (2.0 * j - 1.0) * s
            mean, alpha, beta = mean / rho_sum, HALF_SQRT3 * alpha, HALF_SQRT3 * beta  # Eq. (C8)
            # A bend that turns back inside the cell hides from second differences, but not from the slopes.
            odd_u, odd_phi = 4.0 * abs(s_u[1] - s_u[0] - alpha), 4.0 * abs(s_phi[1] - s_phi[0] - beta)
            split = which_way(limit, odd_u, odd_phi, can_u, can_phi)
        if split == 0:
            omega = 0.5 * (rho_sum - rho_i) / rho_sum
            gap = gap_of_cell(mean, alpha, beta, omega)
            clearance = min(clearance, gap)
            if gap <= reach:
                cells[pair, row, OMEGA] = omega
                cells[pair, row, AREA] = cell_area(shape, m, h_u, angle, steps[strip, level_u, HALF_U + 1])
                note_face(segments, faces, gaps, pair, row, face_first, face_last, gap, radial)
                count += 1
            continue
        for sign in (-1.0, 1.0):
            if split == 1:
                stack[top, 0], stack[top, 1] = shifted(shape, m, steps, strip, level_u, QUARTER_U, sign)
                stack[top, 2], stack[top, 3] = e
                stack[top, 4], stack[top, 5] = level_u + 1, level_phi
            else:
                stack[top, 0], stack[top, 1] = m
                stack[top, 2], stack[top, 3] = turned(e, steps, strip, level_phi, QUARTER_PHI, sign)
                stack[top, 4], stack[top, 5] = level_u, level_phi + 1
            top += 1
    return count, clearance


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
def strip_shape(strips, strip):
    """Kind, axis (z, r) and radius of a strip."""
    return (
        strips[strip, STRIP_KIND],
        strips[strip, STRIP_AXIS_Z],
        strips[strip, STRIP_AXIS_R],
        strips[strip, STRIP_RADIUS],
    )


@inlined
def meridian(shape, m):
    """Point (z, rho) [m] of a strip at position m."""
    if shape[0] == 0.0:
        return m[0], m[1]
    return shape[1] + shape[3] * m[0], shape[2] + shape[3] * m[1]


@inlined
def shifted(shape, m, steps, strip, level, column, sign):
    """Move a position along its strip by a step of the table."""
    c, s = steps[strip, level, column], sign * steps[strip, level, column + 1]
    if shape[0] == 0.0:
        return m[0] + s * shape[1], m[1] + s * shape[2]
    return m[0] * c - m[1] * s, m[0] * s + m[1] * c


@inlined
def turned(e, steps, strip, level, column, sign):
    """Turn (cos, sin) around the axis by a step of the table."""
    c, s = steps[strip, level, column], sign * steps[strip, level, column + 1]
    return e[0] * c - e[1] * s, e[0] * s + e[1] * c


@inlined
def cell_area(shape, m, h_u, angle, half_sine):
    """Exact area of a cell [m2]; half_sine: sine of half its angle along an arc."""
    if shape[0] == 0.0:
        return angle * h_u * m[1]  # Eq. (C6)
    return angle * (h_u * shape[2] + 2.0 * shape[3] * shape[3] * half_sine * m[1])  # Eq. (C7)


@kernel
def add_point(arrays, lists, pair, R_AB, p_AB_A, reach, root, first, last, count):
    """Append the point of a root cell unless it cannot touch within reach: (number of points, gap [m])."""
    strip = int(arrays.roots[root, 0])
    shape, m = strip_shape(arrays.strips, strip), (arrays.roots[root, 1], arrays.roots[root, 2])
    z, rho = meridian(shape, m)
    x, y = rho * arrays.roots[root, 3], rho * arrays.roots[root, 4]
    gap = -depth_of(arrays.segments, first, last, R_AB, p_AB_A, x, y, z)
    if gap > reach:
        return count, gap
    row = min(count, lists.gaps.shape[1] - 1)
    lists.cells[pair, row, 0], lists.cells[pair, row, 1], lists.cells[pair, row, 2] = x, y, z
    h_u, angle = arrays.strips[strip, STRIP_LENGTH], arrays.strips[strip, STRIP_ANGLE]
    lists.cells[pair, row, AREA] = cell_area(shape, m, h_u, angle, arrays.steps[strip, 0, HALF_U + 1])
    radial = arrays.spans[pair, MAPPING] == RADIAL
    note_face(arrays.segments, lists.faces, lists.gaps, pair, row, first, last, gap, radial)
    return count + 1, gap


@inlined
def note_face(segments, faces, gaps, pair, row, first, last, gap, radial):
    """Note which segments of A a cell faces, and its gap."""
    mode = SEVERAL if first < last else (LINE if segments[first, KIND] == 0.0 else ARC)
    if radial:
        mode, gap = BY_RADIUS, -math.inf  # the gap is a bound on the distance, not on this mapping
    faces[pair, row, MODE], faces[pair, row, FACE_FIRST], faces[pair, row, FACE_LAST] = mode, first, last
    gaps[pair, row] = gap
