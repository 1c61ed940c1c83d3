"""Programs and commands of the README work as pasted."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
FIRST_PAGE = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
COMMANDS = re.findall(r"^    softdock (.*?)(?:  +.*)?$", README, re.M)


def run(arguments: list[str], folder: Path) -> str:
    done = subprocess.run(arguments, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_first_page_runs_as_pasted_and_prints_what_it_shows(tmp_path: Path) -> None:
    assert len(FIRST_PAGE) == 1
    assert len(FIRST_PAGE[0].splitlines()) <= 32
    (shown,) = re.findall(r"```text\n(.*?)```", README, re.DOTALL)
    assert run([sys.executable, "-c", FIRST_PAGE[0]], tmp_path) == shown
    assert (tmp_path / "docking.html").stat().st_size > 100_000


def test_the_latch_of_the_first_page_does_not_close_beside_the_cone(tmp_path: Path) -> None:
    beside = FIRST_PAGE[0].replace('["30 mm", 0]', '["200 mm", 0]')
    assert beside != FIRST_PAGE[0]
    assert "captured" not in run([sys.executable, "-c", beside], tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    "command", [c for c in COMMANDS if not c.startswith(("bench", "figures", "validate", "studio"))]
)
def test_the_commands_work(command: str, tmp_path: Path) -> None:
    script = "from softdock.cli import main; main()"
    if command.startswith("replay"):  # replays the run that an earlier command stores
        stored = next(c for c in COMMANDS if c.startswith("run") and "--out" in c)
        run([sys.executable, "-c", script, *shlex.split(stored)], tmp_path)
    if command.startswith("campaign run"):
        command += " --runs 50"  # 500 take 15 s
    assert run([sys.executable, "-c", script, *shlex.split(command)], tmp_path)
