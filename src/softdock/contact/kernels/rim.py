"""Where the axis of a pin comes nearest to a rim: at once, or by the paper's search with eight points.

The rim is a circle. Seen along the axis of the pin, the squared distance of the point at the angle phi is a constant
minus 2R (A cos phi + B sin phi + G cos^2 phi), Eq. (P7), with A, B and G not negative when the angle is counted from
the right place. That has one largest value in the first quadrant, and inside an astroid one more in the second
with a lowest one between.
"""

import math

from softdock.jit import inlined, kernel

DIRECT, SEARCH = 0, 1
POINTS = 8  # of a search interval, as in the paper
CONVERGED = 1e-11  # [rad] after a step of this size Newton has left its square
MOST_STEPS = 80  # halving alone needs 60


@inlined
def descent(p, q, g, low, high, start):
    """Return where p cos v + q sin v - 2 g sin v cos v falls through zero between `low` and `high` [rad]; Eq. (P8).

    Newton steps, halving where they leave the bracket.
    """
    v = min(max(start, low), high)
    for _ in range(MOST_STEPS):
        c, s = math.cos(v), math.sin(v)
        value = p * c + q * s - 2.0 * g * s * c
        if value > 0.0:
            low = v
        elif value < 0.0:
            high = v
        else:
            return v
        slope = q * c - p * s - 2.0 * g * (c * c - s * s)
        ahead = v - value / slope if slope < 0.0 else math.nan
        if not low < ahead < high:
            ahead = 0.5 * (low + high)
        step = ahead - v
        v = ahead
        if abs(step) < CONVERGED or high - low < CONVERGED:
            return v
    return v


@kernel
def search(A, B, G, low, high, sign, levels):
    """Return the angle of the best of eight points, then of eight between its neighbours, and so on.

    `sign` is 1.0 for the largest value, the nearest point of the rim, and -1.0 for the lowest.
    """
    best = low
    for _ in range(levels):
        step = (high - low) / (POINTS - 1)
        best_value, k_best = -math.inf, 0
        for k in range(POINTS):
            c, s = math.cos(low + k * step), math.sin(low + k * step)
            value = sign * (A * c + B * s + G * c * c)
            if value > best_value:
                best_value, k_best = value, k
        best = low + k_best * step
        low, high = max(best - step, low), min(best + step, high)
    return best


@inlined
def search_around(A, B, G, levels):
    """Return the angle of the best of eight points all around, refined; for a distance with one valley."""
    step = math.tau / POINTS
    best_value, k_best = -math.inf, 0
    for k in range(POINTS):
        value = A * math.cos(k * step) + B * math.sin(k * step) + G * math.cos(k * step) ** 2
        if value > best_value:
            best_value, k_best = value, k
    return search(A, B, G, (k_best - 1) * step, (k_best + 1) * step, 1.0, levels)


@inlined
def nearest_angle(A, B, G, two_valleys, method, levels):
    """Angle of the point of the rim that is nearest to the pin."""
    if method == DIRECT:
        return descent(B, -A, G, 0.0, 0.5 * math.pi, math.atan2(B, A + 2.0 * G))
    if two_valleys:
        return search(A, B, G, 0.0, 0.5 * math.pi, 1.0, levels)
    return search_around(A, B, G, levels)


@inlined
def has_second(A, B, G):
    """Tell whether the distance has a second lowest value; Eq. (P9)."""
    if max(A, B) >= 2.0 * G:
        return False
    third = 1.0 / 3.0
    return (A * A) ** third + (B * B) ** third < (4.0 * G * G) ** third


@inlined
def second_angles(A, B, G, method, levels):
    """Angles of the second lowest distance and of the largest one between both."""
    third = 1.0 / 3.0
    turn = math.atan2(B**third, A**third)
    if method == SEARCH:
        second = search(A, B, G, math.pi - turn, math.pi, 1.0, levels)
        return second, search(A, B, G, 0.5 * math.pi, math.pi - turn, -1.0, levels)
    second = descent(B, A, G, 0.0, turn, 0.5 * turn)
    # Between `turn` and a right angle the same function rises: its negative falls.
    between = descent(-B, -A, -G, turn, 0.5 * math.pi, 0.5 * (turn + 0.5 * math.pi))
    return math.pi - second, math.pi - between


@inlined
def farthest_angle(A, B, G):
    """Angle of the point of the rim that is farthest from the pin."""
    return math.pi + descent(B, -A, -G, 0.0, 0.5 * math.pi, math.atan2(B, max(A - 2.0 * G, 0.0)))
