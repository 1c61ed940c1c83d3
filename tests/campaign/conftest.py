"""Small campaigns of a chain whose runs take a millisecond each."""

import functools
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from softdock import cli
from softdock.campaign import runner
from softdock.campaign.execution import Row

CHEAP = """\
softdock: 1
kind: campaign
scenario: impact-a
set: {record.rate: 100 Hz}
runs: 40
seed: 7
dispersions:
  chaser.masses.0: {uniform: [5 kg, 30 kg]}
  speed: {normal: {mean: 0.05 m/s, deviation: 5 mm/s, low: 0.03 m/s}}
"""

Write = Callable[..., Path]


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Divide even a small campaign into many chunks."""
    monkeypatch.setattr(runner, "LARGEST_CHUNK", 3)


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Return a function that writes a campaign file with some of its text replaced or added."""
    return functools.partial(write_campaign, tmp_path)


def write_campaign(folder: Path, *added: str, name: str = "cheap.yaml", **replaced: str) -> Path:
    """Write a campaign file with some of its text replaced or added."""
    text = CHEAP
    for key, value in replaced.items():
        lines = [f"{key}: {value}" if line.startswith(f"{key}:") else line for line in text.splitlines()]
        text = "\n".join(lines) + "\n"
    path = folder / name
    path.write_text(text + "".join(f"{line}\n" for line in added), encoding="utf-8")
    return path


def rows(folder: Path) -> list[tuple[Any, ...]]:
    """Return the rows of a run table without the wall time."""
    with sqlite3.connect(folder / "campaign.sqlite") as database:
        return [untimed(Row(*row)) for row in database.execute("SELECT * FROM runs ORDER BY run")]


def untimed(row: Row) -> tuple[Any, ...]:
    """Return a row without the wall time."""
    return tuple(value for name, value in row._asdict().items() if name != "wall_s")


Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def campaign(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    """Return a function that runs a campaign command and returns exit code, output and errors."""

    def run(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["softdock", "campaign", *map(str, arguments)])
        with pytest.raises(SystemExit) as end:
            cli.main()
        return int(end.value.code or 0), *capsys.readouterr()

    return run
