"""Datagrams: encoding, decoding and rejection of malformed bytes."""

import math
import struct
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.robot.link_fixtures import START, command, limits, robot, serve_robot

from softdock.robot.link import Command, Refusal, RobotMode, RobotState
from softdock.robot.link_server import RobotServer
from softdock.robot.protocol import (
    MAX_DATAGRAM_BYTES,
    MAX_JOINTS,
    Bye,
    CommandMessage,
    Denial,
    DenialMessage,
    Hello,
    MalformedError,
    ProtocolVersionError,
    StateMessage,
    Welcome,
    decode,
    encode,
)
from softdock.robot.simulated_network import SimulatedNetwork

NUMBER = st.floats(allow_nan=True, allow_infinity=True)
U64 = st.integers(0, 2**64 - 1)


@st.composite
def rows(draw: st.DrawFn, count: int) -> list[np.ndarray]:
    joints = draw(st.integers(1, MAX_JOINTS))
    row = st.lists(NUMBER, min_size=joints, max_size=joints).map(np.array)
    return [draw(row) for _ in range(count)]


@given(U64, U64, rows(4), NUMBER, st.sampled_from(RobotMode))
@settings(max_examples=60, deadline=None)
def test_commands_are_decoded_exactly(
    session: int, number: int, arrays: list, sent: float, mode: RobotMode
) -> None:
    names = ("q", "stiffness", "damping_ratio", "tau_ff")
    order = Command(**dict(zip(names, arrays)), mode=mode)
    packet = decode(encode(session, number, CommandMessage(order, sent)))
    assert (packet.session, packet.sequence) == (session, number)
    assert isinstance(packet.body, CommandMessage)
    assert packet.body.command.mode is mode
    for name, array in zip(names, arrays):
        assert getattr(packet.body.command, name).tobytes() == array.tobytes()
    assert packet.body.sent == sent or math.isnan(sent)


@pytest.mark.parametrize("refusal", [None, *Refusal])
def test_states_are_decoded_exactly(refusal: Refusal | None) -> None:
    q = START
    state = RobotState(
        t=1.25,
        q=q,
        qdot=2 * q,
        tau_measured=3 * q,
        tau_external=4 * q,
        mode=RobotMode.COMMAND,
        refusal=refusal,
    )
    body = decode(encode(7, 8, StateMessage(state, 5, 1.5, 0.25, 9))).body
    assert isinstance(body, StateMessage)
    assert (body.echo, body.echo_sent, body.held, body.refused) == (5, 1.5, 0.25, 9)
    assert (body.state.t, body.state.mode, body.state.refusal) == (1.25, RobotMode.COMMAND, refusal)
    for i, array in enumerate(
        (body.state.q, body.state.qdot, body.state.tau_measured, body.state.tau_external)
    ):
        np.testing.assert_array_equal(array, (i + 1) * q)


def test_other_messages_are_decoded() -> None:
    for body in (Hello(), Bye(), DenialMessage(Denial.BUSY), DenialMessage(Denial.VERSION)):
        assert decode(encode(1, 2, body)).body == body
    welcome = decode(encode(1, 2, Welcome(1e-3, 0.05, limits(7)))).body
    assert isinstance(welcome, Welcome)
    assert (welcome.period, welcome.timeout, welcome.limits.joints) == (1e-3, 0.05, 7)
    np.testing.assert_array_equal(welcome.limits.torque, 50.0)


def test_the_largest_datagram_fits_into_a_frame() -> None:
    assert len(encode(1, 2, Welcome(1e-3, 0.05, limits(MAX_JOINTS)))) <= MAX_DATAGRAM_BYTES


def test_command_by_the_byte_table_of_the_manual_is_decoded() -> None:
    """A command written by hand from docs/robot-link.md, without our encoder."""
    numbers = [0.5, 800.0, 0.7, -1.0]
    body = struct.pack("<BBHId4d", 1, 0, 1, 0, 12.5, *numbers)
    head = struct.pack("<4sBBHQQ", b"SDRL", 1, 3, 24 + len(body) + 4, 0xABCD, 42)
    data = head + body + struct.pack("<I", zlib.crc32(head + body))
    packet = decode(data)
    assert isinstance(packet.body, CommandMessage)
    assert (packet.session, packet.sequence, packet.body.sent) == (0xABCD, 42, 12.5)
    order = packet.body.command
    assert [order.q[0], order.stiffness[0], order.damping_ratio[0], order.tau_ff[0]] == numbers
    assert encode(0xABCD, 42, packet.body) == data


def test_another_version_is_distinguished_from_malformed_bytes() -> None:
    data = bytearray(encode(1, 2, Hello()))
    data[4] = 2
    data[-4:] = struct.pack("<I", zlib.crc32(data[:-4]))
    with pytest.raises(ProtocolVersionError, match="version 2 instead of 1"):
        decode(bytes(data))


def with_checksum(head: bytes, payload: bytes) -> bytes:
    """Return a datagram with valid magic, length and checksum and any content."""
    data = b"SDRL" + head[:2] + struct.pack("<H", 28 + len(payload)) + head[2:18] + payload
    return data + struct.pack("<I", zlib.crc32(data))


WELL_FORMED = st.sampled_from(
    [
        encode(0, 1, Hello()),
        encode(1, 1, Bye()),
        encode(1, 3, CommandMessage(command(START), 1.0)),
        encode(1, 3, StateMessage(robot().state())),
        encode(1, 3, Welcome(1e-3, 0.05, limits())),
    ]
)


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    data = bytearray(draw(WELL_FORMED))
    for _ in range(draw(st.integers(1, 4))):
        data[draw(st.integers(0, len(data) - 1))] ^= draw(st.integers(1, 255))
    return bytes(data[: draw(st.integers(0, len(data)))]) + draw(st.binary(max_size=3))


FUZZ = st.one_of(
    st.binary(max_size=MAX_DATAGRAM_BYTES + 10),
    damaged(),
    st.builds(
        with_checksum,
        st.builds(
            lambda kind, session, number: bytes([1, kind]) + struct.pack("<QQ", session, number),
            st.integers(0, 255), st.sampled_from([0, 1, 2]), st.sampled_from([0, 1, 5, 2**64 - 1]),
        ),
        st.binary(max_size=200),
    ),
)  # fmt: skip


@given(FUZZ)
@settings(max_examples=400, deadline=None)
def test_malformed_datagrams_are_rejected(data: bytes) -> None:
    try:
        packet = decode(data)
    except MalformedError:
        return
    again = decode(encode(packet.session, packet.sequence, packet.body))  # it was a real one
    assert type(again.body) is type(packet.body)


@given(st.lists(FUZZ, min_size=1, max_size=20))
@settings(max_examples=60, deadline=None)
def test_fuzzed_datagrams_never_crash_or_move_the_robot(datagrams: list[bytes]) -> None:
    """From the client's address and session: only a valid command may move the robot."""
    server = RobotServer(robot())
    network = SimulatedNetwork(server)
    network.transport("client")
    network.send(encode(1, 1, Hello()), ("client",))
    network.run(3_000_000)
    assert server.has_client
    for data in datagrams:
        network.send(data, ("client",))
        network.run(network.now_ns + 1_000_000)
    followed = server.supervisor.mode is RobotMode.COMMAND
    network.run(network.now_ns + 3_000_000)
    if not followed:
        np.testing.assert_allclose(server.state.q, START, atol=1e-15)


@given(st.lists(FUZZ, min_size=1, max_size=20))
@settings(max_examples=40, deadline=None)
def test_fuzzed_datagrams_are_ignored_by_the_client(datagrams: list[bytes]) -> None:
    """Datagrams of other sessions are counted and ignored; the next valid state is returned."""
    network, link = serve_robot()
    before = link.cycle(command(START))
    for data in datagrams:
        network._inboxes[("client",)].append(data)
    after = link.cycle(command(START))
    assert after.sequence == before.sequence + 1
    assert link.statistics.malformed + link.statistics.foreign == len(datagrams)
