"""Loads of a multibody run: peaks of all that transmits a force or moment, with their times."""

from collections.abc import Iterable, Mapping

import numpy as np

from softdock.assembly.loads import LoadChannels
from softdock.dynamics.kernels.channels import LARGEST, SMALLEST
from softdock.model.observations import Observation
from softdock.result import Load
from softdock.simulate.metrics import Watched


def set_load_flags(channels: np.recarray, loads: list[LoadChannels], index: Mapping[Watched, int]) -> None:
    """Let the peaks of loads be searched for, on those sides of their channels that no metric has a search for."""
    for load in loads:
        sides = LARGEST | SMALLEST if load.signed else LARGEST
        for observation in load.observations():
            row = index[observation]
            channels.load[row] = sides & ~channels.track[row]


def read_loads(
    loads: list[LoadChannels], index: Mapping[Watched, int], peaks: np.recarray
) -> tuple[Load, ...]:
    """Return the loads of a run with the times of their peaks, largest force first, then largest moment."""
    plain = peaks.view(np.ndarray)
    found = []
    for load in loads:
        force, t_force = _largest_size(plain, index, load.force)
        moment, t_moment = _largest_size(plain, index, load.moment)
        found.append(
            Load(
                name=load.name,
                kind=load.kind,
                peak_force=force,
                t_peak_force=t_force,
                peak_moment=moment,
                t_peak_moment=t_moment,
            )
        )
    return sort_loads(found)


def sort_loads(loads: Iterable[Load]) -> tuple[Load, ...]:
    """Return loads in the order of a result: largest force first, those without a force last by their moments."""
    return tuple(
        sorted(
            loads,
            key=lambda one: (1.0 if one.peak_force is None else -one.peak_force, -(one.peak_moment or 0.0)),
        )
    )


def _largest_size(
    peaks: np.ndarray, index: Mapping[Watched, int], observation: Observation | None
) -> tuple[float | None, float | None]:
    """Return the largest size of a channel and its time; None without a channel."""
    if observation is None:
        return None, None
    row = peaks[index[observation]]
    sides = int(row["track"] | row["load"])
    largest, smallest = float(row["largest"]), float(row["smallest"])
    if sides & SMALLEST and -smallest > largest:
        return -smallest, float(row["t_smallest"])
    return largest, float(row["t_largest"])


def load_metrics(loads: tuple[Load, ...]) -> dict[str, float]:
    """Return the peaks of loads under flat names: peak_force_NAME [N], peak_moment_NAME [N m]."""
    found: dict[str, float] = {}
    for load in sorted(loads, key=lambda one: one.name):
        flat = load.name.replace("-", "_")
        if load.peak_force is not None:
            found[f"peak_force_{flat}"] = load.peak_force
        if load.peak_moment is not None:
            found[f"peak_moment_{flat}"] = load.peak_moment
    return found
