"""Positions, velocities and momenta of the links, in the base frame of each tree.

What follows from link to link (poses, relative velocities) is computed link by link. What each link can do for itself
(its joint, inertia, momentum, bias) is computed for LANES links side by side: plain loops over the columns of a
group, which the compiler turns into vector instructions.
"""

from softdock.jit import inlined, kernel
from softdock.multibody.kernels.poses import moderate, sine_and_cosine
from softdock.multibody.kernels.tree import BALL, FREE, GROUND, LANES, PRISMATIC, REVOLUTE


@inlined
def dot(ax, ay, az, bx, by, bz):
    """Scalar product of two 3-vectors."""
    return ax * bx + ay * by + az * bz


@inlined
def add_dot(c, ax, ay, az, bx, by, bz):
    """Add the scalar product of two 3-vectors to c."""
    return c + ax * bx + ay * by + az * bz


@kernel
def place_links(links, axes, q):
    """Place every link and its axes in the base frame; Eqs. (M1), (M2).

    The first call also writes the model of the links into their groups; it must not change afterwards.
    """
    n = links.shape[0]
    for i in range(n):
        link, lane = links[i], i % LANES
        group, kind, at = links[i - lane].group, link.kind, link.at_q
        if link.laid_out == 0:
            lay_out(link, group, lane)
        if kind == REVOLUTE:
            group.angle[lane] = moderate(q[at])
        elif kind == PRISMATIC:
            group.slide[lane] = q[at]
        elif kind == FREE:
            place_base(
                link, q[at], q[at + 1], q[at + 2], rotation(q[at + 3], q[at + 4], q[at + 5], q[at + 6])
            )
    for i in range(0, n, LANES):
        place_joints(links[i].group)
    for i in range(n):
        link, lane = links[i], i % LANES
        if link.parent >= 0:
            at, group = link.at_u, links[i - lane].group
            if link.kind == BALL:
                k = link.at_q
                turn_ball(group, lane, rotation(q[k], q[k + 1], q[k + 2], q[k + 3]))
                place_child(link, links[link.parent], group, lane)
                set_ball_axes(link, axes[at], axes[at + 1], axes[at + 2])
            else:
                place_child(link, links[link.parent], group, lane)
                set_axis(link, axes[at])


@inlined
def lay_out(link, group, lane):
    """Write the model of a link into its group."""
    for k in range(9):
        group.R_PJ[k, lane] = link.R_PJ[k]
    for k in range(3):
        group.p_PJ[k, lane] = link.p_PJ[k]
    for k in range(10):
        group.own[k, lane] = link.own[k]
    if link.parent < 0:
        for k in range(0, 9, 4):
            link.R[k] = 1.0
            group.R[k, lane] = 1.0
    link.laid_out = 1


@inlined
def place_base(link, x, y, z, rows):
    """Pose of a free base in N."""
    p, R = link.p_NB, link.R_NB
    p[0], p[1], p[2] = x, y, z
    R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8] = rows


@inlined
def place_joints(group):
    """Pose of each link in its parent, from the angle or the slide of its joint; Eq. (M1)."""
    J, d, R, p, angle, slide = group.R_PJ, group.p_PJ, group.R_PL, group.p_PL, group.angle, group.slide
    for i in range(LANES):
        s, c = sine_and_cosine(angle[i])
        xx, xy, xz, yx, yy, yz, zx, zy, zz = (
            J[0, i], J[1, i], J[2, i], J[3, i], J[4, i], J[5, i], J[6, i], J[7, i], J[8, i],
        )  # fmt: skip
        R[0, i], R[1, i], R[2, i] = c * xx + s * xy, c * xy - s * xx, xz
        R[3, i], R[4, i], R[5, i] = c * yx + s * yy, c * yy - s * yx, yz
        R[6, i], R[7, i], R[8, i] = c * zx + s * zy, c * zy - s * zx, zz
        slid = slide[i]
        p[0, i], p[1, i], p[2, i] = d[0, i] + xz * slid, d[1, i] + yz * slid, d[2, i] + zz * slid


@inlined
def place_child(link, parent, group, lane):
    """Pose of a link in the base frame from that of its parent; Eq. (M2)."""
    A, B, d = parent.R, group.R_PL, group.p_PL
    a0, a1, a2, a3, a4, a5, a6, a7, a8 = A[0], A[1], A[2], A[3], A[4], A[5], A[6], A[7], A[8]
    bx, by, bz = d[0, lane], d[1, lane], d[2, lane]
    px = add_dot(parent.p[0], a0, a1, a2, bx, by, bz)
    py = add_dot(parent.p[1], a3, a4, a5, bx, by, bz)
    pz = add_dot(parent.p[2], a6, a7, a8, bx, by, bz)
    bx, by, bz = B[0, lane], B[3, lane], B[6, lane]
    xx, yx, zx = dot(a0, a1, a2, bx, by, bz), dot(a3, a4, a5, bx, by, bz), dot(a6, a7, a8, bx, by, bz)
    bx, by, bz = B[1, lane], B[4, lane], B[7, lane]
    xy, yy, zy = dot(a0, a1, a2, bx, by, bz), dot(a3, a4, a5, bx, by, bz), dot(a6, a7, a8, bx, by, bz)
    bx, by, bz = B[2, lane], B[5, lane], B[8, lane]
    xz, yz, zz = dot(a0, a1, a2, bx, by, bz), dot(a3, a4, a5, bx, by, bz), dot(a6, a7, a8, bx, by, bz)
    R, p = link.R, link.p
    R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8] = xx, xy, xz, yx, yy, yz, zx, zy, zz
    p[0], p[1], p[2] = px, py, pz
    R, p = group.R, group.p
    R[0, lane], R[1, lane], R[2, lane] = xx, xy, xz
    R[3, lane], R[4, lane], R[5, lane] = yx, yy, yz
    R[6, lane], R[7, lane], R[8, lane] = zx, zy, zz
    p[0, lane], p[1, lane], p[2, lane] = px, py, pz


@inlined
def turn_ball(group, i, C):
    """Turn a link in its parent by the rotation of a ball joint."""
    R = group.R_PL
    for k in range(0, 9, 3):
        x, y, z = R[k, i], R[k + 1, i], R[k + 2, i]
        R[k, i], R[k + 1, i], R[k + 2, i] = (
            dot(x, y, z, C[0], C[3], C[6]),
            dot(x, y, z, C[1], C[4], C[7]),
            dot(x, y, z, C[2], C[5], C[8]),
        )


@inlined
def set_axis(link, axis):
    """Motion of a single axis, along the z axis of its link."""
    R, p, S = link.R, link.p, axis.S
    if link.kind == REVOLUTE:
        set_turning_axis(S, R[2], R[5], R[8], p[0], p[1], p[2])
    else:
        S[0], S[1], S[2], S[3], S[4], S[5] = 0.0, 0.0, 0.0, R[2], R[5], R[8]


@inlined
def set_ball_axes(link, a, b, c):
    """Motions of a ball joint, about the axes of its link."""
    R, p = link.R, link.p
    set_turning_axis(a.S, R[0], R[3], R[6], p[0], p[1], p[2])
    set_turning_axis(b.S, R[1], R[4], R[7], p[0], p[1], p[2])
    set_turning_axis(c.S, R[2], R[5], R[8], p[0], p[1], p[2])


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
def move_inertias(group):
    """Inertia of each link in base axes about the base's origin, and its relative momentum; Eqs. (M3), (M4)."""
    R, p, own, out, V, h = group.R, group.p, group.own, group.inertia, group.V_rel, group.h
    for i in range(LANES):
        px, py, pz = p[0, i], p[1, i], p[2, i]
        xx, xy, xz, yx, yy, yz, zx, zy, zz = (
            R[0, i], R[1, i], R[2, i], R[3, i], R[4, i], R[5, i], R[6, i], R[7, i], R[8, i],
        )  # fmt: skip
        m, cx, cy, cz = own[0, i], own[1, i], own[2, i], own[3, i]
        ixx, iyy, izz, ixy, ixz, iyz = own[4, i], own[5, i], own[6, i], own[7, i], own[8, i], own[9, i]
        hx, hy, hz = dot(xx, xy, xz, cx, cy, cz), dot(yx, yy, yz, cx, cy, cz), dot(zx, zy, zz, cx, cy, cz)
        gx, gy, gz = hx + m * px, hy + m * py, hz + m * pz  # mass times centre, from B's origin
        dx, dy, dz = px * hx + px * gx, py * hy + py * gy, pz * hz + pz * gz
        # Rows of R times the inertia.
        x0, x1, x2 = (
            dot(xx, xy, xz, ixx, ixy, ixz),
            dot(xx, xy, xz, ixy, iyy, iyz),
            dot(xx, xy, xz, ixz, iyz, izz),
        )
        y0, y1, y2 = (
            dot(yx, yy, yz, ixx, ixy, ixz),
            dot(yx, yy, yz, ixy, iyy, iyz),
            dot(yx, yy, yz, ixz, iyz, izz),
        )
        z0, z1, z2 = (
            dot(zx, zy, zz, ixx, ixy, ixz),
            dot(zx, zy, zz, ixy, iyy, iyz),
            dot(zx, zy, zz, ixz, iyz, izz),
        )
        xx, xy, xz, yy, yz, zz = (
            add_dot(dy + dz, x0, x1, x2, xx, xy, xz),
            dot(x0, x1, x2, yx, yy, yz) - py * hx - px * gy,
            dot(x0, x1, x2, zx, zy, zz) - pz * hx - px * gz,
            add_dot(dx + dz, y0, y1, y2, yx, yy, yz),
            dot(y0, y1, y2, zx, zy, zz) - pz * hy - py * gz,
            add_dot(dx + dy, z0, z1, z2, zx, zy, zz),
        )
        out[0, i], out[1, i], out[2, i], out[3, i] = m, gx, gy, gz
        out[4, i], out[5, i], out[6, i], out[7, i], out[8, i], out[9, i] = xx, yy, zz, xy, xz, yz
        h[0, i], h[1, i], h[2, i], h[3, i], h[4, i], h[5, i] = times_inertia(
            m, gx, gy, gz, xx, yy, zz, xy, xz, yz, V[0, i], V[1, i], V[2, i], V[3, i], V[4, i], V[5, i]
        )


@inlined
def times_inertia(m, hx, hy, hz, ixx, iyy, izz, ixy, ixz, iyz, wx, wy, wz, vx, vy, vz):
    """Spatial inertia times a motion vector; Eq. (M4)."""
    return (
        dot(ixx, ixy, ixz, wx, wy, wz) + hy * vz - hz * vy,
        dot(ixy, iyy, iyz, wx, wy, wz) + hz * vx - hx * vz,
        dot(ixz, iyz, izz, wx, wy, wz) + hx * vy - hy * vx,
        m * vx + hz * wy - hy * wz,
        m * vy + hx * wz - hz * wx,
        m * vz + hy * wx - hx * wy,
    )


@inlined
def motion_cross(wx, wy, wz, vx, vy, vz, sx, sy, sz, tx, ty, tz):
    """Spatial cross product of two motion vectors, (w, v) x (s, t)."""
    return (
        wy * sz - wz * sy,
        wz * sx - wx * sz,
        wx * sy - wy * sx,
        vy * sz - vz * sy + wy * tz - wz * ty,
        vz * sx - vx * sz + wz * tx - wx * tz,
        vx * sy - vy * sx + wx * ty - wy * tx,
    )


@kernel
def joint_velocities(links, axes, u):
    """Velocity of placed links relative to their base, inertia, and the momentum of both; Eqs. (M3)-(M5).

    `u` holds the speeds of all axes; the six places of a free base are not read.
    """
    n = links.shape[0]
    for i in range(n):
        link, lane = links[i], i % LANES
        if link.parent >= 0:
            at, up = link.at_u, link.parent % LANES
            S, s = axes[at].S, u[at]
            s0, s1, s2, s3, s4, s5 = S[0] * s, S[1] * s, S[2] * s, S[3] * s, S[4] * s, S[5] * s
            for row in range(at + 1, at + link.rows):
                S, s = axes[row].S, u[row]
                s0, s1, s2 = s0 + S[0] * s, s1 + S[1] * s, s2 + S[2] * s
                s3, s4, s5 = s3 + S[3] * s, s4 + S[4] * s, s5 + S[5] * s
            move_child(links[link.parent - up].group, up, links[i - lane].group, lane, s0, s1, s2, s3, s4, s5)
    for i in range(0, n, LANES):
        move_inertias(links[i].group)
    for i in range(n):
        if links[i].kind == FREE:
            sum_tree(links, i)


@inlined
def sum_tree(links, root):
    """Inertia of a free tree, whose links follow each other, and the momentum that its joints make."""
    m, x, y, z, xx, yy, zz, xy, xz, yz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    h0, h1, h2, h3, h4, h5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    i = root
    while i < links.shape[0] and links[i].root == root:
        k = i % LANES
        group = links[i - k].group
        own, h = group.inertia, group.h
        m, x, y, z = m + own[0, k], x + own[1, k], y + own[2, k], z + own[3, k]
        xx, yy, zz = xx + own[4, k], yy + own[5, k], zz + own[6, k]
        xy, xz, yz = xy + own[7, k], xz + own[8, k], yz + own[9, k]
        h0, h1, h2, h3, h4, h5 = (
            h0 + h[0, k],
            h1 + h[1, k],
            h2 + h[2, k],
            h3 + h[3, k],
            h4 + h[4, k],
            h5 + h[5, k],
        )
        i += 1
    out = links[root].total
    out[0], out[1], out[2], out[3] = m, x, y, z
    out[4], out[5], out[6], out[7], out[8], out[9] = xx, yy, zz, xy, xz, yz
    out = links[root].h_rel
    out[0], out[1], out[2], out[3], out[4], out[5] = h0, h1, h2, h3, h4, h5


@inlined
def move_child(above, up, group, lane, s0, s1, s2, s3, s4, s5):
    """Velocity of a link relative to its base, and its acceleration while base and joints do not accelerate."""
    V, A = above.V_rel, above.A_rel
    wx, wy, wz = V[0, up] + s0, V[1, up] + s1, V[2, up] + s2
    vx, vy, vz = V[3, up] + s3, V[4, up] + s4, V[5, up] + s5
    # The joint's axes move with the link, and V_P x (S u) = V x (S u).
    a0, a1, a2, a3, a4, a5 = motion_cross(wx, wy, wz, vx, vy, vz, s0, s1, s2, s3, s4, s5)
    a0, a1, a2 = a0 + A[0, up], a1 + A[1, up], a2 + A[2, up]
    a3, a4, a5 = a3 + A[3, up], a4 + A[4, up], a5 + A[5, up]
    V, A = group.V_rel, group.A_rel
    V[0, lane], V[1, lane], V[2, lane], V[3, lane], V[4, lane], V[5, lane] = wx, wy, wz, vx, vy, vz
    A[0, lane], A[1, lane], A[2, lane], A[3, lane], A[4, lane], A[5, lane] = a0, a1, a2, a3, a4, a5


@kernel
def base_velocities(links, u):
    """Velocity of every free base from the momentum of its tree; Eqs. (M6), (M7).

    The six places of a free base in `u` hold the momentum of its whole tree about N's origin, in N axes.
    """
    for i in range(links.shape[0]):
        base = links[i]
        if base.kind == FREE:
            at = base.at_u
            p, R, h, V = base.p_NB, base.R_NB, base.h_rel, base.V
            lx, ly, lz = u[at + 3], u[at + 4], u[at + 5]
            ax = u[at] - p[1] * lz + p[2] * ly
            ay = u[at + 1] - p[2] * lx + p[0] * lz
            az = u[at + 2] - p[0] * ly + p[1] * lx
            V[0], V[1], V[2], V[3], V[4], V[5] = divide_by_inertia(
                base.total,
                add_dot(-h[0], R[0], R[3], R[6], ax, ay, az),
                add_dot(-h[1], R[1], R[4], R[7], ax, ay, az),
                add_dot(-h[2], R[2], R[5], R[8], ax, ay, az),
                add_dot(-h[3], R[0], R[3], R[6], lx, ly, lz),
                add_dot(-h[4], R[1], R[4], R[7], lx, ly, lz),
                add_dot(-h[5], R[2], R[5], R[8], lx, ly, lz),
            )


@inlined
def divide_by_inertia(inertia, ax, ay, az, lx, ly, lz):
    """Motion vector whose momentum under a rigid inertia is given; Eq. (M7)."""
    m, hx, hy, hz = inertia[0], inertia[1], inertia[2], inertia[3]
    per_mass = 1.0 / m
    cx, cy, cz = hx * per_mass, hy * per_mass, hz * per_mass
    # About the centre of mass.
    ax, ay, az = ax - cy * lz + cz * ly, ay - cz * lx + cx * lz, az - cx * ly + cy * lx
    xx = inertia[4] - cz * hz - cy * hy
    yy = inertia[5] - cz * hz - cx * hx
    zz = inertia[6] - cy * hy - cx * hx
    xy, xz, yz = inertia[7] + cx * hy, inertia[8] + cx * hz, inertia[9] + cy * hz
    # Inverse by cofactors.
    c0, c1, c2 = yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy
    c3, c4, c5 = xx * zz - xz * xz, xy * xz - xx * yz, xx * yy - xy * xy
    per_det = 1.0 / dot(xx, xy, xz, c0, c1, c2)
    wx = dot(c0, c1, c2, ax, ay, az) * per_det
    wy = dot(c1, c3, c4, ax, ay, az) * per_det
    wz = dot(c2, c4, c5, ax, ay, az) * per_det
    return (
        wx,
        wy,
        wz,
        lx * per_mass + cy * wz - cz * wy,
        ly * per_mass + cz * wx - cx * wz,
        lz * per_mass + cx * wy - cy * wx,
    )


@kernel
def link_velocities(links, gravity):
    """Velocity, momentum and bias of every link from the velocities of bases and joints; Eq. (M8).

    Expects the velocity of each free base in `V`. Leaves in `f` the forces that the motion needs while bases and
    joints do not accelerate. Gravity acts as an upward acceleration of the ground; free trees fall as a whole and
    do not feel it.
    """
    n = links.shape[0]
    for i in range(n):
        link, lane = links[i], i % LANES
        base, group = links[link.root], links[i - lane].group
        add_base_velocity(link, base, group, lane)
        if base.kind == GROUND and link.kind != GROUND:
            for k in range(3):
                group.A_rel[3 + k, lane] -= gravity[k]
        if link.kind == FREE:
            keep_momentum(link)
    for i in range(0, n, LANES):
        find_biases(links[i].group)


@inlined
def keep_momentum(base):
    """Momentum of a free tree about the origin of its base, in base axes."""
    total, V, h_rel, h = base.total, base.V, base.h_rel, base.h
    h0, h1, h2, h3, h4, h5 = times_inertia(
        total[0], total[1], total[2], total[3], total[4], total[5], total[6], total[7], total[8], total[9],
        V[0], V[1], V[2], V[3], V[4], V[5],
    )  # fmt: skip
    h[0], h[1], h[2] = h0 + h_rel[0], h1 + h_rel[1], h2 + h_rel[2]
    h[3], h[4], h[5] = h3 + h_rel[3], h4 + h_rel[4], h5 + h_rel[5]


@inlined
def add_base_velocity(link, base, group, i):
    """Velocity of a link against N."""
    V, V_rel, b = link.V, group.V_rel, base.V
    v0, v1, v2 = b[0] + V_rel[0, i], b[1] + V_rel[1, i], b[2] + V_rel[2, i]
    v3, v4, v5 = b[3] + V_rel[3, i], b[4] + V_rel[4, i], b[5] + V_rel[5, i]
    V[0], V[1], V[2], V[3], V[4], V[5] = v0, v1, v2, v3, v4, v5
    V = group.V
    V[0, i], V[1, i], V[2, i], V[3, i], V[4, i], V[5, i] = v0, v1, v2, v3, v4, v5


@inlined
def find_biases(group):
    """Momentum against N, bias, and the rigid inertia as symmetric 6x6: articulation begins there; Eq. (M8)."""
    V, V_rel, A_rel, h, f = group.V, group.V_rel, group.A_rel, group.h, group.f
    own, M = group.inertia, group.IA
    for i in range(LANES):
        wx, wy, wz, vx, vy, vz = V[0, i], V[1, i], V[2, i], V[3, i], V[4, i], V[5, i]
        s0, s1, s2, s3, s4, s5 = V_rel[0, i], V_rel[1, i], V_rel[2, i], V_rel[3, i], V_rel[4, i], V_rel[5, i]
        m, x, y, z = own[0, i], own[1, i], own[2, i], own[3, i]
        xx, yy, zz, xy, xz, yz = own[4, i], own[5, i], own[6, i], own[7, i], own[8, i], own[9, i]
        a0, a1, a2, a3, a4, a5 = motion_cross(wx, wy, wz, vx, vy, vz, s0, s1, s2, s3, s4, s5)
        a0, a1, a2 = a0 + A_rel[0, i], a1 + A_rel[1, i], a2 + A_rel[2, i]
        a3, a4, a5 = a3 + A_rel[3, i], a4 + A_rel[4, i], a5 + A_rel[5, i]
        f0, f1, f2, f3, f4, f5 = times_inertia(m, x, y, z, xx, yy, zz, xy, xz, yz, a0, a1, a2, a3, a4, a5)
        h0, h1, h2, h3, h4, h5 = times_inertia(m, x, y, z, xx, yy, zz, xy, xz, yz, wx, wy, wz, vx, vy, vz)
        h[0, i], h[1, i], h[2, i], h[3, i], h[4, i], h[5, i] = h0, h1, h2, h3, h4, h5
        f[0, i] = f0 + wy * h2 - wz * h1 + vy * h5 - vz * h4
        f[1, i] = f1 + wz * h0 - wx * h2 + vz * h3 - vx * h5
        f[2, i] = f2 + wx * h1 - wy * h0 + vx * h4 - vy * h3
        f[3, i] = f3 + wy * h5 - wz * h4
        f[4, i] = f4 + wz * h3 - wx * h5
        f[5, i] = f5 + wx * h4 - wy * h3
        M[0, i] = xx
        M[1, i], M[2, i] = xy, yy
        M[3, i], M[4, i], M[5, i] = xz, yz, zz
        M[6, i], M[7, i], M[8, i], M[9, i] = 0.0, z, -y, m
        M[10, i], M[11, i], M[12, i], M[13, i], M[14, i] = -z, 0.0, x, 0.0, m
        M[15, i], M[16, i], M[17, i], M[18, i], M[19, i], M[20, i] = y, -x, 0.0, 0.0, 0.0, m
