"""Who may talk to the studio: foreign hosts, foreign pages and huge bodies are refused, tokens are asked for."""

import asyncio
from collections.abc import Iterator

import httpx
import pytest
from starlette.types import Receive, Scope, Send

from softdock.studio.request_checks import COOKIE, LARGEST_BODY, RequestChecks, allowed_hosts, is_loopback

HERE = "http://127.0.0.1:8420"


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer anything with the number of bytes it was sent."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        return
    size, more = 0, True
    while more:
        message = await receive()
        size, more = size + len(message.get("body", b"")), message.get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": str(size).encode()})


def ask(method: str = "GET", path: str = "/", *, token: str | None = None, **more: object) -> httpx.Response:
    gate = RequestChecks(application, allowed_hosts("127.0.0.1"), token)

    async def one() -> httpx.Response:
        transport = httpx.ASGITransport(gate)
        async with httpx.AsyncClient(transport=transport, base_url=HERE) as client:
            return await client.request(method, path, **more)  # type: ignore[arg-type]

    return asyncio.run(one())


def knock(origin: str | None, host: str = "127.0.0.1:8420") -> str:
    """Return what a web socket is told first."""
    sent: list[str] = []

    async def send(message: dict[str, object]) -> None:
        sent.append(str(message["type"]))

    async def receive() -> dict[str, object]:
        return {"type": "websocket.connect"}

    headers = [(b"host", host.encode())] + ([(b"origin", origin.encode())] if origin else [])
    scope = {"type": "websocket", "path": "/_nicegui_ws/socket.io/", "headers": headers, "query_string": b""}
    asyncio.run(RequestChecks(application, allowed_hosts("127.0.0.1"))(scope, receive, send))  # type: ignore[arg-type]
    return sent[0]


def test_the_own_page_is_let_through() -> None:
    answer = ask("POST", content=b"abc", headers={"Origin": HERE})
    assert (answer.status_code, answer.text) == (200, "3")
    assert answer.headers["x-frame-options"] == "SAMEORIGIN"
    assert knock(HERE) == "websocket.accept"


@pytest.mark.parametrize("host", ["evil.org", "127.0.0.1.evil.org", "", "[", "10.0.0.7:8420"])
def test_a_foreign_host_is_refused(host: str) -> None:
    assert ask(headers={"Host": host}).status_code == 403
    assert knock(None, host) == "websocket.close"


@pytest.mark.parametrize("origin", ["http://evil.org", "null", "http://127.0.0.1:9", "file://", "https://["])
def test_a_foreign_page_is_refused(origin: str) -> None:
    assert ask(headers={"Origin": origin}).status_code == 403
    assert knock(origin) == "websocket.close"


def test_a_huge_body_is_refused_by_what_it_says() -> None:
    answer = ask("POST", headers={"Content-Length": "100000000"}, content=b"x")
    assert (answer.status_code, answer.text) == (413, "At most 20 MB are allowed in one request.\n")


def test_a_huge_body_is_refused_by_what_it_holds() -> None:
    def pieces() -> Iterator[bytes]:
        for _ in range(LARGEST_BODY // 1_000_000 + 1):
            yield b"x" * 1_000_000

    async def stream():  # type: ignore[no-untyped-def]
        for piece in pieces():
            yield piece

    assert ask("POST", content=stream()).status_code == 413


def test_with_a_token_nothing_is_answered_without_it() -> None:
    assert ask(token="secret").status_code == 403
    assert ask(path="/?token=guess", token="secret").status_code == 403
    assert ask("POST", "/?token=secret", token="secret").status_code == 403
    entered = ask(path="/?token=secret", token="secret")
    assert entered.status_code == 200
    cookie = entered.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert ask(token="secret", headers={"Cookie": f"{COOKIE}_8420=secret"}).status_code == 200
    assert ask(token="secret", headers={"Cookie": f"{COOKIE}_8420=other"}).status_code == 403


def test_only_loopback_needs_no_token() -> None:
    assert all(map(is_loopback, ("127.0.0.1", "::1", "localhost", "127.1.2.3")))
    assert not any(map(is_loopback, ("0.0.0.0", "192.168.1.5", "::", "example.org")))
