"""Entry points of the geometry kernels."""

from softdock.geometry import kernels
from softdock.native.argument_types import FLOAT, floats
from softdock.native.entry_point import EntryPoint

thinnest_wall = EntryPoint(
    kernels.thinnest_wall, floats("segments", 11, writable=False), floats("samples", 4), returns=FLOAT
)

ENTRY_POINTS = (thinnest_wall,)
