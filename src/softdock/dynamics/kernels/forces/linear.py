"""Linearisation of the equations of motion about a state, for implicit steps.

It includes contacts, pins, struts, welds, couplings, and springs, stops, dampers and drives of joints; all else changes
slowly and is omitted. In momenta of free trees and speeds of joints the inertia is block diagonal: for each tree, one
block for its momentum and one for its joints. A connection of two links (contact, pins, strut, weld, plug and
socket) has 6 by 6 stiffness and damping in its own frame.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from softdock.contact.kernels.stiffness import evaluate_stiffness
from softdock.dynamics.kernels.forces.contacts import relative_pose, relative_velocity
from softdock.dynamics.kernels.forces.couplings import (
    coupling_pose,
    coupling_velocity,
    coupling_wrench,
    socket_acts,
)
from softdock.dynamics.kernels.forces.derivative import set_motion
from softdock.dynamics.kernels.forces.drives import drive_stiffness, slowdown_per_force
from softdock.dynamics.kernels.forces.elements import (
    COUPLING,
    DRIVE_SPEED,
    EXPONENTIAL,
    SPRING,
    STOP,
    STRUT,
    WELD,
    acts_along_joint,
    is_drive,
)
from softdock.dynamics.kernels.forces.interfaces import interface_tangents
from softdock.dynamics.kernels.forces.motion_profiles import command_at, delay_of
from softdock.dynamics.kernels.forces.stops import stop_acts
from softdock.native.decorators import inline, kernel
from softdock.native.simd import LANES, fma, load, store
from softdock.spatial.kernels import rotate, rotate_inverse
from softdock.tree.kernels.dynamics import compute_joint_inertia, tile_index
from softdock.tree.kernels.joint_motion import joint_deflection, joint_speed
from softdock.tree.kernels.poses import link_point, link_rotation
from softdock.tree.kernels.tree import FREE

# Columns of Linear.slowdowns: stiffness and damping of the drive, loss of speed and of the speed ratio of its command
# per force, rate of its force by the command.
SLOWDOWN_STIFFNESS, SLOWDOWN_DAMPING, SLOWDOWN_SPEED, SLOWDOWN_RATIO, SLOWDOWN_FORCE_RATE = 0, 1, 2, 3, 4
SLOWDOWN_COLUMNS = 5
IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


class Linear(NamedTuple):
    """Memory of the linear equations; n momenta and speeds, m connections: contacts, elements, interfaces.

    Rows have `width` entries: n rounded up to a multiple of the SIMD lanes, zero beyond n. SI units.
    """

    inertia: NDArray[np.float64]
    """(n, n): inverse inertia of free trees in N about its origin, inertia of joints with free bases eliminated."""
    stiffness: NDArray[np.float64]
    """(n, n): of joints."""
    damping: NDArray[np.float64]
    """(n, n): of joints."""
    inverse: NDArray[np.float64]
    """(n, n): inverse of the stage matrix, transposed."""
    base_motion: NDArray[np.float64]
    """(links, 6, n): motion of a free base, in N about its origin, per momentum and per speed of joints of its tree."""
    K: NDArray[np.float64]
    """(m, 6, 6): stiffness, rotations first."""
    D: NDArray[np.float64]
    """(m, 6, 6): damping."""
    jacobians: NDArray[np.float64]
    """(m, 6, n): relative motion in the frame of the connection per motion of free bases (in N) and joints."""
    momentum_maps: NDArray[np.float64]
    """(m, 6, n): relative velocity there per momentum and speed."""
    frames: NDArray[np.float64]
    """(m, 12): rotation (rows) and position in N of the frame of the connection."""
    connections: NDArray[np.int64]
    """(m, 3): 1 where it acts; the links a and b."""
    force_rate: NDArray[np.float64]
    """(n,): rate of the forces of drives along joints by their smooth commands."""
    delays: NDArray[np.int64]
    """(n,): index in the state of the delay of that command; -1: none."""
    slowdowns: NDArray[np.float64]
    """(n, SLOWDOWN_COLUMNS): of a drive that its force limit slows down; `SLOWDOWN_SPEED` is zero without one."""
    work: NDArray[np.float64]
    """(3, n): rows MOTION, RIGHT_SIDE and SOLUTION; see stages."""
    products: NDArray[np.float64]
    """(6, n): stiffness and damping of a connection times its relative velocity per momentum and speed."""
    displacements: NDArray[np.float64]
    """(m, 6): relative displacement of the connections by the rates of positions on the right side of a stage."""
    wrench: NDArray[np.float64]
    """(2, 6): wrench of a connection, in its frame; its displacement, or the motion of a base."""


@kernel
def linearise(system, t, y, linear):
    """Write inertia, stiffness and damping at a state, for Eq. (M47)."""
    w = system.world[0]
    u = y[w.n_q : w.n_q + w.n_u]
    set_motion(system, y)
    compute_joint_inertia(system.links, system.groups, system.tiles)
    write_inertia_blocks(system.links, system.groups, system.tiles, linear)
    add_joint_stiffness(system.elements, t, y, u, linear)
    count = system.pairs.shape[0]
    for i in range(count):
        linear.connections[i, 0] = 0
        if system.pairs[i].active == 1:
            connect_contact(system, i, linear)
        elif system.bonds.shape[0] > 0 and system.bonds[i].active == 1:
            connect_bond(system, i, linear)
    for i in range(system.elements.shape[0]):
        kind = system.elements[i].kind
        if kind == STRUT or kind == WELD or kind == COUPLING:
            linear.connections[count, 0] = 0
            if system.elements[i].active == 1:
                connect_element(system.elements[i], system.links, linear, count)
            count += 1
    for i in range(system.interfaces.shape[0]):
        face = system.interfaces[i]
        linear.connections[count, 0] = 0
        if face.active == 1:
            touches, R_NA, p_A = interface_tangents(
                system.links, face, system.pins, linear.K[count], linear.D[count]
            )
            if touches:
                activate_connection(linear, count, face.a, face.b, R_NA, p_A)
        count += 1
    for c in range(linear.connections.shape[0]):
        if linear.connections[c, 0] == 1:
            map_connection(system.links, system.groups, linear, c)


@kernel
def write_inertia_blocks(links, groups, tiles, linear):
    """Write the inverse inertia of free trees, the inertia of joints, and how bases move with both; Eq. (M46)."""
    inertia, base_motion = linear.inertia, linear.base_motion
    for i in range(inertia.shape[0]):
        for b in range(0, inertia.shape[1], LANES):
            store(inertia, i, b, 0.0)
            store(linear.stiffness, i, b, 0.0)
            store(linear.damping, i, b, 0.0)
    for g in range(groups.shape[0]):
        fill_inertia(links, groups, g, tiles, inertia)
    for i in range(links.shape[0]):
        link = links[i]
        if link.kind == FREE:
            compliance_in_N(link, inertia)
            for k in range(6):
                for j in range(6):
                    base_motion[i, k, link.at_u + j] = inertia[link.at_u + k, link.at_u + j]
        elif link.parent >= 0 and links[link.root].kind == FREE:
            for c in range(link.column, link.column + link.rows):
                Y, j, at = groups[c // LANES].Y, c % LANES, groups[c // LANES].at_u[c % LANES]
                V = motion_in_N(links[link.root], (Y[0, j], Y[1, j], Y[2, j], Y[3, j], Y[4, j], Y[5, j]))
                for k in range(6):
                    base_motion[link.root, k, at] = -V[k]


@inline
def fill_inertia(links, groups, g, tiles, inertia):
    """Write the inertia of the joints of a group and of all after it."""
    group = groups[g]
    for i in range(g, groups.shape[0]):
        H = tiles[tile_index(i, g)].H
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
def compliance_in_N(base, inertia):
    """Write the motion of a free tree per momentum, both in N about its origin."""
    M, at = base.inverse, base.at_u
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
def add_joint_stiffness(elements, t, q, u, linear):
    """Add the stiffness and damping of elements along joint axes, from the state alone.

    Also writes how fast commands of position change the forces of drives: without it, a stiff drive that moves would
    limit implicit steps. Commands of speed are left out.
    """
    for i in range(linear.force_rate.shape[0]):
        linear.force_rate[i], linear.delays[i] = 0.0, -1
        linear.slowdowns[i, SLOWDOWN_SPEED] = 0.0
    for i in range(elements.shape[0]):
        element = elements[i]
        if not acts_along_joint(element.kind) or (element.active == 0 and not is_drive(element.kind)):
            continue
        x, y, z = joint_deflection(element, q)
        vx, vy, vz = joint_speed(element, u)
        k, c, radial_k, radial_c = element.stiffness[0], element.damping[0], 0.0, 0.0
        s = math.sqrt(x * x + y * y + z * z)
        if element.kind == SPRING:
            if element.law == EXPONENTIAL:
                swell = (s / element.reference) ** element.exponent
                k, radial_k = k * (1.0 + swell), k * element.exponent * swell
            if element.friction > 0.0:
                v = vx * vx + vy * vy + vz * vz + element.friction_speed * element.friction_speed
                c += element.friction * element.friction_speed * element.friction_speed / (v * math.sqrt(v))
        elif element.kind == STOP:
            if not stop_acts(element, q, u):
                continue
            if element.rows > 1:
                k, c, radial_k, radial_c = 0.0, 0.0, k, c
        else:
            k, c = drive_stiffness(element, t, q, vx, element.kind == DRIVE_SPEED)
            if k > 0.0:
                _, speed, acceleration = command_at(element, t, delay_of(element, q))
                linear.force_rate[element.at_u] += k * speed + element.damping[0] * acceleration
                linear.delays[element.at_u] = element.at_delay
                lost_speed, lost_ratio = slowdown_per_force(element, t, q, vx)
                if lost_speed > 0.0:
                    drive = linear.slowdowns[element.at_u]
                    drive[SLOWDOWN_STIFFNESS], drive[SLOWDOWN_DAMPING] = k, element.damping[0]
                    drive[SLOWDOWN_SPEED], drive[SLOWDOWN_RATIO] = lost_speed, lost_ratio
                    drive[SLOWDOWN_FORCE_RATE] = k * speed + element.damping[0] * acceleration
        for a in range(element.rows):
            linear.stiffness[element.at_u + a, element.at_u + a] += k
            linear.damping[element.at_u + a, element.at_u + a] += c
        if (radial_k > 0.0 or radial_c > 0.0) and s > 0.0:
            n = (x / s, y / s, z / s)
            for a in range(element.rows):
                for b in range(element.rows):
                    linear.stiffness[element.at_u + a, element.at_u + b] += radial_k * n[a] * n[b]
                    linear.damping[element.at_u + a, element.at_u + b] += radial_c * n[a] * n[b]


@inline
def connect_contact(system, i, linear):
    """Write the stiffness and damping of a contact, in the axes of its surface A; Eq. (C40)."""
    links, pair = system.links, system.pairs[i]
    a, b = links[pair.a], links[pair.b]
    R_NA, p_A, p_B, R_AB, p_AB_A = relative_pose(pair, links)
    w_AB_A, v_AB_A = relative_velocity(a, b, links[a.root], links[b.root], R_NA, p_B)
    if evaluate_stiffness(
        system.arrays, system.lists, i, R_AB, p_AB_A, w_AB_A, v_AB_A, linear.K[i], linear.D[i]
    ):
        activate_connection(linear, i, pair.a, pair.b, R_NA, p_A)


@inline
def connect_bond(system, i, linear):
    """Write the stiffness and damping of a bonded contact, in the axes of its surface A; Eq. (C41)."""
    pair, bond, links = system.pairs[i], system.bonds[i], system.links
    a = links[pair.a]
    for k in range(6):
        for j in range(6):
            linear.K[i, k, j], linear.D[i, k, j] = bond.K[k, j], bond.D[k, j]
    R_NA, p_A = link_rotation(a, links[a.root], pair.R_aA), link_point(a, links[a.root], pair.p_aA)
    activate_connection(linear, i, pair.a, pair.b, R_NA, p_A)


@inline
def connect_element(element, links, linear, c):
    """Write the stiffness and damping of a weld or coupling in the axes of its frame F, of a strut in those of N."""
    a, b = links[element.a], links[element.b]
    base_a, base_b = links[a.root], links[b.root]
    K, D = linear.K[c], linear.D[c]
    for i in range(6):
        for j in range(6):
            K[i, j], D[i, j] = 0.0, 0.0
    ax, ay, az = link_point(a, base_a, element.p_aF)
    bx, by, bz = link_point(b, base_b, element.p_bG)
    if element.kind == WELD:
        for i in range(6):
            K[i, i], D[i, i] = element.stiffness[i], element.damping[i]
        activate_connection(
            linear, c, element.a, element.b, link_rotation(a, base_a, element.R_aF), (bx, by, bz)
        )
        return
    if element.kind == COUPLING:
        tip, p, axis, R_NF = coupling_pose(element, links)
        if socket_acts(element.coupling, p[2]):
            w, v = coupling_velocity(element, links, tip, R_NF)
            coupling_wrench(element, p, axis, w, v)
            write_coupling_tangents(element.coupling, K, D)
            activate_connection(linear, c, element.a, element.b, R_NF, tip)
        return
    dx, dy, dz = bx - ax, by - ay, bz - az
    length = math.sqrt(dx * dx + dy * dy + dz * dz)
    if length == 0.0:
        return
    n = (dx / length, dy / length, dz / length)
    across = (element.stiffness[0] * (length - element.rest[0]) + element.preload) / length
    for i in range(3):
        for j in range(3):
            K[3 + i, 3 + j] = (element.stiffness[0] - across) * n[i] * n[j]
            D[3 + i, 3 + j] = element.damping[0] * n[i] * n[j]
        K[3 + i, 3 + i] += across
    activate_connection(linear, c, element.a, element.b, IDENTITY, (bx, by, bz))


@inline
def write_coupling_tangents(law, K, D):
    """Write the tangents of a coupling at its last evaluation, in the axes of its socket."""
    g = law.guidance
    K[0, 0], K[1, 1] = g * law.angular_stiffness, g * law.angular_stiffness
    D[0, 0], D[1, 1] = g * law.angular_damping, g * law.angular_damping
    K[3, 3], K[4, 4] = g * law.lateral_stiffness, g * law.lateral_stiffness
    D[3, 3], D[4, 4] = g * law.lateral_damping, g * law.lateral_damping
    K[5, 5], D[5, 5] = law.axial_stiffness, law.axial_damping


@kernel
def activate_connection(linear, c, a, b, R, p):
    """Mark a connection as active and write its links a and b and its frame: rotation R and position p in N [m]."""
    linear.connections[c, 0], linear.connections[c, 1], linear.connections[c, 2] = 1, a, b
    for k in range(9):
        linear.frames[c, k] = R[k]
    for k in range(3):
        linear.frames[c, 9 + k] = p[k]


@kernel
def map_connection(links, groups, linear, c):
    """Write the relative motion of two links per motion of bases and joints, and per momentum and speed; Eq. (M46)."""
    jacobians, momentum_maps, n = linear.jacobians[c], linear.momentum_maps[c], linear.inertia.shape[1]
    a, b = linear.connections[c, 1], linear.connections[c, 2]
    for k in range(6):
        for j in range(0, n, LANES):
            store(jacobians, k, j, 0.0)
    add_link_motion(links, groups, linear, c, b, 1.0)
    add_link_motion(links, groups, linear, c, a, -1.0)
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
def add_link_motion(links, groups, linear, c, i, sign):
    """Add the motion of a link, times a sign, per motion of its base and of the joints that carry it."""
    base = links[links[i].root]
    if base.kind == FREE:
        for k in range(6):
            add_column(
                linear, c, base.at_u + k, sign,
                (
                    1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0,
                    1.0 if k == 3 else 0.0, 1.0 if k == 4 else 0.0, 1.0 if k == 5 else 0.0,
                ),
            )  # fmt: skip
    while links[i].parent >= 0:
        for column in range(links[i].column, links[i].column + links[i].rows):
            group, j = groups[column // LANES], column % LANES
            S = group.S
            V = motion_in_N(base, (S[0, j], S[1, j], S[2, j], S[3, j], S[4, j], S[5, j]))
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
