"""Tables and sentences about one run, the same in terminal, report and studio."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from softdock.presentation.assessment import error_status
from softdock.presentation.labels import LAWS, label
from softdock.presentation.numbers import (
    ROUNDING,
    display_unit,
    format_error,
    format_quantity,
    format_time,
    format_value,
)
from softdock.presentation.status import Status
from softdock.presentation.tables import Table
from softdock.presentation.unit_systems import AUTOMATIC, UnitSystem
from softdock.result import DOUBTFUL_LIMIT, Audit, RunEvent, Timing

Values = Mapping[str, Any]
NEGLIGIBLE_COMPONENT = 1e-9
"""Size of a component of a vector over its largest one below which it is a rounding error and is shown as 0."""


def metric_table(
    metrics: Values,
    prediction: Values | None,
    units: Mapping[str, str],
    others: Mapping[str, Values] | None = None,
    system: UnitSystem = AUTOMATIC,
    resolutions: Mapping[str, float] = ROUNDING,
    errors: Mapping[str, float | None] | None = None,
) -> Table:
    """Return simulated beside predicted values, and beside the metrics of other runs by their titles.

    All values of a row have one display unit and the resolution of their SI unit; simulated ones are shown with their
    `errors`. Lists and sentences are left out.
    """
    known = errors or {}
    columns = {"simulated": metrics, **({"predicted": prediction} if prediction else {}), **(others or {})}
    rows = []
    for name in dict.fromkeys([*metrics, *(prediction or {})]):
        values = [column[name] for column in columns.values() if name in column]
        if any(_is_compound(value) for value in values):
            continue
        unit, largest = units.get(name, ""), _largest(values)
        resolution = resolutions.get(unit, 0.0)
        symbol, factor = display_unit(unit, largest if largest >= resolution else 0.0, system)
        cells = [
            format_value(column[name], factor, resolution, known.get(name) if column is metrics else None)
            if name in column
            else ""
            for column in columns.values()
        ]
        rows.append((label(name), *cells, symbol))
    return Table(header=("", *columns, "unit"), rows=rows, left=(0, len(columns) + 1))


def quantity_table(values: Values, units: Mapping[str, str], system: UnitSystem = AUTOMATIC) -> Table:
    """Return one line per quantity: name, value and display unit; members of a mapping have a line each."""
    flat: dict[str, tuple[Any, str]] = {}
    for name, value in values.items():
        unit = units.get(name, "")
        if isinstance(value, Mapping):
            flat |= {f"{label(name)}: {member}": (part, unit) for member, part in value.items()}
        else:
            flat[label(name)] = (value, unit)
    rows = []
    for name, (value, unit) in flat.items():
        largest = _largest(value if isinstance(value, list | tuple) else [value])
        symbol, factor = display_unit(unit, largest, system)
        rows.append((name, format_value(value, factor, NEGLIGIBLE_COMPONENT * largest), symbol))
    return Table(header=("quantity", "value", "unit"), rows=rows, left=(0, 2))


def prediction_sentences(prediction: Values | None) -> list[str]:
    """Return the texts of a prediction that are sentences, with what they are about."""
    texts = [text for text in (prediction or {}).values() if isinstance(text, str) and " " in text]
    return [f"Theory of the first impact: {text}" for text in texts]


def conservation_table(audit: Audit) -> Table:
    """Return the largest relative error of each conserved quantity, with its status."""
    statuses = [error_status(error) for error in audit.errors.values()]
    rows = [(LAWS[name], _error_text(audit, name)) for name in audit.errors]
    return Table(header=("", ""), rows=rows, statuses=statuses)


def _error_text(audit: Audit, name: str) -> str:
    """Return one error of a check, and which part of it was expected where that decides about its status."""
    error, compared = getattr(audit, name), audit.errors[name]
    text = format_error(error)
    explains = error_status(error) is not error_status(compared)
    return f"{text}, {format_error(audit.energy_expected)} of it expected" if explains else text


def conservation_errors(audit: Audit) -> str:
    """Return the errors of all laws that apply in one line."""
    return ", ".join(
        f"{LAWS[name]} {_error_text(audit, name)}"
        for name, error in audit.errors.items()
        if error is not None
    )


def conservation_failure(audit: Audit) -> str:
    """Return the warning about a failed conservation check, with the errors above the limit."""
    failed = [
        f"{LAWS[name]} {_error_text(audit, name)}"
        for name, error in audit.errors.items()
        if error_status(error) is Status.FAILED
    ]
    return f"The conservation check failed (relative errors: {', '.join(failed)}). Do not use the results."


def conservation_doubt(audit: Audit) -> str:
    """Return the warning about a conservation check that has passed with doubtful accuracy."""
    doubtful = [
        f"{LAWS[name]} {_error_text(audit, name)}"
        for name, error in audit.errors.items()
        if error_status(error) is Status.DOUBTFUL
    ]
    return (
        f"The conservation check is doubtful (relative errors: {', '.join(doubtful)}; results are good up to "
        f"{DOUBTFUL_LIMIT:g}). Set `integrator.accuracy` to smaller values."
    )


def first_event_table(events: Sequence[RunEvent]) -> Table:
    """Return name, first time and message of every event that happened, and how often where it was repeated."""
    times: dict[str, list[float]] = {}
    for event in events:
        times.setdefault(event.name, []).append(event.time)
    messages = {event.name: event.message for event in reversed(events)}
    rows = [
        (
            name,
            format_time(instants[0]),
            messages[name] + (f" ({len(instants)} times)" if len(instants) > 1 else ""),
        )
        for name, instants in times.items()
    ]
    return Table(header=("event", "at", ""), rows=rows, left=(0, 2))


def event_table(events: Sequence[Mapping[str, Any]]) -> Table:
    """Return time, name and message of events."""
    rows = [(format_time(event["time"]), event["name"], event["message"]) for event in events]
    return Table(header=("", "", ""), rows=rows, left=(1, 2))


def timing_text(timing: Timing) -> str:
    """Return simulated time, wall time and work of a run."""
    text = f"{format_quantity(timing.simulated_s, 's')} simulated in {format_quantity(timing.wall_s, 's')}"
    if timing.frame_s is not None and timing.worst_frame_s is not None:
        text += (
            f" of real time, {timing.frames} frames of {format_quantity(timing.frame_s, 's')}, "
            f"{timing.missed_frames} missed, longest frame {format_quantity(timing.worst_frame_s, 's')}"
        )
    elif timing.wall_s > 0.0 and timing.simulated_s > timing.wall_s:
        text += f", {timing.simulated_s / timing.wall_s:.0f} times faster than real time"
    return f"{text}; {timing.steps:,} steps, {timing.evaluations:,} evaluations"


def _is_compound(value: Any) -> bool:
    return isinstance(value, Mapping | list | tuple) or (isinstance(value, str) and " " in value)


def _largest(values: Sequence[Any]) -> float:
    """Return the size of the largest finite number among values; 0 where there is none."""
    numbers = [abs(value) for value in values if isinstance(value, int | float) and math.isfinite(value)]
    return max(numbers, default=0.0)
