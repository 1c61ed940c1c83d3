"""Structures in one block of memory have the declared types, shapes and alignment, and are passed like others."""

from typing import NamedTuple

import numpy as np
import pytest

from softdock.native.argument_types import FLOAT, Structure, floats, integers, records
from softdock.native.structure_memory import CACHE_LINE, allocate

BODY = np.dtype([("mass", np.float64), ("index", np.int64)], align=True)


class Inner(NamedTuple):
    table: np.ndarray
    rows: np.ndarray


class Outer(NamedTuple):
    bodies: np.recarray
    inner: Inner
    fixed: np.ndarray
    state: np.ndarray


INNER = Structure(Inner, {"table": floats("rows", "bodies"), "rows": integers("rows")})
OUTER = Structure(
    Outer,
    {
        "bodies": records(BODY, "bodies"),
        "inner": INNER,
        "fixed": floats(3, writable=False),
        "state": floats("n"),
    },
    lambda outer: "the first mass is negative" if outer.bodies[0].mass < 0.0 else None,
)


def bodies(*masses):
    out = np.zeros(len(masses), BODY)
    out["mass"] = masses
    return out


def allocate_outer(**changes):
    copied = {"bodies": bodies(2.0, 3.0), "state": np.arange(5.0)} | changes
    return allocate(OUTER, {"rows": 4}, copied=copied, given={"fixed": np.ones(3)})


@pytest.mark.plain_python
def test_fields_are_copied_given_or_zero():
    source = bodies(2.0, 3.0)
    value = allocate_outer(bodies=source).value
    assert isinstance(value, Outer)
    assert isinstance(value.inner, Inner)
    assert value.bodies.mass.tolist() == [2.0, 3.0]
    assert value.state.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert value.fixed.tolist() == [1.0, 1.0, 1.0]
    assert value.inner.table.shape == (4, 2)
    assert not value.inner.table.any()
    value.bodies[0].mass = 7.0
    assert source["mass"][0] == 2.0


def test_words_equal_those_of_a_structure_that_is_checked_by_array():
    prepared = allocate_outer()
    again = OUTER.prepare(prepared.value)
    assert prepared.words == again.words
    assert prepared.sizes == again.sizes
    for array in (prepared.value.bodies, *prepared.value.inner, prepared.value.state):
        assert array.ctypes.data % CACHE_LINE == 0


def test_structures_of_equal_sizes_have_separate_memory():
    first, second = allocate_outer(), allocate_outer()
    first.value.inner.table[:] = 1.0
    assert not second.value.inner.table.any()
    assert second.value.bodies.mass.tolist() == [2.0, 3.0]


WRONG = {
    "type": ({"state": np.zeros(5, np.float32)}, r"float64; given .*float32"),
    "records": ({"bodies": np.zeros(2)}, r"record\(mass, index\)"),
    "dimensions": (
        {"state": np.zeros((5, 1))},
        r"state: expected .*shape \(n\).*given array of shape \(5, 1\)",
    ),
    "check": ({"bodies": bodies(-1.0, 1.0)}, "the first mass is negative"),
}


@pytest.mark.parametrize("name", WRONG)
def test_arrays_that_do_not_fit_are_refused(name):
    changes, message = WRONG[name]
    allocate_outer()
    with pytest.raises(TypeError, match=message):
        allocate_outer(**changes)


def test_given_values_must_have_the_sizes_of_the_others():
    table = INNER.prepare(Inner(np.zeros((4, 3)), np.zeros(4, np.int64)))
    with pytest.raises(TypeError, match=r"inner: .*bodies = 2 as in a previous argument; given 3"):
        allocate(OUTER, {"n": 1}, copied={"bodies": bodies(1.0, 1.0)}, given={"inner": table})
    with pytest.raises(TypeError, match=r"fixed: expected .*shape \(3\)"):
        allocate(OUTER, {"bodies": 2, "rows": 1, "n": 1}, given={"fixed": np.zeros(2)})


def test_only_arrays_can_be_allocated():
    class Number(NamedTuple):
        x: float

    with pytest.raises(TypeError, match="only arrays"):
        allocate(Structure(Number, {"x": FLOAT}))
