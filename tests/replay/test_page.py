"""Replay page: size, no network access and escaping of text."""

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from tests.replay import runs

from softdock.replay.page import player_html
from softdock.replay.scene_builder import scene

NASTY = '</script><img src=x onerror="window.hacked = true"><!-- <script>window.hacked = true</script>'


def test_page_of_the_nominal_docking_is_below_two_megabytes() -> None:
    page = player_html(scene(runs.nominal()))
    assert len(page.encode()) < 2_000_000
    assert not re.search(r"(?:src|href)=[\"'](?!data:)", page)
    assert "https:" not in page
    assert "http:" not in page
    assert "default-src 'none'" in page


def test_text_of_a_scenario_never_becomes_markup() -> None:
    shown = replace(
        scene(runs.spinning()), name=NASTY, title=NASTY, message=NASTY, outcome=NASTY, notes=(NASTY,)
    )
    page = player_html(shown)
    assert "onerror=" not in page.replace("onerror=\\", "")
    assert NASTY not in page
    assert page.count("</script>") == player_html(scene(runs.spinning())).count("</script>")


def test_page_is_written_without_the_studio(tmp_path: Path) -> None:
    """A plain installation has no NiceGUI; nothing of the page comes from other packages."""
    script = (
        "import sys; sys.modules['nicegui'] = None\n"
        "import softdock; softdock.simulate('impact-a').replay('replay.html')"
    )
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=True)
    page = (tmp_path / "replay.html").read_text(encoding="utf-8")
    assert "class Renderer" in page
    assert len(page) < 300_000
