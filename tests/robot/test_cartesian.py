"""Cartesian impedance: static stiffness, damping of each direction, null space, energy, stability under sampling."""

import zlib
from dataclasses import replace

import numpy as np
import pytest

from robot.robots import BENT, GRAVITY, LWR, command, simulated_arm, telescopic
from softdock.assembly.assembler import assemble
from softdock.dynamics.settings import Settings
from softdock.dynamics.simulation import Simulation
from softdock.elements.load.model import Load
from softdock.errors import InputError
from softdock.model.system import System
from softdock.robot.arm import build_arm
from softdock.robot.bodies import body_name, build_bodies, joint_limits
from softdock.robot.impedance import (
    NULL_TOLERANCE,
    Compensation,
    check_task_sampling,
    decoupled_modes,
    unstable_joint,
)
from softdock.robot.link import CartesianImpedance, LinkLostError, Refusal
from softdock.robot.link_local import LocalLink
from softdock.robot.link_remote import RemoteLink
from softdock.robot.link_server import RobotServer
from softdock.robot.protocol import CommandMessage, MalformedError, decode, encode
from softdock.robot.simulated_network import SimulatedNetwork
from softdock.robot.simulated_robot import Drives, SimulatedRobot, design_cartesian
from softdock.robot.urdf import read_urdf
from softdock.scenario.loading import from_data
from softdock.simulation import simulate
from softdock.spatial.poses import Pose
from softdock.spatial.rotations import matrix_from_rotation_vector, rotation_vector_from_matrix

STIFFNESS = np.array([120.0, 80.0, 60.0, 1500.0, 900.0, 400.0])
R_LT = matrix_from_rotation_vector(np.array([0.3, -0.5, 0.8]))
TASK = Pose(R=R_LT, p=np.array([0.02, -0.03, 0.15]))
LAST = 7


def impedance(stiffness=STIFFNESS, ratio=0.7, null=20.0, null_ratio=0.7, base=False) -> CartesianImpedance:
    return CartesianImpedance(
        link=LAST,
        frame=np.array([*TASK.R.ravel(), *TASK.p]),
        stiffness=np.asarray(stiffness, float) * np.ones(6),
        damping_ratio=ratio * np.ones(6),
        null_stiffness=null * np.ones(7),
        null_damping_ratio=null_ratio * np.ones(7),
        in_base_axes=base,
    )


def asked(q, cartesian):
    return replace(command(q), cartesian=cartesian, low_impedance=True)


def pose_of(robot, q) -> Pose:
    robot.arm.pose(q, "base")  # writes the poses of all links
    motion = robot.arm.motion
    return Pose(R=motion.R[LAST].reshape(3, 3).copy(), p=motion.p[LAST].copy()) @ TASK


def pushed_arm(force, torque) -> SimulatedRobot:
    """Return an arm at BENT on which a constant wrench in the world acts at the task frame of its flange."""
    robot = read_urdf(LWR)
    bodies = build_bodies(robot, start=BENT)
    model = build_arm(bodies, "base", [body_name(j.child) for j in robot.moving])
    place = model.assembly.placed["link_7"].X_LB.inverse() @ TASK
    load = Load(body="link_7", at=tuple(place.p), force=tuple(force), torque=tuple(torque), axes="world")
    system = System(bodies=bodies, gravity=tuple(GRAVITY), loads={"push": load})
    simulation = Simulation(assembly=assemble(system), settings=Settings(duration=60.0, record_rate=0.0))
    return SimulatedRobot(simulation, model, Drives(limits=joint_limits(robot), gravity=tuple(GRAVITY)))


@pytest.mark.parametrize("base", [False, True])
@pytest.mark.parametrize("direction", range(6))
def test_a_wrench_deflects_the_tool_by_its_compliance_in_the_axes_of_the_stiffness(base, direction):
    """K^-1 W: only in the direction of the wrench, by wrench over stiffness."""
    free = simulated_arm()
    R_BA = np.eye(3) if base else pose_of(free, BENT).R
    unit = np.zeros(6)
    unit[direction] = 2.0 if direction < 3 else 10.0
    robot = pushed_arm(R_BA @ unit[3:], R_BA @ unit[:3])
    for _ in range(400):
        robot.advance(asked(BENT, impedance(base=base)), 0.01)
    start, end = pose_of(robot, BENT), pose_of(robot, robot.state().q)
    turned = R_BA.T @ rotation_vector_from_matrix(end.R @ start.R.T)
    moved = R_BA.T @ (end.p - start.p)
    np.testing.assert_allclose(np.array([*turned, *moved]), unit / STIFFNESS, atol=1e-7)


def free_decay(ratio: float, mode: int, period: float) -> float:
    """Return the largest difference from the closed form after a small step along one mode of the task frame."""
    robot = simulated_arm(torque_period=period)
    law = impedance(ratio=ratio)
    M = robot.arm.mass_matrix(BENT)
    R = pose_of(robot, BENT).R
    J = robot.arm.link_jacobian(BENT, LAST, TASK.p)
    J = np.vstack([R.T @ J[:3], R.T @ J[3:]])
    inverse = np.linalg.solve(M, J.T)
    inertia = np.linalg.inv(J @ inverse)
    modes = decoupled_modes(inertia, STIFFNESS)
    small = 1e-5
    shape = np.linalg.inv(modes.Q).T[:, mode]
    goal = BENT + small * inverse @ inertia @ shape
    w = np.sqrt(modes.squares[mode])
    wd = w * np.sqrt(1.0 - ratio**2)
    start, worst = pose_of(robot, BENT), 0.0
    for _ in range(60):
        robot.advance(asked(goal, law), 0.01)
        t, now = robot.state().t, pose_of(robot, robot.state().q)
        step = np.array([*R.T @ rotation_vector_from_matrix(now.R @ start.R.T), *R.T @ (now.p - start.p)])
        moved = modes.Q[:, mode] @ step / small
        decay = np.exp(-ratio * w * t) * (np.cos(wd * t) + ratio * w / wd * np.sin(wd * t))
        worst = max(worst, abs(moved - (1.0 - decay)))
    return worst / (w * period)


@pytest.mark.parametrize("ratio", [0.2, 0.7])
@pytest.mark.parametrize("mode", range(6))
def test_every_direction_decays_with_its_damping_ratio_and_its_effective_inertia(ratio, mode):
    """The held torque is late by half a period: the error is a fraction of w T, halved with the period."""
    coarse, fine = free_decay(ratio, mode, 4e-4), free_decay(ratio, mode, 1e-4)
    assert coarse < 0.5 * (1.0 + 1.0 / (np.e * ratio))
    assert fine == pytest.approx(coarse, rel=0.25, abs=0.02)


def test_null_space_motion_leaves_the_tool_where_it_is():
    """But for centrifugal forces, which fall with the square of the speed."""
    robot = simulated_arm()
    J = robot.arm.link_jacobian(BENT, LAST, TASK.p)
    direction = np.linalg.svd(J)[2][-1]
    goal = BENT.copy()
    start = pose_of(robot, BENT)
    for _ in range(200):  # along the null space, which is curved
        own = np.linalg.svd(robot.arm.link_jacobian(goal, LAST, TASK.p))[2][-1]
        goal = goal + 1e-3 * own * np.sign(own @ direction)
        now = pose_of(robot, goal)
        error = np.array([*rotation_vector_from_matrix(start.R @ now.R.T), *start.p - now.p])
        goal = goal + np.linalg.pinv(robot.arm.link_jacobian(goal, LAST, TASK.p)) @ error
    assert np.linalg.norm(goal - BENT) > 0.15
    furthest = []
    for null in (5.0, 1.25):
        robot, away = simulated_arm(), 0.0
        for _ in range(800):
            robot.advance(asked(goal, impedance(null=null)), 0.01)
            away = max(away, float(np.linalg.norm(pose_of(robot, robot.state().q).p - start.p)))
        np.testing.assert_allclose(robot.state().q, goal, atol=1e-5)
        furthest.append(away)
    assert furthest[0] < 1e-3
    assert furthest[1] < 0.4 * furthest[0]


def test_without_damping_the_energy_of_arm_and_spring_is_kept_to_the_order_of_the_torque_period():
    def drift(period: float) -> float:
        robot = simulated_arm(torque_period=period, gravity=np.zeros(3), compensation=Compensation.NONE)
        goal, soft = BENT + 0.02, 0.02 * STIFFNESS
        law = impedance(stiffness=soft, ratio=0.0, null=0.0, null_ratio=0.0)
        R_d = pose_of(robot, goal)
        energies = []
        for _ in range(40):
            robot.advance(asked(goal, law), 0.01)
            state = robot.state()
            M = robot.arm.mass_matrix(state.q)
            now = pose_of(robot, state.q)
            turned = R_d.R.T @ rotation_vector_from_matrix(now.R @ R_d.R.T)
            away = np.array([*turned, *R_d.R.T @ (now.p - R_d.p)])
            energies.append(0.5 * state.qdot @ M @ state.qdot + 0.5 * away @ (soft * away))
        return float(np.ptp(energies) / np.mean(energies))

    coarse, fine = drift(2e-4), drift(5e-5)
    assert fine < 0.05
    assert fine == pytest.approx(0.25 * coarse, rel=0.2)


def test_sampling_limits_the_stiffness_where_the_simulation_diverges():
    model = simulated_arm().arm
    M = model.mass_matrix(BENT)
    limits = {}
    for factor in (1.0, 40.0):
        law = impedance(stiffness=factor * STIFFNESS)
        design = design_cartesian(model, law, M, BENT)
        stable = unstable_joint(M, design.K_joints, design.D_joints, 1e-3, NULL_TOLERANCE) is None
        robot = simulated_arm()
        for _ in range(30):
            robot.advance(asked(BENT + 1e-6, law), 0.01)
        limits[factor] = stable
        assert stable == (np.abs(robot.state().qdot).max() < 1e-3)
    assert limits == {1.0: True, 40.0: False}
    with pytest.raises(InputError, match="too long for this Cartesian stiffness"):
        check_task_sampling(M, design, 1e-3, tuple("abcdefg"))


def test_an_arm_of_three_joints_is_compliant_where_it_can_move(tmp_path):
    """No inverse of a singular matrix: the law is finite, and a step of the command is followed."""
    (tmp_path / "t.urdf").write_text(telescopic(), encoding="utf-8")
    robot = read_urdf(tmp_path / "t.urdf")
    bodies = build_bodies(robot, start=[0.2, 0.1, 0.3])
    model = build_arm(bodies, "base", [body_name(j.child) for j in robot.moving])
    simulation = Simulation(
        assembly=assemble(System(bodies=bodies)), settings=Settings(duration=9.0, record_rate=0.0)
    )
    simulated = SimulatedRobot(simulation, model, Drives(limits=joint_limits(robot)))
    law = CartesianImpedance(
        link=3, frame=np.array([*np.eye(3).ravel(), 0, 0, 0.1]), stiffness=np.array([20.0] * 3 + [500.0] * 3),
        damping_ratio=np.full(6, 0.7), null_stiffness=np.full(3, 1.0), null_damping_ratio=np.full(3, 0.7),
    )  # fmt: skip
    goal = np.array([0.3, 0.15, 0.2])
    for _ in range(600):
        simulated.advance(replace(command(goal), cartesian=law), 0.01)
    np.testing.assert_allclose(simulated.state().q, goal, atol=1e-3)


def test_an_impedance_that_is_no_pose_or_not_finite_is_refused():
    robot = simulated_arm()
    with LocalLink(robot, 1e-2) as link:
        for change, refusal in (
            ({"link": 9}, Refusal.CARTESIAN),
            ({"frame": np.zeros(12)}, Refusal.CARTESIAN),
            ({"stiffness": np.zeros(3)}, Refusal.CARTESIAN),
            ({"stiffness": np.full(6, np.nan)}, Refusal.NOT_FINITE),
            ({"stiffness": np.full(6, -1.0)}, Refusal.STIFFNESS),
            ({"damping_ratio": np.full(6, 9.0)}, Refusal.DAMPING),
            ({}, None),
        ):
            state = link.cycle(replace(command(BENT), cartesian=replace(impedance(), **change)))
            assert state.refusal is refusal
    without = replace(robot.limits, cartesian=False)
    robot.drives = replace(robot.drives, limits=without)
    with LocalLink(robot, 1e-2) as link:
        state = link.cycle(replace(command(BENT), cartesian=impedance()))
        assert state.refusal is Refusal.CARTESIAN


def test_an_impedance_over_a_network_acts_as_in_the_same_process():
    """The same bits, with the impedance in the datagrams; a robot without one does not get the command."""
    law = impedance(base=True)
    states = []
    for remote in (False, True):
        robot = simulated_arm()
        network = SimulatedNetwork(RobotServer(robot, 1e-2))
        with RemoteLink(network.transport()) if remote else LocalLink(robot, 1e-2) as link:
            for k in range(1, 40):
                state = link.cycle(replace(command(BENT + 1e-3 * k), cartesian=law))
            states.append(state)
            assert state.refusal is None
    shared = min(states[0].t, states[1].t)
    assert shared > 0.3
    np.testing.assert_allclose(states[0].q, states[1].q, atol=2e-3)
    without = simulated_arm()
    without.drives = replace(without.drives, limits=replace(without.limits, cartesian=False))
    link = RemoteLink(SimulatedNetwork(RobotServer(without, 1e-2)).transport())
    with link, pytest.raises(LinkLostError, match="has no Cartesian impedance"):
        link.cycle(replace(command(BENT), cartesian=law))


@pytest.mark.plain_python
def test_impedances_are_decoded_exactly_and_damaged_ones_refused():
    given = replace(command(BENT), cartesian=impedance(base=True))
    packet = decode(encode(1, 2, CommandMessage(given, 0.5)))
    read = packet.body.command.cartesian
    for name in ("frame", "stiffness", "damping_ratio", "null_stiffness", "null_damping_ratio"):
        assert getattr(read, name).tobytes() == getattr(given.cartesian, name).tobytes()
    assert (read.link, read.in_base_axes) == (LAST, True)
    data = encode(1, 2, CommandMessage(given, 0.5))
    for cut in (8, 16, 400):
        body = data[: -4 - cut]
        body = body[:6] + (len(body) + 4).to_bytes(2, "little") + body[8:]
        with pytest.raises(MalformedError):
            decode(body + zlib.crc32(body).to_bytes(4, "little"))


SCENARIO = {
    "kind": "robot",
    "gravity": [0, 0, -9.81],
    "arm": {"file": "lwr4plus", "start": ["0 deg", "30 deg", "0 deg", "-80 deg", "0 deg", "70 deg", "0 deg"]},
    "bodies": {
        "tool": {
            "parent": "flange",
            "mass": 0.5,
            "inertia": [1e-3] * 3,
            "joint": {"type": "fixed", "at": [0, 0, 0.1]},
        }
    },
    "tool": {"body": "tool"},
    "loads": {"push": {"body": "tool", "force": [12, -6, 9], "axes": "world"}},
    "control": {"stiffness": [1000, 1000, 1000, 1000, 300, 300, 100]},
    "duration": "5 s",
}
SOFT = {"stiffness": ["600 N/m", "300 N/m", "900 N/m"], "angular_stiffness": 60, "null_stiffness": 10}


def test_moves_switch_between_the_impedance_of_joints_and_of_the_tool():
    """In the Cartesian moves the tool yields by force over stiffness in base axes, in the others by the joints'."""
    moves = [{"wait": 2}, {"wait": 2, "cartesian": {**SOFT, "axes": "base"}}, {"wait": 2, "stiffness": 4000}]
    moves[2]["stiffness"] = [4000, 4000, 4000, 4000, 1000, 1000, 300]
    data = {**SCENARIO, "duration": "6 s", "moves": moves}
    history = simulate(from_data(data, "soft")).history

    def away(t: float) -> np.ndarray:
        k = int(np.argmin(abs(history.time - t)))
        return np.array([history[f"tool.{axis}"][k] - history[f"tool.{axis}"][0] for axis in "xyz"])

    np.testing.assert_allclose(away(3.99), np.array([12 / 600, -6 / 300, 9 / 900]), atol=2e-5)
    assert np.linalg.norm(away(5.99)) < 0.5 * np.linalg.norm(away(1.99))


def test_control_states_the_impedance_of_all_moves_without_an_own_one():
    control = {**SCENARIO["control"], "cartesian": {**SOFT, "axes": "base", "at": [0, 0, "20 mm"]}}
    moves = [{"wait": 3}, {"wait": 1}]
    result = simulate(from_data({**SCENARIO, "control": control, "moves": moves}, "soft"))
    assert result.audit.energy_residual < 1e-4
    assert result.history["tool.x"][-1] - result.history["tool.x"][0] == pytest.approx(0.02, abs=4e-3)


@pytest.mark.parametrize(
    ("moves", "control", "said"),
    [
        ([{"cartesian": SOFT, "stiffness": 10}], {}, "moves.0.cartesian: Give either stiffness of the joints or cart"),
        ([{"cartesian": {**SOFT, "null_stiffness": [1, 2]}}], {}, "moves.0.cartesian.null_stiffness: Needs one value"),
        ([{"cartesian": {**SOFT, "axes": "hole"}}], {}, "moves.0.cartesian.axes"),
        ([{"cartesian": {**SOFT, "angular_stiffness": 90000}, "wait": 1}], {}, "moves.0.cartesian: Unstable control"),
        ([{"wait": 1}], {"cartesian": {**SOFT, "stiffness": 1e7}}, "control.cartesian: Unstable control"),
    ],
)  # fmt: skip
def test_errors_name_the_impedance(moves, control, said):
    with pytest.raises(InputError) as caught:
        simulate(
            from_data({**SCENARIO, "moves": moves, "control": {**SCENARIO["control"], **control}}, "soft")
        )
    assert said in str(caught.value)
