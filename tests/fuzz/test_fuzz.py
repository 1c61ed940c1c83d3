"""A short run of the fuzzer over all formats finds no defect, and the fuzzer detects artificial defects."""

import json
import os
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.fuzz import formats, report, schedule
from tests.fuzz.counts import record
from tests.fuzz.formats import Files, Format
from tests.fuzz.run import Run, Tally
from tests.fuzz.worker import input_of

ROOT = Path(__file__).parents[2]
COUNT, SECONDS = 1500, 15.0
SEED = 7

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="POSIX only")


@pytest.mark.slow
@pytest.mark.parametrize("studio", [False, True], ids=["files", "studio"])
def test_no_defects_in_some_seconds(tmp_path: Path, studio: bool) -> None:
    if studio:
        pytest.importorskip("nicegui")
    names = [name for name in formats.NAMES if (name in ("http", "websocket")) == studio]
    options = [
        "--count",
        str(COUNT // (5 if studio else 1)),
        "--seconds",
        str(SECONDS / (3 if studio else 1)),
    ]
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz", *options, "--seed", str(SEED), "--formats", ",".join(names),
         "--jobs", "1", "--out", str(tmp_path)],
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


def _wait(files: Files, folder: Path) -> None:
    time.sleep(60.0)


@pytest.mark.parametrize(
    ("read", "kind"),
    [
        (_raise, "traceback"), (_print, "output of a library"), (_warn, "warning of a library"),
        (_leave, "half-written file"), (_crash, "crash"), (_hang, "hang"), (_wait, "hang"),
    ],
)  # fmt: skip
def test_defects_are_seen_and_can_be_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read: Callable[[Files, Path], None], kind: str
) -> None:
    def make(random: object) -> Files:
        return {"input.txt": b"x"}

    form = Format(make=make, read=read, seconds=0.3 if kind == "hang" else 20.0)
    monkeypatch.setattr(formats, "load", lambda name: form)
    run = Run("scenario", 3, tmp_path, first=5)
    tally = run.go(1, float("inf"))
    run.close()
    assert dict(tally.defects) == {kind: 1}
    assert (tally.inputs, tally.accepted, tally.refused) == (1, 0, 0)
    written = tmp_path / "scenario-3-5"
    assert (written / "input.txt").read_bytes() == b"x"
    command = "python -m tests.fuzz --formats scenario --seed 3 --first 5 --count 1"
    assert (written / "defect.txt").read_text().splitlines()[:2] == [kind, command]


def test_a_million_inputs_are_distributed_with_minima_and_a_largest_part() -> None:
    efforts, count = schedule.EFFORTS, 1_000_000
    assert tuple(efforts) == formats.NAMES
    first = schedule.minima(efforts, count)
    assert first == {name: effort.least for name, effort in efforts.items()}
    assert min(first.values()) >= 1000
    more = schedule.shares(efforts, first, count)
    total = {name: first[name] + more.get(name, 0) for name in efforts}
    assert abs(sum(total.values()) - count) < len(efforts)
    assert max(total.values()) <= schedule.LARGEST_PART * count
    # A format that gets no further is replaced by the fastest ones, up to the largest part.
    stuck = {**total, "urdf": 50_000}
    rest = schedule.rest(efforts, stuck, count, {name: effort.rate for name, effort in efforts.items()})
    assert sum(stuck.values()) + sum(rest.values()) == count
    assert max(stuck[name] + rest.get(name, 0) for name in efforts) <= schedule.LARGEST_PART * count


def test_a_single_input_of_one_format_can_be_repeated() -> None:
    assert schedule.minima({"step": schedule.EFFORTS["step"]}, 1) == {"step": 1}


def test_formats_run_at_once_and_reach_the_number_of_inputs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def make(random: object) -> Files:
        return {"input.txt": b"x"}

    def slow(files: Files, folder: Path) -> None:
        time.sleep(0.2)

    def fast(files: Files, folder: Path) -> None:
        pass

    forms = {
        "scenario": Format(make=make, read=slow, stored=False),
        "udp": Format(make=make, read=fast, stored=False),
    }
    efforts = {"scenario": schedule.Effort(500_000, 0, 5.0), "udp": schedule.Effort(1000, 1, 5000.0)}
    monkeypatch.setattr(formats, "load", lambda name: forms[name])
    runs = {name: Run(name, 1, tmp_path) for name in forms}
    finished: list[str] = []
    schedule.Schedule(runs, 400, 3.0, 2, lambda run: finished.append(run.name), efforts).go()
    assert 1 <= runs["scenario"].tally.inputs < 200
    assert sum(run.tally.inputs for run in runs.values()) == 400
    assert {"scenario", "udp"} == set(finished)
    for run in runs.values():
        run.close()
        assert run.tally.inputs == run.tally.accepted


def test_counts_are_replaced_as_a_whole(tmp_path: Path) -> None:
    file = tmp_path / "counts.json"
    record(file, "step", 3, Tally(inputs=4, accepted=4), "abc")
    record(file, "mesh", 3, Tally(inputs=2, refused=2), "abc")
    record(file, "mesh", 3, Tally(inputs=5, refused=5), "abd")
    counts = json.loads(file.read_text())
    assert counts["step"]["3"]["inputs"] == 4
    assert counts["mesh"]["3"] == {"accepted": 0, "defects": {}, "inputs": 5, "refused": 5, "sources": "abd"}
    assert [path.name for path in tmp_path.iterdir()] == ["counts.json"]


def test_the_same_seed_gives_the_same_inputs() -> None:
    for name in ("scenario", "urdf", "udp", "step", "mesh", "nastran"):
        form = formats.load(name)
        inputs = [[input_of(name, form, seed, index) for index in range(5)] for seed in (1, 1, 2)]
        assert inputs[0] == inputs[1] != inputs[2]


def test_the_documented_counts_are_those_that_were_recorded() -> None:
    page = report.PAGE.read_text(encoding="utf-8")
    assert report.counts_tables(json.loads(report.COUNTS.read_text())) in page
    for fault in report.FAULTS:
        assert f"| {fault.fault} | {fault.effect} |" in page
        for test in fault.tests:
            module, _, name = test.partition("::")
            assert f"def {name}(" in (ROOT / "tests" / module).read_text(encoding="utf-8")
