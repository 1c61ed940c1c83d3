"""SIMD vectors give the same numbers compiled and as plain Python; `fma` rounds once when compiled."""

import math
from fractions import Fraction

import numpy as np
import pytest

from kernel_builder.tests.support import load as compile_and_load
from softdock.contact.kernels.point_depths import inverse_sqrt
from softdock.native.argument_types import FLOAT, INTEGER, floats, integers
from softdock.native.decorators import kernel
from softdock.native.entry_point import EntryPoint
from softdock.native.library import runs_as_python, usable_builds
from softdock.native.simd import (
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
from softdock.tree.kernels.kinematics import sine_and_cosine

pytestmark = pytest.mark.skipif(runs_as_python(), reason="about compiled kernels")


@kernel
def mix(a, index, lane, out):
    """Every operation once."""
    x, y = load(a, 0, 0), load(a, 1, LANES)
    store(out, 0, 0, x + 2.0 * y)
    store(out, 1, 0, 1.0 - x * y)
    store(out, 2, 0, -gather(a[0], index))
    store(out, 3, 0, fma(x, 2.0, y))
    store(out, 4, 0, one_hot(lane) - x)
    store(out, 5, 0, 3.0)
    store(out, 6, 0, x / 4.0 + 1.0 / load_vector(a[1], 3))
    store_vector(out[7], 0, maximum(x, y) - maximum(x, 1.0))
    store_vector(out[8], 0, select_positive(x - y, 2.0, y))
    store_vector(out[9], 0, select_positive(load_vector(a[0], 1), x, -1.0) + broadcast(horizontal_max(y)))
    store_vector(out[11], 0, load_three(a[0], 5))
    store_vector(out[10], 0, approximate_inverse_sqrt(x * x))
    return horizontal_sum(x)


@kernel
def multiply_add(a, b, c, out):
    """Write the vector, return the first number."""
    store(out, 0, 0, fma(load(a, 0, 0), b, c))
    return fma(a[0, 0], b, c)


@kernel
def inverse_roots(q, out):
    """Exact and rough ones."""
    store_vector(out[0], 0, inverse_sqrt(load_vector(q, 0)))
    store_vector(out[1], 0, approximate_inverse_sqrt(load_vector(q, 0)))


@kernel
def sines(angles, out):
    """Sines and cosines."""
    s, c = sine_and_cosine(load(angles, 0, 0))
    store(out, 0, 0, s)
    store(out, 1, 0, c)


MIX = EntryPoint(mix, floats(2, 2 * LANES), integers(LANES), INTEGER, floats(12, LANES), returns=FLOAT)
MULTIPLY_ADD = EntryPoint(multiply_add, floats(1, LANES), FLOAT, FLOAT, floats(1, LANES), returns=FLOAT)
INVERSE_ROOTS = EntryPoint(inverse_roots, floats(LANES), floats(2, LANES))
SINES = EntryPoint(sines, floats(1, LANES), floats(2, LANES))


@pytest.fixture(scope="module", autouse=True, params=usable_builds())
def _compiled(tmp_path_factory, request):
    compile_and_load(
        tmp_path_factory.mktemp("library"), MIX, MULTIPLY_ADD, INVERSE_ROOTS, SINES, build=request.param
    )


def test_compiled_vectors_equal_plain_python():
    rng = np.random.default_rng(1)
    a = rng.integers(1, 100, (2, 2 * LANES)) * rng.choice((-0.25, 0.25), (2, 2 * LANES))  # products are exact
    index = rng.integers(0, 2 * LANES, LANES)
    for lane in range(LANES):
        plain, vectors = np.zeros((12, LANES)), np.zeros((12, LANES))
        assert mix(a, index, lane, plain) == MIX(a, index, lane, vectors) == a[0, :LANES].sum()
        assert np.array_equal(plain, vectors)


def test_sums_of_products_are_rounded_once():
    rng, out = np.random.default_rng(2), np.zeros((1, LANES))
    for _ in range(50):
        a, b = rng.uniform(1, 2, (1, LANES)), rng.uniform(1, 2)
        c = -a[0, 0] * b  # all but the error of the product cancels
        once = [float(Fraction(x) * Fraction(b) + Fraction(c)) for x in a[0]]
        assert MULTIPLY_ADD(a, b, c, out) == once[0]
        assert np.array_equal(out[0], once)


def test_inverse_roots_are_accurate_for_any_size():
    rng, out = np.random.default_rng(4), np.zeros((2, LANES))
    for _ in range(500):
        q = 10.0 ** rng.uniform(-300, 300, LANES)
        INVERSE_ROOTS(q, out)
        exact = [1 / math.sqrt(x) for x in q]
        assert np.abs(out[0] / exact - 1).max() <= 3 * np.finfo(float).eps
        assert np.abs(out[1] / exact - 1).max() <= 0.035
    INVERSE_ROOTS(np.zeros(LANES), out)
    assert 1e100 < out.min() <= out.max() < 1e200


def test_sines_and_cosines_are_accurate_for_any_angle():
    rng, out = np.random.default_rng(3), np.zeros((2, LANES))
    for size in (1e-9, 1.0, 10.0, 1e3, 1e6, 1e12):
        for _ in range(20):
            angles = rng.uniform(-size, size, (1, LANES))
            angles[0, :3] = 0.0, 0.5 * math.pi * rng.integers(-9, 9), 0.25 * math.pi * rng.integers(-9, 9)
            SINES(angles, out)
            exact = [[math.sin(x) for x in angles[0]], [math.cos(x) for x in angles[0]]]
            assert np.abs(out - exact).max() <= 4 * np.finfo(float).eps
