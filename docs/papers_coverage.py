"""Writes docs/papers.md: what the four papers describe, what Softdock has, and the numbers of both.

Run from the root of the repository (some minutes): python -m docs.papers_coverage
"""

import sys
import textwrap
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from docs import papers_names
from docs.papers_rows import assist, impact, peg, station
from docs.papers_rows.row import COMPLETE, MISSING, PARTLY, Row

PAGE = Path(__file__).parent / "papers.md"
PAPERS = (impact, assist, peg, station)
VERDICTS = {COMPLETE: "complete", PARTLY: "partly", MISSING: "not"}
HEAD = """# The four papers, item by item

Softdock implements four published systems. This page lists everything that the papers describe: equations,
tables, figures, results, guidelines and outlooks, with the expression that shows it and what it gives today.
Expressions are Python, with `simulate`, `predict` and `load` of `softdock` and the names of
`docs/papers_names.py`; `python -m docs.papers_coverage` evaluates them all and writes this page. An
expression that must give a number is compared with it; the page cannot be written where one does not.

"Complete" items are there as described, "partly" ones with the reason beside them. "Not" are those that need
something that is not published, or that are outside of the contact phase. A dash
stands where there is nothing to evaluate, or where a long run was not repeated for this version.
"""


def value_of(row: Row) -> Any:
    """Return the value of the expression of a row; None where there is none."""
    return None if not row.show else eval(row.show, papers_names.names())  # rows of this repository


def check(row: Row, value: Any) -> str:
    """Return what is wrong with a value, or an empty text."""
    if row.expected is None:
        return "" if value is None or _is_known(value) else f"{row.item}: {row.show} gives {value!r}"
    if isinstance(row.expected, bool | str) or _is_text(row.expected):
        same = value == row.expected
    else:
        given, wanted = (
            np.atleast_1d(np.asarray(value, float)),
            np.atleast_1d(np.asarray(row.expected, float)),
        )
        same = given.shape == wanted.shape and bool(
            (np.abs(given - wanted) <= row.tolerance * np.where(wanted == 0.0, 1.0, np.abs(wanted))).all()
        )
    return "" if same else f"{row.item}: {row.show} gives {value!r} instead of {row.expected!r}"


def _is_known(value: Any) -> bool:
    """Return whether a value is a text, a truth or finite numbers."""
    if isinstance(value, bool | str) or _is_text(value):
        return True
    return bool(np.isfinite(np.asarray(value, float)).all())


def _is_text(value: Any) -> bool:
    return (
        isinstance(value, Sequence) and not isinstance(value, str) and all(isinstance(v, str) for v in value)
    )


def written(value: Any, unit: str) -> str:
    """Return a value for the page."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return f"`{value}`"
    if _is_text(value):
        return ", ".join(f"`{one}`" for one in value)
    numbers = [number(float(one)) for one in np.atleast_1d(np.asarray(value, float))]
    return " ".join(filter(None, (", ".join(numbers), unit)))


def number(value: float) -> str:
    """Return a number with four digits; round-off is written as an upper bound."""
    if value != 0.0 and abs(value) < 1e-9:
        return "below 1e-9"
    return f"{value:.4g}"


def line(row: Row, value: Any) -> str:
    """Return the line of a row."""
    verdict = VERDICTS[row.verdict] + (f": {row.reason}" if row.reason else "")
    show = f"`{row.show}`".replace("|", "\\|") if row.show else "-"
    return f"| {row.item} | {row.subject} | {row.paper} | {written(value, row.unit)} | {verdict} | {show} |"


def page(values: dict[str, Any]) -> str:
    """Return the page from the values of all rows."""
    parts = [HEAD, summary()]
    for paper in PAPERS:
        parts.append(f"## {paper.TITLE}\n")
        parts.append("| | item | paper | Softdock | verdict | shown by |\n|---|---|---|---|---|---|")
        parts[-1] = "\n".join([parts[-1], *(line(row, values[row.item]) for row in paper.ROWS)]) + "\n"
    return "\n".join(parts)


def summary() -> str:
    """Return the table of the numbers of items by paper and verdict."""
    lines = ["| paper | items | complete | partly | not |", "|---|---|---|---|---|"]
    for paper in PAPERS:
        counts = [sum(row.verdict == verdict for row in paper.ROWS) for verdict in VERDICTS]
        lines.append(
            f"| {paper.TITLE.split(':')[0]} | {len(paper.ROWS)} | " + " | ".join(map(str, counts)) + " |"
        )
    return "\n".join(lines) + "\n"


def rows() -> list[Row]:
    """Return the rows of all papers."""
    return [row for paper in PAPERS for row in paper.ROWS]


def evaluate(chosen: Iterable[Row]) -> tuple[dict[str, Any], list[str]]:
    """Return the values of rows by item, and what is wrong with them."""
    values: dict[str, Any] = {}
    problems: list[str] = []
    for row in chosen:
        start = time.process_time()
        try:
            values[row.item] = value_of(row)
        except Exception as error:  # named with its row
            values[row.item] = None
            problems.append(f"{row.item}: {row.show} fails: {error!r}"[:300])
            continue
        problem = check(row, values[row.item])
        problems += [problem] if problem else []
        spent = time.process_time() - start
        if spent > 2.0 and not row.slow:
            print(f"{row.item}: {spent:.1f} s", file=sys.stderr)
    return values, problems


def main() -> None:
    """Evaluate all rows and write the page, if nothing is wrong."""
    values, problems = evaluate(rows())
    if problems:
        sys.exit("\n".join(problems))
    PAGE.write_text(page(values), encoding="utf-8")
    print(textwrap.dedent(summary()))


if __name__ == "__main__":
    main()
