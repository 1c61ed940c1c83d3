"""Content-keyed caches of data that can be computed again, such as meridians of CAD files."""

import hashlib
import os
import stat
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from softdock.errors import InputError
from softdock.files.atomic import PRIVATE, write_atomic

T = TypeVar("T")
PRIVATE_FOLDER = 0o700
WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH
DAMAGED = (ValueError, KeyError, TypeError, EOFError, InputError)
"""Exceptions by which a decoder rejects an entry."""


class Cache:
    """Entries of one kind, one file per key; an entry that cannot be read or written costs only time.

    An entry that belongs to another user, or that others may write, is ignored.
    """

    def __init__(self, name: str, suffix: str) -> None:
        self.name, self.suffix = name, suffix

    def read(self, key: str, decode: Callable[[bytes], T]) -> T | None:
        """Return the decoded entry, or None where there is no usable one."""
        for base in cache_folders():
            with suppress(OSError, *DAMAGED):
                return decode(_read_trusted(self._path(base, key)))
        return None

    def write(self, key: str, data: str | bytes) -> None:
        """Store an entry in the first folder that can be written, readable by this user only."""
        for base in cache_folders():
            with suppress(OSError):
                path = self._path(base, key)
                base.mkdir(PRIVATE_FOLDER, parents=True, exist_ok=True)
                path.parent.mkdir(PRIVATE_FOLDER, exist_ok=True)
                write_atomic(path, data, mode=PRIVATE)
                return

    def _path(self, base: Path, key: str) -> Path:
        return base / self.name / f"{key}{self.suffix}"


def content_key(*parts: str | bytes | Path) -> str:
    """Return the digest of texts, bytes and contents of files as 32 hexadecimal digits. Raises OSError."""
    digest = hashlib.sha256()
    for part in parts:
        data = (
            part.read_bytes() if isinstance(part, Path) else part.encode() if isinstance(part, str) else part
        )
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()[:32]


def cache_folders() -> list[Path]:
    """Return the folders that may hold caches, best first."""
    user = os.getuid() if hasattr(os, "getuid") else "user"
    folders = [Path(tempfile.gettempdir()) / f"softdock-{user}"]
    with suppress(RuntimeError):  # the user has no home folder
        folders.insert(0, _user_cache() / "softdock")
    if chosen := os.environ.get("SOFTDOCK_CACHE_DIR"):
        folders.insert(0, Path(chosen))
    return folders


def _read_trusted(path: Path) -> bytes:
    """Return the content of a file that only this user can have written; raises PermissionError otherwise."""
    with path.open("rb") as file:
        status = os.fstat(file.fileno())
        if hasattr(os, "getuid") and (
            status.st_uid != os.getuid() or stat.S_IMODE(status.st_mode) & WRITABLE_BY_OTHERS
        ):
            raise PermissionError("The cache entry may have been written by another user.")
        return file.read()


def _user_cache() -> Path:
    if sys.platform == "win32" and "LOCALAPPDATA" in os.environ:
        return Path(os.environ["LOCALAPPDATA"])
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
