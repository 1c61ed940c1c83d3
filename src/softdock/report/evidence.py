"""Evidence for a run: validity, conservation check, accuracy and convergence."""

import html
import math
from collections.abc import Mapping, Sequence

from softdock.presentation.assessment import (
    CONSERVATION_RULE,
    conservation_status,
    conservation_text,
    validity_status,
    validity_text,
)
from softdock.presentation.labels import label
from softdock.presentation.numbers import (
    display_resolutions,
    display_unit,
    format_change,
    format_error,
    format_number,
    format_quantity,
    format_value,
)
from softdock.presentation.refinement import REFINEMENT_NOTE, refinement_table, refinement_text
from softdock.presentation.run import conservation_table, timing_text
from softdock.presentation.tables import Table, status_mark
from softdock.presentation.unit_systems import UnitSystem
from softdock.report.page import paragraph, scrolling
from softdock.result import Audit, Result
from softdock.result.step_errors import ACCURACY_UNITS
from softdock.simulation.convergence import Refinement


def evidence_parts(result: Result, refinements: Sequence[Refinement] | None, system: UnitSystem) -> list[str]:
    """Return validity, conservation check, requested accuracy and, where it was checked, convergence."""
    return [
        "<h3>Validity of the models</h3>",
        validity_paragraph(result),
        "<h3>Conservation check</h3>",
        f"<p>{status_mark(conservation_status(result.audit))}{html.escape(conservation_text(result.audit))}</p>",
        conservation_table(result.audit).to_html(),
        f'<p class="soft">{html.escape(f"{CONSERVATION_RULE} {Audit.COVERAGE}")}</p>',
        "<h3>Accuracy and convergence</h3>",
        paragraph(_accuracy(result, system)),
        *_convergence(result, refinements, system),
        *_refinement(result, system),
        paragraph(f"{timing_text(result.timing)}.", "soft"),
    ]


def validity_paragraph(result: Result) -> str:
    """Return the validity of a run with its warnings."""
    warnings = "".join(f"<li>{html.escape(text)}</li>" for text in result.warnings)
    listed = f"<ul>{warnings}</ul>" if warnings else ""
    return f"<p>{status_mark(validity_status(result.valid))}{html.escape(validity_text(result.valid))}</p>{listed}"


def _accuracy(result: Result, system: UnitSystem) -> str:
    """Return the requested accuracy of the time integration in words."""
    integrator = result.definition.get("integrator")
    settings = integrator if isinstance(integrator, Mapping) else result.definition
    accuracy = settings.get("accuracy")
    if not isinstance(accuracy, Mapping):
        return (
            "The motion between events is solved exactly; there is no step whose error could be controlled."
        )
    if settings.get("step") is not None:
        return f"Fixed step of {format_quantity(settings['step'], 's')}."
    parts = [
        f"{name} {format_quantity(accuracy[name], unit, system)}"
        for name, unit in ACCURACY_UNITS.items()
        if name in accuracy
    ]
    force = accuracy.get("force")
    if isinstance(force, int | float):
        parts.append(f"force and moment {format_number(100.0 * force)} % of their peak")
    return f"Error allowed in one step: {', '.join(parts)}."


def _convergence(result: Result, refinements: Sequence[Refinement] | None, system: UnitSystem) -> list[str]:
    if refinements is None:
        unchecked = "Convergence was not checked (options --converged and --convergence)."
        return [] if result.converged is not None else [paragraph(unchecked)]
    if not refinements:
        return []
    changed = [
        f"{refinement.title}: {refinement.outcome}"
        for refinement in refinements
        if refinement.outcome != result.outcome
    ]
    outcome = f"The outcome changes ({'; '.join(changed)})." if changed else "The outcome does not change."
    sizes = [abs(x) for refinement in refinements for x in refinement.changes.values() if math.isfinite(x)]
    largest = (
        f" Largest relative change of a metric: {format_error(max(sizes))} (values below the error of a step are not "
        "compared)."
        if sizes
        else ""
    )
    return [
        paragraph(outcome + largest),
        scrolling(_convergence_table(result, refinements, system), small=True),
    ]


def _refinement(result: Result, system: UnitSystem) -> list[str]:
    """Return what the run with finer settings shows, where it was made."""
    if result.converged is None:
        return []
    text, status = refinement_text(result)
    table = refinement_table(result, system, display_resolutions(result.definition))
    return [
        "<h3>Refined run</h3>",
        f"<p>{status_mark(status)}{html.escape(text)}</p>",
        scrolling(table, small=True),
        paragraph(REFINEMENT_NOTE, "soft"),
    ]


def _convergence_table(result: Result, refinements: Sequence[Refinement], system: UnitSystem) -> Table:
    rows, resolutions = [], display_resolutions(result.definition)
    for name in refinements[0].changes:
        value, unit = float(result.metrics[name]), result.units.get(name, "")
        symbol, factor = display_unit(unit, value if math.isfinite(value) else 0.0, system)
        resolution = resolutions.get(unit, 0.0)
        cells = [format_value(value, factor, resolution)]
        for refinement in refinements:
            cells += [
                format_value(refinement.metrics.get(name), factor, resolution),
                format_change(refinement.changes[name]),
            ]
        rows.append((label(name), *cells, symbol))
    header = [
        "metric",
        "run",
        *(text for refinement in refinements for text in (refinement.title, "change")),
        "unit",
    ]
    return Table(header=header, rows=rows, left=(0, len(header) - 1))
