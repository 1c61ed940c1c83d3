"""Bounds of formulas between two instants of a step, from those of their channels; Eqs. (M80)-(M84)."""

import math

from softdock.dynamics.kernels.channels.channels import ChannelKind, Form
from softdock.dynamics.kernels.channels.formulas import (
    NodeKind,
    bound_formula,
    formula_value,
    product,
    set_bounds,
    square,
)
from softdock.dynamics.kernels.search.enclosure import (
    curvature_bounds_between,
    enclose,
    is_resolved,
    resolution_of,
    smooth_value,
)
from softdock.native.decorators import inline, kernel


@kernel
def enclose_formula(run, top, i, left, right, before, after):
    """Return bounds of a formula in an interval, whether it is monotonic there, and the negligible difference."""
    channel, search = run.channels[i], run.workspace.search
    nodes, results = run.system.formulas, run.system.formula_values
    begin, end = channel.i, channel.j
    formula_value(nodes, results, begin, end, before)
    for k in range(begin, end):
        results[k].first = results[k].value
    formula_value(nodes, results, begin, end, after)
    for k in range(begin, end):
        node = nodes[k]
        results[k].last = results[k].value
        if node.kind == NodeKind.CHANNEL_VALUE:
            c = node.a
            down, up = curvature_bounds_between(
                run.channels[c], run.workspace.dense, left, right, search.downs[top, c], search.ups[top, c]
            )
            resolution = run.resolutions[c]
            resolved = is_resolved(run.channels[c], resolution, search.turns[c], right - left)
            # Time is exact; no part of it is negligible, however late it is.
            exact = run.channels[c].kind == ChannelKind.TIME
            first, last = results[k].first, results[k].last
            results[k].small = 0.0 if exact else resolution_of(resolution, run.peaks[c], first, last)
            bound_channel_node(results[k], run.channels[c], down, up, resolved)
    return bound_formula(nodes, results, begin, end)


@kernel
def bound_channel_node(node, channel, down, up, resolved):
    """Write the bounds of a channel in an interval into its node; Eqs. (M34), (M81), (M84)."""
    x_0, x_1 = node.first, node.last
    if resolved and channel.bounded == 0:
        set_bounds(node, min(x_0, x_1), max(x_0, x_1), x_1 - x_0, x_1 - x_0, 0.0, 0.0)
        node.small = 0.0
        return
    low, high, _ = enclose(channel, x_0, x_1, down, up)
    rise = smooth_value(channel, x_1) - smooth_value(channel, x_0)
    half = 0.5 * max(down, up)
    slope_low, slope_high = rise - half, rise + half
    if channel.form == Form.SQUARE:
        set_bounds_of_length(node, channel, low, high, slope_low, slope_high, down, up)
    elif channel.form == Form.COSINE:
        set_bounds_of_angle(node, low, high, slope_low, slope_high, down, up)
    else:
        set_bounds(node, low, high, slope_low, slope_high, -down, up)


@inline
def set_bounds_of_length(node, channel, low, high, slope_low, slope_high, down, up):
    """Write the bounds of a length L from those of the derivatives of its square."""
    shortest, longest = channel.scale * low + channel.offset, channel.scale * high + channel.offset
    if not shortest > 0.0:
        set_bounds(node, low, high, -math.inf, math.inf, -math.inf, math.inf)
        return
    p, q = product(slope_low, slope_high, 0.5 / longest, 0.5 / shortest)
    _, most = square(p, q)
    i, j = product(-down - 2.0 * most, up, 0.5 / longest, 0.5 / shortest)
    scale = channel.scale
    set_bounds(node, low, high, p / scale, q / scale, i / scale, j / scale)


@inline
def set_bounds_of_angle(node, low, high, slope_low, slope_high, down, up):
    """Write the bounds of an angle from those of the derivatives of its cosine."""
    least = min(math.sin(low), math.sin(high))
    if not least > 0.0:
        set_bounds(node, low, high, -math.inf, math.inf, -math.inf, math.inf)
        return
    p, q = product(-slope_high, -slope_low, 1.0, 1.0 / least)
    _, most = square(p, q)
    curvature = max(down, up) / least + most / least
    set_bounds(node, low, high, p, q, -curvature, curvature)
