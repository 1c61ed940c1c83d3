"""The force of a contact pair: elastic stress, damping and friction over the near list.

Block by block, in three loops over its lanes that the compiler turns into vector instructions: place the
points and measure their depth; integrate the stress; add damping and friction. Then the lanes are summed.
"""

import math

from softdock.contact.kernels.approach import change_of_pose, may_press
from softdock.contact.kernels.cell import HALF_SQRT3, SOFT, cut
from softdock.contact.kernels.layout import (
    CONTACT_AREA,
    DEPTH,
    DISSIPATION,
    ENERGY,
    FORCE,
    LANES,
    OUTPUT,
    POINTS,
    PRESSURE,
    RAMP,
    TORQUE,
)
from softdock.contact.kernels.measure import place
from softdock.geometry.kernels import TINY
from softdock.jit import inlined, kernel

INVERSE_SQRT2 = 0.7071067811865476


@inlined
def motion_bound_inlined(arrays, lists, pair, R_AB, p_AB_A):
    """Like `motion_bound`, melted into the calling kernel.

    Where it is at most the clearance there is no force: in free flight this costs 6 ns, and 100 ns less than
    to call `evaluate`, which counts references to the arrays.
    """
    work, ball = lists.work[pair], arrays.nodes[arrays.pairs[pair]["tree"]]
    centre = (ball["x"], ball["y"], ball["z"])
    turn_x, shift_x = moved_row(R_AB[0], p_AB_A[0], work["R_AB"], work["p_AB_A"], 0, centre)
    turn_y, shift_y = moved_row(R_AB[1], p_AB_A[1], work["R_AB"], work["p_AB_A"], 1, centre)
    turn_z, shift_z = moved_row(R_AB[2], p_AB_A[2], work["R_AB"], work["p_AB_A"], 2, centre)
    turn = math.sqrt(turn_x + turn_y + turn_z)
    return math.sqrt(shift_x + shift_y + shift_z) + INVERSE_SQRT2 * ball["radius"] * turn  # Eq. (C19)


@inlined
def moved_row(row, p, R_before, p_before, i, centre):
    """One row of the change of pose: squares of the change of rotation and of the shift of the centre."""
    d_x, d_y, d_z = row[0] - R_before[i, 0], row[1] - R_before[i, 1], row[2] - R_before[i, 2]
    shift = p - p_before[i] + d_x * centre[0] + d_y * centre[1] + d_z * centre[2]
    return d_x * d_x + d_y * d_y + d_z * d_z, shift * shift


@kernel
def motion_bound(arrays, lists, pair, R_AB, p_AB_A):
    """Bound on how far any point of B's surface is from where it was at the last rebuild, seen from A [m]."""
    return motion_bound_inlined(arrays, lists, pair, R_AB, p_AB_A)


@kernel
def evaluate(arrays, lists, pair, R_AB, p_AB_A, w_AB_A, v_AB_A, out):
    """Write force, torque and the rest into `out`; return the motion since the last rebuild [m].

    R_AB (three rows) and p_AB_A [m]: pose of B in A. w_AB_A [rad/s]: angular velocity of B relative to A.
    v_AB_A [m/s]: rate of the components of p_AB_A. All in A's axes. `out` (11): force on B [N], torque on B
    about A's origin [N m], elastic energy [J], dissipated power [W], contact area [m2], largest pressure
    [Pa], largest depth [m]. The reaction on A is the exact negative, about the same origin. The result holds
    where the motion is at most the larger of reach and clearance of the last rebuild.
    """
    for k in range(OUTPUT):
        out[k] = 0.0
    moved = motion_bound_inlined(arrays, lists, pair, R_AB, p_AB_A)
    work, data = lists.work[pair], arrays.pairs[pair]
    if moved <= work["clearance"]:
        return moved
    touches, sums = False, work["sums"]
    dR, dp = change_of_pose(work, R_AB, p_AB_A)
    for b in range(min(work["blocks"], lists.blocks.shape[1])):
        block = lists.blocks[pair, b]
        if (
            block["gap"] <= moved
            and may_press(block, dR, dp)
            and press_block(arrays.segments, block, work, data, R_AB, p_AB_A, w_AB_A, v_AB_A)
        ):
            if not touches:
                clear_lanes(sums)
                touches = True
            add_lanes(block, work, sums)
    if touches:
        sum_lanes(sums, out)
    return moved


@kernel
def press_block(segments, block, work, data, R_AB, p_AB_A, w_AB_A, v_AB_A):
    """Work out the force of every lane of a block; tells whether any lane touches, else nothing is done."""
    is_points = data["quadrature"] == POINTS
    place(segments, block, work, R_AB, p_AB_A, LANES if is_points else 4 * LANES)
    if is_points:
        press_points(block, work, data)
    elif highest(block, work) > 0.0:
        press_cells(block, work, data)
    else:
        return False
    if data["damping"] > 0.0 or data["friction"] > 0.0:
        resist(block, work, data, p_AB_A, w_AB_A, v_AB_A)
    return True


@kernel
def highest(block, work):
    """Largest depth of the corners of all cells of a block [m]."""
    S, top, area, omega = work["s"], work["top"], block["area"], block["omega"]
    for i in range(LANES):
        s_0, s_1, s_2, s_3 = S[i], S[i + LANES], S[i + 2 * LANES], S[i + 3 * LANES]
        # |alpha| + |beta| = sqrt(3) times the larger difference across the two diagonals
        t = HALF_SQRT3 * max(abs(s_3 - s_0), abs(s_2 - s_1)) + SOFT
        s = omega[i] * (s_0 + s_1) + (0.5 - omega[i]) * (s_2 + s_3) + t
        top[i] = s if area[i] > 0.0 else -math.inf
    return largest(top)


@inlined
def largest(lanes):
    """Largest of all lanes, in four chains that do not wait for each other."""
    a, b, c, d = lanes[0], lanes[1], lanes[2], lanes[3]
    for i in range(4, LANES, 4):
        a, b = max(a, lanes[i]), max(b, lanes[i + 1])
        c, d = max(c, lanes[i + 2]), max(d, lanes[i + 3])
    return max(max(a, b), max(c, d))


@kernel
def touching_cells(arrays, lists, pair, R_AB, p_AB_A, w_AB_A, v_AB_A, table):
    """Write one row for each touching cell into `table`; return how many there are.

    Columns: stress centre in A [m], force on B [N], torque on B about A's origin [N m], touching area [m2],
    pressure [Pa], extent of the cell [m]. Rows beyond the size of the table are counted but not written.
    """
    work, count = lists.work[pair], 0
    for b in range(min(work["blocks"], lists.blocks.shape[1])):
        block = lists.blocks[pair, b]
        if not press_block(arrays.segments, block, work, arrays.pairs[pair], R_AB, p_AB_A, w_AB_A, v_AB_A):
            continue
        for i in range(block["count"]):
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
                table[count, 11] = extent(block, i, arrays.pairs[pair]["quadrature"] == POINTS)
            count += 1
    return count


@inlined
def extent(block, i, is_point):
    """Diagonal of a cell [m], from two of its four points; of a point, that of the square of its area."""
    if is_point:
        return math.sqrt(2.0 * block["area"][i])
    k = i + 3 * LANES
    x, y, z = block["x"][k] - block["x"][i], block["y"][k] - block["y"][i], block["z"][k] - block["z"][i]
    return 2.0 * HALF_SQRT3 * math.sqrt(x * x + y * y + z * z)


@kernel
def press_cells(block, work, data):
    """Integrate the elastic stress over the cut cells of a block: force, torque, energy, stress centre."""
    stiffness, rate, ramp = data["stiffness"], data["damping"], data["damping_depth"]
    X, Y, Z, S, K, N = work["x"], work["y"], work["z"], work["s"], work["k"], work["n"]
    for i in range(LANES):
        i_1, i_2, i_3 = i + LANES, i + 2 * LANES, i + 3 * LANES
        low, high = block["omega"][i], 0.5 - block["omega"][i]
        s = low * (S[i] + S[i_1]) + high * (S[i_2] + S[i_3])  # Eq. (C8)
        alpha = HALF_SQRT3 * (S[i_2] + S[i_3] - S[i] - S[i_1])
        beta = HALF_SQRT3 * (S[i_1] + S[i_3] - S[i] - S[i_2])
        W, E, m_a, m_b, covered = cut(s, alpha, beta)
        low, high, m_a, m_b = low * W, high * W, HALF_SQRT3 * m_a, HALF_SQRT3 * m_b
        w_0, w_1, w_2, w_3 = low - m_a - m_b, low - m_a + m_b, high + m_a - m_b, high + m_a + m_b  # Eq. (C13)
        k_0, k_1, k_2, k_3 = w_0 * K[i], w_1 * K[i_1], w_2 * K[i_2], w_3 * K[i_3]
        n_x = k_0 * X[i] + k_1 * X[i_1] + k_2 * X[i_2] + k_3 * X[i_3]
        n_y = k_0 * Y[i] + k_1 * Y[i_1] + k_2 * Y[i_2] + k_3 * Y[i_3]
        n_z = w_0 * N[i] + w_1 * N[i_1] + w_2 * N[i_2] + w_3 * N[i_3]
        # The normal meets the axis of A: its moment is square to it, x cross n = (n - k z) (y, -x, 0).
        g_0, g_1 = w_0 * N[i] - k_0 * Z[i], w_1 * N[i_1] - k_1 * Z[i_1]
        g_2, g_3 = w_2 * N[i_2] - k_2 * Z[i_2], w_3 * N[i_3] - k_3 * Z[i_3]
        scale = stiffness * block["area"][i]
        work["f_x"][i], work["f_y"][i], work["f_z"][i] = -scale * n_x, -scale * n_y, -scale * n_z
        work["t_x"][i] = -scale * (g_0 * Y[i] + g_1 * Y[i_1] + g_2 * Y[i_2] + g_3 * Y[i_3])
        work["t_y"][i] = scale * (g_0 * X[i] + g_1 * X[i_1] + g_2 * X[i_2] + g_3 * X[i_3])
        work["t_z"][i] = 0.0
        work["energy"][i] = scale * E
        work["touching"][i] = covered * block["area"][i]
        work["deepest"][i] = max(max(S[i], S[i_1]), max(S[i_2], S[i_3]))
        work["pressure"][i] = stiffness * work["deepest"][i]
        work["power"][i] = 0.0
        share = 1.0 / W if W > 0.0 else 0.0
        work["c_x"][i] = share * (w_0 * X[i] + w_1 * X[i_1] + w_2 * X[i_2] + w_3 * X[i_3])
        work["c_y"][i] = share * (w_0 * Y[i] + w_1 * Y[i_1] + w_2 * Y[i_2] + w_3 * Y[i_3])
        work["c_z"][i] = share * (w_0 * Z[i] + w_1 * Z[i_1] + w_2 * Z[i_2] + w_3 * Z[i_3])
        work["n_x"][i], work["n_y"][i], work["n_z"][i] = n_x, n_y, n_z
        work["W"][i] = W
        work["D"][i] = rate * (W - cut(s - ramp, alpha, beta)[0])  # Eq. (C20)


@kernel
def press_points(block, work, data):
    """Multiply the elastic stress at the points of a block by their areas."""
    stiffness, rate, ramp = data["stiffness"], data["damping"], data["damping_depth"]
    for i in range(LANES):
        x, y, z, k, n = work["x"][i], work["y"][i], work["z"][i], work["k"][i], work["n"][i]
        s = max(work["s"][i], 0.0)
        scale = stiffness * block["area"][i] * s
        g = scale * (n - k * z)
        work["f_x"][i], work["f_y"][i], work["f_z"][i] = -scale * k * x, -scale * k * y, -scale * n
        work["t_x"][i], work["t_y"][i], work["t_z"][i] = -g * y, g * x, 0.0
        work["energy"][i] = 0.5 * scale * s
        work["touching"][i] = block["area"][i] if s > 0.0 else 0.0
        work["deepest"][i], work["pressure"][i], work["power"][i] = s, stiffness * s, 0.0
        work["c_x"][i], work["c_y"][i], work["c_z"][i] = x, y, z
        work["n_x"][i], work["n_y"][i], work["n_z"][i] = k * x, k * y, n
        work["W"][i], work["D"][i] = s, rate * min(s, ramp)


@kernel
def resist(block, work, data, p_AB_A, w_AB_A, v_AB_A):
    """Add damping and friction at the stress centres of a block."""
    stiffness, friction, v_0 = data["stiffness"], data["friction"], data["friction_speed"]
    ramp = 1.0 if data["friction_law"] == RAMP else 0.0
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
        added = max(work["D"][i] * v_n, -stress)  # Eq. (C21): stress never pulls
        v_x, v_y, v_z = v_x - v_n * n_x, v_y - v_n * n_y, v_z - v_n * n_z
        square = v_x * v_x + v_y * v_y + v_z * v_z
        sliding = math.sqrt(square + (1.0 - ramp) * v_0 * v_0)
        drag = friction * (stress + added) / max(sliding, v_0)  # Eq. (C22)
        area = block["area"][i]
        f_x = -area * (added * n_x + drag * v_x)
        f_y = -area * (added * n_y + drag * v_y)
        f_z = -area * (added * n_z + drag * v_z)
        work["f_x"][i] += f_x
        work["f_y"][i] += f_y
        work["f_z"][i] += f_z
        work["t_x"][i] += y * f_z - z * f_y
        work["t_y"][i] += z * f_x - x * f_z
        work["t_z"][i] += x * f_y - y * f_x
        work["power"][i] = area * (added * v_n + drag * square)
        work["pressure"][i] += added


@kernel
def clear_lanes(sums):
    """Begin the sums over blocks, lane by lane."""
    for k in range(OUTPUT):
        for i in range(LANES):
            sums[k, i] = 0.0


@kernel
def add_lanes(block, work, sums):
    """Add a block lane by lane; lanes that do not touch have no force, energy or power."""
    for i in range(LANES):
        sums[FORCE, i] += work["f_x"][i]
        sums[FORCE + 1, i] += work["f_y"][i]
        sums[FORCE + 2, i] += work["f_z"][i]
        sums[TORQUE, i] += work["t_x"][i]
        sums[TORQUE + 1, i] += work["t_y"][i]
        sums[TORQUE + 2, i] += work["t_z"][i]
    for i in range(LANES):
        touches = work["W"][i] > 0.0 and block["area"][i] > 0.0
        sums[ENERGY, i] += work["energy"][i]
        sums[DISSIPATION, i] += work["power"][i]
        sums[CONTACT_AREA, i] += work["touching"][i] if touches else 0.0
        sums[DEPTH, i] = max(sums[DEPTH, i], work["deepest"][i] if touches else 0.0)
        sums[PRESSURE, i] = max(sums[PRESSURE, i], work["pressure"][i] if touches else 0.0)


@kernel
def sum_lanes(sums, out):
    """Sum the lanes, or choose the largest."""
    for k in range(PRESSURE):
        a, b, c, d = 0.0, 0.0, 0.0, 0.0
        for i in range(0, LANES, 4):
            a, b = a + sums[k, i], b + sums[k, i + 1]
            c, d = c + sums[k, i + 2], d + sums[k, i + 3]
        out[k] = (a + b) + (c + d)
    out[PRESSURE], out[DEPTH] = largest(sums[PRESSURE]), largest(sums[DEPTH])
