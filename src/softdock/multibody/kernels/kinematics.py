"""Positions, velocities and momenta of the links, in the base frame of each tree."""

import math

from softdock.jit import inlined, kernel
from softdock.multibody.kernels.tree import BALL, FREE, GROUND, PRISMATIC, REVOLUTE


@kernel
def place_links(links, axes, q):
    """Place every link in its base frame and express its axes and inertia there; Eqs. (M1)-(M3)."""
    for i in range(links.shape[0]):
        link = links[i]
        kind = link.kind
        if kind == FREE or kind == GROUND:
            for k in range(9):
                link.R[k] = 0.0
            link.R[0], link.R[4], link.R[8] = 1.0, 1.0, 1.0
            link.p[0], link.p[1], link.p[2] = 0.0, 0.0, 0.0
            for k in range(10):
                link.inertia[k] = link.own[k]
            if kind == FREE:
                place_base(link, q)
        else:
            place_child(link, links[link.parent], axes, q)
            move_inertia(link)


@inlined
def place_base(link, q):
    """Pose of a free base in N from its state: position, then quaternion wxyz of any length."""
    at = link.at_q
    for k in range(3):
        link.p_NB[k] = q[at + k]
    R = link.R_NB
    R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8] = rotation(
        q[at + 3], q[at + 4], q[at + 5], q[at + 6]
    )


@inlined
def place_child(link, parent, axes, q):
    """Pose of a link in the base frame from that of its parent and its joint; Eqs. (M1), (M2)."""
    A, B, d = parent.R, link.R_PJ, link.p_PJ
    px = parent.p[0] + A[0] * d[0] + A[1] * d[1] + A[2] * d[2]
    py = parent.p[1] + A[3] * d[0] + A[4] * d[1] + A[5] * d[2]
    pz = parent.p[2] + A[6] * d[0] + A[7] * d[1] + A[8] * d[2]
    xx = A[0] * B[0] + A[1] * B[3] + A[2] * B[6]
    yx = A[3] * B[0] + A[4] * B[3] + A[5] * B[6]
    zx = A[6] * B[0] + A[7] * B[3] + A[8] * B[6]
    xy = A[0] * B[1] + A[1] * B[4] + A[2] * B[7]
    yy = A[3] * B[1] + A[4] * B[4] + A[5] * B[7]
    zy = A[6] * B[1] + A[7] * B[4] + A[8] * B[7]
    xz, yz, zz = yx * zy - zx * yy, zx * xy - xx * zy, xx * yy - yx * xy
    kind = link.kind
    if kind == REVOLUTE:
        c, s = math.cos(q[link.at_q]), math.sin(q[link.at_q])
        xx, xy = c * xx + s * xy, c * xy - s * xx
        yx, yy = c * yx + s * yy, c * yy - s * yx
        zx, zy = c * zx + s * zy, c * zy - s * zx
        set_turning_axis(axes[link.at_u].S, xz, yz, zz, px, py, pz)
    elif kind == PRISMATIC:
        slide = q[link.at_q]
        px, py, pz = px + xz * slide, py + yz * slide, pz + zz * slide
        S = axes[link.at_u].S
        S[0], S[1], S[2], S[3], S[4], S[5] = 0.0, 0.0, 0.0, xz, yz, zz
    elif kind == BALL:
        at = link.at_q
        c0, c1, c2, c3, c4, c5, c6, c7, c8 = rotation(q[at], q[at + 1], q[at + 2], q[at + 3])
        xx, xy, xz = xx * c0 + xy * c3 + xz * c6, xx * c1 + xy * c4 + xz * c7, xx * c2 + xy * c5 + xz * c8
        yx, yy, yz = yx * c0 + yy * c3 + yz * c6, yx * c1 + yy * c4 + yz * c7, yx * c2 + yy * c5 + yz * c8
        zx, zy, zz = zx * c0 + zy * c3 + zz * c6, zx * c1 + zy * c4 + zz * c7, zx * c2 + zy * c5 + zz * c8
        set_turning_axis(axes[link.at_u].S, xx, yx, zx, px, py, pz)
        set_turning_axis(axes[link.at_u + 1].S, xy, yy, zy, px, py, pz)
        set_turning_axis(axes[link.at_u + 2].S, xz, yz, zz, px, py, pz)
    R = link.R
    R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8] = xx, xy, xz, yx, yy, yz, zx, zy, zz
    link.p[0], link.p[1], link.p[2] = px, py, pz


@inlined
def set_turning_axis(S, x, y, z, px, py, pz):
    """Motion of a turn about the axis (x, y, z) through the point p."""
    S[0], S[1], S[2] = x, y, z
    S[3], S[4], S[5] = py * z - pz * y, pz * x - px * z, px * y - py * x


@inlined
def rotation(w, x, y, z):
    """Rotation matrix, row by row, of a quaternion wxyz of any length but zero."""
    n = 2.0 / (w * w + x * x + y * y + z * z)
    return (
        1.0 - n * (y * y + z * z),
        n * (x * y - w * z),
        n * (x * z + w * y),
        n * (x * y + w * z),
        1.0 - n * (x * x + z * z),
        n * (y * z - w * x),
        n * (x * z - w * y),
        n * (y * z + w * x),
        1.0 - n * (x * x + y * y),
    )


@inlined
def move_inertia(link):
    """Inertia of a link in base axes about the base's origin; Eq. (M3)."""
    R, own, out = link.R, link.own, link.inertia
    px, py, pz = link.p[0], link.p[1], link.p[2]
    xx, xy, xz, yx, yy, yz, zx, zy, zz = R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8]
    m = own[0]
    ixx, iyy, izz, ixy, ixz, iyz = own[4], own[5], own[6], own[7], own[8], own[9]
    hx = xx * own[1] + xy * own[2] + xz * own[3]  # mass times centre, from the link's origin
    hy = yx * own[1] + yy * own[2] + yz * own[3]
    hz = zx * own[1] + zy * own[2] + zz * own[3]
    t0, t1, t2 = (
        xx * ixx + xy * ixy + xz * ixz,
        xx * ixy + xy * iyy + xz * iyz,
        xx * ixz + xy * iyz + xz * izz,
    )
    t3, t4, t5 = (
        yx * ixx + yy * ixy + yz * ixz,
        yx * ixy + yy * iyy + yz * iyz,
        yx * ixz + yy * iyz + yz * izz,
    )
    t6, t7, t8 = (
        zx * ixx + zy * ixy + zz * ixz,
        zx * ixy + zy * iyy + zz * iyz,
        zx * ixz + zy * iyz + zz * izz,
    )
    gx, gy, gz = 2.0 * hx + m * px, 2.0 * hy + m * py, 2.0 * hz + m * pz
    dx, dy, dz = px * gx, py * gy, pz * gz
    out[0] = m
    out[1], out[2], out[3] = hx + m * px, hy + m * py, hz + m * pz
    out[4] = t0 * xx + t1 * xy + t2 * xz + dy + dz
    out[5] = t3 * yx + t4 * yy + t5 * yz + dx + dz
    out[6] = t6 * zx + t7 * zy + t8 * zz + dx + dy
    out[7] = t0 * yx + t1 * yy + t2 * yz - 0.5 * (px * gy + py * gx)
    out[8] = t0 * zx + t1 * zy + t2 * zz - 0.5 * (px * gz + pz * gx)
    out[9] = t3 * zx + t4 * zy + t5 * zz - 0.5 * (py * gz + pz * gy)


@inlined
def times_inertia(inertia, wx, wy, wz, vx, vy, vz):
    """Spatial inertia times a motion vector; Eq. (M4)."""
    m, hx, hy, hz = inertia[0], inertia[1], inertia[2], inertia[3]
    ixx, iyy, izz, ixy, ixz, iyz = inertia[4], inertia[5], inertia[6], inertia[7], inertia[8], inertia[9]
    return (
        ixx * wx + ixy * wy + ixz * wz + hy * vz - hz * vy,
        ixy * wx + iyy * wy + iyz * wz + hz * vx - hx * vz,
        ixz * wx + iyz * wy + izz * wz + hx * vy - hy * vx,
        m * vx - hy * wz + hz * wy,
        m * vy - hz * wx + hx * wz,
        m * vz - hx * wy + hy * wx,
    )


@kernel
def joint_velocities(links, axes, u):
    """Velocity of every link relative to its base, and the momentum that belongs to it; Eq. (M5).

    `u` holds the speeds of all axes; the six places of a free base are not read.
    """
    for i in range(links.shape[0]):
        link = links[i]
        V, h = link.V_rel, link.h
        if link.parent < 0:
            for k in range(6):
                V[k] = 0.0
                h[k] = 0.0
                link.h_rel[k] = 0.0
            for k in range(10):
                link.total[k] = link.inertia[k]
            continue
        parent, base = links[link.parent], links[link.root]
        first = link.at_u
        S, s = axes[first].S, u[first]
        for k in range(6):
            V[k] = parent.V_rel[k] + S[k] * s
        for row in range(first + 1, first + link.rows):
            S, s = axes[row].S, u[row]
            for k in range(6):
                V[k] += S[k] * s
        h[0], h[1], h[2], h[3], h[4], h[5] = times_inertia(link.inertia, V[0], V[1], V[2], V[3], V[4], V[5])
        for k in range(6):
            base.h_rel[k] += h[k]
        for k in range(10):
            base.total[k] += link.inertia[k]


@kernel
def base_velocities(links, u):
    """Velocity of every free base from the momentum of its tree; Eqs. (M6), (M7).

    The six places of a free base in `u` hold the momentum of its whole tree about N's origin, in N axes.
    """
    for i in range(links.shape[0]):
        base = links[i]
        if base.kind == FREE:
            at = base.at_u
            p, R, h_rel, total = base.p_NB, base.R_NB, base.h_rel, base.total
            lx, ly, lz = u[at + 3], u[at + 4], u[at + 5]
            ax = u[at] - (p[1] * lz - p[2] * ly)
            ay = u[at + 1] - (p[2] * lx - p[0] * lz)
            az = u[at + 2] - (p[0] * ly - p[1] * lx)
            gx = R[0] * lx + R[3] * ly + R[6] * lz - h_rel[3]
            gy = R[1] * lx + R[4] * ly + R[7] * lz - h_rel[4]
            gz = R[2] * lx + R[5] * ly + R[8] * lz - h_rel[5]
            bx = R[0] * ax + R[3] * ay + R[6] * az - h_rel[0]
            by = R[1] * ax + R[4] * ay + R[7] * az - h_rel[1]
            bz = R[2] * ax + R[5] * ay + R[8] * az - h_rel[2]
            V = base.V
            V[0], V[1], V[2], V[3], V[4], V[5] = divide_by_inertia(total, bx, by, bz, gx, gy, gz)
        elif base.kind == GROUND:
            for k in range(6):
                base.V[k] = 0.0


@inlined
def divide_by_inertia(inertia, ax, ay, az, lx, ly, lz):
    """Motion vector whose momentum under a rigid inertia is given; Eq. (M7)."""
    m = inertia[0]
    cx, cy, cz = inertia[1] / m, inertia[2] / m, inertia[3] / m
    # About the centre of mass.
    ax, ay, az = ax - (cy * lz - cz * ly), ay - (cz * lx - cx * lz), az - (cx * ly - cy * lx)
    xx = inertia[4] - m * (cy * cy + cz * cz)
    yy = inertia[5] - m * (cx * cx + cz * cz)
    zz = inertia[6] - m * (cx * cx + cy * cy)
    xy, xz, yz = inertia[7] + m * cx * cy, inertia[8] + m * cx * cz, inertia[9] + m * cy * cz
    c0, c1, c2 = yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy
    det = xx * c0 + xy * c1 + xz * c2
    wx = (c0 * ax + c1 * ay + c2 * az) / det
    wy = (c1 * ax + (xx * zz - xz * xz) * ay + (xy * xz - xx * yz) * az) / det
    wz = (c2 * ax + (xy * xz - xx * yz) * ay + (xx * yy - xy * xy) * az) / det
    return (
        wx,
        wy,
        wz,
        lx / m + (cy * wz - cz * wy),
        ly / m + (cz * wx - cx * wz),
        lz / m + (cx * wy - cy * wx),
    )


@kernel
def link_velocities(links, gravity):
    """Velocity, momentum and bias of every link from the velocities of bases and joints; Eq. (M8).

    Expects the velocity of each base in `V`. Leaves in `A` the accelerations of the links while those of bases and
    joints are zero, in `f` the forces that this motion needs. Gravity acts as an upward acceleration of the ground;
    free trees fall as a whole and do not feel it.
    """
    for i in range(links.shape[0]):
        link = links[i]
        V, V_rel, A, f, h = link.V, link.V_rel, link.A, link.f, link.h
        if link.parent < 0:
            for k in range(6):
                A[k] = 0.0
            if link.kind == GROUND:
                A[3], A[4], A[5] = -gravity[0], -gravity[1], -gravity[2]
            base_V = link.V
        else:
            base_V = links[link.root].V
            add_coriolis(A, links[link.parent], V_rel)
        b0, b1, b2, b3, b4, b5 = base_V[0], base_V[1], base_V[2], base_V[3], base_V[4], base_V[5]
        wx, wy, wz = V_rel[0] + b0, V_rel[1] + b1, V_rel[2] + b2
        vx, vy, vz = V_rel[3] + b3, V_rel[4] + b4, V_rel[5] + b5
        g0, g1, g2, g3, g4, g5 = times_inertia(link.inertia, b0, b1, b2, b3, b4, b5)
        g0, g1, g2 = g0 + h[0], g1 + h[1], g2 + h[2]
        g3, g4, g5 = g3 + h[3], g4 + h[4], g5 + h[5]
        V[0], V[1], V[2], V[3], V[4], V[5] = wx, wy, wz, vx, vy, vz
        h[0], h[1], h[2], h[3], h[4], h[5] = g0, g1, g2, g3, g4, g5
        f0, f1, f2, f3, f4, f5 = times_inertia(link.inertia, A[0], A[1], A[2], A[3], A[4], A[5])
        f[0] = f0 + wy * g2 - wz * g1 + vy * g5 - vz * g4
        f[1] = f1 + wz * g0 - wx * g2 + vz * g3 - vx * g5
        f[2] = f2 + wx * g1 - wy * g0 + vx * g4 - vy * g3
        f[3] = f3 + wy * g5 - wz * g4
        f[4] = f4 + wz * g3 - wx * g5
        f[5] = f5 + wx * g4 - wy * g3


@inlined
def add_coriolis(A, parent, V_rel):
    """Acceleration of the parent plus V_P x (S u)."""
    V, Q, B = parent.V, parent.V_rel, parent.A
    sx, sy, sz = V_rel[0] - Q[0], V_rel[1] - Q[1], V_rel[2] - Q[2]
    tx, ty, tz = V_rel[3] - Q[3], V_rel[4] - Q[4], V_rel[5] - Q[5]
    wx, wy, wz, vx, vy, vz = V[0], V[1], V[2], V[3], V[4], V[5]
    A[0] = B[0] + wy * sz - wz * sy
    A[1] = B[1] + wz * sx - wx * sz
    A[2] = B[2] + wx * sy - wy * sx
    A[3] = B[3] + wy * tz - wz * ty + vy * sz - vz * sy
    A[4] = B[4] + wz * tx - wx * tz + vz * sx - vx * sz
    A[5] = B[5] + wx * ty - wy * tx + vx * sy - vy * sx
