"""Flexible structures on links: modal coordinates, what they add to the motion of their link, and their response.

A structure is clamped to its link. Its modes are mass-normalised; each has a participation L (momentum at unit rate,
about the link's origin) and changes the rigid inertia of the link to the first order. Both are constant in link axes.
Eliminating the modal accelerations takes L L^T from the inertia that the link has for accelerations.
"""

import numpy as np

from softdock.native.decorators import inline, kernel
from softdock.native.simd import LANES
from softdock.spatial.kernels import rotate, rotate_inverse
from softdock.tree.kernels.composites import write_inertia
from softdock.tree.kernels.dynamics import add_force
from softdock.tree.kernels.fused_algebra import add_force_cross, read_six, times_inertia
from softdock.tree.kernels.tree import FREE, GROUND

APPENDAGE = np.dtype(
    [
        ("link", np.int64),
        ("first", np.int64),  # index of its first mode
        ("count", np.int64),
        ("at_q", np.int64),  # where its modal coordinates start in the state
        ("at_u", np.int64),  # where its modal rates start among the speeds
        ("LL", np.float64, (6, 6)),  # sum of L L^T, link axes
    ],
    align=True,
)
"""Constants of a flexible structure."""

APPENDAGE_MOTION = np.dtype(
    [
        ("LL_B", np.float64, (6, 6)),  # sum of L L^T in the base frame
        # In link axes.
        ("moving", np.float64, 15),  # sum of `c` times the modal rates: momentum, then rate of the inertia
        ("pull", np.float64, 9),  # generalised force on a mode per change of the link's inertia by the mode
        ("energy", np.float64),  # elastic [J]
        ("kinetic_energy", np.float64),  # kinetic energy of the modal rates alone [J]
    ],
    align=True,
)
"""Motion and forces of a flexible structure: data that the kernels write."""

MODE = np.dtype(
    [
        ("c", np.float64, 15),  # L (6), then change of mass * centre (3) and inertia xx yy zz xy xz yz (6)
        ("stiffness", np.float64),  # omega^2 [1/s2]
        ("damping", np.float64),  # 2 zeta omega [1/s]
    ],
    align=True,
)
"""Constants of a mode."""

MODE_FORCE = np.dtype(
    [
        ("load", np.float64),  # generalised force of loads at nodes [sqrt(kg) m/s2]
        ("drive", np.float64),  # modal acceleration while the link does not accelerate
    ],
    align=True,
)
"""Forces on a mode: data that the kernels write."""

NODE = np.dtype(
    [
        ("appendage", np.int64),
        ("link", np.int64),
        ("shapes", np.int64),  # first row of its shapes: one per mode, rotation and displacement in link axes
        ("p", np.float64, 3),  # undeformed position in the link [m]
        ("R_BL", np.float64, 9),  # link axes to the axes of the body, in which deflections are expressed
    ],
    align=True,
)
"""Constants of a node of a structure that is loaded or observed."""


@kernel
def write_undeformed(system):
    """Write the inertias of all links without deformations, also those of the links that axes move."""
    links, motions = system.links, system.motions
    for i in range(links.shape[0]):
        for k in range(10):
            motions[i].deformed[k] = links[i].own[k]
        if links[i].parent >= 0:
            last = links[i].column + links[i].rows - 1
            moved = system.group_motions[last // LANES].deformed
            for k in range(10):
                moved[k, last % LANES] = links[i].own[k]


@kernel
def deform(system, q):
    """Update the inertia of links by the deformation of their structures; Eq. (F40). Expects placed links."""
    links, motions, appendages = system.links, system.motions, system.appendages
    for i in range(appendages.shape[0]):
        link = links[appendages[i].link]
        deformed = motions[appendages[i].link].deformed
        for j in range(1, 10):
            deformed[j] = link.own[j]
    for i in range(appendages.shape[0]):
        a = appendages[i]
        deformed = motions[a.link].deformed
        for k in range(a.count):
            c, x = system.modes[a.first + k].c, q[a.at_q + k]
            for j in range(9):
                deformed[1 + j] += c[6 + j] * x
    for i in range(appendages.shape[0]):
        link = links[appendages[i].link]
        if link.parent >= 0:
            last = link.column + link.rows - 1
            of_axes, deformed = (
                system.group_motions[last // LANES].deformed,
                motions[appendages[i].link].deformed,
            )
            for j in range(1, 10):
                of_axes[j, last % LANES] = deformed[j]


@kernel
def add_modal_momentum(system, u):
    """Add the momentum of modal rates and the rate of the inertia; Eq. (F41). Expects joint velocities."""
    links, motions, appendages = system.links, system.motions, system.appendages
    for i in range(appendages.shape[0]):
        a, structure = appendages[i], system.appendage_motions[i]
        moving, kinetic_energy = structure.moving, 0.0
        for j in range(15):
            moving[j] = 0.0
        for k in range(a.count):
            c, rate = system.modes[a.first + k].c, u[a.at_u + k]
            kinetic_energy += rate * rate
            for j in range(15):
                moving[j] += c[j] * rate
        structure.kinetic_energy = 0.5 * kinetic_energy
        root = links[a.link].root
        if links[root].kind == FREE:
            h = motions[root].h_rel
            h0, h1, h2, h3, h4, h5 = force_in_base(
                motions[a.link], moving[0], moving[1], moving[2], moving[3], moving[4], moving[5]
            )
            h[0], h[1], h[2] = h[0] + h0, h[1] + h1, h[2] + h2
            h[3], h[4], h[5] = h[3] + h3, h[4] + h4, h[5] + h5


@kernel
def add_modal_bias(system):
    """Add the motion of modes to momentum and bias of their links; Eqs. (F41), (F42). Expects link velocities."""
    for i in range(system.appendages.shape[0]):
        index, m = system.appendages[i].link, system.appendage_motions[i].moving
        motion, V = system.motions[index], system.motions[index].V
        h = force_in_base(motion, m[0], m[1], m[2], m[3], m[4], m[5])
        wx, wy, wz, vx, vy, vz = motion_in_link(motion, V[0], V[1], V[2], V[3], V[4], V[5])
        r0, r1, r2, r3, r4, r5 = times_inertia(
            (0.0, m[6], m[7], m[8], m[9], m[10], m[11], m[12], m[13], m[14]), (wx, wy, wz, vx, vy, vz)
        )
        rate = force_in_base(motion, r0, r1, r2, r3, r4, r5)
        add_momentum(system, index, h)
        add_force(system, index, add_force_cross(rate, read_six(V), h))


@inline
def add_momentum(system, i, x):
    """Add to the momentum of a link."""
    link = system.links[i]
    if link.parent < 0:
        h = system.motions[i].h
        for k in range(6):
            h[k] += x[k]
    else:
        last = link.column + link.rows - 1
        of_axes = system.group_motions[last // LANES].h
        for k in range(6):
            of_axes[k, last % LANES] += x[k]


@kernel
def reset_modal_loads(system):
    """Set loads on modes to zero and compute the inertia forces of the link's motion on them; Eq. (F43)."""
    for i in range(system.mode_forces.shape[0]):
        system.mode_forces[i].load = 0.0
    for i in range(system.appendages.shape[0]):
        motion, g = system.motions[system.appendages[i].link], system.appendage_motions[i].pull
        V = motion.V
        wx, wy, wz, vx, vy, vz = motion_in_link(motion, V[0], V[1], V[2], V[3], V[4], V[5])
        g[0], g[1], g[2] = vy * wz - vz * wy, vz * wx - vx * wz, vx * wy - vy * wx
        g[3], g[4], g[5] = 0.5 * wx * wx, 0.5 * wy * wy, 0.5 * wz * wz
        g[6], g[7], g[8] = wx * wy, wx * wz, wy * wz


@kernel
def eliminate_modes(system, q, u):
    """Eliminate the modal accelerations: add their bias to links and subtract L L^T from inertias; Eq. (F44).

    Expects all loads on modes; must be called right before `accelerations`. Returns the power dissipated [W].
    """
    loss = 0.0
    for i in range(system.appendages.shape[0]):
        a, structure = system.appendages[i], system.appendage_motions[i]
        motion, g = system.motions[a.link], structure.pull
        energy = 0.0
        y0, y1, y2, y3, y4, y5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for k in range(a.count):
            mode, forces = system.modes[a.first + k], system.mode_forces[a.first + k]
            c, x, rate = mode.c, q[a.at_q + k], u[a.at_u + k]
            lost, elastic = mode.damping * rate, mode.stiffness * x
            loss += lost * rate
            energy += elastic * x
            drive = forces.load - elastic - lost
            drive += g[0] * c[6] + g[1] * c[7] + g[2] * c[8] + g[3] * c[9] + g[4] * c[10]
            drive += g[5] * c[11] + g[6] * c[12] + g[7] * c[13] + g[8] * c[14]
            forces.drive = drive
            y0, y1, y2 = y0 + c[0] * drive, y1 + c[1] * drive, y2 + c[2] * drive
            y3, y4, y5 = y3 + c[3] * drive, y4 + c[4] * drive, y5 + c[5] * drive
        structure.energy = 0.5 * energy
        b0, b1, b2, b3, b4, b5 = bias_acceleration(system, a.link)
        b0, b1, b2, b3, b4, b5 = motion_in_link(motion, b0, b1, b2, b3, b4, b5)
        b0, b1, b2, b3, b4, b5 = multiply(a.LL, b0, b1, b2, b3, b4, b5)
        reaction = force_in_base(motion, y0 - b0, y1 - b1, y2 - b2, y3 - b3, y4 - b4, y5 - b5)
        add_force(system, a.link, reaction)
        subtract_modal_inertia(system, i)
    return loss


@kernel
def subtract_modal_inertia(system, i):
    """Subtract L L^T of structure i from the inertia of all axes and the free base that carry it; Eq. (F44)."""
    links, a, M = system.links, system.appendages[i], system.appendage_motions[i].LL_B
    carried = system.motions[a.link]
    for j in range(6):
        m0, m1, m2 = 1.0 if j == 0 else 0.0, 1.0 if j == 1 else 0.0, 1.0 if j == 2 else 0.0
        m3, m4, m5 = 1.0 if j == 3 else 0.0, 1.0 if j == 4 else 0.0, 1.0 if j == 5 else 0.0
        m0, m1, m2, m3, m4, m5 = motion_in_link(carried, m0, m1, m2, m3, m4, m5)
        m0, m1, m2, m3, m4, m5 = multiply(a.LL, m0, m1, m2, m3, m4, m5)
        M[0, j], M[1, j], M[2, j], M[3, j], M[4, j], M[5, j] = force_in_base(carried, m0, m1, m2, m3, m4, m5)
    index = a.link
    while links[index].parent >= 0:
        for c in range(links[index].column, links[index].column + links[index].rows):
            S, F, j = system.group_motions[c // LANES].S, system.group_motions[c // LANES].F, c % LANES
            x = multiply(M, S[0, j], S[1, j], S[2, j], S[3, j], S[4, j], S[5, j])
            for k in range(6):
                F[k, j] -= x[k]
        index = links[index].parent
    if links[index].kind == FREE:
        base = system.motions[index]
        if base.flexible == 0:
            write_inertia(base)
            base.flexible = 1
        for k in range(6):
            for j in range(6):
                base.inverse[k, j] -= M[k, j]


@kernel
def write_modal_rates(system, u, dy):
    """Write the rates of modal coordinates and of modal rates into `dy`; Eq. (F45). Expects accelerations of links."""
    n_q = system.world[0].n_q
    for i in range(system.appendages.shape[0]):
        a = system.appendages[i]
        motion = system.motions[a.link]
        b0, b1, b2, b3, b4, b5 = bias_acceleration(system, a.link)
        d = motion.acceleration_change
        b0, b1, b2, b3, b4, b5 = motion_in_link(
            motion, b0 + d[0], b1 + d[1], b2 + d[2], b3 + d[3], b4 + d[4], b5 + d[5]
        )
        for k in range(a.count):
            c = system.modes[a.first + k].c
            dy[a.at_q + k] = u[a.at_u + k]
            dy[n_q + a.at_u + k] = system.mode_forces[a.first + k].drive - (
                (c[0] * b0 + c[1] * b1 + c[2] * b2) + (c[3] * b3 + c[4] * b4 + c[5] * b5)
            )


@kernel
def load_modes(system, node, u, tx, ty, tz, fx, fy, fz):
    """Add a wrench at a node, in link axes, to the modes; returns its power on the modes [W]; Eq. (F47)."""
    a, shapes = system.appendages[node.appendage], system.shapes
    power = 0.0
    for k in range(a.count):
        row = node.shapes + k
        pull = tx * shapes[row, 0] + ty * shapes[row, 1] + tz * shapes[row, 2]
        pull += fx * shapes[row, 3] + fy * shapes[row, 4] + fz * shapes[row, 5]
        system.mode_forces[a.first + k].load += pull
        power += pull * u[a.at_u + k]
    return power


@kernel
def node_value(node, appendages, shapes, y, n_q, component, rate):
    """Return a deflection of a node or its rate, in body axes: rotation, displacement; 6 is the norm of the latter."""
    a = appendages[node.appendage]
    at = n_q + a.at_u if rate == 1 else a.at_q
    first = 0 if component < 3 else 3
    x0, x1, x2 = 0.0, 0.0, 0.0
    for k in range(a.count):
        row, amount = node.shapes + k, y[at + k]
        x0, x1 = x0 + shapes[row, first] * amount, x1 + shapes[row, first + 1] * amount
        x2 += shapes[row, first + 2] * amount
    x0, x1, x2 = rotate(node.R_BL, x0, x1, x2)
    if component == 6:
        return np.sqrt(x0 * x0 + x1 * x1 + x2 * x2)
    return x0 if component == first else (x1 if component == first + 1 else x2)


@inline
def bias_acceleration(system, i):
    """Return the velocity-dependent acceleration of a link, without accelerations of bases and joints, in base axes."""
    link, gravity = system.links[i], system.world[0].gravity
    if link.kind == GROUND:  # gravity acts as an upward acceleration of the ground
        return 0.0, 0.0, 0.0, -gravity[0], -gravity[1], -gravity[2]
    if link.kind == FREE:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    last = link.column + link.rows - 1
    A, j = system.group_motions[last // LANES].A, last % LANES
    return A[0, j], A[1, j], A[2, j], A[3, j], A[4, j], A[5, j]


@inline
def multiply(M, x0, x1, x2, x3, x4, x5):
    """Return the product of a 6x6 matrix and a spatial vector."""
    return (
        M[0, 0] * x0 + M[0, 1] * x1 + M[0, 2] * x2 + M[0, 3] * x3 + M[0, 4] * x4 + M[0, 5] * x5,
        M[1, 0] * x0 + M[1, 1] * x1 + M[1, 2] * x2 + M[1, 3] * x3 + M[1, 4] * x4 + M[1, 5] * x5,
        M[2, 0] * x0 + M[2, 1] * x1 + M[2, 2] * x2 + M[2, 3] * x3 + M[2, 4] * x4 + M[2, 5] * x5,
        M[3, 0] * x0 + M[3, 1] * x1 + M[3, 2] * x2 + M[3, 3] * x3 + M[3, 4] * x4 + M[3, 5] * x5,
        M[4, 0] * x0 + M[4, 1] * x1 + M[4, 2] * x2 + M[4, 3] * x3 + M[4, 4] * x4 + M[4, 5] * x5,
        M[5, 0] * x0 + M[5, 1] * x1 + M[5, 2] * x2 + M[5, 3] * x3 + M[5, 4] * x4 + M[5, 5] * x5,
    )


@inline
def force_in_base(motion, tx, ty, tz, fx, fy, fz):
    """Return a spatial force, given in link axes about the link's origin, in base axes about the base's origin."""
    ax, ay, az = rotate(motion.R, tx, ty, tz)
    bx, by, bz = rotate(motion.R, fx, fy, fz)
    p = motion.p
    return ax + p[1] * bz - p[2] * by, ay + p[2] * bx - p[0] * bz, az + p[0] * by - p[1] * bx, bx, by, bz


@inline
def motion_in_link(motion, wx, wy, wz, vx, vy, vz):
    """Return a spatial motion, given in base axes about the base's origin, in link axes about the link's origin."""
    p = motion.p
    vx, vy, vz = vx + wy * p[2] - wz * p[1], vy + wz * p[0] - wx * p[2], vz + wx * p[1] - wy * p[0]
    ax, ay, az = rotate_inverse(motion.R, wx, wy, wz)
    bx, by, bz = rotate_inverse(motion.R, vx, vy, vz)
    return ax, ay, az, bx, by, bz
