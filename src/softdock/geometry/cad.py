"""From a CAD file to the exact meridian of the surface that touches."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from softdock.errors import InputError
from softdock.geometry.axis import AxisFrame, find_axis, frame_on_axis
from softdock.geometry.chain import Chain, Side, clip, join_pieces, parts_on_side
from softdock.geometry.facets import STEP_ENDINGS, Facets, read_bodies, refusal
from softdock.geometry.mass_properties import MassProperties, mesh_mass_properties, profile_mass_properties
from softdock.geometry.meridian_pieces import Piece, boundary_edges, meridian_pieces
from softdock.geometry.profile import Point, Profile, check_profile
from softdock.geometry.section import departure_from_revolution

Array = NDArray[np.float64]

DEFAULT_TOLERANCE = 1e-5
"""Part of the body's size by which its surface may depart from a surface of revolution."""
JOINT = 1e-6
"""Ends of meridian pieces closer than this part of the body's size are one point; float32 keeps 1e-7."""
PLAUSIBLE_SIZE = (1e-3, 20.0)
"""A docking mechanism smaller or larger than this [m] is probably in another unit."""


@dataclass(frozen=True, kw_only=True)
class CadSurface:
    """A surface of revolution out of a CAD file, and how it came about."""

    source: str
    """The file's name."""
    side: Side
    profile: Profile
    """The meridian in the profile's frame S, whose z axis is the axis of revolution."""
    frame: AxisFrame
    """X_FS: how S sits in the file's frame F."""
    mass_properties: MassProperties | None
    """Of the whole body, in S; None where no density was given."""
    exact: bool
    """Whether every segment comes from an exact face of the file; otherwise some are fitted to facets."""
    deviation: float
    """Largest distance [m] of the file's facets, at their vertices, from the profile."""
    tolerance: float
    """[m]; what was allowed."""
    warnings: tuple[str, ...]
    vertices_F: Array
    """Vertices of the body's facets in F, shape (n, 3) [m]."""
    triangles: NDArray[np.int64]
    """All facets of the body, shape (m, 3), counterclockwise seen from outside."""
    on_surface: NDArray[np.bool_]
    """Shape (m,): the facets that belong to the profile."""


def read_surface(
    path: str | os.PathLike[str],
    *,
    side: Side | None = None,
    axis: tuple[Sequence[float], Sequence[float]] | None = None,
    unit: str | None = None,
    density: float | None = None,
    z_range: tuple[float, float] | None = None,
    tolerance: float | None = None,
    body: str | int | None = None,
) -> CadSurface:
    """Return the meridian of a body of revolution in a STEP, STL, OBJ, PLY or GLB file.

    `side` picks the surface that faces away from the axis (a solid's, if left out) or the cavity that faces it; a body
    of which only the cavity is of revolution can be read inside. An open shell needs it: it does not tell where its
    material is. `axis` is a point [m] and a direction in the file's frame;
    left out, it is found. `unit` of meshes (m, cm, mm, um, in, ft; m if left out); STEP files carry theirs.
    `density` [kg/m^3] asks for mass properties and needs a closed body. `z_range` [m] keeps a part along the
    axis. `tolerance` [m] is the allowed departure from a surface of revolution, 1e-5 of the size if left out.
    `body` picks one of several bodies by name or number, counted from 1.
    """
    path = Path(path)
    if side not in ("outside", "inside", None):
        raise InputError(f'The side must be "outside" or "inside". Given: {side}.')
    if z_range is not None and not z_range[0] < z_range[1]:
        raise InputError(f"The range of z must rise. Given: {z_range[0]:g} to {z_range[1]:g} m.")
    if tolerance is not None and not 0.0 < tolerance < np.inf:
        raise InputError(f"The tolerance must be a positive length [m]. Given: {tolerance}.")
    facets = _chosen_body(path, read_bodies(path, unit), body)
    if side is None and not facets.closed:
        message = "The surface is an open shell, which does not tell on which side its material is."
        raise refusal(
            path,
            message,
            hint="Say which side touches: `side` is outside or inside; or export a closed solid.",
        )
    side = side or "outside"
    allowed = tolerance if tolerance is not None else DEFAULT_TOLERANCE * facets.size
    frame = find_axis(facets) if axis is None else frame_on_axis(*(np.array(v, float) for v in axis))
    pieces = meridian_pieces(facets, frame, allowed)
    chains = join_pieces(pieces, JOINT * facets.size)
    part = _requested_part(path, facets, frame, pieces, chains, side, z_range)
    used = sorted({link.piece for link in part.links})
    on_surface = np.zeros(len(facets.triangles), bool)
    on_surface[np.concatenate([pieces[k].triangles for k in used])] = True
    profile = Profile(segments=tuple(link.segment for link in part.links))
    check_profile(profile, str(path))
    return CadSurface(
        source=path.name,
        side=side,
        profile=profile,
        frame=frame,
        mass_properties=None if density is None else _mass(path, facets, frame, pieces, chains, density),
        exact=all(pieces[k].firmness != 1 for k in used),
        deviation=max(pieces[k].deviation for k in used),
        tolerance=allowed,
        warnings=_warnings(path, facets, unit),
        vertices_F=facets.vertices,
        triangles=facets.triangles,
        on_surface=on_surface,
    )


def _chosen_body(path: Path, bodies: list[Facets], body: str | int | None) -> Facets:
    names = ", ".join(f"{k + 1} ({b.name})" for k, b in enumerate(bodies))
    if body is None:
        if len(bodies) == 1:
            return bodies[0]
        hint = "Pick one by name or number (`part` of a surface in a scenario, `body` in Python), or export it alone."
        raise refusal(path, f"The file holds {len(bodies)} bodies: {names}.", hint=hint)
    for k, candidate in enumerate(bodies):
        if body in (k + 1, candidate.name):
            return candidate
    raise refusal(path, f"There is no such body; the file holds {names}.", given=str(body))


def _requested_part(
    path: Path,
    facets: Facets,
    frame: AxisFrame,
    pieces: Sequence[Piece],
    chains: Sequence[Chain],
    side: Side,
    z_range: tuple[float, float] | None,
) -> Chain:
    """Return the one part of the chains that was asked for, or refuse with the measured departure."""
    near = JOINT * facets.size
    if facets.closed:
        parts = [part for chain in chains for part in parts_on_side(chain, side, near)]
    else:  # an open shell has no inside of its own: the caller says where the material is
        parts = [_shell_on_side(chain, side) for chain in chains]
    if z_range is not None:
        parts = [cut for part in parts for cut in clip(part, *z_range, near)]
    if not parts and chains and side == "inside" and all(_is_complete(chain, near) for chain in chains):
        raise refusal(path, "The body has no cavity that faces the axis: it has no inside.")
    if facets.closed:  # a bare face of a body is neither its outside nor a cavity
        parts = [part for part in parts if any(pieces[link.piece].firmness for link in part.links)]
    whole = [part for part in parts if _is_whole(part, facets, pieces, side, near)]
    sound = [part for part in whole if _hole(part, facets, frame, pieces, near) == 0.0]
    if len(sound) == 1:
        return sound[0]
    if len(sound) > 1:
        places = "; ".join(f"z from {_z_span(p)[0] * 1e3:.4g} to {_z_span(p)[1] * 1e3:.4g} mm" for p in sound)
        raise refusal(
            path, f"The {side} consists of {len(sound)} surfaces: {places}.", hint="Pick one with z_range."
        )
    raise _not_of_revolution(path, facets, frame, pieces, parts, side, z_range)


def _shell_on_side(chain: Chain, side: Side) -> Chain:
    """Travel an open shell towards +z for an outside and towards -z for an inside."""
    segments = [link.segment for link in chain.links]
    rise = sum((s.end[0] - s.start[0]) * (s.end[1] + s.start[1]) for s in segments)
    return chain if (rise >= 0.0) == (side == "outside") else chain.reversed()


def _is_complete(chain: Chain, near: float) -> bool:
    """Tell whether a chain bounds a body: it begins and ends on the axis or returns to its beginning."""
    return max(chain.start[1], chain.end[1]) <= near or chain.is_closed(near)


def _is_whole(part: Chain, facets: Facets, pieces: Sequence[Piece], side: Side, near: float) -> bool:
    """Tell whether a part ends where a surface may: on the axis, at a cut, at a rim, or with its shell."""
    if not facets.closed:
        return True

    def may_end(place: Point, cut: bool, piece: int) -> bool:
        return place[1] <= near or cut or (side == "inside" and pieces[piece].firmness == 0)

    return may_end(part.start, part.cut_start, part.links[0].piece) and may_end(
        part.end, part.cut_end, part.links[-1].piece
    )


def _hole(part: Chain, facets: Facets, frame: AxisFrame, pieces: Sequence[Piece], near: float) -> float:
    """Return the width [m] of the largest hole or attachment in a part; 0 where there is none."""
    z, r, _ = frame.cylindrical(facets.vertices)
    widest = 0.0
    for k in {link.piece for link in part.links}:
        piece = pieces[k]
        if piece.firmness == 0:
            continue  # a plane ends where its ring ends
        z_low, z_high = _z_span(part)
        edges = boundary_edges(facets.triangles[piece.triangles])
        ends = [piece.segments[0].start, piece.segments[-1].end]
        away = np.ones(len(edges), bool)
        for end in ends:
            for column in (0, 1):
                vertex = edges[:, column]
                away &= np.hypot(z[vertex] - end[0], r[vertex] - end[1]) > 10 * near
        z_edge = z[edges].mean(axis=1)
        away &= (z_edge > z_low - near) & (z_edge < z_high + near)
        if away.any():
            rim = facets.vertices[np.unique(edges[away])]
            widest = max(widest, float(np.ptp(rim, axis=0).max()))
    return widest


def _z_span(part: Chain) -> tuple[float, float]:
    z = [link.segment.point(f)[0] for link in part.links for f in (0.0, 0.25, 0.5, 0.75, 1.0)]
    return min(z), max(z)


def _not_of_revolution(
    path: Path,
    facets: Facets,
    frame: AxisFrame,
    pieces: Sequence[Piece],
    parts: Sequence[Chain],
    side: Side,
    z_range: tuple[float, float] | None,
) -> InputError:
    hole = max((_hole(part, facets, frame, pieces, JOINT * facets.size) for part in parts), default=0.0)
    if side == "outside":
        hole = max([hole, *(piece.interruption for piece in pieces)])
    departure, z = departure_from_revolution(facets, frame, outside=side == "outside", z_range=z_range)
    if hole > 0.0 and hole > departure:
        message = f"The {side} is broken by a hole or an attachment {hole * 1e3:.4g} mm wide"
    else:
        subject = (
            f"The {side}"
            if parts or side == "outside"
            else "No cavity of revolution faces the axis; the inside"
        )
        message = f"{subject} departs by {departure * 1e3:.4g} mm from a surface of revolution"
        message += f" at z = {z * 1e3:.4g} mm"
    hint = "If a part of it is, choose that with z_range, or give the axis."
    if side == "outside":
        hint = 'If a part of it is, choose that with side "inside" or z_range, or give the axis.'
    return refusal(path, f"{message}.", hint=hint)


def _mass(
    path: Path,
    facets: Facets,
    frame: AxisFrame,
    pieces: Sequence[Piece],
    chains: Sequence[Chain],
    density: float,
) -> MassProperties:
    """Return mass properties in S: from the exact meridian where all of it is known, else from the facets."""
    if not facets.closed:
        raise refusal(path, "Mass properties need a closed solid; the file holds an open shell.")
    near = JOINT * facets.size
    known = sum(len(piece.triangles) for piece in pieces) == len(facets.triangles)
    if known and len(chains) == 1 and _is_complete(chains[0], near):
        return profile_mass_properties(Profile(segments=tuple(k.segment for k in chains[0].links)), density)
    return mesh_mass_properties(frame.to_profile_frame(facets.vertices), facets.triangles, density)


def _warnings(path: Path, facets: Facets, unit: str | None) -> tuple[str, ...]:
    low, high = PLAUSIBLE_SIZE
    if low <= facets.size <= high:
        return ()
    if path.suffix.lower() in STEP_ENDINGS:
        advice = "Check the unit with which it was exported."
    elif unit is None:
        advice = "The file has no unit and metres were assumed; give `unit`."
    else:
        advice = f"Check the unit, given as {unit}."
    return (
        f"{path.name} is {facets.size:.4g} m large, which is implausible for a docking mechanism. {advice}",
    )
