"""Variation of the depth across cells of B: change, second differences and bounds, from derivatives in their middle."""

import math

from softdock.contact.kernels.cell_geometry import meridian_point, point_depth, rotate_around, shift_along
from softdock.contact.kernels.cut_cell import CORNER_WEIGHTS
from softdock.contact.kernels.layout import HALF_PHI, HALF_U
from softdock.contact.kernels.point_depths import inverse_sqrt
from softdock.native.decorators import inline, kernel
from softdock.native.simd import fma, maximum, select_positive

SMALLEST_RADIUS = 1e-9  # [m] smaller radii count as this one, so that curvatures stay finite


@inline
def depth_variation(segment, place, cell, axes, turn, turn_most):
    """Return how the depth below an unbounded segment of A varies over cells of B.

    `segment`: see `unbounded_segment`. `place`: r of the middle in A [m], 1/r [1/m], its motion along half the path in
    z, in r and in total [m], bounding radius [m], the same with all motion [m], reach including the motion [m]. `cell`:
    mean radius [m], length [m], angle [rad], radial part of the tangent, curvature of the meridian of B [1/m]. `axes`:
    see `local_axes`. `turn`, `turn_most`: rotation along half the path, and including the reach [rad].

    Returns, from derivatives in the middle: a bound on the depth within the cell on the path, its Taylor bound, Eq.
    (C23), which is infinite where A is not smooth, a bound on the rise of a corner of the linear depth between the
    middle and the ends of the path, the change of the depth across the cell along u and around, its second
    differences (second derivative times the square of the size) along u and around, and their uncertainties [m].
    """
    s, n_z, n_r, curvature, distance, n_r_most = segment
    r, inverse_r, d_z, d_r, drift, half, span, reach = place
    rho, h_u, angle, t_r, curvature_B = cell
    radial, along, tau_u, tau_t = axes
    # Components of the normal of A: outwards and around B, along its meridian and normal to it.
    n_e, n_t = fma(n_r, radial[0], n_z * along[0]), fma(n_r, radial[1], n_z * along[1])
    g_u, n_w = fma(n_r, radial[2], n_z * along[2]), fma(n_r, radial[3], n_z * along[3])
    hoop, h_phi = n_r * inverse_r, rho * angle
    tilt = -n_w * curvature_B  # n . x_uu
    square_u, square_t = tau_u * tau_u, tau_t * tau_t
    rest_u, rest_t = 1.0 - g_u * g_u - square_u, 1.0 - n_t * n_t - square_t
    # Eq. (C24): second derivatives along the surface of B
    second_difference_u = fma(hoop, square_u, fma(curvature, rest_u, tilt)) * (h_u * h_u)
    second_difference_phi = (fma(hoop, square_t, curvature * rest_t) * h_phi - n_e * angle) * h_phi
    # Eq. (C27): change of the second differences within the reach
    cone, ring = fma(curvature * n_z, n_z, -hoop), curvature * n_r * n_z
    around_A = reach * square_root(fma(cone, cone, ring * ring)) / maximum(maximum(r, reach), SMALLEST_RADIUS)
    along_A = reach * curvature * curvature
    sway = maximum(turn_most, reach * maximum(absolute(hoop), absolute(curvature)))
    aslant = curvature_B * square_root(maximum(fma(-n_w, n_w, 1.0), 0.0))
    uncertainty_u = maximum(
        maximum(fma(around_A, square_u, along_A * rest_u), sway * aslant),
        0.5 * absolute(g_u * t_r) / maximum(rho, SMALLEST_RADIUS),  # Eq. (C28)
    ) * (h_u * h_u)  # fmt: skip
    uncertainty_phi = maximum(
        fma(around_A, square_t, along_A * rest_t) * h_phi,
        sway * square_root(maximum(fma(-n_e, n_e, 1.0), 0.0)) * angle,
    ) * h_phi  # fmt: skip
    slope_u, slope_phi, moves = g_u * h_u, n_t * h_phi, fma(turn, half, drift)
    smooth = -maximum(-r, -distance) - 2.0 * span
    inverse = 1.0 / maximum(r - span, SMALLEST_RADIUS)
    bent = maximum((absolute(n_r) + n_r_most - n_r) * inverse, 2.0 * absolute(curvature))
    rise = 0.5 * CORNER_WEIGHTS * moves
    rise = select_positive(
        smooth, -maximum(-rise, -0.125 * CORNER_WEIGHTS * bent * moves * moves), rise
    )  # Eq. (C33)
    hollow = maximum(maximum(n_r_most, 0.0) * inverse, 2.0 * curvature)
    towards = absolute(fma(d_z, n_z, d_r * n_r)) + turn * half
    increase = depth_increase(slope_u, slope_phi, n_e, n_t, tilt, hollow, span, cell) + towards
    taylor = select_positive(smooth, s + increase, math.inf)
    deepest = -maximum(-(s + span), -taylor)
    second_differences, uncertainties = (
        (absolute(second_difference_u), absolute(second_difference_phi)),
        (uncertainty_u, uncertainty_phi),
    )
    return deepest, taylor, rise, (slope_u, slope_phi), second_differences, uncertainties


@inline
def depth_increase(slope_u, slope_phi, n_e, n_t, tilt, hollow, span, cell):
    """Return a bound on the increase of the depth from the middle of cells, anywhere in them [m]; Eq. (C23).

    `n_e`, `n_t`: components of the normal outwards and around B; `tilt`: second derivative of the depth along B's
    meridian [1/m]; `hollow`: largest concave curvature of A [1/m]. The motion along the path is to be added.
    """
    rho, h_u, angle, t_r, curvature_B = cell
    swing = 0.5 * fma(h_u, curvature_B, angle) * curvature_B
    return (
        0.5 * (absolute(slope_u) + absolute(slope_phi))
        + 0.125 * maximum(tilt + swing, 0.0) * h_u * h_u
        + 0.125 * maximum(0.5 * angle - n_e, 0.0) * fma(0.5, h_u, rho) * angle * angle
        + 0.25 * (absolute(n_t) + 0.5 * angle) * angle * h_u * absolute(t_r)
        + 0.5 * hollow * span * span
    )


@inline
def unbounded_segment(is_arc, start_z, start_r, axis_z, axis_r, radius, sense, z, r, span):
    """Return depth [m], normal (n_z, n_r) and curvature [1/m] of A below unbounded segments at points (z, r) [m].

    Also the distance from the centre of an arc [m] (infinite for a line) and a bound on n_r within `span` [m].
    Arguments are the columns of `profile_array` for eight segments.
    """
    d_z, d_r = z - axis_z, r - axis_r
    square = fma(d_z, d_z, d_r * d_r)
    inverse = limited_inverse_sqrt(square)
    distance, curvature = square * inverse, select_positive(is_arc, sense * inverse, 0.0)
    n_z = select_positive(is_arc, curvature * d_z, axis_r)
    n_r = select_positive(is_arc, curvature * d_r, -axis_z)
    flat = fma(z - start_z, n_z, (r - start_r) * n_r)  # Eq. (C1)
    s = select_positive(is_arc, sense * (distance - radius), flat)  # Eq. (C2)
    n_r_most = fma(2.0 * span, absolute(curvature), n_r)
    return s, n_z, n_r, curvature, select_positive(is_arc, distance, math.inf), n_r_most


@inline
def local_axes(R_AB, x, y, inverse_r, e, t):
    """Return the cylindrical unit vectors of A at points (x, y) [m] of A, in the directions of cells of B.

    `e`: cosine and sine of the azimuths, `t`: tangents (z, r) of B. Returns the radial and the axial vector of A, each
    outwards and around B, along t and normal to it, and the components along t and around B of the vector around A.
    """
    on_axis = inverse_r - 1.0 / SMALLEST_RADIUS + 1.0
    c, s = select_positive(on_axis, 1.0, inverse_r * x), select_positive(on_axis, 0.0, inverse_r * y)
    X, Y, Z = R_AB
    radial = (fma(c, X[0], s * Y[0]), fma(c, X[1], s * Y[1]), fma(c, X[2], s * Y[2]))
    around = (fma(c, Y[0], -(s * X[0])), fma(c, Y[1], -(s * X[1])), fma(c, Y[2], -(s * X[2])))
    _, tau_t, tau_u, _ = in_directions(around, e, t)
    return in_directions(radial, e, t), in_directions(Z, e, t), tau_u, tau_t


@inline
def in_directions(v, e, t):
    """Return the components of vectors of B outwards and around the axis, along t and normal to it."""
    outwards = fma(e[0], v[0], e[1] * v[1])
    return (
        outwards,
        fma(e[0], v[1], -(e[1] * v[0])),
        fma(t[0], v[2], t[1] * outwards),
        fma(t[1], v[2], -(t[0] * outwards)),
    )


@inline
def absolute(x):
    """Return the magnitudes of eight numbers."""
    return maximum(x, -x)


@inline
def square_root(x):
    """Return the roots of eight numbers, which must not be negative."""
    return x * inverse_sqrt(x)


@inline
def limited_inverse_sqrt(x):
    """Return 1/sqrt(x), at most the inverse of the smallest radius."""
    return -maximum(-inverse_sqrt(x), -1.0 / SMALLEST_RADIUS)


@kernel
def joint_variation(segments, first, last, R_AB, p_AB_A, shape, m, e, steps, level_u, level_phi, s):
    """Return changes and second differences of the depth [m], each (along u, around), of a cell with several segments.

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
    second_difference_u, second_difference_phi = (
        4.0 * abs(s_u[0] + s_u[1] - 2.0 * s),
        4.0 * abs(s_phi[0] + s_phi[1] - 2.0 * s),
    )
    return (s_u[1] - s_u[0], s_phi[1] - s_phi[0]), (second_difference_u, second_difference_phi)
