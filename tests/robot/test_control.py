"""Impedance control: the damping design, what a step does, limits, and the end of what sampling allows."""

import numpy as np
import pytest

from robot.robots import BENT, GRAVITY, LWR, arm, command, simulated
from softdock.assembly.assembler import assemble
from softdock.dynamics.settings import Settings
from softdock.dynamics.simulation import Simulation
from softdock.errors import InputError
from softdock.model.joints import Revolute
from softdock.model.system import Body, Spring, System
from softdock.robot.bodies import limits_of
from softdock.robot.impedance import Compensation, check_sampling, damping_of, modes_of
from softdock.robot.urdf import read_urdf

STIFFNESS = np.array([1000.0, 800.0, 600.0, 400.0, 300.0, 200.0, 50.0])


def test_the_modes_rebuild_mass_and_stiffness_and_have_the_wanted_damping():
    M = arm(read_urdf(LWR)).mass_matrix(BENT)
    modes = modes_of(M, STIFFNESS)
    np.testing.assert_allclose(modes.Q @ modes.Q.T, M, atol=1e-12)
    np.testing.assert_allclose((modes.Q * modes.squares) @ modes.Q.T, np.diag(STIFFNESS), atol=1e-9)
    D = damping_of(M, STIFFNESS, np.full(7, 0.7))
    A = np.block(
        [[np.zeros((7, 7)), np.eye(7)], [-np.linalg.solve(M, np.diag(STIFFNESS)), -np.linalg.solve(M, D)]]
    )
    roots = np.linalg.eigvals(A)
    np.testing.assert_allclose(-roots.real / np.abs(roots), 0.7, rtol=1e-8)


def test_different_ratios_reach_the_joints_that_they_are_meant_for():
    """Where the masses do not couple, every joint has its own ratio."""
    M, k, ratio = np.diag([1.0, 4.0, 0.5]), np.array([9.0, 16.0, 2.0]), np.array([0.2, 0.7, 1.0])
    np.testing.assert_allclose(
        damping_of(M, k, ratio), np.diag(2.0 * ratio * np.sqrt(np.diag(M) * k)), atol=1e-12
    )


def step_error(period: float) -> float:
    """Largest difference from the closed form after a small step along one mode, relative to the step."""
    robot = simulated(torque_period=period)
    modes = modes_of(robot.arm.mass_matrix(BENT), STIFFNESS)
    shape = np.linalg.inv(modes.Q).T
    mode, small = 1, 1e-4
    step = small * shape[:, mode]
    asked = command(BENT + step, stiffness=STIFFNESS)
    w, damping = np.sqrt(modes.squares[mode]), 0.7
    wd = w * np.sqrt(1.0 - damping**2)
    worst = 0.0
    for _ in range(100):
        robot.advance(asked, 0.01)
        t = robot.state().t
        expected = 1.0 - np.exp(-damping * w * t) * (np.cos(wd * t) + damping * w / wd * np.sin(wd * t))
        moved = modes.Q[:, mode] @ (robot.state().q - BENT) / small
        worst = max(worst, abs(moved - expected))
    return worst


def test_a_step_response_has_the_designed_stiffness_and_damping():
    """A held torque is late by half a period: the error is w T / 2 at most and halves with the period."""
    coarse, fine = step_error(1e-3), step_error(5e-4)
    w = np.sqrt(modes_of(arm(read_urdf(LWR)).mass_matrix(BENT), STIFFNESS).squares[1])
    assert coarse < 0.5 * w * 1e-3
    assert fine == pytest.approx(0.5 * coarse, rel=0.1)


def test_a_constant_torque_deflects_every_joint_by_its_stiffness():
    robot = simulated()
    push = np.array([10.0, -8.0, 6.0, 4.0, 3.0, -2.0, 0.5])
    for _ in range(300):
        robot.advance(command(BENT, stiffness=STIFFNESS, tau_ff=push), 0.01)
    np.testing.assert_allclose(robot.state().q - BENT, push / STIFFNESS, rtol=1e-6)


def test_torques_and_speeds_stay_within_their_limits():
    robot = simulated(gravity=np.zeros(3))
    limits, fastest = robot.limits, np.zeros(7)
    asked = command(BENT + np.array([1.5, 0, 0, 0, 0, 0, 0]), stiffness=2000.0 * np.eye(7)[0] + 50.0)
    strongest = 0.0
    for _ in range(500):
        robot.advance(asked, 0.001)
        state = robot.state()
        fastest = np.maximum(fastest, np.abs(state.qdot) / limits.speed)
        strongest = max(strongest, np.abs(state.tau_measured / limits.torque).max())
    assert strongest == 1.0
    assert fastest.max() == pytest.approx(1.0, abs=1e-3)  # what a millisecond's change of posture leaves


def test_a_stiffness_that_a_held_torque_cannot_damp_is_refused_and_really_grows():
    model, names = arm(read_urdf(LWR)).mass_matrix(BENT), tuple("abcdefg")
    ratio = np.full(7, 0.7)
    check_sampling(model, STIFFNESS, ratio, 1e-3, names)
    stiff = STIFFNESS.copy()
    stiff[6] = 1000.0
    with pytest.raises(InputError, match="held for 1 ms, the torque of 'g' comes too late"):
        check_sampling(model, stiff, ratio, 1e-3, names)
    for stiffness, grows in ((STIFFNESS, False), (stiff, True)):
        robot = simulated()
        for _ in range(20):
            robot.advance(command(BENT + 1e-6, stiffness=stiffness), 0.01)
        assert (np.abs(robot.state().qdot).max() > 1e-3) == grows


def test_without_compensation_an_arm_sags_by_its_weight_over_its_stiffness():
    robot = simulated(compensation=Compensation.NONE)
    for _ in range(300):
        robot.advance(command(BENT, stiffness=250.0), 0.01)
    q = robot.state().q
    np.testing.assert_allclose(250.0 * (BENT - q), robot.arm.gravity_torque(q, GRAVITY), atol=1e-4)


def test_limits_are_those_of_the_file():
    limits = limits_of(read_urdf(LWR))
    assert limits.joints == 7
    np.testing.assert_allclose(limits.q_min, -limits.q_max)


def test_coulomb_friction_stops_a_wheel_after_the_time_that_it_takes():
    """I w0 / f, and all its energy is in the books; the regularisation prolongs it by little."""
    wheel = Body(mass=1.0, inertia=(0.1, 0.1, 0.2), joint=Revolute(rate=5.0))
    system = System(
        bodies={"wheel": wheel}, springs={"bearing": Spring(joint="wheel", friction=0.5, friction_speed=1e-4)}
    )
    simulation = Simulation(assembly=assemble(system), settings=Settings(duration=2.5))
    session = simulation.begin()
    session.advance(1.0)
    assert session.state[1] == pytest.approx(5.0 - 0.5 / 0.2 * 1.0, rel=1e-6)
    session.advance(2.5)
    run = session.finish()
    assert run.state[0] == pytest.approx(0.5 * 0.2 * 25.0 / 0.5, rel=1e-4)  # energy over friction
    assert abs(run.state[1]) < 1e-3
    assert run.end.dissipated == pytest.approx(0.5 * 0.2 * 25.0, rel=1e-6)
