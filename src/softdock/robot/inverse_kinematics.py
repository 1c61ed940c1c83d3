"""Inverse kinematics: joint positions for a pose of the tool, by damped least squares within the joint limits."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softdock.robot.arm import Arm
from softdock.robot.kernels.inverse_kinematics import ANGLE_LENGTH, TOLERANCE
from softdock.robot.link import JointLimits
from softdock.spatial.poses import Pose

Floats = NDArray[np.float64]
MAX_STEPS = 300


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


def solve_pose(
    arm: Arm,
    tool: tuple[str, Pose],
    wanted: Pose,
    start: Floats,
    limits: JointLimits,
    *,
    with_attitude: bool = True,
    max_steps: int = MAX_STEPS,
) -> Solution:
    """Return joint positions near `start` that bring the tool frame to a pose in B; Eqs. (A14), (A15)."""
    body, at = tool
    placed, search = arm.assembly.placed[body], arm.pose_search
    X_LT = placed.X_LB @ at
    search.link[0], search.max_steps[0], search.attitude_weight[0] = placed.link - 1, max_steps, with_attitude
    search.tool[:9], search.tool[9:] = X_LT.R.ravel(), X_LT.p
    search.wanted[:9], search.wanted[9:] = wanted.R.ravel(), wanted.p
    search.limits[0], search.limits[1], search.q[:] = limits.q_min, limits.q_max, start
    steps = arm.search_pose()
    error = search.error
    return Solution(
        q=search.q.copy(),
        distance=float(np.linalg.norm(error[3:])),
        angle=float(np.linalg.norm(error[:3])) / ANGLE_LENGTH,
        steps=steps,
    )
