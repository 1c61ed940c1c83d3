"""The browser fixture: it supports WebGL 2 and records external requests and errors."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.browser import Tab

WEBGL_PAGE = "<canvas id=c></canvas><script>console.log(String(c.getContext('webgl2') !== null))</script>"


def test_the_browser_supports_webgl(tab: "Tab") -> None:
    tab.page.set_content(WEBGL_PAGE)
    assert tab.console == ["true"]


def test_the_tab_records_external_requests_and_script_errors(tab: "Tab") -> None:
    tab.page.set_content("<img src='http://example.org/a.png'><script>nothing()</script>")
    tab.page.wait_for_load_state("networkidle")
    assert tab.external_requests == ["http://example.org/a.png"]
    assert any("nothing is not defined" in error for error in tab.errors)
    tab.requests.clear()
    tab.errors.clear()
