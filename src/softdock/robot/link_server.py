"""Robot side of a link, without sockets and without a clock of its own.

Its inputs are datagrams and times, its outputs datagrams. A real server feeds it from a socket, a test from a
simulated network, with the same behaviour.
"""

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any, Protocol

from softdock.errors import InputError
from softdock.robot.command_supervisor import CommandSupervisor
from softdock.robot.link import Command, Exceeded, Refusal, Robot, RobotMode, RobotState
from softdock.robot.link_statistics import ServerStatistics
from softdock.robot.protocol import (
    MAX_JOINTS,
    Bye,
    CommandMessage,
    Denial,
    DenialMessage,
    Hello,
    MalformedError,
    Packet,
    ProtocolVersionError,
    StateMessage,
    Welcome,
    decode,
    encode,
)

Address = tuple[Any, ...]
Outgoing = list[tuple[bytes, Address]]


class Served(Protocol):
    """Robot side of a link, without a socket."""

    statistics: ServerStatistics

    @property
    def period(self) -> float:
        """Time from one cycle to the next [s]."""

    def receive(self, data: bytes, address: Address, now: float) -> Outgoing:
        """Process a datagram and return the answers."""

    def tick(self, now: float) -> Outgoing:
        """Begin the next cycle and return what is sent."""

    def stop(self) -> Outgoing:
        """Hold the position of the robot."""


@dataclass
class _Client:
    """The client that controls the robot."""

    address: Address
    session: int
    last_heard: float
    sent: int = 0
    echo: int = 0
    echo_sent: float = 0.0
    echo_arrived: float = 0.0
    refused_before: int = 0
    reads_wrench: bool = False


class RobotServer:
    """Serves a robot to one client at a time, cycle by cycle.

    A cycle begins when the state is sent. A command that has arrived by then is followed until the next cycle
    begins; a later command waits for the next cycle, as in a robot whose controller samples its input.
    """

    def __init__(self, robot: Robot, period: float = 1e-3, timeout: float | None = None) -> None:
        if not 1 <= robot.limits.joints <= MAX_JOINTS:
            message = f"The link supports robots with 1 to {MAX_JOINTS} joints."
            raise InputError(message, given=str(robot.limits.joints))
        self.robot = robot
        self.supervisor = CommandSupervisor(robot.limits, period, timeout)
        self.release_after = max(1.0, 2.0 * self.supervisor.timeout)
        """Time without datagrams after which the robot is released for other clients [s]."""
        self.statistics = ServerStatistics()
        self._client: _Client | None = None
        self._state = robot.state()
        self.supervisor.start_session(self._state.q)
        self._following: Command = self.supervisor.active_command
        self._began = float("-inf")

    @property
    def period(self) -> float:
        """Time from one cycle to the next [s]."""
        return self.supervisor.period

    @property
    def state(self) -> RobotState:
        """The state at the beginning of the present cycle."""
        supervisor = self.supervisor
        return replace(
            self._state, mode=supervisor.mode, refusal=supervisor.refusal, exceeded=supervisor.exceeded
        )

    @property
    def has_client(self) -> bool:
        """Whether a client controls the robot."""
        return self._client is not None

    def receive(self, data: bytes, address: Address, now: float) -> Outgoing:
        """Process a datagram that arrived at time `now` [s] and return the answers to send immediately."""
        try:
            packet = decode(data)
        except ProtocolVersionError:
            self.statistics.malformed += 1
            return [(encode(0, 0, DenialMessage(Denial.VERSION)), address)]
        except MalformedError:
            self.statistics.malformed += 1
            return []
        if isinstance(packet.body, Hello):
            return self._handle_hello(packet, address, now)
        client = self._client
        if client is None or (client.address, client.session) != (address, packet.session):
            self.statistics.foreign += 1
            return []
        match packet.body:
            case CommandMessage() as ordered:
                self._process_command(ordered, packet.sequence, client, now)
            case Bye():
                self._release()
            case _:
                self.statistics.foreign += 1  # a message that only robots send
        return []

    def tick(self, now: float) -> Outgoing:
        """End the present cycle, begin the next one at time `now` [s] and return the state to send."""
        if self.statistics.cycles:
            self.robot.advance(self._following, self.period)
        self.statistics.cycles += 1
        self._state = self.robot.state()
        self.supervisor.check_timeout(self._state.q, now)
        self.supervisor.check_state(self._state)
        if self._client is not None and now - self._client.last_heard > self.release_after:
            self._release()
        self._following, self._began = self.supervisor.active_command, now
        if self._client is None:
            return []
        return [(self._report(self._client, now), self._client.address)]

    def stop(self) -> Outgoing:
        """End the session, if any, and hold the robot's position."""
        client = self._client
        self._release()
        return [] if client is None else [(encode(client.session, client.sent + 1, Bye()), client.address)]

    def to_json(self) -> dict[str, Any]:
        """Return the statistics, with the number of refusals by reason."""
        refused: Counter[Refusal] = self.supervisor.refused
        return {
            **self.statistics.to_json(),
            "accepted": self.supervisor.accepted,
            "fallbacks": self.supervisor.fallbacks,
            "exceeded": {
                str(limit.name).lower(): self.supervisor.exceedances[limit] for limit in Exceeded if limit
            },
            "refused": {reason.name.lower(): refused[reason] for reason in Refusal},
        }

    def _handle_hello(self, packet: Packet, address: Address, now: float) -> Outgoing:
        client = self._client
        is_repeated = client is not None and (client.address, client.session) == (address, packet.session)
        if client is not None and not is_repeated:
            self.statistics.denied += 1
            return [(encode(packet.session, 0, DenialMessage(Denial.BUSY)), address)]
        if client is None:
            self._client = _Client(
                address, packet.session, now, refused_before=self.supervisor.refused.total()
            )
            self.supervisor.start_session(self._state.q)
            self.statistics.begin_session()
        else:
            client.last_heard = now
        welcome = Welcome(self.period, self.supervisor.timeout, self.robot.limits)
        return [(encode(packet.session, 0, welcome), address)]

    def _process_command(self, ordered: CommandMessage, sequence: int, client: _Client, now: float) -> None:
        client.last_heard, client.reads_wrench = now, ordered.reads_wrench
        if self.statistics.commands.add(sequence):
            client.echo, client.echo_sent, client.echo_arrived = sequence, ordered.sent, now
        self.supervisor.submit(ordered.command, sequence, self._state.q, now)
        if now <= self._began:
            self._following = self.supervisor.active_command

    def _report(self, client: _Client, now: float) -> bytes:
        client.sent += 1
        measured = StateMessage(
            self.state if client.reads_wrench else replace(self.state, wrench=None),
            client.echo,
            client.echo_sent,
            now - client.echo_arrived if client.echo else 0.0,
            self.supervisor.refused.total() - client.refused_before,
        )
        return encode(client.session, client.sent, measured)

    def _release(self) -> None:
        self._client = None
        if self.supervisor.mode is RobotMode.COMMAND:
            self.supervisor.hold(self._state.q)
