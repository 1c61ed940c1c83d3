"""Benchmark of the complete ASSIST sequence: processor time of one run, and wall time of the campaign on two cores."""

import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from softdock.bench.timing import shortest_time
from softdock.campaign import runner
from softdock.campaign.loading import load as load_campaign
from softdock.campaign.runner import ExecutionOptions
from softdock.campaign.workers import Backend
from softdock.report import Progress
from softdock.scenario import load
from softdock.simulation import simulate

Row = dict[str, Any]

SCENARIO, CAMPAIGN = "assist-hard-docking", "assist-sequence"
REPEATS = 5
WORKERS = 2
AIM_REAL_TIME, AIM_CAMPAIGN = 100.0, 60.0  # simulated time over processor time; s


def run(progress: Progress, /) -> list[Row]:
    """Measure and return one row per quantity."""
    progress("one run", 0.0)
    scenario = load(SCENARIO)
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
    ]
    progress("campaign", 0.1)
    with TemporaryDirectory() as folder:
        begin = time.perf_counter()
        means = ExecutionOptions(Backend.THREADS, WORKERS)
        runner.run(load_campaign(CAMPAIGN), Path(folder) / "campaign", means)
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
