"""Tables and sentences about the loads of a run, the same in terminal, report and studio."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from softdock.presentation.numbers import display_unit, format_number, format_quantity, format_time
from softdock.presentation.tables import Table
from softdock.presentation.unit_systems import AUTOMATIC, UnitSystem
from softdock.result import PeakReaction

Components = Callable[[PeakReaction, str], tuple[float, ...]]
"""Returns the components of a load at its peak, of its force (`N`) or moment (`N*m`)."""

NOISE = 1e-7
"""Share of the largest load of a run, any force [N] or moment [N m], below which loads are rounding errors."""


def noise_floor(loads: Sequence[PeakReaction]) -> float:
    """Return the force [N] or moment [N m] below which loads of a run are shown as zero."""
    return NOISE * max((max(load.peak_force or 0.0, load.peak_moment or 0.0) for load in loads), default=0.0)


def without_noise(loads: Sequence[PeakReaction]) -> tuple[PeakReaction, ...]:
    """Return loads as they are shown: peaks below the noise floor are zero."""
    floor = noise_floor(loads)

    def shown(peak: float | None) -> float | None:
        return 0.0 if peak is not None and peak < floor else peak

    return tuple(
        replace(load, peak_force=shown(load.peak_force), peak_moment=shown(load.peak_moment))
        for load in loads
    )


def largest_load_text(loads: Sequence[PeakReaction], system: UnitSystem = AUTOMATIC) -> str:
    """Return the largest force of any kind, and the largest moment, as a sentence; empty without loads."""
    loads = without_noise(loads)
    forces = [load for load in loads if load.peak_force]
    moments = [load for load in loads if load.peak_moment]
    parts = []
    if forces:
        top = max(forces, key=lambda load: load.peak_force or 0.0)
        parts.append(_peak("force", top.peak_force, "N", top, top.t_peak_force, system))
    if moments:
        top = max(moments, key=lambda load: load.peak_moment or 0.0)
        parts.append(_peak("moment", top.peak_moment, "N*m", top, top.t_peak_moment, system))
    return f"Largest {'; largest '.join(parts)}." if parts else ""


def _peak(
    what: str, value: float | None, unit: str, load: PeakReaction, time: float | None, system: UnitSystem
) -> str:
    at = "" if time is None else f" at {format_time(time)}"
    return f"{what} {format_quantity(value, unit, system)} in {load.kind} {load.name}{at}"


def without_load_metrics(metrics: Mapping[str, Any], loads: Sequence[PeakReaction]) -> dict[str, Any]:
    """Return metrics without the peaks that a table of loads beside them contains."""
    flat = [load.name.replace("-", "_") for load in loads]
    shown = {f"peak_{what}_{name}" for name in flat for what in ("force", "moment", "contact_force")}
    return {name: value for name, value in metrics.items() if name not in shown}


def load_table(
    loads: Sequence[PeakReaction], system: UnitSystem = AUTOMATIC, components: Components | None = None
) -> Table:
    """Return peak force and moment of every load with their times, and their components where they are given.

    All forces have one unit, and all moments.
    """
    loads = without_noise(loads)
    force = display_unit("N", max((load.peak_force or 0.0 for load in loads), default=0.0), system)
    moment = display_unit("N*m", max((load.peak_moment or 0.0 for load in loads), default=0.0), system)
    has_moments = any(load.peak_moment is not None for load in loads)
    rows = []
    for load in loads:
        row = [load.name, load.kind]
        pairs = [("N", force, load.peak_force, load.t_peak_force)]
        pairs += [("N*m", moment, load.peak_moment, load.t_peak_moment)] if has_moments else []
        for unit, display, peak, time in pairs:
            row.append("" if peak is None else format_number(display.factor * peak))
            row.append("" if time is None or not peak else format_time(time))
            if components is not None:
                row.append(
                    ", ".join(
                        _component(display.factor * x, peak, display.factor) for x in components(load, unit)
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
