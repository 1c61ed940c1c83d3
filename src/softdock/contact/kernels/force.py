"""Force of a contact pair: elastic stress, damping and friction of the cells of the near list.

Blocks that may touch are evaluated eight cells at a time; the eight lanes are summed at the end.
"""

import math

from softdock.contact.kernels.block_bounds import may_touch, pose_change
from softdock.contact.kernels.bristle import clear_patch, measure_patch
from softdock.contact.kernels.cell_forces import ACCUMULATE, STORE, evaluate_cells
from softdock.contact.kernels.cut_cell import HALF_SQRT3
from softdock.contact.kernels.layout import (
    BLOCK_CELLS,
    CONTACT_AREA,
    DEPTH,
    ELASTIC,
    OUTPUT_SIZE,
    POINTS,
    PRESSURE,
    SOLID_PAIR,
)
from softdock.contact.kernels.sharp_edges import include_edge_peaks
from softdock.contact.kernels.solids.force import evaluate_solid_block
from softdock.contact.kernels.solids.tables import solid_of
from softdock.native.decorators import inline, kernel
from softdock.native.simd import LANES, horizontal_max, horizontal_sum, load, load_vector, store, store_vector


@inline
def motion_bound_inlined(arrays, lists, pair, R_AB, p_AB_A):
    """Return how far any point of B's surface may be from the path of its near list, relative to A [m]; Eq. (C19).

    There is no force while it is at most the clearance of the list.
    """
    return path_deviation(lists.work[pair], arrays.nodes[arrays.pairs[pair]["root_node"]], R_AB, p_AB_A)[0]


@inline
def path_deviation(work, ball, R_AB, p_AB_A):
    """Return a bound on the distance of any point of B's bounding sphere from the path of a list [m].

    Also returns the position on the path, from -1 to 1, to which the bound refers.
    """
    centre = (ball["x"], ball["y"], ball["z"])
    turn_x, shift_x, along_x = pose_change_row(R_AB[0], p_AB_A[0], work, 0, centre)
    turn_y, shift_y, along_y = pose_change_row(R_AB[1], p_AB_A[1], work, 1, centre)
    turn_z, shift_z, along_z = pose_change_row(R_AB[2], p_AB_A[2], work, 2, centre)
    # Eq. (C32): nearest position on the path
    place = max(-1.0, min(1.0, work["path_scale"] * (along_x + along_y + along_z)))
    turn = squared_deviation(turn_x, work["half_R"][0], place) + squared_deviation(
        turn_y, work["half_R"][1], place
    )
    turn += squared_deviation(turn_z, work["half_R"][2], place)
    x, y = shift_x - place * work["centre_motion"][0], shift_y - place * work["centre_motion"][1]
    z = shift_z - place * work["centre_motion"][2]
    return math.sqrt(x * x + y * y + z * z) + work["rotation_arm"] * math.sqrt(turn), place  # Eq. (C19)


@inline
def pose_change_row(row, p, work, i, centre):
    """Return row i of the change of pose from the middle of the path: of rotation and centre, and its part along it."""
    R, H, arm = work["R_AB"], work["half_R"], work["rotation_arm"]
    d_x, d_y, d_z = row[0] - R[i, 0], row[1] - R[i, 1], row[2] - R[i, 2]
    shift = p - work["p_AB_A"][i] + d_x * centre[0] + d_y * centre[1] + d_z * centre[2]
    turned = d_x * H[i, 0] + d_y * H[i, 1] + d_z * H[i, 2]
    return (d_x, d_y, d_z), shift, shift * work["centre_motion"][i] + arm * arm * turned


@inline
def squared_deviation(d, half, place):
    """Return the squared difference of a row of the change of rotation from that of the path."""
    x, y, z = d[0] - place * half[0], d[1] - place * half[1], d[2] - place * half[2]
    return x * x + y * y + z * z


@kernel
def motion_bound(arrays, lists, pair, R_AB, p_AB_A):
    """Return the bound of `motion_bound_inlined`, as a function that is called."""
    return motion_bound_inlined(arrays, lists, pair, R_AB, p_AB_A)


@kernel
def evaluate(arrays, lists, pair, R_AB, p_AB_A, w_AB_A, v_AB_A, out):
    """Evaluate the contact of a pair into `out`; return how far B is from the path of its near list [m].

    R_AB (three rows) and p_AB_A [m]: pose of B in A. w_AB_A [rad/s]: angular velocity of B relative to A. v_AB_A
    [m/s]: rate of the components of p_AB_A. All in A's axes. `out` (11): force on B [N], torque on B about A's origin
    [N m], elastic energy [J], dissipated power [W], contact area [m2], largest pressure [Pa], largest depth [m]. The
    reaction on A is the exact negative, about the same origin. The result is valid if the returned distance is at most
    the larger of reach and clearance of the list. Of friction with tangential elasticity, `out` has the part without
    the bristle, and WORK has the patch; see `bristle.apply_bristle`.
    """
    for k in range(OUTPUT_SIZE):
        out[k] = 0.0
    work, data = lists.work[pair], arrays.pairs[pair]
    moved, at = path_deviation(work, arrays.nodes[data["root_node"]], R_AB, p_AB_A)
    if moved <= work["clearance"]:
        return moved
    touches, sums = False, work["sums"]
    for k in range(OUTPUT_SIZE):
        store(sums, k, 0, 0.0)
    has_patch = data["friction_law"] == ELASTIC and data["friction"] > 0.0
    if has_patch:
        clear_patch(work)
    change = pose_change(work, R_AB, p_AB_A, at)
    for b in range(min(work["block_count"], lists.blocks.shape[1])):
        block = lists.blocks[pair, b]
        if block["least_gap"] <= moved and may_touch(block, change):
            if data["surface_kind"] == SOLID_PAIR:
                A = solid_of(arrays.solids, data["solid_A"])
                if evaluate_solid_block(
                    A, lists, pair, block, data, R_AB, p_AB_A, w_AB_A, v_AB_A, ACCUMULATE
                ):
                    touches = True
                continue
            for half in range(0, block["count"], LANES):
                if evaluate_cells(
                    arrays.segments, block, half, work, data, R_AB, p_AB_A, w_AB_A, v_AB_A, ACCUMULATE
                ):
                    touches = True
    if touches:
        for k in range(PRESSURE):
            out[k] = horizontal_sum(load(sums, k, 0))
        out[PRESSURE], out[DEPTH] = (
            horizontal_max(load(sums, PRESSURE, 0)),
            horizontal_max(load(sums, DEPTH, 0)),
        )
        if has_patch:
            measure_patch(work, data, out[CONTACT_AREA])
        if data["include_edges"] == 1 and work["near_edge"] == 1:
            include_edge_peaks(arrays, pair, R_AB, p_AB_A, w_AB_A, v_AB_A, out)
    return moved


@kernel
def evaluate_block(arrays, lists, pair, block, R_AB, p_AB_A, w_AB_A, v_AB_A):
    """Store the forces of all cells of a block in WORK; return whether any cell touches (W > 0).

    They are in the lanes before WORK.stored: cells, or for solids parts of cells.
    """
    work, data, touches = lists.work[pair], arrays.pairs[pair], False
    if data["surface_kind"] == SOLID_PAIR:
        A = solid_of(arrays.solids, data["solid_A"])
        return evaluate_solid_block(A, lists, pair, block, data, R_AB, p_AB_A, w_AB_A, v_AB_A, STORE)
    work["stored"] = block["count"]
    for half in range(0, BLOCK_CELLS, LANES):
        if evaluate_cells(arrays.segments, block, half, work, data, R_AB, p_AB_A, w_AB_A, v_AB_A, STORE):
            touches = True
        else:
            store_vector(work["W"], half, 0.0)
            store_vector(work["D"], half, 0.0)
            store_vector(work["touching"], half, 0.0)
            store_vector(work["area"], half, load_vector(block["area"], half))
    return touches


@kernel
def touching_cells(arrays, lists, pair, R_AB, p_AB_A, w_AB_A, v_AB_A, table):
    """Write one row for each touching cell into `table`; return the number of touching cells.

    Columns: stress centre in A [m], force on B [N], torque on B about A's origin [N m], touching area [m2], pressure
    [Pa], extent of the cell [m]. Cells beyond the size of the table are counted but not written.
    """
    work, count = lists.work[pair], 0
    for b in range(min(work["block_count"], lists.blocks.shape[1])):
        block = lists.blocks[pair, b]
        if not evaluate_block(arrays, lists, pair, block, R_AB, p_AB_A, w_AB_A, v_AB_A):
            continue
        for i in range(work["stored"]):
            if work["W"][i] <= 0.0:
                continue
            if count < table.shape[0]:
                table[count, 0], table[count, 1], table[count, 2] = (
                    work["c_x"][i],
                    work["c_y"][i],
                    work["c_z"][i],
                )
                table[count, 3], table[count, 4], table[count, 5] = (
                    work["f_x"][i],
                    work["f_y"][i],
                    work["f_z"][i],
                )
                table[count, 6], table[count, 7], table[count, 8] = (
                    work["t_x"][i],
                    work["t_y"][i],
                    work["t_z"][i],
                )
                table[count, 9], table[count, 10] = work["touching"][i], work["pressure"][i]
                is_point = (
                    arrays.pairs[pair]["quadrature"] == POINTS
                    or arrays.pairs[pair]["surface_kind"] == SOLID_PAIR
                )
                table[count, 11] = cell_extent(work, block, i, is_point)
            count += 1
    return count


@inline
def cell_extent(work, block, i, is_point):
    """Return the diagonal of a cell [m] from two of its points; for others, that of a square of its area."""
    if is_point:
        return math.sqrt(2.0 * work["area"][i])
    k = i + 3 * BLOCK_CELLS
    x, y, z = block["x"][k] - block["x"][i], block["y"][k] - block["y"][i], block["z"][k] - block["z"][i]
    return 2.0 * HALF_SQRT3 * math.sqrt(x * x + y * y + z * z)
