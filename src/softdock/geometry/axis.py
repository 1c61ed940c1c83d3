"""Axis of a body of revolution, from exact faces or from the normals and vertices of facets."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from softdock.errors import InputError
from softdock.geometry.facets import ExactFace, Facets

Array = NDArray[np.float64]

_SNAP = 1e-6
"""Tolerance, relative to the size, within which an axis found from facets is set to an axis of the file."""
_SAMPLES, _NEIGHBOURS, _PASSES = 20_000, 24, 8
_NORMAL_WEIGHT = 0.02
"""Weight of the direction of normals, relative to the body's size, in the search for neighbouring vertices."""


@dataclass(frozen=True, kw_only=True)
class AxisFrame:
    """Pose of the profile's frame S in the file's frame F; z of S is the axis of revolution."""

    p_FS: Array
    """Origin of S in F, shape (3,) [m]."""
    R_FS: Array
    """Rotation, shape (3, 3): v_F = R_FS v_S."""

    def to_profile_frame(self, points_F: Array) -> Array:
        """Return points in S from points in F, shape (n, 3) [m]."""
        return np.asarray((points_F - self.p_FS) @ self.R_FS)

    def cylindrical(self, points_F: Array) -> tuple[Array, Array, Array]:
        """Return z [m], r [m] and the azimuth [rad] about the axis of points in F, Eq. (G1)."""
        x, y, z = self.to_profile_frame(points_F).T
        return z, np.hypot(x, y), np.arctan2(y, x)


def frame_on_axis(point: Array, direction: Array) -> AxisFrame:
    """Return the frame with its origin at a point of the axis and z along the direction, both in F.

    x of S lies in the plane of z and the file's x axis (its y axis where z is along x).
    """
    length = float(np.linalg.norm(direction))
    if not (np.isfinite(point).all() and np.isfinite(length) and length > 0.0):
        raise InputError("The axis needs a finite point and a direction that is not zero.")
    z = direction / length
    seed = np.array([1.0, 0.0, 0.0]) if abs(z[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    x = seed - (seed @ z) * z
    x /= np.linalg.norm(x)
    return AxisFrame(p_FS=np.array(point, float), R_FS=np.column_stack([x, np.cross(z, x), z]))


def find_axis(facets: Facets) -> AxisFrame:
    """Return the frame of the axis about which most of the body's surface is of revolution.

    The origin is the point of the axis nearest to the file's origin; z points along the axis of the file with
    which it makes the smallest angle.
    """
    exact = _axis_from_faces(facets)
    point, direction = exact if exact is not None else _refine_axis(facets, *_axis_from_normals(facets))
    direction = direction * np.sign(direction[np.argmax(np.abs(direction))])
    point = point - (point @ direction) * direction
    point[np.abs(point) < 1e-12 * facets.size] = 0.0  # rounding of the projection
    return frame_on_axis(point, direction)


def _axis_from_faces(facets: Facets) -> tuple[Array, Array] | None:
    """Return the line shared by the largest area of cylinders, cones, tori and spheres."""
    _, areas = facets.normals()
    weights = np.bincount(np.maximum(facets.face_of, 0), areas, max(len(facets.faces), 1))
    weighted = [(f, w) for f, w in zip(facets.faces, weights) if f is not None and w > 0.0]
    tolerance = 1e-6 * facets.size
    best, best_area = None, 0.0
    for face, _ in weighted:
        if face.axis is None or face.kind == "plane":
            continue
        area = sum(w for f, w in weighted if _is_coaxial(f, face.point, face.axis, tolerance))
        if area > best_area * (1 + 1e-9):
            best, best_area = (face.point, face.axis), area
    if best is not None:
        return best
    spheres = [(w, f) for f, w in weighted if f.kind == "sphere"]
    if not spheres:
        return None
    planes = [(w, f) for f, w in weighted if f.kind == "plane"]
    normal = max(planes, key=lambda p: p[0])[1].axis if planes else np.array([0.0, 0.0, 1.0])
    assert normal is not None
    return max(spheres, key=lambda s: s[0])[1].point, normal


def _is_coaxial(face: ExactFace, point: Array, axis: Array, tolerance: float) -> bool:
    offset = face.point - point
    if np.linalg.norm(offset - (offset @ axis) * axis) > tolerance:
        return False
    return face.kind == "sphere" or (
        face.kind != "plane"
        and face.axis is not None
        and bool(np.linalg.norm(np.cross(face.axis, axis)) < 1e-6)
    )


def _axis_from_normals(facets: Facets) -> tuple[Array, Array]:
    """Return the line that the normals of the facets meet, Eq. (G2), each facet weighted by its area.

    Facets that do not belong to the surface of revolution are outliers (iteratively reweighted least squares): each
    pass weights a facet by how well its normal meets the line of the previous pass.
    """
    normals, areas = facets.normals()
    centres = facets.vertices[facets.triangles].mean(axis=1)
    shift, size = facets.vertices.mean(axis=0), facets.size
    rows = np.hstack([np.cross((centres - shift) / size, normals), normals])
    best: tuple[float, Array, Array] | None = None
    for start in (np.ones(len(areas)), *_start_weights(rows)):
        weights = start
        for width in np.geomspace(0.1, 1e-3, 12):
            direction, moment = _line_complex(rows, areas * weights)
            miss = rows @ np.concatenate([direction, moment])
            weights = 1 / (1 + (miss / width) ** 2)
        cost = float(areas @ (1 - weights))
        if best is None or cost < best[0] * (1 - 1e-9):
            best = cost, direction, moment
    assert best is not None
    _, direction, moment = best
    return shift + size * np.cross(direction, moment), direction


def _start_weights(rows: Array) -> list[Array]:
    """Return start weights for each axis of the file: high for facets with normals that meet a line along it."""
    starts = []
    for k in range(3):
        direction, moment = np.eye(3)[k], np.zeros(3)
        starts.append(1 / (1 + (rows @ np.concatenate([direction, moment]) / 0.1) ** 2))
    return starts


def _line_complex(rows: Array, weights: Array) -> tuple[Array, Array]:
    """Return the unit direction d and the moment m that minimise the weighted sum of (d.(c x n) + m.n)^2."""
    A = rows.T @ (weights[:, None] * rows)
    D, C, M = A[:3, :3], A[:3, 3:], A[3:, 3:]
    M_inverse = np.linalg.pinv(M, rcond=1e-9, hermitian=True)
    _, vectors = np.linalg.eigh(D - C @ M_inverse @ C.T)
    d = vectors[:, 0]
    m = -M_inverse @ C.T @ d
    return d, m - (m @ d) * d


def _refine_axis(facets: Facets, point: Array, direction: Array) -> tuple[Array, Array]:
    """Return the axis for which the vertices lie on one curve in the (z, r) half-plane, by Gauss-Newton iteration.

    Normals of facets are approximate, vertices are exact. Each vertex is compared with the mean of its neighbours in
    the half-plane with similar normals, at any azimuth.
    """
    normals, areas = facets.normals()
    stride = max(1, len(facets.vertices) // _SAMPLES)
    vertex_normals = np.zeros_like(facets.vertices)
    for k in range(3):
        np.add.at(vertex_normals, facets.triangles[:, k], normals * areas[:, None])
    vertices, vertex_normals = facets.vertices[::stride], vertex_normals[::stride]
    for _ in range(_PASSES):
        frame = frame_on_axis(point, direction)
        z, r, phi = frame.cylindrical(vertices)
        n = vertex_normals @ frame.R_FS
        n_r, n_z = n[:, 0] * np.cos(phi) + n[:, 1] * np.sin(phi), n[:, 2]
        length = np.maximum(np.hypot(n_r, n_z), 1e-30)
        n_r, n_z = n_r / length, n_z / length
        coordinates = np.column_stack(
            [z, r, _NORMAL_WEIGHT * facets.size * n_z, _NORMAL_WEIGHT * facets.size * n_r]
        )
        near = cKDTree(coordinates).query(coordinates, k=min(_NEIGHBOURS, len(z)))[1]
        zero = np.zeros_like(z)
        dz = np.column_stack([zero, zero, -r * np.sin(phi), r * np.cos(phi)])
        dr = np.column_stack([-np.cos(phi), -np.sin(phi), z * np.sin(phi), -z * np.cos(phi)])
        residual = n_z * (z - z[near].mean(1)) + n_r * (r - r[near].mean(1))
        jacobian = n_z[:, None] * (dz - dz[near].mean(1)) + n_r[:, None] * (dr - dr[near].mean(1))
        # Cauchy weights, so that edges and outliers do not move the axis.
        weight = 1 / (1 + (residual / (3 * np.median(np.abs(residual)) + 1e-12 * facets.size)) ** 2)
        a, b, t_x, t_y = np.linalg.lstsq(jacobian * weight[:, None], -residual * weight, rcond=1e-9)[0]
        point = point + frame.R_FS @ [a, b, 0.0]
        direction = frame.R_FS @ [t_y, -t_x, 1.0]
    return _snap_to_file_axes(point, direction / np.linalg.norm(direction), facets.size)


def _snap_to_file_axes(point: Array, direction: Array, size: float) -> tuple[Array, Array]:
    """Return the axis, set to an axis or the origin of the file where it is within the tolerance."""
    axis = np.argmax(np.abs(direction))
    unit = np.eye(3)[axis] * np.sign(direction[axis])
    if np.linalg.norm(direction - unit) < _SNAP:
        direction = unit
    point = point - (point @ direction) * direction
    return np.where(np.abs(point) < _SNAP * size, 0.0, point), direction
