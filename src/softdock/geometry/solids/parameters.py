"""Parameters (u, v) of exact faces: the angle about the axis and the length or angle along the meridian."""

import numpy as np
from numpy.typing import NDArray

from softdock.geometry.solids.kernels.layout import (
    CONE,
    FACE_A,
    FACE_AXIS,
    FACE_B,
    FACE_C,
    FACE_KIND,
    FACE_POINT,
    FACE_SENSE,
    PLANE,
    TORUS,
)
from softdock.geometry.solids.kernels.parameter_columns import (
    FRAME_COLUMNS,
    FRAME_H,
    FRAME_KIND,
    FRAME_ORIGIN,
    FRAME_RATE_H,
    FRAME_RATE_RHO,
    FRAME_RHO,
    FRAME_X,
    FRAME_Y,
    FRAME_Z,
)

Array = NDArray[np.float64]

ON_AXIS = 1e-8
"""Largest distance [m] from the axis of a point whose angle is undefined."""
CLEAR_OF_POLES = 0.05
"""Least angle [rad] between the boundary of a sphere's face and the poles of its parameters."""


def parameter_frame(row: Array, normal: Array, boundary: Array) -> Array:
    """Return the frame of the parameters of a face, shape (FRAME_COLUMNS,), Eq. (G52).

    `normal` is the sum of the outward normals of its triangles; `boundary` (n, 3) [m] are points that no pole of a
    sphere may be near. The tangents along u and v and the outward normal are right-handed.
    """
    frame = np.zeros(FRAME_COLUMNS)
    frame[FRAME_KIND] = row[FACE_KIND]
    frame[FRAME_ORIGIN : FRAME_ORIGIN + 3] = row[FACE_POINT : FACE_POINT + 3]
    axis = row[FACE_AXIS : FACE_AXIS + 3]
    if row[FACE_KIND] == PLANE:
        axis = -row[FACE_SENSE] * axis  # the outward normal
    elif row[FACE_KIND] == TORUS and row[FACE_A] == 0.0:
        axis = _axis_of_sphere(row, normal, boundary)
    x = _perpendicular(axis)
    y = np.cross(axis, x)
    if row[FACE_KIND] == CONE:
        a, b, c = row[FACE_A], row[FACE_B], row[FACE_C]
        frame[FRAME_H], frame[FRAME_RHO] = -a * c, -b * c  # nearest to the origin of the frame
        frame[FRAME_RATE_H], frame[FRAME_RATE_RHO] = b, -a
        outward = -row[FACE_SENSE]  # of the gradient (a, b), to which the tangents along u and v turn
    else:
        frame[FRAME_H], frame[FRAME_RHO] = row[FACE_A], row[FACE_B]
        outward = -row[FACE_SENSE] if row[FACE_KIND] == TORUS else 1.0
    frame[FRAME_X : FRAME_X + 3], frame[FRAME_Y : FRAME_Y + 3] = x, y * outward
    frame[FRAME_Z : FRAME_Z + 3] = axis
    return frame


def _axis_of_sphere(row: Array, normal: Array, boundary: Array) -> Array:
    """Return an axis whose poles are far from the boundary of a face, and outside it if possible."""
    length = np.linalg.norm(normal)
    towards = normal / length if length > 0.0 else row[FACE_AXIS : FACE_AXIS + 3]
    first = _perpendicular(towards)
    second = np.cross(towards, first)
    radii = (boundary - row[FACE_POINT : FACE_POINT + 3]) / row[FACE_B]
    angles = np.linspace(0.0, np.pi, 13)[:-1] + 0.1
    candidates = [np.cos(a) * first + np.sin(a) * second for a in angles]
    candidates += [0.8 * c + 0.6 * towards for c in candidates]

    def clearance(axis: Array) -> float:
        return 1.0 - float(np.abs(radii @ axis).max(initial=0.0))

    for candidate in candidates:
        if clearance(candidate) > 1.0 - np.cos(CLEAR_OF_POLES):
            return np.asarray(candidate)
    return np.asarray(max(candidates, key=clearance))


def _perpendicular(axis: Array) -> Array:
    other = np.zeros(3)
    other[np.argmin(np.abs(axis))] = 1.0
    x = np.cross(axis, other)
    return np.asarray(x / np.linalg.norm(x))


def meridian(frame: Array, v: Array) -> tuple[Array, Array]:
    """Return h and rho [m] of the parameter v, Eq. (G52)."""
    if frame[FRAME_KIND] == CONE:
        return frame[FRAME_H] + v * frame[FRAME_RATE_H], frame[FRAME_RHO] + v * frame[FRAME_RATE_RHO]
    return frame[FRAME_RHO] * np.sin(v), frame[FRAME_H] + frame[FRAME_RHO] * np.cos(v)


def face_points(frame: Array, u: Array, v: Array) -> Array:
    """Return the points of the parameters, shape (..., 3) [m], Eq. (G52)."""
    origin, x, y, z = (frame[k : k + 3] for k in (FRAME_ORIGIN, FRAME_X, FRAME_Y, FRAME_Z))
    if frame[FRAME_KIND] == PLANE:
        return np.asarray(origin + u[..., None] * x + v[..., None] * y)
    h, rho = meridian(frame, v)
    return np.asarray(
        origin + h[..., None] * z + (rho * np.cos(u))[..., None] * x + (rho * np.sin(u))[..., None] * y
    )


def area_density(frame: Array, v: Array) -> Array:
    """Return the area of the face per area of its parameters, Eq. (G53)."""
    if frame[FRAME_KIND] == PLANE:
        return np.ones_like(v)
    rho = meridian(frame, v)[1]
    return np.asarray(rho if frame[FRAME_KIND] == CONE else rho * frame[FRAME_RHO])


def parameters_of(frame: Array, points: Array) -> tuple[Array, Array]:
    """Return u and v of points (n, 3) [m] of a face; u is NaN on the axis."""
    d = points - frame[FRAME_ORIGIN : FRAME_ORIGIN + 3]
    x, y, h = (d @ frame[k : k + 3] for k in (FRAME_X, FRAME_Y, FRAME_Z))
    if frame[FRAME_KIND] == PLANE:
        return x, y
    rho = np.hypot(x, y)
    u = np.where(rho > ON_AXIS, np.arctan2(y, x), np.nan)
    if frame[FRAME_KIND] == CONE:
        return u, (h - frame[FRAME_H]) * frame[FRAME_RATE_H] + (rho - frame[FRAME_RHO]) * frame[
            FRAME_RATE_RHO
        ]
    return u, np.arctan2(h, rho - frame[FRAME_H])


def poles(frame: Array) -> tuple[float, float]:
    """Return the parameters v below and above which the face would cross its axis; infinite for none."""
    if frame[FRAME_KIND] == CONE and frame[FRAME_RATE_RHO] != 0.0:
        tip = -frame[FRAME_RHO] / frame[FRAME_RATE_RHO]
        return (tip, np.inf) if frame[FRAME_RATE_RHO] > 0.0 else (-np.inf, tip)
    if frame[FRAME_KIND] == TORUS and abs(frame[FRAME_H]) < frame[FRAME_RHO]:
        v = float(np.arccos(-frame[FRAME_H] / frame[FRAME_RHO]))
        return -v, v
    return -np.inf, np.inf


def is_periodic(frame: Array) -> tuple[bool, bool]:
    """Return whether u and v are angles that return after a full turn."""
    turns = frame[FRAME_KIND] != PLANE
    return bool(turns), bool(frame[FRAME_KIND] == TORUS and frame[FRAME_H] >= frame[FRAME_RHO])


def width_of_u(frame: Array, v_0: float, v_1: float) -> float:
    """Return the largest length per u [m] between two parameters v."""
    if frame[FRAME_KIND] == PLANE:
        return 1.0
    ends = meridian(frame, np.array([v_0, v_1]))[1]
    if frame[FRAME_KIND] == TORUS and v_0 < 0.0 < v_1:
        return float(frame[FRAME_H] + frame[FRAME_RHO])
    return float(ends.max())


def length_of_v(frame: Array) -> float:
    """Return the length per v [m]."""
    return float(frame[FRAME_RHO]) if frame[FRAME_KIND] == TORUS else 1.0
