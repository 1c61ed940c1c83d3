"""Benchmark of the complete ASSIST sequence: processor time of a run and its phases, and the campaign on two cores."""

import time
from dataclasses import dataclass
from typing import cast

from softdock.bench.campaign import measure
from softdock.bench.measurement import Row, row, shortest_time
from softdock.campaign.loading import read_campaign
from softdock.campaign.runner import ExecutionOptions
from softdock.campaign.workers import Backend
from softdock.presentation.progress import Progress
from softdock.result import Result
from softdock.scenario.loading import load
from softdock.scenario.multibody import MultibodyScenario
from softdock.simulation import simulate
from softdock.simulation.multibody import PreparedMultibody

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
            row(f"{name}, steps", costs[0].steps, "1"),
            row(f"{name}, evaluations", costs[0].evaluations, "1"),
            row(f"{name}, processor time", min(cost.seconds for cost in costs), "s"),
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
    rows = [
        row(f"{SCENARIO}, simulated time", simulated, "s"),
        row(f"{SCENARIO}, processor time with history", seconds, "s"),
        row(f"{SCENARIO}, simulated per processor time", simulated / seconds, "1", AIM_REAL_TIME),
        row(f"{SCENARIO}, steps", result.timing.steps, "1"),
        *phase_rows(scenario, result),
    ]
    progress("campaign", 0.1)
    cost = measure(read_campaign(CAMPAIGN), ExecutionOptions(Backend.THREADS, WORKERS))
    return [*rows, row(f"{CAMPAIGN}, 500 runs on {WORKERS} cores", cost.wall, "s", AIM_CAMPAIGN)]
