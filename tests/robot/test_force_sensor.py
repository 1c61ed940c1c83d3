"""Force-torque sensor of the tool: loads of weight, motion, contact; its errors, moves that stop at a force, links."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from robot.robots import command
from softdock.errors import InputError
from softdock.robot.force_sensor import ForceSensor, SensorProperties, ToolCompensation
from softdock.robot.link import RobotState
from softdock.robot.link_remote import RemoteLink
from softdock.robot.link_server import RobotServer
from softdock.robot.protocol import StateMessage, decode, encode
from softdock.robot.simulated_network import SimulatedNetwork
from softdock.scenario.loading import from_data
from softdock.simulation import simulate
from softdock.simulation.robot import Setup
from softdock.spatial.rotations import matrix_from_rotation_vector

MASS, CENTRE = 0.8, np.array([0.01, -0.02, 0.07])
AXIS, ANGLE = "x", 0.4
R_FS = matrix_from_rotation_vector(np.array([ANGLE, 0, 0]))
PLACE = np.array([0.0, 0.005, 0.03])
DOWN = {"axis": "y", "angle": "180 deg"}


def scenario(sensor: dict[str, Any] | None = None, **changes: Any):
    data = {
        "kind": "robot",
        "gravity": [0, 0, -9.81],
        "arm": {"file": "lwr4plus", "start": [0, "-31 deg", 0, "100 deg", 0, "-49 deg", 0]},
        "bodies": {
            "tool": {"parent": "flange", "mass": MASS, "centre_of_mass": CENTRE.tolist(), "inertia": [2e-3] * 3,
                     "joint": {"type": "fixed"}},
            "tip": {"parent": "tool", "joint": {"type": "fixed", "at": [0, 0, 0.12]}},
        },
        "tool": {"body": "tip"},
        "control": {"stiffness": [2000, 2000, 2000, 2000, 300, 300, 100]},
        "force_sensor": {"mount": "tool", "at": PLACE.tolist(), "attitude": {"axis": AXIS, "angle": ANGLE},
                         **(sensor or {})},
        "record": {"rate": "200 Hz"},
        "moves": [{"wait": "0.5 s"}, {"by": [0.1, -0.05, 0.06], "duration": "2 s"}],
        **changes,
    }  # fmt: skip
    return from_data(data, "sensor")


def readings(result) -> np.ndarray:
    return np.column_stack(
        [result.history[f"force_sensor.{name}"] for name in ("fx", "fy", "fz", "tx", "ty", "tz")]
    )


def test_a_tool_at_rest_weighs_on_the_sensor_in_its_axes_and_about_its_origin():
    s = scenario()
    setup = Setup(s)
    result = simulate(s)
    h, rows = result.history, readings(result)
    k = int(np.argmin(abs(h.time - 0.45)))
    q = np.array([h[f"{name}.position"][k] for name in setup.joints])
    R_NS = setup.arm.pose(q, "tool").R @ R_FS
    force = R_NS.T @ np.array([0, 0, -9.81 * MASS])
    lever = R_FS.T @ (CENTRE - PLACE)
    expected = np.array([*force, *np.cross(lever, force)])
    np.testing.assert_allclose(rows[k], expected, atol=2e-3)


def test_a_tool_in_motion_loads_the_sensor_by_its_mass_times_the_acceleration_of_its_centre():
    """Without gravity, against differences of the recorded motion, which are of second order in their step."""
    changes = {"bodies.tool.centre_of_mass": [0, 0, 0]}
    data = scenario(gravity=[0, 0, 0]).to_data()
    result = simulate(from_data(data, "sensor", overrides=changes))
    h, force = result.history, np.linalg.norm(readings(result)[:, :3], axis=1)
    v = np.column_stack([h[f"tool.v{axis}"] for axis in "xyz"])
    rows = np.flatnonzero((h.time > 0.7) & (h.time < 2.3))[2:-2:20]
    for k in rows:
        a = (v[k + 1] - v[k - 1]) / (h.time[k + 1] - h.time[k - 1])
        assert force[k] == pytest.approx(MASS * np.linalg.norm(a), abs=0.03)
    assert force.max() > 0.2


@pytest.mark.parametrize(("ratio", "left"), [(1.0, 0.0), (0.9, 0.1)])
def test_compensation_removes_the_load_of_the_tool_in_the_share_of_its_assumed_mass(ratio, left):
    """Weight and motion: to rounding with the true mass, a tenth of it with nine tenths."""
    plain = readings(simulate(scenario()))
    removed = readings(simulate(scenario({"compensation": "dynamics", "mass_ratio": ratio})))
    np.testing.assert_allclose(removed, left * plain, atol=1e-9)
    only_weight = readings(simulate(scenario({"compensation": "weight"})))
    assert 0.05 < np.abs(only_weight[:, :3]).max() < 0.3 * 9.81 * MASS


def table() -> dict[str, Any]:
    return {
        "interfaces": {
            "table": {
                "pins": {"body": "tool", "at": [0, 0, 0.02]}, "holes": {"body": "world", "at": [0.75, 0, 0.2],
                "attitude": {"axis": "x", "angle": "180 deg"}}, "layout": {"places": [[0, 0]]},
                "pin": {"diameter": "35 mm", "length": "100 mm"}, "hole": {"clearance": 0, "depth": "50 mm"},
                "contact": {"stiffness": "1e5 N/m", "damping": {"law": "hunt-crossley", "factor": "5 s/m"},
                            "friction": {"coefficient": 0.2}},
            }
        },
        "duration": "7 s",
    }  # fmt: skip


def test_with_compensation_the_sensor_reads_the_force_of_a_contact_and_a_move_stops_at_it():
    moves = [
        {"to": [0.55, 0, 0.23], "attitude": DOWN, "duration": "3 s", "wait": "0.5 s"},
        {"name": "probe", "to": [0.55, 0, 0.15], "duration": "4 s", "until_force": "12 N", "wait": "1 s"},
        {"by": [0, 0, 0.005], "duration": "0.5 s", "wait": "0.2 s"},
    ]
    result = simulate(scenario({"compensation": "dynamics"}, moves=moves, **table()))
    contact, felt = result.history["table.force"], result.history["force_sensor.force"]
    late = result.history.time > 6.0
    np.testing.assert_allclose(felt[late], contact[late], atol=0.02)
    assert felt.max() > 12.0
    names = {event.name: event.message for event in result.events}
    assert names["force-reached"] == "Move 'probe' stops: the sensor measures more than 12 N."
    free = simulate(
        scenario(
            {"compensation": "dynamics"}, moves=[moves[0], {**moves[1], "until_force": "900 N"}], **table()
        )
    )
    assert free.history["table.force"].max() > 2.0 * contact.max()
    peak = result.metrics["peak_sensor_force"]
    assert felt.max() <= peak <= 1.001 * contact.max()  # a sampled sensor misses the tip of an impact


def properties(**changes: Any) -> SensorProperties:
    zero = np.zeros(6)
    return SensorProperties(**{"bias": zero, "drift": zero, "noise": zero, **changes})


@pytest.mark.plain_python
def test_the_filter_answers_a_step_as_one_of_first_order():
    step = np.vstack([np.zeros((10, 6)), np.ones((500, 6))])
    zero = np.zeros_like(step)
    sensor = ForceSensor(properties(bandwidth=30.0, compensation=ToolCompensation.WEIGHT), 1e-3)
    rows = sensor.read(step, zero, zero)[10:, 0]
    n = np.arange(1, 501)
    np.testing.assert_allclose(rows, 1.0 - np.exp(-2.0 * np.pi * 30.0 * 1e-3 * n), rtol=1e-12)


@pytest.mark.plain_python
def test_bias_noise_and_drift_have_their_size_and_depend_on_the_seed_only():
    count, zero = 40_000, np.zeros((40_000, 6))
    given = properties(bias=np.arange(6.0), noise=np.full(6, 0.3), seed=4)
    rows = ForceSensor(given, 1e-3).read(zero, zero, zero)
    np.testing.assert_allclose(rows.mean(axis=0), np.arange(6.0), atol=5.0 * 0.3 / np.sqrt(count))
    np.testing.assert_allclose(rows.std(axis=0), 0.3, rtol=5.0 / np.sqrt(2 * count))
    pieces = ForceSensor(given, 1e-3)
    again = np.vstack([pieces.read(zero[:n], zero[:n], zero[:n]) for n in (1, 7, 992, 39_000)])
    assert again.tobytes() == rows.tobytes()
    wander = np.array(
        [
            ForceSensor(properties(drift=np.full(6, 0.5), seed=k), 1e-2).read(*[zero[:400]] * 3)[-1]
            for k in range(300)
        ]
    )
    np.testing.assert_allclose(wander.std(), 0.5 * np.sqrt(4.0), rtol=5.0 / np.sqrt(2 * wander.size))


def test_a_client_reads_the_sensor_over_a_network_and_others_are_not_told():
    setup = Setup(scenario({"compensation": "weight", "bias_force": [1, 2, 3]}))
    robot = setup.robot(setup.prepare(10.0, record=False))
    with RemoteLink(SimulatedNetwork(RobotServer(robot, 1e-2)).transport()) as link:
        for _ in range(60):
            state = link.cycle(command(setup.start, stiffness=setup.stiffness))
    np.testing.assert_allclose(state.wrench, [1, 2, 3, 0, 0, 0], atol=0.05)
    one = np.ones(3)
    plain = RobotState(t=0.0, q=one, qdot=one, tau_measured=one, tau_external=one)
    assert decode(encode(1, 1, StateMessage(plain))).body.state.wrench is None
    told = replace(plain, wrench=np.arange(6.0))
    data, without = encode(1, 1, StateMessage(told)), encode(1, 1, StateMessage(plain))
    np.testing.assert_array_equal(decode(data).body.state.wrench, np.arange(6.0))
    assert len(data) == len(without) + 48


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"force_sensor.mount": "link_3"}, "force_sensor.mount: Must be a body on a fixed joint"),
        ({"force_sensor.mount": "tip"}, "Nothing with mass lies beyond this mount"),
        ({"force_sensor.mount": "peg"}, "There is no body called 'peg'"),
        ({"force_sensor.noise_force": -1}, "force_sensor.noise_force"),
        (
            {"force_sensor": None, "moves.0.until_force": "3 N", "duration": 1},
            "moves.0.until_force: Needs a force_s",
        ),
        ({"moves.0.until_force": "3 N"}, "duration: Is required"),
    ],
)
def test_impossible_sensors_are_refused(changes, said):
    with pytest.raises(InputError) as caught:
        simulate(from_data(scenario().to_data(), "sensor", overrides=changes))
    assert said in str(caught.value)
