"""Links over real sockets in real time."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from tests.robot.link_fixtures import IDEAL_CONDITIONS, JOINTS, START, command, move_sinusoidally, robot

from softdock.errors import InputError
from softdock.robot.link import LinkLostError, RobotMode, monitor
from softdock.robot.link_server import RobotServer
from softdock.robot.simulated_network import Conditions
from softdock.robot.udp import LOOPBACK, MAX_DATAGRAMS_PER_CYCLE, UdpServer, connect, is_loopback


@contextmanager
def serving(conditions: Conditions = IDEAL_CONDITIONS, period: float = 5e-3) -> Iterator[UdpServer]:
    """Serve a robot on a free port of this machine, on a thread."""
    ended = threading.Event()
    server = RobotServer(robot(), period, timeout=2.0)  # a busy machine may pause a thread for long
    with UdpServer(server, LOOPBACK, 0, conditions) as udp:
        thread = threading.Thread(target=udp.run, args=(lambda: not ended.is_set(),))
        thread.start()
        try:
            yield udp
        finally:
            ended.set()
            thread.join()


def test_an_experiment_over_udp() -> None:
    with serving() as udp, connect(*udp.address) as link:
        assert link.limits.joints == JOINTS
        states = move_sinusoidally(link, 150, amplitude=0.1)
        assert states[-1].mode is RobotMode.COMMAND
        assert link.statistics.refused == 0
        reached = states[-1].q - START
        assert (np.abs(reached - 0.1 * 0.5 * (1.0 - np.cos(2.0 * np.pi * 0.75))) < 0.03).all()
        assert link.statistics.states.duplicates == 0
        assert 0.0 < link.statistics.latency.least < 0.5
    assert not udp.server.has_client


def test_malformed_bytes_a_second_client_and_loss_over_udp() -> None:
    conditions = Conditions(delay=2e-3, jitter=2e-3, loss=0.05, duplicates=0.05, seed=4)
    with serving(conditions) as udp, connect(*udp.address) as link:
        noise = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        for i in range(60):
            noise.sendto(bytes([i]) * (37 * i % 1600), udp.address)
            assert link.cycle(command(START)).mode is RobotMode.COMMAND or i < 20
        noise.close()
        with pytest.raises(LinkLostError, match="is in use by another client"):
            connect(*udp.address)
        state = link.cycle(command(START))
        np.testing.assert_allclose(state.q, START, atol=1e-12)
        assert udp.server.statistics.malformed > 30
        assert link.statistics.latency.least > 4e-3


def test_a_robot_that_disconnects_over_udp() -> None:
    with serving() as udp:
        link = connect(*udp.address)
        link.cycle(monitor(JOINTS))
    with pytest.raises(LinkLostError, match="has ended the session"):
        move_sinusoidally(link, 1000)
    link.close()
    with pytest.raises(LinkLostError, match="closed link"):
        link.cycle(monitor(JOINTS))


def test_a_port_in_use_gives_a_message() -> None:
    with serving() as udp, pytest.raises(InputError, match="Cannot listen there"):
        UdpServer(RobotServer(robot()), *udp.address)


def test_invalid_hosts_and_ports_are_rejected() -> None:
    with pytest.raises(InputError, match="0 to 65535"):
        connect(LOOPBACK, 70_000)
    with pytest.raises(InputError, match="Unknown host"):
        connect("no such host", 47810)
    assert is_loopback("127.0.0.1")
    assert is_loopback("::1")
    assert not is_loopback("0.0.0.0")


def test_a_flood_is_read_only_in_part() -> None:
    """The robot reads a bounded number of datagrams per cycle, so that a flood does not delay its cycles."""
    cycles = 4
    with UdpServer(RobotServer(robot(), 0.02), LOOPBACK, 0) as udp:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as noise:
            for _ in range(2 * cycles * MAX_DATAGRAMS_PER_CYCLE):
                noise.sendto(b"flood", udp.address)
        waiting = iter([True] * cycles + [False])
        udp.run(lambda: next(waiting))
        assert udp.server.statistics.cycles == cycles
        assert udp.server.statistics.malformed == cycles * MAX_DATAGRAMS_PER_CYCLE
