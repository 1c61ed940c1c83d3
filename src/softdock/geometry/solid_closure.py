"""Closure of a surface read from a CAD file: by the rest of its meridian, or by a back face inside the solid."""

import itertools
from collections.abc import Sequence
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from softdock.errors import InputError
from softdock.geometry.axis import AxisFrame
from softdock.geometry.chain import ChainSegment, SegmentChain
from softdock.geometry.facets import Facets
from softdock.geometry.fitting import distance_to_segments
from softdock.geometry.meridian_closure import close_ends
from softdock.geometry.pieces import EndAccuracy, Piece
from softdock.geometry.profile import Profile, check_profile
from softdock.geometry.profile_arrays import is_complete
from softdock.geometry.unread_faces import depth_in, sample_facets

Array = NDArray[np.float64]

SHARES = (0.7, 0.35, 0.15, 0.05)
"""Thickness of the back face relative to the radius of the circles in the material; the first that fits is used."""
CELL = 1e-3
"""Size of the cells of the (z, r) half-plane with one sample point each, relative to that of the body."""


def profile_of(
    part: SegmentChain, links_before: Sequence[ChainSegment] = (), links_after: Sequence[ChainSegment] = ()
) -> Profile:
    """Return the profile of a part of a chain, with the links that are known to close it."""
    return Profile(
        segments=tuple(link.segment for link in part.links),
        before=tuple(link.segment for link in links_before),
        after=tuple(link.segment for link in links_after),
    )


def close_in_solid(
    part: SegmentChain,
    facets: Facets,
    frame: AxisFrame,
    pieces: Sequence[Piece],
    broken: set[int],
    tolerance: float,
) -> tuple[Profile, bool]:
    """Return a part of a body's meridian, closed in its material, and whether the file determines the closure.

    It does if the rest of the meridian is of revolution: pieces `broken` by holes or attachments are not. Otherwise a
    back face lies in the material at every angle around the axis. Raises InputError where there is none.
    """
    before, after = _unbroken_rest(part, pieces, broken, tolerance)
    profile = profile_of(part, before, after)
    whole = Profile(segments=(*profile.before, *profile.segments, *profile.after))
    if is_complete(whole):
        return profile, True
    if not facets.closed:  # nothing else is known
        return profile, False
    own = {link.piece for link in (*before, *part.links, *after)}
    obstacles = _other_faces(whole, facets, frame, [pieces[k] for k in own], tolerance)
    for share in SHARES:
        lines_before, lines_after = close_ends(whole, tolerance, obstacles, share)
        closed = Profile(
            segments=profile.segments,
            before=(*lines_before, *profile.before),
            after=(*profile.after, *lines_after),
        )
        chain = (*closed.before, *closed.segments, *closed.after)
        with suppress(InputError):  # the back face may cross itself
            check_profile(Profile(segments=chain))
            if depth_in(chain, obstacles).max(initial=0.0) <= tolerance:
                return closed, False
    message = "The surface cannot be closed behind it inside the material of the solid."
    raise InputError(message)


def _unbroken_rest(
    part: SegmentChain, pieces: Sequence[Piece], broken: set[int], near: float
) -> tuple[list[ChainSegment], list[ChainSegment]]:
    """Return the links in front of and behind a part up to the next one that is broken."""

    def is_whole(link: ChainSegment) -> bool:
        piece = pieces[link.piece]
        return link.piece not in broken and not (
            piece.accuracy == EndAccuracy.PLANE and piece.interruption > 0.0
        )

    after = list(itertools.takewhile(is_whole, part.after))
    rest = part.after[len(after) :] if part.is_ring(near) else part.before
    before = list(itertools.takewhile(is_whole, reversed(rest)))[::-1]
    return before, after


def _other_faces(
    whole: Profile, facets: Facets, frame: AxisFrame, own: Sequence[Piece], tolerance: float
) -> Array:
    """Return points (z, r) [m] of the facets that are not on a meridian; of its planes, those outside their rings."""
    represented = np.zeros(len(facets.triangles), bool)
    for piece in own:
        if piece.accuracy != EndAccuracy.PLANE:
            represented[piece.triangles] = True
    places = sample_facets(facets, frame, np.flatnonzero(~represented)).places
    cells = np.round(places / (CELL * facets.size)).astype(np.int64)
    places = places[np.unique(cells, axis=0, return_index=True)[1]]
    return places[distance_to_segments(whole.segments, places) > tolerance]
