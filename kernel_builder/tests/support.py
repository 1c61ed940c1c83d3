"""Compilation of the entry points of a test into a separate library."""

import ctypes
from pathlib import Path

import llvmlite.binding as llvm

from kernel_builder.frontend import compile_entry_point
from kernel_builder.linker import link
from kernel_builder.targets import find_target, machine_code
from softdock.native.entry_point import EntryPoint
from softdock.native.library import default_builds


def load(folder: Path, *entries: EntryPoint, build: str = default_builds()[0]) -> None:
    """Compile entry points for a build, so that calling them calls the compiled code."""
    target = find_target(build)
    objects = []
    for entry in entries:
        path = folder / f"{entry.symbol}.o"
        path.write_bytes(machine_code(compile_entry_point(entry, entries, target.boundscheck), target))
        objects.append(path)
    library = folder / f"kernels-{len(list(folder.iterdir()))}.so"
    link(objects, "digest of a test", library, llvm.get_process_triple())
    loaded = ctypes.CDLL(str(library))
    for entry in entries:
        function = getattr(loaded, entry.symbol)
        function.argtypes, function.restype = (ctypes.c_char_p, ctypes.c_char_p), ctypes.c_int
        entry._native = function
