"""Locks: the impulse when a lock closes, and the motion of locked bodies."""

from dataclasses import replace

import numpy as np
import pytest

from dynamics.flexible_systems import bent_boom, flexible_scene
from dynamics.systems import TIGHT, assemble, body_pose, joint, simulate, solid, weld_impulse
from softdock.assembly.arrays import Assembly
from softdock.elements.lock.model import Lock
from softdock.flexible import base_modes, mesh, motion_about, weld
from softdock.model.structures import Flexible
from softdock.model.system import Body, System
from softdock.spatial.inertia import rigid_inertia_matrix
from softdock.tree.frames import Anchor
from softdock.tree.indices import StateKind
from softdock.tree.joints import Free

SCENES = [("free", True), ("revolute", True), ("universal", True), ("spherical", False), ("planar", True)]


def locked_trees(kind: str, floating: bool, seed: int) -> Assembly:
    """Return two trees locked to each other from the start, with deformed and vibrating structures."""
    system = flexible_scene(kind, floating, seed=seed)
    rng = np.random.default_rng(seed)
    bodies = {
        **system.bodies,
        "mate": Body(**solid(rng), joint=joint("free", rng)),
        "grip": Body(**solid(rng), joint=joint("universal", rng), parent="mate"),
    }
    locks = {
        "dock": Lock(
            a=Anchor(body="hand", at=(0.1, 0.0, 0.0)), b=Anchor(body="grip", at=(0.0, 0.2, 0.0)), active=True
        )
    }
    assembly = assemble(
        System(bodies=bodies, structures=system.structures, gravity=system.gravity, locks=locks)
    )
    y = assembly.y.copy()
    for state, size in ((StateKind.MODAL, 0.02), (StateKind.MODAL_RATE, 0.1)):
        here = assembly.state_kinds == state
        y[here] = size * rng.normal(size=here.sum())
    return replace(assembly, y=y)


@pytest.mark.plain_python
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("kind", "floating"), SCENES)
def test_closing_a_lock_causes_the_weld_impulse(kind, floating, seed):
    """For random systems: the state is that of the weld impulse, energy falls, momentum is kept to 1e-12."""
    assembly = locked_trees(kind, floating, seed)
    after, lost = weld_impulse(
        assembly, assembly.y, assembly.placed["hand"].link, assembly.placed["grip"].link
    )
    run = simulate(assembly, duration=1e-12, record_rate=0)
    np.testing.assert_allclose(run.state[:-2], after[:-2], atol=1e-10)
    assert run.end.dissipated == pytest.approx(lost, rel=1e-9)
    assert lost > 0.0
    kept = run.end.kinetic + lost - run.start.kinetic
    assert abs(kept) <= 1e-10 * run.start.kinetic
    if floating:
        for before, now, scale in (
            (run.start.linear_momentum, run.end.linear_momentum, run.start.momentum_scale),
            (run.start.angular_momentum, run.end.angular_momentum, run.start.angular_momentum_scale),
        ):
            assert np.abs(now - before).max() <= 1e-12 * scale


@pytest.mark.parametrize(("kind", "floating"), SCENES)
def test_locked_bodies_keep_their_relative_pose(kind, floating):
    assembly = locked_trees(kind, floating, 4)
    run = simulate(assembly, accuracy=TIGHT, record_rate=0, duration=2.0)
    (R_0, p_0), (S_0, q_0), (R_1, p_1), (S_1, q_1) = (
        body_pose(assembly, y, body) for y in (assembly.y, run.state) for body in ("hand", "grip")
    )
    np.testing.assert_allclose(R_1.T @ (q_1 - p_1), R_0.T @ (q_0 - p_0), atol=1e-9)
    np.testing.assert_allclose(R_1.T @ S_1, R_0.T @ S_0, atol=1e-9)
    assert abs(run.end.balance - run.start.balance) <= 1e-9
    if floating:
        assert np.abs(run.end.linear_momentum - run.start.linear_momentum).max() <= 1e-13 * run.steps
        assert np.abs(run.end.angular_momentum - run.start.angular_momentum).max() <= 1e-13 * run.steps


def test_bodies_in_a_loop_of_locks_keep_their_relative_poses():
    """Three bodies have three locks, one of which is redundant."""
    rng = np.random.default_rng(8)
    bodies = {name: Body(**solid(rng), joint=joint("free", rng)) for name in "abc"}
    pairs = {"ab": ("a", "b"), "bc": ("b", "c"), "ca": ("c", "a")}
    locks = {name: Lock(a=Anchor(body=x), b=Anchor(body=y), active=True) for name, (x, y) in pairs.items()}
    assembly = assemble(System(bodies=bodies, locks=locks))
    run = simulate(assembly, accuracy=TIGHT, record_rate=0, duration=2.0)
    for x, y in pairs.values():
        (R_0, p_0), (S_0, q_0), (R_1, p_1), (S_1, q_1) = (
            body_pose(assembly, s, body) for s in (assembly.y, run.state) for body in (x, y)
        )
        assert np.abs(R_1 - R_0).max() > 0.1  # the bodies turn
        np.testing.assert_allclose(R_1.T @ (q_1 - p_1), R_0.T @ (q_0 - p_0), atol=1e-9)
        np.testing.assert_allclose(R_1.T @ S_1, R_0.T @ S_0, atol=1e-9)
    assert abs(run.end.balance - run.start.balance) <= 1e-9


@pytest.mark.plain_python
def test_docking_with_a_structure_equals_the_closed_form():
    """A rigid body docks with the base of a free structure: Eqs. (F19)-(F22)."""
    structure = bent_boom(np.random.default_rng(1))
    modes = base_modes(mesh(structure), "root", 7)
    mass, inertia, centre, velocity = (
        2.0,
        (0.3, 0.2, 0.4),
        np.array([0.3, -0.4, 0.2]),
        np.array([0.1, 0.05, -0.02]),
    )
    wanted = weld(
        modes,
        body=rigid_inertia_matrix(mass, centre, np.diag(inertia)),
        body_motion=motion_about(centre, velocity),
    )
    system = System(
        bodies={
            "station": Body(joint=Free()),
            "chaser": Body(
                mass=mass, inertia=inertia, joint=Free(position=tuple(centre), velocity=tuple(velocity))
            ),
        },
        structures={"s": Flexible(body="station", base="root", members=structure, modes=7)},
        locks={"dock": Lock(a=Anchor(body="station"), b=Anchor(body="chaser"), active=True)},
    )
    assembly = assemble(system)
    run = simulate(assembly, duration=1e-12, record_rate=0)
    np.testing.assert_allclose(
        run.state[assembly.state_kinds == StateKind.MODAL_RATE], wanted.modal_rate, atol=1e-9
    )
    assert run.end.dissipated == pytest.approx(wanted.loss, rel=1e-9)
