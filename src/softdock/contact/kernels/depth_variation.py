"""Variation of the depth across a cell of B: change, bends and bounds, from derivatives in its middle."""

import math

from softdock.contact.kernels.cell_geometry import meridian_point, point_depth, rotate_around, shift_along
from softdock.contact.kernels.cut_cell import CORNER_WEIGHTS
from softdock.contact.kernels.layout import HALF_PHI, HALF_U
from softdock.geometry.kernels import (
    AXIS_R,
    AXIS_Z,
    KIND,
    LENGTH,
    LINE,
    SENSE,
    START_R,
    START_Z,
    TINY,
)
from softdock.native.decorators import inline, kernel


@inline
def variation_over_segments(segments, first, last, radial, z, r, axes, shape, m, e, cell, sweep):
    """Return the largest `depth_variation` of a cell over the segments of A that it faces.

    Bound on the depth [m], rise of a corner along the path [m], depth below the first segment [m], and as pairs (along
    u, around): change of that depth across the cell, bends, and uncertainty of the bends [m].
    """
    deepest, rise, s_first, slope_u, slope_phi, bend_u, bend_phi, doubt_u, doubt_phi = depth_variation(
        segments, first, z, r, axes, shape, m, e, cell, sweep
    )
    if last > first:
        _, _, drift, turn, _, _ = sweep
        rise = 0.5 * CORNER_WEIGHTS * (drift + turn * cell[1])
    for k in range(first + 1, first if radial else last + 1):
        other, _, _, _, _, other_u, other_phi, else_u, else_phi = depth_variation(
            segments, k, z, r, axes, shape, m, e, cell, sweep
        )
        deepest = max(deepest, other)
        bend_u, bend_phi = max(bend_u, other_u), max(bend_phi, other_phi)
        doubt_u, doubt_phi = max(doubt_u, else_u), max(doubt_phi, else_phi)
    return deepest, rise, s_first, (slope_u, slope_phi), (bend_u, bend_phi), (doubt_u, doubt_phi)


@inline
def depth_variation(segments, k, z, r, axes, shape, m, e, cell, sweep):
    """Return how the depth below the unbounded segment k varies over a cell of B with its middle at (z, r) [m] in A.

    `cell`: mean radius, bounding radius and length [m], angle [rad]. `sweep`: motion of the middle along half the path
    in z, in r and in total [m], rotation [rad], reach including the motion [m], rotation including the reach [rad].

    Returns, from derivatives in the middle: a bound on the depth within the cell on the path, a bound on the rise of a
    corner of the linear depth between the middle and the ends of the path, the depth in the middle, its change across
    the cell along u and around, the bends along u and around, and the uncertainty of both bends [m].
    """
    rho, half, h_u, angle = cell
    _, _, drift, turn, reach, turn_most = sweep
    span = half + turn * half + drift
    s, n_z, n_r, curvature, distance, n_r_most = unbounded_segment(segments, k, z, r, span)
    radial, around, along = axes
    n_x, n_y = n_r * radial[0] + n_z * along[0], n_r * radial[1] + n_z * along[1]
    n_e, n_t = n_x * e[0] + n_y * e[1], n_y * e[0] - n_x * e[1]  # outwards and around B
    n_a = n_r * radial[2] + n_z * along[2]
    tau_e, tau_t = around[0] * e[0] + around[1] * e[1], around[1] * e[0] - around[0] * e[1]
    if shape[0] == LINE:
        t_z, t_r, tilt, swing, aslant = shape[1], shape[2], 0.0, 0.0, 0.0
    else:
        t_z, t_r = -m[1], m[0]
        inverse = 1.0 / shape[3]
        tilt = -(m[0] * n_a + m[1] * n_e) * inverse  # n . x_uu
        swing = (0.5 * h_u * inverse + 0.5 * angle) * inverse
        aslant = inverse * math.sqrt(max(0.0, 1.0 - tilt * tilt * shape[3] * shape[3]))
    g_u = t_z * n_a + t_r * n_e
    tau_u = t_z * around[2] + t_r * tau_e
    hoop = n_r / (r + TINY)
    h_phi = rho * angle
    # Eq. (C24): second derivatives along the surface of B
    bend_u = (tilt + hoop * tau_u * tau_u + curvature * (1.0 - g_u * g_u - tau_u * tau_u)) * h_u * h_u
    bend_phi = (
        hoop * tau_t * tau_t + curvature * (1.0 - n_t * n_t - tau_t * tau_t)
    ) * h_phi * h_phi - n_e * angle * h_phi
    # Eq. (C27): change of the bends within the reach
    cone, ring = curvature * n_z * n_z - hoop, curvature * n_r * n_z
    around_A = reach * math.sqrt(cone * cone + ring * ring) / (max(r, reach) + TINY)
    along_A = reach * curvature * curvature
    sway = max(turn_most, reach * max(abs(hoop), abs(curvature)))
    doubt_u = max(
        max(around_A * tau_u * tau_u + along_A * (1.0 - g_u * g_u - tau_u * tau_u), sway * aslant),
        0.5 * abs(g_u * t_r) / (rho + TINY),  # Eq. (C28)
    ) * h_u * h_u  # fmt: skip
    doubt_phi = max(
        (around_A * tau_t * tau_t + along_A * (1.0 - n_t * n_t - tau_t * tau_t)) * h_phi,
        sway * math.sqrt(max(0.0, 1.0 - n_e * n_e)) * angle,
    ) * h_phi  # fmt: skip
    slope_u, slope_phi = g_u * h_u, n_t * h_phi
    deepest, rise = s + span, 0.5 * CORNER_WEIGHTS * (drift + turn * half)
    if r > 2.0 * span and distance > 2.0 * span:
        bent = max((abs(n_r) + n_r_most - n_r) / (r - span), 2.0 * abs(curvature))
        rise = min(rise, 0.125 * CORNER_WEIGHTS * bent * (drift + turn * half) ** 2)  # Eq. (C33)
        hollow = max(max(0.0, n_r_most) / (r - span), 2.0 * curvature)
        normals = (n_z, n_r, n_e, n_t)
        increase = depth_increase((slope_u, slope_phi), normals, tilt + swing, t_r, hollow, span, cell, sweep)
        deepest = s + min(span, increase)
    return deepest, rise, s, slope_u, slope_phi, abs(bend_u), abs(bend_phi), doubt_u, doubt_phi


@inline
def unbounded_segment(segments, k, z, r, span):
    """Return depth [m], normal (n_z, n_r) and curvature [1/m] of A below the unbounded segment k at (z, r) [m].

    Also the distance from the centre of an arc [m] (infinite for a line) and a bound on n_r within `span` [m].
    """
    if segments[k, KIND] == LINE:
        n_z, n_r = segments[k, AXIS_R], -segments[k, AXIS_Z]
        s = (z - segments[k, START_Z]) * n_z + (r - segments[k, START_R]) * n_r  # Eq. (C1)
        return s, n_z, n_r, 0.0, math.inf, n_r
    d_z, d_r = z - segments[k, AXIS_Z], r - segments[k, AXIS_R]
    distance = math.sqrt(d_z * d_z + d_r * d_r)
    curvature = segments[k, SENSE] / (distance + TINY)
    s, n_z, n_r = segments[k, SENSE] * (distance - segments[k, LENGTH]), curvature * d_z, curvature * d_r
    return s, n_z, n_r, curvature, distance, n_r + 2.0 * span * abs(curvature)


@inline
def depth_increase(slope, normals, tilt, t_r, hollow, span, cell, sweep):
    """Return a bound on the increase of the depth from the middle of a cell, anywhere in it on the path [m]; Eq. (C23).

    `normals`: components (n_z, n_r) of the normal in A, (n_e, n_t) outwards and around B. `tilt`: largest second
    derivative of the depth along B's meridian [1/m]; `hollow`: largest concave curvature of A [1/m].
    """
    rho, half, h_u, angle = cell
    d_along, d_across, _, turn, _, _ = sweep
    n_z, n_r, n_e, n_t = normals
    towards = abs(d_along * n_z + d_across * n_r)
    return (
        0.5 * (abs(slope[0]) + abs(slope[1]))
        + 0.125 * max(0.0, tilt) * h_u * h_u
        + 0.125 * max(0.0, 0.5 * angle - n_e) * (rho + 0.5 * h_u) * angle * angle
        + 0.25 * (abs(n_t) + 0.5 * angle) * angle * h_u * abs(t_r)
        + 0.5 * hollow * span * span
        + towards
        + turn * half
    )


@inline
def axes_of_A(R_AB, x, y, r):
    """Return the cylindrical unit vectors of A at a point (x, y) [m] of A, expressed in B: radial, around, along."""
    inverse = 1.0 / (r + TINY)
    c, s = (inverse * x, inverse * y) if r > 0.0 else (1.0, 0.0)
    return (
        (c * R_AB[0][0] + s * R_AB[1][0], c * R_AB[0][1] + s * R_AB[1][1], c * R_AB[0][2] + s * R_AB[1][2]),
        (c * R_AB[1][0] - s * R_AB[0][0], c * R_AB[1][1] - s * R_AB[0][1], c * R_AB[1][2] - s * R_AB[0][2]),
        R_AB[2],
    )


@kernel
def joint_variation(segments, first, last, R_AB, p_AB_A, shape, m, e, steps, level_u, level_phi, s):
    """Return changes and bends [m] of the depth across a cell that faces several segments, each (along u, around).

    They follow from the depths in the middle (s) and at the ends of its two centre lines.
    """
    z, rho = meridian_point(shape, m)
    s_u, s_phi = (0.0, 0.0), (0.0, 0.0)
    for sign in (-1.0, 1.0):
        z_i, rho_i = meridian_point(shape, shift_along(shape, m, steps, level_u, HALF_U, sign))
        s_i = point_depth(segments, first, last, R_AB, p_AB_A, rho_i * e[0], rho_i * e[1], z_i)
        cos, sin = rotate_around(e, steps, level_phi, HALF_PHI, sign)
        s_j = point_depth(segments, first, last, R_AB, p_AB_A, rho * cos, rho * sin, z)
        s_u, s_phi = (s_u[1], s_i), (s_phi[1], s_j)
    bend_u, bend_phi = 4.0 * abs(s_u[0] + s_u[1] - 2.0 * s), 4.0 * abs(s_phi[0] + s_phi[1] - 2.0 * s)
    return (s_u[1] - s_u[0], s_phi[1] - s_phi[0]), (bend_u, bend_phi)
