"""`softdock figures`: redraw the papers' figures from our own runs."""

from pathlib import Path
from typing import Annotated

import typer

from softdock.cli import console


def figures(
    name: Annotated[str, typer.Argument(metavar="NAME|all", help="Which set, for example impact.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the pictures; made if missing.")],
) -> None:
    """Draw the papers' figures from our own computation."""
    from softdock.report.figures import FIGURES, figure_set

    names = list(FIGURES) if name == "all" else [name]
    sets = {name: figure_set(name) for name in names}
    console.make_folder(out)
    for name, chosen in sets.items():
        with console.progress_bar(f"Drawing {name}") as progress:
            paths = chosen.draw(out, progress)
        for path in paths:
            print(path)
