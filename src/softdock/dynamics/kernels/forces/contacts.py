"""Contact pairs in a tree of links: relative motion, wrenches on links, near lists, limits of validity."""

import math

import numpy as np

from softdock.contact.kernels.bristle import BRISTLE_STATES, apply_bristle, bristle_energy
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
from softdock.tree.kernels.tree import records

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
        ("active", np.int64),  # 1: from the start of a run
        ("a", np.int64),  # link that carries surface A
        ("b", np.int64),
        ("R_aA", np.float64, 9),
        ("p_aA", np.float64, 3),
        ("R_bB", np.float64, 9),
        ("p_bB", np.float64, 3),
        ("skin", np.float64),  # motion for which a near list is valid at the start of a run [m]
        ("at_state", np.int64),  # first entry of the bristle in the state; -1: no tangential elasticity
        # Limits of validity.
        ("half_wall", np.float64),  # half the thickness of the thinnest wall of either surface [m]
        ("smallest_radius", np.float64),  # smallest convex radius of either surface [m]
        ("strength", np.float64),  # allowed pressure of the layer [Pa]
        ("resolved_force", np.float64),  # force that the cells resolve [N]
    ],
    align=True,
)
"""Constants of a contact pair."""

OBSERVATION = np.dtype(
    [
        ("depth", np.float64),  # [m]
        ("pressure", np.float64),  # [Pa]
        ("force", np.float64),  # [N]
        ("wall_share", np.float64),  # depth over half the thickness of the wall at that place
        ("through", np.int64),  # 1: past the middle of a wall
        ("beyond", np.int64),  # 1: B touches the end faces or the back face of A
        ("end_touched", np.int64),  # 1: an open end of B's meridian touches
        # z and radius of a sharp edge of A that touches [m], the first one of a run; NaN while none does.
        ("edge", np.float64, 2),
    ],
    align=True,
)
"""What is seen of a contact at a state, or the largest values of a run: data that the kernels write."""

PAIR_STATE = np.dtype(
    [
        ("active", np.int64),
        ("skin", np.float64),  # motion for which a near list is valid; longer where lists did not serve [m]
        # Force on B, torque, energy, dissipation, area, pressure, depth; in A.
        ("out", np.float64, OUTPUT_SIZE),
        ("force", np.float64),  # size of the force [N]
        ("shear_energy", np.float64),  # of the bristle [J]
        ("touches", np.int64),  # 1: the bristle is between surfaces that touch
        ("pull", np.float64, 4),  # of the bristle: force on B in A [N], moment about its normal [N m]
        ("zone", np.float64, 5),  # of the part of surface A that was observed last; see zones
        ("sharpened", np.int64),  # 1: depth and pressure in `out` include sharp edges of B
        ("end_touches", np.int64),  # 1: an open end of B's meridian touches
        # Largest motion beyond the near list since the last call of `worst_overreach` [m].
        ("overreach", np.float64),
        ("observed", OBSERVATION),  # at the last observed state
        ("largest", OBSERVATION),  # of the run
        ("may_have_tunnelled", np.int64),  # 1: a fixed step may have passed through a wall undetected
    ],
    align=True,
)
"""Force, near list and extreme values of a contact pair: data that the kernels write."""


def initial_pair_states(pairs: np.recarray) -> np.recarray:
    """Return the states of pairs at the start of a run, before any evaluation."""
    states, plain = records(len(pairs), PAIR_STATE), pairs.view(np.ndarray)
    out = states.view(np.ndarray)
    out["active"], out["skin"], out["overreach"] = plain["active"], plain["skin"], -math.inf
    out["observed"]["edge"] = out["largest"]["edge"] = math.nan
    return states


@inline
def relative_pose(pair, links, motions):
    """Return R_NA, p_NA_N, p_NB_N, R_AB (three rows) and p_AB_A of a pair."""
    a, b = motions[pair.a], motions[pair.b]
    base_a, base_b = motions[links[pair.a].root], motions[links[pair.b].root]
    R_NA = link_rotation(a, base_a, pair.R_aA)
    R_NB = link_rotation(b, base_b, pair.R_bB)
    ax, ay, az = link_point(a, base_a, pair.p_aA)
    bx, by, bz = link_point(b, base_b, pair.p_bB)
    R = matrix_product(transpose(R_NA), R_NB)
    R_AB = ((R[0], R[1], R[2]), (R[3], R[4], R[5]), (R[6], R[7], R[8]))
    return R_NA, (ax, ay, az), (bx, by, bz), R_AB, rotate_inverse(R_NA, bx - ax, by - ay, bz - az)


@kernel
def apply_contacts(system, q, dq):
    """Add the wrenches of all active pairs; returns the power dissipated [W].

    Reads the bristles in the state `q` and writes their rates into `dq`.
    """
    links, motions, arrays, lists = system.links, system.motions, system.arrays, system.lists
    loss = 0.0
    for i in range(system.pairs.shape[0]):
        pair, state = system.pairs[i], system.pair_states[i]
        out = state.out
        state.force, state.sharpened, state.end_touches = 0.0, 0, 0
        state.shear_energy, state.touches = 0.0, 0
        if pair.at_state >= 0:
            rest_bristle(pair, state, arrays.pairs[i], q, dq)
        if state.active == 0:
            for k in range(OUTPUT_SIZE):
                out[k] = 0.0
            continue
        moved = motion_since(pair, links, motions, lists.work[i], arrays.nodes[arrays.pairs[i]["root_node"]])
        reach, clearance = lists.work[i]["reach"], lists.work[i]["clearance"]
        state.overreach = max(state.overreach, moved - max(reach, clearance))
        if moved <= clearance:
            for k in range(OUTPUT_SIZE):
                out[k] = 0.0
            continue
        R_NA, p_A, p_B, R_AB, p_AB_A = relative_pose(pair, links, motions)
        w_AB_A, v_AB_A = relative_velocity(pair, links, motions, R_NA, p_B)
        evaluate(arrays, lists, i, R_AB, p_AB_A, w_AB_A, v_AB_A, out)
        if pair.at_state >= 0 and lists.work[i]["patch_load"] > 0.0:
            at, state.touches = pair.at_state, 1
            z, rate = q[at : at + BRISTLE_STATES], dq[at : at + BRISTLE_STATES]
            data, work = arrays.pairs[i], lists.work[i]
            apply_bristle(data, work, p_AB_A, w_AB_A, v_AB_A, z, rate, out, state.pull)
        fx, fy, fz = rotate(R_NA, out[FORCE], out[FORCE + 1], out[FORCE + 2])
        if fx == 0.0 and fy == 0.0 and fz == 0.0:
            continue
        tx, ty, tz = rotate(R_NA, out[TORQUE], out[TORQUE + 1], out[TORQUE + 2])
        x, y, z = p_A
        tx, ty, tz = tx + y * fz - z * fy, ty + z * fx - x * fz, tz + x * fy - y * fx
        add_opposite_wrenches(motions[pair.a], motions[pair.b], tx, ty, tz, fx, fy, fz)
        state.force = math.sqrt(fx * fx + fy * fy + fz * fz)
        loss += out[DISSIPATION]
    return loss


@inline
def rest_bristle(pair, state, data, q, dq):
    """Let the bristle of a pair keep its displacement, and store its energy if the pair is active."""
    for k in range(pair.at_state, pair.at_state + BRISTLE_STATES):
        dq[k] = 0.0
    if state.active == 1:
        state.shear_energy = bristle_energy(data, q[pair.at_state : pair.at_state + BRISTLE_STATES])


@kernel
def release_bristles(system, y):
    """Reset the bristles of surfaces that have parted and dissipate their energy; expects that y was evaluated last."""
    w = system.world[0]
    for i in range(system.pairs.shape[0]):
        pair, state = system.pairs[i], system.pair_states[i]
        if pair.at_state >= 0 and state.touches == 0:
            y[w.n_q + w.n_u] += state.shear_energy
            state.shear_energy = 0.0
            for k in range(pair.at_state, pair.at_state + BRISTLE_STATES):
                y[k] = 0.0


@inline
def add_opposite_wrenches(a, b, tx, ty, tz, fx, fy, fz):
    """Add a wrench about N's origin to the motion of b and subtract it from that of a, equal to the last bit."""
    A, B = a.W, b.W
    B[0], B[1], B[2], B[3], B[4], B[5] = B[0] + tx, B[1] + ty, B[2] + tz, B[3] + fx, B[4] + fy, B[5] + fz
    A[0], A[1], A[2], A[3], A[4], A[5] = A[0] - tx, A[1] - ty, A[2] - tz, A[3] - fx, A[4] - fy, A[5] - fz


@kernel
def contact_energy(pair_states):
    """Return the elastic energy of all contacts, with that of their bristles [J]."""
    energy = 0.0
    for i in range(pair_states.shape[0]):
        if pair_states[i].active == 1:
            energy += pair_states[i].out[ENERGY] + pair_states[i].shear_energy
    return energy


@kernel
def worst_overreach(pair_states):
    """Return and reset the largest motion beyond the near lists [m]; 0 or less means that all forces are valid."""
    worst = -math.inf
    for i in range(pair_states.shape[0]):
        if pair_states[i].active == 1:
            worst = max(worst, pair_states[i].overreach)
        pair_states[i].overreach = -math.inf
    return worst


@kernel
def sharpen_pair(system, i):
    """Raise depth and pressure in the state of a pair to those at the sharp edges of B."""
    links, motions, pair, state = system.links, system.motions, system.pairs[i], system.pair_states[i]
    # A corner of a cell may touch without any of its points: the depth known so far is zero then.
    if state.sharpened == 1 or not state.out[ENERGY] > 0.0 or system.lists.work[i]["near_edge"] == 0:
        return
    R_NA, _, p_B, R_AB, p_AB_A = relative_pose(pair, links, motions)
    w_AB_A, v_AB_A = relative_velocity(pair, links, motions, R_NA, p_B)
    state.sharpened = 1
    state.end_touches = include_edge_peaks(system.arrays, i, R_AB, p_AB_A, w_AB_A, v_AB_A, state.out)


@kernel
def observe_contacts(system):
    """Store depth, pressure and force of every pair as observed, and whether it is through a wall."""
    links, motions, arrays, lists = system.links, system.motions, system.arrays, system.lists
    for i in range(system.pairs.shape[0]):
        pair, state = system.pairs[i], system.pair_states[i]
        sharpen_pair(system, i)
        out, seen, largest = state.out, state.observed, state.largest
        seen.depth, seen.pressure, seen.force = out[DEPTH], out[PRESSURE], state.force
        seen.wall_share, seen.through, seen.beyond = 0.0, 0, 0
        seen.end_touched = state.end_touches
        seen.edge[0] = math.nan
        if arrays.pairs[i]["sharp_A"] == 1 and math.isnan(largest.edge[0]) and out[ENERGY] > 0.0:
            _, _, _, R_AB, p_AB_A = relative_pose(pair, links, motions)
            seen.edge[0], seen.edge[1] = touched_edge(arrays, lists, i, R_AB, p_AB_A)
        near_end = lists.work[i]["faces_closure"] == 1 and largest.beyond == 0
        if out[DEPTH] > 0.0 and (out[DEPTH] > CHECKED_DEPTH_SHARE * pair.half_wall or near_end):
            _, _, _, R_AB, p_AB_A = relative_pose(pair, links, motions)
            seen.wall_share, seen.through, seen.beyond = check_penetration(arrays, lists, i, R_AB, p_AB_A)


@kernel
def update_extremes(pair_states):
    """Update the largest values of the run by the observed ones; returns whether a pair is through a wall."""
    through = False
    for i in range(pair_states.shape[0]):
        seen, largest = pair_states[i].observed, pair_states[i].largest
        largest.depth = max(largest.depth, seen.depth)
        largest.pressure = max(largest.pressure, seen.pressure)
        largest.force = max(largest.force, seen.force)
        largest.wall_share = max(largest.wall_share, seen.wall_share)
        largest.through = max(largest.through, seen.through)
        largest.beyond = max(largest.beyond, seen.beyond)
        largest.end_touched = max(largest.end_touched, seen.end_touched)
        if math.isnan(largest.edge[0]) and not math.isnan(seen.edge[0]):
            largest.edge[0], largest.edge[1] = seen.edge[0], seen.edge[1]
        through = through or largest.through == 1
    return through


@kernel
def count_closed(pair_states):
    """Return the number of contacts that push."""
    count = 0
    for i in range(pair_states.shape[0]):
        if pair_states[i].force > 0.0:
            count += 1
    return count


@kernel
def refresh_lists(system, every, h):
    """Rebuild the near lists that the next step would leave (or every one), at the present motion of the links.

    `h` is the size of the next step [s]. Returns how many lists were rebuilt (-1 where one does not fit in its memory),
    and the largest step for which all of them are valid at the present velocity [s].
    """
    links, motions, arrays, lists = system.links, system.motions, system.arrays, system.lists
    rebuilt, longest = 0, math.inf
    for i in range(system.pairs.shape[0]):
        pair, work = system.pairs[i], lists.work[i]
        if system.pair_states[i].active == 0:
            continue
        skin = system.pair_states[i].skin
        R_NA, _, p_B, R_AB, p_AB_A = relative_pose(pair, links, motions)
        w_AB_A, v_AB_A = relative_velocity(pair, links, motions, R_NA, p_B)
        R_rate = rate_of_rotation(w_AB_A, R_AB)
        speed = speed_bound(arrays, i, w_AB_A, R_rate, v_AB_A)
        valid_range, valid_time = max(work["reach"], work["clearance"]), -1.0
        for steps in LIST_STEPS:
            # Longer steps are not allowed where B may touch.
            time = min(steps * h, touch_step_limit(pair, skin, work, speed))
            ahead = SPEED_MARGIN * time
            if path_deviation(arrays, lists, i, R_AB, p_AB_A, R_rate, v_AB_A, ahead) <= valid_range:
                valid_time = time
                break
        if every or valid_time < 0.0:
            duration, reach = path_and_reach(arrays.pairs[i], skin, speed, h)
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
        longest = min(longest, touch_step_limit(pair, skin, work, speed))
    return rebuilt, longest


@inline
def touch_step_limit(pair, skin, work, speed):
    """Return the longest step [s] of a pair that may touch within the reach of its list, else infinity; Eq. (M37)."""
    if work["clearance"] > work["reach"] or speed <= 0.0:
        return math.inf
    farthest = min(MAX_SKINS_PER_STEP * skin, MAX_HALF_WALLS_PER_STEP * pair.half_wall)
    return farthest / (SPEED_MARGIN * speed)


@kernel
def flag_tunnelling(system, h):
    """Flag pairs whose B may pass through a wall (tunnel): in one fixed step it moves by more than half a wall."""
    links, motions, arrays, lists = system.links, system.motions, system.arrays, system.lists
    for i in range(system.pairs.shape[0]):
        pair, state, work = system.pairs[i], system.pair_states[i], lists.work[i]
        if state.active == 0 or not math.isfinite(pair.half_wall):
            continue
        R_NA, _, p_B, R_AB, p_AB_A = relative_pose(pair, links, motions)
        w_AB_A, v_AB_A = relative_velocity(pair, links, motions, R_NA, p_B)
        moves = h * speed_bound(arrays, i, w_AB_A, rate_of_rotation(w_AB_A, R_AB), v_AB_A)
        gap = work["clearance"] - motion_bound_inlined(arrays, lists, i, R_AB, p_AB_A)
        if moves > pair.half_wall and gap <= moves:
            state.may_have_tunnelled = 1


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
def widen_lists(system):
    """Double the skin of all near lists and rebuild them; returns how many, or -1 if they do not fit in memory."""
    for i in range(system.pair_states.shape[0]):
        system.pair_states[i].skin *= 2.0
    return refresh_lists(system, True, 0.0)[0]
