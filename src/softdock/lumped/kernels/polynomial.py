"""Polynomials in time over one step, coefficients from the lowest order upwards.

Within a phase of the run the chain is linear, so its motion over a short step is a power series that ends in
round-off. Everything the run asks of the motion (values, roots, integrals) is asked of these polynomials.
"""

import math

from softdock.jit import kernel

ORDER = 18  # a step spans at most one radian of the fastest motion: the next term is 1/19! = 8e-18
SMALLEST_HOP = 1e-9  # of the step; a touch shorter than this is 1e-18 of the motion: below round-off


@kernel
def evaluate(c, t):
    """Value of the polynomial at t."""
    value = c[ORDER]
    for k in range(ORDER - 1, -1, -1):
        value = value * t + c[k]
    return value


@kernel
def derivative(c, t):
    """First derivative of the polynomial at t."""
    value = ORDER * c[ORDER]
    for k in range(ORDER - 1, 0, -1):
        value = value * t + k * c[k]
    return value


@kernel
def integral(c, t):
    """Integral of the polynomial from 0 to t."""
    value = c[ORDER] / (ORDER + 1)
    for k in range(ORDER - 1, -1, -1):
        value = value * t + c[k] / (k + 1)
    return value * t


@kernel
def product_integral(a, b, t):
    """Integral of the product of two polynomials from 0 to t."""
    total = 0.0
    for n in range(2 * ORDER, -1, -1):
        term = 0.0
        for k in range(max(0, n - ORDER), min(n, ORDER) + 1):
            term += a[k] * b[n - k]
        total = total * t + term / (n + 1)
    return total * t


@kernel
def bisect(c, low, high):
    """Where the polynomial, not positive at `low` and positive at `high`, becomes positive, to round-off."""
    while True:
        middle = 0.5 * (low + high)
        if middle <= low or middle >= high:
            return high
        if evaluate(c, middle) > 0.0:
            high = middle
        else:
            low = middle


@kernel
def first_crossing(c, end):
    """First time in (0, end] at which the polynomial rises above zero, or -1.

    Each phase starts where its event functions are at or below zero; what is above is round-off and cut off.

    Marches by steps over which a bound of the second derivative forbids any crossing. They shrink to the
    crossing as Newton's do, from one side, so that not even a pair of crossings within it is passed over.
    """
    bound, power = 0.0, 1.0
    for k in range(2, ORDER + 1):
        bound += k * (k - 1) * abs(c[k]) * power
        power *= end
    c[0] = min(c[0], 0.0)
    t, value, slope, hop = 0.0, c[0], c[1], SMALLEST_HOP * end
    while t < end:
        safe = _safe_step(value, slope, bound, end)  # Eq. (H8)
        if safe < hop:
            safe = hop
            hop *= 2.0
        else:
            hop = SMALLEST_HOP * end
        following = min(t + safe, end)
        value = evaluate(c, following)
        if value > 0.0:
            return bisect(c, t, following)
        t = following
        slope = derivative(c, t)
    return -1.0


@kernel
def _safe_step(value, slope, bound, end):
    """Time for which value + slope t + bound t^2 / 2 stays at or below zero, value <= 0; at most `end`."""
    root = math.sqrt(slope * slope - 2.0 * bound * value)
    if slope > 0.0:
        return min(-2.0 * value / (slope + root), end)
    if bound * end <= root - slope:
        return end
    return (root - slope) / bound
