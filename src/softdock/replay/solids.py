"""Meshes of simple solids and surfaces of revolution, and shading normals with sharp edges."""

import itertools
import math

import numpy as np

from softdock.geometry.profile import Arc, Profile
from softdock.replay.scene import Floats, Indices, Mesh

FACETS = 64  # per revolution: the outline deviates from the circle by 0.1 % of its radius
ARC_STEP = math.radians(6.0)  # along a meridian
MAX_TRIANGLES = 60_000  # of a surface or a file, to limit the size of the page
CREASE = math.radians(35.0)  # facets that meet at a larger angle keep a sharp edge


def revolve_profile(profile: Profile, facets: int = FACETS, arc_step: float = ARC_STEP) -> Mesh:
    """Return a surface of revolution about z; normals point out of the material. `arc_step` is in rad."""
    angle = np.linspace(0.0, math.tau, facets + 1)
    rim = np.stack([np.cos(angle), np.sin(angle)])
    points, normals, indices, first = [], [], [], 0
    for segment in profile.segments:
        steps = max(1, math.ceil(abs(segment.sweep) / arc_step)) if isinstance(segment, Arc) else 1
        at = np.array([segment.point(f) for f in np.linspace(0.0, 1.0, steps + 1)])
        tangents = np.array([segment.tangent(f) for f in np.linspace(0.0, 1.0, steps + 1)])
        # Material on the right of travel: the normal is on the left.
        for (z, r), (t_z, t_r) in zip(at, tangents):
            points.append(np.stack([r * rim[0], r * rim[1], np.full(facets + 1, z)], axis=1))
            normals.append(np.stack([t_z * rim[0], t_z * rim[1], np.full(facets + 1, -t_r)], axis=1))
        indices.append(first + _bands(steps, facets))
        first += (steps + 1) * (facets + 1)
    return Mesh(
        points=np.concatenate(points), normals=np.concatenate(normals), indices=np.concatenate(indices)
    )


def revolve_finely(profile: Profile, tolerance: float) -> Mesh:
    """Return a surface of revolution, from which its facets depart by at most a tolerance [m], or MAX_TRIANGLES."""
    radius = max(segment.point(f)[1] for segment in profile.segments for f in (0.0, 0.5, 1.0))
    arcs = max((segment.radius for segment in profile.segments if isinstance(segment, Arc)), default=0.0)
    turns = sum(abs(segment.sweep) if isinstance(segment, Arc) else 0.0 for segment in profile.segments)
    facets, arc_step = FACETS, ARC_STEP
    while (
        max(_sagitta(radius, math.tau / facets), _sagitta(arcs, arc_step)) > tolerance
        and 2 * 2 * facets * (len(profile.segments) + 2 * turns / arc_step) <= MAX_TRIANGLES
    ):
        facets, arc_step = 2 * facets, arc_step / 2
    return revolve_profile(profile, facets, arc_step)


def _sagitta(radius: float, angle: float) -> float:
    """Return the largest distance of a chord from its arc [m]."""
    return radius * (1.0 - math.cos(angle / 2))


def combined(first: Mesh, second: Mesh) -> Mesh:
    """Return two meshes with normals as one."""
    assert first.normals is not None
    assert second.normals is not None
    return Mesh(
        points=np.concatenate([first.points, second.points]),
        normals=np.concatenate([first.normals, second.normals]),
        indices=np.concatenate([first.indices, second.indices + len(first.points)]),
    )


def _bands(steps: int, facets: int) -> Indices:
    """Return the triangles between adjacent circles, wound so that they face away from the material."""
    ring = facets + 1
    a = (np.arange(steps)[:, None] * ring + np.arange(facets)[None, :]).ravel()
    return np.concatenate([np.stack([a, a + 1, a + ring], 1), np.stack([a + 1, a + ring + 1, a + ring], 1)])


def revolve_polyline(meridian: list[tuple[float, float]], facets: int = 24) -> Mesh:
    """Return a body of revolution from a polyline of points (z, r), in +z direction along the outside."""
    from softdock.geometry.profile import Line

    segments = [Line(start=a, end=b) for a, b in itertools.pairwise(meridian)]
    return revolve_profile(Profile(segments=tuple(segments)), facets)


def box(size: Floats) -> Mesh:
    """Return a box about the origin, sides along the axes."""
    points: list[Floats] = []
    normals: list[Floats] = []
    indices: list[list[int]] = []
    for axis, sign in itertools.product(range(3), (1.0, -1.0)):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        corners = np.zeros((4, 3))
        corners[:, axis] = sign
        corners[:, u] = np.array([-1, 1, 1, -1]) * sign
        corners[:, v] = [-1, -1, 1, 1]
        first = 4 * len(points)
        points.append(0.5 * corners * size)
        normals.append(np.tile(sign * np.eye(3)[axis], (4, 1)))
        indices += [[first, first + 1, first + 2], [first, first + 2, first + 3]]
    return Mesh(points=np.concatenate(points), normals=np.concatenate(normals), indices=np.array(indices))


def box_edges(size: Floats) -> Mesh:
    """Return the twelve edges of a box about the origin."""
    corners = np.array(list(itertools.product((-0.5, 0.5), repeat=3))) * size
    pairs = [(i, i | 1 << k) for i in range(8) for k in range(3) if not i >> k & 1]
    return Mesh(points=corners, indices=np.array(pairs))


def ball(radius: float, facets: int = 24) -> Mesh:
    """Return a sphere about the origin."""
    arc = Arc(start=(-radius, 0.0), end=(radius, 0.0), centre=(0.0, 0.0), counterclockwise=False)
    return revolve_profile(Profile(segments=(arc,)), facets)


def rod(radius: float, length: float = 1.0, facets: int = 20) -> Mesh:
    """Return a cylinder from the origin along z."""
    return revolve_polyline([(0.0, 0.0), (0.0, radius), (length, radius), (length, 0.0)], facets)


def arrow() -> Mesh:
    """Return an arrow of unit length along z, its head at the origin."""
    return revolve_polyline([(-1.0, 0.0), (-1.0, 0.045), (-0.36, 0.045), (-0.36, 0.13), (0.0, 0.0)], 20)


def coil(radius: float, turns: int, wire: float, facets: int = 8) -> Mesh:
    """Return a helical spring of unit length along z, to be scaled along z."""
    along = np.linspace(0.0, 1.0, 16 * turns + 1)
    angle = math.tau * turns * along
    centre = np.stack([radius * np.cos(angle), radius * np.sin(angle), along], axis=1)
    outward = np.stack([np.cos(angle), np.sin(angle), np.zeros_like(angle)], axis=1)
    tube = np.linspace(0.0, math.tau, facets + 1)
    normals = np.cos(tube)[None, :, None] * outward[:, None, :] + np.sin(tube)[None, :, None] * np.array(
        [0.0, 0.0, 1.0]
    )
    points = centre[:, None, :] + wire * normals
    indices = _bands(len(along) - 1, facets)[:, ::-1]
    return Mesh(points=points.reshape(-1, 3), normals=normals.reshape(-1, 3), indices=indices)


def shade_smoothly(points: Floats, triangles: Indices) -> Mesh:
    """Return triangles with normals that are smooth except across edges sharper than CREASE."""
    corners = points[triangles]
    cross = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])  # twice the area
    length = np.linalg.norm(cross, axis=1)
    kept = length > 0.0
    triangles, cross, length = triangles[kept], cross[kept], length[kept]
    unit = cross / length[:, None]
    vertex = triangles.ravel()
    face = np.repeat(np.arange(len(triangles)), 3)
    order = np.argsort(vertex, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(vertex, minlength=len(points)))])
    count = starts[vertex + 1] - starts[vertex]  # facets around the vertex of each corner
    corner = np.repeat(np.arange(len(vertex)), count)
    within = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    other = face[order[starts[vertex[corner]] + within]]
    soft = np.einsum("ij,ij->i", unit[face[corner]], unit[other]) > math.cos(CREASE)
    normals = np.zeros((len(vertex), 3))
    np.add.at(normals, corner[soft], cross[other[soft]])
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    rows = np.concatenate([points[vertex], normals], axis=1).astype(np.float32)
    unique, index = np.unique(rows, axis=0, return_inverse=True)
    return Mesh(
        points=unique[:, :3].astype(float),
        normals=unique[:, 3:].astype(float),
        indices=index.reshape(-1, 3),
    )


def transformed(mesh: Mesh, R: Floats, p: Floats) -> Mesh:
    """Return a mesh in another frame: rotated by R, then translated by p [m]."""
    normals = None if mesh.normals is None else mesh.normals @ R.T
    return Mesh(points=mesh.points @ R.T + p, normals=normals, indices=mesh.indices)
