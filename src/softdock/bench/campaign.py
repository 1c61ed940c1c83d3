"""Campaigns: the 500 runs of ASSIST, how workers share them, a Dask cluster beside threads, and memory.

Every measurement includes what a campaign is: drawing inputs, checking each scenario, running it, and writing
its row. Kernels are compiled beforehand.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from softdock.campaign import running
from softdock.campaign.loading import load
from softdock.campaign.plan import Plan
from softdock.campaign.running import Means
from softdock.campaign.workers import Place
from softdock.report import Progress

ASSIST, CHEAP = "assist-table2", "impact-masses"
SHARED = 60  # runs of the comparisons between workers
FEW, MANY = 1_000, 100_000

MEMORY = """
import re, resource, sys
from pathlib import Path
from softdock.campaign import running
from softdock.campaign.loading import load
running.run(load({name!r}, runs={runs}), Path({folder!r}), running.Means(running.Place.THREADS, 1))
status = Path("/proc/self/status")
if status.exists():  # the peak of this program alone; getrusage would count the parent's before the exec
    print(1024 * int(re.search(r"VmHWM:\\s*(\\d+)", status.read_text())[1]))
else:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024))
"""


def run(progress: Progress, /) -> list[dict[str, Any]]:
    """Measure and return one row per quantity."""
    progress("warm-up", 0.0)
    plan = load(ASSIST, runs=SHARED)
    _seconds(load(ASSIST, runs=2), Means(Place.THREADS, 2))
    progress("one and two workers", 0.1)
    one, two = (_seconds(plan, Means(Place.THREADS, workers)) for workers in (1, 2))
    rows = [
        {"name": "two threads against one, times faster", "value": one / two, "unit": "1", "aim": 1.8},
        *_cluster(plan, two, progress),
    ]
    whole = load(ASSIST)
    progress(f"{whole.runs} runs", 0.4)
    seconds = _seconds(whole, Means(Place.THREADS, 2))
    rows.insert(
        0, {"name": f"{whole.runs} runs of {ASSIST}, 2 threads", "value": seconds, "unit": "s", "aim": 8.0}
    )
    progress("memory", 0.7)
    rows += _memory()
    progress("done", 1.0)
    return rows


def _seconds(plan: Plan, means: Means) -> float:
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        running.run(plan, Path(folder) / "campaign", means)
        return time.perf_counter() - start


def _cluster(plan: Plan, threads: float, progress: Progress) -> list[dict[str, Any]]:
    """Measure a local Dask cluster of two workers beside two threads; nothing where Dask is not installed."""
    name = "local Dask cluster of 2 workers against 2 threads, times the time"
    try:
        import distributed  # noqa: F401
    except ImportError:
        progress("Dask is not installed: left out", 0.3)
        return [
            {"name": f"{name} (not measured: the package distributed is missing)", "value": None, "unit": "1"}
        ]
    progress("Dask", 0.3)
    with _local_cluster() as address:
        _seconds(load(ASSIST, runs=8), Means(cluster=address))  # workers load their kernels
        seconds = _seconds(plan, Means(cluster=address))
    return [{"name": name, "value": seconds / threads, "unit": "1", "aim": 1.15}]


@contextmanager
def _local_cluster() -> Iterator[str]:
    import distributed

    make: Any = distributed.LocalCluster
    with make(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        yield str(cluster.scheduler_address)


def _memory() -> list[dict[str, Any]]:
    few, many = (_peak_memory(runs) for runs in (FEW, MANY))
    return [
        {"name": f"peak memory of {FEW} runs of {CHEAP}", "value": few / 1e6, "unit": "MB"},
        {"name": f"peak memory of {MANY} runs", "value": many / 1e6, "unit": "MB"},
        {"name": "memory of the many against the few", "value": many / few, "unit": "1", "aim": 1.1},
    ]


def _peak_memory(runs: int) -> float:
    """Return the largest resident memory of a process that does nothing but run a campaign [bytes]."""
    with tempfile.TemporaryDirectory() as folder:
        script = MEMORY.format(name=CHEAP, runs=runs, folder=str(Path(folder) / "campaign"))
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1])
