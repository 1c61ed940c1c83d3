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
from softdock.files.in_place import READ

T = TypeVar("T")
PRIVATE_FOLDER = 0o700
WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH
DAMAGED = (ValueError, KeyError, TypeError, EOFError, InputError)
"""Exceptions by which a decoder rejects an entry."""


class Cache:
    """Entries of one kind, one file per key; an entry that cannot be read or written costs only time.

    An entry is ignored where it is not a regular file (links are not followed), where it or a folder of the cache
    belongs to another user, or where others may write it.
    """

    def __init__(self, name: str, suffix: str) -> None:
        self.name, self.suffix = name, suffix

    def read(self, key: str, decode: Callable[[bytes], T]) -> T | None:
        """Return the decoded entry, or None where there is no usable one."""
        for base in cache_folders():
            with suppress(OSError, *DAMAGED):
                path = self._path(base, key)
                _check_folders(base, path.parent)
                return decode(_read_trusted(path))
        return None

    def write(self, key: str, data: str | bytes) -> None:
        """Store an entry in the first folder that can be written, readable by this user only."""
        for base in cache_folders():
            with suppress(OSError):
                path = self._path(base, key)
                base.mkdir(PRIVATE_FOLDER, parents=True, exist_ok=True)
                path.parent.mkdir(PRIVATE_FOLDER, exist_ok=True)
                _check_folders(base, path.parent)
                write_atomic(path, data, mode=PRIVATE, sync=False)
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
    """Return the content of a regular file that only this user can have written; raises PermissionError otherwise."""
    with os.fdopen(os.open(path, READ), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode) or not is_own(status):
            raise PermissionError("The cache entry may have been written by another user.")
        return file.read()


def _check_folders(*folders: Path) -> None:
    """Raise PermissionError where a folder is a link or another user can have changed its entries."""
    for folder in folders:
        status = folder.lstat()
        if not stat.S_ISDIR(status.st_mode) or not is_own(status):
            raise PermissionError("The cache folder may have been written by another user.")


def is_own(status: os.stat_result) -> bool:
    """Return whether a file or folder belongs to this user and nobody else may write it; True on Windows."""
    if not hasattr(os, "getuid"):
        return True
    return status.st_uid == os.getuid() and not stat.S_IMODE(status.st_mode) & WRITABLE_BY_OTHERS


def _user_cache() -> Path:
    if sys.platform == "win32" and "LOCALAPPDATA" in os.environ:
        return Path(os.environ["LOCALAPPDATA"])
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
