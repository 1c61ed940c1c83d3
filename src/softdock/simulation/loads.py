"""Loads of a multibody run: peaks of all that transmits a force or moment, with their times."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from softdock.assembly.loads import LoadChannels
from softdock.dynamics.kernels.channels.channels import LARGEST, SMALLEST
from softdock.dynamics.run_results import Run
from softdock.model.member_kinds import LoadKind
from softdock.model.observations import Observation
from softdock.result import PeakReaction
from softdock.simulation.metrics import Watched


def set_load_flags(channels: np.recarray, loads: list[LoadChannels], index: Mapping[Watched, int]) -> None:
    """Let the peaks of loads be searched for, on those sides of their channels that no metric has a search for."""
    for load in loads:
        sides = LARGEST | SMALLEST if load.signed else LARGEST
        for observation in load.observations():
            row = index[observation]
            channels.load[row] = sides & ~channels.track[row]


class LoadRows(NamedTuple):
    """A load and the rows of its channels; None without a channel."""

    name: str
    kind: LoadKind
    force: int | None
    moment: int | None


def load_rows(loads: list[LoadChannels], index: Mapping[Watched, int]) -> list[LoadRows]:
    """Return the rows of the channels of loads."""

    def row(observation: Observation | None) -> int | None:
        return None if observation is None else index[observation]

    return [LoadRows(load.name, load.kind, row(load.force), row(load.moment)) for load in loads]


def read_loads(loads: list[LoadRows], run: Run) -> tuple[PeakReaction, ...]:
    """Return the loads of a run with the times of their peaks, largest force first, then largest moment."""
    sizes, times = _largest_sizes(run)
    return sort_loads(
        PeakReaction(
            name=load.name,
            kind=load.kind,
            peak_force=None if load.force is None else sizes[load.force],
            t_peak_force=None if load.force is None else times[load.force],
            peak_moment=None if load.moment is None else sizes[load.moment],
            t_peak_moment=None if load.moment is None else times[load.moment],
        )
        for load in loads
    )


def sort_loads(loads: Iterable[PeakReaction]) -> tuple[PeakReaction, ...]:
    """Return loads in the order of a result: largest force first, those without a force last by their moments."""
    return tuple(
        sorted(
            loads,
            key=lambda reaction: (
                1.0 if reaction.peak_force is None else -reaction.peak_force,
                -(reaction.peak_moment or 0.0),
            ),
        )
    )


def _largest_sizes(run: Run) -> tuple[list[float], list[float]]:
    """Return the largest size of every channel on the sides that were searched, and the first time it is reached."""
    peaks, channels = run.peaks.view(np.ndarray), run.channels.view(np.ndarray)
    sides = peaks["track"] | channels["load"]
    earlier = (-peaks["smallest"] == peaks["largest"]) & (peaks["t_smallest"] < peaks["t_largest"])
    negative = (sides & SMALLEST != 0) & ((-peaks["smallest"] > peaks["largest"]) | earlier)
    return (
        np.where(negative, -peaks["smallest"], peaks["largest"]).tolist(),
        np.where(negative, peaks["t_smallest"], peaks["t_largest"]).tolist(),
    )


def load_metrics(loads: tuple[PeakReaction, ...]) -> dict[str, float]:
    """Return the peaks of loads under flat names: peak_force_NAME [N], peak_moment_NAME [N m]."""
    metrics: dict[str, float] = {}
    for load in sorted(loads, key=lambda reaction: reaction.name):
        flat = load.name.replace("-", "_")
        if load.peak_force is not None:
            metrics[f"peak_force_{flat}"] = load.peak_force
        if load.peak_moment is not None:
            metrics[f"peak_moment_{flat}"] = load.peak_moment
    return metrics
