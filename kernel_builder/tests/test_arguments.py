"""Arguments reach compiled code unchanged, and arguments that were not declared are refused."""

from typing import NamedTuple

import numpy as np
import pytest

from kernel_builder.tests.support import load
from softdock.native.argument_types import (
    BOOL,
    BOOLEAN,
    FLOAT,
    INTEGER,
    MATRIX,
    VECTOR,
    Array,
    RecordArgument,
    StructureArgument,
    Tuple,
    floats,
    integers,
    records,
)
from softdock.native.decorators import kernel
from softdock.native.entry_point import EntryPoint
from softdock.native.library import runs_as_python

BODY = np.dtype([("mass", np.float64), ("index", np.int64), ("p", np.float64, 3)], align=True)

pytestmark = pytest.mark.skipif(runs_as_python(), reason="about compiled kernels")


class Inner(NamedTuple):
    scale: float
    table: np.ndarray


class Outer(NamedTuple):
    bodies: np.recarray
    inner: Inner
    count: int
    flags: np.ndarray


@kernel
def describe(flag, number, x, p, R, outer, out):
    """Use every kind of argument once."""
    body = outer.bodies[1]
    out[0] = x + p[0] + R[2][1]
    out[1] = body.mass * body.p[2] + body.index
    out[2] = outer.inner.scale * outer.inner.table[1, 2] + outer.inner.table.shape[1]
    out[3] = 1.0 if flag and outer.flags[0] else 0.0
    body.mass = 7.0
    return outer.count + number, x > 0.0, (p[1], p[2])


@kernel
def weigh(body):
    """Change a record."""
    body.mass += 1.0
    return body.mass


OUTER = StructureArgument(
    Outer,
    {
        "bodies": records(BODY, "bodies"),
        "inner": StructureArgument(
            Inner, {"scale": FLOAT, "table": floats("rows", "columns", writable=False)}
        ),
        "count": INTEGER,
        "flags": Array(BOOL, ("bodies",)),
    },
)
DESCRIBE = EntryPoint(
    describe, BOOLEAN, INTEGER, FLOAT, VECTOR, MATRIX, OUTER, floats(4),
    returns=Tuple((INTEGER, BOOLEAN, Tuple((FLOAT, FLOAT)))),
)  # fmt: skip
WEIGH = EntryPoint(weigh, RecordArgument(BODY), returns=FLOAT)


@pytest.fixture(scope="module", autouse=True)
def _compiled(tmp_path_factory):
    load(tmp_path_factory.mktemp("library"), DESCRIBE, WEIGH)


def arguments():
    bodies = np.zeros(2, BODY).view(np.recarray)
    bodies[1].mass, bodies[1].index, bodies[1].p[:] = 2.0, 5, (0.0, 0.0, 3.0)
    table = np.arange(6.0).reshape(2, 3)
    table.flags.writeable = False
    outer = Outer(bodies, Inner(0.5, table), 40, np.array([True, False]))
    rows = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 100.0, 0.0))
    return [True, 2, 1, (10.0, 20.0, 30.0), rows, outer, np.zeros(4)]


def test_compiled_code_receives_every_kind_of_argument():
    args = arguments()
    assert DESCRIBE(*args) == (42, True, (20.0, 30.0))
    assert args[-1].tolist() == [111.0, 11.0, 5.5, 1.0]
    assert args[5].bodies[1].mass == 7.0


def test_compiled_and_plain_python_agree():
    compiled, plain = arguments(), arguments()
    assert DESCRIBE(*compiled) == describe(*plain)
    assert np.array_equal(compiled[-1], plain[-1])


def test_bound_call_reads_values_that_are_written_later():
    args = arguments()
    call = DESCRIBE.bind(*args)
    args[5].bodies[1].index = 50
    call()
    assert args[-1][1] == 56.0


def test_a_prepared_structure_is_passed_as_the_structure_itself():
    args = arguments()
    prepared = [*args[:5], OUTER.prepare(args[5]), args[6]]
    assert DESCRIBE(*prepared) == (42, True, (20.0, 30.0))
    with pytest.raises(TypeError, match=r"outer: expected Outer; given Inner"):
        DESCRIBE(*args[:5], OUTER.fields["inner"].prepare(args[5].inner), args[6])


def test_a_record_is_changed_in_place():
    body = np.zeros(1, BODY).view(np.recarray)[0]
    assert WEIGH(body) == WEIGH(body) - 1.0 == 1.0


def replaced(args, **changes):
    outer = args[5]._replace(**changes)
    return [*args[:5], outer, *args[6:]]


WRONG = {
    "float for a boolean": (lambda a: [1.0, *a[1:]], "flag: expected a boolean; given float 1.0"),
    "float for an integer": (lambda a: [a[0], 2.5, *a[2:]], "number: expected an integer"),
    "text for a float": (lambda a: [*a[:2], "1", *a[3:]], "x: expected a float"),
    "vector of two": (lambda a: [*a[:3], (1.0, 2.0), *a[4:]], "p: expected a tuple of 3"),
    "text in a matrix": (
        lambda a: [*a[:4], ((0.0, 0.0, 0.0), (0.0, "1", 0.0), (0.0, 0.0, 0.0)), *a[5:]],
        r"describe: R\[1\]\[1\]: expected a float",
    ),
    "list for a tuple": (lambda a: [*a[:3], [1.0, 2.0, 3.0], *a[4:]], "p: expected a tuple of 3"),
    "too few arguments": (lambda a: a[:-1], "expected 7 arguments; given 6"),
    "another structure": (lambda a: [*a[:5], tuple(a[5]), a[6]], "outer: expected Outer"),
    "wrong size": (lambda a: [*a[:6], np.zeros(3)], r"out: .*shape \(4\).*given array of shape \(3,\)"),
    "wrong dimensions": (lambda a: [*a[:6], np.zeros((2, 2))], r"out: .*given array of shape \(2, 2\)"),
    "wrong type": (lambda a: [*a[:6], np.zeros(4, np.float32)], "out: .*float64; given .*float32"),
    "another byte order": (lambda a: [*a[:6], np.zeros(4, ">f8")], "out: .*given .*>f8"),
    "not contiguous": (lambda a: [*a[:6], np.zeros(8)[::2]], "out: .*not C-contiguous"),
    "read-only": (lambda a: [*a[:6], np.frombuffer(bytes(32))], "out: .*writable.*read-only"),
    "other records": (
        lambda a: replaced(a, bodies=np.zeros(2)),
        r"outer\.bodies: .*record\(mass, index, p\)",
    ),
    "list for an array": (lambda a: replaced(a, flags=[True, False]), r"outer\.flags: .*given list"),
    "sizes that differ": (
        lambda a: replaced(a, flags=np.zeros(3, bool)),
        r"describe: outer\.flags: .*bodies = 2 as in a previous argument; given array of shape \(3,\)",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_arguments_that_were_not_declared_are_refused_and_not_written(name):
    change, message = WRONG[name]
    args = arguments()
    with pytest.raises(TypeError, match=message):
        DESCRIBE(*change(args))
    assert args[5].bodies[1].mass == 2.0
    assert not args[-1].any()


def test_a_record_of_another_type_is_refused():
    with pytest.raises(TypeError, match="body: expected"):
        WEIGH(np.zeros(1, np.dtype([("mass", np.float64)]))[0])


def test_a_declaration_must_fit_the_function():
    with pytest.raises(TypeError, match="takes 1 arguments, not 2"):
        EntryPoint(weigh, FLOAT, FLOAT)
    with pytest.raises(TypeError, match="has the fields"):
        StructureArgument(Inner, {"scale": FLOAT})


def test_a_result_of_another_type_than_declared_is_refused(tmp_path):
    with pytest.raises(TypeError, match="returns float64, but its entry point declares int64"):
        load(tmp_path, EntryPoint(weigh, RecordArgument(BODY), returns=INTEGER))


def test_empty_arrays_are_accepted(tmp_path):
    @kernel
    def size(values, whole):
        """Return the number of items."""
        return values.shape[0] + whole.shape[1]

    entry = EntryPoint(size, floats("n"), integers("m", 3), returns=INTEGER)
    load(tmp_path, entry)
    assert entry(np.zeros(0), np.zeros((0, 3), np.int64)) == 3
