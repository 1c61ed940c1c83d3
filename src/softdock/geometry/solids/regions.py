"""Regions of a plane of parameters, bounded by directed lines and curves, and their division by straight lines.

A region is an array of rows: u and v of the start, u and v of the end, the number of the curve that joins them or
INNER or CHORD for a straight line, and the range of the curve. The region is on the left of each row.
"""

import math

import numpy as np
from numpy.typing import NDArray

from softdock.geometry.solids.triangulation import signed_area

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

ROW_END, ROW_CURVE, ROW_FROM, ROW_TO = 2, 4, 5, 6
ROW_COLUMNS = 7
INNER, CHORD = -1.0, -2.0
"""A line along which the region was cut; a straight part of its boundary."""
TURNING_SAMPLES = 9
"""Points of a curve at which its direction is compared; it turns by at most 0.4 rad."""
NEAR_END = 1e-3
"""Part of a curve at its ends where it may turn back: lines keep farther away from ends."""
ITERATIONS = 60
CONVERGED = 1e-15
"""Width of the interval of a curve's parameter in which a crossing is known."""


def curve_points(curves: Array, index: Indices, t: Array) -> Array:
    """Return points of curves, shape (..., 2): polynomials in 2 t - 1, whose coefficients are (curves, 2, powers)."""
    coefficients = curves[index]
    s = 2 * t - 1
    value = np.zeros((*s.shape, 2))
    for k in range(coefficients.shape[-1] - 1, -1, -1):
        value = value * s[..., None] + coefficients[..., k]
    return np.asarray(value)


def curve_rates(curves: Array, index: Indices, t: Array) -> Array:
    """Return the derivatives of curves by their parameter t, shape (..., 2)."""
    powers = np.arange(1, curves.shape[-1])
    return curve_points(2 * curves[:, :, 1:] * powers, index, t)


def monotone_parts(rows: Array, curves: Array, neighbours: Indices) -> tuple[Array, Array, Indices]:
    """Return rows whose curves are monotone in u and v, so that lines cross them once, with curves and neighbours.

    A curve that is divided gets one copy for every further part, so that each belongs to one row.
    """
    t = np.linspace(0.0, 1.0, TURNING_SAMPLES)
    parts, coefficients, beyond = [], [curves], [neighbours]
    count = len(curves)
    index = np.repeat(np.arange(count)[:, None], len(t), axis=1)
    rises = curve_rates(curves, index, np.broadcast_to(t, index.shape)) > 0.0
    turns = (rises[:, 1:] != rises[:, :-1]).any(axis=(1, 2))
    for row in rows:
        if row[ROW_CURVE] < 0.0 or not turns[int(row[ROW_CURVE])]:
            parts.append(row)
            continue
        k = int(row[ROW_CURVE])
        turning = sorted(place for axis in (0, 1) for place in _turning_points(curves[k, axis]))
        stops = [0.0, *turning, 1.0]
        places = curve_points(curves, np.full(len(stops), k), np.array(stops))
        places[0], places[-1] = row[:2], row[ROW_END : ROW_END + 2]
        for i in range(len(stops) - 1):
            part = np.array([*places[i], *places[i + 1], k, stops[i], stops[i + 1]])
            if i:
                part[ROW_CURVE] = count
                coefficients.append(curves[k : k + 1])
                beyond.append(neighbours[k : k + 1])
                count += 1
            parts.append(part)
    return np.array(parts).reshape(-1, ROW_COLUMNS), np.concatenate(coefficients), np.concatenate(beyond)


def _turning_points(coefficients: Array) -> list[float]:
    """Return where a polynomial in 2 t - 1 turns back, away from its ends."""
    roots = np.polynomial.polynomial.polyroots(np.polynomial.polynomial.polyder(coefficients))
    places = (roots.real[np.abs(roots.imag) < NEAR_END] + 1) / 2
    return [float(place) for place in places if NEAR_END < place < 1.0 - NEAR_END]


def crossings(region: Array, curves: Array, axis: int, value: float) -> tuple[Array, Array]:
    """Return where rows cross a line of constant parameter u (axis 0) or v (axis 1): points and parameters t."""
    start, end = region[:, axis], region[:, ROW_END + axis]
    t = (value - start) / (end - start)
    places = region[:, :2] + t[:, None] * (region[:, ROW_END : ROW_END + 2] - region[:, :2])
    curved = np.flatnonzero(region[:, ROW_CURVE] >= 0.0)
    if len(curved):
        rows = region[curved]
        index = rows[:, ROW_CURVE].astype(np.int64)
        t[curved] = _crossing_parameters(rows, curves, index, axis, value)
        places[curved] = curve_points(curves, index, t[curved])
    places[:, axis] = value
    return places, t


def _crossing_parameters(rows: Array, curves: Array, index: Indices, axis: int, value: float) -> Array:
    """Return where curves with ends on both sides of a line cross it, by the Illinois method."""
    low, high = rows[:, ROW_FROM].copy(), rows[:, ROW_TO].copy()
    f_low, f_high = rows[:, axis] - value, rows[:, ROW_END + axis] - value
    t = low
    for _ in range(ITERATIONS):
        t = low - f_low * (high - low) / (f_high - f_low)
        f = curve_points(curves, index, t)[:, axis] - value
        same = (f > 0.0) == (f_high > 0.0)
        # The end that stays counts half, so that both ends move.
        low, f_low, high, f_high = (
            np.where(same, low, high),
            np.where(same, f_low / 2, f_high),
            t,
            f,
        )
        if (np.abs(f) < CONVERGED).all() or (np.abs(high - low) < CONVERGED).all():
            break
    return t


def cut_region(region: Array, curves: Array, axis: int, value: float) -> tuple[Array, Array]:
    """Return the parts of a region below and above a value of the parameter u (axis 0) or v (axis 1)."""
    start, end = region[:, axis], region[:, ROW_END + axis]
    below, above = region[(start <= value) & (end <= value)], region[(start >= value) & (end >= value)]
    crossing = region[((start < value) & (end > value)) | ((start > value) & (end < value))]
    if not len(crossing):
        return below, above
    rising = crossing[:, ROW_END + axis] > value
    places, t = crossings(crossing, curves, axis, value)
    first, second = crossing.copy(), crossing.copy()
    first[:, ROW_END : ROW_END + 2], second[:, :2] = places, places
    first[:, ROW_TO], second[:, ROW_FROM] = t, t
    order = np.argsort(places[:, 1 - axis])
    places, opens = places[order], rising[order]
    # The region lies beyond a crossing along the line: above one that rises along u, below one that rises along v.
    if axis == 1:
        opens = ~opens
    lines = _closing_lines(places, opens)
    back = lines[:, [2, 3, 0, 1, *range(ROW_CURVE, ROW_COLUMNS)]]
    lower, upper = (lines, back) if axis == 0 else (back, lines)
    return (
        np.concatenate([below, first[rising], second[~rising], lower]),
        np.concatenate([above, second[rising], first[~rising], upper]),
    )


def _closing_lines(places: Array, opens: NDArray[np.bool_]) -> Array:
    """Return lines from each place where a region begins along a line to the place where it ends."""
    begins, ends = np.flatnonzero(opens), np.flatnonzero(~opens)
    if len(begins) != len(ends) or (begins > ends).any() or (begins[1:] < ends[:-1]).any():
        raise ArithmeticError("the boundary of a face crosses itself")
    return straight_rows(places[begins], places[ends], INNER)


def straight_rows(start: Array, end: Array, kind: float) -> Array:
    """Return the rows of straight lines from points (n, 2) to points (n, 2)."""
    count = len(start)
    return np.column_stack([start, end, np.full(count, kind), np.zeros(count), np.ones(count)])


def choose_cut(region: Array, axis: int, low: float, high: float) -> float:
    """Return a value near the middle of a range that keeps away from the ends of all segments."""
    middle, width = (low + high) / 2, high - low
    if not len(region):
        return middle
    candidates = middle + width * np.array([0.0, 0.017, -0.017, 0.041, -0.041, 0.071, -0.071])
    clear = [float(np.abs(region[:, [axis, 2 + axis]] - c).min()) for c in candidates]
    if clear[0] > 1e-3 * width:
        return middle
    return float(candidates[int(np.argmax(clear))])


def loops_of(region: Array) -> list[Array]:
    """Return the closed loops of a region, each as rows of the region in order."""
    begins: dict[tuple[float, float], list[int]] = {}
    for k, row in enumerate(region):
        begins.setdefault((row[0], row[1]), []).append(k)
    loops = []
    left = set(range(len(region)))
    while left:
        k = min(left)
        chain, home = [], (region[k, 0], region[k, 1])
        while True:
            left.discard(k)
            chain.append(k)
            place = (region[k, 2], region[k, 3])
            if place == home:
                break
            following = [i for i in begins.get(place, ()) if i in left]
            if not following:
                raise ArithmeticError("the boundary of a face is not closed")
            k = following[0] if len(following) == 1 else _leftmost(region, k, following)
        loops.append(region[chain])
    return loops


def _leftmost(region: Array, k: int, following: list[int]) -> int:
    """Return the segment that turns most to the left: then loops that share a point do not cross there."""
    direction = region[k, ROW_END : ROW_END + 2] - region[k, :2]

    def turn(i: int) -> float:
        d = region[i, ROW_END : ROW_END + 2] - region[i, :2]
        return math.atan2(direction[0] * d[1] - direction[1] * d[0], float(direction @ d))

    return max(following, key=turn)


def is_hole(loop: Array) -> bool:
    """Return whether a loop runs around a hole: clockwise. A curve and its chord run around no hole."""
    return len(loop) > 2 and signed_area(loop[:, :2]) < 0.0


def region_area(region: Array) -> float:
    """Return the area of a region in its plane of parameters, with chords instead of curves."""
    u_0, v_0, u_1, v_1 = region[:, :ROW_CURVE].T
    return float(u_0 @ v_1 - u_1 @ v_0) / 2


def rectangle_region(u_0: float, u_1: float, v_0: float, v_1: float) -> Array:
    """Return a rectangle as a region."""
    corners = np.array([[u_0, v_0], [u_1, v_0], [u_1, v_1], [u_0, v_1]])
    return straight_rows(corners, np.roll(corners, -1, axis=0), INNER)
