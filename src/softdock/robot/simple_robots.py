"""Simple robots with exact solutions: independent joints, and a position-controlled stage that pushes a spring."""

import math

import numpy as np

from softdock.robot.link import Array, Command, JointLimits, RobotState


class IndependentJoints:
    """Independent joints, each an inertia with the commanded spring and damper; propagated exactly.

    M qddot = k (q_cmd - q) - 2 xi sqrt(k M) qdot + tau_ff
    """

    def __init__(self, limits: JointLimits, inertia: Array, q: Array | None = None) -> None:
        self._limits = limits
        self._inertia = np.asarray(inertia, dtype=float)
        self._t = 0.0
        self._q = np.zeros(limits.joints) if q is None else np.array(q, dtype=float)
        self._qdot = np.zeros(limits.joints)
        self._tau = np.zeros(limits.joints)

    @property
    def limits(self) -> JointLimits:
        """Limits of the robot."""
        return self._limits

    def advance(self, command: Command, duration: float) -> None:
        """Follow the command for a duration [s]."""
        for i, M in enumerate(self._inertia):
            k, xi = float(command.stiffness[i]), float(command.damping_ratio[i])
            force = k * command.q[i] + command.tau_ff[i]
            self._q[i], self._qdot[i] = _propagate(
                self._q[i], self._qdot[i], duration, k / M, 2.0 * xi * math.sqrt(k / M), force / M
            )
        damping = 2.0 * command.damping_ratio * np.sqrt(command.stiffness * self._inertia)
        self._tau = command.stiffness * (command.q - self._q) - damping * self._qdot + command.tau_ff
        self._t += duration

    def state(self) -> RobotState:
        """Return the measured state."""
        zero = np.zeros(self._limits.joints)
        return RobotState(
            t=self._t,
            q=self._q.copy(),
            qdot=self._qdot.copy(),
            tau_measured=self._tau.copy(),
            tau_external=zero,
        )


def _propagate(q: float, v: float, h: float, k: float, d: float, f: float) -> tuple[float, float]:
    """Return position and speed after h [s] of qddot = f - k q - d qdot, exactly; k, d, f per inertia."""
    if k == 0.0:
        if d == 0.0:
            return q + v * h + 0.5 * f * h * h, v + f * h
        decay = math.exp(-d * h)
        final = f / d
        return q + final * h + (v - final) * (1.0 - decay) / d, final + (v - final) * decay
    rest, half = f / k, 0.5 * d
    square = k - half * half
    decay = math.exp(-half * h)
    x = q - rest
    if square > 0.0:
        w = math.sqrt(square)
        c, s = math.cos(w * h), math.sin(w * h) / w
    elif square < 0.0:
        w = math.sqrt(-square)
        c, s = math.cosh(w * h), math.sinh(w * h) / w
    else:
        c, s = 1.0, h
    return rest + decay * (x * c + (v + half * x) * s), decay * (v * c - (half * v + k * x) * s)


def seven_joint_robot() -> IndependentJoints:
    """Return seven independent joints with the limits of a KUKA LWR 4+ (data sheet), for testing a link."""
    q = np.radians([170.0, 120.0, 170.0, 120.0, 170.0, 120.0, 170.0])
    limits = JointLimits(
        q_min=-q,
        q_max=q,
        speed=np.radians([110.0, 110.0, 128.0, 128.0, 204.0, 184.0, 184.0]),
        torque=np.array([176.0, 176.0, 100.0, 100.0, 100.0, 38.0, 38.0]),
        stiffness=np.full(7, 5000.0),
        hold_stiffness=np.full(7, 1000.0),
    )
    return IndependentJoints(limits, inertia=np.array([3.0, 3.0, 1.0, 1.0, 0.3, 0.1, 0.05]))
