"""Interface between an experiment and a robot, simulated or real.

    with link:
        state = link.cycle(monitor(joints))      # monitor mode: read the state without moving
        while not experiment.finished(state):
            state = link.cycle(experiment.command(state))

An experiment depends on `RobotLink` only. A robot implements `Robot`. The transport between them (a function call, a
network with delay and loss) is invisible to both.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum, IntEnum, IntFlag
from types import TracebackType
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from softdock.errors import RunError

Array = NDArray[np.float64]
MIN_STIFFNESS_FRACTION = 0.01
"""Lowest stiffness of a command relative to that of holding, where a robot states none."""


class RobotMode(IntEnum):
    """Operating mode of the robot."""

    MONITOR = 0
    """The robot holds its position and only reports."""
    COMMAND = 1
    """The robot follows the commands of its link."""


class Refusal(Enum):
    """Reason why the robot refused a command; the value is the message to the user."""

    JOINT_COUNT = "The number of joints of the command differs from that of the robot."
    NOT_FINITE = "The command has a value that is not a finite number."
    POSITION = "A commanded joint position lies outside the joint's limits."
    SPEED = "The commanded position moves faster than the speed limit of a joint."
    TORQUE = "A feed-forward torque exceeds the torque limit of the joint."
    STIFFNESS = "A stiffness is smaller or larger than the robot allows."
    DAMPING = "A damping ratio is smaller or larger than the robot allows."
    STALE = "The command is older than one already received."
    FELL_BACK = (
        "The robot holds its position because commands timed out or a measured value exceeded a limit; "
        "request monitor mode first."
    )
    CARTESIAN = (
        "The robot has no Cartesian impedance, or its task frame is not a pose on a link of the robot."
    )


class Exceeded(IntFlag):
    """Limits that the measured state exceeds by more than their margins."""

    NONE = 0
    POSITION = 1
    SPEED = 2
    TORQUE = 4
    NOT_FINITE = 8
    """A measured value is not a finite number."""


@dataclass(frozen=True, kw_only=True, eq=False)
class CartesianImpedance:
    """Impedance of a task frame on a link, instead of that of the joints; six-vectors angular part first.

    The commanded pose of the frame is that at the commanded joint positions, which are also those of the null space.
    """

    link: int
    """Link that carries the task frame: the number of the joint that moves it, counted from 1."""
    frame: Array
    """(12,) rotation, row by row, and origin [m] of the task frame in the link."""
    stiffness: Array
    """(6,) [N m/rad, N/m]"""
    damping_ratio: Array
    """(6,)"""
    null_stiffness: Array
    """(joints,) [N m/rad]"""
    null_damping_ratio: Array
    """(joints,)"""
    in_base_axes: bool = False
    """Whether stiffness and damping have the axes of the base; otherwise those of the commanded task frame."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Command:
    """Command for one cycle; every array has shape (joints,).

    The robot applies the torque k (q_cmd - q) - D qdot + tau_ff + compensation of its own dynamics, or that of a
    Cartesian impedance instead of the first two terms.
    """

    q: Array
    """Commanded joint positions [rad] (prismatic joints [m])."""
    stiffness: Array
    """Joint stiffness k [N m/rad]."""
    damping_ratio: Array
    """Damping ratio from which D is computed [1]."""
    tau_ff: Array
    """Feed-forward torque [N m]."""
    mode: RobotMode = RobotMode.COMMAND
    qdot: Array | None = None
    """Planned speed at the end of the cycle [rad/s], for robots that interpolate; links do not send it."""
    low_impedance: bool = False
    """Whether stiffness and damping may be below the robot's minimum, down to 0; the client ensures stability."""
    cartesian: CartesianImpedance | None = None
    """Cartesian impedance; `stiffness` and `damping_ratio` then only hold the position after a fallback."""


@dataclass(frozen=True, kw_only=True, eq=False)
class RobotState:
    """Measured state of the robot at one instant; every array has shape (joints,)."""

    t: float
    """The robot's own clock [s]."""
    q: Array
    """Joint positions [rad]."""
    qdot: Array
    """Joint speeds [rad/s]."""
    tau_measured: Array
    """Torques at the output side of the joints [N m]."""
    tau_external: Array
    """Part of the torques that is caused by contact with the environment [N m]."""
    mode: RobotMode = RobotMode.MONITOR
    sequence: int = 0
    """Number of the robot's cycle; set by the link."""
    refusal: Refusal | None = None
    """Why the newest command was refused; None if it was accepted."""
    exceeded: Exceeded = Exceeded.NONE
    """Limits that this state exceeds; set by the link."""
    wrench: Array | None = None
    """(6,) reading of the force-torque sensor, in its axes: what the tool exerts on it [N, N m]; None without one."""


@dataclass(frozen=True, kw_only=True, eq=False)
class JointLimits:
    """Limits of a robot's joints; every array has shape (joints,)."""

    q_min: Array
    """Lowest joint positions [rad]."""
    q_max: Array
    """Highest joint positions [rad]."""
    speed: Array
    """Highest joint speeds [rad/s]."""
    torque: Array
    """Highest joint torques [N m]."""
    stiffness: Array
    """Highest joint stiffness [N m/rad]."""
    damping_ratio: float = 2.0
    """Highest damping ratio; values above 1 only slow a joint down, so twice critical is enough."""
    hold_stiffness: Array | None = None
    """Joint stiffness while the robot holds its position before the first command [N m/rad]; default `stiffness`."""
    min_stiffness: Array | None = None
    """Lowest joint stiffness of commands without `low_impedance` [N m/rad]; default 1 % of that of holding."""
    cartesian: bool = False
    """Whether the robot accepts a Cartesian impedance."""
    min_damping_ratio: float = 0.1
    """Lowest damping ratio of commands without `low_impedance`; below it a joint overshoots by more than 70 %."""

    @property
    def joints(self) -> int:
        """Number of joints."""
        return len(self.q_min)

    @property
    def holding(self) -> Array:
        """Joint stiffness while the robot holds its position [N m/rad]."""
        return self.stiffness if self.hold_stiffness is None else self.hold_stiffness

    @property
    def lowest_stiffness(self) -> Array:
        """Lowest joint stiffness of commands without `low_impedance` [N m/rad]."""
        return MIN_STIFFNESS_FRACTION * self.holding if self.min_stiffness is None else self.min_stiffness


class Robot(Protocol):
    """Interface of a robot: it follows one command for one cycle and measures its state."""

    @property
    def limits(self) -> JointLimits:
        """Limits of the robot."""

    def advance(self, command: Command, duration: float) -> None:
        """Follow the command for a duration [s] (zero-order hold); the caller has checked limits and mode."""

    def state(self) -> RobotState:
        """Return the measured state."""


class Closable:
    """Base class of context managers that call `close` at the end of a `with` block."""

    def close(self) -> None:
        """Release resources."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class RobotLink(Protocol):
    """Connection of an experiment to a robot."""

    @property
    def limits(self) -> JointLimits:
        """Limits of the robot; commands beyond them are refused."""

    @property
    def period(self) -> float:
        """Time from one cycle to the next [s], 1 to 100 ms."""

    def cycle(self, command: Command) -> RobotState:
        """Send one command, wait for one cycle and return the state at its end.

        A refused command does not raise: `RobotState.refusal` gives the reason, and the robot continues with
        the last accepted command. A robot that does not answer raises `LinkLostError`.
        """

    def idle(self) -> None:
        """Request monitor mode without waiting for the state; keeps the connection alive."""

    def close(self) -> None:
        """Release the robot, which then holds its position."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


class LinkLostError(RunError):
    """The robot stopped answering or refused the connection."""


def monitor(joints: int) -> Command:
    """Return a command that requests monitor mode, to read the state only."""
    zero = np.zeros(joints)
    return Command(q=zero, stiffness=zero, damping_ratio=zero, tau_ff=zero, mode=RobotMode.MONITOR)


APPROACH_SPEED_FRACTION = 0.25
"""Speed of the approach as a fraction of the speed limits."""
MAX_SETTLING_TIME = 2.0
"""Longest time to come to rest at the goal [s]."""
REST_SPEED_FRACTION = 1e-3
"""Fraction of its speed limit below which a joint is at rest."""


def approach(
    link: RobotLink, goal: Command, tolerance: float, on_cycle: Callable[[], None] = lambda: None
) -> RobotState:
    """Move a robot along a straight line in joint space to the positions of a command and wait until it is at rest.

    `tolerance` is the largest joint error at the end [rad]; `on_cycle` is called once in every cycle.
    """
    state = link.cycle(monitor(link.limits.joints))
    start = state.q
    # 10 rad/s where unlimited.
    step = APPROACH_SPEED_FRACTION * np.minimum(link.limits.speed, 10.0) * link.period
    cycles = max(1, int(np.ceil(np.max(np.abs(goal.q - start) / step))))
    for i in range(1, cycles + 1 + int(MAX_SETTLING_TIME / link.period)):
        fraction = min(1.0, i / cycles)
        on_cycle()
        state = link.cycle(replace(goal, q=start + (goal.q - start) * fraction, mode=RobotMode.COMMAND))
        if state.refusal is not None:
            raise RunError(f"The robot cannot move to the start: {state.refusal.value}")
        resting = (np.abs(state.qdot) <= REST_SPEED_FRACTION * link.limits.speed).all()
        if i > cycles and resting and distance(state.q, goal.q) <= tolerance:
            return state
    raise RunError(f"The robot does not reach the start: {distance(state.q, goal.q):.3g} rad remain.")


def distance(one: Array, two: Array) -> float:
    """Return the largest difference of a joint position [rad]."""
    return float(np.max(np.abs(one - two)))
