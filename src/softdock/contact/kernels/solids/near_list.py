"""Near list of a pair of solids: cells of B that may touch A, halved until the depth is nearly linear across each."""

import math

from softdock.contact.kernels.blocks import MAY_TOUCH, NEAR_SHARE, ROUNDING, near_time, store_point
from softdock.contact.kernels.cell_geometry import path_motion, to_A
from softdock.contact.kernels.cut_cell import CORNER_WEIGHTS, HALF_SQRT3, SMALLEST_SLOPE
from softdock.contact.kernels.layout import (
    BLOCK_CELLS,
    CELL_ROWS,
    FACES_ANY,
    FACES_CONVEX,
    FACES_ONE,
    FACES_SMOOTH_PAIR,
    MOST_BRANCHES,
    RECTANGLE,
)
from softdock.contact.kernels.refinement import (
    COVERED_DEPTH_RATIO,
    SHARP_CLEARANCE,
    SPLIT_ALONG,
    SPLIT_AROUND,
    choose_split,
    skip_distance,
    update_nearest,
)
from softdock.contact.kernels.solids.bounds import set_solid_bounds
from softdock.contact.kernels.solids.cells import (
    CELL_BRANCHES,
    CELL_EDGE,
    CELL_FACE,
    CELL_FACES,
    CELL_FACING,
    CELL_KIND,
    CELL_PATCH,
    CELL_VALUES,
    MIDDLE,
    SIDE_MIDDLES,
    TRIANGLE_CORNERS,
    U_ENDS,
    V_ENDS,
    bounding_radius,
    push_copy,
    push_half_rectangles,
    push_half_triangles,
    push_patch,
    rectangle_area,
    rectangle_points,
    set_nodes,
    triangle_points,
)
from softdock.contact.kernels.solids.neighbourhood import find_near_faces
from softdock.contact.kernels.solids.tables import (
    curvature_of_face,
    depth_below_faces,
    nearest_feature,
    rough_depth,
    smooth_switch,
    solid_of,
)
from softdock.geometry.solids.kernels.faces import face_depth
from softdock.geometry.solids.kernels.layout import CONE, FACE_KIND, FACETED
from softdock.geometry.solids.kernels.parameter_columns import FRAME_KIND, FRAME_RATE_RHO
from softdock.native.decorators import inline, kernel

OPEN_BLOCKS = 24  # latest blocks among which one for a cell is looked for
SEARCHED_SIZE = (
    1.0  # over the range of a list: cells that need the nearest feature of all are halved down to that
)
LONGEST_SEARCHED = 2e-4  # [m] unless they are smaller than this already
# Error of the depth below triangles over their slack, and size of cells from which it is exact enough.
ROUGH_ERROR, ROUGH_SIZE = 3.0, 12.0
SKIP_REACHES = 2.0  # spheres that were farther than this many reaches are not examined again


@kernel
def fill_list(arrays, lists, pair, R_AB, p_AB_A, half_R, half_p):
    """Fill the near list of a pair of solids, after `start_list`."""
    data, work, nodes, tables = arrays.pairs[pair], lists.work[pair], arrays.nodes, arrays.solids
    A, B = solid_of(tables, data["solid_A"]), solid_of(tables, data["solid_B"])
    frames = tables.frames[
        tables.spans[data["solid_B"]]["first_face"] : tables.spans[data["solid_B"]]["last_face"]
    ]
    span = tables.spans[data["solid_A"]]
    box_faces = tables.box_faces[span["first_box"] : span["last_box"]]
    stack, top, reach = work["node_cells"], 1, work["reach"]
    slack = span["slack"]
    x, y, z = work["nearest_point"][0], work["nearest_point"][1], work["nearest_point"][2]
    x, y, z = to_A(R_AB, p_AB_A, x, y, z)
    work["nearest_distance"] = -nearest_feature(A, lists, x, y, z)[0]
    stack[0, CELL_PATCH], stack[0, CELL_FACING] = data["root_node"], -1.0
    clearance, work["clearance"] = math.inf, math.inf
    while top > 0:
        top -= 1
        row = stack[top]
        index = int(row[CELL_PATCH])
        gap = lists.skip_until[index] - work["odometer"] - work["path_motion"]
        if gap > max(SKIP_REACHES * reach, skip_distance(work)):  # still too far to touch
            clearance = min(clearance, gap)
            continue
        node = nodes[index]
        x, y, z = to_A(R_AB, p_AB_A, node["x"], node["y"], node["z"])
        radius = node["radius"]
        s, _, _, _, error = depth_of_cell(A, lists, pair, row, x, y, z, radius, slack)
        s += error
        lists.skip_until[index] = work["odometer"] - s - radius  # Eq. (C16)
        radius += path_motion(half_R, half_p, node["x"], node["y"], node["z"])[0] + work["path_turn"] * radius
        if -s - radius > skip_distance(work):
            clearance = min(clearance, -s - radius)
            continue
        find_faces_of_cell(A, box_faces, work, row, x, y, z, s, radius + reach + error)
        if node["left"] >= 0:
            push_copy(stack, row, top + 1)
            row[CELL_PATCH], stack[top + 1, CELL_PATCH] = node["right"], node["left"]
            top += 2
            continue
        for patch in range(node["first_root"], node["first_root"] + node["root_count"]):
            cells = push_patch(tables, work, patch, row, 0)
            while cells > 0:
                cells = examine_cell(
                    arrays, lists, pair, A, B, frames, box_faces, R_AB, p_AB_A, half_R, half_p, cells - 1
                )
    work["clearance"] = min(work["clearance"], clearance)
    for b in range(min(work["block_count"], lists.blocks.shape[1])):
        set_solid_bounds(A, lists, pair, lists.blocks[pair, b], R_AB, p_AB_A, half_R, half_p)


@kernel
def examine_cell(arrays, lists, pair, A, B, frames, box_faces, R_AB, p_AB_A, half_R, half_p, top):
    """Discard, halve or add the cell in row `top` of the stack; return the new top."""
    data, work = arrays.pairs[pair], lists.work[pair]
    row, nodes = work["patch_stack"][top], work["cell_nodes"]
    size = set_nodes(B, frames, row, nodes)
    radius = bounding_radius(row, nodes)
    X, Y, Z = nodes[MIDDLE, 0], nodes[MIDDLE, 1], nodes[MIDDLE, 2]
    moves, d = path_motion(half_R, half_p, X, Y, Z)
    motion = moves + work["path_turn"] * radius
    x, y, z = to_A(R_AB, p_AB_A, X, Y, Z)
    slack = arrays.solids.spans[data["solid_A"]]["slack"]
    s, g_x, g_y, g_z, error = depth_of_cell(A, lists, pair, row, x, y, z, radius, slack)
    s += error
    update_nearest(work, -s, X, Y, Z)
    gap, enough = -s - radius - motion, skip_distance(work)
    if gap > enough:
        work["clearance"] = min(work["clearance"], gap)
        return top
    span = radius + motion + work["reach"] + error
    find_faces_of_cell(A, box_faces, work, row, x, y, z, s, span)
    divisible = (
        size[0] > data["smallest_cell"] and top + 4 < CELL_ROWS,
        size[1] > data["smallest_cell"] and top + 4 < CELL_ROWS,
    )
    split = split_for_search(A, data, work, row, size, motion, divisible)
    if split != 0 and gap <= work["reach"]:
        return push_parts(work, row, nodes, split, top)
    if split != 0:  # too far away to touch: halved only for a sharper clearance
        if radius <= (SHARP_CLEARANCE - 1.0) * s:
            work["clearance"] = min(work["clearance"], gap)
            return top
        return push_parts(work, row, nodes, split, top)
    if error > 0.0:
        s, g_x, g_y, g_z = depth_below_row(A, lists, pair, row, x, y, z)
        gap = -s - radius - motion
    slopes, second = variation_of_cell(A, lists, pair, row, nodes, R_AB, p_AB_A)
    if row[CELL_FACING] == FACES_ONE:
        towards = abs(g_x * d[0] + g_y * d[1] + g_z * d[2]) + work["path_turn"] * radius
        curved = 0.5 * curvature_near(A, row, x, y, z, span) * motion * motion
        rise = slopes + 0.25 * (second[0] + second[1])
        gap = max(gap, -(s + rise + towards + curved))
    beyond = gap > work["reach"]
    sharp = radius <= (SHARP_CLEARANCE - 1.0) * s or not (divisible[0] or divisible[1])
    if gap > enough or (beyond and sharp):
        work["clearance"] = min(work["clearance"], gap)
        return top
    gradient, middle = (g_x, g_y, g_z), (x, y, z)
    split = split_of_cell(
        A, B, frames, data, work, row, size, second, slopes, s, gradient, span, motion, divisible, middle
    )
    if beyond:  # halved only for a sharper clearance
        split = (SPLIT_ALONG if divisible[0] else 0) + (SPLIT_AROUND if divisible[1] else 0)
    if split == 0:
        add_cell(
            arrays, lists, pair, A, B, frames, row, nodes, radius, moves, s, R_AB, p_AB_A, half_R, half_p
        )
        return top
    return push_parts(work, row, nodes, split, top)


@kernel
def push_parts(work, row, nodes, split, top):
    """Replace a cell, in row `top` of the stack, by its parts; return the new top."""
    stack, parent = work["patch_stack"], CELL_ROWS - 1
    for k in range(stack.shape[1]):
        stack[parent, k] = row[k]
    if row[CELL_KIND] == RECTANGLE:
        return push_half_rectangles(
            stack, stack[parent], top, split & SPLIT_ALONG != 0, split & SPLIT_AROUND != 0
        )
    return push_half_triangles(stack, stack[parent], nodes, top)


@inline
def split_for_search(A, data, work, row, size, motion, divisible):
    """Return the directions in which a cell that needs the nearest feature of all is halved; 0 for others.

    Smaller cells may face one face only.
    """
    split = 0
    if row[CELL_FACING] == FACES_ANY and A.faces[int(row[CELL_FACES]), FACE_KIND] != FACETED:
        longest = max(SEARCHED_SIZE * (work["reach"] + motion), min(LONGEST_SEARCHED, data["smallest_cell"]))
        split |= SPLIT_ALONG if divisible[0] and size[0] > longest else 0
        split |= SPLIT_AROUND if divisible[1] and size[1] > longest else 0
    return split


@inline
def depth_of_cell(A, lists, pair, row, x, y, z, radius, slack):
    """Return depth [m] and gradient of the middle of a cell below the faces of A that it faces, and the depth's error.

    The depth of a large cell that faces no known faces is that below the triangles of A: `slack` is theirs. Its
    gradient is not known.
    """
    if row[CELL_FACING] >= 0.0 and row[CELL_FACING] != FACES_ANY:
        s, g_x, g_y, g_z = depth_below_row(A, lists, pair, row, x, y, z)
        return s, g_x, g_y, g_z, 0.0
    if radius > ROUGH_SIZE * slack:
        return rough_depth(A, x, y, z), 0.0, 0.0, 0.0, ROUGH_ERROR * slack
    s, g_x, g_y, g_z, _, _ = nearest_feature(A, lists, x, y, z)
    return s, g_x, g_y, g_z, 0.0


@inline
def depth_below_row(A, lists, pair, row, x, y, z):
    """Return depth and gradient of a point below the faces that a cell faces."""
    faces = (
        int(row[CELL_FACES]),
        int(row[CELL_FACES + 1]),
        int(row[CELL_FACES + 2]),
        int(row[CELL_FACES + 3]),
    )
    return depth_below_faces(
        A, lists, pair, int(row[CELL_FACING]), int(row[CELL_BRANCHES]), faces, int(row[CELL_EDGE]), x, y, z
    )


@kernel
def find_faces_of_cell(A, box_faces, work, row, x, y, z, s, span):
    """Find which faces of A a cell faces wherever B is within the range of the list; Eq. (C17).

    The middle of the cell is at (x, y, z), at depth s; `span`: distance of its farthest point and place from there [m].
    """
    facing = int(row[CELL_FACING])
    if facing == FACES_ONE:
        return
    if facing == FACES_CONVEX:
        narrow_convex(A, row, x, y, z, s, span)
        return
    if facing == FACES_SMOOTH_PAIR:
        f, h = int(row[CELL_FACES]), int(row[CELL_FACES + 1])
        a, a_x, a_y, a_z = face_depth(A.faces, f, x, y, z)
        b, b_x, b_y, b_z = face_depth(A.faces, h, x, y, z)
        beside = smooth_switch(A, int(row[CELL_EDGE]), f, (a_x, a_y, a_z), (b_x, b_y, b_z))
        if abs(beside) > 2.0 * span:
            row[CELL_FACES] = f if beside > 0.0 else h
            row[CELL_FACING], row[CELL_BRANCHES] = FACES_ONE, 1.0
        return
    row[CELL_FACING] = find_near_faces(A, box_faces, work, x, y, z, abs(s) + 2.0 * span)
    row[CELL_BRANCHES], row[CELL_EDGE] = min(work["near_count"], MOST_BRANCHES), work["near_smooth_edge"]
    for k in range(MOST_BRANCHES):
        row[CELL_FACES + k] = work["near_faces"][k]
    if row[CELL_FACING] == FACES_CONVEX:
        narrow_convex(A, row, x, y, z, s, span)
    elif row[CELL_FACING] == FACES_SMOOTH_PAIR:
        row[CELL_BRANCHES] = 1.0


@kernel
def narrow_convex(A, row, x, y, z, s, span):
    """Leave out the faces whose depth is not the smallest anywhere in a cell."""
    kept, count = 0, int(row[CELL_BRANCHES])
    for k in range(count):
        f = int(row[CELL_FACES + k])
        if face_depth(A.faces, f, x, y, z)[0] <= s + 2.0 * span:
            row[CELL_FACES + kept] = f
            kept += 1
    row[CELL_BRANCHES] = kept
    if kept == 1:
        row[CELL_FACING] = FACES_ONE


@kernel
def curvature_near(A, row, x, y, z, span):
    """Return a bound on the curvatures of A's faces within `span` [m] of the middle of a cell [1/m]."""
    largest, count = 0.0, int(row[CELL_BRANCHES])
    if row[CELL_FACING] == FACES_ANY:
        return math.inf
    if row[CELL_FACING] == FACES_SMOOTH_PAIR:
        count = 2
    for k in range(count):
        curvature = curvature_of_face(A.faces, int(row[CELL_FACES + k]), x, y, z)
        if curvature * span >= 1.0:
            return math.inf
        largest = max(largest, curvature / (1.0 - curvature * span))
    return largest


@kernel
def variation_of_cell(A, lists, pair, row, nodes, R_AB, p_AB_A):
    """Return the rise of the depth from the middle to the corners [m], and second differences along u and v [m].

    For several faces they are the largest of all.
    """
    is_triangle = row[CELL_KIND] != RECTANGLE
    count = int(row[CELL_BRANCHES])
    if row[CELL_FACING] != FACES_CONVEX:
        count = 1
    slope, second_u, second_v = 0.0, 0.0, 0.0
    for k in range(count):
        if is_triangle:
            s_0 = node_depth(A, lists, pair, row, k, nodes, TRIANGLE_CORNERS, R_AB, p_AB_A)
            s_1 = node_depth(A, lists, pair, row, k, nodes, TRIANGLE_CORNERS + 1, R_AB, p_AB_A)
            s_2 = node_depth(A, lists, pair, row, k, nodes, TRIANGLE_CORNERS + 2, R_AB, p_AB_A)
            m_0 = node_depth(A, lists, pair, row, k, nodes, SIDE_MIDDLES, R_AB, p_AB_A)
            m_1 = node_depth(A, lists, pair, row, k, nodes, SIDE_MIDDLES + 1, R_AB, p_AB_A)
            m_2 = node_depth(A, lists, pair, row, k, nodes, SIDE_MIDDLES + 2, R_AB, p_AB_A)
            middle = (s_0 + s_1 + s_2) / 3.0
            slope = max(slope, s_0 - middle, s_1 - middle, s_2 - middle)
            bent = 4.0 * max(
                abs(s_0 + s_1 - 2.0 * m_0), abs(s_1 + s_2 - 2.0 * m_1), abs(s_2 + s_0 - 2.0 * m_2)
            )
            second_u, second_v = max(second_u, bent), max(second_v, bent)
        else:
            s = node_depth(A, lists, pair, row, k, nodes, MIDDLE, R_AB, p_AB_A)
            u_0 = node_depth(A, lists, pair, row, k, nodes, U_ENDS, R_AB, p_AB_A)
            u_1 = node_depth(A, lists, pair, row, k, nodes, U_ENDS + 1, R_AB, p_AB_A)
            v_0 = node_depth(A, lists, pair, row, k, nodes, V_ENDS, R_AB, p_AB_A)
            v_1 = node_depth(A, lists, pair, row, k, nodes, V_ENDS + 1, R_AB, p_AB_A)
            slope = max(slope, 0.5 * (abs(u_1 - u_0) + abs(v_1 - v_0)))
            second_u = max(second_u, 4.0 * abs(u_0 + u_1 - 2.0 * s))
            second_v = max(second_v, 4.0 * abs(v_0 + v_1 - 2.0 * s))
    return slope, (second_u, second_v)


@inline
def node_depth(A, lists, pair, row, k, nodes, node, R_AB, p_AB_A):
    """Return the depth [m] of a node of a cell below branch k of the faces that it faces."""
    x, y, z = to_A(R_AB, p_AB_A, nodes[node, 0], nodes[node, 1], nodes[node, 2])
    if row[CELL_FACING] == FACES_CONVEX:
        return face_depth(A.faces, int(row[CELL_FACES + k]), x, y, z)[0]
    return depth_below_row(A, lists, pair, row, x, y, z)[0]


@kernel
def split_of_cell(A, B, frames, data, work, row, size, second, slopes, s, g, span, motion, divisible, place):
    """Return the directions in which a cell is halved; Eqs. (C14), (C25), (C27), (C28)."""
    reach, x, y, z = work["reach"], place[0], place[1], place[2]
    curvature = curvature_near(A, row, x, y, z, 0.0)
    uncertain_u, uncertain_v = 0.0, 0.0
    if math.isfinite(curvature):
        # Eq. (C27) with bounds on the curvatures of both surfaces along the cell
        other = second[0] / (size[0] * size[0]) + curvature
        uncertain_u = reach * curvature * other * size[0] * size[0]
        other = second[1] / (size[1] * size[1]) + curvature
        uncertain_v = reach * curvature * other * size[1] * size[1]
    if row[CELL_KIND] == RECTANGLE:
        frame = frames[int(row[CELL_FACE])]
        if frame[FRAME_KIND] == CONE:
            u, rho = row[CELL_VALUES + 1] - row[CELL_VALUES], 0.0
            if u > 0.0:
                rho = size[0] / u
            if rho > 0.0:
                uncertain_v = max(
                    uncertain_v, slopes * abs(frame[FRAME_RATE_RHO]) * size[1] / rho
                )  # Eq. (C28)
    covered = (s - slopes - 0.25 * (second[0] + second[1]) - reach - motion) / COVERED_DEPTH_RATIO
    if row[CELL_FACING] != FACES_ONE:
        covered = 0.0
    split, _ = choose_split(
        data["resolution"], max(covered, 0.0), size, second, (uncertain_u, uncertain_v), divisible
    )
    return split


@kernel
def add_cell(arrays, lists, pair, A, B, frames, row, nodes, radius, moves, s, R_AB, p_AB_A, half_R, half_p):
    """Add a cell to the list if it may touch within reach of the path."""
    work, is_rectangle = lists.work[pair], row[CELL_KIND] == RECTANGLE
    frame, omega = frames[int(row[CELL_FACE])], 0.25
    if is_rectangle:
        omega = rectangle_points(frame, row, nodes)
        u_0, u_1, v_0, v_1 = (
            row[CELL_VALUES],
            row[CELL_VALUES + 1],
            row[CELL_VALUES + 2],
            row[CELL_VALUES + 3],
        )
        area = rectangle_area(frame, u_0, u_1, v_0, v_1)
    else:
        area = triangle_points(B.faces, row, nodes)
    middle = highest_corner(A, lists, pair, row, nodes, omega, R_AB, p_AB_A, half_R, half_p, 0.0)
    motion = moves + work["path_turn"] * radius
    start, end, rise = middle, middle, 0.0
    if motion > 0.0:
        start = highest_corner(A, lists, pair, row, nodes, omega, R_AB, p_AB_A, half_R, half_p, -1.0)
        end = highest_corner(A, lists, pair, row, nodes, omega, R_AB, p_AB_A, half_R, half_p, 1.0)
        x, y, z = to_A(R_AB, p_AB_A, nodes[0, 0], nodes[0, 1], nodes[0, 2])
        curvature = curvature_near(A, row, x, y, z, radius + motion)
        rise = 0.5 * CORNER_WEIGHTS * min(curvature * motion * motion, motion)  # Eq. (C33)
    top = max(middle, start, end) + rise
    weights = 2.0 * HALF_SQRT3 + 2.0 * max(omega, 0.5 - omega)
    gap = -top / weights if top < 0.0 else -top  # Eq. (C18)
    work["clearance"] = min(work["clearance"], gap)
    if gap > work["reach"]:
        return
    place, lane = allocate_lane(lists, pair, row, gap, (start, middle, end))
    block = lists.blocks[pair, place]
    for k in range(4 if is_rectangle else 3):
        store_point(block, lane + k * BLOCK_CELLS, nodes[k, 0], nodes[k, 1], nodes[k, 2])
    if not is_rectangle:
        store_point(block, lane + 3 * BLOCK_CELLS, nodes[0, 0], nodes[0, 1], nodes[0, 2])
    block["lower_weight"][lane], block["area"][lane] = omega, area
    block["first"][lane] = int(row[CELL_FACE])
    first_face = arrays.solids.spans[arrays.pairs[pair]["solid_A"]]["first_face"]
    for k in range(block["branches"]):
        if arrays.solids.is_closure[first_face + max(block["faces"][k], 0)] == 1:
            work["faces_closure"] = 1


@kernel
def highest_corner(A, lists, pair, row, nodes, omega, R_AB, p_AB_A, half_R, half_p, at):
    """Return the depth of the highest corner of a cell [m] at a position on the path, from the depths of its points.

    Of several faces the smallest of their highest corners: a cell touches only where it is below all of them.
    """
    lowest, count = math.inf, int(row[CELL_BRANCHES]) if row[CELL_FACING] == FACES_CONVEX else 1
    for k in range(count):
        d_0 = point_depth(A, lists, pair, row, k, nodes, 0, R_AB, p_AB_A, half_R, half_p, at)
        d_1 = point_depth(A, lists, pair, row, k, nodes, 1, R_AB, p_AB_A, half_R, half_p, at)
        d_2 = point_depth(A, lists, pair, row, k, nodes, 2, R_AB, p_AB_A, half_R, half_p, at)
        if row[CELL_KIND] == RECTANGLE:
            d_3 = point_depth(A, lists, pair, row, k, nodes, 3, R_AB, p_AB_A, half_R, half_p, at)
            mean = omega * (d_0 + d_1) + (0.5 - omega) * (d_2 + d_3)
            highest = mean + HALF_SQRT3 * max(abs(d_3 - d_0), abs(d_2 - d_1)) + SMALLEST_SLOPE
        else:
            highest = 2.0 * max(d_0, d_1, d_2) - (d_0 + d_1 + d_2) / 3.0
        lowest = min(lowest, highest)
    return lowest


@inline
def point_depth(A, lists, pair, row, k, nodes, point, R_AB, p_AB_A, half_R, half_p, at):
    """Return the depth [m] of a point of a cell below branch k of its faces at a position on the path."""
    X, Y, Z = nodes[point, 0], nodes[point, 1], nodes[point, 2]
    x, y, z = to_A(R_AB, p_AB_A, X, Y, Z)
    d = to_A(half_R, half_p, X, Y, Z)
    x, y, z = x + at * d[0], y + at * d[1], z + at * d[2]
    if row[CELL_FACING] == FACES_CONVEX:
        return face_depth(A.faces, int(row[CELL_FACES + k]), x, y, z)[0]
    return depth_below_row(A, lists, pair, row, x, y, z)[0]


@kernel
def allocate_lane(lists, pair, row, gap, heights):
    """Allocate a lane for a cell; return the indices of block and lane. Arguments as in `blocks.allocate_lane`."""
    work, capacity = lists.work[pair], lists.blocks.shape[1]
    facing, branches = int(row[CELL_FACING]), int(row[CELL_BRANCHES])
    shape, edge = int(row[CELL_KIND]), int(row[CELL_EDGE])
    most = BLOCK_CELLS
    if facing == FACES_CONVEX:
        most = BLOCK_CELLS // branches  # so that all parts of the cells have a lane
    elif facing == FACES_ANY:
        branches, edge = 1, -1
    elif facing == FACES_ONE:
        edge = -1
    near = near_time(heights, -NEAR_SHARE * work["reach"])
    number = work["block_count"] - 1
    oldest = max(number - OPEN_BLOCKS, -1)
    while number > oldest:
        block = lists.blocks[pair, min(number, capacity - 1)]
        if (
            block["facing"] == facing
            and block["cell_shape"] == shape
            and block["branches"] == branches
            and block["near_time"] == near
            and block["edge"] == edge
            and block["count"] < most
            and (facing == FACES_ANY or faces_equal(block, row, branches, facing))
        ):
            break
        number -= 1
    if number == oldest:
        number = work["block_count"]
        work["block_count"] += 1
        block = lists.blocks[pair, min(number, capacity - 1)]
        block["count"], block["facing"], block["least_gap"] = 0, facing, gap
        block["cell_shape"], block["branches"], block["near_time"] = shape, branches, near
        block["edge"] = edge
        for k in range(MOST_BRANCHES):
            block["faces"][k] = int(row[CELL_FACES + k])
        for k in range(BLOCK_CELLS):
            block["area"][k] = 0.0
        for k in range(3):
            block["separation"][k] = MAY_TOUCH if facing == FACES_ANY else math.inf
    block = lists.blocks[pair, min(number, capacity - 1)]
    lane = min(block["count"], BLOCK_CELLS - 1)
    block["count"] = lane + 1
    work["cell_count"] += 1
    block["least_gap"] = min(block["least_gap"], gap)
    for k in range(3):
        block["separation"][k] = min(block["separation"][k], -heights[k] - ROUNDING)
    return min(number, capacity - 1), lane


@inline
def faces_equal(block, row, branches, facing):
    """Return whether a block has the faces of a cell."""
    equal = True
    for k in range(2 if facing == FACES_SMOOTH_PAIR else branches):
        if block["faces"][k] != int(row[CELL_FACES + k]):
            equal = False
    return equal
