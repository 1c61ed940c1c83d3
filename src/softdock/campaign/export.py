"""Export of the table of a campaign to Parquet files."""

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from softdock.campaign import store
from softdock.campaign.digests import discrepancies_of
from softdock.campaign.execution import Row
from softdock.campaign.phases import decode_phases, phase_names
from softdock.campaign.stored_entries import (
    check_row,
    check_shape,
    decode_mapping,
    decode_texts,
)
from softdock.campaign.table import error_column, flat_values, level_of_runs, read_entries
from softdock.errors import file_errors
from softdock.files.atomic import atomic_file

RUNS_FILE = "runs.parquet"
BOUNDARY_FILE = "boundary.parquet"
BATCH = 20_000  # rows in memory during the export
GROUPS = ("inputs", "metrics", "metric_errors", "prediction", "requirements", "phases", "audit")


def export(folder: Path) -> Path:
    """Write all runs to `runs.parquet` atomically, column `run` first.

    The unit of a column is stored in the metadata of its field, under `unit`; the discrepancies of the table, a list in
    JSON, in the metadata of the file.
    """
    path = folder / RUNS_FILE
    _export_boundary(folder)
    export_runs(folder, path)
    return path


def export_runs(folder: Path, path: Path) -> None:
    """Write all runs of a campaign to a Parquet file atomically."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with store.open_readonly(folder) as database:
        manifest, _ = read_entries(database)
        success = set(manifest["campaign"]["success"])
        has_level = level_of_runs(manifest, np.zeros(1, dtype=np.int64)) is not None
        names = phase_names(manifest["scenario"]["data"])
        units = {"simulated_s": "s", "wall_s": "s", **store.read_units(database)}
        units |= {f"phase.{name}.{key}": "s" for name in names for key in ("start", "end")}
        units |= {error_column(name): unit for name, unit in units.items() if error_column(name) not in units}
        fields = _fields(database, bool(success), has_level, bool(names))
        discrepancies = discrepancies_of(folder / store.TABLE_FILE, database)
        schema = pa.schema(
            [_field(*field, units) for field in fields], {"discrepancies": json.dumps(discrepancies)}
        )
        with (
            file_errors(path, "write"),
            atomic_file(path) as file,
            pq.ParquetWriter(file, schema, compression="zstd") as writer,
        ):
            for rows in _batches(database):
                records = [_record(row, success) for row in rows]
                levels = level_of_runs(manifest, np.array([row.run for row in rows], dtype=np.int64))
                if levels is not None:
                    records = [{**record, "level": level} for record, level in zip(records, levels.tolist())]
                writer.write_table(pa.Table.from_pylist(records, schema=schema))


def _export_boundary(folder: Path) -> None:
    """Write the points on the boundary to `boundary.parquet`, where the campaign has found one."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with store.open_readonly(folder) as database:
        shape = check_shape(store.read_optional_entry(database, "boundary_shape"))
    if shape is None:
        return
    fields = [
        pa.field(axis["name"], pa.float64(), metadata={"unit": axis["unit"]} if axis["unit"] else None)
        for axis in shape["axes"]
    ]
    columns = list(np.array(shape["points"], dtype=float).reshape(-1, len(fields)).T)
    path = folder / BOUNDARY_FILE
    with file_errors(path, "write"), atomic_file(path) as file:
        pq.write_table(pa.table(columns, schema=pa.schema(fields)), file, compression="zstd")


def _batches(database: sqlite3.Connection) -> Iterator[list[Row]]:
    rows = database.execute("SELECT * FROM runs ORDER BY run")
    while batch := rows.fetchmany(BATCH):
        yield [check_row(row) for row in batch]


def _record(row: Row, success: set[str]) -> dict[str, Any]:
    record: dict[str, Any] = {
        "run": row.run, "status": row.status, "outcome": row.outcome, "message": row.message, "valid": row.valid,
        "warnings": " ".join(decode_texts(row.warnings)),
        "simulated_s": row.simulated_s, "steps": row.steps, "evaluations": row.evaluations, "wall_s": row.wall_s,
    }  # fmt: skip
    phases = decode_phases(row.phases)
    record |= {"last_phase": list(phases)[-1]} if phases else {}
    if success:
        record["success"] = row.status == "done" and row.outcome in success
    for group in reversed(GROUPS):
        record |= {
            _column_name(group, name): v for name, v in flat_values(decode_mapping(getattr(row, group)))
        }
    return record


def _fields(
    database: sqlite3.Connection, success: bool, has_level: bool, has_phases: bool
) -> list[tuple[str, Any]]:
    """Return name and type of every column that occurs in any row."""
    import pyarrow as pa

    kinds: dict[str, dict[str, set[type]]] = {group: {} for group in GROUPS}
    for rows in _batches(database):
        for row in rows:
            for group in GROUPS:
                for name, value in flat_values(decode_mapping(getattr(row, group))):
                    kinds[group].setdefault(name, set()).add(type(value))
    fields: list[tuple[str, Any]] = [("run", pa.int64()), *([("level", pa.int64())] if has_level else [])]
    fields += [(name, pa.string()) for name in ("status", "outcome", "message", "valid", "warnings")]
    fields += [("success", pa.bool_())] if success else []
    fields += [("last_phase", pa.string())] if has_phases else []
    errors = kinds.pop("metric_errors")
    for group in kinds:
        for name, seen in kinds[group].items():
            fields.append((_column_name(group, name), _arrow_type(seen - {type(None)})))
            if group == "metrics" and name in errors and error_column(name) not in kinds[group]:
                fields.append((error_column(name), pa.float64()))
    return [
        *fields, ("simulated_s", pa.float64()), ("steps", pa.int64()), ("evaluations", pa.int64()),
        ("wall_s", pa.float64()),
    ]  # fmt: skip


def _field(name: str, kind: Any, units: dict[str, str]) -> Any:
    import pyarrow as pa

    unit = "" if kind in (pa.string(), pa.bool_()) else store.column_unit(units, name)
    return pa.field(name, kind, metadata={"unit": unit} if unit else None)


def _arrow_type(kinds: set[type]) -> Any:
    import pyarrow as pa

    if kinds == {bool}:
        return pa.bool_()
    if kinds == {str}:
        return pa.string()
    return pa.float64() if kinds <= {int, float} else pa.string()


def _column_name(group: str, name: str) -> str:
    if group == "metric_errors":
        return error_column(name)
    prefixes = {
        "inputs": "input.", "prediction": "predicted.", "requirements": "requirement.", "phases": "phase.",
    }  # fmt: skip
    return prefixes.get(group, "") + name
