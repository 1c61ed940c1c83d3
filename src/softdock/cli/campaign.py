"""`softdock campaign`: many runs with dispersed fields."""

import shlex
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from softdock.cli import console
from softdock.errors import InputError, Problem, RunError

if TYPE_CHECKING:
    from softdock.campaign.runner import CampaignProgress, ExecutionOptions
    from softdock.result import Result

PLACES = ("threads", "processes")
SAID_EVERY = 10.0  # s between lines of progress where there is no terminal

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="Folder of the campaign.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON only.")]
Workers = Annotated[int | None, typer.Option(metavar="N", help="Runs at a time; one per core by default.")]
Where = Annotated[
    str | None,
    typer.Option(
        "--in", metavar="threads|processes", help="Where runs are done; chosen by itself if left out."
    ),
]
Cluster = Annotated[
    str | None, typer.Option(metavar="ADDRESS", help="Scheduler of a Dask cluster, like tcp://host:8786.")
]
Rerun = Annotated[
    int | None, typer.Option(metavar="I", help="Repeat run I alone, with its full history, and stop.")
]

campaign = typer.Typer(help="Run a scenario many times with dispersed fields.", no_args_is_help=True)


@campaign.command("list")
def list_campaigns(as_json: Json = False) -> None:
    """List the campaigns and presets that come with Softdock."""
    from softdock.campaign.loading import bundled_campaigns, presets

    known = {"campaigns": bundled_campaigns(), "presets": presets()}
    if as_json:
        console.print_json(known)
        return
    for what, entries in known.items():
        print(f"{what}:")
        for name, title in entries.items():
            print(f"  {name:16} {title}")


@campaign.command()
def run(
    name: Annotated[str, typer.Argument(metavar="NAME|FILE", help="Bundled campaign or campaign file.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the table; made if missing.")],
    runs: Annotated[int | None, typer.Option(metavar="N", help="Instead of the number in the file.")] = None,
    seed: Annotated[int | None, typer.Option(metavar="S", help="Instead of the seed in the file.")] = None,
    workers: Workers = None,
    place: Where = None,
    cluster: Cluster = None,
    rerun: Rerun = None,
    as_json: Json = False,
) -> None:
    """Run a campaign into a new folder."""
    from softdock.campaign import runner
    from softdock.campaign.loading import load
    from softdock.campaign.workers import check_workers

    means = _means(place, workers, cluster)
    check_workers(workers)
    plan = load(name, runs=runs, seed=seed)
    if rerun is not None:
        row, result = runner.repeat_run(plan, rerun)
        if result is not None:
            result.save(out)
        _show_run(row._asdict(), result, out, None, as_json)
        return
    _drive(lambda watch: runner.run(plan, out, means, watch), out, as_json)


@campaign.command()
def resume(
    folder: Folder,
    workers: Workers = None,
    place: Where = None,
    cluster: Cluster = None,
    rerun: Rerun = None,
    as_json: Json = False,
) -> None:
    """Complete a campaign that was interrupted, or repeat one of its runs."""
    from softdock.campaign import runner
    from softdock.campaign.workers import check_workers

    means = _means(place, workers, cluster)
    check_workers(workers)
    if rerun is not None:
        result, row, same = runner.rerun(folder, rerun)
        _show_run(row._asdict(), result, runner.history_folder(folder, rerun), same, as_json)
        return
    _drive(lambda watch: runner.resume(folder, means, watch), folder, as_json)


@campaign.command()
def status(folder: Folder, as_json: Json = False) -> None:
    """Say how far a campaign is; it may be running."""
    from softdock.campaign.table import status_of

    _show_status(status_of(folder), folder, as_json)


@campaign.command()
def report(
    folder: Folder,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Instead of DIR/report.html.")] = None,
    as_json: Json = False,
) -> None:
    """Write one self-contained HTML file with statistics and figures."""
    from softdock.report.campaign import write_report

    with console.progress_bar("Report") as progress:
        path, summary = write_report(folder, out or folder / "report.html", progress)
    if as_json:
        console.print_json({"report": str(path), **summary})
        return
    for sentence in summary["sentences"]:
        print(sentence)
    print(f"Written to {path}")


@campaign.command()
def export(folder: Folder, as_json: Json = False) -> None:
    """Write all runs into DIR/runs.parquet, column `run` first."""
    from softdock.campaign.table import export as write

    path = write(folder)
    if as_json:
        console.print_json({"file": str(path)})
    else:
        print(f"Written to {path}")


def _means(place: str | None, workers: int | None, cluster: str | None) -> "ExecutionOptions":
    from softdock.campaign.runner import ExecutionOptions
    from softdock.campaign.workers import Backend

    if place is not None and place not in PLACES:
        raise InputError(Problem(message=f"Must be {' or '.join(PLACES)}.", field="--in", given=place))
    if place is not None and cluster is not None:
        raise InputError(Problem(message="Runs are done either here or on the cluster.", field="--cluster"))
    return ExecutionOptions(Backend(place) if place else None, workers, cluster or "")


def _drive(
    work: "Callable[[Callable[[CampaignProgress], None]], CampaignProgress]", folder: Path, as_json: bool
) -> None:
    """Run a campaign with progress; say at the end how it went and, if it was interrupted, how to go on."""
    from softdock.campaign.store import TABLE_FILE
    from softdock.campaign.table import status_of

    try:
        with _progress() as show:
            tally = work(_with_farewell(show))
    except KeyboardInterrupt:  # a second time, or before the first run
        if not (folder / TABLE_FILE).exists():
            raise
        raise _interrupted(folder) from None
    stopped = tally.interrupted and not tally.finished
    _show_status(status_of(folder), folder, as_json, with_hint=not stopped)
    if stopped:
        raise _interrupted(folder)


def _interrupted(folder: Path) -> console.Told:
    console.say(f"Interrupted; every finished run is kept. Continue with: {_resume_command(folder)}")
    return console.Told(console.EXIT_INTERRUPTED)


def _resume_command(folder: Path) -> str:
    return f"softdock campaign resume {shlex.quote(str(folder))}"


def _with_farewell(show: "Callable[[CampaignProgress], None]") -> "Callable[[CampaignProgress], None]":
    """Say after Ctrl-C, once, why it does not end at once."""
    said = False

    def watch(tally: "CampaignProgress") -> None:
        nonlocal said
        if tally.interrupted and not said:
            said = True
            console.say("Finishing the runs under way; Ctrl-C again leaves them ...")
        show(tally)

    return watch


@contextmanager
def _progress() -> "Iterator[Callable[[CampaignProgress], None]]":
    """Show rate, time left and outcomes: a live line on a terminal, a plain one now and then elsewhere."""
    if not sys.stderr.isatty():
        yield _spoken()
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    columns = (BarColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting")
        yield lambda tally: bar.update(
            task, total=tally.total, completed=tally.done, description=describe(tally)
        )


def _spoken() -> "Callable[[CampaignProgress], None]":
    last = time.monotonic()

    def watch(tally: "CampaignProgress") -> None:
        nonlocal last
        if time.monotonic() - last >= SAID_EVERY:
            last = time.monotonic()
            console.say(describe(tally))

    return watch


def describe(tally: "CampaignProgress") -> str:
    """Return progress in one line: runs, rate, time left, outcomes."""
    parts = [f"{tally.done} of {tally.total} runs"]
    rate = tally.rate
    if rate:
        left = (tally.total - tally.done) / rate
        parts.append(f"{rate:.3g}/s")
        parts.append(f"{_duration(left)} left")
    parts += [f"{outcome} {count}" for outcome, count in tally.outcomes.most_common(4)]
    return ", ".join(parts)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _show_status(status: dict[str, Any], folder: Path, as_json: bool, with_hint: bool = True) -> None:
    if as_json:
        console.print_json({"folder": str(folder), **status})
        return
    ended = " (the stop rule was met)" if status["stopped_at"] else ""
    print(f"{status['campaign']}: {status['done']} of {status['runs']} runs of {status['scenario']}{ended}")
    for outcome, count in status["outcomes"].items():
        print(f"  {outcome:20} {count}")
    success = status["success"]
    if success and success["share"] is not None:
        low, high = success["low"], success["high"]
        print(f"Success {success['share']:.1%}, with 95 % confidence between {low:.1%} and {high:.1%}.")
    if with_hint and not status["complete"]:
        print(f"Continue with: {_resume_command(folder)}")


def _show_run(
    row: dict[str, Any], result: "Result | None", folder: Path, same: bool | None, as_json: bool
) -> None:
    if result is None:
        raise RunError(f"Run {row['run']} is {row['status']}: {row['message']}")
    if as_json:
        console.print_json({"run": row["run"], "same_row": same, "folder": str(folder), **result.to_json()})
        return
    print(result.summary())
    print(f"Written to {folder}")
    if same is not None:
        print("The row is the same again." if same else "The row differs from the one in the table.")
