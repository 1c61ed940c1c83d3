"""The web server of the studio: one application, its gate before it, its workers behind it."""

import asyncio
import socket
import threading
import webbrowser
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import uvicorn
from fastapi import FastAPI
from nicegui import core, ui
from starlette.middleware.gzip import GZipMiddleware

from softdock.errors import InputError, Problem, reason_of
from softdock.studio import files
from softdock.studio.campaigns import Campaigns
from softdock.studio.folder import BUNDLED, Folder
from softdock.studio.gate import Gate, is_loopback, names_of, new_token
from softdock.studio.pages import frame, routes
from softdock.studio.runs import Runs
from softdock.studio.staff import Worker

DEFAULT_PORT = 8420
TRIED = 20  # ports above the default, where that is taken
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
            await self.desk.do("checked", text=text, name=REHEARSED)
            await self.bench.do("rehearsed", name=REHEARSED)
            await asyncio.to_thread(routes.load_all)

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
    files.serve(app, studio)
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
    core.sio.eio.cors_allowed_origins = [f"http://{_bracketed(name)}:{port}" for name in sorted(names)]
    return Gate(app, names, token)


def serve(folder: Path, host: str, port: int | None, *, browser: bool, say: Callable[[str], None]) -> None:
    """Serve until Ctrl-C."""
    studio = Studio.at(folder)
    listening = _listen(host, port)
    chosen = listening.getsockname()[1]
    shown = host if host not in ("0.0.0.0", "::") else socket.gethostname()
    address = f"http://{_bracketed(shown)}:{chosen}/"
    with listening, studio.folder.take(address):
        token = None if is_loopback(host) else new_token()
        whole = address if token is None else f"{address}?token={token}"
        gate = application(studio, names_of(host), chosen, token)
        server = uvicorn.Server(
            uvicorn.Config(
                gate, log_level="error", access_log=False, lifespan="on", timeout_graceful_shutdown=2
            )
        )
        threading.Thread(target=_announce, args=(server, whole, studio, browser, say), daemon=True).start()
        with suppress(KeyboardInterrupt):
            asyncio.run(server.serve(sockets=[listening]))


def _announce(
    server: uvicorn.Server, address: str, studio: Studio, browser: bool, say: Callable[[str], None]
) -> None:
    """Tell the address once the server answers, and open it."""
    pause = threading.Event()
    while not server.started:
        if server.should_exit:
            return
        pause.wait(0.02)
    say(f"Softdock studio: {address}")
    say(f"Folder {studio.folder.root}; stop with Ctrl-C.")
    if "token=" in address:
        say("Whoever has this address can use the studio, and reads along on a network that is not trusted.")
    if browser:
        with suppress(Exception):
            webbrowser.open(address)


def _listen(host: str, port: int | None) -> socket.socket:
    """Return a socket that listens; without a wish for a port the first free one from the default on."""
    ports = range(DEFAULT_PORT, DEFAULT_PORT + TRIED) if port is None else (port,)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    refused: OSError | None = None
    for one in ports:
        listening = socket.socket(family, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, one))
        except (OSError, OverflowError) as error:
            listening.close()
            refused = error if isinstance(error, OSError) else OSError(0, "a port is between 0 and 65535")
            continue
        listening.listen(128)
        return listening
    assert refused is not None
    where = f"{host}:{port}" if port is not None else host
    hint = "Choose another with --port, or leave it out." if port is not None else ""
    raise InputError(
        Problem(message=f"Cannot listen there: {reason_of(refused)}.", field="--port", given=where, hint=hint)
    )


def _bracketed(name: str) -> str:
    return f"[{name}]" if ":" in name else name
