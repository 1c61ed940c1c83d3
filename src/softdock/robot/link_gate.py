"""The robot's own door: which commands it accepts, and when it stops waiting for them and holds."""

from collections import Counter

import numpy as np

from softdock.errors import InputError, Problem
from softdock.robot.link import Array, Command, Limits, Mode, Refusal

SHORTEST_PERIOD, LONGEST_PERIOD = 1e-3, 0.1
"""Cycles that a link may have [s]."""
PATIENCE = 2.0
"""Cycles by which commands may run ahead of the robot's clock, for packets that bunch up on the way."""
HOLD_DAMPING = 0.7
"""Damping ratio while holding; the usual choice of joint impedance control."""
ROUNDING = 1e-9
"""Relative slack of the speed check, for positions that were added up."""


def check_period(period: float) -> float:
    """Return the period [s] if a link may have it."""
    if not SHORTEST_PERIOD <= period <= LONGEST_PERIOD:
        allowed = f"must be {SHORTEST_PERIOD * 1e3:g} to {LONGEST_PERIOD * 1e3:g} ms."
        raise InputError(Problem(message=f"The cycle {allowed}", field="cycle", given=f"{period * 1e3:g} ms"))
    return period


def usual_timeout(period: float) -> float:
    """Return how long a robot waits for commands before it holds [s]: ten cycles, at least 50 ms."""
    return max(10.0 * period, 0.05)


class Gate:
    """Judges commands one by one; what it refuses has no effect and is counted by its reason.

    The speed check compares with the last accepted command (the held position at first). A step may take as many
    cycles of full speed as have passed by the sequence numbers or by the robot's clock. All steps together may run
    ahead of that clock by no more than `PATIENCE` cycles, so that sending faster does not move it faster.
    """

    def __init__(self, limits: Limits, period: float, timeout: float | None = None) -> None:
        self.limits = limits
        self.period = check_period(period)
        self.timeout = usual_timeout(period) if timeout is None else timeout
        if not self.timeout >= self.period:
            given = f"{self.timeout * 1e3:g} ms"
            raise InputError(
                Problem(message="The timeout must be at least one cycle.", field="timeout", given=given)
            )
        self.refused: Counter[Refusal] = Counter()
        self.accepted = 0
        self.fallbacks = 0
        self.refusal: Refusal | None = None
        """Why the newest command was refused."""
        self._obeyed: Command | None = None
        self._sequence = 0
        self._heard = 0.0
        self._ahead = 0.0
        self._stiffness = limits.stiffness if limits.hold_stiffness is None else limits.hold_stiffness
        self._damping_ratio = np.full(limits.joints, HOLD_DAMPING)
        self._fell_back = False
        self.mode = Mode.MONITOR

    @property
    def obeyed(self) -> Command:
        """The command to follow: the last accepted one, or the one that holds."""
        if self._obeyed is None:
            raise RuntimeError("hold() or admit() comes first")
        return self._obeyed

    def begin(self, q: Array) -> None:
        """Forget the last client: sequence numbers start anew and the robot holds."""
        self._sequence, self._fell_back, self.refusal = 0, False, None
        self.hold(q)

    def hold(self, q: Array) -> None:
        """Go to monitor mode and hold the joint positions q [rad], as stiff as the last command was."""
        self.mode = Mode.MONITOR
        self._obeyed = Command(
            q=np.clip(q, self.limits.q_min, self.limits.q_max),
            stiffness=self._stiffness,
            damping_ratio=self._damping_ratio,
            tau_ff=np.zeros(self.limits.joints),
            mode=Mode.MONITOR,
        )

    def watch(self, q: Array, now: float) -> None:
        """Fall back to monitor mode at the measured positions q [rad] if commands stayed away too long."""
        if self.mode is Mode.COMMAND and now - self._heard > self.timeout:
            self._fell_back = True
            self.fallbacks += 1
            self.hold(q)

    def admit(self, command: Command, sequence: int, q: Array, now: float) -> Refusal | None:
        """Accept a command, or return why not; q are the measured positions [rad], now the robot's clock [s]."""
        if self._obeyed is None:
            self.hold(q)
        if sequence <= self._sequence:
            self.refused[Refusal.STALE] += 1  # says nothing about the newest command
            return Refusal.STALE
        step = sequence - self._sequence if self._sequence else 1
        self._sequence = sequence
        self.refusal = self._judge(command, step, q, now)
        if self.refusal is not None:
            self.refused[self.refusal] += 1
        elif command.mode is Mode.MONITOR:
            self._take_monitor(q)
        else:
            self._take(command, q, now)
        return self.refusal

    def _take_monitor(self, q: Array) -> None:
        self._fell_back = False
        self.accepted += 1
        if self.mode is Mode.COMMAND:
            self.hold(q)

    def _take(self, command: Command, q: Array, now: float) -> None:
        if self.mode is Mode.COMMAND:
            self._ahead = self._ahead_after(command, q, now)
        else:
            self._ahead = 0.0
        self._obeyed, self._heard, self.mode = command, now, Mode.COMMAND
        self._stiffness, self._damping_ratio = command.stiffness, command.damping_ratio
        self.accepted += 1

    def _judge(self, command: Command, step: int, q: Array, now: float) -> Refusal | None:
        limits, joints = self.limits, self.limits.joints
        arrays = (command.q, command.stiffness, command.damping_ratio, command.tau_ff)
        if any(array.shape != (joints,) for array in arrays):
            return Refusal.JOINT_COUNT
        if command.mode is Mode.MONITOR:
            return None
        if self._fell_back:
            return Refusal.FELL_BACK
        if not all(np.isfinite(array).all() for array in arrays):
            return Refusal.NOT_FINITE
        if (command.q < limits.q_min).any() or (command.q > limits.q_max).any():
            return Refusal.POSITION
        if (command.stiffness < 0.0).any() or (command.stiffness > limits.stiffness).any():
            return Refusal.STIFFNESS
        if (command.damping_ratio < 0.0).any() or (command.damping_ratio > limits.damping_ratio).any():
            return Refusal.DAMPING
        if (np.abs(command.tau_ff) > limits.torque).any():
            return Refusal.TORQUE
        return None if self._is_slow_enough(command, step, q, now) else Refusal.SPEED

    def _is_slow_enough(self, command: Command, step: int, q: Array, now: float) -> bool:
        following = self.mode is Mode.COMMAND
        passed = (now - self._heard) / self.period
        granted = min(max(step, passed), self.timeout / self.period) if following else 1
        if self._cycles_needed(command, q) > granted * (1.0 + ROUNDING):
            return False
        return not following or self._ahead_after(command, q, now) <= PATIENCE

    def _cycles_needed(self, command: Command, q: Array) -> float:
        """Return how many cycles at full speed lie between this command and the last.

        From monitor mode a command may start at the measured positions q as well, which is all a client knows.
        """
        step = np.abs(command.q - self.obeyed.q)
        if self.mode is Mode.MONITOR:
            step = np.minimum(step, np.abs(command.q - q))
        if not step.any():
            return 0.0
        with np.errstate(divide="ignore", invalid="ignore"):
            cycles = np.where(step > 0.0, step / (self.limits.speed * self.period), 0.0)
        return float(cycles.max())

    def _ahead_after(self, command: Command, q: Array, now: float) -> float:
        passed = (now - self._heard) / self.period
        return max(0.0, self._ahead + self._cycles_needed(command, q) - passed)
