"""Forces of the cells of a block of a pair of solids: elastic stress, damping and friction, eight at a time."""

from softdock.contact.kernels.cell_forces import (
    ACCUMULATE,
    dot_four,
    finish_cells,
    linear_depth,
    load_four,
)
from softdock.contact.kernels.cut_cell import (
    HALF_SQRT3,
    integrate_cut_cell,
    magnitude,
    mean_positive_depth,
    smooth_sign,
)
from softdock.contact.kernels.layout import (
    BLOCK_CELLS,
    FACES_ANY,
    FACES_CONVEX,
    RECTANGLE,
)
from softdock.contact.kernels.point_depths import load_points_in_A
from softdock.contact.kernels.solids.block_depths import depth_below_block, measure_block
from softdock.contact.kernels.solids.clipped_cells import clip_cells
from softdock.geometry.kernels import TINY
from softdock.native.decorators import inline, kernel
from softdock.native.simd import (
    LANES,
    fma,
    horizontal_max,
    load_vector,
    maximum,
    select_positive,
    store_vector,
)


@kernel
def evaluate_solid_block(A, lists, pair, block, data, R_AB, p_AB_A, w_AB_A, v_AB_A, use):
    """Evaluate the forces of the cells of a block; return whether any of them touches.

    `use`: ACCUMULATE or STORE as in `evaluate_cells`. Stored are parts of cells, in the lanes before WORK.stored.
    """
    work, touches = lists.work[pair], False
    if block["facing"] == FACES_CONVEX or block["cell_shape"] != RECTANGLE:
        measure_block(A, lists, pair, block, R_AB, p_AB_A)
        parts = clip_cells(block, work, data)
        work["stored"] = parts
        for k in range(parts, BLOCK_CELLS):
            clear_lane(work, k)
        for half in range(0, parts, LANES):
            finish_parts(half, work, data, p_AB_A, w_AB_A, v_AB_A, use)
        return parts > 0
    if block["facing"] == FACES_ANY:
        measure_block(A, lists, pair, block, R_AB, p_AB_A)
    work["stored"] = block["count"]
    for half in range(0, BLOCK_CELLS, LANES):
        if half < block["count"] and evaluate_rectangles(
            A, block, half, work, data, R_AB, p_AB_A, w_AB_A, v_AB_A, use
        ):
            touches = True
        elif use != ACCUMULATE:
            store_vector(work["W"], half, 0.0)
            store_vector(work["D"], half, 0.0)
            store_vector(work["touching"], half, 0.0)
            store_vector(work["area"], half, load_vector(block["area"], half))
    return touches


@inline
def clear_lane(work, k):
    """Clear a lane without a part of a cell."""
    work["W"][k], work["D"][k], work["E"][k], work["covered"][k], work["edge"][k] = 0.0, 0.0, 0.0, 0.0, 0.0
    work["deepest"][k], work["area"][k], work["touching"][k], work["pressure"][k] = 0.0, 0.0, 0.0, 0.0
    work["f_x"][k], work["f_y"][k], work["f_z"][k] = 0.0, 0.0, 0.0
    work["t_x"][k], work["t_y"][k], work["t_z"][k] = 0.0, 0.0, 0.0
    work["c_x"][k], work["c_y"][k], work["c_z"][k] = 0.0, 0.0, 0.0
    work["n_x"][k], work["n_y"][k], work["n_z"][k] = 0.0, 0.0, 1.0


@inline
def finish_parts(half, work, data, p_AB_A, w_AB_A, v_AB_A, use):
    """Add damping and friction to the stored parts of cells, and add or store them."""
    finish_cells(
        half,
        work,
        data,
        load_vector(work["area"], half),
        (load_vector(work["f_x"], half), load_vector(work["f_y"], half), load_vector(work["f_z"], half)),
        (load_vector(work["t_x"], half), load_vector(work["t_y"], half), load_vector(work["t_z"], half)),
        (load_vector(work["c_x"], half), load_vector(work["c_y"], half), load_vector(work["c_z"], half)),
        (load_vector(work["n_x"], half), load_vector(work["n_y"], half), load_vector(work["n_z"], half)),
        (
            load_vector(work["W"], half),
            load_vector(work["D"], half),
            load_vector(work["E"], half),
            load_vector(work["covered"], half),
            load_vector(work["edge"], half),
            load_vector(work["deepest"], half),
        ),
        p_AB_A,
        w_AB_A,
        v_AB_A,
        use,
    )


@inline
def points_of_rectangles(A, block, half, work, R_AB, p_AB_A):
    """Return the four points of eight rectangles in A [m], depths [m] and gradients: X, Y, Z, S, G_x, G_y, G_z."""
    if block["facing"] == FACES_ANY:
        return (
            load_four(work["x"], half),
            load_four(work["y"], half),
            load_four(work["z"], half),
            load_four(work["branch_s"][0], half),
            load_four(work["branch_x"][0], half),
            load_four(work["branch_y"][0], half),
            load_four(work["branch_z"][0], half),
        )
    x_0, y_0, z_0 = load_points_in_A(block, half, R_AB, p_AB_A)
    x_1, y_1, z_1 = load_points_in_A(block, half + BLOCK_CELLS, R_AB, p_AB_A)
    x_2, y_2, z_2 = load_points_in_A(block, half + 2 * BLOCK_CELLS, R_AB, p_AB_A)
    x_3, y_3, z_3 = load_points_in_A(block, half + 3 * BLOCK_CELLS, R_AB, p_AB_A)
    d_0, d_1 = depth_below_block(A, block, x_0, y_0, z_0), depth_below_block(A, block, x_1, y_1, z_1)
    d_2, d_3 = depth_below_block(A, block, x_2, y_2, z_2), depth_below_block(A, block, x_3, y_3, z_3)
    return (
        (x_0, x_1, x_2, x_3),
        (y_0, y_1, y_2, y_3),
        (z_0, z_1, z_2, z_3),
        (d_0[0], d_1[0], d_2[0], d_3[0]),
        (d_0[1], d_1[1], d_2[1], d_3[1]),
        (d_0[2], d_1[2], d_2[2], d_3[2]),
        (d_0[3], d_1[3], d_2[3], d_3[3]),
    )


@kernel
def evaluate_rectangles(A, block, half, work, data, R_AB, p_AB_A, w_AB_A, v_AB_A, use):
    """Evaluate eight rectangles below one smooth depth; return whether any touches; Eqs. (C8)-(C13)."""
    area, low = load_vector(block["area"], half), load_vector(block["lower_weight"], half)
    X, Y, Z, S, G_x, G_y, G_z = points_of_rectangles(A, block, half, work, R_AB, p_AB_A)
    s, alpha, beta = linear_depth(S, low)
    along, across = smooth_sign(alpha), smooth_sign(beta)
    a, b = magnitude(alpha, along), magnitude(beta, across)
    top = horizontal_max(select_positive(area, fma(0.5, a + b, s), 0.0))  # the highest corner
    if not top > 0.0:
        return False
    W, E, m_a, m_b, covered, edge = integrate_cut_cell(s, a, b)
    m_a, m_b = along * m_a, across * m_b
    lower, upper, side = (
        fma(-HALF_SQRT3, m_a, low * W),
        fma(HALF_SQRT3, m_a, (0.5 - low) * W),
        HALF_SQRT3 * m_b,
    )
    w = (lower - side, lower + side, upper - side, upper + side)  # Eq. (C13)
    g_x = (w[0] * G_x[0], w[1] * G_x[1], w[2] * G_x[2], w[3] * G_x[3])
    g_y = (w[0] * G_y[0], w[1] * G_y[1], w[2] * G_y[2], w[3] * G_y[3])
    g_z = (w[0] * G_z[0], w[1] * G_z[1], w[2] * G_z[2], w[3] * G_z[3])
    n = (
        (g_x[0] + g_x[1]) + (g_x[2] + g_x[3]),
        (g_y[0] + g_y[1]) + (g_y[2] + g_y[3]),
        (g_z[0] + g_z[1]) + (g_z[2] + g_z[3]),
    )
    scale, share = -data["stiffness"] * area, select_positive(W, 1.0 / maximum(W, TINY), 0.0)
    f = (scale * n[0], scale * n[1], scale * n[2])
    t = (
        scale * (dot_four(g_z, Y) - dot_four(g_y, Z)),
        scale * (dot_four(g_x, Z) - dot_four(g_z, X)),
        scale * (dot_four(g_y, X) - dot_four(g_x, Y)),
    )
    c = (share * dot_four(w, X), share * dot_four(w, Y), share * dot_four(w, Z))
    D = data["damping"] * W
    if top > data["damping_depth"]:
        D = data["damping"] * (W - mean_positive_depth(s - data["damping_depth"], a, b))  # Eq. (C20)
    deepest = maximum(maximum(S[0], S[1]), maximum(S[2], S[3]))
    finish_cells(
        half, work, data, area, f, t, c, n, (W, D, E, covered, edge, deepest), p_AB_A, w_AB_A, v_AB_A, use
    )
    return True
