"""What can be said about a CAD file: bodies, faces, what is exact, what is wrong, and how it may be used."""

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softdock.errors import InputError
from softdock.files.cache import Cache, content_key
from softdock.geometry.axis import AxisFrame
from softdock.geometry.cad import surface_of_body
from softdock.geometry.cad_files import STEP_ENDINGS, read_cad_file, size_warnings
from softdock.geometry.chain import Side
from softdock.geometry.facets import ExactFace, Facets, read_bodies, select_body
from softdock.geometry.mass_properties import mesh_mass_properties
from softdock.geometry.pieces import boundary_edges
from softdock.geometry.solids.checks import thinnest_wall
from softdock.geometry.solids.integrals import SurfacePoints, closed_surface_points, solid_mass_properties
from softdock.geometry.solids.kernels.layout import FACE_AXIS, FACE_SENSE
from softdock.geometry.solids.reading import ReadSolid, solid_of_body
from softdock.geometry.solids.solid import Solid
from softdock.geometry.solids.soundness import solid_problems
from softdock.geometry.solids.step_unit import unit_of_step

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

CACHE = Cache("inspections", ".json")
LEAST_SHARE = 0.02
"""Of the area of a body, of faces about one axis below which no surface of revolution is looked for: holes of bolts."""
LARGEST_GAP = 1e-6
"""Sum of the area vectors over the area above which exact faces do not close."""
LARGEST_DIFFERENCE = 0.05
"""Difference between the area of an exact face and that of its triangles above which they do not belong together."""


@dataclass(frozen=True, kw_only=True)
class InspectedFace:
    """A face of a body."""

    number: int
    """In the file, from 1."""
    kind: str
    """plane, cylinder, cone, sphere, torus, spline or facets."""
    exact: bool
    area: float
    """[m^2]"""
    size: float
    """Largest side of its bounding box [m]."""
    axis: tuple[float, float, float] | None
    """Unit vector: the normal of a plane (outward, of a solid with details), else the axis of revolution."""
    point: tuple[float, float, float] | None
    """Of the axis: the centre of a sphere or torus [m]."""
    radius: float | None
    """Cylinder, sphere; of a cone where `point` is; of a torus to the centre of its tube [m]."""
    second: float | None
    """Cone: half angle [rad]; torus: radius of the tube [m]."""


@dataclass(frozen=True, kw_only=True)
class RevolvedSide:
    """A surface of revolution that a body has."""

    side: str
    """outside or inside"""
    point: tuple[float, float, float]
    """Of the axis [m]."""
    direction: tuple[float, float, float]
    exact: bool
    departure: float
    """Largest distance of the body's vertices from it [m]."""


@dataclass(frozen=True, kw_only=True)
class InspectedBody:
    """A body of a CAD file."""

    name: str
    number: int
    """In the file, from 1."""
    box: tuple[tuple[float, float, float], tuple[float, float, float]]
    """Lower and upper corner of the bounding box [m]."""
    triangles: int
    closed: bool
    faces: tuple[InspectedFace, ...]
    area: float | None = None
    """[m^2]"""
    volume: float | None = None
    """[m^3]"""
    centre: tuple[float, float, float] | None = None
    """Of the volume [m]."""
    deviation: float = 0.0
    """Largest distance [m] of approximated faces from the true ones."""
    deviation_is_measured: bool = True
    thinnest_wall: float | None = None
    """[m]; None where no two faces are opposite each other."""
    thinnest_wall_spacing: float | None = None
    """Distance of the sample points [m]: a thinner wall in a narrower place may be missed."""
    thinnest_wall_face: int | None = None
    """Number of a face behind which it is."""
    revolutions: tuple[RevolvedSide, ...] = ()
    problems: tuple[str, ...] = ()
    """Sentences: why it cannot be used as a solid."""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Inspection:
    """What a CAD file contains. Bodies that were not selected have no details."""

    file: str
    unit: str
    """Of the file; the coordinates above are in m."""
    bodies: tuple[InspectedBody, ...]
    selected: int | None
    """Index of the body with details; None where the file has several and none was selected."""


def inspect_file(path: Path, *, part: str | int | None = None, unit: str | None = None) -> Inspection:
    """Return what a CAD file contains, with the details of one body. Raises InputError where it cannot be read.

    `part` is needed for details where the file has several bodies. Results are cached by content.
    """
    data = read_cad_file(path)
    sources = sorted(Path(__file__).parents[1].rglob("*.py"))
    key = content_key(json.dumps([path.suffix.lower(), path.name, part, unit]), *sources, data)
    cached = CACHE.read(key, _decode)
    if cached is not None:
        return cached
    bodies = read_bodies(path, unit)
    selected = None
    if part is not None or len(bodies) == 1:
        selected = bodies.index(select_body(path, bodies, part))
    is_step = path.suffix.lower() in STEP_ENDINGS
    inspection = Inspection(
        file=path.name,
        unit=unit_of_step(data) if is_step else unit or "m (assumed: the file has none)",
        bodies=tuple(_inspect(path, bodies, k, unit, details=k == selected) for k in range(len(bodies))),
        selected=selected,
    )
    CACHE.write(key, json.dumps(asdict(inspection)))
    return inspection


def _inspect(
    path: Path, bodies: Sequence[Facets], k: int, unit: str | None, *, details: bool
) -> InspectedBody:
    facets = bodies[k]
    low, high = facets.vertices.min(axis=0), facets.vertices.max(axis=0)
    _, areas = facets.normals()
    body = InspectedBody(
        name=facets.name,
        number=k + 1,
        box=(_triple(low), _triple(high)),
        triangles=len(facets.triangles),
        closed=facets.closed,
        faces=_faces(facets, areas),
        area=float(areas.sum()),
        problems=_opening_sentences(facets),
        warnings=(*size_warnings(path, facets.size, unit), *_unread_sentences(bodies, facets)),
    )
    if not details or not facets.closed:
        return body
    return _with_details(path, body, solid_of_body(path, facets, list(bodies)), facets, unit)


def _with_details(
    path: Path, body: InspectedBody, read: ReadSolid, facets: Facets, unit: str | None
) -> InspectedBody:
    solid = read.solid
    surface = _surface(solid)
    wall = thinnest_wall(solid)
    problems = [*body.problems, *solid_problems(solid, read.deviation)]
    faces = body.faces
    if surface is None:
        mass = mesh_mass_properties(solid.vertices, solid.triangle_vertices, 1.0)
        problems.append(
            "The boundaries of its faces could not be followed exactly; areas and volume are those of triangles."
        )
    else:
        mass = solid_mass_properties(solid, 1.0, surface)
        exact = np.bincount(surface.faces, surface.weights, len(solid.faces)).astype(float)
        problems += _area_sentences(solid, faces, exact, surface.gap)
        faces = tuple(replace(face, area=float(area)) for face, area in zip(faces, exact))
    faces = tuple(_as_in_solid(face, solid, k) for k, face in enumerate(faces))
    return replace(
        body,
        faces=faces,
        area=sum(face.area for face in faces),
        volume=mass.volume,
        centre=_triple(mass.centre),
        deviation=read.deviation,
        deviation_is_measured=read.is_measured,
        thinnest_wall=wall.thickness if math.isfinite(wall.thickness) else None,
        thinnest_wall_spacing=wall.spacing if math.isfinite(wall.thickness) else None,
        thinnest_wall_face=solid.faces[wall.face].number if math.isfinite(wall.thickness) else None,
        revolutions=_revolutions(path, body, facets, unit),
        problems=tuple(problems),
    )


def _as_in_solid(face: InspectedFace, solid: Solid, k: int) -> InspectedFace:
    """Return a face with the outward normal of a plane; one whose triangles leave its surface is approximated."""
    if not solid.faces[k].is_exact:
        return replace(face, kind=solid.faces[k].kind, exact=False)
    if face.kind != "plane":
        return face
    row = solid.arrays.faces[k]
    return replace(face, axis=_triple(-row[FACE_SENSE] * row[FACE_AXIS : FACE_AXIS + 3]))


def _surface(solid: Solid) -> SurfacePoints | None:
    """Return the quadrature over the exact faces; None where a boundary cannot be followed."""
    try:
        return closed_surface_points(solid)
    except (ArithmeticError, ValueError, IndexError):
        return None


def _faces(facets: Facets, areas: Array) -> tuple[InspectedFace, ...]:
    """Return the faces that have triangles, with the areas of these."""
    numbers = np.maximum(facets.face_of, 0)
    inspected = []
    for k in np.unique(numbers):
        own = numbers == k
        face = facets.faces[k] if facets.faces else None
        places = facets.vertices[np.unique(facets.triangles[own])]
        inspected.append(
            InspectedFace(
                number=int(k) + 1,
                kind=face.kind if face is not None else "spline" if facets.faces else "facets",
                exact=face is not None,
                area=float(areas[own].sum()),
                size=float(np.ptp(places, axis=0).max()),
                **_parameters(face),
            )
        )
    return tuple(inspected)


def _parameters(face: ExactFace | None) -> dict[str, Any]:
    if face is None:
        return {"axis": None, "point": None, "radius": None, "second": None}
    return {
        "axis": None if face.axis is None else _triple(face.axis),
        "point": None if face.kind == "plane" else _triple(face.point),
        "radius": None if face.kind == "plane" else float(face.radius),
        "second": float(face.second) if face.kind in ("cone", "torus") else None,
    }


def _triple(vector: Array) -> tuple[float, float, float]:
    x, y, z = (float(component) + 0.0 for component in vector)  # without -0
    return x, y, z


def _opening_sentences(facets: Facets) -> tuple[str, ...]:
    """Return a sentence about the openings of an open shell: how long they are, and at which faces."""
    if facets.closed:
        return ()
    edges = boundary_edges(facets.triangles)
    length = float(np.linalg.norm(np.diff(facets.vertices[edges], axis=1)[:, 0], axis=1).sum())
    if not len(edges):
        return ("Some edges belong to more than two faces: it is no single solid.",)
    at_edge = np.zeros(len(facets.triangles), bool)
    base = len(facets.vertices)
    keys = edges[:, 0] * base + edges[:, 1]
    for k in range(3):
        sides = facets.triangles[:, k] * base + facets.triangles[:, (k + 1) % 3]
        at_edge |= np.isin(sides, keys)
    numbers = np.unique(facets.face_of[at_edge]) + 1
    where = f" at {_listed(numbers)}" if facets.faces else ""
    return (f"It is an open shell: {length * 1e3:.4g} mm of its edges have no neighbour{where}.",)


def _unread_sentences(bodies: Sequence[Facets], facets: Facets) -> tuple[str, ...]:
    """Return a sentence about faces of the file that have no triangles: they could not be read."""
    shared = [body.face_of for body in bodies if body.faces is facets.faces]
    missing = np.setdiff1d(np.arange(len(facets.faces)), np.concatenate(shared)) + 1
    if not len(missing):
        return ()
    listed = _listed(missing)
    return (f"{listed[0].upper()}{listed[1:]} could not be read: the surface or its boundary is damaged.",)


def _listed(numbers: Indices) -> str:
    shown = ", ".join(map(str, numbers[:20]))
    more = f" and {len(numbers) - 20} more" if len(numbers) > 20 else ""
    return f"face{'s' if len(numbers) > 1 else ''} {shown}{more}"


def _area_sentences(solid: Solid, faces: Sequence[InspectedFace], exact: Array, gap: float) -> list[str]:
    """Return sentences about exact faces that do not agree with their triangles, or do not close."""
    sentences = [
        f"Face {face.number} ({face.kind}) has an area of {area * 1e6:.4g} mm^2, its triangles have "
        f"{face.area * 1e6:.4g} mm^2: its boundary is damaged."
        for face, area in zip(faces, exact)
        if abs(area - face.area) > LARGEST_DIFFERENCE * max(area, face.area) and face.exact
    ]
    if not sentences and gap > LARGEST_GAP and all(face.is_exact for face in solid.faces):
        sentences.append(
            f"The faces do not close: their area vectors sum to {gap:.1e} of the area instead of 0."
        )
    return sentences


def _revolutions(
    path: Path, body: InspectedBody, facets: Facets, unit: str | None
) -> tuple[RevolvedSide, ...]:
    """Return the outside and the inside of a body if they are surfaces of revolution."""
    if facets.faces and _coaxial_share(body) < LEAST_SHARE:
        return ()
    found = []
    sides: tuple[Side, ...] = ("outside", "inside")
    for side in sides:
        try:
            surface = surface_of_body(path, facets, side=side, unit=unit)
        except InputError:
            continue
        frame: AxisFrame = surface.frame
        found.append(
            RevolvedSide(
                side=side,
                point=_triple(frame.p_FS),
                direction=_triple(frame.R_FS[:, 2]),
                exact=surface.exact,
                departure=surface.deviation,
            )
        )
    return tuple(found)


def _coaxial_share(body: InspectedBody) -> float:
    """Return the largest share of the area that faces about one axis have; 1 where some are splines."""
    areas: dict[tuple[float, ...], float] = {}
    for face in body.faces:
        if face.kind == "spline":
            return 1.0
        if face.point is None:
            continue
        point, axis = np.array(face.point), np.array(face.axis or (0.0, 0.0, 0.0))
        axis = axis * np.sign(axis[np.argmax(np.abs(axis))])
        place = point - (point @ axis) * axis
        line = (*np.round(axis, 6).tolist(), *np.round(place, 6).tolist())
        areas[line] = areas.get(line, 0.0) + face.area
    return max(areas.values(), default=0.0) / sum(face.area for face in body.faces)


def _decode(data: bytes) -> Inspection:
    document = json.loads(data)
    bodies = []
    for body in document["bodies"]:
        faces = tuple(InspectedFace(**_tuples(face)) for face in body.pop("faces"))
        revolutions = tuple(RevolvedSide(**_tuples(one)) for one in body.pop("revolutions"))
        bodies.append(InspectedBody(**_tuples(body), faces=faces, revolutions=revolutions))
    return Inspection(
        file=document["file"], unit=document["unit"], bodies=tuple(bodies), selected=document["selected"]
    )


def _tuples(document: dict[str, Any]) -> dict[str, Any]:
    """Return entries whose lists are tuples again."""

    def convert(value: Any) -> Any:
        return tuple(map(convert, value)) if isinstance(value, list) else value

    return {name: convert(value) for name, value in document.items()}
