"""Remote computer's side of the Fast Research Interface: a `RobotLink` to a KUKA LWR 4+, or to a simulated controller.

Every measurement is answered. Without a command, in monitor mode, and after a fallback the answer repeats the position
that the controller commands at present, so that the arm stays where it is.
"""

import contextlib
import select
import socket
import time

import numpy as np

from softdock.errors import InputError, reason_of
from softdock.robot.command_supervisor import CommandSupervisor
from softdock.robot.fri_packets import (
    COMMAND,
    COMMAND_ID,
    JOINT_IMPEDANCE,
    JOINTS,
    MEASUREMENT,
    MEASUREMENT_ID,
    PORT,
    FriControl,
    FriState,
    Record,
    empty_packet,
    read_packet,
    steps_between,
)
from softdock.robot.link import (
    Array,
    Closable,
    Command,
    JointLimits,
    LinkLostError,
    Refusal,
    RobotMode,
    RobotState,
)
from softdock.robot.link_remote import Transport
from softdock.robot.link_statistics import ClientStatistics
from softdock.robot.protocol import MalformedError
from softdock.robot.udp import LOOPBACK, resolve

SILENCE = 1.0
"""Time without a measurement after which the link counts as lost [s]."""
MAX_WAIT = 30.0
"""Longest time to wait for command mode [s]."""
MAX_BYTES = 2048


def lwr_limits() -> JointLimits:
    """Return the limits of the arm by its data sheet."""
    q = np.radians([170.0, 120.0, 170.0, 120.0, 170.0, 120.0, 170.0])
    return JointLimits(
        q_min=-q,
        q_max=q,
        speed=np.radians([110.0, 110.0, 128.0, 128.0, 204.0, 184.0, 184.0]),
        torque=np.array([176.0, 176.0, 100.0, 100.0, 100.0, 38.0, 38.0]),
        stiffness=np.full(JOINTS, 5000.0),
        hold_stiffness=np.full(JOINTS, 1000.0),
        damping_ratio=1.0,
    )


class FriLink(Closable):
    """Link to a controller with the Fast Research Interface in joint impedance control."""

    def __init__(self, transport: Transport, limits: JointLimits | None = None, wait: float = 10.0) -> None:
        self._transport, self._limits = transport, limits or lwr_limits()
        self.statistics = ClientStatistics()
        self._measured: Record | None = None
        self._q: Array = np.zeros(JOINTS)
        self._qdot: Array = np.zeros(JOINTS)
        self._sequence = self._count = 0
        self._period = float("inf")  # until the first measurement states it
        self._arrived: float | None = None
        self._fell_back = self._was_commanding = False
        self._is_open = True
        try:
            self._receive(transport.now() + wait, "sends no measurements")
            self._period = self._stated_period()
            self._supervisor = CommandSupervisor(self._limits, self._period)
            self._supervisor.start_session(self._q)
        except BaseException:
            transport.close()
            raise

    @property
    def limits(self) -> JointLimits:
        """Limits of the arm; commands beyond them are not sent."""
        return self._limits

    @property
    def period(self) -> float:
        """Time from one measurement to the next [s]."""
        return self._period

    @property
    def state(self) -> FriState:
        """State of the controller."""
        assert self._measured is not None
        return FriState(int(self._measured["state"][0]))

    def cycle(self, command: Command) -> RobotState:
        """Answer the last measurement with a command and return the next one; waits for command mode at first.

        Refused commands are not sent: the last accepted one is repeated.
        """
        if not self._is_open:
            raise self._lost("was released; a closed link cannot be used again")
        if command.mode is RobotMode.MONITOR:
            self._fell_back = False
            self._supervisor.hold(self._held())
            return self._next(None, None)
        if not self._fell_back and not self._was_commanding:
            self._wait_for_command_mode()
        if self._fell_back:
            return self._next(None, Refusal.FELL_BACK)
        refusal = self._check(command)
        return self._next(self._supervisor.active_command, refusal)

    def idle(self) -> None:
        """Hold the position for one cycle."""
        self._next(None, None)

    def close(self) -> None:
        """Stop answering: the controller then holds the position of the arm by itself."""
        if self._is_open:
            self._is_open = False
            self._transport.close()

    def _check(self, command: Command) -> Refusal | None:
        """Submit a command to the same checks that the controller makes."""
        if command.cartesian is not None:
            return Refusal.CARTESIAN
        now = self._transport.now()
        return self._supervisor.submit(command, self._count, self._q, now)

    def _next(self, command: Command | None, refusal: Refusal | None) -> RobotState:
        """Send the answer that is due, wait for the next measurement, and return it."""
        self._answer(command)
        self._receive(self._transport.now() + max(SILENCE, 10.0 * self._period), "has not answered")
        if self._was_commanding and self.state is not FriState.COMMAND:
            self._fell_back, self._was_commanding = True, False
        assert self._measured is not None
        m = self._measured[0]
        commanding = self.state is FriState.COMMAND and not self._fell_back and command is not None
        return RobotState(
            t=self._count * self._period,
            q=self._q,
            qdot=self._qdot,
            tau_measured=m["torque"].astype(float),
            tau_external=m["external_torque"].astype(float),
            mode=RobotMode.COMMAND if commanding else RobotMode.MONITOR,
            sequence=self._count,
            refusal=refusal,
            wrench=m["external_wrench"][[0, 1, 2, 5, 4, 3]].astype(float),
        )

    def _wait_for_command_mode(self) -> None:
        """Repeat the present command until the controller enters command mode."""
        deadline = self._transport.now() + MAX_WAIT
        while self.state is not FriState.COMMAND:
            if self._transport.now() > deadline:
                raise self._lost(f"stays in monitor mode for {MAX_WAIT:g} s")
            self._next(None, None)
        assert self._measured is not None
        if int(self._measured["control"][0]) != FriControl.JOINT_IMPEDANCE:
            raise self._lost("is not in joint impedance control, which this driver commands")
        self._was_commanding = True
        self._supervisor.start_session(self._held())

    def _held(self) -> Array:
        """Return the position that the controller commands at present."""
        assert self._measured is not None
        return np.asarray(self._measured["q_command"][0] + self._measured["q_offset"][0], float)

    def _answer(self, command: Command | None) -> None:
        """Answer the last measurement; without a command by the position that the controller commands at present."""
        assert self._measured is not None
        self._sequence += 1
        packet = empty_packet(COMMAND, COMMAND_ID, self._sequence, int(self._measured["sequence"][0]))
        holding = self._supervisor.active_command
        chosen = holding if command is None else command
        packet["flags"] = JOINT_IMPEDANCE
        packet["q"] = self._held() if command is None else chosen.q
        packet["stiffness"], packet["damping"] = chosen.stiffness, chosen.damping_ratio
        packet["added_torque"] = 0.0 if command is None else chosen.tau_ff
        self._transport.send(packet.tobytes())

    def _receive(self, deadline: float, why: str) -> None:
        """Wait for a newer measurement, and take the newest if several have arrived; others are counted and dropped."""
        is_new = False
        while True:
            data = self._transport.receive(self._transport.now() if is_new else deadline)
            if data is None:
                if is_new:
                    return
                raise self._lost(f"{why} in {SILENCE:g} s" if self._measured is not None else why)
            try:
                packet = read_packet(data, MEASUREMENT, MEASUREMENT_ID)
            except MalformedError:
                self.statistics.malformed += 1
                continue
            is_new = self._take(packet) or is_new

    def _take(self, packet: Record) -> bool:
        """Take a measurement if it is newer than the last one."""
        number, state = int(packet["sequence"][0]), int(packet["state"][0])
        ahead = 1 if self._measured is None else steps_between(int(self._measured["sequence"][0]), number)
        if state not in set(FriState):
            self.statistics.malformed += 1
            return False
        self._count += max(ahead, 0)
        self.statistics.states.add(self._count + min(ahead, 0))
        if ahead <= 0:
            return False
        now, q = self._transport.now(), packet["q"][0].astype(float)
        if self._arrived is not None:
            self.statistics.interval.add(now - self._arrived)
            self._qdot = (q - self._q) / (ahead * self._period)
        self._arrived, self._q, self._measured = now, q, packet.copy()
        return True

    def _stated_period(self) -> float:
        """Return the period that the controller states [s]; raises LinkLostError outside 1 to 100 ms."""
        assert self._measured is not None
        period = round(float(self._measured["measurement_period"][0]), 6)
        if not 1e-3 <= period <= 0.1:
            raise self._lost(f"states a period of {period * 1e3:g} ms, and the interface has 1 to 100 ms")
        return period

    def _lost(self, why: str) -> LinkLostError:
        return LinkLostError(f"The controller at {self._transport.name} {why}.")


class UdpListener:
    """Transport over a UDP socket that waits for its peer: the first sender; datagrams of others are dropped."""

    def __init__(self, host: str = LOOPBACK, port: int = PORT) -> None:
        family, _, address = resolve(host, port)
        self._socket = socket.socket(family, socket.SOCK_DGRAM)
        try:
            self._socket.bind(address)
        except OSError as error:
            self._socket.close()
            message = f"Cannot listen there: {reason_of(error)}."
            raise InputError(message, given=f"{host}:{port}") from error
        self._peer: tuple[object, ...] | None = None
        self.name = f"{host}:{self._socket.getsockname()[1]}"

    @property
    def port(self) -> int:
        """Port on which it listens."""
        return int(self._socket.getsockname()[1])

    def now(self) -> float:
        """Return the time of a monotonic clock [s]."""
        return time.perf_counter()

    def send(self, data: bytes) -> None:
        """Send one datagram to the peer; a failure counts as a lost datagram."""
        if self._peer is not None:
            with contextlib.suppress(OSError):
                self._socket.sendto(data, self._peer)

    def receive(self, deadline: float) -> bytes | None:
        """Return the next datagram of the peer, or None at the deadline [s]."""
        while select.select([self._socket], [], [], max(0.0, deadline - time.perf_counter()))[0]:
            try:
                data, address = self._socket.recvfrom(MAX_BYTES)
            except ConnectionError:
                continue
            if self._peer is None and len(data) == MEASUREMENT.itemsize:
                self._peer = address
            if address == self._peer:
                return data
        return None

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()
