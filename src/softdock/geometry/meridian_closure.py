"""Closure of an open meridian by end faces and a back face."""

import itertools
import math

from softdock.geometry.profile import Arc, Line, Point, Profile, point_between

BACK_THICKNESS = 0.25
"""Smallest thickness of the material in front of a back face, relative to the size of the meridian."""
ARC_SAMPLES = 3
"""Points of an arc that define the convex hull of the back face."""


def close_ends(
    profile: Profile, tolerance: float
) -> tuple[list[tuple[Point, Point]], list[tuple[Point, Point]], bool]:
    """Return the lines (start, end) that close an open meridian, before and after it, and whether they form a loop.

    An end that is not on the axis gets an end face: a straight line perpendicular to the surface, into the material,
    until it meets the axis, the meridian or the other end face. Otherwise it ends at the back face: the convex hull of
    the meridian, widened by `BACK_THICKNESS` times its size on all sides.
    """
    first, last = profile.segments[0], profile.segments[-1]
    at_start = None if first.start[1] <= tolerance else _end_face(profile, first, 0.0)
    at_end = None if last.end[1] <= tolerance else _end_face(profile, last, 1.0)
    if at_start and at_end and (met := _crossing(*at_start[0], *at_end[0])) is not None:
        crossing = point_between(*at_start[0], met)
        at_start, at_end = ((at_start[0][0], crossing), True), ((at_end[0][0], crossing), True)
    before, after, loop = [], [], False
    hull = _hull(profile) if any(face and not face[1] for face in (at_start, at_end)) else []
    if at_end:
        face, bounded = at_end
        after = [face] if bounded else [(face[0], _hull_exit(hull, face))]
        if not bounded:
            stop = _hull_exit(hull, at_start[0]) if at_start and not at_start[1] else None
            after += _pieces(_hull_path(hull, after[0][1], stop))
            loop = stop is not None
    if at_start:
        face, bounded = at_start
        q = face[1] if bounded else _hull_exit(hull, face)
        before = [(q, face[0])]
        if not bounded and not loop:
            before = [*_pieces(_hull_path(hull, None, q)), *before]
    return before, after, loop


def _pieces(points: list[Point]) -> list[tuple[Point, Point]]:
    return [(a, b) for a, b in itertools.pairwise(points) if math.dist(a, b) > 0.0]


def _end_face(profile: Profile, segment: Line | Arc, fraction: float) -> tuple[tuple[Point, Point], bool]:
    """Return the end face from the end into the material, and whether it meets the axis or the meridian."""
    t_z, t_r = segment.tangent(fraction)
    start = segment.point(fraction)
    direction = (t_r, -t_z)
    outermost = max(r for piece in profile.segments for _, r in (piece.start, piece.end))
    reach, bounded = 4.0 * (1.0 + BACK_THICKNESS) * (profile.size + outermost), False  # beyond any back face
    if direction[1] < 0.0 and -start[1] / direction[1] <= reach:
        reach, bounded = -start[1] / direction[1], True
    end = (start[0] + reach * direction[0], max(0.0, start[1] + reach * direction[1]))
    nearest = 1.0
    for other in profile.segments:
        pieces = 64 if isinstance(other, Arc) else 1
        for i in range(pieces):
            met = _crossing(start, end, other.point(i / pieces), other.point((i + 1) / pieces))
            if met is not None and met * reach > 1e-6 * profile.size:
                nearest, bounded = min(nearest, met), True
    return (start, point_between(start, end, nearest)), bounded


def _hull(profile: Profile) -> list[Point]:
    """Return the corners of the widened convex hull of the meridian and its mirror image, clockwise (r upwards)."""
    width = BACK_THICKNESS * profile.size
    points = []
    for segment in profile.segments:
        count = ARC_SAMPLES if isinstance(segment, Arc) else 2
        for i in range(count):
            z, r = segment.point(i / (count - 1))
            points += [
                (z + width * k, side * r + width * m) for k in (-1, 1) for m in (-1, 1) for side in (-1, 1)
            ]
    upper: list[Point] = []
    lower: list[Point] = []
    for point in sorted(set(points)):
        for chain, sign in ((upper, 1.0), (lower, -1.0)):
            while len(chain) > 1 and sign * _cross(chain[-2], chain[-1], point) >= 0.0:
                chain.pop()
            chain.append(point)
    return [*upper[:-1], *reversed(lower[1:])]


def _cross(a: Point, b: Point, c: Point) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _hull_exit(hull: list[Point], ray: tuple[Point, Point]) -> Point:
    """Return the point where a line from inside the hull leaves it."""
    for a, b in zip(hull, [*hull[1:], hull[0]]):
        met = _crossing(*ray, a, b)
        if met is not None:
            return point_between(*ray, met)
    return ray[1]


def _hull_path(hull: list[Point], start: Point | None, stop: Point | None) -> list[Point]:
    """Return the clockwise path along the hull between two of its points; None stands for the axis."""
    sides = list(zip(hull, [*hull[1:], hull[0]]))
    for a, b in sides:
        if start is None and a[1] < 0.0 <= b[1]:
            start = (a[0] + (b[0] - a[0]) * a[1] / (a[1] - b[1]), 0.0)
        if stop is None and a[1] >= 0.0 > b[1]:
            stop = (a[0] + (b[0] - a[0]) * a[1] / (a[1] - b[1]), 0.0)
    assert start is not None
    assert stop is not None
    at, way = min(range(len(sides)), key=lambda k: _detour(sides[k], start)), [start]
    until = min(range(len(sides)), key=lambda k: _detour(sides[k], stop))
    ahead = math.dist(sides[at][0], stop) >= math.dist(sides[at][0], start)
    while at != until or not ahead:
        way.append(sides[at][1])
        at, ahead = (at + 1) % len(sides), True
    return [*way, stop]


def _detour(side: tuple[Point, Point], point: Point) -> float:
    """Return how much longer the path over a point is than a side [m]; 0 if the point is on the side."""
    return math.dist(side[0], point) + math.dist(point, side[1]) - math.dist(*side)


def _crossing(a: Point, b: Point, c: Point, d: Point) -> float | None:
    """Return the fraction of the line from a to b at which it meets the line from c to d, or None."""
    u, v, w = (b[0] - a[0], b[1] - a[1]), (d[0] - c[0], d[1] - c[1]), (c[0] - a[0], c[1] - a[1])
    cross = u[0] * v[1] - u[1] * v[0]
    if cross == 0.0:
        return None
    along = (w[0] * v[1] - w[1] * v[0]) / cross
    other = (w[0] * u[1] - w[1] * u[0]) / cross
    return along if 0.0 <= along <= 1.0 and 0.0 <= other <= 1.0 else None
