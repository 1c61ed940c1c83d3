"""Input files: paths given as arguments, and reading; type and size are checked before any content is read."""

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path

from softdock.errors import InputError, file_errors, reason_of

KINDS: tuple[tuple[Callable[[int], bool], str], ...] = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISSOCK, "a socket"),
)
"""Types of files that are not read, with their names."""


def read_regular_file(path: Path, *, largest: int, hint: str = "") -> bytes:
    """Return the content of a regular file of at most `largest` bytes.

    Raises InputError for a missing or larger file, a folder, a named pipe, a device and a socket; `hint` says what
    to do about a file that is too large.
    """
    if "\0" in str(path):
        raise _error(path, "The path must not have a null character.")
    with file_errors(path, "read"):
        check_type(path, path.stat().st_mode)  # before opening, which blocks for a named pipe
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            check_type(path, status.st_mode)
            data = b"" if status.st_size > largest else file.read(largest + 1)
    if status.st_size > largest or len(data) > largest:
        raise _error(path, f"The file is larger than {largest / 1e6:g} MB.", hint)
    return data


def path_exists(path: Path) -> bool:
    """Return whether there is a file or folder; False for an invalid path, for which opening it raises an error."""
    try:
        return path.exists()
    except (OSError, ValueError):  # the name is too long or contains a null character
        return False


def check_type(path: Path, mode: int) -> None:
    """Raise InputError for a folder, a named pipe, a device and a socket, by the mode of a file."""
    if not stat.S_ISREG(mode):
        kind = next((name for matches, name in KINDS if matches(mode)), "not a regular file")
        raise _error(path, f"The path is {kind}; a file is needed.")


def _error(path: Path, message: str, hint: str = "") -> InputError:
    return InputError(message, file=str(path).replace("\0", "\\0"), hint=hint)


def path_argument(field: str, value: object) -> Path:
    """Return the path of an argument; raises InputError for another type, and where no file can have that name."""
    try:
        text = os.fspath(value) if isinstance(value, os.PathLike) else value
    except TypeError:  # its method returns something else
        text = None
    if not isinstance(text, str):
        raise InputError("Must be a path.", field=field, given=repr(value))
    if "\0" in text:
        raise InputError("The path must not have a null character.", field=field, given=text)
    try:
        os.lstat(text)
    except UnicodeEncodeError:
        message = "The path has characters that no name of a file can have."
        raise InputError(message, field=field, given=text) from None
    except OSError as error:
        if error.errno in (errno.ENAMETOOLONG, errno.ELOOP):
            raise InputError(f"Cannot use it: {reason_of(error)}.", field=field, given=text) from None
    return Path(text)
