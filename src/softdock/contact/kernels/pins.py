"""Contact manifold of a pin in a hole, and the force of its contacts.

A pin is a capsule: the points within its radius of an axis that begins in the centre P of the leading cap and extends
along the unit vector a over the length L. Vectors are in the frame H of the hole. The contacts and their weights make
the elastic energy continuously differentiable: Eq. (P11).
"""

import math

import numpy as np

from softdock.contact.kernels.box_edges import add_edge_contacts
from softdock.contact.kernels.hole import RIM, THROUGH_HOLE, nearest_on_hole
from softdock.contact.kernels.layout import RAMP
from softdock.contact.kernels.pin_rows import (
    BODY,
    CORRECTION,
    COUPLE,
    NORMAL,
    PART,
    PENETRATION,
    POINT,
    WEIGHT,
    add_row,
)
from softdock.contact.kernels.rim import (
    farthest_direction,
    has_second_minimum,
    nearest_direction,
    planar_norm,
    second_directions,
)
from softdock.native.decorators import inline, kernel

# Damping laws of a contact.
KELVIN_VOIGT, HUNT_CROSSLEY = 0, 1

# Columns that `add_forces` adds to: force on the pin [N], torque about H's origin [N m], energy [J], dissipation [W],
# largest depth [m], number of contacts.
FORCE, TORQUE, ENERGY, DISSIPATION, MAXIMUM_DEPTH, CONTACT_COUNT = 0, 3, 6, 7, 8, 9
TOTALS_SIZE = 10

SHAPE = np.dtype(
    [
        ("radius", np.float64),  # of the hole [m]
        ("straight", np.float64),  # depth of its straight wall [m]
        ("chamfer_width", np.float64),
        ("chamfer_depth", np.float64),
        ("half_x", np.float64),  # half the sides of the box; inf for an infinite face
        ("half_y", np.float64),
        ("height", np.float64),
        ("pin_radius", np.float64),
        ("pin_length", np.float64),  # between the centres of its caps
        ("cap_share", np.float64),  # weight of a cap
        ("stiffness", np.float64),  # per contact [N/m]
        ("damping", np.float64),  # Kelvin-Voigt [N s/m], Hunt-Crossley [s/m]
        ("friction", np.float64),
        ("static_friction", np.float64),
        ("friction_speed", np.float64),
        ("stribeck_speed", np.float64),
        ("bottom", np.int64),
        ("rim", np.int64),
        ("levels", np.int64),
        ("damping_law", np.int64),
        ("friction_law", np.int64),
    ],
    align=True,
)


@kernel
def manifold(shape, P, a, rows):
    """Write the contacts of a pin with its hole into `rows` and return their number; columns as in `pin_rows`.

    Rows with a negative weight correct for stiffness that two contacts have in common.
    """
    r, L = shape.pin_radius, shape.pin_length
    count = 0
    ends = ((P[0], P[1], P[2]), (P[0] + L * a[0], P[1] + L * a[1], P[2] + L * a[2]))
    side_count = 2 if r > shape.radius else 1
    for part in range(2):
        x, y, z = ends[part]
        for side in range(side_count):
            feature, px, py, pz, nx, ny, nz, distance = nearest_on_hole(shape, x, y, z, 1.0 - 2.0 * side)
            if distance < r and (side == 0 or z > -shape.straight):
                X, n = (px, py, pz), (nx, ny, nz)
                seen = CORRECTION if part == 1 and L == 0.0 else part  # a ball has one cap
                count = add_row(rows, count, shape.cap_share, seen, feature, X, n, r - distance, part * L)
    for rim in range(3):  # of the wall, of the chamfer, of the other end of a through-hole
        if (rim == 1 and shape.chamfer_width == 0.0) or (rim == 2 and shape.bottom != THROUGH_HOLE):
            continue
        R = shape.radius + shape.chamfer_width if rim == 1 else shape.radius
        z = -shape.chamfer_depth if rim == 0 else (0.0 if rim == 1 else -shape.height)
        count = add_rim_contacts(shape, R, z, P, a, rows, count)
    if shape.half_x < math.inf or shape.half_y < math.inf:
        count = add_edge_contacts(shape, P, a, rows, count)
    return count


@kernel
def add_rim_contacts(shape, R, z_rim, P, a, rows, count):
    """Add the contacts of the pin's body with one rim, and the corrections for those of its caps; Eq. (P10)."""
    r, L = shape.pin_radius, shape.pin_length
    x, y, z = P[0], P[1], P[2] - z_rim
    ax, ay, az = a
    z_end = z + L * az
    if min(z, z_end) >= r or max(z, z_end) <= -r:
        return count
    side_count = 2 if r > R else 1
    for part in range(2):
        t = part * L
        middle = (x + t * ax, y + t * ay, z + t * az)
        count = add_cap_correction(shape, R, z_rim, middle, a, part, side_count, rows, count)
    tilt = planar_norm(ax, ay)
    ex, ey = (ax / tilt, ay / tilt) if tilt > 1e-12 else (1.0, 0.0)
    px, py = x * ex + y * ey, y * ex - x * ey
    t_middle = -tilt * px - az * z
    if t_middle + tilt * R <= 0.0 or t_middle - tilt * R >= L:
        return count
    A, B, G = px + tilt * t_middle, py, 0.5 * tilt * tilt * R  # Eq. (P7)
    sign_A, sign_B = math.copysign(1.0, A), math.copysign(1.0, B)
    A, B = abs(A), abs(B)
    constant = x * x + y * y + z * z + R * R - t_middle * t_middle
    if constant - 2.0 * R * (planar_norm(A, B) + G) >= r * r:
        return count
    two = has_second_minimum(A, B, G)
    v = nearest_direction(A, B, G, two, shape.rim, shape.levels)
    frame = (ex, ey, sign_A, sign_B)
    count = add_body_contact(shape, R, z_rim, P, a, frame, v, 1.0, rows, count)
    if two and constant - 2.0 * R * (G + 0.25 * B * B / G) < r * r:
        second, between = second_directions(A, B, G, shape.rim, shape.levels)
        count = add_body_contact(shape, R, z_rim, P, a, frame, second, 1.0, rows, count)
        count = add_body_contact(shape, R, z_rim, P, a, frame, between, -1.0, rows, count)
    elif side_count == 2 and not two:
        count = add_body_contact(shape, R, z_rim, P, a, frame, farthest_direction(A, B, G), 1.0, rows, count)
    return count


@inline
def add_body_contact(shape, R, z_rim, P, a, frame, v, weight, rows, count):
    """Add the contact of the body with the point of a rim in a direction, if they touch."""
    ex, ey, sign_A, sign_B = frame
    c, s = sign_A * R * v[0], sign_B * R * v[1]
    X = (c * ex - s * ey, c * ey + s * ex, z_rim)
    wx, wy, wz = X[0] - P[0], X[1] - P[1], X[2] - P[2]
    t = wx * a[0] + wy * a[1] + wz * a[2]
    if not 0.0 < t < shape.pin_length:
        return count
    vx, vy, vz = t * a[0] - wx, t * a[1] - wy, t * a[2] - wz
    distance = math.sqrt(vx * vx + vy * vy + vz * vz)
    if not 0.0 < distance < shape.pin_radius:
        return count
    n = (vx / distance, vy / distance, vz / distance)
    return add_row(rows, count, weight, BODY, RIM, X, n, shape.pin_radius - distance, t)


@inline
def add_cap_correction(shape, R, z_rim, middle, a, part, side_count, rows, count):
    """Add a correction for stiffness that a cap and the body have in common at a rim; Eq. (P10)."""
    x, y, z = middle
    L = shape.pin_length
    rho = planar_norm(x, y)
    ex, ey = (x / rho, y / rho) if rho > 0.0 else (1.0, 0.0)
    for k in range(side_count):
        side = 1.0 - 2.0 * k
        distance = planar_norm(rho - side * R, z)
        if 0.0 < distance < shape.pin_radius:
            X = (side * R * ex, side * R * ey, z_rim)
            vx, vy = x - X[0], y - X[1]
            # Position of the rim's point along the axis, from this cap.
            axial_position = -(vx * a[0] + vy * a[1] + z * a[2])
            if part == 0:
                only_cap = axial_position <= 0.0
            else:
                only_cap = axial_position >= 0.0 if L > 0.0 else axial_position > 0.0
            weight = (1.0 if only_cap else 0.0) - shape.cap_share
            if weight != 0.0:
                n_r = (rho - side * R) / distance
                n = (n_r * ex, n_r * ey, z / distance)
                count = add_row(
                    rows, count, weight, CORRECTION, RIM, X, n, shape.pin_radius - distance, part * L
                )
    return count


@inline
def normal_force(shape, depth, depth_rate):
    """Return the elastic and damping force of one contact [N], never negative; Eqs. (P12)-(P13)."""
    if shape.damping_law == KELVIN_VOIGT:
        return max(shape.stiffness * depth + shape.damping * depth_rate, 0.0)
    return max(shape.stiffness * depth * (1.0 + shape.damping * depth_rate), 0.0)


@inline
def friction_per_speed(shape, normal, speed):
    """Return the friction of one contact divided by its sliding speed [N s/m]; Eq. (P14)."""
    mu, v_0 = shape.friction, shape.friction_speed
    if shape.static_friction > mu:
        ratio = speed / shape.stribeck_speed
        mu += (shape.static_friction - mu) * math.exp(-ratio * ratio)
    return mu * normal / (max(speed, v_0) if shape.friction_law == RAMP else planar_norm(speed, v_0))


@kernel
def add_forces(shape, rows, count, w, v, out):
    """Add the forces of the contacts in `rows` to the totals in `out`.

    w: angular velocity of the pin relative to the hole [rad/s]; v: relative velocity of its point at H's origin [m/s].
    """
    for i in range(count):
        row = rows[i]
        X0, X1, X2 = row[POINT], row[POINT + 1], row[POINT + 2]
        n0, n1, n2 = row[NORMAL], row[NORMAL + 1], row[NORMAL + 2]
        weight, depth = row[WEIGHT], row[PENETRATION]
        v0, v1, v2 = v[0] + w[1] * X2 - w[2] * X1, v[1] + w[2] * X0 - w[0] * X2, v[2] + w[0] * X1 - w[1] * X0
        approach = -(v0 * n0 + v1 * n1 + v2 * n2)
        normal = weight * normal_force(shape, depth, approach)
        f0, f1, f2 = normal * n0, normal * n1, normal * n2
        out[DISSIPATION] += (normal - weight * shape.stiffness * depth) * approach
        if shape.friction > 0.0 or shape.static_friction > 0.0:
            v0, v1, v2 = v0 + approach * n0, v1 + approach * n1, v2 + approach * n2
            speed = math.sqrt(v0 * v0 + v1 * v1 + v2 * v2)
            drag = friction_per_speed(shape, normal, speed)
            f0, f1, f2 = f0 - drag * v0, f1 - drag * v1, f2 - drag * v2
            out[DISSIPATION] += drag * speed * speed
        out[FORCE], out[FORCE + 1], out[FORCE + 2] = out[FORCE] + f0, out[FORCE + 1] + f1, out[FORCE + 2] + f2
        out[TORQUE] += X1 * f2 - X2 * f1
        out[TORQUE + 1] += X2 * f0 - X0 * f2
        out[TORQUE + 2] += X0 * f1 - X1 * f0
        for k in range(3):
            out[TORQUE + k] += shape.stiffness * row[COUPLE + k]
        out[ENERGY] += 0.5 * weight * shape.stiffness * depth * depth
        if weight > 0.0 and row[PART] != CORRECTION:
            out[MAXIMUM_DEPTH] = max(out[MAXIMUM_DEPTH], depth)
            out[CONTACT_COUNT] += 1.0


@kernel
def add_tangents(shape, rows, count, hole, w, v, K, D):
    """Add the stiffness and damping of the contacts in `rows` to K and D (6 by 6, rotation first); Eq. (P16).

    The axes are those of H with y and z turned round, `hole` is H's origin in them [m]; w and v as in `add_forces`, of
    the pin's point at their origin. Changes of the normals and of weights are left out.
    """
    for i in range(count):
        row = rows[i]
        x, y, z = hole[0] + row[POINT], hole[1] - row[POINT + 1], hole[2] - row[POINT + 2]
        n = (row[NORMAL], -row[NORMAL + 1], -row[NORMAL + 2])
        weight, depth = row[WEIGHT], row[PENETRATION]
        vx, vy, vz = v[0] + w[1] * z - w[2] * y, v[1] + w[2] * x - w[0] * z, v[2] + w[0] * y - w[1] * x
        approach = -(vx * n[0] + vy * n[1] + vz * n[2])
        normal = normal_force(shape, depth, approach)
        if normal == 0.0:
            continue
        if shape.damping_law == KELVIN_VOIGT:
            stiffness, damping = shape.stiffness, shape.damping
        else:
            stiffness = shape.stiffness * (1.0 + shape.damping * approach)
            damping = shape.stiffness * depth * shape.damping
        vx, vy, vz = vx + approach * n[0], vy + approach * n[1], vz + approach * n[2]
        speed = math.sqrt(vx * vx + vy * vy + vz * vz)
        drag = friction_per_speed(shape, normal, speed)
        per = drag / normal  # friction over normal force, per speed
        push = wrench_row(x, y, z, n[0] - per * vx, n[1] - per * vy, n[2] - per * vz)
        give = wrench_row(x, y, z, n[0], n[1], n[2])
        soft = planar_norm(speed, shape.friction_speed)
        if shape.friction_law == RAMP:
            soft = speed if speed > shape.friction_speed else math.inf
        slip = wrench_row(x, y, z, vx / soft, vy / soft, vz / soft)
        move_x, move_y, move_z = (
            wrench_row(x, y, z, 1.0, 0.0, 0.0),
            wrench_row(x, y, z, 0.0, 1.0, 0.0),
            wrench_row(x, y, z, 0.0, 0.0, 1.0),
        )
        for a in range(6):
            for b in range(6):
                along = move_x[a] * move_x[b] + move_y[a] * move_y[b] + move_z[a] * move_z[b]
                K[a, b] += weight * stiffness * push[a] * give[b]
                D[a, b] += weight * (
                    damping * push[a] * give[b] + drag * (along - give[a] * give[b] - slip[a] * slip[b])
                )


@inline
def wrench_row(x, y, z, a, b, c):
    """Return torque about the origin and force of the vector (a, b, c) at a point."""
    return y * c - z * b, z * a - x * c, x * b - y * a, a, b, c
