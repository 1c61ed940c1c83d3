"""`softdock bench`: measure speed and accuracy, and compare with other programs."""

from typing import Annotated, Any

import typer

from softdock.cli import console, options


def bench(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Benchmark to run (default: all).")
    ] = None,
    as_json: options.Json = False,
    long: Annotated[bool, typer.Option("--long", help="Also measure what takes a minute or more.")] = False,
) -> None:
    """Measure speed and accuracy, and compare them with other programs."""
    from softdock.bench import BENCHMARKS, benchmark

    chosen = {key: benchmark(key) for key in ([name] if name else BENCHMARKS)}
    measured = []
    for key, module in chosen.items():
        with console.progress_bar(f"Measuring {key}") as progress:
            rows = module.run(progress)
            if long and hasattr(module, "run_long"):
                rows += module.run_long(progress)
        measured.append({"bench": key, "results": rows})
        if not as_json:
            _print_table(key, rows)
    if as_json:
        console.print_json(measured[0] if name else measured)


def _print_table(name: str, rows: list[dict[str, Any]]) -> None:
    from softdock.presentation.numbers import format_value
    from softdock.presentation.tables import Table

    keys = ("name", "value", "unit", "peer", "peer_value", "ratio", "aim")
    header = ("quantity", "value", "unit", "other program", "its value", "ratio", "aim")
    cells = [["" if row.get(key) is None else format_value(row[key]) for key in keys] for row in rows]
    print(f"bench {name}")
    print(Table(header=header, rows=cells, left=(0, 2, 3)).to_text())
