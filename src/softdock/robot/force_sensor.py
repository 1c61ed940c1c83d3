"""Force-torque sensor at the flange of an arm: bias, drift, bandwidth, noise, and compensation of the tool."""

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from softdock.robot.kernels.force_sensor import SensorPeriods

Floats = NDArray[np.float64]


class ToolCompensation(Enum):
    """Which part of the load of the tool is subtracted from a reading."""

    NONE = "none"
    WEIGHT = "weight"
    DYNAMICS = "dynamics"
    """Weight and inertia, by the known motion of the arm."""


@dataclass(frozen=True, kw_only=True, eq=False)
class SensorProperties:
    """Properties of a force-torque sensor; vectors (6,), force first [N, N m]."""

    bias: Floats
    """Constant error."""
    drift: Floats
    """Random walk of the error, per square root of a second."""
    noise: Floats
    """Standard deviation of the noise of every reading."""
    bandwidth: float | None = None
    """Cut-off frequency of a filter of first order [Hz]; None without one."""
    compensation: ToolCompensation = ToolCompensation.NONE
    mass_ratio: float = 1.0
    """Mass of the tool that the compensation assumes over the true one."""
    seed: int = 0


class ForceSensor:
    """A sensor that is read in every torque period; its errors depend on the seed only."""

    def __init__(self, properties: SensorProperties, period: float) -> None:
        self._properties, self._period = properties, period
        self._random = np.random.Generator(np.random.Philox(properties.seed))
        self._wandered = np.zeros(6)
        self._filtered: Floats | None = None

    def read(self, load: Floats, inertia: Floats, weight: Floats) -> Floats:
        """Return the readings of consecutive torque periods (periods, 6); Eqs. (A36)-(A38)."""
        p, count = self._properties, len(load)
        draws = self._random.standard_normal((count, 12))
        wandered = self._wandered + np.cumsum(p.drift * np.sqrt(self._period) * draws[:, :6], axis=0)
        removed = {
            ToolCompensation.NONE: np.zeros_like(load),
            ToolCompensation.WEIGHT: weight,
            ToolCompensation.DYNAMICS: inertia,
        }[p.compensation]
        signal = load - p.mass_ratio * removed + p.bias + wandered
        if count:
            self._wandered = wandered[-1]
        return self._low_pass(signal) + p.noise * draws[:, 6:]

    def _low_pass(self, signal: Floats) -> Floats:
        """Return a signal after the filter, which starts at its first value; Eq. (A37)."""
        bandwidth = self._properties.bandwidth
        if bandwidth is None or not len(signal):
            return signal
        kept = np.exp(-2.0 * np.pi * bandwidth * self._period)
        out, value = np.empty_like(signal), signal[0] if self._filtered is None else self._filtered
        for k, row in enumerate(signal):
            value = kept * value + (1.0 - kept) * row
            out[k] = value
        self._filtered = value
        return out


def new_sensor_periods(periods: int, reaction: int = -1, frame: Floats | None = None) -> SensorPeriods:
    """Return memory for what a sensor bears in the torque periods of a cycle; without a reaction for none."""
    load, inertia, weight = np.zeros((3, periods, 6))
    place = np.array([*np.eye(3).ravel(), 0.0, 0.0, 0.0]) if frame is None else frame
    return SensorPeriods(
        reaction=np.array([reaction], np.int64), frame=place, load=load, inertia=inertia, weight=weight
    )
