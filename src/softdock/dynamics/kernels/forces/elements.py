"""Forces of springs, stops, drives, struts, welds, couplings and loads: one function each, one dispatch."""

import math

import numpy as np

from softdock.dynamics.kernels.forces.couplings import (
    COUPLING_LAW,
    coupling_pose,
    coupling_velocity,
    coupling_wrench,
    socket_acts,
)
from softdock.dynamics.kernels.forces.drives import apply_position_drive, apply_speed_drive
from softdock.dynamics.kernels.forces.motion_profiles import COLUMNS, KNOTS
from softdock.dynamics.kernels.forces.stops import apply_stop
from softdock.native.decorators import inline, kernel
from softdock.spatial.kernels import (
    inverse_left_jacobian_factor,
    matrix_product,
    rotate,
    rotate_inverse,
    rotation_vector_from_matrix,
    transpose,
    unpack_matrix,
)
from softdock.tree.kernels.joint_motion import joint_deflection, joint_speed, push_joint
from softdock.tree.kernels.poses import (
    add_wrench,
    link_angular_velocity,
    link_point,
    link_rotation,
    point_velocity,
)

# Kinds of elements.
SPRING = 0  # along a joint: spring, damper and preload
STOP = 1  # along a joint: one-sided end stop
DRIVE_POSITION = 2  # along a joint axis: follows a position command; see drives
DRIVE_SPEED = 3  # along a joint axis: follows a speed command
STRUT = 4  # spring and damper between two points
WELD = 5  # compliant connection of two frames in all six directions
LOAD = 6  # external force and torque, from a table over time
LOCK = 7  # rigid connection of two frames; see locks
COUPLING = 8  # plug on b and socket on a; see couplings

# Laws of springs.
LINEAR = 0
EXPONENTIAL = 1

ELEMENT = np.dtype(
    [
        ("kind", np.int64),
        ("active", np.int64),
        ("a", np.int64),  # link of frame F (joint elements: the moving link)
        ("b", np.int64),  # link of frame G
        ("at_q", np.int64),
        ("at_u", np.int64),  # counted among the speeds
        ("rows", np.int64),  # axes of the joint: 1, 2 or 3
        ("ball", np.int64),  # 1: the deflection is the rotation vector of a ball joint
        ("law", np.int64),  # of a spring; of a drive the kind of its profile
        ("in_body", np.int64),  # a load: 1 if it turns with its body
        ("node", np.int64),  # a load: node of a structure on which it acts, or -1
        ("table", np.int64),  # a load: first row of its table
        ("table_rows", np.int64),
        ("R_aF", np.float64, 9),
        ("p_aF", np.float64, 3),
        ("R_bG", np.float64, 9),
        ("p_bG", np.float64, 3),
        ("R_FG", np.float64, 9),  # weld, lock: relative pose without force
        ("p_FG", np.float64, 3),
        ("stiffness", np.float64, 6),  # rotations first for a weld; one value for the others
        ("damping", np.float64, 6),
        ("rest", np.float64, 3),
        ("reference", np.float64),  # exponential law: deflection that doubles the stiffness
        ("exponent", np.float64),
        ("preload", np.float64),
        ("friction", np.float64),  # Coulomb force of a spring or drive
        ("friction_speed", np.float64),  # speed below which friction is proportional to speed
        ("lower", np.float64),
        ("upper", np.float64),
        # Of a stop: depth [m or rad] and speed [m/s or rad/s] up to which a joint rests at it, Eq. (M117), and its
        # response time sqrt(m / k) [s].
        ("resting_depth", np.float64),
        ("resting_speed", np.float64),
        ("response_time", np.float64),
        ("target", np.float64),
        ("rate", np.float64),
        ("max_force", np.float64),
        ("max_power", np.float64),
        # Drives.
        ("acceleration", np.float64),
        ("jerk", np.float64),
        ("backlash", np.float64),
        ("viscous", np.float64),  # friction per speed
        ("losses", np.float64),  # of the transmission over its load: 1 / efficiency - 1
        ("stall_speed", np.float64),
        ("at_delay", np.int64),  # self-locking: index of its delay in the state; otherwise -1
        ("knot_count", np.int64),
        ("knots", np.float64, (KNOTS, COLUMNS)),  # segments of the profile; see motion_profiles
        ("wrench", np.float64, 6),  # a load: torque, force
        ("coupling", COUPLING_LAW),
        # Results of the last evaluation.
        ("deflection", np.float64),
        ("angle", np.float64),  # rotation of a weld or a ball joint away from its rest [rad]
        ("largest_angle", np.float64),  # of the run
        ("force", np.float64),  # transmitted, with damping and friction [N, or N m along a turning axis]
        # Of a strut, weld, lock, coupling or load: torque and force on b, in N about N's origin.
        ("total", np.float64, 6),
        ("energy", np.float64),  # stored [J]
        ("loss", np.float64),  # power dissipated [W]
        ("power", np.float64),  # power supplied by the element [W]
        ("command", np.float64),  # of a drive
        ("command_speed", np.float64),
        ("speed_ratio", np.float64),  # of a drive: speed of its command over that of its profile
        ("stall", np.float64),  # of a drive: positive while it is stalled
        # Of a stop: 1 if it is engaged at its upper limit, -1 at the lower one, 0 if it is free. If `keeps_state` is 1,
        # this changes only between steps, see engagement; otherwise every evaluation decides whether the stop acts.
        ("engaged", np.int64),
        # Of an engaged stop: depth from which its spring is compressed, Eq. (M116) [m or rad], and impulse of its
        # tension less that of its pushes, Eq. (M120) [N s or N m s].
        ("engaged_depth", np.float64),
        ("tension_impulse", np.float64),
        ("keeps_state", np.int64),
        # Number of the branch of a law with kinks, such as the force limit of a drive or the sides of its backlash.
        ("branch", np.int64),
        ("branch_at_start", np.int64),  # branch when the present step began; see step_errors
    ],
    align=True,
)


@inline
def acts_along_joint(kind):
    """Return whether an element acts along a joint."""
    return kind == SPRING or kind == STOP or is_drive(kind)


@inline
def is_drive(kind):
    """Return whether an element is a drive."""
    return kind == DRIVE_POSITION or kind == DRIVE_SPEED


@inline
def acts_between_bodies(kind):
    """Return whether the force of an element depends on the attitude of two links."""
    return kind == STRUT or kind == WELD or kind == LOAD or kind == LOCK or kind == COUPLING


@kernel
def apply_elements(links, axes, elements, tables, t, q, u, dy):
    """Add the forces of all active elements; returns power dissipated and power supplied [W].

    Drives without power act, too: by their friction, and by a self-locking transmission, the rate of whose delay is
    written into `dy`.
    """
    loss, power = 0.0, 0.0
    for i in range(elements.shape[0]):
        element = elements[i]
        element.force, element.energy, element.loss, element.power = 0.0, 0.0, 0.0, 0.0
        element.branch = 0
        kind = element.kind
        if element.active == 0 and not is_drive(kind):
            if kind == COUPLING:  # its stroke is known while it is switched off
                coupling_pose(element, links)
            continue
        if kind == SPRING:
            apply_spring(element, axes, q, u)
        elif kind == STOP:
            apply_stop(element, axes, q, u)
        elif kind == DRIVE_POSITION:
            apply_position_drive(element, axes, t, q, u, dy)
        elif kind == DRIVE_SPEED:
            apply_speed_drive(element, axes, t, u)
        elif kind == STRUT:
            apply_strut(element, links)
        elif kind == WELD:
            apply_weld(element, links)
        elif kind == LOAD:
            apply_load(element, links, tables, t)
        elif kind == COUPLING:
            apply_coupling(element, links)
        loss += element.loss
        power += element.power
    return loss, power


@kernel
def update_largest_angles(elements):
    """Update the largest rotations of welds and ball joints; beyond half a turn the rotation vector is ambiguous."""
    for i in range(elements.shape[0]):
        element = elements[i]
        if element.active == 1 and (element.ball == 1 or element.kind == WELD):
            element.largest_angle = max(element.largest_angle, element.angle)


@inline
def apply_spring(element, axes, q, u):
    """Apply spring, damper and friction along a joint; Eqs. (M20)-(M22), (A20)."""
    x, y, z = joint_deflection(element, q)
    vx, vy, vz = joint_speed(element, u)
    s = math.sqrt(x * x + y * y + z * z)
    k, c = element.stiffness[0], element.damping[0]
    energy = 0.5 * k * s * s
    if element.law == EXPONENTIAL:
        swell = (s / element.reference) ** element.exponent
        energy += k * s * s * swell / (element.exponent + 2.0)
        k *= 1.0 + swell
    # A preload is a constant force towards negative positions of a single axis.
    preload = element.preload
    loss = c * (vx * vx + vy * vy + vz * vz)
    if element.friction > 0.0:
        v = vx * vx + vy * vy + vz * vz
        rub = element.friction / math.sqrt(v + element.friction_speed * element.friction_speed)
        loss += rub * v
        c += rub
    fx, fy, fz = -k * x - c * vx - preload, -k * y - c * vy, -k * z - c * vz
    push_joint(element, axes, fx, fy, fz)
    element.deflection, element.angle = x if element.rows == 1 else s, s
    element.force = -fx if element.rows == 1 else math.sqrt(fx * fx + fy * fy + fz * fz)
    element.energy = energy + preload * x
    element.loss = loss


@inline
def apply_strut(element, links):
    """Apply spring and damper along the line between two points; Eq. (M26)."""
    a, b = links[element.a], links[element.b]
    base_a, base_b = links[a.root], links[b.root]
    ax, ay, az = link_point(a, base_a, element.p_aF)
    bx, by, bz = link_point(b, base_b, element.p_bG)
    dx, dy, dz = bx - ax, by - ay, bz - az
    length = math.sqrt(dx * dx + dy * dy + dz * dz)
    if length == 0.0:
        set_total(element, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        return  # no direction: two points on each other do not push
    nx, ny, nz = dx / length, dy / length, dz / length
    avx, avy, avz = point_velocity(a, base_a, ax, ay, az)
    bvx, bvy, bvz = point_velocity(b, base_b, bx, by, bz)
    rate = nx * (bvx - avx) + ny * (bvy - avy) + nz * (bvz - avz)
    s = length - element.rest[0]
    elastic = element.stiffness[0] * s + element.preload
    force = elastic + element.damping[0] * rate
    add_wrench(a, nx * force, ny * force, nz * force, ax, ay, az)
    add_wrench(b, -nx * force, -ny * force, -nz * force, ax, ay, az)
    set_total_at(element, 0.0, 0.0, 0.0, -nx * force, -ny * force, -nz * force, ax, ay, az)
    element.deflection = s
    element.force = force
    element.energy = (0.5 * element.stiffness[0] * s + element.preload) * s
    element.loss = element.damping[0] * rate * rate


@inline
def apply_weld(element, links):
    """Apply the compliant connection of frame G on body b to frame F on body a; Eqs. (M27)-(M29)."""
    a, b = links[element.a], links[element.b]
    base_a, base_b = links[a.root], links[b.root]
    fx, fy, fz = link_point(a, base_a, element.p_aF)
    gx, gy, gz = link_point(b, base_b, element.p_bG)
    R_NF = link_rotation(a, base_a, element.R_aF)
    R_NG = link_rotation(b, base_b, element.R_bG)
    # Rotation away from the pose without force: R_FG R_FG0^T as a rotation vector in F.
    E = matrix_product(matrix_product(transpose(R_NF), R_NG), transpose(unpack_matrix(element.R_FG)))
    ex, ey, ez = rotation_vector_from_matrix(E)
    scale = inverse_left_jacobian_factor(ex, ey, ez)
    dx, dy, dz = rotate_inverse(R_NF, gx - fx, gy - fy, gz - fz)
    hold = element.p_FG
    dx, dy, dz = dx - hold[0], dy - hold[1], dz - hold[2]
    awx, awy, awz = link_angular_velocity(a, base_a)
    bwx, bwy, bwz = link_angular_velocity(b, base_b)
    avx, avy, avz = point_velocity(a, base_a, gx, gy, gz)
    bvx, bvy, bvz = point_velocity(b, base_b, gx, gy, gz)
    wx, wy, wz = rotate_inverse(R_NF, bwx - awx, bwy - awy, bwz - awz)
    vx, vy, vz = rotate_inverse(R_NF, bvx - avx, bvy - avy, bvz - avz)
    K, C = element.stiffness, element.damping
    kx, ky, kz = K[0] * ex, K[1] * ey, K[2] * ez
    # Gradient of the turning energy: J_l^-T K e with J_l^-T = 1 + [e]/2 + scale [e]^2.
    cx, cy, cz = ey * kz - ez * ky, ez * kx - ex * kz, ex * ky - ey * kx
    tx = kx + 0.5 * cx + scale * (ey * cz - ez * cy) + C[0] * wx
    ty = ky + 0.5 * cy + scale * (ez * cx - ex * cz) + C[1] * wy
    tz = kz + 0.5 * cz + scale * (ex * cy - ey * cx) + C[2] * wz
    px, py, pz = K[3] * dx + C[3] * vx, K[4] * dy + C[4] * vy, K[5] * dz + C[5] * vz
    tnx, tny, tnz = rotate(R_NF, tx, ty, tz)
    pnx, pny, pnz = rotate(R_NF, px, py, pz)
    add_wrench(a, pnx, pny, pnz, gx, gy, gz)
    add_wrench(b, -pnx, -pny, -pnz, gx, gy, gz)
    a.W[0], a.W[1], a.W[2] = a.W[0] + tnx, a.W[1] + tny, a.W[2] + tnz
    b.W[0], b.W[1], b.W[2] = b.W[0] - tnx, b.W[1] - tny, b.W[2] - tnz
    set_total_at(element, -tnx, -tny, -tnz, -pnx, -pny, -pnz, gx, gy, gz)
    element.deflection = math.sqrt(dx * dx + dy * dy + dz * dz)
    element.angle = math.sqrt(ex * ex + ey * ey + ez * ez)
    element.force = math.sqrt(px * px + py * py + pz * pz)
    turning = kx * ex + ky * ey + kz * ez
    element.energy = 0.5 * (turning + K[3] * dx * dx + K[4] * dy * dy + K[5] * dz * dz)
    element.loss = (
        C[0] * wx * wx + C[1] * wy * wy + C[2] * wz * wz + C[3] * vx * vx + C[4] * vy * vy + C[5] * vz * vz
    )


@inline
def apply_coupling(element, links):
    """Apply the forces between the plug on body b and the socket on body a; Eq. (W1)."""
    tip, p, axis, R_NF = coupling_pose(element, links)
    if not socket_acts(element.coupling, p[2]):
        set_total(element, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        return
    w, v = coupling_velocity(element, links, tip, R_NF)
    tx, ty, tz, fx, fy, fz = coupling_wrench(element, p, axis, w, v)
    tx, ty, tz = rotate(R_NF, tx, ty, tz)
    fx, fy, fz = rotate(R_NF, fx, fy, fz)
    a, b = links[element.a], links[element.b]
    gx, gy, gz = tip
    add_wrench(b, fx, fy, fz, gx, gy, gz)
    add_wrench(a, -fx, -fy, -fz, gx, gy, gz)
    b.W[0], b.W[1], b.W[2] = b.W[0] + tx, b.W[1] + ty, b.W[2] + tz
    a.W[0], a.W[1], a.W[2] = a.W[0] - tx, a.W[1] - ty, a.W[2] - tz
    set_total_at(element, tx, ty, tz, fx, fy, fz, gx, gy, gz)
    element.force = math.sqrt(fx * fx + fy * fy + fz * fz)


@inline
def apply_load(element, links, tables, t):
    """Apply force and torque from outside, times the value of its table at this time; Eq. (M30)."""
    scale = table_value(tables, element.table, element.table_rows, t)
    link = links[element.b]
    base = links[link.root]
    W, p = element.wrench, element.p_bG
    tx, ty, tz, fx, fy, fz = (
        W[0] * scale,
        W[1] * scale,
        W[2] * scale,
        W[3] * scale,
        W[4] * scale,
        W[5] * scale,
    )
    if element.in_body == 1:
        R_NG = link_rotation(link, base, element.R_bG)
        tx, ty, tz = rotate(R_NG, tx, ty, tz)
        fx, fy, fz = rotate(R_NG, fx, fy, fz)
    px, py, pz = link_point(link, base, p)
    vx, vy, vz = point_velocity(link, base, px, py, pz)
    wx, wy, wz = link_angular_velocity(link, base)
    add_wrench(link, fx, fy, fz, px, py, pz)
    link.W[0], link.W[1], link.W[2] = link.W[0] + tx, link.W[1] + ty, link.W[2] + tz
    set_total_at(element, tx, ty, tz, fx, fy, fz, px, py, pz)
    element.force = math.sqrt(fx * fx + fy * fy + fz * fz)
    element.power = fx * vx + fy * vy + fz * vz + tx * wx + ty * wy + tz * wz


@inline
def set_total(element, tx, ty, tz, fx, fy, fz):
    """Store the torque about N's origin and the force on b, in N."""
    T = element.total
    T[0], T[1], T[2], T[3], T[4], T[5] = tx, ty, tz, fx, fy, fz


@inline
def set_total_at(element, tx, ty, tz, fx, fy, fz, x, y, z):
    """Store the torque and the force on b that act at the point p_NQ_N = (x, y, z)."""
    set_total(element, tx + y * fz - z * fy, ty + z * fx - x * fz, tz + x * fy - y * fx, fx, fy, fz)


@kernel
def element_wrench(element, links):
    """Return force and torque of a strut, weld, lock, coupling or load on b: about the origin of frame F, in its axes.

    The frame of a load is N. All are zero while the element is switched off.
    """
    if element.active == 0:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    T = element.total
    if element.kind == LOAD:
        return T[3], T[4], T[5], T[0], T[1], T[2]
    a = links[element.a]
    base = links[a.root]
    x, y, z = link_point(a, base, element.p_aF)
    R_NF = link_rotation(a, base, element.R_aF)
    fx, fy, fz = rotate_inverse(R_NF, T[3], T[4], T[5])
    tx, ty, tz = rotate_inverse(
        R_NF, T[0] - (y * T[5] - z * T[4]), T[1] - (z * T[3] - x * T[5]), T[2] - (x * T[4] - y * T[3])
    )
    return fx, fy, fz, tx, ty, tz


@inline
def table_value(tables, first, rows, t):
    """Return the value of a table of steps: each row has a time and the value from then on; zero before the first."""
    value = 0.0
    for k in range(first, first + rows):
        if tables[k, 0] > t:
            break
        value = tables[k, 1]
    return value


@kernel
def hold_present_pose(element, links):
    """Make a weld hold the present relative pose of its frames."""
    a, b = links[element.a], links[element.b]
    base_a, base_b = links[a.root], links[b.root]
    R_NF = link_rotation(a, base_a, element.R_aF)
    fx, fy, fz = link_point(a, base_a, element.p_aF)
    gx, gy, gz = link_point(b, base_b, element.p_bG)
    x, y, z = rotate_inverse(R_NF, gx - fx, gy - fy, gz - fz)
    element.p_FG[0], element.p_FG[1], element.p_FG[2] = x, y, z
    R = matrix_product(transpose(R_NF), link_rotation(b, base_b, element.R_bG))
    for k in range(9):
        element.R_FG[k] = R[k]
