"""Campaigns: start one, and the list of campaigns in the folder."""

from typing import TYPE_CHECKING

from nicegui import ui

from softdock.campaign.loading import bundled_campaigns
from softdock.errors import InputError, RunError
from softdock.presentation.assessment import campaign_status
from softdock.presentation.campaign import outcome_counts
from softdock.studio.pages import frame

if TYPE_CHECKING:
    from softdock.studio.server import Studio

MOST_LISTED = 60
MOST_OUTCOMES = 8
POLL_PERIOD = 1.0  # s between two updates while a campaign is running


def show(studio: "Studio", chosen: str = "") -> None:
    """Show the page, with a campaign file preselected if one is given."""
    ui.html("<h1>Campaigns</h1>", sanitize=False)
    _show_start(studio, chosen)
    _show_list(studio)


def _show_start(studio: "Studio", chosen: str) -> None:
    own = {path: f"{path}: {head.get('title', '')}" for path, head in studio.folder.files("campaign")}
    choices = {**own, **{name: f"{name}: {title}" for name, title in bundled_campaigns().items()}}
    first = chosen if chosen in choices else next(iter(choices))
    with ui.element("div").classes("card"):
        with ui.row().classes("items-center w-full").style("margin-bottom: 8px"):
            ui.label("Start a campaign").style("font-weight: 600")
            ui.space()
            ui.link("Compose a campaign", "/compose")
        with ui.row().classes("items-start w-full").style("gap: 10px"):
            what = ui.select(choices, value=first, label="Campaign").props("dense outlined")
            what.style("flex: 1 1 380px; min-width: 0").mark("campaign")
            runs = ui.input("Runs", placeholder="as in the file").props("dense outlined hide-bottom-space")
            runs.style("width: 150px").mark("runs")
            seed = ui.input("Seed", placeholder="as in the file").props("dense outlined hide-bottom-space")
            seed.style("width: 150px").mark("seed")
            button = ui.button("Start", icon="play_arrow").props("unelevated").mark("start")
        problem_box = ui.column().classes("w-full").style("gap: 4px")
        ui.label(
            "A campaign runs in its own process and continues when the page or the studio is closed. "
            "Campaign files (kind: campaign) of the folder are listed with the bundled campaigns."
        ).classes("soft").style("font-size: 12.5px; margin-top: 8px")

    async def start() -> None:
        problem_box.clear()
        try:
            numbers = {"runs": _parse_integer(runs), "seed": _parse_integer(seed)}
        except ValueError:
            return
        button.disable()
        try:
            await studio.query_worker.call(
                "check_campaign", name=what.value, runs=numbers["runs"], seed=numbers["seed"]
            )
            campaign = studio.campaigns.start(what.value, numbers["runs"], numbers["seed"])
        except (InputError, RunError) as error:
            with problem_box:
                frame.problem(str(error))
            return
        finally:
            button.enable()
        ui.navigate.to(f"/campaign/{campaign}")

    button.on_click(start)


def _parse_integer(field: ui.input) -> int | None:
    """Return the integer in a field, None if it is empty; show an error at the field and raise ValueError otherwise."""
    text = (field.value or "").strip()
    field.error = None
    if not text:
        return None
    if not text.isdecimal() or len(text) > 18:
        field.error = "Must be an integer."
        raise ValueError
    return int(text)


def _show_list(studio: "Studio") -> None:
    box = ui.column().classes("w-full").style("gap: 8px")

    def show() -> None:
        names = studio.campaigns.known()[:MOST_LISTED]
        states = {name: studio.campaigns.state(name) for name in names}
        box.clear()
        with box:
            if not names:
                ui.label("The subfolder campaigns/ of this folder contains no campaigns.").classes("soft")
            for name, state in states.items():
                tile = ui.link(target=f"/campaign/{name}").classes("tile").style("width: 100%")
                with tile, ui.row().classes("items-center w-full").style("gap: 12px"):
                    frame.status(campaign_status(bool(state.error), state.running, state.complete))
                    ui.label(name).style("font-weight: 600; overflow-wrap: anywhere")
                    ui.label(state.sentence).classes("soft").style("flex: 1 1 200px")
                    show_outcomes(state.outcomes)
        timer.active = any(state.running for state in states.values())

    timer = ui.timer(POLL_PERIOD, show, active=False, immediate=False)
    show()


def show_outcomes(counts: dict[str, int]) -> None:
    """Show the number of runs of each outcome."""
    with ui.row().style("gap: 6px"):
        for text in outcome_counts(counts)[:MOST_OUTCOMES]:
            ui.label(text).classes("tag")
