"""Web server of the studio: application, request checks and worker processes."""

import asyncio
import errno
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI
from nicegui import core, ui
from starlette.middleware.gzip import GZipMiddleware

from softdock.studio import file_routes
from softdock.studio.browser_entry import BrowserEntry
from softdock.studio.campaigns import Campaigns
from softdock.studio.connections import BACKLOG, LimitedProtocol, StudioServer
from softdock.studio.endpoint import Endpoint, bracket_ipv6
from softdock.studio.folder import BUNDLED, Folder
from softdock.studio.pages import frame, routes
from softdock.studio.request_checks import RequestChecks, allowed_hosts, is_loopback
from softdock.studio.runs import Runs
from softdock.studio.worker_processes import WorkerProcess

WARM_UP_SCENARIO = "assist-soft-docking"  # run once in the background, so that all modules are loaded
LOG_LEVELS = {
    "nicegui": logging.ERROR,  # not a line per unknown address
    "engineio.server": logging.CRITICAL,  # not a traceback per malformed request
    "socketio.server": logging.CRITICAL,
}
LARGEST_FRAME = 4_000_000  # bytes of a web socket message, some more than its largest text
FIRST_PAGE_TIME = 1.0  # s that a browser needs to show its first page


@dataclass
class Studio:
    """Objects that the pages share."""

    folder: Folder
    query_worker: WorkerProcess
    """Executes short tasks: checks, thumbnails, curves, files."""
    run_worker: WorkerProcess
    """Runs scenarios."""
    runs: Runs
    campaigns: Campaigns

    @classmethod
    def at(cls, root: Path) -> "Studio":
        """Return the studio of a folder."""
        folder = Folder(root)
        query_worker, run_worker = WorkerProcess(folder), WorkerProcess(folder)
        return cls(folder, query_worker, run_worker, Runs(folder, run_worker), Campaigns(folder))

    _page_opened: asyncio.Event = field(default_factory=asyncio.Event)

    def allow_warm_up(self) -> None:
        """Allow the warm-up to start; called when a page is opened."""
        self._page_opened.set()

    async def warm_up(self) -> None:
        """Import and run what the first run needs, after the first page has been shown."""
        await self._page_opened.wait()
        await asyncio.sleep(FIRST_PAGE_TIME)
        with suppress(Exception):
            text = (BUNDLED / f"{WARM_UP_SCENARIO}.yaml").read_text(encoding="utf-8")
            await asyncio.gather(
                self.run_worker.call("warm_up", name=WARM_UP_SCENARIO),
                self.query_worker.call("check_text", text=text, name=WARM_UP_SCENARIO),
                asyncio.to_thread(routes.import_pages),
            )

    async def end(self) -> None:
        """End the workers; campaigns continue in their own processes."""
        await asyncio.gather(self.query_worker.stop(), self.run_worker.stop())


def application(
    studio: Studio,
    hosts: frozenset[str],
    port: int,
    token: str | None,
    *,
    entry: BrowserEntry | None = None,
    compress: bool = False,
) -> RequestChecks:
    """Return the application with pages and file routes, behind the request checks."""

    entry = entry or BrowserEntry()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        asyncio.get_running_loop().set_exception_handler(_report_exception)
        warm_up = asyncio.create_task(studio.warm_up())
        yield
        warm_up.cancel()
        entry.close()  # also where a signal ends the process
        await studio.end()

    for name, level in LOG_LEVELS.items():
        logging.getLogger(name).setLevel(level)
    app = FastAPI(lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url=None)
    file_routes.add_routes(app, studio)
    routes.build(app, studio)
    ui.run_with(
        app,
        title="Softdock studio",
        favicon=frame.ICON,
        dark=None,
        binding_refresh_interval=None,
        reconnect_timeout=60.0,  # a page on a busy machine keeps its state
        show_welcome_message=False,
        tailwind=False,  # style.css is complete; Tailwind would compile styles in the browser
        gzip_middleware_factory=GZipMiddleware if compress else None,
    )
    # The request checks refuse foreign pages first; the web socket server has its own check.
    core.sio.eio.cors_allowed_origins = [f"http://{bracket_ipv6(host)}:{port}" for host in sorted(hosts)]
    return RequestChecks(app, hosts, token, entry)


def _report_exception(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Report an exception that nobody handles, but not that of a damaged frame or of a message to a deleted element."""
    if "protocol" in context:
        return  # asyncio closes the connection
    error = context.get("exception")
    if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
        return  # too many open files; asyncio accepts the connection later
    task = context.get("future")
    name = getattr(task.get_coro(), "__qualname__", "") if isinstance(task, asyncio.Task) else ""
    if not name.startswith("AsyncServer._handle_event"):
        loop.default_exception_handler(context)


def server_settings(app: RequestChecks) -> uvicorn.Config:
    """Return the settings of the web server."""
    logging.getLogger("uvicorn.error").addFilter(lambda record: "Invalid UTF-8" not in record.getMessage())
    return uvicorn.Config(
        app,
        log_level="error",
        access_log=False,
        lifespan="on",
        timeout_graceful_shutdown=2,
        ws_max_size=LARGEST_FRAME,
        http=LimitedProtocol,
        backlog=BACKLOG,
    )


def serve(endpoint: Endpoint) -> None:
    """Serve until Ctrl-C."""
    studio = Studio.at(endpoint.folder.root)
    compress = not is_loopback(endpoint.host)  # no gain on one machine
    hosts = allowed_hosts(endpoint.host)
    app = application(studio, hosts, endpoint.port, endpoint.token, entry=endpoint.entry, compress=compress)
    server = StudioServer(server_settings(app))
    with suppress(KeyboardInterrupt):
        asyncio.run(server.serve(sockets=[endpoint.listening]))
