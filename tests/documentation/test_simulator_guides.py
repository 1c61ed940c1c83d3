"""The pages on other simulators: their Python runs, and their numbers are those of the program."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

GUIDES = Path(__file__).parents[2] / "docs" / "guides"


def run_blocks(page: str, folder: Path, wanted: str = "") -> str:
    """Run the Python of a page in one program, or the blocks that contain a word; returns what it prints."""
    text = (GUIDES / f"{page}.md").read_text(encoding="utf-8")
    blocks = [b for b in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if wanted in b]
    assert blocks
    command = [sys.executable, "-c", "\n".join(blocks)]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


def test_the_contact_routine_runs(tmp_path: Path) -> None:
    printed = run_blocks("contact-routine", tmp_path).splitlines()
    peak = float(printed[-1].split()[-1])
    assert printed[-1].startswith("(1000, 3)")
    assert peak > 10.0


def test_the_loop_of_a_plant_runs(tmp_path: Path) -> None:
    printed = run_blocks("own-simulator", tmp_path, "plant.step").splitlines()
    assert printed[0] == "{'servicer.fx': 'N', 'servicer.fy': 'N', 'servicer.fz': 'N'}"
    assert float(printed[1].split()[0]) == pytest.approx(2.0)


def test_the_unit_of_the_page_runs(tmp_path: Path) -> None:
    pytest.importorskip("fmpy")
    assert float(run_blocks("own-simulator", tmp_path, "fmpy")) >= 0.0
