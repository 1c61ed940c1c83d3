"""`softdock run`: simulate one scenario."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from softdock.cli import console
from softdock.errors import RunError

if TYPE_CHECKING:
    from softdock.result import Result
    from softdock.scenario import ScenarioBase


def run(
    scenario: Annotated[
        str,
        typer.Argument(metavar="NAME|FILE", help="Bundled scenario (see softdock scenarios) or YAML file."),
    ],
    overrides: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="PATH=VALUE", help="Replace a field; may be repeated."),
    ] = None,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Save result and history there.")] = None,
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw the history there.")] = None,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE.html", help="Write the story of the run there.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON only.")] = False,
) -> None:
    """Simulate a scenario and say what happened."""
    from softdock.report.picture import format_of
    from softdock.scenario import load
    from softdock.simulate import simulate

    chosen = load(scenario, overrides or ())
    if plot is not None:
        format_of(plot)  # a name that cannot be drawn is refused before the run
        console.make_folder(plot.parent)
    if report is not None:
        console.check_ending("--report", report, ".html", ".htm")
        console.make_folder(report.parent)
    if out is not None:
        console.make_folder(out)
    announce_compilation(chosen)
    result = simulate(chosen)
    written = []
    if out is not None:
        result.save(out)
        written.append(str(out))
    if plot is not None:
        result.plot(plot)
        written.append(str(plot))
    if report is not None:
        from softdock.report.run import write_run_report

        write_run_report(result, report)
        written.append(str(report))
    if as_json:
        console.print_json(result.to_json())
    else:
        _print(result, written)
    if not result.completed:
        raise RunError(result.message)


def announce_compilation(scenario: "ScenarioBase") -> None:
    """Tell the person who waits that the first run compiles."""
    from softdock.jit import is_cold
    from softdock.simulate import ROOMS

    if any(is_cold(room) for room in ROOMS[scenario.kind]):
        console.say("Compiling kernels (first run only) ...")


def _print(result: "Result", written: list[str]) -> None:
    print(result.summary())
    for path in written:
        print(f"Written to {path}")
