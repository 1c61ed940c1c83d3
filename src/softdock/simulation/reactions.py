"""Reactions of a multibody run: peaks of all that transmits a force or moment, with their times and errors."""

from collections.abc import Container, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from softdock.assembly.reaction_channels import ReactionChannels
from softdock.dynamics.kernels.channels.channels import LARGEST, SMALLEST
from softdock.dynamics.kernels.run.reaction_peaks import ERROR, OBSERVED_REACTION, SIZE, TIME, Transmitter
from softdock.elements.registry import ELEMENT_KINDS
from softdock.model.member_kinds import ReactionKind, reactions_of
from softdock.model.system import System
from softdock.result import PeakReaction
from softdock.simulation.metrics import Watched
from softdock.tree.kernels.tree import records

ELEMENT_REACTIONS = frozenset(kind.reaction for kind in ELEMENT_KINDS.values() if kind.reaction is not None)
TOUCHING = reactions_of("contact")
"""Kinds of reactions whose peaks are also metrics `peak_contact_force_NAME`."""
NO_PEAK = (None, None, None)


def set_reaction_flags(
    channels: np.recarray, reactions: list[ReactionChannels], index: Mapping[Watched, int]
) -> None:
    """Let the peaks of reactions be searched for, on those sides of their channels that no metric has a search for."""
    for reaction in reactions:
        sides = LARGEST | SMALLEST if reaction.signed else LARGEST
        for observation in reaction.observations():
            row = index[observation]
            channels.reaction[row] = sides & ~channels.track[row]


class ReactionNames(NamedTuple):
    """Name and kind of a reaction, what it transmits, and the names of its metrics."""

    name: str
    kind: ReactionKind
    has_force: bool
    has_moment: bool
    force_metric: str
    moment_metric: str
    contact_metric: str | None
    """Of what touches; None for others."""


class Peak(NamedTuple):
    """Peaks of one reaction in a run: size, time [s] and estimated error of force [N] and moment [N m]."""

    names: ReactionNames
    force: float | None
    t_force: float | None
    force_error: float | None
    moment: float | None
    t_moment: float | None
    moment_error: float | None


class ReactionTable:
    """All observed reactions of a topology: what the kernels need of them, and how their peaks are read."""

    def __init__(
        self, system: System, reactions: Iterable[ReactionChannels], index: Mapping[Watched, int]
    ) -> None:
        """`index` has the rows of channels."""
        reactions = list(reactions)
        self._names = [_names(reaction) for reaction in reactions]
        self._by_name = sorted(range(len(reactions)), key=lambda i: reactions[i].name)
        self.records = records(len(reactions), OBSERVED_REACTION)
        """For the kernels."""
        rows = {
            Transmitter.ELEMENT: list(system.elements()),
            Transmitter.CONTACT: list(system.contacts),
        }
        for record, reaction in zip(self.records, reactions):
            channels = reaction.force, reaction.moment
            record.channels[:] = [-1 if channel is None else index[channel] for channel in channels]
            record.transmitter = transmitter = _transmitter(reaction, rows[Transmitter.ELEMENT])
            record.row = rows[transmitter].index(reaction.name) if transmitter in rows else -1

    def read(self, peaks: NDArray[np.float64]) -> list[Peak]:
        """Return the peaks of a run, from its numbers, in the order of the table."""
        return [
            Peak(names, *_read(force, names.has_force), *_read(moment, names.has_moment))
            for names, (force, moment) in zip(self._names, peaks.tolist())
        ]

    def metrics(self, peaks: Sequence[Peak]) -> dict[str, float]:
        """Return peaks in the order of the table as metrics, by name: peak_force_NAME [N], peak_moment_NAME [N m]."""
        metrics: dict[str, float] = {}
        for i in self._by_name:
            names, peak = self._names[i], peaks[i]
            if peak.force is not None:
                metrics[names.force_metric] = peak.force
            if peak.moment is not None:
                metrics[names.moment_metric] = peak.moment
        return metrics


def _names(reaction: ReactionChannels) -> ReactionNames:
    flat = reaction.name.replace("-", "_")
    return ReactionNames(
        name=reaction.name,
        kind=reaction.kind,
        has_force=reaction.force is not None,
        has_moment=reaction.moment is not None,
        force_metric=f"peak_force_{flat}",
        moment_metric=f"peak_moment_{flat}",
        contact_metric=f"peak_contact_force_{flat}" if reaction.kind in TOUCHING else None,
    )


def _read(peak: list[float], exists: bool) -> Sequence[float | None]:
    """Return size, time and error of a peak: None where it does not exist, or its error is unknown."""
    if not exists:
        return NO_PEAK
    return peak if peak[ERROR] == peak[ERROR] else (peak[SIZE], peak[TIME], None)


def _transmitter(reaction: ReactionChannels, elements: Container[str]) -> Transmitter:
    # Couplings and sets of pins are both called interfaces.
    if reaction.kind in ELEMENT_REACTIONS and reaction.name in elements:
        return Transmitter.ELEMENT
    kinds = {"contact": Transmitter.CONTACT, "interface": Transmitter.INTERFACE}
    return kinds.get(reaction.kind, Transmitter.STRUCTURE)


def sorted_peaks(peaks: Iterable[Peak]) -> list[Peak]:
    """Return peaks in the order of a result: largest force first, those without a force last by their moments."""
    return sorted(peaks, key=lambda peak: order(peak.force, peak.moment))


class PeakReactions(Sequence[PeakReaction]):
    """Reactions of a run as objects, which are made when they are first read: campaigns read none."""

    def __init__(self, peaks: Sequence[Peak]) -> None:
        self._peaks = peaks

    @cached_property
    def _reactions(self) -> tuple[PeakReaction, ...]:
        return tuple(
            PeakReaction(
                name=peak.names.name,
                kind=peak.names.kind,
                peak_force=peak.force,
                t_peak_force=peak.t_force,
                peak_moment=peak.moment,
                t_peak_moment=peak.t_moment,
                force_error=peak.force_error,
                moment_error=peak.moment_error,
            )
            for peak in self._peaks
        )

    def __getitem__(self, index: Any) -> Any:
        return self._reactions[index]

    def __len__(self) -> int:
        return len(self._peaks)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self._reactions == tuple(other)

    def __hash__(self) -> int:
        return hash(self._reactions)

    def __repr__(self) -> str:
        return repr(self._reactions)


def sort_reactions(reactions: Iterable[PeakReaction]) -> tuple[PeakReaction, ...]:
    """Return reactions in the order of a result: largest force first, those without a force last by their moments."""
    return tuple(sorted(reactions, key=lambda reaction: order(reaction.peak_force, reaction.peak_moment)))


def order(force: float | None, moment: float | None) -> tuple[float, float]:
    """Return the key by which reactions are sorted."""
    return 1.0 if force is None else -force, -(moment or 0.0)


def reaction_metrics(reactions: Iterable[PeakReaction]) -> dict[str, float]:
    """Return the peaks of reactions under flat names: peak_force_NAME [N], peak_moment_NAME [N m]."""
    metrics: dict[str, float] = {}
    for reaction in sorted(reactions, key=lambda reaction: reaction.name):
        flat = reaction.name.replace("-", "_")
        if reaction.peak_force is not None:
            metrics[f"peak_force_{flat}"] = reaction.peak_force
        if reaction.peak_moment is not None:
            metrics[f"peak_moment_{flat}"] = reaction.peak_moment
    return metrics
