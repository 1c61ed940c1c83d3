"""Nearest point of a hole and its box to the centre of a pin's cap.

Vectors are in the frame H of the hole: origin in the centre of the opening, z out of the hole along its axis, x and y
along the sides of the box.
"""

import math

from softdock.contact.kernels.rim import planar_norm
from softdock.native.decorators import inline

# Features of a hole; values of `pins.Feature`.
BOTTOM, WALL, CHAMFER, RIM, FACE, EDGE, SIDE, UNDERSIDE = 0, 1, 2, 3, 4, 5, 6, 7
# Bottom of a hole.
ROUND_BOTTOM, THROUGH_HOLE = 0, 1


@inline
def nearest_on_meridian(shape, rho, z):
    """Return the nearest point of the hole's meridian to a point (rho, z) [m] of its half-plane.

    Feature, nearest point (rho, z) [m], direction from there to the point, distance [m]; Eq. (P4). The distance is
    continuously differentiable outside the material.
    """
    R, width, drop = shape.radius, shape.chamfer_width, shape.chamfer_depth
    if z >= 0.0 and rho >= R + width:
        return FACE, rho, 0.0, 0.0, 1.0, z
    if z < 0.0 and rho > R + width and -z < rho - R and z > -0.5 * shape.height:
        return FACE, rho, 0.0, 0.0, 1.0, z  # the centre of the cap is below the face: the shorter way out
    if z >= -drop:
        if drop > 0.0:
            slant = planar_norm(width, drop)
            along = ((rho - R) * width + (z + drop) * drop) / slant
            if along >= slant:
                return nearest_on_edge(R + width, 0.0, rho, z)
            if along > 0.0:
                n_r, n_z = -drop / slant, width / slant
                x, y = R + along * width / slant, -drop + along * drop / slant
                return CHAMFER, x, y, n_r, n_z, (rho - R) * n_r + (z + drop) * n_z
        if z > -drop or drop == 0.0:
            return nearest_on_edge(R, -drop, rho, z)
    if shape.bottom == THROUGH_HOLE:
        if z < -shape.height:
            if rho >= R:
                return UNDERSIDE, rho, -shape.height, 0.0, -1.0, -shape.height - z
            return nearest_on_edge(R, -shape.height, rho, z)
    elif z < -shape.straight:
        low = z + shape.straight
        distance = planar_norm(rho, low)
        if distance == 0.0:
            return BOTTOM, 0.0, -shape.straight - R, 0.0, 1.0, R
        return (
            BOTTOM,
            R * rho / distance,
            -shape.straight + R * low / distance,
            -rho / distance,
            -low / distance,
            R - distance,
        )
    return WALL, R, z, -1.0, 0.0, R - rho


@inline
def nearest_on_edge(rho_c, z_c, rho, z):
    """Return the result of `nearest_on_meridian` for a circular edge at (rho_c, z_c)."""
    distance = planar_norm(rho - rho_c, z - z_c)
    if distance == 0.0:
        return RIM, rho_c, z_c, -1.0, 0.0, 0.0
    return RIM, rho_c, z_c, (rho - rho_c) / distance, (z - z_c) / distance, distance


@inline
def nearest_on_hole(shape, x, y, z, side):
    """Return feature, nearest point [m], direction and distance [m] for the centre of a cap.

    `side` is 1.0 for the near side of the hole and -1.0 for the opposite side, which only a pin wider than its hole
    touches.
    """
    hx, hy, low = shape.half_x, shape.half_y, -shape.height
    # The box has one nearest point, none on the opposite side.
    if side > 0.0 and (abs(x) > hx or abs(y) > hy):
        px, py, pz = min(max(x, -hx), hx), min(max(y, -hy), hy), min(max(z, low), 0.0)
        vx, vy, vz = x - px, y - py, z - pz
        distance = math.sqrt(vx * vx + vy * vy + vz * vz)
        kinds = (vx != 0.0) + (vy != 0.0) + (vz != 0.0)
        return SIDE if kinds == 1 else EDGE, px, py, pz, vx / distance, vy / distance, vz / distance, distance
    if z <= low and shape.bottom == ROUND_BOTTOM:
        return UNDERSIDE, x, y, low, 0.0, 0.0, -1.0, low - z
    rho = planar_norm(x, y)
    ex, ey = (x / rho, y / rho) if rho > 0.0 else (1.0, 0.0)
    feature, place, height, n_r, n_z, distance = nearest_on_meridian(shape, side * rho, z)
    ex, ey = side * ex, side * ey
    return feature, place * ex, place * ey, height, n_r * ex, n_r * ey, n_z, distance
