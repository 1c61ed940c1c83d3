"""Link to a robot in the same process: every cycle is a function call."""

from dataclasses import replace

from softdock.robot.command_supervisor import CommandSupervisor
from softdock.robot.link import Closable, Command, JointLimits, Robot, RobotState, monitor


class LocalLink(Closable):
    """Direct link to a simulated robot, on the robot's clock."""

    def __init__(self, robot: Robot, period: float = 1e-3) -> None:
        self.robot = robot
        self.supervisor = CommandSupervisor(robot.limits, period)
        self._sequence = 0

    @property
    def limits(self) -> JointLimits:
        """Limits of the robot; commands beyond them are refused."""
        return self.robot.limits

    @property
    def period(self) -> float:
        """Time from one cycle to the next [s]."""
        return self.supervisor.period

    def cycle(self, command: Command) -> RobotState:
        """Send one command, advance the robot by one period and return its state."""
        self._sequence += 1
        before = self.robot.state()
        self.supervisor.check_timeout(before.q, before.t)
        self.supervisor.check_state(before)
        self.supervisor.submit(command, self._sequence, before.q, before.t)
        self.robot.advance(self.supervisor.active_command, self.period)
        return replace(
            self.robot.state(),
            mode=self.supervisor.mode,
            sequence=self._sequence,
            refusal=self.supervisor.refusal,
            exceeded=self.supervisor.exceeded,
        )

    def idle(self) -> None:
        """Hold the position for one period."""
        self.cycle(monitor(self.limits.joints))

    def close(self) -> None:
        """Hold the position."""
        self.supervisor.hold(self.robot.state().q)
