"""What all pages share: head line, colours, light and dark, errors as sentences."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from fastapi import Request
from nicegui import ui

if TYPE_CHECKING:
    from softdock.studio.server import Studio

ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" fill="none" stroke-linejoin="round">'
    '<path d="M3 11h9l6 5l-6 5H3z" fill="#3b7dd8"/>'
    '<path d="M29 5h-7l-7 6M29 27h-7l-7-6" stroke="#e08a2e" stroke-width="3" stroke-linecap="round"/></svg>'
)
PLACES = {"/": "Scenarios", "/runs": "Runs", "/predict": "Predict", "/campaigns": "Campaigns"}
DARK = "softdock_dark"
PATIENCE = 60.0  # s for a browser on a busy machine to come back with its web socket
STYLE = Path(__file__).with_name("style.css").read_text(encoding="utf-8")


def build(studio: "Studio") -> None:
    """Make all pages of a studio."""
    from softdock.studio.pages import campaigns, editor, gallery, predict, run

    for page in (gallery, editor, run, predict, campaigns):
        page.build(studio)


@contextmanager
def page(studio: "Studio", here: str, title: str, request: Request) -> Iterator[None]:
    """Set up a page with its head line; what is made inside is its content."""
    chosen = {"dark": True, "light": False}.get(request.cookies.get(DARK, ""))
    dark = ui.dark_mode(chosen)
    ui.colors(
        primary="#2f6fce", secondary="#5c6979", accent="#e08a2e", positive="#2e9e5b", negative="#d33b3b"
    )
    ui.add_css(STYLE)
    ui.page_title(f"{title} - Softdock")
    with (
        ui.header(elevated=False)
        .classes("items-center q-py-xs q-px-md no-wrap")
        .style("height: 52px; gap: 6px")
    ):
        ui.html(ICON, sanitize=False).style("width: 26px; height: 26px; flex: none")
        ui.label("Softdock").style("font-weight: 650; font-size: 17px; margin-right: 14px")
        with ui.element("nav").props('aria-label="Pages"').classes("row no-wrap").style("gap: 2px"):
            for address, name in PLACES.items():
                link = ui.link(name, address).classes("place")
                if address == here:
                    link.classes("here").props('aria-current="page"')
        ui.space()
        root = studio.folder.root
        folder = ui.label(str(Path(*root.parts[-2:]))).classes("soft mono ellipsis gt-sm")
        folder.style("font-size: 12px; max-width: 38vw").props["title"] = str(root)
        _dark_button(dark)
    yield


def _dark_button(dark: ui.dark_mode) -> None:
    def turn() -> None:
        dark.set_value({None: True, True: False, False: None}[dark.value])
        word = {None: "auto", True: "dark", False: "light"}[dark.value]
        ui.run_javascript(f"document.cookie = '{DARK}={word}; path=/; max-age=31536000; samesite=strict'")
        button.props(f"icon={icons[dark.value]}")

    icons: dict[bool | None, str] = {None: "brightness_auto", True: "dark_mode", False: "light_mode"}
    button = ui.button(icon=icons[dark.value], on_click=turn).props(
        'flat round dense color=grey aria-label="Light, dark or as the system"'
    )
    button.props["title"] = "Light, dark or as the system"


@asynccontextmanager
async def waiting() -> AsyncIterator[None]:
    """Send the page before what takes a while: a worker may still be starting."""
    note = ui.label("Loading ...").classes("soft").props("role=status")
    await ui.context.client.connected(timeout=PATIENCE)
    try:
        yield
    finally:
        note.delete()


def problem(text: str) -> None:
    """Show something that is wrong."""
    ui.label(text).classes("problem").props("role=alert")


def number(value: object) -> str:
    """Return a value as the page shows it."""
    match value:
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:.5g}"
        case list():
            return ", ".join(number(one) for one in value)
        case _:
            return str(value)
