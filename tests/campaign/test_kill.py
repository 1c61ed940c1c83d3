"""A campaign that is killed and resumed many times has the same table as an undisturbed one."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.campaign.conftest import Write, rows

from softdock.campaign import manifest, runner
from softdock.campaign.loading import read_campaign
from softdock.campaign.status import status_of
from softdock.errors import InputError

KILLS = 20
CHUNK = runner.LARGEST_CHUNK
RUNS = 2400
# The digest of the sources is fixed, because they may be edited while the test runs. Each command runs in a process
# forked from one that has imported everything, because starting interpreters would take most of the time of the test.
SERVER = """
import json, os, sys
from softdock.campaign import manifest
manifest._source_digest = lambda: "fixed"
from softdock.campaign import loading, runner, workers
from softdock.cli import main
import softdock.simulation.chain, softdock.campaign.table
for line in sys.stdin:
    process = os.fork()
    if not process:
        sys.argv = ["softdock", *json.loads(line)]
        silent = os.open(os.devnull, os.O_RDWR)
        for descriptor in range(3):
            os.dup2(silent, descriptor)
        try:
            main()
        finally:
            os._exit(0)
    print(process, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), flush=True)
"""


class Commands:
    """Runs campaign commands, one at a time."""

    def __init__(self) -> None:
        self.server = subprocess.Popen(
            [sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def _answer(self) -> int:
        assert self.server.stdout is not None
        return int(self.server.stdout.readline())

    def start(self, *words: str) -> int:
        """Start a command; return its process id."""
        assert self.server.stdin is not None
        self.server.stdin.write(json.dumps(["campaign", *words]) + "\n")
        self.server.stdin.flush()
        return self._answer()

    def kill(self, process: int) -> int:
        """Kill a command; return its exit code."""
        os.kill(process, signal.SIGKILL)
        return self._answer()

    def __enter__(self) -> "Commands":
        return self

    def __exit__(self, *_: object) -> None:
        self.server.kill()
        self.server.communicate()


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def count(folder: Path) -> int:
    try:
        with sqlite3.connect(f"{(folder / 'campaign.sqlite').as_uri()}?mode=ro", uri=True) as database:
            return int(database.execute("SELECT count(*) FROM runs").fetchone()[0])
    except sqlite3.OperationalError:
        return 0


def has_started(folder: Path) -> bool:
    """Return whether the first transaction was committed; before it there is nothing to resume."""
    try:
        return status_of(folder)["runs"] == RUNS
    except InputError:
        return False


@pytest.fixture
def memory_folder(tmp_path: Path) -> Iterator[Path]:
    """Return a folder in memory if the system has one; data that a killed process has written stay there, too."""
    if not Path("/dev/shm").is_dir():
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(prefix="softdock-test-", dir="/dev/shm") as folder:
        yield Path(folder)


@pytest.mark.slow
def test_sigkill_loses_no_completed_run(
    write: Write, memory_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(manifest, "_source_digest", lambda: "fixed")
    monkeypatch.setattr(runner, "LARGEST_CHUNK", CHUNK)
    delays = random.Random(20)
    path, folder = write(runs=str(RUNS)), memory_folder / "killed"
    kills_with_new_rows = 0
    with Commands() as commands:
        for kill in range(KILLS):
            command = (
                ["resume", str(folder)] if has_started(folder) else ["run", str(path), "--out", str(folder)]
            )
            before = count(folder)
            process = commands.start(*command, "--in", "processes" if kill % 7 == 3 else "threads")
            if kill % 3:  # while rows are being written
                while is_alive(process) and count(folder) == before:
                    time.sleep(0.002)
                time.sleep(delays.uniform(0.0, 0.05))
            else:  # at any moment, also before the first row
                time.sleep(delays.uniform(0.0, 0.4))
            assert commands.kill(process) == -signal.SIGKILL, "the command ended before it was killed"
            assert count(folder) >= before
            kills_with_new_rows += count(folder) > before
    assert kills_with_new_rows >= KILLS // 3
    assert count(folder) < RUNS, "the campaign was complete before it was killed often enough"
    assert runner.resume(folder).finished

    runner.run(read_campaign(path), memory_folder / "undisturbed")
    table = rows(folder)
    assert [row[0] for row in table] == list(range(RUNS))
    assert table == rows(memory_folder / "undisturbed")
