"""Table of a campaign as columns, for statistics, reports and export."""

import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softdock.campaign import boundary, store, subset
from softdock.campaign.compliance import RequirementData, RunVerdicts
from softdock.campaign.digests import discrepancies_of
from softdock.campaign.execution import Row
from softdock.campaign.model import Boundary, Subset
from softdock.campaign.phases import decode_phases, phase_names
from softdock.campaign.statistics import wilson
from softdock.campaign.stored_entries import (
    check_manifest,
    check_row,
    check_search,
    check_shape,
    check_state,
    decode_mapping,
    decode_texts,
    decode_verdicts,
)
from softdock.presentation.labels import axis_label
from softdock.result import Array

NUMERIC_GROUPS = ("inputs", "metrics", "metric_errors", "prediction")
PER_RUN = (
    "run", "status", "outcome", "message", "inputs", "metrics", "metric_errors", "predictions", "wall_s", "valid",
    "warnings", "verdicts", "phases", "level",
)  # fmt: skip
"""Fields of `Table` with one element per run."""


@dataclass(frozen=True)
class CampaignTable:
    """Columns of all finished runs, in the order of their numbers."""

    manifest: dict[str, Any]
    state: dict[str, Any]
    run: NDArray[np.int64]
    status: list[str]
    outcome: list[str]
    message: list[str]
    inputs: dict[str, Array] = field(default_factory=dict)
    """Numeric inputs by dotted path; vectors by component and as `PATH.norm` or `PATH.lateral`."""
    metrics: dict[str, Array] = field(default_factory=dict)
    """Numeric metrics; NaN where a run has none."""
    metric_errors: dict[str, Array] = field(default_factory=dict)
    """Estimated numerical errors of metrics that are peaks of reactions [SI], by the name of the metric."""
    predictions: dict[str, Array] = field(default_factory=dict)
    wall_s: Array = field(default_factory=lambda: np.empty(0))
    valid: list[str] = field(default_factory=list)
    """`yes`, `warned`, `no`, or `unknown` in tables of an earlier version."""
    warnings: list[list[str]] = field(default_factory=list)
    units: dict[str, str] = field(default_factory=dict)
    """SI units of columns, inputs as `input.PATH`; see `unit`."""
    folder: Path = Path()
    campaign_file: Path | None = None
    """Campaign file that the user names; None for the one of the manifest."""
    verdicts: Sequence[RunVerdicts] = ()
    """Verdict, value and margin of every requirement, by run."""
    phases: Sequence[dict[str, dict[str, Any]]] = ()
    """Start, end and how it ended of every phase that a run entered, by run."""
    level: NDArray[np.int64] | None = None
    """Level of each run for the methods `subset` and `boundary`; see `level_of_runs`."""
    search: dict[str, Any] | None = None
    """What the method `subset` or `boundary` found; None for `monte-carlo`."""
    discrepancies: tuple[str, ...] = ()
    """What does not agree with the digests of the table, one sentence each."""
    boundary: dict[str, Any] | None = None
    """Axes, grid and points of the boundary, when the method `boundary` has ended."""

    @property
    def method(self) -> str:
        """Method of the campaign."""
        return str(self.manifest["campaign"].get("method", "monte-carlo"))

    def random_sample(self) -> "CampaignTable":
        """Return the runs that statistics may use; later levels of `subset` and `boundary` are chosen near failure."""
        if self.level is None:
            return self
        chosen = np.flatnonzero(self.level <= 0).tolist()
        kept: dict[str, Any] = {name: _chosen(getattr(self, name), chosen) for name in PER_RUN}
        return replace(self, **kept)

    def unit(self, name: str) -> str:
        """Return the SI unit of an input or a metric; empty for a dimensionless one."""
        return store.column_unit(self.units, f"input.{name}" if name in self.inputs else name)

    def label(self, name: str) -> str:
        """Return the name of an input or a metric with its unit, for an axis or the head of a table."""
        return axis_label(name, self.unit(name))

    @property
    def planned(self) -> int:
        """Planned number of runs; the final number if the stop rule ended the campaign."""
        return int(self.state.get("stopped_at") or self.state["runs"])

    @property
    def success(self) -> NDArray[np.bool_] | None:
        """Whether each run is a success; None if the campaign does not define success."""
        names = self.manifest["campaign"]["success"]
        if not names:
            return None
        pairs = zip(self.outcome, self.status)
        return np.array([outcome in names and status == "done" for outcome, status in pairs], dtype=bool)

    def failures(self) -> dict[str, int]:
        """Return the number of failed runs by outcome, most frequent first; their metrics are not in the table."""
        return dict(
            Counter(o for o, status in zip(self.outcome, self.status) if status == "failed").most_common()
        )

    def success_rate(self, confidence: float = 0.95) -> dict[str, float] | None:
        """Return the success rate with its Wilson interval; None if the campaign does not define success."""
        success = self.random_sample().success
        if success is None or self.method == "boundary":  # its runs do not follow the distributions
            return None
        low, high = wilson(int(success.sum()), success.size, confidence)
        share = float(success.mean()) if success.size else 0.0
        return {"share": share, "low": low, "high": high, "confidence": confidence}

    def requirement_data(self) -> RequirementData:
        """Return what the verdicts on the requirements of the campaign are computed from."""
        return RequirementData(
            manifest=self.manifest,
            units=self.units,
            planned=self.planned,
            run=self.run.tolist(),
            status=self.status,
            verdicts=self.verdicts,
        )

    def counts(self) -> dict[str, int]:
        """Return the number of runs by outcome, most frequent first."""
        names, numbers = np.unique(np.array(self.outcome, dtype=str), return_counts=True)
        order = np.argsort(-numbers, kind="stable")
        return {str(names[i]): int(numbers[i]) for i in order}


def _chosen(values: Any, runs: list[int]) -> Any:
    """Return the elements of some runs, from an array, from a list, or from arrays by name."""
    if isinstance(values, dict):
        return {name: one[runs] for name, one in values.items()}
    return values[runs] if isinstance(values, np.ndarray) else [values[i] for i in runs]


def read_table(folder: Path, campaign_file: Path | None = None) -> CampaignTable:
    """Read the table of a campaign; also while the campaign runs."""
    with store.open_readonly(folder) as database:
        manifest, state = read_entries(database)
        units = store.read_units(database)
        method = manifest["campaign"].get("method")
        search = check_search(method, store.read_optional_entry(database, "search"))
        shape = check_shape(store.read_optional_entry(database, "boundary_shape"))
        rows = [check_row(row) for row in database.execute("SELECT * FROM runs ORDER BY run")]
        parts = {group: _columns([_values(row, group) for row in rows]) for group in NUMERIC_GROUPS}
        warnings = [decode_texts(row.warnings) for row in rows]
        verdicts = [decode_verdicts(row.requirements) for row in rows]
        phases = [decode_phases(row.phases) for row in rows]
        discrepancies = discrepancies_of(folder / store.TABLE_FILE, database)
        phase_names(manifest["scenario"]["data"])  # refuses damaged phases here, where the table is named
    return CampaignTable(
        manifest=manifest,
        state=state,
        run=np.array([row.run for row in rows], dtype=np.int64),
        status=[row.status for row in rows],
        outcome=[row.outcome for row in rows],
        message=[row.message for row in rows],
        inputs=_with_norms(parts["inputs"], manifest["campaign"]["dispersions"]),
        metrics=parts["metrics"],
        metric_errors=parts["metric_errors"],
        predictions=parts["prediction"],
        wall_s=np.array([row.wall_s for row in rows], dtype=float),
        valid=[row.valid for row in rows],
        warnings=warnings,
        units=units,
        level=level_of_runs(manifest, np.array([row.run for row in rows], dtype=np.int64)),
        search=search,
        boundary=shape,
        folder=folder,
        campaign_file=campaign_file,
        verdicts=verdicts,
        phases=phases,
        discrepancies=discrepancies,
    )


def level_of_runs(manifest: dict[str, Any], runs: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """Return the level of runs by their numbers; None for the method `monte-carlo`.

    Level 0 is the first sample, in which runs do not depend on each other. Hold-out runs of a boundary are level -1.
    """
    campaign = manifest["campaign"]
    match campaign.get("method", "monte-carlo"):
        case "subset":
            return subset.level_of_runs(Subset.model_validate(campaign.get("subset", {})), runs)
        case "boundary":
            settings = Boundary.model_validate(campaign.get("boundary", {}))
            return boundary.level_of_runs(settings, manifest.get("dims", 1), runs)
        case _:
            return None


def _values(row: Row, group: str) -> dict[str, Any]:
    """Return a group of values of a row; a failed run has inputs only, because its metrics are meaningless."""
    known = row.status == "done" or group == "inputs"
    return decode_mapping(getattr(row, group)) if known else {}


def read_entries(database: sqlite3.Connection) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return manifest and state of a campaign; raises InputError where they are damaged."""
    manifest = check_manifest(store.read_entry(database, "manifest"))
    state = check_state(store.read_entry(database, "state"))
    return manifest, {"runs": manifest["runs"], **state}


def error_column(metric: str) -> str:
    """Return the name of the column with the errors of a metric, beside it; a metric of that name replaces it."""
    return f"{metric}_error"


def flat_values(values: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield dotted names and scalar values; integers as floats, so that a column has one type."""
    for key, value in values.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict):
            yield from flat_values(value, f"{name}.")
        elif isinstance(value, list):
            yield from flat_values({str(i): item for i, item in enumerate(value)}, f"{name}.")
        else:
            yield name, float(value) if type(value) is int else value


def _columns(rows: list[dict[str, Any]]) -> dict[str, Array]:
    """Return the numbers of all rows by name; booleans as 0 and 1, NaN where there is none."""
    columns: dict[str, Array] = {}
    for i, row in enumerate(rows):
        for name, value in flat_values(row):
            if isinstance(value, bool | float):
                if name not in columns:
                    columns[name] = np.full(len(rows), np.nan)
                columns[name][i] = value
    return columns


def _with_norms(inputs: dict[str, Array], dispersions: dict[str, Any]) -> dict[str, Array]:
    """Add the norm of every vector whose magnitude is dispersed, of its first two components where it is lateral."""
    extended: dict[str, Array] = dict(inputs)
    for path, dispersion in dispersions.items():
        parts = [inputs[f"{path}.{k}"] for k in range(3) if f"{path}.{k}" in inputs]
        if dispersion["magnitude"] is not None and parts:
            extended[f"{path}.norm"] = np.sqrt(sum(part**2 for part in parts))
        if dispersion.get("lateral") is not None and len(parts) == 3:
            extended[f"{path}.lateral"] = np.hypot(parts[0], parts[1])
    return extended
