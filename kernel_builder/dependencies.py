"""What the machine code of an entry point depends on, for incremental builds.

A digest covers the bytecode of every kernel that an entry point contains and the values of the constants that they
use. Of separate entry points that they call only the signature counts. Comments and docstrings do not.
"""

import hashlib
from collections.abc import Iterable, Iterator
from enum import Enum
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from softdock.native import argument_types as arguments
from softdock.native.decorators import MARK
from softdock.native.entry_point import EntryPoint


def digest_of(entry: EntryPoint, entry_points: Iterable[EntryPoint], about_build: str) -> str:
    """Return the digest of all that an entry point's object file is made of."""
    parts = [about_build, str(entry.separate), _signature(entry)]
    parts += sorted(kernels_of(entry, entry_points).values())
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def kernels_of(entry: EntryPoint, entry_points: Iterable[EntryPoint]) -> dict[FunctionType, str]:
    """Return all functions that an entry point contains, each with a text that changes whenever its code does."""
    separate = {other.function: other for other in entry_points if other.separate}
    found: dict[FunctionType, str] = {}
    waiting: list[FunctionType] = [entry.function]  # type: ignore[list-item]
    while waiting:
        function = waiting.pop()
        if function in found:
            continue
        parts = [function.__module__, function.__qualname__, getattr(function, MARK, "")]
        parts += _code(function.__code__)
        for name, value in _globals(function):
            if not isinstance(value, FunctionType):
                parts.append(f"{name}: {_constant(value)}")
            elif value in separate:
                parts.append(f"{name}: {_signature(separate[value])}")
            else:
                waiting.append(value)
        found[function] = "\n".join(parts)
    return found


def _code(code: CodeType) -> Iterator[str]:
    yield code.co_code.hex()
    yield repr((code.co_names, code.co_varnames))
    for constant in code.co_consts[0 if code.co_consts and not isinstance(code.co_consts[0], str) else 1 :]:
        yield from _code(constant) if isinstance(constant, CodeType) else (repr(constant),)


def _globals(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """Yield the global names, and those of enclosing functions, that a kernel uses, with their values."""
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        yield name, cell.cell_contents
    for name in function.__code__.co_names:
        value = function.__globals__.get(name)
        if value is not None and not isinstance(value, ModuleType):
            yield name, value


def _constant(value: Any) -> str:
    """Return a text that changes whenever a constant does; `repr` rounds the numbers of arrays."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype.str} {value.shape} {value.tobytes().hex()}"
    if isinstance(value, np.dtype):
        return str(value.fields or value)
    if isinstance(value, type) and issubclass(value, Enum):
        return repr([(member.name, member.value) for member in value])
    return repr(value)


def _signature(entry: EntryPoint) -> str:
    kinds = [_describe(argument) for argument in entry.signature.arguments.values()]
    returned = entry.signature.returns
    return f"{entry.symbol}({', '.join(kinds)}) {'' if returned is None else _describe(returned)}"


def _describe(argument: arguments.ArgumentType) -> str:
    match argument:
        case arguments.StructureArgument():
            fields = ", ".join(f"{name}: {_describe(field)}" for name, field in argument.fields.items())
            return f"{argument.type.__qualname__}({fields})"
        case arguments.Tuple():
            return f"({', '.join(map(_describe, argument.items))})"
        case arguments.Array() | arguments.RecordArgument():
            layout = argument.dtype.fields or argument.dtype
            return f"{argument} {layout} {argument.dtype.itemsize}"
        case _:
            return argument.name
