"""Recordings: mapping files with logs in CSV and Parquet."""

import io
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from tests.fuzz.formats import Files, Format
from tests.fuzz.mutations import BINARY, TEXT, mutate, mutate_data, to_json
from tests.recording.test_loading import LOG, MAPPING

from softdock.recording import load
from softdock.scenario.source import parse


@cache
def _valid() -> tuple[Any, bytes]:
    table = pa.table({"t": [0.0, 10.0, 20.0], "A1": [0.0, 90.0, 1.0], "T1": [1.0, 3.0, 5.0], "n": [1, 2, 3]})
    buffer = io.BytesIO()
    pq.write_table(table, buffer)
    return parse(MAPPING).data, buffer.getvalue()


def make(random: Random) -> Files:
    """Return a mapping and its log, one of them mutated."""
    data, parquet = _valid()
    chosen = random.random()
    if chosen < 0.2:
        return {"map.yaml": mutate(MAPPING.encode(), random, TEXT), "log.csv": LOG.encode()}
    if chosen < 0.5:
        return {"map.json": to_json(mutate_data(data, random), random), "log.csv": LOG.encode()}
    if chosen < 0.8:
        return {"map.yaml": MAPPING.encode(), "log.csv": mutate(LOG.encode(), random, TEXT)}
    mapping = MAPPING.replace("log.csv", "log.parquet").encode()
    return {"map.yaml": mapping, "log.parquet": mutate(parquet, random, BINARY)}


def read(files: Files, folder: Path) -> None:
    """Load a recording as a result."""
    load(folder / next(iter(files)))


FORMAT = Format(make=make, read=read)
