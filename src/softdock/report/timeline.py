"""The timeline of a run: its start, events, peak contact forces and end in order of time."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from softdock.presentation.labels import label
from softdock.presentation.numbers import display_unit, format_number, format_quantity
from softdock.replay.scene import Curve, Scene
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


def build_timeline(result: Result, scene: Scene) -> list[TimelineEntry]:
    """Return start, events, peak contact forces and end of a run in order of time, at most `MOST_ENTRIES`."""
    curves = {curve.name: curve for curve in scene.curves}
    shown = [curves[names[0]] for names in scene.charts]
    entries = [
        TimelineEntry(time=scene.start, text=_describe_start(result), details=_values(shown, scene.start))
    ]
    for event in result.events:
        text = event.message or f"{label(event.name)}."
        entries.append(TimelineEntry(time=event.time, text=text, details=_values(shown, event.time)))
    entries += _peak_forces(result)
    ending = f"The run ends after {format_quantity(scene.end - scene.start, 's')}."
    entries.append(TimelineEntry(time=scene.end, text=ending, details=_values(shown, scene.end)))
    entries.sort(key=lambda entry: entry.time)
    omitted = len(entries) - MOST_ENTRIES
    if omitted > 0:
        note = TimelineEntry(time=entries[-3].time, text=f"{omitted} earlier entries are not listed.")
        entries = [*entries[: MOST_ENTRIES - 3], note, *entries[-3:]]
    return entries


def _peak_forces(result: Result) -> Iterator[TimelineEntry]:
    contacts = result.definition.get("contacts")
    names = list(contacts) if isinstance(contacts, Mapping) else ["contact"]
    for name in names:
        channel = result.history.channels.get(f"{name}.force")
        if channel is None or channel.unit != "N" or not np.isfinite(channel.values).any():
            continue
        at = int(np.nanargmax(channel.values))
        if channel.values[at] > 0.0:
            where = "" if name == "contact" else f" of {name}"
            details = f"force {format_quantity(float(channel.values[at]), 'N')}"
            time = float(result.history.time[at])
            yield TimelineEntry(time=time, text=f"Peak contact force{where}.", details=details)


def _describe_start(result: Result) -> str:
    approach = result.definition.get("approach")
    if isinstance(approach, Mapping):
        offset, tilt = math.hypot(*approach["offset"]), math.hypot(*approach["tilt"])
        text = (
            f"{approach['chaser']} approaches at {format_quantity(approach['speed'], 'm/s')} "
            f"from {format_quantity(approach['distance'], 'm')}"
        )
        text += f", {format_quantity(offset, 'm')} off the axis" if offset else ""
        text += f", tilted by {format_quantity(tilt, 'rad')}" if tilt else ""
        return f"{text[0].upper()}{text[1:]}."
    if "speed" in result.definition:
        return f"The chaser approaches at {format_quantity(result.definition['speed'], 'm/s')}."
    return "The run starts."


def _values(curves: Sequence[Curve], time: float) -> str:
    """Return the values of curves at a time, each in the display unit of its whole curve."""
    texts = []
    for curve in curves:
        size = float(np.abs(curve.values).max())
        value = float(np.interp(time, curve.time, curve.values))
        unit, factor = display_unit(curve.unit, size)
        texts.append(
            f"{curve.name} {format_number(value * factor if abs(value) > NEGLIGIBLE * size else 0.0)} {unit}"
        )
    return "; ".join(texts)
