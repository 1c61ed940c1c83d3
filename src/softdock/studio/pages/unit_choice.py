"""The unit system that the user chooses in the header, for all tabs of a page."""

from collections.abc import Awaitable, Callable
from typing import Any

from fastapi import Request
from nicegui import app, ui

from softdock.presentation.unit_systems import AUTOMATIC, SYSTEMS

COOKIE = "softdock_units"
LABEL = "Units"
TEXTS = {"": "units of the file", AUTOMATIC.name: "automatic units"}
"""Texts of the choices that are not names of units."""
Listener = Callable[[], Awaitable[None] | None]


class UnitChoice:
    """The choice of one open page, and what shows values in it."""

    def __init__(self, name: str) -> None:
        self.name = name
        """Name of a unit system; empty for that of the file."""
        self._listeners: list[tuple[ui.element, Listener]] = []

    def resolve(self, own: str) -> str:
        """Return the chosen unit system, or else that of the file."""
        return self.name or own

    def listen(self, element: ui.element, listener: Listener) -> None:
        """Call a function whenever the choice changes, as long as an element exists."""
        self._listeners.append((element, listener))

    async def change(self, name: Any) -> None:
        """Show all values in another unit system; names that do not exist mean that of the file."""
        self.name = name if isinstance(name, str) and name in SYSTEMS else ""
        self._listeners = [pair for pair in self._listeners if not pair[0].is_deleted]
        for element, listener in list(self._listeners):
            with element:
                called = listener()
                if called is not None:
                    await called


def chosen_units(request: Request) -> str:
    """Return the name of the unit system in the cookie; empty where none is chosen."""
    name = request.cookies.get(COOKIE, "")
    return name if name in SYSTEMS else ""


def select_html(chosen: str) -> str:
    """Return the list of unit systems for the header; `head.js` handles it."""
    options = "".join(
        f'<option value="{name}"{" selected" if name == chosen else ""}>{TEXTS.get(name, name)}</option>'
        for name in ("", *SYSTEMS)
    )
    return f'<select class="units" title="{LABEL}" aria-label="{LABEL}">{options}</select>'


def connect(request: Request) -> None:
    """Create the choice of a page and receive its changes."""
    choice = UnitChoice(chosen_units(request))
    app.storage.client["units"] = choice
    ui.on("units", lambda event: choice.change(event.args))


def current() -> UnitChoice:
    """Return the choice of the page."""
    choice = app.storage.client.get("units")
    return choice if isinstance(choice, UnitChoice) else UnitChoice("")
