"""Contacts of a pin's body with the twelve outer edges and eight corners of the box around its hole.

A pin parallel to an edge touches it with both caps, so the weight of an edge is the squared sine of the angle between
them; the weights of the three edges at a corner add up to 2, and the corner has the weight -1: Eq. (P15).
"""

import math

from softdock.contact.kernels.hole import EDGE
from softdock.contact.kernels.pin_rows import BODY, CORRECTION, COUPLE, add_row
from softdock.native.decorators import inline, kernel


@kernel
def add_edge_contacts(shape, P, a, rows, count):
    """Add rows for the contacts of the pin's body with edges and corners, and corrections for those of its caps."""
    r, L = shape.pin_radius, shape.pin_length
    half = (shape.half_x, shape.half_y, 0.5 * shape.height)
    x, y, z = P[0], P[1], P[2] + half[2]  # from the middle of the box
    end_x, end_y = x + L * a[0], y + L * a[1]
    if max(abs(x), abs(end_x)) < half[0] - r and max(abs(y), abs(end_y)) < half[1] - r:
        return count
    for axis in range(3):
        along = 1.0 - a[axis] * a[axis]
        for corner in range(4):
            first, second = 2.0 * (corner % 2) - 1.0, 2.0 * (corner // 2) - 1.0
            if axis == 0:
                middle = (0.0, first * half[1], second * half[2])
            elif axis == 1:
                middle = (first * half[0], 0.0, second * half[2])
            else:
                middle = (first * half[0], second * half[1], 0.0)
            if abs(middle[0]) < math.inf and abs(middle[1]) < math.inf:
                count = add_line_contacts(shape, (x, y, z), a, middle, axis, half[axis], along, rows, count)
    for corner in range(8):
        middle = (
            half[0] * (2.0 * (corner % 2) - 1.0),
            half[1] * (2.0 * (corner // 2 % 2) - 1.0),
            half[2] * (2.0 * (corner // 4) - 1.0),
        )
        if abs(middle[0]) < math.inf and abs(middle[1]) < math.inf:
            count = add_line_contacts(shape, (x, y, z), a, middle, -1, 0.0, -1.0, rows, count)
    return count


@inline
def add_line_contacts(shape, P, a, middle, axis, reach, edge_weight, rows, count):
    """Add the contact with one edge along an axis, or with a corner (axis -1), and the corrections for the caps."""
    L = shape.pin_length
    ex, ey, ez = 1.0 if axis == 0 else 0.0, 1.0 if axis == 1 else 0.0, 1.0 if axis == 2 else 0.0
    px, py, pz = P[0] - middle[0], P[1] - middle[1], P[2] - middle[2]
    cosine = a[0] * ex + a[1] * ey + a[2] * ez
    on_pin, on_edge = -(a[0] * px + a[1] * py + a[2] * pz), ex * px + ey * py + ez * pz
    squared_sine = 1.0 - cosine * cosine
    t = min(max((on_pin + cosine * on_edge) / squared_sine, 0.0), L) if squared_sine > 1e-14 else 0.0
    u = on_edge + cosine * t
    if u < -reach or u > reach:
        u = min(max(u, -reach), reach)
        t = min(max(on_pin + cosine * u, 0.0), L)
    fractions = (1.0 if t <= 0.0 else 0.0, 1.0 if t >= L and L > 0.0 else 0.0)
    if 0.0 < t < L:
        X = (middle[0] + u * ex, middle[1] + u * ey, middle[2] + u * ez)
        count = add_edge_contact(shape, P, a, t, X, (ex, ey, ez), cosine, edge_weight, 1.0, BODY, rows, count)
    for part in range(2):
        fraction = fractions[part] - shape.cap_share
        if fraction != 0.0:
            t = part * L
            u = min(max(on_edge + cosine * t, -reach), reach)
            X = (middle[0] + u * ex, middle[1] + u * ey, middle[2] + u * ez)
            count = add_edge_contact(
                shape, P, a, t, X, (ex, ey, ez), cosine, edge_weight, fraction, CORRECTION, rows, count
            )
    return count


@inline
def add_edge_contact(shape, P, a, t, X, e, cosine, edge_weight, fraction, part, rows, count):
    """Add the contact with point X of an edge, with the couple that follows from its weight."""
    vx, vy, vz = P[0] + t * a[0] - X[0], P[1] + t * a[1] - X[1], P[2] + t * a[2] - X[2]
    distance = math.sqrt(vx * vx + vy * vy + vz * vz)
    if not 0.0 < distance < shape.pin_radius:
        return count
    n = (vx / distance, vy / distance, vz / distance)
    depth = shape.pin_radius - distance
    place = (X[0], X[1], X[2] - 0.5 * shape.height)
    count = add_row(rows, count, edge_weight * fraction, part, EDGE, place, n, depth, t)
    twist = fraction * cosine * depth * depth
    row = rows[count - 1]
    row[COUPLE] = twist * (a[1] * e[2] - a[2] * e[1])
    row[COUPLE + 1] = twist * (a[2] * e[0] - a[0] * e[2])
    row[COUPLE + 2] = twist * (a[0] * e[1] - a[1] * e[0])
    return count
