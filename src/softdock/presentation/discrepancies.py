"""Marks of stored results that do not agree with their digests, the same in terminal, report, replay and studio."""

import html
from collections.abc import Sequence

from softdock.presentation.status import Status
from softdock.presentation.tables import status_mark

MARK = "not verified"
"""Mark of a result in one line, where its sentences have no place."""


def discrepancy_texts(discrepancies: Sequence[str]) -> list[str]:
    """Return one sentence for each discrepancy of a result or a campaign."""
    return [f"Not verified: {text}" for text in discrepancies]


def discrepancy_status(text: str) -> Status:
    """Return the status of a discrepancy: doubtful where there is nothing to compare with, else failed."""
    from softdock.result.digest import (
        NO_DIGEST,
    )  # imports NumPy, which the server of the studio does not need

    return Status.DOUBTFUL if NO_DIGEST in text else Status.FAILED


def discrepancies_html(discrepancies: Sequence[str]) -> str:
    """Return a paragraph for each discrepancy; empty without any."""
    return "".join(
        f'<p class="problem" role="alert">{status_mark(discrepancy_status(text))}<b>{html.escape(text)}</b></p>'
        for text in discrepancy_texts(discrepancies)
    )
