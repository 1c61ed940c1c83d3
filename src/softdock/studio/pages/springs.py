"""Springs sized from what the runs of a campaign had to store."""

from typing import TYPE_CHECKING

from nicegui import ui

from softdock.campaign.sizing import size_spring
from softdock.studio.pages import axes

if TYPE_CHECKING:
    from softdock.studio.columns import Columns


class Springs:
    """The panel of spring sizing."""

    def __init__(self, columns: "Columns") -> None:
        self.columns = columns
        names = columns.numeric()
        energies = [
            name for name in names if "energy" in name and not name.startswith(("input ", "predicted "))
        ]
        given = columns.manifest.get("campaign", {}).get("springs", {})
        first = next(iter(given.values()), None)
        ui.label(
            "A linear spring that stores the largest energy of a share of all runs within its stroke: k = 2 E / s²."
        ).classes("soft")
        with ui.row().classes("items-start w-full").style("gap: 10px; margin-top: 8px"):
            value = (
                first["metric"]
                if first and first["metric"] in energies
                else energies[0]
                if energies
                else None
            )
            self.energy = axes.select(energies, value, "Energy of", self.refresh, "energy")
            self.stroke = ui.input(
                "Stroke", value=str(first["stroke"]) if first else "10 mm", validation=_wrong
            )
            self.stroke.props("dense outlined hide-bottom-space").style("width: 160px").mark("stroke")
            self.stroke.on_value_change(self.refresh)
        self.sizes = ui.html("", sanitize=False).classes("w-full").style("margin-top: 10px").mark("spring")

    def refresh(self) -> None:
        """Size the spring from what the table has now."""
        if not self.energy.value:
            self.sizes.set_content("<p>No metric of this campaign is an energy.</p>")
            return
        try:
            size = size_spring(
                self.energy.value,
                _scalar(self.stroke.value),
                self.columns.run,
                self.columns.column(self.energy.value),
            )
        except ValueError:  # told at the field
            self.sizes.set_content("")
            return
        unit = "N m/rad" if size.turning else "N/m"
        head = (
            f"<tr><th>of runs within</th><th class=number>energy [J]</th><th class=number>stiffness [{unit}]</th>"
            "<th class=number>largest energy exceeds it by</th></tr>"
        )
        rows = "".join(
            f"<tr><td>{row['share']:.0%}</td><td class=number>{row['energy']:.4g}</td>"
            f"<td class=number>{row['stiffness']:.4g}</td><td class=number>{row['excess']:.0%}</td></tr>"
            for row in size.by_quantile()
        )
        self.sizes.set_content(f'<table class="plain" style="max-width: 720px">{head}{rows}</table>')


def _wrong(stroke: str | None) -> str | None:
    """Return what is wrong with a stroke."""
    try:
        size_spring("", _scalar(stroke), [], [])
    except ValueError as error:
        return f"The stroke {error}."
    return None


def _scalar(text: str | None) -> object:
    try:
        return float(text or "")
    except ValueError:
        return text or ""
