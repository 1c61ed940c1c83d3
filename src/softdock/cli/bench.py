"""`softdock bench`: measure speed and accuracy beside peers."""

from typing import Annotated, Any

import typer

from softdock.cli import console


def bench(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Which one; all if left out.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON only.")] = False,
) -> None:
    """Measure speed and accuracy, side by side with peers."""
    from softdock.bench import BENCHMARKS, benchmark

    chosen = {one: benchmark(one) for one in ([name] if name else BENCHMARKS)}
    measured = []
    for one, module in chosen.items():
        with console.progress_bar(f"Measuring {one}") as progress:
            rows = module.run(progress)
        measured.append({"bench": one, "results": rows})
        if not as_json:
            _print_table(one, rows)
    if as_json:
        console.print_json(measured[0] if name else measured)


def _print_table(name: str, rows: list[dict[str, Any]]) -> None:
    from rich.table import Table

    table = Table(title=f"bench {name}", title_justify="left", box=None, pad_edge=False)
    table.add_column("what")
    table.add_column("value", justify="right")
    table.add_column("unit")
    table.add_column("peer")
    table.add_column("peer value", justify="right")
    table.add_column("times better", justify="right")
    table.add_column("aim", justify="right")
    for row in rows:
        table.add_row(
            row["name"], _number(row["value"]), row["unit"], row.get("peer", ""),
            _number(row.get("peer_value")), _number(row.get("ratio")), _number(row.get("aim")),
        )  # fmt: skip
    console.out().print(table)


def _number(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.3g}" if isinstance(value, int | float) else str(value)
