"""A lock excludes other processes and ends with its process."""

import subprocess
import sys
from pathlib import Path

import pytest

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
