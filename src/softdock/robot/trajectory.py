"""Motions from rest to rest with limited speed, acceleration and jerk."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """What a motion may not exceed, in units of its coordinate per s, s2 and s3."""

    speed: float
    acceleration: float
    jerk: float

    def over(self, length: float) -> "Bounds":
        """Return the bounds of a coordinate that runs from 0 to 1 while the motion covers a length."""
        return Bounds(
            speed=self.speed / length, acceleration=self.acceleration / length, jerk=self.jerk / length
        )


def tightest(*bounds: Bounds) -> Bounds:
    """Return bounds that satisfy all."""
    return Bounds(
        speed=min(b.speed for b in bounds),
        acceleration=min(b.acceleration for b in bounds),
        jerk=min(b.jerk for b in bounds),
    )


@dataclass(frozen=True, kw_only=True)
class Profile:
    """The way from 0 to 1 in seven phases of constant jerk: +j, 0, -j, cruise, -j, 0, +j; Eqs. (A16), (A17)."""

    ramp: float
    """Duration of each phase of jerk [s]."""
    push: float
    """Duration of constant acceleration, and again of constant deceleration [s]."""
    cruise: float
    """Duration of constant speed [s]."""
    jerk: float
    """[1/s3]"""

    @property
    def duration(self) -> float:
        """[s]"""
        return 4.0 * self.ramp + 2.0 * self.push + self.cruise

    def at(self, t: Floats | float) -> Floats:
        """Return the place on the way, 0 before the start and 1 after the end."""
        time = np.clip(np.asarray(t, float), 0.0, self.duration)
        late = time > 0.5 * self.duration
        first = np.where(late, self.duration - time, time)  # the second half mirrors the first
        s = np.asarray(self._first_half(first))
        return np.where(late, 1.0 - s, s)

    def _first_half(self, t: Floats) -> Floats:
        """Integrate three phases of jerk and the cruise."""
        s, v, a = np.zeros_like(t), 0.0, 0.0
        begin = 0.0
        place = 0.0
        for length, jerk in (
            (self.ramp, self.jerk),
            (self.push, 0.0),
            (self.ramp, -self.jerk),
            (np.inf, 0.0),
        ):
            x = t - begin
            here = place + v * x + 0.5 * a * x**2 + jerk * x**3 / 6.0
            s = np.where(x >= 0.0, here, s)
            if np.isinf(length):
                break
            place += v * length + 0.5 * a * length**2 + jerk * length**3 / 6.0
            v += a * length + 0.5 * jerk * length**2
            a += jerk * length
            begin += length
        return np.asarray(s)

    def slowed_to(self, duration: float) -> "Profile":
        """Return the same way in a longer time [s]."""
        k = duration / self.duration
        return Profile(ramp=k * self.ramp, push=k * self.push, cruise=k * self.cruise, jerk=self.jerk / k**3)


def fastest(bounds: Bounds) -> Profile:
    """Return the quickest way from 0 to 1 within bounds; Eq. (A17)."""
    v, a, j = bounds.speed, bounds.acceleration, bounds.jerk
    ramp = min((0.5 / j) ** (1.0 / 3.0), np.sqrt(v / j), a / j)
    peak = j * ramp
    # peak (ramp + push) (2 ramp + push) = 1 covers the whole way without a cruise
    most = -1.5 * ramp + np.sqrt(0.25 * ramp**2 + 1.0 / peak)
    push = max(0.0, min(v / peak - ramp, most))
    speed = peak * (ramp + push)
    cruise = max(0.0, (1.0 - speed * (2.0 * ramp + push)) / speed)
    return Profile(ramp=float(ramp), push=float(push), cruise=float(cruise), jerk=float(j))
