"""Distributions as functions of points in the unit cube, with a fixed number of coordinates each."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from scipy.special import ndtr, ndtri

from softdock.result import Array

SMALLEST_SHARE = 1e-12  # probability that must remain within the limits of a normal distribution


class Distribution(Protocol):
    """A distribution as a function of coordinates that are uniform in [0, 1)."""

    @property
    def dims(self) -> int:
        """Number of coordinates of one value."""

    def at(self, u: Array, /) -> Array:
        """Return the values at points u (n, dims): (n,) or, for vectors, (n, size)."""

    def extremes(self) -> tuple[Any, ...]:
        """Return the values at the finite ends of the range."""


@dataclass(frozen=True)
class Uniform:
    """Uniform between two values, or uniform in the logarithm."""

    low: float
    high: float
    logarithmic: bool = False
    dims: ClassVar[int] = 1

    def at(self, u: Array, /) -> Array:
        """Return the values at points u (n, 1)."""
        if not self.logarithmic:
            return np.asarray(self.low + u[:, 0] * (self.high - self.low))
        ratio = math.log(self.high / self.low)
        values = [self.low * math.exp(ratio * x) for x in u[:, 0]]
        return np.asarray(np.clip(np.array(values, dtype=float), self.low, self.high))

    def extremes(self) -> tuple[Any, ...]:
        """Return both ends."""
        return self.low, self.high


@dataclass(frozen=True)
class TruncatedNormal:
    """Normal distribution truncated at the limits."""

    mean: float
    deviation: float
    low: float = -math.inf
    high: float = math.inf
    dims: ClassVar[int] = 1

    def share(self) -> float:
        """Return the probability of the untruncated distribution within the limits."""
        a, b, _ = self._ends()
        return float(b - a)

    def _ends(self) -> tuple[float, float, float]:
        """Return the cumulative probabilities at the limits from the smaller tail, and the sign of that tail."""
        a, b = (self.low - self.mean) / self.deviation, (self.high - self.mean) / self.deviation
        if a > 0.0:
            return float(ndtr(-b)), float(ndtr(-a)), -1.0
        return float(ndtr(a)), float(ndtr(b)), 1.0

    def at(self, u: Array, /) -> Array:
        """Return the values at points u (n, 1)."""
        a, b, side = self._ends()
        z = ndtri(a + open_interval(u[:, 0]) * (b - a))
        return np.asarray(np.clip(self.mean + side * self.deviation * z, self.low, self.high))

    def extremes(self) -> tuple[Any, ...]:
        """Return the mean and the finite limits."""
        return tuple(x for x in (self.mean, self.low, self.high) if math.isfinite(x))


@dataclass(frozen=True)
class Choice:
    """One of several values; `at` returns their indices."""

    values: tuple[Any, ...]
    weights: tuple[float, ...] = ()
    dims: ClassVar[int] = 1

    def at(self, u: Array, /) -> Array:
        """Return the indices of the values at points u (n, 1)."""
        weights = np.array(self.weights or (1.0,) * len(self.values))
        edges = np.cumsum(weights)[:-1] / weights.sum()
        return np.searchsorted(edges, u[:, 0], side="right").astype(float)

    def extremes(self) -> tuple[Any, ...]:
        """Return all values."""
        return self.values


@dataclass(frozen=True)
class Vector:
    """A vector with uniformly distributed direction and a distribution of its magnitude."""

    magnitude: Uniform | TruncatedNormal
    size: int

    @property
    def dims(self) -> int:
        """Number of coordinates: one for the magnitude, one or two for the direction."""
        return self.size

    def at(self, u: Array, /) -> Array:
        """Return the vectors (n, size) at points u (n, size)."""
        length = self.magnitude.at(u[:, :1])
        angle = [2.0 * math.pi * x for x in u[:, 1]]
        plane = np.array([(math.cos(a), math.sin(a)) for a in angle]).reshape(-1, 2)
        if self.size == 2:
            return np.asarray(length[:, None] * plane)
        height = 1.0 - 2.0 * u[:, 2]  # areas between parallel planes on a sphere are equal (Archimedes)
        radius = np.sqrt(1.0 - height**2)
        return np.asarray(length[:, None] * np.column_stack((radius[:, None] * plane, height)))

    def extremes(self) -> tuple[Any, ...]:
        """Return the longest vectors along both directions of every axis."""
        longest = max((abs(x) for x in self.magnitude.extremes()), default=0.0)
        axes = list(np.eye(self.size))
        return tuple((sign * longest * axis).tolist() for axis in axes for sign in (1.0, -1.0))


@dataclass(frozen=True)
class AxisVector:
    """A vector of three components: a magnitude across the z axis in a uniformly distributed direction, and z."""

    lateral: Uniform | TruncatedNormal
    axial: Uniform | TruncatedNormal
    dims: ClassVar[int] = 3

    def at(self, u: Array, /) -> Array:
        """Return the vectors (n, 3) at points u (n, 3)."""
        return np.column_stack((Vector(self.lateral, 2).at(u[:, :2]), self.axial.at(u[:, 2:])))

    def extremes(self) -> tuple[Any, ...]:
        """Return the longest vectors across the axis with both ends of the component along it."""
        across = Vector(self.lateral, 2).extremes()
        return tuple([*vector, float(z)] for vector in across for z in self.axial.extremes())


def correlated(u: Array, factor: Array) -> Array:
    """Return coordinates (n, k) whose normal scores have the correlation matrix factor @ factor.T."""
    return np.asarray(ndtr(_rows(ndtri(open_interval(u)), factor)))


def _rows(z: Array, factor: Array) -> Array:
    """Return z @ factor.T with a summation order that does not depend on the number of rows."""
    out = np.zeros_like(z)
    for j in range(z.shape[1]):
        out += z[:, j, None] * factor[None, :, j]
    return out


def open_interval(u: Array) -> Array:
    """Return u within the open interval (0, 1), where a normal variable is finite."""
    return np.clip(u, 2.0**-54, 1.0 - 2.0**-53)
