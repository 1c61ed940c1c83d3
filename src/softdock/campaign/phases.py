"""Fraction of the runs of a campaign that reach each phase of its scenario, with confidence interval."""

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from softdock.campaign.model import independent_runs
from softdock.campaign.statistics import clopper_pearson
from softdock.campaign.stored_entries import StoredEntryError, decode_mapping
from softdock.model.phases import Phase, phase_order

CONFIDENCE = 0.95


@dataclass(frozen=True)
class PhaseShare:
    """How many runs reach a phase; the interval is exact and two-sided."""

    name: str
    reached: int
    """Runs that enter the phase."""
    ended: int
    """Runs in which the phase ends by its condition."""
    runs: int
    share: float | None
    """Fraction of the runs that enter the phase; None without runs."""
    low: float
    high: float
    confidence: float = CONFIDENCE


def phase_shares(definition: Mapping[str, Any], rows: Iterable[Mapping[str, Any]]) -> list[PhaseShare]:
    """Return the phases of a scenario, given as plain data, in their order; `rows` are the phases of each run."""
    names = phase_names(definition)
    reached, ended, runs = dict.fromkeys(names, 0), dict.fromkeys(names, 0), 0
    for row in rows:
        runs += 1
        for name in names:
            if name in row:
                reached[name] += 1
                ended[name] += row[name].get("ended") == "condition"
    return [
        PhaseShare(
            name, reached[name], ended[name], runs, reached[name] / runs if runs else None,
            *clopper_pearson(reached[name], runs, CONFIDENCE),
        )
        for name in names
    ]  # fmt: skip


def phase_names(definition: Mapping[str, Any]) -> list[str]:
    """Return the names of the phases of a scenario, given as plain data, in the order in which they follow."""
    try:
        phases = [Phase.model_validate(phase) for phase in definition.get("phases") or ()]
        return [phases[i].name for i in phase_order(phases)]
    except (TypeError, ValueError) as error:
        raise StoredEntryError("the phases of its scenario are not usable") from error


def decode_phases(text: str) -> dict[str, dict[str, Any]]:
    """Return the phases of a row; raises StoredEntryError where they are damaged."""
    phases = decode_mapping(text)
    if not all(isinstance(phase, dict) for phase in phases.values()):
        raise StoredEntryError("the phases of a run are not usable")
    return phases


def phase_status(database: sqlite3.Connection, manifest: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the shares of runs that reach each phase as plain data, of runs that do not depend on each other."""
    campaign, definition = manifest["campaign"], manifest["scenario"]["data"]
    runs = independent_runs(campaign)
    if not definition.get("phases") or not runs:
        return []
    rows = database.execute("SELECT phases FROM runs WHERE run < ?", (runs,))
    return [asdict(share) for share in phase_shares(definition, (decode_phases(text) for (text,) in rows))]
