"""Poses and motions of links in N, read from link records."""

import numpy as np
from numpy.typing import NDArray

from softdock.spatial.poses import Pose

Floats = NDArray[np.float64]
Records = NDArray[np.void]


def base_pose(links: Records, index: int) -> Pose:
    """Return the pose X_NB of the base of a link's tree; its arrays are views of the records."""
    plain = links.view(np.ndarray)  # field access is ten times faster
    base = plain[plain[index]["root"]]
    return Pose(R=base["R_NB"].reshape(3, 3), p=base["p_NB"])


def link_pose(links: Records, index: int) -> Pose:
    """Return the pose X_NL of a link."""
    link = links.view(np.ndarray)[index]
    return base_pose(links, index) @ Pose(R=link["R"].reshape(3, 3), p=link["p"])


def link_motion(links: Records, index: int) -> Floats:
    """Return the motion of a link about N's origin in N, shape (6,)."""
    return base_pose(links, index).motion(links.view(np.ndarray)[index]["V"])
