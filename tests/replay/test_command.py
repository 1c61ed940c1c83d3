"""Command `softdock replay`: output files and error messages."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.replay import runs
from tests.replay.gltf_rules import check_gltf


def softdock(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from softdock.cli import main; main()", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("run")
    runs.run("impact-a").save(path)
    return path


def test_both_files_are_written(folder: Path, tmp_path: Path) -> None:
    done = softdock("replay", folder, "--html", tmp_path / "a" / "r.html", "--glb", tmp_path / "r.glb")
    assert done.returncode == 0, done.stderr
    check_gltf((tmp_path / "r.glb").read_bytes())
    assert (tmp_path / "a" / "r.html").read_text().startswith("<!doctype html>")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "r.glb"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["{run}"], "Give at least one output"),
        (["{run}", "--html", "x.glb"], "must end in .html or .htm"),
        (["{run}", "--glb", "x.gltf"], "must end in .glb"),
        (["nowhere", "--glb", "x.glb"], "nowhere"),
    ],
)
def test_bad_arguments_are_refused(folder: Path, arguments: list[str], sentence: str) -> None:
    done = softdock("replay", *(text.replace("{run}", str(folder)) for text in arguments))
    assert done.returncode == 2
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr
