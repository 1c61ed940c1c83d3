"""Run a campaign: hand out runs, write rows as they come, stop where the rule says, end cleanly on Ctrl-C."""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass, field
from importlib import import_module
from itertools import islice
from pathlib import Path

from softdock import __version__
from softdock.campaign import store as folders
from softdock.campaign.execution import Chunk, Keeping, Row, Task, run_chunk, run_one
from softdock.campaign.loading import load
from softdock.campaign.manifest import differences, manifest_of
from softdock.campaign.plan import Plan
from softdock.campaign.statistics import wilson
from softdock.campaign.store import Store
from softdock.campaign.workers import Place, check_workers, default_place, default_workers, executor
from softdock.errors import InputError, Problem, RunError
from softdock.result import Result
from softdock.simulate import RUNNERS

SAMPLED = 1024  # runs whose inputs are drawn at a time
LARGEST_CHUNK = 256
CHUNK_SECONDS = 0.2  # work handed out at a time; what a kill may lose


@dataclass
class Tally:
    """How far a campaign is."""

    total: int
    done: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    fresh: int = 0
    """Runs of this session."""
    first_done: float = 0.0
    """When the first of them was done [s]."""
    finished: bool = False
    interrupted: bool = False
    stopped_at: int | None = None
    """Runs after which the stop rule was met."""

    @property
    def rate(self) -> float:
        """Runs per second since the first of this session; 0 while that is all there is."""
        return max(self.fresh - 1, 0) / max(time.monotonic() - self.first_done, 1e-9)

    def count(self, outcome: str, fresh: bool = True) -> None:
        """Count a run that is done."""
        self.done += 1
        self.fresh += fresh
        if fresh and self.fresh == 1:
            self.first_done = time.monotonic()
        self.outcomes[outcome] += 1


Watch = Callable[[Tally], None]


@dataclass(frozen=True)
class Means:
    """With what a campaign is run; nothing of it changes the table."""

    place: Place | None = None
    workers: int | None = None
    cluster: str = ""


def run(plan: Plan, folder: Path, means: Means | None = None, watch: Watch = lambda tally: None) -> Tally:
    """Run a new campaign into a folder and return how it went."""
    with Store.create(folder, manifest_of(plan)) as store:
        return _work(plan, store, means or Means(), watch)


def resume(folder: Path, means: Means | None = None, watch: Watch = lambda tally: None) -> Tally:
    """Complete a campaign that was begun; refused if it would not be the same campaign any more."""
    plan = plan_of(folder)
    with Store.resume(folder) as store:
        return _work(plan, store, means or Means(), watch)


def rerun(folder: Path, number: int) -> tuple[Result | None, Row, bool | None]:
    """Repeat one run of a campaign with its full history; tell also whether its row is the same again.

    That is None where the table does not have the run yet.
    """
    plan = plan_of(folder)
    row, result = repeat(plan, number)
    with folders.reading(folder) as database:
        before = database.execute("SELECT * FROM runs WHERE run = ?", (number,)).fetchone()
    if result is not None:
        result.save(history_folder(folder, number))
    same = None if before is None else Row(*before)._replace(wall_s=0.0) == row._replace(wall_s=0.0)
    return result, row, same


def repeat(plan: Plan, number: int) -> tuple[Row, Result | None]:
    """Carry out one run of a campaign alone; its row is that of the campaign, its result has the full history."""
    if not 0 <= number < plan.runs:
        message = f"The runs of this campaign are numbered 0 to {plan.runs - 1}."
        raise InputError(Problem(message=message, field="--rerun", given=str(number)))
    (inputs,) = plan.inputs(number, number + 1)
    keeping = Keeping(plan.campaign.histories, plan.campaign.success)
    row, result = run_one(
        plan.template, keeping, number, inputs
    )  # as in the campaign: samples cost evaluations
    if result is None:
        _, result = run_one(plan.template, Keeping("all", ()), number, inputs)
    return row, result


def plan_of(folder: Path) -> Plan:
    """Return the campaign of a folder; refused if its files or the program have changed since."""
    with folders.reading(folder) as database:
        before = folders.stored(database, "manifest")
    campaign = before["campaign"]
    try:
        plan = load(before["origin"], runs=campaign["runs"], seed=campaign["seed"])
    except InputError as error:
        hint = f"It was started from {before['origin']}, which must be there unchanged."
        message = f"The campaign cannot be loaded again: {error.problems[0]}"
        raise InputError(Problem(message=message, file=str(folder), hint=hint)) from error
    changes = differences(before, manifest_of(plan))
    if changes:
        hint = "Restore what has changed, or start a new campaign in another folder."
        message = "The campaign has changed since it was started (stored -> now): " + "; ".join(changes) + "."
        raise InputError(Problem(message=message, file=str(folder), hint=hint))
    return plan


def history_folder(folder: Path, number: int) -> Path:
    """Return where the result of a run is kept, if it is."""
    return folder / folders.HISTORIES / f"{number:08d}"


def _work(plan: Plan, store: Store, means: Means, watch: Watch) -> Tally:
    tally, rule = Tally(plan.runs), _Rule(plan)
    store.learn(plan.units())
    missing = bytearray(b"\1" * plan.runs)
    for number, outcome in store.finished():
        missing[number] = 0
        tally.count(outcome, fresh=False)
        rule.take(number, outcome)
    tally.stopped_at = rule.met_at
    watch(tally)
    if tally.stopped_at is None and any(missing):
        kind = str(plan.template.data["kind"])
        import_module(RUNNERS[kind])  # once, before workers start
        place = Place.CLUSTER if means.cluster else means.place or default_place(kind, sum(missing))
        check_workers(means.workers)
        with executor(place, means.workers or default_workers(), means.cluster) as (pool, workers):
            _Session(plan, store, tally, rule, watch).drive(pool, workers, missing)
    if rule.met_at is not None:
        store.stop_at(rule.met_at)
        tally.stopped_at = rule.met_at
    tally.outcomes = Counter(outcome for _, outcome in store.finished())
    tally.done = tally.outcomes.total()
    tally.finished = tally.done == (tally.stopped_at or plan.runs)
    watch(tally)
    return tally


class _Session:
    """The loop of one session: keep the workers busy, write what is done."""

    def __init__(self, plan: Plan, store: Store, tally: Tally, rule: "_Rule", watch: Watch) -> None:
        self.plan, self.store, self.tally, self.rule, self.watch = plan, store, tally, rule, watch
        self.keeping = Keeping(plan.campaign.histories, plan.campaign.success)
        self.chunk = 1

    def drive(self, pool: Executor, workers: int, missing: bytearray) -> None:
        """Run until all is done, the rule is met, or Ctrl-C; runs in flight are then finished and kept."""
        tasks = _tasks(self.plan, missing)
        flying: set[Future[Chunk]] = set()
        try:
            more = True
            while more or flying:
                while more and len(flying) < 2 * workers and self.rule.met_at is None:
                    # small shares towards the end, so that no worker is left alone with a large one
                    share = max(1, (self.tally.total - self.tally.done) // (4 * workers))
                    work = list(islice(tasks, min(self.chunk, share)))
                    more = bool(work)
                    if work:
                        template, keeping = self.plan.template, self.keeping
                        flying.add(pool.submit(run_chunk, __version__, template, keeping, work))
                if self.rule.met_at is not None:
                    more = False
                flying = self._collect(flying)
        except KeyboardInterrupt:
            self.tally.interrupted = True
            self.watch(self.tally)
            while flying := {future for future in flying if not future.cancel()}:
                flying = self._collect(flying)

    def _collect(self, flying: set[Future[Chunk]]) -> set[Future[Chunk]]:
        """Wait for something to be done, write it, and return what is still under way."""
        done, waiting = wait(flying, return_when=FIRST_COMPLETED)
        rows = []
        for future in done:
            chunk = self._chunk(future)
            self.store.learn(chunk.units)
            for row, result in chunk.done:
                if result is not None:
                    result.save(history_folder(self.store.folder, row.run))
                rows.append(row)
        self.store.add(rows)
        for row in rows:
            self.tally.count(row.outcome)
            self.rule.take(row.run, row.outcome)
        if rows:
            seconds = sum(row.wall_s for row in rows) / len(rows)
            self.chunk = min(LARGEST_CHUNK, max(1, int(CHUNK_SECONDS / max(seconds, 1e-6))))
        self.watch(self.tally)
        return waiting

    def _chunk(self, future: Future[Chunk]) -> Chunk:
        """Return what a worker has done; a worker that is lost ends the session, not the campaign."""
        try:
            return future.result()
        except (InputError, RunError):
            raise
        except Exception as error:
            reason = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            raise RunError(
                f"A worker has ended unexpectedly ({' '.join(reason.split())[:200]}). "
                f"{self.tally.done} runs are kept; "
                f"continue with: softdock campaign resume {self.store.folder}"
            ) from error


class _Rule:
    """The stop rule, looked at in the order of the runs, so that it ends where it would on any machine."""

    def __init__(self, plan: Plan) -> None:
        self.rule, self.success = plan.campaign.stop, frozenset(plan.campaign.success)
        self.met_at: int | None = None
        self._ahead: dict[int, bool] = {}
        self._runs = self._successes = 0

    def take(self, number: int, outcome: str) -> None:
        if self.rule is None or self.met_at is not None:
            return
        self._ahead[number] = outcome in self.success
        while self.met_at is None and self._runs in self._ahead:
            self._successes += self._ahead.pop(self._runs)
            self._runs += 1
            if self._runs >= self.rule.minimum and self._runs % self.rule.every == 0:
                low, high = wilson(self._successes, self._runs, self.rule.confidence)
                if (high - low) / 2.0 <= self.rule.half_width:
                    self.met_at = self._runs


def _tasks(plan: Plan, missing: bytearray) -> Iterator[Task]:
    for start in range(0, plan.runs, SAMPLED):
        stop = min(start + SAMPLED, plan.runs)
        if any(missing[start:stop]):
            for number, inputs in enumerate(plan.inputs(start, stop), start):
                if missing[number]:
                    yield number, inputs
