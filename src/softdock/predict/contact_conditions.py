"""Contact conditions: motion of the tip of the chaser relative to the port of the target at their first contact."""

import math

import numpy as np
from numpy.typing import NDArray

from softdock.assembly.assembler import Assembly, links_at_state
from softdock.dynamics.link_poses import link_motion, link_pose
from softdock.model.frames import Anchor
from softdock.spatial.rotations import quaternion_from_matrix
from softdock.spatial.vectors import point_velocity

Floats = NDArray[np.float64]


def contact_conditions(assembly: Assembly, state: Floats, tip: Anchor, port: Anchor) -> dict[str, float]:
    """Return the contact conditions of a state: m/s, m, rad, rad/s; in axes of the port, Eqs. (Q5) to (Q8).

    A closing axial speed is positive; offset, tilt, lateral speed and tilt rate are sizes; roll and roll rate are not.
    """
    links = links_at_state(assembly, state).view(np.ndarray)
    (X_NT, V_NT), (X_NP, V_NP) = (
        (
            link_pose(links, assembly.placed[frame.body].link)
            @ assembly.placed[frame.body].X_LB
            @ frame.pose(),
            link_motion(links, assembly.placed[frame.body].link),
        )
        for frame in (tip, port)
    )
    X_PT = X_NP.relative(X_NT)
    v_PT = X_NP.R.T @ (point_velocity(V_NT, X_NT.p) - point_velocity(V_NP, X_NT.p))
    w_PT = X_NP.R.T @ (V_NT[:3] - V_NP[:3])
    w, _, _, z = quaternion_from_matrix(X_PT.R)
    roll = 2.0 * math.atan2(z, w)
    return {
        "axial_speed": float(v_PT[2]),
        "lateral_speed": math.hypot(v_PT[0], v_PT[1]),
        "offset": math.hypot(X_PT.p[0], X_PT.p[1]),
        "tilt": math.atan2(math.hypot(X_PT.R[0, 2], X_PT.R[1, 2]), X_PT.R[2, 2]),
        "roll": math.remainder(roll, 2.0 * math.pi),
        "tilt_rate": math.hypot(w_PT[0], w_PT[1]),
        "roll_rate": float(w_PT[2]),
    }
