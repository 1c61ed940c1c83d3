"""Pins in holes: time of one pair, direct and by search, and how many pins stay in real time."""

import dataclasses
import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from softdock.bench.kernels import compare_manifolds, repeat_pin
from softdock.contact import Friction
from softdock.contact.kernels import pins as kernels
from softdock.contact.pins import PinInHole, PinLaw, Rim, shape_record
from softdock.geometry.pins import Hole, Pin
from softdock.report import Progress

PAPER_PAIR = 20e-6
"""[s] A pair and step in the paper, on a 4.13 GHz desktop processor."""
LAW = PinLaw(stiffness=1e6, damping=1.0, friction=Friction(coefficient=0.2))
PAIR = PinInHole(pin=Pin(radius=0.0174, length=0.06), hole=Hole(radius=0.0175, straight=0.05), law=LAW)
"""The paper's diameter of 3.5 cm, with a clearance of 0.2 mm."""
LEVELS = (8, 16)
POSES = 100_000


def run(progress: Progress, /) -> list[dict[str, Any]]:
    """Measure and return one row per quantity."""
    progress("pairs", 0.0)
    rows = [row for name, pose in poses().items() for row in pair_times(name, *pose)]
    progress("search against direct", 0.3)
    _, unlike, largest = rim_difference(PAIR, POSES, 1)
    rows.append(
        {
            "name": f"search against direct, contacts that differ in {POSES} poses",
            "value": unlike,
            "unit": "1",
            "aim": 0,
        }
    )
    rows.append(
        {
            "name": "search against direct, largest difference of depth",
            "value": largest,
            "unit": "m",
            "aim": 1e-9,
        }
    )
    progress("done", 1.0)
    return rows


def poses() -> dict[str, tuple[Any, Any]]:
    """Return poses of the pin with few and with many contacts: place of its leading cap, axis."""
    upright, tilt = (0.0, 0.0, 1.0), 0.01
    leaning = (math.sin(tilt), 0.0, math.cos(tilt))
    slanted = (0.5, 0.0, math.sqrt(0.75))
    return {
        "free, above": ((0.03, 0.0, 0.1), upright),
        "free, inside": ((0.0, 0.0, -0.03), upright),
        "cap on bottom": ((0.0, 0.0, -0.05011), upright),
        "wall and rim": ((0.00011, 0.0, -0.03), upright),
        "wall and rim, on two sides": ((-0.00012, 0.0, -0.03), leaning),
        "body on rim, slanted": (_on_rim(slanted), slanted),
    }


def _on_rim(axis: tuple[float, float, float]) -> tuple[float, float, float]:
    """Place of the cap of a pin whose body lies 10 um deep on the rim, 20 mm along it."""
    ax, _, az = axis
    away = PAIR.pin.radius - 1e-5
    return (PAIR.hole.radius - away * az - 0.02 * ax, 0.0, away * ax - 0.02 * az)


def pair_times(
    name: str, P: tuple[float, float, float], a: tuple[float, float, float]
) -> list[dict[str, Any]]:
    """Time detection and forces of one pin, direct and by search."""
    rows, out = np.zeros((kernels.MOST_ROWS, kernels.COLUMNS)), np.zeros(kernels.TOTALS)
    w, v = (0.1, 0.0, 0.0), (0.0, 0.01, -0.01)
    shapes = {"direct": shape_record(PAIR)}
    for levels in LEVELS:
        shapes[f"search, {levels} levels"] = shape_record(
            dataclasses.replace(PAIR, rim=Rim.SEARCH, levels=levels)
        )
    found = []
    for method, shape in shapes.items():
        value = best_time(lambda n, shape=shape: repeat_pin(shape, P, a, w, v, rows, out, n))  # type: ignore[misc]
        row = {"name": f"pair and step, {name}, {method}", "value": value, "unit": "s"}
        if method == "direct":
            row |= {"peer": "paper", "peer_value": PAPER_PAIR, "ratio": PAPER_PAIR / value, "aim": 0.5e-6}
        found.append(row)
    return found


def rim_difference(one: PinInHole, count: int, seed: int) -> tuple[int, int, float]:
    """Compare search and direct over random poses: poses with the body on a rim, unlike contacts, depth [m]."""
    rng = np.random.default_rng(seed)
    a = rng.normal(size=(count, 3))
    a[::2] = np.array([0.0, 0.0, 1.0]) + rng.choice([0.01, 0.1, 0.3], (len(a[::2]), 1)) * a[::2]
    a /= np.linalg.norm(a, axis=1, keepdims=True)
    R = one.hole.radius
    crossing = np.column_stack([rng.uniform(-1.2 * R, 1.2 * R, (count, 2)), np.zeros(count)])
    P = crossing - rng.uniform(-0.2 * R, one.pin.length + 0.2 * R, (count, 1)) * a
    rows = np.zeros((2, kernels.MOST_ROWS, kernels.COLUMNS))
    search = dataclasses.replace(one, rim=Rim.SEARCH)
    touched, unlike, largest = compare_manifolds(
        shape_record(one), shape_record(search), P, a, rows[0], rows[1]
    )
    return int(touched), int(unlike), float(largest)


def best_time(work: Callable[[int], Any], count: int = 1000, repeats: int = 30) -> float:
    """Return the shortest processor time [s] of one of `count` repetitions."""
    work(1)
    times = []
    for _ in range(repeats):
        start = time.thread_time()
        work(count)
        times.append(time.thread_time() - start)
    return min(times) / count
