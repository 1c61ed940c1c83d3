"""Force arrows: points of action and lengths from recorded wrenches."""

import itertools
import math

import numpy as np
from numpy.typing import NDArray

from softdock.geometry.profile import Profile
from softdock.replay import solids
from softdock.replay.keyframes import rotation_track, track
from softdock.replay.scene import Floats, Indices, Material, Node, Part, Role

MAX_LENGTH = 0.6  # fraction of the mechanism's radius
ARROW = solids.arrow()
MATERIAL = Material(name="contact force", colour=(0.75, 0.02, 0.02), roughness=0.5)
MIN_LENGTH = 0.22  # fraction of the longest arrow
EDGE = 1e-6  # share of a triangle by which a line may miss it


def points_of_action(profile: Profile, force: Floats, torque: Floats, near: Floats) -> Floats:
    """Return the intersections of the lines of action with surface A, in A's frame [m], shape (n, 3).

    `force` acts on the other body, `torque` about A's origin. Of several intersections, the result is that at which A
    can push (outward normal along the force) that is nearest to `near`, (n, 3); if the line misses the
    surface, the point of the line nearest to `near`.
    """
    size = np.linalg.norm(force, axis=1)
    e = force / size[:, None]
    foot = np.cross(force, torque) / (size**2)[:, None]  # of the perpendicular from A's origin
    best = foot + np.einsum("ij,ij->i", near - foot, e)[:, None] * e
    distance = np.full(len(force), math.inf)
    for (z0, r0), (z1, r1) in _line_segments(profile):
        for s in _cone_intersections(foot, e, z0, r0, z1, r1):
            with np.errstate(invalid="ignore"):
                p = foot + s[:, None] * e
                r = np.hypot(p[:, 0], p[:, 1])
                along = (p[:, 2] - z0) * (z1 - z0) + (r - r0) * (r1 - r0)
                length = (z1 - z0) ** 2 + (r1 - r0) ** 2
                inside = (along >= -1e-6 * length) & (along <= (1.0 + 1e-6) * length)
                outward = (z1 - z0) * (p[:, 0] * e[:, 0] + p[:, 1] * e[:, 1]) / np.maximum(r, 1e-12) - (
                    r1 - r0
                ) * e[:, 2]
                away = np.linalg.norm(p - near, axis=1)
                better = inside & (outward > 0.0) & (away < distance)
            best[better], distance[better] = p[better], away[better]
    return np.asarray(best)


def points_on_triangles(triangles: Floats, force: Floats, torque: Floats, near: Floats) -> Floats:
    """Return what `points_of_action` returns, for a surface of triangles, shape (m, 3, 3) [m]."""
    size = np.linalg.norm(force, axis=1)
    e = force / size[:, None]
    foot = np.cross(force, torque) / (size**2)[:, None]
    best = foot + np.einsum("ij,ij->i", near - foot, e)[:, None] * e
    origin, u, v = triangles[:, 0], triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    normal = np.cross(u, v)
    for i in range(len(force)):
        along = normal @ e[i]
        faces = np.flatnonzero(along > 0.0)  # those that can push
        s = np.einsum("ij,ij->i", normal[faces], origin[faces] - foot[i]) / along[faces]
        d = foot[i] + s[:, None] * e[i] - origin[faces]
        area = np.einsum("ij,ij->i", normal[faces], normal[faces])
        a = np.einsum("ij,ij->i", np.cross(d, v[faces]), normal[faces]) / area
        b = np.einsum("ij,ij->i", np.cross(u[faces], d), normal[faces]) / area
        hit = np.flatnonzero((a >= -EDGE) & (b >= -EDGE) & (a + b <= 1.0 + EDGE))
        if len(hit):
            points = d[hit] + origin[faces[hit]]
            best[i] = points[np.argmin(np.linalg.norm(points - near[i], axis=1))]
    return np.asarray(best)


def _line_segments(profile: Profile) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    out = []
    for segment in profile.segments:
        steps = max(1, math.ceil(abs(getattr(segment, "sweep", 0.0)) / solids.ARC_STEP))
        places = [segment.point(k / steps) for k in range(steps + 1)]
        out += list(itertools.pairwise(places))
    return out


def _cone_intersections(foot: Floats, e: Floats, z0: float, r0: float, z1: float, r1: float) -> list[Floats]:
    """Return s of the intersections of lines foot + s e with the cone through two circles; nan where there are none."""
    dz, dr = z1 - z0, r1 - r0
    with np.errstate(invalid="ignore", divide="ignore"):
        if abs(dz) <= 1e-12 * abs(dr):  # a plane
            return [(z0 - foot[:, 2]) / e[:, 2]]
        k = dr / dz
        c = r0 + k * (foot[:, 2] - z0)
        A = e[:, 0] ** 2 + e[:, 1] ** 2 - (k * e[:, 2]) ** 2
        B = foot[:, 0] * e[:, 0] + foot[:, 1] * e[:, 1] - c * k * e[:, 2]
        C = foot[:, 0] ** 2 + foot[:, 1] ** 2 - c**2
        root = np.sqrt(B * B - A * C)
        return [(-B + root) / A, (-B - root) / A]


def arrow_lengths(size: Floats, longest: float, peak: float) -> Floats:
    """Return arrow lengths [m], proportional to the square root of the force so that small forces are visible."""
    return np.where(size > 0.0, longest * np.maximum(np.sqrt(size / peak), MIN_LENGTH), 0.0)


def rotation_from_z(direction: Floats) -> Floats:
    """Return quaternions wxyz, shape (n, 4), that rotate z onto unit vectors."""
    x, y, z = direction.T
    q = np.stack([1.0 + z, -y, x, np.zeros_like(x)], axis=1)
    opposite = q[:, 0] < 1e-9
    q[opposite] = [0.0, 1.0, 0.0, 0.0]
    return np.asarray(q / np.linalg.norm(q, axis=1)[:, None])


def arrow_rotations(R_NA: Floats, force_A: Floats) -> Floats:
    """Return quaternions wxyz in the world, (n, 4), along forces (n, 3) in A; without force, the last one."""
    size = np.linalg.norm(force_A, axis=1)
    loaded = size > 0.0
    rotation = np.zeros((len(size), 4))
    direction = force_A[loaded] / size[loaded][:, None]
    rotation[loaded] = rotation_from_z(np.einsum("nij,nj->ni", R_NA[loaded], direction))
    return np.asarray(rotation[last_loaded_rows(loaded)])


def last_loaded_rows(loaded: NDArray[np.bool_]) -> Indices:
    """Return for every row the last one with force up to it, or the first one with force."""
    rows = np.where(loaded, np.arange(len(loaded)), int(np.argmax(loaded)))
    return np.asarray(np.maximum.accumulate(rows))


def arrow_node(
    name: str, time: Floats, position: Floats, rotation: Floats, length: Floats, size: float
) -> Node:
    """Return an arrow with its head at positions (n, 3) [m]; `size` is that of the mechanism [m]."""
    return Node(
        name=name,
        parts=(Part(mesh=ARROW, material=MATERIAL, role=Role.FORCE),),
        tracks={
            "translation": track(time, position, 3e-3 * size),
            "rotation": rotation_track(time, rotation, 0.02),
            "scale": track(time, np.repeat(length[:, None], 3, axis=1), 5e-3 * size),
        },
    )
