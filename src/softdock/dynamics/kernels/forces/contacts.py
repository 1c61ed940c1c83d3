"""Contact pairs in a tree of links: relative motion, wrenches on links, near lists, limits of validity."""

import math

import numpy as np

from softdock.contact.kernels.cell_geometry import to_A
from softdock.contact.kernels.force import evaluate, motion_bound_inlined
from softdock.contact.kernels.layout import (
    CUT_CELLS,
    DEPTH,
    DISSIPATION,
    DISTANCE,
    ENERGY,
    FORCE,
    OUTPUT_SIZE,
    PRESSURE,
    TORQUE,
)
from softdock.contact.kernels.near_list import rebuild_along
from softdock.contact.kernels.penetration import check_penetration
from softdock.contact.kernels.sharp_edges import include_edge_peaks, touched_edge
from softdock.dynamics.kernels.forces.nearness import motion_since
from softdock.native.decorators import inline, kernel
from softdock.spatial.kernels import matrix_product, rotate, rotate_inverse, transpose
from softdock.tree.kernels.poses import (
    link_point,
    link_rotation,
    relative_velocity,
)

PATH_STEPS, PATH_SKINS = 12.0, 8.0  # longest path of a near list, in steps and in skins
REACH_STEPS = 6.0  # distance from the path for which a near list is valid, in steps of B
MIN_REACH, MAX_REACH = 0.125, 2.0  # bounds on that distance, in skins
SPEED_MARGIN = 1.2  # factor on the motion expected in a step, which may be faster than at its start
# Motion of B in a step in which it may touch: in skins, so that only a slight contact is missed, Eq. (M37), and in half
# thicknesses of a wall, so that a stage finds B inside the wall.
MAX_SKINS_PER_STEP = 3.5
MAX_HALF_WALLS_PER_STEP = 0.5
# Steps for which a list should be valid, because another method may try a longer step; it is rebuilt if it is not valid
# for the next step.
LIST_STEPS = (6.0, 3.0, 1.0)
# Depth over half the thickness of a wall from which penetration is checked point by point.
CHECKED_DEPTH_SHARE = 0.5

PAIR = np.dtype(
    [
        ("active", np.int64),
        ("a", np.int64),  # link that carries surface A
        ("b", np.int64),
        ("R_aA", np.float64, 9),
        ("p_aA", np.float64, 3),
        ("R_bB", np.float64, 9),
        ("p_bB", np.float64, 3),
        ("skin", np.float64),  # motion for which a near list is valid [m]
        # Force on B, torque, energy, dissipation, area, pressure, depth; in A.
        ("out", np.float64, OUTPUT_SIZE),
        ("force", np.float64),  # size of the force [N]
        ("zone", np.float64, 5),  # of the part of surface A that was observed last; see zones
        ("sharpened", np.int64),  # 1: depth and pressure in `out` include sharp edges of B
        ("end_touches", np.int64),  # 1: an open end of B's meridian touches
        # Largest motion beyond the near list since the last call of `worst_overreach` [m].
        ("overreach", np.float64),
        # Limits of validity.
        ("half_wall", np.float64),  # half the thickness of the thinnest wall of either surface [m]
        ("smallest_radius", np.float64),  # smallest convex radius of either surface [m]
        ("strength", np.float64),  # allowed pressure of the layer [Pa]
        ("resolved_force", np.float64),  # force that the cells resolve [N]
        # Values of the last observed state, and the largest values of the run.
        ("observed_depth", np.float64),  # [m]
        ("observed_pressure", np.float64),  # [Pa]
        ("observed_force", np.float64),  # [N]
        ("observed_share", np.float64),  # as `wall_share`
        ("observed_through", np.int64),
        ("observed_beyond", np.int64),
        ("observed_end", np.int64),  # as `end_touched`
        ("observed_edge", np.float64, 2),  # as `edge`
        ("deepest", np.float64),  # [m]
        ("peak_pressure", np.float64),  # [Pa]
        ("peak_force", np.float64),  # [N]
        ("wall_share", np.float64),  # depth over half the thickness of the wall at that place
        ("through", np.int64),  # 1: past the middle of a wall
        ("may_have_tunnelled", np.int64),  # 1: a fixed step may have passed through a wall undetected
        ("beyond", np.int64),  # 1: B touched the end faces or the back face of A
        ("end_touched", np.int64),  # 1: an open end of B's meridian touched
        ("edge_touched", np.int64),  # 1: a sharp edge of A touched
        ("edge", np.float64, 2),  # z and radius of the first one [m]
    ],
    align=True,
)


@inline
def relative_pose(pair, links):
    """Return R_NA, p_NA_N, p_NB_N, R_AB (three rows) and p_AB_A of a pair."""
    a, b = links[pair.a], links[pair.b]
    base_a, base_b = links[a.root], links[b.root]
    R_NA = link_rotation(a, base_a, pair.R_aA)
    R_NB = link_rotation(b, base_b, pair.R_bB)
    ax, ay, az = link_point(a, base_a, pair.p_aA)
    bx, by, bz = link_point(b, base_b, pair.p_bB)
    R = matrix_product(transpose(R_NA), R_NB)
    R_AB = ((R[0], R[1], R[2]), (R[3], R[4], R[5]), (R[6], R[7], R[8]))
    return R_NA, (ax, ay, az), (bx, by, bz), R_AB, rotate_inverse(R_NA, bx - ax, by - ay, bz - az)


@kernel
def apply_contacts(links, pairs, arrays, lists):
    """Add the wrenches of all active pairs; returns the power dissipated [W]."""
    loss = 0.0
    for i in range(pairs.shape[0]):
        pair = pairs[i]
        pair.force, pair.sharpened, pair.end_touches = 0.0, 0, 0
        if pair.active == 0:
            for k in range(OUTPUT_SIZE):
                pair.out[k] = 0.0
            continue
        a, b = links[pair.a], links[pair.b]
        base_a, base_b = links[a.root], links[b.root]
        moved = motion_since(pair, links, lists.work[i], arrays.nodes[arrays.pairs[i]["root_node"]])
        reach, clearance = lists.work[i]["reach"], lists.work[i]["clearance"]
        pair.overreach = max(pair.overreach, moved - max(reach, clearance))
        if moved <= clearance:
            for k in range(OUTPUT_SIZE):
                pair.out[k] = 0.0
            continue
        R_NA, p_A, p_B, R_AB, p_AB_A = relative_pose(pair, links)
        w_AB_A, v_AB_A = relative_velocity(a, b, base_a, base_b, R_NA, p_B)
        evaluate(arrays, lists, i, R_AB, p_AB_A, w_AB_A, v_AB_A, pair.out)
        out = pair.out
        fx, fy, fz = rotate(R_NA, out[FORCE], out[FORCE + 1], out[FORCE + 2])
        if fx == 0.0 and fy == 0.0 and fz == 0.0:
            continue
        tx, ty, tz = rotate(R_NA, out[TORQUE], out[TORQUE + 1], out[TORQUE + 2])
        x, y, z = p_A
        tx, ty, tz = tx + y * fz - z * fy, ty + z * fx - x * fz, tz + x * fy - y * fx
        add_opposite_wrenches(a, b, tx, ty, tz, fx, fy, fz)
        pair.force = math.sqrt(fx * fx + fy * fy + fz * fz)
        loss += out[DISSIPATION]
    return loss


@inline
def add_opposite_wrenches(a, b, tx, ty, tz, fx, fy, fz):
    """Add a wrench about N's origin to b and subtract it from a: action and reaction are equal to the last bit."""
    A, B = a.W, b.W
    B[0], B[1], B[2], B[3], B[4], B[5] = B[0] + tx, B[1] + ty, B[2] + tz, B[3] + fx, B[4] + fy, B[5] + fz
    A[0], A[1], A[2], A[3], A[4], A[5] = A[0] - tx, A[1] - ty, A[2] - tz, A[3] - fx, A[4] - fy, A[5] - fz


@kernel
def contact_energy(pairs):
    """Return the elastic energy of all contacts at the last evaluation [J]."""
    energy = 0.0
    for i in range(pairs.shape[0]):
        if pairs[i].active == 1:
            energy += pairs[i].out[ENERGY]
    return energy


@kernel
def worst_overreach(pairs):
    """Return and reset the largest motion beyond the near lists [m]; 0 or less means that all forces are valid."""
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
    pair.end_touches = include_edge_peaks(arrays, i, R_AB, p_AB_A, w_AB_A, v_AB_A, pair.out)


@kernel
def observe_contacts(links, pairs, arrays, lists):
    """Store depth, pressure and force of every pair at the last evaluation, and whether it is through a wall."""
    for i in range(pairs.shape[0]):
        pair = pairs[i]
        sharpen_pair(links, pair, i, arrays, lists)
        out = pair.out
        pair.observed_depth, pair.observed_pressure, pair.observed_force = (
            out[DEPTH],
            out[PRESSURE],
            pair.force,
        )
        pair.observed_share, pair.observed_through, pair.observed_beyond = 0.0, 0, 0
        pair.observed_end = pair.end_touches
        pair.observed_edge[0] = math.nan
        if arrays.pairs[i]["sharp_A"] == 1 and pair.edge_touched == 0 and out[ENERGY] > 0.0:
            _, _, _, R_AB, p_AB_A = relative_pose(pair, links)
            pair.observed_edge[0], pair.observed_edge[1] = touched_edge(arrays, lists, i, R_AB, p_AB_A)
        near_end = lists.work[i]["faces_closure"] == 1 and pair.beyond == 0
        if out[DEPTH] > 0.0 and (out[DEPTH] > CHECKED_DEPTH_SHARE * pair.half_wall or near_end):
            _, _, _, R_AB, p_AB_A = relative_pose(pair, links)
            pair.observed_share, pair.observed_through, pair.observed_beyond = check_penetration(
                arrays, lists, i, R_AB, p_AB_A
            )


@kernel
def update_extremes(pairs):
    """Update the largest values of the run by the observed ones; returns whether a pair is through a wall."""
    through = False
    for i in range(pairs.shape[0]):
        pair = pairs[i]
        pair.deepest = max(pair.deepest, pair.observed_depth)
        pair.peak_pressure = max(pair.peak_pressure, pair.observed_pressure)
        pair.peak_force = max(pair.peak_force, pair.observed_force)
        pair.wall_share = max(pair.wall_share, pair.observed_share)
        pair.through, pair.beyond = (
            max(pair.through, pair.observed_through),
            max(pair.beyond, pair.observed_beyond),
        )
        pair.end_touched = max(pair.end_touched, pair.observed_end)
        if pair.edge_touched == 0 and not math.isnan(pair.observed_edge[0]):
            pair.edge_touched = 1
            pair.edge[0], pair.edge[1] = pair.observed_edge[0], pair.observed_edge[1]
        through = through or pair.through == 1
    return through


@kernel
def count_closed(pairs):
    """Return the number of contacts that push, at the last evaluation."""
    count = 0
    for i in range(pairs.shape[0]):
        if pairs[i].force > 0.0:
            count += 1
    return count


@kernel
def refresh_lists(links, pairs, arrays, lists, every, h):
    """Rebuild the near lists that the next step would leave (or every one), at the present motion of the links.

    `h` is the size of the next step [s]. Returns how many lists were rebuilt (-1 where one does not fit in its memory),
    and the largest step for which all of them are valid at the present velocity [s].
    """
    rebuilt, longest = 0, math.inf
    for i in range(pairs.shape[0]):
        pair, work = pairs[i], lists.work[i]
        if pair.active == 0:
            continue
        a, b = links[pair.a], links[pair.b]
        R_NA, _, p_B, R_AB, p_AB_A = relative_pose(pair, links)
        w_AB_A, v_AB_A = relative_velocity(a, b, links[a.root], links[b.root], R_NA, p_B)
        R_rate = rate_of_rotation(w_AB_A, R_AB)
        speed = speed_bound(arrays, i, w_AB_A, R_rate, v_AB_A)
        valid_range, valid_time = max(work["reach"], work["clearance"]), -1.0
        for steps in LIST_STEPS:
            # Longer steps are not allowed where B may touch.
            time = min(steps * h, touch_step_limit(pair, work, speed))
            ahead = SPEED_MARGIN * time
            if path_deviation(arrays, lists, i, R_AB, p_AB_A, R_rate, v_AB_A, ahead) <= valid_range:
                valid_time = time
                break
        if every or valid_time < 0.0:
            duration, reach = path_and_reach(arrays.pairs[i], pair.skin, speed, h)
            R, p = extrapolate_pose(R_AB, p_AB_A, R_rate, v_AB_A, 0.5 * duration)
            half_R, half_p = pose_change(R_rate, v_AB_A, 0.5 * duration)
            rebuild_along(arrays, lists, i, R, p, half_R, half_p, reach)
            if work["block_count"] > lists.blocks.shape[1]:
                return -1, 0.0
            rebuilt += 1
            if speed > 0.0:
                longest = min(longest, (duration + max(reach, work["clearance"]) / speed) / SPEED_MARGIN)
        else:
            longest = min(longest, valid_time)
        longest = min(longest, touch_step_limit(pair, work, speed))
    return rebuilt, longest


@inline
def touch_step_limit(pair, work, speed):
    """Return the longest step [s] of a pair that may touch within the reach of its list, else infinity; Eq. (M37)."""
    if work["clearance"] > work["reach"] or speed <= 0.0:
        return math.inf
    farthest = min(MAX_SKINS_PER_STEP * pair.skin, MAX_HALF_WALLS_PER_STEP * pair.half_wall)
    return farthest / (SPEED_MARGIN * speed)


@kernel
def flag_tunnelling(links, pairs, arrays, lists, h):
    """Flag pairs whose B may pass through a wall (tunnel): in one fixed step it moves by more than half a wall."""
    for i in range(pairs.shape[0]):
        pair, work = pairs[i], lists.work[i]
        if pair.active == 0 or not math.isfinite(pair.half_wall):
            continue
        a, b = links[pair.a], links[pair.b]
        R_NA, _, p_B, R_AB, p_AB_A = relative_pose(pair, links)
        w_AB_A, v_AB_A = relative_velocity(a, b, links[a.root], links[b.root], R_NA, p_B)
        moves = h * speed_bound(arrays, i, w_AB_A, rate_of_rotation(w_AB_A, R_AB), v_AB_A)
        gap = work["clearance"] - motion_bound_inlined(arrays, lists, i, R_AB, p_AB_A)
        if moves > pair.half_wall and gap <= moves:
            pair.may_have_tunnelled = 1


@inline
def path_and_reach(data, skin, speed, h):
    """Return how long a new list follows the present motion [s], and the distance from that path it allows [m]."""
    if h <= 0.0:
        return 0.0, skin
    reach = min(max(REACH_STEPS * speed * h, MIN_REACH * skin), MAX_REACH * skin)
    if data["quadrature"] != CUT_CELLS or data["mapping"] != DISTANCE or speed <= 0.0:
        return 0.0, reach
    return min(PATH_STEPS * h, PATH_SKINS * skin / speed), reach


@inline
def rate_of_rotation(w, R):
    """Return the rate of R_AB (three rows) [1/s] at the angular velocity w of B in A."""
    return (
        (w[1] * R[2][0] - w[2] * R[1][0], w[1] * R[2][1] - w[2] * R[1][1], w[1] * R[2][2] - w[2] * R[1][2]),
        (w[2] * R[0][0] - w[0] * R[2][0], w[2] * R[0][1] - w[0] * R[2][1], w[2] * R[0][2] - w[0] * R[2][2]),
        (w[0] * R[1][0] - w[1] * R[0][0], w[0] * R[1][1] - w[1] * R[0][1], w[0] * R[1][2] - w[1] * R[0][2]),
    )


@inline
def speed_bound(arrays, pair, w, R_rate, v):
    """Return a bound on the speed of any point of B relative to A [m/s]."""
    ball = arrays.nodes[arrays.pairs[pair]["root_node"]]
    x, y, z = to_A(R_rate, v, ball["x"], ball["y"], ball["z"])
    turn = math.sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
    return math.sqrt(x * x + y * y + z * z) + ball["radius"] * turn


@inline
def pose_change(R_rate, v, t):
    """Return the change of R_AB (three rows) and of p_AB_A [m] in a time t at constant rates."""
    x, y, z = R_rate
    return (
        (t * x[0], t * x[1], t * x[2]),
        (t * y[0], t * y[1], t * y[2]),
        (t * z[0], t * z[1], t * z[2]),
    ), (t * v[0], t * v[1], t * v[2])


@inline
def extrapolate_pose(R_AB, p_AB_A, R_rate, v, t):
    """Return the pose after a time t at constant rates: rows of R_AB, orthonormal to first order, and p_AB_A [m]."""
    (x, y, z), d = pose_change(R_rate, v, t)
    X, Y, Z = R_AB
    return (
        (X[0] + x[0], X[1] + x[1], X[2] + x[2]),
        (Y[0] + y[0], Y[1] + y[1], Y[2] + y[2]),
        (Z[0] + z[0], Z[1] + z[1], Z[2] + z[2]),
    ), (p_AB_A[0] + d[0], p_AB_A[1] + d[1], p_AB_A[2] + d[2])


@inline
def path_deviation(arrays, lists, pair, R_AB, p_AB_A, R_rate, v, t):
    """Return the distance of B from the path of its near list after a time t at constant rates [m]."""
    R, p = extrapolate_pose(R_AB, p_AB_A, R_rate, v, t)
    return motion_bound_inlined(arrays, lists, pair, R, p)


@kernel
def widen_lists(links, pairs, arrays, lists):
    """Double the skin of all near lists and rebuild them; returns how many, or -1 if they do not fit in memory."""
    for i in range(pairs.shape[0]):
        pairs[i].skin *= 2.0
    return refresh_lists(links, pairs, arrays, lists, True, 0.0)[0]
