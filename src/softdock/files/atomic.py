"""Writing of whole files: a file holds its old content or its complete new content, never a part of it.

Together with `files.in_place` this is the only place that opens files for writing; a test checks it. New content goes
into a new file in the same folder, which then takes the name. A link of that name is replaced and not followed, so that
a link in a received folder leads nowhere. The folder of a file is followed: the caller decides whether it may be a link
(`files.in_place.make_folder_within`).
"""

import errno
import os
import secrets
import stat
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO

from softdock.errors import file_error

PRIVATE = 0o600
SHARED = 0o666
"""File modes before the umask is applied."""
NO_LINK = getattr(os, "O_NOFOLLOW", 0)
BINARY = getattr(os, "O_BINARY", 0)
CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINK | BINARY
"""Flags of a file that must be new."""


@contextmanager
def atomic_file(path: Path, *, mode: int = SHARED, sync: bool = True) -> Iterator[IO[bytes]]:
    """Yield a new file in the folder of `path`; it takes that name when the block ends without an exception.

    It is deleted on any exception, including KeyboardInterrupt. `sync` writes it to the disk first; content that can be
    computed again does not need it. Raises OSError.
    """
    _check_replaceable(path)
    with _temporary_file(path, mode) as (temporary, file):
        yield file
        _complete(file, sync=sync)
        temporary.replace(path)


def write_atomic(path: Path, data: str | bytes, *, mode: int = SHARED, sync: bool = True) -> None:
    """Replace the content of a file; text is encoded as UTF-8. Raises OSError."""
    with atomic_file(path, mode=mode, sync=sync) as file:
        file.write(_encoded(data))


def write_new(path: Path, data: str | bytes, *, mode: int = SHARED) -> None:
    """Write a file that does not exist; text is encoded as UTF-8.

    Raises FileExistsError where there is anything of that name, a link included, and OSError.
    """
    if os.path.lexists(path):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
    with _temporary_file(path, mode) as (temporary, file):
        file.write(_encoded(data))
        _complete(file, sync=True)
        _take_new_name(temporary, path)


def write_together(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Write files of one folder by name; none is replaced before all are complete and on disk.

    Creates the folder. Raises InputError that names the file which cannot be written.
    """
    path = folder
    with ExitStack() as cleanup:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            complete: dict[Path, Path] = {}
            for path in (folder / name for name in files):
                _check_replaceable(path)
                complete[path], file = cleanup.enter_context(_temporary_file(path, SHARED))
                file.write(_encoded(files[path.name]))
                _complete(file, sync=True)
            for path, temporary in complete.items():
                temporary.replace(path)
        except OSError as error:
            raise file_error(path, "write", error) from error


@contextmanager
def _temporary_file(path: Path, mode: int) -> Iterator[tuple[Path, IO[bytes]]]:
    """Yield a new file with a hidden name in the same folder; delete it unless it was renamed. Raises OSError."""
    if not path.name:
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    shortened = path.name[:32]  # with its additions the whole name may be too long for the file system
    temporary = path.with_name(f".{shortened}.{os.getpid()}-{secrets.token_hex(3)}.tmp")
    try:
        with os.fdopen(os.open(temporary, CREATE, mode), "wb") as file:
            yield temporary, file
    finally:
        with suppress(OSError):
            temporary.unlink()


def _complete(file: IO[bytes], *, sync: bool) -> None:
    """Hand all content to the system, to find a full disk before the file is renamed, and close the file."""
    file.flush()
    if sync:
        os.fsync(file.fileno())
    file.close()  # Windows renames closed files only


def _take_new_name(temporary: Path, path: Path) -> None:
    """Give a complete file a name that must be free. Raises FileExistsError where it is taken."""
    try:
        os.link(temporary, path)
    except OSError:  # taken, or the file system has no hard links
        if os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from None
        temporary.replace(path)


def _check_replaceable(path: Path) -> None:
    """Raise OSError for a device, a named pipe or a socket, which a file must not replace."""
    try:
        mode = path.lstat().st_mode
    except (OSError, ValueError):  # there is none, or opening it will fail
        return
    if not (stat.S_ISREG(mode) or stat.S_ISLNK(mode) or stat.S_ISDIR(mode)):
        raise OSError(errno.ENXIO, "a device, named pipe or socket is in the way", str(path))


def _encoded(data: str | bytes) -> bytes:
    return data.encode() if isinstance(data, str) else data
