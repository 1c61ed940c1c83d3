"""Arrays of a profile for the kernels, with the end faces that close an open meridian, and its sharp edges."""

import functools
import itertools
import math
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from softdock.errors import InputError
from softdock.geometry import kernels
from softdock.geometry.meridian_closure import close_ends
from softdock.geometry.profile import (
    GAP_TOLERANCE,
    TANGENT_TOLERANCE,
    Arc,
    Line,
    Point,
    Profile,
    check_profile,
)


class SegmentColumn(IntEnum):
    """Columns of the array that `profile_array` returns; one row per line or arc."""

    KIND = kernels.KIND
    """`kernels.LINE` or `kernels.ARC`."""
    START_Z = kernels.START_Z
    START_R = kernels.START_R
    END_Z = kernels.END_Z
    END_R = kernels.END_R
    AXIS_Z = kernels.AXIS_Z
    """Line: unit tangent; arc: centre [m]."""
    AXIS_R = kernels.AXIS_R
    LENGTH = kernels.LENGTH
    """Line: length [m]; arc: radius [m]."""
    SENSE = kernels.SENSE
    """Arc: +1 counterclockwise (material outside the circle), -1 clockwise (inside)."""
    START_SIDE = kernels.START_SIDE
    """Region of a point whose nearest point is the start: +1 material, -1 free space, 0 smooth joint."""
    END_SIDE = kernels.END_SIDE


def profile_array(profile: Profile) -> NDArray[np.float64]:
    """Return the segments of a closed meridian for the kernels, shape (rows, 11), columns as in `SegmentColumn`.

    Open ends are closed by the rest of the solid where it is known, else by lines in its material (`meridian_closure`),
    so that the material behind an open surface is bounded and the depth is continuous beyond its ends. An end that
    meets the axis at an angle is a corner with its own mirror image, which is added.
    """
    check_profile(profile)
    return _rows(profile).copy()


@dataclass(frozen=True, kw_only=True)
class Edge:
    """A circle where a surface has a convex corner without a fillet, or ends."""

    z: float
    radius: float
    """0 for a tip on the axis."""
    is_end: bool = False
    """Whether it is an open end of the meridian."""
    turn: float = math.pi
    """Angle by which the tangent turns [rad], at an open end half a turn."""

    @property
    def is_sharp(self) -> bool:
        """Whether the surface is described on both sides of the edge, and its normal jumps there."""
        return not self.is_end and self.turn > kernels.SHARP_ANGLE


@functools.lru_cache(maxsize=64)
def sharp_edges(profile: Profile) -> tuple[Edge, ...]:
    """Return the convex edges without a fillet, the tips on the axis and the open ends of a surface."""
    segments, tolerance = profile.segments, GAP_TOLERANCE * profile.size
    joints = list(itertools.pairwise(segments))
    if profile.is_closed:
        joints.append((segments[-1], segments[0]))
    edges = [
        Edge(z=second.start[0], radius=second.start[1], turn=_turn(first.tangent(1.0), second.tangent(0.0)))
        for first, second in joints
        if _side(first.tangent(1.0), second.tangent(0.0)) < 0.0
    ]
    if not profile.is_closed:
        for (z, r), (t_z, t_r) in (
            (segments[0].start, segments[0].tangent(0.0)),
            (segments[-1].end, segments[-1].tangent(1.0)),
        ):
            if r > tolerance:
                edges.append(Edge(z=z, radius=r, is_end=True))
            elif abs(t_z) > TANGENT_TOLERANCE:
                edges.append(Edge(z=z, radius=0.0, turn=2.0 * math.acos(min(1.0, abs(t_r)))))
    return tuple(edges)


def described_rows(profile: Profile) -> tuple[int, int]:
    """Return the first and last row of `profile_array` that belong to the meridian itself, not to its closure."""
    chain, before, after = closed_chain(profile)
    return before, len(chain) - 1 - after


@functools.lru_cache(maxsize=64)
def closed_chain(profile: Profile) -> tuple[tuple[Line | Arc, ...], int, int]:
    """Return the closed meridian, and the number of closing segments before and after the profile."""
    tolerance = GAP_TOLERANCE * profile.size
    known = Profile(segments=(*profile.before, *profile.segments, *profile.after))
    if is_complete(known):
        before, after = list(profile.before), list(profile.after)
    else:
        lines_before, lines_after = close_ends(known, tolerance)
        before, after = [*lines_before, *profile.before], [*profile.after, *lines_after]
    chain = [*before, *profile.segments, *after]
    _refuse_crossing(tuple(chain), profile)
    if math.dist(chain[0].start, chain[-1].end) <= tolerance:
        return tuple(chain), len(before), len(after)
    mirrored = _mirrored_at_axis(chain, tolerance)
    in_front = mirrored.index(chain[0])
    behind = len(mirrored) - len(chain) - in_front
    # The mirror image of the profile itself is not part of the closure.
    return (
        tuple(mirrored),
        len(before) + in_front if before else 0,
        len(after) + behind if after else 0,
    )


def is_complete(profile: Profile) -> bool:
    """Return whether a meridian bounds a solid: it is closed, or begins and ends on the axis."""
    ends = profile.segments[0].start[1], profile.segments[-1].end[1]
    return profile.is_closed or max(ends) <= GAP_TOLERANCE * profile.size


def _refuse_crossing(chain: tuple[Line | Arc, ...], profile: Profile) -> None:
    """Raise InputError where the lines that close a meridian cross it: nothing is known about its material."""
    if len(chain) == len(profile.segments):
        return
    try:
        check_profile(Profile(segments=chain))
    except InputError as error:
        message = "The open ends of the surface cannot be joined behind it within its material."
        hint = "Continue the profile up to the axis, or back to its start, along the rest of the solid."
        raise InputError(message, field="profile", hint=hint) from error


@functools.lru_cache(maxsize=64)
def _rows(profile: Profile) -> NDArray[np.float64]:
    """Return the rows of `profile_array`; cached, because many runs use the same profile."""
    chain = closed_chain(profile)[0]
    closed = math.dist(chain[-1].end, chain[0].start) <= GAP_TOLERANCE * profile.size
    rows = np.array([_row(segment) for segment in chain])
    for k, segment in enumerate(chain if closed else chain[:-1]):
        following = (k + 1) % len(chain)
        side = _side(segment.tangent(1.0), chain[following].tangent(0.0))
        rows[k, SegmentColumn.END_SIDE] = rows[following, SegmentColumn.START_SIDE] = side
    return rows


def _row(segment: Line | Arc) -> list[float]:
    if isinstance(segment, Line):
        return [
            kernels.LINE,
            *segment.start,
            *segment.end,
            *segment.tangent(0.0),
            segment.length,
            0.0,
            0.0,
            0.0,
        ]
    sense = 1.0 if segment.counterclockwise else -1.0
    return [kernels.ARC, *segment.start, *segment.end, *segment.centre, segment.radius, sense, 0.0, 0.0]


def _side(before: Point, after: Point) -> float:
    """Return the region of points whose nearest point is a corner: +1 material, -1 free space, 0 smooth joint."""
    turn = before[0] * after[1] - before[1] * after[0]
    along = before[0] * after[0] + before[1] * after[1]
    if abs(turn) <= TANGENT_TOLERANCE and along > 0.0:
        return 0.0
    return math.copysign(1.0, turn)


def _turn(before: Point, after: Point) -> float:
    """Return the angle between two tangents [rad]."""
    turn = before[0] * after[1] - before[1] * after[0]
    return abs(math.atan2(turn, before[0] * after[0] + before[1] * after[1]))


def _mirrored_at_axis(chain: list[Line | Arc], tolerance: float) -> list[Line | Arc]:
    """Add the mirror image of an end that meets the axis at an angle, which makes the tip of a cone a corner."""
    first, last = chain[0], chain[-1]
    if first.start[1] <= tolerance and abs(first.tangent(0.0)[0]) > TANGENT_TOLERANCE:
        chain = [_mirrored(first), *chain]
    if last.end[1] <= tolerance and abs(last.tangent(1.0)[0]) > TANGENT_TOLERANCE:
        chain = [*chain, _mirrored(last)]
    return chain


def _mirrored(segment: Line | Arc) -> Line | Arc:
    """Return the mirror image on the other side of the axis, in reverse direction."""
    start, end = (segment.end[0], -segment.end[1]), (segment.start[0], -segment.start[1])
    if isinstance(segment, Line):
        return Line(start=start, end=end)
    centre = (segment.centre[0], -segment.centre[1])
    return Arc(start=start, end=end, centre=centre, counterclockwise=segment.counterclockwise)
