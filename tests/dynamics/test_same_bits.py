"""The same inputs give the same bits in repeated runs, in threads and with every instruction set."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from dynamics.systems import (
    EPS,
    SCENE_NAMES,
    SCENES,
    assemble,
    evaluate,
    scene,
    simulate,
    simulate_with_peaks,
)
from softdock.elements.spring.model import Spring
from softdock.elements.stop.model import Stop
from softdock.model.system import Body, System
from softdock.native.library import usable_builds
from softdock.tree.joints import Prismatic

SCRIPT = """
import sys
sys.path.insert(0, sys.argv[1])
from dynamics.systems import scene, simulate
for kind in ("universal", "planar"):
    print(simulate(scene(kind, True, lossy=True), 0.05, step=0.01).state.tobytes().hex())
"""


def states_in_another_process(**environment):
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(Path(__file__).parents[1])],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **environment},
    )
    return [np.frombuffer(bytes.fromhex(line)) for line in done.stdout.split()]


def states_in_this_process():
    return [
        simulate(scene(kind, True, lossy=True), 0.05, step=0.01).state for kind in ("universal", "planar")
    ]


@pytest.mark.parametrize(("kind", "floating"), SCENES, ids=SCENE_NAMES)
def test_repeated_runs_have_the_same_bits(kind, floating):
    runs = [simulate(scene(kind, floating, lossy=True), 1.0) for _ in range(2)]
    assert runs[0].state.tobytes() == runs[1].state.tobytes()
    assert runs[0].evaluations == runs[1].evaluations


def test_run_does_not_change_its_assembly():
    assembly = assemble(scene("spherical", True, lossy=True))
    first = simulate(assembly, 1.0)
    assert simulate(assembly, 1.0).state.tobytes() == first.state.tobytes()


def test_runs_in_two_threads_have_the_bits_of_one():
    systems = [scene(kind, floating, lossy=True, seed=seed) for kind, floating in SCENES for seed in (3, 4)]
    alone = [simulate(system, 2.0).state.tobytes() for system in systems]
    with ThreadPoolExecutor(2) as pool:
        together = [run.state.tobytes() for run in pool.map(lambda system: simulate(system, 2.0), systems)]
    assert together == alone


@pytest.mark.parametrize("build", usable_builds())
def test_every_instruction_set_gives_the_same_bits(build):
    for a, b in zip(states_in_another_process(SOFTDOCK_KERNELS=build), states_in_this_process()):
        assert a.tobytes() == b.tobytes()


def test_plain_python_agrees_to_rounding():
    """Compiled code may round powers and sums differently; there is no other difference."""
    for a, b in zip(states_in_another_process(SOFTDOCK_KERNELS="python"), states_in_this_process()):
        assert np.abs(a - b).max() <= 1e-13 * np.abs(b).max()


@pytest.mark.plain_python
@pytest.mark.parametrize(("kind", "floating"), SCENES, ids=SCENE_NAMES)
def test_every_joint_runs_a_few_steps(kind, floating):
    """The run has all elements and is small enough for plain Python and for the build that checks bounds."""
    system = scene(kind, floating, lossy=True)
    coarse, fine = (simulate(system, 0.02, step=step) for step in (0.01, 0.005))
    assert (coarse.steps, fine.steps) == (2, 4)
    drift = [abs(run.end.balance - run.start.balance) for run in (coarse, fine)]
    assert drift[1] <= max(drift[0] / 2**4.2, 1e3 * EPS * (coarse.start.kinetic + coarse.start.stored))


@pytest.mark.plain_python
def test_record_and_peaks_of_a_small_run():
    system = System(
        bodies={"mass": Body(mass=1.0, joint=Prismatic(position=0.1))},
        springs={"spring": Spring(joint="mass", stiffness=400.0)},
        stops={"stop": Stop(joint="mass", lower=-0.05, stiffness=1000.0, damping=1.0)},
    )
    run, seen = simulate_with_peaks(
        system, ["mass.joint", "stop.force", "mass.vz", "mass.tilt"], 0.3, step=0.02
    )
    assert run.peaks[0].largest == 0.1
    assert run.peaks[1].largest > 0.0
    assert seen["mass.tilt"].max() == 0.0
    _, records = evaluate(assemble(system))
    assert len(records.elements) == 2
