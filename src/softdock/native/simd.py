"""SIMD vectors of eight floats for kernels.

A kernel states explicitly what is computed in vectors. Compiled, a vector is one or more vector registers, depending on
the instruction set, with the same results for each: `fma` rounds once everywhere, and no operation is contracted or
reordered. As plain Python the functions work on arrays of eight, and `fma` rounds twice. The compiled form is in
`kernel_builder/simd_types.py`.
"""

from typing import Any

import numpy as np

LANES = 8
HALVED_EXPONENT = 0x5FE6EB50C7B537A9
"""Less half the bits of a number: minus half its exponent, in a scale that errs least (M. Robertson, 2012)."""


def fma(a: Any, b: Any, c: Any) -> Any:
    """Return a b + c, rounded once; numbers and lanes can be mixed."""
    return a * b + c


def load(array: Any, row: Any, column: Any) -> Any:
    """Return the lanes that begin at an entry of a two-dimensional array."""
    return array[row, column : column + LANES].copy()


def store(array: Any, row: Any, column: Any, x: Any) -> None:
    """Write lanes, or the same number to all of them, into an array."""
    array[row, column : column + LANES] = x


def take(array: Any, first: Any) -> Any:
    """Return the lanes that begin at an entry of a one-dimensional array."""
    return array[first : first + LANES].copy()


def take_three(array: Any, first: Any) -> Any:
    """Return three entries of a one-dimensional array in the first lanes, and zero in the others."""
    return np.concatenate((array[first : first + 3], np.zeros(LANES - 3)))


def put(array: Any, first: Any, x: Any) -> None:
    """Write lanes, or the same number to all of them, into a one-dimensional array."""
    array[first : first + LANES] = x


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


def wide(a: Any) -> Any:
    """Return a number in all lanes."""
    return np.full(LANES, a)


def larger(a: Any, b: Any) -> Any:
    """Return the larger of two, lane by lane; numbers and lanes can be mixed."""
    return np.where(a > b, a, b)


def choose(x: Any, a: Any, b: Any) -> Any:
    """Return a in the lanes where x is positive and b in the others; numbers and lanes can be mixed."""
    return np.where(x > 0.0, a, b)


def largest(x: Any) -> Any:
    """Return the largest of all lanes."""
    return x.max()


def rough_inverse_root(x: Any) -> Any:
    """Return about 1/sqrt(x), within 3.5 per cent; finite at zero. Not for negative numbers."""
    return (HALVED_EXPONENT - (x.view(np.int64) >> 1)).view(np.float64)
