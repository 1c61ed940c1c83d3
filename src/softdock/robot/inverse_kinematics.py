"""Inverse kinematics: joint positions for a pose of the tool, by damped least squares within the joint limits."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softdock.robot.arm import Arm
from softdock.robot.link import Limits
from softdock.spatial.poses import Pose
from softdock.spatial.rotations import nearest_quaternion

Floats = NDArray[np.float64]
ANGLE_LENGTH = 0.3  # m; converts angles to distances; about the length from wrist to elbow
TOLERANCE = 1e-9  # m; pose error at convergence
MAX_STEPS = 300
SINGULAR_DAMPING = 1e-6  # least damping in a posture where the Jacobian is singular to rounding


@dataclass(frozen=True, kw_only=True, eq=False)
class Solution:
    """Result of the search."""

    q: Floats
    """Joint positions within their limits (joints,)."""
    distance: float
    """Remaining position error [m]."""
    angle: float
    """Remaining attitude error [rad]."""
    steps: int

    @property
    def converged(self) -> bool:
        """Whether the pose is reached."""
        return self.distance + ANGLE_LENGTH * self.angle <= 10.0 * TOLERANCE


def rotation_vector(R: Floats) -> Floats:
    """Return the rotation vector of a rotation matrix [rad]."""
    q = nearest_quaternion(R)
    s = float(np.linalg.norm(q[1:]))
    return np.asarray(2.0 * q[1:] if s < 1e-12 else q[1:] * (2.0 * np.arctan2(s, q[0]) / s))


def pose_error(now: Pose, wanted: Pose, with_attitude: bool) -> Floats:
    """Return the pose error (6,) in B [m]: rotation vector times ANGLE_LENGTH, then translation."""
    rotation = ANGLE_LENGTH * rotation_vector(wanted.R @ now.R.T) if with_attitude else np.zeros(3)
    return np.concatenate([rotation, wanted.p - now.p])


def solve_pose(
    arm: Arm,
    tool: tuple[str, Pose],
    wanted: Pose,
    start: Floats,
    limits: Limits,
    *,
    with_attitude: bool = True,
    max_steps: int = MAX_STEPS,
) -> Solution:
    """Return joint positions near `start` that bring the tool frame to a pose in B; Eqs. (A14), (A15).

    The damping is reduced after successful steps and increased after failed ones, so that the search for an
    unreachable pose converges to a closest one. Joints that a step would move beyond their limits are excluded from it.
    """
    body, at = tool
    q = np.clip(start, limits.q_min, limits.q_max)
    e = pose_error(arm.pose(q, body, at), wanted, with_attitude)
    damping, steps = 1e-3, 0
    while np.linalg.norm(e) > TOLERANCE and steps < max_steps and damping < 1e6:
        steps += 1
        J = arm.jacobian(q, body, at)
        J[:3] *= ANGLE_LENGTH if with_attitude else 0.0
        gradient = J.T @ e
        blocked = ((q <= limits.q_min) & (gradient < 0.0)) | ((q >= limits.q_max) & (gradient > 0.0))
        J[:, blocked] = 0.0
        try:
            step = J.T @ np.linalg.solve(J @ J.T + damping**2 * np.eye(6), e)
        except np.linalg.LinAlgError:  # a singular posture, such as the stretched arm
            damping = max(4.0 * damping, SINGULAR_DAMPING)
            continue
        size = float(np.abs(step).max())
        trial = np.clip(q + step * min(1.0, 0.5 / max(size, 1e-12)), limits.q_min, limits.q_max)
        e_new = pose_error(arm.pose(trial, body, at), wanted, with_attitude)
        if np.linalg.norm(e_new) < np.linalg.norm(e):
            q, e, damping = trial, e_new, max(0.2 * damping, 1e-9)
        else:
            damping *= 4.0
    return Solution(
        q=q,
        distance=float(np.linalg.norm(e[3:])),
        angle=float(np.linalg.norm(e[:3])) / ANGLE_LENGTH,
        steps=steps,
    )
