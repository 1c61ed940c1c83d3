"""Summary of a result as aligned lines of text."""

from dataclasses import replace

from softdock.errors import printable
from softdock.presentation.assessment import (
    conservation_status,
    conservation_text,
    named_outcomes,
    outcome_status,
    validity_status,
    validity_text,
)
from softdock.presentation.discrepancies import discrepancy_status, discrepancy_texts
from softdock.presentation.numbers import display_resolutions
from softdock.presentation.phases import phase_table
from softdock.presentation.reactions import largest_reaction_text, reaction_table, without_reaction_metrics
from softdock.presentation.refinement import refinement_table, refinement_text
from softdock.presentation.requirements import requirement_table
from softdock.presentation.run import (
    conservation_errors,
    first_event_table,
    metric_table,
    prediction_sentences,
    timing_text,
)
from softdock.presentation.status import Status
from softdock.presentation.unit_systems import UnitSystem, unit_system_of
from softdock.report.reaction_channels import phase_peaks
from softdock.result import Audit, Result
from softdock.result.damaged_results import damaged_result_errors

MOST_REACTIONS = 8
"""Reactions of the table in a terminal."""
MOST_CHANGES = 16
"""Rows of the table of a refined run in a terminal."""
MOST_EVENTS = 16
"""Events of the table in a terminal."""
Line = tuple[str, Status]
"""Text, which may have several lines, and its status."""


def summary(result: Result, system: UnitSystem | None = None) -> str:
    """Return outcome, metrics beside the prediction, conservation check and timing as text for a terminal."""
    return "\n".join(text for text, _ in summary_lines(result, system))


def summary_lines(result: Result, system: UnitSystem | None = None) -> list[Line]:
    """Return the summary in parts that have one status each; blocks are separated by empty lines.

    Values are in the given unit system, or in that of the scenario.
    """
    with damaged_result_errors(result):
        lines = _lines(result, system or unit_system_of(result.definition))
    return [(printable(text, "\n"), status) for text, status in lines]


def _lines(result: Result, system: UnitSystem) -> list[Line]:
    status = outcome_status(result.outcome, result.completed, named_outcomes(result.definition))
    validity = (validity_text(result.valid), validity_status(result.valid))
    warnings = [(f"- {warning}", Status.NEUTRAL) for warning in result.warnings]
    metrics = without_reaction_metrics(result.metrics, result.loads)
    resolutions = display_resolutions(result.definition)
    table = metric_table(
        metrics,
        result.prediction,
        result.units,
        system=system,
        resolutions=resolutions,
        errors=result.metric_errors,
    )
    is_valid = result.valid == "yes"
    blocks: list[list[Line]] = [
        [(text, discrepancy_status(text)) for text in discrepancy_texts(result.discrepancies)],
        [(result.titled(result.outcome), status), (result.message, Status.NEUTRAL)],
        [] if is_valid else [validity, *warnings],  # before the numbers that it is about
        _requirements(result, system),
        _phases(result, system),
        _events(result),
        _reactions(result, system),
        [(table.to_text(), Status.NEUTRAL)] if table.rows else [],
        [(sentence, Status.NEUTRAL) for sentence in prediction_sentences(result.prediction)],
        _refinement(result, system),
        [
            *([validity, *warnings] if is_valid else []),
            (_conservation(result.audit), conservation_status(result.audit)),
            (f"Timing: {timing_text(result.timing)}", Status.NEUTRAL),
        ],
    ]
    lines: list[Line] = []
    for block in filter(None, blocks):
        lines += [*([("", Status.NEUTRAL)] if lines else []), *block]
    return lines


def _requirements(result: Result, system: UnitSystem) -> list[Line]:
    """Return the requirement matrix, one line per requirement with its status."""
    if not result.requirements:
        return []
    table = requirement_table(result, system)
    header, *rows = table.to_text().splitlines()
    return [(header, Status.NEUTRAL), *zip(rows, table.statuses, strict=True)]


def _phases(result: Result, system: UnitSystem) -> list[Line]:
    """Return a table of the phases, one line per phase with its status."""
    if not result.phases:
        return []
    table = phase_table(result.phases, phase_peaks(result), system)
    header, *rows = table.to_text().splitlines()
    return [(header, Status.NEUTRAL), *zip(rows, table.statuses, strict=True)]


def _events(result: Result) -> list[Line]:
    """Return a table of the events, each with its first time."""
    table = first_event_table(result.events)
    more = len(table.rows) - MOST_EVENTS
    text = replace(table, rows=table.rows[:MOST_EVENTS]).to_text()
    rest = [(f"... and {more} later events; --json shows all.", Status.NEUTRAL)] if more > 0 else []
    return [(text, Status.NEUTRAL), *rest] if table.rows else []


def _reactions(result: Result, system: UnitSystem) -> list[Line]:
    """Return the largest reaction of any kind and a table of the largest reactions."""
    headline = largest_reaction_text(result.loads, system)
    if not headline:
        return []
    text = reaction_table(result.loads[:MOST_REACTIONS], system).to_text()
    more = len(result.loads) - MOST_REACTIONS
    rest = (
        [(f"... and {more} smaller reactions; --report and --json show all.", Status.NEUTRAL)]
        if more > 0
        else []
    )
    return [(headline, Status.NEUTRAL), (text, Status.NEUTRAL), *rest]


def _refinement(result: Result, system: UnitSystem) -> list[Line]:
    """Return what the refined run shows, and its table."""
    if result.converged is None:
        return []
    table = refinement_table(result, system, display_resolutions(result.definition))
    more = len(table.rows) - MOST_CHANGES
    text = replace(table, rows=table.rows[:MOST_CHANGES], statuses=()).to_text()
    rest = (
        [(f"... and {more} more values; --report and --json show all.", Status.NEUTRAL)] if more > 0 else []
    )
    return [refinement_text(result), (text, Status.NEUTRAL), *rest]


def _conservation(audit: Audit) -> str:
    errors = conservation_errors(audit)
    return (
        f"{conservation_text(audit)} (largest relative errors: {errors})"
        if errors
        else conservation_text(audit)
    )
