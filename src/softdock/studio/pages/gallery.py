"""The gallery: bundled scenarios and the person's own files, each with a picture and a sentence."""

import functools
import re
from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import quote

from fastapi import Request
from nicegui import events, ui

from softdock.errors import InputError
from softdock.scenario import bundled
from softdock.studio.folder import SUFFIXES
from softdock.studio.pages import frame

if TYPE_CHECKING:
    from softdock.studio.server import Studio

UPLOADED = (*SUFFIXES, ".step", ".stp", ".stl", ".obj", ".ply", ".glb", ".urdf")
LARGEST_TEXT, LARGEST_CAD = 1_000_000, 15_000_000  # bytes
SAFE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,79}")


@functools.cache
def _bundled() -> list[tuple[str, str, str]]:
    return [(one.name, one.title, one.kind) for one in bundled()]


def build(studio: "Studio") -> None:
    """Make the page."""

    @ui.page("/")
    def gallery(request: Request) -> None:
        with frame.page(studio, "/", "Scenarios", request):
            with ui.row().classes("items-center w-full").style("gap: 12px"):
                ui.html("<h1>Scenarios</h1>", sanitize=False)
                ui.space()
                search = (
                    ui.input(placeholder="Search").props("dense outlined clearable").style("width: 240px")
                )
                search.props('aria-label="Search scenarios"')
            _tiles("Bundled with Softdock", _bundled(), search)
            own = [
                (path, head.get("title") or _about(head), head.get("kind", ""))
                for path, head in studio.folder.files()
            ]
            _tiles("Your files", own, search)
            if not own:
                ui.label(
                    f"No scenario files in {studio.folder.root} yet: open a bundled scenario, change it and save it."
                ).classes("soft")
            _upload(studio)


def _about(head: dict[str, str]) -> str:
    return f"{head['base']} with changes" if "base" in head else "A scenario without a title"


def _tiles(title: str, entries: list[tuple[str, str, str]], search: ui.input) -> None:
    if not entries:
        return
    ui.html(f"<h2>{title}</h2>", sanitize=False).classes("q-mt-sm")
    with ui.element("div").classes("gallery"):
        for name, sentence, kind in entries:
            tile = ui.link(target=f"/scenario?name={quote(name)}").classes("tile").mark(f"tile-{name}")
            with tile:
                ui.html(f'<img alt="" loading="lazy" src="/thumbnail?name={quote(name)}">', sanitize=False)
                with ui.row().classes("items-center no-wrap w-full").style("gap: 8px"):
                    ui.label(name).style("font-weight: 600; overflow-wrap: anywhere")
                    ui.space()
                    if kind:
                        ui.label(kind).classes("tag")
                ui.label(sentence).classes("soft").style("font-size: 13px; line-height: 1.4")
            tile.bind_visibility_from(search, "value", backward=_wanted(f"{name} {sentence}"))


def _wanted(words: str) -> Callable[[str | None], bool]:
    return lambda search: (search or "").lower() in words.lower()


def _upload(studio: "Studio") -> None:
    async def take(event: events.UploadEventArguments) -> None:
        try:
            await _keep(studio, event.file)
        except InputError as error:
            ui.notify(str(error), type="negative", multi_line=True, timeout=8000)
            return
        ui.navigate.reload()

    with ui.expansion("Add files to the folder", icon="upload_file").classes("card").style("padding: 0"):
        ui.label(
            "Scenarios and campaigns (YAML, at most 1 MB) and CAD files (at most 15 MB). "
            "A file of the same name is not replaced."
        ).classes("soft")
        ui.upload(
            on_upload=take, multiple=True, auto_upload=True, max_file_size=LARGEST_CAD,
            on_rejected=lambda: ui.notify("The file is too large.", type="negative"),
        ).props(f'accept="{",".join(UPLOADED)}" flat bordered').classes("w-full")  # fmt: skip


async def _keep(studio: "Studio", file: "ui.upload.FileUpload") -> None:  # type: ignore[name-defined]
    """Keep an uploaded file, judged here: what the browser has checked counts for nothing."""
    suffix = f".{file.name.rpartition('.')[2].lower()}"
    if not SAFE_NAME.fullmatch(file.name) or suffix not in UPLOADED:
        raise InputError(f"'{file.name[:80]}' is no name of a scenario or CAD file.")
    most = LARGEST_TEXT if suffix in SUFFIXES else LARGEST_CAD
    content = await file.read()
    if len(content) > most:
        raise InputError(f"'{file.name}' is larger than {most / 1e6:g} MB.")
    path = studio.folder.inside(file.name)
    try:
        with path.open("xb") as out:
            out.write(content)
    except FileExistsError:
        raise InputError(f"There is a file '{file.name}' already; rename yours first.") from None
    except OSError as error:
        raise InputError(f"'{file.name}' cannot be kept: {error.strerror}.") from None
