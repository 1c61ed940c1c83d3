"""Saved results: result.json and history.parquet of a received folder, with matching digests."""

import hashlib
import io
import json
import tempfile
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from tests.fuzz.corpus import SEEDS, SMALL
from tests.fuzz.formats import Files, Format
from tests.fuzz.mutations import BINARY, TEXT, mutate, mutate_data, to_json

from softdock.errors import CONTROL_CHARACTERS
from softdock.report.summary import summary_lines
from softdock.result import Result
from softdock.simulation import simulate

RUNS = ("impact-a", "sequence", "moves")


@cache
def saved(name: str = "impact-a") -> tuple[dict[str, Any], bytes]:
    """Return document and history of a saved run."""
    with tempfile.TemporaryDirectory() as folder:
        simulate(SEEDS / f"{name}.yaml" if name in SMALL else name).save(Path(folder))
        document = json.loads((Path(folder) / "result.json").read_text(encoding="utf-8"))
        return document, (Path(folder) / "history.parquet").read_bytes()


def changed_history(history: bytes, random: Random) -> bytes:
    """Return a history with other columns or values, or mutated bytes."""
    if random.random() < 0.5:
        return mutate(history, random, BINARY)
    table = pq.read_table(io.BytesIO(history)).slice(0, random.choice((0, 1, 2, 5)))
    columns = {name: table.column(name).to_pylist() for name in table.column_names[:6]}
    name = random.choice([*columns, "time"])
    columns[name] = [
        random.choice((0.0, float("nan"), float("inf"), -1e308, 5.0, None)) for _ in range(table.num_rows)
    ]
    if random.random() < 0.3:
        columns[random.choice(list(columns))] = ["x"] * table.num_rows
    if random.random() < 0.1:
        del columns["time"]
    buffer = io.BytesIO()
    pq.write_table(pa.table(columns), buffer)
    return buffer.getvalue()


def make(random: Random) -> Files:
    """Return both files, one of them mutated; the digest mostly belongs to the history."""
    document, history = saved(random.choice(RUNS))
    if random.random() < 0.5:
        history = changed_history(history, random)
        if random.random() < 0.9:
            document = {**document, "history_sha256": hashlib.sha256(history).hexdigest()}
        text = to_json(document, random)
    elif random.random() < 0.6:
        text = to_json(mutate_data(document, random), random)
    else:
        text = mutate(json.dumps(document).encode(), random, TEXT)
    return {"result.json": text, "history.parquet": history}


def read(files: Files, folder: Path) -> None:
    """Load a result, and print it."""
    result = Result.load(folder)
    text = "\n".join(line for line, _ in summary_lines(result))
    assert CONTROL_CHARACTERS.search(text.replace("\n", "")) is None, f"control characters: {text!r}"
    json.dumps(result.to_json(), allow_nan=False)


FORMAT = Format(make=make, read=read, seconds=60.0)
