"""Points of a circular rim nearest to the axis of a pin: by Newton's method, or by the paper's eight-point search.

The squared distance of the rim's point at the angle phi from the axis of the pin is a constant minus
2R (A cos phi + B sin phi + G cos^2 phi), Eq. (P7), with A, B and G not negative for a suitable zero of the angle. The
bracket has one maximum in the first quadrant. Inside an astroid of (A, B) it has another one in the
second quadrant, with a minimum between them.
"""

import math

from softdock.native.decorators import inline, kernel

DIRECT, SEARCH = 0, 1  # methods; values of `pins.Rim`
SEARCH_POINTS = 8  # in a search interval, as in the paper
NEWTON_TOLERANCE = 1e-11  # [rad] the error after a Newton step is the square of the step
MAXIMUM_STEPS = 80  # bisection alone needs 60


@inline
def planar_norm(x, y):
    """Return the length of a vector in a plane; faster than hypot, without its protection against overflow."""
    return math.sqrt(x * x + y * y)


@inline
def find_descending_zero(p, q, g, low, high, start):
    """Return where p c + q s - 2 g s c falls through zero between two directions of the first quadrant; Eq. (P8).

    A direction is the cosine and sine of an angle. Newton's method with bisection where a step leaves the bracket.
    """
    low_c, low_s = low
    high_c, high_s = high
    c, s = start
    for _ in range(MAXIMUM_STEPS):
        value = p * c + q * s - 2.0 * g * s * c
        if value > 0.0:
            low_c, low_s = c, s
        elif value < 0.0:
            high_c, high_s = c, s
        else:
            break
        slope = q * c - p * s - 2.0 * g * (c * c - s * s)
        step = -value / slope if slope < 0.0 else math.inf
        ahead_c, ahead_s = c - step * s, s + step * c
        if abs(step) < NEWTON_TOLERANCE:
            c, s = ahead_c, ahead_s
            break
        # Between low and high both cross products are positive.
        if not (
            abs(step) < 1.0
            and low_c * ahead_s - low_s * ahead_c > 0.0
            and ahead_c * high_s - ahead_s * high_c > 0.0
        ):
            ahead_c, ahead_s = low_c + high_c, low_s + high_s
        size = planar_norm(ahead_c, ahead_s)
        if ahead_c == c * size and ahead_s == s * size:
            break
        c, s = ahead_c / size, ahead_s / size
    return c, s


@kernel
def search_interval(A, B, G, low, high, sign, levels):
    """Return the angle [rad] of the best of eight points in an interval, refined between its neighbours `levels` times.

    `sign` is 1.0 for the maximum (nearest point of the rim) and -1.0 for the minimum.
    """
    best = low
    for _ in range(levels):
        step = (high - low) / (SEARCH_POINTS - 1)
        best_value, k_best = -math.inf, 0
        for k in range(SEARCH_POINTS):
            c, s = math.cos(low + k * step), math.sin(low + k * step)
            value = sign * (A * c + B * s + G * c * c)
            if value > best_value:
                best_value, k_best = value, k
        best = low + k_best * step
        low, high = max(best - step, low), min(best + step, high)
    return best


@inline
def search_circle(A, B, G, levels):
    """Return the angle [rad] of the best of eight points of the circle, refined; for a distance with one minimum."""
    step = math.tau / SEARCH_POINTS
    best_value, k_best = -math.inf, 0
    for k in range(SEARCH_POINTS):
        value = A * math.cos(k * step) + B * math.sin(k * step) + G * math.cos(k * step) ** 2
        if value > best_value:
            best_value, k_best = value, k
    return search_interval(A, B, G, (k_best - 1) * step, (k_best + 1) * step, 1.0, levels)


@inline
def unit_direction(x, y):
    """Return the cosine and sine of the angle of a vector."""
    size = planar_norm(x, y)
    return (x / size, y / size) if size > 0.0 else (1.0, 0.0)


@inline
def nearest_direction(A, B, G, two_minima, method, levels):
    """Return the direction of the point of the rim nearest to the pin."""
    if method == DIRECT:
        return find_descending_zero(B, -A, G, (1.0, 0.0), (0.0, 1.0), unit_direction(A + 2.0 * G, B))
    if two_minima:
        v = search_interval(A, B, G, 0.0, 0.5 * math.pi, 1.0, levels)
    else:
        v = search_circle(A, B, G, levels)
    return math.cos(v), math.sin(v)


@inline
def has_second_minimum(A, B, G):
    """Return whether the distance has a second minimum; Eq. (P9)."""
    if max(A, B) >= 2.0 * G:
        return False
    third = 1.0 / 3.0
    return (A * A) ** third + (B * B) ** third < (4.0 * G * G) ** third


@inline
def second_directions(A, B, G, method, levels):
    """Return the directions of the second minimum of the distance and of the maximum between both minima."""
    third = 1.0 / 3.0
    turn = unit_direction(A**third, B**third)
    if method == SEARCH:
        angle = math.atan2(turn[1], turn[0])
        second = search_interval(A, B, G, math.pi - angle, math.pi, 1.0, levels)
        between = search_interval(A, B, G, 0.5 * math.pi, math.pi - angle, -1.0, levels)
        return (math.cos(second), math.sin(second)), (math.cos(between), math.sin(between))
    c, s = find_descending_zero(B, A, G, (1.0, 0.0), turn, unit_direction(1.0 + turn[0], turn[1]))
    # Beyond `turn` the function rises; its negative falls.
    c_between, s_between = find_descending_zero(
        -B, -A, -G, turn, (0.0, 1.0), unit_direction(turn[0], 1.0 + turn[1])
    )
    return (-c, s), (-c_between, s_between)


@inline
def farthest_direction(A, B, G):
    """Return the direction of the point of the rim farthest from the pin."""
    c, s = find_descending_zero(B, -A, -G, (1.0, 0.0), (0.0, 1.0), unit_direction(max(A - 2.0 * G, 0.0), B))
    return -c, -s
