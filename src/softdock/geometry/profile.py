"""A surface of revolution as its meridian: lines and arcs in the (z, r) half-plane."""

import functools
import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from softdock.errors import InputError, Problem
from softdock.geometry.meridian_closure import close_ends

Point = tuple[float, float]

GAP_TOLERANCE = 1e-6
"""Ends of neighbouring segments meet, and radii agree, within this part of the profile's size."""
TANGENT_TOLERANCE = 1e-6
"""Neighbours whose tangents turn by less [rad] join smoothly."""


@dataclass(frozen=True, kw_only=True)
class Line:
    """A straight piece of a meridian."""

    start: Point
    """(z, r) [m]."""
    end: Point
    """(z, r) [m]."""

    @property
    def length(self) -> float:
        """Length [m]."""
        return math.dist(self.start, self.end)

    def tangent(self, fraction: float) -> Point:
        """Unit tangent (z, r) in the sense of travel at a fraction of the length (the same everywhere)."""
        return (self.end[0] - self.start[0]) / self.length, (self.end[1] - self.start[1]) / self.length

    def point(self, fraction: float) -> Point:
        """Point (z, r) [m] at a fraction of the length."""
        return _between(self.start, self.end, fraction)


@dataclass(frozen=True, kw_only=True)
class Arc:
    """A circular piece of a meridian, at most half a turn long."""

    start: Point
    """(z, r) [m]."""
    end: Point
    """(z, r) [m]."""
    centre: Point
    """(z, r) [m]; r may be negative or zero."""
    counterclockwise: bool
    """Sense of travel from start to end, seen with z to the right and r upwards."""

    @property
    def radius(self) -> float:
        """Radius [m]."""
        return math.dist(self.start, self.centre)

    @property
    def start_angle(self) -> float:
        """Angle of the start about the centre [rad], from z towards r."""
        return math.atan2(self.start[1] - self.centre[1], self.start[0] - self.centre[0])

    @property
    def sweep(self) -> float:
        """Signed angle from start to end [rad], positive counterclockwise."""
        end = math.atan2(self.end[1] - self.centre[1], self.end[0] - self.centre[0])
        turn = (end - self.start_angle) % math.tau
        return turn if self.counterclockwise else turn - math.tau

    @property
    def length(self) -> float:
        """Length [m]."""
        return self.radius * abs(self.sweep)

    def tangent(self, fraction: float) -> Point:
        """Unit tangent (z, r) in the sense of travel at a fraction of the length."""
        angle = self.start_angle + fraction * self.sweep
        sense = 1.0 if self.counterclockwise else -1.0
        return -sense * math.sin(angle), sense * math.cos(angle)

    def point(self, fraction: float) -> Point:
        """Point (z, r) [m] at a fraction of the length."""
        angle = self.start_angle + fraction * self.sweep
        return self.centre[0] + self.radius * math.cos(angle), self.centre[1] + self.radius * math.sin(angle)


@dataclass(frozen=True, kw_only=True)
class Profile:
    """Connected lines and arcs, each starting where the one before ended; material is on the right of travel.

    Seen with z to the right and r upwards: a solid is travelled towards +z along its outside, a cavity
    towards -z along its inside.
    """

    segments: tuple[Line | Arc, ...]

    def __hash__(self) -> int:
        return self._hash

    @functools.cached_property
    def _hash(self) -> int:
        """Many runs look for what was made of the same surface before."""
        return hash(self.segments)

    @property
    def size(self) -> float:
        """Largest extent of the meridian [m]."""
        ends = [p for segment in self.segments for p in (segment.start, segment.end)]
        return max(max(p[k] for p in ends) - min(p[k] for p in ends) for k in (0, 1))

    @property
    def is_closed(self) -> bool:
        """Whether the meridian returns to where it began."""
        return math.dist(self.segments[-1].end, self.segments[0].start) <= GAP_TOLERANCE * self.size


Array = NDArray[np.float64]


def nearest_segment(profile: Profile, z: Array, r: Array) -> NDArray[np.intp]:
    """Return the index of the segment that is nearest to each place (z, r) [m]."""
    nearest: NDArray[np.intp] = np.argmin([_distance(segment, z, r) for segment in profile.segments], axis=0)
    return nearest


def _distance(segment: Line | Arc, z: Array, r: Array) -> Array:
    """Return the distance [m] of places from a segment."""
    to_ends = [np.hypot(z - end[0], r - end[1]) for end in (segment.start, segment.end)]
    if isinstance(segment, Line):
        t_z, t_r = segment.tangent(0.0)
        d_z, d_r = z - segment.start[0], r - segment.start[1]
        along = d_z * t_z + d_r * t_r
        beside, inside = np.abs(d_z * t_r - d_r * t_z), (along >= 0.0) & (along <= segment.length)
    else:
        d_z, d_r = z - segment.centre[0], r - segment.centre[1]
        turn = np.copysign(1.0, segment.sweep) * (np.arctan2(d_r, d_z) - segment.start_angle) % math.tau
        beside, inside = np.abs(np.hypot(d_z, d_r) - segment.radius), turn <= abs(segment.sweep)
    nearest_end = np.minimum(*to_ends)
    nearest: Array = np.where(inside, np.minimum(beside, nearest_end), nearest_end)
    return nearest


class Column(IntEnum):
    """Columns of the array that `profile_array` returns; one row per line or arc."""

    KIND = 0
    """0 line, 1 arc."""
    START_Z = 1
    START_R = 2
    END_Z = 3
    END_R = 4
    AXIS_Z = 5
    """Line: unit tangent; arc: centre [m]."""
    AXIS_R = 6
    LENGTH = 7
    """Line: length [m]; arc: radius [m]."""
    SENSE = 8
    """Arc: +1 counterclockwise (material outside the circle), -1 clockwise (inside)."""
    START_SIDE = 9
    """Where a point lies whose nearest point is the start: +1 material, -1 free space, 0 smooth joint."""
    END_SIDE = 10


def profile_array(profile: Profile) -> NDArray[np.float64]:
    """Return the rows that the distance kernels read, shape (rows, 11), columns as in `Column`.

    An end that is neither on the axis nor joined to the other end is closed by an end face: a straight line
    from the end, square to the surface, into the material, until it meets the axis, the meridian or the other
    end face. One that meets nothing ends at a back face (see `closure`): the material behind an open surface is
    bounded. A point beyond the end of an open surface is in free space, and the depth stays continuous. An end
    that meets the axis at an angle is a corner with its own mirror image, which is added.
    """
    check_profile(profile)
    return _rows(profile).copy()


@dataclass(frozen=True, kw_only=True)
class Edge:
    """A circle where a surface has a corner that sticks out, or ends."""

    z: float
    radius: float
    """0 for a tip on the axis."""
    is_end: bool = False
    """Whether the meridian ends there, so that nothing is known beyond."""


@functools.lru_cache(maxsize=64)
def sharp_edges(profile: Profile) -> tuple[Edge, ...]:
    """Return the edges without a rounding that stick out of the material, tips on the axis, and open ends."""
    segments, tolerance = profile.segments, GAP_TOLERANCE * profile.size
    joints = list(itertools.pairwise(segments))
    if profile.is_closed:
        joints.append((segments[-1], segments[0]))
    edges = [
        Edge(z=two.start[0], radius=two.start[1])
        for one, two in joints
        if _side(one.tangent(1.0), two.tangent(0.0)) < 0.0
    ]
    if not profile.is_closed:
        for (z, r), (t_z, _) in (
            (segments[0].start, segments[0].tangent(0.0)),
            (segments[-1].end, segments[-1].tangent(1.0)),
        ):
            if r > tolerance:
                edges.append(Edge(z=z, radius=r, is_end=True))
            elif abs(t_z) > TANGENT_TOLERANCE:
                edges.append(Edge(z=z, radius=0.0))
    return tuple(edges)


def described_rows(profile: Profile) -> tuple[int, int]:
    """Return the first and the last row of `profile_array` that the meridian itself describes, not what closes it."""
    chain, before, after = closed_chain(profile)
    return before, len(chain) - 1 - after


@functools.lru_cache(maxsize=64)
def closed_chain(profile: Profile) -> tuple[tuple[Line | Arc, ...], int, int]:
    """Return the meridian with what closes it, and how much of that comes before and after it."""
    if profile.is_closed:
        return profile.segments, 0, 0
    tolerance = GAP_TOLERANCE * profile.size
    lines_before, lines_after, loop = close_ends(profile, tolerance)
    before = [Line(start=start, end=end) for start, end in lines_before]
    after = [Line(start=start, end=end) for start, end in lines_after]
    chain = [*before, *profile.segments, *after]
    if loop:
        return tuple(chain), len(before), len(after)
    mirrored = _mirrored_at_axis(chain, tolerance)
    in_front = mirrored.index(chain[0])
    behind = len(mirrored) - len(chain) - in_front
    # The mirror image of the meridian itself is no closure.
    return (
        tuple(mirrored),
        len(before) + in_front if before else 0,
        len(after) + behind if after else 0,
    )


@functools.lru_cache(maxsize=64)
def _rows(profile: Profile) -> NDArray[np.float64]:
    """Compute the rows once for many runs with the same surface."""
    chain = closed_chain(profile)[0]
    closed = profile.is_closed or math.dist(chain[-1].end, chain[0].start) <= GAP_TOLERANCE * profile.size
    rows = np.array([_row(segment) for segment in chain])
    for k, segment in enumerate(chain if closed else chain[:-1]):
        following = (k + 1) % len(chain)
        side = _side(segment.tangent(1.0), chain[following].tangent(0.0))
        rows[k, Column.END_SIDE] = rows[following, Column.START_SIDE] = side
    return rows


def check_profile(profile: Profile, field: str = "profile") -> None:
    """Raise `InputError` unless the profile is connected, off the axis and free of crossings."""
    if not profile.segments:
        raise InputError(Problem(field=field, message="A profile needs at least one line or arc."))
    if not _is_sound(profile):
        raise InputError(*_problems(profile, field))


@functools.lru_cache(maxsize=256)
def _is_sound(profile: Profile) -> bool:
    """Check a surface once for many runs with it."""
    return not _problems(profile, "profile")


def _problems(profile: Profile, field: str) -> list[Problem]:
    problems = [*_segment_problems(profile, field), *_joint_problems(profile, field)]
    return problems or [*_crossing_problems(profile, field)]


def _segment_problems(profile: Profile, field: str) -> Iterator[Problem]:
    tolerance = GAP_TOLERANCE * profile.size
    for k, segment in enumerate(profile.segments):
        where = f"{field}.segments.{k}"
        numbers = [*segment.start, *segment.end, *(segment.centre if isinstance(segment, Arc) else ())]
        if not all(map(math.isfinite, numbers)):
            yield Problem(field=where, message="Coordinates must be finite numbers.", given=str(segment))
            continue
        if math.dist(segment.start, segment.end) <= tolerance:
            yield Problem(field=where, message="A line or arc must have a length.", given=str(segment))
            continue
        if isinstance(segment, Arc):
            if abs(math.dist(segment.end, segment.centre) - segment.radius) > tolerance:
                yield Problem(
                    field=where, message="Start and end of an arc must be equally far from its centre."
                )
            elif abs(segment.sweep) >= math.pi * (1 + 1e-9):
                yield Problem(
                    field=where, message="An arc must be at most half a turn; divide it.", given=str(segment)
                )
        if min(segment.point(f)[1] for f in np.linspace(0, 1, 33)) < -tolerance:
            yield Problem(field=where, message="A profile must not cross its axis: r must be 0 or more.")


def _joint_problems(profile: Profile, field: str) -> Iterator[Problem]:
    for k, (one, two) in enumerate(itertools.pairwise(profile.segments)):
        gap = math.dist(one.end, two.start)
        if gap > GAP_TOLERANCE * profile.size:
            yield Problem(
                field=f"{field}.segments.{k + 1}",
                message="Each segment must start where the one before ended.",
                given=f"a gap of {gap * 1e3:.4g} mm",
            )


def _crossing_problems(profile: Profile, field: str) -> Iterator[Problem]:
    """Look for crossings of the meridian with itself on chords that deviate by a thousandth of a radius."""
    points: list[Point] = []
    owner: list[int] = []
    for k, segment in enumerate(profile.segments):
        pieces = 1 if isinstance(segment, Line) else max(2, math.ceil(abs(segment.sweep) / 0.09))
        points += [segment.point(i / pieces) for i in range(pieces)]
        owner += [k] * pieces
    ends = np.array([*points, profile.segments[-1].end])
    u = ends[1:] - ends[:-1]
    w = ends[None, :-1] - ends[:-1, None]
    cross = u[:, None, 0] * u[None, :, 1] - u[:, None, 1] * u[None, :, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        along = (w[..., 0] * u[None, :, 1] - w[..., 1] * u[None, :, 0]) / cross
        other = (w[..., 0] * u[:, None, 1] - w[..., 1] * u[:, None, 0]) / cross
    meet = np.triu((along >= 0) & (along <= 1) & (other >= 0) & (other <= 1), 2)
    if profile.is_closed:
        meet[0, -1] = False
    for i, j in np.argwhere(meet)[:1]:
        text = f"The profile crosses itself: segments {owner[i]} and {owner[j]} meet."
        yield Problem(field=field, message=text)


def _row(segment: Line | Arc) -> list[float]:
    if isinstance(segment, Line):
        return [0.0, *segment.start, *segment.end, *segment.tangent(0.0), segment.length, 0.0, 0.0, 0.0]
    sense = 1.0 if segment.counterclockwise else -1.0
    return [1.0, *segment.start, *segment.end, *segment.centre, segment.radius, sense, 0.0, 0.0]


def _side(before: Point, after: Point) -> float:
    """Tell on which side a point lies whose nearest point is a corner: material is on the right of travel."""
    turn = before[0] * after[1] - before[1] * after[0]
    along = before[0] * after[0] + before[1] * after[1]
    if abs(turn) <= TANGENT_TOLERANCE and along > 0.0:
        return 0.0
    return math.copysign(1.0, turn)


def _mirrored_at_axis(chain: list[Line | Arc], tolerance: float) -> list[Line | Arc]:
    """Add the mirror image of an end that meets the axis at an angle: a cone's tip is a corner too."""
    first, last = chain[0], chain[-1]
    if first.start[1] <= tolerance and abs(first.tangent(0.0)[0]) > TANGENT_TOLERANCE:
        chain = [_mirrored(first), *chain]
    if last.end[1] <= tolerance and abs(last.tangent(1.0)[0]) > TANGENT_TOLERANCE:
        chain = [*chain, _mirrored(last)]
    return chain


def _mirrored(segment: Line | Arc) -> Line | Arc:
    """Return the mirror image behind the axis, travelled the other way."""
    start, end = (segment.end[0], -segment.end[1]), (segment.start[0], -segment.start[1])
    if isinstance(segment, Line):
        return Line(start=start, end=end)
    centre = (segment.centre[0], -segment.centre[1])
    return Arc(start=start, end=end, centre=centre, counterclockwise=segment.counterclockwise)


def _between(one: Point, two: Point, fraction: float) -> Point:
    return one[0] + fraction * (two[0] - one[0]), one[1] + fraction * (two[1] - one[1])


def rounded_profile(points: Sequence[Point], radii: Sequence[float]) -> Profile:
    """Return the profile through corner points (z, r) [m] whose inner corners are rounded with radii [m].

    One radius for each point but the first and the last; 0 keeps a sharp corner.
    """
    if len(radii) != len(points) - 2:
        raise InputError(
            f"A profile through {len(points)} points needs {len(points) - 2} radii. Given: {len(radii)}."
        )
    segments: list[Line | Arc] = []
    at = points[0]
    for before, corner, after, radius in zip(points, points[1:], points[2:], radii):
        into, out = Line(start=before, end=corner).tangent(0.0), Line(start=corner, end=after).tangent(0.0)
        turn = math.atan2(into[0] * out[1] - into[1] * out[0], into[0] * out[0] + into[1] * out[1])
        cut = radius * math.tan(abs(turn) / 2)
        start = (corner[0] - cut * into[0], corner[1] - cut * into[1])
        end = (corner[0] + cut * out[0], corner[1] + cut * out[1])
        if math.dist(at, corner) < cut or math.dist(corner, after) < cut:
            raise InputError(f"The radius {radius * 1e3:g} mm does not fit between its neighbouring corners.")
        if math.dist(at, start) > 0.0:
            segments.append(Line(start=at, end=start))
        if cut > 0.0:
            left = math.copysign(radius, turn)
            centre = (start[0] - left * into[1], start[1] + left * into[0])
            segments.append(Arc(start=start, end=end, centre=centre, counterclockwise=turn > 0.0))
        at = end
    segments.append(Line(start=at, end=points[-1]))
    return Profile(segments=tuple(segments))
