"""A position-controlled stage that pushes a spring and damper: the test rig of the delayed-force benchmark."""

import numpy as np

from softdock.robot.link import Command, JointLimits, RobotState


class LinearStage:
    """A stiff position-controlled stage that pushes a sample: x > 0 presses with k x + c xdot.

    Its one joint slides [m] and reaches every commanded position at the end of the cycle, at constant speed.
    The force is the mean over the last cycle, as a sensor with a filter of that length gives it.
    """

    def __init__(self, *, stiffness: float, damping: float = 0.0, speed_limit: float = 1.0) -> None:
        ones = np.ones(1)
        self._limits = JointLimits(
            q_min=-ones,
            q_max=ones,
            speed=speed_limit * ones,
            torque=1e6 * ones,
            stiffness=1e9 * ones,
            min_stiffness=0.0 * ones,  # position-controlled: stiffness and damping of commands have no effect
            min_damping_ratio=0.0,
        )
        self._k, self._c = stiffness, damping
        self._t, self._x, self._v, self._force = 0.0, 0.0, 0.0, 0.0

    @property
    def limits(self) -> JointLimits:
        """Limits of position, speed, force and stiffness."""
        return self._limits

    def advance(self, command: Command, duration: float) -> None:
        """Move to the commanded position within a duration [s]."""
        start, end = self._x, float(command.q[0])
        self._v = (end - start) / duration
        self._force = _mean_force(start, end, self._v, self._k, self._c)
        self._x = end
        self._t += duration

    def state(self) -> RobotState:
        """Return the measured state; torques are forces [N] on the stage."""
        force = np.array([-self._force])
        return RobotState(
            t=self._t,
            q=np.array([self._x]),
            qdot=np.array([self._v]),
            tau_measured=force,
            tau_external=force.copy(),
        )


def _mean_force(start: float, end: float, v: float, k: float, c: float) -> float:
    """Return the mean of k x + c v [N] over a straight path; the force is 0 where x < 0."""
    low, high = max(min(start, end), 0.0), max(start, end)
    if high <= 0.0:
        return 0.0
    share = (high - low) / abs(end - start) if end != start else 1.0
    return share * (0.5 * k * (low + high) + c * v)
