"""Worker processes of the studio, as the server sees them: send tasks, receive stages and results, end a worker."""

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

LONGEST_LINE = 64_000_000  # bytes of one message from a worker
EXIT_TIME = 1.0  # s that a process has to exit after it has closed stdout
StageCallback = Callable[[str], None]


class CancelledError(RunError):
    """The user has cancelled the task."""


@dataclass
class _PendingTask:
    result: "asyncio.Future[Any]"
    on_stage: StageCallback


@dataclass
class WorkerProcess:
    """One process that executes tasks one after another; started by the first task."""

    folder: Folder
    _process: asyncio.subprocess.Process | None = None
    _listener: "asyncio.Task[None] | None" = None
    _pending: dict[int, _PendingTask] = field(default_factory=dict)
    _last_id: int = 0
    _start_lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    _stop_reason: Exception | None = None

    async def call(self, task: str, on_stage: StageCallback = lambda stage: None, **arguments: Any) -> Any:
        """Return the result of a task; raises the InputError or RunError that the task raises."""
        async with self._start_lock:
            if self._process is None or self._process.returncode is not None:
                await self._start()
        process = self._process
        assert process is not None
        assert process.stdin is not None
        self._last_id += 1
        number = self._last_id
        result: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._pending[number] = _PendingTask(result, on_stage)
        line = json.dumps({"id": number, "task": task, "with": arguments}) + "\n"
        with suppress(ConnectionError):  # the listener notices the end of the process
            process.stdin.write(line.encode())
            await process.stdin.drain()
        return await result

    async def stop(self, reason: Exception | None = None) -> None:
        """End the process; pending tasks raise `reason`. The next task starts a new process."""
        process, self._stop_reason = self._process, reason
        if process is not None and process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
        if self._listener is not None:
            await self._listener

    async def _start(self) -> None:
        self._stop_reason = None
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "softdock.studio.worker", str(self.folder.root),
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=LONGEST_LINE,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "MPLBACKEND": "agg"},
        )  # fmt: skip
        self._listener = asyncio.create_task(self._listen(self._process))

    async def _listen(self, process: asyncio.subprocess.Process) -> None:
        """Receive messages until the process ends; then fail the pending tasks."""
        assert process.stdout is not None
        with suppress(ValueError, ConnectionError):  # ValueError: a line is too long
            while line := await process.stdout.readline():
                self._receive(json.loads(line))
        try:  # a signal sent to a process that has just ended would take its exit status away from asyncio
            await asyncio.wait_for(process.wait(), EXIT_TIME)
        except TimeoutError:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
        error = self._stop_reason or RunError("The worker has ended unexpectedly; perhaps memory ran out.")
        for task in self._pending.values():
            if not task.result.done():
                task.result.set_exception(error)
        self._pending.clear()

    def _receive(self, message: dict[str, Any]) -> None:
        number = message["id"]
        if "stage" in message:
            self._pending[number].on_stage(message["stage"])
            return
        result = self._pending.pop(number).result
        if result.done():
            return
        if "done" in message:
            result.set_result(message["done"])
        elif "problems" in message:
            keys = ("message", "field", "file", "line", "given", "hint")
            problems = [Problem(**{key: problem[key] for key in keys}) for problem in message["problems"]]
            result.set_exception(InputError(*problems))
        else:
            result.set_exception(RunError(message["error"]))
