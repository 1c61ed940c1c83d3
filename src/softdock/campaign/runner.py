"""Execution of campaigns: distribute runs to workers, store rows, apply the stop rule, handle Ctrl-C, repeat runs."""

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import NoReturn

from softdock import __version__
from softdock.campaign import store as campaign_store
from softdock.campaign.adaptive import AdaptiveCampaign
from softdock.campaign.execution import Chunk, HistoryPolicy, Row, Task, run_chunk, run_one
from softdock.campaign.loading import read_origin, remember_origin
from softdock.campaign.manifest import differences, manifest_of
from softdock.campaign.plan import Inputs, Plan
from softdock.campaign.statistics import wilson
from softdock.campaign.store import Store
from softdock.campaign.stored_entries import check_manifest
from softdock.campaign.workers import Backend, check_workers, default_backend, default_workers, open_executor
from softdock.errors import InputError, RunError
from softdock.files.in_place import make_folder_within
from softdock.result import Result
from softdock.scenario.kinds import KINDS

SAMPLE_BATCH = 1024  # runs whose inputs are sampled at a time
LARGEST_CHUNK = 256
CHUNK_SECONDS = 0.2  # s of work in one chunk, which is lost if the process is killed


@dataclass
class CampaignProgress:
    """Progress of a campaign."""

    total: int
    done: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    new: int = 0
    """Runs finished in this session."""
    first_done: float = 0.0
    """Monotonic time at which the first of them was finished [s]."""
    finished: bool = False
    interrupted: bool = False
    stopped_at: int | None = None
    """Number of runs after which the stop rule was satisfied or the method ended."""

    @property
    def rate(self) -> float:
        """Runs per second since the first finished run of this session; 0 until the second."""
        return max(self.new - 1, 0) / max(time.monotonic() - self.first_done, 1e-9)

    def count(self, outcome: str, new: bool = True) -> None:
        """Count a finished run."""
        self.done += 1
        self.new += new
        if new and self.new == 1:
            self.first_done = time.monotonic()
        self.outcomes[outcome] += 1


ProgressCallback = Callable[[CampaignProgress], None]


@dataclass(frozen=True)
class ExecutionOptions:
    """Where and with how many workers a campaign runs; has no influence on the table."""

    backend: Backend | None = None
    workers: int | None = None
    cluster: str = ""


def run(
    plan: Plan,
    folder: Path,
    options: ExecutionOptions | None = None,
    on_progress: ProgressCallback = lambda progress: None,
) -> CampaignProgress:
    """Run a new campaign, store it in a folder and return its final progress."""
    adaptive = _adaptive(plan)
    manifest = manifest_of(plan)
    remember_origin(manifest)  # before the table exists, so that a killed campaign can be resumed
    with Store.create(folder, manifest) as store:
        return _execute(plan, adaptive, store, options or ExecutionOptions(), on_progress)


def resume(
    folder: Path,
    options: ExecutionOptions | None = None,
    on_progress: ProgressCallback = lambda progress: None,
    campaign: Path | None = None,
) -> CampaignProgress:
    """Complete a campaign; raises InputError where its files or the program have changed.

    `campaign` is the campaign file, where it is not the one that the folder names.
    """
    plan = plan_of(folder, campaign)
    adaptive = _adaptive(plan)
    with Store.resume(folder) as store:
        return _execute(plan, adaptive, store, options or ExecutionOptions(), on_progress)


def rerun(folder: Path, number: int, campaign: Path | None = None) -> tuple[Result | None, Row, bool | None]:
    """Repeat one run of a campaign and store its history; return result, row and whether the row is reproduced.

    The last value is None where the table does not contain the run yet.
    """
    plan = plan_of(folder, campaign)
    with campaign_store.open_readonly(folder) as database:
        before = database.execute("SELECT * FROM runs WHERE run = ?", (number,)).fetchone()
    inputs = json.loads(Row(*before).inputs) if before and plan.campaign.method != "monte-carlo" else None
    row, result = repeat_run(plan, number, inputs)
    if result is not None:
        stored = history_folder(folder, number)
        make_folder_within(folder, stored)
        result.save(stored)
    same = None if before is None else Row(*before)._replace(wall_s=0.0) == row._replace(wall_s=0.0)
    return result, row, same


def repeat_run(plan: Plan, number: int, inputs: Inputs | None = None) -> tuple[Row, Result | None]:
    """Repeat one run of a campaign; return the same row as in the campaign and a result with the full history.

    `inputs` are needed where they depend on other runs: with the methods `subset` and `boundary`.
    """
    if not 0 <= number < plan.runs:
        message = f"The runs of this campaign are numbered 0 to {plan.runs - 1}."
        raise InputError(message, field="--rerun", given=str(number))
    if inputs is None and plan.campaign.method != "monte-carlo":
        message = f"With 'method: {plan.campaign.method}' a run depends on runs before it, and this one is not done."
        hint = "Run the campaign first, then: softdock campaign resume DIR --rerun I."
        raise InputError(message, field="--rerun", given=str(number), hint=hint)
    if inputs is None:
        (inputs,) = plan.inputs(number, number + 1)
    policy = HistoryPolicy(plan.campaign.histories, plan.campaign.success)
    # Same recording as in the campaign, because recording changes the number of evaluations.
    row, result = run_one(plan.template, policy, number, inputs)
    if result is None:
        _, result = run_one(plan.template, HistoryPolicy("all", ()), number, inputs)
    return row, result


def plan_of(folder: Path, campaign: Path | None = None) -> Plan:
    """Return the plan of a stored campaign; raises InputError where its files or the program have changed."""
    with campaign_store.open_readonly(folder) as database:
        before = check_manifest(campaign_store.read_entry(database, "manifest"))
    plan = read_origin(before, folder, campaign)
    changes = differences(before, manifest_of(plan))
    if changes:
        hint = "Restore what has changed, or start a new campaign in another folder."
        message = "The campaign has changed since it was started (stored -> now): " + "; ".join(changes) + "."
        raise InputError(message, file=str(folder), hint=hint)
    return plan


def history_folder(folder: Path, number: int) -> Path:
    """Return the folder for the result of a run."""
    return folder / campaign_store.HISTORIES / f"{number:08d}"


def _adaptive(plan: Plan) -> AdaptiveCampaign | None:
    return None if plan.campaign.method == "monte-carlo" else AdaptiveCampaign(plan)


def _execute(
    plan: Plan,
    adaptive: AdaptiveCampaign | None,
    store: Store,
    options: ExecutionOptions,
    on_progress: ProgressCallback,
) -> CampaignProgress:
    """Execute the runs that the store does not have yet and return the final progress."""
    progress, rule = CampaignProgress(plan.runs), _StopCondition(plan)
    store.add_units(plan.units())
    missing = bytearray(b"\1" * plan.runs)
    for number, outcome, status in store.finished_runs():
        missing[number] = 0
        progress.count(outcome, new=False)
        rule.add(number, outcome, status)
    progress.stopped_at = rule.met_at if adaptive is None else store.stopped_at()
    on_progress(progress)
    if progress.stopped_at is None and (adaptive is not None or any(missing)):
        kind = KINDS[str(plan.template.data["kind"])]
        kind.import_runner()  # imports its modules once, before workers start
        chosen = options.backend or default_backend(kind, sum(missing))
        backend = Backend.CLUSTER if options.cluster else chosen
        check_workers(options.workers)
        with open_executor(backend, options.workers or default_workers(), options.cluster) as (pool, workers):
            session = _Session(plan, store, progress, rule, on_progress, pool, workers)
            if adaptive is None:
                session.run(_tasks(plan, missing), sum(missing))
            elif adaptive.execute(store, session.run_all):
                progress.stopped_at = store.stopped_at()
    store.check_table()
    if rule.met_at is not None:
        store.stop_at(rule.met_at)
        progress.stopped_at = rule.met_at
    progress.outcomes = Counter(outcome for _, outcome, _ in store.finished_runs())
    progress.done = progress.outcomes.total()
    progress.finished = progress.done == (progress.stopped_at or plan.runs)
    on_progress(progress)
    return progress


class _Session:
    """Main loop of one session: submit chunks of runs and store their rows."""

    def __init__(
        self,
        plan: Plan,
        store: Store,
        progress: CampaignProgress,
        rule: "_StopCondition",
        on_progress: ProgressCallback,
        pool: Executor,
        workers: int,
    ) -> None:
        self.plan, self.store, self.progress = plan, store, progress
        self.rule, self.on_progress = rule, on_progress
        self.pool, self.workers = pool, workers
        self.policy = HistoryPolicy(plan.campaign.histories, plan.campaign.success)
        self.chunk = 1

    def run_all(self, tasks: list[Task]) -> bool:
        """Run a batch; return whether all of it is done."""
        self.run(iter(tasks), len(tasks))
        return not self.progress.interrupted

    def run(self, tasks: Iterator[Task], count: int) -> None:
        """Run until all tasks are done, the stop rule is satisfied or Ctrl-C; submitted runs are completed."""
        pending: set[Future[Chunk]] = set()
        end = self.progress.done + count
        try:
            more = True
            while more or pending:
                while more and len(pending) < 2 * self.workers and self.rule.met_at is None:
                    # smaller chunks towards the end, so that all workers finish at about the same time
                    share = max(1, (end - self.progress.done) // (4 * self.workers))
                    work = list(islice(tasks, min(self.chunk, share)))
                    more = bool(work)
                    if work:
                        pending.add(self._submit(work, pending))
                if self.rule.met_at is not None:
                    more = False
                pending = self._collect(pending)
        except KeyboardInterrupt:
            self.progress.interrupted = True
            self.on_progress(self.progress)
            while pending := {future for future in pending if not future.cancel()}:
                pending = self._collect(pending)

    def _collect(self, pending: set[Future[Chunk]]) -> set[Future[Chunk]]:
        """Wait for the next chunk, store its rows and return the futures that are still pending."""
        done, waiting = wait(pending, return_when=FIRST_COMPLETED)
        rows: list[Row] = []
        errors = {future: error for future in done if (error := future.exception()) is not None}
        for future in done.difference(errors):
            chunk = future.result()
            self.store.add_units(chunk.units)
            for row, result in chunk.done:
                self._save_history(row, result, rows)
                rows.append(row)
        self.store.add(rows)
        for row in rows:
            self.progress.count(row.outcome)
            self.rule.add(row.run, row.outcome, row.status)
        for error in errors.values():
            self._raise_worker_error(error)
        if rows:
            seconds = sum(row.wall_s for row in rows) / len(rows)
            self.chunk = min(LARGEST_CHUNK, max(1, int(CHUNK_SECONDS / max(seconds, 1e-6))))
        self.on_progress(self.progress)
        return waiting

    def _save_history(self, row: Row, result: Result | None, rows: list[Row]) -> None:
        """Store the history of a run; where it cannot be written, store the rows before it and raise RunError."""
        if result is None:
            return
        folder = history_folder(self.store.folder, row.run)
        try:
            make_folder_within(self.store.folder, folder)
            result.save(folder)
        except InputError as error:
            with suppress(OSError):  # of an earlier history, which stays
                folder.rmdir()
            self.store.add(rows)
            raise RunError(f"{error.problems[0]} {self.store.kept_text()}") from error

    def _submit(self, work: list[Task], pending: set[Future[Chunk]]) -> Future[Chunk]:
        """Give a chunk of runs to the workers; if one of them has ended, store what is complete and raise RunError."""
        try:
            return self.pool.submit(run_chunk, __version__, self.plan.template, self.policy, work)
        except BrokenExecutor as error:
            self._collect(pending)
            self._raise_worker_error(error)

    def _raise_worker_error(self, error: BaseException) -> NoReturn:
        """Raise errors of input and runs, and interrupts, as they are; RunError where the worker itself has ended."""
        if isinstance(error, (InputError, RunError)) or not isinstance(error, Exception):
            raise error
        reason = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise RunError(
            f"A worker has ended unexpectedly ({' '.join(reason.split())[:200]}). "
            f"{self.progress.done} runs are kept; "
            f"continue with: softdock campaign resume {self.store.folder}"
        ) from error


class _StopCondition:
    """Stop rule, evaluated in the order of run numbers, so that the result does not depend on timing."""

    def __init__(self, plan: Plan) -> None:
        self.rule, self.success = plan.campaign.stop, frozenset(plan.campaign.success)
        self.met_at: int | None = None
        self._out_of_order: dict[int, bool] = {}
        self._runs = self._successes = 0

    def add(self, number: int, outcome: str, status: str) -> None:
        """Add a finished run; sets `met_at` to the number of runs after which the rule is satisfied."""
        if self.rule is None or self.met_at is not None:
            return
        self._out_of_order[number] = outcome in self.success and status == "done"
        while self.met_at is None and self._runs in self._out_of_order:
            self._successes += self._out_of_order.pop(self._runs)
            self._runs += 1
            if self._runs >= self.rule.minimum and self._runs % self.rule.every == 0:
                low, high = wilson(self._successes, self._runs, self.rule.confidence)
                if (high - low) / 2.0 <= self.rule.half_width:
                    self.met_at = self._runs


def _tasks(plan: Plan, missing: bytearray) -> Iterator[Task]:
    """Yield number and inputs of the runs that are marked in `missing`."""
    for start in range(0, plan.runs, SAMPLE_BATCH):
        stop = min(start + SAMPLE_BATCH, plan.runs)
        if any(missing[start:stop]):
            for number, inputs in enumerate(plan.inputs(start, stop), start):
                if missing[number]:
                    yield number, inputs
