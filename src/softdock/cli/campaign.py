"""`softdock campaign`: run a scenario many times with dispersed fields."""

import shlex
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from softdock.cli import console, options
from softdock.errors import InputError, RunError

if TYPE_CHECKING:
    from softdock.campaign.runner import CampaignProgress, ExecutionOptions
    from softdock.result import Result
    from softdock.result.requirements import CampaignVerdict

PLACES = ("threads", "processes")
PROGRESS_PERIOD = 10.0  # s between lines of progress where stderr is not a terminal

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="Folder of the campaign.")]
Workers = Annotated[int | None, typer.Option(metavar="N", help="Parallel runs (default: one per core).")]
Where = Annotated[
    str | None,
    typer.Option(
        "--in", metavar="threads|processes", help="Kind of workers (default: chosen by the scenario)."
    ),
]
Cluster = Annotated[
    str | None, typer.Option(metavar="ADDRESS", help="Scheduler of a Dask cluster, like tcp://host:8786.")
]
Rerun = Annotated[int | None, typer.Option(metavar="I", help="Repeat only run I, with its full history.")]
CampaignFile = Annotated[
    Path | None,
    typer.Option(
        "--campaign", metavar="FILE", help="Campaign file, where it is not the one that the folder names."
    ),
]

campaign = typer.Typer(help="Run a scenario many times with dispersed fields.", no_args_is_help=True)


@campaign.command("list")
def list_campaigns(as_json: options.Json = False) -> None:
    """List the bundled campaigns and presets."""
    from softdock.campaign.loading import bundled_campaigns, presets

    known = {"campaigns": bundled_campaigns(), "presets": presets()}
    if as_json:
        console.print_json(known)
        return
    from softdock.presentation.tables import Table

    for group, entries in known.items():
        rows = [(f"  {name}", title) for name, title in entries.items()]
        console.print_text(f"{group}:")
        console.print_text(Table(header=("", ""), rows=rows, left=(0, 1)).to_text())


@campaign.command()
def run(
    name: Annotated[str, typer.Argument(metavar="NAME|FILE", help="Bundled campaign or campaign file.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder of the campaign; created if missing.")],
    runs: Annotated[
        int | None, typer.Option(metavar="N", help="Number of runs (default: as in the file).")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(metavar="S", help="Seed of the samples (default: as in the file).")
    ] = None,
    workers: Workers = None,
    place: Where = None,
    cluster: Cluster = None,
    rerun: Rerun = None,
    check: options.Check = False,
    as_json: options.Json = False,
) -> None:
    """Run a campaign into a new folder."""
    from softdock.campaign import runner
    from softdock.campaign.loading import read_campaign
    from softdock.campaign.workers import check_workers

    means = _execution_means(place, workers, cluster)
    check_workers(workers)
    plan = read_campaign(name, runs=runs, seed=seed)
    if check:
        console.refuse_check_without(plan.template.data["requirements"], "campaign")
    if rerun is not None:
        row, result = runner.repeat_run(plan, rerun)
        if result is not None:
            result.save(out)
        _show_run(row._asdict(), result, out, None, as_json, check)
        return
    _run_with_progress(lambda watch: runner.run(plan, out, means, watch), out, as_json, check)


@campaign.command()
def resume(
    folder: Folder,
    workers: Workers = None,
    place: Where = None,
    cluster: Cluster = None,
    rerun: Rerun = None,
    campaign_file: CampaignFile = None,
    check: options.Check = False,
    as_json: options.Json = False,
) -> None:
    """Complete a campaign that was interrupted, or repeat one of its runs."""
    from softdock.campaign import runner
    from softdock.campaign.workers import check_workers

    means = _execution_means(place, workers, cluster)
    check_workers(workers)
    if check:
        _refuse_check_of(folder)
    if rerun is not None:
        result, row, same = runner.rerun(folder, rerun, campaign_file)
        _show_run(row._asdict(), result, runner.history_folder(folder, rerun), same, as_json, check)
        return
    _run_with_progress(
        lambda watch: runner.resume(folder, means, watch, campaign_file), folder, as_json, check
    )


@campaign.command()
def status(folder: Folder, check: options.Check = False, as_json: options.Json = False) -> None:
    """Print the progress of a campaign, which may be running."""
    if check:
        _refuse_check_of(folder)
    verdicts = _show_status(folder, as_json)
    if check:
        console.exit_by_verdicts(verdicts)


@campaign.command()
def report(
    folder: Folder,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "--report",
            metavar="FILE",
            help="Output file, .html or .pdf through an installed browser (default: DIR/report.html).",
        ),
    ] = None,
    paper: options.Paper = None,
    author: options.Author = "",
    revision: options.Revision = "",
    units: options.Units = None,
    campaign_file: CampaignFile = None,
    check: options.Check = False,
    as_json: options.Json = False,
) -> None:
    """Write a report with statistics and figures in one file, as HTML or PDF."""
    from softdock.presentation.discrepancies import discrepancy_texts
    from softdock.presentation.unit_systems import find_unit_system
    from softdock.report.campaign import CampaignReportOptions, write_report
    from softdock.report.writing import check_report_name, find_paper

    if check:
        _refuse_check_of(folder)
    path = out or folder / "report.html"
    check_report_name(path, "--out")
    chosen = CampaignReportOptions(
        author=author,
        revision=revision,
        units=find_unit_system(units).name if units is not None else None,
        paper=find_paper(paper),
    )
    with console.progress_bar("Report") as progress:
        path, summary = write_report(folder, path, progress, chosen, campaign_file)
    verdicts, text = _requirements(folder, chosen.units)
    if as_json:
        console.print_json({"report": str(path), **summary})
    else:
        for sentence in [*discrepancy_texts(summary["discrepancies"]), *summary["sentences"]]:
            console.print_text(sentence)
        if text:
            console.print_text(text)
        console.print_text(f"Written to {path}")
    if check:
        console.exit_by_verdicts(verdicts)


@campaign.command()
def export(folder: Folder, as_json: options.Json = False) -> None:
    """Write all runs to DIR/runs.parquet, column `run` first."""
    from softdock.campaign.export import export as write
    from softdock.campaign.status import status_of

    path, discrepancies = write(folder), status_of(folder)["discrepancies"]
    if as_json:
        console.print_json({"file": str(path), "discrepancies": discrepancies})
    else:
        console.print_discrepancies(discrepancies)
        console.print_text(f"Written to {path}")


def _execution_means(place: str | None, workers: int | None, cluster: str | None) -> "ExecutionOptions":
    from softdock.campaign.runner import ExecutionOptions
    from softdock.campaign.workers import Backend

    if place is not None and place not in PLACES:
        raise InputError(f"Must be {' or '.join(PLACES)}.", field="--in", given=place)
    if place is not None and cluster is not None:
        raise InputError("Cannot be combined with --in.", field="--cluster")
    return ExecutionOptions(Backend(place) if place else None, workers, cluster or "")


def _refuse_check_of(folder: Path) -> None:
    """Raise InputError where a stored campaign has no requirements."""
    from softdock.campaign.compliance import read_requirement_data

    definition = read_requirement_data(folder).definition
    console.refuse_check_without(definition.get("requirements") or {}, "campaign")


def _requirements(folder: Path, units: str | None = None) -> "tuple[list[CampaignVerdict], str]":
    """Return the verdicts on the requirements of a campaign, and their table and notes as text."""
    from softdock.campaign.compliance import assess_campaign, read_requirement_data
    from softdock.presentation.requirements import campaign_notes, campaign_requirement_table
    from softdock.presentation.unit_systems import unit_system_of

    data = read_requirement_data(folder)
    verdicts = assess_campaign(data)
    if not verdicts:
        return [], ""
    campaign = data.manifest["campaign"]
    system = unit_system_of(campaign if campaign.get("units") else data.definition, units)
    table = campaign_requirement_table(verdicts, data.definition, data.units, system)
    return verdicts, "\n".join([table.to_text(), *campaign_notes(verdicts, data.manifest)])


def _run_with_progress(
    work: "Callable[[Callable[[CampaignProgress], None]], CampaignProgress]",
    folder: Path,
    as_json: bool,
    check: bool,
) -> None:
    """Run a campaign with progress, print its status and, after an interrupt, the command that continues it."""
    from softdock.campaign.store import TABLE_FILE

    try:
        with _progress() as show:
            tally = work(_with_interrupt_message(show))
    except KeyboardInterrupt:  # second interrupt, or before the first run
        if not (folder / TABLE_FILE).exists():
            raise
        raise _report_interrupt(folder) from None
    stopped = tally.interrupted and not tally.finished
    verdicts = _show_status(folder, as_json, with_hint=not stopped)
    if stopped:
        raise _report_interrupt(folder)
    if check:
        console.exit_by_verdicts(verdicts)


def _report_interrupt(folder: Path) -> console.ReportedExit:
    console.print_message(
        f"Interrupted; all completed runs are saved. Continue with: {_resume_command(folder)}"
    )
    return console.ReportedExit(console.EXIT_INTERRUPTED)


def _resume_command(folder: Path) -> str:
    return f"softdock campaign resume {shlex.quote(str(folder))}"


def _with_interrupt_message(
    show: "Callable[[CampaignProgress], None]",
) -> "Callable[[CampaignProgress], None]":
    """Print once after Ctrl-C that active runs are completed first."""
    printed = False

    def watch(tally: "CampaignProgress") -> None:
        nonlocal printed
        if tally.interrupted and not printed:
            printed = True
            console.print_message("Completing active runs; press Ctrl-C again to abort them ...")
        show(tally)

    return watch


@contextmanager
def _progress() -> "Iterator[Callable[[CampaignProgress], None]]":
    """Show progress: a progress bar on a terminal, elsewhere a line every `PROGRESS_PERIOD`."""
    if not sys.stderr.isatty():
        yield _print_periodically()
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    columns = (BarColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting")
        yield lambda tally: bar.update(
            task, total=tally.total, completed=tally.done, description=describe(tally)
        )


def _print_periodically() -> "Callable[[CampaignProgress], None]":
    last = time.monotonic()

    def watch(tally: "CampaignProgress") -> None:
        nonlocal last
        if time.monotonic() - last >= PROGRESS_PERIOD:
            last = time.monotonic()
            console.print_message(describe(tally))

    return watch


def describe(tally: "CampaignProgress") -> str:
    """Return progress in one line: runs, rate, remaining time, most frequent outcomes."""
    from softdock.presentation.campaign import outcome_counts, progress_text

    counts = outcome_counts(dict(tally.outcomes.most_common(4)))
    return ", ".join([progress_text(tally.done, tally.total, tally.rate), *counts])


def _show_status(folder: Path, as_json: bool, with_hint: bool = True) -> "list[CampaignVerdict]":
    """Print the status of a campaign and return the verdicts on its requirements."""
    from softdock.campaign.status import status_of
    from softdock.result import plain_data

    status, (verdicts, text) = status_of(folder), _requirements(folder)
    if as_json:
        verdict_data = plain_data([asdict(verdict) for verdict in verdicts])
        console.print_json({"folder": str(folder), **status, "requirements": verdict_data})
        return verdicts
    _print_status(status)
    if text:
        console.print_text(text)
    elif not status["success"] and status["method"] == "monte-carlo":
        console.print_text(
            "The campaign states neither `success` nor `requirements`: it has no probability of success."
        )
    if with_hint and not status["complete"]:
        console.print_text(f"Continue with: {_resume_command(folder)}")
    return verdicts


def _print_status(status: dict[str, Any]) -> None:
    from softdock.presentation.campaign import stop_rule_text, success_text
    from softdock.presentation.discrepancies import discrepancy_texts
    from softdock.presentation.labels import label
    from softdock.presentation.phases import phase_share_table
    from softdock.presentation.rare_events import search_sentences, search_table
    from softdock.presentation.tables import Table

    for text in discrepancy_texts(status["discrepancies"]):
        console.print_text(text)
    adaptive = status["method"] != "monte-carlo"
    ended = " (stopped by the stop rule)" if status["stopped_at"] and not adaptive else ""
    most = "at most " if adaptive and not status["complete"] else ""
    console.print_text(
        f"{status['campaign']}: {status['done']} of {most}{status['runs']} runs of {status['scenario']}{ended}"
    )
    rows = [(f"  {label(outcome)}", str(count)) for outcome, count in status["outcomes"].items()]
    if rows:
        console.print_text(Table(header=("", ""), rows=rows).to_text())
    success = status["success"]
    if success and success["share"] is not None and not adaptive:
        console.print_text(success_text(success["share"], success["low"], success["high"]))
    if status["phases"]:
        console.print_text(phase_share_table(status["phases"]).to_text())
    search = status["subset"] or status["boundary"]
    table = search_table(status["method"], search)
    if table is not None:
        console.print_text(table.to_text())
    for sentence in search_sentences(status["method"], search):
        console.print_text(sentence)
    rule = status["stop_rule"]
    if rule and status["complete"] and not rule["reached"]:
        console.print_text(stop_rule_text(rule, status["done"]))


def _show_run(
    row: dict[str, Any], result: "Result | None", folder: Path, same: bool | None, as_json: bool, check: bool
) -> None:
    if result is None:
        raise RunError(f"Run {row['run']}, status {row['status']}: {row['message']}")
    if as_json:
        console.print_json({"run": row["run"], "same_row": same, "folder": str(folder), **result.to_json()})
    else:
        console.print_result(result, [folder])
    if same is not None and not as_json:
        console.print_text(f"The run {'reproduces' if same else 'differs from'} its row of the table.")
    if check:
        console.exit_by_verdicts(result.requirements)
