"""Faces of a body that a contact surface leaves out: on purpose, with a sentence, or by mistake, with an error."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from softdock.errors import InputError, Problem
from softdock.geometry.axis import AxisFrame
from softdock.geometry.cad_files import cad_error
from softdock.geometry.chain import SegmentChain, Side
from softdock.geometry.face_selection import FaceSelection
from softdock.geometry.facets import Facets
from softdock.geometry.fitting import distance_to_segments
from softdock.geometry.pieces import EndAccuracy, Piece
from softdock.geometry.profile import Profile
from softdock.geometry.unread_faces import (
    Departure,
    find_departures,
    name_faces,
    sample_facets,
)

ROUNDING = 1e-6
"""Relative to the body's size; coordinates of facets have single precision."""


def without_faces(
    path: Path, facets: Facets, frame: AxisFrame, ignore: Sequence[int | FaceSelection]
) -> tuple[Facets, NDArray[np.bool_]]:
    """Return the body without the ignored faces, and which of its triangles they are, shape (m,)."""
    ignored = np.zeros(len(facets.triangles), bool)
    for selection in ignore:
        selected = (
            facets.face_of == selection - 1
            if isinstance(selection, int)
            else _within(facets, frame, selection)
        )
        if not selected.any():
            count = len(facets.faces)
            allowed = (
                f"has faces 1 to {count}" if count else "is a mesh without face numbers: give z and angle"
            )
            raise cad_error(
                path, f"`ignore` selects no face of the file, which {allowed}.", given=str(selection)
            )
        ignored |= selected
    if not ignored.any():
        return facets, ignored
    if ignored.all():
        raise cad_error(path, "`ignore` leaves out all faces of the file.")
    cut = facets.triangles[ignored]
    kept = replace(
        facets,
        triangles=facets.triangles[~ignored],
        face_of=facets.face_of[~ignored],
        cut_edges=np.concatenate([cut[:, [0, 1]], cut[:, [1, 2]], cut[:, [2, 0]]]),
    )
    return kept, ignored


def _within(facets: Facets, frame: AxisFrame, selection: FaceSelection) -> NDArray[np.bool_]:
    """Return which facets lie in a range with all their corners, shape (m,); facets on a limit of z do not."""
    z, r, phi = frame.cylindrical(facets.vertices)
    near = ROUNDING * facets.size
    inside = np.ones(len(z), bool)
    if selection.z is not None:
        inside &= (z >= selection.z[0] - near) & (z <= selection.z[1] + near)
    if selection.angle is not None:
        slack = near / np.maximum(r, near)
        turn = (phi - selection.angle[0] + slack) % math.tau
        inside &= (turn <= selection.angle[1] - selection.angle[0] + 2 * slack) | (r <= near)
    found = np.asarray(inside[facets.triangles].all(axis=1))
    if selection.z is not None:  # a face in the plane of a limit belongs to the surface that ends there
        middle = z[facets.triangles].mean(axis=1)
        found &= (middle > selection.z[0] + near) & (middle < selection.z[1] - near)
    return found


MOST_NAMED = 40
"""Faces that messages name."""
MOST_RANGES = 3
"""Ranges of z and angle that an error proposes to ignore."""
MARGIN = 1e-3
"""By which a proposed range reaches beyond a face in the plane of its limit, relative to the body's size."""


@dataclass(frozen=True, kw_only=True)
class ReadBody:
    """A body of a CAD file and the pieces of its meridian."""

    facets: Facets
    kept: Facets
    """Without the ignored faces, to which `pieces` refer."""
    ignored: NDArray[np.bool_]
    """Shape (m,): the ignored triangles of `facets`."""
    frame: AxisFrame
    pieces: Sequence[Piece]
    tolerance: float
    """Allowed departure from a surface of revolution [m]."""


def left_out_sentences(
    path: Path,
    body: ReadBody,
    part: SegmentChain,
    profile: Profile,
    z_range: tuple[float, float] | None,
    side: Side,
) -> tuple[str, ...]:
    """Return sentences about faces left out on purpose; raise `InputError` for faces left out otherwise.

    A face is left out if it is in front of the profile and not part of its meridian. Faces outside `z_range`, and the
    part of an end face beyond the largest ring in it, are left out on purpose.
    """
    low, high = z_range if z_range is not None else (-np.inf, np.inf)
    read = np.zeros(len(body.kept.triangles), bool)
    for k in {link.piece for link in (*part.before, *part.links, *part.after)}:
        read[body.pieces[k].triangles] = True
    departures = find_departures(profile, body.kept, body.frame, np.flatnonzero(~read), body.tolerance)
    within = [
        departure
        for departure in departures
        if departure.z[1] > low + body.tolerance and departure.z[0] < high - body.tolerance
    ]
    if within:
        raise _departures_error(path, within, body, side)
    sentences = [f"Left out by `z_range`: {listed(departures)}."] if departures else []
    if body.ignored.any():
        samples = sample_facets(body.facets, body.frame, np.flatnonzero(body.ignored))
        distance = distance_to_segments(profile.segments, samples.places)
        named = name_faces(body.facets, body.frame, samples, distance, 0.0)
        sentences.append(f"Left out by `ignore`: {listed(named)}.")
    return (*sentences, *_cut_off_planes(body, part))


def _cut_off_planes(body: ReadBody, part: SegmentChain) -> Iterator[str]:
    """Yield a sentence for every plane at an end of a part that reaches beyond the ring that is read."""
    for link, cut in ((part.links[0], part.cut_start), (part.links[-1], part.cut_end)):
        piece = body.pieces[link.piece]
        if piece.accuracy != EndAccuracy.PLANE or cut:
            continue
        corners = np.unique(body.kept.triangles[piece.triangles])
        z, r, _ = body.frame.cylindrical(body.kept.vertices[corners])
        outer = max(link.segment.start[1], link.segment.end[1])
        if r.max() > outer + body.tolerance:
            yield (
                f"The plane at z = {_mm(float(z.mean()))} reaches to r = {_mm(float(r.max()))}; only its ring up to "
                f"r = {_mm(outer)} is read, because holes, attachments or edges lie beyond."
            )


def _departures_error(path: Path, departures: Sequence[Departure], body: ReadBody, side: Side) -> InputError:
    """Return an error with one problem for every face."""
    numbers = [departure.number for departure in departures if departure.number is not None]
    ranges = ", ".join(_range_of(departure, body) for departure in departures[:MOST_RANGES])
    by = f"[{', '.join(map(str, numbers)) or ranges}]"
    what = (
        f"stands in front of the {side} and is not part of its surface of revolution; nothing would touch it:"
    )
    example = "" if numbers or len(departures) <= MOST_RANGES else ", for example"
    hint = f"If nothing can reach it, leave it out{example}: `ignore: {by}`; or select a part with z_range."
    problems = [
        Problem(
            file=str(path),
            message=f"{departure.name.capitalize()} {what} it departs by {_mm(departure.distance)}, {departure.place}.",
            hint="" if k else hint,
        )
        for k, departure in enumerate(departures[:MOST_NAMED])
    ]
    if len(departures) > MOST_NAMED:
        more = f"{len(departures) - MOST_NAMED} more faces stand in front of it as well."
        problems.append(Problem(file=str(path), message=more))
    return InputError(*problems)


def _range_of(departure: Departure, body: ReadBody) -> str:
    """Return the range of z and angle that leaves out a face, as a scenario contains it.

    A range does not select facets in the plane of its limits: where the face has some, the limit is beyond them.
    """
    near = ROUNDING * body.facets.size
    z = body.frame.cylindrical(body.kept.vertices)[0]
    middle = z[body.kept.triangles[departure.triangles]].mean(axis=1)
    margin = MARGIN * body.facets.size
    low = departure.z[0] - (margin if middle.min() < departure.z[0] + 2 * near else 0.0)
    high = departure.z[1] + (margin if middle.max() > departure.z[1] - 2 * near else 0.0)
    decimals = max(0, math.ceil(-math.log10(near * 1e3)))  # rounds by less than `near`
    z_0, z_1 = np.round(np.array([low, high]) * 1e3, decimals) + 0.0  # without -0
    a_0, a_1 = np.degrees(departure.azimuth)
    return f"{{z: [{z_0:.15g} mm, {z_1:.15g} mm], angle: [{a_0 - 1:.4g} deg, {a_1 + 1:.4g} deg]}}"


def listed(departures: Sequence[Departure]) -> str:
    """Return the names of faces with their departures and places."""
    more = f"; and {len(departures) - MOST_NAMED} more" if len(departures) > MOST_NAMED else ""
    return (
        "; ".join(
            f"{departure.name} by {_mm(departure.distance)} ({departure.place})"
            for departure in departures[:MOST_NAMED]
        )
        + more
    )


def _mm(length: float) -> str:
    return f"{length * 1e3:.4g} mm"
