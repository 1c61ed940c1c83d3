"""Where compiled kernels are kept.

Numba's own cache does not notice an edit in a helper that lives in another file and then answers with old
results. Here each room has a cache folder keyed by a digest of the sources its kernels are made of, wherever
they lie, so any edit starts a fresh cache.
"""

import contextlib
import functools
import hashlib
import importlib.metadata
import os
import re
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from softdock.caches import cache_bases

PACKAGE_ROOT = Path(__file__).parents[1]
CACHES_KEPT = 8  # a few installations side by side, each with and without boundscheck
SECONDS_KEPT = 3600.0  # longer than any process takes from start to its last compilation

_USES_KERNELS = re.compile(
    rb"^(from softdock\.jit |from softdock import .*\bjit\b|import softdock\.jit)", re.M
)
_IMPORT = re.compile(r"^from\s+(softdock[\w.]*)\s+import\s+(\([^)]*\)|[^\n]*)", re.M)


@functools.cache
def cache_folder(room: str) -> Path | None:
    """Return the folder of a room's compiled kernels, or None where none can be written."""
    for base in cache_bases():
        folder = base / f"{room}-{source_digest(room)}"
        try:
            base.mkdir(parents=True, exist_ok=True, mode=0o700)
            folder.mkdir(exist_ok=True, mode=0o700)
            _must_be_safe(base, folder)
            with tempfile.TemporaryFile(dir=folder):
                pass
        except OSError:
            continue
        with contextlib.suppress(OSError):
            os.utime(folder)
            _remove_old(base, room)
        return folder
    return None


def _must_be_safe(base: Path, folder: Path) -> None:
    """Refuse folders that somebody else could fill: what lies there is executed."""
    if not hasattr(os, "getuid"):
        return
    for path, owners in ((base, (os.getuid(), 0)), (folder, (os.getuid(),))):
        state = path.stat(follow_symlinks=path is base)
        open_to_all = state.st_mode & (stat.S_IWGRP | stat.S_IWOTH) and not state.st_mode & stat.S_ISVTX
        if state.st_uid not in owners or not stat.S_ISDIR(state.st_mode) or open_to_all:
            raise PermissionError(path)


def _remove_old(base: Path, room: str) -> None:
    """Remove kernels of sources that are no longer used; never anything that is not such a folder."""
    folders = [path for path in base.iterdir() if re.fullmatch(rf"{room}-[0-9a-f]{{16}}", path.name)]
    folders.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    for folder in folders[CACHES_KEPT:]:
        if time.time() - folder.stat().st_mtime > SECONDS_KEPT:
            shutil.rmtree(folder, ignore_errors=True)


@functools.cache
def source_digest(room: str) -> str:
    """Return a digest of all that makes a room's kernels: sources, compiler and this installation."""
    boundscheck = os.environ.get("NUMBA_BOUNDSCHECK")
    digest = hashlib.sha256(f"{numba_version()} {sys.version} {boundscheck} {PACKAGE_ROOT}".encode())
    for path, source in sorted(_kernel_sources(room).items()):
        digest.update(path.as_posix().encode() + source)
    return digest.hexdigest()[:16]


def _kernel_sources(room: str) -> dict[Path, bytes]:
    """Return the files of a room's kernels, and the files of ours they import: constants become code too."""
    own = {path: path.read_bytes() for path in (PACKAGE_ROOT / room).rglob("*.py")}
    found = {path: source for path, source in own.items() if _USES_KERNELS.search(source)}
    waiting = [PACKAGE_ROOT / "jit.py", PACKAGE_ROOT / "compiler" / "code_units.py", *found]
    while waiting:
        path = waiting.pop()
        found[path] = path.read_bytes()
        waiting += [other for other in _imports(found[path]) if other not in found and other.is_file()]
    return found


def _imports(source: bytes) -> Iterator[Path]:
    for module, names in _IMPORT.findall(source.decode(errors="replace")):
        folder = PACKAGE_ROOT.joinpath(*module.split(".")[1:])
        for name in ("", *re.findall(r"\w+", names)):
            yield (folder / name).with_suffix(".py")
            yield folder / name / "__init__.py"


@functools.cache
def numba_version() -> str:
    """Return the version of Numba, without importing it for that."""
    loaded = sys.modules.get("numba")
    return str(loaded.__version__ if loaded else importlib.metadata.version("numba"))
