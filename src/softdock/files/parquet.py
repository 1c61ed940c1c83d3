"""Reading of Parquet files, in a child process unless the same content has been read or written here before."""

import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softdock.errors import InputError
from softdock.files import array_readers
from softdock.files.cache import Cache, content_key
from softdock.files.child_process import read_in_child

READABLE = Cache("readable", "")
"""Empty entries for contents that the library has read without a crash, or that this user has written."""


@dataclass(frozen=True, kw_only=True)
class ParquetColumn:
    """A column of a Parquet file."""

    name: str
    values: NDArray[Any] | None
    """None unless it holds numbers or truth values."""
    unit: str
    """The unit that Softdock writes with a column; empty in other files."""
    type_name: str


def read_columns(path: Path, data: bytes) -> Sequence[ParquetColumn]:
    """Return the columns of a Parquet file with this content; raises InputError where it is damaged."""
    key = content_key(data)
    if READABLE.read(key, bool) is None:
        content = read_in_child(array_readers.PARQUET, data, path=path, file_format="Parquet")
        READABLE.write(key, b"")
    else:
        try:
            content = array_readers.read_parquet(data)
        except Exception as error:  # a different version of the library than the one that has read it before
            message = "The Parquet file cannot be read."
            raise InputError(message, file=str(path)) from error
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        fields = json.loads(bytes(arrays["fields"]))
        return [
            ParquetColumn(
                name=field["name"],
                values=arrays.get(str(number)),
                unit=field["unit"],
                type_name=field["type"],
            )
            for number, field in enumerate(fields)
        ]


def equal_tables(path: Path, data: bytes, other: bytes) -> bool:
    """Return whether two Parquet files have the same content, whichever version of the library has written them.

    `data` is the content of the file at `path`; raises InputError where it is damaged.
    """
    if data == other:
        return True
    arguments = (str(len(data)),)
    reader = array_readers.EQUAL_PARQUET
    answer = read_in_child(reader, data + other, path=path, arguments=arguments, file_format="Parquet")
    return answer == b"equal"


def mark_readable(data: bytes) -> None:
    """Note that a Parquet file was written here, so that it is read without a child process."""
    READABLE.write(content_key(data), b"")
