"""Fitting of lines and arcs to an ordered sequence of points in the (z, r) half-plane."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from softdock.geometry.profile import Arc, Line, Point, distance_to_segment

Array = NDArray[np.float64]

LARGEST_TURN = 0.6
"""Largest angle between neighbouring points of an arc, seen from its centre [rad].

It distinguishes tessellated arcs from other points on a circle, such as the four corners of a chamfered bar.
"""


def fit_segments(points: Array, tolerance: float) -> tuple[list[Line | Arc], float]:
    """Return lines and arcs that follow the points, shape (n, 2) [m], and the largest remaining distance [m].

    Joints are points of the sequence, so that the corners of a tessellated outline are preserved. From each joint the
    longest run that fits a line or an arc within the tolerance is used; an arc must be two points longer than the line.
    Where the points follow a smooth curve and both runs are short (a spline), each arc passes through three points.
    Eqs. (G8) and (G9).
    """
    segments: list[Line | Arc] = []
    residual, begin, last = 0.0, 0, len(points) - 1
    while begin < last:
        straight = _longest(points, begin, tolerance, _line_residual)
        curved = _longest(points, begin, tolerance, _arc_residual)
        if curved >= max(begin + 3, straight + 2):
            segments.append(_arc(points[begin : curved + 1]))
            residual = max(residual, _arc_residual(points[begin : curved + 1]))
            begin = curved
        elif straight == begin + 1 and (unseen := _spline_residual(points[begin : begin + 4])) < math.inf:
            segments.append(_arc(points[begin : begin + 3]))
            residual = max(residual, unseen)
            begin += 2
        else:
            run = points[begin : straight + 1]
            segments.append(Line(start=_pair(run[0]), end=_pair(run[-1])))
            residual = max(residual, _line_residual(run))
            begin = straight
    return segments, residual


def distance_to_segments(segments: Sequence[Line | Arc], points: Array) -> Array:
    """Return the distance [m] of points (z, r), shape (n, 2) [m], from the nearest of the segments."""
    best = np.full(len(points), np.inf)
    for segment in segments:
        best = np.minimum(best, distance_to_segment(segment, points[:, 0], points[:, 1]))
    return best


def _longest(points: Array, begin: int, tolerance: float, residual_of) -> int:  # type: ignore[no-untyped-def]
    """Return the last index of the longest run from `begin` that fits, by doubling and then halving the step."""
    good, step, last = begin + 1, 2, len(points) - 1
    while good < last and residual_of(points[begin : min(good + step, last) + 1]) <= tolerance:
        good = min(good + step, last)
        step *= 2
    while step:
        if good + step <= last and residual_of(points[begin : good + step + 1]) <= tolerance:
            good += step
        else:
            step //= 2
    return good


def _spline_residual(run: Array) -> float:
    """Return a bound on the distance of the curve from an arc through the first three of four points [m], Eq. (G11).

    Infinite if the curvature changes strongly: at a corner, or where a line meets an arc.
    """
    if len(run) < 4:
        return math.inf
    steps = np.diff(run, axis=0)
    length = np.hypot(steps[:, 0], steps[:, 1])
    turn = np.arcsin(
        np.clip(
            (steps[:-1, 0] * steps[1:, 1] - steps[:-1, 1] * steps[1:, 0]) / (length[:-1] * length[1:]), -1, 1
        )
    )
    curvature = 2 * turn / (length[:-1] + length[1:])  # at the inner points
    if np.abs(turn).max() > LARGEST_TURN / 2 or not 0.5 < curvature[0] / (curvature[1] or math.inf) < 2.0:
        return math.inf
    return float(abs(curvature[1] - curvature[0]) * length.max() ** 2 / 8)


def _line_residual(run: Array) -> float:
    u = run[-1] - run[0]
    length = float(np.hypot(*u))
    if length == 0.0:
        return math.inf
    offset = run - run[0]
    return float(np.abs(offset[:, 0] * u[1] - offset[:, 1] * u[0]).max() / length)


def _centre(run: Array) -> tuple[Array, float, bool]:
    """Return centre, radius and direction of the circle through both ends that fits a run best, Eq. (G9)."""
    middle, half = (run[0] + run[-1]) / 2, (run[-1] - run[0]) / 2
    a_squared = float(half @ half)
    normal = np.array([-half[1], half[0]]) / math.sqrt(a_squared)  # left of the chord
    offset = run[1:-1] - middle
    height = offset @ normal
    below = 2 * float(height @ height)
    h = (
        float((np.einsum("ij,ij->i", offset, offset) - a_squared) @ height) / below
        if below > 0.0
        else math.inf
    )
    return middle + h * normal, math.hypot(math.sqrt(a_squared), h), bool(height.sum() < 0.0)


def _arc_residual(run: Array) -> float:
    """Return the largest distance of a run from its arc [m]; infinite if the run is not an arc."""
    if len(run) < 4 or not np.any(run[-1] != run[0]):
        return 0.0 if len(run) < 4 else math.inf
    centre, radius, left = _centre(run)
    if not math.isfinite(radius):
        return math.inf
    offset = run - centre
    angle = np.unwrap(np.arctan2(offset[:, 1], offset[:, 0]))
    turns = np.diff(angle) * (1.0 if left else -1.0)
    if turns.min() < -1e-4 or turns.max() > LARGEST_TURN or turns.sum() > 0.99 * math.pi:
        return math.inf
    return float(np.abs(np.hypot(offset[:, 0], offset[:, 1]) - radius).max())


def _arc(run: Array) -> Arc:
    centre, _, left = _centre(run)
    return Arc(start=_pair(run[0]), end=_pair(run[-1]), centre=_pair(centre), counterclockwise=left)


def _pair(point: Array) -> Point:
    return float(point[0]), float(point[1])
