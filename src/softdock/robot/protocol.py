"""Datagrams between a robot and its client; docs/robot-link.md documents every byte.

All numbers are little-endian. A datagram has a header of 24 bytes, a body that depends on its kind, and a CRC-32.
"""

import struct
import zlib
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from softdock.robot.link import (
    Array,
    CartesianImpedance,
    Command,
    Exceeded,
    JointLimits,
    Refusal,
    RobotMode,
    RobotState,
)

MAGIC = b"SDRL"
VERSION = 1
MAX_JOINTS = 32
"""Largest number of joints of this protocol; the datagrams fit into one Ethernet frame."""
MAX_DATAGRAM_BYTES = 1472
"""Largest datagram without fragmentation on Ethernet (1500 bytes less IP and UDP headers)."""

_HEADER = struct.Struct("<4sBBHQQ")
_CHECKSUM = struct.Struct("<I")
_WELCOME = struct.Struct("<HHIddd")
_COMMAND = struct.Struct("<BBHId")
_STATE = struct.Struct("<BBHIdQddQ")
_DENIAL = struct.Struct("<B7x")
_CARTESIAN = struct.Struct("<HHI")

LOW_IMPEDANCE = 1
"""Flag of a command: the robot does not enforce its minimum stiffness and damping; the client is responsible for
stability. Other bits are reserved and ignored."""
SEND_WRENCH = 4
"""Flag of a command: the client reads the wrench of a force-torque sensor that follows a state."""
WITH_WRENCH = 1 << 31
"""Bit of a state: the wrench of a force-torque sensor follows, which the client has asked for."""
CARTESIAN = 2
"""Flag of a command: a Cartesian impedance follows the joint values; and feature of a robot that accepts it."""
MAX_CARTESIAN_JOINTS = 25
"""Largest number of joints with which a Cartesian impedance fits into a datagram."""
BASE_AXES = 1
"""Flag of a Cartesian impedance: its stiffness has the axes of the base."""
_ALL_EXCEEDED = sum(Exceeded)
_REFUSALS = tuple(Refusal)
"""The code of a refusal is its position in this order, counted from 1; 0 means none."""


class DatagramKind(IntEnum):
    """Kind of a datagram."""

    HELLO = 1
    WELCOME = 2
    COMMAND = 3
    STATE = 4
    DENIAL = 5
    BYE = 6


class Denial(IntEnum):
    """Reason why a robot denies a connection."""

    BUSY = 1
    VERSION = 2


class MalformedError(ValueError):
    """The bytes are not a valid datagram of this protocol."""


class ProtocolVersionError(MalformedError):
    """The datagram has another version of the protocol."""

    def __init__(self, version: int) -> None:
        self.version = version
        super().__init__(f"version {version} instead of {VERSION}")


@dataclass(frozen=True)
class Hello:
    """Client: requests the robot."""


@dataclass(frozen=True)
class Bye:
    """Either side: ends the session."""


@dataclass(frozen=True)
class DenialMessage:
    """Robot: denies the connection."""

    why: Denial


@dataclass(frozen=True)
class Welcome:
    """Robot: accepts the client and states its cycle time [s], command timeout [s] and limits."""

    period: float
    timeout: float
    limits: JointLimits


@dataclass(frozen=True)
class CommandMessage:
    """Client: a command, with the time of sending on the client's clock [s]."""

    command: Command
    sent: float
    reads_wrench: bool = False
    """Whether the client reads the wrench of a force-torque sensor."""


@dataclass(frozen=True)
class StateMessage:
    """Robot: its state, with the data for measuring the round-trip time."""

    state: RobotState
    echo: int = 0
    """Sequence number of the newest received command; 0 if none."""
    echo_sent: float = 0.0
    """Time when the client sent it, on the client's clock [s]."""
    held: float = 0.0
    """Time from its arrival to the sending of this state, on the robot's clock [s]."""
    refused: int = 0
    """Commands refused in this session."""


Message = Hello | Bye | DenialMessage | Welcome | CommandMessage | StateMessage


@dataclass(frozen=True)
class Packet:
    """A decoded datagram."""

    session: int
    sequence: int
    body: Message


def encode(session: int, sequence: int, body: Message) -> bytes:
    """Return the bytes of a datagram."""
    match body:
        case Hello():
            kind, payload = DatagramKind.HELLO, b""
        case Bye():
            kind, payload = DatagramKind.BYE, b""
        case DenialMessage(why):
            kind, payload = DatagramKind.DENIAL, _DENIAL.pack(why)
        case Welcome():
            kind, payload = DatagramKind.WELCOME, _welcome_bytes(body)
        case CommandMessage():
            kind, payload = DatagramKind.COMMAND, _command_bytes(body)
        case StateMessage():
            kind, payload = DatagramKind.STATE, _state_bytes(body)
    length = _HEADER.size + len(payload) + _CHECKSUM.size
    data = _HEADER.pack(MAGIC, VERSION, kind, length, session, sequence) + payload
    return data + _CHECKSUM.pack(zlib.crc32(data))


def decode(data: bytes) -> Packet:
    """Return the decoded datagram; raise `MalformedError` for invalid bytes."""
    if len(data) < _HEADER.size + _CHECKSUM.size or len(data) > MAX_DATAGRAM_BYTES:
        raise MalformedError("wrong length")
    magic, version, kind, length, session, sequence = _HEADER.unpack_from(data)
    if magic != MAGIC:
        raise MalformedError("another protocol")
    if length != len(data):
        raise MalformedError("wrong length")
    if _CHECKSUM.unpack_from(data, length - _CHECKSUM.size)[0] != zlib.crc32(data[: -_CHECKSUM.size]):
        raise MalformedError("wrong checksum")
    if version != VERSION:
        raise ProtocolVersionError(version)
    payload = data[_HEADER.size : -_CHECKSUM.size]
    try:
        return Packet(session, sequence, _READERS[DatagramKind(kind)](payload))
    except (struct.error, ValueError) as error:
        raise MalformedError(str(error)) from None


def _check_empty(payload: bytes, body: Message) -> Message:
    if payload:
        raise ValueError("wrong length")
    return body


def _read_denial(payload: bytes) -> DenialMessage:
    return DenialMessage(Denial(_DENIAL.unpack(payload)[0]))


def _welcome_bytes(body: Welcome) -> bytes:
    limits = body.limits
    features = CARTESIAN if limits.cartesian and limits.joints <= MAX_CARTESIAN_JOINTS else 0
    head = _WELCOME.pack(limits.joints, features, 0, body.period, body.timeout, limits.damping_ratio)
    return head + _rows(limits.q_min, limits.q_max, limits.speed, limits.torque, limits.stiffness)


def _read_welcome(payload: bytes) -> Welcome:
    joints, features, _, period, timeout, damping_ratio = _WELCOME.unpack_from(payload)
    q_min, q_max, speed, torque, stiffness = _arrays(payload, _WELCOME.size, joints, 5)
    if not (0.0 < period < np.inf and 0.0 < timeout < np.inf):
        raise ValueError("cycle time and timeout must be positive and finite")
    limits = JointLimits(
        q_min=q_min,
        q_max=q_max,
        speed=speed,
        torque=torque,
        stiffness=stiffness,
        damping_ratio=damping_ratio,
        cartesian=bool(features & CARTESIAN),
    )
    return Welcome(period, timeout, limits)


def _command_bytes(body: CommandMessage) -> bytes:
    c = body.command
    flags = (LOW_IMPEDANCE if c.low_impedance else 0) | (CARTESIAN if c.cartesian is not None else 0)
    flags |= SEND_WRENCH if body.reads_wrench else 0
    head = _COMMAND.pack(c.mode, flags, len(c.q), 0, body.sent)
    return head + _rows(c.q, c.stiffness, c.damping_ratio, c.tau_ff) + _cartesian_bytes(c.cartesian)


def _cartesian_bytes(asked: CartesianImpedance | None) -> bytes:
    if asked is None:
        return b""
    head = _CARTESIAN.pack(asked.link, BASE_AXES if asked.in_base_axes else 0, 0)
    joints = (asked.null_stiffness, asked.null_damping_ratio)
    return head + _rows(asked.frame, asked.stiffness, asked.damping_ratio, *joints)


def _read_command(payload: bytes) -> CommandMessage:
    mode, flags, joints, _, sent = _COMMAND.unpack_from(payload)
    end = _COMMAND.size + 4 * 8 * joints
    q, stiffness, damping_ratio, tau_ff = _arrays(payload[:end], _COMMAND.size, joints, 4)
    cartesian = _read_cartesian(payload[end:], joints) if flags & CARTESIAN else None
    if cartesian is None and len(payload) != end:
        raise ValueError("wrong length")
    command = Command(
        q=q,
        stiffness=stiffness,
        damping_ratio=damping_ratio,
        tau_ff=tau_ff,
        mode=RobotMode(mode),
        low_impedance=bool(flags & LOW_IMPEDANCE),
        cartesian=cartesian,
    )
    return CommandMessage(command, sent, bool(flags & SEND_WRENCH))


def _read_cartesian(payload: bytes, joints: int) -> CartesianImpedance:
    link, flags, _ = _CARTESIAN.unpack_from(payload)
    if len(payload) != _CARTESIAN.size + 8 * (12 + 6 + 6 + 2 * joints):
        raise ValueError("wrong length")
    values = np.frombuffer(payload, dtype="<f8", offset=_CARTESIAN.size).astype(np.float64)
    frame, stiffness, ratio, null_stiffness, null_ratio = np.split(values, [12, 18, 24, 24 + joints])
    return CartesianImpedance(
        link=link,
        frame=frame,
        stiffness=stiffness,
        damping_ratio=ratio,
        null_stiffness=null_stiffness,
        null_damping_ratio=null_ratio,
        in_base_axes=bool(flags & BASE_AXES),
    )


def _state_bytes(body: StateMessage) -> bytes:
    s = body.state
    code = 0 if s.refusal is None else 1 + _REFUSALS.index(s.refusal)
    exceeded = s.exceeded | (0 if s.wrench is None else WITH_WRENCH)
    head = _STATE.pack(
        s.mode, code, len(s.q), exceeded, s.t, body.echo, body.echo_sent, body.held, body.refused
    )
    wrench = [] if s.wrench is None else [s.wrench]
    return head + _rows(s.q, s.qdot, s.tau_measured, s.tau_external, *wrench)


def _read_state(payload: bytes) -> StateMessage:
    mode, code, joints, exceeded, t, echo, echo_sent, held, refused = _STATE.unpack_from(payload)
    wrench = _read_wrench(payload) if exceeded & WITH_WRENCH else None
    end = len(payload) - (0 if wrench is None else 8 * len(wrench))
    q, qdot, tau_measured, tau_external = _arrays(payload[:end], _STATE.size, joints, 4)
    if code > len(_REFUSALS):
        raise ValueError("an unknown refusal")
    state = RobotState(
        t=t,
        q=q,
        qdot=qdot,
        tau_measured=tau_measured,
        tau_external=tau_external,
        mode=RobotMode(mode),
        refusal=_REFUSALS[code - 1] if code else None,
        exceeded=Exceeded(exceeded & _ALL_EXCEEDED),
        wrench=wrench,
    )
    return StateMessage(state, echo, echo_sent, held, refused)


def _read_wrench(payload: bytes) -> Array:
    if len(payload) < _STATE.size + 8 * 6:
        raise ValueError("wrong length")
    return np.frombuffer(payload, dtype="<f8", offset=len(payload) - 8 * 6).astype(np.float64)


def _rows(*arrays: Array) -> bytes:
    return b"".join(np.ascontiguousarray(array, dtype="<f8").tobytes() for array in arrays)


def _arrays(payload: bytes, start: int, joints: int, count: int) -> Array:
    """Return `count` arrays of one number per joint; the payload must end with them."""
    if not 1 <= joints <= MAX_JOINTS or len(payload) != start + 8 * count * joints:
        raise ValueError("wrong number of joints")
    return np.frombuffer(payload, dtype="<f8", offset=start).reshape(count, joints).astype(np.float64)


_READERS = {
    DatagramKind.HELLO: lambda payload: _check_empty(payload, Hello()),
    DatagramKind.BYE: lambda payload: _check_empty(payload, Bye()),
    DatagramKind.WELCOME: _read_welcome,
    DatagramKind.COMMAND: _read_command,
    DatagramKind.STATE: _read_state,
    DatagramKind.DENIAL: _read_denial,
}
