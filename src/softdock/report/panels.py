"""Panels of a run: which channels its charts show. Plots, figures and reports draw the same panels."""

import re
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from softdock.model.member_kinds import reactions_of
from softdock.presentation.chart import Chart, LimitLine, TimeCurve, time_chart
from softdock.presentation.unit_systems import AUTOMATIC, UnitSystem
from softdock.replay.curves import ATTITUDE_CHANNEL
from softdock.replay.keyframes import simplified_rows
from softdock.report.reaction_channels import ReactionChannel, reaction_channels
from softdock.report.relative_motion import relative_pose
from softdock.result import Array, Result, RunEvent
from softdock.tree.frames import Anchor

MOST_CURVES = 6
"""Curves of one panel: as many as there are colours."""
OVERVIEW_PANELS = 4
MOST_PANELS = 4
"""Panels of one group of reactions; further reactions are named in the report and are in its table."""
TOLERANCE = 1e-3  # of the range of a curve: below the resolution of a chart
FLAT = 1e-9  # of the largest range in a panel; curves that change less are left out
REACTION_GROUPS = (reactions_of("contact"), reactions_of("element"), reactions_of("reaction"), ("channel",))
"""Kinds of reactions that share panels."""
POSITION_NAMES = re.compile(
    r"insertion|overlap|gap|depth|distance|\.[xyz] in |\.joint$|displacement|deflection"
)
"""Channels [m] that describe an approach, where the scenario has no `approach`."""

Accepts = Callable[[str], object]
"""Decides by its name whether a channel belongs to a panel."""


@dataclass(frozen=True, kw_only=True)
class CurvePanel:
    """Curves with one SI unit, drawn together."""

    title: str
    unit: str
    curves: Mapping[str, Array]
    """Values [SI] by channel."""
    time: Array
    labels: Mapping[str, str] = field(default_factory=dict)
    """Names in the legend, where they differ from those of the channels."""
    errors: Mapping[str, float | None] = field(default_factory=dict)
    """Estimated numerical errors of the peaks of channels [SI]."""
    omitted: tuple[str, ...] = ()
    """Channels that belong here and are not drawn."""

    def curves_over_time(self, rows_of: Callable[[Array, Array], NDArray[np.int64]]) -> list[TimeCurve]:
        """Return the rows of each curve that `rows_of` chooses from its times and values."""
        return [
            TimeCurve(
                name=self.labels.get(name, name),
                unit=self.unit,
                time=self.time[rows],
                values=values[rows],
                error=self.errors.get(name),
            )
            for name, values in self.curves.items()
            if (rows := rows_of(self.time, values)).size
        ]

    def chart(
        self,
        span: tuple[float, float],
        events: Sequence[RunEvent] = (),
        limits: Sequence[LimitLine] = (),
        system: UnitSystem = AUTOMATIC,
    ) -> Chart:
        """Return a chart of a few hundred pixels over a span of time [s]."""
        curves = self.curves_over_time(visible_rows)
        return time_chart(curves, span, events=events, limits=limits, title=self.title, system=system)


def overview_panels(result: Result) -> list[CurvePanel]:
    """Return at most four panels: reactions, motion of the approach, misalignment or rates, energy or joints."""
    panels = [_largest_reactions(result), _approach(result), _misalignment(result), _energy_or_joints(result)]
    drawn = [panel for panel in panels if panel is not None]
    return [*drawn, *_other_units(result, {panel.unit for panel in drawn})][:OVERVIEW_PANELS]


def reaction_panels(result: Result) -> tuple[list[CurvePanel], list[str]]:
    """Return panels of all reactions by group, largest first, and the names of those that stayed zero."""
    channels = reaction_channels(result)
    panels: list[CurvePanel] = []
    for kinds in REACTION_GROUPS:
        for unit, what in (("N", "Forces"), ("N*m", "Moments")):
            loaded = [
                quantity
                for quantity in channels
                if quantity.kind in kinds and quantity.unit == unit and quantity.peak > 0.0
            ]
            present = [f"{kind}s" for kind in kinds if kind in {quantity.kind for quantity in loaded}]
            panels += _reaction_group(result, f"{what} of {_joined(present)}", loaded)
    silent = {quantity.name for quantity in channels if not quantity.peak > 0.0}
    return panels, sorted(silent - {quantity.name for quantity in channels if quantity.peak > 0.0})


def motion_panels(result: Result) -> list[CurvePanel]:
    """Return the panels of the overview without the reactions."""
    panels = [_approach(result), _misalignment(result), _energy_or_joints(result)]
    return [panel for panel in panels if panel is not None]


def _joined(names: Sequence[str]) -> str:
    *first, last = names or [""]
    return f"{', '.join(first)} and {last}" if first else last


def _reaction_group(result: Result, title: str, loaded: Sequence[ReactionChannel]) -> list[CurvePanel]:
    drawn = loaded[: MOST_PANELS * MOST_CURVES]
    count = -(-len(drawn) // MOST_CURVES)
    ends = [len(drawn) * i // count for i in range(count + 1)] if count else [0]
    parts = [drawn[a:b] for a, b in pairwise(ends)]
    omitted = tuple(quantity.name for quantity in loaded[len(drawn) :])
    return [
        _reaction_panel(
            result,
            title if len(parts) == 1 else f"{title} ({i} of {len(parts)})",
            part,
            omitted if i == len(parts) else (),
        )
        for i, part in enumerate(parts, 1)
    ]


def _reaction_panel(
    result: Result, title: str, part: Sequence[ReactionChannel], omitted: tuple[str, ...]
) -> CurvePanel:
    time, curves = _with_peaks(result, part)
    return CurvePanel(
        title=title,
        unit=part[0].unit,
        time=time,
        curves=curves,
        labels={quantity.channel: quantity.name for quantity in part},
        errors={quantity.channel: quantity.error for quantity in part},
        omitted=omitted,
    )


def _with_peaks(result: Result, part: Sequence[ReactionChannel]) -> tuple[Array, dict[str, Array]]:
    """Return time and sizes of reactions with a point at every peak that the history does not contain.

    Histories with `record.peaks: false`, as those of robots, have no row at peaks between two samples.
    """
    time = result.history.time
    curves = {quantity.channel: np.abs(result.history[quantity.channel]) for quantity in part}
    missing = {
        quantity.channel: (quantity.time, quantity.peak)
        for quantity in part
        if quantity.time is not None and quantity.peak > np.nanmax(curves[quantity.channel])
    }
    added = np.unique([instant for instant, _ in missing.values()])
    if not added.size:
        return time, curves
    rows = np.searchsorted(time, added)
    for name, values in curves.items():
        between = np.interp(added, time, values)
        if name in missing:
            between[added == missing[name][0]] = missing[name][1]
        curves[name] = np.insert(values, rows, between)
    return np.insert(time, rows, added), curves


def _largest_reactions(result: Result) -> CurvePanel | None:
    """Return the largest forces; the largest moments where there are no forces."""
    for unit in ("N", "N*m"):
        loaded = [
            quantity
            for quantity in reaction_channels(result)
            if quantity.unit == unit and quantity.peak > 0.0
        ]
        if loaded:
            omitted = tuple(quantity.name for quantity in loaded[MOST_CURVES:])
            title = "Largest reactions" if omitted else "Reactions"
            return _reaction_panel(result, title, loaded[:MOST_CURVES], omitted)
    return None


def _approach(result: Result) -> CurvePanel | None:
    """Return insertion and lateral offset of the tip in the port; else channels that describe a distance."""
    relative = _tip_in_port(result)
    if relative is not None:
        p, _ = relative
        curves = {"insertion": p[:, 2], "lateral offset": np.hypot(p[:, 0], p[:, 1])}
        return CurvePanel(title="Tip in the port", unit="m", time=result.history.time, curves=curves)
    return _panel(result, "Motion", "m", POSITION_NAMES.search)


def _misalignment(result: Result) -> CurvePanel | None:
    """Return tilt and roll of the tip in the port; else angular rates of bodies, or else speeds."""
    relative = _tip_in_port(result)
    if relative is not None:
        _, R = relative
        tilt = np.arccos(np.clip(R[:, 2, 2], -1.0, 1.0))
        roll = np.arctan2(R[:, 1, 0] - R[:, 0, 1], R[:, 0, 0] + R[:, 1, 1])
        curves = {"tilt": tilt, "roll": np.unwrap(roll)}
        return CurvePanel(
            title="Misalignment of the tip", unit="rad", time=result.history.time, curves=curves
        )
    rates = _norms(result, "w", "rad/s")
    if rates is not None:
        return rates
    return _panel(result, "Speeds", "m/s", lambda name: True) or _panel(
        result, "Angles", "rad", lambda name: True
    )


def _energy_or_joints(result: Result) -> CurvePanel | None:
    joints = _panel(result, "Joint positions", "rad", re.compile(r"\.position$").search)
    return joints or _panel(result, "Energies", "J", lambda name: True) or _joint_positions(result)


def _joint_positions(result: Result) -> CurvePanel | None:
    is_joint = re.compile(r"\.joint\d?$").search
    return _panel(result, "Joint positions", "rad", is_joint) or _panel(
        result, "Joint positions", "m", is_joint
    )


def _other_units(result: Result, shown: Container[str]) -> list[CurvePanel]:
    """Return one panel for each unit that is not shown yet, for results of which little is known."""
    units = dict.fromkeys(channel.unit for channel in result.history.channels.values())
    panels = [_panel(result, "", unit, _is_no_attitude, flat=True) for unit in units if unit not in shown]
    return [panel for panel in panels if panel is not None]


def _is_no_attitude(name: str) -> bool:
    return ATTITUDE_CHANNEL.search(name) is None


def _panel(
    result: Result, title: str, unit: str, accepts: Accepts, *, flat: bool = False
) -> CurvePanel | None:
    """Return the accepted channels of a unit that change most; None where there is none."""
    curves = {
        name: channel.values
        for name, channel in result.history.channels.items()
        if channel.unit == unit and accepts(name) and np.isfinite(channel.values).any()
    }
    return _most_varying(result, title, unit, curves, flat=flat)


def _norms(result: Result, letter: str, unit: str) -> CurvePanel | None:
    """Return the sizes of a vector of all bodies from its three components."""
    channels = result.history.channels
    norms: dict[str, Array] = {}
    for name, channel in channels.items():
        body, _, last = name.rpartition(".")
        parts = [f"{body}.{letter}{axis}" for axis in "xyz"]
        if last == f"{letter}x" and channel.unit == unit and all(part in channels for part in parts):
            norms[f"{body} rate"] = np.sqrt(sum(channels[part].values ** 2 for part in parts))
    return _most_varying(result, "Angular rates", unit, norms)


def _most_varying(
    result: Result, title: str, unit: str, curves: Mapping[str, Array], *, flat: bool = False
) -> CurvePanel | None:
    ranges = {name: _range(values) for name, values in curves.items()}
    largest = max(ranges.values(), default=0.0)
    moving = [name for name in curves if flat or ranges[name] > FLAT * largest]
    if not moving:
        return None
    ranked = sorted(moving, key=lambda name: -ranges[name])
    drawn = [name for name in moving if name in ranked[:MOST_CURVES]]
    return CurvePanel(
        title=title,
        unit=unit,
        time=result.history.time,
        curves={name: curves[name] for name in drawn},
        omitted=tuple(ranked[MOST_CURVES:]),
    )


def _tip_in_port(result: Result) -> tuple[Array, Array] | None:
    """Return p_PT_P [m] (n, 3) and R_PT (n, 3, 3) of the tip in the port; None where poses are not recorded."""
    approach = result.definition.get("approach")
    if not isinstance(approach, Mapping):
        return None
    port, tip = (Anchor.model_validate(approach[key]) for key in ("port", "tip"))
    return relative_pose(result, port, tip)


def all_rows(time: Array, values: Array) -> NDArray[np.int64]:
    """Return all rows, also those whose value is missing."""
    return np.arange(values.size)


def visible_rows(time: Array, values: Array) -> NDArray[np.int64]:
    """Return the rows that a chart needs, the largest and the smallest value among them."""
    good = np.flatnonzero(np.isfinite(values))
    if good.size <= 2:
        return good
    kept = good[simplified_rows(time[good], values[good], TOLERANCE * _range(values))]
    extremes = (good[values[good].argmax()], good[values[good].argmin()])
    return np.unique(np.concatenate([kept, extremes])).astype(np.int64)


def _range(values: Array) -> float:
    finite = values[np.isfinite(values)]
    return float(np.ptp(finite)) if finite.size else 0.0
