"""Columns of a campaign's table in memory, for fast sorting and filtering of large tables."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softdock.campaign import store
from softdock.campaign.stored_entries import check_manifest, decode_mapping
from softdock.presentation.labels import axis_label
from softdock.presentation.unit_systems import DisplayUnit, UnitSystem
from softdock.result import Array

BATCH = 2000  # rows read at a time
ERRORS = "numerical errors"
"""Key of a row with the errors of its values; no column has this name."""
PREFIX = {"inputs": "input ", "metrics": "", "prediction": "predicted "}


@dataclass(frozen=True)
class RowFilter:
    """Selection of rows: outcomes (all if empty) and a range of one column."""

    outcomes: tuple[str, ...] = ()
    column: str = ""
    low: float | None = None
    high: float | None = None


class Columns:
    """Columns of all finished runs; `update` reads only new rows."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest: dict[str, Any] = {}
        self._numbers: list[int] = []
        self._outcomes: list[int] = []
        self._values: dict[str, list[float]] = {}
        self._errors: dict[str, list[float]] = {}
        self._read_runs: set[int] = set()
        self._first_missing = 0
        self.outcome_names: list[str] = []
        """Outcomes in the order of their first appearance."""
        self._arrays: dict[str, Array] = {}
        self._units: dict[str, str] = {}

    @property
    def size(self) -> int:
        """Number of rows."""
        return len(self._numbers)

    @property
    def success(self) -> NDArray[np.bool_] | None:
        """Whether each row is a success; None if the campaign does not define success."""
        wanted = self.manifest.get("campaign", {}).get("success") or ()
        if not wanted:
            return None
        return (
            np.array([name in wanted for name in self.outcome_names], bool)[self.outcome]
            if self.size
            else np.empty(0, bool)
        )

    @property
    def run(self) -> NDArray[np.int64]:
        """Numbers of the runs."""
        numbers: NDArray[np.int64] = self._cached("run", self._numbers, np.int64)
        return numbers

    @property
    def outcome(self) -> NDArray[np.int64]:
        """Outcome of every row as index into `names`."""
        codes: NDArray[np.int64] = self._cached("outcome", self._outcomes, np.int64)
        return codes

    def column(self, name: str) -> Array:
        """Return the values of a column; NaN where a run has none."""
        if name == "run":
            return self.run.astype(float)
        values: Array = self._cached(f"value {name}", self._values.get(name, []), float)
        return values

    def errors(self, name: str) -> Array:
        """Return the numerical errors of the values of a column; NaN where they are unknown."""
        errors: Array = self._cached(f"error {name}", self._errors.get(name, []), float)
        return errors

    def numeric_names(self) -> list[str]:
        """Return the names of the numeric columns, inputs first."""
        return sorted(
            self._values, key=lambda name: (not name.startswith("input "), name.startswith("predicted "))
        )

    def display(self, name: str, system: UnitSystem) -> DisplayUnit:
        """Return the unit in which the values of a column are displayed, chosen by the largest."""
        bare = name.removeprefix("input ").removeprefix("predicted ")
        unit = store.column_unit(self._units, f"input.{bare}" if name.startswith("input ") else bare)
        sizes = np.abs(self.column(name)) if name in self._values else np.empty(0)
        return system.choose(unit, float(np.max(sizes, where=np.isfinite(sizes), initial=0.0)))

    def label(self, name: str, system: UnitSystem) -> str:
        """Return the name of a column with its display unit."""
        return axis_label(name.removeprefix("input "), self.display(name, system).symbol)

    def update(self) -> bool:
        """Read new rows; return whether there were any."""
        before = self.size
        with store.open_readonly(self.folder) as database:
            if not self.manifest:
                self.manifest = check_manifest(store.read_entry(database, "manifest"))
            self._units = {"wall_s": "s", **store.read_units(database)}
            known = {str(row[1]) for row in database.execute("PRAGMA table_info(runs)")}
            errors = "metric_errors" if "metric_errors" in known else "'{}'"  # tables of earlier versions
            rows = database.execute(
                f"SELECT run, outcome, inputs, metrics, prediction, wall_s, {errors} FROM runs "
                "WHERE run >= ? ORDER BY run",
                (self._first_missing,),
            )
            while batch := rows.fetchmany(BATCH):
                for row in batch:
                    if row[0] not in self._read_runs:
                        self._add(row)
        while self._first_missing in self._read_runs:
            self._first_missing += 1
        return self.size > before

    def _add(self, row: Sequence[Any]) -> None:
        number, outcome, inputs, metrics, prediction, wall, errors = row
        outcome = str(outcome)
        at = len(self._numbers)
        self._read_runs.add(number)
        self._numbers.append(number)
        if outcome not in self.outcome_names:
            self.outcome_names.append(outcome)
        self._outcomes.append(self.outcome_names.index(outcome))
        parts = {
            "inputs": decode_mapping(inputs),
            "metrics": decode_mapping(metrics),
            "prediction": decode_mapping(prediction),
        }
        parts["inputs"] |= _norms(parts["inputs"])
        for group, data in parts.items():
            for name, value in _flat(data or {}):
                _put(self._values, f"{PREFIX[group]}{name}", at, value)
        for name, value in _flat(decode_mapping(errors)):
            _put(self._errors, name, at, value)
        _put(self._values, "wall_s", at, wall)
        for values in (*self._values.values(), *self._errors.values()):
            if len(values) == at:
                values.append(np.nan)

    def matching_rows(self, wanted: RowFilter) -> NDArray[np.int64]:
        """Return the indices of the rows that match a filter."""
        keep = np.ones(self.size, bool)
        if wanted.outcomes:
            codes = [i for i, name in enumerate(self.outcome_names) if name in wanted.outcomes]
            keep &= np.isin(self.outcome, codes)
        if wanted.column and (wanted.low is not None or wanted.high is not None):
            values = self.column(wanted.column)
            keep &= values >= (-np.inf if wanted.low is None else wanted.low)
            keep &= values <= (np.inf if wanted.high is None else wanted.high)
        return np.flatnonzero(keep)

    def page(
        self, wanted: RowFilter, sort: str, descending: bool, start: int, count: int, shown: Sequence[str]
    ) -> tuple[list[dict[str, Any]], int]:
        """Return one page of the filtered and sorted table, and the number of matching rows.

        `ERRORS` of a row has the known numerical errors of its values.
        """
        rows = self.matching_rows(wanted)
        if sort == "outcome":
            names = np.array(self.outcome_names or [""])
            keys = (
                np.argsort(np.argsort(names))[self.outcome[rows]].astype(float) if rows.size else np.empty(0)
            )
        else:
            keys = self.column(sort)[rows] if sort in self._values else self.run[rows].astype(float)
        order = np.argsort(-keys if descending else keys, kind="stable")
        here = rows[order[start : start + count]]
        page_rows = [
            {
                "run": int(self.run[i]),
                "outcome": self.outcome_names[self.outcome[i]],
                **{name: _number(self.column(name)[i]) for name in shown},
                ERRORS: {
                    name: float(self.errors(name)[i])
                    for name in shown
                    if name in self._errors and np.isfinite(self.errors(name)[i])
                },
            }
            for i in here
        ]
        return page_rows, int(rows.size)

    def _cached(self, key: str, values: list[Any], kind: Any) -> Any:
        array = self._arrays.get(key)
        if array is None or array.size != self.size:
            array = np.array(values[: self.size], kind)
            if array.size < self.size:
                array = np.concatenate((array, np.full(self.size - array.size, np.nan)))
            self._arrays[key] = array
        return array


def _put(columns: dict[str, list[float]], name: str, at: int, value: float) -> None:
    """Write the value of a row into a column; rows before it without a value have NaN."""
    values = columns.setdefault(name, [])
    if len(values) < at:
        values.extend([np.nan] * (at - len(values)))
    if len(values) == at:
        values.append(value)


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _flat(data: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, float]]:
    """Yield dotted names and values of all numbers."""
    for key, value in data.items():
        name = f"{prefix}{key}"
        if isinstance(value, bool | int | float):
            yield name, float(value)
        elif isinstance(value, dict):
            yield from _flat(value, f"{name}.")
        elif isinstance(value, list):
            yield from _flat({str(i): item for i, item in enumerate(value)}, f"{name}.")


def _norms(inputs: Mapping[str, Any]) -> dict[str, float]:
    """Return the norm of every vector among the inputs."""
    return {
        f"{name}.norm": float(np.linalg.norm(value))
        for name, value in inputs.items()
        if isinstance(value, list) and value and all(isinstance(item, int | float) for item in value)
    }
