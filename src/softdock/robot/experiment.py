"""An experiment: a plan that is carried out through a link, and what the robot said meanwhile."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softdock.robot.link import Command, Refusal, RobotLink, State
from softdock.robot.plan import Plan

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Log:
    """What was commanded and measured, one row per cycle; arrays of joints have shape (cycles, joints)."""

    t: Floats
    """The robot's clock at the end of every cycle [s]."""
    command: Floats
    q: Floats
    qdot: Floats
    tau_measured: Floats
    tau_external: Floats
    refusals: tuple[tuple[float, Refusal], ...]
    """When commands were refused and why; a series of the same is named once."""
    refused: int
    """How many commands were refused."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Experiment:
    """Carries out a plan; knows its robot only through the link."""

    plan: Plan
    stiffness: Floats
    """(joints,) [N m/rad or N/m]"""
    damping_ratio: Floats
    """(joints,)"""

    def command(self, cycle: int) -> Command:
        """Return the command of a cycle; after the end of the plan the last one stays."""
        q = self.plan.q[min(cycle, len(self.plan.q) - 1)]
        return Command(
            q=q, stiffness=self.stiffness, damping_ratio=self.damping_ratio, tau_ff=np.zeros(len(q))
        )

    def run(self, link: RobotLink, each: Callable[[State], None] | None = None) -> Log:
        """Carry out the plan and return what happened; ends early where the robot's clock stands still.

        The plan goes by the robot's clock: a cycle that was missed on the way is skipped, not made up for later.
        """
        states: list[State] = []
        given: list[int] = []
        refusals: list[tuple[float, Refusal]] = []
        refused, before = 0, None
        cycle, begun = 0, 0.0
        while cycle < len(self.plan.q):
            state = link.cycle(self.command(cycle))
            if not states:
                begun = state.t - self.plan.period
            elif state.t <= states[-1].t:
                break
            states.append(state)
            given.append(cycle)
            cycle = max(cycle + 1, round((state.t - begun) / self.plan.period))
            if state.refusal is not None:
                refused += 1
                if state.refusal is not before:
                    refusals.append((state.t, state.refusal))
            before = state.refusal
            if each is not None:
                each(state)
        return self._log(states, given, refusals, refused)

    def _log(
        self, states: list[State], given: list[int], refusals: list[tuple[float, Refusal]], refused: int
    ) -> Log:
        n = self.plan.q.shape[1]
        return Log(
            t=np.array([s.t for s in states]),
            command=self.plan.q[given],
            q=np.array([s.q for s in states]).reshape(-1, n),
            qdot=np.array([s.qdot for s in states]).reshape(-1, n),
            tau_measured=np.array([s.tau_measured for s in states]).reshape(-1, n),
            tau_external=np.array([s.tau_external for s in states]).reshape(-1, n),
            refusals=tuple(refusals),
            refused=refused,
        )
