"""Approach motion: moves a robot from its present position to the start of an experiment."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from softdock.errors import RunError
from softdock.robot.link import Array, Command, RobotLink, RobotMode, RobotState, monitor

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


def distance(first: Array, second: Array) -> float:
    """Return the largest difference of a joint position [rad]."""
    return float(np.max(np.abs(first - second)))
