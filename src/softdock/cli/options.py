"""Options and arguments that several commands have."""

from pathlib import Path
from typing import Annotated

import typer

from softdock.errors import InputError

Scenario = Annotated[
    str, typer.Argument(metavar="NAME|FILE", help="Bundled scenario (see softdock scenarios) or YAML file.")
]
Overrides = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="PATH=VALUE", help="Override a field of the scenario; may be repeated."),
]
Out = Annotated[Path | None, typer.Option(metavar="DIR", help="Save result and history in this folder.")]
ListenAddress = Annotated[
    str,
    typer.Option(
        metavar="ADDRESS",
        help="Address to listen on; the default accepts connections from this machine only.",
    ),
]
Check = Annotated[
    bool, typer.Option("--check", help="Exit with 3 if a requirement is violated, 4 if one is undecided.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON only.")]
Units = Annotated[
    str | None,
    typer.Option(
        "--units",
        metavar="SYSTEM",
        help="Display units: automatic, SI, mm/deg or imperial (default: as in the file; JSON is in SI).",
    ),
]
Author = Annotated[str, typer.Option(metavar="NAME", help="Author of the report (default: as in the file).")]
Revision = Annotated[
    str, typer.Option(metavar="TEXT", help="Revision of the report (default: as in the file).")
]
Paper = Annotated[str | None, typer.Option(metavar="a4|letter", help="Paper of a PDF report (default: a4).")]


def parse_option(option: str, given: str, unit: str) -> float:
    """Return the value of an option in SI; raises InputError."""
    from softdock.quantities.units import parse_quantity

    try:
        return parse_quantity(given, unit)
    except ValueError as error:
        raise InputError(f"The value {error}.", field=option, given=given) from None
