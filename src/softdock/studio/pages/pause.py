"""Work that waits until nobody has typed for a while."""

import asyncio
from collections.abc import Awaitable, Callable

from nicegui import ui

PAUSE = 0.35  # s after the last key


class Pause:
    """Does something once, a moment after it was last asked for."""

    def __init__(self, work: Callable[[], Awaitable[None]]) -> None:
        self._work = work
        self._waiting: asyncio.Task[None] | None = None

    def begin(self, place: ui.element) -> None:
        """Wait anew, then do the work in this place of the page."""
        self.cancel()
        self._waiting = asyncio.create_task(self._later(place))

    def cancel(self) -> None:
        """Leave undone what waits or is under way."""
        if self._waiting is not None:
            self._waiting.cancel()

    async def _later(self, place: ui.element) -> None:
        await asyncio.sleep(PAUSE)
        with place:
            await self._work()
