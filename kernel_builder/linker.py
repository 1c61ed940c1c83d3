"""Links object files to a shared library with a C compiler driver: the system's, or else that of the package ziglang.

`python -m kernel_builder.linker` prints what has to be installed from PyPI to link on this machine: mostly nothing.
"""

import functools
import importlib.util
import os
import re
import shlex
import shutil
import struct
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import llvmlite.binding as llvm

ALLOWED = frozenset(
    (
        *(
            "acos",
            "asin",
            "atan",
            "atan2",
            "cbrt",
            "ceil",
            "cos",
            "cosh",
            "exp",
            "exp2",
            "expm1",
            "fabs",
            "floor",
        ),
        *(
            "fma",
            "fmod",
            "hypot",
            "ldexp",
            "log",
            "log10",
            "log1p",
            "log2",
            "nextafter",
            "pow",
            "rint",
            "round",
        ),
        *("sin", "sincos", "sinh", "sqrt", "tan", "tanh", "trunc", "memcpy", "memmove", "memset"),
        *("__sincos_stret", "bzero", "memset_pattern16", "dyld_stub_binder"),  # macOS
    )
)
"""Functions of the C library that kernels may call."""
COMPILERS = ("cc", "gcc", "clang")
"""Names of C compilers of the system."""
ZIGLANG = "ziglang==0.17.0"
"""Package of a compiler driver that needs no system of its own (Clang, LLD, interfaces of C libraries)."""
ADVICE = (
    "Install a C compiler (Debian: apt install gcc libc6-dev; macOS: xcode-select --install), "
    f"or pip install {ZIGLANG}."
)
UNDEFINED, WEAK = 0, 2
"""In the symbol table of an ELF file: section of a symbol of another file, binding of one that may be missing."""
CACHE = Path(__file__).parents[1] / "build" / "ziglang"
"""Where the driver of ziglang keeps the parts of the C library that it makes at its first use."""


class LinkError(Exception):
    """The library could not be linked; the message says what to do."""


def link(objects: Sequence[Path], digest: str, library: Path, triple: str) -> None:
    """Link object files to a shared library that depends on the C library only, with the digest of its sources."""
    driver = find_driver(triple)
    problem = _problem_of_linking(driver, objects, digest, library, triple)
    if problem:
        raise LinkError(f"{driver[0]} failed: {problem}")


def link_runtime(folder: Path, digest: str, library: Path, triple: str) -> None:
    """Compile the programs in C that run plants without Python to a shared library."""
    driver = find_driver(triple)
    options = ["-O2", "-fPIC", "-shared", "-fvisibility=hidden", f'-DSOFTDOCK_RUNTIME_DIGEST="{digest}"']
    command = [*driver, *options, "-o", str(library), *map(str, sorted(folder.glob("*.c")))]
    if "linux" in triple:
        command += ["-ldl", "-lm", "-Wl,-z,noexecstack", "-Wl,--strip-all"]
    caches = {f"ZIG_{scope}_CACHE_DIR": str(CACHE) for scope in ("GLOBAL", "LOCAL")}
    done = subprocess.run(
        command,
        env={**caches, **os.environ},
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    if done.returncode != 0:
        raise LinkError(f"{driver[0]} failed: {done.stderr or done.stdout}")


@functools.cache
def find_driver(triple: str) -> tuple[str, ...]:
    """Return the command of a compiler driver for a target, the first of those on this machine that links a library."""
    problems = []
    for driver in _drivers(triple):
        with tempfile.TemporaryDirectory() as folder:
            problem = _problem_of_linking(driver, [], "", Path(folder) / "library", triple)
        if not problem:
            return driver
        problems.append(f" {shlex.join(driver)} cannot be used: {problem.strip()}")
    raise LinkError(f"No C compiler was found to link the kernels for {triple}. {ADVICE}{''.join(problems)}")


def _drivers(triple: str) -> Iterator[tuple[str, ...]]:
    """Yield the commands that may be compiler drivers for a target; `CC` is the only one where it is set."""
    native = triple == llvm.get_process_triple()
    if native and (chosen := os.environ.get("CC")):
        yield tuple(shlex.split(chosen))
        return
    for name in COMPILERS if native else (f"{triple.replace('-unknown', '')}-gcc",):
        if shutil.which(name):
            yield (name,)
    if importlib.util.find_spec("ziglang") is not None:
        yield sys.executable, "-m", "ziglang", "cc", "-target", triple.replace("-unknown", "")


def _problem_of_linking(
    driver: Sequence[str], objects: Sequence[Path], digest: str, library: Path, triple: str
) -> str:
    """Link object files with a driver; returns what it printed if it failed, else nothing."""
    about = [f'-DSOFTDOCK_SOURCE_DIGEST="{digest}"', "-O2", "-fPIC", str(Path(__file__).with_name("about.c"))]
    command = [*driver, "-shared", "-o", str(library), *about, *map(str, objects)]
    if "linux" in triple:
        command += ["-Wl,--no-undefined", "-Wl,-z,noexecstack", "-Wl,--strip-all", "-lm"]
    caches = {f"ZIG_{scope}_CACHE_DIR": str(CACHE) for scope in ("GLOBAL", "LOCAL")}
    try:
        done = subprocess.run(
            command, env={**caches, **os.environ}, capture_output=True, encoding="utf-8", errors="replace",
            check=False,
        )  # fmt: skip
    except OSError as error:
        return str(error)
    if done.returncode == 0:
        return ""
    return done.stderr or done.stdout or f"it ended with {done.returncode} and no message"


def requirements() -> list[str]:
    """Return what else the build needs from PyPI: a linker where this machine has none."""
    if os.environ.get("CC"):
        return []
    try:
        return [ZIGLANG] if "ziglang" in find_driver(llvm.get_process_triple()) else []
    except LinkError:
        return [ZIGLANG]


def undefined_symbols(library: Path) -> set[str]:
    """Return the names of the functions that a library takes from others, without those that may be missing (weak)."""
    if sys.platform == "darwin":
        listed = subprocess.run(["nm", "-u", str(library)], capture_output=True, text=True, check=True)
        return {line.split()[-1].removeprefix("_") for line in listed.stdout.splitlines() if line.split()}
    sections = _sections(library)
    names, found = sections[".dynstr"], set()
    for name, information, _, section, _, _ in struct.iter_unpack("<IBBHQQ", sections[".dynsym"]):
        if name and section == UNDEFINED and information >> 4 != WEAK:
            found.add(names[name : names.index(b"\0", name)].decode())
    return found


def wheel_platform(libraries: Sequence[Path]) -> str:
    """Return the platform tag of a wheel with these libraries: on Linux by the version of glibc that they need."""
    system = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    if not system.startswith("linux"):
        return system
    names = b"".join(_sections(library)[".dynstr"] for library in libraries)
    versions = [tuple(map(int, version)) for version in re.findall(rb"\0GLIBC_(\d+)\.(\d+)", names)]
    if not versions:  # another C library
        return system
    major, minor = max(*versions, (2, 17))
    return f"manylinux_{major}_{minor}_{system.removeprefix('linux_')}"


def _sections(library: Path) -> dict[str, bytes]:
    """Return the content of all sections of an ELF file by name."""
    sections = llvm.ObjectFileRef.from_path(str(library)).sections()
    return {(section.name() or b"").decode(): section.data() for section in sections}


if __name__ == "__main__":  # for the Makefile and the hook of the build backend
    for needed in requirements():
        text = f"There is no C compiler here ({', '.join(COMPILERS)}) that links; a linker is taken from PyPI"
        print(f"{text}: {needed} (100 MB).", file=sys.stderr)
        print(needed)
