"""Forward dynamics in the base frame of each tree: the joint-space inertia with free bases eliminated, inverted.

The momentum of all that an axis carries (`F`) gives the inertia of the joints and their coupling with the free base.
Bases are eliminated first, which couples all axes of a tree; the rest is inverted by sweeps, in tiles of
LANES by LANES axes: the lower triangle of tiles row by row, and one more tile as scratch memory.
"""

from softdock.native.decorators import inline, kernel
from softdock.native.simd import LANES, fma, horizontal_sum, load, one_hot, store
from softdock.tree.kernels.composites import write_compliance
from softdock.tree.kernels.fused_algebra import (
    add_dot,
    dot,
    dot6,
    load6,
    read_six,
    store6,
    sum_along,
    write_six,
)
from softdock.tree.kernels.tree import FREE, GROUND


@kernel
def accelerations(system):
    """Solve for the accelerations of all joints; Eqs. (M9)-(M13).

    Expects placed links with their inertias, velocities and bias, the external wrenches `W` (in N about N's origin)
    and the joint forces `tau`. Writes accelerations to `udot`.
    """
    axes, groups, group_motions, motions = system.axes, system.groups, system.group_motions, system.motions
    invert_joint_inertia(system)
    for i in range(motions.shape[0]):
        W = motions[i].W
        motions[i].loaded = 0
        if abs(W[0]) + abs(W[1]) + abs(W[2]) + abs(W[3]) + abs(W[4]) + abs(W[5]) != 0.0:
            motions[i].loaded = 1
            push_link(system, i, W, -1.0)
    gather_forces(system)
    for g in range(groups.shape[0]):
        group, b = groups[g], group_motions[g].b
        for j in range(group.count):
            b[0, j] += axes[group.at_u[j]].tau
    solve(system)
    for g in range(groups.shape[0]):
        group, udot = groups[g], group_motions[g].udot
        for j in range(group.count):
            axes[group.at_u[j]].udot = udot[0, j]
            axes[group.at_u[j]].holding = -axes[group.at_u[j]].held_force


@inline
def push_link(system, i, W, sign):
    """Add an external wrench times a sign, rotated to the base frame, to the required force of a link."""
    base = system.motions[system.links[i].root]
    p, R = base.p_NB, base.R_NB
    lx, ly, lz = sign * W[3], sign * W[4], sign * W[5]
    ax = sign * W[0] - (p[1] * lz - p[2] * ly)
    ay = sign * W[1] - (p[2] * lx - p[0] * lz)
    az = sign * W[2] - (p[0] * ly - p[1] * lx)
    f0, f1, f2 = (
        R[0] * ax + R[3] * ay + R[6] * az,
        R[1] * ax + R[4] * ay + R[7] * az,
        R[2] * ax + R[5] * ay + R[8] * az,
    )
    f3, f4, f5 = (
        R[0] * lx + R[3] * ly + R[6] * lz,
        R[1] * lx + R[4] * ly + R[7] * lz,
        R[2] * lx + R[5] * ly + R[8] * lz,
    )
    add_force(system, i, (f0, f1, f2, f3, f4, f5))


@inline
def add_force(system, i, x):
    """Add to the required force of a link, unless it is the ground."""
    link = system.links[i]
    if link.kind == FREE:
        f = system.motions[i].f
        f[0], f[1], f[2] = f[0] + x[0], f[1] + x[1], f[2] + x[2]
        f[3], f[4], f[5] = f[3] + x[3], f[4] + x[4], f[5] + x[5]
    elif link.kind != GROUND:
        last = link.column + link.rows - 1
        f, j = system.group_motions[last // LANES].f, last % LANES
        f[0, j], f[1, j], f[2, j] = f[0, j] + x[0], f[1, j] + x[1], f[2, j] + x[2]
        f[3, j], f[4, j], f[5, j] = f[3, j] + x[3], f[4, j] + x[4], f[5, j] + x[5]


@kernel
def compute_joint_inertia(system):
    """Compute the inertia of joints with free bases eliminated, tile by tile; Eqs. (M9), (M10)."""
    links, motions, groups, group_motions = system.links, system.motions, system.groups, system.group_motions
    for i in range(links.shape[0]):
        if links[i].kind == FREE:
            if motions[i].flexible == 1:
                invert(motions[i].inverse)
            else:
                write_compliance(motions[i])
    for g in range(groups.shape[0]):
        write_base_motions(motions, groups[g], group_motions[g])
    for g in range(groups.shape[0]):
        fill_tiles(system, g)


@kernel
def invert_joint_inertia(system):
    """Invert the inertia of joints with free bases eliminated, tile by tile; Eqs. (M9)-(M11)."""
    groups, inertias = system.groups, system.tile_inertias
    compute_joint_inertia(system)
    if system.counters[0].stuck > 0:
        hold_stuck_axes(system)
    for g in range(groups.shape[0] - 1, -1, -1):
        sweep(inertias[tile_index(g, g)].H, groups[g].count)
        first = groups[g].first // LANES
        for i in range(g - 1, first - 1, -1):
            scratch = inertias[inertias.shape[0] - 1].H
            multiply(inertias[tile_index(g, g)].H, inertias[tile_index(g, i)].H, scratch)
            for j in range(first, i + 1):
                add_transposed_product(scratch, inertias[tile_index(g, j)].H, inertias[tile_index(i, j)].H)


@kernel
def hold_stuck_axes(system):
    """Store the rows of stuck axes in the inertia of joints and decouple these axes from all others; Eq. (M130)."""
    groups, inertias, n = system.groups, system.tile_inertias, system.groups.shape[0]
    for g in range(n):
        for j in range(groups[g].count):
            row = groups[g].at_u[j]
            if system.axes[row].stuck == 1:
                out = system.held_inertia[row]
                for i in range(n):
                    H = inertias[tile_index(max(g, i), min(g, i))].H
                    for k in range(groups[i].count):
                        if i <= g:
                            out[groups[i].at_u[k]], H[j, k] = H[j, k], 0.0
                        else:
                            out[groups[i].at_u[k]], H[k, j] = H[k, j], 0.0
                        if i == g:
                            H[k, j] = 0.0
                inertias[tile_index(g, g)].H[j, j] = 1.0


@inline
def release_forces_of_stuck_axes(system):
    """Store the forces along stuck axes and set them to zero, so that these axes do not accelerate; Eq. (M130)."""
    groups, group_motions = system.groups, system.group_motions
    for g in range(groups.shape[0]):
        for j in range(groups[g].count):
            axis = system.axes[groups[g].at_u[j]]
            if axis.stuck == 1:
                axis.held_force = group_motions[g].b[0, j]
                group_motions[g].b[0, j] = 0.0


@inline
def tile_index(row, column):
    """Return the index of a tile of the lower triangle, stored row by row."""
    return row * (row + 1) // 2 + column


@inline
def write_base_motions(motions, group, motion):
    """Write `Y`: for each axis, the motion of its free base that has the momentum `F` of the axis; Eq. (M10)."""
    f0, f1, f2, f3, f4, f5 = load6(motion.F)
    for k in range(LANES):
        if group.roots[k] < 0:
            break
        M, m = motions[group.roots[k]].inverse, load(group.members, k, 0)
        for i in range(6):
            y = dot6(f0, f1, f2, f3, f4, f5, M[i, 0], M[i, 1], M[i, 2], M[i, 3], M[i, 4], M[i, 5])
            store(motion.Y, i, 0, m * y if k == 0 else fma(m, y, load(motion.Y, i, 0)))


@inline
def fill_tiles(system, g):
    """Write the inertia of joints between the axes of a group and those of it and of later groups; Eqs. (M9), (M10)."""
    groups, group_motions, group, motion = (
        system.groups,
        system.group_motions,
        system.groups[g],
        system.group_motions[g],
    )
    s0, s1, s2, s3, s4, s5 = load6(motion.S)
    f0, f1, f2, f3, f4, f5 = load6(motion.F)
    y0, y1, y2, y3, y4, y5 = load6(motion.Y)
    for i in range(g, groups.shape[0]):
        F, S, tile = group_motions[i].F, group_motions[i].S, system.tiles[tile_index(i, g)]
        H, above, same = system.tile_inertias[tile_index(i, g)].H, tile.above, tile.same
        for k in range(groups[i].count):
            carried = dot6(s0, s1, s2, s3, s4, s5, F[0, k], F[1, k], F[2, k], F[3, k], F[4, k], F[5, k])
            free = dot6(y0, y1, y2, y3, y4, y5, F[0, k], F[1, k], F[2, k], F[3, k], F[4, k], F[5, k])
            store(H, k, 0, fma(load(above, k, 0), carried, -load(same, k, 0) * free))
        # A trial step that overflowed may have left NaN in unused rows.
        for k in range(groups[i].count, LANES):
            store(H, k, 0, 0.0)
        if i == g:
            for k in range(group.count):
                carries = dot6(f0, f1, f2, f3, f4, f5, S[0, k], S[1, k], S[2, k], S[3, k], S[4, k], S[5, k])
                store(H, k, 0, fma(load(group.below, k, 0), carries, load(H, k, 0)))


@inline
def sweep(H, count):
    """Replace a symmetric tile by its negative inverse, one axis after the other; Eq. (M11)."""
    for i in range(count):
        here = one_hot(i)
        others = 1.0 - here
        pivot = load(H, i, 0) * others - here
        scaled = pivot * (1.0 / H[i, i])
        for k in range(LANES):
            if k != i:
                store(H, k, 0, fma(-H[k, i], scaled, load(H, k, 0) * others))
        store(H, i, 0, scaled)


@inline
def multiply(A, B, out):
    """Write the product of two tiles."""
    b0, b1, b2, b3, b4, b5, b6, b7 = load_tile(B)
    for k in range(LANES):
        x = dot(b0, b1, b2, A[k, 0], A[k, 1], A[k, 2])
        y = add_dot(b3 * A[k, 3], b4, b5, b6, A[k, 4], A[k, 5], A[k, 6])
        store(out, k, 0, fma(b7, A[k, 7], x + y))


@inline
def add_transposed_product(A, B, out):
    """Add the product of tile A, transposed, and tile B to a tile: the update by eliminated axes; Eq. (M11)."""
    b0, b1, b2, b3, b4, b5, b6, b7 = load_tile(B)
    for k in range(LANES):
        x = add_dot(load(out, k, 0), b0, b1, b2, A[0, k], A[1, k], A[2, k])
        y = add_dot(b3 * A[3, k], b4, b5, b6, A[4, k], A[5, k], A[6, k])
        store(out, k, 0, fma(b7, A[7, k], x + y))


@inline
def load_tile(A):
    """Return the eight rows of a tile as SIMD vectors."""
    a0, a1, a2, a3 = load(A, 0, 0), load(A, 1, 0), load(A, 2, 0), load(A, 3, 0)
    return a0, a1, a2, a3, load(A, 4, 0), load(A, 5, 0), load(A, 6, 0), load(A, 7, 0)


@kernel
def gather_forces(system):
    """Compute the forces along axes that accelerate them, from the required forces `f` of links; Eq. (M12).

    Leaves at each free base the force that its whole tree needs.
    """
    links, motions, groups, group_motions = system.links, system.motions, system.groups, system.group_motions
    for g in range(groups.shape[0] - 1, -1, -1):
        group, motion = groups[g], group_motions[g]
        x0, x1, x2, x3, x4, x5 = sum_along(motion.f, group.above, group.count)
        store6(motion.f, (x0, x1, x2, x3, x4, x5))
        s0, s1, s2, s3, s4, s5 = load6(motion.S)
        store(motion.b, 0, 0, -dot6(s0, s1, s2, s3, s4, s5, x0, x1, x2, x3, x4, x5))
        if g > 0:
            for j in range(group.count):
                parent = group.parent[j]
                if 0 <= parent < LANES * g:
                    other, lane = group_motions[parent // LANES].f, parent % LANES
                    for k in range(6):
                        other[k, lane] += motion.f[k, j]
    for i in range(links.shape[0]):
        base = links[i]
        if base.kind == FREE:
            f0, f1, f2, f3, f4, f5 = read_six(motions[i].f)
            for c in range(base.column, base.column + base.columns):
                group, j = groups[c // LANES], c % LANES
                if group.parent[j] < 0:
                    f = group_motions[c // LANES].f
                    f0, f1, f2 = f0 + f[0, j], f1 + f[1, j], f2 + f[2, j]
                    f3, f4, f5 = f3 + f[3, j], f4 + f[4, j], f5 + f[5, j]
            write_six(motions[i].f, (f0, f1, f2, f3, f4, f5))
    for g in range(groups.shape[0]):
        group, motion = groups[g], group_motions[g]
        y0, y1, y2, y3, y4, y5 = load6(motion.Y)
        b = load(motion.b, 0, 0)
        for k in range(LANES):
            if group.roots[k] < 0:
                break
            f0, f1, f2, f3, f4, f5 = read_six(motions[group.roots[k]].f)
            push = dot6(y0, y1, y2, y3, y4, y5, f0, f1, f2, f3, f4, f5)
            b = fma(load(group.members, k, 0), push, b)
        store(motion.b, 0, 0, b)


@kernel
def solve(system):
    """Compute accelerations along axes from the forces that accelerate them; Eq. (M13)."""
    groups, group_motions, inertias = system.groups, system.group_motions, system.tile_inertias
    n = groups.shape[0]
    if system.counters[0].stuck > 0:
        release_forces_of_stuck_axes(system)
    for g in range(n - 1, -1, -1):
        group, motion = groups[g], group_motions[g]
        divide(inertias[tile_index(g, g)].H, motion)
        for i in range(group.first // LANES, g):
            b, H = load(group_motions[i].b, 0, 0), inertias[tile_index(g, i)].H
            for k in range(LANES):
                b = fma(-motion.udot[0, k], load(H, k, 0), b)
            store(group_motions[i].b, 0, 0, b)
    for g in range(1, n):
        group, motion = groups[g], group_motions[g]
        first = group.first // LANES
        if first < g:
            for k in range(group.count):
                x = load(inertias[tile_index(g, first)].H, k, 0) * load(group_motions[first].udot, 0, 0)
                for i in range(first + 1, g):
                    x = fma(load(inertias[tile_index(g, i)].H, k, 0), load(group_motions[i].udot, 0, 0), x)
                motion.b[0, k] -= horizontal_sum(x)
            divide(inertias[tile_index(g, g)].H, motion)


@inline
def divide(H, motion):
    """Multiply the forces of a group by the inverse of its tile, whose negative is given."""
    b = motion.b
    x, y = load(H, 0, 0) * -b[0, 0], load(H, 1, 0) * -b[0, 1]
    for k in range(2, LANES, 2):
        x, y = fma(load(H, k, 0), -b[0, k], x), fma(load(H, k + 1, 0), -b[0, k + 1], y)
    store(motion.udot, 0, 0, x + y)


@kernel
def link_accelerations(system, locked):
    """Write the change of link accelerations by those of the axes, or the response to locks (1); Eq. (M13)."""
    links, motions, group_motions = system.links, system.motions, system.group_motions
    for i in range(links.shape[0]):
        link, motion = links[i], motions[i]
        a = motion.lock_response if locked == 1 else motion.acceleration_change
        if link.kind == FREE:
            accelerate_base(link, motion, group_motions, a)
        elif link.kind != GROUND:
            parent = motions[link.parent]
            below = parent.lock_response if locked == 1 else parent.acceleration_change
            a0, a1, a2, a3, a4, a5 = read_six(below)
            for c in range(link.column, link.column + link.rows):
                group, j = group_motions[c // LANES], c % LANES
                S, udot = group.S, group.udot[0, j]
                a0, a1, a2 = fma(S[0, j], udot, a0), fma(S[1, j], udot, a1), fma(S[2, j], udot, a2)
                a3, a4, a5 = fma(S[3, j], udot, a3), fma(S[4, j], udot, a4), fma(S[5, j], udot, a5)
            write_six(a, (a0, a1, a2, a3, a4, a5))


@inline
def accelerate_base(base, motion, group_motions, a):
    """Compute the acceleration of a free base from the required force of its tree; Eq. (M13)."""
    f0, f1, f2, f3, f4, f5 = read_six(motion.f)
    for c in range(base.column, base.column + base.columns):
        group, j = group_motions[c // LANES], c % LANES
        F, udot = group.F, group.udot[0, j]
        f0, f1, f2 = fma(F[0, j], udot, f0), fma(F[1, j], udot, f1), fma(F[2, j], udot, f2)
        f3, f4, f5 = fma(F[3, j], udot, f3), fma(F[4, j], udot, f4), fma(F[5, j], udot, f5)
    M = motion.inverse
    for i in range(6):
        a[i] = -dot6(M[i, 0], M[i, 1], M[i, 2], M[i, 3], M[i, 4], M[i, 5], f0, f1, f2, f3, f4, f5)


@inline
def invert(M):
    """Replace a symmetric positive definite 6x6 matrix by its inverse."""
    for i in range(6):
        D = 1.0 / M[i, i]
        for k in range(6):
            if k != i:
                scaled = M[k, i] * D
                for j in range(6):
                    if j != i:
                        M[k, j] -= scaled * M[i, j]
        for k in range(6):
            if k != i:
                M[k, i] = M[k, i] * D
                M[i, k] = M[k, i]
        M[i, i] = -D
    for i in range(6):
        for j in range(6):
            M[i, j] = -M[i, j]
