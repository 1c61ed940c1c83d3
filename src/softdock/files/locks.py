"""Advisory locks on files: held for one process, released by the operating system when the process ends."""

import sys
from pathlib import Path
from typing import IO


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
        return False
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

        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
