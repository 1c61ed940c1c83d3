"""Tuples that hold arrays are passed to parts of kernels by their address.

Numba passes every word of them: three hundred for all that a system consists of, at every call.
"""

import functools
from collections.abc import Sequence
from typing import Any

from llvmlite import ir as ll
from numba.core import types
from numba.core.datamodel.packer import ArgPacker

ATTRIBUTES = ("noalias", "readonly", "captures(none)")
"""Nobody writes into a tuple."""


@functools.cache
def is_by_address(kind: Any) -> bool:
    """Tell whether values of a type are passed by address."""
    parts: Any = kind if isinstance(kind, types.BaseTuple) else ()
    return any(isinstance(part, types.Array) or is_by_address(part) for part in parts)


class Packer:
    """Takes arguments apart into words and addresses, and puts them together again."""

    def __init__(self, manager: Any, kinds: Sequence[Any]) -> None:
        self._packers: list[Any] = [
            None if is_by_address(kind) else ArgPacker(manager, [kind]) for kind in kinds
        ]
        self._types = [manager.lookup(kind).get_value_type().as_pointer() for kind in kinds]

    @property
    def argument_types(self) -> tuple[Any, ...]:
        """Types of the words."""
        each = (
            [address] if packer is None else packer.argument_types
            for packer, address in zip(self._packers, self._types, strict=True)
        )
        return tuple(word for words in each for word in words)

    def as_arguments(self, builder: Any, values: Sequence[Any]) -> tuple[Any, ...]:
        """Return the words of values; a tuple may be given by its address."""
        words: list[Any] = []
        for packer, address, value in zip(self._packers, self._types, values, strict=True):
            if packer is not None:
                words += packer.as_arguments(builder, [value])
            elif value.type == address:
                words.append(value)
            else:
                words.append(stored(builder, value))
        return tuple(words)

    def from_arguments(self, builder: Any, args: Sequence[Any]) -> list[Any]:
        """Return the values of words; of a tuple, its address."""
        return [
            words[0] if packer is None else packer.from_arguments(builder, words)[0]
            for packer, words in self._parted(args)
        ]

    def assign_names(self, args: Sequence[Any], names: Sequence[str]) -> None:
        """Name the arguments of a function, and tell what is known of addresses."""
        for (packer, words), name in zip(self._parted(args), names, strict=False):
            if packer is not None:
                packer.assign_names(words, [name])
                continue
            words[0].name = name
            set.update(words[0].attributes, ATTRIBUTES)  # llvmlite does not know all that LLVM does

    def _parted(self, args: Sequence[Any]) -> list[tuple[Any, Sequence[Any]]]:
        at, parted = 0, []
        for packer in self._packers:
            count = 1 if packer is None else len(packer.argument_types)
            parted.append((packer, args[at : at + count]))
            at += count
        return parted


def stored(builder: Any, value: Any) -> Any:
    """Return the address of a value that is stored for that."""
    with builder.goto_entry_block():
        address = builder.alloca(value.type)
    builder.store(value, address)
    return address


def part_of(builder: Any, address: Any, index: int) -> Any:
    """Return the address of a part of a tuple."""
    return builder.gep(address, [ll.IntType(32)(0), ll.IntType(32)(index)], inbounds=True)
