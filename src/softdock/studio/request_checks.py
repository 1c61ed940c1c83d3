"""Checks of every request to the studio: Host and Origin headers, access token and size of the body."""

import hmac
import ipaddress
import re
import socket
from contextlib import suppress
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from softdock.studio.browser_entry import BrowserEntry
from softdock.studio.socket_messages import forward_messages

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_BODY = 20_000_000
"""Bytes of one request; CAD files of docking mechanisms need less than a tenth of it."""
COOKIE = "softdock_token"
"""Name of the cookie before the port: browsers send cookies of one host to all its ports."""
COOKIE_LIFETIME = 604_800  # s; the token is valid only while the studio runs
SOCKETS = "/_nicegui_ws/"
"""Path of the web sockets of the pages; the same messages over plain requests are not needed."""
LARGEST_HEADERS = 32_768
"""Bytes of all headers of one request; browsers send less than 4 kB."""
PAGE_POLICY = (
    b"default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    b"img-src 'self' data: blob:; font-src 'self' data:; frame-src 'self'; object-src 'none'; base-uri 'none'; "
    b"form-action 'self'; frame-ancestors 'self'"
)
"""Policy of responses that set none: nothing from or to other hosts. NiceGUI needs inline scripts and `eval`."""
POLICY = b"content-security-policy"
ENDING = (403, 431)
"""Refusals after which the connection is closed, so that clients without a token do not hold it."""
SAFE_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"SAMEORIGIN"),
    (b"referrer-policy", b"no-referrer"),
)


def is_loopback(host: str) -> bool:
    """Return whether an address can be reached only from this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def allowed_hosts(host: str) -> frozenset[str]:
    """Return the host names that a request to a server at this address may use."""
    if is_loopback(host):
        return frozenset({"127.0.0.1", "localhost", "::1"})
    names = {host}
    if host in ("0.0.0.0", "::"):
        name = socket.gethostname()
        names |= {"127.0.0.1", "localhost", "::1", name, socket.getfqdn()}
        with suppress(OSError):
            names |= {str(entry[4][0]) for entry in socket.getaddrinfo(name, None)}
    return frozenset(name.lower() for name in names)


class RequestChecks:
    """ASGI middleware around the whole application, for pages and web sockets."""

    def __init__(
        self,
        app: "ASGIApp",
        hosts: frozenset[str],
        token: str | None = None,
        entry: BrowserEntry | None = None,
    ) -> None:
        self.app, self.hosts, self.token, self.entry = app, hosts, token, entry or BrowserEntry()

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Forward a request that passes all checks; answer any other with an error."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = {
            name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]
        }
        if sum(len(name) + len(value) for name, value in scope["headers"]) > LARGEST_HEADERS:
            await _refuse(scope, send, 431, "The headers of the request are too large.")
            return
        refusal = self._refuse_foreign(headers)
        if refusal:
            await _refuse(scope, send, 403, refusal)
            return
        if self.token is not None and not _equal(_cookie(headers), self.token):
            await self._exchange_token(scope, headers, send)
            return
        await self._forward_limited(scope, headers, receive, send)

    def _refuse_foreign(self, headers: dict[str, str]) -> str:
        """Return why the Host or Origin header is refused; empty if both are allowed."""
        host = headers.get("host", "")
        if _host_name(host) not in self.hosts:
            return "This host name is not allowed; open the studio with the address that it printed."
        origin = headers.get("origin")
        if origin is not None and origin not in (f"http://{host}", f"https://{host}"):
            return "Requests from other web pages are not allowed."
        return ""

    async def _exchange_token(self, scope: "Scope", headers: dict[str, str], send: "Send") -> None:
        """Exchange the token or the code in the address for a cookie; refuse a request without them."""
        if scope["type"] == "http" and scope["method"] == "GET" and self._may_enter(scope):
            options = f"HttpOnly; SameSite=Strict; Path=/; Max-Age={COOKIE_LIFETIME}"
            cookie = f"{cookie_name(headers['host'])}={self.token}; {options}"
            # A page that reloads instead of a redirect, after which browsers would not send a strict cookie.
            body = b"<!doctype html><meta http-equiv=refresh content='0;url=/'><title>Softdock</title>"
            extra = [(b"set-cookie", cookie.encode("latin-1"))]
            await _respond(send, 200, body, b"text/html; charset=utf-8", extra)
        else:
            await _refuse(
                scope, send, 403, "Open the studio with the address that it printed, token included."
            )

    def _may_enter(self, scope: "Scope") -> bool:
        query = parse_qs(scope.get("query_string", b"").decode("latin-1"))
        token, code = (query.get(name, [""])[0] for name in ("token", "code"))
        return _equal(token, str(self.token)) or self.entry.redeem(code)

    async def _forward_limited(
        self, scope: "Scope", headers: dict[str, str], receive: "Receive", send: "Send"
    ) -> None:
        """Forward a request; refuse it once its body exceeds `LARGEST_BODY`."""
        if scope["type"] == "websocket":
            await forward_messages(self.app, scope, receive, send)
            return
        if scope["path"].startswith(SOCKETS):
            await _refuse(scope, send, 400, "Only web sockets are served here.")
            return
        length, state = headers.get("content-length", "0"), {"received": 0, "started": 0}
        if not re.fullmatch(r"[0-9]{1,18}", length) or int(length) > LARGEST_BODY:
            await _refuse(scope, send, 413, _TOO_LARGE)
            return

        async def receive_counted() -> "Message":
            message = await receive()
            state["received"] += len(message.get("body", b""))
            if state["received"] > LARGEST_BODY:
                raise _TooLargeError
            return message

        async def send_hardened(message: "Message") -> None:
            if state["received"] > LARGEST_BODY and not state["started"]:
                return  # drop the response of the application to the incomplete body; the refusal follows below
            if message["type"] == "http.response.start":
                state["started"] = 1
                message["headers"] = _hardened(message.get("headers", ()))
            await send(message)

        with suppress(_TooLargeError):
            await self.app(scope, receive_counted, send_hardened)
        if state["received"] > LARGEST_BODY and not state["started"]:
            await _refuse(scope, send, 413, _TOO_LARGE)


class _TooLargeError(Exception):
    """The body is longer than the limit."""


_TOO_LARGE = f"At most {LARGEST_BODY // 1_000_000} MB are allowed in one request."


def _host_name(host: str) -> str:
    """Return the host name of a Host header, without the port."""
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""


def _equal(given: str, secret: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), secret.encode())


def cookie_name(host: str) -> str:
    """Return the name of the cookie of a studio from the Host header of a request."""
    return f"{COOKIE}_{host.rpartition(':')[2]}" if re.search(r":[0-9]+$", host) else COOKIE


def _cookie(headers: dict[str, str]) -> str:
    try:
        cookie = SimpleCookie(headers.get("cookie", "")).get(cookie_name(headers.get("host", "")))
    except CookieError:
        return ""
    return cookie.value if cookie else ""


def _hardened(headers: "Iterable[tuple[bytes, bytes]]") -> list[tuple[bytes, bytes]]:
    """Return headers with the safe ones, and with `PAGE_POLICY` where they have no policy."""
    given = [*headers, *SAFE_HEADERS]
    return given if any(name.lower() == POLICY for name, _ in given) else [*given, (POLICY, PAGE_POLICY)]


async def _refuse(scope: "Scope", send: "Send", status: int, sentence: str) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": sentence})
    else:
        extra = [(b"connection", b"close")] if status in ENDING else []
        await _respond(send, status, f"{sentence}\n".encode(), b"text/plain; charset=utf-8", extra)


async def _respond(
    send: "Send", status: int, body: bytes, kind: bytes, extra: list[tuple[bytes, bytes]] | None = None
) -> None:
    headers: list[Any] = [
        (b"content-type", kind),
        (b"content-length", str(len(body)).encode()),
        *(extra or ()),
    ]
    await send({"type": "http.response.start", "status": status, "headers": _hardened(headers)})
    await send({"type": "http.response.body", "body": body})
