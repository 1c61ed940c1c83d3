"""A real browser for tests: Chromium without a window, its graphics in software, all it says and fetches kept.

A test asks for the fixture `tab`. When the test ends, the tab fails it for any error in the console and for any request
that would have left the machine. Where there is no browser such tests are skipped with a sentence; with
`SOFTDOCK_BROWSER=required`, as continuous integration sets it, they fail instead.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from softdock.bench.browser import FLAGS, NARROW, missing
from softdock.report.pdf import find_browser

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

LOCAL_SCHEMES = ("file", "data", "blob", "about")
WAIT = 20_000.0  # ms; the machine may be busy
PICTURES = Path("out/screenshots")
FAILED = pytest.StashKey[bool]()
"""Whether the body of a test has failed."""


@dataclass
class Tab:
    """One page of the browser with what it has said and fetched."""

    page: "Page"
    errors: list[str] = field(default_factory=list)
    """Errors in the console, and exceptions that nobody caught."""
    console: list[str] = field(default_factory=list)
    """All of the console."""
    requests: list[str] = field(default_factory=list)
    """Address of everything that was fetched."""

    @property
    def foreign(self) -> list[str]:
        """Requests that would have left the machine."""
        return [address for address in self.requests if not _is_local(address)]

    def picture(self, name: str) -> Path:
        """Keep a picture of the page as an artefact of the build."""
        path = PICTURES / f"{name}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=path)
        return path

    def listen(self) -> None:
        """Keep what the page says and fetches from now on."""
        self.page.on("console", lambda message: self._keep_message(message.type, message.text))
        self.page.on("pageerror", lambda error: self.errors.append(error.stack or str(error)))
        self.page.on("response", lambda answer: self._check_response(answer.status, answer.url))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("websocket", lambda socket: self.requests.append(socket.url))

    def _check_response(self, status: int, address: str) -> None:
        if status >= 400:
            self.errors.append(f"{status}: {address}")

    def _keep_message(self, kind: str, text: str) -> None:
        self.console.append(text)
        if kind == "error":
            self.errors.append(text)


def _is_local(address: str) -> bool:
    parts = urlsplit(address)
    return parts.scheme in LOCAL_SCHEMES or parts.hostname in ("127.0.0.1", "localhost")


def _missing(sentence: str) -> None:
    if os.environ.get("SOFTDOCK_BROWSER") == "required":
        pytest.fail(sentence)
    pytest.skip(sentence)


@pytest.fixture(scope="module")
def chromium() -> "Iterator[Browser]":
    """The browser itself, one for each file of tests; none keeps an event loop after its file."""
    if missing():
        _missing(f"the pages are not tested: {missing()}")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=find_browser(), args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def tab(chromium: "Browser", request: pytest.FixtureRequest) -> Iterator[Tab]:
    """Return a new tab of 1280 by 720 pixels; the test fails for errors in the console and for requests to other hosts.

    If the test fails, a picture of the page is saved as `failed-NAME.png`.
    """
    context = chromium.new_context(viewport=NARROW, accept_downloads=True)  # type: ignore[arg-type]
    context.set_default_timeout(WAIT)
    tab = Tab(context.new_page())
    tab.listen()
    yield tab
    if request.node.stash.get(FAILED, False):
        tab.picture(f"failed-{request.node.name}")
    context.close()
    assert not tab.foreign, f"requests have left the machine: {tab.foreign}"
    assert not tab.errors, f"errors in the console of the browser: {tab.errors}"
