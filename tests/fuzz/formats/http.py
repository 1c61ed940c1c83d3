"""HTTP requests to the studio, sent as bytes."""

import select
from pathlib import Path
from random import Random
from socket import SHUT_WR
from urllib.parse import quote

from tests.fuzz.formats import Files, Format
from tests.fuzz.formats.server import TOKEN, served, with_port
from tests.fuzz.mutations import NUMBERS, TEXT, TEXTS, mutate

from softdock.errors import InputError

PATHS = (
    "/", "/scenario", "/thumbnail", "/files", "/runs/a/replay", "/runs/a/result", "/runs/a/figure", "/runs/a/history",
    "/campaigns/a/report", "/campaigns/a/runs/1/replay", "/campaigns", "/campaign", "/predict", "/compose",
    "/run", "/edit", "/_nicegui/3.18.0/static/nicegui.js", "/_nicegui_ws/socket.io/", "/nothing",
    "/runs/../../etc/passwd", "/favicon.ico",
)  # fmt: skip
CHEAP = (
    "/thumbnail?name=impact-a", "/thumbnail?name=mine.yaml", "/files?name=a.yaml", "/_nicegui/x/static/nicegui.css",
    "/thumbnail", "/files", "/nothing", "/runs/a/zip", "/_nicegui_ws/socket.io/", "/_nicegui/x/static/y", "/runs/a",
)  # fmt: skip
METHODS = (
    "GET",
    "GET",
    "GET",
    "POST",
    "HEAD",
    "PUT",
    "DELETE",
    "OPTIONS",
    "TRACE",
    "CONNECT",
    "get",
    "",
    "G" * 5000,
)
HEADERS = (
    "Origin: http://evil.org", "Origin: null", "Content-Length: 5", "Content-Length: -1", "Content-Length: 99999999999",
    "Content-Length: x", "Transfer-Encoding: chunked", "Transfer-Encoding: gzip", "Expect: 100-continue",
    "Upgrade: websocket", "Range: bytes=0-10", "Range: bytes=-1-", "Accept-Encoding: gzip", "Content-Type: a/b",
    "X-Forwarded-Host: evil.org", "Cookie: ;;==;", "Cookie: theme=\x01", "If-None-Match: *", "X: " + "a" * 40_000,
    "Host: evil.org", "Authorization: Basic x", "Content-Encoding: gzip", "Accept-Language: " + "é" * 50,
)  # fmt: skip
QUERIES = ("name", "run", "campaign", "download", "token", "client_id", "EIO", "transport", "x")

PATIENCE = 0.1
"""Time after which a request counts as incomplete and the connection is closed for writing [s]."""


def make(random: Random) -> Files:
    """Return the bytes of a request."""
    method = random.choice(METHODS) if random.random() < 0.4 else random.choice(("GET", "GET", "POST"))
    path = random.choice(CHEAP if random.random() < 0.9 else PATHS)
    if random.random() < 0.6:
        path += ("&" if "?" in path else "?") + "&".join(
            f"{random.choice(QUERIES)}={quote(random.choice((*TEXTS, *NUMBERS, 'impact-a', 'mine.yaml'))[:2000])}"
            for _ in range(random.choice((1, 1, 2, 3)))
        )
    host = (
        "127.0.0.1:PORT"
        if random.random() < 0.9
        else random.choice(("evil.org", "", "[", "localhost:PORT", "[::1"))
    )
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host}"]
    if random.random() < 0.7:
        lines.append(f"Cookie: softdock_token_PORT={TOKEN}")
    lines += random.sample(HEADERS, random.choice((0, 0, 1, 1, 2)))
    body = b""
    if random.random() < 0.3:
        body = random.choice(
            (b"x", b"\0" * 100, b"softdock: 1\nbase: impact-a\n", b"5\r\nabcde\r\n0\r\n\r\n", b"a" * 70_000)
        )
        if random.random() < 0.6:
            lines.append(f"Content-Length: {len(body)}")
    request = "\r\n".join([*lines, "Connection: close", "", ""]).encode() + body
    return {"request.bin": mutate(request, random, TEXT) if random.random() < 0.5 else request}


def read(files: Files, folder: Path) -> None:
    """Send a request; an answer of 400 to 499 and a closed connection are refusals."""
    answer = b""
    with served().connect() as line:
        try:
            line.sendall(with_port(files["request.bin"]))
            if b"\r\n\r\n" in files["request.bin"]:
                select.select([line], [], [], PATIENCE)
            line.shutdown(SHUT_WR)  # the studio waits for the rest of a request, or for the next one
            while (part := line.recv(65536)) and len(answer) < 65536:
                answer += part
        except TimeoutError:
            raise AssertionError("no answer, and the connection is still open") from None
        except OSError:  # closed by the studio
            pass
    status = int(answer.split()[1]) if answer.startswith(b"HTTP/1.") else 0
    assert status < 500, answer[:500]
    if status == 0 or status >= 400:
        raise InputError(f"Status {status}.")
    if status < 400 and b"content-type: text/html" in answer.lower():
        assert b"content-security-policy:" in answer.lower(), "no content security policy"
    left = [path.name for path in served().folder.iterdir() if path.suffix == ".tmp"]
    assert not left, f"half-written files: {left}"


FORMAT = Format(make=make, read=read, stored=False, seconds=60.0)
