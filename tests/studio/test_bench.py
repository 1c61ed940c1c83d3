"""The benchmark of the studio says what it lacks where there is no browser."""

import pytest

from softdock.bench import browser, studio
from softdock.report import pdf


def test_without_a_browser_the_rows_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf.shutil, "which", lambda name: None)
    told: list[str] = []
    rows = studio.run(lambda what, fraction: told.append(what))
    assert [row["value"] for row in rows] == [None, None, None]
    assert all("not measured: no browser here: install Chromium" in row["name"] for row in rows)
    assert told == [browser.NO_BROWSER]
