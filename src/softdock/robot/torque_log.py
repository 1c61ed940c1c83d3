"""Commands and torques of every torque period of a run, and what rows of a history show of them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softdock.robot.experiment import Log

Floats = NDArray[np.float64]
SAME_TIME = 1e-9
"""Difference of times that rounding may cause [s]."""


@dataclass(frozen=True, kw_only=True, eq=False)
class TorqueLog:
    """What happened in consecutive torque periods; joint arrays have shape (periods, joints).

    Torques are those that the robot measures at the output side of its joints.
    """

    start: float
    """Start of the first period [s]."""
    t: Floats
    """(periods,) end of every period [s]."""
    command_before: Floats
    """(joints,) command at the start of the first period."""
    command: Floats
    """Command at the end of every period; it holds for the period unless commands are interpolated."""
    interpolated: bool
    qdot: Floats
    """At the end of every period [rad/s or m/s]."""
    torque_begin: Floats
    """At the start of every period [N m or N]."""
    torque_end: Floats
    """At its end; friction changes within a period."""
    external: Floats
    """External torque at the end of every period."""

    @classmethod
    def of_cycles(cls, log: Log) -> "TorqueLog":
        """Return the log of a robot that reports once per cycle: one period per cycle."""
        start = float(2.0 * log.t[0] - log.t[1]) if len(log.t) > 1 else 0.0
        return cls(
            start=start,
            t=log.t,
            command_before=log.command[0] if len(log.t) else np.zeros(log.command.shape[1]),
            command=log.command,
            interpolated=False,
            qdot=log.qdot,
            torque_begin=log.tau_measured,
            torque_end=log.tau_measured,
            external=log.tau_external,
        )

    @property
    def peaks(self) -> Floats:
        """Largest torque of every joint in any period (joints,)."""
        ends = np.maximum(np.abs(self.torque_begin), np.abs(self.torque_end))
        return np.asarray(ends.max(axis=0, initial=0.0))

    def commands_at(self, time: Floats) -> Floats:
        """Return the commands in force at times [s], (times, joints)."""
        if not self.interpolated:
            return self.command[np.minimum(np.searchsorted(self.t, time - SAME_TIME), len(self.t) - 1)]
        t = np.concatenate([[self.start], self.t])
        nodes = np.vstack([self.command_before, self.command])
        return np.stack([np.interp(time, t, nodes[:, k]) for k in range(nodes.shape[1])], axis=1)

    def external_at(self, time: Floats) -> Floats:
        """Return the external torques that were measured last at times [s], (times, joints)."""
        return self.external[np.maximum(np.searchsorted(self.t, time + SAME_TIME, side="right") - 1, 0)]

    def torques_between(self, time: Floats) -> tuple[Floats, Floats]:
        """Return mean and largest torques between each of several times [s] and the one before it; Eq. (A27).

        Both (times, joints); the largest in size, with its sign. The first row has those at the first time.
        """
        before = np.concatenate([time[:1], time[:-1]])
        last = len(self.t) - 1
        first_period = np.minimum(np.searchsorted(self.t, before + SAME_TIME, side="right"), last)
        last_period = np.maximum(np.searchsorted(self.t, time - SAME_TIME), first_period)
        last_period = np.minimum(last_period, last)
        mean = 0.5 * (self.torque_begin + self.torque_end)
        nodes = np.concatenate([[self.start], self.t])
        impulse = np.vstack([np.zeros(mean.shape[1]), np.cumsum(mean * np.diff(nodes)[:, None], axis=0)])
        span = np.where(first_period == last_period, 1.0, time - before)
        means = np.stack(
            [
                (np.interp(time, nodes, series) - np.interp(before, nodes, series)) / span
                for series in impulse.T
            ],
            axis=1,
        )
        inside = (
            first_period == last_period
        )  # one period: its own torque, without the rounding of differences
        means[inside] = mean[first_period[inside]]
        return means, self._largest(first_period, last_period)

    def _largest(self, first: Floats, last: Floats) -> Floats:
        """Return the torques of the largest size, with their signs, from the first to the last of some periods."""
        highest, lowest = (
            choose.reduceat(
                np.vstack([ends, ends[-1:]]), np.stack([first, last + 1], axis=1).ravel(), axis=0
            )[::2]
            for choose, ends in (
                (np.maximum, np.maximum(self.torque_begin, self.torque_end)),
                (np.minimum, np.minimum(self.torque_begin, self.torque_end)),
            )
        )
        return np.where(-lowest > highest, lowest, highest)
