"""Bonded contacts: a closed contact replaced by a linear connection about the state in which it was bonded.

The connection has the force of that state, and the tangent stiffness and damping of the contact. It costs as much as a
weld, whatever the number of cells, and holds while its load stays well below the preload: it neither opens nor
slips.
"""

import math

import numpy as np

from softdock.contact.kernels.bristle import (
    BRISTLE_STATES,
    add_bristle_stiffness,
    bristle_use,
    write_bristle_rows,
)
from softdock.contact.kernels.layout import DISSIPATION, ENERGY, FORCE, OUTPUT_SIZE, TORQUE
from softdock.contact.kernels.stiffness import evaluate_drag, evaluate_stiffness
from softdock.dynamics.kernels.forces.contacts import add_opposite_wrenches, relative_pose
from softdock.native.decorators import inline, kernel
from softdock.spatial.kernels import (
    matrix_product,
    rotate,
    rotation_vector_from_matrix,
    transpose,
    unpack_matrix,
)
from softdock.tree.kernels.poses import relative_velocity

BOND = np.dtype(
    [
        ("active", np.int64),
        # When it was bonded, in axes of surface A about its origin.
        ("R_AB", np.float64, 9),
        ("p_AB_A", np.float64, 3),
        ("wrench", np.float64, 6),  # on B without its damping: torque, force
        ("out", np.float64, OUTPUT_SIZE),  # of the contact
        ("K", np.float64, (6, 6)),  # tangent stiffness, rotations first [N m/rad, N m/m; N/rad, N/m]
        ("D", np.float64, (6, 6)),  # damping, the same per rate
        ("drag", np.float64, (6, 6)),  # part of the damping that is friction of surfaces that do not slip
        ("friction", np.float64),  # largest force of friction [N]
        ("friction_speed", np.float64),  # [m/s]
        # With tangential elasticity: stretch of the bristle per motion, its stretch when it was bonded, and that at
        # the limit of friction; times the root of its stiffness. The limit is 0 without it.
        ("bristle", np.float64, (BRISTLE_STATES, 6)),
        ("stretch", np.float64, BRISTLE_STATES),
        ("stretch_limit", np.float64),
        # At the present state, and the largest of the run.
        ("velocity", np.float64, 6),  # of the point of B at A's origin, rotation first, in A
        ("energy", np.float64),  # [J]
        ("friction_use", np.float64),  # of the bristle, over the limit
        ("load", np.float64),  # change of force or pressure since it was bonded, over that at the time
        ("largest_load", np.float64),
        ("largest_slip", np.float64),  # friction that would hold the contact over `friction`
    ],
    align=True,
)
"""Connection of a bonded contact: data; one per contact of a system in which an event or a phase bonds contacts."""


@inline
def row_major(R):
    """Return a 3x3 matrix, given as three rows, as nine numbers row by row."""
    return R[0][0], R[0][1], R[0][2], R[1][0], R[1][1], R[1][2], R[2][0], R[2][1], R[2][2]


@inline
def velocity_at_A(w, v, p):
    """Return angular velocity [rad/s] and velocity [m/s] of the point of B at A's origin, in A.

    `w`, `v`: those at B's origin, which is at p [m].
    """
    x, y, z = (
        v[0] - w[1] * p[2] + w[2] * p[1],
        v[1] - w[2] * p[0] + w[0] * p[2],
        v[2] - w[0] * p[1] + w[1] * p[0],
    )
    return w[0], w[1], w[2], x, y, z


@kernel
def bond_contact(system, i, y):
    """Replace contact i by its linear connection at the present state y; Eq. (C41). Nothing happens if it is open.

    Expects that the contact was evaluated at this state.
    """
    links, motions, arrays, lists = system.links, system.motions, system.arrays, system.lists
    pair, state, bond = system.pairs[i], system.pair_states[i], system.bonds[i]
    if state.active == 0:
        return
    R_NA, _, p_B, R_AB, p_AB_A = relative_pose(pair, links, motions)
    w_AB_A, v_AB_A = relative_velocity(pair, links, motions, R_NA, p_B)
    if state.force == 0.0 or not evaluate_stiffness(
        arrays, lists, i, R_AB, p_AB_A, w_AB_A, v_AB_A, bond.K, bond.D
    ):
        return
    bond.stretch_limit = 0.0
    if pair.at_state >= 0 and lists.work[i]["patch_load"] > 0.0:
        bristle = y[pair.at_state : pair.at_state + BRISTLE_STATES]
        bond_bristle(arrays.pairs[i], lists.work[i], p_AB_A, w_AB_A, v_AB_A, bristle, bond)
    state.active, bond.active = 0, 1
    R = row_major(R_AB)
    for k in range(9):
        bond.R_AB[k] = R[k]
    for k in range(3):
        bond.p_AB_A[k] = p_AB_A[k]
        bond.wrench[k], bond.wrench[3 + k] = state.out[TORQUE + k], state.out[FORCE + k]
    for k in range(OUTPUT_SIZE):
        bond.out[k] = state.out[k]
    bond.out[ENERGY] += state.shear_energy
    bond.friction = evaluate_drag(arrays, lists, i, R_AB, p_AB_A, bond.drag)
    bond.friction_speed = arrays.pairs[i]["friction_speed"]
    # Energy needs a symmetric stiffness; positive loss a symmetric damping.
    make_symmetric(bond.K)
    make_symmetric(bond.D)
    V = velocity_at_A(w_AB_A, v_AB_A, p_AB_A)
    for k in range(6):
        for j in range(6):
            bond.wrench[k] += bond.D[k, j] * V[j]


@inline
def bond_bristle(data, work, p_AB_A, w_AB_A, v_AB_A, z, bond):
    """Add the stiffness of the bristle of a contact to its bond, and store what it has of the friction; Eq. (C68)."""
    write_bristle_rows(data, work, p_AB_A, w_AB_A, v_AB_A, z, bond.bristle)
    add_bristle_stiffness(bond.bristle, bond.K)
    root = math.sqrt(data["bristle_stiffness"])
    k = data["shear_stiffness"] * work["patch_area"]
    use, held = bristle_use(work, data, z, math.sqrt(k) * root)
    for j in range(BRISTLE_STATES):
        bond.stretch[j] = root * held[j]
    bond.stretch_limit = data["friction"] * work["patch_load"] / math.sqrt(k)


@inline
def make_symmetric(M):
    """Replace a matrix by the mean of itself and its transpose."""
    for i in range(6):
        for j in range(i):
            M[i, j] = 0.5 * (M[i, j] + M[j, i])
            M[j, i] = M[i, j]


@kernel
def apply_bonds(system):
    """Add the wrenches of bonded contacts, after `apply_contacts`; returns the power dissipated [W]; Eq. (C41)."""
    links, motions, loss = system.links, system.motions, 0.0
    for i in range(system.bonds.shape[0]):
        bond = system.bonds[i]
        if bond.active == 0:
            continue
        pair, state = system.pairs[i], system.pair_states[i]
        R_NA, p_A, p_B, R_AB, p = relative_pose(pair, links, motions)
        w, v = relative_velocity(pair, links, motions, R_NA, p_B)
        V = velocity_at_A(w, v, p)
        for k in range(6):
            bond.velocity[k] = V[k]
        E = matrix_product(row_major(R_AB), transpose(unpack_matrix(bond.R_AB)))
        ex, ey, ez = rotation_vector_from_matrix(E)
        hx, hy, hz = rotate(E, bond.p_AB_A[0], bond.p_AB_A[1], bond.p_AB_A[2])
        d = (ex, ey, ez, p[0] - hx, p[1] - hy, p[2] - hz)
        loss += write_bond_force(state, bond, d, V)
        out = state.out
        fx, fy, fz = rotate(R_NA, out[FORCE], out[FORCE + 1], out[FORCE + 2])
        tx, ty, tz = rotate(R_NA, out[TORQUE], out[TORQUE + 1], out[TORQUE + 2])
        x, y, z = p_A
        tx, ty, tz = tx + y * fz - z * fy, ty + z * fx - x * fz, tz + x * fy - y * fx
        add_opposite_wrenches(motions[pair.a], motions[pair.b], tx, ty, tz, fx, fy, fz)
        state.force = math.sqrt(fx * fx + fy * fy + fz * fz)
    return loss


@inline
def write_bond_force(state, bond, d, V):
    """Write force, torque and energy of a bond at a displacement and velocity; returns the power dissipated [W]."""
    out, loss, energy, strain, change, force = state.out, 0.0, bond.out[ENERGY], 0.0, 0.0, 0.0
    for k in range(OUTPUT_SIZE):
        out[k] = bond.out[k]
    for k in range(6):
        elastic = 0.0
        for j in range(6):
            elastic += bond.K[k, j] * d[j]
        energy += (0.5 * elastic - bond.wrench[k]) * d[k]
        strain += elastic * d[k]
        out[place_in_output(k)] = bond.wrench[k] - elastic
    add_torque_of_motion(out, d)
    bond.friction_use = stretch_of(bond, d)
    for k in range(6):
        damping, at = 0.0, place_in_output(k)
        for j in range(6):
            damping += bond.D[k, j] * V[j]
        loss += damping * V[k]
        out[at] -= damping
        if k >= 3:
            change += (bond.wrench[k] - out[at]) ** 2
            force += bond.wrench[k] * bond.wrench[k]
    out[ENERGY], out[DISSIPATION], bond.energy = energy, loss, energy
    bond.load = math.sqrt(change / force)
    if bond.out[ENERGY] > 0.0:  # a torque changes the pressure, not the force
        bond.load = max(bond.load, math.sqrt(0.5 * max(strain, 0.0) / bond.out[ENERGY]))
    state.sharpened = 1  # depth and pressure are those of the contact when it was bonded
    return loss


@inline
def stretch_of(bond, d):
    """Return the stretch of the bristle of a bond over that at the limit of friction; 0 without a bristle."""
    square = 0.0
    if bond.stretch_limit == 0.0:
        return 0.0
    for j in range(BRISTLE_STATES):
        x = bond.stretch[j]
        for k in range(6):
            x += bond.bristle[j, k] * d[k]
        square += x * x
    return math.sqrt(square) / bond.stretch_limit


@inline
def place_in_output(k):
    """Return the place of component k of a wrench, torque first, in the output of a contact."""
    return TORQUE + k if k < 3 else FORCE + k - 3


@inline
def add_torque_of_motion(out, d):
    """Add the torque by which the elastic wrench in `out` moves with B, so that its power is the change of the energy.

    The rates of the displacement are not the velocity: of the rotation e, w - e x w / 2; of the place x, v + w x x.
    """
    ex, ey, ez, x, y, z = d
    fx, fy, fz = out[FORCE], out[FORCE + 1], out[FORCE + 2]
    tx, ty, tz = out[TORQUE], out[TORQUE + 1], out[TORQUE + 2]
    out[TORQUE] += y * fz - z * fy + 0.5 * (ey * tz - ez * ty)
    out[TORQUE + 1] += z * fx - x * fz + 0.5 * (ez * tx - ex * tz)
    out[TORQUE + 2] += x * fy - y * fx + 0.5 * (ex * ty - ey * tx)


@kernel
def bond_energy(bonds):
    """Return the elastic energy of all bonded contacts [J]."""
    energy = 0.0
    for i in range(bonds.shape[0]):
        if bonds[i].active == 1:
            energy += bonds[i].energy
    return energy


@kernel
def update_largest_bond_loads(bonds):
    """Update the largest change of force of bonded contacts, and the largest share of their friction."""
    for i in range(bonds.shape[0]):
        bond = bonds[i]
        if bond.active == 1:
            bond.largest_load = max(bond.largest_load, bond.load)
            if bond.friction > 0.0:
                bond.largest_slip = max(bond.largest_slip, slip_of(bond) + bond.friction_use)


@inline
def slip_of(bond):
    """Return the root mean square of the slip speed over the friction speed; Eq. (C42)."""
    loss, V = 0.0, bond.velocity
    for i in range(6):
        for j in range(6):
            loss += V[i] * bond.drag[i, j] * V[j]
    return math.sqrt(max(loss, 0.0) / (bond.friction * bond.friction_speed))
