"""The client's side of a link: a robot that is reached by datagrams."""

import secrets
from dataclasses import replace
from typing import Protocol

from softdock.robot.link import Closing, Command, Limits, LinkLostError, State, monitor
from softdock.robot.link_statistics import ClientStatistics
from softdock.robot.protocol import (
    VERSION,
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

GREETINGS, GREETING_WAIT = 10, 0.2
"""How often a client asks for the robot, and how long it waits for each answer [s]."""
SILENCE = 1.0
"""Least time without any state after which a client gives up [s]."""


class Wire(Protocol):
    """Carries datagrams to one robot and back."""

    name: str
    """Where the robot is, for messages."""

    def now(self) -> float:
        """Return the client's clock [s]."""

    def send(self, data: bytes) -> None:
        """Send one datagram."""

    def receive(self, deadline: float) -> bytes | None:
        """Return the next datagram, or None if the clock reaches the deadline [s] before one arrives."""

    def close(self) -> None:
        """Let go of what carries the datagrams."""


class RemoteLink(Closing):
    """Link to a robot at the other end of a wire; the robot sets the pace."""

    def __init__(self, wire: Wire, silence: float | None = None) -> None:
        self._wire = wire
        self._session = secrets.randbits(64)
        self._sequence = 0
        self._newest: Measured | None = None
        self._arrived: float | None = None
        self._timed = 0
        self._is_open = False
        self.statistics = ClientStatistics()
        try:
            welcome = self._greet()
            self._limits, self._period = welcome.limits, welcome.period
            self.timeout = welcome.timeout
            """How long the robot waits for commands before it holds [s]."""
            self._silence = max(SILENCE, 10.0 * welcome.period) if silence is None else silence
            self._is_open = True
            self._wait()  # from now on every command answers a state
        except BaseException:
            wire.close()
            raise

    @property
    def limits(self) -> Limits:
        """What the robot will refuse to go beyond."""
        return self._limits

    @property
    def period(self) -> float:
        """Time from one cycle to the next [s]."""
        return self._period

    def cycle(self, command: Command) -> State:
        """Send a command and wait for the next state."""
        self._send(command)
        self._wait()
        return self._state()

    def idle(self) -> None:
        """Ask for monitor mode and take in what has arrived, without waiting."""
        self._send(monitor(self._limits.joints))
        self._drain()

    def close(self) -> None:
        """Give the robot back; it holds."""
        if self._is_open:
            self._is_open = False
            try:
                self._wire.send(encode(self._session, self._sequence + 1, Bye()))
            except OSError:
                pass  # the robot misses us soon enough, and holds
            finally:
                self._wire.close()

    def _wait(self) -> None:
        """Wait for a new state, and take the newest if several have come."""
        newest = self._newest
        deadline = self._wire.now() + self._silence
        while self._newest is newest:
            data = self._wire.receive(deadline)
            if data is None:
                raise self._lost(f"has not answered for {self._silence:g} s")
            self._take(data)
        self._drain()

    def _greet(self) -> Welcome:
        for _ in range(GREETINGS):
            self._wire.send(encode(self._session, 0, Hello()))
            deadline = self._wire.now() + GREETING_WAIT
            while (data := self._wire.receive(deadline)) is not None:
                packet = self._decode(data)
                match packet and packet.body:
                    case Welcome() as welcome:
                        return welcome
                    case Denied(why):
                        raise self._lost(_WHY[why])
        raise self._lost(f"did not answer within {GREETINGS * GREETING_WAIT:g} s")

    def _decode(self, data: bytes) -> Packet | None:
        try:
            packet = decode(data)
        except OtherVersionError as error:
            self.statistics.malformed += 1
            if self._newest is None and not self._is_open:
                words = f"speaks version {error.version} of the protocol, and this Softdock version {VERSION}"
                raise self._lost(words) from None
            return None
        except MalformedError:
            self.statistics.malformed += 1
            return None
        told_version = not self._is_open and packet.body == Denied(Denial.VERSION)  # knows no session
        if packet.session != self._session and not told_version:
            self.statistics.foreign += 1
            return None
        return packet

    def _take(self, data: bytes) -> None:
        packet = self._decode(data)
        match packet and packet.body:
            case Measured() as measured:
                assert packet is not None
                self._take_state(measured, packet.sequence)
            case Bye():
                raise self._lost("has ended the session")

    def _take_state(self, measured: Measured, sequence: int) -> None:
        if len(measured.state.q) != self._limits.joints:
            self.statistics.malformed += 1
            return
        if not self.statistics.states.take(sequence):
            return
        now = self._wire.now()
        if self._arrived is not None:
            self.statistics.interval.take(now - self._arrived)
        self._arrived = now
        if measured.echo > self._timed:
            self._timed = measured.echo
            self.statistics.latency.take(now - measured.echo_sent - measured.held)
        self.statistics.refused = measured.refused
        self._newest = replace(measured, state=replace(measured.state, sequence=sequence))

    def _drain(self) -> None:
        while (data := self._wire.receive(self._wire.now())) is not None:
            self._take(data)

    def _send(self, command: Command) -> None:
        if not self._is_open:
            raise self._lost("was given back; a closed link cannot be used again")
        arrays = (command.q, command.stiffness, command.damping_ratio, command.tau_ff)
        if any(array.shape != command.q.shape for array in arrays) or command.q.ndim != 1:
            raise ValueError("the arrays of a command must have one number per joint, all of them")
        self._sequence += 1
        self._wire.send(encode(self._session, self._sequence, Ordered(command, self._wire.now())))

    def _state(self) -> State:
        assert self._newest is not None
        return self._newest.state

    def _lost(self, why: str) -> LinkLostError:
        return LinkLostError(f"The robot at {self._wire.name} {why}.")


_WHY = {
    Denial.BUSY: "is taken by another client",
    Denial.VERSION: f"does not speak version {VERSION} of the protocol, which this Softdock speaks",
}
