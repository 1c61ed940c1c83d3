"""The one kernel decorator, where compiled kernels are kept, and how to warm them.

Numba's own cache does not notice an edit in a helper that lives in another file and then answers with old
results. Here the cache folder is keyed by a digest of all kernel sources, so any edit starts a fresh cache.
"""

import contextlib
import functools
import hashlib
import importlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba

PACKAGE_ROOT = Path(__file__).parent
CACHES_KEPT = 4  # older digests are removed: one for each of a few checkouts side by side
ROOMS_WITH_KERNELS = ("lumped", "contact", "multibody")


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a plain function over floats, tuples and arrays; cached, without the GIL, without fastmath."""
    return _compile(function)


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """Like `kernel`, for small functions that must melt into their caller."""
    return _compile(function, forceinline=True)


def _compile(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    folder = cache_folder()
    before = numba.config.CACHE_DIR
    if folder is not None:
        numba.config.CACHE_DIR = str(folder / _room(function.__module__))
    try:
        compiled: Callable[..., Any] = numba.njit(
            cache=folder is not None, nogil=True, error_model="numpy", **options
        )(function)
    finally:
        numba.config.CACHE_DIR = before
    return compiled


@functools.cache
def cache_folder() -> Path | None:
    """Return the folder of compiled kernels for these sources, or None where none can be written."""
    digest = source_digest()
    for base in _cache_bases():
        folder = base / digest
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            _must_be_ours(folder)
            with tempfile.TemporaryFile(dir=folder):
                pass
        except OSError:
            continue
        with contextlib.suppress(OSError):
            os.utime(folder)
            _remove_old(base, keep=folder)
        return folder
    return None


@functools.cache
def source_digest() -> str:
    """Return a digest of every source file that holds kernels, and of the compiler's version."""
    digest = hashlib.sha256(
        f"{numba.__version__} {sys.version} {os.environ.get('NUMBA_BOUNDSCHECK')}".encode()
    )
    for path in sorted(PACKAGE_ROOT.rglob("*.py")):
        source = path.read_bytes()
        if b"softdock.jit" in source:
            digest.update(path.relative_to(PACKAGE_ROOT).as_posix().encode())
            digest.update(source)
    return digest.hexdigest()[:16]


def _cache_bases() -> list[Path]:
    chosen = os.environ.get("SOFTDOCK_CACHE_DIR")
    if chosen:
        return [Path(chosen)]
    user = os.getuid() if hasattr(os, "getuid") else "user"
    bases = [Path(tempfile.gettempdir()) / f"softdock-kernels-{user}"]
    with contextlib.suppress(RuntimeError):  # no home folder at all
        bases.insert(0, _user_cache() / "softdock" / "kernels")
    return bases


def _user_cache() -> Path:
    if sys.platform == "win32" and "LOCALAPPDATA" in os.environ:
        return Path(os.environ["LOCALAPPDATA"])
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def _must_be_ours(folder: Path) -> None:
    """Compiled kernels are executed: a folder that somebody else may write into is not used."""
    if hasattr(os, "getuid") and folder.stat().st_uid != os.getuid():
        raise PermissionError(folder)


def _remove_old(base: Path, keep: Path) -> None:
    others = sorted((p for p in base.iterdir() if p != keep), key=lambda p: p.stat().st_mtime, reverse=True)
    for folder in others[CACHES_KEPT - 1 :]:
        shutil.rmtree(folder, ignore_errors=True)


def is_cold(room: str) -> bool:
    """Tell whether the kernels of a room still have to be compiled on this machine."""
    if numba.config.DISABLE_JIT:
        return False
    folder = cache_folder()
    return folder is None or not any((folder / room).rglob("*.nbi"))


def _room(module: str) -> str:
    """Return the room of a module: `lumped` for `softdock.lumped.kernels`."""
    return (module.split(".") + ["."])[1]


def warm_up(*rooms: str) -> None:
    """Compile (or load) the kernels of the given rooms, of all rooms by default."""
    for room in rooms or ROOMS_WITH_KERNELS:
        importlib.import_module(f"softdock.{room}").warm_up()
