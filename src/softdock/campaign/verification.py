"""Verification of the verdicts of a campaign's table: computed again from the metrics of its rows."""

import math
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from softdock.campaign import store
from softdock.campaign.execution import Row
from softdock.campaign.stored_entries import check_manifest, check_row, decode_mapping, decode_verdicts
from softdock.model.requirements import Requirement, metric_names
from softdock.result.requirements import compare, read_bounds, read_requirements


class VerdictCheck(NamedTuple):
    """What the verdicts of a campaign were compared with."""

    compared: int
    """Verdicts that were computed again: those on metrics and outcomes."""
    others: list[str]
    """Verdicts that are not those of their rows, as `run NUMBER NAME`."""


def check_verdicts(folder: Path) -> VerdictCheck:
    """Compute the verdicts of all rows again; those on contact conditions need values that rows do not have."""
    with store.open_readonly(folder) as database:
        manifest = check_manifest(store.read_entry(database, "manifest"))
        definition, units = manifest["scenario"]["data"], store.read_units(database)
        requirements = read_requirements(definition)
        names = metric_names(requirements, definition.get("metrics") or {})
        wanted = {key: one for key, one in requirements.items() if one.box is None}
        compared, others = 0, []
        for row in _rows(database):
            if row.status != "done":
                continue
            stored, metrics = decode_verdicts(row.requirements), decode_mapping(row.metrics)
            for key, requirement in wanted.items():
                name = names.get(key, "")
                found = _verdict(requirement, row.outcome, metrics.get(name), units.get(name, "1"))
                compared += 1
                if not _same(stored.get(key, {}), found):
                    others.append(f"run {row.run} {key}")
    return VerdictCheck(compared, others)


def _rows(database: sqlite3.Connection) -> "map[Row]":
    return map(check_row, database.execute("SELECT * FROM runs ORDER BY run"))


def _verdict(requirement: Requirement, outcome: str, metric: Any, unit: str) -> dict[str, Any]:
    """Return verdict, value and margin of a requirement on an outcome or a metric [SI]."""
    if requirement.outcome is not None:
        verdict = "met" if outcome in requirement.outcome else "violated"
        return {"verdict": verdict, "value": outcome, "margin": None}
    found = compare(metric, *read_bounds(requirement, unit), requirement.factor)
    return {"verdict": found.verdict, "value": found.value, "margin": found.margin}


def _same(stored: Mapping[str, Any], found: Mapping[str, Any]) -> bool:
    """Return whether a stored verdict is the one that was found; numbers to rounding."""
    for key, value in found.items():
        other = stored.get(key)
        if isinstance(value, float) and isinstance(other, int | float):
            same = math.isclose(value, other, rel_tol=1e-12)
        else:
            same = value == other
        if not same:
            return False
    return True
