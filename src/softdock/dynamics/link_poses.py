"""Poses and motions of links in N, read from records of links and of their motions."""

import numpy as np
from numpy.typing import NDArray

from softdock.spatial.poses import Pose

Floats = NDArray[np.float64]
Records = NDArray[np.void]


def base_pose(links: Records, motions: Records, index: int) -> Pose:
    """Return the pose X_NB of the base of a link's tree; its arrays are views of the records."""
    motions, root = motions.view(np.ndarray), links.view(np.ndarray)["root"][index]
    # On a plain array, and with the field before the row, access is twenty times faster.
    return Pose(R=motions["R_NB"][root].reshape(3, 3), p=motions["p_NB"][root])


def link_pose(links: Records, motions: Records, index: int) -> Pose:
    """Return the pose X_NL of a link."""
    motions = motions.view(np.ndarray)
    X_BL = Pose(R=motions["R"][index].reshape(3, 3), p=motions["p"][index])
    return base_pose(links, motions, index) @ X_BL


def link_motion(links: Records, motions: Records, index: int) -> Floats:
    """Return the motion of a link about N's origin in N, shape (6,)."""
    return base_pose(links, motions, index).motion(motions.view(np.ndarray)["V"][index])
