"""`softdock figures`: draw figures of published papers from simulations."""

from pathlib import Path
from typing import Annotated

import typer

from softdock.cli import console


def figures(
    name: Annotated[str, typer.Argument(metavar="NAME|all", help="Set of figures, for example impact.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the figures; created if missing.")],
) -> None:
    """Draw figures of published papers from simulations."""
    from softdock.report.figures import FIGURES, figure_set

    names = list(FIGURES) if name == "all" else [name]
    sets = {name: figure_set(name) for name in names}
    console.make_folder(out)
    for name, chosen in sets.items():
        with console.progress_bar(f"Drawing {name}") as progress:
            paths = chosen.draw(out, progress)
        for path in paths:
            print(path)
