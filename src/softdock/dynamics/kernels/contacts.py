"""Contact pairs inside the multibody core: their relative motion in, their wrenches out, their near lists kept."""

import math

import numpy as np

from softdock.contact.kernels.edges import sharpen
from softdock.contact.kernels.force import evaluate, motion_bound_inlined
from softdock.contact.kernels.layout import (
    CELLS,
    DEPTH,
    DISSIPATION,
    DISTANCE,
    ENERGY,
    FORCE,
    OUTPUT,
    PRESSURE,
    TORQUE,
)
from softdock.contact.kernels.near import rebuild_along
from softdock.contact.kernels.place import to_A
from softdock.contact.kernels.walls import examine
from softdock.dynamics.kernels.nearness import motion_since
from softdock.dynamics.kernels.poses import (
    link_point,
    link_rotation,
    link_turn_rate,
    point_velocity,
    times,
    transposed,
    turn,
    turn_back,
)
from softdock.native.decorators import inline, kernel

STEPS, LONGEST = 12.0, 8.0  # a near list should serve so many steps on a path of so many skins,
BESIDE = 6.0  # and beside it as far as B moves in so many steps,
LEAST, MOST = 0.125, 2.0  # within these parts of the skin
MARGIN = 1.2  # of the motion expected in a step: it may be faster than at its start
FARTHEST = (
    3.5  # skins that B moves in a step where it may touch: only a slight touch passes unseen, Eq. (M37)
)
FARTHEST_IN_WALL = (
    0.5  # half thicknesses of a wall that B moves in a step where it may touch: it is seen inside
)
STRIDE = 6.0  # steps that a list should allow where it can: another method may try a longer one
DOUBTFUL_SHARE = 0.5  # of half the thickness of a wall: a depth from which on a contact is looked at closely

PAIR = np.dtype(
    [
        ("active", np.int64),
        ("a", np.int64),  # link that carries surface A
        ("b", np.int64),
        ("R_aA", np.float64, 9),
        ("p_aA", np.float64, 3),
        ("R_bB", np.float64, 9),
        ("p_bB", np.float64, 3),
        ("skin", np.float64),  # [m] motion that a near list should serve
        ("out", np.float64, OUTPUT),  # force on B, torque, energy, dissipation, area, pressure, depth; in A
        ("force", np.float64),  # size of the force [N]
        ("sharpened", np.int64),  # 1: depth and pressure in `out` are those at sharp edges of B, too
        ("end_touches", np.int64),  # 1: and an open end of B's meridian touches
        ("overreach", np.float64),  # motion beyond the near list, at the worst since last asked [m]
        # Limits of validity.
        ("half_wall", np.float64),  # half the thickness of the thinnest wall of either surface [m]
        ("smallest_radius", np.float64),  # of a rounding that sticks out, of either surface [m]
        ("strength", np.float64),  # pressure that the layer withstands [Pa]
        ("resolved_force", np.float64),  # that the cells are fine enough for [N]
        # What the state seen last has, and the largest of all states of the run.
        ("seen_depth", np.float64),
        ("seen_pressure", np.float64),
        ("seen_force", np.float64),
        ("seen_share", np.float64),
        ("seen_through", np.int64),
        ("seen_beyond", np.int64),
        ("seen_end", np.int64),
        ("deepest", np.float64),  # [m]
        ("peak_pressure", np.float64),  # [Pa]
        ("peak_force", np.float64),  # [N]
        ("wall_share", np.float64),  # depth over half the thickness of the wall at that place
        ("through", np.int64),  # 1: past the middle of a wall
        ("leaped", np.int64),  # 1: a fixed step may have passed a wall unseen
        ("beyond", np.int64),  # 1: something touched what closes the meridian of A
        ("end_touched", np.int64),  # 1: an open end of B's meridian touched
    ],
    align=True,
)


@inline
def relative_pose(pair, links):
    """R_NA, p_NA_N, R_AB as rows and p_AB_A of a pair."""
    a, b = links[pair.a], links[pair.b]
    base_a, base_b = links[a.root], links[b.root]
    R_NA = link_rotation(a, base_a, pair.R_aA)
    R_NB = link_rotation(b, base_b, pair.R_bB)
    ax, ay, az = link_point(a, base_a, pair.p_aA)
    bx, by, bz = link_point(b, base_b, pair.p_bB)
    R = times(transposed(R_NA), R_NB)
    R_AB = ((R[0], R[1], R[2]), (R[3], R[4], R[5]), (R[6], R[7], R[8]))
    return R_NA, (ax, ay, az), (bx, by, bz), R_AB, turn_back(R_NA, bx - ax, by - ay, bz - az)


@inline
def relative_velocity(a, b, base_a, base_b, R_NA, p_B):
    """Angular velocity of B relative to A [rad/s] and rate of the components of p_AB_A [m/s], in A."""
    awx, awy, awz = link_turn_rate(a, base_a)
    bwx, bwy, bwz = link_turn_rate(b, base_b)
    avx, avy, avz = point_velocity(a, base_a, p_B[0], p_B[1], p_B[2])
    bvx, bvy, bvz = point_velocity(b, base_b, p_B[0], p_B[1], p_B[2])
    return turn_back(R_NA, bwx - awx, bwy - awy, bwz - awz), turn_back(R_NA, bvx - avx, bvy - avy, bvz - avz)


@kernel
def apply_contacts(links, pairs, arrays, lists):
    """Add the wrenches of all active pairs; returns the power dissipated [W]."""
    loss = 0.0
    for i in range(pairs.shape[0]):
        pair = pairs[i]
        pair.force, pair.sharpened, pair.end_touches = 0.0, 0, 0
        if pair.active == 0:
            for k in range(OUTPUT):
                pair.out[k] = 0.0
            continue
        a, b = links[pair.a], links[pair.b]
        base_a, base_b = links[a.root], links[b.root]
        moved = motion_since(pair, links, lists.work[i], arrays.nodes[arrays.pairs[i]["tree"]])
        reach, clearance = lists.work[i]["reach"], lists.work[i]["clearance"]
        pair.overreach = max(pair.overreach, moved - max(reach, clearance))
        if moved <= clearance:
            for k in range(OUTPUT):
                pair.out[k] = 0.0
            continue
        R_NA, p_A, p_B, R_AB, p_AB_A = relative_pose(pair, links)
        w_AB_A, v_AB_A = relative_velocity(a, b, base_a, base_b, R_NA, p_B)
        evaluate(arrays, lists, i, R_AB, p_AB_A, w_AB_A, v_AB_A, pair.out)
        out = pair.out
        fx, fy, fz = turn(R_NA, out[FORCE], out[FORCE + 1], out[FORCE + 2])
        if fx == 0.0 and fy == 0.0 and fz == 0.0:
            continue
        tx, ty, tz = turn(R_NA, out[TORQUE], out[TORQUE + 1], out[TORQUE + 2])
        x, y, z = p_A
        tx, ty, tz = tx + y * fz - z * fy, ty + z * fx - x * fz, tz + x * fy - y * fx
        add_exactly(a, b, tx, ty, tz, fx, fy, fz)
        pair.force = math.sqrt(fx * fx + fy * fy + fz * fz)
        loss += out[DISSIPATION]
    return loss


@inline
def add_exactly(a, b, tx, ty, tz, fx, fy, fz):
    """Let a wrench about N's origin act on b, and its exact negative on a."""
    A, B = a.W, b.W
    B[0], B[1], B[2], B[3], B[4], B[5] = B[0] + tx, B[1] + ty, B[2] + tz, B[3] + fx, B[4] + fy, B[5] + fz
    A[0], A[1], A[2], A[3], A[4], A[5] = A[0] - tx, A[1] - ty, A[2] - tz, A[3] - fx, A[4] - fy, A[5] - fz


@kernel
def stored_energy(pairs):
    """Elastic energy of all contacts at the last evaluation [J]."""
    energy = 0.0
    for i in range(pairs.shape[0]):
        if pairs[i].active == 1:
            energy += pairs[i].out[ENERGY]
    return energy


@kernel
def worst_overreach(pairs):
    """Largest motion beyond the near lists since this was last asked [m]; 0 or less means that all forces hold."""
    worst = -math.inf
    for i in range(pairs.shape[0]):
        if pairs[i].active == 1:
            worst = max(worst, pairs[i].overreach)
        pairs[i].overreach = -math.inf
    return worst


@kernel
def sharpen_pair(links, pair, i, arrays, lists):
    """Raise depth and pressure of a pair, at the last evaluation, to those at the sharp edges of B."""
    # A corner of a cell may touch without any of its points: the depth known so far is zero then.
    if pair.sharpened == 1 or not pair.out[ENERGY] > 0.0 or lists.work[i]["near_edge"] == 0:
        return
    a, b = links[pair.a], links[pair.b]
    R_NA, _, p_B, R_AB, p_AB_A = relative_pose(pair, links)
    w_AB_A, v_AB_A = relative_velocity(a, b, links[a.root], links[b.root], R_NA, p_B)
    pair.sharpened = 1
    pair.end_touches = sharpen(arrays, i, R_AB, p_AB_A, w_AB_A, v_AB_A, pair.out)


@kernel
def observe_contacts(links, pairs, arrays, lists):
    """Note depth, pressure and force of every pair at the last evaluation, and whether it is through a wall."""
    for i in range(pairs.shape[0]):
        pair = pairs[i]
        sharpen_pair(links, pair, i, arrays, lists)
        out = pair.out
        pair.seen_depth, pair.seen_pressure, pair.seen_force = out[DEPTH], out[PRESSURE], pair.force
        pair.seen_share, pair.seen_through, pair.seen_beyond = 0.0, 0, 0
        pair.seen_end = pair.end_touches
        near_end = lists.work[i]["beyond"] == 1 and pair.beyond == 0
        if out[DEPTH] > 0.0 and (out[DEPTH] > DOUBTFUL_SHARE * pair.half_wall or near_end):
            _, _, _, R_AB, p_AB_A = relative_pose(pair, links)
            pair.seen_share, pair.seen_through, pair.seen_beyond = examine(arrays, lists, i, R_AB, p_AB_A)


@kernel
def keep_observed(pairs):
    """Add what was noted of the pairs to the largest values of the run; tells whether one is through a wall."""
    through = False
    for i in range(pairs.shape[0]):
        pair = pairs[i]
        pair.deepest = max(pair.deepest, pair.seen_depth)
        pair.peak_pressure = max(pair.peak_pressure, pair.seen_pressure)
        pair.peak_force = max(pair.peak_force, pair.seen_force)
        pair.wall_share = max(pair.wall_share, pair.seen_share)
        pair.through, pair.beyond = max(pair.through, pair.seen_through), max(pair.beyond, pair.seen_beyond)
        pair.end_touched = max(pair.end_touched, pair.seen_end)
        through = through or pair.through == 1
    return through


@kernel
def count_closed(pairs):
    """Number of contacts that push, at the last evaluation."""
    count = 0
    for i in range(pairs.shape[0]):
        if pairs[i].force > 0.0:
            count += 1
    return count


@kernel
def refresh_lists(links, pairs, arrays, lists, every, h):
    """Rebuild the near lists that the next step would leave (or every one), at the present motion of the links.

    `h` is the step to come [s]. Returns how many lists were rebuilt (-1 where one is too long for its memory), and
    the step that all of them serve at the present velocity [s].
    """
    rebuilt, longest = 0, math.inf
    for i in range(pairs.shape[0]):
        pair, work = pairs[i], lists.work[i]
        if pair.active == 0:
            continue
        a, b = links[pair.a], links[pair.b]
        R_NA, _, p_B, R_AB, p_AB_A = relative_pose(pair, links)
        w_AB_A, v_AB_A = relative_velocity(a, b, links[a.root], links[b.root], R_NA, p_B)
        turning = rate_of_rotation(w_AB_A, R_AB)
        speed = fastest(arrays, i, w_AB_A, turning, v_AB_A)
        served = max(work["reach"], work["clearance"])
        stretch = STRIDE
        while stretch >= 1.5:  # steps: implicit ones may go no farther than 0.68 of what a list serves
            if deviation(arrays, lists, i, R_AB, p_AB_A, turning, v_AB_A, stretch * MARGIN * h) <= served:
                break
            stretch *= 0.5
        if every or stretch < 1.5:
            duration, reach = path_and_reach(arrays.pairs[i], pair.skin, speed, h)
            R, p = ahead(R_AB, p_AB_A, turning, v_AB_A, 0.5 * duration)
            half_R, half_p = scaled(turning, v_AB_A, 0.5 * duration)
            rebuild_along(arrays, lists, i, R, p, half_R, half_p, reach)
            if work["blocks"] > lists.blocks.shape[1]:
                return -1, 0.0
            rebuilt += 1
            if speed > 0.0:
                longest = min(longest, (duration + max(reach, work["clearance"]) / speed) / MARGIN)
        else:
            longest = min(longest, stretch * h)
        if work["clearance"] <= work["reach"] and speed > 0.0:
            farthest = min(FARTHEST * pair.skin, FARTHEST_IN_WALL * pair.half_wall)
            longest = min(longest, farthest / (MARGIN * speed))
    return rebuilt, longest


@kernel
def note_leaps(links, pairs, arrays, lists, h):
    """Note the pairs of which B moves farther than half a wall in the fixed step to come, and may touch in it."""
    for i in range(pairs.shape[0]):
        pair, work = pairs[i], lists.work[i]
        if pair.active == 0 or not math.isfinite(pair.half_wall):
            continue
        a, b = links[pair.a], links[pair.b]
        R_NA, _, p_B, R_AB, p_AB_A = relative_pose(pair, links)
        w_AB_A, v_AB_A = relative_velocity(a, b, links[a.root], links[b.root], R_NA, p_B)
        moves = h * fastest(arrays, i, w_AB_A, rate_of_rotation(w_AB_A, R_AB), v_AB_A)
        gap = work["clearance"] - motion_bound_inlined(arrays, lists, i, R_AB, p_AB_A)
        if moves > pair.half_wall and gap <= moves:
            pair.leaped = 1


@inline
def path_and_reach(data, skin, speed, h):
    """For how long a new list follows the present motion [s], and how far from that path it serves [m]."""
    if h <= 0.0:
        return 0.0, skin
    reach = min(max(BESIDE * speed * h, LEAST * skin), MOST * skin)
    if data["quadrature"] != CELLS or data["mapping"] != DISTANCE or speed <= 0.0:
        return 0.0, reach
    return min(STEPS * h, LONGEST * skin / speed), reach


@inline
def rate_of_rotation(w, R):
    """Rate of R_AB (three rows) [1/s] at the angular velocity w of B in A."""
    return (
        (w[1] * R[2][0] - w[2] * R[1][0], w[1] * R[2][1] - w[2] * R[1][1], w[1] * R[2][2] - w[2] * R[1][2]),
        (w[2] * R[0][0] - w[0] * R[2][0], w[2] * R[0][1] - w[0] * R[2][1], w[2] * R[0][2] - w[0] * R[2][2]),
        (w[0] * R[1][0] - w[1] * R[0][0], w[0] * R[1][1] - w[1] * R[0][1], w[0] * R[1][2] - w[1] * R[0][2]),
    )


@inline
def fastest(arrays, pair, w, turning, v):
    """Bound on the speed of any point of B relative to A [m/s]."""
    ball = arrays.nodes[arrays.pairs[pair]["tree"]]
    x, y, z = to_A(turning, v, ball["x"], ball["y"], ball["z"])
    turn = math.sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
    return math.sqrt(x * x + y * y + z * z) + ball["radius"] * turn


@inline
def scaled(turning, v, t):
    """Change of rotation (three rows) and of place [m] in a time t at constant rates."""
    x, y, z = turning
    return (
        (t * x[0], t * x[1], t * x[2]),
        (t * y[0], t * y[1], t * y[2]),
        (t * z[0], t * z[1], t * z[2]),
    ), (t * v[0], t * v[1], t * v[2])


@inline
def ahead(R_AB, p_AB_A, turning, v, t):
    """Pose after a time t at constant rates: rows of R_AB, no longer quite a rotation, and p_AB_A [m]."""
    (x, y, z), d = scaled(turning, v, t)
    X, Y, Z = R_AB
    return (
        (X[0] + x[0], X[1] + x[1], X[2] + x[2]),
        (Y[0] + y[0], Y[1] + y[1], Y[2] + y[2]),
        (Z[0] + z[0], Z[1] + z[1], Z[2] + z[2]),
    ), (p_AB_A[0] + d[0], p_AB_A[1] + d[1], p_AB_A[2] + d[2])


@inline
def deviation(arrays, lists, pair, R_AB, p_AB_A, turning, v, t):
    """How far from the path of its near list B will be after a time t at constant rates [m]."""
    R, p = ahead(R_AB, p_AB_A, turning, v, t)
    return motion_bound_inlined(arrays, lists, pair, R, p)


@kernel
def widen_lists(links, pairs, arrays, lists):
    """Let near lists serve twice the motion from now on."""
    for i in range(pairs.shape[0]):
        pairs[i].skin *= 2.0
    return refresh_lists(links, pairs, arrays, lists, True, 0.0)[0]
