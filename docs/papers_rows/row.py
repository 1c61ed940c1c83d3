"""One item of a paper: what Softdock has for it, the expression that shows it, and the number that it must give."""

from dataclasses import dataclass
from typing import Any

COMPLETE, PARTLY, MISSING = "complete", "partly", "not"


@dataclass(frozen=True, kw_only=True)
class Row:
    """A row of the page on the papers."""

    item: str
    """Name of the item, for example `I1`."""
    subject: str
    show: str = ""
    """Python expression in the names of `docs.papers_coverage`, or empty where there is nothing to run."""
    paper: str = "text"
    """What the paper gives: a number, `equation`, `figure` or `text`."""
    expected: Any = None
    """Value that the expression must have; None if the paper gives no number."""
    tolerance: float = 1e-3
    """Relative tolerance of numbers, absolute where 0 is expected."""
    unit: str = ""
    verdict: str = COMPLETE
    reason: str = ""
    """Why it is not complete, or what differs."""
    slow: bool = False
    """Whether only the script evaluates it, not the tests."""


def row(item: str, subject: str, show: str = "", expected: Any = None, unit: str = "", **more: Any) -> Row:
    """Return a complete row; `verdict` and `reason` say what is missing."""
    return Row(item=item, subject=subject, show=show, expected=expected, unit=unit, **more)


def partly(
    item: str, subject: str, reason: str, show: str = "", expected: Any = None, unit: str = "", **more: Any
) -> Row:
    """Return a row of which a part is missing."""
    return Row(
        item=item,
        subject=subject,
        show=show,
        expected=expected,
        unit=unit,
        verdict=PARTLY,
        reason=reason,
        **more,
    )


def missing(item: str, subject: str, reason: str, **more: Any) -> Row:
    """Return a row that Softdock does not have."""
    return Row(item=item, subject=subject, verdict=MISSING, reason=reason, **more)
