"""Parts common to all pages: header, colours, light and dark theme, error messages."""

import html
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapi import Request
from nicegui import ui

from softdock.presentation.colours import STATUS_COLOURS, STATUS_CSS, css_variables
from softdock.presentation.phases import PHASE_STYLE
from softdock.presentation.status import Status
from softdock.presentation.tables import status_mark
from softdock.studio.pages import unit_choice

if TYPE_CHECKING:
    from softdock.studio.server import Studio

ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" fill="none" stroke-linejoin="round">'
    '<path d="M3 11h9l6 5l-6 5H3z" fill="#3b7dd8"/>'
    '<path d="M29 5h-7l-7 6M29 27h-7l-7-6" stroke="#e08a2e" stroke-width="3" stroke-linecap="round"/></svg>'
)
THEME_ICON = (
    '<svg viewBox="0 0 24 24" width="22" height="22"><circle cx="12" cy="12" r="8.5" fill="none" stroke="currentColor" '
    'stroke-width="2"/><path class="half" d="M12 3.5a8.5 8.5 0 0 1 0 17z" fill="currentColor"/>'
    '<circle class="whole" cx="12" cy="12" r="8.5" fill="currentColor"/></svg>'
)
"""Half filled for the theme of the system, filled for dark, empty for light."""
THEME = "Theme: light, dark or system"
PAGES = {"/": "Scenarios", "/runs": "Runs", "/predict": "Predict", "/campaigns": "Campaigns"}
THEME_COOKIE = "softdock_dark"
CONNECTION_TIMEOUT = 60.0  # s until the web socket of the browser is connected; the machine may be busy
STYLE = (
    f":root {{ {css_variables()} }}\nbody.body--dark {{ {css_variables(dark=True)} }}\n{STATUS_CSS}{PHASE_STYLE}"
    + Path(__file__).with_name("style.css").read_text(encoding="utf-8")
)
KEYS = Path(__file__).with_name("keys.js").read_text(encoding="utf-8")
SCRIPT = Path(__file__).with_name("head.js").read_text(encoding="utf-8")


def chosen_theme(request: Request) -> str:
    """Return the theme that the user has chosen: light, dark, or an empty text for that of the system."""
    chosen = request.cookies.get(THEME_COOKIE, "")
    return chosen if chosen in ("light", "dark") else ""


def header(studio: "Studio", here: str, units: str) -> str:
    """Return the header of every page as HTML; `head.js` handles its unit systems and its theme button."""
    links = "".join(
        f'<a href="{address}" class="place{" here" if address == here else ""}"'
        f"{' aria-current=page' if address == here else ''}>{name}</a>"
        for address, name in PAGES.items()
    )
    root = studio.folder.root
    whole, short = html.escape(str(root), quote=True), html.escape(str(Path(*root.parts[-2:])))
    return (
        f'<div class="head"><span class="icon">{ICON}</span><b>Softdock</b><nav aria-label="Pages">{links}</nav>'
        f'<span class="where soft mono" title="{whole}">{short}</span>{unit_choice.select_html(units)}'
        f'<button type="button" class="theme" data-theme="auto" title="{THEME}" aria-label="{THEME}">'
        f"{THEME_ICON}</button>"
        "</div>"
    )


@contextmanager
def page(studio: "Studio", here: str, title: str, request: Request) -> Iterator[None]:
    """Set up a page with its header; elements created inside are its content."""
    studio.allow_warm_up()
    ui.dark_mode({"dark": True, "light": False}.get(chosen_theme(request)))
    ui.colors(
        primary="#2f6fce",
        secondary="#5c6979",
        accent="#e08a2e",
        positive=STATUS_COLOURS[Status.GOOD][0],
        negative=STATUS_COLOURS[Status.FAILED][0],
    )
    ui.add_css(STYLE)
    ui.add_body_html(f"<script>{SCRIPT}{KEYS}</script>")
    ui.page_title(f"{title} - Softdock")
    with ui.header(elevated=False).style("padding: 0; gap: 0"):
        ui.html(header(studio, here, unit_choice.chosen_units(request)), sanitize=False).classes("w-full")
    unit_choice.connect(request)
    yield


@asynccontextmanager
async def waiting() -> AsyncIterator[None]:
    """Send the page with the text "Loading" before slow work; a worker may still be starting."""
    note = ui.label("Loading ...").classes("soft").props("role=status")
    await ui.context.client.connected(timeout=CONNECTION_TIMEOUT)
    try:
        yield
    finally:
        note.delete()


def problem(text: str) -> None:
    """Show an error message."""
    ui.label(text).classes("problem").props("role=alert")


def message(problem: dict[str, Any]) -> str:
    """Return the message of a problem without its field, for display at that field."""
    given = f" Given: {problem['given']}." if problem.get("given") else ""
    hint = f" {problem['hint']}" if problem.get("hint") else ""
    return f"{problem['message']}{given}{hint}"


def status(value: Status) -> None:
    """Show the coloured mark of a status."""
    ui.html(status_mark(value), sanitize=False).style("line-height: 0")
