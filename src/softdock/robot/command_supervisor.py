"""Supervision of commands on the robot's side: validation against limits, and a watchdog for missing commands."""

from collections import Counter

import numpy as np

from softdock.errors import InputError, Problem
from softdock.robot.link import Array, Command, Limits, Mode, Refusal

MIN_PERIOD, MAX_PERIOD = 1e-3, 0.1
"""Allowed cycle times of a link [s]."""
MAX_LEAD_CYCLES = 2.0
"""Cycles by which commands may lead the robot's clock, to tolerate bursts of packets."""
HOLD_DAMPING_RATIO = 0.7
"""Damping ratio while holding a position; the usual choice of joint impedance control."""
SPEED_TOLERANCE = 1e-9
"""Relative tolerance of the speed check, for rounding of accumulated positions."""


def check_period(period: float) -> float:
    """Return the period [s]; raise InputError if it is outside the allowed range."""
    if not MIN_PERIOD <= period <= MAX_PERIOD:
        allowed = f"must be {MIN_PERIOD * 1e3:g} to {MAX_PERIOD * 1e3:g} ms."
        raise InputError(Problem(message=f"The cycle {allowed}", field="cycle", given=f"{period * 1e3:g} ms"))
    return period


def default_timeout(period: float) -> float:
    """Return the command timeout [s]: ten cycles, at least 50 ms."""
    return max(10.0 * period, 0.05)


class CommandSupervisor:
    """Accepts or refuses commands; refused commands have no effect and are counted by reason.

    The speed check compares with the last accepted command (initially the held position). A step may be as large as
    the motion at full speed during the cycles elapsed by sequence numbers or by the robot's clock. The sum of all steps
    may lead that clock by at most `MAX_LEAD_CYCLES` cycles, so that sending faster does not move the robot faster.
    """

    def __init__(self, limits: Limits, period: float, timeout: float | None = None) -> None:
        self.limits = limits
        self.period = check_period(period)
        self.timeout = default_timeout(period) if timeout is None else timeout
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
        self._active_command: Command | None = None
        self._sequence = 0
        self._last_command_time = 0.0
        self._lead = 0.0
        self._stiffness = limits.stiffness if limits.hold_stiffness is None else limits.hold_stiffness
        self._damping_ratio = np.full(limits.joints, HOLD_DAMPING_RATIO)
        self._fell_back = False
        self.mode = Mode.MONITOR

    @property
    def active_command(self) -> Command:
        """The command to follow: the last accepted one, or one that holds the position."""
        if self._active_command is None:
            raise RuntimeError("hold() or submit() must be called first")
        return self._active_command

    def start_session(self, q: Array) -> None:
        """Start a new client session: reset the sequence number and hold the position q [rad]."""
        self._sequence, self._fell_back, self.refusal = 0, False, None
        self.hold(q)

    def hold(self, q: Array) -> None:
        """Switch to monitor mode and hold the joint positions q [rad] with the stiffness of the last command."""
        self.mode = Mode.MONITOR
        self._active_command = Command(
            q=np.clip(q, self.limits.q_min, self.limits.q_max),
            stiffness=self._stiffness,
            damping_ratio=self._damping_ratio,
            tau_ff=np.zeros(self.limits.joints),
            mode=Mode.MONITOR,
        )

    def check_timeout(self, q: Array, now: float) -> None:
        """Fall back to monitor mode at the measured positions q [rad] if no command arrived within the timeout."""
        if self.mode is Mode.COMMAND and now - self._last_command_time > self.timeout:
            self._fell_back = True
            self.fallbacks += 1
            self.hold(q)

    def submit(self, command: Command, sequence: int, q: Array, now: float) -> Refusal | None:
        """Accept a command or return why it is refused; q: measured positions [rad], now: the robot's clock [s]."""
        if self._active_command is None:
            self.hold(q)
        if sequence <= self._sequence:
            self.refused[Refusal.STALE] += 1  # does not concern the newest command
            return Refusal.STALE
        step = sequence - self._sequence if self._sequence else 1
        self._sequence = sequence
        self.refusal = self._validate(command, step, q, now)
        if self.refusal is not None:
            self.refused[self.refusal] += 1
        elif command.mode is Mode.MONITOR:
            self._accept_monitor(q)
        else:
            self._accept(command, q, now)
        return self.refusal

    def _accept_monitor(self, q: Array) -> None:
        self._fell_back = False
        self.accepted += 1
        if self.mode is Mode.COMMAND:
            self.hold(q)

    def _accept(self, command: Command, q: Array, now: float) -> None:
        if self.mode is Mode.COMMAND:
            self._lead = self._lead_after(command, q, now)
        else:
            self._lead = 0.0
        self._active_command, self._last_command_time, self.mode = command, now, Mode.COMMAND
        self._stiffness, self._damping_ratio = command.stiffness, command.damping_ratio
        self.accepted += 1

    def _validate(self, command: Command, step: int, q: Array, now: float) -> Refusal | None:
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
        return None if self._is_within_speed(command, step, q, now) else Refusal.SPEED

    def _is_within_speed(self, command: Command, step: int, q: Array, now: float) -> bool:
        following = self.mode is Mode.COMMAND
        elapsed_cycles = (now - self._last_command_time) / self.period
        allowed_cycles = min(max(step, elapsed_cycles), self.timeout / self.period) if following else 1
        if self._cycles_needed(command, q) > allowed_cycles * (1.0 + SPEED_TOLERANCE):
            return False
        return not following or self._lead_after(command, q, now) <= MAX_LEAD_CYCLES

    def _cycles_needed(self, command: Command, q: Array) -> float:
        """Return the number of cycles at full speed between the last command and this one.

        In monitor mode a command may also start from the measured positions q, which the client knows.
        """
        step = np.abs(command.q - self.active_command.q)
        if self.mode is Mode.MONITOR:
            step = np.minimum(step, np.abs(command.q - q))
        if not step.any():
            return 0.0
        with np.errstate(divide="ignore", invalid="ignore"):
            cycles = np.where(step > 0.0, step / (self.limits.speed * self.period), 0.0)
        return float(cycles.max())

    def _lead_after(self, command: Command, q: Array, now: float) -> float:
        elapsed_cycles = (now - self._last_command_time) / self.period
        return max(0.0, self._lead + self._cycles_needed(command, q) - elapsed_cycles)
