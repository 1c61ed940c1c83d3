"""Inertias in the base frame: of each link, of all that an axis carries, and of whole trees."""

from softdock.native.decorators import inline, kernel
from softdock.native.simd import LANES, fma, load
from softdock.tree.kernels.fused_algebra import (
    add_dot,
    cross,
    dot,
    load3,
    load6,
    load10,
    read_ten,
    store6,
    store10,
    times_inertia,
    write_six,
)
from softdock.tree.kernels.tree import FREE


@kernel
def sum_inertias(system, u):
    """Write the inertias of placed links and of whole trees, and the momentum due to joint speeds; Eqs. (M3)-(M5)."""
    links, motions, groups, group_motions = system.links, system.motions, system.groups, system.group_motions
    for g in range(groups.shape[0]):
        transform_inertias(group_motions[g])
    for g in range(groups.shape[0] - 1, -1, -1):
        compose(groups[g], group_motions[g])
        if g > 0:
            add_to_earlier_groups(groups, group_motions, g)
    for i in range(links.shape[0]):
        if links[i].kind == FREE:
            sum_tree(links[i], motions[i], groups, group_motions, u)


@inline
def transform_inertias(motion):
    """Write the inertia of each link of a group in base axes about the base's origin; Eq. (M3)."""
    px, py, pz = load3(motion.p, 0)
    xx, xy, xz = load3(motion.R, 0)
    yx, yy, yz = load3(motion.R, 3)
    zx, zy, zz = load3(motion.R, 6)
    m, cx, cy, cz, ixx, iyy, izz, ixy, ixz, iyz = load10(motion.deformed)
    hx, hy, hz = dot(xx, xy, xz, cx, cy, cz), dot(yx, yy, yz, cx, cy, cz), dot(zx, zy, zz, cx, cy, cz)
    gx, gy, gz = fma(m, px, hx), fma(m, py, hy), fma(m, pz, hz)  # mass times centre, from B's origin
    dx, dy, dz = px * (hx + gx), py * (hy + gy), pz * (hz + gz)
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
    inertia = (
        m,
        gx,
        gy,
        gz,
        add_dot(dy + dz, x0, x1, x2, xx, xy, xz),
        add_dot(dx + dz, y0, y1, y2, yx, yy, yz),
        add_dot(dx + dy, z0, z1, z2, zx, zy, zz),
        add_dot(fma(-py, hx, -(px * gy)), x0, x1, x2, yx, yy, yz),
        add_dot(fma(-pz, hx, -(px * gz)), x0, x1, x2, zx, zy, zz),
        add_dot(fma(-pz, hy, -(py * gz)), y0, y1, y2, zx, zy, zz),
    )
    store10(motion.inertia, inertia)
    store10(motion.composite, inertia)


@inline
def compose(group, motion):
    """Sum the inertias of all that each axis carries, and their momentum at its unit speed; Eq. (M9)."""
    C, above = motion.composite, group.above
    m = load(above, 0, 0)
    c0, c1, c2, c3, c4 = m * C[0, 0], m * C[1, 0], m * C[2, 0], m * C[3, 0], m * C[4, 0]
    c5, c6, c7, c8, c9 = m * C[5, 0], m * C[6, 0], m * C[7, 0], m * C[8, 0], m * C[9, 0]
    for j in range(1, group.count):
        m = load(above, j, 0)
        c0, c1, c2 = fma(m, C[0, j], c0), fma(m, C[1, j], c1), fma(m, C[2, j], c2)
        c3, c4, c5 = fma(m, C[3, j], c3), fma(m, C[4, j], c4), fma(m, C[5, j], c5)
        c6, c7, c8, c9 = fma(m, C[6, j], c6), fma(m, C[7, j], c7), fma(m, C[8, j], c8), fma(m, C[9, j], c9)
    sums = (c0, c1, c2, c3, c4, c5, c6, c7, c8, c9)
    store10(C, sums)
    store6(motion.F, times_inertia(sums, load6(motion.S)))


@inline
def add_to_earlier_groups(groups, group_motions, g):
    """Add the composite inertias of axes whose parents are in earlier groups to those of the parents."""
    group, composite = groups[g], group_motions[g].composite
    for j in range(group.count):
        parent = group.parent[j]
        if 0 <= parent < LANES * g:
            other, lane = group_motions[parent // LANES].composite, parent % LANES
            for k in range(10):
                other[k, lane] += composite[k, j]


@inline
def sum_tree(base, motion, groups, group_motions, u):
    """Write the inertia of a free tree and the momentum due to its joint speeds; Eq. (M5)."""
    m, x, y, z, xx, yy, zz, xy, xz, yz = read_ten(motion.deformed)
    h0, h1, h2, h3, h4, h5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for c in range(base.column, base.column + base.columns):
        group, j = groups[c // LANES], c % LANES
        F, speed = group_motions[c // LANES].F, u[group.at_u[j]]
        h0, h1, h2 = fma(F[0, j], speed, h0), fma(F[1, j], speed, h1), fma(F[2, j], speed, h2)
        h3, h4, h5 = fma(F[3, j], speed, h3), fma(F[4, j], speed, h4), fma(F[5, j], speed, h5)
        if group.parent[j] < 0:
            C = group_motions[c // LANES].composite
            m, x, y, z = m + C[0, j], x + C[1, j], y + C[2, j], z + C[3, j]
            xx, yy, zz = xx + C[4, j], yy + C[5, j], zz + C[6, j]
            xy, xz, yz = xy + C[7, j], xz + C[8, j], yz + C[9, j]
    write_six(motion.h_rel, (h0, h1, h2, h3, h4, h5))
    out = motion.total
    out[0], out[1], out[2], out[3] = m, x, y, z
    out[4], out[5], out[6], out[7], out[8], out[9] = xx, yy, zz, xy, xz, yz
    motion.flexible = 0
    find_centre(motion, m, x, y, z, xx, yy, zz, xy, xz, yz)


@inline
def find_centre(motion, m, hx, hy, hz, xx, yy, zz, xy, xz, yz):
    """Write the centre of mass of a tree, and the inverse of its inertia about it, by cofactors; Eq. (M7).

    Arguments are mass, mass times centre and inertia about the base's origin.
    """
    per_mass = 1.0 / m
    cx, cy, cz = hx * per_mass, hy * per_mass, hz * per_mass
    xx, yy = fma(-cz, hz, fma(-cy, hy, xx)), fma(-cz, hz, fma(-cx, hx, yy))
    zz, xy = fma(-cy, hy, fma(-cx, hx, zz)), fma(cx, hy, xy)
    xz, yz = fma(cx, hz, xz), fma(cy, hz, yz)
    c0, c1, c2 = cross(xy, yy, yz, xz, yz, zz)
    c3, c4, c5 = fma(xx, zz, -(xz * xz)), fma(xy, xz, -(xx * yz)), fma(xx, yy, -(xy * xy))
    per_det = 1.0 / dot(xx, xy, xz, c0, c1, c2)
    write_six(
        motion.inverse_inertia,
        (c0 * per_det, c3 * per_det, c5 * per_det, c1 * per_det, c2 * per_det, c4 * per_det),
    )
    motion.centre[0], motion.centre[1], motion.centre[2] = cx, cy, cz


@inline
def write_compliance(motion):
    """Write the acceleration of a rigid free tree per wrench on it (6x6), in the base frame; Eq. (M10)."""
    J, c, M = motion.inverse_inertia, motion.centre, motion.inverse
    x, y, z, per_mass = c[0], c[1], c[2], 1.0 / motion.total[0]
    M[0, 0], M[0, 1], M[0, 2] = J[0], J[3], J[4]
    M[1, 0], M[1, 1], M[1, 2] = J[3], J[1], J[5]
    M[2, 0], M[2, 1], M[2, 2] = J[4], J[5], J[2]
    for k in range(3):  # a force rotates the tree by its moment about the centre
        M[k, 3], M[k, 4], M[k, 5] = cross(x, y, z, M[k, 0], M[k, 1], M[k, 2])
        M[3, k], M[4, k], M[5, k] = M[k, 3], M[k, 4], M[k, 5]
    for k in range(3, 6):
        M[3, k], M[4, k], M[5, k] = cross(x, y, z, M[0, k], M[1, k], M[2, k])
    for k in range(3, 6):
        M[k, k] += per_mass


@inline
def write_inertia(motion):
    """Write the inertia of a free tree as a 6x6 matrix into the memory of its inverse."""
    T, M = motion.total, motion.inverse
    for i in range(6):
        for j in range(6):
            M[i, j] = 0.0
        M[i, i] = T[4 + i] if i < 3 else T[0]
    M[0, 1], M[0, 2], M[1, 2] = T[7], T[8], T[9]
    M[1, 0], M[2, 0], M[2, 1] = T[7], T[8], T[9]
    M[0, 4], M[0, 5], M[1, 5] = -T[3], T[2], -T[1]
    M[1, 3], M[2, 3], M[2, 4] = T[3], -T[2], T[1]
    M[4, 0], M[5, 0], M[5, 1] = -T[3], T[2], -T[1]
    M[3, 1], M[3, 2], M[4, 2] = T[3], -T[2], T[1]


@inline
def inertia_of(link, motion, group_motions):
    """Return mass, mass times centre and inertia (ten numbers) of a moving link, deformed, in link axes."""
    if link.kind == FREE:
        return read_ten(motion.deformed)
    last = link.column + link.rows - 1
    own, j = group_motions[last // LANES].deformed, last % LANES
    return (
        own[0, j], own[1, j], own[2, j], own[3, j], own[4, j], own[5, j], own[6, j], own[7, j], own[8, j], own[9, j],
    )  # fmt: skip
