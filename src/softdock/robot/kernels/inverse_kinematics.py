"""Inverse kinematics of an arm by damped least squares within the limits of its joints."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from softdock.native.decorators import inline, kernel
from softdock.robot.kernels.arm import compute_poses
from softdock.spatial.kernels import (
    matrix_product,
    rotate,
    rotation_vector_from_matrix,
    transpose,
    unpack_matrix,
)

ANGLE_LENGTH = 0.3  # m; converts angles to distances; about the length from wrist to elbow
TOLERANCE = 1e-9  # m; pose error at convergence
FIRST_DAMPING, LEAST_DAMPING, LARGEST_DAMPING = 1e-3, 1e-9, 1e6
SINGULAR_DAMPING = 1e-6  # least damping in a posture where the Jacobian is singular to rounding
LARGEST_STEP = 0.5  # rad or m, of a joint


class PoseSearch(NamedTuple):
    """Arguments, results and work arrays of a search."""

    link: NDArray[np.int64]
    """(1,) link that carries the tool."""
    tool: NDArray[np.float64]
    """(12,) rotation and position of the tool frame in the link [m]."""
    wanted: NDArray[np.float64]
    """(12,) the same of its wanted pose in B."""
    attitude_weight: NDArray[np.float64]
    """(1,) 1; 0: any attitude will do."""
    max_steps: NDArray[np.int64]
    """(1,)"""
    limits: NDArray[np.float64]
    """(2, joints) lowest and highest positions."""
    q: NDArray[np.float64]
    """(joints,) where the search starts, and what it finds."""
    error: NDArray[np.float64]
    """(6,) pose error of q in B [m]: rotation vector times ANGLE_LENGTH, then translation."""
    trial: NDArray[np.float64]
    """(joints,)"""
    trial_error: NDArray[np.float64]
    """(6,)"""
    J: NDArray[np.float64]
    """(6, joints) change of the pose per joint position, angles times ANGLE_LENGTH."""
    equations: NDArray[np.float64]
    """(6, 7) matrix and right-hand side of the step."""


@kernel
def solve_pose(model, motion, search):
    """Find joint positions that bring the tool to the wanted pose, or near it; returns the steps; Eqs. (A14), (A15).

    The damping is reduced after successful steps and increased after failed ones, so that the search for an
    unreachable pose converges to a closest one. Joints that a step would move beyond their limits are excluded from it.
    """
    q, e, trial = search.q, search.error, search.trial
    for i in range(q.shape[0]):
        q[i] = min(max(q[i], search.limits[0, i]), search.limits[1, i])
    distance = write_error(model, motion, search, q, e)
    damping, steps = FIRST_DAMPING, 0
    while distance > TOLERANCE and steps < search.max_steps[0] and damping < LARGEST_DAMPING:
        steps += 1
        compute_poses(model, motion, q)
        write_jacobian(model, motion, search)
        if not solve_equations(search, damping):  # a singular posture, such as the stretched arm
            damping = max(4.0 * damping, SINGULAR_DAMPING)
            continue
        write_trial(search)
        distance_new = write_error(model, motion, search, trial, search.trial_error)
        if distance_new < distance:
            for i in range(q.shape[0]):
                q[i] = trial[i]
            for k in range(6):
                e[k] = search.trial_error[k]
            distance, damping = distance_new, max(0.2 * damping, LEAST_DAMPING)
        else:
            damping *= 4.0
    return steps


@inline
def tool_pose(motion, search):
    """Return rotation and position of the tool in B at the poses of the links."""
    link = search.link[0]
    R_BL, tool = unpack_matrix(motion.R[link]), search.tool
    x, y, z = rotate(R_BL, tool[9], tool[10], tool[11])
    p = (motion.p[link, 0] + x, motion.p[link, 1] + y, motion.p[link, 2] + z)
    return matrix_product(R_BL, unpack_matrix(tool)), p


@kernel
def write_error(model, motion, search, q, e):
    """Write the pose error at joint positions, and the poses of the links; returns its size [m]."""
    compute_poses(model, motion, q)
    R, p = tool_pose(motion, search)
    factor, wanted = ANGLE_LENGTH * search.attitude_weight[0], search.wanted
    x, y, z = rotation_vector_from_matrix(matrix_product(unpack_matrix(wanted), transpose(R)))
    e[0], e[1], e[2] = factor * x, factor * y, factor * z
    e[3], e[4], e[5] = wanted[9] - p[0], wanted[10] - p[1], wanted[11] - p[2]
    total = 0.0
    for k in range(6):
        total += e[k] * e[k]
    return math.sqrt(total)


@kernel
def write_jacobian(model, motion, search):
    """Write the change of the tool's pose per joint position; zero for joints that are blocked at a limit."""
    J, e, q, limits = search.J, search.error, search.q, search.limits
    _, p = tool_pose(motion, search)
    factor = ANGLE_LENGTH * search.attitude_weight[0]
    for k in range(6):
        for i in range(q.shape[0]):
            J[k, i] = 0.0
    link = search.link[0]
    while link > 0:
        i, S = link - 1, motion.S[link]
        J[0, i], J[1, i], J[2, i] = factor * S[0], factor * S[1], factor * S[2]
        J[3, i] = S[3] + S[1] * p[2] - S[2] * p[1]
        J[4, i] = S[4] + S[2] * p[0] - S[0] * p[2]
        J[5, i] = S[5] + S[0] * p[1] - S[1] * p[0]
        gradient = 0.0
        for k in range(6):
            gradient += J[k, i] * e[k]
        if (q[i] <= limits[0, i] and gradient < 0.0) or (q[i] >= limits[1, i] and gradient > 0.0):
            for k in range(6):
                J[k, i] = 0.0
        link = model.parent[link]


@kernel
def solve_equations(search, damping):
    """Solve (J J^T + damping^2) x = e by elimination, x in the last column; returns whether the matrix is regular."""
    A, J = search.equations, search.J
    for a in range(6):
        for b in range(6):
            x = damping * damping if a == b else 0.0
            for i in range(J.shape[1]):
                x += J[a, i] * J[b, i]
            A[a, b] = x
        A[a, 6] = search.error[a]
    for k in range(6):  # positive definite: no pivoting
        if not A[k, k] > 0.0:
            return False
        for a in range(k + 1, 6):
            factor = A[a, k] / A[k, k]
            for b in range(k, 7):
                A[a, b] -= factor * A[k, b]
    for k in range(5, -1, -1):
        x = A[k, 6]
        for b in range(k + 1, 6):
            x -= A[k, b] * A[b, 6]
        A[k, 6] = x / A[k, k]
    return True


@kernel
def write_trial(search):
    """Write the joint positions after a step, J^T x, of limited size and within the limits of the joints."""
    trial, J, size = search.trial, search.J, 1e-12
    for i in range(trial.shape[0]):
        step = 0.0
        for k in range(6):
            step += J[k, i] * search.equations[k, 6]
        trial[i] = step
        size = max(size, abs(step))
    scale = min(1.0, LARGEST_STEP / size)
    for i in range(trial.shape[0]):
        moved = search.q[i] + scale * trial[i]
        trial[i] = min(max(moved, search.limits[0, i]), search.limits[1, i])
