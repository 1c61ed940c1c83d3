"""Datagrams to and from a robot: the server and the client decode, check and follow them."""

import struct
import zlib
from functools import cache
from pathlib import Path
from random import Random

import numpy as np
from tests.fuzz.formats import Files, Format
from tests.fuzz.mutations import BINARY, mutate

from softdock.robot.link import Command, RobotMode, RobotState
from softdock.robot.link_server import RobotServer
from softdock.robot.protocol import (
    Bye,
    CommandMessage,
    Denial,
    DenialMessage,
    Hello,
    MalformedError,
    StateMessage,
    Welcome,
    decode,
    encode,
)
from softdock.robot.simple_robots import seven_joint_robot

SESSION, ADDRESS = 7, ("127.0.0.1", 5000)
LENGTH = slice(6, 8)
FLOATS = tuple(
    struct.pack("<d", x) for x in (0.0, np.nan, np.inf, -np.inf, 1e308, -1e308, 5e-324, 1.0, -3.0, 1e9)
)
PERIOD = 1e-3  # s


@cache
def _datagrams() -> tuple[bytes, ...]:
    robot = seven_joint_robot()
    one, q = np.ones(7), np.zeros(7)
    commands = [
        Command(q=q, stiffness=800.0 * one, damping_ratio=0.7 * one, tau_ff=0.0 * one, mode=mode)
        for mode in RobotMode
    ]
    state = RobotState(t=1.0, q=q, qdot=q, tau_measured=q, tau_external=q, mode=RobotMode.MONITOR)
    bodies = [
        Hello(),
        *(CommandMessage(command, 0.5) for command in commands),
        StateMessage(state),
        Welcome(PERIOD, 0.05, robot.limits),
        DenialMessage(Denial.BUSY),
        Bye(),
    ]
    return tuple(encode(SESSION, 1, body) for body in bodies)


def make(random: Random) -> Files:
    """Return one datagram; most have a valid length and checksum, so that their content is read."""
    data = bytearray(random.choice(_datagrams()))
    if random.random() < 0.6:
        for _ in range(random.choice((1, 1, 2, 5))):
            if random.random() < 0.6 and len(data) > 60:
                at = 44 + 8 * random.randrange((len(data) - 52) // 8)
                data[at : at + 8] = random.choice(FLOATS)
            else:
                data[random.randrange(min(len(data), 48))] = random.randrange(256)
    else:
        data = bytearray(mutate(bytes(data), random, BINARY))
    if random.random() < 0.85 and len(data) >= 28:
        data[LENGTH] = struct.pack("<H", len(data) & 0xFFFF)
        data[-4:] = struct.pack("<I", zlib.crc32(bytes(data[:-4])))
    return {"datagram.bin": bytes(data)}


class _Link:
    """A robot that serves one client, with time that advances by one cycle per datagram."""

    def __init__(self) -> None:
        self.server = RobotServer(seven_joint_robot(), PERIOD)
        self.now, self.sequence = 0.0, 0
        self.greet()

    def greet(self) -> None:
        self.server.receive(encode(SESSION, 0, Hello()), ADDRESS, self.now)

    def take(self, data: bytes) -> None:
        self.now += PERIOD
        self.server.receive(data, ADDRESS, self.now)
        self.server.tick(self.now)
        state = self.server.state
        assert np.isfinite(state.q).all(), "the robot has positions that are not finite"
        limits = self.server.robot.limits
        assert (state.q <= limits.q_max + 0.1).all(), "above the upper limit"
        assert (state.q >= limits.q_min - 0.1).all(), "below the lower limit"
        assert (np.abs(state.qdot) <= 1.2 * limits.speed).all(), "faster than the limit with its margin"
        if not self.server.has_client:
            self.greet()


@cache
def _link() -> _Link:
    return _Link()


def read(files: Files, folder: Path) -> None:
    """Decode a datagram as a client, and let a robot follow it."""
    data = files["datagram.bin"]
    _link().take(data)
    decode(data)


FORMAT = Format(make=make, read=read, refusals=(MalformedError,), stored=False)
