"""Arrays in the code of kernels: addresses of items, and arrays that are part of others."""

import math
from collections.abc import Sequence
from typing import Any

from llvmlite import ir as ll
from numba.core import types
from numba.np.arrayobj import get_itemsize

WHOLE = ll.IntType(64)
DATA, SHAPE, STRIDES = 4, 5, 6
"""Places in Numba's structure of an array."""


class ArrayInCode:
    """An array in a kernel."""

    def __init__(self, context: Any, builder: Any, kind: Any, value: Any) -> None:
        self._context, self._builder, self.kind, self._value = context, builder, kind, value

    @property
    def data(self) -> Any:
        """Where its items begin."""
        return self._builder.extract_value(self._value, DATA)

    @property
    def shape(self) -> list[Any]:
        """How many items it has along each axis."""
        return [self.length(axis) for axis in range(self.kind.ndim)]

    def address(self, indices: Sequence[Any]) -> Any:
        """Return the address of an item, or of the first item of a row."""
        build = self._builder
        data = self.data
        if self.kind.layout != "C":
            return self._strided(data, indices)
        if all(isinstance(index, int) for index in indices) and isinstance(self.kind, types.NestedArray):
            shape = self.kind.shape
            steps = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
            at = sum(
                (i if i >= 0 else i + n) * step for i, n, step in zip(indices, shape, steps, strict=False)
            )
            return build.gep(data, [WHOLE(at)])
        at = None
        for axis in range(self.kind.ndim):
            if at is not None:
                at = build.mul(at, self.length(axis))
            if axis < len(indices):
                index = self._counted(indices[axis], axis)
                at = index if at is None else build.add(at, index)
        return build.gep(data, [at])

    def _strided(self, data: Any, indices: Sequence[Any]) -> Any:
        build, at = self._builder, None
        for axis, index in enumerate(indices):
            stride = build.extract_value(self._value, (STRIDES, axis))
            offset = build.mul(stride, self._counted(index, axis))
            at = offset if at is None else build.add(at, offset)
        start = build.bitcast(data, ll.IntType(8).as_pointer())
        return build.bitcast(build.gep(start, [at]), data.type)

    def length(self, axis: int) -> Any:
        """Return how many items it has along an axis."""
        if isinstance(self.kind, types.NestedArray):
            return WHOLE(self.kind.shape[axis])
        return self._builder.extract_value(self._value, (SHAPE, axis))

    def _counted(self, index: Any, axis: int) -> Any:
        """Return an index that may count from the end as one from the start."""
        build = self._builder
        if isinstance(index, int):
            return WHOLE(index) if index >= 0 else build.add(self.length(axis), WHOLE(index))
        from_end = build.add(self.length(axis), index)
        return build.select(build.icmp_signed("<", index, WHOLE(0)), from_end, index)


def array_of(context: Any, build: Any, kind: Any, data: Any, shape: Sequence[Any]) -> Any:
    """Return an array in the order of C whose data lie elsewhere."""
    item = get_itemsize(context, kind)
    whole: Any = ll.Constant(context.get_value_type(kind), None)
    steps: list[Any] = [WHOLE(item)]
    for length in reversed(shape[1:]):
        steps.insert(0, _times(build, steps[0], length))
    count = shape[0]
    for length in shape[1:]:
        count = _times(build, count, length)
    if all(isinstance(number, ll.Constant) for number in (count, *steps)):
        nothing = [ll.Constant(entry, None) for entry in whole.type.elements[:2]]
        axes = [ll.Constant(ll.ArrayType(WHOLE, len(shape)), numbers) for numbers in (list(shape), steps)]
        no_data = ll.Constant(whole.type.elements[DATA], None)
        made = ll.Constant(whole.type, [*nothing, count, WHOLE(item), no_data, *axes])
        return build.insert_value(made, data, DATA)
    for value, place in ((count, 2), (WHOLE(item), 3), (data, DATA)):
        whole = build.insert_value(whole, value, place)
    for axis in range(len(shape)):
        whole = build.insert_value(whole, shape[axis], (SHAPE, axis))
        whole = build.insert_value(whole, steps[axis], (STRIDES, axis))
    return whole


def _times(build: Any, one: Any, other: Any) -> Any:
    if isinstance(one, ll.Constant) and isinstance(other, ll.Constant):
        return WHOLE(one.constant * other.constant)
    return build.mul(one, other)
