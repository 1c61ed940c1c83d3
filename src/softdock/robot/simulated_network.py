"""Simulated networks: delay, jitter, loss and duplicates of datagrams, on a simulated clock."""

import heapq
import random
from dataclasses import dataclass

from softdock.errors import InputError, Problem
from softdock.robot.link_server import Address, Outgoing, Served

NANOSECOND = 1e-9


@dataclass(frozen=True, kw_only=True)
class Conditions:
    """Network conditions in each direction."""

    delay: float = 0.0
    """Delay of every datagram [s]."""
    jitter: float = 0.0
    """Upper bound of an additional delay, uniformly distributed and drawn per datagram; reorders datagrams [s]."""
    loss: float = 0.0
    """Fraction of datagrams that are lost."""
    duplicates: float = 0.0
    """Fraction of datagrams that arrive twice."""
    seed: int = 0

    def __post_init__(self) -> None:
        problems = [
            Problem(message="Must be a time of 0 s or more.", field=name, given=f"{value:g} s")
            for name, value in (("delay", self.delay), ("jitter", self.jitter))
            if not 0.0 <= value < float("inf")
        ] + [
            Problem(message="Must be a fraction from 0 to 1.", field=name, given=f"{value:g}")
            for name, value in (("loss", self.loss), ("duplicates", self.duplicates))
            if not 0.0 <= value <= 1.0
        ]
        if problems:
            raise InputError(*problems)


class DatagramQueue:
    """One direction of a network: a queue of datagrams by arrival time in integer nanoseconds."""

    def __init__(self, conditions: Conditions, direction: int = 0) -> None:
        self._conditions = conditions
        self._random = random.Random(2 * conditions.seed + direction)
        self._waiting: list[tuple[int, int, bytes, Address]] = []
        self._count = 0

    def put(self, data: bytes, address: Address, now: int) -> None:
        """Send a datagram now [ns]."""
        c, draw = self._conditions, self._random.random
        copies = 2 if c.duplicates and draw() < c.duplicates else 1
        for _ in range(copies):
            if c.loss and draw() < c.loss:
                continue
            travel = c.delay + (c.jitter * draw() if c.jitter else 0.0)
            self._count += 1
            heapq.heappush(self._waiting, (now + round(travel / NANOSECOND), self._count, data, address))

    @property
    def next_arrival(self) -> int | None:
        """Arrival time of the next datagram [ns]; None if the queue is empty."""
        return self._waiting[0][0] if self._waiting else None

    def take(self, now: int) -> tuple[bytes, Address] | None:
        """Return the next datagram that has arrived by now [ns]."""
        if not self._waiting or self._waiting[0][0] > now:
            return None
        _, _, data, address = heapq.heappop(self._waiting)
        return data, address


class SimulatedNetwork:
    """A robot server and its clients on one simulated clock, without sockets; deterministic."""

    def __init__(self, server: Served, conditions: Conditions | None = None) -> None:
        conditions = conditions or Conditions()
        self.server = server
        self.is_stopped = False
        """True silences the robot's side, as when its cable is unplugged."""
        self.now_ns = 0
        self._period = round(server.period / NANOSECOND)
        self._next_tick = 0
        self._up, self._down = DatagramQueue(conditions, 0), DatagramQueue(conditions, 1)
        self._inboxes: dict[Address, list[bytes]] = {}

    @property
    def now(self) -> float:
        """The simulated clock [s]."""
        return self.now_ns * NANOSECOND

    def transport(self, name: str = "client") -> "SimulatedTransport":
        """Return the transport of a new client."""
        self._inboxes[(name,)] = []
        return SimulatedTransport(self, (name,))

    def send(self, data: bytes, address: Address) -> None:
        """Send a datagram from a client to the robot."""
        self._up.put(data, address, self.now_ns)

    def run(self, until: int, address: Address | None = None) -> bytes | None:
        """Advance time until an instant [ns], or until a datagram arrives for the client, and return the datagram."""
        while True:
            if address is not None and self._inboxes[address]:
                return self._inboxes[address].pop(0)
            due = self._next_time()
            if due > until:
                self.now_ns = max(self.now_ns, until)
                return None
            self.now_ns = max(self.now_ns, due)
            self._process_next()

    def _next_time(self) -> int:
        waiting = (self._up.next_arrival, self._next_tick, self._down.next_arrival)
        return min(due for due in waiting if due is not None)

    def _process_next(self) -> None:
        """Process the next event; at equal times commands arrive before a cycle begins."""
        if (arrived := self._up.take(self.now_ns)) is not None:
            if not self.is_stopped:
                self._post(self.server.receive(*arrived, self.now))
        elif (back := self._down.take(self.now_ns)) is not None:
            self._inboxes[back[1]].append(back[0])
        else:
            self._next_tick += self._period
            if not self.is_stopped:
                self._post(self.server.tick(self.now))

    def _post(self, outgoing: Outgoing) -> None:
        for data, address in outgoing:
            self._down.put(data, address, self.now_ns)


class SimulatedTransport:
    """Transport of one client on a simulated network."""

    def __init__(self, network: SimulatedNetwork, address: Address) -> None:
        self._network, self._address = network, address
        self.name = f"simulated/{address[0]}"

    def now(self) -> float:
        """Return the simulated clock [s]."""
        return self._network.now

    def send(self, data: bytes) -> None:
        """Send one datagram."""
        self._network.send(data, self._address)

    def receive(self, deadline: float) -> bytes | None:
        """Return the next datagram, or None at the deadline [s]; advances the simulated clock."""
        return self._network.run(round(deadline / NANOSECOND), self._address)

    def close(self) -> None:
        """Do nothing: there are no resources."""
