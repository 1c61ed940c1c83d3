"""Contact conditions: motion of the tip of the chaser relative to the port of the target at their first contact."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from softdock.assembly.assembler import Assembly, motions_at_state
from softdock.spatial.kernels import matrix_product, quaternion_from_matrix, rotate_inverse, transpose
from softdock.tree.frames import Anchor
from softdock.tree.kernels.poses import (
    link_angular_velocity,
    link_point,
    link_rotation,
    point_velocity,
)

Floats = NDArray[np.float64]


def contact_conditions(assembly: Assembly, state: Floats, tip: Anchor, port: Anchor) -> dict[str, float]:
    """Return the contact conditions of a state: m/s, m, rad, rad/s; in axes of the port, Eqs. (Q5) to (Q8).

    A closing axial speed is positive; offset, tilt, lateral speed and tilt rate are sizes; roll and roll rate are not.
    Kernels compute them, as they compute the motion that controllers see.
    """
    motions = motions_at_state(assembly, state).view(np.ndarray)
    own, R_LT, p_LT = _frame(assembly, motions, tip)
    other, R_AP, p_AP = _frame(assembly, motions, port)
    R_NP, R_NT = link_rotation(other, other, R_AP), link_rotation(own, own, R_LT)
    x, y, z = link_point(own, own, p_LT)
    px, py, pz = link_point(other, other, p_AP)
    v, u = point_velocity(own, own, x, y, z), point_velocity(other, other, x, y, z)
    a, b = link_angular_velocity(own, own), link_angular_velocity(other, other)
    p_PT = rotate_inverse(R_NP, x - px, y - py, z - pz)
    v_PT = rotate_inverse(R_NP, v[0] - u[0], v[1] - u[1], v[2] - u[2])
    w_PT = rotate_inverse(R_NP, a[0] - b[0], a[1] - b[1], a[2] - b[2])
    R_PT = matrix_product(transpose(R_NP), R_NT)
    qw, _, _, qz = quaternion_from_matrix(R_PT)
    roll = 2.0 * math.atan2(qz, qw)
    return {
        "axial_speed": v_PT[2],
        "lateral_speed": math.hypot(v_PT[0], v_PT[1]),
        "offset": math.hypot(p_PT[0], p_PT[1]),
        "tilt": math.atan2(math.hypot(R_PT[2], R_PT[5]), R_PT[8]),
        "roll": math.remainder(roll, 2.0 * math.pi),
        "tilt_rate": math.hypot(w_PT[0], w_PT[1]),
        "roll_rate": w_PT[2],
    }


class _Link(NamedTuple):
    """Motion of a link, and pose of the base of its tree, as lists: Python reads them ten times faster."""

    R: list[float]
    p: list[float]
    V: list[float]
    R_NB: list[float]
    p_NB: list[float]


def _frame(
    assembly: Assembly, motions: NDArray[np.void], anchor: Anchor
) -> tuple[_Link, list[float], list[float]]:
    """Return the link of a frame, with the base of its tree, and rotation (9,) and position of the frame in it."""
    placed = assembly.placed[anchor.body]
    X_LF, root = placed.X_LB @ anchor.pose(), assembly.links.view(np.ndarray)["root"][placed.link]
    own = (motions[name][placed.link].tolist() for name in ("R", "p", "V"))
    link = _Link(*own, *(motions[name][root].tolist() for name in ("R_NB", "p_NB")))
    return link, X_LF.R.ravel().tolist(), X_LF.p.tolist()
