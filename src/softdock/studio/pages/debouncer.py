"""Debouncing: work that runs once input has paused."""

import asyncio
from collections.abc import Awaitable, Callable

from nicegui import ui

PAUSE = 0.35  # s after the last input


class Debouncer:
    """Runs a function once, `PAUSE` after the last request."""

    def __init__(self, work: Callable[[], Awaitable[None]]) -> None:
        self._work = work
        self._waiting: asyncio.Task[None] | None = None

    def restart(self, place: ui.element) -> None:
        """Restart the delay; the work then runs with this element of the page as parent."""
        self.cancel()
        self._waiting = asyncio.create_task(self._later(place))

    def cancel(self) -> None:
        """Cancel waiting or running work."""
        if self._waiting is not None:
            self._waiting.cancel()

    async def _later(self, place: ui.element) -> None:
        await asyncio.sleep(PAUSE)
        with place:
            await self._work()
