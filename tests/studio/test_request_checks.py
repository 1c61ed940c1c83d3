"""Request checks of the studio: foreign hosts, foreign origins, huge bodies and missing tokens are refused."""

import asyncio
from collections.abc import Iterator

import httpx
import pytest
from starlette.types import Receive, Scope, Send

from softdock.studio.request_checks import COOKIE, LARGEST_BODY, RequestChecks, allowed_hosts, is_loopback

ADDRESS = "http://127.0.0.1:8420"


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer every request with the number of bytes of its body."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        return
    size, more = 0, True
    while more:
        message = await receive()
        size, more = size + len(message.get("body", b"")), message.get("more_body", False)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": str(size).encode()})


def send_request(
    method: str = "GET", path: str = "/", *, token: str | None = None, **more: object
) -> httpx.Response:
    checked = RequestChecks(application, allowed_hosts("127.0.0.1"), token)

    async def one() -> httpx.Response:
        transport = httpx.ASGITransport(checked)
        async with httpx.AsyncClient(transport=transport, base_url=ADDRESS) as client:
            return await client.request(method, path, **more)  # type: ignore[arg-type]

    return asyncio.run(one())


def open_web_socket(origin: str | None, host: str = "127.0.0.1:8420") -> str:
    """Return the type of the first message that a web socket receives."""
    sent: list[str] = []

    async def send(message: dict[str, object]) -> None:
        sent.append(str(message["type"]))

    async def receive() -> dict[str, object]:
        return {"type": "websocket.connect"}

    headers = [(b"host", host.encode())] + ([(b"origin", origin.encode())] if origin else [])
    scope = {"type": "websocket", "path": "/_nicegui_ws/socket.io/", "headers": headers, "query_string": b""}
    asyncio.run(RequestChecks(application, allowed_hosts("127.0.0.1"))(scope, receive, send))  # type: ignore[arg-type]
    return sent[0]


def test_requests_of_the_own_page_are_accepted() -> None:
    answer = send_request("POST", content=b"abc", headers={"Origin": ADDRESS})
    assert (answer.status_code, answer.text) == (200, "3")
    assert answer.headers["x-frame-options"] == "SAMEORIGIN"
    assert open_web_socket(ADDRESS) == "websocket.accept"


@pytest.mark.parametrize("host", ["evil.org", "127.0.0.1.evil.org", "", "[", "10.0.0.7:8420"])
def test_a_foreign_host_is_refused(host: str) -> None:
    assert send_request(headers={"Host": host}).status_code == 403
    assert open_web_socket(None, host) == "websocket.close"


@pytest.mark.parametrize("origin", ["http://evil.org", "null", "http://127.0.0.1:9", "file://", "https://["])
def test_a_foreign_page_is_refused(origin: str) -> None:
    assert send_request(headers={"Origin": origin}).status_code == 403
    assert open_web_socket(origin) == "websocket.close"


def test_a_body_with_a_huge_declared_length_is_refused() -> None:
    answer = send_request("POST", headers={"Content-Length": "100000000"}, content=b"x")
    assert (answer.status_code, answer.text) == (413, "At most 20 MB are allowed in one request.\n")


def test_a_huge_body_without_declared_length_is_refused() -> None:
    def pieces() -> Iterator[bytes]:
        for _ in range(LARGEST_BODY // 1_000_000 + 1):
            yield b"x" * 1_000_000

    async def stream():  # type: ignore[no-untyped-def]
        for piece in pieces():
            yield piece

    assert send_request("POST", content=stream()).status_code == 413


def test_with_a_token_requests_without_it_are_refused() -> None:
    assert send_request(token="secret").status_code == 403
    assert send_request(path="/?token=guess", token="secret").status_code == 403
    assert send_request("POST", "/?token=secret", token="secret").status_code == 403
    accepted = send_request(path="/?token=secret", token="secret")
    assert accepted.status_code == 200
    cookie = accepted.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert send_request(token="secret", headers={"Cookie": f"{COOKIE}_8420=secret"}).status_code == 200
    assert send_request(token="secret", headers={"Cookie": f"{COOKIE}_8420=other"}).status_code == 403


def test_only_loopback_addresses_are_recognised_as_such() -> None:
    assert all(map(is_loopback, ("127.0.0.1", "::1", "localhost", "127.1.2.3")))
    assert not any(map(is_loopback, ("0.0.0.0", "192.168.1.5", "::", "example.org")))
