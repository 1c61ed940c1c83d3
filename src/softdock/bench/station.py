"""Benchmark of flexible stations: 200 s of docking and vibration, time per mode, and modes of a large structure."""

import time
from typing import Any

import numpy as np

import softdock
from softdock.bench.entry_points import repeat_derivative
from softdock.bench.measurement import Row, row, shortest_loop_time, shortest_time
from softdock.dynamics.simulation import Simulation
from softdock.dynamics.system_records import system_records
from softdock.flexible.meshing import mesh
from softdock.flexible.modes import base_modes
from softdock.flexible.structure import Beam, RigidPart, Section, Structure
from softdock.presentation.progress import Progress
from softdock.scenario.station import StationScenario
from softdock.simulation.multibody import PreparedMultibody
from softdock.simulation.station import as_multibody

COUNTS = (0, 8, 28, 60, 120, 200)
TARGET_MODES = 60
SIDE = 91
"""Nodes along each side of the large structure: 91 x 91 x 6 = 49 686 degrees of freedom."""
LARGE_MODES = 60
REPEATS = 7
EVALUATIONS = 1000


def run(progress: Progress, /) -> list[Row]:
    """Measure and return one row per quantity."""
    rows: list[Row] = []
    for i, count in enumerate(COUNTS):
        progress(f"{count} modes", 0.5 * i / len(COUNTS))
        rows += _docking_rows(count)
    progress("modes of a large structure", 0.5)
    rows += _large_structure_rows()
    return rows


def docking(modes: int) -> Simulation:
    """Return the prepared simulation of 200 s of power-tower-x with this number of modes."""
    changes: dict[str, Any] = {"modes": modes} if modes else {"model": "rigid"}
    scenario = softdock.load("power-tower-x", changes)
    assert isinstance(scenario, StationScenario)
    return PreparedMultibody(as_multibody(scenario)).simulation


def _docking_rows(modes: int) -> list[Row]:
    """Time the docking, and one evaluation of the equations of motion."""
    simulation = docking(modes)
    records, y = system_records(simulation.assembly), simulation.assembly.y
    slope = np.zeros_like(y)
    loop_time = shortest_loop_time(
        lambda n: repeat_derivative(records, y, slope, n), EVALUATIONS, REPEATS, time.thread_time
    )
    simulation.run()  # warm-up
    whole = shortest_time(simulation.run, REPEATS, time.thread_time)
    return [
        row(
            f"200 s of power-tower-x, {modes} modes",
            1e3 * whole,
            "ms",
            50.0 if modes == TARGET_MODES else None,
        ),
        row(f"one evaluation, {modes} modes", 1e6 * loop_time, "us"),
    ]


def _large_structure_rows() -> list[Row]:
    """Time the assembly and the lowest modes of a large structure."""
    structure = grid(SIDE)
    start = time.thread_time()
    meshed = mesh(structure)
    assembled = time.thread_time()
    base_modes(meshed, "corner", LARGE_MODES)
    began = time.thread_time()
    freedoms = 6 * len(meshed.names)
    return [
        row(f"assembly, {freedoms} degrees of freedom", assembled - start, "s"),
        row(f"{LARGE_MODES} modes, {freedoms} degrees of freedom", began - assembled, "s", 60.0),
    ]


def grid(side: int) -> Structure:
    """Return a square grid of beams with a pitch of 1 m and a heavy part at the node `corner`."""
    # EA [N], EI and GJ [N m2], mass [kg/m] and polar moment of inertia [kg m] per length
    section = Section(axial=1e7, bending_y=2e5, bending_z=3e5, torsion=1e5, mass_per_length=3.0, polar=0.1)
    name = {(i, j): f"n{i}-{j}" if i or j else "corner" for i in range(side) for j in range(side)}
    pairs = [((i, j), (i + 1, j)) for i in range(side - 1) for j in range(side)]
    pairs += [((i, j), (i, j + 1)) for i in range(side) for j in range(side - 1)]
    up = (0.0, 0.0, 1.0)
    return Structure(
        nodes={label: (float(i), float(j), 0.0) for (i, j), label in name.items()},
        sections={"bar": section},
        beams={
            f"b{k}": Beam(nodes=(name[a], name[b]), section="bar", side=up) for k, (a, b) in enumerate(pairs)
        },
        parts={"base": RigidPart(node="corner", mass=1e4, inertia=(1e4, 1e4, 1e4))},
    )
