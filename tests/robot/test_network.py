"""Links over a faulty network on a simulated clock, deterministic."""

import zlib

import numpy as np
import pytest
from tests.robot.link_fixtures import JOINTS, START, command, move_sinusoidally, robot, serve_robot

from softdock.errors import InputError
from softdock.robot.link import LinkLostError, Refusal, RobotMode, monitor
from softdock.robot.link_local import LocalLink
from softdock.robot.link_remote import RemoteLink
from softdock.robot.link_server import RobotServer
from softdock.robot.link_statistics import DurationStatistics, SequenceCounter
from softdock.robot.protocol import Bye, CommandMessage, Hello, encode
from softdock.robot.simulated_network import Conditions, SimulatedNetwork

MS = 1_000_000  # ns


def test_link_without_delay_gives_the_bits_of_a_local_robot() -> None:
    """The same experiment gives the same bits in the process and through the protocol."""
    _, remote = serve_robot()
    here, there = move_sinusoidally(LocalLink(robot()), 300), move_sinusoidally(remote, 300)
    assert [state.mode for state in there] == [RobotMode.COMMAND] * 300
    for a, b in zip(here, there, strict=True):
        np.testing.assert_array_equal(a.q, b.q)
        np.testing.assert_array_equal(a.tau_measured, b.tau_measured)


def test_a_delay_of_whole_cycles_shifts_the_motion_by_them() -> None:
    direct = move_sinusoidally(LocalLink(robot()), 300)
    _, late_link = serve_robot(Conditions(delay=2e-3))
    late = move_sinusoidally(late_link, 300)
    for i in range(100, 300):
        np.testing.assert_allclose(late[i].q, direct[i - 4].q, atol=1e-12)
    assert late_link.statistics.latency.mean == pytest.approx(4e-3, abs=1e-9)


def test_loss_is_counted_and_tolerated() -> None:
    """5 % lost each way: counts within four standard deviations of a binomial, and the motion continues."""
    network, link = serve_robot(Conditions(loss=0.05, seed=3))
    states = move_sinusoidally(link, 3000)
    assert len(states) == 3000
    server = network.server
    for stream, what in ((link.statistics.states, "states"), (server.statistics.commands, "commands")):
        sent = stream.received + stream.lost
        assert abs(stream.lost - 0.05 * sent) < 4.0 * np.sqrt(0.05 * 0.95 * sent), what
        assert stream.duplicates == stream.reordered == 0
    assert server.supervisor.fallbacks == 0
    assert server.supervisor.refused.total() == 0


def test_duplicates_are_counted_and_ignored() -> None:
    network, link = serve_robot(Conditions(duplicates=0.2, seed=1))
    plain = move_sinusoidally(LocalLink(robot()), 1000)
    states = move_sinusoidally(link, 1000)
    np.testing.assert_array_equal(states[-1].q, plain[-1].q)
    assert 120 < link.statistics.states.duplicates < 280
    assert (
        network.server.supervisor.refused[Refusal.STALE]
        == network.server.statistics.commands.duplicates
        > 120
    )
    assert link.statistics.states.lost == 0


def test_reordering_is_counted_and_no_older_command_is_followed() -> None:
    network, link = serve_robot(Conditions(delay=1e-3, jitter=3e-3, seed=5))
    followed: list[float] = []
    advance = network.server.robot.advance

    def spy(order: object, duration: float) -> None:
        followed.append(float(order.q[0]))  # type: ignore[attr-defined]
        advance(order, duration)  # type: ignore[arg-type]

    network.server.robot.advance = spy  # type: ignore[method-assign]
    states = move_sinusoidally(link, 400)
    assert (np.diff([state.sequence for state in states]) > 0).all()
    assert (
        np.diff(followed[:400]) >= 0.0
    ).all()  # upward half of the motion: an older command would be a step down
    assert link.statistics.states.reordered > 20
    assert network.server.statistics.commands.reordered > 20
    assert network.server.supervisor.refused[Refusal.STALE] == network.server.statistics.commands.reordered


def test_garbage_is_counted_and_ignored() -> None:
    network, link = serve_robot()
    plain = move_sinusoidally(LocalLink(robot()), 100)
    states = []
    for i in range(1, 101):
        angle = 0.1 * (1.0 - np.cos(2.0 * np.pi * i * link.period))
        network.send(bytes(range(i)), ("client",))
        network.send(b"SDRL" + bytes(60), ("client",))
        states.append(link.cycle(command(START + angle)))
    np.testing.assert_array_equal(states[-1].q, plain[-1].q)
    assert network.server.statistics.malformed == 200


def test_the_robot_holds_when_its_client_stops() -> None:
    network, link = serve_robot()
    move_sinusoidally(link, 250)
    timeout = network.server.supervisor.timeout
    moving = network.server.state
    network.run(network.now_ns + round(timeout * 1e9) + 2 * MS)
    held = network.server.state
    assert (moving.mode, held.mode) == (RobotMode.COMMAND, RobotMode.MONITOR)
    assert network.server.supervisor.fallbacks == 1
    network.run(network.now_ns + 500 * MS)
    still = network.server.state
    np.testing.assert_allclose(still.qdot, 0.0, atol=1e-6)
    assert np.abs(still.q - held.q).max() < np.abs(moving.qdot).max() * 0.05  # no further than it coasted
    assert link.cycle(command(still.q)).refusal is None  # the state before the command, one cycle late
    assert link.cycle(command(still.q)).refusal is Refusal.FELL_BACK
    assert link.cycle(monitor(JOINTS)).mode is RobotMode.MONITOR
    assert link.cycle(command(still.q)).mode is RobotMode.COMMAND


def test_the_client_is_told_when_the_robot_stops() -> None:
    network, link = serve_robot()
    move_sinusoidally(link, 10)
    network.is_stopped = True
    with pytest.raises(LinkLostError, match=r"robot at simulated/client has not answered for 1 s\."):
        move_sinusoidally(link, 10)


def test_robot_that_ends_the_session_is_reported() -> None:
    network, link = serve_robot()
    for data, address in network.server.stop():
        network._down.put(data, address, network.now_ns)
    with pytest.raises(LinkLostError, match="has ended the session"):
        move_sinusoidally(link, 10)


def test_connecting_without_a_robot_fails() -> None:
    network = SimulatedNetwork(RobotServer(robot()))
    network.is_stopped = True
    with pytest.raises(LinkLostError, match="did not answer within 2 s"):
        RemoteLink(network.transport())


def test_a_robot_of_another_version_is_reported() -> None:
    """Its denial reaches a client whose hello it could not decode."""
    network = SimulatedNetwork(RobotServer(robot()))
    receive = network.server.receive

    def newer(data: bytes, address: tuple, now: float) -> list:
        changed = bytearray(data)
        changed[4] = 7
        changed[-4:] = zlib.crc32(changed[:-4]).to_bytes(4, "little")
        return receive(bytes(changed), address, now)

    network.server.receive = newer  # type: ignore[method-assign]
    with pytest.raises(LinkLostError, match="does not support version 1 of the protocol"):
        RemoteLink(network.transport())


def test_a_second_client_is_refused_until_the_first_has_gone() -> None:
    network, first = serve_robot()
    move_sinusoidally(first, 10)
    with pytest.raises(LinkLostError, match="is in use by another client"):
        RemoteLink(network.transport("second"))
    assert network.server.statistics.denied == 1
    assert move_sinusoidally(first, 10)[-1].refusal is None
    first.close()
    second = RemoteLink(network.transport("third"))
    assert second.cycle(monitor(JOINTS)).mode is RobotMode.MONITOR
    assert network.server.statistics.sessions == 2
    assert network.server.statistics.to_json()["commands"]["received"] >= 21  # of both sessions


def test_datagrams_of_other_clients_are_ignored() -> None:
    """Neither the client's session from another address nor another session from its address."""
    network, link = serve_robot()
    move_sinusoidally(link, 5)
    before = network.server.supervisor.accepted
    network.transport("stranger")
    order = CommandMessage(command(START + 0.5), 0.0)
    for address, session in ((("stranger",), link._session), (("client",), link._session ^ 1)):
        network.send(encode(session, 10_000, order), address)
        network.send(encode(session, 10_001, Bye()), address)
    network.run(network.now_ns + MS // 2)
    assert network.server.statistics.foreign == 4
    assert network.server.supervisor.accepted == before
    assert network.server.has_client


def test_session_of_a_silent_client_ends() -> None:
    network, link = serve_robot()
    move_sinusoidally(link, 5)
    network.run(network.now_ns + round(1.1 * network.server.release_after * 1e9))
    assert not network.server.has_client
    RemoteLink(network.transport("next"))


def test_a_lost_hello_is_repeated_and_accepted_once() -> None:
    network, link = serve_robot(Conditions(loss=0.5, seed=2))
    assert network.server.statistics.sessions == 1
    network.send(encode(link._session, 0, Hello()), ("client",))
    network.run(network.now_ns + MS)
    assert network.server.statistics.sessions == 1
    assert network.server.statistics.denied == 0


@pytest.mark.parametrize("period", [1e-3, 0.01, 0.1])
def test_cycles_from_1_to_100_ms(period: float) -> None:
    _, link = serve_robot(period=period)
    states = move_sinusoidally(link, 30, frequency=0.02 / period)
    assert link.period == period
    assert np.diff([state.t for state in states]) == pytest.approx(period)
    assert link.statistics.interval.mean == pytest.approx(period, rel=1e-6)
    assert link.statistics.interval.deviation < 1e-9


@pytest.mark.long
def test_a_minute_at_1_khz() -> None:
    """60 s of simulated clock in monitor mode with loss, jitter and duplicates: the packet counts are consistent."""
    network, link = serve_robot(Conditions(delay=2e-4, jitter=5e-4, loss=0.05, duplicates=0.01, seed=11))
    while network.now < 60.0:
        link.cycle(monitor(JOINTS))
    states, server = link.statistics.states, network.server.statistics
    assert server.cycles == pytest.approx(60_000, abs=3)
    assert states.received + states.lost == pytest.approx(server.cycles, abs=10)
    assert states.lost / server.cycles == pytest.approx(0.05, abs=0.005)
    assert link.statistics.latency.least >= 2 * 2e-4 - 1e-9
    assert link.statistics.latency.greatest <= 2 * 7e-4 + 1e-9
    # Of two commands that arrive in one cycle only the later one is timed: the mean is a little below 2 x 0.45 ms.
    assert 0.95 * 9e-4 < link.statistics.latency.mean < 9e-4
    assert network.server.supervisor.fallbacks == 0


@pytest.mark.parametrize(
    "wrong", [{"delay": -1.0}, {"jitter": float("nan")}, {"loss": 1.5}, {"duplicates": -0.1}]
)
def test_impossible_conditions_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(InputError, match=next(iter(wrong))):
        Conditions(**wrong)


def test_a_sequence_counter_counts_each_packet_once() -> None:
    stream = SequenceCounter()
    newer = [stream.add(number) for number in (10, 12, 11, 12, 15, 9, 13, 13)]
    assert newer == [True, True, False, False, True, False, False, False]
    assert (stream.received, stream.reordered, stream.duplicates, stream.lost) == (5, 2, 3, 1)


def test_duration_statistics_are_those_of_the_samples() -> None:
    samples, spread = np.random.default_rng(1).normal(3.0, 0.5, 500), DurationStatistics()
    for value in samples:
        spread.add(value)
    assert spread.mean == pytest.approx(samples.mean())
    assert spread.deviation == pytest.approx(samples.std())
    assert spread.percentile(0.5) == pytest.approx(np.median(samples), abs=0.02)
