"""Bounds of the motion during a step, from the interpolation of its states.

All derivatives are by the part theta of the step, from 0 to 1. A polynomial lies within its Bernstein coefficients, and
a vector whose components are polynomials within the convex hull of its control points.
"""

import math

from softdock.native.decorators import inline, kernel
from softdock.tree.kernels.poses import link_point
from softdock.tree.kernels.tree import BALL, FREE, GROUND, PRISMATIC, REVOLUTE

# Columns of the bounds of a link; time is measured in steps.
ANGULAR_VELOCITY = 0  # angular velocity against N [rad]
ANGULAR_ACCELERATION = 1  # its rate [rad]
VELOCITY = 2  # velocity of the origin against that of the base [m]
ACCELERATION = 3  # its rate [m]
MOTION_BOUNDS = 4

# Rate of a quaternion below which its norm at the ends of the step bounds its norm inside.
SLOW_QUATERNION_RATE = 0.2
PIECES = 16  # intervals of a step at whose ends the norm of a faster one is evaluated
MIN_SQUARED_NORM = 0.25  # of a quaternion: less means that the integration has failed


@inline
def slope_coefficients(dense, i):
    """Return the four Bernstein coefficients of the first derivative of a state; Eq. (M60)."""
    d, a, b, c = dense[1, i], dense[2, i], dense[3, i], dense[4, i]
    return (
        d + a,
        d + (a + 2.0 * b + 2.0 * c) / 3.0,
        d + (b - a - 2.0 * c) / 3.0,
        d - a - b,
    )


@inline
def curvature_coefficients(dense, i):
    """Return the three Bernstein coefficients of the second derivative of a state; Eq. (M60)."""
    a, b, c = dense[2, i], dense[3, i], dense[4, i]
    return 2.0 * (b + c - a), -2.0 * a - b - 4.0 * c, 2.0 * (c - a) - 4.0 * b


@inline
def largest_of_three(a, b, c):
    """Return the largest absolute value of three numbers."""
    return max(max(abs(a), abs(b)), abs(c))


@inline
def curvature_range(dense, i, low, high):
    """Return bounds of the second derivative of a state between two instants of the step: the least and the largest."""
    a, b, c = dense[2, i], dense[3, i], dense[4, i]
    constant, linear, square = 2.0 * (b + c - a), -6.0 * b - 12.0 * c, 12.0 * c
    first = constant + low * (linear + low * square)
    last = constant + high * (linear + high * square)
    middle = constant + 0.5 * linear * (low + high) + square * low * high
    return min(min(first, middle), last), max(max(first, middle), last)


@inline
def length(x, y, z):
    """Return the length of a vector."""
    return math.sqrt(x * x + y * y + z * z)


@kernel
def bound_base_motion(links, dense, root_i, root_j):
    """Return bounds of first and second derivative of the difference of two bases' positions in N [m].

    If `root_j` is -1, it is the position of base i.
    """
    s_0, s_1, s_2, s_3, b_0, b_1, b_2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(3):
        a, b, c, d, e, f, g = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        if links[root_i].kind == FREE:
            a, b, c, d = slope_coefficients(dense, links[root_i].at_q + k)
            e, f, g = curvature_coefficients(dense, links[root_i].at_q + k)
        if root_j >= 0 and links[root_j].kind == FREE:
            p, q, r, s = slope_coefficients(dense, links[root_j].at_q + k)
            a, b, c, d = a - p, b - q, c - r, d - s
            p, q, r = curvature_coefficients(dense, links[root_j].at_q + k)
            e, f, g = e - p, f - q, g - r
        s_0, s_1, s_2, s_3 = s_0 + a * a, s_1 + b * b, s_2 + c * c, s_3 + d * d
        b_0, b_1, b_2 = b_0 + e * e, b_1 + f * f, b_2 + g * g
    return math.sqrt(max(max(s_0, s_1), max(s_2, s_3))), math.sqrt(max(max(b_0, b_1), b_2))


@kernel
def bound_turning(dense, at):
    """Return bounds of the angular velocity of a quaternion and of its rate [rad]; Eq. (M61)."""
    s_0, s_1, s_2, s_3, b_0, b_1, b_2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(at, at + 4):
        a, b, c, d = slope_coefficients(dense, i)
        e, f, g = curvature_coefficients(dense, i)
        s_0, s_1, s_2, s_3 = s_0 + a * a, s_1 + b * b, s_2 + c * c, s_3 + d * d
        b_0, b_1, b_2 = b_0 + e * e, b_1 + f * f, b_2 + g * g
    slope, curvature = math.sqrt(max(max(s_0, s_1), max(s_2, s_3))), math.sqrt(max(max(b_0, b_1), b_2))
    pieces = 1 if slope < SLOW_QUATERNION_RATE else PIECES
    shortest = 1.0
    for k in range(pieces + 1):
        theta, square = k / pieces, 0.0
        for i in range(at, at + 4):
            inner = dense[3, i] + (1.0 - theta) * dense[4, i]
            x = dense[0, i] + theta * (dense[1, i] + (1.0 - theta) * (dense[2, i] + theta * inner))
            square += x * x
        shortest = min(shortest, square)
    shortest -= 0.25 * (slope * slope + (1.0 + slope) * curvature) / (pieces * pieces)
    size = math.sqrt(max(shortest, MIN_SQUARED_NORM))
    turn = 2.0 * slope / size
    return turn, 2.0 * curvature / size + turn * turn


@kernel
def bound_motion(system, h, dense, needed, motion):
    """Write bounds of the motion of all links that are needed; Eqs. (M61), (M62)."""
    links = system.links
    for i in range(links.shape[0]):
        if needed[i] == 0:
            continue
        link = links[i]
        kind, at = link.kind, link.at_q
        if kind == FREE or kind == GROUND:
            turn, spin = bound_turning(dense, at + 3) if kind == FREE else (0.0, 0.0)
            (
                motion[i, ANGULAR_VELOCITY],
                motion[i, ANGULAR_ACCELERATION],
                motion[i, VELOCITY],
                motion[i, ACCELERATION],
            ) = turn, spin, 0.0, 0.0
            continue
        turn, spin = motion[link.parent, ANGULAR_VELOCITY], motion[link.parent, ANGULAR_ACCELERATION]
        slide, curvature, arm = 0.0, 0.0, length(link.p_PJ[0], link.p_PJ[1], link.p_PJ[2])
        if kind == PRISMATIC:
            a, b, c, d = slope_coefficients(dense, at)
            slide = max(largest_of_three(a, b, c), abs(d))
            a, b, c = curvature_coefficients(dense, at)
            curvature = largest_of_three(a, b, c)
            arm += max(abs(dense[0, at]), abs(dense[0, at] + dense[1, at])) + 0.125 * curvature
        motion[i, VELOCITY] = motion[link.parent, VELOCITY] + turn * arm + slide
        motion[i, ACCELERATION] = (
            motion[link.parent, ACCELERATION] + (spin + turn * turn) * arm + 2.0 * turn * slide + curvature
        )
        rate, change = 0.0, 0.0
        if kind == BALL:
            rate, change = bound_turning(dense, at)
        elif kind == REVOLUTE:
            a, b, c, d = slope_coefficients(dense, at)
            rate = max(largest_of_three(a, b, c), abs(d))
            a, b, c = curvature_coefficients(dense, at)
            change = largest_of_three(a, b, c)
        motion[i, ANGULAR_ACCELERATION] = spin + turn * rate + change
        motion[i, ANGULAR_VELOCITY] = turn + rate
    for i in range(system.orbit.shape[0]):
        o = system.orbit[i]
        if needed[o.hill] == 1:  # turning of the Hill frame, fastest at the perigee
            near = 1.0 - o.e * o.e
            turn = h * o.n * (1.0 + o.e) ** 2 / (near * math.sqrt(near))
            motion[o.hill, ANGULAR_VELOCITY] = turn
            motion[o.hill, ANGULAR_ACCELERATION] = (
                2.0 * o.e * (h * o.n * (1.0 + o.e)) ** 2 * (1.0 + o.e) / near**3
            )


@kernel
def bound_separation(system, dense, motion, i, p_i, j, p_j):
    """Return bounds on the motion of a point of link i relative to one of link j, or to N if j is -1; Eq. (M63).

    Distance, and first and second derivative of the difference of their positions, in N [m]. Expects the links at the
    end of the step.
    """
    links, motions = system.links, system.motions
    root_i, root_j = links[i].root, -1
    x, y, z = link_point(motions[i], motions[root_i], p_i)
    arm, turn = length(p_i[0], p_i[1], p_i[2]), motion[i, ANGULAR_VELOCITY]
    speed = motion[i, VELOCITY] + turn * arm
    push = motion[i, ACCELERATION] + (motion[i, ANGULAR_ACCELERATION] + turn * turn) * arm
    if j >= 0:
        root_j = links[j].root
        a, b, c = link_point(motions[j], motions[root_j], p_j)
        x, y, z = x - a, y - b, z - c
        arm, turn = length(p_j[0], p_j[1], p_j[2]), motion[j, ANGULAR_VELOCITY]
        speed += motion[j, VELOCITY] + turn * arm
        push += motion[j, ACCELERATION] + (motion[j, ANGULAR_ACCELERATION] + turn * turn) * arm
    if root_i != root_j:
        drift, drift_rate = bound_base_motion(links, dense, root_i, root_j)
        speed, push = speed + drift, push + drift_rate
    return length(x, y, z) + speed, speed, push
