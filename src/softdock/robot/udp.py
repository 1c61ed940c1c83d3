"""Links over UDP: sockets and the clock on the wall."""

import contextlib
import ipaddress
import select
import socket
import time
from collections.abc import Callable

from softdock.errors import InputError, Problem, reason_of
from softdock.robot.link import LinkLostError
from softdock.robot.link_network import NANO, Conditions, Passage
from softdock.robot.link_remote import RemoteLink
from softdock.robot.link_server import Outgoing, RobotServer
from softdock.robot.protocol import LARGEST

LOOPBACK = "127.0.0.1"
PORT = 47810
"""Port of a robot's link by default; not assigned to anything else by IANA."""
CATCH_UP = 10
"""Cycles by which a server may be late and still make up for it; beyond that it starts a new schedule."""


def connect(host: str = LOOPBACK, port: int = PORT) -> RemoteLink:
    """Return a link to the robot at a host and port; raises `LinkLostError` if it cannot be had."""
    return RemoteLink(UdpWire(host, port))


class UdpWire:
    """A UDP socket that speaks with one address only."""

    def __init__(self, host: str, port: int) -> None:
        self.name = f"{host}:{port}"
        family, _, address = _resolve(host, port)
        self._socket = socket.socket(family, socket.SOCK_DGRAM)
        try:
            self._socket.connect(address)
        except OSError as error:
            self._socket.close()
            raise LinkLostError(f"The robot at {self.name} cannot be reached: {reason_of(error)}.") from error

    def now(self) -> float:
        """Return a clock that only goes forward [s]."""
        return time.perf_counter()

    def send(self, data: bytes) -> None:
        """Send one datagram; one that cannot be sent is as good as lost."""
        with contextlib.suppress(ConnectionRefusedError, BlockingIOError):
            self._socket.send(data)

    def receive(self, deadline: float) -> bytes | None:
        """Return the next datagram, or None at the deadline [s]."""
        while True:
            wait = max(0.0, deadline - time.perf_counter())
            if not select.select([self._socket], [], [], wait)[0]:
                return None
            try:
                return self._socket.recv(LARGEST + 1)
            except ConnectionRefusedError:
                if time.perf_counter() >= deadline:
                    return None  # nobody listens there now; perhaps soon

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()


class UdpServer:
    """A robot's server on a UDP socket, in real time."""

    def __init__(
        self,
        server: RobotServer,
        host: str = LOOPBACK,
        port: int = PORT,
        conditions: Conditions = Conditions(),  # noqa: B008
    ) -> None:
        self.server = server
        self._up, self._down = Passage(conditions, 0), Passage(conditions, 1)
        family, _, address = _resolve(host, port)
        self._socket = socket.socket(family, socket.SOCK_DGRAM)
        try:
            self._socket.bind(address)
        except OSError as error:
            self._socket.close()
            message = f"Cannot listen there: {reason_of(error)}."
            raise InputError(Problem(message=message, given=f"{host}:{port}")) from error
        self._socket.setblocking(False)

    @property
    def address(self) -> tuple[str, int]:
        """Host and port on which the robot listens."""
        host, port = self._socket.getsockname()[:2]
        return host, port

    def run(self, goes_on: Callable[[], bool]) -> None:
        """Serve in real time, cycle by cycle, as long as `goes_on` says so; asked once in every cycle."""
        period = round(self.server.period / NANO)
        next_tick = time.perf_counter_ns()
        while goes_on():
            self._wait(next_tick)
            now = time.perf_counter_ns()
            late = (now - next_tick) // period
            if late >= 1:
                self.server.statistics.late_cycles += 1
            if late > CATCH_UP:
                next_tick = now
            self._post(self.server.tick(now * NANO), now)
            worst = self.server.statistics.worst_cycle
            self.server.statistics.worst_cycle = max(worst, (time.perf_counter_ns() - now) * NANO)
            next_tick += period

    def close(self) -> None:
        """End the session, if there is one, and close the socket."""
        if self._socket.fileno() < 0:
            return
        for data, address in self.server.stop():
            self._send(data, address)
        self._socket.close()

    def __enter__(self) -> "UdpServer":
        return self

    def __exit__(self, *ended: object) -> None:
        self.close()

    def _wait(self, until: int) -> None:
        """Take in and send out what is due, until an instant [ns]."""
        while True:
            self._take_in()  # first: after a pause, what has come meanwhile counts before the cycle does
            now = time.perf_counter_ns()
            self._deliver(now)
            if now >= until:
                return
            waiting = (until, self._up.next_due, self._down.next_due)
            due = min(instant for instant in waiting if instant is not None)
            select.select([self._socket], [], [], max(0, due - now) * NANO)

    def _take_in(self) -> None:
        with contextlib.suppress(BlockingIOError):
            for _ in range(1000):  # a flood must not keep the robot from its cycle
                try:
                    data, address = self._socket.recvfrom(LARGEST + 1)
                except ConnectionError:
                    continue  # a client that has gone; it is missed by its commands
                self._up.put(data, address, time.perf_counter_ns())

    def _deliver(self, now: int) -> None:
        while (arrived := self._up.take(now)) is not None:
            self._post(self.server.receive(*arrived, now * NANO), now)
        while (leaving := self._down.take(now)) is not None:
            self._send(*leaving)

    def _post(self, outgoing: Outgoing, now: int) -> None:
        for data, address in outgoing:
            self._down.put(data, address, now)
        while (leaving := self._down.take(now)) is not None:
            self._send(*leaving)

    def _send(self, data: bytes, address: tuple[object, ...]) -> None:
        with contextlib.suppress(OSError):  # a datagram that cannot be sent is as good as lost
            self._socket.sendto(data, address)


def is_loopback(host: str) -> bool:
    """Tell whether an address can be reached from this machine only."""
    _, _, address = _resolve(host, 0)
    return ipaddress.ip_address(str(address[0]).partition("%")[0]).is_loopback


def _resolve(host: str, port: int) -> tuple[socket.AddressFamily, int, tuple[str, int]]:
    if not 0 <= port <= 65535:
        raise InputError(
            Problem(message="A port is a number from 0 to 65535.", field="port", given=str(port))
        )
    try:
        family, _, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0]
    except (OSError, UnicodeError) as error:
        message = "This host is not known."
        raise InputError(Problem(message=message, field="host", given=host)) from error
    return family, protocol, address  # type: ignore[return-value]
