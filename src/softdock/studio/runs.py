"""Runs started from a page: queue, state, cancellation."""

import asyncio
import time
from dataclasses import dataclass, field
from typing import Any

from softdock.errors import InputError, RunError
from softdock.studio import limits
from softdock.studio.folder import Folder
from softdock.studio.worker_processes import CancelledError, WorkerProcess

MOST_LISTED = 200


@dataclass
class Activity:
    """A run that waits, is in progress or has ended."""

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
        """Whether the run has not ended."""
        return self.ended is None

    async def finished(self) -> bool:
        """Wait for the end of the run; return whether there is a result."""
        if self.task is not None:
            await asyncio.wait([self.task])
        return self.summary is not None

    @property
    def seconds(self) -> float:
        """Wall time so far, or until the end [s]."""
        return (self.ended or time.monotonic()) - self.started


class Runs:
    """Queue of runs, executed one after another in one worker."""

    def __init__(self, folder: Folder, run_worker: WorkerProcess) -> None:
        self.folder, self.run_worker = folder, run_worker
        self.activities: dict[str, Activity] = {}
        self._worker_lock = asyncio.Lock()
        self._current: Activity | None = None

    def start(self, name: str, text: str) -> Activity:
        """Queue a run of a scenario's text."""
        stem = name.rpartition("/")[2].removesuffix(".yaml").removesuffix(".yml")
        activity = Activity(self.folder.new_run(stem), name, text)
        self.activities[activity.run] = activity
        for old in list(self.activities)[:-MOST_LISTED]:
            if not self.activities[old].active:
                del self.activities[old]
        activity.task = asyncio.create_task(self._execute(activity))
        return activity

    async def cancel(self, activity: Activity) -> None:
        """Cancel a run, whether it waits or is in progress."""
        if not activity.active:
            return
        if activity is self._current:
            await self.run_worker.stop(CancelledError("Cancelled."))
        elif activity.task is not None:
            activity.task.cancel()
            activity.error, activity.ended = "Cancelled.", time.monotonic()

    async def _execute(self, activity: Activity) -> None:
        if self._current is not None:
            activity.stage = "waiting for an earlier run"
        async with self._worker_lock:
            self._current = activity
            activity.started, activity.stage = time.monotonic(), "checking"

            def set_stage(text: str) -> None:
                activity.stage = text

            try:
                arguments = {"text": activity.text, "name": activity.name, "run": activity.run}
                work = self.run_worker.call("run_scenario", set_stage, **arguments)
                activity.summary = await asyncio.wait_for(work, limits.LONGEST_WALL)
            except TimeoutError:
                activity.error = f"The studio gives a run {limits.LONGEST_WALL / 60:g} minutes; it was ended."
                await self.run_worker.stop()
            except InputError as error:
                activity.problems = [limits.problem_data(problem) for problem in error.problems]
            except RunError as error:
                activity.error = str(error)
            finally:
                self._current = None
                activity.ended = time.monotonic()
