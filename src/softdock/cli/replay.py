"""`softdock replay`: show a run again."""

from pathlib import Path
from typing import Annotated

import typer

from softdock.cli import console
from softdock.errors import InputError, Problem


def replay(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="Folder that softdock run --out has written.")
    ],
    html: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a page that plays the run; it needs nothing else."),
    ] = None,
    glb: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write an animated glTF file, for Blender and others.")
    ] = None,
) -> None:
    """Write the replay of a run: a page for any browser, or a 3-D animation."""
    if html is None and glb is None:
        message = "Say what to write: --html FILE, --glb FILE or both."
        raise InputError(
            Problem(message=message, hint=f"For example: softdock replay {folder} --html replay.html")
        )
    console.check_ending("--html", html, ".html", ".htm")
    console.check_ending("--glb", glb, ".glb")
    from softdock.files.atomic import write_together
    from softdock.replay import player_html, scene, write_glb
    from softdock.result import Result

    shown = scene(Result.load(folder))
    files = {}
    if html is not None:
        files[html] = player_html(shown).encode()
    if glb is not None:
        files[glb] = write_glb(shown)
    for path, data in files.items():
        write_together(path.parent, {path.name: data})
        print(f"Written to {path}")
