"""Spring sizing from the stored energies of a campaign."""

from typing import TYPE_CHECKING

from nicegui import ui

from softdock.campaign.sizing import size_spring
from softdock.presentation.campaign import spring_table
from softdock.studio.pages import axes

if TYPE_CHECKING:
    from softdock.studio.columns import Columns


class Springs:
    """Panel with spring sizing."""

    def __init__(self, columns: "Columns") -> None:
        self.columns = columns
        names = columns.numeric_names()
        energies = [
            name for name in names if "energy" in name and not name.startswith(("input ", "predicted "))
        ]
        given = columns.manifest.get("campaign", {}).get("springs", {})
        first = next(iter(given.values()), None)
        ui.label(
            "Linear stiffness that stores the energy of a share of all runs within the stroke: k = 2 E / s²."
        ).classes("soft")
        with ui.row().classes("items-start w-full").style("gap: 10px; margin-top: 8px"):
            value = (
                first["metric"]
                if first and first["metric"] in energies
                else energies[0]
                if energies
                else None
            )
            self.energy = axes.column_select(energies, value, "Energy", self.refresh, "energy")
            self.stroke = ui.input(
                "Stroke", value=str(first["stroke"]) if first else "10 mm", validation=_stroke_error
            )
            self.stroke.props("dense outlined hide-bottom-space").style("width: 160px").mark("stroke")
            self.stroke.on_value_change(self.refresh)
        self.sizes = ui.html("", sanitize=False).classes("w-full").style("margin-top: 10px").mark("spring")

    def refresh(self) -> None:
        """Size the spring from the current table."""
        if not self.energy.value:
            self.sizes.set_content("<p>This campaign has no metric that is an energy.</p>")
            return
        try:
            size = size_spring(
                self.energy.value,
                _number_or_text(self.stroke.value),
                self.columns.run,
                self.columns.column(self.energy.value),
            )
        except ValueError:  # shown at the field
            self.sizes.set_content("")
            return
        table = spring_table(size.by_quantile(), size.turning)
        self.sizes.set_content(table.to_html("plain"))


def _stroke_error(stroke: str | None) -> str | None:
    """Return the error message for a stroke, None where it is valid."""
    try:
        size_spring("", _number_or_text(stroke), [], [])
    except ValueError as error:
        return f"The stroke {error}."
    return None


def _number_or_text(text: str | None) -> object:
    try:
        return float(text or "")
    except ValueError:
        return text or ""
