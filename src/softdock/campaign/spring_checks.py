"""Check of a sized spring: the runs that need most are repeated with it, until it holds within its stroke in all."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Executor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from softdock import __version__
from softdock.campaign import store
from softdock.campaign.execution import HistoryPolicy, run_chunk
from softdock.campaign.plan import Inputs, Plan
from softdock.campaign.runner import plan_of
from softdock.campaign.sizing import SizedSpring, SpringSize, find_spring
from softdock.campaign.stored_entries import check_row, decode_mapping
from softdock.campaign.table import CampaignTable
from softdock.campaign.template import Template
from softdock.campaign.workers import default_backend, default_workers, open_executor
from softdock.errors import InputError
from softdock.scenario.kinds import KINDS

WORST_RUNS, MOST_RUNS = 64, 256
"""Runs that are repeated: so many with the largest estimates, and those whose estimates exceed the result, at most."""
FOCUS = 8
"""Runs that are repeated for every stiffness that is tried; the others only with a stiffness that holds in these."""
ROUNDS = 16
"""Stiffnesses that are tried at most."""
TOLERANCE = 0.005
"""Relative step above the stiffness that a run needs; the result exceeds the smallest one by at most twice this."""
TRUSTED = 2
"""Stiffnesses in a row that fail before the needs that runs show are no longer trusted, and the stiffness doubles."""
LEAST = 1e-3
"""Smallest stiffness that is tried, relative to the estimate."""


@dataclass(frozen=True, kw_only=True)
class Repeated:
    """A run that was repeated with a linear spring."""

    run: int
    deflection: float
    """Largest deflection from the rest position, without sign [m or rad]."""
    available: float
    """Stroke that the stops leave [m or rad]."""
    needed: float
    """Stiffness [N/m or N m/rad] with which the spring stores what spring and stops took."""
    problem: str = ""
    """Why the run could not be completed; empty where it was."""

    @property
    def holds(self) -> bool:
        """Whether the spring stayed within its stroke."""
        return not self.problem and self.deflection <= self.available


@dataclass(frozen=True, kw_only=True)
class SpringCheck:
    """What repeating runs with a sized spring showed."""

    verified: bool
    """Whether the spring stayed within its stroke in all repeated runs."""
    reason: str = ""
    """Why it is not verified; empty where it is."""
    stiffness: float | None = None
    """Stiffness of the spring [N/m or N m/rad] with which the runs were repeated last."""
    available: float | None = None
    """Smallest stroke that the stops leave in these runs [m or rad]."""
    repetitions: int = 0
    """Number of simulations."""
    repeated: tuple[Repeated, ...] = ()
    """The repeated runs, largest share of the stroke first."""


Repeat = Callable[[float, Sequence[int]], dict[int, Repeated]]
"""Repeats runs, by their numbers, with a linear spring of a stiffness."""


def check_spring(table: CampaignTable, size: SpringSize, metric: str, stroke: float) -> SpringCheck:
    """Repeat the runs that need the stiffest springs with the sized spring, until it holds in all of them.

    `stroke` [m or rad] is the one that the campaign gives the spring; stops may leave less of it, which `size` has.
    """
    try:
        plan = plan_of(table.folder, table.campaign_file)
    except InputError as error:
        problem = error.problems[0]
        return SpringCheck(verified=False, reason=f"{problem.message} {problem.hint}".strip())
    if find_spring(plan.template.data, metric) is None:
        return SpringCheck(
            verified=False, reason="Its metric is not the stored energy of a spring along a joint."
        )
    order = np.argsort(-size.stiffnesses, kind="stable")[:MOST_RUNS]
    estimates = {int(size.runs[i]): float(size.stiffnesses[i]) for i in order}
    if not any(estimates.values()):
        return SpringCheck(verified=False, reason="No run stores energy in it.")
    others = [int(run) for run in table.run if run not in size.runs]  # failed: nobody knows what they need
    kind = KINDS[str(plan.template.data["kind"])]
    kind.import_runner()
    with open_executor(default_backend(kind, len(estimates)), default_workers()) as (pool, _):
        try:
            repeater = _Repeater(plan, table, metric, stroke, pool, [*estimates, *others[:MOST_RUNS]])
            return search_with_others(repeater.repeat, estimates, others)
        except InputError as error:
            return SpringCheck(verified=False, reason=str(error.problems[0]))
        except BrokenExecutor:
            reason = "The system ended a process that repeated runs with it, perhaps for want of memory."
            return SpringCheck(verified=False, reason=reason)


def with_check(size: SpringSize, check: SpringCheck) -> SpringSize:
    """Return the size with the stiffness that holds in the repeated runs, and the energies that these showed."""
    if check.stiffness is None:
        return size
    needed = {result.run: result.needed for result in check.repeated}
    energies = [
        0.5 * needed[run] * size.stroke**2 if run in needed else energy
        for run, energy in zip(size.runs.tolist(), size.energies.tolist(), strict=True)
    ]
    return replace(size, energies=np.array(energies), verified=check.stiffness)


def search_stiffness(repeat: Repeat, estimates: Mapping[int, float]) -> SpringCheck:
    """Return the smallest stiffness, up to the tolerance, with which the spring holds in all runs.

    `estimates` are the stiffnesses that runs need by their stored energies, largest first. Each run with a stiffness
    shows the one that it needs. The search stays between the largest stiffness that failed and the smallest that held,
    because a need depends on the stiffness where not energy alone decides it.
    """
    worst, least = list(estimates)[:WORST_RUNS], LEAST * max(estimates.values())
    failed, held, tried, failures = 0.0, math.inf, max(estimates.values()), 0
    known: dict[int, Repeated] = {}
    focus, count = worst, 0
    for _ in range(ROUNDS):
        results = repeat(tried, focus)
        known, count = known | results, count + len(results)
        if any(result.problem for result in results.values()):
            break
        holds, needed = _all_hold(results), _largest_need(results)
        failed, held, failures = (failed, tried, 0) if holds else (tried, held, failures + 1)
        if holds and tried <= max((1.0 + 2.0 * TOLERANCE) * max(needed, failed), least):
            wanted = {*worst, *(run for run, estimate in estimates.items() if estimate > tried)}
            others = repeat(tried, [run for run in estimates if run in wanted and run not in results])
            known, count = known | others, count + len(others)
            if _all_hold(others):
                return _verdict({run: known[run] for run in wanted | set(results)}, tried, count)
            failed, held, needed = tried, math.inf, _largest_need(others)
        focus = sorted(known, key=lambda run: -known[run].needed)[:FOCUS]
        wanted_next = (1.0 + TOLERANCE) * needed if failures <= TRUSTED else 2.0 * tried
        tried = _next(max(wanted_next, least), failed, held)
    return _verdict(known, None, count)


def search_with_others(repeat: Repeat, estimates: Mapping[int, float], others: Sequence[int]) -> SpringCheck:
    """Return the smallest stiffness that also holds in other runs, which failed in the campaign without an energy.

    Those that end with the stiffness without a failure join the search; it is verified only if none fails with it.
    """
    check = search_stiffness(repeat, estimates)
    for _ in range(ROUNDS):
        if check.stiffness is None or not others:
            return check
        results = repeat(check.stiffness, others[:MOST_RUNS])
        short = {
            run: result.needed for run, result in results.items() if not result.problem and not result.holds
        }
        if not short:
            break
        estimates = dict(sorted({**estimates, **short}.items(), key=lambda item: -item[1]))
        check = search_stiffness(repeat, estimates)
    failing = [run for run in others if run not in results or not results[run].holds]
    if failing:
        named = f"{', '.join(map(str, failing[:5]))}{' ...' if len(failing) > 5 else ''}"
        reason = f"Of the runs that failed in the campaign, these fail with it, too: {named}."
        return replace(check, verified=False, reason=reason)
    known = {result.run: result for result in check.repeated} | results
    return _verdict(known, check.stiffness, check.repetitions + len(results))


def _next(wanted: float, failed: float, held: float) -> float:
    """Return the stiffness to try: the wanted one, or the middle between one that failed and one that held."""
    if failed and math.isfinite(held):
        return math.sqrt(failed * held)
    return wanted if wanted > failed else 2.0 * failed


def _largest_need(results: Mapping[int, Repeated]) -> float:
    return max(result.needed for result in results.values())


def _all_hold(results: Mapping[int, Repeated]) -> bool:
    return all(result.holds for result in results.values())


def _verdict(known: Mapping[int, Repeated], stiffness: float | None, count: int) -> SpringCheck:
    """Return the check with a stiffness that held in the known runs, or that none was found."""
    ranked = sorted(known.values(), key=lambda result: -result.deflection / result.available)
    problem = next((f" Run {result.run}: {result.problem}" for result in ranked if result.problem), "")
    none = f"No stiffness was found with which all repeated runs stay within the stroke.{problem}"
    return SpringCheck(
        verified=stiffness is not None,
        reason="" if stiffness is not None else none,
        stiffness=stiffness,
        available=min(result.available for result in ranked),
        repetitions=count,
        repeated=tuple(ranked),
    )


class _Repeater:
    """Repeats runs of a campaign with a linear spring in place of the one that is sized."""

    def __init__(
        self,
        plan: Plan,
        table: CampaignTable,
        metric: str,
        stroke: float,
        pool: Executor,
        runs: Sequence[int],
    ) -> None:
        self.metric, self.stroke, self.pool = metric, stroke, pool
        spring = _spring_in(plan.template.data, metric)
        self.path, self.stops = f"springs.{spring.name}", list(spring.stops)
        self.inputs = {
            run: self._of_spring(inputs) for run, inputs in _stored_inputs(plan, table, runs).items()
        }
        data = {**plan.template.data, "sources": {}}  # sources of values may name parts of the replaced law
        data["springs"] = data["springs"] | {
            spring.name: data["springs"][spring.name] | {"exponential": None}
        }
        watched = {
            "sizing_largest": f"max {spring.name}.deflection",
            "sizing_smallest": f"min {spring.name}.deflection",
        }
        watched |= {"sizing_energy": f"max {spring.name}.energy"}
        watched |= {f"sizing_stop_{i}": f"max {name}.force" for i, name in enumerate(self.stops)}
        data["metrics"] = (data.get("metrics") or {}) | watched
        self.template = Template(plan.template.name, data, plan.template.directory)

    def repeat(self, stiffness: float, runs: Sequence[int]) -> dict[int, Repeated]:
        """Return the runs with a linear spring of a stiffness [N/m or N m/rad]."""
        policy = HistoryPolicy("none", ())
        tasks = {run: self.inputs[run] | {f"{self.path}.stiffness": stiffness} for run in runs}
        pending = {
            run: self.pool.submit(run_chunk, __version__, self.template, policy, [(run, inputs)])
            for run, inputs in tasks.items()
        }
        rows = {run: future.result().done[0][0] for run, future in pending.items()}
        return {
            run: self._read(
                run, stiffness, json.loads(row.metrics), "" if row.status == "done" else row.message
            )
            for run, row in rows.items()
        }

    def _read(self, run: int, stiffness: float, metrics: Mapping[str, Any], problem: str) -> Repeated:
        """Return what a run showed; the spring and the stops have the values of this run."""
        spring = _spring_in(self.template.build(self.inputs[run]).to_data(), self.metric)
        available = float(spring.available(self.stroke))
        empty = Repeated(
            run=run,
            deflection=math.inf,
            available=available,
            needed=2.0 * stiffness,
            problem=problem or "No value.",
        )
        names = ("sizing_largest", "sizing_smallest", "sizing_energy")
        largest, smallest, energy = (metrics.get(name) for name in names)
        if problem or largest is None or smallest is None or energy is None:
            return empty
        deflection = max(largest, -smallest)
        if deflection > available:  # else its seat alone may have pushed
            peaks = {name: metrics.get(f"sizing_stop_{i}") or 0.0 for i, name in enumerate(self.stops)}
            energy += float(spring.stop_work(peaks))
        needed = float(spring.needed(energy, self.stroke))
        return Repeated(run=run, deflection=deflection, available=available, needed=needed)

    def _of_spring(self, inputs: Inputs) -> Inputs:
        """Return the inputs of a run without those of the law that the linear spring replaces."""
        law = (f"{self.path}.stiffness", f"{self.path}.exponential")
        kept = {path: value for path, value in inputs.items() if not path.startswith(law)}
        if isinstance(kept.get(self.path), Mapping):
            kept[self.path] = kept[self.path] | {"exponential": None}
        return kept


def _spring_in(definition: Mapping[str, Any], metric: str) -> SizedSpring:
    spring = find_spring(definition, metric)
    if spring is None:
        raise InputError("The scenario of a run has no such spring.")
    return spring


def _stored_inputs(plan: Plan, table: CampaignTable, runs: Sequence[int]) -> dict[int, Inputs]:
    """Return the inputs of runs by their numbers; those of the table where they depend on earlier runs."""
    if plan.campaign.method == "monte-carlo":
        return {run: plan.inputs(run, run + 1)[0] for run in runs}
    with store.open_readonly(table.folder) as database:
        query = "SELECT * FROM runs WHERE run = ?"
        rows = [check_row(database.execute(query, (run,)).fetchone()) for run in runs]
    stored = {row.run: decode_mapping(row.inputs) for row in rows}
    return {run: {path: inputs[path] for path in plan.distributions} for run, inputs in stored.items()}
