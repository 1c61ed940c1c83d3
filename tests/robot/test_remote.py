"""One experiment on two robots: in the same process, and behind a link."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.robot.link_fixtures import START, command, robot

from softdock.errors import InputError, RunError
from softdock.recording import compare
from softdock.result import Result
from softdock.robot.link import Command, LinkLostError, RobotState, approach
from softdock.robot.link_local import LocalLink
from softdock.robot.link_remote import RemoteLink
from softdock.robot.link_server import RobotServer
from softdock.robot.link_switch import SwitchableLink
from softdock.robot.simple_robots import seven_joint_robot
from softdock.robot.simulated_network import Conditions, SimulatedNetwork
from softdock.scenario.loading import from_data
from softdock.scenario.robot import RobotScenario
from softdock.simulation import simulate
from softdock.simulation.remote import run_on_robot, served_robot, standalone_robot
from softdock.simulation.robot import Setup, simulated_robot

PERIOD = 0.01


@pytest.fixture(scope="module")
def scenario() -> RobotScenario:
    bent = np.radians([0.0, 30.0, 0.0, -60.0, 0.0, 90.0, 0.0])
    data = {
        "kind": "robot",
        "arm": {"file": "lwr4plus", "start": bent.tolist()},
        "gravity": [0, 0, -9.81],
        "control": {"period": PERIOD, "stiffness": 200.0, "interpolation": "linear"},
        "moves": [{"joints": (bent + 0.1).tolist(), "wait": 0.1}, {"joints": bent.tolist()}],
    }
    loaded = from_data(data, name="nod")
    assert isinstance(loaded, RobotScenario)
    return loaded


@pytest.fixture(scope="module")
def local_result(scenario: RobotScenario) -> Result:
    return simulate(scenario)


class ServedScenario:
    """The robot of a scenario behind a simulated network, to which clients connect one after another."""

    def __init__(self, scenario: RobotScenario, conditions: Conditions) -> None:
        self.network = SimulatedNetwork(RobotServer(simulated_robot(scenario), PERIOD), conditions)
        self.clients = 0

    def connect(self) -> RemoteLink:
        self.clients += 1
        return RemoteLink(self.network.transport(f"client {self.clients}"))


def test_experiment_behind_a_link_gives_the_same_motion(
    scenario: RobotScenario, local_result: Result
) -> None:
    there = run_on_robot(scenario, ServedScenario(scenario, Conditions()).connect)
    assert there.outcome == "completed"
    assert there.metrics["refused_commands"] == 0
    assert there.metrics["link_lost_share"] == 0.0
    found = compare(local_result, there, offset=0.0)
    assert set(found.joints) == {f"joint_{i}" for i in range(1, 8)}
    for both in found.joints.values():
        assert both["angle"].largest < 1e-4  # residual motion at the start
        # The history has the mean since the row before, the link the last value.
        assert both["torque"].largest < 0.03 * max(both["torque"].range, 1.0)


def test_delayed_link_shifts_the_motion_by_its_delay(scenario: RobotScenario, local_result: Result) -> None:
    there = run_on_robot(scenario, ServedScenario(scenario, Conditions(delay=PERIOD)).connect)
    found = compare(local_result, there)
    assert found.alignment.offset == pytest.approx(-2 * PERIOD, abs=0.1 * PERIOD)
    assert max(both["angle"].largest for both in found.joints.values()) < 5e-3


def test_lost_states_do_not_stretch_the_motion(scenario: RobotScenario, local_result: Result) -> None:
    """With a fifth of all datagrams lost, the plan still follows the robot's clock."""
    there = run_on_robot(scenario, ServedScenario(scenario, Conditions(loss=0.2, seed=7)).connect)
    assert there.metrics["link_lost_share"] > 0.1
    assert there.metrics["refused_commands"] == 0
    assert there.history.time[-1] == pytest.approx(local_result.history.time[-1], abs=3 * PERIOD)
    found = compare(local_result, there)
    assert abs(found.alignment.offset) < PERIOD


def test_switching_robots_does_not_change_the_motion(scenario: RobotScenario, local_result: Result) -> None:
    """In the middle the plan continues with the robot behind the link; the motion is that of one robot."""
    setup = Setup(scenario)
    experiment = setup.experiment()
    link = SwitchableLink(
        {
            "here": LocalLink(simulated_robot(scenario), PERIOD),
            "there": ServedScenario(scenario, Conditions()).connect(),
        },
        "here",
    )
    half = len(experiment.plan.q) // 2
    seen: list[RobotState] = []

    def change(state: RobotState) -> None:
        seen.append(state)
        if len(seen) == half:
            link.align("there", setup.stiffness, setup.damping_ratio)
            link.switch("there")

    log = experiment.run(link, change)
    assert link.active == "there"
    assert log.refused == 0
    assert np.diff(log.t) == pytest.approx(PERIOD, abs=1.01 * PERIOD)
    alone_q = np.array([local_result.history[f"joint_{i}.position"][-1] for i in range(1, 8)])
    assert np.abs(log.q[-1] - alone_q).max() < 0.01
    assert np.abs(np.diff(log.q, axis=0)).max() < 0.03  # the lag behind the command at the change; no jump


def test_data_before_the_loss_of_a_link_are_kept(scenario: RobotScenario, tmp_path: Path) -> None:
    bench = ServedScenario(scenario, Conditions())
    tick = bench.network.server.tick
    asked = {"commands": 0}

    def tick_until_dead(now: float) -> list:
        asked["commands"] += bench.network.server.supervisor.mode.value
        bench.network.is_stopped = asked["commands"] > 60
        return tick(now)

    bench.network.server.tick = tick_until_dead  # type: ignore[method-assign]
    result = run_on_robot(scenario, bench.connect)
    assert not result.completed
    assert result.outcome == "link-lost"
    assert "has not answered" in result.message
    assert 10 < len(result.history.time) < 60
    result.save(tmp_path)
    assert len(Result.load(tmp_path).history["joint_1.position"]) == len(result.history.time)


def test_a_robot_that_fell_back_ends_the_experiment(scenario: RobotScenario) -> None:
    """The client pauses in the middle: the experiment must not continue."""
    bench = ServedScenario(scenario, Conditions())

    class Sleepy(RemoteLink):
        cycles = 0

        def cycle(self, order: Command) -> RobotState:
            self.cycles += 1
            if self.cycles == 60:
                bench.network.run(bench.network.now_ns + 300_000_000)
            return super().cycle(order)

    def connect() -> RemoteLink:
        bench.clients += 1
        return Sleepy(bench.network.transport(f"client {bench.clients}"))

    result = run_on_robot(scenario, connect)
    assert (result.outcome, result.completed) == ("fell-back", False)
    assert "holds its position because commands timed out" in result.message
    assert bench.network.server.supervisor.fallbacks == 1


def test_a_robot_with_other_joints_is_refused(scenario: RobotScenario) -> None:
    with pytest.raises(InputError, match="has 7 joints and the robot 3"):
        run_on_robot(scenario, lambda: LocalLink(robot(), PERIOD))


def test_robot_moves_to_the_start_before_the_experiment(scenario: RobotScenario) -> None:
    link = LocalLink(seven_joint_robot(), PERIOD)
    result = run_on_robot(scenario, lambda: link)
    assert result.completed
    assert result.metrics["refused_commands"] == 0
    start = np.asarray(scenario.arm.start)
    first = np.array([result.history[f"joint_{i}.position"][0] for i in range(1, 8)])
    assert np.abs(first - start).max() < 0.02


def test_an_impossible_approach_raises() -> None:
    with pytest.raises(RunError, match="outside the joint's limits"):
        approach(LocalLink(robot()), command(START + 5.0), 0.01)
    soft = replace(
        command(START + 0.1), stiffness=np.full(3, 0.01), damping_ratio=np.zeros(3), low_impedance=True
    )
    with pytest.raises(RunError, match="does not reach the start"):
        approach(LocalLink(robot()), soft, 0.001)


def test_robots_that_can_be_served() -> None:
    assert standalone_robot("lwr4plus").name == "lwr4plus"
    assert served_robot("lwr4plus").limits.joints == 7
    with pytest.raises(InputError, match="Only a scenario of kind robot"):
        served_robot("impact-a")
    with pytest.raises(InputError, match="no-such-robot"):
        served_robot("no-such-robot")
    with pytest.raises(InputError, match=r"one\.urdf: Cannot read it"):
        served_robot("gone.urdf")


def test_running_without_a_robot_fails(scenario: RobotScenario) -> None:
    bench = ServedScenario(scenario, Conditions())
    bench.network.is_stopped = True
    with pytest.raises(LinkLostError, match="did not answer"):
        run_on_robot(scenario, bench.connect)
