"""Joint reactions and accelerations of frames, from the accelerations of the links; Eqs. (M70)-(M75).

The wrench that a joint transmits is the rate of momentum of all that lies beyond it minus the loads that act there.
It includes what springs, stops, drives and controllers transmit along the axes of the joint.
"""

import math

import numpy as np

from softdock.contact.kernels.layout import FORCE, TORQUE
from softdock.contact.kernels.pins import FORCE as PIN_FORCE
from softdock.contact.kernels.pins import TORQUE as PIN_TORQUE
from softdock.dynamics.kernels.forces.contacts import relative_pose
from softdock.native.decorators import inline, kernel
from softdock.native.simd import LANES
from softdock.spatial.kernels import matrix_product, rotate, rotate_inverse, unpack_matrix
from softdock.tree.kernels.appendages import bias_acceleration, force_in_base, motion_in_link
from softdock.tree.kernels.dynamics import link_accelerations
from softdock.tree.kernels.fused_algebra import (
    add_cross,
    add_force_cross,
    read_six,
    read_ten,
    times_inertia,
    write_six,
)
from softdock.tree.kernels.orbit import gravity_wrench, plate_force
from softdock.tree.kernels.poses import link_rotation

# Kinds of items beyond a fixed mount.
CHILD_LINK = 0  # link whose joint is on a body beyond the mount
APPENDAGE = 1  # flexible structure
ELEMENT = 2  # element between bodies, or load
PAIR = 3  # contact
INTERFACE = 4  # pins in holes
PLATE = 5  # plate with drag and solar pressure

# Results of a reaction, by component.
FORCE_SIZE = 6
MOMENT_SIZE = 7

REACTION = np.dtype(
    [
        ("link", np.int64),  # first link of the joint; of a mount the link that carries both sides
        # 1: fixed mount, beyond which lies a part of the link and all that the part carries.
        ("mount", np.int64),
        ("frame_link", np.int64),  # link that carries frame F, in which the reaction is expressed
        ("R_LF", np.float64, 9),
        ("p_LF", np.float64, 3),
        ("own", np.float64, 10),  # of a mount: rigid inertia beyond it, as `own` of a link
        ("first", np.int64),  # of a mount: first of its items
        ("count", np.int64),
    ],
    align=True,
)
"""Constants of a reaction."""

REACTION_WRENCH = np.dtype(
    [
        ("wrench", np.float64, 6),  # force [N] and torque [N m] at F, in axes of F
        ("evaluation", np.int64),  # number of the evaluation of the system to which it belongs
    ],
    align=True,
)
"""Value of a reaction: data that the kernels write."""
ITEM = np.dtype(
    [
        ("kind", np.int64),
        ("index", np.int64),
        ("sign", np.float64),  # +1 where the wrench of an element or contact acts on its side b, -1 on side a
    ],
    align=True,
)
"""Something that acts on a part of a link beyond a mount: constants."""


@kernel
def update_accelerations(system):
    """Write the accelerations of all links; expects that the derivative was evaluated at this state."""
    if system.appendages.shape[0] == 0 and system.locks.shape[0] == 0:  # otherwise they are known
        link_accelerations(system, 0)


@kernel
def balance_links(system):
    """Write the wrench that reaches every link through its joint, in base axes about the base's origin; Eq. (M71).

    Expects the accelerations of the links.
    """
    links, motions, group_motions = system.links, system.motions, system.group_motions
    for i in range(links.shape[0]):
        link, motion = links[i], motions[i]
        if link.parent < 0:
            continue
        last = link.column + link.rows - 1
        M, h, j = group_motions[last // LANES].inertia, group_motions[last // LANES].h, last % LANES
        inertia = (
            M[0, j], M[1, j], M[2, j], M[3, j], M[4, j], M[5, j], M[6, j], M[7, j], M[8, j], M[9, j],
        )  # fmt: skip
        f = times_inertia(inertia, total_acceleration(system, i))
        momentum = (h[0, j], h[1, j], h[2, j], h[3, j], h[4, j], h[5, j])
        f0, f1, f2, f3, f4, f5 = add_force_cross(f, read_six(motion.V), momentum)
        if motion.loaded == 1:
            w0, w1, w2, w3, w4, w5 = wrench_in_base(motions[link.root], read_six(motion.W))
            f0, f1, f2, f3, f4, f5 = f0 - w0, f1 - w1, f2 - w2, f3 - w3, f4 - w4, f5 - w5
        write_six(motion.reaction, (f0, f1, f2, f3, f4, f5))
    for i in range(system.appendages.shape[0]):
        index = system.appendages[i].link
        if links[index].parent >= 0:
            add_six(motions[index].reaction, modal_force(system, i), 1.0)
    for i in range(links.shape[0] - 1, -1, -1):
        parent = links[i].parent
        if parent >= 0 and links[parent].parent >= 0:
            add_six(motions[parent].reaction, read_six(motions[i].reaction), 1.0)


@inline
def total_acceleration(system, i):
    """Return the acceleration of a link in base axes about the base's origin; with gravity as in Eq. (M8)."""
    b0, b1, b2, b3, b4, b5 = bias_acceleration(system, i)
    d = system.motions[i].acceleration_change
    return b0 + d[0], b1 + d[1], b2 + d[2], b3 + d[3], b4 + d[4], b5 + d[5]


@inline
def wrench_in_base(base, W):
    """Return a wrench in N about N's origin in base axes about the base's origin."""
    p = base.p_NB
    tx, ty, tz = (
        W[0] - (p[1] * W[5] - p[2] * W[4]),
        W[1] - (p[2] * W[3] - p[0] * W[5]),
        W[2] - (p[0] * W[4] - p[1] * W[3]),
    )
    tx, ty, tz = rotate_inverse(base.R_NB, tx, ty, tz)
    fx, fy, fz = rotate_inverse(base.R_NB, W[3], W[4], W[5])
    return tx, ty, tz, fx, fy, fz


@inline
def add_six(a, x, sign):
    """Add a spatial vector times a sign to an array."""
    for k in range(6):
        a[k] += sign * x[k]


@kernel
def modal_force(system, i):
    """Return the rate of momentum of the modes of structure i, in base axes about the base's origin; Eq. (M72)."""
    a, m = system.appendages[i], system.appendage_motions[i].moving
    motion = system.motions[a.link]
    V = read_six(motion.V)
    h = force_in_base(motion, m[0], m[1], m[2], m[3], m[4], m[5])
    wx, wy, wz, vx, vy, vz = motion_in_link(motion, V[0], V[1], V[2], V[3], V[4], V[5])
    r0, r1, r2, r3, r4, r5 = times_inertia(
        (0.0, m[6], m[7], m[8], m[9], m[10], m[11], m[12], m[13], m[14]), (wx, wy, wz, vx, vy, vz)
    )
    b0, b1, b2, b3, b4, b5 = total_acceleration(system, a.link)
    b0, b1, b2, b3, b4, b5 = motion_in_link(motion, b0, b1, b2, b3, b4, b5)
    for k in range(a.count):
        c, drive = system.modes[a.first + k].c, system.mode_forces[a.first + k].drive
        rate = drive - ((c[0] * b0 + c[1] * b1 + c[2] * b2) + (c[3] * b3 + c[4] * b4 + c[5] * b5))
        r0, r1, r2 = r0 + c[0] * rate, r1 + c[1] * rate, r2 + c[2] * rate
        r3, r4, r5 = r3 + c[3] * rate, r4 + c[4] * rate, r5 + c[5] * rate
    return add_force_cross(force_in_base(motion, r0, r1, r2, r3, r4, r5), V, h)


@inline
def update_reaction(system, i, y):
    """Write the wrench of reaction i at its frame; expects balanced links."""
    reaction, result, motions = system.reactions[i], system.reaction_wrenches[i], system.motions
    if reaction.mount == 1:
        f0, f1, f2, f3, f4, f5 = mount_wrench(system, reaction, y)
    else:
        f0, f1, f2, f3, f4, f5 = read_six(motions[reaction.link].reaction)
    carrier = motions[reaction.frame_link]
    x, y_, z = rotate(carrier.R, reaction.p_LF[0], reaction.p_LF[1], reaction.p_LF[2])
    x, y_, z = x + carrier.p[0], y_ + carrier.p[1], z + carrier.p[2]
    R_BF = matrix_product(unpack_matrix(carrier.R), unpack_matrix(reaction.R_LF))
    fx, fy, fz = rotate_inverse(R_BF, f3, f4, f5)
    tx, ty, tz = rotate_inverse(
        R_BF, f0 - (y_ * f5 - z * f4), f1 - (z * f3 - x * f5), f2 - (x * f4 - y_ * f3)
    )
    write_six(result.wrench, (fx, fy, fz, tx, ty, tz))
    result.evaluation = system.counters[0].evaluations


@inline
def reaction_value(result, component):
    """Return a component of a reaction, or the size of its force or moment."""
    W = result.wrench
    if component == FORCE_SIZE:
        return math.sqrt(W[0] * W[0] + W[1] * W[1] + W[2] * W[2])
    if component == MOMENT_SIZE:
        return math.sqrt(W[3] * W[3] + W[4] * W[4] + W[5] * W[5])
    return W[component]


@kernel
def mount_wrench(system, reaction, y):
    """Return the wrench that a mount transmits, in base axes about the base's origin; Eq. (M73)."""
    motions, motion = system.motions, system.motions[reaction.link]
    base = motions[system.links[reaction.link].root]
    m, hx, hy, hz, xx, yy, zz, xy, xz, yz = read_ten(reaction.own)
    for k in range(reaction.first, reaction.first + reaction.count):
        if system.items[k].kind == APPENDAGE:
            a = system.appendages[system.items[k].index]
            for n in range(a.count):
                c, x = system.modes[a.first + n].c, y[a.at_q + n]
                hx, hy, hz = hx + c[6] * x, hy + c[7] * x, hz + c[8] * x
                xx, yy, zz = xx + c[9] * x, yy + c[10] * x, zz + c[11] * x
                xy, xz, yz = xy + c[12] * x, xz + c[13] * x, yz + c[14] * x
    own = (m, hx, hy, hz, xx, yy, zz, xy, xz, yz)
    A = total_acceleration(system, reaction.link)
    A = motion_in_link(motion, A[0], A[1], A[2], A[3], A[4], A[5])
    V = motion.V
    V = motion_in_link(motion, V[0], V[1], V[2], V[3], V[4], V[5])
    f = add_force_cross(times_inertia(own, A), V, times_inertia(own, V))
    f0, f1, f2, f3, f4, f5 = force_in_base(motion, f[0], f[1], f[2], f[3], f[4], f[5])
    if system.orbit.shape[0] > 0 and m > 0.0:
        w0, w1, w2, w3, w4, w5 = wrench_in_base(base, gravity_wrench(system, motion, base, own))
        f0, f1, f2, f3, f4, f5 = f0 - w0, f1 - w1, f2 - w2, f3 - w3, f4 - w4, f5 - w5
    for k in range(reaction.first, reaction.first + reaction.count):
        item = system.items[k]
        if item.kind == CHILD_LINK:
            w0, w1, w2, w3, w4, w5 = read_six(motions[item.index].reaction)
        elif item.kind == APPENDAGE:
            w0, w1, w2, w3, w4, w5 = modal_force(system, item.index)
        else:
            w0, w1, w2, w3, w4, w5 = wrench_in_base(base, item_wrench(system, item))
            w0, w1, w2, w3, w4, w5 = -w0, -w1, -w2, -w3, -w4, -w5
        f0, f1, f2, f3, f4, f5 = f0 + w0, f1 + w1, f2 + w2, f3 + w3, f4 + w4, f5 + w5
    return f0, f1, f2, f3, f4, f5


@kernel
def item_wrench(system, item):
    """Return the wrench of an element, contact, interface or plate on a body, in N about N's origin."""
    links, motions, s = system.links, system.motions, item.sign
    if item.kind == ELEMENT:
        data = system.element_data[item.index]
        if data.active == 0:
            return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        T = data.total
        return s * T[0], s * T[1], s * T[2], s * T[3], s * T[4], s * T[5]
    if item.kind == PLATE:
        fx, fy, fz, x, y, z = plate_force(system, system.plates[item.index])
        return y * fz - z * fy, z * fx - x * fz, x * fy - y * fx, fx, fy, fz
    if item.kind == PAIR:
        pair, state = system.pairs[item.index], system.pair_states[item.index]
        if state.force == 0.0:
            return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        R_NA, p_A, _, _, _ = relative_pose(pair, links, motions)
        out = state.out
        fx, fy, fz = rotate(R_NA, s * out[FORCE], s * out[FORCE + 1], s * out[FORCE + 2])
        tx, ty, tz = rotate(R_NA, s * out[TORQUE], s * out[TORQUE + 1], s * out[TORQUE + 2])
    else:
        face, pushed = system.interfaces[item.index], system.interface_states[item.index]
        if pushed.active == 0:
            return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        R_NA, p_A, _, _, _ = relative_pose(face, links, motions)
        f = pushed.totals
        fx, fy, fz = rotate(R_NA, s * f[PIN_FORCE], -s * f[PIN_FORCE + 1], -s * f[PIN_FORCE + 2])
        tx, ty, tz = rotate(R_NA, s * f[PIN_TORQUE], -s * f[PIN_TORQUE + 1], -s * f[PIN_TORQUE + 2])
    x, y, z = p_A
    return tx + y * fz - z * fy, ty + z * fx - x * fz, tz + x * fy - y * fx, fx, fy, fz


@kernel
def frame_acceleration(channel, system, angular):
    """Return the acceleration of a frame's origin, or its angular acceleration, against N; Eq. (M75).

    In axes of N or of the frame from which the channel is seen; the fourth value is the size.
    """
    links, motions, gravity = system.links, system.motions, system.world[0].gravity
    motion = motions[channel.i]
    base, V = motions[links[channel.i].root], motion.V
    wx, wy, wz, ax, ay, az = total_acceleration(system, channel.i)
    if angular:
        ax, ay, az = rotate(base.R_NB, wx, wy, wz)
    else:
        px, py, pz = rotate(motion.R, channel.p_iF[0], channel.p_iF[1], channel.p_iF[2])
        px, py, pz = px + motion.p[0], py + motion.p[1], pz + motion.p[2]
        vx, vy, vz = add_cross(V[3], V[4], V[5], V[0], V[1], V[2], px, py, pz)
        ax, ay, az = add_cross(ax, ay, az, wx, wy, wz, px, py, pz)
        ax, ay, az = add_cross(ax, ay, az, V[0], V[1], V[2], vx, vy, vz)
        ax, ay, az = rotate(base.R_NB, ax, ay, az)
        ax, ay, az = ax + gravity[0], ay + gravity[1], az + gravity[2]
    if channel.in_world == 0:
        R = link_rotation(motions[channel.j], motions[links[channel.j].root], channel.R_jG)
        ax, ay, az = rotate_inverse(R, ax, ay, az)
    return ax, ay, az, math.sqrt(ax * ax + ay * ay + az * az)
