"""Memory of structures: one contiguous block for each kind of memory, with the places of all arrays.

Types, shapes and alignment of the arrays follow from the declaration of the structure, so that they are correct by
construction and their addresses are known: they are not checked one by one when they are passed to compiled code.
Blocks contain numbers only, no addresses: they can be copied, stored and read by another process.
"""

import functools
import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from softdock.native.argument_types import (
    ArgumentError,
    Array,
    Memory,
    PreparedStructure,
    Sizes,
    StructureArgument,
)

Block = NDArray[np.uint8]
Blocks = Mapping[Memory, Block]
CACHE_LINE = 64
"""[bytes] Alignment of every array; SIMD loads across two cache lines are slow."""
_NDARRAY: Any = np.ndarray  # descriptors: attribute access on record arrays is slow
_new, _shape_of, _bytes_of = _NDARRAY.__new__, _NDARRAY.shape.__get__, _NDARRAY.tobytes


class Place(NamedTuple):
    """Place of an array in the block of its kind of memory."""

    path: str
    """Names of the fields, separated by dots."""
    memory: Memory
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    offset: int
    """First byte."""
    end: int
    """Byte after the last one."""


class MemoryLayout:
    """Places of all arrays of a structure for given sizes of its named dimensions."""

    def __init__(self, structure: StructureArgument, sizes: Sizes) -> None:
        """Place all arrays, in the order of their declaration. Raises KeyError where a size is missing."""
        self.structure, self.sizes = structure, sizes
        self.bytes = dict.fromkeys(Memory, 0)
        """Size of each block."""
        self.places: dict[str, Place] = {}
        words: list[int] = []
        bases: list[int] = []
        kinds = list(Memory)
        for path, kind in arrays_in(structure):
            memory = kind.memory or Memory.DATA
            shape = tuple(size if isinstance(size, int) else sizes[size] for size in kind.shape)
            begin = self.bytes[memory]
            end = begin + kind.dtype.itemsize * math.prod(shape)
            self.places[path] = Place(path, memory, kind.dtype, shape, begin, end)
            self.bytes[memory] = -(-end // CACHE_LINE) * CACHE_LINE
            words += [begin, *shape]
            bases += [kinds.index(memory), *(len(kinds) for _ in shape)]
        self.words: NDArray[np.int64] = np.array(words, np.int64)
        """Words of the structure, as compiled code receives them, with addresses relative to their blocks."""
        self.bases: NDArray[np.int64] = np.array(bases, np.int64)
        """Index of the block (in the order of `Memory`) to whose address a word is relative; their number: none."""
        self._views = [
            (*_class_and_type(place.dtype), place.shape, kinds.index(place.memory), place.offset)
            for place in self.places.values()
        ]

    def block(self, memory: Memory) -> Block:
        """Return a new aligned block of zeros for a kind of memory."""
        size = self.bytes[memory]
        bytes_ = np.zeros(size + CACHE_LINE, np.uint8)
        start = -bytes_.ctypes.data % CACHE_LINE
        return bytes_[start : start + size]

    def view(self, path: str, block: Block) -> np.ndarray:
        """Return an array in the block of its kind of memory."""
        place = self.places[path]
        cls, dtype = _class_and_type(place.dtype)
        array: np.ndarray = _new(cls, place.shape, dtype, block, place.offset)
        return array

    def write(self, path: str, array: np.ndarray, block: Block) -> None:
        """Copy an array of the type and shape of its place into the block of its kind of memory."""
        place = self.places[path]
        if place.end > place.offset:
            block[place.offset : place.end] = np.frombuffer(_bytes_of(array), np.uint8)

    def bind(self, blocks: Blocks) -> PreparedStructure:
        """Return the structure of views of blocks, ready to be passed to entry points.

        Raises ArgumentError where sizes that depend on each other do not fit.
        """
        ordered = [blocks[memory] for memory in Memory]
        arrays = [_new(cls, shape, dtype, ordered[i], at) for cls, dtype, shape, i, at in self._views]
        value = _nested(self.structure, iter(arrays))
        addresses = np.array([block.ctypes.data for block in ordered] + [0], np.int64)
        words = (self.words + addresses[self.bases]).tolist()
        return PreparedStructure(value, words, dict(self.sizes))

    def table(self) -> str:
        """Return the layout as text: one line per array with memory, first byte, type, shape and name."""
        lines = [
            f"{p.memory.value:8}{p.offset:10d}  {_type_name(p.dtype):8}{p.shape!s:16}{p.path}"
            for p in sorted(self.places.values(), key=lambda p: list(Memory).index(p.memory))
        ]
        return "\n".join(lines)


@functools.lru_cache(maxsize=64)
def _layout(structure: StructureArgument, sizes: tuple[tuple[str, int], ...]) -> MemoryLayout:
    """Return the layout for some sizes; cached, because all runs of a campaign have the same."""
    return MemoryLayout(structure, dict(sizes))


def layout_of(
    structure: StructureArgument, sizes: Mapping[str, int], copied: Mapping[str, np.ndarray]
) -> MemoryLayout:
    """Return the layout of a structure for named dimensions and arrays that will be copied, by path.

    Raises ArgumentError for an array that is not of the declared type, and KeyError where a size is missing.
    """
    known = dict(sizes)
    for path, array in copied.items():
        kind = _declared(structure)[path]
        try:
            kind.check_type(array)
            kind.measure(_shape_of(array), known)
        except ArgumentError as error:
            raise error.inside(path) from None
    return _layout(structure, tuple(sorted(known.items())))


def allocate(
    structure: StructureArgument,
    sizes: Mapping[str, int] | None = None,
    *,
    copied: Mapping[str, np.ndarray] | None = None,
) -> PreparedStructure:
    """Return a structure in new blocks of memory, ready to be passed to entry points.

    Arrays in `copied`, by path, are copied; all others are zero. `sizes` has the named dimensions of those. Raises
    ArgumentError, and KeyError where a size is missing.
    """
    layout = layout_of(structure, sizes or {}, copied or {})
    blocks = {memory: layout.block(memory) for memory in Memory}
    for path, array in (copied or {}).items():
        layout.write(path, array, blocks[layout.places[path].memory])
    return layout.bind(blocks)


def arrays_in(structure: StructureArgument, path: str = "") -> Iterator[tuple[str, Array]]:
    """Yield the paths and types of all arrays of a structure, in their order."""
    for name, kind in structure.fields.items():
        inside = f"{path}{name}"
        if isinstance(kind, StructureArgument):
            yield from arrays_in(kind, f"{inside}.")
        elif isinstance(kind, Array):
            yield inside, kind
        else:
            raise TypeError(f"only arrays and structures of arrays can be allocated, not {kind}")


@functools.cache
def _declared(structure: StructureArgument) -> dict[str, Array]:
    """Return the types of all arrays of a structure by path."""
    return dict(arrays_in(structure))


def _nested(structure: Any, arrays: Iterator[np.ndarray]) -> Any:
    """Return a structure of the next arrays. Raises ArgumentError."""
    value = structure.type(
        *[
            next(arrays) if isinstance(kind, Array) else _nested(kind, arrays)
            for kind in structure.fields.values()
        ]
    )
    if structure.check is not None and (problem := structure.check(value)):
        raise ArgumentError(problem)
    return value


@functools.cache
def _class_and_type(dtype: np.dtype[Any]) -> tuple[type, np.dtype[Any]]:
    """Return class and type of the view of an array: record arrays for records, for kernels that run as Python.

    One object each, because NumPy compares identical types fast.
    """
    return (np.ndarray, dtype) if dtype.names is None else (np.recarray, np.dtype((np.record, dtype)))


def _type_name(dtype: np.dtype[Any]) -> str:
    return dtype.name if dtype.names is None else "records"
