"""Bad input on the command line: a message with exit code 2, clean output and no folder left behind."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

BUMPER = Path(__file__).parents[1] / "src/softdock/scenario/bundled/cad/bumper.step"
CAD = "softdock: 1\nbase: assist-soft-docking\nsurfaces: {bumper-nose: {file: part.step}}\n"


def softdock(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from softdock.cli import main; main()", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)


def assert_refused(folder: Path, file: str, words: str) -> None:
    done = softdock(folder, "run", file, "--out", "made/here", "--json")
    assert done.returncode == 2, done.stderr
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""
    assert not (folder / "made").exists()


def test_a_step_file_that_crashes_its_library(tmp_path: Path) -> None:
    lines = BUMPER.read_text().splitlines(keepends=True)
    (tmp_path / "part.step").write_text("".join([*lines[:60], *lines[61:]]))
    (tmp_path / "case.yaml").write_text(CAD)
    assert_refused(tmp_path, "case.yaml", "part.step")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="POSIX only")
def test_a_pipe_as_cad_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "part.step")
    (tmp_path / "case.yaml").write_text(CAD)
    assert_refused(tmp_path, "case.yaml", "named pipe")


def test_characters_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "half.json").write_text(r'{"softdock": 1, "base": "impact-a", "title": "\ud83d"}')
    assert_refused(tmp_path, "half.json", "half.json:1: ")
    (tmp_path / "null.yaml").write_text('softdock: 1\nbase: "a\\0b"\n')
    assert_refused(tmp_path, "null.yaml", "null.yaml:2: ")
    (tmp_path / "emoji.json").write_text(r'{"softdock": 1, "base": "impact-a", "title": "\ud83d\ude00"}')
    done = softdock(tmp_path, "run", "emoji.json", "--out", "made", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["outcome"]
    assert "\N{GRINNING FACE}" in (tmp_path / "made/result.json").read_text(encoding="utf-8")
