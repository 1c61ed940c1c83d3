"""How the force of a contact pair changes with a small motion of B: its stiffness and its damping.

For methods that need to know what is stiff, not for forces: cells count with the covered part of their area, at
their stress centres, so that what is here is near the derivative of `evaluate`, not equal to it.
"""

import math

from softdock.contact.kernels.approach import change_of_pose, may_press
from softdock.contact.kernels.force import motion_bound_inlined, press_block
from softdock.contact.kernels.layout import LANES, RAMP
from softdock.geometry.kernels import TINY
from softdock.jit import inlined, kernel
from softdock.lanes import LANES as EIGHT
from softdock.lanes import fma, load, store, total


@kernel
def stiffen(arrays, lists, pair, R_AB, p_AB_A, w_AB_A, v_AB_A, K, D):
    """Write stiffness and damping of a pair (6 by 6, turning first); tells whether it touches; Eq. (C40).

    Arguments as of `evaluate`. A small motion of B relative to A, (turn, shift of the point at A's origin) in A's axes,
    changes the torque about A's origin and the force on B by -K times it; a small velocity by -D times it.
    """
    moved = motion_bound_inlined(arrays, lists, pair, R_AB, p_AB_A)
    work, data, touches = lists.work[pair], arrays.pairs[pair], False
    if moved <= work["clearance"]:
        return False
    dR, dp = change_of_pose(work, R_AB, p_AB_A)
    for b in range(min(work["blocks"], lists.blocks.shape[1])):
        block = lists.blocks[pair, b]
        if (
            block["gap"] <= moved
            and may_press(block, dR, dp)
            and press_block(arrays.segments, block, work, data, R_AB, p_AB_A, w_AB_A, v_AB_A)
        ):
            if not touches:
                clear_sums(work, D)
                touches = True
            yield_lanes(block, work, data, p_AB_A, w_AB_A, v_AB_A)
            add_products(work)
            add_drag(work, D)
    if touches:
        for k in range(36):
            i, j = k // 6, k % 6
            K[i, j] = total(load(work["sum_K"], k, 0))
            D[i, j] += total(load(work["sum_D"], k, 0))
    return touches


@inlined
def clear_sums(work, D):
    """Begin the sums over blocks."""
    for k in range(36):
        D[k // 6, k % 6] = 0.0
        store(work["sum_K"], k, 0, 0.0)
        store(work["sum_D"], k, 0, 0.0)


@inlined
def yield_lanes(block, work, data, p_AB_A, w_AB_A, v_AB_A):
    """Per cell: how a force acts (`push`), how a motion presses (`give`) and slips (`slip`), and their factors."""
    stiffness, friction, v_0 = data["stiffness"], data["friction"], data["friction_speed"]
    ramp = 1.0 if data["friction_law"] == RAMP else 0.0
    push, slip, give = work["push"], work["slip"], work["give"]
    for i in range(LANES):
        n_x, n_y, n_z = work["n_x"][i], work["n_y"][i], work["n_z"][i]
        scale = 1.0 / (math.sqrt(n_x * n_x + n_y * n_y + n_z * n_z) + TINY)
        n_x, n_y, n_z = scale * n_x, scale * n_y, scale * n_z
        x, y, z = work["c_x"][i], work["c_y"][i], work["c_z"][i]
        d_x, d_y, d_z = x - p_AB_A[0], y - p_AB_A[1], z - p_AB_A[2]
        v_x = v_AB_A[0] + w_AB_A[1] * d_z - w_AB_A[2] * d_y
        v_y = v_AB_A[1] + w_AB_A[2] * d_x - w_AB_A[0] * d_z
        v_z = v_AB_A[2] + w_AB_A[0] * d_y - w_AB_A[1] * d_x
        v_n = v_x * n_x + v_y * n_y + v_z * n_z
        stress = stiffness * work["W"][i]
        damped = max(work["D"][i] * v_n, -stress)
        presses = 1.0 if work["D"][i] * v_n >= -stress else 0.0
        v_x, v_y, v_z = v_x - v_n * n_x, v_y - v_n * n_y, v_z - v_n * n_z
        square = v_x * v_x + v_y * v_y + v_z * v_z
        speed = max(math.sqrt(square + (1.0 - ramp) * v_0 * v_0), v_0)
        per = 1.0 / (speed + TINY)
        v_x, v_y, v_z = per * v_x, per * v_y, per * v_z
        drag = block["area"][i] * friction * (stress + damped) * per
        a_x, a_y, a_z = n_x + friction * v_x, n_y + friction * v_y, n_z + friction * v_z
        push[0, i], push[1, i], push[2, i] = y * a_z - z * a_y, z * a_x - x * a_z, x * a_y - y * a_x
        push[3, i], push[4, i], push[5, i] = a_x, a_y, a_z
        give[0, i], give[1, i], give[2, i] = y * n_z - z * n_y, z * n_x - x * n_z, x * n_y - y * n_x
        give[3, i], give[4, i], give[5, i] = n_x, n_y, n_z
        slip[0, i], slip[1, i], slip[2, i] = y * v_z - z * v_y, z * v_x - x * v_z, x * v_y - y * v_x
        slip[3, i], slip[4, i], slip[5, i] = v_x, v_y, v_z
        work["stiff"][0, i] = presses * stiffness * work["touching"][i]
        work["damp"][0, i] = presses * block["area"][i] * work["D"][i]
        work["drag"][0, i] = drag
        work["along"][0, i] = drag if ramp == 0.0 or square > v_0 * v_0 else 0.0


@inlined
def add_products(work):
    """Add the parts of stiffness and damping along normals and along the slip, lane by lane."""
    push, slip, give, sum_K, sum_D = work["push"], work["slip"], work["give"], work["sum_K"], work["sum_D"]
    for h in range(0, LANES, EIGHT):
        for j in range(6):
            n, s = load(give, j, h), load(slip, j, h)
            stiff, damp = n * load(work["stiff"], 0, h), n * load(work["damp"], 0, h)
            drag, along = -n * load(work["drag"], 0, h), -s * load(work["along"], 0, h)
            for i in range(6):
                k = 6 * i + j
                a = load(push, i, h)
                x = fma(drag, load(give, i, h), fma(damp, a, load(sum_D, k, 0)))
                store(sum_K, k, 0, fma(stiff, a, load(sum_K, k, 0)))
                store(sum_D, k, 0, fma(along, load(slip, i, h), x))


@inlined
def add_drag(work, D):
    """Add drag that opposes every motion of the stress centres alike."""
    m, x, y, z, xx, yy, zz, xy, xz, yz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(LANES):
        drag = work["drag"][0, i]
        c_x, c_y, c_z = work["c_x"][i], work["c_y"][i], work["c_z"][i]
        d_x, d_y, d_z = drag * c_x, drag * c_y, drag * c_z
        m, x, y, z = m + drag, x + d_x, y + d_y, z + d_z
        xx, yy, zz = xx + d_x * c_x, yy + d_y * c_y, zz + d_z * c_z
        xy, xz, yz = xy + d_x * c_y, xz + d_x * c_z, yz + d_y * c_z
    D[0, 0], D[1, 1], D[2, 2] = D[0, 0] + yy + zz, D[1, 1] + xx + zz, D[2, 2] + xx + yy
    D[0, 1], D[1, 0] = D[0, 1] - xy, D[1, 0] - xy
    D[0, 2], D[2, 0] = D[0, 2] - xz, D[2, 0] - xz
    D[1, 2], D[2, 1] = D[1, 2] - yz, D[2, 1] - yz
    D[0, 4], D[4, 0] = D[0, 4] - z, D[4, 0] - z
    D[0, 5], D[5, 0] = D[0, 5] + y, D[5, 0] + y
    D[1, 3], D[3, 1] = D[1, 3] + z, D[3, 1] + z
    D[1, 5], D[5, 1] = D[1, 5] - x, D[5, 1] - x
    D[2, 3], D[3, 2] = D[2, 3] - y, D[3, 2] - y
    D[2, 4], D[4, 2] = D[2, 4] + x, D[4, 2] + x
    for k in range(3, 6):
        D[k, k] += m
