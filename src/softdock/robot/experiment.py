"""Experiments: execution of a plan through a robot link, and the log of commands and measurements."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softdock.robot.link import Command, Refusal, RobotLink, RobotState
from softdock.robot.plan import Setpoint, Setpoints

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Log:
    """Commands and measurements, one row per cycle; joint arrays have shape (cycles, joints)."""

    t: Floats
    """The robot's clock at the end of every cycle [s]."""
    command: Floats
    q: Floats
    qdot: Floats
    tau_measured: Floats
    tau_external: Floats
    refusals: tuple[tuple[float, Refusal], ...]
    """Time [s] and reason of refused commands; consecutive equal reasons appear once."""
    refused: int
    """Number of refused commands."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Experiment:
    """Executes a plan, or moves that events start, through a robot link."""

    plan: Setpoints
    low_impedance: bool = False
    """Whether stiffness and damping may be below the minimum of the robot."""
    adjust: Callable[[Setpoint, RobotState | None], Setpoint] | None = None
    """Returns what is commanded instead of a setpoint of the plan, given the last state, None before the first cycle:
    other targets and stiffness while the experiment runs."""
    on_move_end: Callable[[int], None] | None = None
    """Called once with the number of every move at the end of its motion."""

    def command(self, cycle: int, state: RobotState | None = None) -> Command:
        """Return the command of a cycle; `state` is the last one of the robot."""
        setpoint = self.plan.setpoint(cycle)
        if self.adjust is not None:
            setpoint = self.adjust(setpoint, state)
        return Command(
            q=setpoint.q,
            stiffness=setpoint.stiffness,
            damping_ratio=setpoint.damping_ratio,
            tau_ff=np.zeros(len(setpoint.q)),
            qdot=setpoint.qdot,
            low_impedance=self.low_impedance,
            cartesian=setpoint.cartesian,
        )

    def run(self, link: RobotLink, on_state: Callable[[RobotState], None] | None = None) -> Log:
        """Execute the plan and return its log; ends early if the robot's clock stops.

        The plan follows the robot's clock: missed cycles are skipped. `on_state` is called after every cycle.
        """
        states: list[RobotState] = []
        commands: list[Floats] = []
        refusals: list[tuple[float, Refusal]] = []
        refused, previous = 0, None
        cycle, start, ended = 0, 0.0, set[int]()
        while cycle < self.plan.cycles:
            command = self.command(cycle, states[-1] if states else None)
            if self.on_move_end is not None:
                for i in self.plan.ended(cycle):
                    if i not in ended:
                        self.on_move_end(i)
                    ended.add(i)
            state = link.cycle(command)
            if not states:
                start = state.t - self.plan.period
            elif state.t <= states[-1].t:
                break
            states.append(state)
            commands.append(command.q)
            cycle = max(cycle + 1, round((state.t - start) / self.plan.period))
            if state.refusal is not None:
                refused += 1
                if state.refusal is not previous:
                    refusals.append((state.t, state.refusal))
            previous = state.refusal
            if on_state is not None:
                on_state(state)
        return _log(states, commands, refusals, refused, link.limits.joints)


def _log(
    states: list[RobotState],
    commands: list[Floats],
    refusals: list[tuple[float, Refusal]],
    refused: int,
    n: int,
) -> Log:
    return Log(
        t=np.array([s.t for s in states]),
        command=np.array(commands).reshape(-1, n),
        q=np.array([s.q for s in states]).reshape(-1, n),
        qdot=np.array([s.qdot for s in states]).reshape(-1, n),
        tau_measured=np.array([s.tau_measured for s in states]).reshape(-1, n),
        tau_external=np.array([s.tau_external for s in states]).reshape(-1, n),
        refusals=tuple(refusals),
        refused=refused,
    )
