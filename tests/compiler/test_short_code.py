"""Kernels do what Python does with the same functions: items, fields, loops, arithmetic."""

import math
from typing import NamedTuple

import numba
import numpy as np
import pytest
from numba.core import event

from softdock.compiler.code_units import compile_unit
from softdock.compiler.machine_code import KernelError
from softdock.compiler.pipeline import type_of
from softdock.jit import kernel
from softdock.multibody.kernels.tree import records

RECORD = np.dtype(
    [("n", np.int64), ("x", np.float64), ("v", np.float64, 3), ("M", np.float64, (2, 3)), ("on", np.bool_)],
    align=True,
)


class Pair(NamedTuple):
    """A tuple with names."""

    first: np.ndarray
    second: float


def items(a, M, i, out):
    """Items of arrays by numbers that are written or not, from the start or from the end."""
    out[0], out[1], out[2], out[3] = a[0], a[-1], a[i], a[-i]
    out[4], out[5], out[6], out[7] = M[i, 1], M[-i, -1], M[0, i], M[1][i]
    row = M[i]
    out[8], out[9], out[10], out[-1] = row[0], row[-1], len(row), row.shape[0] + M.shape[1]
    M[i, 0] = 7.5
    M[-1, -2] = a[i - 1]
    row[2] = -3.0
    return out[i] + M[i][0]


def fields(r, i, out):
    """Fields of records by name or key, and the arrays in them."""
    one = r[i]
    out[0], out[1], out[2], out[3] = one.n, one.x, one["x"], one.v[0]
    out[4], out[5], out[6], out[7] = one.v[-1], one.v[i], one.M[1, 2], one["M"][i, -1]
    row = one.M[i]
    out[8], out[9], out[10] = row[1], row.shape[0], one.M.shape[0]
    one.x, one.v[1], one.M[i, 0], one.n = 4.5, 5.5, 6.5, 8
    row[2] = 2.5
    if one.on:
        one.on = False
        out[11] = r[-1].x + r.x[i] + r.v[i, 2]
    return one.M[-1][2]


def loops(n, m, step, out):
    """Loops over ranges; the last value stays."""
    count = last = 0
    for i in range(n):
        count += i
        last = i
    for i in range(n, m):
        count += 10 * i
        last = i
    for i in range(m, n, step):
        count += 100 * i
        for j in range(i):
            if j == 3:
                continue
            if j > 5:
                break
            count += j
    out[0], out[1] = count, last
    return count


def arithmetic(a, b, i, j, out):
    """Sums, comparisons and extremes of floats and of whole numbers."""
    out[0], out[1], out[2], out[3] = a + b, a - b, a * b, a / b
    out[4], out[5], out[6] = i + j, i - j, i * j
    out[7], out[8], out[9], out[10] = i / j, i // j, i % j, a + i
    x, k = a, i
    x += b
    x *= a
    x -= 1.0
    x /= b
    k += j
    k -= 2
    k *= j
    out[11], out[12] = x, k
    out[13], out[14], out[15] = max(a, b), min(a, b, 2.0), max(b, a, -1.0)
    out[16], out[17], out[18] = max(i, j), min(i, j, 3), max(a, i)
    told = (a < b, a <= b, a > b, a >= b, a == b, a != b, i < j, i <= j, i > j, i >= j, i == j, i != j, a < i)
    bits = 0.0
    for t in told:
        bits = 2.0 * bits + (1.0 if t else 0.0)
    out[19] = bits
    out[20], out[21], out[22] = a**2, b ** (-1), b**0.5
    return x


def stars(whole, floats, zero, out):
    """Arguments that a tuple stands for, ranges that something else made, and an array without axes."""
    count = 0
    for i in range(*whole):
        count = 10 * count + i
    for i in other_steps(whole[1]):
        count = 10 * count + i
    zero[()] += 1.5
    out[0], out[1], out[2], out[3] = count, max(*whole), min(*floats), zero[()]


@kernel
def other_steps(n):
    """Every third."""
    return range(0, n, 3)


@numba.njit
def of_somebody(pair, i):
    """Not ours, but for a kernel it could be called by."""
    return pair.first[i] * pair.second + max(i, 1)


def foreign(pair, M, i):
    """Functions that Numba compiles with pieces of its own."""
    return of_somebody(pair, i) + np.trace(M)


def tuples(pair, t, i):
    """Parts of tuples, with names and without."""
    first, second = pair
    a, b, c = t
    return pair.first[i] + second + pair.second + t[0] + t[-1] * b + a - c + pair[1] + first[-1]


def strided(M, flags, whole, i, out):
    """Arrays that do not lie in one piece, and arrays of other things than floats."""
    out[0], out[1], out[2] = M[i, 0], M[-1, i], M[i][1]
    column = M[:, 1]
    out[3], out[4] = column[i], column[-1]
    column[0] = 9.0
    M[i, 1] = 11.0
    flags[i] = not flags[i - 1]
    whole[i] = whole[whole[0]] + 2
    out[5], out[6] = whole[-1], whole[i]
    return flags[i] and flags[-1]


def records_to_look_at():
    r = records(3, RECORD)
    for i in range(3):
        r[i].n, r[i].x, r[i].on = 10 * i + 1, 0.5 + i, i != 1
        r[i].v[:] = (1.0 + i, 2.0, 3.0 - i)
        r[i].M[:] = np.arange(6).reshape(2, 3) * (1.0 + i)
    return r


def same(one, other) -> bool:
    return bool(one == other) or (one != one and other != other)


def check(function, *given) -> None:
    """Both forms of a kernel return and write what the function does."""
    plain, compiled, through_numba = ([copy(value) for value in given] for _ in range(3))
    expected = function(*plain)
    made = kernel(function)
    assert compile_unit(made._part, [type_of(value) for value in given]).code
    for run, values in ((made, compiled), (made._through_numba, through_numba)):
        assert same(run(*values), expected), function.__name__
        for value, right in zip(values, plain, strict=True):
            assert shown(value) == shown(right)


def shown(value) -> str:
    """Return all digits of a value, without what lies between the fields of records."""
    return repr(value.tolist() if isinstance(value, np.ndarray) else value)


def copy(value):
    if isinstance(value, World):
        return World(value.a.copy(), value.pair, value.n)
    return value.copy() if isinstance(value, np.ndarray) else value


@pytest.mark.parametrize("i", [1, 2])
def test_items_of_arrays(i):
    check(items, np.arange(5.0) + 0.25, np.arange(12.0).reshape(3, 4) + 0.5, i, np.zeros(12))


@pytest.mark.parametrize("i", [0, 1])
def test_fields_of_records(i):
    check(fields, records_to_look_at(), i, np.zeros(12))


@pytest.mark.parametrize(("n", "m", "step"), [(0, 0, 1), (4, 9, -2), (9, 4, 3), (-3, 2, -1), (1, -1, 1)])
def test_loops_over_ranges(n, m, step):
    check(loops, n, m, step, np.zeros(2, np.int64))


@pytest.mark.parametrize("a", [1.5, -2.0, 0.0, math.nan, math.inf, -0.0])
@pytest.mark.parametrize("b", [1.5, 3.0, math.nan])
@pytest.mark.parametrize(("i", "j"), [(3, 4), (-7, 2), (5, 5)])
def test_arithmetic(a, b, i, j):
    with np.errstate(all="ignore"):
        check(arithmetic, np.float64(a), np.float64(b), i, j, np.zeros(23))


@pytest.mark.parametrize("whole", [(0, 7, 2), (5, 0, -2), (3, 6)])
def test_arguments_that_a_tuple_stands_for(monkeypatch, whole):
    made = kernel(stars)
    compiled, plain = ((np.array(1.0), np.zeros(4)) for _ in range(2))
    made(whole, (2.5, 0.5, 1.5), *compiled)
    monkeypatch.setitem(globals(), "other_steps", lambda n: range(0, n, 3))
    stars(whole, (2.5, 0.5, 1.5), *plain)
    assert [shown(value) for value in compiled] == [shown(value) for value in plain]


def test_functions_that_are_no_kernels():
    pair, M = Pair(np.arange(4.0), 2.5), np.arange(9.0).reshape(3, 3)
    check(foreign, pair, M, 2)
    assert of_somebody(pair, 2) == 7.0


def test_who_listens_to_numba_hears_of_kernels():
    heard: list[str] = []

    class Listener(event.Listener):
        def on_start(self, event):
            heard.append("begin")

        def on_end(self, event):
            heard.append("end")

    listener = Listener()
    event.register("numba:compiler_lock", listener)
    try:
        compile_unit(kernel(tuples)._part, [type_of(v) for v in (Pair(np.zeros(2), 1.0), (1.0, 2.0, 3.0), 1)])
    finally:
        event.unregister("numba:compiler_lock", listener)
    assert heard.count("begin") == heard.count("end") > 2


def test_parts_of_tuples():
    check(tuples, Pair(np.arange(4.0), 2.5), (1.0, 2.0, 3.5), 2)


def test_arrays_in_pieces():
    M = np.arange(24.0).reshape(4, 6)[:, ::2]
    check(strided, M, np.array([True, False, True]), np.array([2, 5, 7]), 1, np.zeros(7))


class World(NamedTuple):
    """A tuple that holds arrays and another such tuple."""

    a: np.ndarray
    pair: Pair
    n: int


@kernel
def sum_of(world, i):
    """Look into both tuples."""
    world.a[0] += 1.0
    return world.a[i] + world.pair.first[i] * world.pair.second + world.n


@kernel
def first_of(pair, i):
    """Take a tuple apart, and by another name."""
    first, second = pair
    again = pair
    return again.first[i] + second + first[0] + again[1]


def passed_on(world, other, way, i, out):
    """Pass on tuples that hold arrays: whole, in parts, made here, one of two, and under another name."""
    out[0] = sum_of(world, i)
    inner = world.pair
    out[1], out[2] = first_of(inner, i), first_of(world.pair, i)
    chosen = world if way > 0 else other
    out[3] = sum_of(chosen, i)
    for k in range(3):
        world, other = other, world
        out[4] += (k + 1.0) * sum_of(world, i)
    out[5] = first_of(Pair(world.a, 3.5), i)
    a, pair, n = other
    out[6] = a[i] + first_of(pair, i) + n
    made = (world, pair)
    out[7] = sum_of(made[0], i) + first_of(made[1], -1)
    return out[7]


@pytest.mark.parametrize("way", [0, 1])
def test_tuples_that_hold_arrays_are_passed_on(way):
    world, other = (World(np.arange(4.0) * k, Pair(np.arange(5.0) - k, 0.5 * k), k) for k in (2, 3))
    check(passed_on, world, other, way, 2, np.zeros(8))


@kernel
def counted(step):
    """How many steps there are to five; a step of zero is an error."""
    count = 0
    for _ in range(0, 5, step):
        count += 1
    return count


def twice_counted(step, out):
    """Call it twice, the second time after something was written."""
    out[0] = counted(2)
    out[1] = counted(step)
    out[2] = 7.0


def test_an_error_in_a_part_stops_the_kernel():
    check(twice_counted, 1, np.zeros(3))
    made, out = kernel(twice_counted), np.zeros(3)
    with pytest.raises(KernelError):
        made(0, out)
    with pytest.raises(ValueError, match="must not be zero"):
        made._through_numba(0, out)
    assert list(out) == [3.0, 0.0, 0.0]
