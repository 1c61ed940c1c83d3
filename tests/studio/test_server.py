"""The server of the studio: refused requests, served files, and messages of the command line."""

import asyncio
import html
import socket
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from fastapi.responses import StreamingResponse
from tests.studio.conftest import COMMAND, Served, start, stop

from softdock.presentation.unit_systems import AUTOMATIC
from softdock.studio import file_routes
from softdock.studio.folder import bundled_headers
from softdock.studio.runs import Activity
from softdock.studio.server import Studio


def command(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, timeout=60, check=False)


def test_it_listens_on_loopback_and_refuses_foreign_hosts_and_origins(served: Served) -> None:
    address = urlsplit(served.address)
    assert address.hostname == "127.0.0.1"
    assert httpx.get(served.address).status_code == 200
    assert httpx.get(served.address, headers={"Host": "evil.org"}).status_code == 403
    assert httpx.get(served.address, headers={"Origin": "http://evil.org"}).status_code == 403


@pytest.mark.parametrize(("origin", "answer"), [("http://evil.org", "403"), (None, "101")])
def test_foreign_pages_get_no_web_socket(served: Served, origin: str | None, answer: str) -> None:
    address = urlsplit(served.address)
    lines = [
        "GET /_nicegui_ws/socket.io/?EIO=4&transport=websocket&client_id=x HTTP/1.1",
        f"Host: {address.netloc}",
        f"Origin: {origin or served.address.rstrip('/')}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ]
    with socket.create_connection((str(address.hostname), int(address.port or 0)), timeout=20) as line:
        line.sendall("\r\n".join([*lines, "", ""]).encode())
        first = line.makefile(encoding="latin-1").readline()
        assert first.split()[1] == answer


def test_the_server_does_not_load_packages_that_only_runs_need() -> None:
    script = (
        "import sys; from pathlib import Path; from softdock.studio.server import Studio, application;"
        "application(Studio.at(Path(sys.argv[1])), frozenset({'127.0.0.1'}), 5, None);"
        "print(sorted({'numpy', 'scipy', 'numba', 'pint', 'pyarrow', 'matplotlib', 'ruamel'} & set(sys.modules)))"
    )
    done = subprocess.run([COMMAND[0], "-c", script, "."], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_address_is_printed_before_the_server_is_loaded(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from softdock.studio import endpoint\n"
        "with endpoint.open_endpoint(Path(sys.argv[1]), '127.0.0.1', 0) as opened:\n"
        "    opened.announce(print, browser=False)\n"
        "    print(sorted({'nicegui', 'fastapi', 'uvicorn', 'pydantic', 'numpy'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [COMMAND[0], "-c", script, str(tmp_path)], capture_output=True, text=True, check=True
    )
    address, folder, loaded = done.stdout.splitlines()
    assert address.startswith("Softdock studio: http://127.0.0.1:")
    assert folder == f"Folder {tmp_path}; stop with Ctrl-C."
    assert loaded == "[]"


def test_the_first_answer_contains_the_whole_gallery(served: Served) -> None:
    page = httpx.get(served.address).text
    for name, header in bundled_headers().items():
        assert f'href="/scenario?name={name}"' in page
        assert html.escape(header["title"]) in page
    assert "My own impact" in page


def test_names_and_titles_of_files_are_escaped_in_the_gallery(served: Served) -> None:
    nasty = "<script>hacked()</script>"
    (served.folder / "<b>nasty'\" .yaml").write_text(f"softdock: 1\nbase: impact-a\ntitle: {nasty}\n")
    page = httpx.get(served.address).text
    assert nasty not in page
    assert html.escape(nasty) in page
    assert "<b>nasty" not in page
    (served.folder / "<b>nasty'\" .yaml").unlink()


def test_the_player_is_sent_before_the_scene(served: Served) -> None:
    """The response for a replay whose run has not ended begins at once and ends with the run."""
    studio = Studio.at(served.folder)
    activity = Activity("pending", "latch-slow", "")
    studio.runs.activities["pending"] = activity

    async def read_all_parts() -> list[str]:
        ended = asyncio.Event()
        activity.task = asyncio.create_task(ended.wait())  # type: ignore[arg-type]
        answer = await file_routes._replay(
            studio, "pending", download=False, player=file_routes.Player("dark", AUTOMATIC)
        )
        assert isinstance(answer, StreamingResponse)
        parts = answer.body_iterator
        first = str(await anext(aiter(parts)))
        ended.set()
        return [first, *[str(part) async for part in parts]]

    shell, *rest = asyncio.run(read_all_parts())
    assert 'data-theme="dark"' in shell
    assert "class Player" in shell
    assert 'id="data"' not in shell
    assert rest == []  # the run ended without a result


def test_files_are_added_once_and_checked_by_the_server(served: Served) -> None:
    def add(name: str, content: bytes, **headers: str) -> httpx.Response:
        return httpx.post(f"{served.address}files", params={"name": name}, content=content, headers=headers)

    assert add("added.yaml", b"softdock: 1\nbase: impact-a\n").status_code == 201
    assert (served.folder / "added.yaml").read_bytes() == b"softdock: 1\nbase: impact-a\n"
    again = add("added.yaml", b"other")
    assert (again.status_code, again.text) == (
        400,
        "A file 'added.yaml' exists already; rename yours.\n",
    )
    assert (served.folder / "added.yaml").read_bytes() == b"softdock: 1\nbase: impact-a\n"
    for name in ("../out.yaml", "run.py", ".hidden.yaml", "a/b.yaml"):
        assert "is not a valid name of a scenario or CAD file" in add(name, b"x").text
    assert "larger than 1 MB" in add("large.yaml", b"x" * 1_000_001).text
    assert add("foreign.yaml", b"x", Origin="http://evil.org").status_code == 403
    assert not (served.folder / "foreign.yaml").exists()


def test_the_web_socket_allows_only_the_origin_of_the_studio(served: Served) -> None:
    script = (
        "from pathlib import Path; import sys; from softdock.studio.server import Studio, application;"
        "from nicegui import core; application(Studio.at(Path(sys.argv[1])), frozenset({'127.0.0.1'}), 5, None);"
        "print(core.sio.eio.cors_allowed_origins)"
    )
    done = subprocess.run(
        [COMMAND[0], "-c", script, str(served.folder)], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "['http://127.0.0.1:5']"


@pytest.mark.parametrize(
    "path",
    [
        "thumbnail?name=../../etc/passwd",
        "runs/..%2f..%2fetc/history",
        "runs/../../../etc/passwd",
        "runs/nothing/history",
        "runs/nothing/..%2fresult",
        "campaigns/..%2f../report",
        "campaigns/x/runs/-1/replay",
        "campaigns/x/runs/1/replay",
    ],
)
def test_paths_outside_the_folder_find_nothing(served: Served, path: str) -> None:
    answer = httpx.get(f"{served.address}{path}", timeout=60)
    assert "root:" not in answer.text
    assert answer.status_code in (404, 422) or answer.headers["content-type"] == "image/svg+xml"


def test_a_replay_that_cannot_be_drawn_is_a_page_with_its_reason(served: Served) -> None:
    answer = httpx.get(f"{served.address}runs/<b>nothing/replay", timeout=60)
    assert answer.status_code == 404
    assert answer.headers["content-type"].startswith("text/html")
    assert "The replay cannot be drawn. There is no run or campaign of this name." in answer.text
    assert "<b>" not in answer.text
    assert "sandbox" in answer.headers["content-security-policy"]


@pytest.mark.parametrize("headers", [{"Content-Length": "100000000"}, {}], ids=["told", "in pieces"])
def test_an_upload_of_100_MB_is_refused(served: Served, headers: dict[str, str]) -> None:
    def pieces():  # type: ignore[no-untyped-def]
        for _ in range(100):
            yield b"x" * 1_000_000

    path = f"{served.address}files?name=huge.stl"
    try:
        status = httpx.post(path, content=pieces(), headers=headers, timeout=60).status_code
    except httpx.WriteError:  # the server closes the connection before all is sent
        status = 413
    assert status == 413
    assert not (served.folder / "huge.stl").exists()


@pytest.mark.parametrize("host", ["", "a..b", "::zz", "192.0.2.1"])
def test_an_unusable_address_is_refused_with_its_option(tmp_path: Path, host: str) -> None:
    refused = command("--folder", str(tmp_path), "--port", "0", "--host", host)
    assert refused.returncode == 2
    assert refused.stderr.startswith("Error: --host: ")


def test_two_studios_on_one_folder_are_refused(served: Served) -> None:
    again = command("--folder", str(served.folder), "--port", "0")
    assert again.returncode == 2
    assert again.stderr.strip() == (
        f"Error: {served.folder}: Another studio uses this folder. "
        f"Open {served.address} in the browser, or choose another folder with --folder."
    )


def test_a_used_or_invalid_port_is_refused(served: Served, tmp_path: Path) -> None:
    taken = command("--folder", str(tmp_path), "--port", str(urlsplit(served.address).port))
    assert taken.returncode == 2
    assert "--port: Cannot listen there" in taken.stderr
    none = command("--folder", str(tmp_path), "--port", "70000")
    assert (none.returncode, none.stderr) == (
        2,
        "Error: --port: Must be between 0 and 65535. Given: 70000.\n",
    )


def test_another_address_needs_the_token_that_is_printed(tmp_path: Path) -> None:
    open_to_all = start(tmp_path, "--host", "0.0.0.0", token=True)
    try:
        parts = urlsplit(open_to_all.address)
        here = f"http://127.0.0.1:{parts.port}/"
        assert httpx.get(here).status_code == 403
        with httpx.Client() as client:
            assert client.get(f"{here}?{parts.query}").status_code == 200
            assert client.get(here).status_code == 200
    finally:
        stop(open_to_all)
