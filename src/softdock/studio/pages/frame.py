"""What all pages share: head line, colours, light and dark, errors as sentences."""

import html
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapi import Request
from nicegui import ui

if TYPE_CHECKING:
    from softdock.studio.server import Studio

ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" fill="none" stroke-linejoin="round">'
    '<path d="M3 11h9l6 5l-6 5H3z" fill="#3b7dd8"/>'
    '<path d="M29 5h-7l-7 6M29 27h-7l-7-6" stroke="#e08a2e" stroke-width="3" stroke-linecap="round"/></svg>'
)
LAMP = (
    '<svg viewBox="0 0 24 24" width="22" height="22"><circle cx="12" cy="12" r="8.5" fill="none" stroke="currentColor" '
    'stroke-width="2"/><path class="half" d="M12 3.5a8.5 8.5 0 0 1 0 17z" fill="currentColor"/>'
    '<circle class="whole" cx="12" cy="12" r="8.5" fill="currentColor"/></svg>'
)
"""Half of it is filled where the page is as the system, all of it in the dark, none in the light."""
THEME = "Light, dark or as the system"
PLACES = {"/": "Scenarios", "/runs": "Runs", "/predict": "Predict", "/campaigns": "Campaigns"}
DARK = "softdock_dark"
PATIENCE = 60.0  # s for a browser on a busy machine to come back with its web socket
STYLE = Path(__file__).with_name("style.css").read_text(encoding="utf-8")
KEYS = Path(__file__).with_name("keys.js").read_text(encoding="utf-8")
SCRIPT = Path(__file__).with_name("head.js").read_text(encoding="utf-8")


def chosen_theme(request: Request) -> str:
    """Return light or dark where the person has chosen one, else an empty text: as the system."""
    chosen = request.cookies.get(DARK, "")
    return chosen if chosen in ("light", "dark") else ""


def head(studio: "Studio", here: str) -> str:
    """Return the head line of every page as HTML; `head.js` moves it."""
    links = "".join(
        f'<a href="{address}" class="place{" here" if address == here else ""}"'
        f"{' aria-current=page' if address == here else ''}>{name}</a>"
        for address, name in PLACES.items()
    )
    root = studio.folder.root
    whole, short = html.escape(str(root), quote=True), html.escape(str(Path(*root.parts[-2:])))
    return (
        f'<div class="head"><span class="icon">{ICON}</span><b>Softdock</b><nav aria-label="Pages">{links}</nav>'
        f'<span class="where soft mono" title="{whole}">{short}</span>'
        f'<button type="button" class="theme" data-theme="auto" title="{THEME}" aria-label="{THEME}">{LAMP}</button>'
        "</div>"
    )


@contextmanager
def page(studio: "Studio", here: str, title: str, request: Request) -> Iterator[None]:
    """Set up a page with its head line; what is made inside is its content."""
    studio.wake()
    ui.dark_mode({"dark": True, "light": False}.get(chosen_theme(request)))
    ui.colors(
        primary="#2f6fce", secondary="#5c6979", accent="#e08a2e", positive="#2e9e5b", negative="#d33b3b"
    )
    ui.add_css(STYLE)
    ui.add_body_html(f"<script>{SCRIPT}{KEYS}</script>")
    ui.page_title(f"{title} - Softdock")
    with ui.header(elevated=False).style("padding: 0; gap: 0"):
        ui.html(head(studio, here), sanitize=False).classes("w-full")
    yield


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


def message(told: dict[str, Any]) -> str:
    """Return what a problem says where its field is seen anyway."""
    given = f" Given: {told['given']}." if told.get("given") else ""
    hint = f" {told['hint']}" if told.get("hint") else ""
    return f"{told['message']}{given}{hint}"


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
