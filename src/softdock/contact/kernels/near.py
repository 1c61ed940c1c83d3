"""The near list: which cells of B may touch A before B has moved by `reach`, and how far B is from that."""

import math

from softdock.contact.kernels.approach import describe
from softdock.contact.kernels.force import motion_bound
from softdock.contact.kernels.lanes import new_lane, put_point
from softdock.contact.kernels.layout import HALF_U, ONE, POINTS, RADIAL, SMOOTH_TWO
from softdock.contact.kernels.place import cell_area, depth_of, meridian, to_A
from softdock.contact.kernels.refine import refine
from softdock.geometry.kernels import depth, facing
from softdock.jit import kernel, separate

LEAVE = 2.0  # reaches: what is farther needs no look; far enough that the clearance stays a good one


@separate
def rebuild(arrays, lists, pair, R_AB, p_AB_A, reach):
    """Fill the near list of a pair at the given relative pose; its record has the clearance and the number of blocks.

    The list holds until a point of B's surface has moved `reach` [m] relative to A. B may move by the
    clearance before any force can begin (0 or less: in contact). Where the number exceeds the capacity of
    `lists`, the list is incomplete: grow the lists and rebuild.
    """
    segments, nodes, data, work = arrays.segments, arrays.nodes, arrays.pairs[pair], lists.work[pair]
    stack, far, roots = work["node_stack"], lists.far, nodes.shape[0]
    if work["reach"] >= 0.0:  # not the first list
        work["odometer"] += motion_bound(arrays, lists, pair, R_AB, p_AB_A)
    gone = work["odometer"]
    radial = data["mapping"] == RADIAL  # the nearest segment need not be the one that counts
    begin_list(lists, pair, R_AB, p_AB_A, reach)
    stack[0, 0], stack[0, 1], stack[0, 2] = data["tree"], data["first_segment"], data["last_segment"]
    top, clearance = 1, math.inf
    while top > 0:
        top -= 1
        this, first, last = stack[top, 0], stack[top, 1], stack[top, 2]
        if far[this] - gone > LEAVE * reach:  # what was far is still far, without a look
            clearance = min(clearance, far[this] - gone)
            continue
        node = nodes[this]
        x, y, z = to_A(R_AB, p_AB_A, node["x"], node["y"], node["z"])
        r, radius = math.sqrt(x * x + y * y), node["radius"]
        s = depth(segments, first, last, z, r)[0]
        gap = -s - radius  # Eq. (C16)
        if gap > reach:
            clearance, far[this] = min(clearance, gap), gone + gap
            continue
        if last > first and not radial:
            first, last = facing(segments, first, last, z, r, s, radius + reach)
        if node["left"] >= 0:
            stack[top, 0], stack[top, 1], stack[top, 2] = node["right"], first, last
            stack[top + 1, 0], stack[top + 1, 1], stack[top + 1, 2] = node["left"], first, last
            top += 2
            continue
        for root in range(node["first_root"], node["first_root"] + node["roots"]):
            gap = far[roots + root] - gone
            if gap > LEAVE * reach:
                pass
            elif data["quadrature"] == POINTS:
                gap = add_point(arrays, lists, pair, R_AB, p_AB_A, reach, root, first, last)
            else:
                gap = refine(arrays, lists, pair, R_AB, p_AB_A, reach, root, first, last)
            far[roots + root] = gone + gap
            clearance = min(clearance, gap)
    work["clearance"] = clearance
    for b in range(min(work["blocks"], lists.blocks.shape[1])):
        block = lists.blocks[pair, b]
        block["apart"] = -math.inf
        if data["quadrature"] != POINTS and (block["mode"] == ONE or block["mode"] == SMOOTH_TWO):
            describe(segments, block, work, R_AB, p_AB_A)


@kernel
def begin_list(lists, pair, R_AB, p_AB_A, reach):
    """Empty the list of a pair and note the pose."""
    work = lists.work[pair]
    work["reach"], work["blocks"], work["cells"] = reach, 0, 0
    for k in range(lists.slots.shape[1]):
        lists.slots[pair, k] = -1
    for i in range(3):
        work["p_AB_A"][i] = work["columns"][3, i] = p_AB_A[i]
        for j in range(3):
            work["R_AB"][i, j] = work["columns"][j, i] = R_AB[i][j]


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
