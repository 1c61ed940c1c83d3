"""Kernels as machine code: kept in files, loaded and called without the compiler.

The compiler takes a third of a second to import, longer than most runs. A unit of machine code needs none of it: a
function of two addresses. At the first lie the arguments, eight bytes each: numbers, and where arrays are; at the
second there is room for what is returned. What cannot be passed that way goes through Numba.
"""

import ctypes
import functools
import hashlib
import json
import os
import struct
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import llvmlite.binding as ll
import numpy as np

TRIED = ("0.68.",)
"""Versions of Numba whose insides Softdock knows."""
OWN = "softdock."
"""How the names of kernels begin that are compiled on their own."""
HEAD = b"softdock kernel 1\n"
DATA_AT, SHAPE_AT, STRIDES_AT = 16, 32, 40  # bytes from the start of a `PyArrayObject`
BY_ROWS, BY_COLUMNS = 0x001, 0x002  # flags of an array
FLAGS = 0x503  # contiguous by rows, by columns, aligned, writeable
NUMBERS = {float: "d", np.float64: "d", int: "q", np.int64: "q", bool: "?", np.bool_: "?"}
PLACES = {"d": "d", "q": "q", "?": "q"}
"""How numbers are written for `struct`; a truth takes eight bytes, too."""

_ARRAY: Any = np.ndarray  # asked by name, arrays of records are slow to answer
_DTYPE, _NDIM, _FLAGS = _ARRAY.dtype.__get__, _ARRAY.ndim.__get__, _ARRAY.flags.__get__
_FUNCTION = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)  # runs without the GIL
_LOCK = threading.Lock()

Returned = str | list["Returned"] | None
"""What a kernel returns: a kind of number, several, or nothing."""


class NotPlainError(TypeError):
    """Some argument is no number, array or tuple of such."""


class KernelError(RuntimeError):
    """A kernel stopped in the middle, which none is written to do."""


@dataclass(frozen=True, kw_only=True)
class Unit:
    """Machine code of one kernel for one kind of arguments."""

    code: bytes
    name: str
    """Of the function in the code."""
    returned: Returned
    symbols: tuple[str, ...] = ()
    """Functions of the mathematical library that it calls."""
    needs: tuple[str, ...] = ()
    """Kernels compiled on their own that it calls."""

    def save(self, path: Path) -> None:
        """Write it to a file, whole or not at all; a full disk only costs another compilation."""
        about = {"name": self.name, "returned": self.returned, "symbols": self.symbols, "needs": self.needs}
        content = json.dumps(about).encode() + b"\n" + self.code
        try:
            handle, temporary = tempfile.mkstemp(dir=path.parent)
        except OSError:
            return
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(HEAD + hashlib.sha256(content).digest() + content)
            Path(temporary).replace(path)
        except OSError:
            Path(temporary).unlink(missing_ok=True)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise


NO_UNIT = Unit(code=b"", name="", returned=None)
"""What is kept of a kernel that has to be called through Numba."""


def read_unit(path: Path) -> Unit | None:
    """Return what a file holds; None if there is none, or not all of it."""
    try:
        found = path.read_bytes()
    except OSError:
        return None
    start = len(HEAD) + 32
    if found[: len(HEAD)] != HEAD or hashlib.sha256(found[start:]).digest() != found[len(HEAD) : start]:
        return None
    end = found.index(b"\n", start)
    about = json.loads(found[start:end])
    return Unit(
        code=found[end + 1 :],
        name=about["name"],
        returned=about["returned"],
        symbols=tuple(about["symbols"]),
        needs=tuple(about["needs"]),
    )


_NOTHING = ctypes.create_string_buffer(8)


class Loaded:
    """A unit in memory, ready to be called."""

    def __init__(self, unit: Unit, places: str) -> None:
        self._function = _FUNCTION(address_of(unit))
        self._name = unit.name
        self._places = struct.Struct(places)
        self._returned = unit.returned
        self._results = struct.Struct(_places_of(unit.returned))

    def block(self, words: Sequence[Any]) -> bytes:
        """Return arguments as the machine code reads them."""
        return self._places.pack(*words)

    def bound(self, words: Sequence[Any], args: Sequence[Any]) -> Callable[[], Any]:
        """Return a call with these arguments, which live as long as it."""
        return functools.partial(self._call, self.block(words), args)

    def _call(self, block: bytes, alive: Sequence[Any]) -> Any:
        return self(block)

    def __call__(self, block: bytes) -> Any:
        """Call the kernel."""
        out = _NOTHING if self._returned is None else ctypes.create_string_buffer(self._results.size)
        if self._function(block, out) != 0:
            raise KernelError(f"The kernel {self._name} stopped in the middle.")
        if self._returned is None:
            return None
        return _result(self._returned, iter(self._results.unpack(out.raw)))


def lay_out(args: Sequence[Any]) -> tuple[tuple[Any, ...], list[Any]]:
    """Return the kinds of arguments and the numbers that describe them. Raises NotPlainError."""
    kinds: list[Any] = []
    words: list[Any] = []
    for value in args:
        _lay_out(value, kinds, words)
    return tuple(kinds), words


def _lay_out(value: Any, kinds: list[Any], words: list[Any]) -> None:
    kind = type(value)
    if kind is np.ndarray or kind is np.recarray:
        flags = _FLAGS(value).num & FLAGS
        kinds += _DTYPE(value), _NDIM(value), flags & ~BY_COLUMNS if flags & BY_ROWS else flags
        words.append(id(value))
    elif kind in NUMBERS:
        kinds.append(NUMBERS[kind])
        words.append(bool(value) if kind is np.bool_ else value)
    elif isinstance(value, tuple):
        kinds += kind, len(value)
        for entry in value:
            _lay_out(entry, kinds, words)
    else:
        raise NotPlainError(kind.__name__)


def words_of(args: Sequence[Any]) -> list[Any]:
    """Return the numbers that describe arguments whose kinds are known: numbers, arrays, and tuples of such."""
    words: list[Any] = []
    for value in args:
        if isinstance(value, tuple):
            words += [id(entry) if isinstance(entry, np.ndarray) else entry for entry in value]
        else:
            words.append(id(value) if isinstance(value, np.ndarray) else value)
    return words


def places(kinds: Sequence[Any]) -> str:
    """Return how arguments of such kinds are written for `struct`."""
    return "".join(
        PLACES[kind] if isinstance(kind, str) else "q" for kind in kinds if isinstance(kind, str | np.dtype)
    )


def spelled(kinds: Sequence[Any]) -> str:
    """Return kinds of arguments as text that is the same in every process."""
    return " ".join(
        f"{kind.__module__}.{kind.__qualname__}" if isinstance(kind, type) else repr(kind) for kind in kinds
    )


@functools.cache
def processor() -> str:
    """Return what tells this processor from one that cannot run the same code."""
    return f"{ll.get_process_triple()} {ll.get_host_cpu_name()} {ll.get_host_cpu_features().flatten()}"


def symbol_address(name: str) -> int | None:
    """Return where a function of the libraries of this process lies; None if it is not there."""
    try:
        function: Any = getattr(_process(), name)
    except AttributeError:
        return None
    return ctypes.cast(function, ctypes.c_void_p).value


def called_from_outside(code: bytes) -> list[str]:
    """Return the names that an object file for Linux leaves to others."""
    sections, size, count = (
        struct.unpack_from("<Q", code, 0x28)[0],
        *struct.unpack_from("<HH", code, 0x3A),
    )
    table = [struct.unpack_from("<IIQQQQIIQQ", code, sections + i * size) for i in range(count)]
    found = []
    for section in table:
        if section[1] != 2:  # no table of symbols
            continue
        names = table[section[6]][4]
        for at in range(section[4], section[4] + section[5], 24):
            name, _, _, where, _, _ = struct.unpack_from("<IBBHQQ", code, at)
            if name and where == 0:
                found.append(code[names + name : code.index(b"\0", names + name)].decode())
    return found


def runs_here() -> bool:
    """Tell whether machine code can be loaded and called this way: where it was tried."""
    return sys.platform == "linux" and os.uname().machine == "x86_64" and _finds_arrays()


def _finds_arrays() -> bool:
    """Tell whether arrays lie in memory as NumPy's headers say, where units look for them."""
    array = np.zeros((2, 3))
    words = (ctypes.c_int64 * 6).from_address(id(array))
    shape, strides = ((ctypes.c_int64 * 2).from_address(words[i]) for i in (SHAPE_AT // 8, STRIDES_AT // 8))
    found = words[DATA_AT // 8], tuple(shape), tuple(strides)
    return sys.implementation.name == "cpython" and found == (array.ctypes.data, array.shape, array.strides)


@functools.cache
def _process() -> ctypes.CDLL:
    return ctypes.CDLL(None)


@functools.cache
def _engine() -> Any:
    """Return what puts machine code into memory."""
    ll.initialize_native_target()
    ll.initialize_native_asmprinter()
    machine = ll.Target.from_triple(ll.get_process_triple()).create_target_machine(
        reloc="static", codemodel="jitdefault", jit=True
    )
    return ll.create_mcjit_compiler(ll.parse_assembly(""), machine)


def publish(unit: Unit) -> None:
    """Load a unit that others call by its name."""
    if not unit.code:
        way = "set NUMBA_DEBUG_CACHE=0, or anything else of Numba's, to call all kernels through Numba"
        raise KernelError(f"A kernel calls what is not found outside of Numba here: {way}.")
    ll.add_symbol(unit.name, address_of(unit))


def address_of(unit: Unit) -> int:
    """Load a unit, whatever it needs having been published; returns where its function lies."""
    with _LOCK:
        for name in unit.symbols:
            address = symbol_address(name)
            if address is None:
                raise KernelError(f"The function {name} is missing in this process.")
            ll.add_symbol(name, address)
        engine = _engine()
        engine.add_object_file(ll.ObjectFileRef.from_data(unit.code))
        engine.finalize_object()
        return int(engine.get_function_address(unit.name))


def _places_of(returned: Returned) -> str:
    if returned is None:
        return ""
    return PLACES[returned] if isinstance(returned, str) else "".join(map(_places_of, returned))


def _result(returned: Returned, values: Any) -> Any:
    if isinstance(returned, list):
        return tuple(_result(part, values) for part in returned)
    value = next(values)
    return bool(value) if returned == "?" else value
