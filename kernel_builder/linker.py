"""Links object files to a shared library with the system's C compiler driver."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
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
ADVICE = (
    "Install a C compiler (Debian: apt install gcc; macOS: xcode-select --install), or pip install ziglang."
)


class LinkError(Exception):
    """The library could not be linked; the message says what to do."""


def link(objects: Sequence[Path], digest: str, library: Path, triple: str) -> None:
    """Link object files to a shared library that depends on the C library only, with the digest of its sources."""
    about = [f'-DSOFTDOCK_SOURCE_DIGEST="{digest}"', "-O2", "-fPIC", str(Path(__file__).with_name("about.c"))]
    command = [*_driver(triple), "-shared", "-o", str(library), *about, *map(str, objects)]
    if "linux" in triple:
        command += ["-Wl,--no-undefined", "-Wl,-z,noexecstack", "-Wl,--strip-all", "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        output = done.stderr or done.stdout or f"it ended with {done.returncode} and no message"
        raise LinkError(f"{command[0]} failed: {output}")


def _driver(triple: str) -> list[str]:
    """Return the command of the compiler driver for a target."""
    native = triple == llvm.get_process_triple()
    names = ("cc", "gcc", "clang") if native else (f"{triple.replace('-unknown', '')}-gcc",)
    if native and (chosen := os.environ.get("CC")):
        return chosen.split()
    for name in names:
        if shutil.which(name):
            return [name]
    if importlib.util.find_spec("ziglang") is not None:
        return [sys.executable, "-m", "ziglang", "cc", "-target", triple.replace("-unknown", "")]
    raise LinkError(f"No C compiler was found to link the kernels for {triple}. {ADVICE}")


def undefined_symbols(library: Path) -> set[str]:
    """Return the names of the functions that a library takes from others, as they are called in C."""
    prefix = "_" if sys.platform == "darwin" else ""
    return {name.split("@")[0].removeprefix(prefix) for name in _undefined(library)}


def wheel_platform(libraries: Sequence[Path]) -> str:
    """Return the platform tag of a wheel with these libraries: on Linux by the version of glibc that they need."""
    system = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    if not system.startswith("linux"):
        return system
    names = (name for library in libraries for name in _undefined(library))
    versions = [
        tuple(map(int, version)) for name in names for version in re.findall(r"@+GLIBC_(\d+)\.(\d+)", name)
    ]
    if not versions:  # another C library
        return system
    major, minor = max(*versions, (2, 17))
    return f"manylinux_{major}_{minor}_{system.removeprefix('linux_')}"


def _undefined(library: Path) -> list[str]:
    """Return the functions that a library takes from others, as `nm` lists them: name@version."""
    tool = shutil.which("nm") or shutil.which("llvm-nm")
    if tool is None:
        raise LinkError("nm was not found, which checks the library: install binutils.")
    dynamic = [] if sys.platform == "darwin" else ["-D"]
    command = [tool, *dynamic, "-u", str(library)]
    listed = subprocess.run(command, capture_output=True, text=True, check=True)
    words = (line.split() for line in listed.stdout.splitlines())
    return [line[-1] for line in words if line and line[0] not in ("w", "v")]
