"""Switching between several robots during one experiment."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from softdock.errors import RunError, no_such
from softdock.robot.link import (
    Array,
    Closable,
    Command,
    JointLimits,
    RobotLink,
    RobotMode,
    RobotState,
    approach,
    distance,
    monitor,
)

MAX_ALIGNMENT_ERROR = 0.01
"""Largest joint error from the commanded position at which a robot may take over [rad]."""


class SwitchError(RunError):
    """A robot cannot take over, because the motion would jump."""


class SwitchableLink(Closable):
    """A link that forwards to one of several links; the other robots hold their positions.

    The experiment sees one robot: its clock is continuous, and after a switch the first command is the last one
    before it, so that the motion does not jump.
    """

    def __init__(self, links: Mapping[str, RobotLink], active: str) -> None:
        self._links = dict(links)
        self._check_name(active)
        self.active = active
        joints = {name: link.limits.joints for name, link in links.items()}
        if len(set(joints.values())) > 1:
            raise ValueError(f"the robots have different numbers of joints: {joints}")
        self._last: Command | None = None
        self._state: RobotState | None = None
        self._offset = 0.0
        self._sequence = 0

    @property
    def link(self) -> RobotLink:
        """The active link."""
        return self._links[self.active]

    @property
    def limits(self) -> JointLimits:
        """Limits of the active robot; commands beyond them are refused."""
        return self.link.limits

    @property
    def period(self) -> float:
        """Time from one cycle to the next [s]."""
        return self.link.period

    def cycle(self, command: Command) -> RobotState:
        """Send one command to the active robot and return its state; the others hold their positions."""
        for name, link in self._links.items():
            if name != self.active:
                link.idle()
        state = self.link.cycle(command)
        self._last = command if state.refusal is None else self._last
        self._sequence += 1
        self._state = replace(state, t=state.t + self._offset, sequence=self._sequence)
        return self._state

    def align(self, name: str, stiffness: Array, damping_ratio: Array) -> None:
        """Move an inactive robot to the last commanded position at a fraction of its full speed.

        Meanwhile the active robot keeps its last command, and the experiment's clock stands still.
        """
        self._check_name(name)
        goal = self._goal()
        command = Command(
            q=goal, stiffness=stiffness, damping_ratio=damping_ratio, tau_ff=np.zeros(len(goal))
        )
        approach(self._links[name], command, 0.5 * MAX_ALIGNMENT_ERROR, self._wait)

    def _wait(self) -> None:
        """Repeat the active robot's last command for a cycle that the experiment's clock does not count."""
        state = self.link.cycle(self._last or monitor(self.limits.joints))
        if self._state is not None:
            self._offset = self._state.t - state.t

    def switch(self, name: str) -> RobotState:
        """Activate another robot, which must be at the last commanded position; return its state."""
        self._check_name(name)
        if name == self.active:
            raise SwitchError(f"The robot '{name}' is already active.")
        successor = self._links[name]
        state = successor.cycle(monitor(successor.limits.joints))
        if self._last is not None and self._last.mode is RobotMode.COMMAND:
            if self._distance(state.q) > MAX_ALIGNMENT_ERROR:
                joint = int(np.argmax(np.abs(state.q - self._last.q)))
                raise SwitchError(
                    f"The robot '{name}' is {self._distance(state.q):.3g} rad from the last command at "
                    f"joint {joint + 1}; at most {MAX_ALIGNMENT_ERROR:g} rad are allowed. Move it there with align()."
                )
            state = self._hand_over(successor, state, self._last)
        self.link.idle()
        self.active = name
        if self._state is not None:
            self._offset = self._state.t + self.period - state.t
        self._sequence += 1
        self._state = replace(state, t=state.t + self._offset, sequence=self._sequence)
        return self._state

    def close(self) -> None:
        """Release all robots."""
        for link in self._links.values():
            link.close()

    def _hand_over(self, successor: RobotLink, state: RobotState, last: Command) -> RobotState:
        """Move the successor from its position to the last command, at 90 % of its speed limits."""
        step = 0.9 * successor.limits.speed * successor.period
        cycles = max(1, int(np.ceil(np.max(np.abs(last.q - state.q) / step))))
        start = state.q
        for i in range(1, cycles + 1):
            state = successor.cycle(replace(last, q=start + (last.q - start) * i / cycles))
            if state.refusal is not None:
                raise SwitchError(f"The robot refuses to take over: {state.refusal.value}")
        return state

    def _goal(self) -> Array:
        if self._last is not None and self._last.mode is RobotMode.COMMAND:
            return self._last.q
        if self._state is None:
            raise SwitchError("There is no previous cycle to align with.")
        return self._state.q

    def _distance(self, q: Array) -> float:
        return distance(q, self._goal())

    def _check_name(self, name: str) -> None:
        if name not in self._links:
            raise ValueError(no_such("robot", name, self._links))
