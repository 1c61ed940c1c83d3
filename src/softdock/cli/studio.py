"""`softdock studio`: start the web interface."""

from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from softdock.cli import console, options
from softdock.errors import InputError


def studio(
    folder: Annotated[
        Path,
        typer.Option(
            metavar="DIR",
            help="Folder of scenarios, runs and campaigns; no files outside it are used.",
        ),
    ] = Path(),
    port: Annotated[
        int | None, typer.Option(metavar="P", help="Port (default: first free port from 8420).")
    ] = None,
    host: options.ListenAddress = "127.0.0.1",
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open the browser.")] = False,
    no_token: Annotated[
        bool,
        typer.Option(
            "--no-token", help="Require no token: every local user can use the studio (127.0.0.1 only)."
        ),
    ] = False,
) -> None:
    """Start the web interface: scenarios, runs with replay, predictions, campaigns."""
    if port is not None and not 0 <= port <= 65535:
        raise InputError("Must be between 0 and 65535.", field="--port", given=str(port))
    from softdock.studio import endpoint
    from softdock.studio.request_checks import is_loopback

    if no_token and not is_loopback(host):
        message = "A studio that other machines can reach needs a token."
        raise InputError(message, field="--no-token", given=f"--host {host}")
    if find_spec("nicegui") is None:
        hint = "Install it with: pip install 'softdock[studio]'."
        raise InputError("The studio needs the package nicegui.", hint=hint)
    opening = endpoint.open_endpoint(folder, host, port, with_token=not no_token)
    with suppress(KeyboardInterrupt), opening as opened:
        opened.announce(console.print_message, browser=not no_browser)
        from softdock.studio.server import serve  # slow import; the browser starts meanwhile

        serve(opened)
