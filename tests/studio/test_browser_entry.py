"""The browser that the studio opens gets in without a secret in a command line, once, and nobody else does."""

import asyncio
import json
import os
import re
import shlex
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest
from tests.studio.conftest import COMMAND
from tests.studio.test_request_checks import ADDRESS, application

from softdock.studio import browser_entry
from softdock.studio.browser_entry import BrowserEntry
from softdock.studio.endpoint import open_endpoint
from softdock.studio.request_checks import RequestChecks, allowed_hosts

if TYPE_CHECKING:
    from tests.browser import Tab

FAKE_BROWSER = """
import json, os, re, stat, sys, urllib.error, urllib.request
from pathlib import Path
from urllib.parse import unquote, urlsplit

page = Path(unquote(urlsplit(sys.argv[1]).path))
text = page.read_text()
address = re.search(r'0;url=(\\S+)"', text)[1]
found = {
    "arguments": sys.argv, "page": str(page), "text": text, "address": address,
    "modes": [stat.S_IMODE(path.stat().st_mode) for path in (page, page.parent)],
    "commands": [path.read_text(errors="replace") for path in Path("/proc").glob("[0-9]*/cmdline")],
}
with urllib.request.urlopen(address, timeout=60) as answer:
    found["cookie"] = answer.headers["set-cookie"]
try:
    found["again"] = urllib.request.urlopen(address, timeout=60).status
except urllib.error.HTTPError as error:
    found["again"] = error.code
found["left"] = page.exists() or page.parent.exists()
out = Path(os.environ["FOUND"])
out.with_suffix(".part").write_text(json.dumps(found))
out.with_suffix(".part").rename(out)
"""


@pytest.fixture
def entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> BrowserEntry:
    """An entry whose page is written to a private folder of the session."""
    (tmp_path / "session").mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "session"))
    return BrowserEntry()


def code_of(page: Path) -> str:
    found = re.search(r"\?code=([\w-]+)", page.read_text())
    assert found
    return found[1]


@pytest.mark.skipif(sys.platform != "linux", reason="reads the command lines of all processes from /proc")
def test_the_browser_gets_in_without_a_secret_in_a_command_line(tmp_path: Path) -> None:
    script, found_file = tmp_path / "browser.py", tmp_path / "found.json"
    script.write_text(FAKE_BROWSER)
    (tmp_path / "folder").mkdir()
    command = [part for part in COMMAND if part != "--no-browser"]
    program = f"{shlex.quote(sys.executable)} {shlex.quote(str(script))}"  # paths may have spaces and quotes
    browser = {"BROWSER": f"{program} %s", "FOUND": str(found_file), "DISPLAY": ":0"}
    with subprocess.Popen(
        [*command, "--folder", str(tmp_path / "folder"), "--port", "0"],
        env={**os.environ, **browser}, stderr=subprocess.PIPE, text=True,
    ) as studio:  # fmt: skip
        assert studio.stderr is not None
        token = studio.stderr.readline().strip().partition("?token=")[2]
        limit = time.monotonic() + 120.0
        while not found_file.exists() and time.monotonic() < limit:
            time.sleep(0.05)
        studio.terminate()
        studio.wait(20)
    found = json.loads(found_file.read_text())
    code = found["address"].partition("?code=")[2]
    assert len(token) >= 32
    assert len(code) >= 32
    assert found["arguments"][1].startswith("file://")
    assert len(found["commands"]) > 2
    assert not [one for one in found["commands"] if token in one or code in one]
    assert token not in found["text"]
    assert found["modes"] == [0o600, 0o700]
    assert "HttpOnly; SameSite=Strict" in found["cookie"]
    assert found["again"] == 403
    assert not found["left"]


def test_the_page_is_private_and_its_code_is_accepted_once(entry: BrowserEntry, tmp_path: Path) -> None:
    page = entry.write_page("http://127.0.0.1:8420/")
    assert page.parent.parent == tmp_path / "session"
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    assert stat.S_IMODE(page.parent.stat().st_mode) == 0o700
    code = code_of(page)
    for wrong in ("", code[:-1], f"{code}x", "\u00e4"):
        assert not entry.redeem(wrong)
    assert page.exists()
    assert entry.redeem(code)
    assert not entry.redeem(code)
    assert not list((tmp_path / "session").iterdir())


def test_a_new_page_replaces_the_code(entry: BrowserEntry, tmp_path: Path) -> None:
    first = code_of(entry.write_page("http://127.0.0.1:8420/"))
    page = entry.write_page("http://127.0.0.1:8420/")
    assert not entry.redeem(first)
    assert [path for path in (tmp_path / "session").rglob("*") if path.is_file()] == [page]
    entry.close()


def test_an_unused_page_is_deleted_after_its_time(
    entry: BrowserEntry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browser_entry, "CODE_LIFETIME", 0.05)
    code = code_of(entry.write_page("http://127.0.0.1:8420/"))
    limit = time.monotonic() + 20.0
    while list((tmp_path / "session").iterdir()) and time.monotonic() < limit:
        time.sleep(0.01)
    assert not list((tmp_path / "session").iterdir())
    assert not entry.redeem(code)


def test_the_page_is_deleted_with_the_studio(
    entry: BrowserEntry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "folder").mkdir()
    with open_endpoint(tmp_path / "folder", "127.0.0.1", 0) as opened:
        page = opened.entry.write_page(opened.public_address)
        assert str(opened.token) not in page.read_text()
    assert not page.exists()


def test_a_folder_of_the_session_that_others_may_write_is_not_used(
    entry: BrowserEntry, tmp_path: Path
) -> None:
    (tmp_path / "session").chmod(0o777)
    page = entry.write_page("http://127.0.0.1:8420/")
    assert not page.is_relative_to(tmp_path / "session")
    assert stat.S_IMODE(page.parent.stat().st_mode) == 0o700
    entry.close()


def test_without_a_browser_or_a_place_for_the_page_the_address_remains(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "folder").mkdir()
    monkeypatch.setattr("webbrowser.open", lambda address: False)
    printed: list[str] = []
    with open_endpoint(tmp_path / "folder", "127.0.0.1", 0) as opened:
        opened._open_browser(printed.append)
        monkeypatch.setattr("tempfile.mkdtemp", lambda **_: str(tmp_path / "missing"))
        opened._open_browser(printed.append)
    assert printed == [
        "No browser could be started. Open the address above in a browser.",
        "The page for the browser cannot be written: it does not exist. Open the address above in a browser.",
    ]


def test_only_the_first_request_with_the_code_gets_a_cookie(entry: BrowserEntry) -> None:
    path = f"/?code={code_of(entry.write_page(f'{ADDRESS}/'))}"
    checked = RequestChecks(application, allowed_hosts("127.0.0.1"), "secret", entry)

    async def answers() -> list[httpx.Response]:
        transport = httpx.ASGITransport(checked)
        async with httpx.AsyncClient(transport=transport, base_url=ADDRESS) as client:
            requests = [
                ("POST", path, {}),
                ("GET", path, {"Host": "evil.org"}),
                ("GET", path, {"Origin": "null"}),
            ]
            found = [await client.request(method, at, headers=more) for method, at, more in requests]
            found.append(await client.get(path))
            client.cookies.clear()
            return [*found, await client.get(path)]

    given = asyncio.run(answers())
    assert [one.status_code for one in given] == [403, 403, 403, 200, 403]
    assert [one for one in given if "set-cookie" in one.headers] == [given[3]]


def test_a_browser_enters_through_the_page(tab: "Tab", entry: BrowserEntry, tmp_path: Path) -> None:
    """The cookie is accepted and sent although a page in a file has led to the studio."""
    from tests.studio.test_connections import serve

    with serve(RequestChecks(_page, allowed_hosts("127.0.0.1"), "secret", entry)) as port:
        page = entry.write_page(f"http://127.0.0.1:{port}/")
        tab.page.goto(page.as_uri(), wait_until="commit")
        tab.page.wait_for_url(f"http://127.0.0.1:{port}/")
        assert tab.page.inner_text("body") == "inside"
    assert not page.exists()


async def _page(scope: dict, receive: object, send: "object") -> None:  # type: ignore[type-arg]
    headers = [(b"content-type", b"text/html")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})  # type: ignore[operator]
    await send({"type": "http.response.body", "body": b"<!doctype html><title>a</title>inside"})  # type: ignore[operator]
