"""A short part of the fuzzer over all formats, without a defect; and the fuzzer sees the defects that it looks for."""

import json
import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.fuzz import __main__ as fuzzer
from tests.fuzz import report
from tests.fuzz.formats import Files, Format

ROOT = Path(__file__).parents[2]
COUNT, SECONDS = 1500, 20.0
SEED = 7

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="POSIX only")


@pytest.mark.slow
@pytest.mark.parametrize("studio", [False, True], ids=["files", "studio"])
def test_no_defects_in_some_seconds(tmp_path: Path, studio: bool) -> None:
    if studio:
        pytest.importorskip("nicegui")
    names = [name for name in fuzzer.formats.NAMES if (name in ("http", "websocket")) == studio]
    options = [
        "--count",
        str(COUNT // (5 if studio else 1)),
        "--seconds",
        str(SECONDS / (3 if studio else 1)),
    ]
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz", *options, "--seed", str(SEED), "--formats", ",".join(names),
         "--out", str(tmp_path)],
        cwd=ROOT, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("no defects") == len(names)


def _raise(files: Files, folder: Path) -> None:
    raise KeyError("chaser")


def _print(files: Files, folder: Path) -> None:
    os.write(2, b"a library talks")


def _warn(files: Files, folder: Path) -> None:
    warnings.warn("overflow", RuntimeWarning, stacklevel=1)


def _leave(files: Files, folder: Path) -> None:
    (folder / ".result.json.1.tmp").touch()


def _crash(files: Files, folder: Path) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _hang(files: Files, folder: Path) -> None:
    while True:
        pass


@pytest.mark.parametrize(
    ("read", "kind"),
    [
        (_raise, "traceback"), (_print, "output of a library"), (_warn, "warning of a library"),
        (_leave, "half-written file"), (_crash, "crash"), (_hang, "hang"),
    ],
)  # fmt: skip
def test_defects_are_seen_and_can_be_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read: Callable[[Files, Path], None], kind: str
) -> None:
    def make(random: object) -> Files:
        return {"input.txt": b"x"}

    form = Format(make=make, read=read, seconds=1.0 if kind == "hang" else 20.0)
    monkeypatch.setattr(fuzzer.formats, "load", lambda name: form)
    tally = fuzzer.Run("scenario", 3, tmp_path).go(5, 1, float("inf"))
    assert dict(tally.defects) == {kind: 1}
    assert (tally.inputs, tally.accepted, tally.refused) == (1, 0, 0)
    written = tmp_path / "scenario-3-5"
    assert (written / "input.txt").read_bytes() == b"x"
    command = "python -m tests.fuzz --formats scenario --seed 3 --first 5 --count 1"
    assert (written / "defect.txt").read_text().splitlines()[:2] == [kind, command]


def test_the_same_seed_gives_the_same_inputs() -> None:
    for name in ("scenario", "urdf", "udp", "step", "mesh", "nastran"):
        form = fuzzer.formats.load(name)
        inputs = [[fuzzer.input_of(name, form, seed, index) for index in range(5)] for seed in (1, 1, 2)]
        assert inputs[0] == inputs[1] != inputs[2]


def test_the_documented_counts_are_those_that_were_recorded() -> None:
    page = report.PAGE.read_text(encoding="utf-8")
    assert report.counts_tables(json.loads(report.COUNTS.read_text())) in page
    for fault in report.FAULTS:
        assert f"| {fault.fault} | {fault.effect} |" in page
        for test in fault.tests:
            module, _, name = test.partition("::")
            assert f"def {name}(" in (ROOT / "tests" / module).read_text(encoding="utf-8")
