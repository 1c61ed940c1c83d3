"""Rest-to-rest motion profiles with bounded speed, acceleration and jerk, and interpolation of commands."""

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """Upper bounds of a motion, in units of its coordinate per s, s2 and s3."""

    speed: float
    acceleration: float
    jerk: float

    def normalised(self, length: float) -> "Bounds":
        """Return the bounds of the path coordinate, 0 to 1, of a motion over a length."""
        return Bounds(
            speed=self.speed / length, acceleration=self.acceleration / length, jerk=self.jerk / length
        )


def tightest_bounds(*bounds: Bounds) -> Bounds:
    """Return the smallest of several bounds in each component."""
    return Bounds(
        speed=min(b.speed for b in bounds),
        acceleration=min(b.acceleration for b in bounds),
        jerk=min(b.jerk for b in bounds),
    )


@dataclass(frozen=True, kw_only=True)
class JerkProfile:
    """Path coordinate from 0 to 1 in seven phases of constant jerk: +j, 0, -j, cruise, -j, 0, +j; Eqs. (A16), (A17)."""

    jerk_time: float
    """Duration of each phase with nonzero jerk [s]."""
    acceleration_time: float
    """Duration of constant acceleration, and of constant deceleration [s]."""
    cruise_time: float
    """Duration of constant speed [s]."""
    jerk: float
    """[1/s3]"""

    @property
    def duration(self) -> float:
        """[s]"""
        return 4.0 * self.jerk_time + 2.0 * self.acceleration_time + self.cruise_time

    @property
    def top_speed(self) -> float:
        """Highest rate of the path coordinate [1/s]."""
        return self.jerk * self.jerk_time * (self.jerk_time + self.acceleration_time)

    def at(self, t: Floats | float) -> Floats:
        """Return the path coordinate at times t [s], 0 before the start and 1 after the end."""
        time = np.clip(np.asarray(t, float), 0.0, self.duration)
        late = time > 0.5 * self.duration
        first = np.where(late, self.duration - time, time)  # the second half mirrors the first
        s = np.asarray(self._first_half(first))
        return np.where(late, 1.0 - s, s)

    def _first_half(self, t: Floats) -> Floats:
        """Integrate the first three phases and the cruise."""
        s, v, a = np.zeros_like(t), 0.0, 0.0
        begin = 0.0
        position = 0.0
        for length, jerk in (
            (self.jerk_time, self.jerk),
            (self.acceleration_time, 0.0),
            (self.jerk_time, -self.jerk),
            (np.inf, 0.0),
        ):
            x = t - begin
            here = position + v * x + 0.5 * a * x**2 + jerk * x**3 / 6.0
            s = np.where(x >= 0.0, here, s)
            if np.isinf(length):
                break
            position += v * length + 0.5 * a * length**2 + jerk * length**3 / 6.0
            v += a * length + 0.5 * jerk * length**2
            a += jerk * length
            begin += length
        return np.asarray(s)

    def stretched_to(self, duration: float) -> "JerkProfile":
        """Return the profile stretched to a longer duration [s]."""
        k = duration / self.duration
        return JerkProfile(
            jerk_time=k * self.jerk_time,
            acceleration_time=k * self.acceleration_time,
            cruise_time=k * self.cruise_time,
            jerk=self.jerk / k**3,
        )


def fastest_profile(bounds: Bounds) -> JerkProfile:
    """Return the profile of shortest duration within bounds; Eq. (A17)."""
    v, a, j = bounds.speed, bounds.acceleration, bounds.jerk
    jerk_time = min((0.5 / j) ** (1.0 / 3.0), np.sqrt(v / j), a / j)
    peak = j * jerk_time
    # peak (jerk_time + t) (2 jerk_time + t) = 1 reaches the end without a cruise
    longest = -1.5 * jerk_time + np.sqrt(0.25 * jerk_time**2 + 1.0 / peak)
    acceleration_time = max(0.0, min(v / peak - jerk_time, longest))
    speed = peak * (jerk_time + acceleration_time)
    cruise_time = max(0.0, (1.0 - speed * (2.0 * jerk_time + acceleration_time)) / speed)
    return JerkProfile(
        jerk_time=float(jerk_time),
        acceleration_time=float(acceleration_time),
        cruise_time=float(cruise_time),
        jerk=float(j),
    )


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
