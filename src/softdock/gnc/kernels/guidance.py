"""Guidance along the docking axis: glide slope, approach corridor and gates."""

import math

from softdock.native.decorators import inline

ROUNDING = 1e-6  # tolerance of "at the least speed", as a part of the change of speed in a sample


@inline
def glide_slope_speed(distance, time_constant, slowest, fastest):
    """Return the closing speed at a distance [m]: distance over time constant, within limits [m/s]; Eq. (K4)."""
    return min(max(distance / time_constant, slowest), fastest)


@inline
def advance_distance(distance, goal, time_constant, slowest, fastest, acceleration, speed, dt):
    """Move the reference towards a goal over a time dt [s]; returns new distance and closing speed; Eqs. (K4), (K5).

    `distance` and `goal` are measured outwards along the docking axis [m]; a goal further out is approached backwards.
    `speed` is the closing speed before, negative outwards; it changes by at most `acceleration` [m/s2], but for the
    stop at the goal from `slowest` [m/s]. A reference that cannot brake to that in time passes the goal and returns.
    """
    gap, change = distance - goal, acceleration * dt
    braking = math.sqrt(change * change + slowest * slowest + 2.0 * acceleration * abs(gap)) - change
    size = max(min(glide_slope_speed(abs(gap), time_constant, slowest, fastest), braking), slowest)
    wanted = math.copysign(size, gap)
    speed = min(max(wanted, speed - change), speed + change)
    step = speed * dt
    reaches = gap == 0.0 or (step * gap > 0.0 and abs(step) >= abs(gap))
    if reaches and abs(speed) <= slowest + ROUNDING * change:
        return goal, 0.0
    return distance - step, speed


@inline
def impulse_velocity(transition, start, end):
    """Return the velocity at a point `start` that leads to a point `end` in H; Eq. (K1).

    `transition` (6, 6) is that over the time of the transfer. Motion out of the plane of the orbit is independent.
    """
    x = end[0] - transition[0, 0] * start[0] - transition[0, 2] * start[2]
    y = end[1] - transition[1, 1] * start[1]
    z = end[2] - transition[2, 2] * start[2]
    a, b, c, d = transition[0, 3], transition[0, 5], transition[2, 3], transition[2, 5]
    determinant = a * d - b * c
    return (d * x - b * z) / determinant, y / transition[1, 4], (a * z - c * x) / determinant


@inline
def relative_acceleration(n, y, z, vx, vz):
    """Return the acceleration in H of a body that drifts near a circular orbit; Eq. (O13)."""
    return 2.0 * n * vz, -n * n * y, 3.0 * n * n * z - 2.0 * n * vx


@inline
def corridor_margin(x, y, distance, radius, slope):
    """Return how far a point is inside a cone about the docking axis [m], negative outside; Eq. (K37).

    `radius` is that at the port [m], `slope` the tangent of the half-angle.
    """
    return radius + slope * max(distance, 0.0) - math.sqrt(x * x + y * y)


@inline
def passes_gate(offset, speed, angle, rate, gate):
    """Return whether errors of position [m], velocity [m/s], attitude [rad] and rate [rad/s] are within four limits."""
    return offset <= gate[0] and speed <= gate[1] and angle <= gate[2] and rate <= gate[3]
