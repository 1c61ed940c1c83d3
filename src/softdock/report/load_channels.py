"""Recorded channels of the loads of a run."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from softdock.presentation.loads import noise_floor, without_noise
from softdock.presentation.phases import PhasePeak
from softdock.result import Load, LoadKind, Result

COMPONENTS = ("fx", "fy", "fz", "tx", "ty", "tz")
_COLLECTIONS: dict[str, LoadKind] = {
    "contacts": "contact", "interfaces": "interface", "springs": "spring", "stops": "stop", "drives": "drive",
    "struts": "strut", "welds": "weld", "couplings": "interface",
}  # fmt: skip
"""Kind of load by the key of the scenario that holds the elements."""


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
    found = []
    for load in without_noise(result.loads or history_loads(result)):
        for unit, peak, time in (
            ("N", load.peak_force, load.t_peak_force),
            ("N*m", load.peak_moment, load.t_peak_moment),
        ):
            channel = _channel(result, load, unit)
            if peak is not None and channel:
                found.append(
                    LoadChannel(
                        name=load.name, kind=load.kind, channel=channel, unit=unit, peak=peak, time=time
                    )
                )
    return sorted(found, key=lambda one: (one.unit != "N", -one.peak))


def phase_peaks(result: Result) -> list[PhasePeak]:
    """Return the largest recorded force and moment of every phase of a run; rounding errors are zero.

    The row at which a phase ends belongs to it; rows after the actions of the next phase, at the same time, do not.
    """
    channels, time = load_channels(result), result.history.time
    floor = noise_floor(result.loads or history_loads(result))
    found = []
    for i, phase in enumerate(result.phases):
        first = int(np.searchsorted(time, phase.start)) + (i > 0)
        last = int(np.searchsorted(time, phase.end)) + 1 if i + 1 < len(result.phases) else len(time)
        peaks: dict[str, tuple[float, str]] = {}
        for load in channels:
            values = np.abs(result.history[load.channel][first:last])
            peak = float(np.nanmax(values)) if np.isfinite(values).any() else 0.0
            peak = peak if peak >= floor else 0.0
            peaks[load.unit] = max(peaks.get(load.unit, (0.0, "")), (peak, load.name), key=lambda one: one[0])
        (force, force_name), (moment, moment_name) = (peaks.get(unit, (None, "")) for unit in ("N", "N*m"))
        found.append(PhasePeak(force=force, force_name=force_name, moment=moment, moment_name=moment_name))
    return found


def peak_components(result: Result, load: Load, unit: str) -> tuple[float, ...]:
    """Return the three recorded components of a force [N] or moment [N m] at its peak; empty where not recorded."""
    time = load.t_peak_force if unit == "N" else load.t_peak_moment
    letters = COMPONENTS[:3] if unit == "N" else COMPONENTS[3:]
    for prefix in ("", "joint_"):
        names = [f"{load.name}.{prefix}{letter}" for letter in letters]
        if time is not None and all(name in result.history.channels for name in names):
            return tuple(float(np.interp(time, result.history.time, result.history[n])) for n in names)
    return ()


def history_loads(result: Result) -> tuple[Load, ...]:
    """Return the loads of which the history has the force or moment, with their largest recorded values."""
    loads = []
    for name, channel in result.history.channels.items():
        owner, _, last = name.rpartition(".")
        if last != "force" or channel.unit not in ("N", "N*m") or not np.isfinite(channel.values).any():
            continue
        at = int(np.nanargmax(np.abs(channel.values)))
        peak, time = float(abs(channel.values[at])), float(result.history.time[at])
        kind = _kind(result.definition, owner)
        if kind is None:
            continue
        if channel.unit == "N":
            loads.append(Load(name=owner, kind=kind, peak_force=peak, t_peak_force=time))
        else:
            loads.append(
                Load(
                    name=owner, kind=kind, peak_force=None, t_peak_force=None,
                    peak_moment=peak, t_peak_moment=time,
                )
            )  # fmt: skip
    return tuple(sorted(loads, key=lambda load: -(load.peak_force or 0.0)))


def _kind(definition: Mapping[str, object], owner: str) -> LoadKind | None:
    """Return the kind of the element with a name; None for the sum of all contacts beside single ones."""
    for key, kind in _COLLECTIONS.items():
        members = definition.get(key)
        if isinstance(members, Mapping) and owner in members:
            return kind
    if owner == "contact":
        return None if definition.get("contacts") or definition.get("interfaces") else "contact"
    return "joint"


def _channel(result: Result, load: Load, unit: str) -> str:
    """Return the name of the recorded channel of a load; empty where it is not recorded."""
    fields = ("force", "joint_force") if unit == "N" else ("moment", "joint_moment", "force")
    for field in fields:
        name = f"{load.name}.{field}"
        channel = result.history.channels.get(name)
        if channel is not None and channel.unit == unit:
            return name
    return ""
