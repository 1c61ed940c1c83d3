"""Rigid connections: two frames strike each other at once and move as one from then on.

A lock is a constraint between two links, whatever trees they belong to. Its wrench follows from the compliance of the
two, which the inverse inertias of the last accelerations give; it gives the first impulse, too.
"""

import math

from softdock.dynamics.kernels.appendages import bias_acceleration, motion_in_link
from softdock.dynamics.kernels.dynamics import gather_forces, link_accelerations, push_link, solve
from softdock.dynamics.kernels.elements import LOCK
from softdock.dynamics.kernels.poses import (
    as_matrix,
    link_point,
    link_rotation,
    rotation_vector_of_matrix,
    times,
    transposed,
    turn,
)
from softdock.dynamics.kernels.spatial import dot6
from softdock.dynamics.kernels.tree import FREE
from softdock.native.decorators import inline, kernel
from softdock.native.simd import store

SETTLING = (
    2.0  # [1/s] how fast a lock takes back what integration lets slip: slow against steps, fast against drift
)
SINGULAR = (
    1e-12  # pivots below this part of their diagonal belong to directions that other joints hold already
)


@kernel
def hold_locks(links, axes, groups, tiles, elements, work, gravity):
    """Add the wrenches of active locks to the accelerations; Eqs. (M50)-(M52). Returns the power they take [W].

    Comes right after the accelerations, whose inverse inertias it needs. `work` has six rows per lock and one
    column more.
    """
    last = work.shape[1] - 1
    m = 0
    for i in range(elements.shape[0]):
        element = elements[i]
        if element.kind == LOCK and element.active == 1:
            x, y, z = link_point(links[element.b], links[links[element.b].root], element.p_bG)
            A = relative_motion(links, groups, element.a, element.b, x, y, z, 0, gravity)
            V = relative_motion(links, groups, element.a, element.b, x, y, z, 1, gravity)
            slip = slipped(links, element, x, y, z)
            for k in range(6):
                back = 2.0 * SETTLING * V[k] + SETTLING * SETTLING * slip[k]
                work[6 * m + k, last] = -A[k] - back
            element.deflection = math.sqrt(slip[3] * slip[3] + slip[4] * slip[4] + slip[5] * slip[5])
            m += 1
    if m == 0:
        return 0.0
    push_locks(links, axes, groups, tiles, elements, work, m, gravity)
    taken = 0.0
    for i in range(elements.shape[0]):
        element = elements[i]
        if element.kind == LOCK and element.active == 1:
            W, a, b = element.wrench, links[element.a], links[element.b]
            a.loaded, b.loaded = 1, 1
            V = relative_motion(links, groups, element.a, element.b, 0.0, 0.0, 0.0, 1, gravity)
            for k in range(6):
                b.W[k] += W[k]
                a.W[k] -= W[k]
                taken -= W[k] * V[k]
            element.force = math.sqrt(W[3] * W[3] + W[4] * W[4] + W[5] * W[5])
    for i in range(links.shape[0]):
        for k in range(6):
            links[i].dA[k] += links[i].dB[k]
    for i in range(axes.shape[0]):
        axes[i].udot += axes[i].du
    return taken


@kernel
def strike_locks(links, axes, groups, tiles, elements, work, gravity, appendages, modes, n_q, y):
    """Let everything that is locked move as one at once, by impulses; Eq. (M53). Returns the energy lost [J].

    Expects that the derivative was evaluated at this state.
    """
    last = work.shape[1] - 1
    m = 0
    for i in range(elements.shape[0]):
        element = elements[i]
        if element.kind == LOCK and element.active == 1:
            x, px, z = link_point(links[element.b], links[links[element.b].root], element.p_bG)
            V = relative_motion(links, groups, element.a, element.b, x, px, z, 1, gravity)
            for k in range(6):
                work[6 * m + k, last] = -V[k]
            m += 1
    if m == 0:
        return 0.0
    push_locks(links, axes, groups, tiles, elements, work, m, gravity)
    lost = 0.0
    for i in range(elements.shape[0]):
        element = elements[i]
        if element.kind == LOCK and element.active == 1:
            V = relative_motion(links, groups, element.a, element.b, 0.0, 0.0, 0.0, 1, gravity)
            for k in range(6):
                lost -= 0.5 * element.wrench[k] * V[k]
            strike_tree(links[links[element.b].root], element.wrench, 1.0, n_q, y)
            strike_tree(links[links[element.a].root], element.wrench, -1.0, n_q, y)
    for i in range(links.shape[0]):
        if links[i].parent >= 0:
            for row in range(links[i].at_u, links[i].at_u + links[i].rows):
                y[n_q + row] += axes[row].du
    for i in range(appendages.shape[0]):
        a = appendages[i]
        d = links[a.link].dB
        b0, b1, b2, b3, b4, b5 = motion_in_link(links[a.link], d[0], d[1], d[2], d[3], d[4], d[5])
        for k in range(a.count):
            c = modes[a.first + k].c
            y[n_q + a.at_u + k] -= dot6(c[0], c[1], c[2], c[3], c[4], c[5], b0, b1, b2, b3, b4, b5)
    return lost


@inline
def strike_tree(base, wrench, sign, n_q, y):
    """Add an impulse to the momentum of a free tree."""
    if base.kind == FREE:
        for k in range(6):
            y[n_q + base.at_u + k] += sign * wrench[k]


@kernel
def push_locks(links, axes, groups, tiles, elements, work, m, gravity):
    """Find the wrenches of m active locks that change relative motions by the last column of `work`; Eq. (M51).

    Leaves each in `wrench` of its lock (on b, in N about N's origin) and what all of them change in `dB` and `du`.
    """
    last = work.shape[1] - 1
    for column in range(6 * m):
        clear_response(links, groups)
        lock = find_lock(elements, column // 6)
        set_unit_wrench(links, lock, column % 6)
        push_links(links, groups, lock)
        respond(links, axes, groups, tiles)
        row = 0
        for i in range(elements.shape[0]):
            element = elements[i]
            if element.kind == LOCK and element.active == 1:
                x, y, z = link_point(links[element.b], links[links[element.b].root], element.p_bG)
                A = relative_motion(links, groups, element.a, element.b, x, y, z, 2, gravity)
                for k in range(6):
                    work[row + k, column] = A[k]
                row += 6
    solve_symmetric(work, 6 * m)
    clear_response(links, groups)
    row = 0
    for i in range(elements.shape[0]):
        element = elements[i]
        if element.kind == LOCK and element.active == 1:
            W = element.wrench
            x, y, z = link_point(links[element.b], links[links[element.b].root], element.p_bG)
            for k in range(6):
                W[k] = work[row + k, last]
            W[0], W[1], W[2] = (
                W[0] + y * W[5] - z * W[4],
                W[1] + z * W[3] - x * W[5],
                W[2] + x * W[4] - y * W[3],
            )
            push_links(links, groups, element)
            row += 6
    respond(links, axes, groups, tiles)


@inline
def find_lock(elements, number):
    """Active lock of a number among all active locks."""
    found = 0
    for i in range(elements.shape[0]):
        if elements[i].kind == LOCK and elements[i].active == 1:
            if number == 0:
                found = i
            number -= 1
    return elements[found]


@inline
def set_unit_wrench(links, element, way):
    """Write a unit torque or force at frame G, in N about N's origin, into the wrench of a lock."""
    W = element.wrench
    x, y, z = link_point(links[element.b], links[links[element.b].root], element.p_bG)
    for k in range(6):
        W[k] = 1.0 if k == way else 0.0
    W[0], W[1], W[2] = W[0] + y * W[5] - z * W[4], W[1] + z * W[3] - x * W[5], W[2] + x * W[4] - y * W[3]


@kernel
def clear_response(links, groups):
    """Forget the forces of another question."""
    for i in range(links.shape[0]):
        for k in range(6):
            links[i].f[k] = 0.0
    for g in range(groups.shape[0]):
        for k in range(6):
            store(groups[g].f, k, 0, 0.0)


@kernel
def push_links(links, groups, element):
    """Let the wrench of a lock act on b and against a."""
    push_link(links, groups, element.b, element.wrench, -1.0)
    push_link(links, groups, element.a, element.wrench, 1.0)


@kernel
def respond(links, axes, groups, tiles):
    """How links and axes accelerate by the forces in `f` alone, with the inverse inertias at hand; Eq. (M50)."""
    gather_forces(links, groups)
    solve(groups, tiles)
    link_accelerations(links, groups, 1)
    for g in range(groups.shape[0]):
        for j in range(groups[g].count):
            axes[groups[g].at_u[j]].du = groups[g].udot[0, j]


@kernel
def relative_motion(links, groups, a, b, x, y, z, what, gravity):
    """Acceleration (0), velocity (1) or response (2) of link b against link a as a motion in N about (x, y, z)."""
    p0, p1, p2, p3, p4, p5 = motion_in_world(links, groups, b, x, y, z, what, gravity)
    q0, q1, q2, q3, q4, q5 = motion_in_world(links, groups, a, x, y, z, what, gravity)
    return p0 - q0, p1 - q1, p2 - q2, p3 - q3, p4 - q4, p5 - q5


@inline
def motion_in_world(links, groups, i, x, y, z, what, gravity):
    """Motion of a link in N about the point (x, y, z)."""
    link = links[i]
    base = links[link.root]
    if what == 0:
        m0, m1, m2, m3, m4, m5 = bias_acceleration(links, groups, i, gravity)
        d = link.dA
        m0, m1, m2, m3, m4, m5 = m0 + d[0], m1 + d[1], m2 + d[2], m3 + d[3], m4 + d[4], m5 + d[5]
    else:
        d = link.V if what == 1 else link.dB
        m0, m1, m2, m3, m4, m5 = d[0], d[1], d[2], d[3], d[4], d[5]
    wx, wy, wz = turn(base.R_NB, m0, m1, m2)
    vx, vy, vz = turn(base.R_NB, m3, m4, m5)
    x, y, z = x - base.p_NB[0], y - base.p_NB[1], z - base.p_NB[2]
    return wx, wy, wz, vx + wy * z - wz * y, vy + wz * x - wx * z, vz + wx * y - wy * x


@inline
def slipped(links, element, x, y, z):
    """How far frame G has turned and moved from the pose that a lock holds, in N; G is at (x, y, z)."""
    a, b = links[element.a], links[element.b]
    R_NF = link_rotation(a, links[a.root], element.R_aF)
    R_NG = link_rotation(b, links[b.root], element.R_bG)
    E = times(times(transposed(R_NF), R_NG), transposed(as_matrix(element.R_FG)))
    ex, ey, ez, _ = rotation_vector_of_matrix(E)
    ex, ey, ez = turn(R_NF, ex, ey, ez)
    fx, fy, fz = link_point(a, links[a.root], element.p_aF)
    hold = element.p_FG
    hx, hy, hz = turn(R_NF, hold[0], hold[1], hold[2])
    return ex, ey, ez, x - fx - hx, y - fy - hy, z - fz - hz


@kernel
def solve_symmetric(work, n):
    """Replace the last column by the solution of the positive semidefinite system in the first n columns.

    Directions that cannot move, because something else holds them already, get no share.
    """
    last = work.shape[1] - 1
    for j in range(n):
        pivot, scale = work[j, j], work[j, j]
        for k in range(j):
            pivot -= work[j, k] * work[j, k] * work[k, k]
        work[j, j] = pivot if pivot > SINGULAR * scale else 0.0
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
