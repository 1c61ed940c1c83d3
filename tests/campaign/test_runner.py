"""Running and resuming campaigns: the table does not depend on the workers, bad input is refused, no run is lost."""

import ctypes
import json
import math
import os
import signal
import sqlite3
import types
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor, wait
from contextlib import nullcontext
from pathlib import Path, PureWindowsPath
from typing import Any

import pytest
from tests.campaign.conftest import Write, rows, untimed
from tests.privileges import without_privileges

from softdock.campaign import manifest, runner, store
from softdock.campaign.execution import Chunk, HistoryPolicy, Row, Task, run_chunk, run_one
from softdock.campaign.export import export
from softdock.campaign.loading import read_campaign
from softdock.campaign.runner import CampaignProgress, ExecutionOptions
from softdock.campaign.statistics import wilson
from softdock.campaign.status import status_of
from softdock.campaign.store import Store
from softdock.campaign.table import read_table
from softdock.campaign.template import Template
from softdock.campaign.workers import Backend
from softdock.errors import InputError, RunError
from softdock.files import file_systems
from softdock.result import Result


@pytest.fixture
def whole(write: Write, tmp_path: Path) -> list[tuple[Any, ...]]:
    """Return the table of the cheap campaign, run by one thread."""
    runner.run(read_campaign(write()), tmp_path / "whole", ExecutionOptions(Backend.THREADS, 1))
    return rows(tmp_path / "whole")


def test_threads_give_the_same_table(write: Write, tmp_path: Path, whole: list[tuple[Any, ...]]) -> None:
    progress = runner.run(read_campaign(write()), tmp_path / "out", ExecutionOptions(Backend.THREADS, 3))
    assert progress.finished
    assert progress.outcomes == {"separated": 40}
    assert rows(tmp_path / "out") == whole


@pytest.mark.slow
def test_processes_give_the_same_table(write: Write, tmp_path: Path, whole: list[tuple[Any, ...]]) -> None:
    runner.run(read_campaign(write()), tmp_path / "out", ExecutionOptions(Backend.PROCESSES, 2))
    assert rows(tmp_path / "out") == whole


def run_or_kill_worker(version: str, template: Template, policy: HistoryPolicy, tasks: list[Task]) -> Chunk:
    """Execute runs, and kill the worker process at the run with number 1."""
    if any(run == 1 for run, _ in tasks):
        os.kill(os.getpid(), signal.SIGKILL)
    return run_chunk(version, template, policy, tasks)


@pytest.mark.slow
def test_a_killed_worker_process_is_reported_and_the_campaign_can_be_resumed(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: list[tuple[Any, ...]]
) -> None:
    folder = tmp_path / "out"
    with monkeypatch.context() as patch:
        patch.setattr(runner, "run_chunk", run_or_kill_worker)
        with pytest.raises(RunError) as caught:  # both runs are submitted before the worker is killed
            runner.run(read_campaign(write(), runs=2), folder, ExecutionOptions(Backend.PROCESSES, 1))
    message, kept = str(caught.value), rows(folder)
    assert message.startswith("A worker has ended unexpectedly (BrokenProcessPool: ")
    assert message.endswith(f"{len(kept)} runs are kept; continue with: softdock campaign resume {folder}")
    assert kept in ([], whole[:1])
    assert not status_of(folder)["complete"]
    runner.resume(folder)
    assert rows(folder) == whole[:2]


class BrokenPool(ThreadPoolExecutor):
    """Executor whose worker ends after the first chunk: the second one cannot be submitted."""

    submitted = 0

    def submit(self, *arguments: Any) -> Future[Any]:
        self.submitted += 1
        if self.submitted > 1:
            raise BrokenExecutor("a worker has ended")
        return super().submit(*arguments)


def test_a_worker_that_has_ended_before_the_next_chunk_is_reported(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: list[tuple[Any, ...]]
) -> None:
    monkeypatch.setattr(runner, "open_executor", lambda *_: nullcontext((BrokenPool(1), 1)))
    with pytest.raises(
        RunError, match=r"A worker has ended unexpectedly \(BrokenExecutor: a worker has ended\)"
    ):
        runner.run(read_campaign(write()), tmp_path / "out", ExecutionOptions(Backend.THREADS, 1))


def test_completed_chunks_are_stored_where_another_one_fails(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: list[tuple[Any, ...]]
) -> None:
    """Both chunks are complete before the session looks at them."""

    def run_or_fail(version: str, template: Template, policy: HistoryPolicy, tasks: list[Task]) -> Chunk:
        if any(run == 1 for run, _ in tasks):
            raise ValueError("spoilt")
        return run_chunk(version, template, policy, tasks)

    def wait_for_all(futures: set[Future[Any]], return_when: str) -> Any:
        return wait(futures)

    monkeypatch.setattr(runner, "run_chunk", run_or_fail)
    monkeypatch.setattr(runner, "wait", wait_for_all)
    with pytest.raises(RunError, match=r"\(ValueError: spoilt\). 1 runs are kept"):
        runner.run(read_campaign(write(), runs=2), tmp_path / "out", ExecutionOptions(Backend.THREADS, 1))
    assert rows(tmp_path / "out") == whole[:1]


@pytest.mark.slow
def test_a_cluster_gives_the_same_table(write: Write, tmp_path: Path, whole: list[tuple[Any, ...]]) -> None:
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 1, "threads_per_worker": 2, "dashboard_address": None}
    with distributed.LocalCluster(processes=False, protocol="tcp", **options) as cluster:
        address = cluster.scheduler_address
        progress = runner.run(read_campaign(write()), tmp_path / "out", ExecutionOptions(cluster=address))
    assert progress.finished
    assert rows(tmp_path / "out") == whole


def test_an_unreachable_cluster_is_refused(write: Write, tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    with pytest.raises(InputError, match="cannot be reached"):
        runner.run(read_campaign(write()), tmp_path / "out", ExecutionOptions(cluster="tcp://127.0.0.1:9"))


def test_a_repeated_run_equals_the_run_of_the_campaign(write: Write, tmp_path: Path) -> None:
    plan = read_campaign(write())
    runner.run(plan, tmp_path / "out")
    for number in (0, 17, 39):
        row, result = runner.repeat_run(plan, number)
        assert untimed(row) == rows(tmp_path / "out")[number]
        assert result is not None
        assert result.history.time.size
    result, _, same = runner.rerun(tmp_path / "out", 5)
    assert same
    assert Result.load(runner.history_folder(tmp_path / "out", 5)).metrics == result.to_json()["metrics"]  # type: ignore[union-attr]
    with pytest.raises(InputError, match="numbered 0 to 39"):
        runner.rerun(tmp_path / "out", 40)


def run_and_interrupt(plan: Any, folder: Path, after: int) -> None:
    """Run a campaign and end it with an error after so many runs."""

    def watch(progress: CampaignProgress) -> None:
        if progress.done >= after:
            raise RunError("the test has seen enough")

    with pytest.raises(RunError):
        runner.run(plan, folder, ExecutionOptions(Backend.THREADS, 2), watch)


def test_resume_completes_the_table(write: Write, tmp_path: Path, whole: list[tuple[Any, ...]]) -> None:
    run_and_interrupt(read_campaign(write()), tmp_path / "out", 5)
    before = rows(tmp_path / "out")
    assert 0 < len(before) < 40
    assert not status_of(tmp_path / "out")["complete"]
    progress = runner.resume(tmp_path / "out")
    assert progress.finished
    assert progress.new == 40 - len(before)
    assert rows(tmp_path / "out") == whole
    assert runner.resume(tmp_path / "out").new == 0


def test_ctrl_c_lets_running_runs_end(write: Write, tmp_path: Path, whole: list[tuple[Any, ...]]) -> None:
    def watch(progress: CampaignProgress) -> None:
        if progress.done >= 3 and not progress.interrupted:
            raise KeyboardInterrupt

    progress = runner.run(
        read_campaign(write()), tmp_path / "out", ExecutionOptions(Backend.THREADS, 2), watch
    )
    assert progress.interrupted
    assert not progress.finished
    assert progress.done == len(rows(tmp_path / "out"))
    runner.resume(tmp_path / "out")
    assert rows(tmp_path / "out") == whole


def test_a_folder_contains_only_one_campaign(write: Write, tmp_path: Path) -> None:
    plan = read_campaign(write(), runs=2)
    runner.run(plan, tmp_path / "out")
    with pytest.raises(InputError, match="softdock campaign resume"):
        runner.run(plan, tmp_path / "out")


def test_a_second_process_is_refused(write: Write, tmp_path: Path) -> None:
    path = write()
    plan = read_campaign(path, runs=2)
    with Store.create(tmp_path / "out", manifest.manifest_of(plan)):
        with pytest.raises(InputError, match="Another process"):
            runner.resume(tmp_path / "out", campaign=path)
        assert status_of(tmp_path / "out")["done"] == 0
    assert runner.resume(tmp_path / "out", campaign=path).finished


def test_a_received_campaign_does_not_choose_the_file_that_is_read(write: Write, tmp_path: Path) -> None:
    """The folder may belong to another user of the machine, or its manifest may be forged."""
    path, out = write(), tmp_path / "out"
    with Store.create(out, manifest.manifest_of(read_campaign(path, runs=2))):
        pass
    for use in (runner.resume, lambda folder: runner.rerun(folder, 0)):
        with pytest.raises(InputError, match=r"outside its folder.*--campaign"):
            use(out)
    assert runner.rerun(out, 0, path)[0] is not None
    moved = out / "many.yaml"
    moved.write_bytes(path.read_bytes())
    inside = tmp_path / "inside"
    with Store.create(
        inside, {**manifest.manifest_of(read_campaign(path, runs=2)), "origin": str(inside / "many.yaml")}
    ):
        moved.rename(inside / "many.yaml")
    assert runner.resume(inside).finished


def test_resume_with_a_changed_campaign_is_refused_with_the_difference(write: Write, tmp_path: Path) -> None:
    run_and_interrupt(read_campaign(write()), tmp_path / "out", 1)
    write(set="{record.rate: 200 Hz}")
    with pytest.raises(InputError, match=r"scenario\.data\.record\.rate: 100\.0 -> 200\.0"):
        runner.resume(tmp_path / "out")
    write().unlink()
    with pytest.raises(InputError, match="must be there unchanged"):
        runner.resume(tmp_path / "out")


def test_resume_allows_changes_of_title_and_shown_metrics(write: Write, tmp_path: Path) -> None:
    run_and_interrupt(read_campaign(write()), tmp_path / "out", 1)
    write("title: A better title", "metrics: [impulse]")
    assert runner.resume(tmp_path / "out").finished


def test_an_empty_table_is_replaced(write: Write, tmp_path: Path) -> None:
    """A process that is killed before its first transaction leaves an empty database."""
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "campaign.sqlite").touch()
    with pytest.raises(InputError, match="no campaign in this folder"):
        runner.resume(tmp_path / "out")
    assert runner.run(read_campaign(write(), runs=2), tmp_path / "out").finished


def test_masses_of_a_chain_are_separate_inputs(write: Write, tmp_path: Path) -> None:
    runner.run(read_campaign(write("  chaser.masses.1: {uniform: [1 kg, 3 kg]}"), runs=3), tmp_path / "out")
    assert set(read_table(tmp_path / "out").inputs) == {"chaser.masses.0", "chaser.masses.1", "speed"}


def test_resume_with_another_version_is_refused(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_and_interrupt(read_campaign(write()), tmp_path / "out", 1)
    monkeypatch.setattr(manifest, "__version__", "9.9.9")
    with pytest.raises(InputError, match=r"versions\.softdock: .* -> 9\.9\.9"):
        runner.resume(tmp_path / "out")


def test_resume_keeps_runs_and_seed_of_the_command_line(write: Write, tmp_path: Path) -> None:
    runner.run(read_campaign(write(), runs=12, seed=5), tmp_path / "whole")
    run_and_interrupt(read_campaign(write(), runs=12, seed=5), tmp_path / "out", 1)
    assert runner.rerun(tmp_path / "out", 11)[2] is None  # the table has no row to compare with
    runner.resume(tmp_path / "out")
    assert rows(tmp_path / "out") == rows(tmp_path / "whole")
    assert runner.rerun(tmp_path / "out", 11)[2]


def test_a_full_disk_leaves_the_table_intact(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: list[tuple[Any, ...]]
) -> None:
    original_add, room = Store.add, []

    def add(self: Store, new: list[Row]) -> None:
        if not room:  # room for about eight rows
            room.append(self._database.execute("PRAGMA page_count").fetchone()[0] + 4)
            self._database.execute(f"PRAGMA max_page_count={room[0]}")
        original_add(self, new)

    monkeypatch.setattr(Store, "add", add)
    with pytest.raises(RunError, match=r"disk is full.*softdock campaign resume"):
        runner.run(read_campaign(write()), tmp_path / "out")
    kept = rows(tmp_path / "out")
    assert 0 < len(kept) < 40
    assert all(row in whole for row in kept)
    monkeypatch.setattr(Store, "add", original_add)
    runner.resume(tmp_path / "out")
    assert rows(tmp_path / "out") == whole


def test_a_folder_that_cannot_be_created_is_refused(write: Write, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="Cannot make it"):
        runner.run(read_campaign(write()), tmp_path / "file" / "out")


@without_privileges
def test_a_read_only_folder_is_refused_and_can_still_be_read(write: Write, tmp_path: Path) -> None:
    runner.run(read_campaign(write(), runs=3), tmp_path / "out")
    (tmp_path / "out").chmod(0o555)
    try:
        with pytest.raises(InputError, match="may not be written"):
            runner.resume(tmp_path / "out")
        assert status_of(tmp_path / "out")["done"] == 3
    finally:
        (tmp_path / "out").chmod(0o755)


def test_a_read_only_file_system_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(InputError, match="read-only"):
        store._lock(tmp_path)


def test_network_drives_are_refused(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(f"disk / ext4 rw 0 0\nserver:/x {tmp_path}/far nfs4 rw 0 0\n")
    assert store.file_system(tmp_path / "far" / "deep", mounts) == "nfs4"
    assert store.file_system(tmp_path / "near", mounts) == "ext4"
    assert {"lustre", "fuse.sshfs", "cifs", "vboxsf"} <= store.NETWORK_FILE_SYSTEMS
    monkeypatch.setattr(store, "file_system", lambda folder: "nfs4")
    with pytest.raises(InputError, match="network drive"):
        runner.run(read_campaign(write()), tmp_path / "out")


def test_a_damaged_table_is_reported_as_damaged(tmp_path: Path) -> None:
    (tmp_path / "campaign.sqlite").write_bytes(b"this is no data base" * 100)
    with pytest.raises(InputError, match="damaged"):
        status_of(tmp_path)


def test_an_invalid_sample_becomes_a_row_with_a_message(write: Write, tmp_path: Path) -> None:
    path = write("  target.masses.0: {normal: {mean: 2 kg, deviation: 4 kg}}")
    progress = runner.run(read_campaign(path), tmp_path / "out")
    assert progress.finished
    assert {"separated", "invalid"} <= set(progress.outcomes)
    table = read_table(tmp_path / "out")
    for outcome, message, mass in zip(table.outcome, table.message, table.inputs["target.masses.0"]):
        assert (outcome == "invalid") == (mass <= 0.0)
        if outcome == "invalid":
            assert "target.masses.0" in message
            assert "above 0 kg" in message
    assert math.isnan(table.metrics["impulse"][table.outcome.index("invalid")])


def test_an_internal_error_in_a_run_becomes_a_failed_row(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(scenario: Any, **options: Any) -> None:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr("softdock.campaign.execution.run_prepared", fail)
    plan = read_campaign(write())
    row, result = run_one(plan.template, HistoryPolicy("all", ()), 3, plan.inputs(3, 4)[0])
    assert (row.status, result) == ("failed", None)
    assert row.message == "Internal error: ZeroDivisionError: by zero"


@pytest.mark.parametrize(
    ("policy", "kept"), [("none", []), ("all", [0, 1, 2, 3]), ("failures", [0, 1, 2, 3]), ("3", [0, 3])]
)
def test_histories_are_stored_by_policy(write: Write, tmp_path: Path, policy: str, kept: list[int]) -> None:
    runner.run(read_campaign(write("success: [latched]", f"histories: {policy}"), runs=4), tmp_path / "out")
    folders = [number for number in range(4) if runner.history_folder(tmp_path / "out", number).is_dir()]
    assert folders == kept
    for number in kept:
        assert Result.load(runner.history_folder(tmp_path / "out", number)).outcome == "separated"


def test_the_stop_rule_does_not_depend_on_the_number_of_workers(write: Write, tmp_path: Path) -> None:
    """All runs succeed; the rule is met at the first multiple of 10 whose Wilson interval is narrow enough."""
    rule = "stop: {half_width: 0.05, confidence: 0.95, minimum: 10, every: 10}"
    expected = next(n for n in range(10, 1000, 10) if sum(_negative_low_and_high(n)) / 2.0 <= 0.05)
    for workers in (1, 3):
        folder = tmp_path / f"out{workers}"
        progress = runner.run(
            read_campaign(write("success: [separated]", rule), runs=1000),
            folder,
            ExecutionOptions(None, workers),
        )
        assert progress.finished
        assert progress.stopped_at == expected
        assert [row[0] for row in rows(folder)] == list(range(expected))
        assert runner.resume(folder).new == 0
        assert status_of(folder)["complete"]
    assert rows(tmp_path / "out1") == rows(tmp_path / "out3")


def _negative_low_and_high(n: int) -> tuple[float, float]:
    low, high = wilson(n, n)
    return -low, high


def test_the_export_has_all_columns_with_the_run_first(write: Write, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    runner.run(read_campaign(write("success: [separated]"), runs=5), tmp_path / "out")
    exported = pq.read_table(export(tmp_path / "out"))
    names = exported.schema.names
    assert names[0] == "run"
    assert exported["run"].to_pylist() == list(range(5))
    assert {"outcome", "success", "input.speed", "relative_velocity_after", "predicted.impulse"} <= set(names)
    with sqlite3.connect(tmp_path / "out" / "campaign.sqlite") as database:
        (inputs,) = database.execute("SELECT inputs FROM runs WHERE run = 3").fetchone()
    assert exported["input.speed"][3].as_py() == json.loads(inputs)["speed"]


def test_every_row_contains_the_validity_of_its_run(write: Write, tmp_path: Path) -> None:
    runner.run(read_campaign(write(runs="4")), tmp_path / "out", ExecutionOptions(Backend.THREADS, 1))
    table = read_table(tmp_path / "out")
    assert table.valid == ["yes"] * 4
    assert table.warnings == [[]] * 4
    import pyarrow.parquet as pq

    exported = pq.read_table(export(tmp_path / "out"))
    assert exported["valid"].to_pylist() == ["yes"] * 4
    assert exported["warnings"].to_pylist() == [""] * 4


def test_a_table_of_an_earlier_version_is_read_and_resumed(write: Write, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    runner.run(read_campaign(write(runs="4")), folder, ExecutionOptions(Backend.THREADS, 1))
    with sqlite3.connect(folder / "campaign.sqlite") as database:
        for column in ("valid", "warnings", "requirements", "phases", "metric_errors"):
            database.execute(f"ALTER TABLE runs DROP COLUMN {column}")
        database.execute("DELETE FROM runs WHERE run > 1")
    assert read_table(folder).valid == ["unknown"] * 2
    runner.resume(folder, ExecutionOptions(Backend.THREADS, 1))
    assert read_table(folder).valid == ["unknown"] * 2 + ["yes"] * 2
    assert read_table(folder).phases == [{}] * 4


def test_network_drives_of_windows_are_recognised(monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = {"C:\\": 3, "Z:\\": 4}
    kernel = types.SimpleNamespace(GetDriveTypeW=lambda anchor: kinds[anchor])
    monkeypatch.setattr(ctypes, "windll", types.SimpleNamespace(kernel32=kernel), raising=False)
    for path, remote in ((r"C:\work", False), (r"Z:\work", True), (r"\\server\share\work", True)):
        assert file_systems._is_remote(PureWindowsPath(path)) is remote  # type: ignore[arg-type]
