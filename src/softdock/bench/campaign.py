"""Benchmark of campaigns: 500 ASSIST runs, scaling over threads, a Dask cluster, and memory.

Every measurement includes drawing inputs, validating each scenario, running it and writing
its row.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from softdock.bench.measurement import Row, row
from softdock.campaign import runner
from softdock.campaign.loading import read_campaign
from softdock.campaign.plan import Plan
from softdock.campaign.runner import ExecutionOptions
from softdock.campaign.workers import Backend
from softdock.presentation.progress import Progress

ASSIST, CHEAP = "assist-table2", "impact-masses"
SCALING_RUNS, REPEATS = 120, 2  # runs of the comparison between workers, and its repetitions
FEW, MANY = 1_000, 100_000

MEMORY = """
import re, resource, sys
from pathlib import Path
from softdock.campaign import runner
from softdock.campaign.loading import read_campaign
runner.run(read_campaign({name!r}, runs={runs}), Path({folder!r}), runner.ExecutionOptions(runner.Backend.THREADS, 1))
status = Path("/proc/self/status")
if status.exists():  # peak of this process only; getrusage includes the parent's before exec
    print(1024 * int(re.search(r"VmHWM:\\s*(\\d+)", status.read_text())[1]))
else:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024))
"""


def run(progress: Progress, /) -> list[Row]:
    """Measure and return one row per quantity."""
    progress("warm-up", 0.0)
    measure(read_campaign(ASSIST, runs=2), ExecutionOptions(Backend.THREADS, 2))
    whole = read_campaign(ASSIST)
    progress(f"{whole.runs} runs", 0.02)
    all_runs = measure(whole, ExecutionOptions(Backend.THREADS, 2))
    progress("one worker, two workers, Dask", 0.2)
    return [
        row(f"{whole.runs} runs of {ASSIST}, 2 threads", all_runs.wall, "s", 4.5),
        row("work of these in all threads", all_runs.cpu, "s of CPU"),
        *_scaling(read_campaign(ASSIST, runs=SCALING_RUNS)),
        *_memory(progress),
    ]


class Cost(NamedTuple):
    """Time of a campaign."""

    wall: float
    """[s]"""
    cpu: float
    """[s] of this process, all its threads."""


def measure(plan: Plan, means: ExecutionOptions) -> Cost:
    """Run a campaign and return its time."""
    with tempfile.TemporaryDirectory() as folder:
        start, work = time.perf_counter(), time.process_time()
        runner.run(plan, Path(folder) / "campaign", means)
        return Cost(time.perf_counter() - start, time.process_time() - work)


def _scaling(plan: Plan) -> list[Row]:
    """Measure one thread, two threads and a Dask cluster of two workers alternately, and compare the best of each."""
    means = {"one": ExecutionOptions(Backend.THREADS, 1), "two": ExecutionOptions(Backend.THREADS, 2)}
    dask = "local Dask cluster of 2 workers against 2 threads, times the time"
    with _local_cluster() as address:
        if address:
            means["dask"] = ExecutionOptions(cluster=address)
            measure(read_campaign(ASSIST, runs=8), means["dask"])  # workers load their kernels
        rounds = [{name: measure(plan, how).wall for name, how in means.items()} for _ in range(REPEATS)]
    best = {name: min(times[name] for times in rounds) for name in means}
    threads = row("two threads against one, times faster", best["one"] / best["two"], "1", 1.8)
    if "dask" in best:
        return [threads, row(dask, best["dask"] / best["two"], "1", 1.15)]
    return [threads, row(f"{dask} (not measured: the package distributed is missing)", None, "1")]


@contextmanager
def _local_cluster() -> Iterator[str]:
    """Start a cluster of two processes; yield its address, or an empty string if Dask is not installed."""
    try:
        import distributed
    except ImportError:
        yield ""
        return
    make: Any = distributed.LocalCluster
    with make(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        yield str(cluster.scheduler_address)


def _memory(progress: Progress) -> list[Row]:
    progress(f"memory of {FEW} runs", 0.4)
    few = _peak_memory(FEW)
    progress(f"memory of {MANY} runs", 0.42)
    many = _peak_memory(MANY)
    return [
        row(f"peak memory of {FEW} runs of {CHEAP}", few / 1e6, "MB"),
        row(f"peak memory of {MANY} runs", many / 1e6, "MB"),
        row("memory of the many against the few", many / few, "1", 1.1),
    ]


def _peak_memory(runs: int) -> float:
    """Return the peak resident memory of a process that runs a campaign only [bytes]."""
    with tempfile.TemporaryDirectory() as folder:
        script = MEMORY.format(name=CHEAP, runs=runs, folder=str(Path(folder) / "campaign"))
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1])
