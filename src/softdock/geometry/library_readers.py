"""Calls of the libraries that read CAD files; they run in a child process (`softdock.files.child_process`).

This module imports nothing else of the package, so that the child starts fast.
"""

import io
import json
import struct
import sys
from typing import Any

STEP = f"{__name__}:tessellate_step"
REFINED_STEP = f"{__name__}:tessellate_refined"
DRAWN_STEP = f"{__name__}:tessellate_for_drawing"
MESH = f"{__name__}:read_mesh"
EXACT_KINDS = ("plane", "cylinder", "cone", "sphere", "torus")
"""Faces of a STEP file that are read exactly; others are splines."""

# Facets of a STEP file are used for drawing, orientation and the search for holes; surfaces are read exactly.
LINEAR_DEFLECTION = 0.5  # in the file's unit; the angular deflection is the smaller one at this size
ANGULAR_DEFLECTION = 0.15  # [rad], 42 facets per turn
FINE_DEFLECTION = 0.05  # [rad], for splines, which are fitted or approximated
REFINED_DEFLECTION = FINE_DEFLECTION / 2  # [rad], to measure the error of the facets of splines

DRAWN_DEFLECTION = 0.02  # for drawing, of the length of each edge: parts of any size look alike
DRAWN_ANGLES = (0.15, 0.3, 0.6)  # [rad]


def tessellate_step(data: bytes) -> bytes:
    """Return a STEP file as GLB with exact faces; empty where it has no shape. A file with splines is meshed finer."""
    glb = b""
    for angular in (ANGULAR_DEFLECTION, FINE_DEFLECTION):
        glb = _tessellate(data, angular)
        if not glb or not _has_splines(glb_parts(glb)[0]):
            break
    return glb


def tessellate_refined(data: bytes) -> bytes:
    """Return a STEP file as GLB with exact faces and smaller facets; empty where it has no shape."""
    return _tessellate(data, REFINED_DEFLECTION)


def _tessellate(data: bytes, angular: float) -> bytes:
    _omit("trimesh")
    import cascadio

    return (
        cascadio.load(
            data, include_brep=True, tol_linear=LINEAR_DEFLECTION, tol_angular=angular, use_parallel=False
        )
        or b""
    )


def tessellate_for_drawing(data: bytes, most_triangles: str) -> bytes:
    """Return a STEP file as GLB with as fine facets as a number of triangles allows; empty where it has no shape."""
    _omit("trimesh")
    import cascadio

    glb = b""
    for angular in DRAWN_ANGLES:
        glb = cascadio.load(
            data,
            include_brep=True,
            tol_linear=DRAWN_DEFLECTION,
            tol_relative=True,
            tol_angular=angular,
            use_parallel=False,
        )
        if not glb or _triangle_count(glb_parts(glb)[0]) <= int(most_triangles):
            break
    return glb or b""


def _triangle_count(tree: dict[str, Any]) -> int:
    accessors = tree.get("accessors", ())
    return sum(
        accessors[primitive["indices"]]["count"] // 3
        for mesh in tree.get("meshes", ())
        for primitive in mesh["primitives"]
    )


def _omit(package: str) -> None:
    """Let imports of an optional dependency fail: files are read without it, and it takes long to import."""
    sys.modules[package] = None  # type: ignore[assignment]


def _has_splines(tree: dict[str, Any]) -> bool:
    return any(
        face is None or face.get("type") not in EXACT_KINDS
        for mesh in tree.get("meshes", ())
        for primitive in mesh["primitives"]
        for face in primitive["extensions"]["TM_brep_faces"]["faces"]
    )


def glb_parts(glb: bytes) -> tuple[dict[str, Any], bytes]:
    """Return the JSON document and the binary buffer of a GLB file."""
    length = struct.unpack_from("<I", glb, 12)[0]
    return json.loads(glb[20 : 20 + length]), glb[20 + length + 8 :]


def read_mesh(data: bytes, file_type: str) -> bytes:
    """Return `vertices` and `triangles` of a mesh as a NumPy archive."""
    _omit("scipy")
    import numpy as np
    import trimesh

    mesh = trimesh.load_mesh(io.BytesIO(data), file_type=file_type, process=False)
    buffer = io.BytesIO()
    np.savez(buffer, vertices=np.asarray(mesh.vertices, float), triangles=np.asarray(mesh.faces, np.int64))
    return buffer.getvalue()
