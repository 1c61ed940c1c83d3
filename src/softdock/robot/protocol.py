"""The datagrams between a robot and its client, byte by byte as docs/robot-link.md shows them.

Little-endian throughout. A header of 24 bytes, a body by kind, and the CRC-32 of all before it.
"""

import struct
import zlib
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from softdock.robot.link import Array, Command, Limits, Mode, Refusal, State

MAGIC = b"SDRL"
VERSION = 1
MOST_JOINTS = 32
"""More would not fit into one Ethernet frame, and a cycle must not depend on two."""
LARGEST = 1472
"""Bytes of a datagram that no Ethernet link cuts in two (1500 less IP and UDP headers)."""

_HEADER = struct.Struct("<4sBBHQQ")
_CHECKSUM = struct.Struct("<I")
_WELCOME = struct.Struct("<HHIddd")
_COMMAND = struct.Struct("<BBHId")
_STATE = struct.Struct("<BBHIdQddQ")
_DENIAL = struct.Struct("<B7x")

_REFUSALS = tuple(Refusal)
"""A refusal's code is its place in this order, counted from 1; 0 stands for none."""


class Kind(IntEnum):
    """What a datagram is."""

    HELLO = 1
    WELCOME = 2
    COMMAND = 3
    STATE = 4
    DENIAL = 5
    BYE = 6


class Denial(IntEnum):
    """Why a robot does not speak with a client."""

    BUSY = 1
    VERSION = 2


class MalformedError(ValueError):
    """The bytes are not a datagram of this protocol."""


class OtherVersionError(MalformedError):
    """The datagram belongs to another version of the protocol."""

    def __init__(self, version: int) -> None:
        self.version = version
        super().__init__(f"version {version} instead of {VERSION}")


@dataclass(frozen=True)
class Hello:
    """Client: may I have the robot?"""


@dataclass(frozen=True)
class Bye:
    """Either side: this session is over."""


@dataclass(frozen=True)
class Denied:
    """Robot: no, because."""

    why: Denial


@dataclass(frozen=True)
class Welcome:
    """Robot: it is yours, and these are its cycle, patience and limits."""

    period: float
    timeout: float
    limits: Limits


@dataclass(frozen=True)
class Ordered:
    """Client: a command, and when it was sent by the client's clock [s]."""

    command: Command
    sent: float


@dataclass(frozen=True)
class Measured:
    """Robot: its state, and what is needed to time the way there and back."""

    state: State
    echo: int = 0
    """Sequence number of the newest command that arrived; 0 if none has."""
    echo_sent: float = 0.0
    """When the client had sent it, by the client's clock [s]."""
    held: float = 0.0
    """Time from its arrival to the sending of this state, by the robot's clock [s]."""
    refused: int = 0
    """Commands refused in this session."""


Body = Hello | Bye | Denied | Welcome | Ordered | Measured


@dataclass(frozen=True)
class Packet:
    """A datagram that was well formed."""

    session: int
    sequence: int
    body: Body


def encode(session: int, sequence: int, body: Body) -> bytes:
    """Return the bytes of a datagram."""
    match body:
        case Hello():
            kind, payload = Kind.HELLO, b""
        case Bye():
            kind, payload = Kind.BYE, b""
        case Denied(why):
            kind, payload = Kind.DENIAL, _DENIAL.pack(why)
        case Welcome():
            kind, payload = Kind.WELCOME, _welcome_bytes(body)
        case Ordered():
            kind, payload = Kind.COMMAND, _command_bytes(body)
        case Measured():
            kind, payload = Kind.STATE, _state_bytes(body)
    length = _HEADER.size + len(payload) + _CHECKSUM.size
    data = _HEADER.pack(MAGIC, VERSION, kind, length, session, sequence) + payload
    return data + _CHECKSUM.pack(zlib.crc32(data))


def decode(data: bytes) -> Packet:
    """Return what a datagram says; raises `MalformedError` for bytes that are not one."""
    if len(data) < _HEADER.size + _CHECKSUM.size or len(data) > LARGEST:
        raise MalformedError("wrong length")
    magic, version, kind, length, session, sequence = _HEADER.unpack_from(data)
    if magic != MAGIC:
        raise MalformedError("another protocol")
    if length != len(data):
        raise MalformedError("wrong length")
    if _CHECKSUM.unpack_from(data, length - _CHECKSUM.size)[0] != zlib.crc32(data[: -_CHECKSUM.size]):
        raise MalformedError("wrong checksum")
    if version != VERSION:
        raise OtherVersionError(version)
    payload = data[_HEADER.size : -_CHECKSUM.size]
    try:
        return Packet(session, sequence, _READERS[Kind(kind)](payload))
    except (struct.error, ValueError) as error:
        raise MalformedError(str(error)) from None


def _nothing(payload: bytes, body: Body) -> Body:
    if payload:
        raise ValueError("wrong length")
    return body


def _denial(payload: bytes) -> Denied:
    return Denied(Denial(_DENIAL.unpack(payload)[0]))


def _welcome_bytes(body: Welcome) -> bytes:
    limits = body.limits
    head = _WELCOME.pack(limits.joints, 0, 0, body.period, body.timeout, limits.damping_ratio)
    return head + _rows(limits.q_min, limits.q_max, limits.speed, limits.torque, limits.stiffness)


def _welcome(payload: bytes) -> Welcome:
    joints, _, _, period, timeout, damping_ratio = _WELCOME.unpack_from(payload)
    q_min, q_max, speed, torque, stiffness = _arrays(payload, _WELCOME.size, joints, 5)
    if not (0.0 < period < np.inf and 0.0 < timeout < np.inf):
        raise ValueError("a cycle or a timeout that is no time")
    limits = Limits(
        q_min=q_min,
        q_max=q_max,
        speed=speed,
        torque=torque,
        stiffness=stiffness,
        damping_ratio=damping_ratio,
    )
    return Welcome(period, timeout, limits)


def _command_bytes(body: Ordered) -> bytes:
    c = body.command
    head = _COMMAND.pack(c.mode, 0, len(c.q), 0, body.sent)
    return head + _rows(c.q, c.stiffness, c.damping_ratio, c.tau_ff)


def _command(payload: bytes) -> Ordered:
    mode, _, joints, _, sent = _COMMAND.unpack_from(payload)
    q, stiffness, damping_ratio, tau_ff = _arrays(payload, _COMMAND.size, joints, 4)
    command = Command(q=q, stiffness=stiffness, damping_ratio=damping_ratio, tau_ff=tau_ff, mode=Mode(mode))
    return Ordered(command, sent)


def _state_bytes(body: Measured) -> bytes:
    s = body.state
    code = 0 if s.refusal is None else 1 + _REFUSALS.index(s.refusal)
    head = _STATE.pack(s.mode, code, len(s.q), 0, s.t, body.echo, body.echo_sent, body.held, body.refused)
    return head + _rows(s.q, s.qdot, s.tau_measured, s.tau_external)


def _state(payload: bytes) -> Measured:
    mode, code, joints, _, t, echo, echo_sent, held, refused = _STATE.unpack_from(payload)
    q, qdot, tau_measured, tau_external = _arrays(payload, _STATE.size, joints, 4)
    if code > len(_REFUSALS):
        raise ValueError("an unknown refusal")
    state = State(
        t=t,
        q=q,
        qdot=qdot,
        tau_measured=tau_measured,
        tau_external=tau_external,
        mode=Mode(mode),
        refusal=_REFUSALS[code - 1] if code else None,
    )
    return Measured(state, echo, echo_sent, held, refused)


def _rows(*arrays: Array) -> bytes:
    return b"".join(np.ascontiguousarray(array, dtype="<f8").tobytes() for array in arrays)


def _arrays(payload: bytes, start: int, joints: int, count: int) -> Array:
    """Return `count` arrays of one number per joint; the payload must end with them."""
    if not 1 <= joints <= MOST_JOINTS or len(payload) != start + 8 * count * joints:
        raise ValueError("wrong number of joints")
    return np.frombuffer(payload, dtype="<f8", offset=start).reshape(count, joints).astype(np.float64)


_READERS = {
    Kind.HELLO: lambda payload: _nothing(payload, Hello()),
    Kind.BYE: lambda payload: _nothing(payload, Bye()),
    Kind.WELCOME: _welcome,
    Kind.COMMAND: _command,
    Kind.STATE: _state,
    Kind.DENIAL: _denial,
}
