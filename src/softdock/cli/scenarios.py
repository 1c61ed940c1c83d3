"""`softdock scenarios`: list the scenarios that come with Softdock."""

from dataclasses import asdict
from typing import Annotated

import typer

from softdock.cli import console


def scenarios(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON only.")] = False,
) -> None:
    """List the bundled scenarios."""
    from softdock.scenario import bundled

    found = bundled()
    if as_json:
        console.print_json([asdict(scenario) for scenario in found])
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for header in ("name", "kind", "title"):
        table.add_column(header, no_wrap=header != "title")
    for scenario in found:
        table.add_row(scenario.name, scenario.kind, scenario.title)
    console.out().print(table)
