"""An arm on a floating servicer: conservation laws, closed forms, and the bundled scenarios with it."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import softdock
from robot.robots import command
from softdock.robot.entry_points import follow_command
from softdock.robot.impedance import damping_matrix
from softdock.scenario.loading import from_data, load
from softdock.simulation.robot import PreparedRobot, Setup
from softdock.spatial.poses import Pose

SLIDE = """<robot name="slide"><link name="base"/>
<link name="rod"><inertial><mass value="2"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="slide" type="prismatic"><parent link="base"/><child link="rod"/><axis xyz="0 0 1"/>
<limit lower="-2" upper="2" effort="500" velocity="1"/></joint></robot>"""

REACH: dict[str, Any] = {
    "kind": "robot",
    "bodies": {"servicer": {"mass": 200, "inertia": [30, 40, 50]}},
    "arm": {
        "file": "lwr4plus",
        "parent": "servicer",
        "mount": {"type": "fixed", "at": [0.2, 0, 0.5]},
        "start": [0, 0.5, 0, -1.2, 0, 1.0, 0],
    },
    "control": {"stiffness": [1000, 1000, 1000, 1000, 300, 300, 100]},
    "moves": [{"by": [0.1, 0.05, 0.1], "duration": "2 s"}],
}
WRENCH = ("tx", "ty", "tz", "fx", "fy", "fz")
EPSILON = float(np.finfo(float).eps)


def within_rounding(result: Any) -> bool:
    """Return whether the drift of momentum is within rounding, a random walk: 4 eps sqrt(n) for n evaluations."""
    bound = 4.0 * EPSILON * np.sqrt(result.timing.evaluations)
    return bool(result.audit.linear_momentum_drift < bound and result.audit.angular_momentum_drift < bound)


def test_motion_of_the_arm_keeps_the_momentum_of_the_closed_system():
    """Joint torques are internal: the servicer moves, the centre of mass does not."""
    result = softdock.simulate(from_data(REACH, "reach"))
    assert within_rounding(result)
    assert abs(result.history["servicer.x"][-1]) > 1e-3
    assert result.metrics["refused_commands"] == 0


def test_a_retraction_is_shared_in_inverse_proportion_to_the_masses(tmp_path: Path):
    """Along the line of the centres the base moves by -m / (M + m) times the stroke of the joint, at every instant."""
    (tmp_path / "slide.urdf").write_text(SLIDE)
    data = {
        "kind": "robot",
        "bodies": {
            "servicer": {"mass": 300, "inertia": [10, 10, 10]},
            "client": {
                "mass": 98,
                "inertia": [5, 5, 5],
                "parent": "rod",
                "joint": {"type": "fixed", "at": [0, 0, 1]},
            },
        },
        "arm": {"file": "slide.urdf", "parent": "servicer"},
        "control": {"stiffness": 2000},
        "moves": [{"by": [0, 0, -0.5], "duration": "6 s", "wait": "1 s"}],
    }
    result = softdock.simulate(from_data(data, "slide", tmp_path))
    h = result.history
    stroke = h["slide.position"]
    assert stroke[-1] == pytest.approx(-0.5, abs=1e-3)
    np.testing.assert_allclose(h["servicer.z"], -100.0 / 400.0 * stroke, atol=1e-13)
    assert within_rounding(result)


def test_the_force_on_a_held_client_is_the_stiffness_of_the_tool_times_the_commanded_offset():
    """All bodies float; the arm holds a client that a tether connects to the servicer.

    At rest the wrench w on the flange balances the springs of the joints, K (q_cmd - q) = -J^T w. For a small offset d
    of the command, w = -(J K^-1 J^T + C)^-1 d with the compliance C of grip and tether.
    """
    weld = {"stiffness": 2e4, "angular_stiffness": 2e3, "damping": 400, "angular_damping": 40, "active": True}
    start, offset = np.array(REACH["arm"]["start"]), np.array([1e-4, -0.5e-4, 2e-4])
    at = list(Setup(from_data(REACH, "reach")).arm.pose(start, "flange").p)
    client = {"mass": 20, "inertia": [1, 1, 1], "joint": {"type": "free", "position": at}}
    tool = {"mass": 3, "inertia": [0.02, 0.02, 0.02], "parent": "flange", "joint": {"type": "fixed"}}
    data = {
        **REACH,
        "bodies": {**REACH["bodies"], "client": client, "tool": tool},
        "welds": {
            "grip": {"a": {"body": "client"}, "b": {"body": "flange"}, **weld},
            "tether": {"a": {"body": "servicer", "at": at}, "b": {"body": "client"}, **weld},
        },
        "moves": [{"by": list(offset), "duration": "0.5 s", "wait": "1.5 s"}],
        "record": {"also": [f"grip.{key}" for key in WRENCH]},
    }
    result = softdock.simulate(from_data(data, "held"))
    setup, h = Setup(from_data(data, "held")), result.history
    wrench = np.array([h[f"grip.{key}"][-1] for key in WRENCH])
    q, spring = (
        np.array([h[f"joint_{i}.{key}"][-1] for i in range(1, 8)]) for key in ("position", "difference")
    )
    torque = setup.stiffness * spring
    balance = setup.arm.jacobian(q, "flange").T @ wrench
    np.testing.assert_allclose(
        torque, -balance, atol=1e-3 * np.abs(torque).max()
    )  # what is left of the motion
    J = setup.arm.jacobian(start, "flange")
    C = J @ np.diag(1.0 / setup.stiffness) @ J.T + 2.0 * np.diag([1 / 2e3] * 3 + [1 / 2e4] * 3)
    expected = -np.linalg.solve(C, np.concatenate([np.zeros(3), offset]))
    # The Jacobian changes in proportion to the offset over a lever of the arm, 0.1 m.
    np.testing.assert_allclose(wrench, expected, atol=2e-4 / 0.1 * np.abs(expected).max())
    assert within_rounding(result)


def test_torques_follow_the_impedance_law_for_every_mounting():
    """Fixed and floating arms use one controller: k (q_cmd - q) - D qdot + h with the inertia of (A7) in D."""
    grounded = {**REACH, "arm": {**REACH["arm"], "parent": "world"}, "bodies": {}}
    for data in (REACH, grounded):
        held = {**data, "control": {**data["control"], "interpolation": "hold"}}
        prepared, robot, _ = PreparedRobot(from_data(held, "law")).begin()
        assert prepared.simulation is not None
        arm, start = robot.arm, np.array(REACH["arm"]["start"])
        robot.advance(command(start + 0.002, stiffness=300.0), 0.05)
        before = robot.state()
        robot.advance(command(start + 0.004, stiffness=300.0), 1e-3)
        D = damping_matrix(arm.effective_mass_matrix(before.q), np.full(7, 300.0), np.full(7, 0.7))
        expected = (
            300.0 * (start + 0.004 - before.q)
            - D @ before.qdot
            + arm.bias(before.q, before.qdot, np.zeros(3))
        )
        np.testing.assert_allclose(robot.state().tau_measured, expected, rtol=1e-12, atol=1e-12)
        assert arm.floating == (data is REACH)
    assert follow_command.symbol.endswith("follow_command")


BERTHING = {
    "duration": "24 s",
    "control.period": "40 ms",
    "moves.0.duration": "5 s",
    "moves.0.wait": "0.4 s",
    "moves.1.duration": "6 s",
    "moves.3.by": [0, 0, -0.15],
    "moves.3.duration": "6 s",
    "moves.3.wait": 0,
    "events.clamped.when": "finger-1.joint > 18 mm for 1 s",
    "record.rate": "20 Hz",
}


def test_the_arm_captures_a_client_and_retracts_it():
    result = softdock.simulate(load("assist-arm-berthing", BERTHING), with_prediction=False)
    times = {event.name: event.time for event in result.events}
    expected = ["first-contact", "entered", "bottom-contact", "opened", "clamped", "move-retraction"]
    assert [name for name in times if name in expected] == expected
    assert result.outcome == "captured"
    assert within_rounding(result)
    h = result.history
    row = int(np.searchsorted(h.time, times["clamped"]))
    # The oscillation of the client on the arm adds to the stroke.
    assert h["drogue.z in servicer"][-1] - h["drogue.z in servicer"][row] == pytest.approx(-0.15, abs=0.03)
    assert times["move-retraction"] - times["clamped"] <= 0.04
    assert times["move-stop"] - times["opened"] <= 0.3


EXCHANGE = {
    "duration": "14 s",
    "control.period": "40 ms",
    "moves.0.duration": "2.5 s",
    "moves.0.wait": "0.2 s",
    "moves.1.duration": "4 s",
    "moves.3.duration": "4 s",
    "events.released.when": "time > 2 s after seated",
    "events.jammed.when": "berth.insertion < 59.5 mm for 4 s",
    "record.rate": "20 Hz",
}


@pytest.mark.parametrize(
    ("name", "changes", "outcome"),
    [
        ("module-exchange", {}, "exchanged"),
        ("module-exchange-jammed", {}, "jammed"),
        ("module-exchange", {"bodies.believed-port.joint.at": [0.03, 0, 0]}, "rejected"),
    ],
)
def test_a_module_is_exchanged_or_withdrawn(name: str, changes: dict[str, Any], outcome: str):
    result = softdock.simulate(load(name, {**EXCHANGE, **changes}), with_prediction=False)
    assert result.outcome == outcome
    moves = [event.name for event in result.events if event.name.startswith("move-")]
    assert moves[-1] == ("move-withdrawal" if outcome == "exchanged" else "move-abort")
    apart = result.history["flange.z in module"][-1]
    if outcome == "exchanged":
        assert apart < -0.3
        assert result.metrics["insertion_max"] > 0.0595
    else:
        assert apart == pytest.approx(-0.16, abs=1e-3)  # the grip still holds the module


def test_the_bundled_exchange_ends_as_its_title_says():
    """The events `seated` and `jammed` have opposite conditions with one threshold."""
    assert softdock.simulate("module-exchange", with_prediction=False).outcome == "exchanged"


def test_a_located_frame_is_that_of_the_body_at_the_start_of_the_move():
    """The tool comes to rest relative to the servicer where the target was; the servicer recoils meanwhile."""
    target = {"mass": 20, "inertia": [1, 1, 1], "joint": {"type": "free", "position": [-0.3, 0.1, 1.0]}}
    data = {
        **REACH,
        "duration": "4 s",
        "bodies": {**REACH["bodies"], "target": target},
        "moves": [{"to": [0, 0, 0], "frame": {"body": "target"}, "duration": "2 s"}],
    }
    data["bodies"]["target"]["joint"]["velocity"] = [0.05, 0, 0]
    prepared = PreparedRobot(from_data(data, "located"))
    result = prepared.simulate()
    h, arm = result.history, prepared.setup.arm
    q = np.array([h[f"joint_{i}.command"][-1] for i in range(1, 8)])
    np.testing.assert_allclose(arm.pose(q, "flange", Pose.identity()).p, [-0.3, 0.1, 1.0], atol=1e-8)
