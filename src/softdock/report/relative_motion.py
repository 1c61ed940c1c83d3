"""Recorded motion of one frame relative to another, from the poses in the history of a result."""

from collections.abc import Mapping

import numpy as np

from softdock.model.system import WORLD
from softdock.result import Array, Channel, Result
from softdock.spatial.rotations import matrix_from_quaternion
from softdock.tree.frames import Anchor


def relative_pose(result: Result, port: Anchor, tip: Anchor) -> tuple[Array, Array] | None:
    """Return p_PT_P [m] (n, 3) and R_PT (n, 3, 3) of a tip in a port; None where their poses are not recorded."""
    frames = []
    for anchor in (port, tip):
        pose = _pose(result, anchor.body)
        if pose is None:
            return None
        fixed = anchor.pose()
        p, R = pose
        frames.append((p + R @ fixed.p, R @ fixed.R))
    (p_P, R_P), (p_T, R_T) = frames
    R_PN = np.swapaxes(R_P, 1, 2)
    return np.einsum("nij,nj->ni", R_PN, p_T - p_P), R_PN @ R_T


def _pose(result: Result, body: str) -> tuple[Array, Array] | None:
    """Return p_NB_N [m] (n, 3) and R_NB (n, 3, 3) of a body; None where they are not recorded."""
    channels: Mapping[str, Channel] = result.history.channels
    n = len(result.history.time)
    if body == WORLD:
        return np.zeros((n, 3)), np.tile(np.eye(3), (n, 1, 1))
    names = [f"{body}.{k}" for k in ("x", "y", "z", "qw", "qx", "qy", "qz")]
    if not n or any(name not in channels for name in names):
        return None
    values = [channels[name].values for name in names]
    q = np.stack(values[3:])
    R = np.moveaxis(matrix_from_quaternion(q), -1, 0)
    return np.stack(values[:3], axis=1), R
