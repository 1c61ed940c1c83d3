"""From a wanted pose to joint positions: damped least squares within the joint limits."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softdock.robot.arm import Arm
from softdock.robot.bodies import quaternion_of
from softdock.robot.link import Limits
from softdock.spatial.poses import Pose

Floats = NDArray[np.float64]
REACH = 0.3  # m; length that makes an angle comparable to a distance: about that from wrist to elbow
CLOSE = 1e-9  # m; a pose is met when it is so close
MOST_STEPS = 300


@dataclass(frozen=True, kw_only=True, eq=False)
class Solution:
    """What the search ended with."""

    q: Floats
    """Joint positions within their limits (joints,)."""
    distance: float
    """Left to the wanted position [m]."""
    angle: float
    """Left to the wanted attitude [rad]."""
    steps: int

    @property
    def met(self) -> bool:
        """Whether the pose is reached."""
        return self.distance + REACH * self.angle <= 10.0 * CLOSE


def rotation_vector(R: Floats) -> Floats:
    """Return the rotation vector of a rotation matrix [rad]."""
    q = quaternion_of(R)
    s = float(np.linalg.norm(q[1:]))
    return np.asarray(2.0 * q[1:] if s < 1e-12 else q[1:] * (2.0 * np.arctan2(s, q[0]) / s))


def error_of(now: Pose, wanted: Pose, with_attitude: bool) -> Floats:
    """Return what is missing to the wanted pose (6,): turn (weighed by a length) and distance, in B [m]."""
    turn = REACH * rotation_vector(wanted.R @ now.R.T) if with_attitude else np.zeros(3)
    return np.concatenate([turn, wanted.p - now.p])


def solve_pose(
    arm: Arm,
    tool: tuple[str, Pose],
    wanted: Pose,
    start: Floats,
    limits: Limits,
    *,
    with_attitude: bool = True,
) -> Solution:
    """Return joint positions near `start` that bring the tool frame to a pose in B; Eqs. (A14), (A15).

    The damping falls while steps succeed and grows where they fail, so that a pose out of reach ends at a closest
    one instead of thrashing. Joints at a limit that would leave it take no part in a step.
    """
    body, at = tool
    q = np.clip(start, limits.q_min, limits.q_max)
    e = error_of(arm.pose(q, body, at), wanted, with_attitude)
    damping, steps = 1e-3, 0
    while np.linalg.norm(e) > CLOSE and steps < MOST_STEPS and damping < 1e6:
        steps += 1
        J = arm.jacobian(q, body, at)
        J[:3] *= REACH if with_attitude else 0.0
        pull = J.T @ e
        stuck = ((q <= limits.q_min) & (pull < 0.0)) | ((q >= limits.q_max) & (pull > 0.0))
        J[:, stuck] = 0.0
        step = J.T @ np.linalg.solve(J @ J.T + damping**2 * np.eye(6), e)
        size = float(np.abs(step).max())
        trial = np.clip(q + step * min(1.0, 0.5 / max(size, 1e-12)), limits.q_min, limits.q_max)
        e_new = error_of(arm.pose(trial, body, at), wanted, with_attitude)
        if np.linalg.norm(e_new) < np.linalg.norm(e):
            q, e, damping = trial, e_new, max(0.2 * damping, 1e-9)
        else:
            damping *= 4.0
    return Solution(
        q=q, distance=float(np.linalg.norm(e[3:])), angle=float(np.linalg.norm(e[:3])) / REACH, steps=steps
    )
