"""Files that are changed in place: locks, logs and the tables of SQLite; and folders below a received one.

Such a file cannot be replaced as `files.atomic` does. It must be a regular file of one name: through a symbolic or a
hard link, a received folder would change a file elsewhere.
"""

import os
from pathlib import Path
from typing import IO, TYPE_CHECKING

from softdock.errors import InputError, file_errors
from softdock.files.atomic import BINARY, NO_LINK, SHARED
from softdock.files.regular_file import check_type

if TYPE_CHECKING:
    import sqlite3

READ = os.O_RDONLY | NO_LINK | getattr(os, "O_NONBLOCK", 0) | BINARY
"""Flags that neither follow a link nor wait for the writer of a pipe."""
APPEND = os.O_RDWR | os.O_CREAT | os.O_APPEND | NO_LINK | getattr(os, "O_NONBLOCK", 0) | BINARY
SIDE_FILES = ("", "-wal", "-shm", "-journal")
"""Ends of the names of a table and of the files that SQLite keeps beside it."""
LOCK_WAIT = 30.0  # s that a connection waits for the transaction of another one


def open_to_append(path: Path) -> IO[bytes]:
    """Return a file that is created where it is missing, and that grows at its end.

    Raises InputError where it is a link, no regular file, or has a second name; and OSError.
    """
    check_in_place(path)
    file = os.fdopen(os.open(path, APPEND, SHARED), "ab+")
    try:
        _check(path, os.fstat(file.fileno()), writing=True)
    except BaseException:
        file.close()
        raise
    return file


def connect_to_write(path: Path) -> "sqlite3.Connection":
    """Return a table of SQLite, which is created where it is missing, without automatic transactions.

    SQLite opens its files by name, therefore they are checked before. Raises InputError and sqlite3.Error.
    """
    import sqlite3  # the studio locks its folder before it loads what it needs

    for end in SIDE_FILES:
        check_in_place(path.with_name(path.name + end))
    return sqlite3.connect(path, isolation_level=None, timeout=LOCK_WAIT)


def connect_to_read(path: Path, *, immutable: bool = False) -> "sqlite3.Connection":
    """Return a table of SQLite that is not changed; raises InputError and sqlite3.Error.

    SQLite creates its side files for readers too, except where the table is `immutable`.
    """
    import sqlite3

    for end in SIDE_FILES:
        check_in_place(path.with_name(path.name + end), writing=False)
    address = f"{path.resolve().as_uri()}?{'immutable=1' if immutable else 'mode=ro'}"
    return sqlite3.connect(address, uri=True, timeout=LOCK_WAIT)


def check_in_place(path: Path, *, writing: bool = True) -> None:
    """Raise InputError where a file exists that is a link or no regular file or, for writing, has a second name."""
    try:
        status = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return
    _check(path, status, writing=writing)


def make_folder_within(base: Path, folder: Path) -> None:
    """Create a folder below `base`, which may be a link itself; raises InputError where a folder below it is one."""
    folders = [folder, *folder.parents]
    for inner in reversed(folders[: folders.index(base)]):
        with file_errors(inner, "make"):
            refuse_link(inner)
            inner.mkdir(exist_ok=True)


def refuse_link(path: Path) -> None:
    """Raise InputError where a path is a symbolic link; what it leads to does not matter."""
    if path.is_symlink():
        message = "It is a symbolic link, which could lead to files elsewhere."
        raise InputError(message, file=str(path), hint="Replace it by what it leads to, or delete it.")


def _check(path: Path, status: os.stat_result, *, writing: bool) -> None:
    refuse_link(path)
    check_type(path, status.st_mode)
    if writing and status.st_nlink > 1:
        message = "The file has a second name (a hard link), under which it would be changed too."
        hint = "Copy the folder without hard links, or delete the file."
        raise InputError(message, file=str(path), hint=hint)
