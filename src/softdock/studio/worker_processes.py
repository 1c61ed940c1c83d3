"""The studio's side of its workers: hand out tasks, hear their stages, end one that takes too long."""

import asyncio
import json
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from softdock.errors import InputError, Problem, RunError
from softdock.studio.folder import Folder

LONGEST_LINE = 64_000_000  # bytes of one answer
ENDING = 1.0  # s that a process has which says no more
Stage = Callable[[str], None]


class CancelledError(RunError):
    """The person at the page has cancelled it."""


@dataclass
class _Task:
    answer: "asyncio.Future[Any]"
    stage: Stage


@dataclass
class Worker:
    """One process that does one task after another."""

    folder: Folder
    _process: asyncio.subprocess.Process | None = None
    _listener: "asyncio.Task[None] | None" = None
    _tasks: dict[int, _Task] = field(default_factory=dict)
    _number: int = 0
    _starting: asyncio.Lock = field(default_factory=asyncio.Lock)
    _reason: Exception | None = None

    async def do(self, task: str, stage: Stage = lambda text: None, **arguments: Any) -> Any:
        """Have a task done; raises InputError or RunError as the command line would say it."""
        async with self._starting:
            if self._process is None or self._process.returncode is not None:
                await self._start()
        process = self._process
        assert process is not None
        assert process.stdin is not None
        self._number += 1
        number = self._number
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._tasks[number] = _Task(answer, stage)
        line = json.dumps({"id": number, "task": task, "with": arguments}) + "\n"
        with suppress(ConnectionError):  # its end is heard by the listener
            process.stdin.write(line.encode())
            await process.stdin.drain()
        return await answer

    async def stop(self, reason: Exception | None = None) -> None:
        """End the process; tasks under way fail with the reason. The next task starts a new one."""
        process, self._reason = self._process, reason
        if process is not None and process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
        if self._listener is not None:
            await self._listener

    async def _start(self) -> None:
        self._reason = None
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "softdock.studio.worker", str(self.folder.root),
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=LONGEST_LINE,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "MPLBACKEND": "agg"},
        )  # fmt: skip
        self._listener = asyncio.create_task(self._listen(self._process))

    async def _listen(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        with suppress(ValueError, ConnectionError):  # a line that is too long
            while line := await process.stdout.readline():
                self._take(json.loads(line))
        try:  # a signal for one that has just ended would take its status from whom asyncio lets wait for it
            await asyncio.wait_for(process.wait(), ENDING)
        except TimeoutError:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
        lost = self._reason or RunError("The worker has ended unexpectedly; perhaps memory ran out.")
        for task in self._tasks.values():
            if not task.answer.done():
                task.answer.set_exception(lost)
        self._tasks.clear()

    def _take(self, message: dict[str, Any]) -> None:
        number = message["id"]
        if "stage" in message:
            self._tasks[number].stage(message["stage"])
            return
        answer = self._tasks.pop(number).answer
        if answer.done():
            return
        if "done" in message:
            answer.set_result(message["done"])
        elif "problems" in message:
            known = ("message", "field", "file", "line", "given", "hint")
            problems = [Problem(**{key: one[key] for key in known}) for one in message["problems"]]
            answer.set_exception(InputError(*problems))
        else:
            answer.set_exception(RunError(message["error"]))
