"""Verification of the verdicts of a campaign's table: computed again from the metrics of its rows."""

from pathlib import Path
from typing import NamedTuple

from softdock.campaign import store
from softdock.campaign.stored_entries import check_manifest, check_row, decode_mapping, decode_verdicts
from softdock.model.requirements import metric_names
from softdock.result.requirements import agree, assess_value, read_requirements


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
        wanted = {key: requirement for key, requirement in requirements.items() if requirement.box is None}
        compared, others = 0, []
        for row in map(check_row, database.execute("SELECT * FROM runs ORDER BY run")):
            if row.status != "done":
                continue
            stored, metrics = decode_verdicts(row.requirements), decode_mapping(row.metrics)
            for key, requirement in wanted.items():
                name = names.get(key, "")
                unit = units.get(name, "1")
                assessed = assess_value(key, requirement, row.outcome, metrics.get(name), unit)
                compared += 1
                if not agree(stored.get(key, {}), assessed, ("verdict", "value", "margin")):
                    others.append(f"run {row.run} {key}")
    return VerdictCheck(compared, others)
