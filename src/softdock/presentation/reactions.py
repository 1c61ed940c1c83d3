"""Tables and sentences about the reactions of a run, the same in terminal, report and studio."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from softdock.presentation.numbers import (
    display_unit,
    format_number,
    format_number_with_error,
    format_time,
    format_with_error,
)
from softdock.presentation.tables import Table
from softdock.presentation.unit_systems import AUTOMATIC, UnitSystem
from softdock.result import PeakReaction

Components = Callable[[PeakReaction, str], tuple[float, ...]]
"""Returns the components of a reaction at its peak, of its force (`N`) or moment (`N*m`)."""

NOISE = 1e-7
"""Share of the largest reaction of a run, any force [N] or moment [N m], below which reactions are rounding errors."""


def noise_floor(reactions: Sequence[PeakReaction]) -> float:
    """Return the force [N] or moment [N m] below which reactions of a run are shown as zero."""
    return NOISE * max(
        (max(reaction.peak_force or 0.0, reaction.peak_moment or 0.0) for reaction in reactions), default=0.0
    )


def without_noise(reactions: Sequence[PeakReaction]) -> tuple[PeakReaction, ...]:
    """Return reactions as they are shown: peaks below the noise floor are zero."""
    floor = noise_floor(reactions)

    def shown(peak: float | None) -> float | None:
        return 0.0 if peak is not None and peak < floor else peak

    return tuple(
        replace(reaction, peak_force=shown(reaction.peak_force), peak_moment=shown(reaction.peak_moment))
        for reaction in reactions
    )


def largest_reaction_text(reactions: Sequence[PeakReaction], system: UnitSystem = AUTOMATIC) -> str:
    """Return the largest force of any kind, and the largest moment, as a sentence; empty without reactions."""
    reactions = without_noise(reactions)
    forces = [reaction for reaction in reactions if reaction.peak_force]
    moments = [reaction for reaction in reactions if reaction.peak_moment]
    parts = []
    if forces:
        top = max(forces, key=lambda reaction: reaction.peak_force or 0.0)
        parts.append(_peak("force", top.peak_force, top.force_error, "N", top, top.t_peak_force, system))
    if moments:
        top = max(moments, key=lambda reaction: reaction.peak_moment or 0.0)
        parts.append(
            _peak("moment", top.peak_moment, top.moment_error, "N*m", top, top.t_peak_moment, system)
        )
    return f"Largest {'; largest '.join(parts)}." if parts else ""


def _peak(
    what: str,
    value: float | None,
    error: float | None,
    unit: str,
    reaction: PeakReaction,
    time: float | None,
    system: UnitSystem,
) -> str:
    at = "" if time is None else f" at {format_time(time)}"
    return f"{what} {format_with_error(value, error, unit, system)} in {reaction.kind} {reaction.name}{at}"


def without_reaction_metrics(metrics: Mapping[str, Any], reactions: Sequence[PeakReaction]) -> dict[str, Any]:
    """Return metrics without the peaks that a table of reactions beside them contains."""
    flat = [reaction.name.replace("-", "_") for reaction in reactions]
    shown = {f"peak_{what}_{name}" for name in flat for what in ("force", "moment", "contact_force")}
    return {name: value for name, value in metrics.items() if name not in shown}


def reaction_table(
    reactions: Sequence[PeakReaction], system: UnitSystem = AUTOMATIC, components: Components | None = None
) -> Table:
    """Return peak force and moment of every reaction with their times, and their components where they are given.

    All forces have one unit, and all moments.
    """
    reactions = without_noise(reactions)
    force = display_unit(
        "N", max((reaction.peak_force or 0.0 for reaction in reactions), default=0.0), system
    )
    moment = display_unit(
        "N*m", max((reaction.peak_moment or 0.0 for reaction in reactions), default=0.0), system
    )
    has_moments = any(reaction.peak_moment is not None for reaction in reactions)
    rows = []
    for reaction in reactions:
        row = [reaction.name, reaction.kind]
        pairs = [("N", force, reaction.peak_force, reaction.force_error, reaction.t_peak_force)]
        if has_moments:
            peak, time = reaction.peak_moment, reaction.t_peak_moment
            pairs.append(("N*m", moment, peak, reaction.moment_error, time))
        for unit, display, peak, error, time in pairs:
            shown = None if error is None or not peak else display.factor * error
            row.append("" if peak is None else format_number_with_error(display.factor * peak, shown))
            row.append("" if time is None or not peak else format_time(time))
            if components is not None:
                row.append(
                    ", ".join(
                        _component(display.factor * x, peak, display.factor)
                        for x in components(reaction, unit)
                    )
                )
        rows.append(row)
    header = ["element", "kind", *_columns("force", force.symbol, components)]
    header += _columns("moment", moment.symbol, components) if has_moments else []
    return Table(header=header, rows=rows, left=(0, 1))


def _columns(what: str, symbol: str, components: Components | None) -> list[str]:
    return [f"peak {what} [{symbol}]", "at", *(["x, y, z"] if components is not None else [])]


def _component(value: float, peak: float | None, factor: float) -> str:
    """Return a component; rounding errors beside the whole vector are 0."""
    is_zero = not peak or abs(value) <= 1e-6 * factor * peak
    return format_number(0.0 if is_zero else float(f"{value:.4g}"))
