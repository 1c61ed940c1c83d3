"""Routes that serve files: thumbnails, replays, downloads. Names are checked before they become paths."""

import html
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from fastapi import FastAPI, HTTPException, Request
from fastapi.responses import FileResponse, HTMLResponse, PlainTextResponse, Response, StreamingResponse
from starlette.requests import ClientDisconnect

from softdock.errors import InputError, RunError
from softdock.files.regular_file import read_regular_file
from softdock.presentation.unit_systems import AUTOMATIC, SYSTEMS, UnitSystem
from softdock.studio.folder import BUNDLED, LARGEST_SCENARIO, is_bundled
from softdock.studio.pages import frame, gallery
from softdock.studio.run_files import FILES
from softdock.studio.thumbnail_cache import cached_thumbnail, placeholder, svg_document, thumbnail_key

if TYPE_CHECKING:
    from softdock.replay.page import Theme
    from softdock.studio.server import Studio

MEDIA_TYPES = {
    "figure": "image/png", "replay": "text/html", "glb": "model/gltf-binary", "report": "text/html",
    "history": "application/vnd.apache.parquet", "result": "application/json",
}  # fmt: skip
STORED = {"history": "history.parquet", "result": "result.json"}
EMBEDDED_STYLE = (
    "header { display: none !important } #latest { display: none }"
    "body { grid-template: minmax(0, 1fr) auto / minmax(0, 1fr) clamp(220px, 39vw, 640px) !important;"
    " overflow: hidden !important } #side { border-top: 0 !important; border-left: 1px solid var(--line) !important }"
    "footer { grid-template-columns: auto minmax(0, 1fr) !important }"
    "figure { flex: 1 0 calc(50% - 2px); min-height: 0 }"
    "@media (max-height: 699px) { .key { flex: 1 1 calc(50% - 8px); max-width: calc(50% - 6px) }"
    " figcaption { font-size: 11px } }"
    "@media (min-height: 700px) { figure { flex-basis: calc(33.3% - 3px) } }"
)
"""Style of a replay inside a page of the studio: without header, with a compact layout."""
SANDBOXED = "base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox"
REPLAY_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' blob:; style-src 'unsafe-inline'; "
    f"img-src data: blob:; connect-src blob:; {SANDBOXED} allow-scripts"
)
FILE_POLICY = f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; {SANDBOXED}"
"""Content security policies of files from the folder, which others may have written.

They have no origin, even where they are opened without a frame: no script of theirs reaches the studio or the network.
"""


def add_routes(app: FastAPI, studio: "Studio") -> None:
    """Add the routes to the application."""

    @app.get("/thumbnail")
    async def thumbnail(name: str) -> Response:
        picture = await _thumbnail(studio, name)
        headers = {"Cache-Control": "no-cache", "Content-Security-Policy": FILE_POLICY}
        return Response(picture, media_type="image/svg+xml", headers=headers)

    @app.post("/files")
    async def add(request: Request, name: str) -> Response:
        try:
            gallery.save_upload(studio, name, await request.body())
        except InputError as error:
            return PlainTextResponse(f"{error}\n", status_code=400)
        except ClientDisconnect:
            return PlainTextResponse("The file is incomplete.\n", status_code=400)
        return PlainTextResponse("Kept.\n", status_code=201)

    @app.get("/runs/{run}/{kind}")
    async def of_run(
        request: Request, run: str, kind: str, download: bool = False, units: str = ""
    ) -> Response:
        return await _file(studio, run, kind, download, _player(request, units))

    @app.get("/campaigns/{campaign}/runs/{number}/{kind}")
    async def of_campaign_run(
        request: Request, campaign: str, number: int, kind: str, download: bool = False, units: str = ""
    ) -> Response:
        return await _file(studio, f"{campaign}/{number}", kind, download, _player(request, units))

    @app.get("/campaigns/{campaign}/report")
    async def report(campaign: str) -> Response:
        made = await _result_of(studio.query_worker.call("write_campaign_report", campaign=campaign))
        headers = {"Content-Security-Policy": FILE_POLICY}
        return FileResponse(
            made["path"], media_type="text/html", filename=f"{campaign}.html", headers=headers
        )


class Player(NamedTuple):
    """How a replay is shown."""

    theme: "Theme"
    system: UnitSystem


def _player(request: Request, units: str) -> Player:
    """Return theme and unit system of a replay; unknown unit systems are automatic."""
    chosen = frame.chosen_theme(request)
    theme: Theme = "dark" if chosen == "dark" else "light" if chosen else "auto"
    return Player(theme, SYSTEMS.get(units, AUTOMATIC))


async def _thumbnail(studio: "Studio", name: str) -> str:
    try:
        path = BUNDLED / f"{name}.yaml" if is_bundled(name) else studio.folder.inside(name)
        text = read_regular_file(path, largest=LARGEST_SCENARIO).decode("utf-8-sig")
        known = cached_thumbnail(thumbnail_key(text))
        if known is None:
            known = (await studio.query_worker.call("draw_thumbnails", names=[name])).get(name)
    except (InputError, RunError, OSError, UnicodeDecodeError):
        known = None
    return known or svg_document(placeholder())


async def _file(studio: "Studio", run: str, kind: str, download: bool, player: Player) -> Response:
    if kind not in MEDIA_TYPES:
        raise HTTPException(404, "There is no such file.")
    if kind == "replay":
        return await _replay(studio, run, download, player)
    name = f"{run.replace('/', '-')}-{STORED.get(kind) or FILES[kind]}"
    if kind in STORED:
        path = Path((await _result_of(studio.query_worker.call("find_run", run=run)))["path"]) / STORED[kind]
    else:
        path = Path((await _result_of(studio.query_worker.call("make_run_file", run=run, kind=kind)))["path"])
    headers = {"Cache-Control": "no-cache", "Content-Security-Policy": FILE_POLICY}
    return FileResponse(
        path, media_type=MEDIA_TYPES[kind], filename=name if download else None, headers=headers
    )


async def _replay(studio: "Studio", run: str, download: bool, player: Player) -> Response:
    """Send the player at once and the scene when the run is complete."""
    from softdock.replay.page import player_shell

    async def scene() -> str:
        made = await _result_of(studio.query_worker.call("make_run_file", run=run, kind="scene"))
        return Path(made["path"]).read_text(encoding="utf-8")

    if download:
        name = f"{run.replace('/', '-')}-replay.html"
        headers = {
            "Content-Disposition": f'attachment; filename="{name}"',
            "Content-Security-Policy": REPLAY_POLICY,
        }
        return HTMLResponse(player_shell(system=player.system) + await scene(), headers=headers)
    headers = {"Cache-Control": "no-cache", "Content-Security-Policy": REPLAY_POLICY}
    shell = player_shell(theme=player.theme, style=EMBEDDED_STYLE, system=player.system)
    activity = studio.runs.activities.get(run)
    if activity is None or not activity.active:
        try:
            return HTMLResponse(shell + await scene(), headers=headers)
        except HTTPException as error:
            return HTMLResponse(_message_page(error.detail, player), error.status_code, headers)

    async def parts() -> AsyncIterator[str]:
        yield shell
        if await activity.finished():
            yield await scene()

    return StreamingResponse(parts(), media_type="text/html", headers=headers)


def _message_page(message: str, player: Player) -> str:
    """Return the page that stands in place of a replay that cannot be drawn."""
    scheme = "light dark" if player.theme == "auto" else player.theme
    style = f"<style>body {{ color-scheme: {scheme}; font-family: sans-serif; margin: 1em }}</style>"
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>No replay</title>{style}'
        f"<p>The replay cannot be drawn. {html.escape(message)}</p></html>"
    )


async def _result_of(work: Any) -> Any:
    """Return the result of a task; its errors become HTTP errors."""
    try:
        return await work
    except InputError as error:
        raise HTTPException(404, str(error)) from None
    except RunError as error:
        raise HTTPException(500, str(error)) from None
