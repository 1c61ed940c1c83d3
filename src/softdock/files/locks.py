"""Advisory locks on files: held for one process, released by the operating system when the process ends."""

import os
import sys
from pathlib import Path
from typing import IO

from softdock.errors import InputError
from softdock.files.in_place import READ, check_in_place, open_to_append

LOCKED_BYTE = 1 << 30
"""Byte that is locked on Windows: the same in every process, and beyond the note, which others must be able to read."""
LONGEST_NOTE = 200  # bytes that are read
LOCKED = (BlockingIOError, PermissionError)
"""Raised where another process holds a lock, on POSIX and on Windows; others mean that a file system cannot lock."""


class LockHeldError(Exception):
    """Another process holds the lock."""

    def __init__(self, note: str) -> None:
        super().__init__(note)
        self.note = note
        """Text that the holder wrote into the lock file."""


def acquire_lock(path: Path, note: str = "") -> IO[bytes]:
    """Return the open lock file, locked exclusively until it is closed; `note` is written into it.

    Raises LockHeldError where another process holds the lock, InputError where the file is a link or not a regular
    file, and OSError where it cannot be opened or locked.
    """
    file = open_to_append(path)
    try:
        _lock_exclusively(file)
    except LOCKED as error:
        file.seek(0)
        held = LockHeldError(file.read(LONGEST_NOTE).decode(errors="replace").strip())
        file.close()
        raise held from error
    except OSError:  # of a file system that cannot lock
        file.close()
        raise
    if note:
        file.truncate(0)
        file.write(f"{note}\n".encode())
        file.flush()
    return file


def is_locked(path: Path) -> bool:
    """Return whether a process holds the lock; False where that cannot be determined."""
    try:
        check_in_place(path, writing=False)
    except (InputError, OSError):
        return False
    if sys.platform == "win32":
        return _is_locked_on_windows(path)
    import fcntl

    try:
        with os.fdopen(os.open(path, READ), "rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def _lock_exclusively(file: IO[bytes]) -> None:
    if sys.platform == "win32":
        import msvcrt

        _seek_lock(file)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _seek_lock(file: IO[bytes]) -> None:
    """Move to the byte that is locked: Windows locks at the present position, which is the end of the note at first."""
    os.lseek(file.fileno(), LOCKED_BYTE, os.SEEK_SET)


def _is_locked_on_windows(path: Path) -> bool:
    import msvcrt

    try:
        with path.open("r+b") as file:
            for action in ("LK_NBLCK", "LK_UNLCK"):
                _seek_lock(file)
                msvcrt.locking(file.fileno(), getattr(msvcrt, action), 1)  # type: ignore[attr-defined]
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False
