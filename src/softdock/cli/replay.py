"""`softdock replay`: write the animation of a run."""

from pathlib import Path
from typing import Annotated

import typer

from softdock.cli import console, options
from softdock.errors import InputError


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
    units: options.Units = None,
) -> None:
    """Write the replay of a run as a page for browsers or as a 3-D animation."""
    if html is None and glb is None:
        message = "Give at least one output: --html FILE or --glb FILE."
        raise InputError(message, hint=f"For example: softdock replay {folder} --html replay.html")
    console.check_suffix("--html", html, ".html", ".htm")
    console.check_suffix("--glb", glb, ".glb")
    from softdock.presentation.unit_systems import unit_system_of
    from softdock.replay.writing import write_replay
    from softdock.result import Result

    result = Result.load(folder)
    paths = [path for path in (html, glb) if path is not None]
    console.print_discrepancies(result.discrepancies)
    write_replay(result, *paths, system=unit_system_of(result.definition, units))
    for path in paths:
        print(f"Written to {path}")
