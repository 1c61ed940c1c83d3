"""Table of a campaign, filtered, sorted and paged by the server."""

import math
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from nicegui import ui

from softdock.presentation.numbers import format_value
from softdock.studio.columns import ERRORS, RowFilter
from softdock.studio.pages import axes

if TYPE_CHECKING:
    from softdock.presentation.unit_systems import DisplayUnit
    from softdock.studio.columns import Columns

MOST_SHOWN = 9  # columns
ROWS_PER_PAGE = 25


class TablePanel:
    """Panel with the table."""

    def __init__(
        self, columns: "Columns", system: axes.System, show: Callable[[int], Awaitable[None]]
    ) -> None:
        self.columns, self.system = columns, system
        self.pagination: dict[str, Any] = {
            "page": 1,
            "rowsPerPage": ROWS_PER_PAGE,
            "sortBy": "run",
            "descending": False,
        }
        names = columns.numeric_names()
        wanted = _default_columns(self.columns, names)
        with ui.row().classes("items-start w-full").style("gap: 10px"):
            self.outcomes = ui.select(
                list(self.columns.outcome_names), multiple=True, label="Outcomes", value=[]
            )
            self.outcomes.props("dense outlined use-chips").style("min-width: 220px").mark("outcomes")
            self.filter_column = ui.select(
                names, label="Filter column", value=None, with_input=True, clearable=True
            )
            self.filter_column.props("dense outlined").style("flex: 1 1 220px")
            self.low = (
                ui.input("from", validation=_bound_error)
                .props("dense outlined hide-bottom-space")
                .style("width: 110px")
            )
            self.high = (
                ui.input("to", validation=_bound_error)
                .props("dense outlined hide-bottom-space")
                .style("width: 110px")
            )
            self.shown = ui.select(names, multiple=True, label="Columns", value=wanted, with_input=True)
            self.shown.props("dense outlined").style("flex: 1 1 260px; max-width: 420px")
            self.shown.props('display-value="" ').props["display-value"] = f"{len(wanted)} shown"
        for field in (self.outcomes, self.filter_column, self.low, self.high, self.shown):
            field.on_value_change(self._filtered)
        self.table = ui.table(columns=[], rows=[], row_key="run", pagination=self.pagination).classes(
            "w-full"
        )
        self.table.props("flat dense binary-state-sort :rows-per-page-options=[25,50,100]").mark("table")
        self.table.on("request", self._requested)
        self.table.add_slot(
            "body-cell-run",
            '<q-td :props="props"><q-btn flat dense no-caps color="primary" class="small" :label="String(props.value)" '
            ":aria-label=\"'Open run ' + props.value\" @click=\"() => $parent.$emit('open', props.value)\" /></q-td>",
        )
        self.table.on("open", lambda event: show(int(event.args)))

    def _filtered(self) -> None:
        self.pagination["page"] = 1
        self.shown.props["display-value"] = f"{len(self.shown.value)} shown"
        self.refresh()

    def _requested(self, event: Any) -> None:
        wanted = event.args["pagination"]
        self.pagination.update({key: wanted[key] for key in ("page", "rowsPerPage", "sortBy", "descending")})
        self.refresh()

    def refresh(self) -> None:
        """Show the selected page of the current table."""
        p = self.pagination
        shown = list(self.shown.value)
        count = min(max(int(p["rowsPerPage"] or ROWS_PER_PAGE), 1), 200)
        start = (max(int(p["page"]), 1) - 1) * count
        system, column = self.system(), self.filter_column.value or ""
        units = {name: self.columns.display(name, system) for name in [*shown, column]}
        for field in (self.low, self.high):
            field.props["suffix"] = units[column].symbol
        wanted = RowFilter(
            tuple(self.outcomes.value),
            column,
            *(_si_value(f, units[column].factor) for f in (self.low, self.high)),
        )
        rows, total = self.columns.page(
            wanted, p["sortBy"] or "run", bool(p["descending"]), start, count, shown
        )
        names = ["run", "outcome", *shown]
        self.table.columns = [
            {"name": name, "label": self.columns.label(name, system), "field": name, "sortable": True,
             "align": "left" if name in ("run", "outcome") else "right"}
            for name in names
        ]  # fmt: skip
        self.table.rows = [_cells(row, units) for row in rows]
        self.table.props["pagination"] = {**p, "rowsNumber": total}
        self.outcomes.set_options(list(self.columns.outcome_names), value=self.outcomes.value)
        self.table.update()


def _cells(row: dict[str, Any], units: "dict[str, DisplayUnit]") -> dict[str, Any]:
    """Return the cells of a row: numbers with their numerical errors in display units."""
    errors = row.pop(ERRORS)
    return {
        key: format_value(value, units[key].factor, error=errors.get(key)) if key in units else value
        for key, value in row.items()
    }


def _default_columns(columns: "Columns", names: list[str]) -> list[str]:
    listed = columns.manifest.get("campaign", {}).get("metrics") or ()
    inputs = [n for n in names if n.startswith("input ") and not axes.is_component(columns, n)]
    metrics = [n for n in names if n in listed] or [
        n
        for n in names
        if not n.startswith(("input ", "predicted ")) and n != "wall_s" and axes.varies(columns, n)
    ]
    half = MOST_SHOWN // 2
    return [*inputs[: max(half, MOST_SHOWN - len(metrics))], *metrics][:MOST_SHOWN]


def _bound_error(text: str | None) -> str | None:
    """Return the error message for a bound, None where it is valid."""
    try:
        return None if not (text or "").strip() or math.isfinite(float(text or "")) else "Must be finite."
    except ValueError:
        return "Must be a number."


def _si_value(field: ui.input, factor: float) -> float | None:
    """Return the number in a field [SI], None where it has none; `factor` is that from SI to its display unit."""
    text = (field.value or "").strip()
    return float(text) / factor if text and _bound_error(text) is None else None
