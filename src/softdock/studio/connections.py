"""Limits of connections to the studio: their number, and the time in which a request must arrive."""

import asyncio
from typing import TYPE_CHECKING, Any

import uvicorn
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from softdock.studio.endpoint import LISTEN_QUEUE

MOST_CONNECTIONS = 200
"""Connections at once; a browser opens six and a web socket per page. Below the limit of open files of a process."""
MOST_WAITING = 64
"""Connections of which no request has arrived; the others are reserved for requests that were not refused."""
REQUEST_TIME = 10.0
"""Time after which a connection without a complete head of a request is closed [s]."""
LARGEST_HEAD = 65_536
"""Bytes of the head of a request after which the connection is closed; smaller ones have an answer."""
BACKLOG = MOST_WAITING // 2
"""Connections accepted at once. While the first of them is read, as many others follow: all of them may wait."""

if TYPE_CHECKING:
    import socket

    Base = asyncio.Protocol
else:
    Base = AutoHTTPProtocol


class StudioServer(uvicorn.Server):
    """Server that accepts few connections at once, but whose socket holds many that wait to be accepted.

    With one number for both (`backlog` of asyncio), the system drops connections of a browser while others connect
    too, and the browser tries again after a second or more.
    """

    async def startup(self, sockets: "list[socket.socket] | None" = None) -> None:
        """Begin to accept connections."""
        await super().startup(sockets)
        for listener in sockets or ():
            listener.listen(LISTEN_QUEUE)


class LimitedProtocol(Base):
    """HTTP connection that is closed where there are too many, or where its request does not arrive.

    Without these limits a local user without a token could hold all connections and open files of the process. A
    refused request ends its connection (`request_checks`), so that only one without a request can be held: where there
    are too many of these, the oldest is closed: a client that sends a request at once is heard.
    """

    loop: asyncio.AbstractEventLoop
    transport: asyncio.Transport
    connections: set[Any]
    cycle: Any
    """The present request, None before the first one."""
    _opened = 0.0
    """Time of the event loop [s]."""
    _waiting: asyncio.TimerHandle | None = None
    _head = 0
    """Bytes since the last complete request."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._wait(was_idle=True)
        self._opened = self.loop.time()
        present = [connection for connection in self.connections if not connection.transport.is_closing()]
        waiting = [
            connection
            for connection in present
            if isinstance(connection, LimitedProtocol) and connection.cycle is None
        ]
        if waiting and (len(waiting) > MOST_WAITING or len(present) > MOST_CONNECTIONS):
            min(waiting, key=lambda connection: connection._opened).transport.abort()

    def data_received(self, data: bytes) -> None:
        """Read a part of a request."""
        super().data_received(data)
        self._head = self._head + len(data) if self._is_idle() else 0
        if self._head > LARGEST_HEAD:
            self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """End the wait."""
        if self._waiting is not None:
            self._waiting.cancel()
        super().connection_lost(exc)

    def _is_idle(self) -> bool:
        return self.cycle is None or bool(self.cycle.response_complete)

    def _wait(self, *, was_idle: bool) -> None:
        self._waiting = self.loop.call_later(REQUEST_TIME, self._check, was_idle)

    def _check(self, was_idle: bool) -> None:
        if self.transport.is_closing() or self.transport.get_protocol() is not self:
            return  # a web socket has its own limits
        is_idle = self._is_idle()
        if is_idle and was_idle:
            self.transport.abort()
        else:
            self._wait(was_idle=is_idle)
