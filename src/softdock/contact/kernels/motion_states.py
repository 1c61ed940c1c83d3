"""Evaluation of a pair for motion states of its bodies: wrenches in inertial axes, with near lists kept up to date."""

import math

from softdock.contact.kernels.force import evaluate
from softdock.contact.kernels.layout import OUTPUT_SIZE, TORQUE
from softdock.contact.kernels.near_list import rebuild
from softdock.native.decorators import inline, kernel
from softdock.spatial.kernels import cross, rotate, rotate_inverse

STATE_SIZE = 18
"""Numbers of a motion state: position, velocity, angular velocity, rotation matrix R_NB by rows, all in N."""
WRENCHES_SIZE = 12
"""Force and torque on A, force and torque on B."""
RESULT_SIZE = WRENCHES_SIZE + OUTPUT_SIZE
# [m] Motion after which a near list begins anew: its accumulated motion would lose digits of the gaps.
FARTHEST_MOTION = 1e6


@kernel
def evaluate_states(arrays, lists, pair, skin, valid, states_A, states_B, results):
    """Evaluate a pair for motion states of A and B, one per row; returns the number of rows that are evaluated.

    `results` has per row force [N] and torque [N m] on A and on B, about the reference point of each in N, then the
    numbers of `evaluate` in A. `skin` [m] is the reach of near lists, `valid` (1) the motion for which the present one
    is valid [m]; -inf: it is not. Ends early at a row whose pose is not finite, and where the near list of a row does
    not fit in memory: then `block_count` of its WORK record is larger than the lists.
    """
    for i in range(states_A.shape[0]):
        if not evaluate_row(arrays, lists, pair, skin, valid, states_A[i], states_B[i], results[i]):
            return i
    return states_A.shape[0]


@kernel
def evaluate_row(arrays, lists, pair, skin, valid, a, b, result):
    """Evaluate a pair for one row of motion states; returns whether it is evaluated."""
    R_NA = rows_of(a)
    x, y, z = b[0] - a[0], b[1] - a[1], b[2] - a[2]  # p_AB_N
    wx, wy, wz = b[6] - a[6], b[7] - a[7], b[8] - a[8]
    ux, uy, uz = cross(a[6], a[7], a[8], x, y, z)
    p_AB_A = rotate_inverse(R_NA, x, y, z)
    w_AB_A = rotate_inverse(R_NA, wx, wy, wz)
    v_AB_A = rotate_inverse(R_NA, b[3] - a[3] - ux, b[4] - a[4] - uy, b[5] - a[5] - uz)
    # Columns of R_AB are the axes of B in A.
    c0 = rotate_inverse(R_NA, b[9], b[12], b[15])
    c1 = rotate_inverse(R_NA, b[10], b[13], b[16])
    c2 = rotate_inverse(R_NA, b[11], b[14], b[17])
    R_AB = ((c0[0], c1[0], c2[0]), (c0[1], c1[1], c2[1]), (c0[2], c1[2], c2[2]))
    out = result[WRENCHES_SIZE:]
    moved = evaluate(arrays, lists, pair, R_AB, p_AB_A, w_AB_A, v_AB_A, out)
    if not moved <= valid[0]:
        if not is_finite_pose(R_AB, p_AB_A):
            return False
        if not moved <= FARTHEST_MOTION:  # also if it overflows
            forget_list(arrays, lists, pair)
        rebuild(arrays, lists, pair, R_AB, p_AB_A, skin)
        valid[0] = -math.inf
        if lists.work[pair]["block_count"] > lists.blocks.shape[1]:
            return False
        valid[0] = max(min(lists.work[pair]["clearance"], FARTHEST_MOTION), skin)
        evaluate(arrays, lists, pair, R_AB, p_AB_A, w_AB_A, v_AB_A, out)
    fx, fy, fz = rotate(R_NA, out[0], out[1], out[2])
    tx, ty, tz = rotate(R_NA, out[TORQUE], out[TORQUE + 1], out[TORQUE + 2])
    mx, my, mz = cross(x, y, z, fx, fy, fz)
    result[0], result[1], result[2] = -fx, -fy, -fz
    result[3], result[4], result[5] = -tx, -ty, -tz
    result[6], result[7], result[8] = fx, fy, fz
    result[9], result[10], result[11] = tx - mx, ty - my, tz - mz
    return True


@inline
def rows_of(state):
    """Return the rotation matrix of a motion state as nine numbers."""
    return (
        state[9], state[10], state[11], state[12], state[13], state[14], state[15], state[16], state[17],
    )  # fmt: skip


@inline
def is_finite_pose(R, p):
    """Return whether all numbers of a pose are finite."""
    total = 0.0
    for k in range(3):
        total += abs(R[k][0]) + abs(R[k][1]) + abs(R[k][2]) + abs(p[k])
    return math.isfinite(total)


@kernel
def forget_list(arrays, lists, pair):
    """Mark the near list of a pair as empty, and forget how far its cells were."""
    lists.work[pair]["clearance"] = lists.work[pair]["reach"] = -math.inf
    lists.work[pair]["odometer"] = 0.0
    for k in range(
        lists.skip_until.shape[0]
    ):  # also of other pairs, which then examine all of their cells once more
        lists.skip_until[k] = -math.inf
