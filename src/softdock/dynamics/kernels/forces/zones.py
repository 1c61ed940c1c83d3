"""Contact forces on a part of a surface, summed over the cells that face it."""

import math

from softdock.contact.kernels.force import evaluate_block
from softdock.contact.kernels.layout import SOLID_PAIR
from softdock.contact.kernels.solids.tables import face_below
from softdock.dynamics.kernels.forces.contacts import relative_pose
from softdock.geometry.kernels import nearest_segment
from softdock.native.decorators import kernel
from softdock.tree.kernels.poses import relative_velocity

ZONE_RESULTS = 5
"""Force on B in axes of A (3) [N], touching area [m2], largest pressure [Pa]."""
ZONE_AREA, ZONE_PRESSURE = 3, 4
ZONE_FORCE_SIZE = 5
"""Component of a channel of a zone that is computed from the entries: the size of the force."""


@kernel
def add_zone(system, channel, sums):
    """Write the sums over the touching cells of a pair whose stress centres face a part of surface A.

    The part is segment j of the meridian, counted from 0, or where that is -1 all between two z; of a solid see
    `is_in_solid_zone`.
    """
    index, segment, low, high = channel.i, channel.j, channel.p_iF[0], channel.p_iF[1]
    for k in range(ZONE_RESULTS):
        sums[k] = 0.0
    links, motions, arrays, lists = system.links, system.motions, system.arrays, system.lists
    pair = system.pairs[index]
    if system.pair_states[index].force == 0.0:
        return
    R_NA, _, p_B, R_AB, p_AB_A = relative_pose(pair, links, motions)
    w_AB_A, v_AB_A = relative_velocity(pair, links, motions, R_NA, p_B)
    work, data, state = lists.work[index], arrays.pairs[index], system.pair_states[index]
    # Loads by pressure, their moments and their second moment: the bristle pulls at cells in proportion to them.
    all_load, load, second = 0.0, 0.0, 0.0
    all_x, all_y, all_z, in_x, in_y, in_z = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    first, last = data["first_described"], data["last_described"]
    for n in range(min(work["block_count"], lists.blocks.shape[1])):
        block = lists.blocks[index, n]
        if not evaluate_block(arrays, lists, index, block, R_AB, p_AB_A, w_AB_A, v_AB_A):
            continue
        for i in range(work["stored"]):
            if work["W"][i] <= 0.0:
                continue
            z = work["c_z"][i]
            weight = work["area"][i] * work["W"][i]
            wx, wy, wz = weight * work["c_x"][i], weight * work["c_y"][i], weight * z
            all_load, all_x, all_y, all_z = all_load + weight, all_x + wx, all_y + wy, all_z + wz
            second += wx * work["c_x"][i] + wy * work["c_y"][i] + wz * z
            inside = low <= z < high
            if data["surface_kind"] == SOLID_PAIR:
                inside = is_in_solid_zone(arrays, lists, channel, work["c_x"][i], work["c_y"][i], z)
            elif segment >= 0:
                r = math.sqrt(work["c_x"][i] ** 2 + work["c_y"][i] ** 2)
                inside = nearest_segment(arrays.segments, first, last, z, r)[0] == first + segment
            if inside:
                load, in_x, in_y, in_z = load + weight, in_x + wx, in_y + wy, in_z + wz
                sums[0] += work["f_x"][i]
                sums[1] += work["f_y"][i]
                sums[2] += work["f_z"][i]
                sums[ZONE_AREA] += work["touching"][i]
                sums[ZONE_PRESSURE] = max(sums[ZONE_PRESSURE], work["pressure"][i])
    if state.touches == 1 and load > 0.0:
        n, pull, share = work["patch_normal"], state.pull, load / all_load
        x, y, z = all_x / all_load, all_y / all_load, all_z / all_load
        second -= all_load * (x * x + y * y + z * z)
        turn = pull[3] / second if second > 0.0 else 0.0
        x, y, z = in_x - load * x, in_y - load * y, in_z - load * z
        sums[0] += share * pull[0] + turn * (n[1] * z - n[2] * y)
        sums[1] += share * pull[1] + turn * (n[2] * x - n[0] * z)
        sums[2] += share * pull[2] + turn * (n[0] * y - n[1] * x)


@kernel
def is_in_solid_zone(arrays, lists, channel, x, y, z):
    """Return whether a point (x, y, z) [m] of A belongs to a zone of a solid.

    The zone has a box, from R_iF[0:3] to R_iF[3:6] in A [m], and faces: face j; group -2 - j if j is below -1; or all.
    """
    low, high = channel.R_iF[0:3], channel.R_iF[3:6]
    if not (low[0] <= x < high[0] and low[1] <= y < high[1] and low[2] <= z < high[2]):
        return False
    if channel.j == -1:
        return True
    face = face_below(arrays, lists, channel.i, x, y, z)
    if channel.j >= 0 or face < 0:
        return face == channel.j
    first = arrays.solids.spans[arrays.pairs[channel.i]["solid_A"]]["first_face"]
    return (arrays.solids.groups[first + face] >> (-2 - channel.j)) & 1 == 1
