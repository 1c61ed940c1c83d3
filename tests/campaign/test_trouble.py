"""Campaigns on a full disk, in a read-only or moved folder, and with a deleted table stop and say how to continue."""

import errno
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.campaign.conftest import Write, rows

from softdock.campaign import runner
from softdock.campaign.execution import Row
from softdock.campaign.loading import read_campaign
from softdock.campaign.runner import CampaignProgress, ExecutionOptions
from softdock.campaign.store import TABLE_FILE, Store
from softdock.campaign.workers import Backend
from softdock.errors import InputError, RunError, file_error
from softdock.result import Result

ONE_THREAD = ExecutionOptions(Backend.THREADS, 1)


@pytest.fixture
def whole(write: Write, tmp_path: Path) -> list[tuple[Any, ...]]:
    runner.run(read_campaign(write()), tmp_path / "whole", ONE_THREAD)
    return rows(tmp_path / "whole")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 400 kB."""
    path = tmp_path / "disk"
    path.mkdir()
    try:
        mount = ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(path)]
        subprocess.run(mount, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("this user cannot mount a file system")
    yield path
    subprocess.run(["umount", "-l", str(path)], check=True)


def once_done(count: int, act: Callable[[], object]) -> Callable[[CampaignProgress], None]:
    """Return a progress callback that acts once, after so many runs."""
    acted: list[bool] = []

    def watch(progress: CampaignProgress) -> None:
        if progress.done >= count and not acted:
            acted.append(True)
            act()

    return watch


def fill(disk: Path, leave: int = 0) -> Path:
    """Fill a disk up to some free bytes."""
    path, free = disk / "filler", os.statvfs(disk)
    path.write_bytes(b"x" * max(0, free.f_bavail * free.f_frsize - leave))
    return path


def test_a_deleted_table_is_written_again(write: Write, tmp_path: Path, whole: list[tuple[Any, ...]]) -> None:
    out = tmp_path / "out"
    delete = once_done(10, lambda: [path.unlink() for path in out.glob(f"{TABLE_FILE}*")])
    with pytest.raises(RunError, match=r"was deleted or replaced .* [0-9]+ runs are kept .*campaign resume"):
        runner.run(read_campaign(write()), out, ONE_THREAD, delete)
    assert 10 <= len(rows(out)) < 40
    runner.resume(out, ONE_THREAD)
    assert rows(out) == whole


def test_a_table_deleted_after_the_last_run_is_written_again(
    write: Write, tmp_path: Path, whole: list[tuple[Any, ...]]
) -> None:
    out = tmp_path / "out"
    with pytest.raises(RunError, match="40 runs are kept"):
        runner.run(
            read_campaign(write()), out, ONE_THREAD, once_done(40, lambda: (out / TABLE_FILE).unlink())
        )
    assert rows(out) == whole


def test_a_replaced_table_is_not_overwritten(write: Write, tmp_path: Path) -> None:
    out = tmp_path / "out"

    def replace() -> None:
        (out / TABLE_FILE).unlink()
        (out / TABLE_FILE).write_text("another file")

    with pytest.raises(RunError, match=f"Rename it to {TABLE_FILE}"):
        runner.run(read_campaign(write()), out, ONE_THREAD, once_done(10, replace))
    assert (out / TABLE_FILE).read_text() == "another file"
    (out / f"rescued-{TABLE_FILE}").replace(out / TABLE_FILE)
    assert len(rows(out)) >= 10


def test_a_moved_folder_stops_the_campaign(
    write: Write, tmp_path: Path, whole: list[tuple[Any, ...]]
) -> None:
    out, moved = tmp_path / "out", tmp_path / "moved"
    with pytest.raises(RunError, match=r"moved or deleted .* runs are kept in it; .*resume NEW_FOLDER"):
        runner.run(read_campaign(write()), out, ONE_THREAD, once_done(10, lambda: out.rename(moved)))
    assert not out.exists()
    assert 10 <= len(rows(moved)) < 40
    runner.resume(moved, ONE_THREAD)
    assert rows(moved) == whole


def test_a_deleted_folder_stops_the_campaign(write: Write, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(RunError, match="moved or deleted"):
        runner.run(read_campaign(write()), out, ONE_THREAD, once_done(10, lambda: shutil.rmtree(out)))


def test_a_history_that_cannot_be_written_stops_the_campaign(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original, saved = Result.save, []

    def save(self: Result, folder: Path) -> None:
        if len(saved) == 7:
            raise file_error(folder / "history.parquet", "write", OSError(errno.ENOSPC, "full"))
        saved.append(folder)
        original(self, folder)

    monkeypatch.setattr(Result, "save", save)
    out, plan = tmp_path / "out", read_campaign(write("histories: all"))
    with pytest.raises(RunError, match=r"disk is full.* 7 runs up to here are kept .*campaign resume"):
        runner.run(plan, out, ONE_THREAD)
    assert len(rows(out)) == 7
    monkeypatch.setattr(Result, "save", original)
    runner.resume(out, ONE_THREAD)
    assert len(rows(out)) == len(list((out / "histories").iterdir())) == 40


def test_a_full_disk_stops_the_campaign(
    write: Write, tmp_path: Path, small_disk: Path, whole: list[tuple[Any, ...]]
) -> None:
    out, filler = small_disk / "out", []
    with pytest.raises(RunError, match=r"disk is full.* runs up to here are kept .*campaign resume"):
        runner.run(
            read_campaign(write()), out, ONE_THREAD, once_done(5, lambda: filler.append(fill(small_disk)))
        )
    filler[0].unlink()
    assert 5 <= len(rows(out)) < 40
    runner.resume(out, ONE_THREAD)
    assert rows(out) == whole


def test_a_disk_that_is_full_at_the_start_is_reported(write: Write, small_disk: Path) -> None:
    fill(small_disk, leave=16_384)
    with pytest.raises((RunError, InputError), match="disk is full") as caught:
        runner.run(read_campaign(write()), small_disk / "out", ONE_THREAD)
    assert "are kept" not in str(caught.value)


def test_the_first_transaction_claims_no_runs(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = Store._create_tables

    def create(self: Store, manifest: dict[str, Any]) -> None:
        self._database.execute("PRAGMA max_page_count=1")
        original(self, manifest)

    monkeypatch.setattr(Store, "_create_tables", create)
    with pytest.raises(RunError, match=r"disk is full\. No run was made and nothing is kept"):
        runner.run(read_campaign(write()), tmp_path / "out", ONE_THREAD)
    monkeypatch.setattr(Store, "_create_tables", original)
    assert runner.run(read_campaign(write()), tmp_path / "out", ONE_THREAD).finished


def test_a_disk_that_becomes_read_only_stops_the_campaign(
    write: Write, small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database is switched to read-only: the file system cannot be remounted while SQLite has its files open."""
    original, added = Store.add, []

    def add(self: Store, new: list[Row]) -> None:
        added.extend(new)
        if len(added) > 10:
            self._database.execute("PRAGMA query_only=ON")
        original(self, new)

    monkeypatch.setattr(Store, "add", add)
    with pytest.raises(RunError, match=r"may not be written\. [0-9]+ runs up to here are kept"):
        runner.run(read_campaign(write()), small_disk / "out", ONE_THREAD)
