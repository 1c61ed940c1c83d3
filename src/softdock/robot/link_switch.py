"""One experiment, several robots: change from one to another while the experiment runs."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from softdock.errors import RunError
from softdock.robot.link import Array, Closing, Command, Limits, Mode, RobotLink, State, monitor
from softdock.robot.link_approach import approach, distance

ALIGNED = 0.01
"""Largest distance of a joint from the commanded position at which a robot may take over [rad]."""


class SwitchError(RunError):
    """A robot may not take over: the experiment would jump."""


class SwitchableLink(Closing):
    """A link that is one of several links at a time; the others hold.

    An experiment sees one robot: time goes on evenly, and after a change the first command is the last one of
    before, so that nothing jumps.
    """

    def __init__(self, links: Mapping[str, RobotLink], active: str) -> None:
        self._links = dict(links)
        self._check_name(active)
        self.active = active
        joints = {name: link.limits.joints for name, link in links.items()}
        if len(set(joints.values())) > 1:
            raise ValueError(f"the robots have different numbers of joints: {joints}")
        self._last: Command | None = None
        self._state: State | None = None
        self._offset = 0.0
        self._sequence = 0

    @property
    def link(self) -> RobotLink:
        """The link in use."""
        return self._links[self.active]

    @property
    def limits(self) -> Limits:
        """What the robot in use will refuse to go beyond."""
        return self.link.limits

    @property
    def period(self) -> float:
        """Time from one cycle to the next [s]."""
        return self.link.period

    def cycle(self, command: Command) -> State:
        """Give the robot in use one command and return its state; the others go on holding."""
        for name, link in self._links.items():
            if name != self.active:
                link.idle()
        state = self.link.cycle(command)
        self._last = command if state.refusal is None else self._last
        self._sequence += 1
        self._state = replace(state, t=state.t + self._offset, sequence=self._sequence)
        return self._state

    def align(self, name: str, stiffness: Array, damping_ratio: Array) -> None:
        """Bring a robot that is not in use to the last commanded position, with a share of its full speed.

        The robot in use keeps its last command meanwhile, and the experiment's clock stands still.
        """
        self._check_name(name)
        goal = self._goal()
        command = Command(
            q=goal, stiffness=stiffness, damping_ratio=damping_ratio, tau_ff=np.zeros(len(goal))
        )
        approach(self._links[name], command, 0.5 * ALIGNED, self._wait)

    def _wait(self) -> None:
        """Let the robot in use keep its last command for a cycle, which the experiment's clock does not count."""
        state = self.link.cycle(self._last or monitor(self.limits.joints))
        if self._state is not None:
            self._offset = self._state.t - state.t

    def switch(self, name: str) -> State:
        """Go on with another robot, which must stand where the last command was; return its state."""
        self._check_name(name)
        if name == self.active:
            raise SwitchError(f"The robot '{name}' is in use already.")
        successor = self._links[name]
        state = successor.cycle(monitor(successor.limits.joints))
        if self._last is not None and self._last.mode is Mode.COMMAND:
            if self._distance(state.q) > ALIGNED:
                joint = int(np.argmax(np.abs(state.q - self._last.q)))
                raise SwitchError(
                    f"The robot '{name}' stands {self._distance(state.q):.3g} rad from the last command at "
                    f"joint {joint + 1}; at most {ALIGNED:g} rad are allowed. Bring it there with align()."
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
        """Let go of all robots."""
        for link in self._links.values():
            link.close()

    def _hand_over(self, successor: RobotLink, state: State, last: Command) -> State:
        """Lead the successor from where it stands to the last command, as fast as it may go."""
        reach = successor.limits.speed * successor.period * 0.9
        cycles = max(1, int(np.ceil(np.max(np.abs(last.q - state.q) / reach))))
        start = state.q
        for i in range(1, cycles + 1):
            state = successor.cycle(replace(last, q=start + (last.q - start) * i / cycles))
            if state.refusal is not None:
                raise SwitchError(f"The robot refuses to take over: {state.refusal.value}")
        return state

    def _goal(self) -> Array:
        if self._last is not None and self._last.mode is Mode.COMMAND:
            return self._last.q
        if self._state is None:
            raise SwitchError("There is no cycle yet to align with.")
        return self._state.q

    def _distance(self, q: Array) -> float:
        return distance(q, self._goal())

    def _check_name(self, name: str) -> None:
        if name not in self._links:
            raise ValueError(f"there is no robot '{name}'; there are {', '.join(self._links)}")
