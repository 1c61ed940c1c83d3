"""Depth of a surface a that lies wholly in the material of surface b at the start, where no cell of b touches it."""

from collections.abc import Sequence

import numpy as np

from softdock.assembly.assembler import Assembly, motions_at_state
from softdock.contact.pair import ContactPair
from softdock.dynamics.link_poses import link_pose
from softdock.geometry.kernels import nearest_segment
from softdock.geometry.profile_arrays import described_rows, profile_array
from softdock.spatial.poses import Pose


def enclosed_depths(
    assembly: Assembly, pairs: np.recarray, contact_pairs: Sequence[ContactPair]
) -> list[float]:
    """Return for every contact the depth [m] of one point of a below b, 0 if it is outside.

    One point suffices: where the surfaces do not cross, which the cells of b show, all points of a are on one side. The
    closure of b does not count, because little is known about it.
    """
    motions = motions_at_state(assembly, assembly.y)
    poses: dict[int, Pose] = {}

    def pose(link: int) -> Pose:
        if link not in poses:
            poses[link] = link_pose(assembly.links, motions, link)
        return poses[link]

    depths = []
    for pair, contact in zip(pairs.view(np.ndarray), contact_pairs):  # field access is ten times faster
        if not pair["active"]:
            depths.append(0.0)
            continue
        X_NA = pose(int(pair["a"])) @ Pose(R=pair["R_aA"].reshape(3, 3), p=pair["p_aA"])
        X_NB = pose(int(pair["b"])) @ Pose(R=pair["R_bB"].reshape(3, 3), p=pair["p_bB"])
        z, r = contact.surface_A.segments[0].point(0.5)
        x_B, y_B, z_B = X_NB.R.T @ (X_NA.R @ [r, 0.0, z] + X_NA.p - X_NB.p)
        rows, (first, last) = profile_array(contact.surface_B), described_rows(contact.surface_B)
        row, depth, *_ = nearest_segment(rows, 0, len(rows) - 1, z_B, np.hypot(x_B, y_B))
        depths.append(float(depth) if first <= row <= last and depth > 0.0 else 0.0)
    return depths
