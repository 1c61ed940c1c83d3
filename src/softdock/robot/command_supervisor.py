"""Supervision on the robot's side: commands and measured state against limits, watchdog for missing commands."""

from collections import Counter

import numpy as np

from softdock.errors import InputError
from softdock.robot.link import (
    Array,
    CartesianImpedance,
    Command,
    Exceeded,
    JointLimits,
    Refusal,
    RobotMode,
    RobotState,
)

MIN_PERIOD, MAX_PERIOD = 1e-3, 0.1
"""Allowed cycle times of a link [s]."""
MAX_LEAD_CYCLES = 2.0
"""Cycles by which commands may lead the robot's clock, to tolerate bursts of packets."""
HOLD_DAMPING_RATIO = 0.7
"""Damping ratio while holding a position; the usual choice of joint impedance control."""
SPEED_TOLERANCE = 1e-9
"""Relative tolerance of the speed check, for rounding of accumulated positions."""
POSITION_MARGIN, MIN_POSITION_MARGIN = 0.02, 0.01
"""Allowed excess of a measured position as a fraction of the joint's range, and its lowest value [rad]."""
SPEED_MARGIN, TORQUE_MARGIN = 0.2, 0.2
"""Allowed excess of a measured speed or torque relative to its limit: overshoot of a damped joint, friction, noise."""
ROTATION_TOLERANCE = 1e-6
"""Departure of a task frame from a rotation matrix."""
RECOVERY_FRACTION = 0.5
"""Fraction of the margins within which the state must be before commands are accepted again."""


def check_period(period: float) -> float:
    """Return the period [s]; raise InputError if it is outside the allowed range."""
    if not MIN_PERIOD <= period <= MAX_PERIOD:
        allowed = f"must be {MIN_PERIOD * 1e3:g} to {MAX_PERIOD * 1e3:g} ms."
        raise InputError(f"The cycle {allowed}", field="cycle", given=f"{period * 1e3:g} ms")
    return period


def default_timeout(period: float) -> float:
    """Return the command timeout [s]: ten cycles, at least 50 ms."""
    return max(10.0 * period, 0.05)


class CommandSupervisor:
    """Accepts or refuses commands; refused commands have no effect and are counted by reason.

    The speed check compares with the last accepted command (initially the held position). A step may be as large as
    the motion at full speed during the cycles elapsed by sequence numbers or by the robot's clock. The sum of all steps
    may lead that clock by at most `MAX_LEAD_CYCLES` cycles, so that sending faster does not move the robot faster; the
    sum continues over changes of mode and sessions. `check_state` compares the measured state with the same limits.
    """

    def __init__(self, limits: JointLimits, period: float, timeout: float | None = None) -> None:
        self.limits = limits
        self.period = check_period(period)
        self.timeout = default_timeout(period) if timeout is None else timeout
        if not self.timeout >= self.period:
            given = f"{self.timeout * 1e3:g} ms"
            raise InputError("The timeout must be at least one cycle.", field="timeout", given=given)
        self.refused: Counter[Refusal] = Counter()
        self.accepted = 0
        self.fallbacks = 0
        self.refusal: Refusal | None = None
        """Why the newest command was refused."""
        self._active_command: Command | None = None
        self._sequence = 0
        self._last_command_time = 0.0
        self._lead = 0.0
        self._last_position: Array | None = None
        self._stiffness = limits.holding
        self._damping_ratio = np.full(limits.joints, HOLD_DAMPING_RATIO)
        self._fell_back = False
        self.exceeded = Exceeded.NONE
        """Limits that the newest measured state exceeds."""
        self.exceedances: Counter[Exceeded] = Counter()
        """Number of times that each limit began to be exceeded."""
        self._has_recovered = True
        self.mode = RobotMode.MONITOR

    @property
    def active_command(self) -> Command:
        """The command to follow: the last accepted one, or one that holds the position."""
        if self._active_command is None:
            raise RuntimeError("hold() or submit() must be called first")
        return self._active_command

    def start_session(self, q: Array) -> None:
        """Start a new client session: reset the sequence number and hold the position q [rad]."""
        self._sequence, self._fell_back, self.refusal = 0, bool(self.exceeded), None
        self.hold(q)

    def hold(self, q: Array) -> None:
        """Switch to monitor mode and hold the joint positions q [rad] with the stiffness of the last command.

        Stiffness and damping are at least the minimum of the robot.
        """
        self.mode = RobotMode.MONITOR
        if self._active_command is not None:
            q = np.where(np.isfinite(q), q, self._active_command.q)
        self._active_command = Command(
            q=np.clip(q, self.limits.q_min, self.limits.q_max),
            stiffness=np.maximum(self._stiffness, self.limits.lowest_stiffness),
            damping_ratio=np.maximum(self._damping_ratio, self.limits.min_damping_ratio),
            tau_ff=np.zeros(self.limits.joints),
            mode=RobotMode.MONITOR,
        )

    def check_timeout(self, q: Array, now: float) -> None:
        """Fall back to monitor mode at the measured positions q [rad] if no command arrived within the timeout."""
        if self.mode is RobotMode.COMMAND and now - self._last_command_time > self.timeout:
            self._fell_back = True
            self.fallbacks += 1
            self.hold(q)

    def check_state(self, state: RobotState) -> None:
        """Fall back to monitor mode if the measured state exceeds a limit by more than its margin, in any mode.

        The robot then holds the present position, within the limits, with its own stiffness and damping.
        """
        before, self.exceeded = self.exceeded, self._find_exceeded(state, 1.0)
        self._has_recovered = not self._find_exceeded(state, RECOVERY_FRACTION)
        begun = self.exceeded & ~before
        self.exceedances.update(limit for limit in Exceeded if limit & begun)
        if not self.exceeded or (self._fell_back and self.mode is RobotMode.MONITOR and not begun):
            return  # a held position does not follow a joint that still moves
        self._stiffness = self.limits.holding
        self._damping_ratio = np.full(self.limits.joints, HOLD_DAMPING_RATIO)
        self._fell_back = True
        self.fallbacks += 1
        self.hold(state.q)

    def _find_exceeded(self, state: RobotState, fraction: float) -> Exceeded:
        """Return the limits that a state exceeds by more than a fraction of their margins."""
        limits, exceeded = self.limits, Exceeded.NONE
        margin = fraction * np.maximum(POSITION_MARGIN * (limits.q_max - limits.q_min), MIN_POSITION_MARGIN)
        if (state.q < limits.q_min - margin).any() or (state.q > limits.q_max + margin).any():
            exceeded |= Exceeded.POSITION
        if (np.abs(state.qdot) > (1.0 + fraction * SPEED_MARGIN) * limits.speed).any():
            exceeded |= Exceeded.SPEED
        if (np.abs(state.tau_measured) > (1.0 + fraction * TORQUE_MARGIN) * limits.torque).any():
            exceeded |= Exceeded.TORQUE
        if not all(np.isfinite(array).all() for array in (state.q, state.qdot, state.tau_measured)):
            exceeded |= Exceeded.NOT_FINITE
        return exceeded

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
        elif command.mode is RobotMode.MONITOR:
            self._accept_monitor(q)
        else:
            self._accept(command, now)
        return self.refusal

    def _accept_monitor(self, q: Array) -> None:
        self._fell_back = self._fell_back and not self._has_recovered
        self.accepted += 1
        if self.mode is RobotMode.COMMAND:
            self.hold(q)

    def _accept(self, command: Command, now: float) -> None:
        self._lead = self._lead_after(command, now)
        self._last_position = command.q
        self._active_command, self._last_command_time, self.mode = command, now, RobotMode.COMMAND
        self._stiffness, self._damping_ratio = command.stiffness, command.damping_ratio
        self.accepted += 1

    def _validate(self, command: Command, step: int, q: Array, now: float) -> Refusal | None:
        limits, joints = self.limits, self.limits.joints
        speeds = () if command.qdot is None else (command.qdot,)
        arrays = (command.q, command.stiffness, command.damping_ratio, command.tau_ff, *speeds)
        if any(array.shape != (joints,) for array in arrays):
            return Refusal.JOINT_COUNT
        if command.mode is RobotMode.MONITOR:
            return None
        if self._fell_back:
            return Refusal.FELL_BACK
        if not all(np.isfinite(array).all() for array in arrays):
            return Refusal.NOT_FINITE
        if (command.q < limits.q_min).any() or (command.q > limits.q_max).any():
            return Refusal.POSITION
        lowest = 0.0 if command.low_impedance else limits.lowest_stiffness
        if (command.stiffness < lowest).any() or (command.stiffness > limits.stiffness).any():
            return Refusal.STIFFNESS
        ratio, lowest_ratio = (
            command.damping_ratio,
            0.0 if command.low_impedance else limits.min_damping_ratio,
        )
        if (ratio < lowest_ratio).any() or (ratio > limits.damping_ratio).any():
            return Refusal.DAMPING
        if (np.abs(command.tau_ff) > limits.torque).any():
            return Refusal.TORQUE
        if command.cartesian is not None and (refusal := self._check_cartesian(command.cartesian, command)):
            return refusal
        return None if self._is_within_speed(command, step, q, now) else Refusal.SPEED

    def _check_cartesian(self, asked: CartesianImpedance, command: Command) -> Refusal | None:
        """Return why a Cartesian impedance is refused; its stiffness has no upper limit but that of the torques."""
        joints = self.limits.joints
        shapes = ((asked.frame, 12), (asked.stiffness, 6), (asked.damping_ratio, 6))
        null = ((asked.null_stiffness, joints), (asked.null_damping_ratio, joints))
        if not self.limits.cartesian or any(a.shape != (size,) for a, size in (*shapes, *null)):
            return Refusal.CARTESIAN
        if not all(np.isfinite(array).all() for array, _ in (*shapes, *null)):
            return Refusal.NOT_FINITE
        R = asked.frame[:9].reshape(3, 3)
        if not 1 <= asked.link <= joints or np.abs(R @ R.T - np.eye(3)).max() > ROTATION_TOLERANCE:
            return Refusal.CARTESIAN
        stiff, ratios = asked.stiffness, (asked.damping_ratio, asked.null_damping_ratio)
        too_soft = not command.low_impedance and (stiff <= 0.0).any()
        if too_soft or (stiff < 0.0).any() or (asked.null_stiffness < 0.0).any():
            return Refusal.STIFFNESS
        lowest = 0.0 if command.low_impedance else self.limits.min_damping_ratio
        if any((ratio < lowest).any() or (ratio > self.limits.damping_ratio).any() for ratio in ratios):
            return Refusal.DAMPING
        return None

    def _is_within_speed(self, command: Command, step: int, q: Array, now: float) -> bool:
        following = self.mode is RobotMode.COMMAND
        elapsed_cycles = (now - self._last_command_time) / self.period
        allowed_cycles = min(max(step, elapsed_cycles), self.timeout / self.period) if following else 1
        if self._cycles_of(self._step(command, q)) > allowed_cycles * (1.0 + SPEED_TOLERANCE):
            return False
        return self._lead_after(command, now) <= MAX_LEAD_CYCLES

    def _step(self, command: Command, q: Array) -> Array:
        """Return the distance [rad] between the last command and this one.

        In monitor mode a command may also start from the measured positions q, which the client knows.
        """
        step = np.abs(command.q - self.active_command.q)
        return step if self.mode is RobotMode.COMMAND else np.minimum(step, np.abs(command.q - q))

    def _cycles_of(self, step: Array) -> float:
        """Return the number of cycles at full speed that a step [rad] needs."""
        if not step.any():
            return 0.0
        with np.errstate(divide="ignore", invalid="ignore"):
            cycles = np.where(step > 0.0, step / (self.limits.speed * self.period), 0.0)
        return float(cycles.max())

    def _lead_after(self, command: Command, now: float) -> float:
        """Return the cycles by which the commanded path leads the clock after this command.

        The path continues from the last accepted position in monitor mode too: if it continued from the measured
        position, requests of monitor mode would turn every overshoot of a joint into additional speed.
        """
        if self._last_position is None:
            return 0.0
        elapsed_cycles = (now - self._last_command_time) / self.period
        return max(
            0.0, self._lead + self._cycles_of(np.abs(command.q - self._last_position)) - elapsed_cycles
        )
