"""Bring a robot from wherever it stands to where an experiment begins."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from softdock.errors import RunError
from softdock.robot.link import Array, Command, Mode, RobotLink, State, monitor

APPROACH_SHARE = 0.25
"""Share of the speed limits with which a robot is brought somewhere."""
SETTLING = 2.0
"""Longest time to come to rest there [s]."""
AT_REST = 1e-3
"""Share of its highest speed below which a joint rests."""


def approach(
    link: RobotLink, goal: Command, near: float, meanwhile: Callable[[], None] = lambda: None
) -> State:
    """Move a robot straight in joint space to the positions of a command, and wait until it rests nearby.

    `near` is the largest distance of a joint at the end [rad]; `meanwhile` is called once in every cycle.
    """
    state = link.cycle(monitor(link.limits.joints))
    start = state.q
    reach = APPROACH_SHARE * np.minimum(link.limits.speed, 10.0) * link.period  # an endless speed is none
    cycles = max(1, int(np.ceil(np.max(np.abs(goal.q - start) / reach))))
    for i in range(1, cycles + 1 + int(SETTLING / link.period)):
        share = min(1.0, i / cycles)
        meanwhile()
        state = link.cycle(replace(goal, q=start + (goal.q - start) * share, mode=Mode.COMMAND))
        if state.refusal is not None:
            raise RunError(f"The robot does not come to the start: {state.refusal.value}")
        resting = (np.abs(state.qdot) <= AT_REST * link.limits.speed).all()
        if i > cycles and resting and distance(state.q, goal.q) <= near:
            return state
    raise RunError(f"The robot does not come closer to the start than {distance(state.q, goal.q):.3g} rad.")


def distance(one: Array, two: Array) -> float:
    """Return the largest distance of a joint [rad]."""
    return float(np.max(np.abs(one - two)))
