"""Kernels call each other inline and across object files; the build for it checks bounds."""

import numpy as np
import pytest

from kernel_builder.tests.support import load
from softdock.native.argument_types import FLOAT, INTEGER, floats
from softdock.native.decorators import inline, kernel
from softdock.native.entry_point import EntryPoint
from softdock.native.library import KernelError, runs_as_python

pytestmark = pytest.mark.skipif(runs_as_python(), reason="about compiled kernels")

ROWS = np.dtype([("values", np.float64, 3)], align=True)


@inline
def power(x, exponent):
    """Return x to a whole power; unrolled for a literal exponent."""
    out = 1.0
    for _ in range(exponent):
        out *= x
    return out


@kernel
def scale(values, factor):
    """Multiply in place; returns the sum."""
    total = 0.0
    for i in range(values.shape[0]):
        values[i] *= factor
        total += values[i]
    return total


@kernel
def cube_and_scale(values, x):
    """Call an inline kernel and a separate one, with a slice and with a whole number for a float."""
    return scale(values[1:], power(x, 3)) + scale(values, 1)


@kernel
def item(values, i):
    """Return an item."""
    return values[i]


SCALE = EntryPoint(scale, floats("n"), FLOAT, returns=FLOAT, separate=True)
CUBE = EntryPoint(cube_and_scale, floats("n"), FLOAT, returns=FLOAT)
ITEM = EntryPoint(item, floats("n"), INTEGER, returns=FLOAT)


def test_separate_entry_points_are_called_across_object_files(tmp_path):
    load(tmp_path, SCALE, CUBE)
    compiled, plain = np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0])
    assert CUBE(compiled, 2.0) == cube_and_scale(plain, 2.0) == 40.0 + 41.0
    assert np.array_equal(compiled, plain)
    assert SCALE(compiled, 0.0) == 0.0


def test_indices_count_from_the_end_as_in_python(tmp_path):
    load(tmp_path, ITEM)
    assert ITEM(np.array([1.0, 2.0]), -1) == 2.0


def test_an_index_out_of_bounds_is_an_error_where_bounds_are_checked(tmp_path):
    load(tmp_path, ITEM, build="boundscheck")
    assert ITEM(np.array([1.0, 2.0]), 1) == 2.0
    with pytest.raises(KernelError, match="item was stopped by an error"):
        ITEM(np.array([1.0, 2.0]), 2)
