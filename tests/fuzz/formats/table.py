"""Received campaign folders: tables with damaged bytes or forged entries."""

import json
import sqlite3
import tempfile
from functools import cache
from pathlib import Path
from random import Random

from tests.campaign.conftest import CHEAP
from tests.fuzz.corpus import SEEDS
from tests.fuzz.formats import Files, Format
from tests.fuzz.mutations import BINARY, TEXTS, VALUES, mutate, mutate_data

from softdock.campaign import runner
from softdock.campaign.loading import read_campaign
from softdock.campaign.runner import ExecutionOptions
from softdock.campaign.status import status_of
from softdock.campaign.store import TABLE_FILE
from softdock.campaign.summary import summarise
from softdock.campaign.table import read_table
from softdock.campaign.workers import Backend

SEQUENCE = f"""softdock: 1
kind: campaign
scenario: {SEEDS / "sequence.yaml"}
runs: 6
seed: 3
dispersions: {{bodies.client.mass: {{uniform: [500 kg, 700 kg]}}}}
success: [mated]
"""
CAMPAIGNS = {"cheap": CHEAP, "sequence": SEQUENCE}


@cache
def _valid(name: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "many.yaml"
        path.write_text(CAMPAIGNS[name])
        runner.run(read_campaign(path, runs=6), Path(folder) / "out", ExecutionOptions(Backend.THREADS, 1))
        with sqlite3.connect(Path(folder) / "out" / TABLE_FILE) as database:
            database.execute("PRAGMA journal_mode=DELETE")
        database.close()
        return (Path(folder) / "out" / TABLE_FILE).read_bytes()


def make(random: Random) -> Files:
    """Return a table with changed bytes or changed entries."""
    name = random.choice(list(CAMPAIGNS))
    if random.random() < 0.4:
        return {TABLE_FILE: mutate(_valid(name), random, BINARY)}
    database = sqlite3.connect(":memory:")
    database.deserialize(_valid(name))
    for _ in range(random.choice((1, 1, 2))):
        _forge(database, random)
    database.commit()
    return {TABLE_FILE: database.serialize()}


def _forge(database: sqlite3.Connection, random: Random) -> None:
    if random.random() < 0.4:
        key, text = random.choice(database.execute("SELECT key, value FROM manifest").fetchall())
        changed = random.choice(TEXTS)
        if text[:1] in ("{", "[") and random.random() < 0.8:
            changed = json.dumps(mutate_data(json.loads(text), random))
        database.execute("UPDATE manifest SET value = ? WHERE key = ?", (changed, key))
        return
    columns = [str(row[1]) for row in database.execute("PRAGMA table_info(runs)")]
    column, run = random.choice(columns), random.randrange(6)
    (old,) = database.execute(f"SELECT {column} FROM runs WHERE run = ?", (run,)).fetchone() or (None,)
    new = random.choice([value for value in VALUES if not isinstance(value, list | dict)] + list(TEXTS))
    if isinstance(old, str) and old[:1] in ("{", "[") and random.random() < 0.7:
        new = json.dumps(mutate_data(json.loads(old), random))
    try:
        database.execute(f"UPDATE runs SET {column} = ? WHERE run = ?", (new, run))
    except (sqlite3.Error, OverflowError):
        database.execute("DELETE FROM runs WHERE run = ?", (run,))


def read(files: Files, folder: Path) -> None:
    """Read status, table and statistics of a campaign."""
    status_of(folder)
    summarise(read_table(folder)).to_json()


FORMAT = Format(make=make, read=read, seconds=60.0)
