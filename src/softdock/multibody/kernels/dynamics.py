"""Forward dynamics by articulated bodies, in the base frame of each tree.

Every joint is a sequence of single axes. An axis carries the articulated inertia of all that it moves; taking it out
hands the rest to the next axis towards the base.
"""

from softdock.jit import inlined, kernel
from softdock.multibody.kernels.tree import FREE, LANES


@kernel
def accelerations(links, axes):
    """Solve for the accelerations of all joints and bases; Eqs. (M9)-(M13).

    Expects placed links with their velocities and bias, the wrenches `W` from outside (in N about N's origin) and
    the joint forces `tau`. Leaves accelerations in `udot` (for a free base its spatial acceleration in the base
    frame, without uniform gravity) and in `dA` what they add to the accelerations of the links.
    """
    n = links.shape[0]
    for i in range(n):
        link, lane = links[i], i % LANES
        W = link.W
        if abs(W[0]) + abs(W[1]) + abs(W[2]) + abs(W[3]) + abs(W[4]) + abs(W[5]) != 0.0:
            take_outside_wrench(links[i - lane].group.f, lane, W, links[link.root])
    for i in range(n - 1, -1, -1):
        link, lane = links[i], i % LANES
        if link.parent >= 0:
            group, up = links[i - lane].group, link.parent % LANES
            for row in range(link.rows - 1, 0, -1):
                eliminate(axes[link.at_u + row], group, lane, group, lane, 0.0)
            eliminate(axes[link.at_u], group, lane, links[link.parent - up].group, up, 1.0)
    for i in range(n):
        link, lane = links[i], i % LANES
        if link.parent >= 0:
            copy_motion(links[link.parent].dA, link.dA)
            for row in range(link.at_u, link.at_u + link.rows):
                accelerate(axes[row], link.dA)
        elif link.kind == FREE:
            solve_base(links[i - lane].group, lane, link.dA)
            for k in range(6):
                axes[link.at_u + k].udot = link.dA[k]


@inlined
def take_outside_wrench(f, i, W, base):
    """Subtract the outside wrench from the bias, after turning it into the base frame; Eq. (M9)."""
    p, R = base.p_NB, base.R_NB
    lx, ly, lz = W[3], W[4], W[5]
    ax = W[0] - (p[1] * lz - p[2] * ly)
    ay = W[1] - (p[2] * lx - p[0] * lz)
    az = W[2] - (p[0] * ly - p[1] * lx)
    for k in range(3):
        f[k, i] -= R[k] * ax + R[3 + k] * ay + R[6 + k] * az
        f[3 + k, i] -= R[k] * lx + R[3 + k] * ly + R[6 + k] * lz


@inlined
def dot6(a0, a1, a2, a3, a4, a5, b0, b1, b2, b3, b4, b5):
    """Scalar product of a motion and a force, in two halves that do not wait for each other."""
    return (a0 * b0 + a1 * b1 + a2 * b2) + (a3 * b3 + a4 * b4 + a5 * b5)


@inlined
def eliminate(axis, group, i, below, j, keep):
    """Take one axis out of what lane i moves; what is left goes to lane j of `below`; Eqs. (M10), (M11).

    It is added there (`keep` 1), or replaces what was there (`keep` 0): the same lane, for the inner axes of a joint.
    """
    S, M, f, U = axis.S, group.IA, group.f, axis.U
    s0, s1, s2, s3, s4, s5 = S[0], S[1], S[2], S[3], S[4], S[5]
    f0, f1, f2, f3, f4, f5 = f[0, i], f[1, i], f[2, i], f[3, i], f[4, i], f[5, i]
    m0, m1, m2, m3, m4, m5 = M[0, i], M[1, i], M[2, i], M[3, i], M[4, i], M[5, i]
    m6, m7, m8, m9 = M[6, i], M[7, i], M[8, i], M[9, i]
    m10, m11, m12, m13, m14 = M[10, i], M[11, i], M[12, i], M[13, i], M[14, i]
    m15, m16, m17, m18, m19, m20 = M[15, i], M[16, i], M[17, i], M[18, i], M[19, i], M[20, i]
    u0 = dot6(m0, m1, m3, m6, m10, m15, s0, s1, s2, s3, s4, s5)
    u1 = dot6(m1, m2, m4, m7, m11, m16, s0, s1, s2, s3, s4, s5)
    u2 = dot6(m3, m4, m5, m8, m12, m17, s0, s1, s2, s3, s4, s5)
    u3 = dot6(m6, m7, m8, m9, m13, m18, s0, s1, s2, s3, s4, s5)
    u4 = dot6(m10, m11, m12, m13, m14, m19, s0, s1, s2, s3, s4, s5)
    u5 = dot6(m15, m16, m17, m18, m19, m20, s0, s1, s2, s3, s4, s5)
    D = 1.0 / dot6(s0, s1, s2, s3, s4, s5, u0, u1, u2, u3, u4, u5)
    g = (axis.tau - dot6(s0, s1, s2, s3, s4, s5, f0, f1, f2, f3, f4, f5)) * D
    d0, d1, d2, d3, d4, d5 = -u0 * D, -u1 * D, -u2 * D, -u3 * D, -u4 * D, -u5 * D
    axis.g, axis.D = g, D
    U[0], U[1], U[2], U[3], U[4], U[5] = d0, d1, d2, d3, d4, d5
    M, f = below.IA, below.f
    f[0, j] = f0 + keep * f[0, j] + u0 * g
    f[1, j] = f1 + keep * f[1, j] + u1 * g
    f[2, j] = f2 + keep * f[2, j] + u2 * g
    f[3, j] = f3 + keep * f[3, j] + u3 * g
    f[4, j] = f4 + keep * f[4, j] + u4 * g
    f[5, j] = f5 + keep * f[5, j] + u5 * g
    M[0, j] = m0 + keep * M[0, j] + u0 * d0
    M[1, j] = m1 + keep * M[1, j] + u0 * d1
    M[2, j] = m2 + keep * M[2, j] + u1 * d1
    M[3, j] = m3 + keep * M[3, j] + u0 * d2
    M[4, j] = m4 + keep * M[4, j] + u1 * d2
    M[5, j] = m5 + keep * M[5, j] + u2 * d2
    M[6, j] = m6 + keep * M[6, j] + u0 * d3
    M[7, j] = m7 + keep * M[7, j] + u1 * d3
    M[8, j] = m8 + keep * M[8, j] + u2 * d3
    M[9, j] = m9 + keep * M[9, j] + u3 * d3
    M[10, j] = m10 + keep * M[10, j] + u0 * d4
    M[11, j] = m11 + keep * M[11, j] + u1 * d4
    M[12, j] = m12 + keep * M[12, j] + u2 * d4
    M[13, j] = m13 + keep * M[13, j] + u3 * d4
    M[14, j] = m14 + keep * M[14, j] + u4 * d4
    M[15, j] = m15 + keep * M[15, j] + u0 * d5
    M[16, j] = m16 + keep * M[16, j] + u1 * d5
    M[17, j] = m17 + keep * M[17, j] + u2 * d5
    M[18, j] = m18 + keep * M[18, j] + u3 * d5
    M[19, j] = m19 + keep * M[19, j] + u4 * d5
    M[20, j] = m20 + keep * M[20, j] + u5 * d5


@inlined
def copy_motion(source, target):
    """Copy a motion vector."""
    for k in range(6):
        target[k] = source[k]


@inlined
def accelerate(axis, a):
    """Accelerate along one axis, from the acceleration of what it stands on; Eq. (M13)."""
    S, U = axis.S, axis.U
    a0, a1, a2, a3, a4, a5 = a[0], a[1], a[2], a[3], a[4], a[5]
    udot = axis.g + dot6(U[0], U[1], U[2], U[3], U[4], U[5], a0, a1, a2, a3, a4, a5)
    axis.udot = udot
    a[0], a[1], a[2] = a0 + S[0] * udot, a1 + S[1] * udot, a2 + S[2] * udot
    a[3], a[4], a[5] = a3 + S[3] * udot, a4 + S[4] * udot, a5 + S[5] * udot


@inlined
def solve_base(group, lane, a):
    """Acceleration of a free base: its six axes are taken out one by one, too; Eq. (M12)."""
    M, f = group.IA, group.f
    m0 = M[0, lane]
    m1, m2 = M[1, lane], M[2, lane]
    m3, m4, m5 = M[3, lane], M[4, lane], M[5, lane]
    m6, m7, m8, m9 = M[6, lane], M[7, lane], M[8, lane], M[9, lane]
    m10, m11, m12, m13, m14 = M[10, lane], M[11, lane], M[12, lane], M[13, lane], M[14, lane]
    m15, m16, m17, m18, m19, m20 = (
        M[15, lane],
        M[16, lane],
        M[17, lane],
        M[18, lane],
        M[19, lane],
        M[20, lane],
    )
    f0, f1, f2, f3, f4, f5 = f[0, lane], f[1, lane], f[2, lane], f[3, lane], f[4, lane], f[5, lane]
    D = -1.0 / m20
    l15, l16, l17, l18, l19 = m15 * D, m16 * D, m17 * D, m18 * D, m19 * D
    m0 = m0 + l15 * m15
    m1, m2 = m1 + l16 * m15, m2 + l16 * m16
    m3, m4, m5 = m3 + l17 * m15, m4 + l17 * m16, m5 + l17 * m17
    m6, m7, m8, m9 = m6 + l18 * m15, m7 + l18 * m16, m8 + l18 * m17, m9 + l18 * m18
    m10, m11, m12, m13, m14 = (
        m10 + l19 * m15,
        m11 + l19 * m16,
        m12 + l19 * m17,
        m13 + l19 * m18,
        m14 + l19 * m19,
    )
    f0, f1, f2, f3, f4 = (
        f0 + l15 * f5,
        f1 + l16 * f5,
        f2 + l17 * f5,
        f3 + l18 * f5,
        f4 + l19 * f5,
    )
    f5 *= D
    D = -1.0 / m14
    l10, l11, l12, l13 = m10 * D, m11 * D, m12 * D, m13 * D
    m0 = m0 + l10 * m10
    m1, m2 = m1 + l11 * m10, m2 + l11 * m11
    m3, m4, m5 = m3 + l12 * m10, m4 + l12 * m11, m5 + l12 * m12
    m6, m7, m8, m9 = m6 + l13 * m10, m7 + l13 * m11, m8 + l13 * m12, m9 + l13 * m13
    f0, f1, f2, f3 = f0 + l10 * f4, f1 + l11 * f4, f2 + l12 * f4, f3 + l13 * f4
    f4 *= D
    D = -1.0 / m9
    l6, l7, l8 = m6 * D, m7 * D, m8 * D
    m0 = m0 + l6 * m6
    m1, m2 = m1 + l7 * m6, m2 + l7 * m7
    m3, m4, m5 = m3 + l8 * m6, m4 + l8 * m7, m5 + l8 * m8
    f0, f1, f2 = f0 + l6 * f3, f1 + l7 * f3, f2 + l8 * f3
    f3 *= D
    D = -1.0 / m5
    l3, l4 = m3 * D, m4 * D
    m0 = m0 + l3 * m3
    m1, m2 = m1 + l4 * m3, m2 + l4 * m4
    f0, f1 = f0 + l3 * f2, f1 + l4 * f2
    f2 *= D
    D = -1.0 / m2
    l1 = m1 * D
    m0 = m0 + l1 * m1
    f0 = f0 + l1 * f1
    f1 *= D
    D = -1.0 / m0
    f0 *= D
    a0 = f0
    a1 = f1 + l1 * a0
    a2 = f2 + l3 * a0 + l4 * a1
    a3 = f3 + l6 * a0 + l7 * a1 + l8 * a2
    a4 = f4 + l10 * a0 + l11 * a1 + l12 * a2 + l13 * a3
    a5 = f5 + l15 * a0 + l16 * a1 + l17 * a2 + l18 * a3 + l19 * a4
    a[0], a[1], a[2], a[3], a[4], a[5] = a0, a1, a2, a3, a4, a5
