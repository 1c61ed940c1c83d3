"""Bodies made of profiles: revolved, extruded, placed and united. Each is a body as a CAD file describes it."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from softdock.errors import InputError
from softdock.geometry.facets import ExactFace, Facets
from softdock.geometry.mass_properties import is_closed
from softdock.geometry.profile import Arc, Line, Point, Profile
from softdock.geometry.profile_arrays import is_complete
from softdock.geometry.solids.checks import largest_jump
from softdock.geometry.solids.drawing import subdivide
from softdock.geometry.solids.exact_vertices import faces_at_vertices, move_to_faces
from softdock.geometry.solids.face_rows import face_rows
from softdock.geometry.solids.solid import build_solid
from softdock.geometry.solids.triangulation import signed_area, triangulate
from softdock.spatial.poses import Pose

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

TURN_PARTS = 84
"""Triangles around a full turn, as STEP files get; the faces are exact whatever their number is."""
LARGEST_STEP = math.tau / TURN_PARTS
CHECK_DISTANCE = 1e-3
"""Distance of the points at which a union is compared with its parts, relative to its size."""
LARGEST_ERROR = 1e-8
"""Allowed difference between the depth of a union and those of its parts [m]."""
MOST_REFINEMENTS = 1
"""Of the triangles of the parts of a union, each into four."""
ON_AXIS = 1e-9
"""Largest radius [m] of a point on the axis."""
Z = np.array([0.0, 0.0, 1.0])


def revolve(profile: Profile, name: str = "") -> Facets:
    """Return the solid that a complete profile (z, r) sweeps around the z axis."""
    if not is_complete(profile):
        raise InputError(
            "A revolved solid needs a closed profile, or one from the axis to the axis.", field="profile"
        )
    ring = np.arange(TURN_PARTS) * LARGEST_STEP
    around = np.column_stack([np.cos(ring), np.sin(ring)])
    vertices: list[Array] = []

    def add(place: Point) -> Indices:
        """Add the ring of a point of the meridian, or the point on the axis; return its vertices, shape (parts,)."""
        first = sum(map(len, vertices))
        if place[1] <= ON_AXIS:
            vertices.append(np.array([[0.0, 0.0, place[0]]]))
            return np.full(TURN_PARTS, first)
        vertices.append(np.column_stack([place[1] * around, np.full(TURN_PARTS, place[0])]))
        return first + np.arange(TURN_PARTS)

    triangles, face_of = [], []
    start = first_ring = add(profile.segments[0].start)
    for k, segment in enumerate(profile.segments):
        for place in _points_after_start(segment):
            is_last = profile.is_closed and k == len(profile.segments) - 1 and place == segment.end
            end = first_ring if is_last else add(place)
            band = np.concatenate(
                [
                    np.column_stack([start, np.roll(start, -1), np.roll(end, -1)]),
                    np.column_stack([start, np.roll(end, -1), end]),
                ]
            )
            band = band[(band != np.roll(band, 1, axis=1)).all(axis=1)]
            triangles.append(band)
            face_of.append(np.full(len(band), k))
            start = end
    faces = tuple(_revolved_face(segment) for segment in profile.segments)
    return _body(name, np.concatenate(vertices), np.concatenate(triangles), faces, np.concatenate(face_of))


def _points_after_start(segment: Line | Arc) -> list[Point]:
    count = max(1, math.ceil(abs(segment.sweep) / LARGEST_STEP)) if isinstance(segment, Arc) else 1
    return [*(segment.point(k / count) for k in range(1, count)), segment.end]


def _revolved_face(segment: Line | Arc) -> ExactFace:
    """Return the exact face that a line or arc (z, r) sweeps around the z axis."""
    if isinstance(segment, Arc):
        centre = np.array([0.0, 0.0, segment.centre[0]])
        if abs(segment.centre[1]) <= ON_AXIS:
            return ExactFace(kind="sphere", point=centre, axis=None, radius=segment.radius)
        return ExactFace(kind="torus", point=centre, axis=Z, radius=segment.centre[1], second=segment.radius)
    (z, r), (z_end, r_end) = segment.start, segment.end
    if z == z_end:
        return ExactFace(kind="plane", point=np.array([0.0, 0.0, z]), axis=Z)
    if r == r_end:
        return ExactFace(kind="cylinder", point=np.array([0.0, 0.0, z]), axis=Z, radius=r)
    half_angle = math.atan2(r_end - r, z_end - z) if z_end > z else math.atan2(r - r_end, z - z_end)
    return ExactFace(kind="cone", point=np.array([0.0, 0.0, z]), axis=Z, radius=r, second=half_angle)


def extrude(outline: Sequence[Line | Arc], height: float, name: str = "") -> Facets:
    """Return the solid between z = 0 and a height [m] whose section is a closed outline of points (x, y) [m]."""
    points: list[Point] = []
    owner: list[int] = []
    for k, segment in enumerate(outline):
        path = [segment.start, *_points_after_start(segment)[:-1]]
        points += path
        owner += [k] * len(path)
    if math.dist(outline[-1].end, outline[0].start) > ON_AXIS:
        raise InputError("An extruded outline must end where it begins.", field="outline")
    flat = np.array(points)
    if signed_area(flat) < 0.0:
        flat, owner = flat[::-1], [*owner[-2::-1], owner[-1]]
    count = len(flat)
    bottom, top = np.arange(count), count + np.arange(count)
    after = np.roll(bottom, -1)
    sides = np.concatenate(
        [np.column_stack([bottom, after, after + count]), np.column_stack([bottom, after + count, top])]
    )
    cap = triangulate(flat)
    triangles = np.concatenate([sides, cap[:, ::-1], cap + count])
    first_cap = len(outline)
    face_of = np.concatenate([owner, owner, np.full(len(cap), first_cap), np.full(len(cap), first_cap + 1)])
    vertices = np.concatenate(
        [np.column_stack([flat, np.zeros(count)]), np.column_stack([flat, np.full(count, height)])]
    )
    faces = (
        *(_extruded_face(segment) for segment in outline),
        *(ExactFace(kind="plane", point=np.array([0.0, 0.0, z]), axis=Z) for z in (0.0, height)),
    )
    return _body(name, vertices, triangles, faces, face_of)


def _extruded_face(segment: Line | Arc) -> ExactFace:
    if isinstance(segment, Arc):
        return ExactFace(
            kind="cylinder", point=np.array([*segment.centre, 0.0]), axis=Z, radius=segment.radius
        )
    t_x, t_y = segment.tangent(0.0)
    return ExactFace(kind="plane", point=np.array([*segment.start, 0.0]), axis=np.array([t_y, -t_x, 0.0]))


def place(body: Facets, X_FB: Pose) -> Facets:
    """Return a body moved by a pose: from its own frame B to F."""
    faces = tuple(
        None if face is None
        else replace(face, point=X_FB.point(face.point), axis=None if face.axis is None else X_FB.vector(face.axis))
        for face in body.faces
    )  # fmt: skip
    return replace(body, vertices=X_FB.points(body.vertices), faces=faces)


def unite(bodies: Sequence[Facets], name: str = "") -> Facets:
    """Return the union of bodies. Raises InputError where they do not make one solid.

    The triangles of the parts decide which of their faces meet. Where these cross otherwise than the exact faces, the
    depth jumps; the parts are then divided into smaller triangles.
    """
    if len(bodies) == 1:
        return replace(bodies[0], name=name)
    parts = list(bodies)
    for _ in range(MOST_REFINEMENTS + 1):
        united = _united(parts, name)
        if united is not None and _agrees(united, parts):
            return united
        parts = [refine(part) for part in parts]
    if united is None:
        raise InputError("The parts of a union must overlap and make one solid.", field="union")
    message = "Faces of two parts of a union meet almost tangentially, so that their edge cannot be followed."
    hint = "Move one of the parts a little, or describe them by one profile or outline."
    raise InputError(message, field="union", hint=hint)


def _united(bodies: Sequence[Facets], name: str) -> Facets | None:
    """Return the union of bodies by their triangles; None where it is not one solid."""
    import manifold3d  # imported late: only unions need it

    solids, offsets = [], [0, *itertools.accumulate(len(body.faces) for body in bodies)]
    for body, offset in zip(bodies, offsets):
        mesh = manifold3d.Mesh64(
            vert_properties=np.ascontiguousarray(body.vertices),
            tri_verts=body.triangles.astype(np.uint64),
            face_id=(body.face_of + offset).astype(np.uint64),
        )
        solids.append(manifold3d.Manifold(mesh))
    united = manifold3d.Manifold.batch_boolean(solids, manifold3d.OpType.Add)
    mesh = united.to_mesh64()
    if len(mesh.tri_verts) == 0 or len(united.decompose()) != 1:
        return None
    faces = tuple(face for body in bodies for face in body.faces)
    vertices, triangles = np.array(mesh.vert_properties[:, :3]), np.array(mesh.tri_verts, np.int64)
    face_of = np.array(mesh.face_id, np.int64)
    # The triangles of both parts cross beside the curve in which their faces do, by the sagitta of the triangles.
    exact = move_to_faces(face_rows(faces), vertices, faces_at_vertices(triangles, face_of, len(vertices)))
    return _body(name, exact, triangles, faces, face_of)


def refine(body: Facets) -> Facets:
    """Return a body with each triangle divided into four, if some faces are curved; new vertices lie on the faces."""
    if all(face is not None and face.kind == "plane" for face in body.faces):
        return body
    rows = face_rows(body.faces)
    vertices, triangles, face_of = subdivide(rows, body.vertices, body.triangles, body.face_of)
    return replace(body, vertices=vertices, triangles=triangles, face_of=face_of)


def _agrees(united: Facets, parts: Sequence[Facets]) -> bool:
    """Return whether the depth of a union is a distance, and agrees with the depths of its parts.

    Outside, the depth is that of the nearest part; inside it is at least that of the deepest part.
    """
    solid = build_solid(united)
    corners = united.vertices[united.triangles]
    normals, _ = united.normals()
    step = CHECK_DISTANCE * united.size
    places = [corners.mean(axis=1) + k * step * normals for k in (-1.0, -0.1, 0.1, 1.0)]
    points = np.concatenate([*places, united.vertices])
    expected = np.max([build_solid(part).depths(points)[:, 0] for part in parts], axis=0)
    depths = solid.depths(points)[:, 0]
    error = np.where(expected < 0.0, np.abs(depths - expected), np.maximum(expected - depths, 0.0))
    return bool(error.max() <= LARGEST_ERROR) and largest_jump(solid).size == 0.0


def _body(
    name: str, vertices: Array, triangles: Indices, faces: tuple[ExactFace | None, ...], face_of: Indices
) -> Facets:
    return Facets(
        name=name,
        vertices=vertices,
        triangles=np.ascontiguousarray(triangles),
        faces=faces,
        face_of=np.asarray(face_of, np.int64),
        closed=is_closed(triangles),
    )
