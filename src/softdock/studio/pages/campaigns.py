"""Campaigns: start one, and the list of those in the folder."""

from typing import TYPE_CHECKING, Any

from nicegui import ui

from softdock.campaign.loading import bundled_campaigns
from softdock.errors import InputError, RunError
from softdock.studio.pages import frame

if TYPE_CHECKING:
    from softdock.studio.server import Studio

LISTED = 60
PERIOD = 1.0  # s between two looks at campaigns under way


def show(studio: "Studio", chosen: str = "") -> None:
    """Show the page; a campaign file may be chosen already."""
    ui.html("<h1>Campaigns</h1>", sanitize=False)
    _starter(studio, chosen)
    _list(studio)


def _starter(studio: "Studio", chosen: str) -> None:
    own = {path: f"{path}: {head.get('title', '')}" for path, head in studio.folder.files("campaign")}
    choices = {**own, **{name: f"{name}: {title}" for name, title in bundled_campaigns().items()}}
    first = chosen if chosen in choices else next(iter(choices))
    with ui.element("div").classes("card"):
        with ui.row().classes("items-center w-full").style("margin-bottom: 8px"):
            ui.label("Start a campaign").style("font-weight: 600")
            ui.space()
            ui.link("Compose a new one", "/compose")
        with ui.row().classes("items-start w-full").style("gap: 10px"):
            what = ui.select(choices, value=first, label="Campaign").props("dense outlined")
            what.style("flex: 1 1 380px; min-width: 0").mark("campaign")
            runs = ui.input("Runs", placeholder="as in the file").props("dense outlined hide-bottom-space")
            runs.style("width: 150px").mark("runs")
            seed = ui.input("Seed", placeholder="as in the file").props("dense outlined hide-bottom-space")
            seed.style("width: 150px").mark("seed")
            button = ui.button("Start", icon="play_arrow").props("unelevated").mark("start")
        trouble = ui.column().classes("w-full").style("gap: 4px")
        ui.label(
            "It runs in a process of its own: close the page or the studio, it goes on. "
            "Campaign files (kind: campaign) of the folder are listed with the bundled ones."
        ).classes("soft").style("font-size: 12.5px; margin-top: 8px")

    async def start() -> None:
        trouble.clear()
        try:
            numbers = {"runs": _whole(runs), "seed": _whole(seed)}
        except ValueError:
            return
        button.disable()
        try:
            await studio.query_worker.call(
                "check_campaign", name=what.value, runs=numbers["runs"], seed=numbers["seed"]
            )
            campaign = studio.campaigns.start(what.value, numbers["runs"], numbers["seed"])
        except (InputError, RunError) as error:
            with trouble:
                frame.problem(str(error))
            return
        finally:
            button.enable()
        ui.navigate.to(f"/campaign/{campaign}")

    button.on_click(start)


def _whole(field: ui.input) -> int | None:
    """Return the whole number of a field, None if it is empty; what is none is told at the field."""
    text = (field.value or "").strip()
    field.error = None
    if not text:
        return None
    if not text.isdecimal() or len(text) > 18:
        field.error = "Must be a whole number."
        raise ValueError
    return int(text)


def _list(studio: "Studio") -> None:
    box = ui.column().classes("w-full").style("gap: 8px")

    def show() -> None:
        names = studio.campaigns.known()[:LISTED]
        states = {name: studio.campaigns.state(name) for name in names}
        box.clear()
        with box:
            if not names:
                ui.label("No campaign in this folder yet.").classes("soft")
            for name, state in states.items():
                tile = ui.link(target=f"/campaign/{name}").classes("tile").style("width: 100%")
                with tile, ui.row().classes("items-center w-full").style("gap: 12px"):
                    colour = (
                        "red"
                        if state.error
                        else "amber"
                        if state.running
                        else "green"
                        if state.complete
                        else "grey"
                    )
                    ui.element("span").classes(f"light {colour}").props("aria-hidden=true")
                    ui.label(name).style("font-weight: 600; overflow-wrap: anywhere")
                    ui.label(state.sentence).classes("soft").style("flex: 1 1 200px")
                    outcomes(state.outcomes)
        timer.active = any(state.running for state in states.values())

    timer = ui.timer(PERIOD, show, active=False, immediate=False)
    show()


def outcomes(counts: dict[str, int]) -> Any:
    """Show how often each outcome occurred."""
    with ui.row().style("gap: 6px") as row:
        for name, count in list(counts.items())[:8]:
            ui.label(f"{name.replace('_', ' ')} {count:,}").classes("tag")
    return row
