"""Client side of a link to a robot that is reached by datagrams."""

import secrets
from dataclasses import replace
from typing import Protocol

from softdock.robot.link import Closable, Command, JointLimits, LinkLostError, RobotState, monitor
from softdock.robot.link_statistics import ClientStatistics
from softdock.robot.protocol import (
    VERSION,
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

CONNECT_ATTEMPTS, CONNECT_TIMEOUT = 10, 0.2
"""Number of connection attempts, and the time to wait for the answer to each [s]."""
MIN_SILENCE_TIMEOUT = 1.0
"""Shortest time without a state after which the link counts as lost [s]."""


class Transport(Protocol):
    """Sends datagrams to one robot and receives its answers."""

    name: str
    """Address of the robot, for messages."""

    def now(self) -> float:
        """Return the client's clock [s]."""

    def send(self, data: bytes) -> None:
        """Send one datagram."""

    def receive(self, deadline: float) -> bytes | None:
        """Return the next datagram, or None if the clock reaches the deadline [s] before one arrives."""

    def close(self) -> None:
        """Release the connection."""


class RemoteLink(Closable):
    """Link to a robot over a transport; the robot's cycle determines the timing."""

    def __init__(self, transport: Transport, silence: float | None = None) -> None:
        self._transport = transport
        self._session = secrets.randbits(64)
        self._sequence = 0
        self._newest: StateMessage | None = None
        self._arrived: float | None = None
        self._timed = 0
        self._is_open = False
        self.statistics = ClientStatistics()
        try:
            welcome = self._connect()
            self._limits, self._period = welcome.limits, welcome.period
            self.timeout = welcome.timeout
            """Time without commands after which the robot holds its position [s]."""
            self._silence = max(MIN_SILENCE_TIMEOUT, 10.0 * welcome.period) if silence is None else silence
            self._is_open = True
            self._wait()  # from here on every command follows a state
        except BaseException:
            transport.close()
            raise

    @property
    def limits(self) -> JointLimits:
        """Limits of the robot; commands beyond them are refused."""
        return self._limits

    @property
    def period(self) -> float:
        """Time from one cycle to the next [s]."""
        return self._period

    def cycle(self, command: Command) -> RobotState:
        """Send a command and wait for the next state."""
        self._send(command)
        self._wait()
        return self._state()

    def idle(self) -> None:
        """Request monitor mode and process received datagrams, without waiting."""
        self._send(monitor(self._limits.joints))
        self._drain()

    def close(self) -> None:
        """Release the robot, which then holds its position."""
        if self._is_open:
            self._is_open = False
            try:
                self._transport.send(encode(self._session, self._sequence + 1, Bye()))
            except OSError:
                pass  # the robot's watchdog then holds its position
            finally:
                self._transport.close()

    def _wait(self) -> None:
        """Wait for a new state and keep the newest if several arrived."""
        newest = self._newest
        deadline = self._transport.now() + self._silence
        while self._newest is newest:
            data = self._transport.receive(deadline)
            if data is None:
                raise self._lost(f"has not answered for {self._silence:g} s")
            self._process(data)
        self._drain()

    def _connect(self) -> Welcome:
        for _ in range(CONNECT_ATTEMPTS):
            self._transport.send(encode(self._session, 0, Hello()))
            deadline = self._transport.now() + CONNECT_TIMEOUT
            while (data := self._transport.receive(deadline)) is not None:
                packet = self._decode(data)
                match packet and packet.body:
                    case Welcome() as welcome:
                        return welcome
                    case DenialMessage(why):
                        raise self._lost(_DENIAL_MESSAGES[why])
        raise self._lost(f"did not answer within {CONNECT_ATTEMPTS * CONNECT_TIMEOUT:g} s")

    def _decode(self, data: bytes) -> Packet | None:
        try:
            packet = decode(data)
        except ProtocolVersionError as error:
            self.statistics.malformed += 1
            if self._newest is None and not self._is_open:
                message = f"uses version {error.version} of the protocol, and this Softdock version {VERSION}"
                raise self._lost(message) from None
            return None
        except MalformedError:
            self.statistics.malformed += 1
            return None
        # A denial of the version has no session number.
        version_denied = not self._is_open and packet.body == DenialMessage(Denial.VERSION)
        if packet.session != self._session and not version_denied:
            self.statistics.foreign += 1
            return None
        return packet

    def _process(self, data: bytes) -> None:
        packet = self._decode(data)
        match packet and packet.body:
            case StateMessage() as measured:
                assert packet is not None
                self._process_state(measured, packet.sequence)
            case Bye():
                raise self._lost("has ended the session")

    def _process_state(self, measured: StateMessage, sequence: int) -> None:
        if len(measured.state.q) != self._limits.joints:
            self.statistics.malformed += 1
            return
        if not self.statistics.states.add(sequence):
            return
        now = self._transport.now()
        if self._arrived is not None:
            self.statistics.interval.add(now - self._arrived)
        self._arrived = now
        if measured.echo > self._timed:
            self._timed = measured.echo
            self.statistics.latency.add(now - measured.echo_sent - measured.held)
        self.statistics.refused = measured.refused
        self._newest = replace(measured, state=replace(measured.state, sequence=sequence))

    def _drain(self) -> None:
        while (data := self._transport.receive(self._transport.now())) is not None:
            self._process(data)

    def _send(self, command: Command) -> None:
        if not self._is_open:
            raise self._lost("was released; a closed link cannot be used again")
        arrays = (command.q, command.stiffness, command.damping_ratio, command.tau_ff)
        if any(array.shape != command.q.shape for array in arrays) or command.q.ndim != 1:
            raise ValueError("all arrays of a command must have one number per joint")
        if command.cartesian is not None and not self._limits.cartesian:
            raise self._lost("has no Cartesian impedance, which this command needs")
        self._sequence += 1
        self._transport.send(
            encode(self._session, self._sequence, CommandMessage(command, self._transport.now(), True))
        )

    def _state(self) -> RobotState:
        assert self._newest is not None
        return self._newest.state

    def _lost(self, why: str) -> LinkLostError:
        return LinkLostError(f"The robot at {self._transport.name} {why}.")


_DENIAL_MESSAGES = {
    Denial.BUSY: "is in use by another client",
    Denial.VERSION: f"does not support version {VERSION} of the protocol, which this Softdock uses",
}
