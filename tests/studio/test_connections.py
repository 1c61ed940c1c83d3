"""Connections that hold resources of the studio without a request are closed."""

import asyncio
import selectors
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest

pytest.importorskip("nicegui")

from softdock.studio import connections
from softdock.studio.connections import StudioServer
from softdock.studio.request_checks import COOKIE, RequestChecks, allowed_hosts
from softdock.studio.server import server_settings

TOKEN = "secret"
MANY = 200
REQUEST = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"


async def _answer(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        await receive()  # waits until the client disconnects
        return
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


@contextmanager
def serve(app: Any) -> Iterator[int]:
    """Serve an application as the studio is served; yield the port."""
    settings = server_settings(app)
    settings.lifespan = "off"
    server, listening = StudioServer(settings), socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listening])))
    thread.start()
    yield int(listening.getsockname()[1])
    server.should_exit = True
    thread.join(10.0)


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    monkeypatch.setattr(connections, "REQUEST_TIME", 0.3)
    with serve(_answer) as port:
        yield port


@pytest.fixture
def guarded() -> Iterator[int]:
    """A server that needs a token, with the limits of the studio."""
    with serve(RequestChecks(_answer, allowed_hosts("127.0.0.1"), TOKEN)) as port:
        yield port


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


def _request(port: int, *lines: str) -> bytes:
    return "\r\n".join(["GET / HTTP/1.1", f"Host: 127.0.0.1:{port}", *lines, "", ""]).encode()


UPGRADE = (
    "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
)  # fmt: skip
ATTACKS: dict[str, Callable[[int], bytes]] = {
    "nothing": lambda port: b"",
    "part of a request": lambda port: _request(port)[:-2],
    "requests without a token": _request,
    "web sockets without a token": lambda port: _request(port, *UPGRADE),
    "a body that does not arrive": lambda port: _request(port, "Content-Length: 1000000"),
}


class _Attack(threading.Thread):
    """Holds 200 connections, each of which sends the same; opens those again that are closed."""

    def __init__(self, port: int, sent: bytes) -> None:
        super().__init__(daemon=True)
        self.port, self.sent = port, sent
        self.full, self.ended = threading.Event(), threading.Event()

    def run(self) -> None:
        """Hold the connections until `ended` is set."""
        with selectors.DefaultSelector() as selector:
            while not self.ended.wait(0.005):
                while len(selector.get_map()) < MANY and not self.ended.is_set():
                    with suppress(OSError):
                        one = socket.create_connection(("127.0.0.1", self.port), timeout=1.0)
                        one.sendall(self.sent)
                        selector.register(one, selectors.EVENT_READ)
                self.full.set()
                for key, _ in selector.select(0):
                    one = key.fileobj  # type: ignore[assignment]
                    if _ends(one):
                        selector.unregister(one)
                        one.close()
            for key in list(selector.get_map().values()):
                key.fileobj.close()  # type: ignore[union-attr]


def _ends(connection: socket.socket) -> bool:
    try:
        return connection.recv(10_000) == b""
    except OSError:
        return True


@pytest.mark.parametrize("kind", ATTACKS)
def test_many_connections_without_a_token_do_not_disturb_one_with_it(guarded: int, kind: str) -> None:
    attack = _Attack(guarded, ATTACKS[kind](guarded))
    attack.start()
    try:
        assert attack.full.wait(60.0)
        for _ in range(5):
            with _connect(guarded) as connection:  # each time a new one
                connection.sendall(_request(guarded, f"Cookie: {COOKIE}_{guarded}={TOKEN}"))
                assert _receive_answer(connection).endswith(b"ok")
    finally:
        attack.ended.set()
        attack.join(20.0)


@pytest.mark.parametrize(
    "kind", ["requests without a token", "web sockets without a token", "a body that does not arrive"]
)
def test_a_connection_is_closed_after_its_request_was_refused(guarded: int, kind: str) -> None:
    begun = time.monotonic()
    with _connect(guarded) as connection:
        connection.sendall(ATTACKS[kind](guarded))
        answer = _receive_answer(connection, b"never")
    assert answer.startswith(b"HTTP/1.1 403")
    assert time.monotonic() - begun < 0.5 * connections.REQUEST_TIME


def test_a_connection_with_a_token_is_kept_for_more_requests(guarded: int) -> None:
    with _connect(guarded) as connection:
        for _ in range(3):
            connection.sendall(_request(guarded, f"Cookie: {COOKIE}_{guarded}={TOKEN}"))
            assert _receive_answer(connection).endswith(b"ok")


def test_the_oldest_of_too_many_waiting_connections_is_closed(guarded: int) -> None:
    with _connect(guarded) as oldest:
        others = [_connect(guarded) for _ in range(connections.MOST_WAITING)]
        assert _is_closed(oldest)
    others[-1].sendall(_request(guarded, f"Cookie: {COOKIE}_{guarded}={TOKEN}"))
    assert _receive_answer(others[-1]).endswith(b"ok")
    for connection in others:
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
