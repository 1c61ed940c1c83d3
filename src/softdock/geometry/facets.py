"""Reading of CAD files as facets: STEP files with the exact surface of each facet, and meshes."""

import io
import struct
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from softdock.files.child_process import read_in_child
from softdock.geometry.cad_files import STEP_ENDINGS, cad_error, read_cad_file
from softdock.geometry.library_readers import DRAWN_STEP, EXACT_KINDS, MESH, REFINED_STEP, STEP, glb_parts
from softdock.geometry.mass_properties import is_closed

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
Kind = Literal["plane", "cylinder", "cone", "sphere", "torus"]

UNITS = {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "um": 1e-6, "in": 0.0254, "ft": 0.3048}
LARGEST_COORDINATE = 1e5
"""Largest distance from the origin [m]; squares and products of coordinates stay far below the largest number."""
UNNAMED = "=>["
"""Begin of the names that OpenCASCADE gives to places of parts without a name."""
MOST_SURFACES = 1000
"""Connected surfaces of a file; the search for voids compares them in pairs."""


@dataclass(frozen=True, kw_only=True)
class ExactFace:
    """Exact surface of a face of a STEP file, in the file's frame F, SI."""

    kind: Kind
    point: Array
    """Plane, cylinder: any point; cone: where the axis meets the reference circle; sphere, torus: centre."""
    axis: Array | None
    """Unit vector: the plane's normal or the axis of revolution; None for a sphere."""
    radius: float = 0.0
    """Cylinder, sphere; of the reference circle of a cone; from a torus's axis to its tube's centre [m]."""
    second: float = 0.0
    """Cone: half angle [rad]; torus: radius of the tube [m]."""
    bounds: tuple[float, float] = (0.0, 0.0)
    """Along the meridian: height or slant from `point` [m], latitude, or angle in the tube [rad]."""


@dataclass(frozen=True, kw_only=True)
class Facets:
    """Triangles of one body in the file's frame F, wound counterclockwise seen from outside."""

    name: str
    vertices: Array
    """Shape (n, 3) [m]."""
    triangles: Indices
    """Shape (m, 3), indices of vertices."""
    faces: tuple[ExactFace | None, ...]
    """Exact surfaces; None for splines."""
    face_of: Indices
    """Shape (m,): index into `faces`; -1 in files without faces."""
    closed: bool
    """Whether the triangles enclose a solid."""
    cut_edges: Indices = field(default_factory=lambda: np.zeros((0, 2), np.int64))
    """Edges, shape (n, 2), of triangles that were left out on purpose: their neighbours have no hole there."""

    @property
    def size(self) -> float:
        """Largest side of the bounding box [m]."""
        return float(np.ptp(self.vertices, axis=0).max())

    def normals(self) -> tuple[Array, Array]:
        """Return outward unit normals (m, 3) and areas (m,) [m^2]; degenerate facets have normal zero."""
        a, b, c = (self.vertices[self.triangles[:, k]] for k in range(3))
        cross = np.cross(b - a, c - a)
        double = np.linalg.norm(cross, axis=1)
        return cross / np.where(double > 0.0, double, 1.0)[:, None], double / 2


def read_bodies(
    path: Path, unit: str | None = None, most_triangles: int | None = None, *, refined: bool = False
) -> list[Facets]:
    """Return the bodies of a CAD file in file order; `unit` is the unit of a mesh.

    `most_triangles`: for drawing, STEP files are divided into facets no finer than that, if possible. `refined`: facets
    of STEP files are half as large as those that splines get, to measure the error of these.
    """
    if unit is not None and unit not in UNITS:
        raise cad_error(path, f"The unit must be one of {', '.join(UNITS)}.", given=unit)
    data = read_cad_file(path)
    if not data.strip():
        raise cad_error(path, "The file is empty.")
    if path.suffix.lower() in STEP_ENDINGS:
        if unit is not None:
            raise cad_error(path, "A STEP file contains its unit; omit `unit`.", given=unit)
        return _step_bodies(path, data, most_triangles, refined)
    return _mesh_bodies(path, data, UNITS[unit or "m"])


def select_body(path: Path, bodies: list[Facets], body: str | int | None) -> Facets:
    """Return the body with a name or a number from 1; None: the only one. Raises InputError."""
    names = ", ".join(f"{k + 1} ({b.name})" for k, b in enumerate(bodies))
    if body is None:
        if len(bodies) == 1:
            return bodies[0]
        hint = "Select one by name or number (`part` of a surface in a scenario, `body` in Python), or export it alone."
        raise cad_error(path, f"The file holds {len(bodies)} bodies: {names}.", hint=hint)
    for k, candidate in enumerate(bodies):
        if body in (k + 1, candidate.name):
            return candidate
    raise cad_error(path, f"There is no such body; the file holds {names}.", given=str(body))


def _step_bodies(path: Path, data: bytes, most_triangles: int | None, refined: bool) -> list[Facets]:
    if not data.lstrip().startswith(b"ISO-10303-21;"):
        raise cad_error(path, "This is not a STEP file: it must begin with ISO-10303-21.")
    if b"END-ISO-10303-21" not in data[-200:]:
        raise cad_error(path, "The STEP file is truncated: its end (END-ISO-10303-21) is missing.")
    if most_triangles is None:
        glb = read_in_child(REFINED_STEP if refined else STEP, data, path=path, file_format="STEP")
    else:
        glb = read_in_child(DRAWN_STEP, data, path=path, arguments=[str(most_triangles)], file_format="STEP")
    try:
        with np.errstate(all="ignore"):  # the shape is checked when its profile is known
            bodies = _with_different_names(_glb_bodies(path, glb)) if glb else []
    except (LookupError, TypeError, ValueError, ArithmeticError, struct.error) as error:
        raise cad_error(path, "The STEP file is damaged: faces are incomplete.") from error
    if not bodies:
        raise cad_error(path, "The STEP file holds no solid or shell.")
    return bodies


def _with_different_names(bodies: Iterable[Facets]) -> list[Facets]:
    """Return the bodies; those that have the same name, such as places of one part, get a number from the second on."""
    count: dict[str, int] = {}
    named = []
    for body in bodies:
        count[body.name] = number = count.get(body.name, 0) + 1
        named.append(body if number == 1 else replace(body, name=f"{body.name}.{number}"))
    return named


def _glb_bodies(path: Path, glb: bytes) -> Iterator[Facets]:
    """Yield the bodies of a GLB written by cascadio: metres, one matrix per node, exact faces in an extension."""
    tree, binary = glb_parts(glb)
    for node, X in _placed_nodes(tree):
        for primitive in tree["meshes"][node["mesh"]]["primitives"]:
            positions = _accessor(tree, binary, primitive["attributes"]["POSITION"]).astype(float)
            triangles = _accessor(tree, binary, primitive["indices"]).astype(np.int64).reshape(-1, 3)
            extension = primitive["extensions"]["TM_brep_faces"]
            face_of = _accessor(tree, binary, extension["faceIndices"]).astype(np.int64).ravel()
            vertices = positions @ X[:3, :3].T + X[:3, 3]
            faces = tuple(_exact_face(face, X) for face in extension["faces"])
            _check_mesh(path, vertices, triangles)
            name = _name_of(node, tree["meshes"][node["mesh"]])
            yield from _split_bodies(path, name, vertices, triangles, faces, face_of)


def _name_of(node: Mapping[str, Any], mesh: Mapping[str, Any]) -> str:
    """Return the name of a placed part; a place without a name of its own gets that of the part."""
    name = str(node.get("name", ""))
    return str(mesh.get("name", name)) if name.startswith(UNNAMED) else name


def _placed_nodes(tree: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], Array]]:
    """Yield the nodes with a mesh, each with its 4x4 pose in the file's frame."""
    stack = [(index, np.eye(4)) for index in reversed(tree["scenes"][tree.get("scene", 0)].get("nodes", []))]
    while stack:
        index, X_parent = stack.pop()
        node = tree["nodes"][index]
        X = X_parent @ np.array(node.get("matrix", np.eye(4).ravel()), dtype=float).reshape(4, 4).T
        if "mesh" in node:
            yield node, _as_rigid(X)
        stack += [(child, X) for child in reversed(node.get("children", []))]


def _as_rigid(X: Array) -> Array:
    """Return a pose whose rotation is orthonormal: the library gives it in single precision."""
    u, _, w = np.linalg.svd(X[:3, :3])
    rigid = X.copy()
    rigid[:3, :3] = u @ w
    return rigid


def _accessor(tree: Mapping[str, Any], binary: bytes, index: int) -> NDArray[Any]:
    accessor = tree["accessors"][index]
    view = tree["bufferViews"][accessor["bufferView"]]
    dtype = np.dtype({5121: "<u1", 5123: "<u2", 5125: "<u4", 5126: "<f4"}[accessor["componentType"]])
    width = {"SCALAR": 1, "VEC3": 3}[accessor["type"]]
    offset = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
    flat = np.frombuffer(binary, dtype, accessor["count"] * width, offset)
    return flat.reshape(-1, width)


def _exact_face(face: Mapping[str, Any] | None, X: Array) -> ExactFace | None:
    """Return a face in the file's frame F; X is the pose of its part in F. None for splines."""
    kind = (face or {}).get("type")
    if face is None or kind not in EXACT_KINDS:
        return None

    def place(name: str) -> Array:
        return np.asarray(X[:3, :3] @ np.array(face[name]) + X[:3, 3])

    def turn(name: str) -> Array:
        return np.asarray(X[:3, :3] @ np.array(face[name]))

    if kind == "plane":
        return ExactFace(kind=kind, point=place("origin"), axis=turn("normal"))
    if kind == "cylinder":
        bounds = tuple(face["extent_height"])
        return ExactFace(
            kind=kind, point=place("origin"), axis=turn("axis"), radius=face["radius"], bounds=bounds
        )
    if kind == "cone":  # extent_distance is measured from the reference circle, not from the apex
        half_angle, radius, axis = face["semi_angle"], face["ref_radius"], turn("axis")
        point = place("apex") + axis * (radius / np.tan(half_angle))
        bounds = tuple(face["extent_distance"])
        return ExactFace(kind=kind, point=point, axis=axis, radius=radius, second=half_angle, bounds=bounds)
    if kind == "sphere":
        bounds = tuple(face["extent_latitude"])
        return ExactFace(kind=kind, point=place("center"), axis=None, radius=face["radius"], bounds=bounds)
    return ExactFace(
        kind="torus",
        point=place("center"),
        axis=turn("axis"),
        radius=face["major_radius"],
        second=face["minor_radius"],
        bounds=tuple(face["extent_minor_angle"]),
    )


def _mesh_bodies(path: Path, data: bytes, scale: float) -> list[Facets]:
    ending = path.suffix[1:].lower()
    content = read_in_child(MESH, data, path=path, arguments=[ending], file_format=ending.upper())
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        vertices, triangles = arrays["vertices"], arrays["triangles"]
    if not len(triangles):
        raise cad_error(path, "The file holds no triangles.")
    with np.errstate(over="ignore"):
        vertices = scale * vertices
    _check_mesh(path, vertices, triangles)
    bodies = list(_split_bodies(path, path.stem, vertices, triangles, (), np.full(len(triangles), -1)))
    if not bodies:
        raise cad_error(path, "The file holds no triangles with three different vertices.")
    return bodies


def _check_mesh(path: Path, vertices: Array, triangles: Indices) -> None:
    """Raise InputError unless vertices are finite numbers of a plausible size and triangles refer to them."""
    if vertices.shape != (len(vertices), 3) or triangles.shape != (len(triangles), 3):
        raise cad_error(
            path, "The file is damaged: a vertex needs three coordinates and a triangle three vertices."
        )
    if not np.isfinite(vertices).all():
        raise cad_error(path, "The file holds coordinates that are not finite numbers.")
    wrong = triangles[(triangles < 0) | (triangles >= len(vertices))]
    if wrong.size:
        message = f"The file is damaged: a triangle refers to vertex {wrong[0]}, counted from 0; there are"
        raise cad_error(path, f"{message} {len(vertices)}.")
    far = float(np.abs(vertices).max(initial=0.0))
    if far > LARGEST_COORDINATE:
        raise cad_error(path, f"Coordinates must be below {LARGEST_COORDINATE:g} m.", given=f"{far:.4g} m")


def _split_bodies(
    path: Path,
    name: str,
    vertices: Array,
    triangles: Indices,
    faces: tuple[ExactFace | None, ...],
    face_of: Indices,
) -> Iterator[Facets]:
    """Merge equal vertices, drop degenerate triangles and yield one body per connected surface.

    A closed surface with negative volume bounds a void and belongs to the body that encloses it.
    """
    vertices, index = np.unique(vertices, axis=0, return_inverse=True)
    triangles = index.reshape(-1)[triangles]
    good = np.all(triangles != np.roll(triangles, 1, axis=1), axis=1)
    triangles, face_of = triangles[good], face_of[good]
    labels = triangle_components(triangles, len(vertices))
    if len(count := np.unique(labels)) > MOST_SURFACES:
        message = (
            f"The file holds {len(count)} surfaces without connection; at most {MOST_SURFACES} are allowed."
        )
        raise cad_error(path, message, hint="Export a mesh whose triangles share their vertices.")
    parts = [np.flatnonzero(labels == label) for label in dict.fromkeys(labels)]
    solids: list[tuple[Indices, bool, float]] = []
    voids: list[tuple[Indices, bool, float]] = []
    for part in parts:
        closed = is_closed(triangles[part])
        volume = _signed_volume(vertices, triangles[part])
        inside = closed and volume < 0.0 and _is_within(vertices, triangles, part, parts)
        (voids if inside else solids).append((part, closed, volume))
    for number, (part, closed, volume) in enumerate(solids):
        own = [part, *(v for v, _, _ in voids if _encloses(vertices, triangles, part, v))]
        chosen = np.sort(np.concatenate(own))
        used, local = np.unique(triangles[chosen], return_inverse=True)
        local = local.reshape(-1, 3)
        yield Facets(
            name=name if len(solids) == 1 else f"{name}.{number + 1}",
            vertices=vertices[used],
            triangles=local[:, ::-1] if closed and volume < 0.0 else local,
            faces=faces,
            face_of=face_of[chosen],
            closed=closed,
        )


def triangle_components(triangles: Indices, count: int) -> Indices:
    """Return the label of the connected surface of each triangle, shape (m,); `count` is the number of vertices.

    Edges, shape (m, 2), give the labels of their connected lines.
    """
    from scipy.sparse import coo_array  # imported late: only the reading of files needs it
    from scipy.sparse.csgraph import connected_components

    start, end = triangles.ravel(), np.roll(triangles, -1, axis=1).ravel()
    graph = coo_array((np.ones(len(start), np.int8), (start, end)), shape=(count, count))
    labels = connected_components(graph, directed=False)[1]
    return np.asarray(labels[triangles[:, 0]], np.int64)


def _signed_volume(vertices: Array, triangles: Indices) -> float:
    a, b, c = (vertices[triangles[:, k]] - vertices[triangles[0, 0]] for k in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)


def _is_within(vertices: Array, triangles: Indices, part: Indices, parts: list[Indices]) -> bool:
    return any(_encloses(vertices, triangles, other, part) for other in parts if other is not part)


def _encloses(vertices: Array, triangles: Indices, outer: Indices, inner: Indices) -> bool:
    """Return whether the bounding box of `inner` lies inside that of `outer`."""
    big, small = vertices[triangles[outer].ravel()], vertices[triangles[inner].ravel()]
    return bool((big.min(0) < small.min(0)).all() and (big.max(0) > small.max(0)).all())
