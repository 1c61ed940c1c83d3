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
from softdock.presentation.discrepancies import discrepancies_html
from softdock.presentation.labels import label
from softdock.presentation.numbers import MISSING
from softdock.presentation.phases import PEAK_NOTE, phase_bars_html
from softdock.presentation.reactions import without_reaction_metrics
from softdock.presentation.run import (
    conservation_errors,
    conservation_table,
    event_table,
    metric_table,
    prediction_sentences,
    timing_text,
)
from softdock.presentation.status import Status
from softdock.presentation.tables import status_mark
from softdock.presentation.unit_systems import SYSTEMS
from softdock.result import Audit, PeakReaction, RunPhase, Timing
from softdock.studio.run_data import read_table

Summary = Mapping[str, Any]


def verdict_html(summary: Summary, success: Sequence[str] = ()) -> str:
    """Return outcome, validity and conservation check with their statuses, the message and the warnings of a run."""
    outcome = summary["outcome"]
    status = outcome_status(outcome, summary["completed"], summary["outcomes"], success)
    audit, valid = Audit(**summary["audit"]), summary["valid"]
    errors = conservation_errors(audit) or "no law applies"
    warnings = "".join(f"<li>{html.escape(text)}</li>" for text in summary["warnings"])
    return discrepancies_html(summary["discrepancies"]) + (
        f'<div class="verdict"><span>{status_mark(status)}<b>{html.escape(label(outcome))}</b></span>'
        f'<span class="message">{html.escape(summary["message"])}</span>'
        f"<span>{status_mark(validity_status(valid))}<span>{html.escape(validity_text(valid))}</span></span>"
        f'<span title="Largest relative errors: {html.escape(errors)}">{status_mark(conservation_status(audit))}'
        f"<span>{conservation_text(audit)}</span></span></div>" + (f"<ul>{warnings}</ul>" if warnings else "")
    )


def headline_html(summary: Summary, units: str) -> str:
    """Return the largest reaction, and the verdict on all requirements where the scenario states some."""
    verdict = summary["requirement_verdict"]
    parts = [html.escape(summary["displays"][units]["headline"])]
    if summary["requirements"]:
        parts.append(f"{status_mark(Status(verdict['status']))}<span>{html.escape(verdict['text'])}</span>")
    spans = "".join(f"<span>{part}</span>" for part in parts if part)
    return f'<div class="verdict">{spans}</div>'


def requirement_tiles_html(summary: Summary, units: str) -> str:
    """Return a tile for each requirement: identifier, verdict, text, value, limit and margin; empty without any."""
    display = summary["displays"][units]
    if display["problem"]:
        return f'<p class="problem" role="alert">{html.escape(display["problem"])}</p>'
    table, tiles = read_table(display["requirements"]), []
    for row, status in zip(table.rows, table.statuses, strict=True):
        cell = {name: html.escape(text) for name, text in zip(table.header, row, strict=True)}
        factor = f", factor {cell['factor']}" if cell["factor"] not in ("1", MISSING) else ""
        margin = f"margin {cell['margin']}" if cell["margin"] != MISSING else ""
        tiles.append(
            f'<li class="requirement {status.value}" title="{cell["source"]}">'
            f"<span>{status_mark(status)}<b>{cell['requirement']}</b> {cell['verdict']}</span>"
            f"<span>{cell['text']}</span><strong>{cell['value']}</strong>"
            f'<span class="soft">{cell["limit"]}{factor}</span><span class="soft">{margin}</span></li>'
        )
    return f'<ul class="requirements" aria-label="Requirements">{"".join(tiles)}</ul>' if tiles else ""


def reactions_html(summary: Summary, units: str) -> str:
    """Return peak force and moment of every reaction with times and components."""
    table = read_table(summary["displays"][units]["loads"])
    if not table.rows:
        return "<p class=soft>This run has no reactions.</p>"
    note = (
        "" if summary["loads"] else " Taken from the recorded rows: this result has no reactions of its own."
    )
    return table.to_html("plain") + f"<p class=soft>Components are those of the recorded rows.{note}</p>"


def phase_bars(summary: Summary) -> str:
    """Return the phases of a run as bars over its time; empty without phases."""
    phases = [RunPhase(**phase) for phase in summary["phases"]]
    return phase_bars_html(phases, (0.0, phases[-1].end)) if phases else ""


def phases_html(summary: Summary, units: str) -> str:
    """Return times, ends and peak reactions of the phases of a run."""
    table = read_table(summary["displays"][units]["phases"]).to_html("plain")
    return f"{table}<p class=soft>{html.escape(PEAK_NOTE)}</p>"


def work_text(summary: Summary) -> str:
    """Return simulated time, wall time, steps and recorded rows of a run."""
    return f"{timing_text(Timing(**summary['timing']))}, {summary['rows']:,} rows recorded."


def metrics_html(summary: Summary, earlier: Summary | None = None, units: str = "") -> str:
    """Return metrics beside the prediction and beside those of an earlier run, without the peaks of the reactions."""
    others = {f"{earlier['scenario']}, earlier": earlier["metrics"]} if earlier else {}
    system = SYSTEMS[units or summary["unit_system"]]
    metrics = without_reaction_metrics(
        summary["metrics"], [PeakReaction(**reaction) for reaction in summary["loads"]]
    )
    table = metric_table(
        metrics,
        summary["prediction"],
        summary["units"],
        others,
        system,
        summary["resolutions"],
        summary["metric_errors"],
    )
    sentences = prediction_sentences(summary["prediction"])
    theory = "".join(f"<p class=soft>{html.escape(text)}</p>" for text in sentences)
    return table.to_html("plain") + theory


def conservation_html(summary: Summary) -> str:
    """Return the errors of the conservation check with their statuses, and the rule."""
    table = conservation_table(Audit(**summary["audit"])).to_html("plain")
    return f"{table}<p class=soft>{CONSERVATION_RULE}</p>"


def events_html(summary: Summary) -> str:
    """Return the events of a run."""
    return event_table(summary["events"]).to_html("plain")
