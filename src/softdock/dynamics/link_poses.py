"""Poses and motions of links in N, read from records of links and of their motions."""

import numpy as np
from numpy.typing import NDArray

from softdock.spatial.poses import Pose

Floats = NDArray[np.float64]
Records = NDArray[np.void]


def base_pose(links: Records, motions: Records, index: int) -> Pose:
    """Return the pose X_NB of the base of a link's tree; its arrays are views of the records."""
    base = motions.view(np.ndarray)[links.view(np.ndarray)[index]["root"]]  # field access is ten times faster
    return Pose(R=base["R_NB"].reshape(3, 3), p=base["p_NB"])


def link_pose(links: Records, motions: Records, index: int) -> Pose:
    """Return the pose X_NL of a link."""
    motion = motions.view(np.ndarray)[index]
    return base_pose(links, motions, index) @ Pose(R=motion["R"].reshape(3, 3), p=motion["p"])


def link_motion(links: Records, motions: Records, index: int) -> Floats:
    """Return the motion of a link about N's origin in N, shape (6,)."""
    return base_pose(links, motions, index).motion(motions.view(np.ndarray)[index]["V"])
