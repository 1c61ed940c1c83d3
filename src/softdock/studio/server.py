"""The web server of the studio: one application, its gate before it, its workers behind it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import uvicorn
from fastapi import FastAPI
from nicegui import core, ui
from starlette.middleware.gzip import GZipMiddleware

from softdock.studio import file_routes
from softdock.studio.campaigns import Campaigns
from softdock.studio.endpoint import Door, bracketed
from softdock.studio.folder import BUNDLED, Folder
from softdock.studio.pages import frame, routes
from softdock.studio.request_checks import Gate, names_of
from softdock.studio.runs import Runs
from softdock.studio.worker_processes import Worker

REHEARSED = "assist-soft-docking"  # before the first run, so that it need not load anything
SHOWN = 1.0  # s that a browser needs for its first page


@dataclass
class Studio:
    """Everything the pages need."""

    folder: Folder
    desk: Worker
    """Answers quick questions."""
    bench: Worker
    """Runs scenarios."""
    runs: Runs
    campaigns: Campaigns

    @classmethod
    def at(cls, root: Path) -> "Studio":
        """Return a studio for a folder."""
        folder = Folder(root)
        desk, bench = Worker(folder), Worker(folder)
        return cls(folder, desk, bench, Runs(folder, bench, desk), Campaigns(folder))

    _woken: asyncio.Event = field(default_factory=asyncio.Event)

    def wake(self) -> None:
        """Note that the person looks at a page."""
        self._woken.set()

    async def begin(self) -> None:
        """Load what the first run needs while the person looks at the first page, and not before it is shown."""
        await self._woken.wait()
        await asyncio.sleep(SHOWN)
        with suppress(Exception):
            text = (BUNDLED / f"{REHEARSED}.yaml").read_text(encoding="utf-8")
            await asyncio.gather(
                self.bench.do("rehearsed", name=REHEARSED),
                self.desk.do("checked", text=text, name=REHEARSED),
                asyncio.to_thread(routes.load_all),
            )

    async def end(self) -> None:
        """End the workers; campaigns go on by themselves."""
        await asyncio.gather(self.desk.stop(), self.bench.stop())


def application(studio: Studio, names: frozenset[str], port: int, token: str | None) -> Gate:
    """Return the application with its gate; pages and files of a studio."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        begun = asyncio.create_task(studio.begin())
        yield
        begun.cancel()
        await studio.end()

    app = FastAPI(lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url=None)
    file_routes.serve(app, studio)
    routes.build(app, studio)
    ui.run_with(
        app,
        title="Softdock studio",
        favicon=frame.ICON,
        dark=None,
        binding_refresh_interval=None,
        reconnect_timeout=60.0,  # a page on a busy machine keeps its state
        show_welcome_message=False,
        tailwind=False,  # style.css has what is needed; it would compile styles in the browser
        gzip_middleware_factory=None if token is None else GZipMiddleware,  # on one machine nothing is gained
    )
    # The gate refuses foreign pages before this; the web socket asks once more by itself.
    core.sio.eio.cors_allowed_origins = [f"http://{bracketed(name)}:{port}" for name in sorted(names)]
    return Gate(app, names, token)


def serve(door: Door) -> None:
    """Serve until Ctrl-C."""
    gate = application(Studio.at(door.folder.root), names_of(door.host), door.port, door.token)
    server = uvicorn.Server(
        uvicorn.Config(gate, log_level="error", access_log=False, lifespan="on", timeout_graceful_shutdown=2)
    )
    with suppress(KeyboardInterrupt):
        asyncio.run(server.serve(sockets=[door.listening]))
