"""Files from which C programs run kernels: arguments relative to blocks of memory, and the content of the blocks.

`runtime/softdock.c` reads them. They contain no addresses and no code, and fit the kernels of one version only.
"""

import ctypes
import functools
import hashlib
import importlib.util
import math
import struct
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from softdock.errors import RunError
from softdock.native import library, sources
from softdock.native.argument_types import Array, Memory
from softdock.native.structure_memory import CACHE_LINE, Block, MemoryLayout, arrays_in

RUNTIME = Path(__file__).parent / "runtime"
"""Sources of the programs in C, with the header for users."""
RUNTIME_SOURCES = ("softdock.h", "softdock.c", "fmi.c")
_MAGIC = b"SDMODEL1"
_FIELDS = (
    "t", "t_end", "log_rows", "returns_at_events", "first_input", "status_size",
    "states_A", "states_B", "results", "work", "block_count",
)  # fmt: skip
"""Places that programs need: bytes in DATA; words of states, results, records of lists; bytes in such a record."""
_HEADER = struct.Struct(f"<8s64s7q{len(Memory)}q3q{len(_FIELDS)}qd")
_NONE = -1


class ParameterEntry(NamedTuple):
    """Number of a block that depends on a parameter p: base + slope p."""

    parameter: int
    memory: Memory
    offset: int
    base: float
    slope: float


class ModelFile(NamedTuple):
    """Content of a file."""

    layout: MemoryLayout
    words: NDArray[np.int64]
    """Of all arguments of the kernel."""
    bases: NDArray[np.int64]
    blocks: Mapping[Memory, Block]
    """Content of MODEL and DATA at the start."""
    empty: Mapping[str, tuple[str, ...]]
    """Arrays of near lists of which numbers are -inf in an empty list: fields of records, none for numbers."""
    capacity: tuple[str, int]
    """Name of the dimension that may grow, and its largest size."""
    places: Mapping[str, int]
    outputs: Sequence[int] = ()
    inputs: int = 0
    parameters: Sequence[float] = ()
    entries: Sequence[ParameterEntry] = ()
    duration: float = 0.0

    def to_bytes(self) -> bytes:
        """Return the content of the file."""
        lists, capacity_words = self._lists()
        header = _HEADER.pack(
            _MAGIC,
            kernel_digest().encode(),
            len(self.words), len(lists) // 6, len(capacity_words), len(self.outputs), self.inputs, len(self.parameters),
            len(self.entries),
            *(self.layout.bytes[memory] for memory in Memory),
            self.layout.sizes[self.capacity[0]], self.capacity[1], int("results" in self.places),
            *(self.places.get(name, _NONE) for name in _FIELDS),
            self.duration,
        )  # fmt: skip
        kinds = list(Memory)
        entries = b"".join(
            struct.pack("<3q2d", e.parameter, kinds.index(e.memory), e.offset, e.base, e.slope)
            for e in self.entries
        )
        tables = [self.words, self.bases, lists, capacity_words, self.outputs]
        integers = b"".join(np.asarray(table, np.int64).tobytes() for table in tables)
        numbers = np.asarray(self.parameters, np.float64).tobytes()
        parts = [header, integers + numbers + entries]
        parts += [self.blocks[memory].tobytes() for memory in (Memory.MODEL, Memory.DATA)]
        return b"".join(part.ljust(_rounded(len(part)), b"\0") for part in parts)

    def _lists(self) -> tuple[list[int], list[int]]:
        """Return six numbers per array of near lists, and the words that are their capacity."""
        name, numbers, growing, word = self.capacity[0], [], [], 0
        for path, kind in arrays_in(self.layout.structure):
            grows = [k for k, size in enumerate(kind.shape) if size == name]
            growing += [word + 1 + k for k in grows]
            if kind.memory is Memory.LISTS:
                bytes_ = kind.dtype.itemsize * math.prod(
                    1 if size == name else self._size_of(size) for size in kind.shape
                )
                fixed, per_block = (0, bytes_) if grows else (bytes_, 0)
                numbers += [word, fixed, per_block, *self._empty_numbers(path, kind)]
            word += 1 + len(kind.shape)
        return numbers, growing

    def _size_of(self, size: int | str) -> int:
        return size if isinstance(size, int) else self.layout.sizes[size]

    def _empty_numbers(self, path: str, kind: Array) -> list[int]:
        """Return the size of a record and the bytes of at most two numbers of it that are -inf in an empty list."""
        if path not in self.empty:
            return [0, _NONE, _NONE]
        fields: Mapping[str, Any] = kind.dtype.fields or {}
        offsets = [int(fields[name][1]) for name in self.empty[path]] or [0]
        return [kind.dtype.itemsize, *offsets, *[_NONE] * (2 - len(offsets))]


def word_of(layout: MemoryLayout, path: str) -> int:
    """Return the index of the word with the address of an array."""
    word = 0
    for name, kind in arrays_in(layout.structure):
        if name == path:
            return word
        word += 1 + len(kind.shape)
    raise KeyError(path)


def _rounded(size: int) -> int:
    return -(-size // CACHE_LINE) * CACHE_LINE


def kernel_digest() -> str:
    """Return the digest of the sources of the kernels in use; raises RunError where they run as plain Python."""
    if library.runs_as_python():
        message = "Kernels run as plain Python here: nothing can be exported. Unset SOFTDOCK_KERNELS."
        raise RunError(message)
    library.prepare_kernels()
    return library.digest_in_use()


@functools.lru_cache
def _digest_of(path: Path) -> str:
    return library.digest_of(ctypes.CDLL(str(path)))


def kernel_files() -> list[Path]:
    """Return the libraries of kernels for this kind of machine, which a program in C needs in one folder."""
    digest = kernel_digest()
    paths = [library.library_path(build) for build in library.default_builds()]
    return [path for path in paths if path.is_file() and _digest_of(path) == digest]


def runtime_library() -> Path:
    """Return the library of the programs in C; in a source checkout after building it where needed."""
    path = library.FOLDER / f"softdock_fmu.{library.SUFFIX}"
    if sources.BUILDER.is_dir() and not (path.is_file() and runtime_digest() in path.read_bytes()):
        if importlib.util.find_spec("llvmlite") is None:
            raise RunError(f"{path.name} was not built yet. Run `make kernels`.")
        command = [sys.executable, "-m", "kernel_builder", "--runtime"]
        done = subprocess.run(command, cwd=sources.BUILDER.parent, stdout=sys.stderr, check=False)
        if done.returncode != 0:
            raise RunError("The library of the programs in C could not be built; see the messages above.")
    if not path.is_file():
        raise RunError(f"This installation has no {path.name}. Install Softdock again.")
    return path


def runtime_digest() -> bytes:
    """Return the digest of the sources of the programs in C, which their library contains."""
    content = b"".join((RUNTIME / name).read_bytes() for name in RUNTIME_SOURCES)
    return hashlib.sha256(content).hexdigest().encode()
