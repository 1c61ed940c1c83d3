"""Runs started from the page: where they are, how they end, how they are cancelled."""

import asyncio
import time
from dataclasses import dataclass, field
from typing import Any

from softdock.errors import InputError, RunError
from softdock.studio import limits
from softdock.studio.folder import Folder
from softdock.studio.worker_processes import CancelledError, Worker

MOST_REMEMBERED = 200


@dataclass
class Activity:
    """One run under way or just ended."""

    run: str
    name: str
    text: str
    stage: str = "waiting"
    started: float = field(default_factory=time.monotonic)
    ended: float | None = None
    summary: dict[str, Any] | None = None
    problems: list[dict[str, Any]] = field(default_factory=list)
    error: str = ""
    task: "asyncio.Task[None] | None" = None

    @property
    def active(self) -> bool:
        """Whether it is still under way."""
        return self.ended is None

    async def finished(self) -> bool:
        """Wait for its end; tell whether there is a result."""
        if self.task is not None:
            await asyncio.wait([self.task])
        return self.summary is not None

    @property
    def seconds(self) -> float:
        """How long it has taken [s]."""
        return (self.ended or time.monotonic()) - self.started


class Runs:
    """Starts runs one after another in the worker that is kept for them."""

    def __init__(self, folder: Folder, bench: Worker, desk: Worker) -> None:
        self.folder, self.bench, self.desk = folder, bench, desk
        self.activities: dict[str, Activity] = {}
        self._turn = asyncio.Lock()
        self._current: Activity | None = None

    def start(self, name: str, text: str) -> Activity:
        """Begin a run of a scenario's text."""
        stem = name.rpartition("/")[2].removesuffix(".yaml").removesuffix(".yml")
        activity = Activity(self.folder.new_run(stem), name, text)
        self.activities[activity.run] = activity
        for old in list(self.activities)[:-MOST_REMEMBERED]:
            if not self.activities[old].active:
                del self.activities[old]
        activity.task = asyncio.create_task(self._carry_out(activity))
        return activity

    async def cancel(self, activity: Activity) -> None:
        """End a run; one that waits does not begin."""
        if not activity.active:
            return
        if activity is self._current:
            await self.bench.stop(CancelledError("Cancelled."))
        elif activity.task is not None:
            activity.task.cancel()
            activity.error, activity.ended = "Cancelled.", time.monotonic()

    async def _carry_out(self, activity: Activity) -> None:
        if self._current is not None:
            activity.stage = "waiting for an earlier run"
        async with self._turn:
            self._current = activity
            activity.started, activity.stage = time.monotonic(), "checking"

            def stage(text: str) -> None:
                activity.stage = text

            try:
                work = self.bench.do("ran", stage, text=activity.text, name=activity.name, run=activity.run)
                activity.summary = await asyncio.wait_for(work, limits.LONGEST_WALL)
            except TimeoutError:
                activity.error = f"The studio gives a run {limits.LONGEST_WALL / 60:g} minutes; it was ended."
                await self.bench.stop()
            except InputError as error:
                activity.problems = [limits.told(problem) for problem in error.problems]
            except RunError as error:
                activity.error = str(error)
            finally:
                self._current = None
                activity.ended = time.monotonic()
