"""Depth below the unbounded surface of a face, its gradient and the foot of a point on it."""

import math

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
from softdock.native.decorators import kernel

TINY = 1e-300  # prevents division by a distance of zero


@kernel
def face_depth(faces, f, x, y, z):
    """Return the depth of a point below the surface of face f, with gradient: (s, g_x, g_y, g_z)."""
    d_x, d_y, d_z = x - faces[f, FACE_POINT], y - faces[f, FACE_POINT + 1], z - faces[f, FACE_POINT + 2]
    k_x, k_y, k_z = faces[f, FACE_AXIS], faces[f, FACE_AXIS + 1], faces[f, FACE_AXIS + 2]
    a, b, sense = faces[f, FACE_A], faces[f, FACE_B], faces[f, FACE_SENSE]
    h = d_x * k_x + d_y * k_y + d_z * k_z
    if faces[f, FACE_KIND] == PLANE:
        return sense * h, sense * k_x, sense * k_y, sense * k_z  # Eq. (G40)
    r_x, r_y, r_z = d_x - h * k_x, d_y - h * k_y, d_z - h * k_z
    rho = math.sqrt(r_x * r_x + r_y * r_y + r_z * r_z)
    if faces[f, FACE_KIND] == CONE:
        radial, axial = sense * b / (rho + TINY), sense * a
        s = sense * (a * h + b * rho + faces[f, FACE_C])  # Eq. (G40)
    else:
        d = rho - a
        distance = math.sqrt(d * d + h * h)
        axial = sense / (distance + TINY)
        radial = axial * d / (rho + TINY)
        axial *= h
        s = sense * (distance - b)  # Eq. (G41)
    return s, radial * r_x + axial * k_x, radial * r_y + axial * k_y, radial * r_z + axial * k_z


@kernel
def has_foot(faces, f, x, y, z, s):
    """Return whether the foot of a point at depth s lies on face f's side of its axis; beyond a tip it does not."""
    kind, a, b = faces[f, FACE_KIND], faces[f, FACE_A], faces[f, FACE_B]
    if kind == PLANE or (kind == TORUS and (a == 0.0 or a >= b)):
        return True
    d_x, d_y, d_z = x - faces[f, FACE_POINT], y - faces[f, FACE_POINT + 1], z - faces[f, FACE_POINT + 2]
    k_x, k_y, k_z = faces[f, FACE_AXIS], faces[f, FACE_AXIS + 1], faces[f, FACE_AXIS + 2]
    h = d_x * k_x + d_y * k_y + d_z * k_z
    square = (d_x - h * k_x) ** 2 + (d_y - h * k_y) ** 2 + (d_z - h * k_z) ** 2
    rho, s = math.sqrt(square), s * faces[f, FACE_SENSE]
    if kind == CONE:
        return rho >= s * b
    return (
        a * (s + b) + b * (rho - a) >= 0.0
    )  # the foot's distance from the axis, times that of the point from the tube


@kernel
def depths_below_faces(faces, index, points, results):
    """Write depth and gradient of every point below the surface of a face, whose number is in `index`."""
    for i in range(points.shape[0]):
        s, g_x, g_y, g_z = face_depth(faces, index[i], points[i, 0], points[i, 1], points[i, 2])
        results[i, 0], results[i, 1], results[i, 2], results[i, 3] = s, g_x, g_y, g_z
