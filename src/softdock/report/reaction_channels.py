"""Recorded channels of the reactions of a run."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from softdock.model.member_kinds import ReactionKind, find_member
from softdock.presentation.phases import PhasePeak
from softdock.presentation.reactions import noise_floor, without_noise
from softdock.result import PeakReaction, Result

COMPONENTS = ("fx", "fy", "fz", "tx", "ty", "tz")
FIELDS = {"N": ("force", "joint_force"), "N*m": ("moment", "joint_moment", "force")}
"""Fields with the size of a reaction, by unit; `force` of an element that turns is a moment."""


@dataclass(frozen=True, kw_only=True)
class ReactionChannel:
    """The recorded force or moment of a reaction."""

    name: str
    kind: ReactionKind
    channel: str
    unit: str
    """`N` or `N*m`."""
    peak: float
    """Largest size [SI]."""
    time: float | None
    """Time of the peak [s]."""
    error: float | None = None
    """Estimated numerical error of the peak [SI]; None where it is unknown."""


def reaction_channels(result: Result) -> list[ReactionChannel]:
    """Return the recorded reactions, largest first, forces before moments; peaks that are rounding errors are zero.

    Results without `loads` (recordings, other versions) give those of which the history has a force.
    """
    quantities = []
    for reaction in without_noise(result.loads or history_reactions(result)):
        for unit, peak, time, error in (
            ("N", reaction.peak_force, reaction.t_peak_force, reaction.force_error),
            ("N*m", reaction.peak_moment, reaction.t_peak_moment, reaction.moment_error),
        ):
            channel = _channel(result, reaction, unit)
            if peak is not None and channel:
                quantities.append(
                    ReactionChannel(
                        name=reaction.name,
                        kind=reaction.kind,
                        channel=channel,
                        unit=unit,
                        peak=peak,
                        time=time,
                        error=error,
                    )
                )
    return sorted(quantities, key=lambda quantity: (quantity.unit != "N", -quantity.peak))


def phase_peaks(result: Result) -> list[PhasePeak]:
    """Return the largest recorded force and moment of every phase of a run; rounding errors are zero.

    The row at which a phase ends belongs to it; rows after the actions of the next phase, at the same time, do not.
    """
    channels, time = reaction_channels(result), result.history.time
    floor = noise_floor(result.loads or history_reactions(result))
    errors = {("N", reaction.name): reaction.force_error for reaction in result.loads}
    errors |= {("N*m", reaction.name): reaction.moment_error for reaction in result.loads}
    of_phases = []
    for i, phase in enumerate(result.phases):
        first = int(np.searchsorted(time, phase.start)) + (i > 0)
        last = int(np.searchsorted(time, phase.end)) + 1 if i + 1 < len(result.phases) else len(time)
        peaks: dict[str, tuple[float, str]] = {}
        for reaction in channels:
            values = np.abs(result.history[reaction.channel][first:last])
            peak = float(np.nanmax(values)) if np.isfinite(values).any() else 0.0
            peak = peak if peak >= floor else 0.0
            peaks[reaction.unit] = max(
                peaks.get(reaction.unit, (0.0, "")), (peak, reaction.name), key=lambda peak: peak[0]
            )
        (force, force_name), (moment, moment_name) = (peaks.get(unit, (None, "")) for unit in ("N", "N*m"))
        of_phases.append(
            PhasePeak(
                force=force,
                force_name=force_name,
                force_error=errors.get(("N", force_name)),
                moment=moment,
                moment_name=moment_name,
                moment_error=errors.get(("N*m", moment_name)),
            )
        )
    return of_phases


def peak_components(result: Result, reaction: PeakReaction, unit: str) -> tuple[float, ...]:
    """Return the three recorded components of a force [N] or moment [N m] at its peak; empty where not recorded."""
    time = reaction.t_peak_force if unit == "N" else reaction.t_peak_moment
    letters = COMPONENTS[:3] if unit == "N" else COMPONENTS[3:]
    for prefix in ("", "joint_"):
        names = [f"{reaction.name}.{prefix}{letter}" for letter in letters]
        if time is not None and all(name in result.history.channels for name in names):
            return tuple(float(np.interp(time, result.history.time, result.history[n])) for n in names)
    return ()


def history_reactions(result: Result) -> tuple[PeakReaction, ...]:
    """Return the reactions of which the history has the force or moment, with their largest recorded values."""
    fields = {field for known in FIELDS.values() for field in known}
    parts = (name.rpartition(".") for name in result.history.channels)
    owners = dict.fromkeys(owner for owner, _, field in parts if field in fields)
    kinds = {owner: kind for owner in owners if (kind := _kind(result, owner)) is not None}
    reactions = (_history_reaction(result, owner, kind) for owner, kind in kinds.items())
    return tuple(sorted(filter(None, reactions), key=lambda reaction: -(reaction.peak_force or 0.0)))


def _history_reaction(result: Result, name: str, kind: ReactionKind) -> PeakReaction | None:
    """Return a reaction with its largest recorded values; None where no value of it is known."""
    empty = PeakReaction(name=name, kind=kind, peak_force=None, t_peak_force=None)
    peaks: dict[str, tuple[float, float]] = {}
    for unit in FIELDS:
        channel = result.history.channels.get(_channel(result, empty, unit))
        if channel is not None and np.isfinite(channel.values).any():
            sizes = np.abs(channel.values)
            at = int(np.nanargmax(sizes))
            peaks[unit] = float(sizes[at]), float(result.history.time[at])
    (force, t_force), (moment, t_moment) = (peaks.get(unit, (None, None)) for unit in FIELDS)
    reaction = replace(
        empty, peak_force=force, t_peak_force=t_force, peak_moment=moment, t_peak_moment=t_moment
    )
    return reaction if peaks else None


def _kind(result: Result, owner: str) -> ReactionKind | None:
    """Return the kind of the reaction of a member; None for inputs, the sum of all contacts, and other quantities."""
    definition = result.definition
    member = find_member(definition, owner)
    if member is not None:
        return member[1]
    if owner == "contact":
        return None if definition.get("contacts") or definition.get("interfaces") else "contact"
    record = definition.get("record")
    also = record.get("also", ()) if isinstance(record, Mapping) else ()
    parts = {" ".join(str(text).split()).rpartition(".")[0] for text in also}  # of contacts, and formulas
    return None if owner in parts else "channel"


def _channel(result: Result, reaction: PeakReaction, unit: str) -> str:
    """Return the name of the recorded channel of a reaction; empty where it is not recorded."""
    for field in FIELDS[unit]:
        name = f"{reaction.name}.{field}"
        channel = result.history.channels.get(name)
        if channel is not None and channel.unit == unit:
            return name
    return ""
