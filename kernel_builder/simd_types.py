"""Numba types and LLVM code of the SIMD vectors of `softdock.native.simd`; importing this module registers them."""

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin, models, register_model, type_callable
from numba.np.arrayobj import make_array

from softdock.native.simd import (
    INVERSE_SQRT_CONSTANT,
    LANES,
    approximate_inverse_sqrt,
    broadcast,
    fma,
    gather,
    horizontal_max,
    horizontal_sum,
    load,
    load_three,
    load_vector,
    maximum,
    one_hot,
    select_positive,
    store,
    store_vector,
)

I32, I64, DOUBLE = ir.IntType(32), ir.IntType(64), ir.DoubleType()
VECTOR = ir.VectorType(DOUBLE, LANES)
INTEGERS = ir.VectorType(I64, LANES)
UNKNOWN = ir.Constant(VECTOR, ir.Undefined)
ZERO = ir.Constant(VECTOR, [0.0] * LANES)


class LanesType(types.Type):
    """Numba type of a SIMD vector of eight floats."""

    def __init__(self) -> None:
        super().__init__(name=f"lanes{LANES}")


ALL = LanesType()


@register_model(LanesType)
class _Model(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, VECTOR)


def _broadcast(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """Return a vector unchanged, and a number broadcast to all lanes."""
    if isinstance(kind, LanesType):
        return value
    value = context.cast(builder, value, kind, types.float64)
    first = builder.insert_element(UNKNOWN, value, ir.Constant(I32, 0))
    return builder.shuffle_vector(first, UNKNOWN, ir.Constant(ir.VectorType(I32, LANES), [0] * LANES))


def _define(operation: Any, instruction: str, *kinds: tuple[Any, ...]) -> None:
    """Define a Python operator for vectors, and its result for floats, which Numba's own code computes.

    Without the latter Numba asks the rules of lists, sets, dates and NumPy's functions before those of numbers.
    """

    @infer_global(operation)
    class Template(AbstractTemplate):
        metadata = {"target": "cpu"}  # noqa: RUF012  asked before the rules for all targets

        def generic(self, args: Any, kws: Any) -> Any:
            if all(kind == types.float64 for kind in args):
                return signature(types.float64, *args)
            lanes = [isinstance(kind, LanesType) for kind in args]
            if any(lanes) and all(known or isinstance(kind, types.Float) for known, kind in zip(lanes, args)):
                return signature(ALL, *args)
            return None

    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        operands = (_broadcast(context, builder, kind, value) for kind, value in zip(sig.args, args))
        return getattr(builder, instruction)(*operands)

    for kind in kinds:
        lower_builtin(operation, *kind)(lower)


_PAIRS = (LanesType, LanesType), (LanesType, types.Float), (types.Float, LanesType)
_define(operator.add, "fadd", *_PAIRS)
_define(operator.sub, "fsub", *_PAIRS)
_define(operator.mul, "fmul", *_PAIRS)
_define(operator.truediv, "fdiv", *_PAIRS)
_define(operator.neg, "fneg", (LanesType,))


def _returns(function: Any, kind: Any) -> None:
    """Declare the return type of a function for any argument types."""
    takes: dict[Any, Callable[..., Any]] = {
        1: lambda a: kind,
        2: lambda a, b: kind,
        3: lambda a, b, c: kind,
        4: lambda a, b, c, d: kind,
    }
    type_callable(function)(lambda context: takes[function.__code__.co_argcount])


for _function, _kind in (
    (load, ALL),
    (store, types.none),
    (load_vector, ALL),
    (load_three, ALL),
    (store_vector, types.none),
    (broadcast, ALL),
    (maximum, ALL),
    (select_positive, ALL),
    (horizontal_max, types.float64),
    (approximate_inverse_sqrt, ALL),
    (gather, ALL),
    (horizontal_sum, types.float64),
    (one_hot, ALL),
):
    _returns(_function, _kind)


@type_callable(fma)
def _type_fma(context: Any) -> Callable[..., Any]:
    def typer(a: Any, b: Any, c: Any) -> Any:
        return ALL if any(isinstance(kind, LanesType) for kind in (a, b, c)) else types.float64

    return typer


def _lower_fma(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    if isinstance(sig.return_type, LanesType):
        kind, name = VECTOR, f"llvm.fma.v{LANES}f64"
        args = [_broadcast(context, builder, kind, value) for kind, value in zip(sig.args, args)]
    else:
        kind, name = DOUBLE, "llvm.fma.f64"
        args = [context.cast(builder, value, kind, types.float64) for kind, value in zip(sig.args, args)]
    function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(kind, [kind] * 3), name)
    return builder.call(function, args)


def _pointer(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    """Return the address of a vector that begins at [row, column] of a C-contiguous array."""
    data, shape = _data_and_shape(context, builder, sig.args[0], args[0])
    row, column = (context.cast(builder, args[k], sig.args[k], types.intp) for k in (1, 2))
    place = builder.gep(data, [builder.add(builder.mul(row, shape[1]), column)])
    return builder.bitcast(place, VECTOR.as_pointer())


def _data_and_shape(context: Any, builder: Any, kind: Any, value: Any) -> tuple[Any, list[Any]]:
    """Return the address of the first item of an array and its shape, which is constant for an array in a record."""
    array = make_array(kind)(context, builder, value)
    if isinstance(kind, types.NestedArray):
        return array.data, [I64(n) for n in kind.shape]
    return array.data, cgutils.unpack_tuple(builder, array.shape, kind.ndim)


def _lower_load(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.load(_pointer(context, builder, sig, args), align=8)


def _lower_store(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    vector = _broadcast(context, builder, sig.args[3], args[3])
    builder.store(vector, _pointer(context, builder, sig, args), align=8)
    return context.get_dummy_value()


def _flat_pointer(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    """Return the address of the vector that begins at an item of a one-dimensional array."""
    data, _ = _data_and_shape(context, builder, sig.args[0], args[0])
    first = context.cast(builder, args[1], sig.args[1], types.intp)
    return builder.bitcast(builder.gep(data, [first]), VECTOR.as_pointer())


def _lower_load_vector(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.load(_flat_pointer(context, builder, sig, args), align=8)


def _lower_load_three(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    data, _ = _data_and_shape(context, builder, sig.args[0], args[0])
    first, out = context.cast(builder, args[1], sig.args[1], types.intp), ZERO
    for k in range(3):
        place = builder.gep(data, [builder.add(first, ir.Constant(first.type, k))])
        out = builder.insert_element(out, builder.load(place), ir.Constant(I32, k))
    return out


def _lower_store_vector(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    vector = _broadcast(context, builder, sig.args[2], args[2])
    builder.store(vector, _flat_pointer(context, builder, sig, args), align=8)
    return context.get_dummy_value()


def _lower_broadcast(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return _broadcast(context, builder, sig.args[0], args[0])


def _maximum(builder: Any, a: Any, b: Any) -> Any:
    return builder.select(builder.fcmp_ordered(">", a, b), a, b)


def _lower_maximum(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return _maximum(builder, *(_broadcast(context, builder, kind, x) for kind, x in zip(sig.args, args)))


def _lower_select_positive(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    x, a, b = (_broadcast(context, builder, kind, value) for kind, value in zip(sig.args, args))
    return builder.select(builder.fcmp_ordered(">", x, ZERO), a, b)


def _lower_approximate_inverse_sqrt(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    half = builder.lshr(builder.bitcast(args[0], INTEGERS), ir.Constant(INTEGERS, [1] * LANES))
    bits = builder.sub(ir.Constant(INTEGERS, [INVERSE_SQRT_CONSTANT] * LANES), half)
    return builder.bitcast(bits, VECTOR)


def _lower_gather(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    (data, _), (index, _) = (
        _data_and_shape(context, builder, kind, value) for kind, value in zip(sig.args, args)
    )
    out = UNKNOWN
    for k in range(LANES):
        at = builder.load(builder.gep(index, [ir.Constant(I64, k)]))
        out = builder.insert_element(out, builder.load(builder.gep(data, [at])), ir.Constant(I32, k))
    return out


def _reduce_by_halves(builder: Any, x: Any, join: Callable[[Any, Any], Any]) -> Any:
    """Combine the lower half of the lanes with the upper half until one value is left."""
    n = LANES
    while n > 1:
        n //= 2
        unknown = ir.Constant(x.type, ir.Undefined)
        low, high = (
            builder.shuffle_vector(x, unknown, ir.Constant(ir.VectorType(I32, n), list(range(at, at + n))))
            for at in (0, n)
        )
        x = join(low, high)
    return builder.extract_element(x, ir.Constant(I32, 0))


def _lower_horizontal_sum(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return _reduce_by_halves(builder, args[0], builder.fadd)


def _lower_horizontal_max(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return _reduce_by_halves(builder, args[0], lambda a, b: _maximum(builder, a, b))


def _lower_one_hot(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    lane = context.cast(builder, args[0], sig.args[0], types.int64)
    first = builder.insert_element(ir.Constant(INTEGERS, ir.Undefined), lane, ir.Constant(I32, 0))
    lanes = builder.shuffle_vector(
        first, ir.Constant(INTEGERS, ir.Undefined), ir.Constant(ir.VectorType(I32, LANES), [0] * LANES)
    )
    here = builder.icmp_signed("==", lanes, ir.Constant(INTEGERS, list(range(LANES))))
    return builder.select(here, ir.Constant(VECTOR, [1.0] * LANES), ZERO)


lower_builtin(fma, types.Any, types.Any, types.Any)(_lower_fma)
lower_builtin(load, types.Array, types.Any, types.Any)(_lower_load)
lower_builtin(store, types.Array, types.Any, types.Any, types.Any)(_lower_store)
lower_builtin(gather, types.Array, types.Array)(_lower_gather)
lower_builtin(horizontal_sum, LanesType)(_lower_horizontal_sum)
lower_builtin(one_hot, types.Integer)(_lower_one_hot)
lower_builtin(load_vector, types.Array, types.Any)(_lower_load_vector)
lower_builtin(load_three, types.Array, types.Any)(_lower_load_three)
lower_builtin(store_vector, types.Array, types.Any, types.Any)(_lower_store_vector)
lower_builtin(broadcast, types.Any)(_lower_broadcast)
lower_builtin(maximum, types.Any, types.Any)(_lower_maximum)
lower_builtin(select_positive, types.Any, types.Any, types.Any)(_lower_select_positive)
lower_builtin(horizontal_max, LanesType)(_lower_horizontal_max)
lower_builtin(approximate_inverse_sqrt, LanesType)(_lower_approximate_inverse_sqrt)
