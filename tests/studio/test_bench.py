"""The benchmark of the studio without a browser: rows have no values and say what to install."""

import pytest

from softdock.bench import browser, studio
from softdock.report import pdf


def test_rows_without_a_browser_have_no_values_and_say_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf.shutil, "which", lambda name: None)
    messages: list[str] = []
    rows = studio.run(lambda what, fraction: messages.append(what))
    assert [row["value"] for row in rows] == [None, None, None]
    assert all("not measured: no browser here: install Chromium" in row["name"] for row in rows)
    assert messages == [browser.NO_BROWSER]
