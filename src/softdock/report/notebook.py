"""Short descriptions of results in notebooks: outcome, requirements, reactions and a picture."""

import base64
import html
import io

from softdock.errors import InputError
from softdock.presentation.discrepancies import discrepancies_html
from softdock.presentation.labels import label
from softdock.presentation.reactions import largest_reaction_text, reaction_table
from softdock.presentation.requirements import requirement_table
from softdock.presentation.unit_systems import unit_system_of
from softdock.report.plot import plot
from softdock.result import Result
from softdock.result.damaged_results import damaged_result_errors

MOST_REACTIONS = 5
DOTS_PER_INCH = 60  # a picture of about 40 kB


def result_html(result: Result) -> str:
    """Return outcome, validity, requirements, largest reactions and the plot of a run as HTML."""
    with damaged_result_errors(result):
        return _html(result)


def _html(result: Result) -> str:
    system = unit_system_of(result.definition)
    parts = [
        *([discrepancies_html(result.discrepancies)] if result.discrepancies else []),
        f"<p><b>{html.escape(result.titled(label(result.outcome)))}.</b> "
        f"{html.escape(result.message)} Valid: {result.valid}.</p>",
        *(f"<p>{html.escape(warning)}</p>" for warning in result.warnings),
    ]
    if result.requirements:
        parts.append(requirement_table(result, system).to_html())
    if result.loads:
        parts.append(f"<p>{html.escape(largest_reaction_text(result.loads, system))}</p>")
        parts.append(reaction_table(result.loads[:MOST_REACTIONS], system).to_html())
    return "\n".join([*parts, *_picture(result)])


def _picture(result: Result) -> list[str]:
    try:
        figure = plot(result)
    except InputError:  # nothing was recorded
        return []
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=DOTS_PER_INCH)
    data = base64.b64encode(buffer.getvalue()).decode("ascii")
    return [
        f'<img alt="{html.escape(result.scenario or "Run")} over time" src="data:image/png;base64,{data}">'
    ]
