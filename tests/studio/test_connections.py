"""Connections that hold resources of the studio without a request are closed."""

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("nicegui")

import uvicorn

from softdock.studio import connections
from softdock.studio.connections import LimitedProtocol

REQUEST = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"


async def _answer(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        await receive()  # waits until the client disconnects
        return
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    monkeypatch.setattr(connections, "REQUEST_TIME", 0.3)
    monkeypatch.setattr(connections, "MOST_CONNECTIONS", 5)
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(
        uvicorn.Config(_answer, http=LimitedProtocol, log_level="error", lifespan="off", backlog=8)
    )
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listening])))
    thread.start()
    yield listening.getsockname()[1]
    server.should_exit = True
    thread.join(10.0)


def _connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=20.0)


def _receive_answer(connection: socket.socket, end: bytes = b"ok") -> bytes:
    """Return the data up to the given end, or up to the end of the stream; head and body may arrive separately."""
    answer = b""
    while not answer.endswith(end) and (part := connection.recv(1000)):
        answer += part
    return answer


def _is_closed(connection: socket.socket) -> bool:
    try:
        return connection.recv(100) == b""
    except ConnectionError:
        return True


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nHost: "], ids=["nothing", "part"])
def test_a_request_that_does_not_arrive_closes_the_connection(port: int, sent: bytes) -> None:
    with _connect(port) as connection:
        connection.sendall(sent)
        assert _is_closed(connection)


def test_the_second_request_of_a_connection_has_the_same_limit(port: int) -> None:
    with _connect(port) as connection:
        connection.sendall(REQUEST)
        assert _receive_answer(connection).endswith(b"ok")
        connection.sendall(b"GET / HTTP/1.1\r\n")
        assert _is_closed(connection)


def test_a_head_without_end_closes_the_connection(port: int) -> None:
    with _connect(port) as connection:
        fields = b"".join(b"X-%d: %s\r\n" % (number, b"a" * 1000) for number in range(20_000))
        with pytest.raises(ConnectionError):
            connection.sendall(b"GET / HTTP/1.1\r\n" + fields)


def test_the_studio_answers_while_others_hold_connections(port: int) -> None:
    held = [_connect(port) for _ in range(12)]
    with _connect(port) as connection:  # above the limit
        assert _is_closed(connection)
    limit = time.monotonic() + 20.0
    answer = b""
    while not answer.endswith(b"ok") and time.monotonic() < limit:
        try:
            with _connect(port) as connection:
                connection.sendall(REQUEST)
                answer = _receive_answer(connection)
        except ConnectionError:
            time.sleep(0.05)
    assert answer.endswith(b"ok")
    for connection in held:
        connection.close()


def test_a_web_socket_stays_open(port: int) -> None:
    with _connect(port) as connection:
        connection.sendall(
            b"GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        )
        assert _receive_answer(connection, b"\r\n\r\n").startswith(b"HTTP/1.1 101")
        connection.settimeout(1.0)  # more than three times the limit
        with pytest.raises(TimeoutError):
            connection.recv(100)
