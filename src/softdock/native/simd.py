"""SIMD vectors of eight floats for kernels.

Kernels state explicitly which operations use vectors. Compiled, a vector occupies one or more registers, depending on
the instruction set; results are the same for each: `fma` rounds once, and no operation is contracted or reordered.
As plain Python, a vector is an array of eight floats and `fma` rounds twice. `kernel_builder/simd_types.py` defines the
compiled form.
"""

from typing import Any

import numpy as np

LANES = 8
"""Floats in a vector."""
INVERSE_SQRT_CONSTANT = 0x5FE6EB50C7B537A9
"""Less half the bits of x, it gives the bits of about 1/sqrt(x), with the smallest error (M. Robertson, 2012)."""


def fma(a: Any, b: Any, c: Any) -> Any:
    """Return a b + c, rounded once (fused multiply-add); arguments are vectors or numbers."""
    return a * b + c


def load(array: Any, row: Any, column: Any) -> Any:
    """Return the vector that begins at [row, column] of a two-dimensional array."""
    return array[row, column : column + LANES].copy()


def store(array: Any, row: Any, column: Any, x: Any) -> None:
    """Write a vector, or one number to all lanes, to a two-dimensional array from [row, column]."""
    array[row, column : column + LANES] = x


def load_vector(array: Any, first: Any) -> Any:
    """Return the vector that begins at an item of a one-dimensional array."""
    return array[first : first + LANES].copy()


def load_three(array: Any, first: Any) -> Any:
    """Return three items of a one-dimensional array in the first lanes, and zero in the others."""
    return np.concatenate((array[first : first + 3], np.zeros(LANES - 3)))


def store_vector(array: Any, first: Any, x: Any) -> None:
    """Write a vector, or one number to all lanes, to a one-dimensional array from an item."""
    array[first : first + LANES] = x


def gather(array: Any, index: Any) -> Any:
    """Return the items of a one-dimensional array at eight indices."""
    return array[index]


def horizontal_sum(x: Any) -> Any:
    """Return the sum of all lanes, added pairwise by halves."""
    while len(x) > 1:
        x = x[: len(x) // 2] + x[len(x) // 2 :]
    return x[0]


def one_hot(lane: Any) -> Any:
    """Return a vector with 1 in one lane and 0 in the others."""
    return (np.arange(LANES) == lane) * 1.0


def broadcast(a: Any) -> Any:
    """Return a vector with one number in all lanes."""
    return np.full(LANES, a)


def maximum(a: Any, b: Any) -> Any:
    """Return the larger of two values in each lane; arguments are vectors or numbers."""
    return np.where(a > b, a, b)


def select_positive(x: Any, a: Any, b: Any) -> Any:
    """Return a in the lanes where x is positive and b in the others; arguments are vectors or numbers."""
    return np.where(x > 0.0, a, b)


def horizontal_max(x: Any) -> Any:
    """Return the largest lane."""
    return x.max()


def approximate_inverse_sqrt(x: Any) -> Any:
    """Return 1/sqrt(x) within 3.5 per cent, finite at zero; x must not be negative."""
    return (INVERSE_SQRT_CONSTANT - (x.view(np.int64) >> 1)).view(np.float64)
