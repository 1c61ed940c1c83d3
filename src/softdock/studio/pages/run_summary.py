"""HTML about one run from its summary, which is the plain data of `Result.to_json` and its channels."""

import html
from collections.abc import Mapping, Sequence
from typing import Any

from softdock.presentation.assessment import (
    CONSERVATION_RULE,
    conservation_status,
    conservation_text,
    outcome_status,
    validity_status,
    validity_text,
)
from softdock.presentation.labels import label
from softdock.presentation.run import (
    conservation_errors,
    conservation_table,
    event_table,
    metric_table,
    prediction_sentences,
    timing_text,
)
from softdock.presentation.tables import status_mark
from softdock.result import Audit, Timing

Summary = Mapping[str, Any]


def verdict_html(summary: Summary, success: Sequence[str] = ()) -> str:
    """Return outcome, validity and conservation check with their statuses, the message and the warnings of a run."""
    outcome = summary["outcome"]
    status = outcome_status(outcome, summary["completed"], summary["outcomes"], success)
    audit, valid = Audit(**summary["audit"]), summary["valid"]
    errors = conservation_errors(audit) or "no law applies"
    warnings = "".join(f"<li>{html.escape(text)}</li>" for text in summary["warnings"])
    return (
        f'<div class="verdict"><span>{status_mark(status)}<b>{html.escape(label(outcome))}</b></span>'
        f'<span class="message">{html.escape(summary["message"])}</span>'
        f"<span>{status_mark(validity_status(valid))}<span>{html.escape(validity_text(valid))}</span></span>"
        f'<span title="Largest relative errors: {html.escape(errors)}">{status_mark(conservation_status(audit))}'
        f"<span>{conservation_text(audit)}</span></span></div>" + (f"<ul>{warnings}</ul>" if warnings else "")
    )


def work_text(summary: Summary) -> str:
    """Return simulated time, wall time, steps and recorded rows of a run."""
    return f"{timing_text(Timing(**summary['timing']))}, {summary['rows']:,} rows recorded."


def metrics_html(summary: Summary, earlier: Summary | None = None) -> str:
    """Return metrics beside the prediction and beside those of an earlier run."""
    others = {f"{earlier['scenario']}, earlier": earlier["metrics"]} if earlier else {}
    table = metric_table(summary["metrics"], summary["prediction"], summary["units"], others)
    sentences = prediction_sentences(summary["prediction"])
    theory = "".join(f"<p class=soft>Theory: {html.escape(text)}</p>" for text in sentences)
    return table.to_html("plain") + theory


def conservation_html(summary: Summary) -> str:
    """Return the errors of the conservation check with their statuses, and the rule."""
    table = conservation_table(Audit(**summary["audit"])).to_html("plain")
    return f"{table}<p class=soft>{CONSERVATION_RULE}</p>"


def events_html(summary: Summary) -> str:
    """Return the events of a run."""
    return event_table(summary["events"]).to_html("plain")
