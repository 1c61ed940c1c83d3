"""Reading of solids from CAD files, with a cache of what was read."""

import io
import json
import warnings
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softdock.errors import InputError, InputWarning
from softdock.files.cache import Cache, content_key
from softdock.geometry.cad_files import STEP_ENDINGS, cad_error, read_cad_file, size_warnings
from softdock.geometry.facets import Facets, read_bodies, select_body
from softdock.geometry.solids.face_names import face_names
from softdock.geometry.solids.kernels.layout import FACE_KIND, FACETED, SolidArrays
from softdock.geometry.solids.solid import Solid, SolidFace, build_solid
from softdock.geometry.solids.soundness import solid_problems

Array = NDArray[np.float64]

CACHE = Cache("solids", ".npz")
SHARP_FACETS = 0.6
"""Angle between two facets [rad] from which their edge is one of the part, not of its approximation."""


@dataclass(frozen=True, kw_only=True)
class ReadSolid:
    """A solid of a CAD file."""

    solid: Solid
    """In the file's frame."""
    deviation: float
    """Largest distance [m] of the approximated faces from the true ones; 0 where all are exact."""
    warnings: tuple[str, ...]
    """Sentences about the file."""
    is_measured: bool
    """Whether the deviation is measured, against facets of half the size; that of a mesh is estimated from the angles
    between its facets."""


def read_solid(path: Path, *, part: str | int | None = None, unit: str | None = None) -> ReadSolid:
    """Return a solid of a STEP, STL, OBJ, PLY or GLB file; `part` is its name or number, `unit` that of a mesh.

    The result is cached by a digest of the file, the options and the sources of this package.
    """
    data = read_cad_file(path)
    sources = sorted(Path(__file__).parents[1].rglob("*.py"))
    key = content_key(json.dumps([path.suffix.lower(), path.stem, part, unit]), *sources, data)
    found = CACHE.read(key, _decode)
    if found is None:
        found = _read(path, data, part, unit)
        CACHE.write(key, _encode(found))
    for sentence in found.warnings:
        warnings.warn(sentence, InputWarning, stacklevel=2)
    return found


def _read(path: Path, data: bytes, part: str | int | None, unit: str | None) -> ReadSolid:
    """Return a solid of a file. Raises InputError where it cannot be used."""
    bodies = read_bodies(path, unit)
    body = select_body(path, bodies, part)
    found = solid_of_body(path, body, bodies)
    problems = solid_problems(found.solid, found.deviation)
    if problems:
        hint = "`softdock inspect` draws the faces with their numbers."
        raise InputError(*(cad_error(path, text, hint=hint).problems[0] for text in problems))
    names = face_names(data, body.faces) if path.suffix.lower() in STEP_ENDINGS else None
    if names is not None:
        faces = tuple(replace(face, name=names[face.number - 1]) for face in found.solid.faces)
        found = replace(found, solid=replace(found.solid, faces=faces))
    return replace(found, warnings=size_warnings(path, body.size, unit))


def solid_of_body(path: Path, body: Facets, bodies: list[Facets]) -> ReadSolid:
    """Return the solid of one of the bodies of a file. Raises InputError for an open shell."""
    if not body.closed:
        hint = "Export a closed solid; `softdock inspect` names the faces at the openings."
        raise cad_error(path, f"{body.name or 'The body'} is an open shell: it has no inside.", hint=hint)
    solid = build_solid(body)
    is_step = path.suffix.lower() in STEP_ENDINGS
    deviation = 0.0
    if not all(face.is_exact for face in solid.faces):
        deviation = (
            _measured_deviation(path, solid, bodies.index(body)) if is_step else _estimated_deviation(solid)
        )
    return ReadSolid(solid=solid, deviation=deviation, is_measured=is_step, warnings=())


def _measured_deviation(path: Path, solid: Solid, index: int) -> float:
    """Return the largest distance [m] of the vertices of a finer mesh from the faceted faces of a solid."""
    finer = read_bodies(path, refined=True)[index]
    numbers = [face.number - 1 for face in solid.faces if not face.is_exact]
    on_splines = np.isin(finer.face_of, numbers)
    inner = np.setdiff1d(finer.triangles[on_splines], finer.triangles[~on_splines])
    return float(np.abs(solid.depths(finer.vertices[inner])[:, 0]).max(initial=0.0))


def _estimated_deviation(solid: Solid) -> float:
    """Return the sagitta [m] of facets on the arcs that their angles suggest; sharp edges do not count."""
    arrays = solid.arrays
    corners = arrays.triangles[:, :9].reshape(-1, 3, 3)
    normals, neighbours = arrays.triangles[:, 9:12], arrays.links[:, 7:10]
    worst = 0.0
    for k in range(3):
        other = neighbours[:, k]
        cosine = np.einsum("ij,ij->i", normals, normals[other]).clip(-1.0, 1.0)
        angle = np.where(np.arccos(cosine) < SHARP_FACETS, np.arccos(cosine), 0.0)
        length = np.linalg.norm(corners[:, (k + 1) % 3] - corners[:, k], axis=1)
        area = (
            np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1) / 2
        )
        width = (area + area[other]) / np.where(length > 0.0, length, np.inf)
        worst = max(worst, float((width * angle).max() / 8))
    return worst


def _encode(found: ReadSolid) -> bytes:
    solid = found.solid
    document = {
        "name": solid.name,
        "faces": [asdict(face) for face in solid.faces],
        "moved": solid.moved,
        "residual": solid.residual,
        "deviation": found.deviation,
        "is_measured": found.is_measured,
        "warnings": found.warnings,
    }
    buffer = io.BytesIO()
    text = np.frombuffer(json.dumps(document).encode(), np.uint8)
    np.savez(buffer, document=text, **solid.arrays._asdict())
    return buffer.getvalue()


def _decode(data: bytes) -> ReadSolid:
    with np.load(io.BytesIO(data), allow_pickle=False) as content:
        document: Mapping[str, Any] = json.loads(content["document"].tobytes())
        arrays = SolidArrays(*(np.ascontiguousarray(content[name]) for name in SolidArrays._fields))
    if (arrays.faces[:, FACE_KIND] == FACETED).sum() != sum(
        f["kind"] in ("spline", "facets") for f in document["faces"]
    ):
        raise ValueError("the entry is damaged")
    solid = Solid(
        name=document["name"],
        arrays=arrays,
        faces=tuple(SolidFace(**face) for face in document["faces"]),
        moved=document["moved"],
        residual=document["residual"],
    )
    return ReadSolid(
        solid=solid,
        deviation=document["deviation"],
        is_measured=document["is_measured"],
        warnings=tuple(document["warnings"]),
    )
