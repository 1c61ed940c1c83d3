"""Near list of a pair: the cells of B that may touch A while B is within `reach` of a path, and the clearance."""

import math

from softdock.contact.kernels.block_bounds import set_bounds
from softdock.contact.kernels.blocks import allocate_lane, store_point
from softdock.contact.kernels.cell_geometry import cell_area, meridian_point, path_motion, point_depth, to_A
from softdock.contact.kernels.force import motion_bound
from softdock.contact.kernels.layout import HALF_U, POINTS, RADIAL, SOLID_PAIR
from softdock.contact.kernels.refinement import push_root, refine_cells, skip_distance, update_nearest
from softdock.contact.kernels.solids.near_list import fill_list
from softdock.geometry.kernels import depth, narrow_segments
from softdock.native.decorators import kernel
from softdock.native.simd import LANES

INVERSE_SQRT2 = 0.7071067811865476
SKIP_REACHES = 2.0  # spheres and root cells that were farther than this many reaches are not examined again


@kernel
def rebuild(arrays, lists, pair, R_AB, p_AB_A, reach):
    """Rebuild the near list of a pair for a relative pose; clearance and number of blocks are in its WORK record.

    The list is valid until a point of B's surface has moved by `reach` [m] relative to A.
    """
    still = (0.0, 0.0, 0.0)
    rebuild_along(arrays, lists, pair, R_AB, p_AB_A, (still, still, still), still, reach)


@kernel
def rebuild_along(arrays, lists, pair, R_AB, p_AB_A, half_R, half_p, reach):
    """Rebuild the near list of a pair for a path of relative poses; results are in its WORK record.

    R_AB (three rows) and p_AB_A [m] are the middle of the path, which extends by half_R, half_p in both directions; on
    it R_AB need not be a rotation. The list is valid while, for some pose of the path, no point of B's surface is
    farther than `reach` [m] from its place at that pose. B may leave the path by the clearance [m] before any force
    begins (0 or less: it may touch on the path). If the number of blocks exceeds the capacity of `lists`, the list is
    incomplete: allocate larger lists and rebuild.
    """
    start_list(arrays, lists, pair, R_AB, p_AB_A, half_R, half_p, reach)
    if arrays.pairs[pair]["surface_kind"] == SOLID_PAIR:
        fill_list(arrays, lists, pair, R_AB, p_AB_A, half_R, half_p)
    else:
        fill_list_of_revolution(arrays, lists, pair, R_AB, p_AB_A, half_R, half_p, reach)


@kernel
def fill_list_of_revolution(arrays, lists, pair, R_AB, p_AB_A, half_R, half_p, reach):
    """Fill the near list of two surfaces of revolution, after `start_list`."""
    segments, nodes, data, work = arrays.segments, arrays.nodes, arrays.pairs[pair], lists.work[pair]
    stack, skip_until, roots = work["node_stack"], lists.skip_until, nodes.shape[0]
    radial = data["mapping"] == RADIAL  # the nearest segment need not be the one at the same z
    odometer, motion, turn = work["odometer"], work["path_motion"], work["path_turn"]
    first, last, point = data["first_segment"], data["last_segment"], work["nearest_point"]
    work["nearest_distance"] = -point_depth(segments, first, last, R_AB, p_AB_A, point[0], point[1], point[2])
    stack[0, 0], stack[0, 1], stack[0, 2] = data["root_node"], first, last
    work["clearance"], top, cells, clearance = math.inf, 1, 0, math.inf
    while top > 0:
        top -= 1
        index, first, last = stack[top, 0], stack[top, 1], stack[top, 2]
        gap = skip_until[index] - odometer - motion
        if gap > max(SKIP_REACHES * reach, skip_distance(work)):  # still too far to touch
            clearance = min(clearance, gap)
            continue
        node = nodes[index]
        x, y, z = to_A(R_AB, p_AB_A, node["x"], node["y"], node["z"])
        r, radius = math.sqrt(x * x + y * y), node["radius"]
        s = depth(segments, first, last, z, r)[0]
        skip_until[index] = odometer - s - radius  # Eq. (C16)
        radius += path_motion(half_R, half_p, node["x"], node["y"], node["z"])[0] + turn * radius
        if -s - radius > skip_distance(work):
            clearance = min(clearance, -s - radius)
            continue
        if last > first and not radial:
            first, last = narrow_segments(segments, first, last, z, r, s, radius + reach)
        if node["left"] >= 0:
            stack[top, 0], stack[top, 1], stack[top, 2] = node["right"], first, last
            stack[top + 1, 0], stack[top + 1, 1], stack[top + 1, 2] = node["left"], first, last
            top += 2
            continue
        for root in range(node["first_root"], node["first_root"] + node["root_count"]):
            gap = skip_until[roots + root] - odometer - motion
            if gap <= max(SKIP_REACHES * reach, skip_distance(work)) and data["quadrature"] == POINTS:
                gap = add_point(arrays, lists, pair, R_AB, p_AB_A, root, first, last)
                skip_until[roots + root] = odometer + gap + motion
            elif gap <= max(SKIP_REACHES * reach, skip_distance(work)):
                cells = push_root(arrays, lists, pair, root, first, last, cells)
                continue
            clearance = min(clearance, gap)
        while cells >= LANES:
            cells = refine_cells(arrays, lists, pair, R_AB, p_AB_A, half_R, half_p, cells)
    while cells > 0:
        cells = refine_cells(arrays, lists, pair, R_AB, p_AB_A, half_R, half_p, cells)
    work["clearance"] = min(work["clearance"], clearance)
    for b in range(min(work["block_count"], lists.blocks.shape[1])):
        if data["quadrature"] != POINTS and not radial:
            set_bounds(segments, lists.blocks[pair, b], work, R_AB, p_AB_A, half_R, half_p)


@kernel
def start_list(arrays, lists, pair, R_AB, p_AB_A, half_R, half_p, reach):
    """Clear the list of a pair, store its path, Eq. (C31), and add the motion since the last list to the odometer."""
    work, ball = lists.work[pair], arrays.nodes[arrays.pairs[pair]["root_node"]]
    work["path_scale"], work["rotation_arm"] = 0.0, ball["radius"]
    if work["reach"] >= 0.0:  # not the first list
        work["odometer"] += motion_bound(arrays, lists, pair, R_AB, p_AB_A)
    motion, (x, y, z) = path_motion(half_R, half_p, ball["x"], ball["y"], ball["z"])
    turn = 0.0
    for i in range(3):
        work["half_p"][i] = work["columns"][7, i] = half_p[i]
        for j in range(3):
            work["half_R"][i, j] = work["columns"][4 + j, i] = half_R[i][j]
            turn += half_R[i][j] * half_R[i][j]
    work["centre_motion"][0], work["centre_motion"][1], work["centre_motion"][2] = x, y, z
    work["columns"][8, 0], work["columns"][8, 1], work["columns"][8, 2] = x, y, z
    square = motion * motion + ball["radius"] * ball["radius"] * turn
    if square > 0.0:
        work["path_scale"] = 1.0 / square
    else:
        work["rotation_arm"] *= INVERSE_SQRT2  # two rotations
    work["path_turn"] = math.sqrt(turn)
    work["path_motion"] = motion + ball["radius"] * work["path_turn"]
    work["reach"], work["block_count"], work["cell_count"], work["faces_closure"] = reach, 0, 0, 0
    work["near_edge"] = 0
    for k in range(lists.open_blocks.shape[1]):
        lists.open_blocks[pair, k] = -1
    for i in range(3):
        work["p_AB_A"][i] = work["columns"][3, i] = p_AB_A[i]
        for j in range(3):
            work["R_AB"][i, j] = work["columns"][j, i] = R_AB[i][j]


@kernel
def add_point(arrays, lists, pair, R_AB, p_AB_A, root, first, last):
    """Add the point of a root cell if it may touch within reach of the path; return its gap [m]."""
    strip = arrays.strips[int(arrays.roots[root, 0])]
    shape = (strip["kind"], strip["axis_z"], strip["axis_r"], strip["radius"])
    m = (arrays.roots[root, 1], arrays.roots[root, 2])
    z, rho = meridian_point(shape, m)
    x, y = rho * arrays.roots[root, 3], rho * arrays.roots[root, 4]
    gap = -point_depth(arrays.segments, first, last, R_AB, p_AB_A, x, y, z) - lists.work[pair]["path_motion"]
    update_nearest(lists.work[pair], gap, x, y, z)
    if gap <= lists.work[pair]["reach"]:
        lists.work[pair]["near_edge"] = max(lists.work[pair]["near_edge"], strip["at_edge"])
        place, lane = allocate_lane(arrays, lists, pair, (first, last), gap, (-gap, -gap, -gap))
        block, half_sine = lists.blocks[pair, place], strip["step_table"][0, HALF_U + 1]
        store_point(block, lane, x, y, z)
        block["area"][lane] = cell_area(shape, m, strip["length"], strip["angle"], half_sine)
    return gap
