"""Atomic writes: a file holds its old content or its complete new content, never a part of it."""

import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from softdock.errors import file_error

PRIVATE = 0o600
SHARED = 0o666
"""File modes before the umask is applied."""


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """Yield a temporary path in the folder of `path`; rename it to `path` when the block ends without an exception.

    The temporary file is deleted on any exception, including KeyboardInterrupt. Raises OSError.
    """
    temporary = _temporary_path(path)
    try:
        yield temporary
        temporary.replace(path)
    finally:
        _delete(temporary)


def write_atomic(path: Path, data: str | bytes, *, mode: int = SHARED) -> None:
    """Replace the content of a file; text is encoded as UTF-8. Raises OSError."""
    with atomic_path(path) as temporary:
        _write(temporary, data, mode)


def write_together(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Write files of one folder by name; none is replaced before all are complete and on disk.

    Creates the folder. Raises InputError that names the file which cannot be written.
    """
    path = folder
    with ExitStack() as cleanup:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            temporary: dict[Path, Path] = {}
            for path in (folder / name for name in files):
                temporary[path] = _temporary_path(path)
                cleanup.callback(_delete, temporary[path])
                _write(temporary[path], files[path.name], SHARED, sync=True)
            for path, complete in temporary.items():
                complete.replace(path)
        except OSError as error:
            raise file_error(path, "write", error) from error


def _temporary_path(path: Path) -> Path:
    """Return a hidden name in the same folder that no other process or thread uses."""
    return path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(3)}.tmp")


def _write(path: Path, data: str | bytes, mode: int, *, sync: bool = False) -> None:
    path.touch(mode, exist_ok=False)
    with path.open("wb") as file:
        file.write(data.encode() if isinstance(data, str) else data)
        if sync:
            file.flush()
            os.fsync(file.fileno())


def _delete(path: Path) -> None:
    with suppress(OSError):
        path.unlink()
