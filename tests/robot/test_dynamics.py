"""Dynamics of arms against Pinocchio on the same file, and against the simulation itself."""

import numpy as np
import pytest

from robot.robots import BENT, GRAVITY, LWR, arm, branched, command, simulated_arm, telescopic
from softdock.dynamics.entry_points import derivative
from softdock.robot.bodies import body_name, build_bodies
from softdock.robot.urdf import parse_urdf, read_urdf
from softdock.tree.joints import Free

pinocchio = pytest.importorskip("pinocchio")
ROBOTS = {"lwr": LWR.read_text(encoding="utf-8"), "branched": branched(), "telescopic": telescopic()}
ANGULAR_FIRST = [3, 4, 5, 0, 1, 2]


def symmetric_matrix(M: np.ndarray) -> np.ndarray:
    return np.triu(M) + np.triu(M, 1).T


def random_states(joints: int):
    rng = np.random.default_rng(6)
    for _ in range(20):
        yield rng.uniform(-2, 2, joints), rng.uniform(-2, 2, joints), rng.uniform(-3, 3, joints)


def order_of(model, robot, ours) -> list[int]:
    """Return the indices of the arm's joints in Pinocchio's order."""
    names = {body_name(j.child): j.name for j in robot.moving}
    return [model.idx_vs[model.getJointId(names[body])] for body in ours.bodies]


def positions(model, q, order) -> np.ndarray:
    """Return joint positions for Pinocchio: a continuous joint as cosine and sine."""
    out = pinocchio.neutral(model)
    v = np.zeros(model.nv)
    v[order] = q
    return pinocchio.integrate(model, out, v)


@pytest.mark.plain_python
@pytest.mark.parametrize("name", ROBOTS)
def test_mass_matrix_bias_gravity_and_jacobian_equal_pinocchios(name):
    robot = parse_urdf(ROBOTS[name])
    model = pinocchio.buildModelFromXML(ROBOTS[name])
    data, ours = model.createData(), arm(robot)
    order = order_of(model, robot, ours)
    tip = robot.moving[-1].child
    for q, u, a in random_states(ours.joints):
        p, v, w = positions(model, q, order), np.zeros(model.nv), np.zeros(model.nv)
        v[order], w[order] = u, a
        M = symmetric_matrix(pinocchio.crba(model, data, p))[np.ix_(order, order)]
        np.testing.assert_allclose(ours.mass_matrix(q), M, atol=1e-10 * np.abs(M).max())
        for mine, theirs in (
            (ours.bias(q, u, GRAVITY), pinocchio.nonLinearEffects(model, data, p, v)),
            (ours.gravity_torque(q, GRAVITY), pinocchio.computeGeneralizedGravity(model, data, p)),
            (ours.inverse_dynamics(q, u, a, GRAVITY), pinocchio.rnea(model, data, p, v, w)),
        ):
            np.testing.assert_allclose(mine, theirs[order], atol=1e-10 * np.abs(theirs).max())
        frame = model.getFrameId(tip)
        J = pinocchio.computeFrameJacobian(model, data, p, frame, pinocchio.LOCAL_WORLD_ALIGNED)
        np.testing.assert_allclose(ours.jacobian(q, tip), J[ANGULAR_FIRST][:, order], atol=1e-12)


@pytest.mark.plain_python
def test_a_floating_base_equals_pinocchios_free_flyer():
    robot, text = read_urdf(LWR), ROBOTS["lwr"]
    model = pinocchio.buildModelFromXML(text, pinocchio.JointModelFreeFlyer())
    data, ours = model.createData(), arm(robot, mount=Free())
    assert ours.floating
    rng = np.random.default_rng(3)
    swap = [*ANGULAR_FIRST, *range(6, 13)]
    for q, _, _ in random_states(7):
        u = rng.uniform(-1, 1, 13)
        p = pinocchio.neutral(model)
        p[7:] = q
        M = symmetric_matrix(pinocchio.crba(model, data, p))[np.ix_(swap, swap)]
        h = pinocchio.nonLinearEffects(model, data, p, u[swap])[swap]
        got = ours.dynamics(q, u, GRAVITY)
        np.testing.assert_allclose(got.M, M, atol=1e-10 * np.abs(M).max())
        np.testing.assert_allclose(got.h, h, atol=1e-10 * np.abs(h).max())


@pytest.mark.plain_python
@pytest.mark.parametrize("mount", [None, Free()], ids=["table", "floating"])
def test_accelerations_of_the_simulation_match_the_mass_matrix(mount):
    """Two independent methods: articulated bodies in the simulation, composite bodies in the controller's model."""
    gravity = GRAVITY if mount is None else np.zeros(3)
    robot = simulated_arm(mount=mount, gravity=gravity)
    tau = np.array([5.0, -20.0, 3.0, 8.0, -1.0, 0.5, 0.1])
    session, n = robot.session, 7
    session.efforts[-n:] = tau
    rate = np.zeros_like(session.state)
    derivative(session.system, 0.0, session.state, rate)
    q = session.state[:7] if mount is None else session.state[7:14]
    model = robot.arm
    expected = np.linalg.solve(model.effective_mass_matrix(q), tau - model.gravity_torque(q, gravity))
    if mount is not None:
        # Nothing moves yet, so the base only yields.
        assert np.abs(model.effective_mass_matrix(q) - model.mass_matrix(q)).max() > 0.1
    np.testing.assert_allclose(rate[:-2][-n:], expected, rtol=1e-9)


def test_a_link_without_a_legal_name_gets_one():
    text = ROBOTS["branched"].replace('"turn"', '"2/turn"').replace('"base"', '"world"')
    bodies = build_bodies(parse_urdf(text))
    assert "link_2_turn" in bodies
    assert bodies["slide"].parent == "world_link"
    assert bodies["plate"].parent == "link_2_turn"


def test_an_arm_at_its_commanded_position_does_not_move():
    robot = simulated_arm()
    for _ in range(20):
        robot.advance(command(BENT), 0.01)
    state = robot.state()
    np.testing.assert_allclose(state.q, BENT, atol=1e-9)
    np.testing.assert_allclose(state.tau_measured, robot.arm.gravity_torque(BENT, GRAVITY), atol=1e-6)
    np.testing.assert_allclose(state.tau_external, 0.0, atol=1e-12)
