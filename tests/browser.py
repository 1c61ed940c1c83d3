"""Headless Chromium with software rendering; its tabs record console messages and requests.

Tests use the fixture `tab`. At the end of a test it asserts that the console has no errors and that no request was sent
to another machine. Without a browser such tests are skipped with a message; with `SOFTDOCK_BROWSER=required`, as
continuous integration sets it, they fail instead.
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
TIMEOUT = 20_000.0  # ms; the machine may be busy
SCREENSHOTS = Path("out/screenshots")
FAILED = pytest.StashKey[bool]()
"""Whether the body of a test has failed."""


@dataclass
class Tab:
    """One page of the browser, with its console messages and requests."""

    page: "Page"
    errors: list[str] = field(default_factory=list)
    """Errors in the console, responses with an error status and uncaught exceptions."""
    console: list[str] = field(default_factory=list)
    """All messages of the console."""
    requests: list[str] = field(default_factory=list)
    """Addresses of all requests."""

    @property
    def external_requests(self) -> list[str]:
        """Return the requests to other machines."""
        return [address for address in self.requests if not _is_local(address)]

    def save_screenshot(self, name: str) -> Path:
        """Save a screenshot of the page as an artefact of the build."""
        path = SCREENSHOTS / f"{name}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=path)
        return path

    def listen(self) -> None:
        """Record console messages, errors and requests from now on."""
        self.page.on("console", lambda message: self._record_message(message.type, message.text))
        self.page.on("pageerror", lambda error: self.errors.append(error.stack or str(error)))
        self.page.on("response", lambda answer: self._check_response(answer.status, answer.url))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("websocket", lambda socket: self.requests.append(socket.url))

    def _check_response(self, status: int, address: str) -> None:
        if status >= 400:
            self.errors.append(f"{status}: {address}")

    def _record_message(self, kind: str, text: str) -> None:
        self.console.append(text)
        if kind == "error":
            self.errors.append(text)


def _is_local(address: str) -> bool:
    parts = urlsplit(address)
    return parts.scheme in LOCAL_SCHEMES or parts.hostname in ("127.0.0.1", "localhost")


def _skip_or_fail(sentence: str) -> None:
    if os.environ.get("SOFTDOCK_BROWSER") == "required":
        pytest.fail(sentence)
    pytest.skip(sentence)


@pytest.fixture(scope="module")
def chromium() -> "Iterator[Browser]":
    """Chromium, one instance per test module; its event loop ends with the module."""
    if missing():
        _skip_or_fail(f"the pages are not tested: {missing()}")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=find_browser(), args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def tab(chromium: "Browser", request: pytest.FixtureRequest) -> Iterator[Tab]:
    """Return a new tab of 1280 by 720 pixels; the test fails for errors in the console and for requests to other hosts.

    If the test fails, a screenshot is saved as `failed-NAME.png`.
    """
    context = chromium.new_context(viewport=NARROW, accept_downloads=True)  # type: ignore[arg-type]
    context.set_default_timeout(TIMEOUT)
    tab = Tab(context.new_page())
    tab.listen()
    yield tab
    if request.node.stash.get(FAILED, False):
        tab.save_screenshot(f"failed-{request.node.name}")
    context.close()
    assert not tab.external_requests, f"requests to other machines: {tab.external_requests}"
    assert not tab.errors, f"errors in the console of the browser: {tab.errors}"
