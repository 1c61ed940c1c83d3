"""Faces of a CAD file that a user leaves out of a contact surface on purpose."""

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from softdock.geometry.axis import AxisFrame
from softdock.geometry.cad_files import cad_error
from softdock.geometry.face_selection import FaceSelection
from softdock.geometry.facets import Facets

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
    selected = np.asarray(inside[facets.triangles].all(axis=1))
    if selection.z is not None:  # a face in the plane of a limit belongs to the surface that ends there
        middle = z[facets.triangles].mean(axis=1)
        selected &= (middle > selection.z[0] + near) & (middle < selection.z[1] - near)
    return selected
