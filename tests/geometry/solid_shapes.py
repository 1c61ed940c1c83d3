"""Shapes for tests of solids, points near their features, and signed distances in closed form."""

import numpy as np

from softdock.geometry.solids.primitives import extrude, place, revolve
from softdock.geometry.vertices import Vertex, profile_from_vertices
from softdock.spatial.poses import Pose
from softdock.spatial.rotations import matrix_from_quaternion


def corners(*places):
    return profile_from_vertices([v if not isinstance(v, tuple) else Vertex(at=v) for v in places])


def shift(x, y, z):
    return Pose(R=np.eye(3), p=np.array([x, y, z], float))


def any_pose(seed):
    rng = np.random.default_rng(seed)
    q = rng.normal(size=4)
    return Pose(R=matrix_from_quaternion(q / np.linalg.norm(q)), p=rng.uniform(-0.3, 0.3, 3))


def box(a, b, c):
    """Return a box centred at the origin."""
    outline = corners((0.0, 0.0), (0.0, b), (a, b), (a, 0.0), (0.0, 0.0)).segments
    return place(extrude(outline, c), shift(-a / 2, -b / 2, -c / 2))


def cylinder(radius, height):
    """Return a cylinder about z, centred at the origin."""
    profile = corners((0.0, 0.0), (0.0, radius), (height, radius), (height, 0.0))
    return place(revolve(profile), shift(0, 0, -height / 2))


def box_depth(points, sides, rounding=0.0):
    """Return the depth below a box centred at the origin whose edges are rounded."""
    q = np.abs(points) - np.array(sides) / 2 + rounding
    return rounding - np.linalg.norm(np.maximum(q, 0.0), axis=1) - np.minimum(q.max(axis=1), 0.0)


def cylinder_depth(points, radius, height):
    q = np.column_stack([np.hypot(points[:, 0], points[:, 1]) - radius, np.abs(points[:, 2]) - height / 2])
    return -np.linalg.norm(np.maximum(q, 0.0), axis=1) - np.minimum(q.max(axis=1), 0.0)


def points_near(solid, count, seed=0, reach=1e-3):
    """Return points within reach of all faces, edges and corners of a solid, at distances of all sizes."""
    rng = np.random.default_rng(seed)
    arrays = solid.arrays
    share = 1.0 / np.bincount(solid.face_of)[solid.face_of]
    chosen = rng.choice(len(arrays.triangles), count, p=share / share.sum())
    corner = arrays.triangles[chosen, :9].reshape(-1, 3, 3)
    places = [np.einsum("ij,ijk->ik", rng.dirichlet([1, 1, 1], count), corner)]
    if len(arrays.edges):
        e, t = rng.choice(len(arrays.edges), count), rng.uniform(-0.02, 1.02, (count, 1))
        places.append((1 - t) * arrays.edges[e, :3] + t * arrays.edges[e, 3:6])
    if arrays.is_corner.any():
        places.append(solid.vertices[rng.choice(np.flatnonzero(arrays.is_corner), count)])
    points = np.concatenate(places)
    step = rng.normal(size=points.shape)
    size = 10.0 ** rng.uniform(-7.0, np.log10(reach), (len(points), 1))
    return points + size * step / np.linalg.norm(step, axis=1)[:, None]
