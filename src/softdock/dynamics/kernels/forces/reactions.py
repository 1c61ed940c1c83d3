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
        ("wrench", np.float64, 6),  # result: force [N] and torque [N m] at F, in axes of F
        ("evaluation", np.int64),  # number of the evaluation of the system to which the result belongs
    ],
    align=True,
)
ITEM = np.dtype(
    [
        ("kind", np.int64),
        ("index", np.int64),
        ("sign", np.float64),  # +1 where the wrench of an element or contact acts on its side b, -1 on side a
    ],
    align=True,
)
"""Something that acts on a part of a link beyond a mount."""


@kernel
def update_accelerations(system):
    """Write the accelerations of all links; expects that the derivative was evaluated at this state."""
    if system.appendages.shape[0] == 0 and system.locks.shape[0] == 0:  # otherwise they are known
        link_accelerations(system.links, system.groups, 0)


@kernel
def balance_links(system):
    """Write the wrench that reaches every link through its joint, in base axes about the base's origin; Eq. (M71).

    Expects the accelerations of the links.
    """
    links, groups, gravity = system.links, system.groups, system.world[0].gravity
    for i in range(links.shape[0]):
        link = links[i]
        if link.parent < 0:
            continue
        last = link.column + link.rows - 1
        M, h, j = groups[last // LANES].inertia, groups[last // LANES].h, last % LANES
        inertia = (
            M[0, j], M[1, j], M[2, j], M[3, j], M[4, j], M[5, j], M[6, j], M[7, j], M[8, j], M[9, j],
        )  # fmt: skip
        f = times_inertia(inertia, total_acceleration(links, groups, i, gravity))
        momentum = (h[0, j], h[1, j], h[2, j], h[3, j], h[4, j], h[5, j])
        f0, f1, f2, f3, f4, f5 = add_force_cross(f, read_six(link.V), momentum)
        if link.loaded == 1:
            w0, w1, w2, w3, w4, w5 = wrench_in_base(links[link.root], read_six(link.W))
            f0, f1, f2, f3, f4, f5 = f0 - w0, f1 - w1, f2 - w2, f3 - w3, f4 - w4, f5 - w5
        write_six(link.reaction, (f0, f1, f2, f3, f4, f5))
    for i in range(system.appendages.shape[0]):
        link = links[system.appendages[i].link]
        if link.parent >= 0:
            add_six(link.reaction, modal_force(system, system.appendages[i]), 1.0)
    for i in range(links.shape[0] - 1, -1, -1):
        parent = links[i].parent
        if parent >= 0 and links[parent].parent >= 0:
            add_six(links[parent].reaction, read_six(links[i].reaction), 1.0)


@inline
def total_acceleration(links, groups, i, gravity):
    """Return the acceleration of a link in base axes about the base's origin; with gravity as in Eq. (M8)."""
    b0, b1, b2, b3, b4, b5 = bias_acceleration(links, groups, i, gravity)
    d = links[i].dA
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
def modal_force(system, a):
    """Return the rate of momentum of the modes of a structure, in base axes about the base's origin; Eq. (M72)."""
    links, link, m = system.links, system.links[a.link], a.moving
    V = read_six(link.V)
    h = force_in_base(link, m[0], m[1], m[2], m[3], m[4], m[5])
    wx, wy, wz, vx, vy, vz = motion_in_link(link, V[0], V[1], V[2], V[3], V[4], V[5])
    r0, r1, r2, r3, r4, r5 = times_inertia(
        (0.0, m[6], m[7], m[8], m[9], m[10], m[11], m[12], m[13], m[14]), (wx, wy, wz, vx, vy, vz)
    )
    b0, b1, b2, b3, b4, b5 = total_acceleration(links, system.groups, a.link, system.world[0].gravity)
    b0, b1, b2, b3, b4, b5 = motion_in_link(link, b0, b1, b2, b3, b4, b5)
    for k in range(a.count):
        mode = system.modes[a.first + k]
        c = mode.c
        rate = mode.drive - ((c[0] * b0 + c[1] * b1 + c[2] * b2) + (c[3] * b3 + c[4] * b4 + c[5] * b5))
        r0, r1, r2 = r0 + c[0] * rate, r1 + c[1] * rate, r2 + c[2] * rate
        r3, r4, r5 = r3 + c[3] * rate, r4 + c[4] * rate, r5 + c[5] * rate
    return add_force_cross(force_in_base(link, r0, r1, r2, r3, r4, r5), V, h)


@inline
def update_reaction(system, reaction, y):
    """Write the wrench of a reaction at its frame; expects balanced links."""
    links = system.links
    if reaction.mount == 1:
        f0, f1, f2, f3, f4, f5 = mount_wrench(system, reaction, y)
    else:
        f0, f1, f2, f3, f4, f5 = read_six(links[reaction.link].reaction)
    carrier = links[reaction.frame_link]
    x, y_, z = rotate(carrier.R, reaction.p_LF[0], reaction.p_LF[1], reaction.p_LF[2])
    x, y_, z = x + carrier.p[0], y_ + carrier.p[1], z + carrier.p[2]
    R_BF = matrix_product(unpack_matrix(carrier.R), unpack_matrix(reaction.R_LF))
    fx, fy, fz = rotate_inverse(R_BF, f3, f4, f5)
    tx, ty, tz = rotate_inverse(
        R_BF, f0 - (y_ * f5 - z * f4), f1 - (z * f3 - x * f5), f2 - (x * f4 - y_ * f3)
    )
    write_six(reaction.wrench, (fx, fy, fz, tx, ty, tz))
    reaction.evaluation = system.world[0].evaluations


@inline
def reaction_value(reaction, component):
    """Return a component of a reaction, or the size of its force or moment."""
    W = reaction.wrench
    if component == FORCE_SIZE:
        return math.sqrt(W[0] * W[0] + W[1] * W[1] + W[2] * W[2])
    if component == MOMENT_SIZE:
        return math.sqrt(W[3] * W[3] + W[4] * W[4] + W[5] * W[5])
    return W[component]


@kernel
def mount_wrench(system, reaction, y):
    """Return the wrench that a mount transmits, in base axes about the base's origin; Eq. (M73)."""
    links, link = system.links, system.links[reaction.link]
    base = links[link.root]
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
    A = total_acceleration(links, system.groups, reaction.link, system.world[0].gravity)
    A = motion_in_link(link, A[0], A[1], A[2], A[3], A[4], A[5])
    V = link.V
    V = motion_in_link(link, V[0], V[1], V[2], V[3], V[4], V[5])
    f = add_force_cross(times_inertia(own, A), V, times_inertia(own, V))
    f0, f1, f2, f3, f4, f5 = force_in_base(link, f[0], f[1], f[2], f[3], f[4], f[5])
    if system.orbit.shape[0] > 0 and m > 0.0:
        w0, w1, w2, w3, w4, w5 = wrench_in_base(base, gravity_wrench(system.orbit[0], link, base, own))
        f0, f1, f2, f3, f4, f5 = f0 - w0, f1 - w1, f2 - w2, f3 - w3, f4 - w4, f5 - w5
    for k in range(reaction.first, reaction.first + reaction.count):
        item = system.items[k]
        if item.kind == CHILD_LINK:
            w0, w1, w2, w3, w4, w5 = read_six(links[item.index].reaction)
        elif item.kind == APPENDAGE:
            w0, w1, w2, w3, w4, w5 = modal_force(system, system.appendages[item.index])
        else:
            w0, w1, w2, w3, w4, w5 = wrench_in_base(base, item_load(system, item))
            w0, w1, w2, w3, w4, w5 = -w0, -w1, -w2, -w3, -w4, -w5
        f0, f1, f2, f3, f4, f5 = f0 + w0, f1 + w1, f2 + w2, f3 + w3, f4 + w4, f5 + w5
    return f0, f1, f2, f3, f4, f5


@kernel
def item_load(system, item):
    """Return the wrench of an element, contact, interface or plate on a body, in N about N's origin."""
    links, s = system.links, item.sign
    if item.kind == ELEMENT:
        data = system.element_data[item.index]
        if data.active == 0:
            return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        T = data.total
        return s * T[0], s * T[1], s * T[2], s * T[3], s * T[4], s * T[5]
    if item.kind == PLATE:
        fx, fy, fz, x, y, z = plate_force(links, system.orbit[0], system.plates[item.index])
        return y * fz - z * fy, z * fx - x * fz, x * fy - y * fx, fx, fy, fz
    if item.kind == PAIR:
        pair = system.pairs[item.index]
        if pair.force == 0.0:
            return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        R_NA, p_A, _, _, _ = relative_pose(pair, links)
        out = pair.out
        fx, fy, fz = rotate(R_NA, s * out[FORCE], s * out[FORCE + 1], s * out[FORCE + 2])
        tx, ty, tz = rotate(R_NA, s * out[TORQUE], s * out[TORQUE + 1], s * out[TORQUE + 2])
    else:
        face = system.interfaces[item.index]
        if face.active == 0:
            return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        R_NA, p_A, _, _, _ = relative_pose(face, links)
        f = face.totals
        fx, fy, fz = rotate(R_NA, s * f[PIN_FORCE], -s * f[PIN_FORCE + 1], -s * f[PIN_FORCE + 2])
        tx, ty, tz = rotate(R_NA, s * f[PIN_TORQUE], -s * f[PIN_TORQUE + 1], -s * f[PIN_TORQUE + 2])
    x, y, z = p_A
    return tx + y * fz - z * fy, ty + z * fx - x * fz, tz + x * fy - y * fx, fx, fy, fz


@kernel
def frame_acceleration(channel, system, angular):
    """Return the acceleration of a frame's origin, or its angular acceleration, against N; Eq. (M75).

    In axes of N or of the frame from which the channel is seen; the fourth value is the size.
    """
    links, gravity = system.links, system.world[0].gravity
    link = links[channel.i]
    base, V = links[link.root], link.V
    wx, wy, wz, ax, ay, az = total_acceleration(links, system.groups, channel.i, gravity)
    if angular:
        ax, ay, az = rotate(base.R_NB, wx, wy, wz)
    else:
        px, py, pz = rotate(link.R, channel.p_iF[0], channel.p_iF[1], channel.p_iF[2])
        px, py, pz = px + link.p[0], py + link.p[1], pz + link.p[2]
        vx, vy, vz = add_cross(V[3], V[4], V[5], V[0], V[1], V[2], px, py, pz)
        ax, ay, az = add_cross(ax, ay, az, wx, wy, wz, px, py, pz)
        ax, ay, az = add_cross(ax, ay, az, V[0], V[1], V[2], vx, vy, vz)
        ax, ay, az = rotate(base.R_NB, ax, ay, az)
        ax, ay, az = ax + gravity[0], ay + gravity[1], az + gravity[2]
    if channel.in_world == 0:
        seen = links[channel.j]
        ax, ay, az = rotate_inverse(link_rotation(seen, links[seen.root], channel.R_jG), ax, ay, az)
    return ax, ay, az, math.sqrt(ax * ax + ay * ay + az * az)
