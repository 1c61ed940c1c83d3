"""The one kernel decorator, where compiled kernels are kept, and how to warm them.

Numba's own cache does not notice an edit in a helper that lives in another file and then answers with old
results. Here each room has a cache folder keyed by a digest of the sources its kernels are made of, wherever
they lie, so any edit starts a fresh cache.
"""

import contextlib
import functools
import hashlib
import importlib
import os
import re
import shutil
import stat
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import numba

from softdock.caches import cache_bases
from softdock.pipeline import compilers

PACKAGE_ROOT = Path(__file__).parent
CACHES_KEPT = 8  # a few installations side by side, each with and without boundscheck
SECONDS_KEPT = 3600.0  # longer than any process takes from start to its last compilation
ROOMS_WITH_KERNELS = ("lumped", "contact", "multibody", "robot")

_CONFIG: Any = numba.config
_NJIT: Any = numba.njit
_TYPES: Any = numba.types
_CACHE_DIR_LOCK = threading.Lock()
_KERNEL_COMPILER, _PART_COMPILER, _KERNEL_CACHE = compilers()
_USES_KERNELS = re.compile(
    rb"^(from softdock\.jit |from softdock import .*\bjit\b|import softdock\.jit)", re.M
)
_IMPORT = re.compile(r"^from\s+(softdock[\w.]*)\s+import\s+(\([^)]*\)|[^\n]*)", re.M)


class Kernel:
    """A compiled function, in two forms: for calls from Python, and as a part of other kernels.

    The form for Python is cached on disk. It holds the machine code of all its parts, which have none of their own.
    """

    def __init__(self, function: Callable[..., Any], **options: Any) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._part: Any = _compile(
            function, pipeline_class=_PART_COMPILER, no_cpython_wrapper=True, **options
        )
        self._numba_type_ = _TYPES.Dispatcher(self._part)  # how other kernels see it

    @functools.cached_property
    def _entry(self) -> Callable[..., Any]:
        entry: Any = _compile(self._function, pipeline_class=_KERNEL_COMPILER)
        folder = cache_folder(_room(self.__module__))
        if folder is not None:
            with _cache_in(folder):
                entry._cache = _KERNEL_CACHE(self._function)
        return cast(Callable[..., Any], entry)

    def __call__(self, *args: Any) -> Any:
        """Call it from Python."""
        return self._entry(*args)

    def __reduce__(self) -> str:
        return self._function.__qualname__


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a plain function over floats, tuples and arrays; cached, without the GIL, without fastmath."""
    return function if _CONFIG.DISABLE_JIT else Kernel(function)


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """Like `kernel`, for small functions that must melt into their caller."""
    return function if _CONFIG.DISABLE_JIT else Kernel(function, forceinline=True)


def _compile(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    compiled: Callable[..., Any] = _NJIT(
        nogil=True,
        error_model="numpy",
        no_cfunc_wrapper=True,
        _nrt=False,  # kernels own no memory: without reference counting they are up to twice as fast
        **options,
    )(function)
    return compiled


@contextlib.contextmanager
def _cache_in(folder: Path) -> Iterator[None]:
    """Let Numba's caches that are made meanwhile lie in a folder of ours."""
    with _CACHE_DIR_LOCK:
        before = _CONFIG.CACHE_DIR
        _CONFIG.CACHE_DIR = str(folder)
        try:
            yield
        finally:
            _CONFIG.CACHE_DIR = before


def is_cold(room: str) -> bool:
    """Tell whether the kernels of a room still have to be compiled on this machine."""
    if _CONFIG.DISABLE_JIT:
        return False
    folder = cache_folder(room)
    return folder is None or not any(folder.rglob("*.nbi"))


def warm_up(*rooms: str) -> None:
    """Compile (or load) the kernels of the given rooms, of all rooms by default."""
    for room in rooms or ROOMS_WITH_KERNELS:
        importlib.import_module(f"softdock.{room}").warm_up()


def _room(module: str) -> str:
    """Return the room of a module: `lumped` for `softdock.lumped.kernels`."""
    return [*module.split("."), ""][1]


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
    digest = hashlib.sha256(f"{numba.__version__} {sys.version} {boundscheck} {PACKAGE_ROOT}".encode())
    for path, source in sorted(_kernel_sources(room).items()):
        digest.update(path.as_posix().encode() + source)
    return digest.hexdigest()[:16]


def _kernel_sources(room: str) -> dict[Path, bytes]:
    """Return the files of a room's kernels, and the files of ours they import: constants become code too."""
    own = {path: path.read_bytes() for path in (PACKAGE_ROOT / room).rglob("*.py")}
    found = {path: source for path, source in own.items() if _USES_KERNELS.search(source)}
    waiting = [Path(__file__), *found]
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
