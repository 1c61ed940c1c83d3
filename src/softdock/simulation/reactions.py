"""Reactions of a multibody run: peaks of all that transmits a force or moment, with their times."""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import numpy as np

from softdock.assembly.reaction_channels import ReactionChannels
from softdock.dynamics.kernels.channels.channels import LARGEST, SMALLEST
from softdock.dynamics.run_results import Run
from softdock.elements.kernels.records import FORCE, MOMENT
from softdock.model.member_kinds import ReactionKind
from softdock.model.observations import Observation
from softdock.result import PeakReaction
from softdock.simulation.metrics import Watched


def set_reaction_flags(
    channels: np.recarray, reactions: list[ReactionChannels], index: Mapping[Watched, int]
) -> None:
    """Let the peaks of reactions be searched for, on those sides of their channels that no metric has a search for."""
    for reaction in reactions:
        sides = LARGEST | SMALLEST if reaction.signed else LARGEST
        for observation in reaction.observations():
            row = index[observation]
            channels.reaction[row] = sides & ~channels.track[row]


class ReactionRows(NamedTuple):
    """A reaction and the rows of its channels; None without a channel."""

    name: str
    kind: ReactionKind
    force: int | None
    moment: int | None


def reaction_rows(reactions: list[ReactionChannels], index: Mapping[Watched, int]) -> list[ReactionRows]:
    """Return the rows of the channels of reactions."""

    def row(observation: Observation | None) -> int | None:
        return None if observation is None else index[observation]

    return [
        ReactionRows(reaction.name, reaction.kind, row(reaction.force), row(reaction.moment))
        for reaction in reactions
    ]


class ChannelPeaks(NamedTuple):
    """Peaks of all channels of a run, on the sides that were searched."""

    sizes: list[float]
    """Largest sizes."""
    times: list[float]
    """Their first times [s]."""
    errors: list[float]
    """Errors of the largest sizes of channels about forces and moments of elements, 0 for others."""


def read_reactions(
    reactions: list[ReactionRows], peaks: ChannelPeaks, error: Callable[[ReactionRows, int], float | None]
) -> tuple[PeakReaction, ...]:
    """Return the reactions of a run with times and errors of their peaks, largest force first, then largest moment."""
    sizes, times, _ = peaks
    return sort_reactions(
        PeakReaction(
            name=reaction.name,
            kind=reaction.kind,
            peak_force=None if reaction.force is None else sizes[reaction.force],
            t_peak_force=None if reaction.force is None else times[reaction.force],
            peak_moment=None if reaction.moment is None else sizes[reaction.moment],
            t_peak_moment=None if reaction.moment is None else times[reaction.moment],
            force_error=error(reaction, FORCE),
            moment_error=error(reaction, MOMENT),
        )
        for reaction in reactions
    )


def sort_reactions(reactions: Iterable[PeakReaction]) -> tuple[PeakReaction, ...]:
    """Return reactions in the order of a result: largest force first, those without a force last by their moments."""
    return tuple(
        sorted(
            reactions,
            key=lambda reaction: (
                1.0 if reaction.peak_force is None else -reaction.peak_force,
                -(reaction.peak_moment or 0.0),
            ),
        )
    )


def channel_peaks(run: Run) -> ChannelPeaks:
    """Return the largest size of every channel on the sides that were searched, its first time, and its own error."""
    peaks, channels = run.peaks.view(np.ndarray), run.channels.view(np.ndarray)
    sides = peaks["track"] | channels["reaction"]
    earlier = (-peaks["smallest"] == peaks["largest"]) & (peaks["t_smallest"] < peaks["t_largest"])
    negative = (sides & SMALLEST != 0) & ((-peaks["smallest"] > peaks["largest"]) | earlier)
    return ChannelPeaks(
        np.where(negative, -peaks["smallest"], peaks["largest"]).tolist(),
        np.where(negative, peaks["t_smallest"], peaks["t_largest"]).tolist(),
        np.where(negative, peaks["error_of_smallest"], peaks["error_of_largest"]).tolist(),
    )


def reaction_metrics(reactions: tuple[PeakReaction, ...]) -> dict[str, float]:
    """Return the peaks of reactions under flat names: peak_force_NAME [N], peak_moment_NAME [N m]."""
    metrics: dict[str, float] = {}
    for reaction in sorted(reactions, key=lambda reaction: reaction.name):
        flat = reaction.name.replace("-", "_")
        if reaction.peak_force is not None:
            metrics[f"peak_force_{flat}"] = reaction.peak_force
        if reaction.peak_moment is not None:
            metrics[f"peak_moment_{flat}"] = reaction.peak_moment
    return metrics
