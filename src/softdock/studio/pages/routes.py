"""Routes of all pages; the module of a page is imported when it is first requested, or earlier by `import_pages`."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, Response
from nicegui import ui

from softdock.studio.pages import frame, gallery, unit_choice

if TYPE_CHECKING:
    from softdock.studio.server import Studio

PAGES = ("editor", "run", "runs", "predict", "campaigns", "campaign", "compose")


def _page(name: str) -> Any:
    return import_module(f"softdock.studio.pages.{name}")


def import_pages() -> None:
    """Import the modules of all pages; takes about a second."""
    for name in PAGES:
        _page(name)
    import_module("softdock.replay.page").player_shell()


def build(app: FastAPI, studio: "Studio") -> None:
    """Register all pages of a studio."""

    @app.get("/")
    async def scenarios(request: Request) -> Response:
        studio.allow_warm_up()
        page = gallery.page(studio, frame.chosen_theme(request), unit_choice.chosen_units(request))
        # Returning to the page shows new files.
        return HTMLResponse(page, headers={"Cache-Control": "no-store"})

    @ui.page("/scenario")
    async def scenario(request: Request, name: str = "") -> None:
        with frame.page(studio, "/", name or "Scenario", request):
            await _page("editor").show(studio, name)

    @ui.page("/runs")
    async def runs(request: Request) -> None:
        with frame.page(studio, "/runs", "Runs", request):
            await _page("runs").show(studio)

    @ui.page("/run/{run}")
    async def run(request: Request, run: str) -> None:
        with frame.page(studio, "/runs", run, request):
            await _page("run").show(studio, run)

    @ui.page("/predict")
    def predict(request: Request) -> None:
        with frame.page(studio, "/predict", "Predict", request):
            _page("predict").Predict().build()

    @ui.page("/campaigns")
    def campaigns(request: Request, name: str = "") -> None:
        with frame.page(studio, "/campaigns", "Campaigns", request):
            _page("campaigns").show(studio, name)

    @ui.page("/compose")
    async def compose(request: Request, scenario: str = "") -> None:
        with frame.page(studio, "/campaigns", "Compose a campaign", request):
            await _page("compose").show(studio, scenario)

    @ui.page("/campaign/{campaign}")
    async def campaign(request: Request, campaign: str) -> None:
        with frame.page(studio, "/campaigns", campaign, request):
            await _page("campaign").show(studio, campaign)
