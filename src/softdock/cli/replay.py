"""`softdock replay`: write the animation of a run."""

from pathlib import Path
from typing import Annotated

import typer

from softdock.cli import console
from softdock.errors import InputError, Problem


def replay(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder written by softdock run --out.")],
    html: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a self-contained page that plays the run."),
    ] = None,
    glb: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write an animated glTF file, for example for Blender."),
    ] = None,
    units: console.Units = None,
) -> None:
    """Write the replay of a run as a page for browsers or as a 3-D animation."""
    if html is None and glb is None:
        message = "Give at least one output: --html FILE or --glb FILE."
        raise InputError(
            Problem(message=message, hint=f"For example: softdock replay {folder} --html replay.html")
        )
    console.check_suffix("--html", html, ".html", ".htm")
    console.check_suffix("--glb", glb, ".glb")
    from softdock.files.atomic import write_together
    from softdock.presentation.unit_systems import unit_system_of
    from softdock.replay import player_html, scene, write_glb
    from softdock.result import Result

    result = Result.load(folder)
    system = unit_system_of(result.definition, units)
    shown = scene(result)
    files = {}
    if html is not None:
        files[html] = player_html(shown, system=system).encode()
    if glb is not None:
        files[glb] = write_glb(shown)
    for path, data in files.items():
        write_together(path.parent, {path.name: data})
        print(f"Written to {path}")
