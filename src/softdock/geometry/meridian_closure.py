"""Closure of an open meridian inside its material, where the rest of the solid is not known."""

import itertools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softdock.geometry.profile import GAP_TOLERANCE, Arc, Line, Point, Profile, distance_to_segment

Array = NDArray[np.float64]

BACK_THICKNESS = 0.25
"""Thickness of the material behind an open meridian, relative to its size, where nothing limits it."""
SAMPLES = 64
"""Points along a meridian from which the back face is offset."""
LARGEST_FAN = 0.5
"""Largest angle [rad] between neighbouring offset points about one point of the meridian or of an arc's centre."""
STRAIGHT = 0.05
"""Departure of the back face from its offset points that is allowed, relative to their thickness."""
NO_POINTS = np.zeros((0, 2))


@dataclass(frozen=True)
class _OffsetPoints:
    """Points of a meridian, directions into the material and offset points behind them, shape (n, 2); (z, r) [m]."""

    places: Array
    inward: Array
    thickness: Array
    """Shape (n,) [m]."""

    @property
    def behind(self) -> Array:
        return np.asarray(self.places + self.thickness[:, None] * self.inward)


def close_ends(
    profile: Profile, tolerance: float, obstacles: Array = NO_POINTS, share: float = 1.0
) -> tuple[list[Line], list[Line]]:
    """Return the lines that close an open meridian, before and after it.

    Where both ends are on the axis or reach it by a straight line perpendicular to the surface, the solid is closed
    there. Otherwise a back face runs behind the whole meridian, Eq. (G12): at `BACK_THICKNESS` times its size, and
    at most `share` times the radius of the largest circle in the material that touches the meridian there and contains
    none of the `obstacles`, points (z, r) [m] of other faces. So it stays in the material and crosses no opening.
    """
    first, last = profile.segments[0], profile.segments[-1]
    feet = [_foot_on_axis(profile, *end, tolerance) for end in ((first, 0.0), (last, 1.0))]
    if not len(obstacles) and feet[0] is not None and feet[1] is not None and feet[0][0] < feet[1][0]:
        return _lines([feet[0], first.start]), _lines([last.end, feet[1]])
    back = _back_face(profile, _offsets(profile, obstacles, share), tolerance)
    path = [last.end, *reversed(back), first.start]
    on_axis = [k for k, place in enumerate(path) if place[1] <= tolerance]
    if not on_axis:
        return [], _lines(path)
    return _lines(path[on_axis[-1] :]), _lines(path[: on_axis[0] + 1])


def _lines(path: list[Point]) -> list[Line]:
    return [Line(start=a, end=b) for a, b in itertools.pairwise(path) if math.dist(a, b) > 0.0]


def _foot_on_axis(profile: Profile, segment: Line | Arc, fraction: float, tolerance: float) -> Point | None:
    """Return where the perpendicular from an end into the material meets the axis; None if it meets something else."""
    (z, r), (t_z, t_r) = segment.point(fraction), segment.tangent(fraction)
    if r <= tolerance:
        return (z, 0.0)
    reach = r / t_z if t_z > 0.0 else math.inf
    outermost = max(place[1] for s in profile.segments for place in (s.start, s.end))
    if reach > 4.0 * (1.0 + BACK_THICKNESS) * (profile.size + outermost):
        return None
    foot = (z + reach * t_r, 0.0)
    for other in profile.segments:
        pieces = 64 if isinstance(other, Arc) else 1
        for i in range(pieces):
            met = _crossing((z, r), foot, other.point(i / pieces), other.point((i + 1) / pieces))
            if met is not None and met * reach > 1e-6 * profile.size:
                return None
    return foot


def _crossing(a: Point, b: Point, c: Point, d: Point) -> float | None:
    """Return the fraction of the line from a to b at which it meets the line from c to d, or None."""
    u, v, w = (b[0] - a[0], b[1] - a[1]), (d[0] - c[0], d[1] - c[1]), (c[0] - a[0], c[1] - a[1])
    cross = u[0] * v[1] - u[1] * v[0]
    if cross == 0.0:
        return None
    along = (w[0] * v[1] - w[1] * v[0]) / cross
    other = (w[0] * u[1] - w[1] * u[0]) / cross
    return along if 0.0 <= along <= 1.0 and 0.0 <= other <= 1.0 else None


def _offsets(profile: Profile, obstacles: Array, share: float) -> _OffsetPoints:
    """Return evenly spaced points along the meridian, with a fan of directions at corners, and their thickness."""
    places: list[Point] = []
    angles: list[float] = []  # of the normals into the material, on the right of travel
    spacing = sum(segment.length for segment in profile.segments) / SAMPLES
    for segment in profile.segments:
        sweep = abs(segment.sweep) if isinstance(segment, Arc) else 0.0
        count = max(math.ceil(segment.length / spacing), math.ceil(sweep / (0.5 * LARGEST_FAN)))
        for fraction in np.linspace(0.0, 1.0, count + 1).tolist():
            place, (t_z, t_r) = segment.point(fraction), segment.tangent(fraction)
            angle = math.atan2(-t_z, t_r)
            if fraction == 0.0:
                fan = _fan(angles[-1] if angles else _on_axis(place, angle, profile), angle)
                angles += fan
                places += [place] * len(fan)
            places.append(place)
            angles.append(angle)
    fan = [*_fan(angles[-1], end := _on_axis(places[-1], angles[-1], profile)), end]
    angles += fan
    places += [places[-1]] * len(fan)
    p, n = np.array(places), np.column_stack([np.cos(angles), np.sin(angles)])
    thickness = np.full(len(p), BACK_THICKNESS * profile.size)
    for block in np.array_split(obstacles, max(1, len(obstacles) * len(p) // 2_000_000)):
        d = block - p[:, None]
        ahead = np.einsum("ijk,ik->ij", d, n)
        with np.errstate(divide="ignore", invalid="ignore"):
            radius = np.where(ahead > 0.0, np.einsum("ijk,ijk->ij", d, d) / (2.0 * ahead), math.inf)
        thickness = np.minimum(thickness, share * radius.min(axis=1, initial=math.inf))
    return _OffsetPoints(p, n, thickness)


def _on_axis(place: Point, angle: float, profile: Profile) -> float:
    """Return the direction along the axis at an end on it from which the material opens, else the given angle [rad]."""
    if place[1] > GAP_TOLERANCE * profile.size or math.sin(angle) <= 0.0:
        return angle
    return 0.0 if math.cos(angle) >= 0.0 else math.pi


def _fan(first: float, last: float) -> list[float]:
    """Return directions [rad] from the first one up to before the last one, where travel turns to the left there."""
    turn = math.remainder(last - first, math.tau)
    count = math.ceil(max(0.0, turn) / LARGEST_FAN)
    return [first + turn * k / count for k in range(count)]


def _back_face(profile: Profile, offsets: _OffsetPoints, tolerance: float) -> list[Point]:
    """Return the offset points that are nowhere nearer to the meridian than their thickness, from start to end.

    The others are inside the material behind another part of the meridian. Points beyond the axis are moved onto it:
    the solid is filled up to there.
    """
    places, inward, thickness = offsets.places, offsets.inward, offsets.thickness
    towards = (inward[:, 1] < 0.0) & (places[:, 1] > tolerance)
    to_axis = np.where(towards, places[:, 1] / np.where(towards, -inward[:, 1], 1.0), math.inf)
    thickness = np.minimum(thickness, to_axis)
    behind = _OffsetPoints(places, inward, thickness).behind
    behind[:, 1] = np.where(behind[:, 1] <= tolerance, 0.0, behind[:, 1])
    nearest = np.min([distance_to_segment(s, behind[:, 0], side * behind[:, 1])
                      for s in profile.segments for side in (1.0, -1.0)], axis=0)  # fmt: skip
    free = np.flatnonzero((nearest >= thickness - 1e-6 * profile.size) & (thickness > tolerance))
    return [(float(z), float(r)) for z, r in behind[_corners(behind[free], STRAIGHT * thickness[free], free)]]


def _corners(points: Array, allowed: Array, index: NDArray[np.intp]) -> list[int]:
    """Return the indices of the points of a path that lines between them must keep, to stay as near as allowed."""
    if len(points) <= 2:
        return [int(k) for k in index]
    a, b = points[0], points[-1]
    along = np.clip((points - a) @ (b - a) / max(float((b - a) @ (b - a)), 1e-300), 0.0, 1.0)
    off = np.linalg.norm(points - a - along[:, None] * (b - a), axis=1) - allowed
    if off[1:-1].max() <= 0.0:
        return [int(index[0]), int(index[-1])]
    k = 1 + int(np.argmax(off[1:-1]))
    first = _corners(points[: k + 1], allowed[: k + 1], index[: k + 1])
    return [*first[:-1], *_corners(points[k:], allowed[k:], index[k:])]
