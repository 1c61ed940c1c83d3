"""Struts: spring and damper along the line between two points."""

import math

import numpy as np

from softdock.elements.kernels.tangents import IDENTITY, activate_connection
from softdock.elements.kernels.wrenches import push_bodies, set_total
from softdock.native.decorators import inline
from softdock.tree.kernels.poses import link_point, point_velocity

LAW = np.dtype(
    [
        ("stiffness", np.float64),
        ("damping", np.float64),
        ("length", np.float64),  # without force
        ("preload", np.float64),  # constant pull
    ],
    align=True,
)


@inline
def apply(system, i, t, q, u, dy):
    """Apply spring and damper along the line between two points; Eq. (M26)."""
    element, data = system.elements[i], system.element_data[i]
    links, motions = system.links, system.motions
    strut = system.laws.strut[element.row]
    a, b = motions[element.a], motions[element.b]
    base_a, base_b = motions[links[element.a].root], motions[links[element.b].root]
    ax, ay, az = link_point(a, base_a, element.p_aF)
    bx, by, bz = link_point(b, base_b, element.p_bG)
    rx, ry, rz = bx - ax, by - ay, bz - az
    length = math.sqrt(rx * rx + ry * ry + rz * rz)
    if length == 0.0:
        set_total(data, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        return  # no direction: two points on each other do not push
    nx, ny, nz = rx / length, ry / length, rz / length
    avx, avy, avz = point_velocity(a, base_a, ax, ay, az)
    bvx, bvy, bvz = point_velocity(b, base_b, bx, by, bz)
    rate = nx * (bvx - avx) + ny * (bvy - avy) + nz * (bvz - avz)
    s = length - strut.length
    elastic = strut.stiffness * s + strut.preload
    force = elastic + strut.damping * rate
    push_bodies(a, b, data, 0.0, 0.0, 0.0, -nx * force, -ny * force, -nz * force, ax, ay, az)
    data.deflection = s
    data.force = force
    data.energy = (0.5 * strut.stiffness * s + strut.preload) * s
    data.loss = strut.damping * rate * rate


@inline
def connect(system, i, t, q, u, linear, c):
    """Write stiffness and damping along the line, and the stiffness of its tension across it, in the axes of N."""
    element, links, motions = system.elements[i], system.links, system.motions
    strut = system.laws.strut[element.row]
    a, b = motions[element.a], motions[element.b]
    ax, ay, az = link_point(a, motions[links[element.a].root], element.p_aF)
    bx, by, bz = link_point(b, motions[links[element.b].root], element.p_bG)
    dx, dy, dz = bx - ax, by - ay, bz - az
    length = math.sqrt(dx * dx + dy * dy + dz * dz)
    if length == 0.0:
        return
    K, D, n = linear.K[c], linear.D[c], (dx / length, dy / length, dz / length)
    across = (strut.stiffness * (length - strut.length) + strut.preload) / length
    for k in range(3):
        for j in range(3):
            K[3 + k, 3 + j] = (strut.stiffness - across) * n[k] * n[j]
            D[3 + k, 3 + j] = strut.damping * n[k] * n[j]
        K[3 + k, 3 + k] += across
    activate_connection(linear, c, element.a, element.b, IDENTITY, (bx, by, bz))
