"""Networks as they are, on purpose: delay, jitter, loss, duplicates; and a network with a simulated clock."""

import heapq
import random
from dataclasses import dataclass

from softdock.errors import InputError, Problem
from softdock.robot.link_server import Address, Outgoing, RobotServer

NANO = 1e-9


@dataclass(frozen=True, kw_only=True)
class Conditions:
    """What happens to datagrams on their way, in each direction."""

    delay: float = 0.0
    """Time that every datagram takes [s]."""
    jitter: float = 0.0
    """Up to so much more, evenly distributed and drawn for each datagram, so that they overtake each other [s]."""
    loss: float = 0.0
    """Share that never arrives."""
    duplicates: float = 0.0
    """Share that arrives twice."""
    seed: int = 0

    def __post_init__(self) -> None:
        problems = [
            Problem(message="Must be a time of 0 s or more.", field=name, given=f"{value:g} s")
            for name, value in (("delay", self.delay), ("jitter", self.jitter))
            if not 0.0 <= value < float("inf")
        ] + [
            Problem(message="Must be a share from 0 to 1.", field=name, given=f"{value:g}")
            for name, value in (("loss", self.loss), ("duplicates", self.duplicates))
            if not 0.0 <= value <= 1.0
        ]
        if problems:
            raise InputError(*problems)


class Passage:
    """One direction of a network; instants are whole nanoseconds, so that equal ones are equal."""

    def __init__(self, conditions: Conditions, salt: int = 0) -> None:
        self._conditions = conditions
        self._random = random.Random(2 * conditions.seed + salt)
        self._waiting: list[tuple[int, int, bytes, Address]] = []
        self._count = 0

    def put(self, data: bytes, address: Address, now: int) -> None:
        """Send a datagram now [ns]."""
        c, draw = self._conditions, self._random.random
        copies = 2 if c.duplicates and draw() < c.duplicates else 1
        for _ in range(copies):
            if c.loss and draw() < c.loss:
                continue
            way = c.delay + (c.jitter * draw() if c.jitter else 0.0)
            self._count += 1
            heapq.heappush(self._waiting, (now + round(way / NANO), self._count, data, address))

    @property
    def next_due(self) -> int | None:
        """When the next datagram arrives [ns]; None if none is on its way."""
        return self._waiting[0][0] if self._waiting else None

    def take(self, now: int) -> tuple[bytes, Address] | None:
        """Return the next datagram that has arrived by now [ns]."""
        if not self._waiting or self._waiting[0][0] > now:
            return None
        _, _, data, address = heapq.heappop(self._waiting)
        return data, address


class SimulatedNetwork:
    """A robot's server and its clients on one simulated clock: no waiting, no sockets, the same every time."""

    def __init__(self, server: RobotServer, conditions: Conditions = Conditions()) -> None:  # noqa: B008
        self.server = server
        self.is_stopped = False
        """True lets the robot's side fall silent, as when its cable is pulled."""
        self.now_ns = 0
        self._period = round(server.period / NANO)
        self._next_tick = 0
        self._up, self._down = Passage(conditions, 0), Passage(conditions, 1)
        self._inboxes: dict[Address, list[bytes]] = {}

    @property
    def now(self) -> float:
        """The simulated clock [s]."""
        return self.now_ns * NANO

    def wire(self, name: str = "client") -> "SimulatedWire":
        """Return a wire for one more client."""
        self._inboxes[(name,)] = []
        return SimulatedWire(self, (name,))

    def send(self, data: bytes, address: Address) -> None:
        """Send a datagram from a client to the robot."""
        self._up.put(data, address, self.now_ns)

    def run(self, until: int, address: Address | None = None) -> bytes | None:
        """Let time pass until an instant [ns], or until a datagram is there for the client, and return that."""
        while True:
            if address is not None and self._inboxes[address]:
                return self._inboxes[address].pop(0)
            due = self._next()
            if due > until:
                self.now_ns = max(self.now_ns, until)
                return None
            self.now_ns = max(self.now_ns, due)
            self._do_one()

    def _next(self) -> int:
        waiting = (self._up.next_due, self._next_tick, self._down.next_due)
        return min(due for due in waiting if due is not None)

    def _do_one(self) -> None:
        """Do the next thing that happens; at the same instant commands arrive before a cycle begins."""
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


class SimulatedWire:
    """One client's end of a simulated network."""

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
        """Return the next datagram; simulated time passes meanwhile, up to the deadline [s]."""
        return self._network.run(round(deadline / NANO), self._address)

    def close(self) -> None:
        """Nothing is held."""
