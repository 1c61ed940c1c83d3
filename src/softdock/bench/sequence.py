"""Benchmark of the complete ASSIST sequence: processor time of a run and its phases, and the campaign on two cores."""

import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

from softdock.bench.timing import shortest_time
from softdock.campaign import runner
from softdock.campaign.loading import read_campaign
from softdock.campaign.runner import ExecutionOptions
from softdock.campaign.workers import Backend
from softdock.presentation.progress import Progress
from softdock.result import Result
from softdock.scenario.loading import load
from softdock.scenario.multibody import MultibodyScenario
from softdock.simulation import simulate
from softdock.simulation.multibody import PreparedMultibody

Row = dict[str, Any]

SCENARIO, CAMPAIGN = "assist-hard-docking", "assist-sequence"
REPEATS = 5
WORKERS = 2
AIM_REAL_TIME, AIM_CAMPAIGN = 100.0, 60.0  # simulated time over processor time; s


@dataclass(frozen=True)
class PhaseCost:
    """What a phase costs in the kernels."""

    name: str
    steps: int
    evaluations: int
    seconds: float


def phase_costs(scenario: MultibodyScenario, result: Result) -> list[PhaseCost]:
    """Advance a session to the ends of the phases of a run, and return what each costs; every call ends a step."""
    session, costs = PreparedMultibody(scenario).begin(), []
    for phase in result.phases:
        steps, evaluations = session.steps, int(session.system.counters[0].evaluations)
        begin = time.process_time()
        session.advance(phase.end)
        seconds = time.process_time() - begin
        costs.append(
            PhaseCost(
                phase.name,
                session.steps - steps,
                int(session.system.counters[0].evaluations) - evaluations,
                seconds,
            )
        )
    return costs


def phase_rows(scenario: MultibodyScenario, result: Result) -> list[Row]:
    """Return steps, evaluations and the shortest processor time of each phase."""
    repeats = [phase_costs(scenario, result) for _ in range(REPEATS)]
    rows: list[Row] = []
    for costs in zip(*repeats, strict=True):
        name = costs[0].name
        rows += [
            {"name": f"{name}, steps", "value": costs[0].steps, "unit": "1"},
            {"name": f"{name}, evaluations", "value": costs[0].evaluations, "unit": "1"},
            {"name": f"{name}, processor time", "value": min(cost.seconds for cost in costs), "unit": "s"},
        ]
    return rows


def run(progress: Progress, /) -> list[Row]:
    """Measure and return one row per quantity."""
    progress("one run", 0.0)
    scenario = cast(MultibodyScenario, load(SCENARIO))
    result = simulate(scenario, with_prediction=False)
    seconds = shortest_time(
        lambda: simulate(scenario, with_prediction=False), REPEATS, clock=time.process_time
    )
    simulated = result.timing.simulated_s
    rows: list[Row] = [
        {"name": f"{SCENARIO}, simulated time", "value": simulated, "unit": "s"},
        {"name": f"{SCENARIO}, processor time with history", "value": seconds, "unit": "s"},
        {
            "name": f"{SCENARIO}, simulated per processor time",
            "value": simulated / seconds,
            "unit": "1",
            "aim": AIM_REAL_TIME,
        },
        {"name": f"{SCENARIO}, steps", "value": result.timing.steps, "unit": "1"},
        *phase_rows(scenario, result),
    ]
    progress("campaign", 0.1)
    with TemporaryDirectory() as folder:
        begin = time.perf_counter()
        means = ExecutionOptions(Backend.THREADS, WORKERS)
        runner.run(read_campaign(CAMPAIGN), Path(folder) / "campaign", means)
        elapsed = time.perf_counter() - begin
    progress("done", 1.0)
    return [
        *rows,
        {
            "name": f"{CAMPAIGN}, 500 runs on {WORKERS} cores",
            "value": elapsed,
            "unit": "s",
            "aim": AIM_CAMPAIGN,
        },
    ]
