"""Links over UDP sockets, in real time."""

import contextlib
import ipaddress
import select
import socket
import time
from collections.abc import Callable

from softdock.errors import InputError, reason_of
from softdock.robot.link import LinkLostError
from softdock.robot.link_remote import RemoteLink
from softdock.robot.link_server import Outgoing, Served
from softdock.robot.protocol import MAX_DATAGRAM_BYTES
from softdock.robot.simulated_network import NANOSECOND, Conditions, DatagramQueue

LOOPBACK = "127.0.0.1"
PORT = 47810
"""Default port of a robot link; not assigned by IANA."""
MAX_CATCH_UP_CYCLES = 10
"""Largest delay in cycles that a server catches up with; beyond it the schedule restarts."""
MAX_DATAGRAMS_PER_CYCLE = 50
"""Datagrams that a server reads in one cycle; a client sends one. Reading them takes less than half of 1 ms."""


def connect(host: str = LOOPBACK, port: int = PORT) -> RemoteLink:
    """Return a link to the robot at a host and port; raise `LinkLostError` if the connection fails."""
    return RemoteLink(UdpTransport(host, port))


class UdpTransport:
    """Transport over a UDP socket connected to one address."""

    def __init__(self, host: str, port: int) -> None:
        self.name = f"{host}:{port}"
        family, _, address = resolve(host, port)
        self._socket = socket.socket(family, socket.SOCK_DGRAM)
        try:
            self._socket.connect(address)
        except OSError as error:
            self._socket.close()
            raise LinkLostError(f"The robot at {self.name} cannot be reached: {reason_of(error)}.") from error

    def now(self) -> float:
        """Return the time of a monotonic clock [s]."""
        return time.perf_counter()

    def send(self, data: bytes) -> None:
        """Send one datagram; a failure counts as a lost datagram."""
        with contextlib.suppress(ConnectionRefusedError, BlockingIOError):
            self._socket.send(data)

    def receive(self, deadline: float) -> bytes | None:
        """Return the next datagram, or None at the deadline [s]."""
        while True:
            wait = max(0.0, deadline - time.perf_counter())
            if not select.select([self._socket], [], [], wait)[0]:
                return None
            try:
                return self._socket.recv(MAX_DATAGRAM_BYTES + 1)
            except ConnectionRefusedError:
                if time.perf_counter() >= deadline:
                    return None  # no server is listening yet

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()


class UdpServer:
    """A robot's server on a UDP socket, in real time."""

    def __init__(
        self,
        server: Served,
        host: str = LOOPBACK,
        port: int = PORT,
        conditions: Conditions = Conditions(),  # noqa: B008
    ) -> None:
        self.server = server
        self._up, self._down = DatagramQueue(conditions, 0), DatagramQueue(conditions, 1)
        family, _, address = resolve(host, port)
        self._socket = socket.socket(family, socket.SOCK_DGRAM)
        try:
            self._socket.bind(address)
        except OSError as error:
            self._socket.close()
            message = f"Cannot listen there: {reason_of(error)}."
            raise InputError(message, given=f"{host}:{port}") from error
        self._socket.setblocking(False)
        self._unread = MAX_DATAGRAMS_PER_CYCLE
        """Datagrams that may still be read in this cycle."""

    @property
    def address(self) -> tuple[str, int]:
        """Host and port on which the robot listens."""
        host, port = self._socket.getsockname()[:2]
        return host, port

    def run(self, keep_running: Callable[[], bool]) -> None:
        """Serve in real time, cycle by cycle, while `keep_running()` is true; called once per cycle."""
        period = round(self.server.period / NANOSECOND)
        next_tick = time.perf_counter_ns()
        while keep_running():
            self._unread = MAX_DATAGRAMS_PER_CYCLE
            self._wait(next_tick)
            now = time.perf_counter_ns()
            late = (now - next_tick) // period
            if late >= 1:
                self.server.statistics.late_cycles += 1
            if late > MAX_CATCH_UP_CYCLES:
                next_tick = now
            self._post(self.server.tick(now * NANOSECOND), now)
            worst = self.server.statistics.worst_cycle
            self.server.statistics.worst_cycle = max(worst, (time.perf_counter_ns() - now) * NANOSECOND)
            next_tick += period

    def close(self) -> None:
        """End the session, if any, and close the socket."""
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
        """Receive and send datagrams until an instant [ns]."""
        while True:
            self._receive()  # first: datagrams that arrived during a pause are processed before the cycle
            now = time.perf_counter_ns()
            self._deliver(now)
            if now >= until:
                return
            waiting = (until, self._up.next_arrival, self._down.next_arrival)
            due = min(instant for instant in waiting if instant is not None)
            # Under a flood the rest waits in the socket until the next cycle, or is lost there.
            readable = [self._socket] if self._unread else []
            select.select(readable, [], [], max(0, due - now) * NANOSECOND)

    def _receive(self) -> None:
        while self._unread:
            try:
                data, address = self._socket.recvfrom(MAX_DATAGRAM_BYTES + 1)
            except BlockingIOError:
                return
            except ConnectionError:
                data = b""  # the client is gone; the command timeout detects it
            self._unread -= 1
            if data:
                self._up.put(data, address, time.perf_counter_ns())

    def _deliver(self, now: int) -> None:
        while (arrived := self._up.take(now)) is not None:
            self._post(self.server.receive(*arrived, now * NANOSECOND), now)
        while (leaving := self._down.take(now)) is not None:
            self._send(*leaving)

    def _post(self, outgoing: Outgoing, now: int) -> None:
        for data, address in outgoing:
            self._down.put(data, address, now)
        while (leaving := self._down.take(now)) is not None:
            self._send(*leaving)

    def _send(self, data: bytes, address: tuple[object, ...]) -> None:
        with contextlib.suppress(OSError):  # a datagram that cannot be sent counts as lost
            self._socket.sendto(data, address)


def is_loopback(host: str) -> bool:
    """Return whether an address is reachable from this machine only."""
    _, _, address = resolve(host, 0)
    return ipaddress.ip_address(str(address[0]).partition("%")[0]).is_loopback


def resolve(host: str, port: int) -> tuple[socket.AddressFamily, int, tuple[str, int]]:
    """Return family, protocol and address of a UDP socket; raises InputError for unknown hosts and ports."""
    if not 0 <= port <= 65535:
        raise InputError("A port must be a number from 0 to 65535.", field="port", given=str(port))
    try:
        family, _, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0]
    except (OSError, UnicodeError) as error:
        message = "Unknown host."
        raise InputError(message, field="host", given=host) from error
    return family, protocol, address  # type: ignore[return-value]
