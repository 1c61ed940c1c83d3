"""Cartesian impedance: a spring and damper between commanded and actual pose of a task frame, and of the null space.

All vectors are in the base B of the arm, six-vectors angular part first. The task frame T is fixed to a link.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from softdock.native.decorators import inline, kernel
from softdock.robot.kernels.cholesky import factor, solve
from softdock.spatial.kernels import (
    inverse_left_jacobian_factor,
    matrix_product,
    rotate,
    rotate_inverse,
    rotation_vector_from_matrix,
    transpose,
    unpack_matrix,
)

TOOL_AXES = 0
BASE_AXES = 1
REGULARISATION = 1e-12
"""Share of the largest mobility added to that of each direction: what is lost next to a singular posture."""


class TaskLaw(NamedTuple):
    """Parameters of the Cartesian impedance for one command, and its work arrays."""

    active: NDArray[np.int64]
    """(1,) 1: this law; 0: the impedance of the joints."""
    axes: NDArray[np.int64]
    """(1,) axes of stiffness and damping: TOOL_AXES, those of the commanded task frame, or BASE_AXES."""
    link: NDArray[np.int64]
    """(1,) link that carries the task frame."""
    frame: NDArray[np.float64]
    """(12,) rotation and origin of the task frame in the link [m]."""
    stiffness: NDArray[np.float64]
    """(6,) [N m/rad, N/m]"""
    D: NDArray[np.float64]
    """(6, 6) damping, in the axes of the stiffness."""
    null_stiffness: NDArray[np.float64]
    """(joints,) [N m/rad or N/m]"""
    null_D: NDArray[np.float64]
    """(joints, joints)"""
    commanded: NDArray[np.float64]
    """(12,) commanded pose of the task frame in B."""
    J: NDArray[np.float64]
    """(6, joints)"""
    MJ: NDArray[np.float64]
    """(6, joints) rows: joint accelerations by a unit of force along each direction, M^-1 J^T."""
    mobility: NDArray[np.float64]
    """(6, 6) J M^-1 J^T"""
    factor: NDArray[np.float64]
    """(6, 6) Cholesky factor of the mobility."""
    wrench: NDArray[np.float64]
    """(6,) torque and force of the law at the task frame."""
    rate: NDArray[np.float64]
    """(6,) angular velocity and velocity of the task frame."""
    inner: NDArray[np.float64]
    """(joints,) torque of the null space before its projection."""
    speed: NDArray[np.float64]
    """(joints,) joint speeds that leave the task frame at rest."""


@kernel
def write_commanded_pose(motion, task):
    """Keep the pose of the task frame at the poses of the links."""
    R, p = task_pose(motion, task)
    for k in range(9):
        task.commanded[k] = R[k]
    for k in range(3):
        task.commanded[9 + k] = p[k]


@inline
def task_pose(motion, task):
    """Return rotation and origin of the task frame in B at the poses of the links."""
    link, frame = task.link[0], task.frame
    R_BL = unpack_matrix(motion.R[link])
    x, y, z = rotate(R_BL, frame[9], frame[10], frame[11])
    p = (motion.p[link, 0] + x, motion.p[link, 1] + y, motion.p[link, 2] + z)
    return matrix_product(R_BL, unpack_matrix(frame)), p


@kernel
def task_torque(model, motion, law, task, q, qdot, tau):
    """Write the torques of the Cartesian impedance, without compensation; Eqs. (A28)-(A32).

    `law.L` must be the Cholesky factor of the mass matrix at the poses of the links.
    """
    n = q.shape[0]
    R, p = task_pose(motion, task)
    write_task_jacobian(model, motion, task, p)
    for a in range(6):
        task.rate[a] = 0.0
        for i in range(n):
            task.rate[a] += task.J[a, i] * qdot[i]
    write_wrench(task, R, p)
    write_mobility(law, task, n)
    project_speeds(task, qdot)
    for i in range(n):
        task.inner[i] = task.null_stiffness[i] * (law.q_cmd[i] - q[i])
        for j in range(n):
            task.inner[i] -= task.null_D[i, j] * task.speed[j]
    project_torques(task)
    for i in range(n):
        tau[i] = task.inner[i]
        for a in range(6):
            tau[i] += task.J[a, i] * task.wrench[a]


@kernel
def write_task_jacobian(model, motion, task, p):
    """Write the motion of the task frame per joint speed; Eq. (A8)."""
    J = task.J
    for a in range(6):
        for i in range(J.shape[1]):
            J[a, i] = 0.0
    link = task.link[0]
    while link > 0:
        i, S = link - 1, motion.S[link]
        J[0, i], J[1, i], J[2, i] = S[0], S[1], S[2]
        J[3, i] = S[3] + S[1] * p[2] - S[2] * p[1]
        J[4, i] = S[4] + S[2] * p[0] - S[0] * p[2]
        J[5, i] = S[5] + S[0] * p[1] - S[1] * p[0]
        link = model.parent[link]


@kernel
def write_wrench(task, R, p):
    """Write the wrench of spring and damper on the task frame, in B; Eqs. (A28), (A29)."""
    commanded, K, w = task.commanded, task.stiffness, task.wrench
    R_BC = unpack_matrix(commanded)
    R_BA = R_BC if task.axes[0] == TOOL_AXES else (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    E = matrix_product(transpose(R_BA), matrix_product(matrix_product(R, transpose(R_BC)), R_BA))
    ex, ey, ez = rotation_vector_from_matrix(E)
    scale = inverse_left_jacobian_factor(ex, ey, ez)
    kx, ky, kz = K[0] * ex, K[1] * ey, K[2] * ez
    # Gradient of the turning energy: J_l^-T K e with J_l^-T = 1 + [e]/2 + scale [e]^2, as of a weld (M28).
    cx, cy, cz = ey * kz - ez * ky, ez * kx - ex * kz, ex * ky - ey * kx
    tx = kx + 0.5 * cx + scale * (ey * cz - ez * cy)
    ty = ky + 0.5 * cy + scale * (ez * cx - ex * cz)
    tz = kz + 0.5 * cz + scale * (ex * cy - ey * cx)
    dx, dy, dz = rotate_inverse(R_BA, p[0] - commanded[9], p[1] - commanded[10], p[2] - commanded[11])
    V, D = task.rate, task.D
    v0, v1, v2 = rotate_inverse(R_BA, V[0], V[1], V[2])
    v3, v4, v5 = rotate_inverse(R_BA, V[3], V[4], V[5])
    for a in range(6):
        w[a] = -(D[a, 0] * v0 + D[a, 1] * v1 + D[a, 2] * v2 + D[a, 3] * v3 + D[a, 4] * v4 + D[a, 5] * v5)
    w[0], w[1], w[2] = rotate(R_BA, w[0] - tx, w[1] - ty, w[2] - tz)
    w[3], w[4], w[5] = rotate(R_BA, w[3] - K[3] * dx, w[4] - K[4] * dy, w[5] - K[5] * dz)


@kernel
def write_mobility(law, task, n):
    """Write the mobility of the task frame, regular also in singular postures, and its factor; Eq. (A30)."""
    largest = 0.0
    for a in range(6):
        for k in range(6 + n):
            law.column[k] = task.J[a, k - 6] if k >= 6 else 0.0
        solve(law.L, law.column, law.first)
        for i in range(n):
            task.MJ[a, i] = law.column[6 + i]
        for b in range(a + 1):
            x = 0.0
            for i in range(n):
                x += task.J[b, i] * task.MJ[a, i]
            task.mobility[a, b] = task.mobility[b, a] = x
        largest = max(largest, task.mobility[a, a])
    for a in range(6):
        task.mobility[a, a] += REGULARISATION * largest
    factor(task.mobility, task.factor, 0)


@kernel
def project_speeds(task, qdot):
    """Write the part of joint speeds that leaves the task frame at rest; Eq. (A31)."""
    x = task.rate
    solve(task.factor, x, 0)
    for i in range(qdot.shape[0]):
        task.speed[i] = qdot[i]
        for a in range(6):
            task.speed[i] -= task.MJ[a, i] * x[a]


@kernel
def project_torques(task):
    """Remove from the torques of the null space what would accelerate the task frame; Eq. (A32)."""
    x, n = task.rate, task.inner.shape[0]
    for a in range(6):
        x[a] = 0.0
        for i in range(n):
            x[a] += task.MJ[a, i] * task.inner[i]
    solve(task.factor, x, 0)
    for i in range(n):
        for a in range(6):
            task.inner[i] -= task.J[a, i] * x[a]
