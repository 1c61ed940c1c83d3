"""The torques of impedance control, within the limits of torque and speed."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from softdock.dynamics.kernels.forces.derivative import derivative
from softdock.dynamics.kernels.recording.run_data import RunStatus
from softdock.dynamics.kernels.run.time_loop import advance_run
from softdock.native.decorators import inline, kernel
from softdock.native.simd import LANES
from softdock.robot.kernels.arm import compute_inertias, compute_poses, write_forces, write_mass_matrix
from softdock.robot.kernels.cholesky import factor, solve
from softdock.robot.kernels.force_sensor import read_sensor
from softdock.robot.kernels.task import task_torque, write_commanded_pose
from softdock.spatial.kernels import cross, rotate_inverse

# Compensation of the robot's own dynamics; see `softdock.robot.impedance.Compensation`.
NO_COMPENSATION = 0
GRAVITY_COMPENSATION = 1
DYNAMICS_COMPENSATION = 2

# Command within a cycle; see `softdock.robot.trajectory.Interpolation`.
HOLD_COMMAND = 0
LINEAR_COMMAND = 1
CUBIC_COMMAND = 2

MAX_SWEEPS = 8  # over joints that exceed their speed limit; they are coupled by the mass matrix


class ImpedanceLaw(NamedTuple):
    """Parameters of the impedance controller for one command, and its work arrays."""

    q_cmd: NDArray[np.float64]
    """In force in the present torque period."""
    q_begin: NDArray[np.float64]
    """Command at the start of the cycle, which interpolation begins from."""
    v_begin: NDArray[np.float64]
    """Its speed, for cubic interpolation."""
    q_end: NDArray[np.float64]
    """Command at the end of the cycle; it holds for the whole cycle without interpolation."""
    v_end: NDArray[np.float64]
    stiffness: NDArray[np.float64]
    D: NDArray[np.float64]
    tau_ff: NDArray[np.float64]
    external: NDArray[np.float64]
    """External load at the end of the last torque period, Eq. (A19)."""
    max_torque: NDArray[np.float64]
    max_speed: NDArray[np.float64]
    gravity: NDArray[np.float64]
    """In B [m/s2]."""
    compensation: int
    first: int
    """First row of the mass matrix in use: 0 for a floating base, 6 for a fixed one."""
    period: float
    """Time for which the torque is held [s]."""
    u: NDArray[np.float64]
    """(6 + joints,)"""
    zeros: NDArray[np.float64]
    """(6 + joints,) zeros"""
    M: NDArray[np.float64]
    L: NDArray[np.float64]
    h: NDArray[np.float64]
    weight: NDArray[np.float64]
    a: NDArray[np.float64]
    column: NDArray[np.float64]


TORQUE_CYCLE = np.dtype(
    [
        ("begin", np.float64),  # time at which the command begins [s]
        ("duration", np.float64),  # for which it is followed [s]
        ("periods", np.int64),  # number of torque periods in that time
        ("done", np.int64),  # number of them that are over
        ("held", np.int64),  # 1: the torques of the present period are set
        ("run_end", np.float64),  # end of the run [s]
        (
            "interpolation",
            np.int64,
        ),  # of the command over the cycle: HOLD_COMMAND, LINEAR_COMMAND or CUBIC_COMMAND
    ],
    align=True,
)


class TorquePeriods(NamedTuple):
    """What was commanded, measured and applied in the torque periods of one cycle; arrays (periods, joints)."""

    t: NDArray[np.float64]
    """(periods,) end of every torque period [s]."""
    command: NDArray[np.float64]
    """At the end of the period."""
    qdot_begin: NDArray[np.float64]
    """At the start of the period."""
    qdot: NDArray[np.float64]
    """At its end."""
    tau: NDArray[np.float64]
    """Torque of the motors, constant in the period."""
    external: NDArray[np.float64]
    """External load at the end of the period, Eq. (A19)."""
    work: NDArray[np.float64]
    """(links, 6)"""


@kernel
def follow_command(run, model, motion, law, task, cycle, at_q, at_u, q, qdot, tau, moved, periods, sensor):
    """Advance a run while an arm follows a command: compute the torques, hold them for a period, repeat.

    `cycle` (1,) of TORQUE_CYCLE is the progress; `at_q`, `at_u` (joints,) are the joints' rows of positions and speeds,
    `moved` (joints,) the links that they move; `q`, `qdot`, `tau` (joints,) get what was measured and applied last,
    `periods` what happened in every torque period. Returns a `RunStatus`; after LISTS_TOO_LONG the next call
    continues in the same period.
    """
    s, c, n_q = run.progress[0], cycle[0], run.system.world[0].n_q
    status = RunStatus.TIME_REACHED.value
    while c.done < c.periods:
        if c.held == 0:
            for i in range(q.shape[0]):
                q[i], qdot[i] = run.y[at_q[i]], run.y[n_q + at_u[i]]
                law.q_cmd[i] = command_at(law, c, i, c.done / c.periods)
            impedance_torque(model, motion, law, task, q, qdot, tau)
            for i in range(q.shape[0]):
                run.system.axes[at_u[i]].effort = tau[i]
            c.held = 1
        s.t_end = min(c.begin + (c.done + 1) * c.duration / c.periods, c.run_end)
        status = advance_run(run)
        if status == RunStatus.LISTS_TOO_LONG.value:
            return status
        log_period(run, law, c, at_u, qdot, tau, moved, periods, sensor)
        c.done, c.held = c.done + 1, 0
        if status != RunStatus.TIME_REACHED.value or s.t >= c.run_end:
            return status
    return status


@inline
def command_at(law, cycle, i, x):
    """Return the command of a joint at a fraction x of the cycle, 0 to 1; Eqs. (A24), (A25)."""
    begin, end = law.q_begin[i], law.q_end[i]
    if cycle.interpolation == LINEAR_COMMAND:
        return begin + x * (end - begin)
    if cycle.interpolation == CUBIC_COMMAND:
        rise = x * x * (3.0 - 2.0 * x)
        turns = (1.0 - x) * law.v_begin[i] - x * law.v_end[i]
        return begin + rise * (end - begin) + x * (1.0 - x) * cycle.duration * turns
    return end


@kernel
def log_period(run, law, cycle, at_u, qdot, tau, moved, periods, sensor):
    """Write the row of the torque period that has just ended; `qdot` (joints,) are the speeds at its start."""
    system, row, n_q = run.system, cycle.done, run.system.world[0].n_q
    periods.t[row] = run.progress[0].t
    derivative(system, run.progress[0].t, run.y, run.workspace.k[1])  # the wrenches at the end of the period
    joint_loads(system, moved, periods.work, periods.external[row])
    read_sensor(system, run.y, sensor, row)
    for i in range(tau.shape[0]):
        law.external[i] = periods.external[row, i]
        periods.command[row, i] = command_at(law, cycle, i, (cycle.done + 1) / cycle.periods)
        periods.qdot_begin[row, i], periods.qdot[row, i] = qdot[i], run.y[n_q + at_u[i]]
        periods.tau[row, i] = tau[i]


@kernel
def impedance_torque(model, motion, law, task, q, qdot, tau):
    """Write the joint torques for the next period; Eqs. (A12), (A18), (A28)."""
    n = q.shape[0]
    u, h, weight = law.u, law.h, law.weight
    for i in range(n):
        u[6 + i] = qdot[i]
    if task.active[0] == 1:
        compute_poses(model, motion, law.q_cmd)
        write_commanded_pose(motion, task)
    compute_poses(model, motion, q)
    compute_inertias(model, motion)
    write_mass_matrix(model, motion, law.M)
    factor(law.M, law.L, law.first)
    if law.compensation == GRAVITY_COMPENSATION:
        write_forces(model, motion, law.zeros, law.zeros, law.gravity, weight)
    write_forces(model, motion, u, law.zeros, law.gravity, h)
    if task.active[0] == 1:
        task_torque(model, motion, law, task, q, qdot, tau)
    else:
        joint_torque(law, q, qdot, tau)
    for i in range(n):
        t = tau[i] + law.tau_ff[i]
        if law.compensation == GRAVITY_COMPENSATION:
            t += weight[6 + i]
        elif law.compensation == DYNAMICS_COMPENSATION:
            t += h[6 + i]
        tau[i] = clamp(t, law.max_torque[i])
    limit_speed(law, qdot, tau)


@kernel
def joint_torque(law, q, qdot, tau):
    """Write the torques of the impedance of the joints."""
    n = q.shape[0]
    for i in range(n):
        tau[i] = law.stiffness[i] * (law.q_cmd[i] - q[i])
        for j in range(n):
            tau[i] -= law.D[i, j] * qdot[j]


@inline
def clamp(x, bound):
    """Clamp a value to plus or minus a bound."""
    return max(-bound, min(bound, x))


@kernel
def limit_speed(law, qdot, tau):
    """Reduce torques of joints that would exceed their speed limit at the end of the period; Eq. (A12).

    `law.L` must be the Cholesky factor of the mass matrix.
    """
    n, first, period, a = tau.shape[0], law.first, law.period, law.a
    for i in range(6 + n):
        a[i] = -law.h[i]
        if i >= 6:
            a[i] += tau[i - 6] - law.external[i - 6]
    solve(law.L, a, first)
    for _ in range(MAX_SWEEPS):
        converged = True
        for i in range(n):
            excess = qdot[i] + period * a[6 + i]
            excess -= clamp(excess, law.max_speed[i])
            if excess == 0.0:
                continue
            for k in range(6 + n):
                law.column[k] = 1.0 if k == 6 + i else 0.0
            solve(law.L, law.column, first)
            before = tau[i]
            tau[i] = clamp(before - excess / (period * law.column[6 + i]), law.max_torque[i])
            if tau[i] != before:
                converged = converged and abs(excess) < 1e-9 * law.max_speed[i]
                for k in range(first, 6 + n):
                    a[k] += law.column[k] * (tau[i] - before)
        if converged:
            break


@kernel
def joint_loads(system, moved, work, out):
    """Write the external load on every joint, from the wrenches on the links; Eq. (A19).

    `moved` (joints,) is the link that a joint moves, `work` (links, 6) a work array.
    """
    links, motions = system.links, system.motions
    n = links.shape[0]
    for i in range(n):
        W, base = motions[i].W, motions[links[i].root]
        R, p = base.R_NB, base.p_NB
        tx, ty, tz = cross(p[0], p[1], p[2], W[3], W[4], W[5])
        work[i, 0], work[i, 1], work[i, 2] = rotate_inverse(R, W[0] - tx, W[1] - ty, W[2] - tz)
        work[i, 3], work[i, 4], work[i, 5] = rotate_inverse(R, W[3], W[4], W[5])
    for i in range(n - 1, 0, -1):
        if links[i].parent >= 0:
            for k in range(6):
                work[links[i].parent, k] += work[i, k]
    for j in range(out.shape[0]):
        column = links[moved[j]].column
        S, lane, load = system.group_motions[column // LANES].S, column % LANES, 0.0
        for k in range(6):
            load -= S[k, lane] * work[moved[j], k]
        out[j] = load
