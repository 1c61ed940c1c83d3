"""Mutants are valid sources with one change, the same for the same seed, and belong to their function."""

import ast
from pathlib import Path
from random import Random

from tests.mutants.mutations import find_mutants

import softdock

SOURCE = b'''"""A module."""
LIMIT = 1.0


@kernel
def push(data, x: float = 0.0) -> float:
    """Return a force."""
    if x < LIMIT and data.active:
        data.force = -x * 2
        raise ValueError(f"{x + 1}")
    return max(x, 0.0)
'''


def test_every_kind_of_change_is_made() -> None:
    changes = {
        (one.before.split("\n")[0], one.after.split("\n")[0])
        for one in find_mutants("a.py", SOURCE, Random(1))
    }
    assert changes == {
        ("1.0", "(0.0)"),
        ("0.0", "(1.0)"),
        ("if x < LIMIT and data.active:", "(not (x < LIMIT and data.active))"),
        ("x < LIMIT and data.active", "(x < LIMIT or data.active)"),
        ("x < LIMIT", "(x <= LIMIT)"),
        ("data.force = -x * 2", "pass"),
        ("-x * 2", "(-x / 2)"),
        ("-x", "(x)"),
        ("2", "(3)"),
        ("raise ValueError(f'{x + 1}')", "pass"),
        ("return max(x, 0.0)", "return None"),
        ("max(x, 0.0)", "(min(x, 0.0))"),
    }  # fmt: skip


def test_code_of_a_function_is_known_by_its_first_line_with_decorators() -> None:
    lines = {one.line: one.function for one in find_mutants("a.py", SOURCE, Random(1))}
    assert lines == {2: 0, 6: 5, 8: 5, 9: 5, 10: 5, 11: 5}


def test_mutants_of_the_package_are_valid_and_repeatable() -> None:
    path = Path(softdock.__file__).parent / "assembly" / "reaction_channels.py"
    source = path.read_bytes()
    found = find_mutants("assembly/reaction_channels.py", source, Random(3))
    assert found == find_mutants("assembly/reaction_channels.py", source, Random(3))
    changed = [one.apply(source) for one in found]
    assert len({ast.dump(ast.parse(one)) for one in changed} - {ast.dump(ast.parse(source))}) > 0.9 * len(
        found
    )
