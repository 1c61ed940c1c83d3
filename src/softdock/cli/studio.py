"""`softdock studio`: Softdock in the browser."""

from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from softdock.cli import console
from softdock.errors import InputError, Problem


def studio(
    folder: Annotated[
        Path, typer.Option(metavar="DIR", help="Your scenarios, runs and campaigns; nothing outside is used.")
    ] = Path(),
    port: Annotated[int | None, typer.Option(metavar="P", help="A free one from 8420 on by default.")] = None,
    host: Annotated[
        str,
        typer.Option(metavar="ADDRESS", help="Any but 127.0.0.1 is reached only with the token it prints."),
    ] = "127.0.0.1",
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open the browser.")] = False,
) -> None:
    """Open Softdock in the browser: scenarios, runs with replay, predictions, campaigns."""
    if port is not None and not 0 <= port <= 65535:
        raise InputError(Problem(message="Must be between 0 and 65535.", field="--port", given=str(port)))
    if find_spec("nicegui") is None:
        hint = "Install it with: pip install 'softdock[studio]'."
        raise InputError(Problem(message="The studio needs the package nicegui.", hint=hint))
    from softdock.studio import endpoint

    with suppress(KeyboardInterrupt), endpoint.open_endpoint(folder, host, port) as opened:
        opened.announce(console.say, browser=not no_browser)
        from softdock.studio.server import serve  # takes its time, while the browser starts

        serve(opened)
