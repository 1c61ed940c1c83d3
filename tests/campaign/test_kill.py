"""A campaign that is killed again and again, and resumed, ends in the table of one that was left alone."""

import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.campaign.conftest import Write, rows

from softdock.campaign import manifest, runner
from softdock.campaign.loading import load
from softdock.campaign.table import status_of
from softdock.errors import InputError

KILLS = 20
RUNS = 3000
# The sources may be edited while the test runs for a minute or two; that is not what it is about.
SCRIPT = """
from softdock.campaign import manifest
manifest._source_digest = lambda: "fixed"
from softdock.cli import main
if __name__ == "__main__":
    main()
"""
COMMAND = [sys.executable, "-c", SCRIPT, "campaign"]


def count(folder: Path) -> int:
    try:
        with sqlite3.connect(f"{(folder / 'campaign.sqlite').as_uri()}?mode=ro", uri=True) as database:
            return int(database.execute("SELECT count(*) FROM runs").fetchone()[0])
    except sqlite3.OperationalError:
        return 0


def has_begun(folder: Path) -> bool:
    """Tell whether the first transaction was done; before it there is nothing to resume."""
    try:
        return status_of(folder)["runs"] == RUNS
    except InputError:
        return False


@pytest.mark.slow
def test_sigkill_loses_nothing_that_was_done(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(manifest, "_source_digest", lambda: "fixed")
    moments = random.Random(20)
    path, folder = write(runs=str(RUNS)), tmp_path / "killed"
    grown = 0
    for kill in range(KILLS):
        begun = has_begun(folder)
        what = ["resume", str(folder)] if begun else ["run", str(path), "--out", str(folder)]
        where = "processes" if kill % 7 == 3 else "threads"
        before = count(folder)
        process = subprocess.Popen(
            [*COMMAND, *what, "--in", where], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        if kill % 3:  # while rows are being written
            while process.poll() is None and count(folder) == before:
                time.sleep(0.002)
            time.sleep(moments.uniform(0.0, 0.05))
        else:  # at any moment, also before the first row
            time.sleep(moments.uniform(0.0, 2.0))
        process.kill()
        assert process.wait() == -signal.SIGKILL, "it ended by itself"
        assert count(folder) >= before
        grown += count(folder) > before
    assert grown >= KILLS // 3
    assert count(folder) < RUNS, "the campaign was done before it had been killed often enough"
    assert runner.resume(folder).finished

    runner.run(load(path), tmp_path / "undisturbed")
    table = rows(folder)
    assert [row[0] for row in table] == list(range(RUNS))
    assert table == rows(tmp_path / "undisturbed")
