"""The list of runs in the folder."""

from typing import TYPE_CHECKING, Any

from nicegui import ui

from softdock.presentation.labels import label
from softdock.studio.pages import frame

if TYPE_CHECKING:
    from softdock.studio.server import Studio

MOST_LISTED = 300


async def show(studio: "Studio") -> None:
    """Show active runs and the newest saved runs."""
    ui.html("<h1>Runs</h1>", sanitize=False)
    active = [activity for activity in studio.runs.activities.values() if activity.active]
    for activity in reversed(active):
        with ui.row().classes("card items-center").style("gap: 12px"):
            ui.icon("hourglass_top", size="22px").classes("soft")
            ui.link(activity.run, f"/run/{activity.run}")
            ui.label(f"running: {activity.stage}").classes("soft")
    names = studio.folder.runs()[:MOST_LISTED]
    if not names and not active:
        ui.label("No saved runs: open a scenario and press Run.").classes("soft")
        return
    async with frame.waiting():
        headers = await studio.query_worker.call("read_run_headers", runs=names)
    rows = [
        {"run": name, **headers[name], "outcome": label(headers[name]["outcome"])}
        for name in names
        if name in headers
    ]
    titles = {
        "run": "run",
        "scenario": "scenario",
        "outcome": "outcome",
        "message": "message",
        "digest": "digest",
    }
    columns: list[dict[str, Any]] = [
        {"name": name, "label": title, "field": name, "align": "left", "sortable": name != "message"}
        for name, title in titles.items()
    ]
    table = ui.table(columns=columns, rows=rows, row_key="run", pagination=25)
    table.classes("card").props("flat wrap-cells").add_slot(
        "body-cell-run",
        '<q-td :props="props"><a :href="\'/run/\' + encodeURIComponent(props.value)">{{ props.value }}</a></q-td>',
    )
