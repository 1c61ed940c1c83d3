"""Scenarios of kind `robot`: behaviour and error messages."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import softdock
from robot.robots import LWR, branched, command
from softdock.dynamics.entry_points import derivative
from softdock.errors import InputError
from softdock.replay.scene import Role
from softdock.replay.scene_builder import scene
from softdock.scenario.loading import from_data, load
from softdock.simulation.robot import Setup

REACH: dict[str, Any] = {
    "kind": "robot",
    "gravity": [0, 0, -9.81],
    "arm": {"file": "lwr4plus", "start": ["0 deg", "30 deg", "0 deg", "-80 deg", "0 deg", "70 deg", "0 deg"]},
    "control": {"stiffness": [1000, 1000, 1000, 1000, 300, 300, 100]},
    "moves": [{"to": [-0.5, 0.1, 0.4], "attitude": {"axis": "y", "angle": "180 deg"}, "wait": "0.5 s"}],
}


def scenario(**changes: Any):
    data = {**REACH, **{k: v for k, v in changes.items() if "." not in k}}
    overrides = {k: v for k, v in changes.items() if "." in k}
    return from_data(data, "reach", overrides=overrides)


def problems(**changes: Any) -> str:
    with pytest.raises(InputError) as caught:
        softdock.simulate(scenario(**changes))
    return str(caught.value)


def test_the_tool_reaches_its_goal_and_plain_data_give_the_same_scenario():
    s = scenario()
    assert from_data(s.to_data(), "reach") == s
    result = softdock.simulate(s)
    h = result.history
    flange = [h[f"flange.{axis}"][-1] for axis in "xyz"]
    np.testing.assert_allclose(flange, [-0.5, 0.1, 0.4], atol=1e-4)
    assert abs(h["flange.qy"][-1]) == pytest.approx(1.0, abs=1e-6)
    assert result.outcome == "completed"
    assert result.metrics["refused_commands"] == 0
    assert result.audit.energy_residual < 1e-5
    for k in range(1, 8):
        difference = h[f"joint_{k}.command"] - h[f"joint_{k}.position"]
        np.testing.assert_array_equal(h[f"joint_{k}.difference"], difference)
        assert result.metrics[f"tracking_error_max_joint_{k}"] < 0.05


def test_only_the_log_of_selected_joints_is_recorded():
    moves = [{"joints": [0.1, 0.5, 0, -1.4, 0, 1.2, 0]}]
    record = {"all": False, "loads": False, "also": ["link_1.joint"]}
    result = softdock.simulate(scenario(moves=moves, record=record))
    logged = ("position", "command", "torque", "torque_peak", "external_torque", "difference")
    assert set(result.history.channels) == {"link_1.joint", *(f"joint_1.{what}" for what in logged)}
    assert result.metrics["tracking_error_max_joint_7"] > 0.0


@pytest.mark.parametrize("period", ["1 ms", "100 ms"])
def test_commands_are_held_for_a_period(period):
    moves = [{"joints": [0.2, 0.5, 0, -1.3, 0, 1.2, 0], "wait": "0.5 s"}]
    changes = {"control.period": period, "control.interpolation": "hold"}
    result = softdock.simulate(scenario(moves=moves, **changes))
    seconds = {"1 ms": 1e-3, "100 ms": 0.1}[period]
    rows = np.flatnonzero(np.diff(result.history["joint_1.command"]))
    steps = np.diff(result.history.time[rows]) / max(seconds, 0.01)
    np.testing.assert_allclose(steps, np.round(steps), atol=1e-6)
    assert result.history["joint_1.position"][-1] == pytest.approx(0.2, abs=1e-4)


def test_an_arm_on_a_floating_carrier_rotates_it_in_the_opposite_direction():
    """Without external forces momentum is conserved, and the carrier rotates against the arm."""
    carrier = {"mass": 200.0, "inertia": [30.0, 30.0, 30.0]}
    result = softdock.simulate(
        scenario(
            gravity=[0, 0, 0],
            bodies={"carrier": carrier},
            arm={**REACH["arm"], "parent": "carrier", "mount": {"type": "fixed", "at": [0, 0, 0.5]}},
            moves=[{"joints": ["60 deg", "60 deg", 0, "-80 deg", 0, "70 deg", 0], "wait": "1 s"}],
        )
    )
    assert result.audit.linear_momentum_drift < 1e-9
    assert result.audit.angular_momentum_drift < 1e-9
    assert result.audit.energy_residual < 1e-5
    assert result.history["joint_1.position"][-1] == pytest.approx(np.radians(60.0), abs=1e-3)
    assert result.history["carrier.qz"][-1] < -0.001
    nodes = {node.name: node for node in scene(result).nodes}
    assert nodes["link_6"].parts[0].role is Role.CAD  # the ball of the URDF file, not a placeholder
    assert np.linalg.norm(nodes["link_6"].parts[0].mesh.points, axis=1).max() == pytest.approx(0.0625)


def test_free_base_turns_against_the_arm_and_keeps_momentum():
    result = softdock.simulate(
        scenario(
            gravity=[0, 0, 0],
            arm={**REACH["arm"], "mount": {"type": "free", "position": [1, 0, 0]}},
            moves=[{"joints": [0.5, 0.5, 0, -1.4, 0, 1.2, 0], "wait": "0.5 s"}],
        )
    )
    assert result.audit.linear_momentum_drift < 1e-9
    assert result.history["base.qz"][-1] < -0.01


def test_urdf_with_prismatic_and_continuous_joints_runs(tmp_path):
    (tmp_path / "two fingers.urdf").write_text(branched(), encoding="utf-8")
    data = {
        "kind": "robot",
        "arm": {"file": "two fingers.urdf", "friction": {"viscous": 0.1, "coulomb": [0.2, 0.1, 0.1, 0.1]}},
        "control": {"stiffness": [2000, 50, 20, 20]},
        "moves": [{"joints": ["100 mm", "30 deg", 0.2, -0.3], "duration": "2 s", "wait": "2 s"}],
    }
    result = softdock.simulate(from_data(data, "fingers", tmp_path))
    end = [result.history[f"j_{name}.position"][-1] for name in ("slide", "turn", "left", "right")]
    np.testing.assert_allclose(end, [0.1, np.radians(30.0), 0.2, -0.3], atol=0.02)
    assert result.history.channels["j_slide.torque"].unit == "N"
    assert result.audit.energy_residual < 1e-4


def test_torques_are_measured_behind_the_friction_of_the_joints():
    """Measured torques accelerate and support the arm at all times; motor torques include friction."""
    rubbing = {**REACH["arm"], "friction": {"viscous": 2.0, "coulomb": 1.5}}
    setup = Setup(scenario(arm=rubbing))
    robot = setup.robot(setup.prepare(1.0))
    q = setup.start + 0.2
    for _ in range(8):
        robot.advance(command(q, stiffness=setup.stiffness), 0.01)
    state, session = robot.state(), robot.session
    rate = np.zeros_like(session.state)
    derivative(session.system, session.time, session.state, rate)
    needed = robot.arm.inverse_dynamics(state.q, state.qdot, rate[7:14], np.array([0.0, 0.0, -9.81]))
    assert np.abs(state.qdot).max() > 0.1
    np.testing.assert_allclose(state.tau_measured, needed, atol=1e-8)
    assert np.abs(session.efforts - state.tau_measured).max() > 1.0


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"arm.file": "lwr5"},
            "arm.file: Cannot be used: lwr5: Cannot read it: it does not exist. (bundled robots: lwr4plus, serv",
        ),
        ({"arm.start": [0, 0]}, "arm.start: Needs one value for each of the 7 joints and has 2."),
        ({"arm.start.1": "130 deg"}, "arm.start.1: Lies outside the limits of 'joint_2', -2.094 to 2.094."),
        ({"control.stiffness": [1, 2]}, "control.stiffness: Needs one value for each of the 7 joints"),
        ({"control.stiffness": -1}, "control.stiffness"),
        ({"control.period": "0.5 ms"}, "control.period: Must be at least 0.001 and at most 0.1 s."),
        ({"control.torque_period": "20 ms"}, "must not be longer than the period of 10 ms"),
        (
            {"control.stiffness.6": 2000},
            "a torque period of 1 ms is too long for the stiffness of joint 'joint_7'",
        ),
        ({"moves": []}, "moves: Needs at least 1 entries and has 0."),
        ({"moves.0.joints": [0, 0, 0, 0, 0, 0, 0]}, "moves.0.to: Give either joints or to, not both."),
        (
            {"moves": [{"joints": [0, 0]}]},
            "moves.0.joints: Needs one value for each of the 7 joints and has 2.",
        ),
        (
            {"moves": [{"joints": [9, 0, 0, 0, 0, 0, 0]}]},
            "moves.0.joints.0: Lies outside the limits of 'joint_1'",
        ),
        ({"moves.0.to": [2, 0, 0.4]}, "is out of the arm's reach: the closest is"),
        ({"moves.0.duration": "0.1 s"}, "moves.0.duration: Takes at least"),
        ({"tool": {"body": "pin"}}, "tool.body: There is no body called 'pin'"),
        ({"bodies": {"link_3": {"mass": 1}}}, "bodies.link_3: The name 'link_3' belongs to the arm"),
        ({"arm.parent": "carrier"}, "there is no body called 'carrier'"),
        (
            {"contacts": {"c": {"a": "x", "b": "y", "layer": {"stiffness": 1}}}},
            "contacts.c.a: There is no surface",
        ),
    ],
)
def test_invalid_scenarios_give_a_message(changes, said):
    assert said.lower() in problems(**changes).lower()


def test_a_urdf_file_keeps_the_spelling_of_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("small.urdf").write_text("<robot>")
    with pytest.raises(
        InputError, match=r"arm.file: Cannot be used: small.urdf:1: This is not well-formed XML"
    ):
        from_data({**REACH, "arm": {"file": "small.urdf"}}, "reach", Path())


def test_joint_positions_beyond_the_limits_are_found_with_their_line(tmp_path):
    text = (
        "softdock: 1\nkind: robot\narm: {file: lwr4plus}\ncontrol: {stiffness: 100}\n"
        "moves:\n  - {joints: [0, 0, 0, 0, 0, 0, 0]}\n  - {joints: [0, 130 deg, 0, 0, 0, 0, 0]}\n"
    )
    (tmp_path / "far.yaml").write_text(text)
    with pytest.raises(
        InputError, match=r"far.yaml:7: moves.1.joints.1: Lies outside the limits of 'joint_2'"
    ):
        load(tmp_path / "far.yaml")


def test_a_bad_urdf_file_is_named_with_its_line(tmp_path):
    (tmp_path / "bad.urdf").write_text(
        LWR.read_text(encoding="utf-8").replace('type="revolute"', 'type="hinge"')
    )
    with pytest.raises(InputError, match=r"bad.urdf:\d+: <joint>: Joint 'joint_1' has an unsupported type"):
        from_data({**REACH, "arm": {"file": "bad.urdf"}}, "reach", tmp_path)
