"""Linearisation of the equations of motion about a state, for implicit steps.

It includes contacts, pins, elements that connect bodies and those along joints; all else changes slowly and is omitted.
In momenta of free trees and speeds of joints the inertia is block diagonal: for each tree, one block for its momentum
and one for its joints. A connection of two links (contact, pins, strut, weld, plug and socket) has 6 by 6 stiffness and
damping in its own frame.
"""

from softdock.contact.kernels.bristle import BRISTLE_STATES, subtract_released_force, write_bristle_rows
from softdock.contact.kernels.stiffness import evaluate_stiffness
from softdock.dynamics.kernels.forces.contacts import relative_pose
from softdock.dynamics.kernels.forces.derivative import set_motion
from softdock.dynamics.kernels.forces.interfaces import interface_tangents
from softdock.elements.kernels.dispatch import add_tangents, connect
from softdock.elements.kernels.tangents import SLOWDOWN_SPEED, activate_connection
from softdock.native.decorators import inline, kernel
from softdock.native.simd import LANES, fma, load, store
from softdock.spatial.kernels import rotate, rotate_inverse
from softdock.tree.kernels.dynamics import compute_joint_inertia, tile_index
from softdock.tree.kernels.poses import link_point, link_rotation, relative_velocity
from softdock.tree.kernels.tree import FREE


@kernel
def linearise(system, t, y, linear):
    """Write inertia, stiffness and damping at a state, for Eq. (M47)."""
    w = system.world[0]
    u = y[w.n_q : w.n_q + w.n_u]
    set_motion(system, y)
    compute_joint_inertia(system)
    write_inertia_blocks(system, linear)
    add_element_tangents(system, t, y, u, linear)
    count = system.pairs.shape[0]
    for i in range(count):
        linear.connections[i, 0], linear.bristle_states[i] = 0, -1
        if system.pair_states[i].active == 1:
            connect_contact(system, i, y, linear)
        elif system.bonds.shape[0] > 0 and system.bonds[i].active == 1:
            connect_bond(system, i, linear)
    for i in range(system.elements.shape[0]):
        if system.elements[i].connection == 1:
            linear.connections[count, 0], linear.bristle_states[count] = 0, -1
            if system.element_data[i].active == 1:
                for k in range(6):
                    for j in range(6):
                        linear.K[count, k, j], linear.D[count, k, j] = 0.0, 0.0
                connect(system, i, t, y, u, linear, count)
            count += 1
    for i in range(system.interfaces.shape[0]):
        face = system.interfaces[i]
        linear.connections[count, 0], linear.bristle_states[count] = 0, -1
        if system.interface_states[i].active == 1:
            touches, R_NA, p_A = interface_tangents(system, i, linear.K[count], linear.D[count])
            if touches:
                activate_connection(linear, count, face.a, face.b, R_NA, p_A)
        count += 1
    for c in range(linear.connections.shape[0]):
        if linear.connections[c, 0] == 1:
            map_connection(system, linear, c)


@kernel
def write_inertia_blocks(system, linear):
    """Write the inverse inertia of free trees, the inertia of joints, and how bases move with both; Eq. (M46)."""
    links, motions, groups, group_motions = system.links, system.motions, system.groups, system.group_motions
    inertia, base_motion = linear.inertia, linear.base_motion
    for i in range(inertia.shape[0]):
        for b in range(0, inertia.shape[1], LANES):
            store(inertia, i, b, 0.0)
            store(linear.stiffness, i, b, 0.0)
            store(linear.damping, i, b, 0.0)
    for g in range(groups.shape[0]):
        fill_inertia(groups, g, system.tile_inertias, inertia)
    for i in range(links.shape[0]):
        link = links[i]
        if link.kind == FREE:
            compliance_in_N(motions[i], link.at_u, inertia)
            for k in range(6):
                for j in range(6):
                    base_motion[i, k, link.at_u + j] = inertia[link.at_u + k, link.at_u + j]
        elif link.parent >= 0 and links[link.root].kind == FREE:
            for c in range(link.column, link.column + link.rows):
                Y, j, at = group_motions[c // LANES].Y, c % LANES, groups[c // LANES].at_u[c % LANES]
                V = motion_in_N(motions[link.root], (Y[0, j], Y[1, j], Y[2, j], Y[3, j], Y[4, j], Y[5, j]))
                for k in range(6):
                    base_motion[link.root, k, at] = -V[k]


@inline
def fill_inertia(groups, g, tile_inertias, inertia):
    """Write the inertia of the joints of a group and of all after it."""
    group = groups[g]
    for i in range(g, groups.shape[0]):
        H = tile_inertias[tile_index(i, g)].H
        for k in range(groups[i].count):
            row = groups[i].at_u[k]
            for j in range(group.count):
                inertia[row, group.at_u[j]], inertia[group.at_u[j], row] = H[k, j], H[k, j]


@kernel
def motion_in_N(base, V):
    """Return a motion vector of a base frame about its origin, in N about N's origin."""
    wx, wy, wz = rotate(base.R_NB, V[0], V[1], V[2])
    vx, vy, vz = rotate(base.R_NB, V[3], V[4], V[5])
    p = base.p_NB
    return wx, wy, wz, vx + p[1] * wz - p[2] * wy, vy + p[2] * wx - p[0] * wz, vz + p[0] * wy - p[1] * wx


@kernel
def compliance_in_N(base, at, inertia):
    """Write the motion of a free tree per momentum, both in N about its origin."""
    M = base.inverse
    for k in range(6):  # rows of M, as motions of N
        V = motion_in_N(base, (M[k, 0], M[k, 1], M[k, 2], M[k, 3], M[k, 4], M[k, 5]))
        for j in range(6):
            inertia[at + k, at + j] = V[j]
    for j in range(6):
        V = motion_in_N(
            base,
            (
                inertia[at, at + j],
                inertia[at + 1, at + j],
                inertia[at + 2, at + j],
                inertia[at + 3, at + j],
                inertia[at + 4, at + j],
                inertia[at + 5, at + j],
            ),
        )
        for k in range(6):
            inertia[at + k, at + j] = V[k]


@inline
def add_element_tangents(system, t, q, u, linear):
    """Add the stiffness and damping of elements along joint axes, from the state alone."""
    for i in range(linear.force_rate.shape[0]):
        linear.force_rate[i], linear.delays[i], linear.held[i] = 0.0, -1, system.axes[i].stuck
        linear.slowdowns[i, SLOWDOWN_SPEED] = 0.0
    for i in range(system.elements.shape[0]):
        if system.element_data[i].active == 1 or system.elements[i].always == 1:
            add_tangents(system, i, t, q, u, linear)


@inline
def connect_contact(system, i, y, linear):
    """Write the stiffness and damping of a contact, in the axes of its surface A; Eqs. (C40), (C68)."""
    links, motions, pair = system.links, system.motions, system.pairs[i]
    R_NA, p_A, p_B, R_AB, p_AB_A = relative_pose(pair, links, motions)
    w_AB_A, v_AB_A = relative_velocity(pair, links, motions, R_NA, p_B)
    if evaluate_stiffness(
        system.arrays, system.lists, i, R_AB, p_AB_A, w_AB_A, v_AB_A, linear.K[i], linear.D[i]
    ):
        activate_connection(linear, i, pair.a, pair.b, R_NA, p_A)
        at, data, work = pair.at_state, system.arrays.pairs[i], system.lists.work[i]
        if at >= 0 and work["patch_load"] > 0.0:
            bristle, rows = y[at : at + BRISTLE_STATES], linear.bristles[i]
            linear.bristle_decays[i] = write_bristle_rows(data, work, p_AB_A, w_AB_A, v_AB_A, bristle, rows)
            subtract_released_force(data, work, p_AB_A, w_AB_A, v_AB_A, bristle, linear.D[i])
            linear.bristle_states[i] = at


@inline
def connect_bond(system, i, linear):
    """Write the stiffness and damping of a bonded contact, in the axes of its surface A; Eq. (C41)."""
    pair, bond, a = system.pairs[i], system.bonds[i], system.motions[system.pairs[i].a]
    base = system.motions[system.links[pair.a].root]
    for k in range(6):
        for j in range(6):
            linear.K[i, k, j], linear.D[i, k, j] = bond.K[k, j], bond.D[k, j]
    R_NA, p_A = link_rotation(a, base, pair.R_aA), link_point(a, base, pair.p_aA)
    activate_connection(linear, i, pair.a, pair.b, R_NA, p_A)


@kernel
def map_connection(system, linear, c):
    """Write the relative motion of two links per motion of bases and joints, and per momentum and speed; Eq. (M46)."""
    links, n = system.links, linear.inertia.shape[1]
    jacobians, momentum_maps = linear.jacobians[c], linear.momentum_maps[c]
    a, b = linear.connections[c, 1], linear.connections[c, 2]
    for k in range(6):
        for j in range(0, n, LANES):
            store(jacobians, k, j, 0.0)
    add_link_motion(system, linear, c, b, 1.0)
    add_link_motion(system, linear, c, a, -1.0)
    for k in range(6):
        for j in range(0, n, LANES):
            store(momentum_maps, k, j, load(jacobians, k, j))
    substitute_base_motion(links, linear, c, links[b].root)
    if links[a].root != links[b].root:
        substitute_base_motion(links, linear, c, links[a].root)


@kernel
def substitute_base_motion(links, linear, c, root):
    """Express the motion of a free base by momentum and joint speeds."""
    if links[root].kind == FREE:
        jacobians, momentum_maps, base_motion, at = (
            linear.jacobians[c],
            linear.momentum_maps[c],
            linear.base_motion[root],
            links[root].at_u,
        )
        for k in range(6):
            for i in range(6):
                momentum_maps[k, at + i] = 0.0
            for j in range(0, momentum_maps.shape[1], LANES):
                x = load(momentum_maps, k, j)
                for i in range(6):
                    x = fma(jacobians[k, at + i], load(base_motion, i, j), x)
                store(momentum_maps, k, j, x)


@kernel
def add_link_motion(system, linear, c, i, sign):
    """Add the motion of a link, times a sign, per motion of its base and of the joints that carry it."""
    links = system.links
    root = links[i].root
    if links[root].kind == FREE:
        for k in range(6):
            add_column(
                linear, c, links[root].at_u + k, sign,
                (
                    1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0,
                    1.0 if k == 3 else 0.0, 1.0 if k == 4 else 0.0, 1.0 if k == 5 else 0.0,
                ),
            )  # fmt: skip
    while links[i].parent >= 0:
        for column in range(links[i].column, links[i].column + links[i].rows):
            group, j = system.groups[column // LANES], column % LANES
            S = system.group_motions[column // LANES].S
            V = motion_in_N(system.motions[root], (S[0, j], S[1, j], S[2, j], S[3, j], S[4, j], S[5, j]))
            add_column(linear, c, group.at_u[j], sign, V)
        i = links[i].parent


@kernel
def add_column(linear, c, j, sign, V):
    """Add a motion vector V of N, times a sign, to column j of the Jacobian of a connection, in its frame."""
    jacobians, R = linear.jacobians[c], linear.frames[c]
    x, y, z = R[9], R[10], R[11]
    wx, wy, wz = rotate_inverse(R, V[0], V[1], V[2])
    vx, vy, vz = rotate_inverse(
        R, V[3] + V[1] * z - V[2] * y, V[4] + V[2] * x - V[0] * z, V[5] + V[0] * y - V[1] * x
    )
    jacobians[0, j], jacobians[1, j], jacobians[2, j] = (
        jacobians[0, j] + sign * wx,
        jacobians[1, j] + sign * wy,
        jacobians[2, j] + sign * wz,
    )
    jacobians[3, j], jacobians[4, j], jacobians[5, j] = (
        jacobians[3, j] + sign * vx,
        jacobians[4, j] + sign * vy,
        jacobians[5, j] + sign * vz,
    )
