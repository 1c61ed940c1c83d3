"""Entry points of the replay kernels."""

from softdock.native.argument_types import BOOL, FLOAT, Array, floats, integers
from softdock.native.entry_point import EntryPoint
from softdock.replay import kernels

keep_rows = EntryPoint(
    kernels.keep_rows, floats("rows", writable=False), floats("rows", "columns", writable=False), FLOAT,
    integers("rows", 2), Array(BOOL, ("rows",)),
)  # fmt: skip

ENTRY_POINTS = (keep_rows,)
