"""Benchmarks of speed and accuracy, with peers measured in the same run.

Each entry of `BENCHMARKS` is a module of this package: `run(progress)` measures and returns a list of rows; it calls
`progress(what, fraction)` meanwhile. A row has `name`, `value`, `unit`; with a peer also `peer`, `peer_value` and
`ratio` (above 1: Softdock is better); with a target also `aim`. A module may have `run_long(progress)`, which returns
further rows that take a minute or more.
"""

from importlib import import_module
from typing import Any, Protocol, cast

from softdock.errors import InputError
from softdock.presentation.progress import Progress

BENCHMARKS = {
    "cad": "Contact of solids of any shape: time and agreement with surfaces of revolution and closed forms",
    "campaign": "500-run ASSIST campaign: threads, Dask cluster, peak memory",
    "contact": "Time and accuracy of the contact force: cut cells and points",
    "docking": "Gimballed probe and drogue against MuJoCo, and the time of the nominal docking",
    "gnc": "Two craft under attitude feedback against Basilisk, and the time of an approach",
    "impact": "Predictions per second, and one impact run against SciPy",
    "link": "Restitution with a delayed force against published values, and one minute at 1 kHz over UDP",
    "peg": "Pins in holes: time per pair (direct and search), frames of 10 ms with 20 pins, pins in real time",
    "plant": "Plants in pieces of 1 ms beside one call and beside the kernel, saved states, contact routine",
    "multibody": "Forward dynamics of a floating arm against MuJoCo and Pinocchio, and start-up time",
    "sequence": "The complete ASSIST sequence: simulated time per processor time, and 500 runs on two cores",
    "studio": "Start of the studio, time from a click on Run to the replay, idle processor time",
    "station": "200 s of a flexible station, time per mode, modes of 50 000 degrees of freedom",
}
"""Description of every benchmark by name."""


class Benchmark(Protocol):
    """A benchmark module; it may also have `run_long(progress)` for rows that take a minute or more."""

    def run(self, progress: Progress, /) -> list[dict[str, Any]]:
        """Measure and return one row per quantity."""


def benchmark(name: str) -> Benchmark:
    """Return the benchmark module by name; raise InputError for an unknown name."""
    if name not in BENCHMARKS:
        raise InputError(f"Unknown benchmark; allowed: {', '.join(BENCHMARKS)}.", given=name)
    return cast(Benchmark, import_module(f"{__name__}.{name}"))
