"""Entry points of the benchmark kernels."""

from softdock.bench import kernels
from softdock.contact.entry_points import CONTACT_ARRAYS, CONTACT_LISTS
from softdock.contact.kernels import layout, pins
from softdock.dynamics.entry_points import SYSTEM
from softdock.native.argument_types import FLOAT, INTEGER, MATRIX, VECTOR, Record, Tuple, floats
from softdock.native.entry_point import EntryPoint

_SHAPE = Record(pins.SHAPE)
_ROWS = floats(pins.MOST_ROWS, pins.COLUMNS)

repeat_evaluate = EntryPoint(
    kernels.repeat_evaluate, CONTACT_ARRAYS, CONTACT_LISTS, MATRIX, VECTOR, VECTOR, VECTOR,
    floats(layout.OUTPUT), INTEGER, returns=FLOAT,
)  # fmt: skip
repeat_rebuild = EntryPoint(
    kernels.repeat_rebuild, CONTACT_ARRAYS, CONTACT_LISTS, MATRIX, VECTOR, FLOAT, INTEGER
)
repeat_derivative = EntryPoint(kernels.repeat_derivative, SYSTEM, floats("states"), floats("states"), INTEGER)
repeat_pin = EntryPoint(
    kernels.repeat_pin, _SHAPE, VECTOR, VECTOR, VECTOR, VECTOR, _ROWS, floats(pins.TOTALS), INTEGER
)
compare_manifolds = EntryPoint(
    kernels.compare_manifolds, _SHAPE, _SHAPE, floats("poses", 3), floats("poses", 3), _ROWS, _ROWS,
    returns=Tuple((INTEGER, INTEGER, FLOAT)),
)  # fmt: skip

ENTRY_POINTS = (repeat_evaluate, repeat_rebuild, repeat_derivative, repeat_pin, compare_manifolds)
