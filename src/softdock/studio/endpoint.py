"""The studio's door: its folder, its address and its socket, open before the heavy parts of the server are loaded.

A browser that comes early waits at the socket for the first answer, so it can start while the server does.
"""

import errno
import socket
import threading
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from softdock.errors import InputError, Problem, reason_of
from softdock.studio.folder import Folder
from softdock.studio.request_checks import is_loopback, new_token

DEFAULT_PORT = 8420
TRIED = 20  # ports above the default, where that is taken


@dataclass(frozen=True)
class Door:
    """Where a studio can be reached."""

    folder: Folder
    host: str
    port: int
    listening: socket.socket
    token: str | None
    """Needed by whoever comes from another machine."""

    @property
    def address(self) -> str:
        """What to type into a browser."""
        shown = self.host if self.host not in ("0.0.0.0", "::") else socket.gethostname()
        address = f"http://{bracketed(shown)}:{self.port}/"
        return address if self.token is None else f"{address}?token={self.token}"

    def announce(self, say: Callable[[str], None], *, browser: bool) -> None:
        """Tell the address, and open it."""
        say(f"Softdock studio: {self.address}")
        say(f"Folder {self.folder.root}; stop with Ctrl-C.")
        if self.token is not None:
            say(
                "Whoever has this address can use the studio, and reads along on a network that is not trusted."
            )
        if browser:
            threading.Thread(target=_open, args=(self.address,), daemon=True).start()


@contextmanager
def opened(root: Path, host: str, port: int | None) -> Iterator[Door]:
    """Open the door of a folder; refused where another studio works in it, or where nothing can listen."""
    folder = Folder(root)
    with _listen(host, port) as listening:
        token = None if is_loopback(host) else new_token()
        door = Door(folder, host, listening.getsockname()[1], listening, token)
        with folder.take(door.address.partition("?")[0]):
            yield door


def bracketed(name: str) -> str:
    """Return a name as it stands in an address."""
    return f"[{name}]" if ":" in name else name


def _open(address: str) -> None:
    with suppress(Exception):
        webbrowser.open(address)


def _listen(host: str, port: int | None) -> socket.socket:
    """Return a socket that listens; without a wish for a port the first free one from the default on."""
    if not host:
        raise InputError(
            Problem(message="Must be an address or a name of this machine.", field="--host", given="''")
        )
    ports = range(DEFAULT_PORT, DEFAULT_PORT + TRIED) if port is None else (port,)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    refused: OSError | None = None
    for one in ports:
        listening = socket.socket(family, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, one))
            listening.listen(128)
        except (OSError, OverflowError) as error:
            listening.close()
            refused = error if isinstance(error, OSError) else OSError(0, "a port is between 0 and 65535")
            continue
        return listening
    assert refused is not None
    raise InputError(_problem(host, port, refused))


def _problem(host: str, port: int | None, refused: OSError) -> Problem:
    """Tell why nothing can listen, at the option that is to blame."""
    message = f"Cannot listen there: {reason_of(refused)}."
    if isinstance(refused, socket.gaierror) or refused.errno == errno.EADDRNOTAVAIL:
        return Problem(message=message, field="--host", given=host, hint="Give an address of this machine.")
    where = f"{host}:{port}" if port is not None else host
    hint = "Choose another with --port, or leave it out." if port is not None else ""
    return Problem(message=message, field="--port", given=where, hint=hint)
