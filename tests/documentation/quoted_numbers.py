"""Comparison of numbers that a page of the documentation quotes with those of the program."""

import re
from collections.abc import Sequence
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
NUMBER = r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?"
SLACK = 1e-4  # relative, beyond the rounding of the printed number: processors and library versions differ


def unit_in_last_place(text: str) -> float:
    digits, _, exponent = text.partition("e")
    return 10.0 ** (int(exponent or 0) - len(digits.partition(".")[2]))


def find_numbers(page: str, phrase: str) -> list[str]:
    """Return the numbers of a page where the phrase has `{}`; a line break equals a space.

    The page is a path in the documentation, with `.md` or with a folder, or the name of a tutorial.
    """
    name = page.removesuffix(".md")
    path = f"{name}.md" if "/" in page or name != page else f"tutorials/{name}.md"
    text = re.sub(r"\s+", " ", (DOCS / path).read_text(encoding="utf-8"))
    pattern = re.escape(re.sub(r"\s+", " ", phrase)).replace(r"\{\}", f"({NUMBER})")
    found = re.search(pattern, text)
    assert found, f"{path} no longer contains the phrase {phrase!r}"
    return list(found.groups())


def assert_quoted(page: str, phrase: str, values: Sequence[float]) -> None:
    numbers = find_numbers(page, phrase)
    assert len(numbers) == len(values)
    for text, value in zip(numbers, values):
        allowed = 0.5 * unit_in_last_place(text) + SLACK * abs(value)
        assert abs(float(text) - value) <= allowed, (
            f"{page.removesuffix('.md')}.md says {text}, the program {value:.6g}: {phrase}"
        )
