"""Stiffness and damping matrices of a contact pair for implicit integration.

They approximate the derivatives of `evaluate`: each cell counts with the covered part of its area at its stress centre.
"""

import math

from softdock.contact.kernels.block_bounds import may_touch, pose_change
from softdock.contact.kernels.bristle import add_to, add_to_patch, clear_patch, measure_stored_patch
from softdock.contact.kernels.force import evaluate_block, path_deviation
from softdock.contact.kernels.layout import BLOCK_CELLS, ELASTIC, PATCH_AREA, RAMP
from softdock.contact.kernels.point_depths import inverse_sqrt
from softdock.native.decorators import inline, kernel
from softdock.native.simd import (
    LANES,
    fma,
    horizontal_max,
    horizontal_sum,
    load,
    load_vector,
    maximum,
    select_positive,
    store,
)

STIFFNESS, DAMPING, DRAG, SLIP_DRAG = 0, 1, 2, 3  # rows of WORK.factors


@kernel
def evaluate_stiffness(arrays, lists, pair, R_AB, p_AB_A, w_AB_A, v_AB_A, K, D):
    """Write stiffness K and damping D of a pair (6 by 6, rotation first); return whether it touches; Eq. (C40).

    Arguments as in `evaluate`. A small motion of B relative to A, (rotation, displacement of the point at A's origin)
    in A's axes, changes torque about A's origin and force on B by -K times the motion; a velocity by -D times it. The
    stiffness of the bristle is not included; the patch in WORK is that of this state.
    """
    work, data, touches = lists.work[pair], arrays.pairs[pair], False
    moved, at = path_deviation(work, arrays.nodes[data["root_node"]], R_AB, p_AB_A)
    if moved <= work["clearance"]:
        return False
    change = pose_change(work, R_AB, p_AB_A, at)
    for b in range(min(work["block_count"], lists.blocks.shape[1])):
        block = lists.blocks[pair, b]
        if (
            block["least_gap"] <= moved
            and may_touch(block, change)
            and evaluate_block(arrays, lists, pair, block, R_AB, p_AB_A, w_AB_A, v_AB_A)
        ):
            if not touches:
                clear_sums(work)
                touches = True
            for half in range(0, BLOCK_CELLS, LANES):
                if horizontal_max(load_vector(work["W"], half)) > 0.0:
                    evaluate_lanes(half, work, data, p_AB_A, w_AB_A, v_AB_A)
                    add_products(work)
    if touches:
        if data["friction_law"] == ELASTIC:
            measure_stored_patch(work, data)
        for k in range(36):
            i, j = k // 6, k % 6
            K[i, j] = horizontal_sum(load(work["sum_K"], k, 0))
            D[i, j] = horizontal_sum(load(work["sum_D"], k, 0))
        add_drag(work["sum_drag"], D)
    return touches


@kernel
def evaluate_drag(arrays, lists, pair, R_AB, p_AB_A, drag):
    """Write the damping by friction of a pair that does not slip (6 by 6, as in `evaluate_stiffness`); Eq. (C42).

    Returns the largest force of friction [N]. Expects a near list that is valid at the pose.
    """
    work, data, still = lists.work[pair], arrays.pairs[pair], (0.0, 0.0, 0.0)
    capacity, speed = 0.0, data["friction_speed"]
    for i in range(6):
        for j in range(6):
            drag[i, j] = 0.0
    if data["friction"] == 0.0:
        return 0.0
    for b in range(min(work["block_count"], lists.blocks.shape[1])):
        block = lists.blocks[pair, b]
        if not evaluate_block(arrays, lists, pair, block, R_AB, p_AB_A, still, still):
            continue
        for k in range(work["stored"]):
            held = data["friction"] * data["stiffness"] * work["area"][k] * max(work["W"][k], 0.0)
            if held > 0.0:
                capacity += held
                add_tangential_drag(work, k, held / speed, drag)
    return capacity


@inline
def add_tangential_drag(work, k, factor, drag):
    """Add the drag of cell k against tangential motion at its stress centre, force over speed `factor` [N s/m]."""
    n_x, n_y, n_z = work["n_x"][k], work["n_y"][k], work["n_z"][k]
    scale = 1.0 / math.sqrt(n_x * n_x + n_y * n_y + n_z * n_z)
    n_x, n_y, n_z = scale * n_x, scale * n_y, scale * n_z
    x, y, z = work["c_x"][k], work["c_y"][k], work["c_z"][k]
    moves = (
        (0.0, -z, y),
        (z, 0.0, -x),
        (-y, x, 0.0),
        (1.0, 0.0, 0.0),
        (0.0, 1.0, 0.0),
        (0.0, 0.0, 1.0),
    )  # of the stress centre per component of the motion of B
    for i in range(6):
        a = moves[i]
        normal = a[0] * n_x + a[1] * n_y + a[2] * n_z
        for j in range(6):
            c = moves[j]
            along = a[0] * c[0] + a[1] * c[1] + a[2] * c[2]
            drag[i, j] += factor * (along - normal * (c[0] * n_x + c[1] * n_y + c[2] * n_z))


@inline
def clear_sums(work):
    """Set the sums over blocks to zero."""
    for k in range(36):
        store(work["sum_K"], k, 0, 0.0)
        store(work["sum_D"], k, 0, 0.0)
    for k in range(10):
        store(work["sum_drag"], k, 0, 0.0)
    clear_patch(work)


@inline
def evaluate_lanes(half, work, data, p_AB_A, w_AB_A, v_AB_A):
    """Store the wrench rows (force, normal and slip direction) and the factors of eight cells."""
    friction, soft = data["friction"], data["friction_speed"] * data["friction_speed"]
    n_x, n_y, n_z = (
        load_vector(work["n_x"], half),
        load_vector(work["n_y"], half),
        load_vector(work["n_z"], half),
    )
    scale = inverse_sqrt(fma(n_x, n_x, fma(n_y, n_y, n_z * n_z)))
    n_x, n_y, n_z = scale * n_x, scale * n_y, scale * n_z
    x, y, z = load_vector(work["c_x"], half), load_vector(work["c_y"], half), load_vector(work["c_z"], half)
    d_x, d_y, d_z = x - p_AB_A[0], y - p_AB_A[1], z - p_AB_A[2]
    v_x = fma(w_AB_A[1], d_z, fma(-w_AB_A[2], d_y, v_AB_A[0]))
    v_y = fma(w_AB_A[2], d_x, fma(-w_AB_A[0], d_z, v_AB_A[1]))
    v_z = fma(w_AB_A[0], d_y, fma(-w_AB_A[1], d_x, v_AB_A[2]))
    v_n = fma(v_x, n_x, fma(v_y, n_y, v_z * n_z))
    area, rate, stress = (
        load_vector(work["area"], half),
        load_vector(work["D"], half),
        data["stiffness"] * load_vector(work["W"], half),
    )
    pushes = fma(rate, v_n, stress)  # stress; no force where negative
    v_x, v_y, v_z = fma(-v_n, n_x, v_x), fma(-v_n, n_y, v_y), fma(-v_n, n_z, v_z)
    square = fma(v_x, v_x, fma(v_y, v_y, v_z * v_z))
    is_ramp = data["friction_law"] == RAMP
    per = inverse_sqrt(maximum(square, soft) if is_ramp else square + soft)
    v_x, v_y, v_z = per * v_x, per * v_y, per * v_z
    load_N = area * maximum(pushes, 0.0)
    drag = friction * load_N * per
    if data["friction_law"] == ELASTIC:
        sums = work["patch_sums"]
        patch = (load_N, (n_x, n_y, n_z), (d_x, d_y, d_z), square * per * per, v_n)
        add_to_patch(sums, patch, area * load_vector(work["edge"], half))
        add_to(sums, PATCH_AREA, load_vector(work["touching"], half))
    store_wrench_rows(
        work["force_rows"], x, y, z, fma(friction, v_x, n_x), fma(friction, v_y, n_y), fma(friction, v_z, n_z)
    )
    store_wrench_rows(work["normal_rows"], x, y, z, n_x, n_y, n_z)
    store_wrench_rows(work["slip_rows"], x, y, z, v_x, v_y, v_z)
    factors = work["factors"]
    store(
        factors,
        STIFFNESS,
        0,
        select_positive(pushes, data["stiffness"] * load_vector(work["touching"], half), 0.0),
    )
    store(factors, DAMPING, 0, select_positive(pushes, area * rate, 0.0))
    store(factors, DRAG, 0, drag)
    store(factors, SLIP_DRAG, 0, select_positive(square - soft, drag, 0.0) if is_ramp else drag)
    add_drag_moments(work["sum_drag"], drag, x, y, z)


@inline
def store_wrench_rows(rows, x, y, z, a_x, a_y, a_z):
    """Store torque about the origin and force of vectors (a_x, a_y, a_z) at points (x, y, z)."""
    store(rows, 0, 0, fma(y, a_z, -(z * a_y)))
    store(rows, 1, 0, fma(z, a_x, -(x * a_z)))
    store(rows, 2, 0, fma(x, a_y, -(y * a_x)))
    store(rows, 3, 0, a_x)
    store(rows, 4, 0, a_y)
    store(rows, 5, 0, a_z)


@inline
def add_drag_moments(sums, drag, x, y, z):
    """Add drag and its first and second moments to the sums."""
    d_x, d_y, d_z = drag * x, drag * y, drag * z
    store(sums, 0, 0, load(sums, 0, 0) + drag)
    store(sums, 1, 0, load(sums, 1, 0) + d_x)
    store(sums, 2, 0, load(sums, 2, 0) + d_y)
    store(sums, 3, 0, load(sums, 3, 0) + d_z)
    store(sums, 4, 0, fma(d_x, x, load(sums, 4, 0)))
    store(sums, 5, 0, fma(d_y, y, load(sums, 5, 0)))
    store(sums, 6, 0, fma(d_z, z, load(sums, 6, 0)))
    store(sums, 7, 0, fma(d_x, y, load(sums, 7, 0)))
    store(sums, 8, 0, fma(d_x, z, load(sums, 8, 0)))
    store(sums, 9, 0, fma(d_y, z, load(sums, 9, 0)))


@inline
def add_products(work):
    """Add the parts of stiffness and damping along normals and slip directions to the sums."""
    push, slip, give, sum_K, sum_D = (
        work["force_rows"],
        work["slip_rows"],
        work["normal_rows"],
        work["sum_K"],
        work["sum_D"],
    )
    factors = work["factors"]
    for j in range(6):
        n, s = load(give, j, 0), load(slip, j, 0)
        stiff, damp = n * load(factors, STIFFNESS, 0), n * load(factors, DAMPING, 0)
        drag, along = -n * load(factors, DRAG, 0), -s * load(factors, SLIP_DRAG, 0)
        for i in range(6):
            k = 6 * i + j
            a = load(push, i, 0)
            x = fma(drag, load(give, i, 0), fma(damp, a, load(sum_D, k, 0)))
            store(sum_K, k, 0, fma(stiff, a, load(sum_K, k, 0)))
            store(sum_D, k, 0, fma(along, load(slip, i, 0), x))


@inline
def add_drag(sums, D):
    """Add the isotropic drag at the stress centres to the damping matrix."""
    m, x, y, z = (
        horizontal_sum(load(sums, 0, 0)),
        horizontal_sum(load(sums, 1, 0)),
        horizontal_sum(load(sums, 2, 0)),
        horizontal_sum(load(sums, 3, 0)),
    )
    xx, yy, zz = (
        horizontal_sum(load(sums, 4, 0)),
        horizontal_sum(load(sums, 5, 0)),
        horizontal_sum(load(sums, 6, 0)),
    )
    xy, xz, yz = (
        horizontal_sum(load(sums, 7, 0)),
        horizontal_sum(load(sums, 8, 0)),
        horizontal_sum(load(sums, 9, 0)),
    )
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
