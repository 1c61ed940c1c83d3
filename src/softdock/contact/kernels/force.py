"""The force of a contact pair: elastic stress, damping and friction over the near list."""

import math

from softdock.contact.kernels.cell import HALF_SQRT3, cut
from softdock.contact.kernels.layout import (
    AREA,
    CLEARANCE,
    CONTACT_AREA,
    DAMPING,
    DAMPING_DEPTH,
    DEPTH,
    DISSIPATION,
    ENERGY,
    FACE_FIRST,
    FACE_LAST,
    FORCE,
    FRICTION,
    FRICTION_LAW,
    FRICTION_SPEED,
    MODE,
    OMEGA,
    OUTPUT,
    POINTS,
    POSE,
    PRESSURE,
    QUADRATURE,
    RAMP,
    SEVERAL,
    STIFFNESS,
    TORQUE,
    TREE,
)
from softdock.contact.kernels.near import to_A
from softdock.geometry.kernels import TINY, depth, endless_depth, radial_depth
from softdock.jit import inlined, kernel

INVERSE_SQRT2 = 0.7071067811865476


@kernel
def motion_bound(arrays, lists, pair, R_AB, p_AB_A):
    """Bound on how far any point of B's surface is from where it was at the last rebuild, seen from A [m]."""
    status, nodes, top = lists.status, arrays.nodes, arrays.spans[pair, TREE]
    turn, shift = 0.0, 0.0
    for i in range(3):
        moved = p_AB_A[i] - status[pair, POSE + 9 + i]
        for j in range(3):
            change = R_AB[i][j] - status[pair, POSE + 3 * i + j]
            turn += change * change
            moved += change * nodes[top, j]
        shift += moved * moved
    return math.sqrt(shift) + INVERSE_SQRT2 * nodes[top, 3] * math.sqrt(turn)  # Eq. (C19)


@kernel
def evaluate(arrays, lists, pair, R_AB, p_AB_A, w_AB_A, v_AB_A, out):
    """Write force, torque and the rest into `out`; return the motion since the last rebuild [m].

    R_AB (three rows) and p_AB_A [m]: pose of B in A. w_AB_A [rad/s]: angular velocity of B relative to A.
    v_AB_A [m/s]: rate of the components of p_AB_A. All in A's axes. `out` (11): force on B [N], torque on B
    about A's origin [N m], elastic energy [J], dissipated power [W], contact area [m2], largest pressure
    [Pa], largest depth [m]. The reaction on A is the exact negative, about the same origin. The result holds
    where the motion is at most the larger of reach and clearance of the last rebuild.
    """
    for k in range(OUTPUT):
        out[k] = 0.0
    moved = motion_bound(arrays, lists, pair, R_AB, p_AB_A)
    if moved <= lists.status[pair, CLEARANCE]:
        return moved
    params, spans, n = arrays.params, arrays.spans, lists.counts[pair]
    law = (
        params[pair, STIFFNESS],
        params[pair, DAMPING],
        params[pair, DAMPING_DEPTH],
        params[pair, FRICTION],
        params[pair, FRICTION_SPEED],
        1.0 if spans[pair, FRICTION_LAW] == RAMP else 0.0,
    )
    motion = (R_AB, p_AB_A, w_AB_A, v_AB_A)
    if spans[pair, QUADRATURE] == POINTS:
        add_points(arrays.segments, lists.cells, lists.faces, lists.gaps, pair, n, law, motion, moved, out)
    else:
        add_cells(arrays.segments, lists.cells, lists.faces, lists.gaps, pair, n, law, motion, moved, out)
    return moved


@inlined
def depth_and_normal(segments, mode, first, last, x, y, z):
    """Depth below A and its gradient in A: (s, n). On the axis the radial part is zero."""
    r = math.sqrt(x * x + y * y)
    if mode < SEVERAL:
        s, n_z, n_r = endless_depth(segments, first, z, r)
    elif mode == SEVERAL:
        s, n_z, n_r = depth(segments, first, last, z, r)
    else:
        s, n_z, n_r = radial_depth(segments, first, last, z, r)
    scale = n_r / (r + TINY)
    return s, (scale * x, scale * y, n_z)


@inlined
def mixed(w, a, b, c, d):
    """Sum of four vectors with four weights."""
    return (
        w[0] * a[0] + w[1] * b[0] + w[2] * c[0] + w[3] * d[0],
        w[0] * a[1] + w[1] * b[1] + w[2] * c[1] + w[3] * d[1],
        w[0] * a[2] + w[1] * b[2] + w[2] * c[2] + w[3] * d[2],
    )


@inlined
def cross(a, b):
    """Cross product."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@kernel
def add_cells(segments, cells, faces, gaps, pair, count, law, motion, moved, out):
    """Add the forces of the cut cells that touch."""
    R_AB, p_AB_A = motion[0], motion[1]
    for i in range(count):
        if gaps[pair, i] > moved:
            continue
        mode, first, last = faces[pair, i, MODE], faces[pair, i, FACE_FIRST], faces[pair, i, FACE_LAST]
        x_0 = to_A(R_AB, p_AB_A, cells[pair, i, 0], cells[pair, i, 1], cells[pair, i, 2])
        x_1 = to_A(R_AB, p_AB_A, cells[pair, i, 3], cells[pair, i, 4], cells[pair, i, 5])
        x_2 = to_A(R_AB, p_AB_A, cells[pair, i, 6], cells[pair, i, 7], cells[pair, i, 8])
        x_3 = to_A(R_AB, p_AB_A, cells[pair, i, 9], cells[pair, i, 10], cells[pair, i, 11])
        s_0, n_0 = depth_and_normal(segments, mode, first, last, x_0[0], x_0[1], x_0[2])
        s_1, n_1 = depth_and_normal(segments, mode, first, last, x_1[0], x_1[1], x_1[2])
        s_2, n_2 = depth_and_normal(segments, mode, first, last, x_2[0], x_2[1], x_2[2])
        s_3, n_3 = depth_and_normal(segments, mode, first, last, x_3[0], x_3[1], x_3[2])
        low, high = cells[pair, i, OMEGA], 0.5 - cells[pair, i, OMEGA]
        s = low * (s_0 + s_1) + high * (s_2 + s_3)  # Eq. (C8)
        alpha = HALF_SQRT3 * (s_2 + s_3 - s_0 - s_1)
        beta = HALF_SQRT3 * (s_1 + s_3 - s_0 - s_2)
        W, E, m_a, m_b, covered = cut(s, alpha, beta)
        if W <= 0.0:
            continue
        low, high, m_a, m_b = low * W, high * W, HALF_SQRT3 * m_a, HALF_SQRT3 * m_b
        w = (low - m_a - m_b, low - m_a + m_b, high + m_a - m_b, high + m_a + m_b)  # Eq. (C13)
        area = cells[pair, i, AREA]
        n = mixed(w, n_0, n_1, n_2, n_3)
        x = mixed(w, x_0, x_1, x_2, x_3)
        t = mixed(w, cross(x_0, n_0), cross(x_1, n_1), cross(x_2, n_2), cross(x_3, n_3))
        f = -law[0] * area
        for k in range(3):
            out[FORCE + k] += f * n[k]
            out[TORQUE + k] += f * t[k]
        out[ENERGY] += law[0] * area * E
        out[CONTACT_AREA] += covered * area
        D = 0.0
        if law[1] > 0.0:
            D = law[1] * (W - cut(s - law[2], alpha, beta)[0])  # Eq. (C20)
        x = (x[0] / W, x[1] / W, x[2] / W)
        add_losses(law, motion, x, n, area, W, D, max(max(s_0, s_1), max(s_2, s_3)), out)


@kernel
def add_points(segments, cells, faces, gaps, pair, count, law, motion, moved, out):
    """Add the forces of the points that touch, each with its area."""
    for i in range(count):
        if gaps[pair, i] > moved:
            continue
        x = to_A(motion[0], motion[1], cells[pair, i, 0], cells[pair, i, 1], cells[pair, i, 2])
        mode, first, last = faces[pair, i, MODE], faces[pair, i, FACE_FIRST], faces[pair, i, FACE_LAST]
        s, n = depth_and_normal(segments, mode, first, last, x[0], x[1], x[2])
        if s <= 0.0:
            continue
        area = cells[pair, i, AREA]
        add_force(out, x, n, -law[0] * area * s)
        out[ENERGY] += 0.5 * law[0] * area * s * s
        out[CONTACT_AREA] += area
        add_losses(law, motion, x, n, area, s, law[1] * min(s, law[2]), s, out)


@inlined
def add_force(out, x, n, f):
    """Add the force f n at the point x."""
    t = cross(x, n)
    for k in range(3):
        out[FORCE + k] += f * n[k]
        out[TORQUE + k] += f * t[k]


@kernel
def add_losses(law, motion, x, n, area, W, D, deepest, out):
    """Add damping and friction at a stress centre x of mean depth W [m] and areal damping D [N s/m3]."""
    stiffness, friction, v_0 = law[0], law[3], law[4]
    p_AB_A, w_AB_A, v_AB_A = motion[1], motion[2], motion[3]
    length = math.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) + TINY
    n = (n[0] / length, n[1] / length, n[2] / length)
    v = cross(w_AB_A, (x[0] - p_AB_A[0], x[1] - p_AB_A[1], x[2] - p_AB_A[2]))
    v = (v[0] + v_AB_A[0], v[1] + v_AB_A[1], v[2] + v_AB_A[2])
    v_n = v[0] * n[0] + v[1] * n[1] + v[2] * n[2]
    stress = stiffness * W
    added = max(D * v_n, -stress)  # Eq. (C21): stress never pulls
    t = (v[0] - v_n * n[0], v[1] - v_n * n[1], v[2] - v_n * n[2])
    v_t = math.sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2])
    slowest = max(v_t, v_0) if law[5] > 0.0 else math.sqrt(v_t * v_t + v_0 * v_0)
    drag = friction * (stress + added) / slowest  # Eq. (C22)
    f = (-added * n[0] - drag * t[0], -added * n[1] - drag * t[1], -added * n[2] - drag * t[2])
    add_force(out, x, f, area)
    out[DISSIPATION] += area * (added * v_n + drag * v_t * v_t)
    out[DEPTH] = max(out[DEPTH], deepest)
    out[PRESSURE] = max(out[PRESSURE], stiffness * deepest + added)
