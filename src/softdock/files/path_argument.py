"""Paths that are given as arguments in Python."""

import errno
import os
from pathlib import Path

from softdock.errors import InputError, reason_of


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
