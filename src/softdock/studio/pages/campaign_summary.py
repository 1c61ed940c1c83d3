"""HTML about one campaign from its summary (`campaign_data`): figures at the top of its page, requirement matrix."""

import html
from collections.abc import Mapping, Sequence
from typing import Any

from softdock.presentation.discrepancies import discrepancies_html
from softdock.presentation.labels import label
from softdock.presentation.numbers import format_confidence, format_share
from softdock.presentation.status import Status
from softdock.presentation.tables import status_mark
from softdock.studio.run_data import read_table

Summary = Mapping[str, Any]


def figures_html(summary: Summary, success: Sequence[str], units: str) -> str:
    """Return tiles with the success rate and its interval, the remaining runs and the verdict on all requirements.

    A table of the phases that the runs reach follows where the scenario has phases.
    """
    tiles = [_success(summary, success, units), _remaining(summary)]
    if summary["verdict"]:
        status = Status(summary["verdict"]["status"])
        text = html.escape(summary["verdict"]["text"])
        tiles.append(_tile("Requirements", f"{status_mark(status)}{status_words(status)}", text, status))
    problem = html.escape(summary["problem"])
    phases = read_table(summary["phases"])
    reached = (
        f'<div class="card wide" style="margin-top: 12px">{phases.to_html("plain")}</div>'
        if phases.rows
        else ""
    )
    shown = f'<p class="problem" role="alert">{problem}</p>' if problem else ""
    marks = discrepancies_html(summary["discrepancies"])
    return (
        f'{marks}<ul class="requirements figures" aria-label="Summary">{"".join(tiles)}</ul>{reached}{shown}'
    )


def status_words(status: Status) -> str:
    """Return the verdict on all requirements in one word."""
    return {Status.GOOD: "met", Status.FAILED: "violated"}.get(status, "undecided")


def matrix_html(summary: Summary, units: str) -> str:
    """Return the requirement matrix with the meaning of its columns."""
    table = read_table(summary["requirements"][units]).to_html("plain")
    return f'<div class="wide">{table}</div><p class="soft">{html.escape(summary["notes"])}</p>'


def _success(summary: Summary, success: Sequence[str], units: str) -> str:
    """Return the tile of the success rate, or of what a search for rare failures found."""
    sentences = summary["sentences"][units]
    if summary["method"] != "monte-carlo" and sentences:
        return _tile("Result", "", html.escape(sentences[0]))
    rate = summary["success"]
    if rate is None or rate["share"] is None:
        why = (
            "No run is done yet." if success else "The campaign does not state which outcomes are a success."
        )
        return _tile("Success rate", "-", why)
    names = html.escape(" or ".join(label(name) for name in success))
    interval = f"{format_share(rate['low'])} to {format_share(rate['high'])}"
    about = f"{format_confidence(rate['confidence'])} confidence interval {interval}"
    return _tile(f"Success rate ({names})", format_share(rate["share"]), about)


def _remaining(summary: Summary) -> str:
    planned = f"of {summary['total']:,} planned"
    texts = " ".join(html.escape(text) for text in [f"{planned}.", *summary["estimates"]])
    return _tile("Remaining runs", f"{summary['remaining']:,}", texts)


def _tile(title: str, figure: str, about: str, status: Status = Status.NEUTRAL) -> str:
    """Return a tile of HTML fragments."""
    return (
        f'<li class="requirement {status.value}"><span class="soft">{title}</span><strong>{figure}</strong>'
        f"<span>{about}</span></li>"
    )
