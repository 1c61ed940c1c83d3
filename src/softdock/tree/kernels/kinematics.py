"""Positions and velocities of the links, in the base frame of each tree.

Poses follow from link to link and are computed link by link. All else is computed for LANES axes at once: the
velocities that axes add are summed along the paths of the tree.
"""

from softdock.native.decorators import inline, kernel
from softdock.native.simd import LANES, fma, gather, load, store
from softdock.spatial.kernels import matrix_from_quaternion
from softdock.tree.kernels.fused_algebra import (
    add_cross,
    add_dot,
    add_force_cross,
    add_motion_cross,
    dot,
    load3,
    load6,
    load10,
    motion_cross,
    read_six,
    read_ten,
    store6,
    sum_along,
    times_inertia,
    write_six,
)
from softdock.tree.kernels.sine_cosine import sine_and_cosine
from softdock.tree.kernels.tree import BALL, FREE, GROUND

ZERO_VECTOR = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@kernel
def place_links(system, q):
    """Place every link and its axes in the base frame; Eqs. (M1), (M2)."""
    links, motions, groups, group_motions = system.links, system.motions, system.groups, system.group_motions
    for g in range(groups.shape[0]):
        place_joints(groups[g], group_motions[g], q)
    for i in range(links.shape[0]):
        link, motion = links[i], motions[i]
        kind, at = link.kind, link.at_q
        if kind == FREE:
            p, R = motion.p_NB, motion.R_NB
            p[0], p[1], p[2] = q[at], q[at + 1], q[at + 2]
            R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8] = matrix_from_quaternion(
                q[at + 3], q[at + 4], q[at + 5], q[at + 6]
            )
        elif kind != GROUND:
            last = link.column + link.rows - 1
            group, lane = group_motions[last // LANES], last % LANES
            if kind == BALL:
                rotate_ball(group, lane, matrix_from_quaternion(q[at], q[at + 1], q[at + 2], q[at + 3]))
            place_child(motion, motions[link.parent], group, lane)
            if kind == BALL:
                for k in range(2):
                    column = link.column + k
                    place_inner_axis(motion, group_motions[column // LANES], column % LANES, k)
    for g in range(groups.shape[0]):
        write_joint_jacobians(groups[g], group_motions[g])


@inline
def place_joints(group, motion, q):
    """Write the pose of each link in its parent, from the angle or displacement of its joint; Eq. (M1)."""
    J, d, R, p = group.R_PJ, group.p_PJ, motion.R_PL, motion.p_PL
    position = gather(q, group.at_q)
    s, c = sine_and_cosine(position * load(group.hinge, 0, 0))
    slid = position * load(group.slides, 0, 0)
    for k in range(3):
        x, y, z = load3(J, 3 * k)
        store(R, 3 * k, 0, fma(c, x, s * y))
        store(R, 3 * k + 1, 0, fma(c, y, -(s * x)))
        store(R, 3 * k + 2, 0, z)
        store(p, k, 0, fma(z, slid, load(d, k, 0)))


@inline
def place_child(motion, parent, group, i):
    """Write the pose of a link in the base frame, from that of its parent; Eq. (M2). Arguments are motions."""
    A, B, d, R, p, R_BL, p_BL = parent.R, group.R_PL, group.p_PL, group.R, group.p, motion.R, motion.p
    b0, b1, b2, b3, b4, b5 = B[0, i], B[1, i], B[2, i], B[3, i], B[4, i], B[5, i]
    b6, b7, b8, dx, dy, dz = B[6, i], B[7, i], B[8, i], d[0, i], d[1, i], d[2, i]
    for k in range(3):
        x, y, z = A[3 * k], A[3 * k + 1], A[3 * k + 2]
        shift = add_dot(parent.p[k], x, y, z, dx, dy, dz)
        x, y, z = dot(x, y, z, b0, b3, b6), dot(x, y, z, b1, b4, b7), dot(x, y, z, b2, b5, b8)
        R_BL[3 * k], R_BL[3 * k + 1], R_BL[3 * k + 2], p_BL[k] = x, y, z, shift
        R[3 * k, i], R[3 * k + 1, i], R[3 * k + 2, i], p[k, i] = x, y, z, shift


@inline
def rotate_ball(group, i, C):
    """Turn a link in its parent by the rotation of a ball joint."""
    R = group.R_PL
    for k in range(0, 9, 3):
        x, y, z = R[k, i], R[k + 1, i], R[k + 2, i]
        R[k, i], R[k + 1, i], R[k + 2, i] = (
            dot(x, y, z, C[0], C[3], C[6]),
            dot(x, y, z, C[1], C[4], C[7]),
            dot(x, y, z, C[2], C[5], C[8]),
        )


@inline
def place_inner_axis(motion, group, i, component):
    """Set the z axis of a column to the x (0) or y (1) axis of a ball's link."""
    for k in range(3):
        group.R[3 * k + 2, i], group.p[k, i] = motion.R[3 * k + component], motion.p[k]


@inline
def write_joint_jacobians(group, motion):
    """Write `S`: motion of each axis at unit speed along or about its z axis, about the base's origin; Eq. (M2)."""
    turns, slides = load(group.turns, 0, 0), load(group.slides, 0, 0)
    zx, zy, zz = load(motion.R, 2, 0), load(motion.R, 5, 0), load(motion.R, 8, 0)
    px, py, pz = load3(motion.p, 0)
    x, y, z = turns * zx, turns * zy, turns * zz
    vx, vy, vz = add_cross(slides * zx, slides * zy, slides * zz, px, py, pz, x, y, z)
    store6(motion.S, (x, y, z, vx, vy, vz))


@kernel
def joint_velocities(system, u):
    """Write velocity and velocity-dependent acceleration of placed links relative to their base; Eqs. (M5), (M8).

    `u` holds the speeds of all axes; the six places of a free base are not read.
    """
    groups, group_motions = system.groups, system.group_motions
    for g in range(groups.shape[0]):
        group, motion = groups[g], group_motions[g]
        step, rate = motion.step, gather(u, group.at_u)
        s0, s1, s2, s3, s4, s5 = load6(motion.S)
        moving = (s0 * rate, s1 * rate, s2 * rate, s3 * rate, s4 * rate, s5 * rate)
        store6(step, moving)
        if g > 0:
            add_parent_motion(groups, group_motions, g, 0)
        V = sum_along(step, group.carries, group.count)
        store6(motion.V_rel, V)
        # The joint's axes move with the link, and V_P x (S u) = V x (S u).
        store6(step, motion_cross(V, moving))
        if g > 0:
            add_parent_motion(groups, group_motions, g, 1)
        store6(motion.A_rel, sum_along(step, group.carries, group.count))


@inline
def add_parent_motion(groups, group_motions, g, what):
    """Add the velocity (`what` = 0) or acceleration (1) of parents in earlier groups to that of their axes."""
    group, step = groups[g], group_motions[g].step
    for j in range(group.count):
        parent = group.parent[j]
        if 0 <= parent < LANES * g:
            other, lane = group_motions[parent // LANES], parent % LANES
            above = other.V_rel if what == 0 else other.A_rel
            for k in range(6):
                step[k, j] += above[k, lane]


@kernel
def base_velocities(links, motions, u):
    """Write the velocity of every free base, from the momentum of its tree; Eqs. (M6), (M7).

    The six places of a free base in `u` hold the momentum of its whole tree about N's origin, in N axes.
    """
    for i in range(links.shape[0]):
        if links[i].kind == FREE:
            base, at = motions[i], links[i].at_u
            p, R, h, c, J = base.p_NB, base.R_NB, base.h_rel, base.centre, base.inverse_inertia
            lx, ly, lz = u[at + 3], u[at + 4], u[at + 5]
            ax, ay, az = add_cross(u[at], u[at + 1], u[at + 2], lx, ly, lz, p[0], p[1], p[2])
            ax, ay, az = (
                add_dot(-h[0], R[0], R[3], R[6], ax, ay, az),
                add_dot(-h[1], R[1], R[4], R[7], ax, ay, az),
                add_dot(-h[2], R[2], R[5], R[8], ax, ay, az),
            )
            lx, ly, lz = (
                add_dot(-h[3], R[0], R[3], R[6], lx, ly, lz),
                add_dot(-h[4], R[1], R[4], R[7], lx, ly, lz),
                add_dot(-h[5], R[2], R[5], R[8], lx, ly, lz),
            )
            ax, ay, az = add_cross(ax, ay, az, lx, ly, lz, c[0], c[1], c[2])  # about the centre
            wx = dot(J[0], J[3], J[4], ax, ay, az)
            wy = dot(J[3], J[1], J[5], ax, ay, az)
            wz = dot(J[4], J[5], J[2], ax, ay, az)
            per_mass = 1.0 / base.total[0]
            vx, vy, vz = add_cross(lx * per_mass, ly * per_mass, lz * per_mass, c[0], c[1], c[2], wx, wy, wz)
            write_six(base.V, (wx, wy, wz, vx, vy, vz))


@kernel
def link_velocities(system):
    """Write velocity, momentum and bias of every link, from the velocities of bases and joints; Eq. (M8).

    Expects the velocity of each free base in `V`. Leaves in `f` the forces that the motion needs while bases and
    joints do not accelerate. Gravity acts as an upward acceleration of the ground; free trees fall as a whole and
    do not feel it.
    """
    links, motions, groups, group_motions = system.links, system.motions, system.groups, system.group_motions
    for g in range(groups.shape[0]):
        compute_group_motion(motions, groups[g], group_motions[g], system.world[0].gravity)
    for i in range(links.shape[0]):
        link, motion = links[i], motions[i]
        if link.kind == FREE:
            V = read_six(motion.V)
            h = times_inertia(read_ten(motion.deformed), V)
            write_six(motion.h, h)
            write_six(motion.f, add_force_cross(ZERO_VECTOR, V, h))
        elif link.kind != GROUND:
            last = link.column + link.rows - 1
            V, lane = group_motions[last // LANES].V, last % LANES
            write_six(motion.V, (V[0, lane], V[1, lane], V[2, lane], V[3, lane], V[4, lane], V[5, lane]))


@inline
def compute_group_motion(motions, group, motion, gravity):
    """Write velocity, velocity-dependent acceleration, momentum and bias of the links of a group."""
    relative = load6(motion.V_rel)
    v0, v1, v2, v3, v4, v5 = relative
    for k in range(LANES):
        if group.roots[k] < 0:
            break
        B, m = motions[group.roots[k]].V, load(group.members, k, 0)
        v0, v1, v2 = fma(m, B[0], v0), fma(m, B[1], v1), fma(m, B[2], v2)
        v3, v4, v5 = fma(m, B[3], v3), fma(m, B[4], v4), fma(m, B[5], v5)
    V = (v0, v1, v2, v3, v4, v5)
    store6(motion.V, V)
    a0, a1, a2, a3, a4, a5 = add_motion_cross(load6(motion.A_rel), V, relative)
    up = load(group.grounded, 0, 0)
    A = (a0, a1, a2, fma(up, -gravity[0], a3), fma(up, -gravity[1], a4), fma(up, -gravity[2], a5))
    store6(motion.A, A)
    inertia = load10(motion.inertia)
    h = times_inertia(inertia, V)
    store6(motion.h, h)
    store6(motion.f, add_force_cross(times_inertia(inertia, A), V, h))
