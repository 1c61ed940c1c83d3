"""Comparison of two runs: deviations of every common channel and by joint, and peak reactions with their errors."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from softdock.errors import InputError, Problem
from softdock.model.member_kinds import ReactionKind
from softdock.quantities.units import parse_unit
from softdock.recording.alignment import Alignment, Array, align, common_times, misfit
from softdock.result import Result, plain_data

ANGLES, TORQUES = ("position", "joint", "angle"), ("torque", "tau_measured")
"""Suffixes of the channel names of a joint's position and torque."""


@dataclass(frozen=True, kw_only=True)
class Deviation:
    """Statistics of the difference B minus A of one channel over the common time."""

    unit: str
    largest: float
    """Largest absolute difference."""
    largest_at: float
    """Time of the largest difference, on the clock of A [s]."""
    deviation: float
    """Standard deviation of the difference over time."""
    mean: float
    rms: float
    range: float
    """Largest minus smallest value of A in that time, for comparison."""


@dataclass(frozen=True, kw_only=True)
class PeakPair:
    """A peak reaction of both runs, with the estimated errors that they state."""

    name: str
    kind: ReactionKind
    unit: str
    """`N` for its force, `N*m` for its moment."""
    a: float
    b: float
    a_error: float | None
    """Estimated numerical error of `a` [SI]; None where it is unknown."""
    b_error: float | None

    @property
    def within_errors(self) -> bool | None:
        """Whether the difference is within the sum of both errors; None where one of them is unknown."""
        if self.a_error is None or self.b_error is None:
            return None
        return abs(self.b - self.a) <= self.a_error + self.b_error


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Two runs aligned in time, and their deviations."""

    a: Result
    b: Result
    alignment: Alignment
    start: float
    """Start of the common time, on the clock of A [s]."""
    end: float
    channels: Mapping[str, Deviation]
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    other_unit: tuple[str, ...]
    """Channels whose units have different dimensions, which cannot be compared."""

    @property
    def joints(self) -> dict[str, dict[str, Deviation]]:
        """Deviations of angle and torque by joint; prismatic joints have positions [m] and forces [N].

        If some joints have a torque, joints without one are omitted: they duplicate them under other names.
        """
        units = {name: deviation.unit for name, deviation in self.channels.items()}
        return {
            joint: {what: self.channels[name] for what, name in both.items()}
            for joint, both in joint_channels(units).items()
        }

    @property
    def peaks(self) -> list[PeakPair]:
        """Peak reactions that both runs have: forces, then moments, in the order of A."""
        pairs = list(_peak_pairs(self.a, self.b))
        return [pair for unit in ("N", "N*m") for pair in pairs if pair.unit == unit]

    def curves(self, name: str) -> tuple[Array, Array, Array]:
        """Return times on the clock of A [s], and the channel of A and of B at these times."""
        return _curves(self.a, self.b, name, self.alignment.offset)

    def to_json(self) -> dict[str, Any]:
        """Return the object that `softdock compare --json` prints."""
        plain = {
            "a": self.a.scenario,
            "b": self.b.scenario,
            "alignment": asdict(self.alignment),
            "start": self.start,
            "end": self.end,
            "joints": {
                name: {what: asdict(deviation) for what, deviation in both.items()}
                for name, both in self.joints.items()
            },
            "channels": {name: asdict(deviation) for name, deviation in self.channels.items()},
            "peaks": [{**asdict(pair), "within_errors": pair.within_errors} for pair in self.peaks],
            "only_a": list(self.only_a),
            "only_b": list(self.only_b),
            "other_unit": list(self.other_unit),
            "discrepancies": {"a": list(self.a.discrepancies), "b": list(self.b.discrepancies)},
        }
        return {key: plain_data(value) for key, value in plain.items()}


def _peak_pairs(a: Result, b: Result) -> Iterator[PeakPair]:
    """Yield force and moment of every reaction that both runs have."""
    others = {(reaction.kind, reaction.name): reaction for reaction in b.loads}
    for one in a.loads:
        two = others.get((one.kind, one.name))
        if two is None:
            continue
        for unit, pair, errors in (
            ("N", (one.peak_force, two.peak_force), (one.force_error, two.force_error)),
            ("N*m", (one.peak_moment, two.peak_moment), (one.moment_error, two.moment_error)),
        ):
            if pair[0] is not None and pair[1] is not None:
                yield PeakPair(
                    name=one.name,
                    kind=one.kind,
                    unit=unit,
                    a=pair[0],
                    b=pair[1],
                    a_error=errors[0],
                    b_error=errors[1],
                )


def joint_channels(units: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Return the channel names of angle and torque by joint, given the units of all channels."""
    joints: dict[str, dict[str, str]] = {}
    for name, unit in units.items():
        stem, _, last = name.rpartition(".")
        if stem and last in ANGLES and unit in ("rad", "m"):
            joints.setdefault(stem, {}).setdefault("angle", name)
        elif stem and last in TORQUES and unit in ("N*m", "N", "J"):
            joints.setdefault(stem, {}).setdefault("torque", name)
    complete = {stem: both for stem, both in joints.items() if len(both) == 2}
    return complete or {stem: both for stem, both in joints.items() if "angle" in both}


def compare(a: Result, b: Result, offset: float | None = None) -> Comparison:
    """Compare two runs; `offset` is added to the times of B [s] and is found by correlation if not given.

    If there are joints, the offset is found from their angles, because commanded positions do not show delays.
    """
    names_a, names_b = a.history.channels, b.history.channels
    both = [name for name in names_a if name in names_b]
    same = [name for name in both if _same_kind(names_a[name].unit, names_b[name].unit)]
    if not same:
        raise InputError(_no_common_channel(list(names_a), list(names_b)))
    for side in (a, b):
        if len(side.history.time) < 2:
            raise InputError(f"The run '{side.scenario}' has fewer than two rows and cannot be compared.")
    joints = joint_channels({name: names_a[name].unit for name in same})
    alignment_channels = [both["angle"] for both in joints.values() if "torque" in both] or same
    if offset is None:
        alignment = align(a.history, b.history, alignment_channels)
    else:
        alignment = Alignment(
            offset=offset,
            estimated=False,
            misfit=misfit(a.history, b.history, alignment_channels, offset),
            misfit_unshifted=misfit(a.history, b.history, alignment_channels, 0.0),
        )
    start, end = _overlap(a, b, alignment.offset)
    return Comparison(
        a=a,
        b=b,
        alignment=alignment,
        start=start,
        end=end,
        channels={name: _deviation(a, b, name, alignment.offset) for name in same},
        only_a=tuple(name for name in names_a if name not in names_b),
        only_b=tuple(name for name in names_b if name not in names_a),
        other_unit=tuple(name for name in both if name not in same),
    )


def _same_kind(first: str, second: str) -> bool:
    try:
        return first == second or parse_unit(first) == parse_unit(second)
    except ValueError:
        return False


def _no_common_channel(a: list[str], b: list[str]) -> Problem:
    def some(names: list[str]) -> str:
        return ", ".join(names[:6]) + (", ..." if len(names) > 6 else "") if names else "nothing"

    return Problem(
        message="The two runs have no channel in common.",
        hint=f"The first has {some(a)}; the second has {some(b)}. "
        "The mapping file of a recording assigns channel names to its columns.",
    )


def _overlap(a: Result, b: Result, offset: float) -> tuple[float, float]:
    t_a, t_b = a.history.time, b.history.time + offset
    start, end = max(t_a[0], t_b[0]), min(t_a[-1], t_b[-1])
    if end <= start:
        message = "The two runs do not overlap in time."
        given = f"{t_a[0]:g} to {t_a[-1]:g} s and {t_b[0]:g} to {t_b[-1]:g} s with an offset of {offset:g} s"
        raise InputError(message, given=given)
    return float(start), float(end)


def _curves(a: Result, b: Result, name: str, offset: float) -> tuple[Array, Array, Array]:
    sides = []
    for result, shift in ((a, 0.0), (b, offset)):
        values = np.asarray(result.history[name], dtype=float)
        kept = np.isfinite(values)
        sides.append((result.history.time[kept] + shift, values[kept]))
    (t_a, y_a), (t_b, y_b) = sides
    if not (len(t_a) and len(t_b)):
        return np.zeros(0), np.zeros(0), np.zeros(0)
    t = common_times(t_a, t_b)
    return t, np.interp(t, t_a, y_a), np.interp(t, t_b, y_b)


def _deviation(a: Result, b: Result, name: str, offset: float) -> Deviation:
    t, y_a, y_b = _curves(a, b, name, offset)
    unit = a.history.channels[name].unit
    if not len(t):
        none = float("nan")
        return Deviation(
            unit=unit, largest=none, largest_at=none, deviation=none, mean=none, rms=none, range=none
        )
    difference = y_b - y_a
    worst = int(np.argmax(np.abs(difference)))
    mean, square = _mean(t, difference), _mean(t, difference**2)
    return Deviation(
        unit=unit,
        largest=float(np.abs(difference[worst])),
        largest_at=float(t[worst]),
        deviation=float(np.sqrt(_mean(t, (difference - mean) ** 2))),  # Eq. (N4)
        mean=mean,
        rms=float(np.sqrt(square)),
        range=float(np.ptp(y_a)),
    )


def _mean(t: Array, y: Array) -> float:
    """Return the mean over time for samples of any spacing, Eq. (N3)."""
    span = t[-1] - t[0]
    return float(np.trapezoid(y, t) / span) if span > 0.0 else float(y[0])
