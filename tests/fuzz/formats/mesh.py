"""Meshes: STL (binary and text), OBJ, PLY and GLB."""

import struct
from functools import cache
from pathlib import Path
from random import Random

import numpy as np
from tests.fuzz.formats import Files, Format
from tests.fuzz.mutations import BINARY, TEXT, mutate

from softdock.geometry.cad import read_surface

SIDES, TEXT_FORMATS = 6, ("part.obj", "part-text.stl", "part-text.ply")


@cache
def _cone() -> tuple[np.ndarray, np.ndarray]:
    """Return vertices [m] and triangles of a closed cone, one of few facets so that it is read fast."""
    angle = np.arange(SIDES) * 2.0 * np.pi / SIDES
    ring = np.column_stack([0.1 * np.cos(angle), 0.1 * np.sin(angle), np.zeros(SIDES)])
    vertices = np.vstack([ring, [[0.0, 0.0, 0.0], [0.0, 0.0, 0.2]]])
    around = [(i, (i + 1) % SIDES) for i in range(SIDES)]
    triangles = [(j, i, SIDES) for i, j in around] + [(i, j, SIDES + 1) for i, j in around]
    return vertices.astype(np.float32), np.array(triangles)


@cache
def _valid() -> dict[str, bytes]:
    v, t = _cone()
    facets = v[t]
    corners = "".join(
        "facet normal 0 0 1\nouter loop\n"
        + "".join(f"vertex {a:g} {b:g} {c:g}\n" for a, b, c in facet)
        + "endloop\nendfacet\n"
        for facet in facets
    )
    stl = b"\0" * 80 + struct.pack("<I", len(t))
    stl += b"".join(struct.pack("<12fH", 0, 0, 1, *facet.ravel(), 0) for facet in facets)
    head = f"element vertex {len(v)}\nproperty float x\nproperty float y\nproperty float z\nelement face {len(t)}\n"
    head += "property list uchar int vertex_indices\nend_header\n"
    rows = "".join(f"{a:g} {b:g} {c:g}\n" for a, b, c in v) + "".join(f"3 {a} {b} {c}\n" for a, b, c in t)
    binary = v.tobytes() + b"".join(struct.pack("<B3i", 3, *row) for row in t)
    obj = "".join(f"v {a:g} {b:g} {c:g}\n" for a, b, c in v)
    return {
        "part.stl": stl,
        "part-text.stl": f"solid part\n{corners}endsolid part\n".encode(),
        "part.obj": (
            obj + "vt 0 0\nvn 0 0 1\no part\n" + "".join(f"f {a + 1} {b + 1}/1 {c + 1}//1\n" for a, b, c in t)
        ).encode(),
        "part.ply": f"ply\nformat binary_little_endian 1.0\n{head}".encode() + binary,
        "part-text.ply": f"ply\nformat ascii 1.0\n{head}{rows}".encode(),
        "part.glb": _glb(v, t),
    }


def _glb(v: np.ndarray, t: np.ndarray) -> bytes:
    import trimesh

    return bytes(trimesh.Trimesh(v, t, process=False).export(file_type="glb"))


def make(random: Random) -> Files:
    """Return a mutated mesh."""
    name = random.choice(list(_valid()))
    return {name: mutate(_valid()[name], random, TEXT if name in TEXT_FORMATS else BINARY)}


def read(files: Files, folder: Path) -> None:
    """Read the surface of revolution of a mesh."""
    (name,) = files
    read_surface(folder / name, side="outside", unit="m")


FORMAT = Format(make=make, read=read)
