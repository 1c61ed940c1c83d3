"""Web socket messages to the studio: frames and Socket.IO messages of a client with a token."""

import base64
import json
import re
import select
import struct
from functools import cache
from pathlib import Path
from random import Random
from socket import socket

from tests.fuzz.formats import Files, Format
from tests.fuzz.formats.server import TOKEN, served, with_port
from tests.fuzz.mutations import BINARY, TEXT, mutate, mutate_data

from softdock.errors import InputError

HANDSHAKE = {
    "client_id": "CLIENT",
    "document_id": "d",
    "tab_id": "t",
    "old_tab_id": None,
    "next_message_id": 0,
}
EVENTS = (
    ["handshake", HANDSHAKE],
    ["event", {"id": 3, "client_id": "CLIENT", "listener_id": "l", "args": [None, '{"value": 1}']}],
    ["javascript_response", {"request_id": "r", "client_id": "CLIENT", "result": 1}],
    ["ack", {"client_id": "CLIENT", "next_message_id": 1}],
    ["log", {"client_id": "CLIENT", "level": "info", "message": "m"}],
    ["too_long_message", {}],
)
PACKETS = (
    "2",
    "2probe",
    "3",
    "40",
    "41",
    "43[1]",
    "44{}",
    "451-[]",
    "46",
    "5",
    "6",
    "0",
    "1",
    "b4AAAA",
    "40/x,{}",
    "420[]",
    "",
)
UPGRADE = (
    "GET /_nicegui_ws/socket.io/?EIO=4&transport=websocket&client_id=CLIENT HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n"
    "Origin: http://127.0.0.1:PORT\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    f"Sec-WebSocket-Key: {base64.b64encode(bytes(16)).decode()}\r\nCookie: softdock_token_PORT={TOKEN}\r\n\r\n"
)

PATIENCE = 0.03
"""Time without an answer after which the messages are processed [s]."""


def make(random: Random) -> Files:
    """Return some messages, mostly mutated Socket.IO events; a rare one is a damaged frame."""
    messages = {}
    for number in range(random.choice((1, 2, 5, 20))):
        if random.random() < 0.2:
            data = random.choice(PACKETS).encode()
        else:
            event = random.choice(EVENTS)
            changed = mutate_data(event, random) if random.random() < 0.8 else event
            data = b"42" + json.dumps(changed).encode(errors="replace")
        if random.random() < 0.2:
            data = mutate(data, random, TEXT)
        messages[f"{number}.txt"] = data
    if random.random() < 0.1:
        messages["frame.bin"] = mutate(_frame(b"42[]"), random, BINARY)
    return messages


def _frame(data: bytes, code: int = 1) -> bytes:
    """Return a masked frame."""
    size = len(data)
    length = (
        bytes([0x80 | size]) if size < 126 else b"\xfe" + struct.pack(">H", size) if size < 65536 else b""
    )
    if not length:
        length = b"\xff" + struct.pack(">Q", size)
    return bytes([0x80 | code]) + length + bytes(4) + data


@cache
def _client() -> bytes:
    """Return the identifier of a page, which a page contains."""
    lines = (
        "GET /predict HTTP/1.1",
        "Host: 127.0.0.1:PORT",
        f"Cookie: softdock_token_PORT={TOKEN}",
        "Connection: close",
    )
    request = "\r\n".join([*lines, "", ""])
    answer = b""
    with served().connect() as line:
        line.sendall(with_port(request.encode()))
        while part := line.recv(65536):
            answer += part
    found = re.search(rb"client_id['\"]?: ?['\"]([0-9a-f-]{36})", answer)
    return found[1] if found else b"none"


def _open() -> socket:
    line = served().connect()
    line.sendall(with_port(UPGRADE.encode()).replace(b"CLIENT", _client()))
    answer = line.recv(4096)
    assert answer.split()[1] == b"101", answer
    return line


def read(files: Files, folder: Path) -> None:
    """Send the messages after a valid handshake; the studio ignores them, or closes the connection."""
    closed = b""
    with _open() as line:
        try:
            line.sendall(
                _frame(b"40") + _frame(b"42" + json.dumps(EVENTS[0]).encode().replace(b"CLIENT", _client()))
            )
            for name, data in files.items():
                data = data.replace(b"CLIENT", _client())
                line.sendall(data if name == "frame.bin" else _frame(data))
            while select.select([line], [], [], PATIENCE)[0] and (part := line.recv(65536)):
                closed = (closed + part)[-65536:]
            line.sendall(_frame(b"", 8))
            if "frame.bin" in files:  # its length may include the frames after it
                line.settimeout(0.5)
            while part := line.recv(65536):
                closed = (closed + part)[-65536:]
        except OSError:
            raise InputError("Closed by the studio.") from None
    if b"\x03\xf0" in closed:  # 1008, policy violation
        raise InputError("Closed by the studio.")


FORMAT = Format(make=make, read=read, stored=False, seconds=60.0)
