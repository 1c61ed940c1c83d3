"""The notebooks of the manual run without errors, and are stored without output."""

import json
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))
sys.path.insert(0, str(DOCS / "_ext"))

from notebook_runner import execute  # noqa: E402


def test_there_are_three_notebooks_with_a_page_each() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["campaign", "first-docking", "own-mechanism"]
    assert all(path.with_suffix(".md").exists() for path in NOTEBOOKS)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run(path: Path, tmp_path: Path) -> None:
    cells = list(execute(path, tmp_path))  # cells contain assertions
    assert any("<img" in cell.html for cell in cells), "a result or campaign is shown with its picture"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_valid_and_without_output(path: Path) -> None:
    document = json.loads(path.read_text(encoding="utf-8"))
    assert (document["nbformat"], document["metadata"]["language_info"]["name"]) == (4, "python")
    for cell in document["cells"]:
        assert cell["cell_type"] in ("markdown", "code")
        if cell["cell_type"] == "code":
            assert (cell["outputs"], cell["execution_count"]) == ([], None)
            assert not "".join(cell["source"]).startswith(("%", "!")), "plain Python only"
