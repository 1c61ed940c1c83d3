"""Accelerations and trajectories against MuJoCo and Pinocchio."""

import numpy as np
import pytest

from dynamics.systems import TIGHT, assemble, joint, simulate, solid
from softdock.model.system import Body, System

mujoco = pytest.importorskip("mujoco")
pytest.importorskip("pinocchio")

from dynamics.trees import (  # noqa: E402
    accelerations,
    mujoco_accelerations,
    mujoco_at_start,
    pinocchio_accelerations,
    random_system,
)


@pytest.mark.plain_python
@pytest.mark.parametrize("decade", range(20))
def test_accelerations_of_random_trees_equal_those_of_other_engines(decade):
    """Two hundred trees, ten per test; errors are relative to the largest acceleration of the system."""
    for seed in range(10 * decade, 10 * decade + 10):
        system = random_system(seed)
        assembly = assemble(system)
        ours = np.concatenate(list(accelerations(system, assembly).values()))
        for theirs in (mujoco_accelerations(system), pinocchio_accelerations(system, assembly)):
            difference = np.abs(ours - np.concatenate(list(theirs.values()))).max()
            assert difference <= 1e-9 * np.abs(ours).max(), seed


def floating_arm(joints: int = 7) -> System:
    rng = np.random.default_rng(12)
    bodies = {"base": Body(**solid(rng), joint=joint("free", rng))}
    for i in range(joints):
        parent = f"link{i - 1}" if i else "base"
        bodies[f"link{i}"] = Body(**solid(rng), parent=parent, joint=joint("revolute", rng))
    return System(bodies=bodies)


@pytest.mark.slow
def test_trajectory_of_a_floating_arm_agrees_with_mujoco_to_the_order_of_its_error():
    """10 s of a tumbling arm: the difference falls with the order of MuJoCo's RK4, 4, down to our own error."""
    system = floating_arm()
    assembly = assemble(system)
    run = simulate(assembly, 10.0, accuracy=TIGHT)
    finer = simulate(assembly, 10.0, step=5e-4)
    n_q = int(assembly.world[0].n_q)
    ours = run.state[:n_q]
    assert np.abs(ours - finer.state[:n_q]).max() <= 1e-6  # our own error
    errors = []
    for step in (2e-3, 1e-3, 5e-4):
        model, data = mujoco_at_start(system)
        model.opt.timestep = step
        mujoco.mj_step(model, data, nstep=round(10.0 / step))
        theirs = data.qpos.copy()
        theirs[3:7] *= np.sign(theirs[3:7] @ ours[3:7])
        errors.append(np.abs(theirs - finer.state[:n_q]).max())
    print(errors)
    assert errors[1] < errors[0] / 2**3.5
    assert errors[2] < errors[1] / 2**3.5
