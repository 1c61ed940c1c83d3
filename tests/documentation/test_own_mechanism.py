"""The tutorial on an own mechanism: its parts, commands and numbers."""

import re
import runpy
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from mechanism.step_text import read_parts, step_text

import softdock
from softdock.campaign import runner
from softdock.campaign.loading import read_campaign
from softdock.campaign.status import status_of
from softdock.geometry.profile import Arc
from softdock.geometry.profile_cache import read_meridian

PAGE = Path(__file__).parents[2] / "docs" / "tutorials" / "own-mechanism.md"
FOLDER = PAGE.with_suffix("")
TEXT = re.sub(r"\s+", " ", PAGE.read_text(encoding="utf-8"))
COMMANDS = re.findall(r"^    softdock (.*)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    copy = tmp_path / "own"
    shutil.copytree(FOLDER, copy)
    return copy


def test_step_files_are_those_of_the_parts_and_are_read_back_exactly() -> None:
    for name, profile in read_parts(FOLDER / "parts.yaml").items():
        file = FOLDER / f"{name}.step"
        assert file.read_text(encoding="utf-8") == step_text(profile, name)
        if name == "receptacle":  # its inside begins at the bottom
            read, wanted = read_meridian(file, side="inside")[0], profile.segments[:6]
        else:
            read, wanted = read_meridian(file)[0], profile.segments
        assert len(read.segments) == len(wanted)
        for one, other in zip(read.segments, wanted):
            assert isinstance(one, Arc) == isinstance(other, Arc)
            assert np.allclose([one.start, one.end], [other.start, other.end], atol=1e-9)


@pytest.mark.slow
def test_commands_without_campaigns_work(folder: Path) -> None:
    script = "from softdock.cli import main; main()"
    for command in COMMANDS:
        if not command.startswith("campaign"):
            done = subprocess.run(
                [sys.executable, "-c", script, *shlex.split(command)],
                cwd=folder, capture_output=True, text=True, check=False,
            )  # fmt: skip
            assert done.returncode == 0, done.stderr
    assert (folder / "report.html").stat().st_size > 0


def test_numbers_of_the_run_are_those_of_the_page() -> None:
    result = softdock.simulate(softdock.load(FOLDER / "docking.yaml"))
    times = {event.name: event.time for event in result.events}
    assert f"touches the cone at {times['touch']:.2f} s" in TEXT
    assert f"is seated at {times['seated']:.2f} s" in TEXT
    assert f"largest contact force is {result.metrics['peak_contact_force']:.1f} N" in TEXT
    assert f"the latch carries {result.metrics['latch_load']:.1f} N" in TEXT
    margin = {one.id: one.margin for one in result.requirements}["CAP-2"]
    assert f"The margin of the latch is {margin:.2f}" in TEXT
    changes = {"approach.speed": "60 mm/s", "approach.offset": "[0 mm, 0 mm]"}
    fast = softdock.simulate(softdock.load(FOLDER / "docking.yaml", [f"{k}={v}" for k, v in changes.items()]))
    assert [one.verdict for one in fast.requirements] == ["met", "violated", "violated"]


@pytest.mark.parametrize(
    ("name", "phrase"), [("campaign", "{} of 40 runs"), ("softer-campaign", "Now {} of 40 runs")]
)
def test_a_softer_guide_captures_more(name: str, phrase: str, folder: Path) -> None:
    runner.run(read_campaign(folder / f"{name}.yaml"), folder / "out")
    captured = status_of(folder / "out")["outcomes"]["captured"]
    assert phrase.format(captured) in TEXT


def test_the_softer_campaign_differs_in_its_scenario_only() -> None:
    first, second = (
        (FOLDER / f"{n}.yaml").read_text(encoding="utf-8") for n in ("campaign", "softer-campaign")
    )
    changed = [line for line in second.splitlines() if line not in first.splitlines()]
    assert {line.split(":")[0] for line in changed} == {"title", "scenario"}


def test_the_objects_in_python_are_the_scenario_of_the_file(folder: Path) -> None:
    module = runpy.run_path(str(folder / "docking.py"))
    assert module["docking"] == softdock.load(folder / "docking.yaml")
    done = subprocess.run(
        [sys.executable, "docking.py"], cwd=folder, capture_output=True, text=True, check=True
    )
    shown = PAGE.read_text(encoding="utf-8").split("It prints\n\n```text\n")[1].split("```")[0]
    for line, quoted_line in zip(done.stdout.splitlines(), shown.splitlines(), strict=True):
        for word, quoted_word in zip(line.split(), quoted_line.split(), strict=True):
            try:
                assert float(word) == pytest.approx(float(quoted_word), rel=1e-6)
            except ValueError:
                assert word == quoted_word
    assert (folder / "docking.html").stat().st_size > 0
