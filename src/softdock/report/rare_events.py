"""Sections of a campaign report about subset simulation and boundaries."""

from softdock.campaign.table import CampaignTable
from softdock.presentation.rare_events import search_table
from softdock.presentation.unit_systems import UnitSystem
from softdock.report.embedding import figure_image
from softdock.report.page import collapsed, paragraph, scrolling
from softdock.report.rare_event_figures import boundary_figure, level_figure, refinement_figure


def search_section(table: CampaignTable, system: UnitSystem) -> list[str]:
    """Return the section about the method of the campaign; empty for Monte Carlo and before the first level."""
    rows = search_table(table.method, table.search, system)
    if rows is None or table.search is None:
        return []
    if table.method == "subset":
        note = (
            "Every level starts from the samples of the one before with the smallest margins; a run fails where the "
            "margin is at most 0. The correlation factor is the increase of the variance by the correlation of the "
            "chains; the coefficient of variation of the result also contains the correlation of the levels."
        )
        return [
            "<h2>Subset simulation</h2>",
            paragraph(note, "soft keep"),
            scrolling(rows),
            figure_image(level_figure(table.search, system), "Probability of a margin, by level"),
        ]
    parts = ["<h2>Boundary</h2>"]
    if table.boundary is not None:
        note = (
            "Line: boundary by the surrogate. Shaded: the side is uncertain. Dots: successful runs; crosses: others. "
            "With more than two inputs each panel is a section at the stated value; it shows the runs near it."
        )
        parts += [
            paragraph(note, "soft keep"),
            figure_image(boundary_figure(table.boundary, system), "Boundary"),
        ]
    parts.append(figure_image(refinement_figure(table.search), "Error of the surrogate over the runs"))
    return [*parts, collapsed("Refinements", scrolling(rows))]
