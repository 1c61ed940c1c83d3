"""Holes and attachments that break the pieces of a meridian, and the faces that adjoin them."""

from collections.abc import Sequence

import numpy as np

from softdock.geometry.axis import AxisFrame
from softdock.geometry.chain import JOINT_TOLERANCE, SegmentChain, Side
from softdock.geometry.facets import Facets, triangle_components
from softdock.geometry.fitting import distance_to_segments
from softdock.geometry.pieces import EndAccuracy, Piece, boundary_edges
from softdock.geometry.unread_faces import Departure, name_faces, sample_facets


def hole_width(
    part: SegmentChain, facets: Facets, frame: AxisFrame, pieces: Sequence[Piece], near: float
) -> float:
    """Return the width [m] of the largest hole or attachment in a part; 0 where there is none."""
    used = {link.piece for link in part.links}
    z_range = z_span(part)
    return max(hole_in_piece(pieces[k], facets, frame, near, z_range) for k in used)


def hole_in_piece(
    piece: Piece,
    facets: Facets,
    frame: AxisFrame,
    near: float,
    z_range: tuple[float, float] = (-np.inf, np.inf),
) -> float:
    """Return the width [m] of the largest hole or attachment in a piece between two values of z [m]; 0 without any."""
    if piece.accuracy == EndAccuracy.PLANE:
        return 0.0  # the ring of a plane excludes holes
    z, r, _ = frame.cylindrical(facets.vertices)
    edges = boundary_edges(facets.triangles[piece.triangles], facets.cut_edges)
    away = np.ones(len(edges), bool)
    for end in (piece.segments[0].start, piece.segments[-1].end):
        for column in (0, 1):
            vertex = edges[:, column]
            away &= np.hypot(z[vertex] - end[0], r[vertex] - end[1]) > 10 * near
    z_edge = z[edges].mean(axis=1)
    away &= (z_edge > z_range[0] - near) & (z_edge < z_range[1] + near)
    rim = edges[away]
    loop_of = triangle_components(rim, len(facets.vertices))
    rims = [facets.vertices[rim[loop_of == k].ravel()] for k in np.unique(loop_of)]
    return max((float(np.ptp(rim, axis=0).max()) for rim in rims), default=0.0)


def z_span(part: SegmentChain) -> tuple[float, float]:
    """Return the smallest and largest z of a part [m]."""
    z = [link.segment.point(f)[0] for link in part.links for f in (0.0, 0.25, 0.5, 0.75, 1.0)]
    return min(z), max(z)


def interrupting_faces(
    facets: Facets, frame: AxisFrame, pieces: Sequence[Piece], parts: Sequence[SegmentChain], side: Side
) -> list[Departure]:
    """Return the faces that adjoin holes and attachments of an outside, or of parts of an inside."""
    near = JOINT_TOLERANCE * facets.size
    inside = [pieces[k] for k in {link.piece for part in parts for link in part.links}]
    used = pieces if side == "outside" else inside
    read = np.zeros(len(facets.triangles), bool)
    read[[k for piece in used for k in piece.triangles]] = True
    rim = [
        boundary_edges(facets.triangles[piece.triangles], facets.cut_edges).ravel()
        for piece in used
        if (side == "outside" and piece.interruption > 0.0) or hole_in_piece(piece, facets, frame, near) > 0.0
    ]
    if not rim:
        return []
    adjoining = ~read & np.isin(facets.triangles, np.concatenate(rim)).any(axis=1)
    adjoining |= ~read & (facets.face_of >= 0) & np.isin(facets.face_of, facets.face_of[adjoining])
    samples = sample_facets(facets, frame, np.flatnonzero(adjoining))
    distance = distance_to_segments([s for piece in used for s in piece.segments], samples.places)
    return name_faces(facets, frame, samples, distance, near)
