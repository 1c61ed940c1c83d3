"""Forces of eight cells at a time, in registers from their points to the sums.

Locates the points, computes their depths, integrates the elastic stress, and adds damping and friction.
"""

from softdock.contact.kernels.bristle import add_to, add_to_patch
from softdock.contact.kernels.cut_cell import (
    HALF_SQRT3,
    integrate_cut_cell,
    magnitude,
    mean_positive_depth,
    smooth_sign,
)
from softdock.contact.kernels.layout import (
    BLOCK_CELLS,
    CONTACT_AREA,
    DEPTH,
    DISSIPATION,
    ELASTIC,
    ENERGY,
    FACES_SEVERAL,
    FORCE,
    POINTS,
    PRESSURE,
    RAMP,
    TORQUE,
)
from softdock.contact.kernels.point_depths import block_depths, inverse_sqrt, load_points_in_A, locate_points
from softdock.geometry.kernels import TINY
from softdock.native.decorators import inline, kernel
from softdock.native.simd import (
    broadcast,
    fma,
    horizontal_max,
    load,
    load_vector,
    maximum,
    select_positive,
    store,
    store_vector,
)

ACCUMULATE, STORE = 0, 1  # use of the forces of cells: add them to the sums, or store each


@kernel
def evaluate_cells(segments, block, half, work, data, R_AB, p_AB_A, w_AB_A, v_AB_A, use):
    """Evaluate the forces of eight cells of a block, from lane `half`; `use` is ACCUMULATE or STORE.

    Returns whether any of them touches; otherwise nothing is written. The halves of a block must be evaluated in order.
    """
    area, scattered = load_vector(block["area"], half), data["quadrature"] == POINTS
    if half == 0 and (scattered or block["facing"] >= FACES_SEVERAL):
        locate_points(segments, block, work, R_AB, p_AB_A, BLOCK_CELLS if scattered else 4 * BLOCK_CELLS)
    if scattered:
        f, t, c, n, W, D, E, covered, deepest = elastic_point_forces(work, half, data, area)
        edge = broadcast(0.0)
    else:
        four = four_points(segments, block, half, work, R_AB, p_AB_A)
        low = load_vector(block["lower_weight"], half)
        s, alpha, beta = linear_depth(four[3], low)
        along, across = smooth_sign(alpha), smooth_sign(beta)
        a, b = magnitude(alpha, along), magnitude(beta, across)
        top = horizontal_max(select_positive(area, fma(0.5, a + b, s), 0.0))  # the highest corner
        if not top > 0.0:
            return False
        W, E, m_a, m_b, covered, edge = integrate_cut_cell(s, a, b)
        f, t, c, n = elastic_cell_forces(four, low, W, along * m_a, across * m_b, data, area)
        D, S = data["damping"] * W, four[3]
        if top > data["damping_depth"]:
            D = data["damping"] * (W - mean_positive_depth(s - data["damping_depth"], a, b))  # Eq. (C20)
        deepest = maximum(maximum(S[0], S[1]), maximum(S[2], S[3]))
    parts = (W, D, E, covered, edge, deepest)
    finish_cells(half, work, data, area, f, (*t, broadcast(0.0)), c, n, parts, p_AB_A, w_AB_A, v_AB_A, use)
    return True


@inline
def finish_cells(half, work, data, area, f, t, c, n, parts, p_AB_A, w_AB_A, v_AB_A, use):
    """Add damping and friction to the elastic force f and torque t of eight cells, and add them to the sums or store.

    c, n: stress centres and weighted normals. `parts`: W, D, E, fraction that touches and its derivative, depth.
    """
    W, D, E, covered, edge, deepest = parts
    pressure, power, t_z = data["stiffness"] * deepest, broadcast(0.0), t[2]
    if data["damping"] > 0.0 or data["friction"] > 0.0:
        e, added, power, patch = dissipative_forces(c, n, W, D, data, area, p_AB_A, w_AB_A, v_AB_A)
        if use == ACCUMULATE and data["friction_law"] == ELASTIC:
            add_to_patch(work["patch_sums"], patch, area * edge)
        f = (f[0] + e[0], f[1] + e[1], f[2] + e[2])
        t_z = t_z + fma(c[0], e[1], -(c[1] * e[0]))
        t = (fma(c[1], e[2], fma(-c[2], e[1], t[0])), fma(c[2], e[0], fma(-c[0], e[2], t[1])), t_z)
        pressure = pressure + added
    touching = select_positive(W, covered * area, 0.0)
    if use == ACCUMULATE:
        add_wrench(work["sums"], f, t, t_z)
        add_scalars(work["sums"], data["stiffness"] * area * E, power, touching)
        live = select_positive(area, W, 0.0)
        accumulate_maximum(work["sums"], PRESSURE, select_positive(live, pressure, 0.0))
        accumulate_maximum(work["sums"], DEPTH, select_positive(live, deepest, 0.0))
    else:
        store_cell_forces(work, half, f, t, t_z, c, n)
        store_vector(work["W"], half, W)
        store_vector(work["D"], half, D)
        store_vector(work["edge"], half, edge)
        store_vector(work["touching"], half, touching)
        store_vector(work["pressure"], half, pressure)
        store_vector(work["area"], half, area)


@inline
def four_points(segments, block, half, work, R_AB, p_AB_A):
    """Return the four points of eight cells in A [m] with depth [m] and gradient: x, y, z, s, k, n, each of four."""
    if block["facing"] >= FACES_SEVERAL:
        return (
            load_four(work["x"], half),
            load_four(work["y"], half),
            load_four(work["z"], half),
            load_four(work["s"], half),
            load_four(work["k"], half),
            load_four(work["n"], half),
        )
    x_0, y_0, z_0 = load_points_in_A(block, half, R_AB, p_AB_A)
    x_1, y_1, z_1 = load_points_in_A(block, half + BLOCK_CELLS, R_AB, p_AB_A)
    x_2, y_2, z_2 = load_points_in_A(block, half + 2 * BLOCK_CELLS, R_AB, p_AB_A)
    x_3, y_3, z_3 = load_points_in_A(block, half + 3 * BLOCK_CELLS, R_AB, p_AB_A)
    q_0, q_1 = fma(x_0, x_0, y_0 * y_0), fma(x_1, x_1, y_1 * y_1)
    q_2, q_3 = fma(x_2, x_2, y_2 * y_2), fma(x_3, x_3, y_3 * y_3)
    Z = (z_0, z_1, z_2, z_3)
    (s_0, k_0, n_0), (s_1, k_1, n_1), (s_2, k_2, n_2), (s_3, k_3, n_3) = block_depths(
        segments, block, Z, (q_0, q_1, q_2, q_3)
    )
    return (
        (x_0, x_1, x_2, x_3),
        (y_0, y_1, y_2, y_3),
        Z,
        (s_0, s_1, s_2, s_3),
        (k_0, k_1, k_2, k_3),
        (n_0, n_1, n_2, n_3),
    )


@inline
def load_four(array, half):
    """Return the items of an array for the four points of eight cells."""
    return (
        load_vector(array, half),
        load_vector(array, half + BLOCK_CELLS),
        load_vector(array, half + 2 * BLOCK_CELLS),
        load_vector(array, half + 3 * BLOCK_CELLS),
    )


@inline
def linear_depth(S, low):
    """Return mean depth and slopes of a cell from the depths of its four points [m]: (s, alpha, beta)."""
    before, after = S[0] + S[1], S[2] + S[3]
    s = fma(low, before, (0.5 - low) * after)  # Eq. (C8)
    return s, HALF_SQRT3 * (after - before), HALF_SQRT3 * ((S[1] - S[0]) + (S[3] - S[2]))


@inline
def dot_four(a, b):
    """Return the sum of four products."""
    return fma(a[0], b[0], fma(a[1], b[1], fma(a[2], b[2], a[3] * b[3])))


@inline
def elastic_cell_forces(four, low, W, m_a, m_b, data, area):
    """Return force, torque about x and y, stress centre and weighted normal of the elastic stress over cut cells."""
    X, Y, Z, _, K, N = four
    lower, upper = fma(-HALF_SQRT3, m_a, low * W), fma(HALF_SQRT3, m_a, (0.5 - low) * W)
    side = HALF_SQRT3 * m_b
    w = (lower - side, lower + side, upper - side, upper + side)  # Eq. (C13)
    k = (w[0] * K[0], w[1] * K[1], w[2] * K[2], w[3] * K[3])
    n = (dot_four(k, X), dot_four(k, Y), dot_four(w, N))
    # The line along the normal meets the axis of A, so that x cross n = (n - k z) (y, -x, 0).
    g = (
        fma(-k[0], Z[0], w[0] * N[0]),
        fma(-k[1], Z[1], w[1] * N[1]),
        fma(-k[2], Z[2], w[2] * N[2]),
        fma(-k[3], Z[3], w[3] * N[3]),
    )
    scale, share = -data["stiffness"] * area, select_positive(W, 1.0 / maximum(W, TINY), 0.0)
    return (
        (scale * n[0], scale * n[1], scale * n[2]),
        (scale * dot_four(g, Y), -scale * dot_four(g, X)),
        (share * dot_four(w, X), share * dot_four(w, Y), share * dot_four(w, Z)),
        n,
    )


@inline
def elastic_point_forces(work, half, data, area):
    """Return the quantities of `evaluate_cells` for plain points: elastic stress times area."""
    x, y, z = load_vector(work["x"], half), load_vector(work["y"], half), load_vector(work["z"], half)
    s, k, n = (
        maximum(load_vector(work["s"], half), 0.0),
        load_vector(work["k"], half),
        load_vector(work["n"], half),
    )
    scale = -data["stiffness"] * area * s
    g = scale * fma(-k, z, n)
    D = data["damping"] * -maximum(-s, -data["damping_depth"])
    return (
        (scale * k * x, scale * k * y, scale * n),
        (g * y, -g * x),
        (x, y, z),
        (k * x, k * y, n),
        s,
        D,
        0.5 * s * s,
        broadcast(1.0),
        s,
    )


@inline
def dissipative_forces(c, n, W, D, data, area, p_AB_A, w_AB_A, v_AB_A):
    """Return damping and friction of eight cells at their stress centres: force on B [N], stress [Pa], power [W].

    Last are what sums over the patch need: normal force [N], normal, place relative to B's origin [m], square of the
    share of friction, speed of approach [m/s].
    """
    scale = inverse_sqrt(fma(n[0], n[0], fma(n[1], n[1], n[2] * n[2])))
    n_x, n_y, n_z = scale * n[0], scale * n[1], scale * n[2]
    d_x, d_y, d_z = c[0] - p_AB_A[0], c[1] - p_AB_A[1], c[2] - p_AB_A[2]
    v_x = fma(w_AB_A[1], d_z, fma(-w_AB_A[2], d_y, v_AB_A[0]))
    v_y = fma(w_AB_A[2], d_x, fma(-w_AB_A[0], d_z, v_AB_A[1]))
    v_z = fma(w_AB_A[0], d_y, fma(-w_AB_A[1], d_x, v_AB_A[2]))
    v_n = fma(v_x, n_x, fma(v_y, n_y, v_z * n_z))
    stress = data["stiffness"] * W
    added = maximum(D * v_n, -stress)  # Eq. (C21): the stress is never tensile
    v_x, v_y, v_z = fma(-v_n, n_x, v_x), fma(-v_n, n_y, v_y), fma(-v_n, n_z, v_z)
    square, soft = fma(v_x, v_x, fma(v_y, v_y, v_z * v_z)), data["friction_speed"] * data["friction_speed"]
    slow = maximum(square, soft) if data["friction_law"] == RAMP else square + soft
    per, load = inverse_sqrt(slow), area * (stress + added)
    drag = -data["friction"] * load * per  # Eq. (C22)
    along = -area * added
    f = (fma(along, n_x, drag * v_x), fma(along, n_y, drag * v_y), fma(along, n_z, drag * v_z))
    patch = (load, (n_x, n_y, n_z), (d_x, d_y, d_z), square * per * per, v_n)
    return f, added, -fma(along, v_n, drag * square), patch


@inline
def add_wrench(sums, f, t, t_z):
    """Add the wrenches of eight cells to the sums."""
    add_to(sums, FORCE, f[0])
    add_to(sums, FORCE + 1, f[1])
    add_to(sums, FORCE + 2, f[2])
    add_to(sums, TORQUE, t[0])
    add_to(sums, TORQUE + 1, t[1])
    add_to(sums, TORQUE + 2, t_z)


@inline
def add_scalars(sums, energy, power, touching):
    """Add energy, power and area of eight cells to the sums."""
    add_to(sums, ENERGY, energy)
    add_to(sums, DISSIPATION, power)
    add_to(sums, CONTACT_AREA, touching)


@inline
def accumulate_maximum(sums, row, x):
    """Set a row to the larger of itself and a vector, lane by lane."""
    store(sums, row, 0, maximum(x, load(sums, row, 0)))


@inline
def store_cell_forces(work, half, f, t, t_z, c, n):
    """Store force, torque, stress centre and normal of eight cells in `work`."""
    store_vector(work["f_x"], half, f[0])
    store_vector(work["f_y"], half, f[1])
    store_vector(work["f_z"], half, f[2])
    store_vector(work["t_x"], half, t[0])
    store_vector(work["t_y"], half, t[1])
    store_vector(work["t_z"], half, t_z)
    store_vector(work["c_x"], half, c[0])
    store_vector(work["c_y"], half, c[1])
    store_vector(work["c_z"], half, c[2])
    store_vector(work["n_x"], half, n[0])
    store_vector(work["n_y"], half, n[1])
    store_vector(work["n_z"], half, n[2])
