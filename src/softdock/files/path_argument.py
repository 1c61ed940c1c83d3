"""Paths that are given as arguments in Python."""

import os
from pathlib import Path

from softdock.errors import InputError, Problem


def path_argument(field: str, value: object) -> Path:
    """Return the path of an argument; raises InputError for another type, and for a null character."""
    text = os.fspath(value) if isinstance(value, os.PathLike) else value
    if not isinstance(text, str):
        raise InputError(Problem(message="Must be a path.", field=field, given=repr(value)))
    if "\0" in text:
        raise InputError(Problem(message="The path must not have a null character.", field=field, given=text))
    return Path(text)
