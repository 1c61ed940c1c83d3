"""Initial motion of a free chaser whose tip approaches a port."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from softdock.assembly.arrays import Assembly
from softdock.assembly.initial_motion import FreeStart, motions_at_state
from softdock.dynamics.link_poses import link_motion, link_pose
from softdock.errors import InputError
from softdock.model.system import System
from softdock.spatial.poses import Pose
from softdock.spatial.rotations import (
    cross,
    matrix_from_quaternion,
    quaternion_from_matrix,
    quaternion_from_rotation_vector,
)
from softdock.spatial.vectors import point_velocity
from softdock.tree.frames import Anchor

Floats = NDArray[np.float64]
Records = NDArray[np.void]


class DockingPoses(NamedTuple):
    """Where tip T of the chaser C and port P are before the chaser is placed."""

    X_CT: Pose
    X_NP: Pose
    V_NP: Floats
    """Motion of the port about N's origin, shape (6,)."""


def docking_poses(assembly: Assembly, chaser: str, tip: Anchor, port: Anchor) -> DockingPoses:
    """Return poses and motion of tip and port in a system as it is described."""
    motions = motions_at_state(assembly, assembly.y).view(np.ndarray)
    X_NP, X_NT = (_pose(assembly, motions, anchor.body, anchor.pose()) for anchor in (port, tip))
    X_NC = _pose(assembly, motions, chaser, Pose.identity())
    V_NP = link_motion(assembly.links, motions, assembly.placed[port.body].link)
    return DockingPoses(X_NC.relative(X_NT), X_NP, V_NP)


def chaser_start(
    system: System,
    poses: DockingPoses,
    *,
    p_PT: Floats,
    turn: Floats,
    roll: float,
    v_PT: Floats,
    w_PT: Floats,
) -> FreeStart:
    """Return the initial motion of a free chaser with which its tip T has the given motion relative to the port P.

    `p_PT` position [m], `turn` rotation vector [rad] after a `roll` about the tip's z axis, `v_PT` velocity [m/s]
    and `w_PT` angular velocity [rad/s] of the chaser against the port, all in the port's axes.
    """
    X_CT, X_NP, V_NP = poses
    q_turn, q_roll = (quaternion_from_rotation_vector(v) for v in (turn, np.array([0.0, 0.0, roll])))
    R_PT = matrix_from_quaternion(q_turn) @ matrix_from_quaternion(q_roll)
    wanted = X_NP @ Pose(R=R_PT, p=p_PT)
    R = wanted.R @ X_CT.R.T
    p = wanted.p - R @ X_CT.p
    w = V_NP[:3] + X_NP.vector(w_PT)
    v_tip = point_velocity(V_NP, wanted.p) + X_NP.vector(v_PT)
    orbiting = (
        system.orbit.rate() if system.orbit is not None and system.orbit.start == "hill" else np.zeros(3)
    )
    v = v_tip + cross(w, p - wanted.p) - cross(orbiting, p)
    rate = R.T @ (w - orbiting)
    if not np.isfinite(np.concatenate([R.ravel(), p, v, rate])).all():
        message = "The initial motion of the chaser overflows: speed or distance is too large, or inertia too small."
        raise InputError(message, field="approach")
    return FreeStart(
        position=tuple(p.tolist()),
        attitude=tuple(quaternion_from_matrix(R).tolist()),
        velocity=tuple(v.tolist()),
        rate=tuple(rate.tolist()),
    )


def _pose(assembly: Assembly, motions: Records, body: str, X_BF: Pose) -> Pose:
    placed = assembly.placed[body]
    return link_pose(assembly.links, motions, placed.link) @ placed.X_LB @ X_BF
