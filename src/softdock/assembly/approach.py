"""Initial motion of a free chaser whose tip approaches a port."""

import numpy as np
from numpy.typing import NDArray

from softdock.assembly.assembler import Assembly, motions_at_state
from softdock.dynamics.link_poses import link_motion, link_pose
from softdock.errors import InputError
from softdock.spatial.poses import Pose
from softdock.spatial.rotations import (
    cross,
    matrix_from_quaternion,
    quaternion_from_matrix,
    quaternion_from_rotation_vector,
)
from softdock.spatial.vectors import point_velocity
from softdock.tree.frames import Anchor
from softdock.tree.joints import Free

Floats = NDArray[np.float64]
Records = NDArray[np.void]


def chaser_start(
    assembly: Assembly,
    *,
    chaser: str,
    tip: Anchor,
    port: Anchor,
    p_PT: Floats,
    turn: Floats,
    roll: float,
    v_PT: Floats,
    w_PT: Floats,
) -> Free:
    """Return the initial motion of a free chaser with which its tip T has the given motion relative to the port P.

    `p_PT` position [m], `turn` rotation vector [rad] after a `roll` about the tip's z axis, `v_PT` velocity [m/s]
    and `w_PT` angular velocity [rad/s] of the chaser against the port, all in the port's axes.
    """
    system = assembly.system
    motions = motions_at_state(assembly, assembly.y).view(np.ndarray)
    X_NP, X_NT, X_NC = (_pose(assembly, motions, anchor) for anchor in (port, tip, Anchor(body=chaser)))
    q_turn, q_roll = (quaternion_from_rotation_vector(v) for v in (turn, np.array([0.0, 0.0, roll])))
    R_PT = matrix_from_quaternion(q_turn) @ matrix_from_quaternion(q_roll)
    X_CT = X_NC.relative(X_NT)
    wanted = X_NP @ Pose(R=R_PT, p=p_PT)
    R = wanted.R @ X_CT.R.T
    p = wanted.p - R @ X_CT.p
    V_NP = link_motion(assembly.links, motions, assembly.placed[port.body].link)
    w = V_NP[:3] + X_NP.vector(w_PT)
    v_tip = point_velocity(V_NP, wanted.p) + X_NP.vector(v_PT)
    orbiting = (
        system.orbit.rate() if system.orbit is not None and system.orbit.start == "hill" else np.zeros(3)
    )
    v = v_tip + cross(w, p - wanted.p) - cross(orbiting, p)
    rate = R.T @ (w - orbiting)
    if not all(np.isfinite(vector).all() for vector in (R, p, v, rate)):
        message = "The initial motion of the chaser overflows: speed or distance is too large, or inertia too small."
        raise InputError(message, field="approach")
    return Free(
        position=tuple(map(float, p)),
        attitude=tuple(map(float, quaternion_from_matrix(R))),
        velocity=tuple(map(float, v)),
        rate=tuple(map(float, rate)),
    )


def _pose(assembly: Assembly, motions: Records, anchor: Anchor) -> Pose:
    placed = assembly.placed[anchor.body]
    return link_pose(assembly.links, motions, placed.link) @ placed.X_LB @ anchor.pose()
