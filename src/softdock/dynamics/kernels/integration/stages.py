"""Solution of the stages of an implicit step: linear equations in momenta and speeds, then all other states."""

import math

from softdock.contact.kernels.bristle import BRISTLE_STATES, add_bristle_stiffness
from softdock.elements.kernels.tangents import (
    SLOWDOWN_DAMPING,
    SLOWDOWN_FORCE_RATE,
    SLOWDOWN_RATIO,
    SLOWDOWN_SPEED,
    SLOWDOWN_STIFFNESS,
)
from softdock.native.decorators import inline, kernel
from softdock.native.simd import LANES, fma, horizontal_sum, load, one_hot, store
from softdock.spatial.kernels import angular_velocity, matrix_from_quaternion, rotate, rotate_inverse
from softdock.tree.kernels.tree import FREE

# Rows of Linear.work: motion of bases and joints by the rates of positions, right side, solution in momenta and speeds.
MOTION, RIGHT_SIDE, SOLUTION = 0, 1, 2


@kernel
def factorise(linear, span):
    """Assemble the equations of an implicit stage with gamma h = `span` [s], transposed, and invert them; Eq. (M47)."""
    M, n, width, products = linear.inverse, linear.inverse.shape[0], linear.inverse.shape[1], linear.products
    per = 1.0 / span
    for i in range(n):
        for j in range(0, width, LANES):
            x = fma(span, load(linear.stiffness, i, j), load(linear.damping, i, j))
            store(M, i, j, fma(per, load(linear.inertia, i, j), x))
    for i in range(n):
        drive = linear.slowdowns[i]
        if drive[SLOWDOWN_SPEED] > 0.0:
            M[i, i] -= slowdown_share(drive, span) * (
                drive[SLOWDOWN_DAMPING] + span * drive[SLOWDOWN_STIFFNESS]
            )
    for c in range(linear.connections.shape[0]):
        if linear.connections[c, 0] == 1:
            if linear.bristle_states[c] >= 0:
                add_bristle(linear, c, span)
            momentum_maps, K, D = linear.momentum_maps[c], linear.K[c], linear.D[c]
            for k in range(6):
                for j in range(0, width, LANES):
                    x = load(momentum_maps, 0, j) * (D[0, k] + span * K[0, k])
                    for i in range(1, 6):
                        x = fma(D[i, k] + span * K[i, k], load(momentum_maps, i, j), x)
                    store(products, k, j, x)
            for i in range(n):
                for j in range(0, width, LANES):
                    x = load(M, i, j)
                    for k in range(6):
                        x = fma(momentum_maps[k, i], load(products, k, j), x)
                    store(M, i, j, x)
    for i in range(n):
        if linear.held[i] == 1:  # Eq. (M132)
            for j in range(n):
                M[i, j], M[j, i] = 0.0, 0.0
            M[i, i] = 1.0
    for k in range(n):
        block, here = k // LANES * LANES, one_hot(k % LANES)
        others, pivot = 1.0 - here, 1.0 / M[k, k]
        for j in range(0, width, LANES):
            x = load(M, k, j)
            store(M, k, j, pivot * (fma(x, others, here) if j == block else x))
        for i in range(n):
            factor = M[i, k]
            if i != k and factor != 0.0:
                for j in range(0, width, LANES):
                    x = load(M, i, j)
                    store(M, i, j, fma(-factor, load(M, k, j), x * others if j == block else x))


@inline
def add_bristle(linear, c, span):
    """Add the stiffness of a bristle, which decays during the stage, to that of its connection; Eq. (C68)."""
    left = 1.0 / math.sqrt(1.0 + span * linear.bristle_decays[c])
    linear.bristle_decays[c] = left
    for j in range(BRISTLE_STATES):
        for k in range(6):
            linear.bristles[c, j, k] *= left
    add_bristle_stiffness(linear.bristles[c], linear.K[c])


@inline
def slowdown_share(drive, span):
    """Return the share of the force of a drive that its slower command removes in a stage: 1 - phi of Eq. (M113)."""
    lost = drive[SLOWDOWN_SPEED] * (drive[SLOWDOWN_DAMPING] + span * drive[SLOWDOWN_STIFFNESS])
    return lost / (1.0 + lost)


@inline
def clear_held_axes(linear):
    """Set the right sides of axes that friction holds to zero; Eq. (M132)."""
    for i in range(linear.held.shape[0]):
        if linear.held[i] == 1:
            linear.work[RIGHT_SIDE, i] = 0.0


@kernel
def solve_stage(system, linear, span, advance, y, r, out):
    """Solve a stage: out / span - (Jacobian) out = r + advance (rate by time), for the whole state; Eqs. (M47), (M48).

    `span` is gamma h [s], `advance` the weight of the derivative with respect to time in this stage [s]: commands of
    drives change with it.
    """
    w = system.world[0]
    links, n_q, n, work = system.links, w.n_q, w.n_u, linear.work
    r_v, k_v = r[n_q : n_q + n], out[n_q : n_q + n]
    write_motion(links, y, r, work[MOTION])
    for j in range(0, work.shape[1], LANES):
        x, pull = load(linear.inertia, 0, j) * r_v[0], load(linear.stiffness, 0, j) * work[MOTION, 0]
        for i in range(1, n):
            x = fma(r_v[i], load(linear.inertia, i, j), x)
            pull = fma(work[MOTION, i], load(linear.stiffness, i, j), pull)
        store(work, RIGHT_SIDE, j, fma(-span, pull, x))
    for i in range(n):
        if linear.force_rate[i] != 0.0:
            late = span * r[linear.delays[i]] if linear.delays[i] >= 0 else 0.0
            work[RIGHT_SIDE, i] += linear.force_rate[i] * (advance - late)
        drive = linear.slowdowns[i]
        if drive[SLOWDOWN_SPEED] > 0.0:
            work[RIGHT_SIDE, i] += slowdown_share(drive, span) * (
                span * drive[SLOWDOWN_STIFFNESS] * work[MOTION, i]
                - drive[SLOWDOWN_FORCE_RATE] * (advance - span * r[linear.delays[i]])
            )
    for c in range(linear.connections.shape[0]):
        if linear.connections[c, 0] == 1:
            write_displacement(linear, c, span)
            write_bristle_offset(system, linear, c, span, r)
            write_wrench(linear, c, span, False)
            for j in range(0, work.shape[1], LANES):
                x = load(work, RIGHT_SIDE, j)
                for k in range(6):
                    x = fma(-linear.wrench[0, k], load(linear.momentum_maps[c], k, j), x)
                store(work, RIGHT_SIDE, j, x)
    clear_held_axes(linear)
    for j in range(0, work.shape[1], LANES):
        x = load(linear.inverse, 0, j) * work[RIGHT_SIDE, 0]
        for i in range(1, n):
            x = fma(work[RIGHT_SIDE, i], load(linear.inverse, i, j), x)
        store(work, SOLUTION, j, x)
    for i in range(n):
        k_v[i] = work[SOLUTION, i]
    write_momentum_changes(links, linear, span, r_v, k_v)
    write_position_changes(links, linear, span, y, r, k_v, out)
    write_own_changes(system, linear, span, r, out)
    for i in range(n):
        drive = linear.slowdowns[i]
        if drive[SLOWDOWN_SPEED] > 0.0:
            change = (
                drive[SLOWDOWN_FORCE_RATE] * (advance - span * r[linear.delays[i]])
                - drive[SLOWDOWN_STIFFNESS] * span * (work[MOTION, i] + k_v[i])
                - drive[SLOWDOWN_DAMPING] * k_v[i]
            )
            out[linear.delays[i]] += (
                span * drive[SLOWDOWN_RATIO] * (1.0 - slowdown_share(drive, span)) * change
            )
    for i in range(n_q + n, r.shape[0]):
        out[i] = span * r[i]


@kernel
def product(A, row, B, other):
    """Return the scalar product of a row of A and a row of B."""
    x = load(A, row, 0) * load(B, other, 0)
    for j in range(LANES, A.shape[1], LANES):
        x = fma(load(A, row, j), load(B, other, j), x)
    return horizontal_sum(x)


@kernel
def write_displacement(linear, c, span):
    """Write the displacement of a connection by the motion in `work` during a span of time."""
    for k in range(6):
        linear.displacements[c, k] = span * product(linear.jacobians[c], k, linear.work, MOTION)


@inline
def write_own_changes(system, linear, span, r, out):
    """Write the changes of the own entries of elements and of bristles."""
    w = system.world[0]
    for i in range(w.n_q - w.element_states, w.n_q):
        out[i] = span * r[i]
    for c in range(linear.connections.shape[0]):
        if linear.connections[c, 0] == 1 and linear.bristle_states[c] >= 0:
            add_bristle_changes(system, linear, c, span, out)


@inline
def bristle_scale(system, c):
    """Return the factor from the stretch of the bristle of a contact to its entries in the state."""
    return 1.0 / math.sqrt(system.arrays.pairs[c]["bristle_stiffness"])


@inline
def write_bristle_offset(system, linear, c, span, r):
    """Write what the rates r of a bristle stretch it beyond the displacement of its connection; Eq. (C68)."""
    at = linear.bristle_states[c]
    for j in range(BRISTLE_STATES):
        linear.bristle_offsets[c, j] = 0.0
        if at >= 0:
            x = linear.bristle_decays[c] * span * r[at + j] / bristle_scale(system, c)
            for k in range(6):
                x -= linear.bristles[c, j, k] * linear.displacements[c, k]
            linear.bristle_offsets[c, j] = x


@inline
def add_bristle_changes(system, linear, c, span, out):
    """Add the change of a bristle that goes with a change of momenta and speeds."""
    at, left = linear.bristle_states[c], linear.bristle_decays[c]
    scale = left * span * bristle_scale(system, c)
    for j in range(BRISTLE_STATES):
        out[at + j] *= left * left
    for k in range(6):
        x = scale * product(linear.momentum_maps[c], k, linear.work, SOLUTION)
        for j in range(BRISTLE_STATES):
            out[at + j] += linear.bristles[c, j, k] * x


@kernel
def write_wrench(linear, c, span, moving):
    """Write the wrench of a connection by its displacement and, if `moving`, by the solution in momenta and speeds."""
    d, wrench, K, D = linear.wrench[1], linear.wrench[0], linear.K[c], linear.D[c]
    for k in range(6):
        d[k], wrench[k] = linear.displacements[c, k], 0.0
    if moving:
        for j in range(6):
            x = product(linear.momentum_maps[c], j, linear.work, SOLUTION)
            d[j] += span * x
            for k in range(6):
                wrench[k] += D[k, j] * x
    for k in range(6):
        for j in range(6):
            wrench[k] += K[k, j] * d[j]
    if linear.bristle_states[c] >= 0:
        for k in range(6):
            for j in range(BRISTLE_STATES):
                wrench[k] += linear.bristles[c, j, k] * linear.bristle_offsets[c, j]


@inline
def write_momentum_changes(links, linear, span, r_v, k_v):
    """Write the changes of momenta of free trees; impulses of connections are opposite to the last bit; Eq. (M48)."""
    work = linear.work[RIGHT_SIDE]  # no longer needed
    for i in range(r_v.shape[0]):
        work[i] = r_v[i]
    for c in range(linear.connections.shape[0]):
        if linear.connections[c, 0] == 1:
            root_a, root_b = links[linear.connections[c, 1]].root, links[linear.connections[c, 2]].root
            if root_a != root_b:
                write_wrench(linear, c, span, True)
                W, R = linear.wrench[0], linear.frames[c]
                tx, ty, tz = rotate(R, W[0], W[1], W[2])
                fx, fy, fz = rotate(R, W[3], W[4], W[5])
                x, y, z = R[9], R[10], R[11]
                wrench = (tx + y * fz - z * fy, ty + z * fx - x * fz, tz + x * fy - y * fx, fx, fy, fz)
                for k in range(6):
                    if links[root_b].kind == FREE:
                        work[links[root_b].at_u + k] -= wrench[k]
                    if links[root_a].kind == FREE:
                        work[links[root_a].at_u + k] += wrench[k]
    for i in range(links.shape[0]):
        if links[i].kind == FREE:
            for k in range(links[i].at_u, links[i].at_u + 6):
                k_v[k] = span * work[k]


@inline
def write_motion(links, q, r, motion):
    """Write the motion of free bases (in N about its origin) and joints for the rates r of the positions q."""
    for i in range(links.shape[0]):
        link = links[i]
        at, to = link.at_q, link.at_u
        if link.kind == FREE:
            wx, wy, wz = angular_velocity_at(q, r, at + 3)
            wx, wy, wz = rotate(
                matrix_from_quaternion(q[at + 3], q[at + 4], q[at + 5], q[at + 6]), wx, wy, wz
            )
            x, y, z = q[at], q[at + 1], q[at + 2]
            motion[to], motion[to + 1], motion[to + 2] = wx, wy, wz
            motion[to + 3] = r[at] + y * wz - z * wy
            motion[to + 4] = r[at + 1] + z * wx - x * wz
            motion[to + 5] = r[at + 2] + x * wy - y * wx
        elif link.rows == 3:
            motion[to], motion[to + 1], motion[to + 2] = angular_velocity_at(q, r, at)
        elif link.rows == 1:
            motion[to] = r[at]


@kernel
def angular_velocity_at(q, r, at):
    """Return the angular velocity [rad/s] of the quaternion at `at` with the rate r [1/s], in the rotated axes."""
    return angular_velocity(q[at], q[at + 1], q[at + 2], q[at + 3], r[at], r[at + 1], r[at + 2], r[at + 3])


@inline
def write_position_changes(links, linear, span, q, r, k_v, out):
    """Write the change of positions that goes with a change of momenta and speeds."""
    for i in range(links.shape[0]):
        link = links[i]
        at, to = link.at_q, link.at_u
        if link.kind == FREE:
            V, base_motion = linear.wrench[1], linear.base_motion[i]
            for k in range(6):
                V[k] = product(base_motion, k, linear.work, SOLUTION)
            x, y, z = q[at], q[at + 1], q[at + 2]
            out[at] = span * (r[at] + V[3] + V[1] * z - V[2] * y)
            out[at + 1] = span * (r[at + 1] + V[4] + V[2] * x - V[0] * z)
            out[at + 2] = span * (r[at + 2] + V[5] + V[0] * y - V[1] * x)
            R_NB = matrix_from_quaternion(q[at + 3], q[at + 4], q[at + 5], q[at + 6])
            wx, wy, wz = rotate_inverse(R_NB, V[0], V[1], V[2])
            write_quaternion_change(span, q, r, at + 3, wx, wy, wz, out)
        elif link.rows == 3:
            write_quaternion_change(span, q, r, at, k_v[to], k_v[to + 1], k_v[to + 2], out)
        elif link.rows == 1:
            out[at] = span * (r[at] + k_v[to])


@kernel
def write_quaternion_change(span, q, r, at, wx, wy, wz, out):
    """Write `span` times the rate of a quaternion: r plus that of an angular velocity in the rotated axes."""
    w, x, y, z = 0.5 * q[at], 0.5 * q[at + 1], 0.5 * q[at + 2], 0.5 * q[at + 3]
    out[at] = span * (r[at] - x * wx - y * wy - z * wz)
    out[at + 1] = span * (r[at + 1] + w * wx + y * wz - z * wy)
    out[at + 2] = span * (r[at + 2] + w * wy + z * wx - x * wz)
    out[at + 3] = span * (r[at + 3] + w * wz + x * wy - y * wx)
