"""External forces and torques, constant or from tables over time."""

import math

import numpy as np

from softdock.elements.kernels.tangents import IDENTITY
from softdock.elements.kernels.wrenches import set_total_at
from softdock.elements.kinds import kind_number
from softdock.native.decorators import inline, kernel
from softdock.spatial.kernels import rotate, rotate_inverse
from softdock.tree.kernels.appendages import load_modes
from softdock.tree.kernels.poses import (
    add_wrench,
    link_angular_velocity,
    link_point,
    link_rotation,
    point_velocity,
)

LOAD = kind_number("load")

LAW = np.dtype(
    [
        ("in_body", np.int64),  # 1: it turns with its body
        ("node", np.int64),  # of a structure on which it acts, or -1
        ("table", np.int64),  # first row of its table
        ("table_rows", np.int64),
    ],
    align=True,
)
STATE = np.dtype([("wrench", np.float64, 6)], align=True)  # torque and force, which a controller may change


@kernel
def apply(system, i, t, q, u, dy):
    """Apply force and torque from outside, times the value of its table at this time; Eq. (M30)."""
    element, data = system.elements[i], system.element_data[i]
    load, W = system.laws.load[element.row], system.states.load[element.row].wrench
    scale = table_value(system.tables, load.table, load.table_rows, t)
    link = system.motions[element.b]
    base, p = system.motions[system.links[element.b].root], element.p_bG
    tx, ty, tz = W[0] * scale, W[1] * scale, W[2] * scale
    fx, fy, fz = W[3] * scale, W[4] * scale, W[5] * scale
    if load.in_body == 1:
        R_NG = link_rotation(link, base, element.R_bG)
        tx, ty, tz = rotate(R_NG, tx, ty, tz)
        fx, fy, fz = rotate(R_NG, fx, fy, fz)
    px, py, pz = link_point(link, base, p)
    vx, vy, vz = point_velocity(link, base, px, py, pz)
    wx, wy, wz = link_angular_velocity(link, base)
    add_wrench(link, fx, fy, fz, px, py, pz)
    link.W[0], link.W[1], link.W[2] = link.W[0] + tx, link.W[1] + ty, link.W[2] + tz
    set_total_at(data, tx, ty, tz, fx, fy, fz, px, py, pz)
    data.force = math.sqrt(fx * fx + fy * fy + fz * fz)
    data.power = fx * vx + fy * vy + fz * vz + tx * wx + ty * wy + tz * wz


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
def load_structures(system, t, u):
    """Add loads at nodes to the modes of their structure; returns their power on the modes [W]; Eq. (F47)."""
    power = 0.0
    for i in range(system.elements.shape[0]):
        element, data = system.elements[i], system.element_data[i]
        if element.kind == LOAD and data.active == 1 and system.laws.load[element.row].node >= 0:
            load, W, R = system.laws.load[element.row], system.states.load[element.row].wrench, element.R_bG
            scale = table_value(system.tables, load.table, load.table_rows, t)
            link, base = system.motions[element.b], system.motions[system.links[element.b].root]
            if load.in_body == 1:
                tx, ty, tz = rotate(R, W[0], W[1], W[2])
                fx, fy, fz = rotate(R, W[3], W[4], W[5])
            else:
                R_NL = link_rotation(link, base, IDENTITY)
                tx, ty, tz = rotate_inverse(R_NL, W[0], W[1], W[2])
                fx, fy, fz = rotate_inverse(R_NL, W[3], W[4], W[5])
            pulled = load_modes(
                system, system.nodes[load.node], u,
                tx * scale, ty * scale, tz * scale, fx * scale, fy * scale, fz * scale,
            )  # fmt: skip
            data.power += pulled
            power += pulled
    return power
