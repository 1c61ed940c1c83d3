"""The robot's side of a link, without sockets and without a clock of its own.

Datagrams and instants go in, datagrams come out. A real server feeds it from a socket, a test from a simulated
network; both get the same behaviour.
"""

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

from softdock.errors import InputError, Problem
from softdock.robot.link import Command, Mode, Refusal, Robot, State
from softdock.robot.link_gate import Gate
from softdock.robot.link_statistics import ServerStatistics
from softdock.robot.protocol import (
    MOST_JOINTS,
    Bye,
    Denial,
    Denied,
    Hello,
    MalformedError,
    Measured,
    Ordered,
    OtherVersionError,
    Packet,
    Welcome,
    decode,
    encode,
)

Address = tuple[Any, ...]
Outgoing = list[tuple[bytes, Address]]


@dataclass
class _Owner:
    """The client that has the robot."""

    address: Address
    session: int
    heard: float
    sent: int = 0
    echo: int = 0
    echo_sent: float = 0.0
    echo_arrived: float = 0.0
    refused_before: int = 0


class RobotServer:
    """Lets one client at a time command a robot, cycle by cycle.

    A cycle begins with the sending of the state. A command that has arrived by then is followed until the next
    one begins; what arrives later waits for the next cycle, as in a robot whose controller samples its input.
    """

    def __init__(self, robot: Robot, period: float = 1e-3, timeout: float | None = None) -> None:
        if not 1 <= robot.limits.joints <= MOST_JOINTS:
            message = f"A robot behind this link has 1 to {MOST_JOINTS} joints."
            raise InputError(Problem(message=message, given=str(robot.limits.joints)))
        self.robot = robot
        self.gate = Gate(robot.limits, period, timeout)
        self.release_after = max(1.0, 2.0 * self.gate.timeout)
        """Silence after which the robot is free for another client [s]."""
        self.statistics = ServerStatistics()
        self._owner: _Owner | None = None
        self._state = robot.state()
        self.gate.begin(self._state.q)
        self._following: Command = self.gate.obeyed
        self._began = float("-inf")

    @property
    def period(self) -> float:
        """Time from one cycle to the next [s]."""
        return self.gate.period

    @property
    def state(self) -> State:
        """The state at the beginning of this cycle."""
        return replace(self._state, mode=self.gate.mode, refusal=self.gate.refusal)

    @property
    def is_taken(self) -> bool:
        """Whether a client has the robot."""
        return self._owner is not None

    def receive(self, data: bytes, address: Address, now: float) -> Outgoing:
        """Take a datagram that arrived now [s] and return what is to be sent at once."""
        try:
            packet = decode(data)
        except OtherVersionError:
            self.statistics.malformed += 1
            return [(encode(0, 0, Denied(Denial.VERSION)), address)]
        except MalformedError:
            self.statistics.malformed += 1
            return []
        if isinstance(packet.body, Hello):
            return self._greet(packet, address, now)
        owner = self._owner
        if owner is None or (owner.address, owner.session) != (address, packet.session):
            self.statistics.foreign += 1
            return []
        match packet.body:
            case Ordered() as ordered:
                self._take(ordered, packet.sequence, owner, now)
            case Bye():
                self._release()
            case _:
                self.statistics.foreign += 1  # only a robot says such things
        return []

    def tick(self, now: float) -> Outgoing:
        """End the running cycle, begin the next one now [s] and return the state to be sent."""
        if self.statistics.cycles:
            self.robot.advance(self._following, self.period)
        self.statistics.cycles += 1
        self._state = self.robot.state()
        self.gate.watch(self._state.q, now)
        if self._owner is not None and now - self._owner.heard > self.release_after:
            self._release()
        self._following, self._began = self.gate.obeyed, now
        if self._owner is None:
            return []
        return [(self._report(self._owner, now), self._owner.address)]

    def stop(self) -> Outgoing:
        """End the session, if there is one, and let the robot hold."""
        owner = self._owner
        self._release()
        return [] if owner is None else [(encode(owner.session, owner.sent + 1, Bye()), owner.address)]

    def to_json(self) -> dict[str, Any]:
        """Return the statistics, with every refusal by its name."""
        refused: Counter[Refusal] = self.gate.refused
        return {
            **self.statistics.to_json(),
            "accepted": self.gate.accepted,
            "fallbacks": self.gate.fallbacks,
            "refused": {reason.name.lower(): refused[reason] for reason in Refusal},
        }

    def _greet(self, packet: Packet, address: Address, now: float) -> Outgoing:
        owner = self._owner
        mine = owner is not None and (owner.address, owner.session) == (address, packet.session)
        if owner is not None and not mine:
            self.statistics.denied += 1
            return [(encode(packet.session, 0, Denied(Denial.BUSY)), address)]
        if owner is None:
            self._owner = _Owner(address, packet.session, now, refused_before=self.gate.refused.total())
            self.gate.begin(self._state.q)
            self.statistics.begin_session()
        else:
            owner.heard = now
        welcome = Welcome(self.period, self.gate.timeout, self.robot.limits)
        return [(encode(packet.session, 0, welcome), address)]

    def _take(self, ordered: Ordered, sequence: int, owner: _Owner, now: float) -> None:
        owner.heard = now
        if self.statistics.commands.take(sequence):
            owner.echo, owner.echo_sent, owner.echo_arrived = sequence, ordered.sent, now
        self.gate.admit(ordered.command, sequence, self._state.q, now)
        if now <= self._began:
            self._following = self.gate.obeyed

    def _report(self, owner: _Owner, now: float) -> bytes:
        owner.sent += 1
        measured = Measured(
            self.state,
            owner.echo,
            owner.echo_sent,
            now - owner.echo_arrived if owner.echo else 0.0,
            self.gate.refused.total() - owner.refused_before,
        )
        return encode(owner.session, owner.sent, measured)

    def _release(self) -> None:
        self._owner = None
        if self.gate.mode is Mode.COMMAND:
            self.gate.hold(self._state.q)
