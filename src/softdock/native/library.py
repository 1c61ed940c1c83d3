"""Loading of the shared library of compiled kernels.

There is one file per instruction set, named `softdock_kernels.<build>.<suffix>`. `SOFTDOCK_KERNELS` selects a build by
name (`x86-64-v3`, `boundscheck`) or plain Python (`python`); without it, the best build that this processor can run is
loaded. In a source checkout an outdated library is rebuilt; without a compiler an error is raised. A process whose
imported kernels have other sources than the files or the library calls none of them: it ends with an error.
"""

import ctypes
import functools
import importlib.util
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

from softdock.errors import RunError
from softdock.native import sources

FOLDER = Path(__file__).parent
NAME = "softdock_kernels"
SUFFIX = {"win32": "dll", "darwin": "dylib"}.get(sys.platform, "so")
X86_LEVELS = {3: "x86-64-v3", 4: "x86-64-v4"}
"""Builds for processors with AVX2 and FMA, and with AVX-512."""
BOUNDSCHECK = "boundscheck"
"""Build with checked array indices, for tests."""
BUILDS = (*X86_LEVELS.values(), "aarch64", "arm64", BOUNDSCHECK)
"""Names of all builds."""
VARIABLE = "SOFTDOCK_KERNELS"
PYTHON = "python"
CHANGED = "The sources of the kernels changed after this process had imported them: start it again."


class KernelError(RunError):
    """The compiled kernels cannot be used, or one of them was stopped by an error."""


@functools.cache
def runs_as_python() -> bool:
    """Return whether the environment selects kernels as plain Python."""
    return os.environ.get(VARIABLE) == PYTHON


def native_function(symbol: str) -> Any:
    """Return a function of the library: (argument block, result block) -> status; it releases the GIL."""
    check_sources()
    try:
        function = getattr(_library(), symbol)
    except AttributeError as error:
        raise KernelError(f"The compiled kernels lack {symbol}. Install Softdock again.") from error
    function.argtypes = (ctypes.c_char_p, ctypes.c_char_p)
    function.restype = ctypes.c_int
    return function


@functools.cache
def check_sources() -> None:
    """Raise KernelError if the sources in a checkout are not those that this process has imported.

    Entry points that are declared later clear the cache: their kernels may have been imported from newer files.
    """
    if sources.BUILDER.is_dir() and sources.source_digest() != sources.DIGEST_AT_IMPORT:
        raise KernelError(CHANGED)


def library_path(build: str) -> Path:
    """Return the file of a build."""
    return FOLDER / f"{NAME}.{build}.{SUFFIX}"


def default_builds() -> tuple[str, ...]:
    """Return the names of the builds for this kind of machine, lowest instruction set first."""
    machine = platform.machine().lower()
    return tuple(X86_LEVELS.values()) if machine in ("x86_64", "amd64") else (machine,)


def usable_builds() -> tuple[str, ...]:
    """Return the names of the installed builds that this processor can run, lowest instruction set first."""
    builds = [build for build in default_builds() if library_path(build).is_file()]
    if not builds or builds[0] not in X86_LEVELS.values():
        return tuple(builds)
    lowest = _load(library_path(builds[0]))
    supported = int(lowest.softdock_cpu_level())  # this function runs on every x86-64 processor
    return tuple(build for level, build in X86_LEVELS.items() if build in builds and level <= supported)


@functools.cache
def _library() -> ctypes.CDLL:
    chosen = os.environ.get(VARIABLE)
    if chosen and chosen not in BUILDS:
        raise KernelError(_missing(chosen))
    if sources.BUILDER.is_dir():
        _update((chosen,) if chosen else default_builds())
    build = chosen or next(reversed(usable_builds()), "")
    if not build or not library_path(build).is_file():
        raise KernelError(_missing(chosen))
    library = _load(library_path(build))
    if sources.BUILDER.is_dir() and _digest_of(library) != sources.DIGEST_AT_IMPORT:
        raise KernelError(CHANGED)  # another process has replaced the file
    return library


def _digest_of(library: ctypes.CDLL) -> str:
    """Return the digest of the sources of a loaded library."""
    return (ctypes.c_char * 64).in_dll(library, "softdock_source_digest").value.decode()


def _load(path: Path) -> ctypes.CDLL:
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END) - len(footer(0))
            file.seek(max(size, 0))
            if size < 0 or file.read() != footer(size):  # loading a truncated library would crash the process
                raise OSError(f"{path.name} is damaged")
        return ctypes.CDLL(str(path))
    except OSError as error:
        message = f"The compiled kernels cannot be loaded: {error}. Install Softdock again."
        raise KernelError(message) from error


def footer(size: int) -> bytes:
    """Return the last bytes of a complete library file, after `size` bytes of code."""
    return f"softdock kernels {size:012d}".encode()


def _missing(chosen: str | None) -> str:
    """Return the error message for a missing library."""
    installed = sorted(path.name.split(".")[1] for path in FOLDER.glob(f"{NAME}.*.{SUFFIX}"))
    choices = ", ".join([PYTHON, *installed])
    if chosen:
        return f"There is no build {chosen!r} of the compiled kernels. Set {VARIABLE} to one of: {choices}."
    slowly = f"Set {VARIABLE}={PYTHON} to run the kernels as plain Python, which is slow."
    if installed:
        return f"This processor cannot run the compiled kernels, which need AVX2 and FMA ({installed[0]}). {slowly}"
    return f"This installation has no compiled kernels for {platform.machine()}: install Softdock again. {slowly}"


def _update(builds: tuple[str, ...]) -> None:
    """Rebuild the libraries of a source checkout that are missing or outdated."""
    digest = sources.DIGEST_AT_IMPORT.encode()
    if all(library_path(build).is_file() and digest in library_path(build).read_bytes() for build in builds):
        return
    if importlib.util.find_spec("numba") is None:
        raise KernelError("The compiled kernels are older than their sources. Run `make kernels`.")
    print("Softdock: building the kernels, because their sources changed.", file=sys.stderr, flush=True)
    chosen = [option for build in builds for option in ("--build", build)]
    command = [sys.executable, "-m", "kernel_builder", *chosen]
    if subprocess.run(command, cwd=sources.BUILDER.parent, stdout=sys.stderr, check=False).returncode != 0:
        raise KernelError("The kernels could not be built; see the messages above.")
