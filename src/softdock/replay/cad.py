"""Meshes of CAD files for drawing, cached because reading a STEP file takes most of a second."""

import contextlib
import functools
import hashlib
import tempfile
from pathlib import Path

import numpy as np

from softdock.caches import cache_bases
from softdock.replay.scene import Mesh
from softdock.replay.solids import shade_smoothly

MAX_TRIANGLES = 60_000
"""Files with more triangles are drawn by their meridian, to limit the size of the page."""


def cad_mesh(path: Path, unit: str | None) -> Mesh | None:
    """Return the bodies of a CAD file in the file's frame [m]; None if they have more than MAX_TRIANGLES triangles.

    Raises `InputError` for unreadable files.
    """
    data = path.read_bytes()
    return _read(path, unit, hashlib.sha256(data + repr((unit, path.suffix.lower())).encode()).hexdigest())


@functools.lru_cache(maxsize=32)
def _read(path: Path, unit: str | None, digest: str) -> Mesh | None:
    key = f"{digest[:32]}-{_source_digest()}"
    arrays = _load_cached(key)
    if arrays is None:
        from softdock.geometry.facets import read_bodies  # imports SciPy and cascadio

        bodies = read_bodies(path, unit)
        counts = np.cumsum([0, *(len(body.vertices) for body in bodies)])
        points = np.concatenate([body.vertices for body in bodies])
        triangles = np.concatenate([body.triangles + n for body, n in zip(bodies, counts)])
        if len(triangles) <= MAX_TRIANGLES:
            mesh = shade_smoothly(points, triangles)
            assert mesh.normals is not None
            arrays = (mesh.points, mesh.normals, mesh.indices)
        else:
            arrays = (np.zeros((0, 3)), np.zeros((0, 3)), np.zeros((0, 3), np.int64))
        _store_cached(key, arrays)
    points, normals, indices = arrays
    return Mesh(points=points, normals=normals, indices=indices) if len(indices) else None


@functools.cache
def _source_digest() -> str:
    from softdock.geometry import facets

    digest = hashlib.sha256()
    for source in (Path(facets.__file__), Path(__file__), Path(__file__).with_name("solids.py")):
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def _load_cached(key: str) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    for base in cache_bases():
        with (
            contextlib.suppress(OSError, ValueError, KeyError, EOFError),
            np.load(base / "facets" / f"{key}.npz") as file,
        ):
            return file["points"].astype(float), file["normals"].astype(float), file["indices"].astype(int)
    return None


def _store_cached(key: str, arrays: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    for base in cache_bases():
        with contextlib.suppress(OSError):
            folder = base / "facets"
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
                points, normals, indices = arrays
                np.savez_compressed(
                    file,
                    points=points.astype(np.float32),
                    normals=normals.astype(np.float32),
                    indices=indices.astype(np.uint32),
                )
            Path(file.name).replace(folder / f"{key}.npz")
            return
