"""Formulas of channels: programs of nodes, and their bounds in an interval of a step; Eqs. (M80)-(M84).

A formula is a range of nodes. Operands of a node are nodes before it in the range, so one pass from the first to the
last evaluates the formula; the last node is its value.
"""

import math
from enum import IntEnum

import numpy as np

from softdock.dynamics.kernels.channels.parabolas import least_between
from softdock.native.decorators import inline, kernel


class NodeKind(IntEnum):
    """What a node computes; a, b and c are indices of operands relative to the first node of the formula."""

    CHANNEL_VALUE = 0
    """Of channel a."""
    CONSTANT = 1
    ADD = 2
    SUBTRACT = 3
    MULTIPLY = 4
    DIVIDE = 5
    POWER = 6
    """a to the whole exponent b, at least 2."""
    SQUARE_ROOT = 7
    ABSOLUTE = 8
    NEGATIVE = 9
    LEAST = 10
    LARGEST_OF = 11
    NORM = 12
    """Of a, b and c; c is -1 for two operands."""
    EXCEEDS = 13
    """a - b, true where positive."""
    NEGATION = 14
    """Of a condition."""


NODE = np.dtype(
    [
        ("kind", np.int64),  # `NodeKind`
        ("a", np.int64),
        ("b", np.int64),
        ("c", np.int64),
        ("constant", np.float64),  # value of a node that is one
    ],
    align=True,
)
"""Constants of a node of a formula."""

NODE_VALUE = np.dtype(
    [
        ("value", np.float64),  # at the state that was evaluated last
        # In an interval of a step, with its length as unit of the argument: values at its ends, bounds of the value,
        # of its first and of its second derivative, and the difference that does not matter.
        ("first", np.float64),
        ("last", np.float64),
        ("low", np.float64),
        ("high", np.float64),
        ("slope_low", np.float64),
        ("slope_high", np.float64),
        ("curvature_low", np.float64),
        ("curvature_high", np.float64),
        ("small", np.float64),
        ("undefined", np.int64),  # 1: the formula whose last node this is had no value at some instant
    ],
    align=True,
)
"""Value and bounds of a node of a formula: data that the kernels write."""

# Excess of a comparison whose sides are equal, or one of which has no value: false, and its negation true.
FALSE_BY_EQUALITY = -1e-300


@kernel
def formula_value(nodes, results, begin, end, values):
    """Return the value of the formula with the nodes [begin, end) at values of channels; writes all to `results`."""
    for k in range(begin, end):
        node, out = nodes[k], results[k]
        kind = node.kind
        if kind == NodeKind.CHANNEL_VALUE:
            out.value = values[node.a]
        elif kind == NodeKind.CONSTANT:
            out.value = node.constant
        else:
            x = results[begin + node.a].value
            if kind == NodeKind.NORM:
                y, z = results[begin + node.b].value, results[begin + node.c].value if node.c >= 0 else 0.0
                out.value = math.sqrt(x * x + y * y + z * z)
            elif kind == NodeKind.POWER:
                out.value = whole_power(x, node.b)
            elif (
                kind == NodeKind.SQUARE_ROOT
                or kind == NodeKind.ABSOLUTE
                or kind == NodeKind.NEGATIVE
                or kind == NodeKind.NEGATION
            ):
                out.value = unary_value(kind, x)
            else:
                out.value = binary_value(kind, x, results[begin + node.b].value)
    return results[end - 1].value


@inline
def whole_power(x, exponent):
    """Return the power of a number with a whole exponent of at least 0, by multiplication."""
    out = 1.0
    for _ in range(exponent):
        out *= x
    return out


@inline
def unary_value(kind, x):
    """Return the value of a node with one operand; NaN for the root of a negative number."""
    if kind == NodeKind.SQUARE_ROOT:
        return math.sqrt(x) if x >= 0.0 else math.nan
    return abs(x) if kind == NodeKind.ABSOLUTE else -x


@inline
def binary_value(kind, x, y):
    """Return the value of a node with two operands; NaN for a quotient by zero."""
    if kind == NodeKind.ADD:
        return x + y
    if kind == NodeKind.SUBTRACT:
        return x - y
    if kind == NodeKind.MULTIPLY:
        return x * y
    if kind == NodeKind.DIVIDE:
        return x / y if y != 0.0 else math.nan
    if kind == NodeKind.EXCEEDS:
        return excess(x - y)
    if math.isnan(x) or math.isnan(y):
        return math.nan
    return min(x, y) if kind == NodeKind.LEAST else max(x, y)


@inline
def excess(difference):
    """Return the excess of a comparison: positive where it is true, negative where it is false."""
    return difference if difference < 0.0 or difference > 0.0 else FALSE_BY_EQUALITY


@kernel
def bound_formula(nodes, results, begin, end):
    """Bound the nodes of a formula in an interval, from the bounds of its channels and values at both ends; Eq. (M80).

    Expects `first`, `last` and for channels all bounds; returns low, high, whether it is monotonic, and `small`.
    """
    for k in range(begin, end):
        node, out = nodes[k], results[k]
        kind = node.kind
        if kind == NodeKind.CHANNEL_VALUE:
            continue
        if kind == NodeKind.CONSTANT:
            set_bounds(out, node.constant, node.constant, 0.0, 0.0, 0.0, 0.0)
            out.small = 0.0
            continue
        a = results[begin + node.a]
        if kind == NodeKind.NORM:
            c = results[begin + node.c] if node.c >= 0 else results[begin + node.b]
            bound_norm(out, a, results[begin + node.b], c, node.c >= 0)
        elif kind == NodeKind.POWER:
            bound_power(out, a, node.b)
        elif kind == NodeKind.SQUARE_ROOT:
            bound_root(out, a)
        elif kind == NodeKind.ABSOLUTE:
            bound_absolute(out, a)
        elif kind == NodeKind.NEGATIVE or kind == NodeKind.NEGATION:
            set_bounds(out, -a.high, -a.low, -a.slope_high, -a.slope_low, -a.curvature_high, -a.curvature_low)
            out.small = a.small
        elif kind == NodeKind.ADD or kind == NodeKind.SUBTRACT or kind == NodeKind.EXCEEDS:
            bound_sum(out, a, results[begin + node.b], kind == NodeKind.ADD)
        elif kind == NodeKind.MULTIPLY:
            bound_product(out, a, results[begin + node.b])
        elif kind == NodeKind.DIVIDE:
            bound_quotient(out, a, results[begin + node.b])
        else:
            bound_choice(out, a, results[begin + node.b], kind == NodeKind.LEAST)
        tighten(out)
        if kind == NodeKind.EXCEEDS:
            use_chord_if_negligible(out)
    last = results[end - 1]
    return last.low, last.high, last.slope_low >= 0.0 or last.slope_high <= 0.0, last.small


@inline
def set_bounds(node, low, high, slope_low, slope_high, curvature_low, curvature_high):
    """Write the bounds of a node; what is not a number becomes infinite."""
    node.low = low if low == low else -math.inf
    node.high = high if high == high else math.inf
    node.slope_low = slope_low if slope_low == slope_low else -math.inf
    node.slope_high = slope_high if slope_high == slope_high else math.inf
    node.curvature_low = curvature_low if curvature_low == curvature_low else -math.inf
    node.curvature_high = curvature_high if curvature_high == curvature_high else math.inf


@kernel
def tighten(node):
    """Tighten bounds by the values at the ends and the second derivative; Eqs. (M34), (M81)."""
    rise = node.last - node.first
    if not abs(rise) < math.inf:
        return
    down, up = max(-node.curvature_low, 0.0), max(node.curvature_high, 0.0)
    curvature = max(down, up)
    node.slope_low = max(node.slope_low, rise - 0.5 * curvature)
    node.slope_high = min(node.slope_high, rise + 0.5 * curvature)
    node.low = max(node.low, least_between(node.first, node.last, up))
    node.high = min(node.high, -least_between(-node.first, -node.last, down))


@inline
def use_chord_if_negligible(node):
    """Take a comparison as linear if it leaves the range of its values at both ends by a negligible difference."""
    least, most = min(node.first, node.last), max(node.first, node.last)
    if node.low >= least - node.small and node.high <= most + node.small:
        rise = node.last - node.first
        set_bounds(node, least, most, rise, rise, 0.0, 0.0)
    node.low, node.high, node.small = excess(node.low), excess(node.high), 0.0


@inline
def product(a, b, c, d):
    """Return the product of the intervals [a, b] and [c, d]."""
    p, q, r, s = a * c, a * d, b * c, b * d
    if p != p or q != q or r != r or s != s:  # zero times infinity
        return -math.inf, math.inf
    return min(min(p, q), min(r, s)), max(max(p, q), max(r, s))


@inline
def square(a, b):
    """Return the square of the interval [a, b]."""
    most = max(a * a, b * b)
    return (0.0 if a <= 0.0 <= b else min(a * a, b * b)), most


@inline
def magnitude(low, high):
    """Return the largest absolute value in an interval."""
    return max(abs(low), abs(high))


@kernel
def bound_sum(node, a, b, add):
    """Write the bounds of a sum or a difference."""
    if add:
        set_bounds(
            node, a.low + b.low, a.high + b.high, a.slope_low + b.slope_low, a.slope_high + b.slope_high,
            a.curvature_low + b.curvature_low, a.curvature_high + b.curvature_high,
        )  # fmt: skip
    else:
        set_bounds(
            node, a.low - b.high, a.high - b.low, a.slope_low - b.slope_high, a.slope_high - b.slope_low,
            a.curvature_low - b.curvature_high, a.curvature_high - b.curvature_low,
        )  # fmt: skip
    node.small = a.small + b.small


@kernel
def bound_product(node, a, b):
    """Write the bounds of a product: (ab)' = a'b + ab', (ab)'' = a''b + 2a'b' + ab''."""
    low, high = product(a.low, a.high, b.low, b.high)
    s, t = product(a.slope_low, a.slope_high, b.low, b.high)
    u, v = product(a.low, a.high, b.slope_low, b.slope_high)
    i, j = product(a.curvature_low, a.curvature_high, b.low, b.high)
    k, m = product(a.slope_low, a.slope_high, b.slope_low, b.slope_high)
    p, q = product(a.low, a.high, b.curvature_low, b.curvature_high)
    set_bounds(node, low, high, s + u, t + v, i + 2.0 * k + p, j + 2.0 * m + q)
    node.small = finite_or_zero(magnitude(a.low, a.high) * b.small + magnitude(b.low, b.high) * a.small)


@inline
def finite_or_zero(x):
    """Return a finite number, or zero: no difference is negligible where nothing is known."""
    return x if x < math.inf else 0.0


@kernel
def bound_quotient(node, a, b):
    """Write the bounds of a quotient, as the product with r = 1/b: r' = -b' r^2, r'' = -b'' r^2 + 2 b'^2 r^3."""
    if b.low <= 0.0 <= b.high or not (abs(b.low) < math.inf and abs(b.high) < math.inf):
        set_bounds(node, -math.inf, math.inf, -math.inf, math.inf, -math.inf, math.inf)
        node.small = 0.0
        return
    r_low, r_high = 1.0 / b.high, 1.0 / b.low
    e, f = square(r_low, r_high)
    slope_low, slope_high = product(-b.slope_high, -b.slope_low, e, f)
    g, h = product(-b.curvature_high, -b.curvature_low, e, f)
    i, j = square(b.slope_low, b.slope_high)
    k, m = product(i, j, r_low * r_low * r_low, r_high * r_high * r_high)
    curvature_low, curvature_high = g + 2.0 * k, h + 2.0 * m
    low, high = product(a.low, a.high, r_low, r_high)
    s, t = product(a.slope_low, a.slope_high, r_low, r_high)
    u, v = product(a.low, a.high, slope_low, slope_high)
    p, q = product(a.curvature_low, a.curvature_high, r_low, r_high)
    w, x = product(a.slope_low, a.slope_high, slope_low, slope_high)
    y, z = product(a.low, a.high, curvature_low, curvature_high)
    set_bounds(node, low, high, s + u, t + v, p + 2.0 * w + y, q + 2.0 * x + z)
    size = magnitude(r_low, r_high)
    node.small = finite_or_zero(size * a.small + magnitude(a.low, a.high) * size * size * b.small)


@kernel
def bound_power(node, a, n):
    """Write the bounds of a whole power: (a^n)' = n a^(n-1) a', (a^n)'' = n (n-1) a^(n-2) a'^2 + n a^(n-1) a''."""
    low, high = power_of_interval(a.low, a.high, n)
    p, q = power_of_interval(a.low, a.high, n - 1)
    r, s = power_of_interval(a.low, a.high, n - 2)
    t, u = product(n * p, n * q, a.slope_low, a.slope_high)
    v, w = square(a.slope_low, a.slope_high)
    x, y = product(n * (n - 1.0) * r, n * (n - 1.0) * s, v, w)
    i, j = product(n * p, n * q, a.curvature_low, a.curvature_high)
    set_bounds(node, low, high, t, u, x + i, y + j)
    node.small = finite_or_zero(n * magnitude(p, q) * a.small)


@inline
def power_of_interval(low, high, n):
    """Return a power of an interval with a whole exponent of at least 0."""
    a, b = whole_power(low, n), whole_power(high, n)
    if n % 2 == 1:
        return a, b
    return (0.0 if low <= 0.0 <= high and n > 0 else min(a, b)), max(a, b)


@kernel
def bound_root(node, a):
    """Write the bounds of a square root r: r' = a'/(2r), r'' = (a'' - 2 r'^2)/(2r); none if a may be 0."""
    low, high = math.sqrt(max(a.low, 0.0)), math.sqrt(max(a.high, 0.0))
    if not low > 0.0:
        set_bounds(node, low, high, -math.inf, math.inf, -math.inf, math.inf)
        node.small = 0.0
        return
    p, q = product(a.slope_low, a.slope_high, 0.5 / high, 0.5 / low)
    _, most = square(p, q)
    i, j = product(a.curvature_low - 2.0 * most, a.curvature_high, 0.5 / high, 0.5 / low)
    set_bounds(node, low, high, p, q, i, j)
    node.small = finite_or_zero(0.5 * a.small / high)


@kernel
def bound_absolute(node, a):
    """Write the bounds of an absolute value, whose kink at zero is convex; Eq. (M83)."""
    node.small = a.small
    if a.low >= 0.0:
        set_bounds(node, a.low, a.high, a.slope_low, a.slope_high, a.curvature_low, a.curvature_high)
    elif a.high <= 0.0:
        set_bounds(node, -a.high, -a.low, -a.slope_high, -a.slope_low, -a.curvature_high, -a.curvature_low)
    else:
        slope, curvature = magnitude(a.slope_low, a.slope_high), magnitude(a.curvature_low, a.curvature_high)
        set_bounds(node, 0.0, magnitude(a.low, a.high), -slope, slope, -curvature, math.inf)


@kernel
def bound_choice(node, a, b, least):
    """Write the bounds of the smaller or larger of two values, whose kink is concave or convex; Eq. (M83)."""
    node.small = max(a.small, b.small)
    if (a.high <= b.low) if least else (a.low >= b.high):
        set_bounds(node, a.low, a.high, a.slope_low, a.slope_high, a.curvature_low, a.curvature_high)
        return
    if (b.high <= a.low) if least else (b.low >= a.high):
        set_bounds(node, b.low, b.high, b.slope_low, b.slope_high, b.curvature_low, b.curvature_high)
        return
    slope_low, slope_high = min(a.slope_low, b.slope_low), max(a.slope_high, b.slope_high)
    if least:
        set_bounds(
            node, min(a.low, b.low), min(a.high, b.high), slope_low, slope_high,
            -math.inf, max(a.curvature_high, b.curvature_high),
        )  # fmt: skip
    else:
        set_bounds(
            node, max(a.low, b.low), max(a.high, b.high), slope_low, slope_high,
            min(a.curvature_low, b.curvature_low), math.inf,
        )  # fmt: skip


@kernel
def bound_norm(node, a, b, c, three):
    """Write the bounds of a norm f = |x|: |f'| <= |x'| and -|x''| <= f'' <= |x''| + |x'|^2 / f; Eq. (M82)."""
    p, q = square(a.low, a.high)
    r, s = square(b.low, b.high)
    low, high = p + r, q + s
    slope = square(a.slope_low, a.slope_high)[1] + square(b.slope_low, b.slope_high)[1]
    curvature = square(a.curvature_low, a.curvature_high)[1] + square(b.curvature_low, b.curvature_high)[1]
    node.small = max(a.small, b.small)
    if three:
        p, q = square(c.low, c.high)
        low, high = low + p, high + q
        slope += square(c.slope_low, c.slope_high)[1]
        curvature += square(c.curvature_low, c.curvature_high)[1]
        node.small = max(node.small, c.small)
    low, high, curvature = math.sqrt(low), math.sqrt(high), math.sqrt(curvature)
    most = slope / low + curvature if low > 0.0 else math.inf
    slope = math.sqrt(slope)
    set_bounds(node, low, high, -slope, slope, -curvature, most)
