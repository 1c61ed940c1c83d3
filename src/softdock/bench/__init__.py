"""Measurements of speed and accuracy, side by side with peers in the same run.

Each module of this folder is one benchmark: `run(progress)` measures and returns a list of rows; it calls
`progress(what, fraction)` as it goes. A row has `name`, `value`, `unit`; where a peer was measured beside it
`peer`, `peer_value` and `ratio` (how many times better we are); and where there is a goal `aim`.
"""

from importlib import import_module
from typing import Any, Protocol, cast

from softdock.errors import InputError, Problem
from softdock.report import Progress

BENCHMARKS = {
    "campaign": "500 runs of ASSIST, workers, a Dask cluster beside threads, memory of many runs",
    "contact": "Time and accuracy of the contact force, cut cells beside plain points",
    "docking": "A gimballed probe in its drogue against MuJoCo, and the time of the nominal docking",
    "impact": "Predictions per second, and one impact run against scipy",
    "link": "Restitution with a late force beside published values, and a minute at 1 kHz over UDP",
    "peg": "Pins in holes: time of a pair by both ways, 20 pins in frames of 10 ms, pins in real time",
    "multibody": "Forward dynamics of a floating arm against MuJoCo and Pinocchio, and what a start costs",
    "studio": "From the command to the gallery, from a click on Run to the replay, the studio at rest",
    "station": "200 s of a flexible station, the cost of a mode, modes of 50 000 degrees of freedom",
}
"""Name of every benchmark, with what it measures."""


class Benchmark(Protocol):
    """A module that measures."""

    def run(self, progress: Progress, /) -> list[dict[str, Any]]:
        """Measure and return one row per quantity."""


def benchmark(name: str) -> Benchmark:
    """Return the benchmark of that name."""
    if name not in BENCHMARKS:
        raise InputError(Problem(message=f"There are the benchmarks {', '.join(BENCHMARKS)}.", given=name))
    return cast(Benchmark, import_module(f"{__name__}.{name}"))
