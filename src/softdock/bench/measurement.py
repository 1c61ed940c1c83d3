"""Rows of benchmarks, and the shortest of several times, because other load on the machine only adds time."""

import math
import time
from collections.abc import Callable
from typing import Any

Clock = Callable[[], float]
Row = dict[str, Any]
"""One measured quantity: `name`, `value`, `unit`; with a peer also `peer`, `peer_value`, `ratio`; `aim` if any."""


def row(name: str, value: float | None, unit: str, aim: float | None = None) -> Row:
    """Return one measured quantity, with its target if it has one."""
    return {"name": name, "value": value, "unit": unit} | ({} if aim is None else {"aim": aim})


def compare(measured: Row, peer: str, peer_value: float, ratio: float) -> Row:
    """Return a row with the value of another program; the ratio is above 1 where Softdock is better."""
    return measured | {"peer": peer, "peer_value": peer_value, "ratio": ratio}


def elapsed_time(work: Callable[[], Any], clock: Clock = time.perf_counter) -> float:
    """Return the time of one call [s]."""
    start = clock()
    work()
    return clock() - start


def shortest_time(work: Callable[[], Any], repeats: int, clock: Clock = time.perf_counter) -> float:
    """Return the shortest time of one call [s]."""
    return min(elapsed_time(work, clock) for _ in range(repeats))


def shortest_times(*tasks: Callable[[], float], rounds: int, limit: float = math.inf) -> list[float]:
    """Return the shortest of the times that each task measures [s].

    Tasks alternate, so that all have the same machine load; no round starts after the time limit [s].
    """
    best, begin = [math.inf] * len(tasks), time.perf_counter()
    for _ in range(rounds):
        best = [min(before, task()) for before, task in zip(best, tasks)]
        if time.perf_counter() - begin > limit:
            break
    return best


def shortest_loop_time(
    work: Callable[[int], Any], count: int, repeats: int = 30, clock: Clock = time.perf_counter
) -> float:
    """Return the shortest time per iteration [s] of `work(count)`, which loops `count` times; warms up first."""
    work(1)
    return shortest_time(lambda: work(count), repeats, clock) / count
