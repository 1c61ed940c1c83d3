"""Structures in blocks of memory have the declared types, shapes and alignment, and are passed like others."""

from typing import NamedTuple

import numpy as np
import pytest

from softdock.native.argument_types import FLOAT, Memory, StructureArgument, floats, integers, records
from softdock.native.structure_memory import CACHE_LINE, MemoryLayout, allocate

BODY = np.dtype([("mass", np.float64), ("index", np.int64)], align=True)


class Inner(NamedTuple):
    table: np.ndarray
    rows: np.ndarray


class Outer(NamedTuple):
    bodies: np.recarray
    inner: Inner
    fixed: np.ndarray
    state: np.ndarray


INNER = StructureArgument(
    Inner, {"table": floats("rows", "bodies", memory=Memory.SCRATCH), "rows": integers("rows")}
)
OUTER = StructureArgument(
    Outer,
    {
        "bodies": records(BODY, "bodies"),
        "inner": INNER,
        "fixed": floats(3, memory=Memory.MODEL),
        "state": floats("n"),
    },
    lambda outer: "the first mass is negative" if outer.bodies[0].mass < 0.0 else None,
)


def bodies(*masses):
    out = np.zeros(len(masses), BODY)
    out["mass"] = masses
    return out


def allocate_outer(**changes):
    copied = {"bodies": bodies(2.0, 3.0), "fixed": np.ones(3), "state": np.arange(5.0)} | changes
    return allocate(OUTER, {"rows": 4}, copied=copied)


@pytest.mark.plain_python
def test_fields_are_copied_or_zero():
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


def test_sizes_must_fit_those_of_copied_arrays():
    table = np.zeros((4, 3))
    with pytest.raises(TypeError, match=r"inner\.table: .*bodies = 2 as in a previous argument; given array"):
        allocate(OUTER, {"n": 1}, copied={"bodies": bodies(1.0, 1.0), "inner.table": table})
    with pytest.raises(TypeError, match=r"fixed: expected .*shape \(3\)"):
        allocate(OUTER, {"bodies": 2, "rows": 1, "n": 1}, copied={"fixed": np.zeros(2)})


def test_every_kind_of_memory_is_one_block_and_the_model_may_be_read_only():
    layout = MemoryLayout(OUTER, {"bodies": 2, "rows": 4, "n": 5})
    assert {memory: size for memory, size in layout.bytes.items() if size} == {
        Memory.MODEL: 64,  # fixed
        Memory.DATA: 64 + 64 + 64,  # bodies, rows, state
        Memory.SCRATCH: 64,  # table
    }
    assert [place.offset for place in layout.places.values()] == [0, 0, 64, 0, 128]
    blocks = {memory: layout.block(memory) for memory in Memory}
    layout.write("fixed", np.arange(3.0), blocks[Memory.MODEL])
    blocks[Memory.MODEL].flags.writeable = False
    prepared = layout.bind(blocks)
    assert prepared.value.fixed.tolist() == [0.0, 1.0, 2.0]
    assert not prepared.value.fixed.flags.writeable
    assert OUTER.prepare(prepared.value).words == prepared.words
    prepared.value.state[:] = 2.0
    assert layout.view("state", blocks[Memory.DATA]).tolist() == [2.0] * 5


def test_only_arrays_can_be_allocated():
    class Number(NamedTuple):
        x: float

    with pytest.raises(TypeError, match="only arrays"):
        allocate(StructureArgument(Number, {"x": FLOAT}))
