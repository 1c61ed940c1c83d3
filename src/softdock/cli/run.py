"""`softdock run`: simulate one scenario."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from softdock.cli import console
from softdock.errors import InputError, Problem, RunError

if TYPE_CHECKING:
    from softdock.presentation.unit_systems import UnitSystem
    from softdock.result import Result
    from softdock.simulation.real_time import RealTime


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
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Draw loads, motion, misalignment and energy (.png, .svg or .pdf)."
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a report (.html, or .pdf through an installed browser)."),
    ] = None,
    convergence: Annotated[
        bool,
        typer.Option(
            "--convergence",
            help="Run again with tighter accuracy and finer contact cells; the report shows the changes.",
        ),
    ] = False,
    paper: console.Paper = None,
    author: console.Author = "",
    revision: console.Revision = "",
    units: console.Units = None,
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
    from softdock.presentation.unit_systems import find_unit_system
    from softdock.scenario import load
    from softdock.simulation import simulate

    chosen = load(scenario, overrides or ())
    if check:
        console.refuse_check_without(chosen.requirements, "scenario")
    system = find_unit_system(units or chosen.units)
    _check_files(plot, report, convergence, paper)
    settings = _real_time_settings(real_time, frame, substeps)
    folders = (out, plot and plot.parent, report and report.parent)
    with console.output_folders(*(folder for folder in folders if folder is not None)):
        result = console.run_interruptible(lambda: simulate(chosen, real_time=settings))
        written: list[Path] = []
        try:
            if out is not None:
                result.save(out)
                written.append(out)
            if plot is not None:
                result.plot(plot, system=system)
                written.append(plot)
            if report is not None:
                _write_report(result, report, system, convergence, (author, revision, paper))
                written.append(report)
        finally:  # what was computed is not lost with a full disk
            if as_json:
                console.print_json(result.to_json())
            else:
                console.print_result(result, written, system)
    if not result.completed:
        raise RunError(result.message)
    if check:
        console.exit_by_verdicts(result.requirements)


def _check_files(plot: Path | None, report: Path | None, convergence: bool, paper: str | None) -> None:
    """Reject before the run what could not be written after it."""
    if plot is not None:
        from softdock.report.picture import format_of

        format_of(plot, "--plot")
    if report is not None:
        from softdock.report.writing import check_report_name, find_paper

        check_report_name(report)
        find_paper(paper)
    elif convergence:
        raise InputError(Problem(field="--convergence", message="Requires --report."))


def _write_report(
    result: "Result", path: Path, system: "UnitSystem", convergence: bool, about: tuple[str, str, str | None]
) -> None:
    """Write the report of a run; `about` is author, revision and paper."""
    from softdock.report.run import ReportOptions, write_run_report
    from softdock.report.writing import find_paper
    from softdock.simulation.convergence import check_convergence

    refinements = None
    if convergence:
        with console.progress_bar("Convergence") as progress:
            refinements = check_convergence(result, progress)
    author, revision, paper = about
    options = ReportOptions(
        author=author, revision=revision, system=system, paper=find_paper(paper), refinements=refinements
    )
    write_run_report(result, path, options)


def _real_time_settings(real_time: bool, frame: str | None, substeps: int | None) -> "RealTime | None":
    """Return the settings of a run in real time from its options; None for a run as fast as possible."""
    from softdock.quantities.units import parse_quantity
    from softdock.simulation.real_time import FRAME, RealTime

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
