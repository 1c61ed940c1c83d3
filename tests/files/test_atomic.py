"""Atomic writing: a file keeps its old content until the new content is complete."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from softdock.errors import InputError
from softdock.files import atomic
from softdock.files.atomic import PRIVATE, atomic_file, write_atomic, write_new, write_together


@pytest.mark.parametrize(("data", "content"), [("ä\n", "ä\n".encode()), (b"\x00\xff", b"\x00\xff")])
def test_text_and_bytes_replace_the_old_content(tmp_path: Path, data: str | bytes, content: bytes) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    write_atomic(path, data)
    assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("error", [ValueError, OSError, KeyboardInterrupt, SystemExit])
def test_an_exception_keeps_the_old_content_and_leaves_no_temporary_file(
    tmp_path: Path, error: type[BaseException]
) -> None:
    path = tmp_path / "file"
    path.write_text("old")

    def interrupted() -> None:
        with atomic_file(path) as file:
            file.write(b"new")
            raise error

    with pytest.raises(error):
        interrupted()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_killed_process_keeps_the_old_content(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    script = (
        "import os, sys\nfrom pathlib import Path\nfrom softdock.files.atomic import atomic_file\n"
        "with atomic_file(Path(sys.argv[1])) as file:\n"
        "    file.write(b'new')\n    file.flush()\n    os.kill(os.getpid(), 9)\n"
    )
    assert subprocess.run([sys.executable, "-c", script, str(path)], check=False).returncode == -9
    assert path.read_text() == "old"
    write_atomic(path, "newer")
    assert path.read_text() == "newer"


def test_the_mode_is_that_of_an_ordinary_file_unless_it_is_private(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_atomic(tmp_path / "shared", "")
        write_atomic(tmp_path / "private", "", mode=PRIVATE)
    finally:
        os.umask(before)
    assert (tmp_path / "shared").stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "private").stat().st_mode & 0o777 == 0o600


def test_a_group_is_replaced_together(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    write_together(folder, {"a": "1", "b": b"2"})
    assert {path.name: path.read_text() for path in folder.iterdir()} == {"a": "1", "b": "2"}


@pytest.mark.parametrize("failing", [1, 2])
def test_a_group_that_cannot_be_written_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: int
) -> None:
    write_together(tmp_path, {"a": "old", "b": "old"})
    synced: list[int] = []
    original_fsync: Callable[[int], None] = os.fsync

    def refuse(descriptor: int) -> None:
        synced.append(descriptor)
        if len(synced) == failing:
            raise OSError(28, "No space left on device")
        original_fsync(descriptor)

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(InputError, match=f"{'ab'[failing - 1]}: Cannot write it: the disk is full"):
        write_together(tmp_path, {"a": "new", "b": "new"})
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a": "old", "b": "old"}


def test_a_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    outside, link = tmp_path / "outside", tmp_path / "link"
    outside.write_text("old")
    for write in (lambda: write_atomic(link, "new"), lambda: write_together(tmp_path, {"link": "new"})):
        link.symlink_to(outside)
        write()
        assert not link.is_symlink()
        assert (outside.read_text(), link.read_text()) == ("old", "new")
        link.unlink()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes need POSIX")
def test_a_device_or_pipe_is_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(OSError, match="named pipe"):
        write_atomic(pipe, "new")
    with pytest.raises(InputError, match="Cannot write it: a device, named pipe or socket is in the way"):
        write_together(tmp_path, {"pipe": "new"})
    assert pipe.is_fifo()
    assert list(tmp_path.iterdir()) == [pipe]


@pytest.mark.parametrize("links", [True, False])
def test_a_new_file_replaces_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool) -> None:
    """Also on a file system without hard links."""

    def refuse(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    if not links:
        monkeypatch.setattr(atomic.os, "link", refuse)
    path = tmp_path / "file"
    write_new(path, "first")
    with pytest.raises(FileExistsError):
        write_new(path, "second")
    (tmp_path / "link").symlink_to(tmp_path / "nothing")
    with pytest.raises(FileExistsError):
        write_new(tmp_path / "link", "third")
    assert path.read_text() == "first"
    assert path.stat().st_nlink == 1
    assert sorted(one.name for one in tmp_path.iterdir()) == ["file", "link"]


def test_a_new_file_that_cannot_be_completed_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(OSError, match="No space"):
        write_new(tmp_path / "file", "text")
    assert not list(tmp_path.iterdir())
