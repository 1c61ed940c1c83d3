"""Forward dynamics by articulated bodies, in the base frame of each tree."""

from softdock.jit import inlined, kernel
from softdock.multibody.kernels.tree import FREE


@kernel
def accelerations(links, axes):
    """Solve for the accelerations of all joints and bases; Eqs. (M9)-(M13).

    Expects placed links with their velocities and bias, the wrenches `W` from outside (in N about N's origin) and
    the joint forces `tau`. Leaves accelerations in `udot` (for a free base its spatial acceleration in the base
    frame, without uniform gravity) and in `dA` what they add to the accelerations `A` of the links.
    """
    n = links.shape[0]
    for i in range(n):
        link = links[i]
        take_outside_wrench(link, links[link.root])
        rigid_to_articulated(link.inertia, link.IA)
    for i in range(n - 1, -1, -1):
        link = links[i]
        if link.parent >= 0:
            for row in range(link.at_u + link.rows - 1, link.at_u - 1, -1):
                eliminate(axes[row], link)
            parent = links[link.parent]
            for k in range(21):
                parent.IA[k] += link.IA[k]
            for k in range(6):
                parent.f[k] += link.f[k]
    for i in range(n):
        link = links[i]
        if link.parent >= 0:
            accelerate_child(link, links[link.parent], axes)
        elif link.kind == FREE:
            solve_symmetric6(link.IA, link.f, link.dA)
            for k in range(6):
                link.dA[k] = -link.dA[k]
                axes[link.at_u + k].udot = link.dA[k]
        else:
            for k in range(6):
                link.dA[k] = 0.0


@inlined
def take_outside_wrench(link, base):
    """Subtract the outside wrench from the bias, after turning it into the base frame."""
    W, p, R, f = link.W, base.p_NB, base.R_NB, link.f
    lx, ly, lz = W[3], W[4], W[5]
    ax, ay, az = (
        W[0] - (p[1] * lz - p[2] * ly),
        W[1] - (p[2] * lx - p[0] * lz),
        W[2] - (p[0] * ly - p[1] * lx),
    )
    f[0] -= R[0] * ax + R[3] * ay + R[6] * az
    f[1] -= R[1] * ax + R[4] * ay + R[7] * az
    f[2] -= R[2] * ax + R[5] * ay + R[8] * az
    f[3] -= R[0] * lx + R[3] * ly + R[6] * lz
    f[4] -= R[1] * lx + R[4] * ly + R[7] * lz
    f[5] -= R[2] * lx + R[5] * ly + R[8] * lz


@inlined
def rigid_to_articulated(rigid, IA):
    """Write a rigid inertia as symmetric 6x6, lower triangle by rows."""
    m, hx, hy, hz = rigid[0], rigid[1], rigid[2], rigid[3]
    IA[0] = rigid[4]
    IA[1], IA[2] = rigid[7], rigid[5]
    IA[3], IA[4], IA[5] = rigid[8], rigid[9], rigid[6]
    IA[6], IA[7], IA[8], IA[9] = 0.0, hz, -hy, m
    IA[10], IA[11], IA[12], IA[13], IA[14] = -hz, 0.0, hx, 0.0, m
    IA[15], IA[16], IA[17], IA[18], IA[19], IA[20] = hy, -hx, 0.0, 0.0, 0.0, m


@inlined
def eliminate(axis, link):
    """Take one joint axis out of a link: the rest is what its parent feels; Eqs. (M10), (M11)."""
    IA, f, S, U = link.IA, link.f, axis.S, axis.U
    s0, s1, s2, s3, s4, s5 = S[0], S[1], S[2], S[3], S[4], S[5]
    u0 = IA[0] * s0 + IA[1] * s1 + IA[3] * s2 + IA[6] * s3 + IA[10] * s4 + IA[15] * s5
    u1 = IA[1] * s0 + IA[2] * s1 + IA[4] * s2 + IA[7] * s3 + IA[11] * s4 + IA[16] * s5
    u2 = IA[3] * s0 + IA[4] * s1 + IA[5] * s2 + IA[8] * s3 + IA[12] * s4 + IA[17] * s5
    u3 = IA[6] * s0 + IA[7] * s1 + IA[8] * s2 + IA[9] * s3 + IA[13] * s4 + IA[18] * s5
    u4 = IA[10] * s0 + IA[11] * s1 + IA[12] * s2 + IA[13] * s3 + IA[14] * s4 + IA[19] * s5
    u5 = IA[15] * s0 + IA[16] * s1 + IA[17] * s2 + IA[18] * s3 + IA[19] * s4 + IA[20] * s5
    D = 1.0 / (s0 * u0 + s1 * u1 + s2 * u2 + s3 * u3 + s4 * u4 + s5 * u5)
    e = axis.tau - (s0 * f[0] + s1 * f[1] + s2 * f[2] + s3 * f[3] + s4 * f[4] + s5 * f[5])
    axis.D = D
    axis.e = e
    U[0], U[1], U[2], U[3], U[4], U[5] = u0, u1, u2, u3, u4, u5
    g = e * D
    f[0], f[1], f[2] = f[0] + u0 * g, f[1] + u1 * g, f[2] + u2 * g
    f[3], f[4], f[5] = f[3] + u3 * g, f[4] + u4 * g, f[5] + u5 * g
    d = u0 * D
    IA[0] -= u0 * d
    d = u1 * D
    IA[1], IA[2] = IA[1] - u0 * d, IA[2] - u1 * d
    d = u2 * D
    IA[3], IA[4], IA[5] = IA[3] - u0 * d, IA[4] - u1 * d, IA[5] - u2 * d
    d = u3 * D
    IA[6], IA[7], IA[8], IA[9] = IA[6] - u0 * d, IA[7] - u1 * d, IA[8] - u2 * d, IA[9] - u3 * d
    d = u4 * D
    IA[10], IA[11], IA[12] = IA[10] - u0 * d, IA[11] - u1 * d, IA[12] - u2 * d
    IA[13], IA[14] = IA[13] - u3 * d, IA[14] - u4 * d
    d = u5 * D
    IA[15], IA[16], IA[17] = IA[15] - u0 * d, IA[16] - u1 * d, IA[17] - u2 * d
    IA[18], IA[19], IA[20] = IA[18] - u3 * d, IA[19] - u4 * d, IA[20] - u5 * d


@inlined
def accelerate_child(link, parent, axes):
    """Accelerate a link against its parent; Eq. (M13)."""
    dA = parent.dA
    a0, a1, a2, a3, a4, a5 = dA[0], dA[1], dA[2], dA[3], dA[4], dA[5]
    for row in range(link.at_u, link.at_u + link.rows):
        axis = axes[row]
        S, U = axis.S, axis.U
        acc = (axis.e - (U[0] * a0 + U[1] * a1 + U[2] * a2 + U[3] * a3 + U[4] * a4 + U[5] * a5)) * axis.D
        axis.udot = acc
        a0, a1, a2 = a0 + S[0] * acc, a1 + S[1] * acc, a2 + S[2] * acc
        a3, a4, a5 = a3 + S[3] * acc, a4 + S[4] * acc, a5 + S[5] * acc
    out = link.dA
    out[0], out[1], out[2], out[3], out[4], out[5] = a0, a1, a2, a3, a4, a5


@kernel
def solve_symmetric6(M, b, x):
    """Solve M x = b for a symmetric positive 6x6 (lower triangle by rows) by L D L^T, in place of M."""
    for r in range(6):
        rr = r * (r + 1) // 2
        for c in range(r):
            cc = c * (c + 1) // 2
            s = M[rr + c]
            for k in range(c):
                s -= M[rr + k] * M[cc + k]
            M[rr + c] = s
        s = M[rr + r]
        for c in range(r):
            low = M[rr + c] / M[c * (c + 1) // 2 + c]
            s -= low * M[rr + c]
            M[rr + c] = low
        M[rr + r] = s
        x[r] = b[r]
    for r in range(6):
        rr = r * (r + 1) // 2
        for c in range(r):
            x[r] -= M[rr + c] * x[c]
    for r in range(5, -1, -1):
        x[r] /= M[r * (r + 1) // 2 + r]
        for k in range(r + 1, 6):
            x[r] -= M[k * (k + 1) // 2 + r] * x[k]
