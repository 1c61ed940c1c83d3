"""Reading of contact surfaces of revolution from CAD files."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from softdock.errors import InputError
from softdock.geometry.axis import AxisFrame, find_axis, frame_on_axis
from softdock.geometry.cad_files import cad_error, size_warnings
from softdock.geometry.chain import JOINT_TOLERANCE, SegmentChain, Side, clip, join_pieces, parts_on_side
from softdock.geometry.face_selection import FaceSelection
from softdock.geometry.facets import Facets, read_bodies, select_body
from softdock.geometry.holes import hole_in_piece, hole_width, interrupting_faces, z_span
from softdock.geometry.left_out_faces import ReadBody, left_out_sentences, listed, without_faces
from softdock.geometry.mass_properties import MassProperties, mesh_mass_properties, profile_mass_properties
from softdock.geometry.meridian_pieces import meridian_pieces
from softdock.geometry.pieces import EndAccuracy, Piece
from softdock.geometry.profile import Point, Profile, check_profile
from softdock.geometry.section import departure_from_revolution
from softdock.geometry.solid_closure import close_in_solid

Array = NDArray[np.float64]

DEFAULT_TOLERANCE = 1e-5
"""Allowed departure from a surface of revolution, relative to the body's size."""


@dataclass(frozen=True, kw_only=True)
class CadSurface:
    """A surface of revolution read from a CAD file."""

    source: str
    """The file's name."""
    side: Side
    profile: Profile
    """The meridian in the profile's frame S, whose z axis is the axis of revolution."""
    frame: AxisFrame
    """X_FS: pose of S in the file's frame F."""
    mass_properties: MassProperties | None
    """Mass properties of the whole body in S; None without a density."""
    exact: bool
    """Whether every segment comes from an exact face of the file; otherwise some are fitted to facets."""
    deviation: float
    """Largest distance [m] of the file's facets, at their vertices, from the profile."""
    tolerance: float
    """Allowed deviation [m]."""
    warnings: tuple[str, ...]
    closure_known: bool
    """Whether the file determines what closes the profile behind it; otherwise it is a back face in the material."""
    left_out: tuple[str, ...]
    """Sentences about faces that are left out on purpose, by `ignore` or `z_range`."""
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
    ignore: Sequence[int | FaceSelection] = (),
) -> CadSurface:
    """Return the meridian of a body of revolution in a STEP, STL, OBJ, PLY or GLB file.

    `side`: "outside" (default for solids) for the surface that faces away from the axis, "inside" for the cavity that
    faces it; required for an open shell. With "inside" only the cavity needs to be of revolution. `axis`: point [m] and
    direction in the file's frame; found automatically by default. `unit`: unit of a mesh (m, cm, mm, um, in, ft; m by
    default); STEP files contain theirs. `density` [kg/m^3]: for mass properties; needs a closed body. `z_range` [m]:
    selects a part along the axis. `tolerance` [m]: allowed departure from a surface of revolution, 1e-5 of the size by
    default. `body`: name or number (from 1) of one of several bodies. `ignore`: faces that are left out on purpose, by
    number (from 1, in the order of a STEP file) or by a range of z and angle.
    """
    path = Path(path)
    _check_options(side, z_range, tolerance)
    facets = select_body(path, read_bodies(path, unit), body)
    frame = None if axis is None else frame_on_axis(*(np.array(v, float) for v in axis))
    return surface_of_body(path, facets, frame, side, unit, density, z_range, tolerance, ignore)


def _check_options(side: Side | None, z_range: tuple[float, float] | None, tolerance: float | None) -> None:
    if side not in ("outside", "inside", None):
        raise InputError(f'The side must be "outside" or "inside". Given: {side}.')
    if z_range is not None and not z_range[0] < z_range[1]:
        raise InputError(f"The range of z must rise. Given: {z_range[0]:g} to {z_range[1]:g} m.")
    if tolerance is not None and not 0.0 < tolerance < np.inf:
        raise InputError(f"The tolerance must be a positive length [m]. Given: {tolerance}.")


def surface_of_body(
    path: Path,
    facets: Facets,
    frame: AxisFrame | None = None,
    side: Side | None = None,
    unit: str | None = None,
    density: float | None = None,
    z_range: tuple[float, float] | None = None,
    tolerance: float | None = None,
    ignore: Sequence[int | FaceSelection] = (),
) -> CadSurface:
    """Return the meridian of a body that has been read; the options are those of `read_surface`."""
    try:
        with np.errstate(all="ignore"):  # values that are not finite are found by `check_profile`
            return _find_surface(path, facets, frame, side, unit, density, z_range, tolerance, ignore)
    except (ValueError, LookupError, ArithmeticError) as error:
        message = "The surfaces of the file have no usable shape."
        raise cad_error(path, message, hint="The file is probably damaged; export it again.") from error


def _find_surface(
    path: Path,
    facets: Facets,
    frame: AxisFrame | None,
    side: Side | None,
    unit: str | None,
    density: float | None,
    z_range: tuple[float, float] | None,
    tolerance: float | None,
    ignore: Sequence[int | FaceSelection],
) -> CadSurface:
    if side is None and not facets.closed:
        message = "The surface is an open shell, so the side of its material is unknown."
        raise cad_error(
            path,
            message,
            hint="Set `side` to outside or inside, or export a closed solid.",
        )
    side = side or "outside"
    allowed = tolerance if tolerance is not None else DEFAULT_TOLERANCE * facets.size
    frame = frame or find_axis(facets)
    kept, ignored = without_faces(path, facets, frame, ignore)
    pieces = meridian_pieces(kept, frame, allowed)
    near = JOINT_TOLERANCE * facets.size
    chains = join_pieces(pieces, near)
    part = _requested_part(path, kept, frame, pieces, chains, side, z_range)
    broken = {k for k in range(len(pieces)) if hole_in_piece(pieces[k], kept, frame, near) > 0.0}
    profile, closure_known = _close(path, part, kept, frame, pieces, broken, allowed)
    check_profile(profile, str(path))
    body = ReadBody(facets=facets, kept=kept, ignored=ignored, frame=frame, pieces=pieces, tolerance=allowed)
    used = sorted({link.piece for link in part.links})
    on_surface = np.zeros(len(facets.triangles), bool)
    on_surface[np.flatnonzero(~ignored)[np.concatenate([pieces[k].triangles for k in used])]] = True
    return CadSurface(
        source=path.name,
        side=side,
        profile=profile,
        frame=frame,
        mass_properties=None if density is None else _mass(path, kept, frame, pieces, chains, density),
        exact=all(pieces[k].accuracy != EndAccuracy.FITTED for k in used),
        deviation=max(pieces[k].deviation for k in used),
        tolerance=allowed,
        warnings=size_warnings(path, facets.size, unit),
        closure_known=closure_known,
        left_out=left_out_sentences(path, body, part, profile, z_range, side),
        vertices_F=facets.vertices,
        triangles=facets.triangles,
        on_surface=on_surface,
    )


def _requested_part(
    path: Path,
    facets: Facets,
    frame: AxisFrame,
    pieces: Sequence[Piece],
    chains: Sequence[SegmentChain],
    side: Side,
    z_range: tuple[float, float] | None,
) -> SegmentChain:
    """Return the requested part of the chains; raise `InputError` with the measured departure if there is none."""
    near = JOINT_TOLERANCE * facets.size
    if facets.closed:
        parts = [part for chain in chains for part in parts_on_side(chain, side, near)]
    else:  # the side of an open shell's material is given by the caller
        parts = [_shell_on_side(chain, side) for chain in chains]
    if z_range is not None:
        parts = [cut for part in parts for cut in clip(part, *z_range, near)]
    if not parts and chains and side == "inside" and all(_is_complete(chain, near) for chain in chains):
        raise cad_error(path, "The body has no cavity that faces the axis: it has no inside.")
    if facets.closed:  # plane faces alone are neither an outside nor a cavity
        parts = [
            part
            for part in parts
            if any(pieces[link.piece].accuracy != EndAccuracy.PLANE for link in part.links)
        ]
    whole = [part for part in parts if _is_whole(part, facets, pieces, side, near)]
    sound = [part for part in whole if hole_width(part, facets, frame, pieces, near) == 0.0]
    if len(sound) == 1:
        return sound[0]
    if len(sound) > 1:
        places = "; ".join(f"z from {z_span(p)[0] * 1e3:.4g} to {z_span(p)[1] * 1e3:.4g} mm" for p in sound)
        raise cad_error(
            path, f"The {side} consists of {len(sound)} surfaces: {places}.", hint="Select one with z_range."
        )
    raise _not_of_revolution(path, facets, frame, pieces, parts, side, z_range)


def _close(
    path: Path,
    part: SegmentChain,
    facets: Facets,
    frame: AxisFrame,
    pieces: Sequence[Piece],
    broken: set[int],
    tolerance: float,
) -> tuple[Profile, bool]:
    """Return the closed profile of a part and whether the file determines its closure."""
    try:
        return close_in_solid(part, facets, frame, pieces, broken, tolerance)
    except InputError as error:
        hint = "Leave out the faces that cut into it with `ignore`, or select a part with z_range."
        raise cad_error(path, error.problems[0].message, hint=hint) from error


def _shell_on_side(chain: SegmentChain, side: Side) -> SegmentChain:
    """Return an open shell in the direction of +z for an outside and of -z for an inside."""
    segments = [link.segment for link in chain.links]
    rise = sum((s.end[0] - s.start[0]) * (s.end[1] + s.start[1]) for s in segments)
    return chain if (rise >= 0.0) == (side == "outside") else chain.reversed()


def _is_complete(chain: SegmentChain, near: float) -> bool:
    """Return whether a chain bounds a body: it starts and ends on the axis, or is closed."""
    return max(chain.start[1], chain.end[1]) <= near or chain.is_closed(near)


def _is_whole(part: SegmentChain, facets: Facets, pieces: Sequence[Piece], side: Side, near: float) -> bool:
    """Return whether a part ends where a surface may end: on the axis, at a cut, at a rim, or as an open shell."""
    if not facets.closed:
        return True

    def may_end(place: Point, cut: bool, piece: int) -> bool:
        return place[1] <= near or cut or (side == "inside" and pieces[piece].accuracy == EndAccuracy.PLANE)

    return may_end(part.start, part.cut_start, part.links[0].piece) and may_end(
        part.end, part.cut_end, part.links[-1].piece
    )


def _not_of_revolution(
    path: Path,
    facets: Facets,
    frame: AxisFrame,
    pieces: Sequence[Piece],
    parts: Sequence[SegmentChain],
    side: Side,
    z_range: tuple[float, float] | None,
) -> InputError:
    hole = max(
        (hole_width(part, facets, frame, pieces, JOINT_TOLERANCE * facets.size) for part in parts),
        default=0.0,
    )
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
    if faces := interrupting_faces(facets, frame, pieces, parts, side):
        message += f". It is interrupted by {listed(faces)}"
    hint = "If a part of it is a surface of revolution, select it with z_range, or give the axis."
    if side == "outside":
        hint = 'If a part of it is a surface of revolution, select it with side "inside" or z_range, or give the axis.'
    return cad_error(path, f"{message}.", hint=hint)


def _mass(
    path: Path,
    facets: Facets,
    frame: AxisFrame,
    pieces: Sequence[Piece],
    chains: Sequence[SegmentChain],
    density: float,
) -> MassProperties:
    """Return mass properties in S, from the exact meridian if it is completely known, else from the facets."""
    if not facets.closed:
        raise cad_error(path, "Mass properties need a closed solid; the file holds an open shell.")
    near = JOINT_TOLERANCE * facets.size
    known = sum(len(piece.triangles) for piece in pieces) == len(facets.triangles)
    if known and len(chains) == 1 and _is_complete(chains[0], near):
        return profile_mass_properties(Profile(segments=tuple(k.segment for k in chains[0].links)), density)
    return mesh_mass_properties(frame.to_profile_frame(facets.vertices), facets.triangles, density)
