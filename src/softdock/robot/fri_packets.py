"""Packets of the Fast Research Interface 1.0 of the KUKA LWR 4+; docs/robot-link.md has the layout.

Little-endian, IEEE single precision, aligned to 4 bytes. The controller sends measurements, the remote computer answers
each with a command.
"""

from enum import IntEnum, IntFlag

import numpy as np
from numpy.typing import NDArray

from softdock.robot.protocol import MalformedError

JOINTS = 7
PORT = 49938
"""Port on which the remote computer listens unless it is told otherwise."""
MEASUREMENT_ID, COMMAND_ID = 0x2006, 0x1005
SEQUENCES = 1 << 16

_COMMON = [
    ("sequence", "<u2"), ("reflected", "<u2"), ("size", "<u2"), ("id", "<u2"),
    ("real", "<f4", 16), ("integer", "<i4", 16), ("bits", "<u2"), ("unused", "<u2"),
]  # fmt: skip
MEASUREMENT = np.dtype(
    [
        *_COMMON,
        ("time", "<f4"), ("state", "<u2"), ("quality", "<u2"),
        ("measurement_period", "<f4"), ("command_period", "<f4"), ("safety_limits", "<f4"),
        ("answer_rate", "<f4"), ("latency", "<f4"), ("jitter", "<f4"), ("miss_rate", "<f4"), ("misses", "<u4"),
        ("power", "<u2"), ("control", "<u2"), ("error", "<u2"), ("warning", "<u2"), ("temperature", "<f4", JOINTS),
        ("q", "<f4", JOINTS), ("pose", "<f4", 12), ("q_command", "<f4", JOINTS), ("q_offset", "<f4", JOINTS),
        ("pose_command", "<f4", 12), ("pose_offset", "<f4", 12), ("torque", "<f4", JOINTS),
        ("external_torque", "<f4", JOINTS), ("external_wrench", "<f4", 6), ("jacobian", "<f4", 42),
        ("mass_matrix", "<f4", 49), ("gravity", "<f4", JOINTS),
    ]
)  # fmt: skip
"""Controller to remote computer. External wrench: force along x, y, z, then torque about z, y, x."""
COMMAND = np.dtype(
    [
        *_COMMON,
        ("flags", "<u4"), ("q", "<f4", JOINTS), ("pose", "<f4", 12), ("added_torque", "<f4", JOINTS),
        ("added_wrench", "<f4", 6), ("stiffness", "<f4", JOINTS), ("damping", "<f4", JOINTS),
        ("cartesian_stiffness", "<f4", 6), ("cartesian_damping", "<f4", 6),
    ]
)  # fmt: skip
"""Remote computer to controller."""


class FriState(IntEnum):
    """State of the interface."""

    OFF = 0
    MONITOR = 1
    COMMAND = 2


class FriQuality(IntEnum):
    """How reliably measurements are answered in time."""

    UNACCEPTABLE = 0
    BAD = 1
    GOOD = 2
    PERFECT = 3


class FriControl(IntEnum):
    """Control mode of the arm."""

    OTHER = 0
    POSITION = 1
    CARTESIAN_IMPEDANCE = 2
    JOINT_IMPEDANCE = 3


class FriFlags(IntFlag):
    """Fields of a command that the controller uses."""

    POSITION = 0x1
    ADDED_TORQUE = 0x4
    STIFFNESS = 0x10
    DAMPING = 0x20


JOINT_IMPEDANCE = FriFlags.POSITION | FriFlags.ADDED_TORQUE | FriFlags.STIFFNESS | FriFlags.DAMPING
POWERED = 0x7F
"""`power` with all seven drives on."""
Record = NDArray[np.void]


def empty_packet(layout: np.dtype[np.void], kind: int, sequence: int, reflected: int) -> Record:
    """Return a packet, shape (1,), with its header."""
    packet = np.zeros(1, layout)
    packet["sequence"], packet["reflected"] = sequence % SEQUENCES, reflected % SEQUENCES
    packet["size"], packet["id"] = layout.itemsize, kind
    return packet


def read_packet(data: bytes, layout: np.dtype[np.void], kind: int) -> Record:
    """Return a received packet, shape (1,); raises MalformedError for other bytes and values that are not finite."""
    if len(data) != layout.itemsize:
        raise MalformedError("wrong length")
    packet = np.frombuffer(data, layout)
    if packet["id"][0] != kind or packet["size"][0] != layout.itemsize:
        raise MalformedError("another packet")
    names = [name for name in layout.names or () if layout[name].base.kind == "f"]
    if not all(np.isfinite(packet[name]).all() for name in names):
        raise MalformedError("a value is not finite")
    return packet


def steps_between(earlier: int, later: int) -> int:
    """Return by how much a sequence number of 16 bits is ahead of another one; negative if it is behind."""
    ahead = (later - earlier) % SEQUENCES
    return ahead if ahead < SEQUENCES // 2 else ahead - SEQUENCES
