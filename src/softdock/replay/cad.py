"""Cached meshes of CAD files for drawing; reading a STEP file takes up to a second."""

import functools
import io
import zipfile
from pathlib import Path

import numpy as np

from softdock.files.cache import Cache, content_key
from softdock.geometry.cad_files import read_cad_file
from softdock.replay.scene import Mesh
from softdock.replay.solids import MAX_TRIANGLES, shade_smoothly

CACHE = Cache("facets", ".npz")
Arrays = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Points [m], normals and indices of a mesh."""


def cad_mesh(path: Path, unit: str | None) -> Mesh | None:
    """Return the bodies of a CAD file in the frame of the file [m]; None where a mesh has too many triangles.

    Raises InputError where the file cannot be read.
    """
    return _read(path, unit, content_key(read_cad_file(path), repr((unit, path.suffix.lower()))))


@functools.lru_cache(maxsize=32)
def _read(path: Path, unit: str | None, digest: str) -> Mesh | None:
    key = content_key(digest, _source_digest())
    arrays = CACHE.read(key, _decode)
    if arrays is None:
        from softdock.geometry.facets import read_bodies  # imports SciPy

        bodies = read_bodies(path, unit, most_triangles=MAX_TRIANGLES)
        offsets = np.cumsum([0, *(len(body.vertices) for body in bodies)])
        points = np.concatenate([body.vertices for body in bodies])
        triangles = np.concatenate([body.triangles + n for body, n in zip(bodies, offsets)])
        if len(triangles) <= MAX_TRIANGLES:
            mesh = shade_smoothly(points, triangles)
            assert mesh.normals is not None
            arrays = (mesh.points, mesh.normals, mesh.indices)
        else:
            arrays = (np.zeros((0, 3)), np.zeros((0, 3)), np.zeros((0, 3), np.int64))
        CACHE.write(key, _encode(arrays))
    points, normals, indices = arrays
    return Mesh(points=points, normals=normals, indices=indices) if len(indices) else None


@functools.cache
def _source_digest() -> str:
    from softdock.geometry import facets, library_readers

    readers = Path(facets.__file__), Path(library_readers.__file__)
    return content_key(*readers, Path(__file__), Path(__file__).with_name("solids.py"))


def _encode(arrays: Arrays) -> bytes:
    points, normals, indices = arrays
    buffer = io.BytesIO()
    np.savez_compressed(
        buffer,
        points=points.astype(np.float32),
        normals=normals.astype(np.float32),
        indices=indices.astype(np.uint32),
    )
    return buffer.getvalue()


def _decode(data: bytes) -> Arrays:
    try:
        with np.load(io.BytesIO(data)) as file:
            return file["points"].astype(float), file["normals"].astype(float), file["indices"].astype(int)
    except zipfile.BadZipFile as error:
        raise ValueError("The entry is damaged.") from error
