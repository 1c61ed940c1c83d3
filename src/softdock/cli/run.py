"""`softdock run`: simulate one scenario."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from softdock.cli import console, options
from softdock.errors import InputError, RunError

if TYPE_CHECKING:
    from softdock.presentation.unit_systems import UnitSystem
    from softdock.result import Result
    from softdock.scenario.base import ScenarioBase
    from softdock.simulation.real_time import RealTime


Plot = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Draw reactions, motion, misalignment and energy (.png, .svg or .pdf)."
    ),
]
Report = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write a report (.html, or .pdf through an installed browser)."),
]
Convergence = Annotated[
    bool,
    typer.Option(
        "--convergence",
        help="Also run with tighter accuracy alone and finer contact cells alone; the report shows the changes.",
    ),
]
Converged = Annotated[
    bool,
    typer.Option(
        "--converged",
        help="Repeat the run with a tenth of the error tolerances and contact cells of half the size; show both.",
    ),
]
InRealTime = Annotated[
    bool, typer.Option("--real-time", help="Run in real time, frame by frame; count missed frames.")
]
Frame = Annotated[
    str | None, typer.Option(metavar="TIME", help="Duration of a frame in real time (default: 10 ms).")
]
Substeps = Annotated[
    int | None,
    typer.Option(
        metavar="N", help="Equal steps per frame in real time (default: steps controlled by accuracy)."
    ),
]


@dataclass(frozen=True, kw_only=True)
class Outputs:
    """What is written about a run, and how it is shown."""

    out: Path | None
    plot: Path | None
    report: Path | None
    convergence: bool
    author: str
    """Of the report, as are revision and paper."""
    revision: str
    paper: str | None
    system: "UnitSystem"
    as_json: bool

    @property
    def folders(self) -> list[Path]:
        """Folders of the files."""
        folders = (self.out, self.plot and self.plot.parent, self.report and self.report.parent)
        return [folder for folder in folders if folder is not None]


def run(
    scenario: options.Scenario,
    overrides: options.Overrides = None,
    out: options.Out = None,
    plot: Plot = None,
    report: Report = None,
    converged: Converged = False,
    convergence: Convergence = False,
    paper: options.Paper = None,
    author: options.Author = "",
    revision: options.Revision = "",
    units: options.Units = None,
    real_time: InRealTime = False,
    frame: Frame = None,
    substeps: Substeps = None,
    check: options.Check = False,
    as_json: options.Json = False,
) -> None:
    """Simulate a scenario and print its result."""
    from softdock.presentation.unit_systems import find_unit_system
    from softdock.scenario.loading import load
    from softdock.simulation import simulate

    chosen = load(scenario, overrides or ())
    if check:
        console.refuse_check_without(chosen.requirements, "scenario")
    outputs = Outputs(
        out=out, plot=plot, report=report, convergence=convergence, author=author, revision=revision, paper=paper,
        system=find_unit_system(units or chosen.units), as_json=as_json,
    )  # fmt: skip
    _check_files(outputs)
    settings = _real_time_settings(real_time, frame, substeps)
    if converged:
        _check_converged(chosen, real_time)
    with console.output_folders(*outputs.folders):
        result = console.run_interruptible(lambda: simulate(chosen, real_time=settings, converged=converged))
        _write_and_print(result, outputs)
    if not result.completed:
        raise RunError(result.message)
    if check:
        console.exit_by_verdicts(result.requirements)


def _check_converged(scenario: "ScenarioBase", real_time: bool) -> None:
    """Reject `--converged` before the run where a refined run has no meaning."""
    from softdock.simulation.convergence import check_refinable

    if real_time:
        message = "Cannot be combined with --real-time: such a run is not repeated with finer settings."
        raise InputError(message, field="--converged")
    check_refinable(scenario, "--converged")


def _write_and_print(result: "Result", outputs: Outputs) -> None:
    """Write the files of a run, and print its result even where one cannot be written."""
    written: list[Path] = []
    try:
        if outputs.out is not None:
            result.save(outputs.out)
            written.append(outputs.out)
        if outputs.plot is not None:
            result.plot(outputs.plot, system=outputs.system)
            written.append(outputs.plot)
        if outputs.report is not None:
            _write_report(result, outputs.report, outputs)
            written.append(outputs.report)
    finally:  # what was computed is not lost with a full disk
        if outputs.as_json:
            console.print_json(result.to_json())
        else:
            console.print_result(result, written, outputs.system)


def _check_files(outputs: Outputs) -> None:
    """Reject before the run what could not be written after it."""
    if outputs.plot is not None:
        from softdock.report.picture import format_of

        format_of(outputs.plot, "--plot")
    if outputs.report is not None:
        from softdock.report.writing import check_report_name, find_paper

        check_report_name(outputs.report)
        find_paper(outputs.paper)
    elif outputs.convergence:
        raise InputError("Requires --report.", field="--convergence")


def _write_report(result: "Result", path: Path, outputs: Outputs) -> None:
    """Write the report of a run."""
    from softdock.report.run import ReportOptions, write_run_report
    from softdock.report.writing import find_paper
    from softdock.simulation.convergence import check_convergence

    refinements = None
    if outputs.convergence:
        with console.progress_bar("Convergence") as progress:
            refinements = check_convergence(result, progress)
    report = ReportOptions(
        author=outputs.author,
        revision=outputs.revision,
        system=outputs.system,
        paper=find_paper(outputs.paper),
        refinements=refinements,
    )
    write_run_report(result, path, report)


def _real_time_settings(real_time: bool, frame: str | None, substeps: int | None) -> "RealTime | None":
    """Return the settings of a run in real time from its options; None for a run as fast as possible."""
    from softdock.simulation.real_time import FRAME, RealTime

    if not real_time:
        if frame is not None:
            raise InputError("Requires --real-time.", field="--frame", given=frame)
        if substeps is not None:
            raise InputError("Requires --real-time.", field="--substeps", given=str(substeps))
        return None
    duration = FRAME if frame is None else options.parse_option("--frame", frame, "s")
    try:
        return RealTime(frame=duration, substeps=substeps)
    except ValueError as error:
        raise InputError(f"The value {error}.", field="--frame", given=frame or "") from None
