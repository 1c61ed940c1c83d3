"""The torque of joint impedance control, within the limits of torque and speed."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from softdock.native.decorators import inline, kernel
from softdock.native.simd import LANES
from softdock.robot.kernels.arm import carry_inertia, place_arm, write_forces, write_mass_matrix
from softdock.spatial.kernels import cross, rotate_inverse

# What the robot makes up for.
NOTHING = 0
GRAVITY = 1
DYNAMICS = 2

SWEEPS = 8  # over the joints that are too fast; each acts on the others through the mass matrix


class Law(NamedTuple):
    """What a controller holds for one command, and the memory it works in."""

    q_cmd: NDArray[np.float64]
    stiffness: NDArray[np.float64]
    D: NDArray[np.float64]
    tau_ff: NDArray[np.float64]
    max_torque: NDArray[np.float64]
    max_speed: NDArray[np.float64]
    gravity: NDArray[np.float64]
    """In B [m/s2]."""
    compensation: int
    first: int
    """0: the base floats and gives way; 6: it is held."""
    period: float
    """For which the torque is held [s]."""
    u: NDArray[np.float64]
    """(6 + joints,)"""
    still: NDArray[np.float64]
    """(6 + joints,) zeros"""
    M: NDArray[np.float64]
    L: NDArray[np.float64]
    h: NDArray[np.float64]
    weight: NDArray[np.float64]
    a: NDArray[np.float64]
    column: NDArray[np.float64]


@kernel
def impedance_torque(model, motion, law, q, qdot, tau):
    """Write the torque to be held from now on; Eqs. (A12), (A18)."""
    n = q.shape[0]
    u, h, weight = law.u, law.h, law.weight
    for i in range(n):
        u[6 + i] = qdot[i]
    place_arm(model, motion, q)
    carry_inertia(model, motion)
    write_mass_matrix(model, motion, law.M)
    if law.compensation == GRAVITY:
        write_forces(model, motion, law.still, law.still, law.gravity, weight)
    write_forces(model, motion, u, law.still, law.gravity, h)
    for i in range(n):
        t = law.stiffness[i] * (law.q_cmd[i] - q[i]) + law.tau_ff[i]
        for j in range(n):
            t -= law.D[i, j] * qdot[j]
        if law.compensation == GRAVITY:
            t += weight[6 + i]
        elif law.compensation == DYNAMICS:
            t += h[6 + i]
        tau[i] = within(t, law.max_torque[i])
    limit_speed(law, qdot, tau)


@inline
def within(x, bound):
    """Cut a value to plus or minus a bound."""
    return max(-bound, min(bound, x))


@kernel
def limit_speed(law, qdot, tau):
    """Change torques where a joint would be too fast at the end of the period; Eq. (A12)."""
    n, first, period, a = tau.shape[0], law.first, law.period, law.a
    factor(law.M, law.L, first)
    for i in range(6 + n):
        a[i] = -law.h[i]
        if i >= 6:
            a[i] += tau[i - 6]
    solve(law.L, a, first)
    for _ in range(SWEEPS):
        settled = True
        for i in range(n):
            excess = qdot[i] + period * a[6 + i]
            excess -= within(excess, law.max_speed[i])
            if excess == 0.0:
                continue
            for k in range(6 + n):
                law.column[k] = 1.0 if k == 6 + i else 0.0
            solve(law.L, law.column, first)
            before = tau[i]
            tau[i] = within(before - excess / (period * law.column[6 + i]), law.max_torque[i])
            if tau[i] != before:
                settled = settled and abs(excess) < 1e-9 * law.max_speed[i]
                for k in range(first, 6 + n):
                    a[k] += law.column[k] * (tau[i] - before)
        if settled:
            break


@kernel
def joint_loads(links, groups, moved, work, out):
    """Write what the surroundings load every joint with, from the wrenches of the last evaluation; Eq. (A19).

    `moved` (joints,) the link that a joint moves, `work` (links, 6).
    """
    n = links.shape[0]
    for i in range(n):
        W, base = links[i].W, links[links[i].root]
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
        S, lane, load = groups[column // LANES].S, column % LANES, 0.0
        for k in range(6):
            load -= S[k, lane] * work[moved[j], k]
        out[j] = load


@kernel
def factor(M, L, first):
    """Cholesky factor of the part of a symmetric matrix from `first` on."""
    for i in range(first, M.shape[0]):
        for j in range(first, i + 1):
            x = M[i, j]
            for k in range(first, j):
                x -= L[i, k] * L[j, k]
            L[i, j] = math.sqrt(x) if i == j else x / L[j, j]


@kernel
def solve(L, x, first):
    """Replace x by the solution of L L^T y = x, from `first` on."""
    n = x.shape[0]
    for i in range(first, n):
        for k in range(first, i):
            x[i] -= L[i, k] * x[k]
        x[i] /= L[i, i]
    for i in range(n - 1, first - 1, -1):
        for k in range(i + 1, n):
            x[i] -= L[k, i] * x[k]
        x[i] /= L[i, i]
