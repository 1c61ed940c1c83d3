"""A lock excludes other processes and ends with its process."""

import os
import subprocess
import sys
import types
from pathlib import Path

import pytest

from softdock.files import locks
from softdock.files.locks import LockHeldError, acquire_lock, is_locked

HOLD = (
    "import sys\nfrom pathlib import Path\nfrom softdock.files.locks import acquire_lock\n"
    "lock = acquire_lock(Path(sys.argv[1]), note='process one')\nprint('locked', flush=True)\nsys.stdin.read()\n"
)


def test_another_process_is_refused_until_the_holder_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "locked\n"
        assert is_locked(path)
        with pytest.raises(LockHeldError) as refusal:
            acquire_lock(path, note="process two")
        assert refusal.value.note == "process one"
        holder.kill()
        holder.wait()
    assert not is_locked(path)
    with acquire_lock(path, note="process two"):
        assert path.read_text() == "process two\n"


def test_a_missing_lock_file_is_not_locked(tmp_path: Path) -> None:
    assert not is_locked(tmp_path / "lock")


def test_a_folder_that_does_not_exist_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        acquire_lock(tmp_path / "missing" / "lock")


def test_on_windows_all_processes_lock_the_same_byte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows locks bytes from the present position of the file; its module is replaced by one that notes them."""
    taken: set[int] = set()

    def locking(descriptor: int, action: int, size: int) -> None:
        at = os.lseek(descriptor, 0, os.SEEK_CUR)
        if action == 2:
            taken.remove(at)
        elif at in taken:
            raise PermissionError(13, "Permission denied")
        else:
            taken.add(at)

    windows = types.SimpleNamespace(locking=locking, LK_NBLCK=1, LK_UNLCK=2)
    monkeypatch.setitem(sys.modules, "msvcrt", windows)
    monkeypatch.setattr(locks.sys, "platform", "win32")
    path = tmp_path / "lock"
    assert not is_locked(path)
    with acquire_lock(path, note="http://127.0.0.1:8420/"):
        assert is_locked(path)
        with pytest.raises(LockHeldError, match=r"http://127\.0\.0\.1:8420/"):
            acquire_lock(path, note="another studio")
    assert path.read_text() == "http://127.0.0.1:8420/\n"
    taken.clear()
    assert not is_locked(path)
    assert taken == set()
