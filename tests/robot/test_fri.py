"""The Fast Research Interface: layout, entry to command mode, bad networks, malformed packets, safe stops."""

import threading
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from softdock.robot.fri_controller import MAX_MISSES, WINDOW, FriController
from softdock.robot.fri_link import FriLink, UdpListener
from softdock.robot.fri_packets import (
    COMMAND,
    COMMAND_ID,
    JOINT_IMPEDANCE,
    MEASUREMENT,
    MEASUREMENT_ID,
    FriQuality,
    FriState,
    empty_packet,
    read_packet,
    steps_between,
)
from softdock.robot.link import Command, LinkLostError, Refusal, RobotMode, monitor
from softdock.robot.link_local import LocalLink
from softdock.robot.protocol import MalformedError
from softdock.robot.simple_robots import seven_joint_robot
from softdock.robot.simulated_network import Conditions, SimulatedNetwork
from softdock.robot.udp import UdpServer
from softdock.scenario.loading import load
from softdock.simulation.remote import run_on_robot, served_robot

PERIOD = 5e-3
ONES = np.ones(7)
IDEAL = Conditions()


@pytest.mark.parametrize(
    ("layout", "size", "offsets"),
    [
        (
            MEASUREMENT,
            916,
            {
                "real": 8, "integer": 72, "bits": 136, "time": 140, "state": 144, "quality": 146,
                "measurement_period": 148, "command_period": 152, "answer_rate": 160, "misses": 176, "power": 180,
                "control": 182, "temperature": 188, "q": 216, "pose": 244, "q_command": 292, "q_offset": 320,
                "torque": 444, "external_torque": 472, "external_wrench": 500, "jacobian": 524, "mass_matrix": 692,
                "gravity": 888,
            },
        ),
        (
            COMMAND,
            376,
            {
                "flags": 140, "q": 144, "pose": 172, "added_torque": 220, "added_wrench": 248, "stiffness": 272,
                "damping": 300, "cartesian_stiffness": 328, "cartesian_damping": 352,
            },
        ),
    ],
)  # fmt: skip
@pytest.mark.plain_python
def test_packets_have_the_published_size_and_places(layout, size, offsets):
    assert layout.itemsize == size
    assert {name: layout.fields[name][1] for name in offsets} == offsets


def network(conditions: Conditions = IDEAL) -> tuple[SimulatedNetwork, FriController, FriLink]:
    controller = FriController(seven_joint_robot(), PERIOD, ("client",))
    network = SimulatedNetwork(controller, conditions)
    return network, controller, FriLink(network.transport())


def ask(q, **changes) -> Command:
    given = {"q": q, "stiffness": 800.0 * ONES, "damping_ratio": 0.7 * ONES, "tau_ff": 0.0 * ONES}
    return Command(**{**given, **changes})


def sweep(link, cycles: int, amplitude: float = 0.1) -> list:
    start, states = link.cycle(monitor(7)).q, []
    for i in range(1, cycles + 1):
        angle = amplitude * 0.5 * (1.0 - np.cos(2.0 * np.pi * i * link.period))
        states.append(link.cycle(ask(start + angle * ONES)))
    return states


def test_command_mode_begins_after_a_hundred_answers_in_time_without_a_motion():
    _, controller, link = network()
    assert controller.quality is FriQuality.UNACCEPTABLE
    for _ in range(WINDOW - 2):
        assert link.cycle(monitor(7)).mode is RobotMode.MONITOR
        assert controller.state is FriState.MONITOR
    state = link.cycle(ask(np.zeros(7)))
    assert controller.state is FriState.COMMAND
    assert controller.quality is FriQuality.PERFECT
    np.testing.assert_allclose(state.q, 0.0, atol=1e-12)


def test_an_arm_follows_as_behind_a_direct_link_to_the_precision_of_the_packets():
    """The same motion; single precision of commands and states is what differs."""
    _, controller, link = network()
    far = sweep(link, 300)
    near = sweep(LocalLink(seven_joint_robot(), PERIOD), 300)
    assert controller.fallbacks.total() == 0
    q = np.array([s.q[0] for s in far])
    delay = int(
        np.argmax(
            np.array([np.corrcoef(q[k : k + 200], [s.q[0] for s in near[:200]])[0, 1] for k in range(5)])
        )
    )
    assert delay <= 2
    np.testing.assert_allclose(
        [s.q[0] for s in far[delay : delay + 200]], [s.q[0] for s in near[:200]], atol=2e-3
    )
    assert np.abs([s.qdot[0] for s in far]).max() == pytest.approx(
        np.abs([s.qdot[0] for s in near]).max(), rel=0.05
    )


@pytest.mark.parametrize(
    "conditions",
    [
        Conditions(loss=0.02, seed=3),
        Conditions(duplicates=0.2, seed=3),
        Conditions(jitter=1.2 * PERIOD, loss=0.01, duplicates=0.1, seed=5),
    ],
)
def test_lost_late_and_repeated_packets_move_nothing_wrongly(conditions):
    """Whatever arrives: no joint moves faster than its command, and the arm ends at rest at a held position."""
    net, controller, link = network(conditions)
    fastest = 0.0
    try:
        for state in sweep(link, 400):
            fastest = max(fastest, np.abs(state.qdot).max())
    except LinkLostError:
        pass
    true = controller.robot.state()
    assert np.isfinite(true.q).all()
    assert (np.abs(true.q) < 0.2).all()
    link.close()
    net.run(net.now_ns + 10**9)
    assert controller.state is FriState.MONITOR
    assert np.abs(controller.robot.state().qdot).max() < 1e-3


def test_without_answers_the_arm_stops_and_a_link_may_resume_after_monitor_mode_only():
    net, controller, link = network()
    sweep(link, 150)
    net.run(net.now_ns + round((MAX_MISSES + 3) * PERIOD * 1e9))
    assert controller.state is FriState.MONITOR
    assert controller.fallbacks["answers missing"] == 1
    held = controller.robot.state().q
    refused = [link.cycle(ask(held + 0.001)).refusal for _ in range(3)]
    assert Refusal.FELL_BACK in refused
    assert refused[-1] is Refusal.FELL_BACK
    link.cycle(monitor(7))
    assert link.cycle(ask(link.cycle(monitor(7)).q)).refusal is None
    assert controller.state is FriState.COMMAND


def test_a_silent_controller_is_a_lost_link():
    net, _, link = network()
    link.cycle(monitor(7))
    net.is_stopped = True
    with pytest.raises(LinkLostError, match="has not answered in 1 s"):
        link.cycle(monitor(7))


@pytest.mark.parametrize(
    ("change", "refusal"),
    [
        ({"q": 3.1 * ONES}, Refusal.POSITION),
        ({"q": 0.5 * ONES}, Refusal.SPEED),
        ({"q": np.full(7, np.nan)}, Refusal.NOT_FINITE),
        ({"tau_ff": 500.0 * ONES}, Refusal.TORQUE),
        ({"stiffness": 9000.0 * ONES}, Refusal.STIFFNESS),
        ({"damping_ratio": 1.5 * ONES}, Refusal.DAMPING),
        ({"q": np.zeros(6)}, Refusal.JOINT_COUNT),
    ],
)
def test_impossible_commands_are_not_sent(change, refusal):
    _, controller, link = network()
    link.cycle(ask(np.zeros(7)))
    assert link.cycle(replace(ask(np.zeros(7)), **change)).refusal is refusal
    for _ in range(20):
        link.cycle(ask(np.zeros(7)))
    assert controller.state is FriState.COMMAND
    np.testing.assert_allclose(controller.robot.state().q, 0.0, atol=1e-9)


def answer(controller: FriController, **fields) -> bytes:
    packet = empty_packet(COMMAND, COMMAND_ID, 1, controller._sequence)
    packet["flags"], packet["stiffness"], packet["damping"] = JOINT_IMPEDANCE, 800.0, 0.7
    for name, value in fields.items():
        packet[name] = value
    return packet.tobytes()


@pytest.mark.parametrize(
    ("fields", "reason"),
    [({"q": 1.0}, "speed"), ({"flags": 1}, "flags changed"), ({"stiffness": -5.0}, "stiffness")],
)
def test_the_controller_falls_back_by_itself_on_impossible_commands(fields, reason):
    """A remote computer without these checks does not move the arm either."""
    controller = FriController(seven_joint_robot(), PERIOD, ("client",))
    for k in range(WINDOW + 20):
        controller.tick(k * PERIOD)
        controller.receive(answer(controller), ("client",), k * PERIOD)
    assert controller.state is FriState.COMMAND
    controller.receive(answer(controller, q=2.0), ("other",), 1.0)
    controller.tick(1.0)
    assert controller.statistics.foreign == 1
    controller.receive(answer(controller, **fields), ("client",), 1.0)
    controller.tick(1.0 + PERIOD)
    assert controller.state is FriState.MONITOR
    assert controller.fallbacks[reason] == 1
    assert np.abs(controller.robot.state().q).max() < 1e-6


@given(
    st.one_of(
        st.binary(max_size=1000), st.binary(min_size=376, max_size=376), st.binary(min_size=916, max_size=916)
    )
)
@settings(max_examples=150, deadline=None)
def test_arbitrary_bytes_are_refused(data):
    for layout, kind in ((COMMAND, COMMAND_ID), (MEASUREMENT, MEASUREMENT_ID)):
        try:
            packet = read_packet(data, layout, kind)
        except MalformedError:
            continue
        assert packet["id"][0] == kind


@pytest.mark.plain_python
def test_values_that_are_not_finite_and_other_packets_are_malformed():
    good = empty_packet(MEASUREMENT, MEASUREMENT_ID, 65_537, 0)
    assert read_packet(good.tobytes(), MEASUREMENT, MEASUREMENT_ID)["sequence"][0] == 1
    for name in ("q", "torque", "measurement_period", "external_wrench"):
        bad = good.copy()
        bad[name] = np.inf
        with pytest.raises(MalformedError, match="not finite"):
            read_packet(bad.tobytes(), MEASUREMENT, MEASUREMENT_ID)
    with pytest.raises(MalformedError, match="another packet"):
        read_packet(good.tobytes(), MEASUREMENT, COMMAND_ID)


@pytest.mark.plain_python
@given(st.integers(0, 2**16 - 1), st.integers(-30_000, 30_000))
def test_sequence_numbers_continue_over_their_end(number, ahead):
    assert steps_between(number, (number + ahead) % 2**16) == ahead


def test_an_experiment_runs_over_sockets_with_the_same_commands_as_the_own_protocol():
    """A controller process sends measurements to this one, which performs the moves of a scenario."""
    scenario = load(
        "peg-rim", ["moves=[{duration: 0.1 s}, {by: [0, 0, 5 mm], duration: 0.6 s}]", "control.period=5 ms"]
    )
    listener = UdpListener(port=0)
    port = listener.port
    listener.close()
    controller = FriController(served_robot("peg-rim"), 5e-3, ("127.0.0.1", port))
    running = threading.Event()
    running.set()
    with UdpServer(controller, port=0) as server:
        thread = threading.Thread(target=server.run, args=(running.is_set,))
        thread.start()
        try:
            result = run_on_robot(scenario, lambda: FriLink(UdpListener(port=port)))
        finally:
            running.clear()
            thread.join()
    if result.outcome == "fell-back":  # a machine under load does not answer in time
        assert controller.fallbacks.total() > 0
        return
    assert result.completed
    assert "link_latency_median" in result.metrics
