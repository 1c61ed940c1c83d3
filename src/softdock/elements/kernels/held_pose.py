"""The relative pose of two frames that a weld or lock holds."""

import math
from enum import IntEnum

import numpy as np

from softdock.native.decorators import inline, kernel
from softdock.spatial.kernels import (
    matrix_product,
    rotate_inverse,
    rotation_vector_from_matrix,
    transpose,
)
from softdock.tree.kernels.poses import link_point, link_rotation

HELD_POSE = [
    ("R_FG", np.float64, 9),
    ("p_FG", np.float64, 3),
    ("window", np.float64, 2),  # largest distance [m] and angle [rad] of the frames to engage; 0: any
    ("misses", np.int64),  # number of times that it was switched on outside its window
    ("missed_at", np.float64),  # time of the last one [s]
    ("missed_by", np.float64, 2),  # and distance and angle then
]
"""Fields of the state of an element that holds the pose of frame G in frame F."""


class HeldValue(IntEnum):
    """Values of an element with an engagement window."""

    ENGAGED = 0
    MISSES = 1


@kernel
def engages(system, i, held, t):
    """Return whether the frames of an element are within its window; counts a miss where they are not."""
    if held.window[0] == 0.0:
        return True
    element, links, motions = system.elements[i], system.links, system.motions
    a, b = motions[element.a], motions[element.b]
    base_a, base_b = motions[links[element.a].root], motions[links[element.b].root]
    fx, fy, fz = link_point(a, base_a, element.p_aF)
    gx, gy, gz = link_point(b, base_b, element.p_bG)
    R_NF = link_rotation(a, base_a, element.R_aF)
    E = matrix_product(transpose(R_NF), link_rotation(b, base_b, element.R_bG))
    ex, ey, ez = rotation_vector_from_matrix(E)
    distance = math.sqrt((gx - fx) ** 2 + (gy - fy) ** 2 + (gz - fz) ** 2)
    angle = math.sqrt(ex * ex + ey * ey + ez * ez)
    if distance <= held.window[0] and angle <= held.window[1]:
        return True
    held.misses, held.missed_at = held.misses + 1, t
    held.missed_by[0], held.missed_by[1] = distance, angle
    return False


@inline
def held_value(system, i, held, component):
    """Return whether an element is engaged, or how often it missed."""
    if component == HeldValue.ENGAGED:
        return float(system.element_data[i].active)
    return float(held.misses)


@kernel
def hold_present_pose(element, held, links, motions):
    """Hold the present relative pose of the frames of an element."""
    a, b = motions[element.a], motions[element.b]
    base_a, base_b = motions[links[element.a].root], motions[links[element.b].root]
    R_NF = link_rotation(a, base_a, element.R_aF)
    fx, fy, fz = link_point(a, base_a, element.p_aF)
    gx, gy, gz = link_point(b, base_b, element.p_bG)
    x, y, z = rotate_inverse(R_NF, gx - fx, gy - fy, gz - fz)
    held.p_FG[0], held.p_FG[1], held.p_FG[2] = x, y, z
    R = matrix_product(transpose(R_NF), link_rotation(b, base_b, element.R_bG))
    for k in range(9):
        held.R_FG[k] = R[k]
