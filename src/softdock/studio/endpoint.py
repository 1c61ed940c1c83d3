"""Network endpoint of the studio: folder lock, address and listening socket.

The socket listens before the server is imported. A browser that connects early waits for the first response, so that
it starts while the server starts.
"""

import errno
import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from softdock.errors import InputError, Problem, reason_of
from softdock.studio.browser_entry import BrowserEntry, new_secret, start_browser
from softdock.studio.folder import Folder
from softdock.studio.request_checks import is_loopback

DEFAULT_PORT = 8420
OPEN_IT = "Open the address above in a browser."
LISTEN_QUEUE = 1024  # connections that wait to be accepted; the system may allow fewer
PORTS_TRIED = 20  # from the default port upwards, where no port is given


@dataclass(frozen=True)
class Endpoint:
    """Address and socket of one studio."""

    folder: Folder
    host: str
    port: int
    listening: socket.socket
    token: str | None
    """Secret that requests need; None where it is switched off."""
    entry: BrowserEntry
    """Lets the browser in that this program opens."""

    @property
    def public_address(self) -> str:
        """URL without the token."""
        shown = self.host if self.host not in ("0.0.0.0", "::") else socket.gethostname()
        return f"http://{bracket_ipv6(shown)}:{self.port}/"

    @property
    def address(self) -> str:
        """URL for the user to open in a browser."""
        return self.public_address if self.token is None else f"{self.public_address}?token={self.token}"

    def announce(self, print_line: Callable[[str], None], *, browser: bool) -> None:
        """Print the address and open it in the browser."""
        print_line(f"Softdock studio: {self.address}")
        print_line(f"Folder {self.folder.root}; stop with Ctrl-C.")
        if self.token is None:
            print_line("Every user who reaches this address can use the studio: there is no token.")
        elif not is_loopback(self.host):
            print_line(
                "Anyone who has this address can use the studio. The connection is not encrypted: "
                "use it only on a trusted network."
            )
        if browser:
            threading.Thread(target=self._open_browser, args=(print_line,), daemon=True).start()

    def _open_browser(self, print_line: Callable[[str], None]) -> None:
        """Open the studio in the browser, the token not in its command line; say so where that fails."""
        try:
            page = "" if self.token is None else self.entry.write_page(self.public_address).as_uri()
        except OSError as error:
            print_line(f"The page for the browser cannot be written: {reason_of(error)}. {OPEN_IT}")
            return
        if not start_browser(page or self.public_address):
            print_line(f"No browser could be started. {OPEN_IT}")


@contextmanager
def open_endpoint(root: Path, host: str, port: int | None, *, with_token: bool = True) -> Iterator[Endpoint]:
    """Lock a folder and listen; raises InputError where another studio uses the folder or no port is free.

    Files that this process and its children write meanwhile are readable by their owner only.
    """
    folder = Folder(root)
    with _private_files(), _listen(host, port) as listening:
        token = new_secret() if with_token else None
        endpoint = Endpoint(folder, host, listening.getsockname()[1], listening, token, BrowserEntry())
        with folder.lock(endpoint.public_address):
            try:
                yield endpoint
            finally:
                endpoint.entry.close()


@contextmanager
def _private_files() -> Iterator[None]:
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


def bracket_ipv6(host: str) -> str:
    """Return a host as it is written in a URL: an IPv6 address in brackets."""
    return f"[{host}]" if ":" in host else host


def _listen(host: str, port: int | None) -> socket.socket:
    """Return a listening socket; without a port, on the first free port from the default upwards."""
    if not host:
        raise InputError("Must be an address or a name of this machine.", field="--host", given="''")
    ports = range(DEFAULT_PORT, DEFAULT_PORT + PORTS_TRIED) if port is None else (port,)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    failure: OSError | None = None
    for candidate in ports:
        listening = socket.socket(family, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, candidate))
            listening.listen(LISTEN_QUEUE)
        except (OSError, OverflowError) as error:
            listening.close()
            failure = error if isinstance(error, OSError) else OSError(0, "a port is between 0 and 65535")
            continue
        return listening
    assert failure is not None
    raise InputError(_listen_problem(host, port, failure))


def _listen_problem(host: str, port: int | None, failure: OSError) -> Problem:
    """Return why no socket can listen, at the option that must change."""
    message = f"Cannot listen there: {reason_of(failure)}."
    if isinstance(failure, socket.gaierror) or failure.errno == errno.EADDRNOTAVAIL:
        return Problem(message=message, field="--host", given=host, hint="Give an address of this machine.")
    where = f"{host}:{port}" if port is not None else host
    hint = "Choose another with --port, or leave it out." if port is not None else ""
    return Problem(message=message, field="--port", given=where, hint=hint)
