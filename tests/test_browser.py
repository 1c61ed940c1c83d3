"""The browser that other tests lean on: it draws in three dimensions, and nothing escapes its notice."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.browser import Tab

GL = "<canvas id=c></canvas><script>console.log(String(c.getContext('webgl2') !== null))</script>"


def test_it_draws_in_three_dimensions(tab: "Tab") -> None:
    tab.page.set_content(GL)
    assert tab.console == ["true"]


def test_it_notices_what_leaves_the_machine_and_what_goes_wrong(tab: "Tab") -> None:
    tab.page.set_content("<img src='http://example.org/a.png'><script>nothing()</script>")
    tab.page.wait_for_load_state("networkidle")
    assert tab.foreign == ["http://example.org/a.png"]
    assert any("nothing is not defined" in error for error in tab.errors)
    tab.requests.clear()
    tab.errors.clear()
