"""Structures whose arrays are views of one block of memory.

Types, shapes and alignment of these arrays follow from the declaration of the structure, so that they are correct by
construction and their addresses are known: they are not checked one by one when they are passed to compiled code.
"""

import functools
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from softdock.native.argument_types import ArgumentError, Array, PreparedStructure, Sizes, Structure

CACHE_LINE = 64
"""[bytes] Alignment of every array; SIMD loads across two cache lines are slow."""
_NDARRAY: Any = np.ndarray  # descriptors: attribute access on record arrays is slow
_new, _shape_of, _bytes_of = _NDARRAY.__new__, _NDARRAY.shape.__get__, _NDARRAY.tobytes


def allocate(
    structure: Structure,
    sizes: Sizes | None = None,
    *,
    copied: Mapping[str, np.ndarray] | None = None,
    given: Mapping[str, Any] | None = None,
) -> PreparedStructure:
    """Return a structure in a new block of memory, ready to be passed to entry points.

    Fields in `copied` are copies of arrays, fields in `given` are passed as they are (arrays or prepared structures),
    all other fields are zero. `sizes` has the named dimensions of fields that are zero. Raises ArgumentError, and
    KeyError where a size is missing.
    """
    copied, given = copied or {}, given or {}
    shapes = tuple([(name, _shape_of(array)) for name, array in copied.items()])
    layout = _layout(structure, tuple((sizes or {}).items()), shapes, tuple(given))
    memory = np.zeros(layout.size + CACHE_LINE, np.uint8)
    address = memory.ctypes.data
    start = -address % CACHE_LINE
    for (kind, begin, end), (name, array) in zip(layout.copies, copied.items()):
        try:
            kind.check_type(array)
        except ArgumentError as error:
            raise error.inside(name) from None
        if end > begin:
            memory[start + begin : start + end] = np.frombuffer(_bytes_of(array), np.uint8)
    arrays = [_new(cls, shape, dtype, memory, start + at) for cls, shape, dtype, at in layout.arrays]
    words = (layout.words + (address + start) * layout.is_address).tolist()
    return _join(structure, layout, iter(arrays), words, given)


def _join(
    structure: Structure,
    layout: "_Layout",
    arrays: Iterator[np.ndarray],
    allocated: list[int],
    given: Mapping[str, Any],
) -> PreparedStructure:
    """Return the structure of allocated arrays and given values, with the words of both in the order of its fields."""
    words: list[Any] = []
    values, sizes, first = [], dict(layout.sizes), 0
    for name, kind in structure.fields.items():
        if name in given:
            value = given[name]
            try:
                kind.pack(value, words, sizes)
            except ArgumentError as error:
                raise error.inside(name) from None
            values.append(value.value if isinstance(value, PreparedStructure) else value)
        else:
            last = layout.ends[name]
            words += allocated[first:last]
            first = last
            values.append(next(arrays) if isinstance(kind, Array) else _nested(kind, arrays))
    value = structure.type(*values)
    if structure.check is not None and (problem := structure.check(value)):
        raise ArgumentError(problem)
    return PreparedStructure(value, words, sizes)


def _nested(kind: Any, arrays: Iterator[np.ndarray]) -> Any:
    """Return a structure of the next arrays."""
    value = kind.type(
        *(next(arrays) if isinstance(item, Array) else _nested(item, arrays) for item in kind.fields.values())
    )
    if kind.check is not None and (problem := kind.check(value)):
        raise ArgumentError(problem)
    return value


class _Layout:
    """Places of the arrays of a structure in its block, and the words that refer to them."""

    def __init__(
        self,
        structure: Structure,
        sizes: Sizes,
        copied: tuple[tuple[str, tuple[int, ...]], ...],
        given: tuple[str, ...],
    ) -> None:
        self.size = 0
        """Bytes of the block."""
        self.sizes = sizes
        """Size of each named dimension of the allocated arrays."""
        self.arrays: list[tuple[type, tuple[int, ...], np.dtype[Any], int]] = []
        """Class, shape, type and first byte of every array."""
        self.copies: list[tuple[Array, int, int]] = []
        """Type, first byte and end of the fields that are copied."""
        self.ends: dict[str, int] = {}
        """Number of words of the allocated fields up to the end of each."""
        for name, shape in copied:
            try:
                structure.array(name).measure(shape, sizes)
            except ArgumentError as error:
                raise error.inside(name) from None
        words: list[int] = []
        is_address: list[int] = []
        places: dict[str, int] = {}
        for name, field in structure.fields.items():
            if name in given:
                continue
            places[name] = self.size
            for kind in _arrays_in(field):
                shape = tuple(size if isinstance(size, int) else sizes[size] for size in kind.shape)
                words += [self.size, *shape]
                is_address += [1, *(0 for _ in shape)]
                self._place(kind.dtype, shape)
            self.ends[name] = len(words)
        for name, shape in copied:
            kind = structure.array(name)
            size = kind.dtype.itemsize * int(np.prod(shape))
            self.copies.append((kind, places[name], places[name] + size))
        self.words, self.is_address = np.array(words, np.int64), np.array(is_address, np.int64)

    def _place(self, dtype: np.dtype[Any], shape: tuple[int, ...]) -> None:
        """Append an array to the block; arrays of records are record arrays, for kernels that run as Python."""
        if dtype.names is None:
            self.arrays.append((np.ndarray, shape, dtype, self.size))
        else:
            self.arrays.append((np.recarray, shape, _record_type(dtype), self.size))
        size = dtype.itemsize * int(np.prod(shape))
        self.size += -(-size // CACHE_LINE) * CACHE_LINE


@functools.lru_cache(maxsize=64)
def _layout(
    structure: Structure,
    sizes: tuple[tuple[str, int], ...],
    copied: tuple[tuple[str, tuple[int, ...]], ...],
    given: tuple[str, ...],
) -> _Layout:
    """Return the layout for some sizes; cached, because all runs of a campaign have the same."""
    return _Layout(structure, dict(sizes), copied, given)


@functools.cache
def _record_type(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the type of records with fields; one object each, because NumPy compares identical objects fast."""
    return np.dtype((np.record, dtype))


def _arrays_in(kind: Any) -> Iterator[Array]:
    """Return the types of all arrays of a field, in their order."""
    if isinstance(kind, Structure):
        for item in kind.fields.values():
            yield from _arrays_in(item)
    elif isinstance(kind, Array):
        yield kind
    else:
        raise TypeError(f"only arrays and structures of arrays can be allocated, not {kind}")
