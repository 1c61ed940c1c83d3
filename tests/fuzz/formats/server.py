"""A studio inside the worker, for requests from sockets."""

import asyncio
import socket
import tempfile
import threading
from functools import cache
from pathlib import Path

TOKEN = "fuzz-token"
RECEIVE_TIMEOUT = 60.0  # s


class Served:
    """A studio that listens on a port of this machine."""

    def __init__(self) -> None:
        import uvicorn

        from softdock.studio.request_checks import allowed_hosts
        from softdock.studio.server import Studio, application, server_settings

        self.folder = Path(tempfile.mkdtemp(prefix="softdock-fuzz-studio-"))
        (self.folder / "mine.yaml").write_text("softdock: 1\nbase: impact-a\ntitle: Mine\nspeed: 0.06 m/s\n")
        listening = socket.create_server(("127.0.0.1", 0))
        self.port = int(listening.getsockname()[1])
        app = application(Studio.at(self.folder), allowed_hosts("127.0.0.1"), self.port, TOKEN)
        server = uvicorn.Server(server_settings(app))
        threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listening])), daemon=True).start()

    def connect(self) -> socket.socket:
        """Return a connection."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=RECEIVE_TIMEOUT)


@cache
def served() -> Served:
    """Return the studio of this process."""
    return Served()


def with_port(request: bytes) -> bytes:
    """Return a request with the port of the studio, which inputs write as PORT."""
    return request.replace(b"PORT", str(served().port).encode())
