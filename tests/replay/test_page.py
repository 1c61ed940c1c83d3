"""Replay page: size, no network access and escaping of text."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from tests.replay import runs

import softdock.replay.three_js as three
from softdock.errors import InputError
from softdock.replay import player_html, scene

NASTY = '</script><img src=x onerror="window.hacked = true"><!-- <script>window.hacked = true</script>'


def test_page_of_the_nominal_docking_is_below_three_megabytes() -> None:
    page = player_html(scene(runs.nominal()))
    assert len(page.encode()) < 3_000_000
    ours = re.sub(r'<script type="text/plain" id="three">.*?</script>', "", page, flags=re.DOTALL)
    assert not re.search(r"(?:src|href)=[\"'](?!data:)", ours)
    assert "https:" not in ours
    assert "http:" not in ours
    assert "default-src 'none'" in page


def test_text_of_a_scenario_never_becomes_markup() -> None:
    shown = replace(
        scene(runs.spinning()), name=NASTY, title=NASTY, message=NASTY, outcome=NASTY, notes=(NASTY,)
    )
    page = player_html(shown)
    assert "onerror=" not in page.replace("onerror=\\", "")
    assert NASTY not in page
    assert page.count("</script>") == player_html(scene(runs.spinning())).count("</script>")


def test_without_nicegui_the_message_names_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(three.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"NiceGUI.*pip install"):
        player_html(scene(runs.spinning()))


def test_nicegui_without_three_js_gives_a_message(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    class Found:
        origin = str(tmp_path / "__init__.py")

    monkeypatch.setattr(three.importlib.util, "find_spec", lambda name: Found)
    with pytest.raises(InputError, match=r"does not contain three\.js"):
        player_html(scene(runs.spinning()))
