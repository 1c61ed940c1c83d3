"""An entry point is compiled again if and only if something that its code depends on has changed."""

import types

import numpy as np
import pytest

from kernel_builder.dependencies import digest_of
from softdock.native.argument_types import FLOAT, INTEGER, records
from softdock.native.decorators import inline, kernel
from softdock.native.entry_point import EntryPoint

SOURCE = '''
FACTOR = 2.0
TABLE = np.array([1.0, 0.123456789012])

@inline
def helper(x):
    """Double."""
    return FACTOR * x + TABLE[1]  # a comment

@kernel
def shared(x):
    """Triple."""
    return 3.0 * x

@kernel
def top(x):
    """Use both."""
    return helper(x) + shared(x)

@kernel
def other(x):
    """Use none."""
    return x
'''


def digests(source=SOURCE, kind=FLOAT, returns=FLOAT):
    module = types.ModuleType("made")
    module.__dict__.update(np=np, kernel=kernel, inline=inline)
    exec(compile(source, "made.py", "exec"), module.__dict__)
    shared = EntryPoint(module.shared, kind, returns=returns, separate=True)
    entries = [
        shared,
        EntryPoint(module.top, FLOAT, returns=FLOAT),
        EntryPoint(module.other, FLOAT, returns=FLOAT),
    ]
    return {entry.function.__name__: digest_of(entry, entries, "build") for entry in entries}


def changed_entry_points(*args, **named):
    before, after = digests(), digests(*args, **named)
    return {name for name in before if before[name] != after[name]}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("return FACTOR * x", "return 1.0 + FACTOR * x", {"top"}),  # a callee
        ("FACTOR = 2.0", "FACTOR = 2.5", {"top"}),  # a constant
        ("0.123456789012", "0.123456789013", {"top"}),  # the last digit of an array
        ("@inline", "@kernel", {"top"}),  # how it is compiled
        ("3.0 * x", "4.0 * x", {"shared"}),  # the body of a separate entry point
        ("return x\n", "return -x\n", {"other"}),
        ("# a comment", "# another", set()),
        ('"""Double."""', '"""Twice as much."""', set()),
    ],
)
def test_edit_changes_the_digests_of_dependent_entry_points(old, new, expected):
    assert SOURCE.replace(old, new) != SOURCE
    assert changed_entry_points(SOURCE.replace(old, new)) == expected


def test_change_of_a_signature_changes_all_callers():
    assert changed_entry_points(kind=INTEGER) == {"shared", "top"}


def test_layout_of_records_changes_the_digest():
    @kernel
    def read(rows):
        """Read."""
        return rows[0].a

    one, two = (
        EntryPoint(read, records(np.dtype([("a", kind)]), "n"), returns=FLOAT)
        for kind in (np.float64, np.float32)
    )
    assert digest_of(one, [one], "build") != digest_of(two, [two], "build")


def test_build_changes_the_digest():
    @kernel
    def same(x):
        """Return it."""
        return x

    entry = EntryPoint(same, FLOAT, returns=FLOAT)
    assert digest_of(entry, [entry], "one") != digest_of(entry, [entry], "other")
