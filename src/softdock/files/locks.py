"""Advisory locks on files: held for one process, released by the operating system when the process ends."""

import os
import sys
from pathlib import Path
from typing import IO

LOCKED_BYTE = 1 << 30
"""Byte that is locked on Windows: the same in every process, and beyond the note, which others must be able to read."""


class LockHeldError(Exception):
    """Another process holds the lock."""

    def __init__(self, note: str) -> None:
        super().__init__(note)
        self.note = note
        """Text that the holder wrote into the lock file."""


def acquire_lock(path: Path, note: str = "") -> IO[str]:
    """Return the open lock file, locked exclusively until it is closed; `note` is written into it.

    Raises LockHeldError where another process holds the lock, and OSError where the file cannot be opened.
    """
    file = path.open("a+", encoding="utf-8")
    try:
        _lock_exclusively(file)
    except OSError as error:
        file.seek(0)
        held = LockHeldError(file.read(200).strip())
        file.close()
        raise held from error
    if note:
        file.truncate(0)
        file.write(f"{note}\n")
        file.flush()
    return file


def is_locked(path: Path) -> bool:
    """Return whether a process holds the lock; False where that cannot be determined."""
    if sys.platform == "win32":
        return _is_locked_on_windows(path)
    import fcntl

    try:
        with path.open() as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def _lock_exclusively(file: IO[str]) -> None:
    if sys.platform == "win32":
        import msvcrt

        _seek_lock(file)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _seek_lock(file: IO[str]) -> None:
    """Move to the byte that is locked: Windows locks at the present position, which is the end of the note at first."""
    os.lseek(file.fileno(), LOCKED_BYTE, os.SEEK_SET)


def _is_locked_on_windows(path: Path) -> bool:
    import msvcrt

    try:
        with path.open("r+", encoding="utf-8") as file:
            for action in ("LK_NBLCK", "LK_UNLCK"):
                _seek_lock(file)
                msvcrt.locking(file.fileno(), getattr(msvcrt, action), 1)  # type: ignore[attr-defined]
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False
