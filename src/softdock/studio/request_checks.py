"""Who may talk to the studio, and how much: foreign hosts, foreign pages and huge bodies are refused."""

import hmac
import ipaddress
import re
import secrets
import socket
from contextlib import suppress
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_BODY = 20_000_000
"""Bytes of one request; a CAD file of a docking mechanism has less than a tenth."""
COOKIE = "softdock_token"
WEEK = 604_800  # s; the token itself lives as long as the studio
SAFE_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"SAMEORIGIN"),
    (b"referrer-policy", b"no-referrer"),
)


def is_loopback(host: str) -> bool:
    """Tell whether an address can only be reached from this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def new_token() -> str:
    """Return a fresh secret for the address."""
    return secrets.token_urlsafe(24)


def names_of(host: str) -> frozenset[str]:
    """Return the names under which a server at this address may be called."""
    if is_loopback(host):
        return frozenset({"127.0.0.1", "localhost", "::1"})
    names = {host}
    if host in ("0.0.0.0", "::"):
        name = socket.gethostname()
        names |= {"127.0.0.1", "localhost", "::1", name, socket.getfqdn()}
        with suppress(OSError):
            names |= {str(entry[4][0]) for entry in socket.getaddrinfo(name, None)}
    return frozenset(one.lower() for one in names)


class Gate:
    """Stands before the whole application, pages and web sockets alike."""

    def __init__(self, app: "ASGIApp", names: frozenset[str], token: str | None = None) -> None:
        self.app, self.names, self.token = app, names, token

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Let a request through, or answer it here."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = {
            name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]
        }
        refusal = self._foreign(headers)
        if refusal:
            await _refuse(scope, send, 403, refusal)
            return
        if self.token is not None and not _same(_cookie(headers), self.token):
            await self._ask_for_token(scope, send)
            return
        await self._measured(scope, headers, receive, send)

    def _foreign(self, headers: dict[str, str]) -> str:
        host = headers.get("host", "")
        if _name(host) not in self.names:
            return "The studio does not answer under this name."
        origin = headers.get("origin")
        if origin is not None and origin not in (f"http://{host}", f"https://{host}"):
            return "Other pages may not talk to the studio."
        return ""

    async def _ask_for_token(self, scope: "Scope", send: "Send") -> None:
        """Exchange the token in the address for a cookie, so that it does not stay in the address."""
        query = parse_qs(scope.get("query_string", b"").decode("latin-1"))
        given = query.get("token", [""])[0]
        if scope["type"] == "http" and scope["method"] == "GET" and _same(given, str(self.token)):
            cookie = f"{COOKIE}={self.token}; HttpOnly; SameSite=Strict; Path=/; Max-Age={WEEK}"
            # A page that leads on, not a redirect: a strict cookie is not sent along one that came from elsewhere.
            body = b"<!doctype html><meta http-equiv=refresh content='0;url=/'><title>Softdock</title>"
            extra = [(b"set-cookie", cookie.encode("latin-1"))]
            await _answer(send, 200, body, b"text/html; charset=utf-8", extra)
        else:
            await _refuse(
                scope, send, 403, "Open the studio with the address that it printed, token included."
            )

    async def _measured(
        self, scope: "Scope", headers: dict[str, str], receive: "Receive", send: "Send"
    ) -> None:
        if scope["type"] == "websocket":
            await self.app(scope, receive, send)
            return
        length, state = headers.get("content-length", "0"), {"taken": 0, "started": 0}
        if not re.fullmatch(r"[0-9]{1,18}", length) or int(length) > LARGEST_BODY:
            await _refuse(scope, send, 413, _TOO_LARGE)
            return

        async def counted() -> "Message":
            message = await receive()
            state["taken"] += len(message.get("body", b""))
            if state["taken"] > LARGEST_BODY:
                raise _TooLargeError
            return message

        async def hardened(message: "Message") -> None:
            if state["taken"] > LARGEST_BODY and not state["started"]:
                return  # what the application says of the body that it has not got; the answer is given below
            if message["type"] == "http.response.start":
                state["started"] = 1
                message["headers"] = [*message.get("headers", ()), *SAFE_HEADERS]
            await send(message)

        with suppress(_TooLargeError):
            await self.app(scope, counted, hardened)
        if state["taken"] > LARGEST_BODY and not state["started"]:
            await _refuse(scope, send, 413, _TOO_LARGE)


class _TooLargeError(Exception):
    """A body that says less than it holds."""


_TOO_LARGE = f"At most {LARGEST_BODY // 1_000_000} MB are taken at a time."


def _name(host: str) -> str:
    """Return the name of a Host header, without its port."""
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""


def _same(given: str, secret: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), secret.encode())


def _cookie(headers: dict[str, str]) -> str:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return ""
    return found.value if found else ""


async def _refuse(scope: "Scope", send: "Send", status: int, sentence: str) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": sentence})
    else:
        await _answer(send, status, f"{sentence}\n".encode(), b"text/plain; charset=utf-8")


async def _answer(
    send: "Send", status: int, body: bytes, kind: bytes, extra: list[tuple[bytes, bytes]] | None = None
) -> None:
    headers: list[Any] = [
        (b"content-type", kind),
        (b"content-length", str(len(body)).encode()),
        *SAFE_HEADERS,
    ]
    await send({"type": "http.response.start", "status": status, "headers": [*headers, *(extra or ())]})
    await send({"type": "http.response.body", "body": body})
