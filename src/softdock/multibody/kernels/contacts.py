"""Contact pairs inside the multibody core: their relative motion in, their wrenches out, their near lists kept."""

import math

import numpy as np

from softdock.contact.kernels.force import evaluate
from softdock.contact.kernels.layout import DISSIPATION, ENERGY, FORCE, OUTPUT, TORQUE
from softdock.contact.kernels.near import rebuild
from softdock.jit import inlined, kernel
from softdock.multibody.kernels.nearness import motion_since
from softdock.multibody.kernels.poses import (
    link_point,
    link_rotation,
    link_turn_rate,
    point_velocity,
    times,
    transposed,
    turn,
    turn_back,
)

STEPS = 6.0  # a near list should serve so many steps,
LEAST, MOST = 0.125, 3.5  # within these parts of the skin
MARGIN = 1.2  # of the motion expected in a step: it may grow faster than in the last one

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
        ("overreach", np.float64),  # motion beyond the near list, at the worst since last asked [m]
        ("moved", np.float64),  # motion since the near list was built, at the end of the last step [m]
        ("pace", np.float64),  # how fast that grew in the last step [m/s]
    ],
    align=True,
)


@inlined
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


@kernel
def apply_contacts(links, pairs, arrays, lists):
    """Add the wrenches of all active pairs; returns the power dissipated [W]."""
    loss = 0.0
    for i in range(pairs.shape[0]):
        pair = pairs[i]
        pair.force = 0.0
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
        awx, awy, awz = link_turn_rate(a, base_a)
        bwx, bwy, bwz = link_turn_rate(b, base_b)
        avx, avy, avz = point_velocity(a, base_a, p_B[0], p_B[1], p_B[2])
        bvx, bvy, bvz = point_velocity(b, base_b, p_B[0], p_B[1], p_B[2])
        w_AB_A = turn_back(R_NA, bwx - awx, bwy - awy, bwz - awz)
        v_AB_A = turn_back(R_NA, bvx - avx, bvy - avy, bvz - avz)
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


@inlined
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
def any_push(pairs):
    """Tell whether any contact pushes, at the last evaluation."""
    for i in range(pairs.shape[0]):
        if pairs[i].force > 0.0:
            return True
    return False


@kernel
def how_many_push(pairs):
    """Number of contacts that push, at the last evaluation."""
    count = 0
    for i in range(pairs.shape[0]):
        if pairs[i].force > 0.0:
            count += 1
    return count


@kernel
def refresh_lists(links, pairs, arrays, lists, every, h, h_next):
    """Rebuild the near lists that the next step would leave (or every one), at the present poses of the links.

    `h` is the step just made, `h_next` the one to come [s]. Returns how many lists were rebuilt (-1 where one is
    too long for its memory), and the step that all of them serve at the present pace [s].
    """
    rebuilt, longest = 0, math.inf
    for i in range(pairs.shape[0]):
        pair = pairs[i]
        if pair.active == 0:
            continue
        served = max(lists.work[i]["reach"], lists.work[i]["clearance"])
        moved = motion_since(pair, links, lists.work[i], arrays.nodes[arrays.pairs[i]["tree"]])
        if h > 0.0:
            pair.pace = abs(moved - pair.moved) / h
        if every or not moved + MARGIN * pair.pace * h_next <= served:
            reach = pair.skin
            if h_next > 0.0:
                reach = min(max(STEPS * pair.pace * h_next, LEAST * pair.skin), MOST * pair.skin)
            _, _, _, R_AB, p_AB_A = relative_pose(pair, links)
            rebuild(arrays, lists, i, R_AB, p_AB_A, reach)
            clearance = lists.work[i]["clearance"]
            if lists.work[i]["blocks"] > lists.blocks.shape[1]:
                return -1, 0.0
            moved, served = 0.0, max(reach, clearance)
            rebuilt += 1
        pair.moved = moved
        if pair.pace > 0.0:
            longest = min(longest, (served - moved) / (MARGIN * pair.pace))
    return rebuilt, longest


@kernel
def widen_lists(links, pairs, arrays, lists):
    """Let near lists serve twice the motion from now on."""
    for i in range(pairs.shape[0]):
        pairs[i].skin *= 2.0
    return refresh_lists(links, pairs, arrays, lists, True, 0.0, 0.0)[0]
