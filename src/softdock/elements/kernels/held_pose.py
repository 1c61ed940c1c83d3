"""The relative pose of two frames that a weld or lock holds."""

import numpy as np

from softdock.native.decorators import kernel
from softdock.spatial.kernels import matrix_product, rotate_inverse, transpose
from softdock.tree.kernels.poses import link_point, link_rotation

HELD_POSE = [("R_FG", np.float64, 9), ("p_FG", np.float64, 3)]
"""Fields of the state of an element that holds the pose of frame G in frame F."""


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
