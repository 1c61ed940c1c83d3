"""Recorded channels of the loads of a run."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from softdock.model.member_kinds import LoadKind, find_member
from softdock.presentation.loads import noise_floor, without_noise
from softdock.presentation.phases import PhasePeak
from softdock.result import PeakReaction, Result

COMPONENTS = ("fx", "fy", "fz", "tx", "ty", "tz")
FIELDS = {"N": ("force", "joint_force"), "N*m": ("moment", "joint_moment", "force")}
"""Fields with the size of a load, by unit; `force` of an element that turns is a moment."""


@dataclass(frozen=True, kw_only=True)
class LoadChannel:
    """The recorded force or moment of a load."""

    name: str
    kind: LoadKind
    channel: str
    unit: str
    """`N` or `N*m`."""
    peak: float
    """Largest size [SI]."""
    time: float | None
    """Time of the peak [s]."""


def load_channels(result: Result) -> list[LoadChannel]:
    """Return the recorded loads, largest first, forces before moments; peaks that are rounding errors are zero.

    Results without `loads` (recordings, other versions) give those of which the history has a force.
    """
    quantities = []
    for load in without_noise(result.loads or history_loads(result)):
        for unit, peak, time in (
            ("N", load.peak_force, load.t_peak_force),
            ("N*m", load.peak_moment, load.t_peak_moment),
        ):
            channel = _channel(result, load, unit)
            if peak is not None and channel:
                quantities.append(
                    LoadChannel(
                        name=load.name, kind=load.kind, channel=channel, unit=unit, peak=peak, time=time
                    )
                )
    return sorted(quantities, key=lambda quantity: (quantity.unit != "N", -quantity.peak))


def phase_peaks(result: Result) -> list[PhasePeak]:
    """Return the largest recorded force and moment of every phase of a run; rounding errors are zero.

    The row at which a phase ends belongs to it; rows after the actions of the next phase, at the same time, do not.
    """
    channels, time = load_channels(result), result.history.time
    floor = noise_floor(result.loads or history_loads(result))
    of_phases = []
    for i, phase in enumerate(result.phases):
        first = int(np.searchsorted(time, phase.start)) + (i > 0)
        last = int(np.searchsorted(time, phase.end)) + 1 if i + 1 < len(result.phases) else len(time)
        peaks: dict[str, tuple[float, str]] = {}
        for load in channels:
            values = np.abs(result.history[load.channel][first:last])
            peak = float(np.nanmax(values)) if np.isfinite(values).any() else 0.0
            peak = peak if peak >= floor else 0.0
            peaks[load.unit] = max(
                peaks.get(load.unit, (0.0, "")), (peak, load.name), key=lambda peak: peak[0]
            )
        (force, force_name), (moment, moment_name) = (peaks.get(unit, (None, "")) for unit in ("N", "N*m"))
        of_phases.append(
            PhasePeak(force=force, force_name=force_name, moment=moment, moment_name=moment_name)
        )
    return of_phases


def peak_components(result: Result, load: PeakReaction, unit: str) -> tuple[float, ...]:
    """Return the three recorded components of a force [N] or moment [N m] at its peak; empty where not recorded."""
    time = load.t_peak_force if unit == "N" else load.t_peak_moment
    letters = COMPONENTS[:3] if unit == "N" else COMPONENTS[3:]
    for prefix in ("", "joint_"):
        names = [f"{load.name}.{prefix}{letter}" for letter in letters]
        if time is not None and all(name in result.history.channels for name in names):
            return tuple(float(np.interp(time, result.history.time, result.history[n])) for n in names)
    return ()


def history_loads(result: Result) -> tuple[PeakReaction, ...]:
    """Return the loads of which the history has the force or moment, with their largest recorded values."""
    fields = {field for known in FIELDS.values() for field in known}
    parts = (name.rpartition(".") for name in result.history.channels)
    owners = dict.fromkeys(owner for owner, _, field in parts if field in fields)
    kinds = {owner: kind for owner in owners if (kind := _kind(result, owner)) is not None}
    loads = (_history_load(result, owner, kind) for owner, kind in kinds.items())
    return tuple(sorted(filter(None, loads), key=lambda load: -(load.peak_force or 0.0)))


def _history_load(result: Result, name: str, kind: LoadKind) -> PeakReaction | None:
    """Return a load with its largest recorded values; None where no value of it is known."""
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


def _kind(result: Result, owner: str) -> LoadKind | None:
    """Return the kind of the load of a member; None of inputs, of the sum of all contacts, and of other quantities."""
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


def _channel(result: Result, load: PeakReaction, unit: str) -> str:
    """Return the name of the recorded channel of a load; empty where it is not recorded."""
    for field in FIELDS[unit]:
        name = f"{load.name}.{field}"
        channel = result.history.channels.get(name)
        if channel is not None and channel.unit == unit:
            return name
    return ""
