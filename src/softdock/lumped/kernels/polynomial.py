"""Polynomials in time over one step, coefficients from the lowest order upwards.

Within a phase of the run the chain is linear, so its motion over a short step is a power series, truncated where terms
are below round-off. Values, event times and integrals are computed from these polynomials.
"""

import math

from softdock.native.decorators import kernel

RADIANS_PER_STEP = 2.0  # phase of the fastest oscillation in one step
ORDER = 24  # even; the first term left out is 2^25/25! = 2e-18 of the motion
VALUE_COLUMN = ORDER + 1  # column after the coefficients, for evaluated values
COLUMNS = ORDER + 2
ROUND_OFF = 2.3e-16  # relative to the step: tolerance of event times
# Relative to the step; a shorter contact changes the motion by less than round-off.
MIN_CONTACT_TIME = 1e-9


@kernel
def evaluate(c, t):
    """Return the value at t; separate sums of even and odd powers shorten the chain of dependent operations."""
    square = t * t
    even, odd = c[ORDER], c[ORDER - 1]
    for k in range(ORDER - 2, 0, -2):
        even = even * square + c[k]
        odd = odd * square + c[k - 1]
    return even * square + c[0] + odd * t


@kernel
def derivative(c, t):
    """Return the first derivative of the polynomial at t."""
    square = t * t
    odd, even = ORDER * c[ORDER], (ORDER - 1) * c[ORDER - 1]
    for k in range(ORDER - 2, 0, -2):
        odd = odd * square + k * c[k]
        even = even * square + (k - 1) * c[k - 1]
    return even + odd * t


@kernel
def integral(c, t):
    """Return the integral of the polynomial from 0 to t."""
    value = c[ORDER] / (ORDER + 1)
    for k in range(ORDER - 1, -1, -1):
        value = value * t + c[k] / (k + 1)
    return value * t


@kernel
def product_integral(a, b, t):
    """Return the integral of the product of two polynomials from 0 to t."""
    total = 0.0
    for n in range(2 * ORDER, -1, -1):
        term = 0.0
        for k in range(max(0, n - ORDER), min(n, ORDER) + 1):
            term += a[k] * b[n - k]
        total = total * t + term / (n + 1)
    return total * t


@kernel
def evaluate_all(c, t):
    """Evaluate several polynomials (rows) at t; write the values to the value column."""
    for i in range(c.shape[0]):
        value = c[i, ORDER]
        for k in range(ORDER - 1, -1, -1):
            value = value * t + c[i, k]
        c[i, VALUE_COLUMN] = value


@kernel
def refine_crossing(c, low, high, tolerance):
    """Return the zero of a polynomial that is not positive at `low` and positive at `high`, to round-off.

    Regula falsi with the Illinois modification.
    """
    below, above, before = evaluate(c, low), evaluate(c, high), high
    for _ in range(60):  # converges in three or four
        t = low - below * ((high - low) / (above - below))
        if not low < t < high:  # at an end of the bracket, within round-off
            return min(max(t, low), high)
        if abs(t - before) <= tolerance:
            return t
        value = evaluate(c, t)
        if value > 0.0:
            below *= 0.5 if before == high else 1.0
            high, above = t, value
        else:
            above *= 0.5 if before == low else 1.0
            low, below = t, value
        before = t
    return high


@kernel
def first_crossing(c, end):
    """Return the first time in (0, end] at which the polynomial rises above zero, or -1.

    Each phase starts with event functions at or below zero; a positive start value is round-off and is set to zero.
    """
    c[0] = min(c[0], 0.0)
    return next_crossing(c, 0.0, end)


@kernel
def next_crossing(c, start, end):
    """Return the first time in (start, end] at which the polynomial rises above zero, or -1.

    A positive value at `start` is taken as zero. Advances by steps within which a bound on the second derivative
    excludes a crossing. Near a crossing the steps shrink like Newton steps from one side, so that no pair of crossings
    is missed.
    """
    bound, power = 0.0, 1.0
    for k in range(2, ORDER + 1):
        bound += k * (k - 1) * abs(c[k]) * power
        power *= end
    t, value, slope, hop = start, min(evaluate(c, start), 0.0), derivative(c, start), MIN_CONTACT_TIME * end
    while t < end:
        safe = _safe_step(value, slope, bound, end)  # Eq. (H8)
        if safe < hop:
            safe = hop
            hop *= 2.0
        else:
            hop = MIN_CONTACT_TIME * end
        following = min(t + safe, end)
        value = evaluate(c, following)
        if value > 0.0:
            return refine_crossing(c, t, following, ROUND_OFF * end)
        t = following
        slope = derivative(c, t)
    return -1.0


@kernel
def _safe_step(value, slope, bound, end):
    """Return how long value + slope t + bound t^2 / 2 stays at or below zero, for value <= 0; at most `end`."""
    root = math.sqrt(slope * slope - 2.0 * bound * value)
    if slope > 0.0:
        return min(-2.0 * value / (slope + root), end)
    if bound * end <= root - slope:
        return end
    return (root - slope) / bound
