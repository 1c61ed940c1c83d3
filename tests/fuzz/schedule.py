"""Distribution of the inputs of a run over formats, processes and time.

First each format reads its minimum (`Effort.least` per million inputs), formats that need most time first. The rest is
distributed by `Effort.share` over fast formats. What is then missing, because a format ran out of time, is read by the
fastest ones. No format has more than `LARGEST_PART` of all inputs where there are enough formats.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tests.fuzz.run import Run

LARGEST_PART = 0.4
"""Largest part of all inputs that are of one format."""
PARTS_OF_TIME = (0.7, 0.95, 1.0)
"""Part of the time by which minima, shares and the rest are to be completed."""
START = 2.0
"""Typical processor time of the start of a worker [s]: imports, and runs whose results are mutated."""
FEWEST = 10
"""Smallest minimum of a format in a short run."""


@dataclass(frozen=True)
class Effort:
    """How many inputs of a format are read."""

    least: int
    """Smallest number of inputs in a run of one million over all formats."""
    share: int
    """Part of the inputs beyond these minima, relative to that of other formats; 0 for slow formats."""
    rate: float
    """Typical number of inputs per second of one processor, by which time is distributed."""


Efforts = Mapping[str, Effort]
EFFORTS = {
    "scenario": Effort(10_000, 0, 60.0),
    "mapping": Effort(15_000, 0, 70.0),
    "expression": Effort(50_000, 25, 4000.0),
    "run": Effort(4_000, 0, 40.0),
    "campaign": Effort(10_000, 0, 300.0),
    "step": Effort(4_000, 0, 25.0),
    "mesh": Effort(10_000, 0, 100.0),
    "urdf": Effort(50_000, 15, 1800.0),
    "nastran": Effort(30_000, 2, 420.0),
    "npz": Effort(20_000, 1, 420.0),
    "recording": Effort(30_000, 2, 500.0),
    "result": Effort(8_000, 0, 80.0),
    "page": Effort(1_500, 0, 12.0),
    "replay": Effort(8_000, 0, 80.0),
    "table": Effort(10_000, 0, 220.0),
    "http": Effort(10_000, 0, 200.0),
    "websocket": Effort(4_000, 0, 20.0),
    "udp": Effort(50_000, 35, 5000.0),
}


@dataclass(frozen=True)
class Task:
    """Inputs of one format."""

    name: str
    count: int
    cost: float
    """Expected processor time [s]."""


def minima(efforts: Efforts, count: int) -> dict[str, int]:
    """Return the inputs that each format reads first."""
    most = max(1, count // len(efforts))
    return {
        name: min(most, max(FEWEST, round(effort.least * count / 1e6))) if len(efforts) > 1 else count
        for name, effort in efforts.items()
    }


def shares(efforts: Efforts, done: Mapping[str, int], count: int) -> dict[str, int]:
    """Return how many of the missing inputs each format reads, by its share."""
    missing = count - sum(done.values())
    total = sum(effort.share for effort in efforts.values())
    if missing <= 0 or not total:
        return {}
    room = room_of(efforts, done, count)
    wanted = {
        name: min(room[name], round(missing * effort.share / total)) for name, effort in efforts.items()
    }
    return {name: number for name, number in wanted.items() if number > 0}


def rest(efforts: Efforts, done: Mapping[str, int], count: int, rates: Mapping[str, float]) -> dict[str, int]:
    """Return how many of the missing inputs the fastest formats read."""
    missing, found = count - sum(done.values()), {}
    room = room_of(efforts, done, count)
    for name in sorted(efforts, key=lambda name: -rates[name]):
        found[name] = min(room[name], max(0, missing))
        missing -= found[name]
    return {name: number for name, number in found.items() if number > 0}


def room_of(efforts: Efforts, done: Mapping[str, int], count: int) -> dict[str, int]:
    """Return how many more inputs each format may have."""
    most = count if len(efforts) * LARGEST_PART < 2.0 else int(LARGEST_PART * count)
    return {name: most - done[name] for name in efforts}


class Schedule:
    """Runs the formats in a number of processes at once."""

    def __init__(
        self,
        runs: Mapping[str, Run],
        count: int,
        seconds: float,
        jobs: int,
        finished: Callable[[Run], None],
        efforts: Efforts = EFFORTS,
    ) -> None:
        self._runs, self._count, self._jobs, self._finished = runs, count, jobs, finished
        self._efforts = {name: efforts[name] for name in runs}
        self._begun, self._seconds = time.monotonic(), seconds
        self._active: list[Run] = []

    def go(self) -> None:
        """Read the inputs of all formats."""
        self._read(minima(self._efforts, self._count), PARTS_OF_TIME[0])
        self._read(shares(self._efforts, self._done(), self._count), PARTS_OF_TIME[1])
        while self._left(PARTS_OF_TIME[2]) > 0.0:
            before = self._done()
            self._read(rest(self._efforts, before, self._count, self._rates()), PARTS_OF_TIME[2])
            if self._done() == before:
                return

    def _read(self, counts: Mapping[str, int], part: float) -> None:
        """Read a number of inputs of each format until a part of the time has passed."""
        tasks = [
            Task(name, number, START + number / self._efforts[name].rate) for name, number in counts.items()
        ]
        tasks.sort(key=lambda task: task.cost)
        while tasks or self._active:
            self._active = [run for run in self._active if self._goes_on(run)]
            while tasks and len(self._active) < self._jobs:
                self._start(tasks.pop(), sum(task.cost for task in tasks), part)
            time.sleep(0.01)

    def _start(self, task: Task, cost_of_others: float, part: float) -> None:
        left = self._left(part)
        seconds = min(left, left * self._jobs * task.cost / (task.cost + cost_of_others))
        if seconds > 0.0:
            self._runs[task.name].start(task.count, time.monotonic() + seconds)
            self._active.append(self._runs[task.name])

    def _goes_on(self, run: Run) -> bool:
        if run.poll():
            return True
        self._finished(run)
        return False

    def _left(self, part: float) -> float:
        return self._begun + part * self._seconds - time.monotonic()

    def _done(self) -> dict[str, int]:
        return {name: run.tally.inputs for name, run in self._runs.items()}

    def _rates(self) -> dict[str, float]:
        """Return inputs per second as measured, of formats without a defect."""
        return {
            name: run.tally.inputs / max(run.tally.seconds, 1.0) if not run.tally.defects else 0.0
            for name, run in self._runs.items()
        }
