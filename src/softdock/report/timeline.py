"""The timeline of a run: its start, events, peak reactions and end in order of time."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from softdock.model.member_kinds import reactions_of
from softdock.presentation.chart import TimeCurve
from softdock.presentation.labels import label
from softdock.presentation.numbers import display_unit, format_number, format_quantity, format_with_error
from softdock.presentation.reactions import without_noise
from softdock.presentation.unit_systems import AUTOMATIC, UnitSystem
from softdock.replay.scene import Scene
from softdock.report.reaction_channels import history_reactions
from softdock.result import Result

MOST_ENTRIES = 60
NEGLIGIBLE = 1e-4
"""Part of the largest value of a curve below which a value is written as 0."""


@dataclass(frozen=True, kw_only=True)
class TimelineEntry:
    """One instant [s] of a run."""

    time: float
    text: str
    details: str = ""
    """Values of the first curves at that time."""
    is_event: bool = False


def build_timeline(result: Result, scene: Scene, system: UnitSystem = AUTOMATIC) -> list[TimelineEntry]:
    """Return start, events, peak reactions and end of a run in order of time, at most `MOST_ENTRIES`."""
    curves = {curve.name: curve for curve in scene.curves}
    shown = [_recorded(curves[names[0]], result) for names in scene.charts]
    entries = [
        TimelineEntry(
            time=scene.start,
            text=_describe_start(result, system),
            details=_values(shown, scene.start, system),
        )
    ]
    for event in result.events:
        text = event.message or f"{label(event.name)}."
        details = _values(shown, event.time, system)
        entries.append(TimelineEntry(time=event.time, text=text, details=details, is_event=True))
    for phase in result.phases:
        text = f"The phase {phase.name} begins."
        entries.append(
            TimelineEntry(time=phase.start, text=text, details=_values(shown, phase.start, system))
        )
    entries += _peak_reactions(result, system)
    ending = f"The run ends after {format_quantity(scene.end - scene.start, 's')}."
    entries.append(TimelineEntry(time=scene.end, text=ending, details=_values(shown, scene.end, system)))
    entries.sort(key=lambda entry: entry.time)
    omitted = len(entries) - MOST_ENTRIES
    if omitted > 0:
        note = TimelineEntry(time=entries[-3].time, text=f"{omitted} earlier entries are not listed.")
        entries = [*entries[: MOST_ENTRIES - 3], note, *entries[-3:]]
    return entries


def _peak_reactions(result: Result, system: UnitSystem) -> Iterator[TimelineEntry]:
    """Yield the peak of every contact and interface, and the largest force and moment of all other reactions."""
    reactions = without_noise(result.loads or history_reactions(result))
    touching = [reaction for reaction in reactions if reaction.kind in reactions_of("contact")]
    others = [reaction for reaction in reactions if reaction not in touching]
    largest = sorted(others, key=lambda reaction: -(reaction.peak_force or 0.0))[:1]
    for reaction in (*touching, *largest):
        if reaction.peak_force and reaction.t_peak_force is not None:
            details = f"force {format_with_error(reaction.peak_force, reaction.force_error, 'N', system)}"
            text = (
                f"Peak {reaction.kind} force of {reaction.name}."
                if reaction.name != "contact"
                else "Peak contact force."
            )
            yield TimelineEntry(time=reaction.t_peak_force, text=text, details=details)
    for reaction in sorted(others, key=lambda reaction: -(reaction.peak_moment or 0.0))[:1]:
        if reaction.peak_moment and reaction.t_peak_moment is not None:
            details = (
                f"moment {format_with_error(reaction.peak_moment, reaction.moment_error, 'N*m', system)}"
            )
            text = f"Peak {reaction.kind} moment of {reaction.name}."
            yield TimelineEntry(time=reaction.t_peak_moment, text=text, details=details)


def _describe_start(result: Result, system: UnitSystem) -> str:
    approach = result.definition.get("approach")
    if isinstance(approach, Mapping):
        offset, tilt = math.hypot(*approach["offset"]), math.hypot(*approach["tilt"])
        text = (
            f"{approach['chaser']} approaches at {format_quantity(approach['speed'], 'm/s', system)} "
            f"from {format_quantity(approach['distance'], 'm', system)}"
        )
        text += f", {format_quantity(offset, 'm', system)} off the axis" if offset else ""
        text += f", tilted by {format_quantity(tilt, 'rad', system)}" if tilt else ""
        return f"{text[0].upper()}{text[1:]}."
    if "speed" in result.definition:
        return f"The chaser approaches at {format_quantity(result.definition['speed'], 'm/s', system)}."
    return "The run starts."


def _recorded(curve: TimeCurve, result: Result) -> TimeCurve:
    """Return all recorded values of a curve, which a scene simplifies to the resolution of a chart."""
    channel = result.history.channels.get(curve.name)
    if channel is None:
        return curve
    good = np.isfinite(channel.values)
    return replace(curve, time=result.history.time[good], values=channel.values[good])


def _values(curves: Sequence[TimeCurve], time: float, system: UnitSystem) -> str:
    """Return the values of curves at a time, each in the display unit of its whole curve."""
    texts = []
    for curve in curves:
        size = float(np.abs(curve.values).max())
        value = float(np.interp(time, curve.time, curve.values))
        unit, factor = display_unit(curve.unit, size, system)
        texts.append(
            f"{curve.name} {format_number(value * factor if abs(value) > NEGLIGIBLE * size else 0.0)} {unit}"
        )
    return "; ".join(texts)
