"""Limits of connections to the studio: their number, and the time in which a request must arrive."""

import asyncio
from typing import TYPE_CHECKING, Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

MOST_CONNECTIONS = 200
"""Connections at once; a browser opens six and a web socket per page. Below the limit of open files of a process."""
REQUEST_TIME = 10.0
"""Time after which a connection without a complete head of a request is closed [s]."""
LARGEST_HEAD = 65_536
"""Bytes of the head of a request after which the connection is closed; smaller ones have an answer."""
BACKLOG = 64
"""Connections that wait to be accepted."""

if TYPE_CHECKING:
    Base = asyncio.Protocol
else:
    Base = AutoHTTPProtocol


class LimitedProtocol(Base):
    """HTTP connection that is closed where there are too many, or where its request does not arrive.

    Without these limits a local user without a token could hold all files that the process may open.
    """

    loop: asyncio.AbstractEventLoop
    transport: asyncio.Transport
    connections: set[Any]
    cycle: Any
    """The present request, None before the first one."""
    _waiting: asyncio.TimerHandle | None = None
    _head = 0
    """Bytes since the last complete request."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        if len(self.connections) > MOST_CONNECTIONS:
            transport.abort()
        else:
            self._wait(was_idle=True)

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
