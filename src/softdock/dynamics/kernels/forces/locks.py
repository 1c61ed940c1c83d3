"""Locks: rigid connections of two frames, made by an impulse and maintained by a constraint wrench.

The two links may belong to different trees. Impulse and wrench follow from the compliance of the links, computed with
the inverse inertias of the last accelerations.
"""

import math

from softdock.elements.kinds import kind_number
from softdock.native.decorators import inline, kernel
from softdock.native.simd import store
from softdock.spatial.kernels import (
    matrix_product,
    rotate,
    rotation_vector_from_matrix,
    transpose,
    unpack_matrix,
)
from softdock.tree.kernels.appendages import bias_acceleration, motion_in_link
from softdock.tree.kernels.dynamics import gather_forces, link_accelerations, push_link, solve
from softdock.tree.kernels.fused_algebra import dot6
from softdock.tree.kernels.poses import link_point, link_rotation
from softdock.tree.kernels.tree import FREE

LOCK = kind_number("lock")
# Motions of links that the equations of locks need.
ACCELERATION, VELOCITY, RESPONSE = 0, 1, 2
# Rate at which the drift of a constraint is corrected (Baumgarte) [1/s]: slow against steps, fast against the drift.
DRIFT_CORRECTION_RATE = 2.0
# Pivots below this part of their diagonal belong to directions that other joints constrain already.
SINGULAR_PIVOT = 1e-12


@inline
def is_held(system, i):
    """Return whether element i is a lock that is switched on."""
    return system.elements[i].kind == LOCK and system.element_data[i].active == 1


@kernel
def apply_lock_forces(system):
    """Add the wrenches of active locks to the accelerations; Eqs. (M50)-(M52). Returns the power they dissipate [W].

    Expects the inverse inertias of `accelerations`. `system.locks` has six rows per lock and one column more than rows.
    """
    links, motions, axes, work = system.links, system.motions, system.axes, system.locks
    rate = DRIFT_CORRECTION_RATE
    last, m = work.shape[1] - 1, 0
    for i in range(system.elements.shape[0]):
        if is_held(system, i):
            element = system.elements[i]
            x, y, z = link_point(motions[element.b], motions[links[element.b].root], element.p_bG)
            A = relative_motion(system, element, x, y, z, ACCELERATION)
            V = relative_motion(system, element, x, y, z, VELOCITY)
            drift = constraint_drift(system, element, system.states.lock[element.row], x, y, z)
            for k in range(6):
                correction = 2.0 * rate * V[k] + rate * rate * drift[k]
                work[6 * m + k, last] = -A[k] - correction
            system.element_data[i].deflection = math.sqrt(
                drift[3] * drift[3] + drift[4] * drift[4] + drift[5] * drift[5]
            )
            m += 1
    if m == 0:
        return 0.0
    solve_lock_wrenches(system, m)
    dissipated = 0.0
    for i in range(system.elements.shape[0]):
        if is_held(system, i):
            element, data = system.elements[i], system.element_data[i]
            W, a, b = system.states.lock[element.row].wrench, motions[element.a], motions[element.b]
            a.loaded, b.loaded = 1, 1
            V = relative_motion(system, element, 0.0, 0.0, 0.0, VELOCITY)
            for k in range(6):
                b.W[k] += W[k]
                a.W[k] -= W[k]
                data.total[k] = W[k]
                dissipated -= W[k] * V[k]
            data.force = math.sqrt(W[3] * W[3] + W[4] * W[4] + W[5] * W[5])
    for i in range(motions.shape[0]):
        for k in range(6):
            motions[i].acceleration_change[k] += motions[i].lock_response[k]
    for i in range(axes.shape[0]):
        axes[i].udot += axes[i].lock_response
        axes[i].holding -= axes[i].held_force
    return dissipated


@kernel
def apply_lock_impulses(system, y):
    """Apply impulses after which locked links move as one; Eq. (M53). Returns the energy lost [J].

    Expects that the derivative was evaluated at this state.
    """
    links, motions, work, n_q = system.links, system.motions, system.locks, system.world[0].n_q
    last, m = work.shape[1] - 1, 0
    for i in range(system.elements.shape[0]):
        if is_held(system, i):
            element = system.elements[i]
            x, py, z = link_point(motions[element.b], motions[links[element.b].root], element.p_bG)
            V = relative_motion(system, element, x, py, z, VELOCITY)
            for k in range(6):
                work[6 * m + k, last] = -V[k]
            m += 1
    if m == 0:
        return 0.0
    solve_lock_wrenches(system, m)
    lost = 0.0
    for i in range(system.elements.shape[0]):
        if is_held(system, i):
            element = system.elements[i]
            V = relative_motion(system, element, 0.0, 0.0, 0.0, VELOCITY)
            W = system.states.lock[element.row].wrench
            for k in range(6):
                lost -= 0.5 * W[k] * V[k]
            add_impulse(links[links[element.b].root], W, 1.0, n_q, y)
            add_impulse(links[links[element.a].root], W, -1.0, n_q, y)
    for i in range(links.shape[0]):
        if links[i].parent >= 0:
            for row in range(links[i].at_u, links[i].at_u + links[i].rows):
                y[n_q + row] += system.axes[row].lock_response
    for i in range(system.appendages.shape[0]):
        a = system.appendages[i]
        d = motions[a.link].lock_response
        b0, b1, b2, b3, b4, b5 = motion_in_link(motions[a.link], d[0], d[1], d[2], d[3], d[4], d[5])
        for k in range(a.count):
            c = system.modes[a.first + k].c
            y[n_q + a.at_u + k] -= dot6(c[0], c[1], c[2], c[3], c[4], c[5], b0, b1, b2, b3, b4, b5)
    return lost


@inline
def add_impulse(base, wrench, sign, n_q, y):
    """Add an impulse to the momentum of a free tree."""
    if base.kind == FREE:
        for k in range(6):
            y[n_q + base.at_u + k] += sign * wrench[k]


@kernel
def solve_lock_wrenches(system, m):
    """Solve for the wrenches of m active locks that change relative motions by the last column of `locks`; Eq. (M51).

    Writes each to `wrench` of its lock (on b, in N about N's origin), and the response to all of them.
    """
    links, motions, work = system.links, system.motions, system.locks
    last = work.shape[1] - 1
    for column in range(6 * m):
        clear_response(motions, system.group_motions)
        lock = find_lock(system, column // 6)
        set_unit_wrench(system, lock, column % 6)
        apply_lock_wrench(system, lock)
        compute_response(system)
        row = 0
        for i in range(system.elements.shape[0]):
            if is_held(system, i):
                element = system.elements[i]
                x, y, z = link_point(motions[element.b], motions[links[element.b].root], element.p_bG)
                A = relative_motion(system, element, x, y, z, RESPONSE)
                for k in range(6):
                    work[row + k, column] = A[k]
                row += 6
    solve_symmetric(work, 6 * m)
    clear_response(motions, system.group_motions)
    row = 0
    for i in range(system.elements.shape[0]):
        if is_held(system, i):
            element = system.elements[i]
            W = system.states.lock[element.row].wrench
            x, y, z = link_point(motions[element.b], motions[links[element.b].root], element.p_bG)
            for k in range(6):
                W[k] = work[row + k, last]
            W[0], W[1], W[2] = (
                W[0] + y * W[5] - z * W[4],
                W[1] + z * W[3] - x * W[5],
                W[2] + x * W[4] - y * W[3],
            )
            apply_lock_wrench(system, element)
            row += 6
    compute_response(system)


@inline
def find_lock(system, number):
    """Return the active lock with the given number among all active locks."""
    index = 0
    for i in range(system.elements.shape[0]):
        if is_held(system, i):
            if number == 0:
                index = i
            number -= 1
    return system.elements[index]


@inline
def set_unit_wrench(system, element, component):
    """Write a unit torque or force at frame G, in N about N's origin, into the wrench of a lock."""
    links, motions, W = system.links, system.motions, system.states.lock[element.row].wrench
    x, y, z = link_point(motions[element.b], motions[links[element.b].root], element.p_bG)
    for k in range(6):
        W[k] = 1.0 if k == component else 0.0
    W[0], W[1], W[2] = W[0] + y * W[5] - z * W[4], W[1] + z * W[3] - x * W[5], W[2] + x * W[4] - y * W[3]


@kernel
def clear_response(motions, group_motions):
    """Set the forces of the previous response to zero."""
    for i in range(motions.shape[0]):
        for k in range(6):
            motions[i].f[k] = 0.0
    for g in range(group_motions.shape[0]):
        for k in range(6):
            store(group_motions[g].f, k, 0, 0.0)


@kernel
def apply_lock_wrench(system, element):
    """Add the wrench of a lock to b and subtract it from a."""
    W = system.states.lock[element.row].wrench
    push_link(system, element.b, W, -1.0)
    push_link(system, element.a, W, 1.0)


@kernel
def compute_response(system):
    """Compute the accelerations of links and axes due to the forces in `f` alone; Eq. (M50)."""
    axes, groups, group_motions = system.axes, system.groups, system.group_motions
    gather_forces(system)
    solve(system)
    link_accelerations(system, 1)
    for g in range(groups.shape[0]):
        group, udot = groups[g], group_motions[g].udot
        for j in range(group.count):
            axes[group.at_u[j]].lock_response = udot[0, j]


@kernel
def relative_motion(system, element, x, y, z, what):
    """Return acceleration, velocity or response of link b of an element against a, as a motion in N about (x, y, z)."""
    p0, p1, p2, p3, p4, p5 = motion_in_world(system, element.b, x, y, z, what)
    q0, q1, q2, q3, q4, q5 = motion_in_world(system, element.a, x, y, z, what)
    return p0 - q0, p1 - q1, p2 - q2, p3 - q3, p4 - q4, p5 - q5


@inline
def motion_in_world(system, i, x, y, z, what):
    """Return acceleration, velocity or response of a link, as a motion in N about (x, y, z)."""
    motion, base = system.motions[i], system.motions[system.links[i].root]
    if what == ACCELERATION:
        m0, m1, m2, m3, m4, m5 = bias_acceleration(system, i)
        d = motion.acceleration_change
        m0, m1, m2, m3, m4, m5 = m0 + d[0], m1 + d[1], m2 + d[2], m3 + d[3], m4 + d[4], m5 + d[5]
    else:
        d = motion.V if what == VELOCITY else motion.lock_response
        m0, m1, m2, m3, m4, m5 = d[0], d[1], d[2], d[3], d[4], d[5]
    wx, wy, wz = rotate(base.R_NB, m0, m1, m2)
    vx, vy, vz = rotate(base.R_NB, m3, m4, m5)
    x, y, z = x - base.p_NB[0], y - base.p_NB[1], z - base.p_NB[2]
    return wx, wy, wz, vx + wy * z - wz * y, vy + wz * x - wx * z, vz + wx * y - wy * x


@inline
def constraint_drift(system, element, held, x, y, z):
    """Return rotation [rad] and displacement [m] of frame G from the locked pose, in N; G is at (x, y, z)."""
    links, motions = system.links, system.motions
    a, b = motions[element.a], motions[element.b]
    base_a, base_b = motions[links[element.a].root], motions[links[element.b].root]
    R_NF = link_rotation(a, base_a, element.R_aF)
    R_NG = link_rotation(b, base_b, element.R_bG)
    E = matrix_product(matrix_product(transpose(R_NF), R_NG), transpose(unpack_matrix(held.R_FG)))
    ex, ey, ez = rotation_vector_from_matrix(E)
    ex, ey, ez = rotate(R_NF, ex, ey, ez)
    fx, fy, fz = link_point(a, base_a, element.p_aF)
    hold = held.p_FG
    hx, hy, hz = rotate(R_NF, hold[0], hold[1], hold[2])
    return ex, ey, ez, x - fx - hx, y - fy - hy, z - fz - hz


@kernel
def solve_symmetric(work, n):
    """Replace the last column by the solution of the positive semidefinite system in the first n columns.

    Directions that cannot move, because other joints constrain them already, get zero.
    """
    last = work.shape[1] - 1
    for j in range(n):
        pivot, scale = work[j, j], work[j, j]
        for k in range(j):
            pivot -= work[j, k] * work[j, k] * work[k, k]
        work[j, j] = pivot if pivot > SINGULAR_PIVOT * scale else 0.0
        for i in range(j + 1, n):
            entry = work[i, j]
            for k in range(j):
                entry -= work[i, k] * work[j, k] * work[k, k]
            work[i, j] = entry / work[j, j] if work[j, j] > 0.0 else 0.0
    for j in range(n):
        for k in range(j):
            work[j, last] -= work[j, k] * work[k, last]
    for j in range(n):
        work[j, last] = work[j, last] / work[j, j] if work[j, j] > 0.0 else 0.0
    for j in range(n - 1, -1, -1):
        for k in range(j + 1, n):
            work[j, last] -= work[k, j] * work[k, last]
