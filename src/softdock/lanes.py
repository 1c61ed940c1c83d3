"""Eight numbers side by side, for kernels: one vector register, or as many as the processor needs.

A kernel says itself what is computed side by side, instead of hoping that the compiler finds it; it is compiled
sooner, too, because there is nothing to find. Sums of products are rounded once (`fma`), as the source says and on
every machine: no bit depends on what the compiler may contract. Here the functions work on arrays of eight, where
products are rounded, too; what they are when compiled stands in `compiled_lanes`.
"""

from typing import Any

import numpy as np

LANES = 8


def fma(a: Any, b: Any, c: Any) -> Any:
    """Return a b + c, rounded once; numbers and lanes can be mixed."""
    return a * b + c


def load(array: Any, row: Any, column: Any) -> Any:
    """Return the lanes that begin at an entry of a two-dimensional array."""
    return array[row, column : column + LANES].copy()


def store(array: Any, row: Any, column: Any, x: Any) -> None:
    """Write lanes, or the same number to all of them, into an array."""
    array[row, column : column + LANES] = x


def gather(array: Any, index: Any) -> Any:
    """Return entries of a one-dimensional array, one per lane."""
    return array[index]


def total(x: Any) -> Any:
    """Return the sum of all lanes, by halves."""
    while len(x) > 1:
        x = x[: len(x) // 2] + x[len(x) // 2 :]
    return x[0]


def unit(lane: Any) -> Any:
    """Return one in a lane and zero in the others."""
    return (np.arange(LANES) == lane) * 1.0
