"""A robot in the same process: every cycle is a function call."""

from dataclasses import replace

from softdock.robot.link import Closing, Command, Limits, Robot, State, monitor
from softdock.robot.link_gate import Gate


class LocalLink(Closing):
    """Link to a simulated robot without anything in between; its clock is that of the robot."""

    def __init__(self, robot: Robot, period: float = 1e-3) -> None:
        self.robot = robot
        self.gate = Gate(robot.limits, period)
        self._sequence = 0

    @property
    def limits(self) -> Limits:
        """What the robot will refuse to go beyond."""
        return self.robot.limits

    @property
    def period(self) -> float:
        """Time from one cycle to the next [s]."""
        return self.gate.period

    def cycle(self, command: Command) -> State:
        """Give one command, let the robot follow for one period and return its state."""
        self._sequence += 1
        before = self.robot.state()
        self.gate.watch(before.q, before.t)
        self.gate.admit(command, self._sequence, before.q, before.t)
        self.robot.advance(self.gate.obeyed, self.period)
        return replace(
            self.robot.state(), mode=self.gate.mode, sequence=self._sequence, refusal=self.gate.refusal
        )

    def idle(self) -> None:
        """Let the robot hold for one period."""
        self.cycle(monitor(self.limits.joints))

    def close(self) -> None:
        """Let the robot hold."""
        self.gate.hold(self.robot.state().q)
