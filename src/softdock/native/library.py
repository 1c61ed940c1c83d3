"""Loading of the shared library of compiled kernels.

There is one file per instruction set, named `softdock_kernels.<build>.<suffix>`. `SOFTDOCK_KERNELS` selects a build by
name (`x86-64-v3`, `boundscheck`) or plain Python (`python`); without it, the best build that this processor can run is
loaded. A build that the processor cannot run and a file with changed bytes are errors. In a source checkout a library
that is missing, damaged or outdated is rebuilt; without the tools of the builder an error is raised. A process whose
imported kernels have other sources than the files or the library calls none of them: it ends with an error.
"""

import ctypes
import functools
import importlib.util
import os
import platform
import subprocess
import sys
import zlib
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
LOWEST_LEVEL = min(X86_LEVELS)
"""Level of the lowest build, and of the one with checked indices."""
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
    supported = processor_level(_load(library_path(builds[0])))
    return tuple(build for build in builds if _level_of(build) <= supported)


def processor_level(library: ctypes.CDLL) -> int:
    """Return the x86-64 level of this processor (2 to 4; 0 on others); any build for its architecture knows it."""
    return int(library.softdock_cpu_level())


def _level_of(build: str) -> int:
    """Return the x86-64 level that a build for this kind of machine needs; 0 on other architectures."""
    if default_builds()[0] not in X86_LEVELS.values():
        return 0
    return next((level for level, name in X86_LEVELS.items() if name == build), LOWEST_LEVEL)


def prepare_kernels() -> None:
    """Load the library, in a source checkout after building it where needed: no build falls into a measured time."""
    if not runs_as_python():
        _library()


@functools.cache
def _library() -> ctypes.CDLL:
    chosen = os.environ.get(VARIABLE)
    if chosen and chosen not in (*default_builds(), BOUNDSCHECK):
        reason = (
            f"is not for this kind of machine ({platform.machine()})"
            if chosen in BUILDS
            else "does not exist"
        )
        raise KernelError(_choose_another(chosen, reason))
    if sources.BUILDER.is_dir():
        _update((chosen,) if chosen else default_builds())
    build = chosen or next(reversed(usable_builds()), "")
    if not build:
        raise KernelError(_none_usable())
    if not library_path(build).is_file():
        raise KernelError(_choose_another(build, "is not installed"))
    library = _load(library_path(build))
    if _level_of(build) > processor_level(library):
        raise KernelError(_choose_another(build, "needs instructions that this processor does not have"))
    if sources.BUILDER.is_dir() and digest_of(library) != sources.DIGEST_AT_IMPORT:
        raise KernelError(CHANGED)  # another process has replaced the file
    return library


def digest_in_use() -> str:
    """Return the digest of the sources of the compiled kernels that this process uses."""
    return digest_of(_library())


def digest_of(library: ctypes.CDLL) -> str:
    """Return the digest of the sources of a loaded library."""
    return (ctypes.c_char * 64).in_dll(library, "softdock_source_digest").value.decode()


def _load(path: Path) -> ctypes.CDLL:
    """Load a library whose bytes are those that the builder wrote; others could crash, or compute wrongly."""
    try:
        if not is_intact(path.read_bytes()):
            raise OSError(f"{path.name} is damaged")
        return ctypes.CDLL(str(path))
    except OSError as error:
        again = "Run `make kernels`." if sources.BUILDER.is_dir() else "Install Softdock again."
        raise KernelError(f"The compiled kernels cannot be loaded: {error}. {again}") from error


def footer(code: bytes | memoryview) -> bytes:
    """Return the last bytes of a library file: a checksum of all bytes before.

    It notices damage, no forgery: who can write the file can write a footer. CRC-32 takes 0.25 ms per megabyte, in
    every process; BLAKE2b takes 1.1 ms.
    """
    return f"softdock kernels {len(code):012d} {zlib.crc32(code):08x}".encode()


def is_intact(content: bytes) -> bool:
    """Return whether the content of a library file is what the builder wrote."""
    size = len(content) - len(footer(b""))
    return size > 0 and content[size:] == footer(memoryview(content)[:size])


def _choose_another(build: str, reason: str) -> str:
    """Return the error message for a build that was selected and cannot be used, with the names that can."""
    in_checkout = sources.BUILDER.is_dir()  # which builds what is missing
    usable = usable_builds()
    if in_checkout and not library_path(default_builds()[0]).is_file():
        usable = default_builds()
    checked = (BOUNDSCHECK,) if usable and (in_checkout or library_path(BOUNDSCHECK).is_file()) else ()
    names = ", ".join((PYTHON, *usable, *checked))
    return f"The build {build!r} of the compiled kernels {reason}. Set {VARIABLE} to one of: {names}; or unset it."


def _none_usable() -> str:
    """Return the error message where no build was selected and none can be used."""
    slowly = f"Set {VARIABLE}={PYTHON} to run the kernels as plain Python, which is slow."
    lowest = default_builds()[0]
    if library_path(lowest).is_file():
        return f"This processor cannot run the compiled kernels, which need AVX2 and FMA ({lowest}). {slowly}"
    return f"This installation has no compiled kernels for {platform.machine()}: install Softdock again. {slowly}"


def _update(builds: tuple[str, ...]) -> None:
    """Rebuild the libraries of a source checkout that are missing, damaged or outdated."""
    reasons = [reason for build in builds if (reason := _reason_to_build(library_path(build)))]
    if not reasons:
        return
    if importlib.util.find_spec("numba") is None:
        raise KernelError(f"The compiled kernels cannot be used: {reasons[0]}. Run `make kernels`.")
    text = f"Softdock: building the kernels, because {reasons[0]}. A full build takes a minute or two."
    print(text, file=sys.stderr, flush=True)
    chosen = [option for build in builds for option in ("--build", build)]
    command = [sys.executable, "-m", "kernel_builder", *chosen]
    if subprocess.run(command, cwd=sources.BUILDER.parent, stdout=sys.stderr, check=False).returncode != 0:
        raise KernelError("The kernels could not be built; see the messages above.")


def _reason_to_build(path: Path) -> str:
    """Return why a library must be built, as the end of a sentence; empty if it need not."""
    if not path.is_file():
        return f"{path.name} was not built yet"
    content = path.read_bytes()
    if not is_intact(content):
        return f"{path.name} is damaged"
    return "" if sources.DIGEST_AT_IMPORT.encode() in content else "their sources changed"
