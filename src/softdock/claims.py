"""One process makes a file while the others that want it wait.

A claim ends with whoever holds it, by whatever means. Where a folder knows no claims, several may make the same file,
which costs their time only.
"""

import contextlib
from collections.abc import Iterator
from pathlib import Path

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]


def is_claimed(path: Path) -> bool:
    """Tell whether another process is about to make a file."""
    return is_held(_place(path))


def is_held(lock: Path) -> bool:
    """Tell whether a process holds the lock of a file; False where that cannot be told."""
    if fcntl is None:
        return False
    try:
        with lock.open() as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def _place(path: Path) -> Path:
    return path.with_name(f"{path.name}.claim")


@contextlib.contextmanager
def claimed(path: Path) -> Iterator[None]:
    """Hold the claim on a file; waits while another process holds it."""
    place = _place(path)
    with contextlib.ExitStack() as stack:
        if fcntl is not None:
            with contextlib.suppress(OSError):
                fcntl.flock(stack.enter_context(place.open("w")), fcntl.LOCK_EX)
                stack.callback(place.unlink, missing_ok=True)  # who waits for it finds the file made
        yield
