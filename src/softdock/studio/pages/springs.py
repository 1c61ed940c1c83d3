"""Spring sizing from the stored energies of a campaign."""

from typing import TYPE_CHECKING

import numpy as np
from nicegui import ui

from softdock.campaign.sizing import Column, SizedSpring, SpringSize, find_spring, size_spring
from softdock.presentation.campaign import spring_table
from softdock.result import Array
from softdock.studio.pages import axes

if TYPE_CHECKING:
    from softdock.studio.columns import Columns


class Springs:
    """Panel with spring sizing."""

    def __init__(self, columns: "Columns", system: axes.System) -> None:
        self.columns, self.system = columns, system
        names = columns.numeric_names()
        energies = [
            name for name in names if "energy" in name and not name.startswith(("input ", "predicted "))
        ]
        given = columns.manifest.get("campaign", {}).get("springs", {})
        self.strokes = {spring["metric"]: str(spring["stroke"]) for spring in given.values()}
        ui.label(
            "Linear stiffness that stores the energy of a share of all runs within the stroke, with what a stop took: "
            "k = 2 E / s². The stroke of a torsion spring is an angle. These are estimates: the report repeats "
            "the worst runs with the spring."
        ).classes("soft")
        with ui.row().classes("items-start w-full").style("gap: 10px; margin-top: 8px"):
            value = next((name for name in [*self.strokes, *energies] if name in energies), None)
            self.energy = axes.column_select(energies, value, "Energy", self.change_spring, "energy")
            self.stroke = ui.input(
                "Stroke", value=self.default_stroke(), validation=lambda stroke: self.stroke_error(stroke)
            )
            self.stroke.props("dense outlined hide-bottom-space").style("width: 160px").mark("stroke")
            self.stroke.on_value_change(self.refresh)
        self.sizes = ui.html("", sanitize=False).classes("w-full").style("margin-top: 10px").mark("spring")

    def find_spring(self) -> SizedSpring | None:
        """Return the chosen spring; None where its energy is that of no spring along a joint."""
        definition = self.columns.manifest.get("scenario", {}).get("data", {})
        return find_spring(definition, self.energy.value or "")

    @property
    def turning(self) -> bool | None:
        """Whether the chosen spring is a torsion spring; None where that is unknown."""
        spring = self.find_spring()
        return spring.turning if spring else None

    def default_stroke(self) -> str:
        """Return the stroke that the campaign gives the chosen spring, or one of the kind that it needs."""
        return self.strokes.get(self.energy.value) or ("5 deg" if self.turning else "10 mm")

    def change_spring(self) -> None:
        """Show the stroke of the chosen spring and size it."""
        self.stroke.set_value(self.default_stroke())
        self.refresh()

    def stroke_error(self, stroke: str | None) -> str | None:
        """Return the error message for a stroke, None where it is valid."""
        try:
            size_spring("", _number_or_text(stroke), [], [], self.turning)
        except ValueError as error:
            return f"The stroke {error}."
        return None

    def refresh(self) -> None:
        """Size the chosen spring from the current table and show the result."""
        if not self.energy.value:
            self.sizes.set_content("<p>This campaign has no metric that is an energy.</p>")
            return
        try:
            size = size_spring(
                self.energy.value,
                _number_or_text(self.stroke.value),
                self.columns.run,
                self.columns.column(self.energy.value),
                self.turning,
            )
        except ValueError:  # shown at the field
            self.sizes.set_content("")
            return
        spring = self.find_spring()
        if spring is not None:
            size = spring.count_stops(size, self._column_of(size))
        table = spring_table(size.by_quantile(), size.turning, self.system())
        self.sizes.set_content(table.to_html("plain"))

    def _column_of(self, size: SpringSize) -> Column:
        """Return a function that returns columns in the runs of a size."""
        rows, known = np.isin(self.columns.run, size.runs), self.columns.numeric_names()

        def column(name: str) -> Array | None:
            return self.columns.column(name)[rows] if name in known else None

        return column


def _number_or_text(text: str | None) -> object:
    try:
        return float(text or "")
    except ValueError:
        return text or ""
