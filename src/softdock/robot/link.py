"""What an experiment and a robot say to each other, whether the robot is simulated or real.

    with link:
        state = link.cycle(monitor(joints))      # monitor mode: look, do not move
        while experiment.goes_on(state):
            state = link.cycle(experiment.command(state))

An experiment knows only `RobotLink`. A robot knows only `Robot`; what stands between them (a function call, a
network with delay and loss) does not concern either.
"""

from dataclasses import dataclass
from enum import Enum, IntEnum
from types import TracebackType
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from softdock.errors import RunError

Array = NDArray[np.float64]


class Mode(IntEnum):
    """Who decides where the robot goes."""

    MONITOR = 0
    """The robot holds its position and only reports."""
    COMMAND = 1
    """The robot follows the commands of its link."""


class Refusal(Enum):
    """Why the robot's side did not accept a command; the value is a sentence to the person."""

    JOINT_COUNT = "The command has another number of joints than the robot."
    NOT_FINITE = "The command has a value that is not a finite number."
    POSITION = "A commanded joint position lies outside the joint's limits."
    SPEED = "The commanded position moves faster than a joint may turn."
    TORQUE = "A feed-forward torque is larger than the joint may exert."
    STIFFNESS = "A stiffness is negative or larger than the robot allows."
    DAMPING = "A damping ratio is negative or larger than the robot allows."
    STALE = "The command is older than one that was already received."
    FELL_BACK = "The robot holds because commands stayed away; it must be asked for monitor mode first."


@dataclass(frozen=True, kw_only=True, eq=False)
class Command:
    """What the robot is asked to do for one cycle; every array has shape (joints,).

    The robot answers with the torque k (q_cmd - q) - D qdot + tau_ff + compensation of its own dynamics.
    """

    q: Array
    """Wanted joint positions [rad] (sliding joints [m])."""
    stiffness: Array
    """Joint stiffness k [N m/rad]."""
    damping_ratio: Array
    """Share of critical damping from which D is designed [1]."""
    tau_ff: Array
    """Torque added to that of the joint springs [N m]."""
    mode: Mode = Mode.COMMAND


@dataclass(frozen=True, kw_only=True, eq=False)
class State:
    """What the robot measures at one instant; every array has shape (joints,)."""

    t: float
    """The robot's own clock [s]."""
    q: Array
    """Joint positions [rad]."""
    qdot: Array
    """Joint speeds [rad/s]."""
    tau_measured: Array
    """Torques at the joints' output sides [N m]."""
    tau_external: Array
    """Part of them that contact with the surroundings causes [N m]."""
    mode: Mode = Mode.MONITOR
    sequence: int = 0
    """Counts the robot's cycles; set by the link."""
    refusal: Refusal | None = None
    """Why the newest command was not accepted; None where it was."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Limits:
    """What a robot refuses to go beyond; every array has shape (joints,)."""

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
    """Highest damping ratio; above 1 a joint only creeps, so nobody needs more than twice critical."""
    hold_stiffness: Array | None = None
    """Joint stiffness with which the robot holds before any command came [N m/rad]; by default `stiffness`."""

    @property
    def joints(self) -> int:
        """Number of joints."""
        return len(self.q_min)


class Robot(Protocol):
    """A robot as its own link sees it: it obeys one command for one cycle and measures."""

    @property
    def limits(self) -> Limits:
        """What the robot must not be asked for."""

    def advance(self, command: Command, duration: float) -> None:
        """Follow the command for a duration [s] (zero-order hold); limits were checked, the mode is not looked at."""

    def state(self) -> State:
        """Return what is measured now."""


class Closing:
    """What lets go at the end of a `with` block."""

    def close(self) -> None:
        """Let go."""
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
    """The one door between an experiment and a robot."""

    @property
    def limits(self) -> Limits:
        """What the robot will refuse to go beyond."""

    @property
    def period(self) -> float:
        """Time from one cycle to the next [s], 1 to 100 ms."""

    def cycle(self, command: Command) -> State:
        """Give one command, let one cycle pass and return the state at its end.

        A command that the robot refuses does not raise: `State.refusal` says why, and the robot goes on with
        the last command it accepted. A robot that does not answer raises `LinkLostError`.
        """

    def idle(self) -> None:
        """Let the robot hold for about one cycle without waiting for its state; keeps a link alive."""

    def close(self) -> None:
        """Let go of the robot, which then holds."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


class LinkLostError(RunError):
    """The robot does not answer any more, or refuses to speak with us."""


def monitor(joints: int) -> Command:
    """Return the command that asks for nothing but the state."""
    zero = np.zeros(joints)
    return Command(q=zero, stiffness=zero, damping_ratio=zero, tau_ff=zero, mode=Mode.MONITOR)
