"""Impedance control: damping design, step response, limits and stability under sampling."""

import numpy as np
import pytest

from robot.robots import BENT, GRAVITY, LWR, arm, command, simulated_arm
from softdock.assembly.assembler import assemble
from softdock.dynamics.settings import Settings
from softdock.dynamics.simulation import Simulation
from softdock.elements.spring.model import Spring
from softdock.errors import InputError
from softdock.model.system import Body, System
from softdock.robot.bodies import joint_limits
from softdock.robot.impedance import Compensation, check_sampling, damping_matrix, decoupled_modes
from softdock.robot.urdf import read_urdf
from softdock.tree.joints import Revolute

STIFFNESS = np.array([1000.0, 800.0, 600.0, 400.0, 300.0, 200.0, 50.0])


@pytest.mark.plain_python
def test_decoupled_modes_reproduce_mass_stiffness_and_damping():
    M = arm(read_urdf(LWR)).mass_matrix(BENT)
    modes = decoupled_modes(M, STIFFNESS)
    np.testing.assert_allclose(modes.Q @ modes.Q.T, M, atol=1e-12)
    np.testing.assert_allclose((modes.Q * modes.squares) @ modes.Q.T, np.diag(STIFFNESS), atol=1e-9)
    D = damping_matrix(M, STIFFNESS, np.full(7, 0.7))
    A = np.block(
        [[np.zeros((7, 7)), np.eye(7)], [-np.linalg.solve(M, np.diag(STIFFNESS)), -np.linalg.solve(M, D)]]
    )
    roots = np.linalg.eigvals(A)
    np.testing.assert_allclose(-roots.real / np.abs(roots), 0.7, rtol=1e-8)


@pytest.mark.plain_python
def test_different_damping_ratios_apply_to_their_joints():
    """Where the masses do not couple, every joint has its own ratio."""
    M, k, ratio = np.diag([1.0, 4.0, 0.5]), np.array([9.0, 16.0, 2.0]), np.array([0.2, 0.7, 1.0])
    np.testing.assert_allclose(
        damping_matrix(M, k, ratio), np.diag(2.0 * ratio * np.sqrt(np.diag(M) * k)), atol=1e-12
    )


def step_error(period: float) -> float:
    """Return the largest difference from the closed form after a small step along one mode, relative to the step."""
    robot = simulated_arm(torque_period=period)
    modes = decoupled_modes(robot.arm.mass_matrix(BENT), STIFFNESS)
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
    """A held torque is delayed by half a period: the error is at most w T / 2 and proportional to the period."""
    coarse, fine = step_error(1e-3), step_error(5e-4)
    w = np.sqrt(decoupled_modes(arm(read_urdf(LWR)).mass_matrix(BENT), STIFFNESS).squares[1])
    assert coarse < 0.5 * w * 1e-3
    assert fine == pytest.approx(0.5 * coarse, rel=0.1)


def test_a_constant_torque_deflects_every_joint_by_its_stiffness():
    robot = simulated_arm()
    push = np.array([10.0, -8.0, 6.0, 4.0, 3.0, -2.0, 0.5])
    for _ in range(300):
        robot.advance(command(BENT, stiffness=STIFFNESS, tau_ff=push), 0.01)
    np.testing.assert_allclose(robot.state().q - BENT, push / STIFFNESS, rtol=1e-6)


def test_torques_and_speeds_stay_within_their_limits():
    robot = simulated_arm(gravity=np.zeros(3))
    limits, fastest_profile = robot.limits, np.zeros(7)
    asked = command(BENT + np.array([1.5, 0, 0, 0, 0, 0, 0]), stiffness=2000.0 * np.eye(7)[0] + 50.0)
    strongest = 0.0
    for _ in range(500):
        robot.advance(asked, 0.001)
        state = robot.state()
        fastest_profile = np.maximum(fastest_profile, np.abs(state.qdot) / limits.speed)
        strongest = max(strongest, np.abs(state.tau_measured / limits.torque).max())
    assert strongest == 1.0
    assert fastest_profile.max() == pytest.approx(
        1.0, abs=1e-3
    )  # error by the change of posture within a millisecond


def test_an_unstable_stiffness_is_rejected_and_diverges():
    model, names = arm(read_urdf(LWR)).mass_matrix(BENT), tuple("abcdefg")
    ratio = np.full(7, 0.7)
    check_sampling(model, STIFFNESS, ratio, 1e-3, names)
    stiff = STIFFNESS.copy()
    stiff[6] = 1000.0
    with pytest.raises(
        InputError, match="a torque period of 1 ms is too long for the stiffness of joint 'g'"
    ):
        check_sampling(model, stiff, ratio, 1e-3, names)
    for stiffness, grows in ((STIFFNESS, False), (stiff, True)):
        robot = simulated_arm()
        for _ in range(20):
            robot.advance(command(BENT + 1e-6, stiffness=stiffness), 0.01)
        assert (np.abs(robot.state().qdot).max() > 1e-3) == grows


def test_without_compensation_an_arm_sags_by_its_weight_over_its_stiffness():
    robot = simulated_arm(compensation=Compensation.NONE)
    for _ in range(300):
        robot.advance(command(BENT, stiffness=250.0), 0.01)
    q = robot.state().q
    np.testing.assert_allclose(250.0 * (BENT - q), robot.arm.gravity_torque(q, GRAVITY), atol=1e-4)


@pytest.mark.plain_python
def test_limits_equal_those_of_the_urdf_file():
    limits = joint_limits(read_urdf(LWR))
    assert limits.joints == 7
    np.testing.assert_allclose(limits.q_min, -limits.q_max)


@pytest.mark.plain_python
def test_coulomb_friction_stops_a_wheel_at_the_predicted_time():
    """I w0 / f, with its energy dissipated; the regularisation prolongs it slightly."""
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
