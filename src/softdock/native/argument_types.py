"""Argument types of entry points, and the packing of Python values for compiled code.

Compiled code receives one block of 64-bit words. A number takes one word; an array takes the address of its data and
one word per dimension; a record takes its address; tuples and structures take the words of their items in order.
Values are checked before they are passed: a wrong type, shape or memory layout raises `ArgumentError`.
"""

import ctypes
import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np

Dimension = int | str
"""A fixed size, or a name; equal names in one call have equal sizes."""
Sizes = dict[str, int]
"""Size of each named dimension in a call."""

_NDARRAY: Any = np.ndarray  # descriptors: attribute access on record arrays is slow
_dtype_of, _shape_of = _NDARRAY.dtype.__get__, _NDARRAY.shape.__get__
_flags_of, _ctypes_of, _size_of = _NDARRAY.flags.__get__, _NDARRAY.ctypes.__get__, _NDARRAY.size.__get__
_buffer_of: Any = ctypes.c_char.from_buffer
_LAYOUT, _WRITABLE_LAYOUT = 0x101, 0x501  # flags of NumPy: C-contiguous and aligned; and writable
_MAXIMUM_CACHED_TYPES = 16  # dtypes known to be equal to that of an array type


class ArgumentError(TypeError):
    """An argument does not match its declaration; names the argument, the expected type and the given value."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.path = ""
        """Dotted path of the argument; containing types prepend their names as the error propagates."""

    def inside(self, name: str) -> "ArgumentError":
        """Prepend the name of an item or field to the path and return the error."""
        separator = "" if self.path.startswith("[") or not self.path else "."
        self.path = f"{name}{separator}{self.path}"
        self.args = (f"{self.path}: {self.problem}",)
        return self


def _fail(expected: str, value: Any) -> ArgumentError:
    return ArgumentError(f"expected {expected}; given {_describe(value)}")


def _describe(value: Any) -> str:
    if not isinstance(value, np.ndarray):
        return f"{type(value).__name__} {value!r:.80}"
    flags = value.flags
    layout = "" if flags.c_contiguous else ", not C-contiguous"
    layout += "" if flags.writeable else ", read-only"
    return f"array of shape {value.shape} and type {_name_of(value.dtype)}{layout}"


def _name_of(dtype: np.dtype[Any]) -> str:
    return str(dtype) if dtype.names is None else f"record({', '.join(dtype.names)})"


@dataclass(frozen=True)
class Scalar:
    """A number."""

    name: str
    code: str
    """Format character of `struct`."""
    accepts: tuple[type, ...]

    def pack(self, value: Any, words: list[Any], sizes: Sizes) -> None:
        """Append the words of a value. Raises ArgumentError."""
        if not isinstance(value, self.accepts):
            raise _fail(self.name, value)
        words.append(value)

    def codes(self) -> Iterator[str]:
        """Return the format characters of the words."""
        yield self.code


FLOAT = Scalar("a float", "d", (float, int, np.floating, np.integer))
INTEGER = Scalar("an integer", "q", (int, np.integer))
BOOLEAN = Scalar("a boolean", "q", (bool, np.bool_))


@dataclass(frozen=True)
class Tuple:
    """A tuple of values."""

    items: tuple["ArgumentType", ...]

    def pack(self, value: Any, words: list[Any], sizes: Sizes) -> None:
        """Append the words of a value. Raises ArgumentError."""
        if not isinstance(value, tuple) or len(value) != len(self.items):
            raise _fail(f"a tuple of {len(self.items)}", value)
        for i, (item, part) in enumerate(zip(self.items, value, strict=True)):
            try:
                item.pack(part, words, sizes)
            except ArgumentError as error:
                raise error.inside(f"[{i}]") from None

    def codes(self) -> Iterator[str]:
        """Return the format characters of the words."""
        for item in self.items:
            yield from item.codes()


class Memory(Enum):
    """Kind of memory of an array: who may change it, and whether a saved state contains it."""

    MODEL = "model"
    """Constant in a run; shared by runs and threads, and read-only."""
    DATA = "data"
    """Changes in a run; a saved state contains it."""
    LISTS = "lists"
    """As DATA, and may grow in a run."""
    ROWS = "rows"
    """Tables to which a run appends rows; a saved state contains those that are written."""
    SCRATCH = "scratch"
    """Holds nothing between two calls of a kernel; not saved."""


VECTOR = Tuple((FLOAT,) * 3)
MATRIX = Tuple((VECTOR,) * 3)
"""Three rows."""


@dataclass(frozen=True)
class Array:
    """A C-contiguous array with elements of one type; record types are NumPy structured types."""

    dtype: np.dtype[Any]
    shape: tuple[Dimension, ...]
    writable: bool = True
    """False: kernels declare that they only read it, and read-only arrays are accepted."""
    memory: Memory | None = field(default=None, compare=False)
    """Kind of memory, for fields of structures that are allocated; arrays of MODEL may be read-only."""
    _equal: dict[int, np.dtype[Any]] = field(default_factory=dict, repr=False, compare=False)
    """Equal dtypes by identity; a cache, because comparing record types takes longer than passing them."""

    _layout: int = field(init=False, repr=False, compare=False)
    """Required flags of NumPy."""
    _has_plain_buffer: bool = field(init=False, repr=False, compare=False)
    """Whether the buffer protocol gives the address; for records NumPy would describe every field."""

    def __post_init__(self) -> None:
        changes = self.writable and self.memory is not Memory.MODEL
        object.__setattr__(self, "_layout", _WRITABLE_LAYOUT if changes else _LAYOUT)
        object.__setattr__(self, "_has_plain_buffer", changes and self.dtype.names is None)

    def pack(self, value: Any, words: list[Any], sizes: Sizes) -> None:
        """Append the words of a value. Raises ArgumentError."""
        self.check_type(value)
        shape, layout = _shape_of(value), self._layout
        if _flags_of(value).num & layout != layout:
            raise _fail(str(self), value)
        self.measure(shape, sizes)
        if self._has_plain_buffer and _size_of(value) > 0:
            words.append(ctypes.addressof(_buffer_of(value)))  # in a quarter of the time of the other way
        else:
            words.append(_ctypes_of(value).data)
        words += shape

    def check_type(self, value: Any) -> None:
        """Raise ArgumentError for a value that is no array of this type."""
        if not isinstance(value, np.ndarray) or not self._is_of_type(_dtype_of(value)):
            raise _fail(str(self), value)

    def measure(self, shape: tuple[int, ...], sizes: Sizes) -> None:
        """Check a shape, and add the sizes of its named dimensions. Raises ArgumentError."""
        if len(shape) != len(self.shape):
            raise ArgumentError(f"expected {self}; given array of shape {shape}")
        for size, wanted in zip(shape, self.shape):
            if wanted.__class__ is int:
                if size != wanted:
                    raise ArgumentError(f"expected {self}; given array of shape {shape}")
            elif sizes.setdefault(wanted, size) != size:  # type: ignore[arg-type]
                expected = f"{self} with {wanted} = {sizes[wanted]} as in a previous argument"  # type: ignore[index]
                raise ArgumentError(f"expected {expected}; given array of shape {shape}")

    def _is_of_type(self, dtype: np.dtype[Any]) -> bool:
        if id(dtype) in self._equal:
            return True
        if dtype != self.dtype:
            return False
        if len(self._equal) < _MAXIMUM_CACHED_TYPES:
            self._equal[id(dtype)] = dtype  # a reference, so that the identity is not reused
        return True

    def codes(self) -> Iterator[str]:
        """Return the format characters of the words."""
        yield "q" * (1 + len(self.shape))

    def __str__(self) -> str:
        kind = "C-contiguous writable" if self.writable else "C-contiguous"
        sizes = ", ".join(map(str, self.shape))
        return f"a {kind} array of shape ({sizes}) and type {_name_of(self.dtype)}"


@dataclass(frozen=True)
class RecordArgument:
    """One record of a structured array."""

    dtype: np.dtype[Any]

    def pack(self, value: Any, words: list[Any], sizes: Sizes) -> None:
        """Append the words of a value. Raises ArgumentError."""
        if not isinstance(value, np.void) or value.dtype != self.dtype or not value.flags.writeable:
            raise _fail(f"a writable {_name_of(self.dtype)}", value)
        words.append(value.__array_interface__["data"][0])

    def codes(self) -> Iterator[str]:
        """Return the format characters of the words."""
        yield "q"


@dataclass(frozen=True, eq=False)
class PreparedStructure:
    """A structure that is checked and packed once and passed several times."""

    value: Any
    words: list[Any]
    sizes: Sizes


@dataclass(frozen=True, eq=False)
class StructureArgument:
    """A named tuple; compiled code accesses its fields by name, through one address."""

    type: type
    fields: Mapping[str, "ArgumentType"]
    check: Callable[[Any], str | None] | None = None
    """Returns a description of a problem with a value whose fields have the right types, or None."""

    def __post_init__(self) -> None:
        expected = getattr(self.type, "_fields", ())
        if tuple(self.fields) != tuple(expected):
            raise TypeError(f"{self.type.__name__} has the fields {expected}, not {tuple(self.fields)}")

    def pack(self, value: Any, words: list[Any], sizes: Sizes) -> None:
        """Append the words of a value. Raises ArgumentError."""
        if isinstance(value, PreparedStructure):
            self._pack_prepared(value, words, sizes)
            return
        if not isinstance(value, self.type):
            raise _fail(self.type.__name__, value)
        name = ""
        try:
            for name, item in zip(self.fields, value, strict=True):  # type: ignore[call-overload]
                self.fields[name].pack(item, words, sizes)
        except ArgumentError as error:
            raise error.inside(name) from None
        if self.check is not None and (problem := self.check(value)):
            raise ArgumentError(problem)

    def array(self, name: str) -> Array:
        """Return the type of a field that is an array."""
        kind = self.fields[name]
        if not isinstance(kind, Array):
            raise TypeError(f"{self.type.__name__}.{name} is not an array")
        return kind

    def prepare(self, value: Any) -> PreparedStructure:
        """Check and pack a value once for several calls. Raises ArgumentError."""
        words: list[Any] = []
        sizes: Sizes = {}
        self.pack(value, words, sizes)
        return PreparedStructure(value, words, sizes)

    def _pack_prepared(self, prepared: PreparedStructure, words: list[Any], sizes: Sizes) -> None:
        if not isinstance(prepared.value, self.type):
            raise _fail(self.type.__name__, prepared.value)
        for name, size in prepared.sizes.items():
            if sizes.setdefault(name, size) != size:
                raise ArgumentError(
                    f"expected {name} = {sizes[name]} as in a previous argument; given {size}"
                )
        words += prepared.words

    def codes(self) -> Iterator[str]:
        """Return the format characters of the words."""
        for field_type in self.fields.values():
            yield from field_type.codes()


def plain_value(value: Any) -> Any:
    """Return the Python value of an argument, which may be a `PreparedStructure`."""
    return value.value if isinstance(value, PreparedStructure) else value


ArgumentType = Scalar | Tuple | Array | RecordArgument | StructureArgument
FLOAT64 = np.dtype(np.float64)
INT64 = np.dtype(np.int64)
BOOL = np.dtype(np.bool_)


def floats(*shape: Dimension, writable: bool = True, memory: Memory | None = None) -> Array:
    """Return the type of an array of floats."""
    return Array(FLOAT64, shape, writable, memory)


def integers(*shape: Dimension, writable: bool = True, memory: Memory | None = None) -> Array:
    """Return the type of an array of integers."""
    return Array(INT64, shape, writable, memory)


def records(
    dtype: np.dtype[Any], *shape: Dimension, writable: bool = True, memory: Memory | None = None
) -> Array:
    """Return the type of an array of records."""
    return Array(dtype, shape, writable, memory)


@dataclass(frozen=True, eq=False)
class Signature:
    """Types of the arguments and of the result of an entry point."""

    name: str
    arguments: dict[str, ArgumentType]
    returns: Scalar | Tuple | None = None
    check: Callable[..., str | None] | None = None
    """Returns a description of a problem with the sizes of the arguments, or None."""
    words: struct.Struct = field(init=False)
    """Layout of the argument block."""
    results: struct.Struct = field(init=False)
    """Layout of the result block."""

    def __post_init__(self) -> None:
        codes = (code for argument in self.arguments.values() for code in argument.codes())
        object.__setattr__(self, "words", struct.Struct("".join(codes)))
        returned = "" if self.returns is None else "".join(self.returns.codes())
        object.__setattr__(self, "results", struct.Struct(returned))

    def pack(self, args: tuple[Any, ...]) -> bytes:
        """Return the block of words of the arguments. Raises ArgumentError."""
        if len(args) != len(self.arguments):
            raise TypeError(f"{self.name}: expected {len(self.arguments)} arguments; given {len(args)}")
        words: list[Any] = []
        sizes: Sizes = {}
        for (name, argument), value in zip(self.arguments.items(), args, strict=True):
            try:
                argument.pack(value, words, sizes)
            except ArgumentError as error:
                raise error.inside(f"{self.name}: {name}") from None
        if self.check is not None and (problem := self.check(*map(plain_value, args))):
            raise ArgumentError(f"{self.name}: {problem}")
        try:
            return self.words.pack(*words)
        except struct.error as error:
            raise ArgumentError(f"{self.name}: an integer does not fit into 64 bits: {error}") from None

    def unpack(self, block: bytes) -> Any:
        """Return the result in a block of words."""
        return None if self.returns is None else _result(self.returns, iter(self.results.unpack(block)))


def _result(returned: ArgumentType, values: Iterator[Any]) -> Any:
    if isinstance(returned, Tuple):
        return tuple(_result(item, values) for item in returned.items)
    value = next(values)
    return bool(value) if returned is BOOLEAN else value
