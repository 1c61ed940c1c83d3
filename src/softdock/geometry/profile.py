"""Profiles: the meridian of a surface of revolution as lines and arcs in the (z, r) half-plane."""

import functools
import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from softdock.errors import InputError, Problem

Point = tuple[float, float]

GAP_TOLERANCE = 1e-6
"""Largest gap between neighbouring segments and largest difference of radii, relative to the profile's size."""
TANGENT_TOLERANCE = 1e-6
"""Largest angle between the tangents of neighbours that join smoothly [rad]."""


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
        """Return the unit tangent (z, r) in the direction of travel; it is the same at every fraction of the length."""
        return (self.end[0] - self.start[0]) / self.length, (self.end[1] - self.start[1]) / self.length

    def point(self, fraction: float) -> Point:
        """Return the point (z, r) [m] at a fraction of the length."""
        return point_between(self.start, self.end, fraction)


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
        """Return the unit tangent (z, r) in the direction of travel at a fraction of the length."""
        angle = self.start_angle + fraction * self.sweep
        sense = 1.0 if self.counterclockwise else -1.0
        return -sense * math.sin(angle), sense * math.cos(angle)

    def point(self, fraction: float) -> Point:
        """Return the point (z, r) [m] at a fraction of the length."""
        angle = self.start_angle + fraction * self.sweep
        return self.centre[0] + self.radius * math.cos(angle), self.centre[1] + self.radius * math.sin(angle)


@dataclass(frozen=True, kw_only=True)
class Profile:
    """Connected lines and arcs, each starting where the one before ended; material is on the right of travel.

    Seen with z to the right and r upwards, the direction of travel is +z along the outside of a solid and -z along
    the inside of a cavity.
    """

    segments: tuple[Line | Arc, ...]
    before: tuple[Line | Arc, ...] = field(default=(), repr=False)
    """Surface of the same solid that leads to the first segment, and does not touch; empty where it is not known."""
    after: tuple[Line | Arc, ...] = field(default=(), repr=False)
    """Surface of the same solid that continues the last segment; if it is a ring, up to the start of the first one."""

    def __hash__(self) -> int:
        return self._hash

    @functools.cached_property
    def _hash(self) -> int:
        """Profiles are keys of caches; hashing all segments on every lookup is slow."""
        return hash(self.segments)

    @property
    def size(self) -> float:
        """Largest extent of the meridian [m]."""
        ends = [p for segment in self.segments for p in (segment.start, segment.end)]
        return max(max(p[k] for p in ends) - min(p[k] for p in ends) for k in (0, 1))

    @property
    def is_closed(self) -> bool:
        """Whether the meridian ends at its start point."""
        return math.dist(self.segments[-1].end, self.segments[0].start) <= GAP_TOLERANCE * self.size


Array = NDArray[np.float64]


def nearest_segment(profile: Profile, z: Array, r: Array) -> NDArray[np.intp]:
    """Return the index of the segment nearest to each point (z, r) [m]."""
    nearest: NDArray[np.intp] = np.argmin(
        [distance_to_segment(segment, z, r) for segment in profile.segments], axis=0
    )
    return nearest


def distance_to_segment(segment: Line | Arc, z: Array, r: Array) -> Array:
    """Return the distance [m] of points (z, r) [m] from a line or arc."""
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


def check_profile(profile: Profile, field: str = "profile") -> None:
    """Raise `InputError` unless the profile is connected, off the axis and free of crossings."""
    if not profile.segments:
        raise InputError("A profile needs at least one line or arc.", field=field)
    if not _is_sound(profile):
        raise InputError(*_problems(profile, field))


@functools.lru_cache(maxsize=256)
def _is_sound(profile: Profile) -> bool:
    """Return whether a profile has no problems; cached, because many runs use the same profile."""
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
    for k, (first, second) in enumerate(itertools.pairwise(profile.segments)):
        gap = math.dist(first.end, second.start)
        if gap > GAP_TOLERANCE * profile.size:
            yield Problem(
                field=f"{field}.segments.{k + 1}",
                message="Each segment must start where the one before ended.",
                given=f"a gap of {gap * 1e3:.4g} mm",
            )


def _crossing_problems(profile: Profile, field: str) -> Iterator[Problem]:
    """Yield a problem if the meridian crosses itself; arcs become chords within a thousandth of their radius."""
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


def point_between(start: Point, end: Point, fraction: float) -> Point:
    """Return the point at a fraction of the straight line from one point to another."""
    return start[0] + fraction * (end[0] - start[0]), start[1] + fraction * (end[1] - start[1])
