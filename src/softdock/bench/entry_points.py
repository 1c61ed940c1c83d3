"""Entry points of the benchmark kernels."""

from softdock.bench import kernels
from softdock.contact.entry_points import CONTACT_ARRAYS, CONTACT_LISTS
from softdock.contact.kernels import layout, pin_rows, pins
from softdock.dynamics.entry_points import SYSTEM
from softdock.native.argument_types import FLOAT, INTEGER, MATRIX, VECTOR, RecordArgument, Tuple, floats
from softdock.native.entry_point import EntryPoint

_SHAPE = RecordArgument(pins.SHAPE)
_ROWS = floats(pin_rows.MAXIMUM_ROWS, pin_rows.COLUMNS)

repeat_evaluate = EntryPoint(
    kernels.repeat_evaluate, CONTACT_ARRAYS, CONTACT_LISTS, MATRIX, VECTOR, VECTOR, VECTOR,
    floats(layout.OUTPUT_SIZE), INTEGER, returns=FLOAT,
)  # fmt: skip
repeat_rebuild = EntryPoint(
    kernels.repeat_rebuild, CONTACT_ARRAYS, CONTACT_LISTS, MATRIX, VECTOR, FLOAT, INTEGER
)
repeat_derivative = EntryPoint(kernels.repeat_derivative, SYSTEM, floats("states"), floats("states"), INTEGER)
repeat_pin = EntryPoint(
    kernels.repeat_pin, _SHAPE, VECTOR, VECTOR, VECTOR, VECTOR, _ROWS, floats(pins.TOTALS_SIZE), INTEGER
)
compare_manifolds = EntryPoint(
    kernels.compare_manifolds, _SHAPE, _SHAPE, floats("poses", 3), floats("poses", 3), _ROWS, _ROWS,
    returns=Tuple((INTEGER, INTEGER, FLOAT)),
)  # fmt: skip

ENTRY_POINTS = (repeat_evaluate, repeat_rebuild, repeat_derivative, repeat_pin, compare_manifolds)
