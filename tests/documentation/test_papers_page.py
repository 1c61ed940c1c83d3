"""The page on the four papers is what its script writes from the rows."""

import re

import numpy as np
import pytest
from docs import papers_coverage as script
from docs.papers_rows import assist, impact, peg, station
from docs.papers_rows.row import COMPLETE, Row

COUNTS = {"I": (impact, 45), "A": (assist, 64), "P": (peg, 55), "S": (station, 49)}
TIMED = {"P27", "P28"}
"""Items whose values depend on the speed of the machine beyond a yes."""


def lines() -> dict[str, list[str]]:
    """Return the cells of the page by item."""
    found = {}
    for text in script.PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", text)[1:-1]]
        if cells and re.fullmatch(r"[IAPS]\d+", cells[0]):
            assert cells[0] not in found
            found[cells[0]] = cells
    return found


@pytest.mark.parametrize("letter", COUNTS)
def test_no_item_is_missing(letter: str) -> None:
    paper, count = COUNTS[letter]
    assert [row.item for row in paper.ROWS] == [f"{letter}{k + 1}" for k in range(count)]


def test_the_page_has_all_rows_with_their_words() -> None:
    page = lines()
    assert list(page) == [row.item for row in script.rows()]
    for row in script.rows():
        expected = [cell.strip() for cell in re.split(r"(?<!\\)\|", script.line(row, None))[1:-1]]
        given = page[row.item]
        assert [*given[:3], *given[4:]] == [*expected[:3], *expected[4:]], row.item
    assert script.summary() in script.PAGE.read_text(encoding="utf-8")


def test_what_is_not_complete_has_a_reason() -> None:
    for row in script.rows():
        assert row.reason or row.verdict == COMPLETE, row.item


@pytest.mark.parametrize("letter", COUNTS)
def test_quick_rows_give_what_the_page_says(letter: str) -> None:
    page = lines()
    chosen = [row for row in COUNTS[letter][0].ROWS if not row.slow]
    values, problems = script.evaluate(chosen)
    assert not problems
    for row in chosen:
        if row.item not in TIMED:
            assert_same(row, page[row.item][3], script.written(values[row.item], row.unit))


NUMBER = r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?"


def assert_same(row: Row, page: str, found: str) -> None:
    """Compare two cells: the same words, and numbers but for the processor and the last digit."""
    assert re.sub(NUMBER, "#", page) == re.sub(NUMBER, "#", found), row.item
    one, other = (np.array(re.findall(NUMBER, text), float) for text in (page, found))
    np.testing.assert_allclose(one, other, rtol=2e-3, atol=1e-12, err_msg=row.item)


def test_a_wrong_number_is_noticed() -> None:
    row = Row(item="X1", subject="two", show="1 + 1", expected=2.1)
    values, problems = script.evaluate([row])
    assert values == {"X1": 2}
    assert len(problems) == 1
    assert "instead of 2.1" in problems[0]
    assert script.evaluate([Row(item="X2", subject="none", show="1 / 0")])[1]
