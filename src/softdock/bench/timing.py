"""Time measurement: the shortest of several repetitions, because other load on the machine only adds time."""

import time
from collections.abc import Callable
from typing import Any

Clock = Callable[[], float]


def shortest_time(work: Callable[[], Any], repeats: int, clock: Clock = time.perf_counter) -> float:
    """Return the shortest time of one call [s]."""
    best = float("inf")
    for _ in range(repeats):
        start = clock()
        work()
        best = min(best, clock() - start)
    return best


def shortest_loop_time(
    work: Callable[[int], Any], count: int, repeats: int = 30, clock: Clock = time.perf_counter
) -> float:
    """Return the shortest time per iteration [s] of `work(count)`, which loops `count` times; warms up first."""
    work(1)
    return shortest_time(lambda: work(count), repeats, clock) / count
