"""`softdock run`: simulate one scenario."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from softdock.cli import console
from softdock.errors import InputError, Problem, RunError

if TYPE_CHECKING:
    from softdock.result import Result
    from softdock.simulate.real_time import RealTime


def run(
    scenario: Annotated[
        str,
        typer.Argument(metavar="NAME|FILE", help="Bundled scenario (see softdock scenarios) or YAML file."),
    ],
    overrides: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="PATH=VALUE", help="Override a field; may be repeated."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Save result and history in this folder.")
    ] = None,
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a figure of the history.")] = None,
    report: Annotated[
        Path | None,
        typer.Option(metavar="FILE.html", help="Write a report with timeline, figures and metrics."),
    ] = None,
    real_time: Annotated[
        bool,
        typer.Option("--real-time", help="Run in real time, frame by frame; count missed frames."),
    ] = False,
    frame: Annotated[
        str | None, typer.Option(metavar="TIME", help="Duration of a frame in real time (default: 10 ms).")
    ] = None,
    substeps: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Equal steps per frame in real time (default: steps controlled by accuracy)."
        ),
    ] = None,
    check: Annotated[
        bool,
        typer.Option("--check", help="Exit with 3 if a requirement is violated, 4 if one is undecided."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON only.")] = False,
) -> None:
    """Simulate a scenario and print its result."""
    from softdock.report.picture import format_of
    from softdock.scenario import load
    from softdock.simulate import simulate

    chosen = load(scenario, overrides or ())
    if check:
        console.refuse_check_without(chosen.requirements, "scenario")
    if plot is not None:
        format_of(plot)  # reject an unknown format before the run
    if report is not None:
        console.check_suffix("--report", report, ".html", ".htm")
    settings = _real_time_settings(real_time, frame, substeps)
    folders = (out, plot and plot.parent, report and report.parent)
    with console.output_folders(*(folder for folder in folders if folder is not None)):
        result = simulate(chosen, real_time=settings)
        written = _write(result, out, plot, report)
    if as_json:
        console.print_json(result.to_json())
    else:
        console.print_result(result, written)
    if not result.completed:
        raise RunError(result.message)
    if check:
        console.exit_by_verdicts(result.requirements)


def _write(result: "Result", out: Path | None, plot: Path | None, report: Path | None) -> list[str]:
    """Write the requested files; return their names."""
    if out is not None:
        result.save(out)
    if plot is not None:
        result.plot(plot)
    if report is not None:
        from softdock.report.run import write_run_report

        write_run_report(result, report)
    return [str(path) for path in (out, plot, report) if path is not None]


def _real_time_settings(real_time: bool, frame: str | None, substeps: int | None) -> "RealTime | None":
    """Return the settings of a run in real time from its options; None for a run as fast as possible."""
    from softdock.quantities.units import parse_quantity
    from softdock.simulate.real_time import FRAME, RealTime

    if not real_time:
        if frame is not None:
            raise InputError(Problem(field="--frame", message="Requires --real-time.", given=frame))
        if substeps is not None:
            raise InputError(
                Problem(field="--substeps", message="Requires --real-time.", given=str(substeps))
            )
        return None
    try:
        return RealTime(frame=FRAME if frame is None else parse_quantity(frame, "s"), substeps=substeps)
    except ValueError as error:
        raise InputError(Problem(field="--frame", message=f"The value {error}.", given=frame or "")) from None
