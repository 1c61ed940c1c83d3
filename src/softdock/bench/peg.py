"""Benchmark of pins in holes: time of one pair, direct and by search, and the number of pins in real time."""

import dataclasses
import math
import time
from typing import Any

import numpy as np

from softdock.bench.entry_points import compare_manifolds, repeat_pin
from softdock.bench.measurement import Row, compare, row, shortest_loop_time
from softdock.contact.kernels import pin_rows
from softdock.contact.kernels import pins as kernels
from softdock.contact.layer import CoulombFriction
from softdock.contact.pins import PinInHole, PinLaw, Rim, shape_record
from softdock.geometry.pins import Hole, Pin
from softdock.presentation.progress import Progress
from softdock.scenario.base import ScenarioBase
from softdock.scenario.loading import load
from softdock.scenario.multibody import MultibodyScenario
from softdock.simulation import simulate
from softdock.simulation.multibody import PreparedMultibody
from softdock.simulation.real_time import FRAME, RealTime, run_in_frames

PAPER_PAIR = 20e-6
"""Time per pair and step in the paper [s], on a 4.13 GHz desktop processor."""
LAW = PinLaw(stiffness=1e6, damping=1.0, friction=CoulombFriction(coefficient=0.2))
PAIR = PinInHole(pin=Pin(radius=0.0174, length=0.06), hole=Hole(radius=0.0175, straight=0.05), law=LAW)
"""The paper's diameter of 3.5 cm, with a clearance of 0.2 mm."""
LEVELS = (8, 16)
POSES = 100_000
SUBSTEPS_OF_TWENTY, SUBSTEPS_OF_MANY = 10, 4
COUNTS = (200, 500, 1000, 1500, 2000, 3000, 4000, 6000, 8000)


def run(progress: Progress, /) -> list[Row]:
    """Measure and return one row per quantity."""
    progress("pairs", 0.0)
    rows = [one for name, pose in poses().items() for one in pair_times(name, *pose)]
    progress("search against direct", 0.3)
    _, unlike, largest = rim_difference(PAIR, POSES, 1)
    rows.append(row(f"search against direct, contacts that differ in {POSES} poses", unlike, "1", 0))
    rows.append(row("search against direct, largest difference of depth", largest, "m", 1e-9))
    progress("20 pins in frames", 0.5)
    rows += frames_of_twenty()
    progress("many pins in frames", 0.6)
    rows += many_pins()
    return rows


def poses() -> dict[str, tuple[Any, Any]]:
    """Return poses of the pin with few and with many contacts: position of its tip [m] and axis."""
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
    """Return the tip position of a pin whose body is 10 um deep on the rim, 20 mm from the tip [m]."""
    ax, _, az = axis
    away = PAIR.pin.radius - 1e-5
    return (PAIR.hole.radius - away * az - 0.02 * ax, 0.0, away * ax - 0.02 * az)


def pair_times(name: str, P: tuple[float, float, float], a: tuple[float, float, float]) -> list[Row]:
    """Time detection and forces of one pin, direct and by search."""
    rows, out = np.zeros((pin_rows.MAXIMUM_ROWS, pin_rows.COLUMNS)), np.zeros(kernels.TOTALS_SIZE)
    w, v = (0.1, 0.0, 0.0), (0.0, 0.01, -0.01)
    shapes = {"direct": shape_record(PAIR)}
    for levels in LEVELS:
        shapes[f"search, {levels} levels"] = shape_record(
            dataclasses.replace(PAIR, rim=Rim.SEARCH, levels=levels)
        )
    results = []
    for method, shape in shapes.items():
        value = shortest_loop_time(
            lambda n, shape=shape: repeat_pin(shape, P, a, w, v, rows, out, n),  # type: ignore[misc]
            1000,
            clock=time.thread_time,
        )
        direct = method == "direct"
        measured = row(f"pair and step, {name}, {method}", value, "s", 0.5e-6 if direct else None)
        results.append(compare(measured, "paper", PAPER_PAIR, PAPER_PAIR / value) if direct else measured)
    return results


def rim_difference(pin: PinInHole, count: int, seed: int) -> tuple[int, int, float]:
    """Compare search and direct over random poses; return poses on a rim, differing contacts, depth difference [m]."""
    rng = np.random.default_rng(seed)
    a = rng.normal(size=(count, 3))
    a[::2] = np.array([0.0, 0.0, 1.0]) + rng.choice([0.01, 0.1, 0.3], (len(a[::2]), 1)) * a[::2]
    a /= np.linalg.norm(a, axis=1, keepdims=True)
    R = pin.hole.radius
    crossing = np.column_stack([rng.uniform(-1.2 * R, 1.2 * R, (count, 2)), np.zeros(count)])
    P = crossing - rng.uniform(-0.2 * R, pin.pin.length + 0.2 * R, (count, 1)) * a
    rows = np.zeros((2, pin_rows.MAXIMUM_ROWS, pin_rows.COLUMNS))
    search = dataclasses.replace(pin, rim=Rim.SEARCH)
    touched, unlike, largest = compare_manifolds(
        shape_record(pin), shape_record(search), P, a, rows[0], rows[1]
    )
    return int(touched), int(unlike), float(largest)


def frames_of_twenty() -> list[Row]:
    """Time the frames of the bundled scenario with 20 pins, the largest number in real time in the paper."""
    scenario = load("pins-20")
    worst, mean = frame_times(scenario, SUBSTEPS_OF_TWENTY, repeats=9)
    free, _ = frame_times(scenario, None, repeats=5)
    exact, quick = (insertion(scenario, n) for n in (None, SUBSTEPS_OF_TWENTY))
    error = float(np.abs(quick - exact).max())
    measured = row(f"20 pins, worst frame of 10 ms, {SUBSTEPS_OF_TWENTY} substeps", worst, "s", 1e-3)
    return [
        compare(measured, "paper (in real time)", FRAME, FRAME / worst),
        row(f"20 pins, mean frame of 10 ms, {SUBSTEPS_OF_TWENTY} substeps", mean, "s"),
        row("20 pins, worst frame of 10 ms, error control", free, "s"),
        row("20 pins, error of the insertion by substeps", error, "m"),
    ]


def insertion(scenario: ScenarioBase, substeps: int | None) -> Any:
    """Return the insertion depth of the pins every 10 ms [m]."""
    how = RealTime(frame=FRAME, paced=False, substeps=substeps)
    result = simulate(scenario, with_prediction=False, real_time=how)
    grid = np.arange(0.0, 0.8, FRAME)
    return np.interp(grid, result.history.time, result.history.channels["berth.insertion"].values)


def many_pins() -> list[Row]:
    """Time the worst frame for increasing numbers of pins, up to the first that is not in real time."""
    rows, in_time = [], 0
    for count in COUNTS:
        worst, _ = frame_times(load("pins-200", plate_of(count)), SUBSTEPS_OF_MANY, repeats=5)
        rows.append(row(f"{count} pins, worst frame of 10 ms, {SUBSTEPS_OF_MANY} substeps", worst, "s"))
        if worst > FRAME:
            break
        in_time = count
    return [*rows, row("pins in real time", in_time, "1", 1000)]


def plate_of(count: int) -> list[str]:
    """Return overrides that give the plate `count` pins in rows of 20, with the same total stiffness."""
    grid = f"{{rows: {count // 20}, columns: 20, pitch: 12 mm}}"
    stiffness = f"interfaces.berth.contact.stiffness={2e4 * 200 / count:g}"
    return [f"interfaces.berth.layout.grid={grid}", stiffness]


def frame_times(scenario: ScenarioBase, substeps: int | None, repeats: int) -> tuple[float, float]:
    """Return the processor time of the worst and of the mean frame [s], each the shortest over all repeats.

    A frame does the same work in every repeat; longer times come from other load on the machine.
    """
    assert isinstance(scenario, MultibodyScenario)
    how = RealTime(frame=FRAME, paced=False, substeps=substeps)
    simulation = PreparedMultibody(scenario).simulation
    simulation = dataclasses.replace(simulation, settings=how.settings(simulation.settings))
    runs = [run_in_frames(simulation.begin(), scenario.duration, how).processor for _ in range(repeats)]
    shortest = [min(frame) for frame in zip(*runs)]
    return max(shortest), sum(shortest) / len(shortest)
