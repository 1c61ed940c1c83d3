"""Welds: compliant connections of two frames in all six directions."""

import math

import numpy as np

from softdock.elements.kernels.held_pose import HELD_POSE, engages, held_value, hold_present_pose
from softdock.elements.kernels.tangents import activate_connection
from softdock.elements.kernels.wrenches import push_bodies
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
from softdock.tree.kernels.poses import (
    link_angular_velocity,
    link_point,
    link_rotation,
    point_velocity,
)

LAW = np.dtype([("stiffness", np.float64, 6), ("damping", np.float64, 6)], align=True)  # rotations first
STATE = np.dtype(HELD_POSE, align=True)


@kernel
def apply(system, i, t, q, u, dy):
    """Apply the compliant connection of frame G on body b to frame F on body a; Eqs. (M27)-(M29)."""
    element, data = system.elements[i], system.element_data[i]
    links, motions = system.links, system.motions
    weld, state = system.laws.weld[element.row], system.states.weld[element.row]
    a, b = motions[element.a], motions[element.b]
    base_a, base_b = motions[links[element.a].root], motions[links[element.b].root]
    fx, fy, fz = link_point(a, base_a, element.p_aF)
    gx, gy, gz = link_point(b, base_b, element.p_bG)
    R_NF = link_rotation(a, base_a, element.R_aF)
    R_NG = link_rotation(b, base_b, element.R_bG)
    # Rotation away from the pose without force: R_FG R_FG0^T as a rotation vector in F.
    E = matrix_product(matrix_product(transpose(R_NF), R_NG), transpose(unpack_matrix(state.R_FG)))
    ex, ey, ez = rotation_vector_from_matrix(E)
    scale = inverse_left_jacobian_factor(ex, ey, ez)
    rx, ry, rz = rotate_inverse(R_NF, gx - fx, gy - fy, gz - fz)
    hold = state.p_FG
    rx, ry, rz = rx - hold[0], ry - hold[1], rz - hold[2]
    awx, awy, awz = link_angular_velocity(a, base_a)
    bwx, bwy, bwz = link_angular_velocity(b, base_b)
    avx, avy, avz = point_velocity(a, base_a, gx, gy, gz)
    bvx, bvy, bvz = point_velocity(b, base_b, gx, gy, gz)
    wx, wy, wz = rotate_inverse(R_NF, bwx - awx, bwy - awy, bwz - awz)
    vx, vy, vz = rotate_inverse(R_NF, bvx - avx, bvy - avy, bvz - avz)
    K, C = weld.stiffness, weld.damping
    kx, ky, kz = K[0] * ex, K[1] * ey, K[2] * ez
    # Gradient of the turning energy: J_l^-T K e with J_l^-T = 1 + [e]/2 + scale [e]^2.
    cx, cy, cz = ey * kz - ez * ky, ez * kx - ex * kz, ex * ky - ey * kx
    tx = kx + 0.5 * cx + scale * (ey * cz - ez * cy) + C[0] * wx
    ty = ky + 0.5 * cy + scale * (ez * cx - ex * cz) + C[1] * wy
    tz = kz + 0.5 * cz + scale * (ex * cy - ey * cx) + C[2] * wz
    px, py, pz = K[3] * rx + C[3] * vx, K[4] * ry + C[4] * vy, K[5] * rz + C[5] * vz
    tnx, tny, tnz = rotate(R_NF, tx, ty, tz)
    pnx, pny, pnz = rotate(R_NF, px, py, pz)
    push_bodies(a, b, data, -tnx, -tny, -tnz, -pnx, -pny, -pnz, gx, gy, gz)
    data.deflection = math.sqrt(rx * rx + ry * ry + rz * rz)
    data.angle = math.sqrt(ex * ex + ey * ey + ez * ez)
    data.force = math.sqrt(px * px + py * py + pz * pz)
    turning = kx * ex + ky * ey + kz * ez
    data.energy = 0.5 * (turning + K[3] * rx * rx + K[4] * ry * ry + K[5] * rz * rz)
    data.loss = (
        C[0] * wx * wx + C[1] * wy * wy + C[2] * wz * wz + C[3] * vx * vx + C[4] * vy * vy + C[5] * vz * vz
    )


@inline
def connect(system, i, t, q, u, linear, c):
    """Write stiffness and damping in the axes of frame F."""
    element, links, motions = system.elements[i], system.links, system.motions
    weld = system.laws.weld[element.row]
    a, b = motions[element.a], motions[element.b]
    for k in range(6):
        linear.K[c, k, k], linear.D[c, k, k] = weld.stiffness[k], weld.damping[k]
    R_NF = link_rotation(a, motions[links[element.a].root], element.R_aF)
    p = link_point(b, motions[links[element.b].root], element.p_bG)
    activate_connection(linear, c, element.a, element.b, R_NF, p)


@inline
def switch_on(system, i, t, y):
    """Hold the present relative pose."""
    element = system.elements[i]
    hold_present_pose(element, system.states.weld[element.row], system.links, system.motions)


@inline
def may_switch_on(system, i, t, y):
    """Return whether the frames are within the engagement window."""
    return engages(system, i, system.states.weld[system.elements[i].row], t)


@inline
def value(system, i, component):
    """Return whether it is engaged, or how often it missed."""
    return held_value(system, i, system.states.weld[system.elements[i].row], component)
