"""Interpolation of commands over a cycle, and the speeds of a plan at the ends of its cycles."""

from enum import Enum

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Interpolation(Enum):
    """How a robot passes from one command to the next within a cycle."""

    HOLD = "hold"
    """The command holds for the whole cycle: a staircase."""
    LINEAR = "linear"
    """A straight line from the last command to this one, reached at the end of the cycle."""
    CUBIC = "cubic"
    """A cubic with the speeds of the plan at both ends; a straight line where a command has no speed."""


def planned_speed(before: Floats, now: Floats, after: Floats, period: float) -> Floats:
    """Return the speeds at the middle one of three consecutive commands (joints,) [rad/s or m/s]; Eq. (A26).

    A joint whose command stands still before or after it is at rest there, so that no cubic leaves a goal.
    """
    speed = (after - before) / (2.0 * period)
    return np.where((now == before) | (now == after), 0.0, speed)
