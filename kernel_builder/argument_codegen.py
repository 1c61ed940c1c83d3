"""Numba types of the argument types of entry points, and the code that reads them from an argument block.

A structure (`softdock.native.argument_types.Structure`) is the address of its first word in the block: passing it to
another kernel passes one pointer, and reading a field loads only the words of that field. The words never change
during a call, which the loads state (`invariant.load`), so that they are moved out of loops.
"""

from typing import Any

import numba
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import lower_builtin, models, register_model
from numba.np.arrayobj import make_array, populate_array

from softdock.native import argument_types as arguments

WORD = ir.IntType(64)
BLOCK = WORD.as_pointer()


class StructureType(types.Type):
    """Numba's type of a structure."""

    def __init__(self, structure: arguments.StructureArgument) -> None:
        self.structure = structure
        super().__init__(name=f"{structure.type.__module__}.{structure.type.__qualname__}")

    @property
    def key(self) -> Any:
        """Distinguishes structures."""
        return id(self.structure)


@register_model(StructureType)
class _StructureModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, BLOCK)


@infer_getattr
class _StructureAttributes(AttributeTemplate):
    key = StructureType

    def generic_resolve(self, kind: StructureType, name: str) -> Any:  # type: ignore[override]
        field = kind.structure.fields.get(name)
        return None if field is None else numba_type(field)


@lower_getattr_generic(StructureType)
def _read_field(context: Any, builder: Any, kind: StructureType, address: Any, name: str) -> Any:
    at = 0
    for field_name, field in kind.structure.fields.items():
        if field_name == name:
            return read(context, builder, field, address, at)
        at += words_of(field)
    raise AttributeError(name)


@lower_builtin("__array__", types.Array)
def _address_of_array(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    """Return the address unchanged; where no such function is known, Numba searches all its registries at every use."""
    return args[0]


_STRUCTURES: dict[int, StructureType] = {}


def numba_type(argument: arguments.ArgumentType) -> Any:
    """Return Numba's type of an argument."""
    match argument:
        case arguments.Scalar():
            names = {arguments.FLOAT: types.float64, arguments.INTEGER: types.int64}
            return names.get(argument, types.boolean)
        case arguments.Tuple():
            return types.Tuple([numba_type(item) for item in argument.items])
        case arguments.Array():
            element = numba.from_dtype(argument.dtype)
            return types.Array(element, len(argument.shape), "C", readonly=not argument.writable)
        case arguments.RecordArgument():
            return numba.from_dtype(argument.dtype)
        case _:
            return _STRUCTURES.setdefault(id(argument), StructureType(argument))


def words_of(argument: arguments.ArgumentType) -> int:
    """Return the number of words of an argument."""
    return len("".join(argument.codes()))


def read(context: Any, builder: Any, argument: arguments.ArgumentType, block: Any, at: int) -> Any:
    """Return the value of an argument whose words begin at an index of a block."""
    kind = numba_type(argument)
    match argument:
        case arguments.Scalar():
            word = _load(builder, block, at)
            if argument is arguments.FLOAT:
                return builder.bitcast(word, ir.DoubleType())
            return builder.icmp_unsigned("!=", word, WORD(0)) if kind == types.boolean else word
        case arguments.Tuple():
            values = []
            for item in argument.items:
                values.append(read(context, builder, item, block, at))
                at += words_of(item)
            return context.make_tuple(builder, kind, values)
        case arguments.Array():
            return _read_array(context, builder, kind, block, at)
        case arguments.RecordArgument():
            return builder.inttoptr(_load(builder, block, at), context.get_value_type(kind))
        case _:
            return builder.gep(block, [WORD(at)])


def _read_array(context: Any, builder: Any, kind: Any, block: Any, at: int) -> Any:
    item_size = context.get_abi_sizeof(context.get_data_type(kind.dtype))
    shape = [_load(builder, block, at + 1 + axis) for axis in range(kind.ndim)]
    strides = [WORD(item_size)]
    for size in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], size))
    array = make_array(kind)(context, builder)
    populate_array(
        array,
        data=builder.inttoptr(_load(builder, block, at), array.data.type),
        shape=cgutils.pack_array(builder, shape, ty=WORD) if shape else (),
        strides=cgutils.pack_array(builder, strides, ty=WORD),
        itemsize=WORD(item_size),
        meminfo=None,
    )
    return array._getvalue()


def _load(builder: Any, block: Any, at: int) -> Any:
    word = builder.load(builder.gep(block, [WORD(at)], inbounds=True))
    word.set_metadata("invariant.load", builder.module.add_metadata([]))
    return word


def write(builder: Any, returned: arguments.ArgumentType, value: Any, block: Any, at: int = 0) -> int:
    """Store a result into a block, from an index on; returns the next index."""
    if isinstance(returned, arguments.Tuple):
        for i, item in enumerate(returned.items):
            at = write(builder, item, builder.extract_value(value, i), block, at)
        return at
    if value.type != ir.DoubleType():
        value = builder.zext(value, WORD) if value.type != WORD else value
    else:
        value = builder.bitcast(value, WORD)
    builder.store(value, builder.gep(block, [WORD(at)], inbounds=True))
    return at + 1
