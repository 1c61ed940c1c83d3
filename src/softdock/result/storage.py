"""Storage of a result as `result.json` and `history.parquet`, which are replaced together."""

import hashlib
import io
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from softdock.errors import InputError
from softdock.files.atomic import write_together
from softdock.files.parquet import mark_readable, read_columns
from softdock.files.regular_file import read_regular_file
from softdock.result import (
    Channel,
    History,
    Result,
    plain_data,
)
from softdock.result.digest import digest_discrepancy, with_digest
from softdock.result.outlines import outlines_of

RESULT_FILE = "result.json"
HISTORY_FILE = "history.parquet"
FORMAT = 1
LARGEST_FILE = 2_000_000_000
"""Largest file of a result [bytes]; a history with 1000 channels and 10^5 rows has below 1 GB."""
REMEDY = "Run the scenario again with --out to write a new one."


def save(result: Result, folder: Path) -> None:
    """Write a result to a folder; no file is replaced before both are complete."""
    history = _to_parquet(result.history)
    document = {
        "softdock_result": FORMAT,
        "history_sha256": hashlib.sha256(history).hexdigest(),
        **result.to_json(),
        "definition": plain_data(result.definition),
        "directory": result.directory,
        "inputs": [asdict(value) for value in result.inputs],
        "outlines": plain_data(outlines_of(result)),
    }
    text = json.dumps(with_digest(document), indent=2, allow_nan=False, ensure_ascii=False) + "\n"
    mark_readable(history)
    write_together(folder, {HISTORY_FILE: history, RESULT_FILE: text})


def read_result(folder: Path) -> Result:
    """Read a result that `save` has written; raises InputError where a file is missing, damaged or newer."""
    path = folder / RESULT_FILE
    document = read_document(folder)
    history = _read(folder / HISTORY_FILE)
    if hashlib.sha256(history).hexdigest() != document.get("history_sha256"):
        raise _damaged(folder / HISTORY_FILE, f"It does not belong to the {RESULT_FILE} beside it.")
    from softdock.result.document import check_document  # these import pydantic, which saving does not need
    from softdock.result.requirements import reassess

    try:  # what is checked and shown is what the digest was compared with, also if the file repeats a key
        checked = check_document(json.dumps(document))
    except (ValueError, RecursionError) as error:
        raise _damaged(path, str(error)) from error
    changes = (*checked.discrepancies, digest_discrepancy(document))
    result = Result(
        scenario=checked.scenario,
        outcome=checked.outcome,
        message=checked.message,
        completed=checked.completed,
        valid=checked.valid,
        warnings=tuple(checked.warnings),
        metrics=checked.metrics,
        metric_errors={name: error for name, error in checked.metric_errors.items() if error is not None},
        loads=tuple(checked.loads),
        requirements=tuple(checked.requirements),
        contact_conditions=checked.contact_conditions,
        units=checked.units,
        audit=checked.audit,
        timing=checked.timing,
        history=_read_history(folder / HISTORY_FILE, history),
        events=tuple(checked.events),
        phases=tuple(checked.phases),
        prediction=checked.prediction,
        definition=checked.definition,
        directory=checked.directory,
        outlines=checked.outlines,
        saved_inputs=tuple(checked.inputs),
        converged=checked.converged,
        discrepancies=tuple(dict.fromkeys(text for text in changes if text)),
    )
    return reassess(result)


def history_digest(history: History) -> str:
    """Return the SHA-256 of a history as `save` writes it; `history_sha256` in `result.json`."""
    return hashlib.sha256(_to_parquet(history)).hexdigest()


def read_document(folder: Path) -> dict[str, Any]:
    """Return the content of `result.json` in a folder; raises InputError where it is damaged or newer."""
    path = folder / RESULT_FILE
    try:
        document = json.loads(_read(path))
    except (ValueError, RecursionError) as error:
        raise _damaged(path, "It is not the JSON that Softdock writes.") from error
    version = document.get("softdock_result") if isinstance(document, dict) else None
    if not isinstance(version, int):
        raise _damaged(path, "It is not a result of Softdock.")
    if version > FORMAT:
        message = f"It was written by a newer Softdock; this one reads format {FORMAT} and older."
        raise InputError(message, file=str(path), given=f"format {version}")
    return dict(document)


def _read(path: Path) -> bytes:
    return read_regular_file(path, largest=LARGEST_FILE)


def _damaged(path: Path, message: str) -> InputError:
    return InputError(message, file=str(path), hint=REMEDY)


def _to_parquet(history: History) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = {"time": Channel(values=history.time, unit="s"), **history.channels}
    arrays = {name: pa.array(channel.values) for name, channel in columns.items()}
    schema = pa.schema(
        [pa.field(name, arrays[name].type, metadata={"unit": columns[name].unit}) for name in columns]
    )
    floats = [name for name, array in arrays.items() if pa.types.is_floating(array.type)]
    buffer = io.BytesIO()
    pq.write_table(
        pa.table(arrays, schema=schema),
        buffer,
        compression="zstd",
        use_dictionary=False,
        use_byte_stream_split=floats,
    )
    return buffer.getvalue()


def _read_history(path: Path, data: bytes) -> History:
    channels: dict[str, Channel] = {}
    for column in read_columns(path, data):
        if column.values is None:
            raise _damaged(path, f"The column '{column.name}' holds {column.type_name}, not numbers.")
        channels[column.name] = Channel(values=column.values, unit=column.unit)
    if "time" not in channels or not np.isfinite(channels["time"].values).all():
        raise _damaged(path, "It needs a column 'time' of finite numbers.")
    return History(time=channels.pop("time").values, channels=channels)
