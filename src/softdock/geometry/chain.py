"""Chains of meridian segments, and their parts on the outside or inside of a body."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from softdock.geometry.pieces import MOST_ACCURATE_FIRST, Piece, reverse
from softdock.geometry.profile import Arc, Line, Point

Side = Literal["outside", "inside"]
JOINT_TOLERANCE = 1e-6
"""Largest gap between joined meridian pieces, relative to the body's size; float32 coordinates have 1e-7."""


@dataclass(frozen=True, kw_only=True)
class ChainSegment:
    """A segment of a chain and the index of its piece."""

    segment: Line | Arc
    piece: int


@dataclass(frozen=True, kw_only=True)
class SegmentChain:
    """Connected segments of a meridian, with material on the right of travel."""

    links: tuple[ChainSegment, ...]
    cut_start: bool = False
    """Whether the chain starts at a cut (a rim or a limit of z), not at the end of its surface."""
    cut_end: bool = False
    before: tuple[ChainSegment, ...] = ()
    """Links of the same surface in front of a cut at the start."""
    after: tuple[ChainSegment, ...] = ()
    """Links of the same surface behind a cut at the end; of a closed chain, up to its start."""

    @property
    def start(self) -> Point:
        """(z, r) [m]."""
        return self.links[0].segment.start

    @property
    def end(self) -> Point:
        """(z, r) [m]."""
        return self.links[-1].segment.end

    def is_closed(self, near: float) -> bool:
        """Return whether the chain ends at its start, within `near` [m]."""
        return math.dist(self.start, self.end) <= near

    def is_ring(self, near: float) -> bool:
        """Return whether the whole surface of the chain is closed off the axis, within `near` [m]."""
        whole = [*self.before, *self.links, *self.after]
        return math.dist(whole[0].segment.start, whole[-1].segment.end) <= near < whole[0].segment.start[1]

    def reversed(self) -> "SegmentChain":
        """Return the chain in the opposite direction."""
        links = [replace(link, segment=reverse(link.segment)) for link in reversed(self.links)]
        return SegmentChain(links=tuple(links), cut_start=self.cut_end, cut_end=self.cut_start)


def join_pieces(pieces: Sequence[Piece], near: float) -> list[SegmentChain]:
    """Return the chains that the pieces form; ends closer than `near` [m] are joined at the more accurate one."""
    ends = [(piece.segments[0].start, piece.segments[-1].end) for piece in pieces]
    by_accuracy = sorted(range(len(pieces)), key=lambda k: MOST_ACCURATE_FIRST.index(pieces[k].accuracy))
    joints: list[Point] = []
    for k in by_accuracy:
        for place in ends[k]:
            if all(math.dist(place, joint) > near for joint in joints):
                joints.append((place[0], 0.0 if place[1] <= near else place[1]))

    def joint_of(place: Point) -> int:
        return min(range(len(joints)), key=lambda j: math.dist(place, joints[j]))

    starts = [joint_of(start) for start, _ in ends]
    stops = [joint_of(end) for _, end in ends]
    unused = dict.fromkeys(range(len(pieces)))
    openings = [k for k in range(len(pieces)) if starts[k] not in stops or joints[starts[k]][1] == 0.0]
    chains: list[SegmentChain] = []
    for first in [*openings, *range(len(pieces))]:
        links: list[ChainSegment] = []
        at_piece: int | None = first if first in unused else None
        while at_piece is not None:
            del unused[at_piece]
            at = stops[at_piece]
            moved = _moved(pieces[at_piece].segments, joints[starts[at_piece]], joints[at])
            links += [ChainSegment(segment=segment, piece=at_piece) for segment in moved]
            # A chain ends on the axis, even where another one begins at the same point.
            at_piece = None if joints[at][1] == 0.0 else next((n for n in unused if starts[n] == at), None)
        if links:
            chains.append(SegmentChain(links=tuple(links)))
    return chains


def _moved(segments: Sequence[Line | Arc], start: Point, end: Point) -> list[Line | Arc]:
    """Return the segments of a piece with its ends moved to given points (z, r) [m]."""
    moved = list(segments)
    moved[0] = replace(moved[0], start=start)
    moved[-1] = replace(moved[-1], end=end)
    return moved


def parts_on_side(chain: SegmentChain, side: Side, near: float) -> list[SegmentChain]:
    """Return the parts of a chain on one side; a rim, where z is extreme, belongs to both sides.

    A chain has a cavity if it ends below its highest rim or begins above its lowest one: Eq. (G10).
    """
    links = _split_at_extremes(chain.links, near)
    if chain.is_closed(near):
        links = _start_at_lowest_rim(links, near)
    z = [links[0].segment.start[0], *(link.segment.end[0] for link in links)]
    low = [k for k, value in enumerate(z) if value <= min(z) + near]
    high = [k for k, value in enumerate(z) if value >= max(z) - near]
    if chain.is_closed(near):
        rim = next(k for k in range(len(low)) if k + 1 == len(low) or low[k + 1] != low[k] + 1)
        last, first = max(high), min(high)
        outer = [_cut(links[:last], True, True, after=links[last:])]
        around = [*links[first:], *links[: low[rim]]]
        inner = [_cut(around, True, True, after=links[low[rim] : first])]
    else:
        begins_in, ends_in = _begins_inside(links, z, near), _ends_inside(links, z, near)
        first, last = min(low) if begins_in else 0, max(high) if ends_in else len(links)
        outer = [_slice(links, first, last)]
        inner = [_slice(links, 0, max(low))] if begins_in else []
        inner += [_slice(links, min(high), len(links))] if ends_in else []
    return list(dict.fromkeys(part for part in (outer if side == "outside" else inner) if part.links))


def _slice(links: Sequence[ChainSegment], first: int, last: int) -> SegmentChain:
    return _cut(links[first:last], first > 0, last < len(links), before=links[:first], after=links[last:])


def _cut(
    links: Sequence[ChainSegment],
    cut_start: bool,
    cut_end: bool,
    before: Sequence[ChainSegment] = (),
    after: Sequence[ChainSegment] = (),
) -> SegmentChain:
    return SegmentChain(
        links=tuple(links), cut_start=cut_start, cut_end=cut_end, before=tuple(before), after=tuple(after)
    )


def clip(chain: SegmentChain, low: float, high: float, near: float) -> list[SegmentChain]:
    """Return the connected parts of a chain between two values of z [m]."""
    links: list[ChainSegment] = []
    for link in chain.links:
        segments = _split_at([link.segment], low, near)
        links += [replace(link, segment=s) for s in _split_at(segments, high, near)]
    within = [low - near <= link.segment.point(0.5)[0] <= high + near for link in links]
    parts, k = [], 0
    while k < len(links):
        if not within[k]:
            k += 1
            continue
        begin = k
        while k < len(links) and within[k]:
            k += 1
        cut_start, cut_end = begin > 0 or chain.cut_start, k < len(links) or chain.cut_end
        before, after = [*chain.before, *links[:begin]], [*links[k:], *chain.after]
        if chain.is_ring(near):
            before, after = [], [*after, *before]
        parts.append(_cut(links[begin:k], cut_start, cut_end, before, after))
    return parts


def _split_at_extremes(links: Sequence[ChainSegment], near: float) -> list[ChainSegment]:
    """Return the links with arcs split where z is extreme, so that every rim is a joint."""
    split: list[ChainSegment] = []
    for link in links:
        segment = link.segment
        if isinstance(segment, Arc):
            for z in (segment.centre[0] - segment.radius, segment.centre[0] + segment.radius):
                fraction = _fraction_of_angle(segment, 0.0 if z > segment.centre[0] else math.pi)
                place = (z, segment.centre[1])
                if (
                    fraction is not None
                    and min(math.dist(place, segment.start), math.dist(place, segment.end)) > near
                ):
                    split.append(replace(link, segment=replace(segment, end=place)))
                    segment = replace(segment, start=place)
        split.append(replace(link, segment=segment))
    return split


def _fraction_of_angle(arc: Arc, angle: float) -> float | None:
    """Return the fraction of the arc at an angle [rad]; None outside the arc or at its ends."""
    turn = (angle - arc.start_angle) % math.tau
    turn = turn if arc.counterclockwise else turn - math.tau
    fraction = turn / arc.sweep
    return fraction if 1e-6 < fraction < 1 - 1e-6 else None


def _split_at(segments: Sequence[Line | Arc], z: float, near: float) -> list[Line | Arc]:
    """Return the segments divided at a value of z [m], except within `near` [m] of their ends."""
    split: list[Line | Arc] = []
    for segment in segments:
        for place in _points_at(segment, z):
            if min(math.dist(place, segment.start), math.dist(place, segment.end)) > near:
                split.append(replace(segment, end=place))
                segment = replace(segment, start=place)
        split.append(segment)
    return split


def _points_at(segment: Line | Arc, z: float) -> list[Point]:
    """Return the points of a segment at a value of z [m], in the order of travel."""
    if isinstance(segment, Line):
        dz = segment.end[0] - segment.start[0]
        fraction = (z - segment.start[0]) / dz if dz else -1.0
        return [(z, segment.point(fraction)[1])] if 0.0 < fraction < 1.0 else []
    cosine = (z - segment.centre[0]) / segment.radius
    if abs(cosine) >= 1.0:
        return []
    candidates = [(_fraction_of_angle(segment, sign * math.acos(cosine)), sign) for sign in (1.0, -1.0)]
    rise = segment.radius * math.sqrt(1.0 - cosine**2)
    return [
        (z, segment.centre[1] + sign * rise)
        for f, sign in sorted((f, s) for f, s in candidates if f is not None)
    ]


def _start_at_lowest_rim(links: list[ChainSegment], near: float) -> list[ChainSegment]:
    """Return a closed chain rotated so that it begins at the first joint of its lowest rim."""
    z = [link.segment.start[0] for link in links]
    low = [value <= min(z) + near for value in z]
    first = next((k for k in range(len(z)) if low[k] and not low[k - 1]), 0)
    return [*links[first:], *links[:first]]


def _begins_inside(links: Sequence[ChainSegment], z: Sequence[float], near: float) -> bool:
    """Return whether a chain begins in a cavity: on the axis above its lowest point, or elsewhere with a fall of z."""
    if links[0].segment.start[1] <= near:
        return z[0] > min(z) + near
    return _first_change(z, near) < 0.0


def _ends_inside(links: Sequence[ChainSegment], z: Sequence[float], near: float) -> bool:
    """Return whether a chain ends in a cavity: on the axis below its highest point, or elsewhere with a fall of z."""
    if links[-1].segment.end[1] <= near:
        return z[-1] < max(z) - near
    return -_first_change(z[::-1], near) < 0.0


def _first_change(z: Sequence[float], near: float) -> float:
    """Return the first change of z along a chain that exceeds `near` [m]; 1, which is no fall, if there is none."""
    return next((value - z[0] for value in z if abs(value - z[0]) > near), 1.0)
