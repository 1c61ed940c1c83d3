"""The examples run as they are, and each ends with asserts on physics."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("[0-9][0-9]_*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path: Path, tmp_path: Path) -> None:
    assert "assert " in path.read_text(encoding="utf-8")
    subprocess.run([sys.executable, str(path)], cwd=tmp_path, check=True)
